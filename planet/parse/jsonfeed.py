"""JSON Feed 1.0 and 1.1 → ParsedFeed (https://www.jsonfeed.org/version/1.1/).

Tolerant: a field of the wrong type counts as absent, and an item that is no object is passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.errors import ParseError
from planet.model import (
    EPISODE_KINDS,
    Enclosure,
    Episode,
    Hints,
    Origin,
    ParsedEntry,
    Profile,
    TextKind,
    Transcript,
)
from planet.parse import dates, values
from planet.parse.values import attached, different, listed, part, person, pictured
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planet.model import ParsedFeed, Person
    from planet.parse.sniff import Document
    from planet.parse.values import Object


_VERSION = "jsonfeed.org/version/1"


def read(document: Document) -> ParsedFeed:
    """What the feed in a document says; see `planet.parse.parse`.

    Raises:
        ParseError: `not_a_feed` or `unreadable`.
    """
    feed, base = values.json_object(document.text), document.base
    version, items = values.string(feed.get("version")) or "", values.dicts(feed.get("items"))
    # Feeds that forget the version are met, other JSON that has items is met more often.
    if _VERSION not in version and not any(map(_is_item, items)):
        raise ParseError("not_a_feed", "this is JSON, but not a JSON Feed")
    profile = _profile(feed, version, base)
    return listed(profile, items, lambda item: _entry(item, profile, base))


def _profile(feed: Object, version: str, base: str | None) -> Profile:
    link = values.link(feed.get("home_page_url"), base)
    authors = _people(feed, link, base)
    return Profile(
        format="json11" if version.endswith("1.1") else "json10",
        id=values.line(feed.get("feed_url")),
        title=values.line(feed.get("title")),
        link=link,
        description=values.line(feed.get("description")),
        author=authors[0].name if authors else None,
        image=values.first_link([feed.get("icon"), feed.get("favicon")], link, base),
        language=values.language(feed.get("language")),
        hints=Hints(
            expired=feed.get("expired") is True,
            hubs=values.hubs((hub.get("url") for hub in values.dicts(feed.get("hubs"))), base),
        ),
    )


def _entry(item: Object, feed: Profile, page: str | None) -> ParsedEntry:
    link = values.link(item.get("url"), feed.link, page)
    external = values.link(item.get("external_url"), feed.link, page)
    base = link or feed.link or page
    extension = part(item, "_planet")
    files, authors = tuple(_attachments(item, base)), _people(item, base)
    plain = values.text(item.get("content_text"), TextKind.TEXT, base)
    html = values.telling(plain, values.text(item.get("content_html"), TextKind.HTML, base))[1]
    summary, content = values.telling(
        values.text(item.get("summary"), TextKind.TEXT, base), html or plain
    )
    return ParsedEntry(
        id=_id(item.get("id")),
        link=link or external,
        # Plain text by the specification, and yet many publishers encode it for HTML.
        title=values.decoded(values.text(item.get("title"), TextKind.TEXT, base)),
        summary=summary,
        content=pictured(content, summary, attached(files)),
        authors=authors,
        categories=values.lines(values.items(item.get("tags"))),
        published=dates.moment(item.get("date_published")),
        updated=dates.moment(item.get("date_modified")),
        enclosures=files,
        image=values.first_link([item.get("image"), item.get("banner_image")], base),
        comments=values.link(extension.get("comments"), base),
        rights=values.line(extension.get("rights")),
        origin=_origin(item, extension, authors, feed, base),
        episode=_episode(part(extension, "episode"), base),
        language=values.language(item.get("language"), feed.language),
    )


def _origin(
    item: Object, extension: Object, authors: Sequence[Person], feed: Profile, base: str | None
) -> Origin | None:
    """The feed it comes from: JSON Feed has no word for it, but Planet's extension has one.

    Else it is the author, where the item is at the author's site and that is not the feed's.
    """
    if source := part(extension, "source"):
        return Origin(
            id=values.line(source.get("id")),
            title=values.line(source.get("title")),
            link=values.link(source.get("url"), base),
            url=values.link(source.get("feed_url"), base),
        )
    for author in authors[:1]:
        own, site = author.url and address.host(author.url), feed.link and address.host(feed.link)
        if own and site and own != site and base and address.host(base) == own:
            return Origin(id=author.url, title=author.name, link=author.url)
    return None


def _episode(episode: Object, base: str | None) -> Episode | None:
    """What Planet's extension says of an episode."""
    transcripts = (
        Transcript(
            url=url,
            media_type=values.line(transcript.get("mime_type")) or "",
            language=values.language(transcript.get("language")),
        )
        for transcript in values.dicts(episode.get("transcripts"))[: values.MAX_FILES]
        if (url := values.link(transcript.get("url"), base))
    )
    kind, explicit = episode.get("type"), episode.get("explicit")
    parsed = Episode(
        number=values.positive(episode.get("number")),
        season=values.positive(episode.get("season")),
        kind=kind if kind in EPISODE_KINDS else None,
        explicit=explicit if isinstance(explicit, bool) else None,
        chapters=values.link(episode.get("chapters"), base),
        transcripts=tuple(transcripts),
        persons=_people({"authors": episode.get("persons")}, base),
    )
    return parsed if parsed != Episode() else None


def _id(value: object) -> str:
    # "If an id is presented as a number or other type, a JSON Feed reader must coerce it."
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return values.string(value) or ""


def _people(node: Object, *bases: str | None) -> tuple[Person, ...]:
    # 1.1 has a list, 1.0 one author.
    authors = [*values.dicts(node.get("authors")), *values.dicts([node.get("author")])]
    return different(person(author.get("name"), author.get("url"), *bases) for author in authors)


def _attachments(item: Object, base: str | None) -> Iterator[Enclosure]:
    for file in values.dicts(item.get("attachments"))[: values.MAX_FILES]:
        if url := values.file(file.get("url"), base):
            yield Enclosure(
                url=url,
                media_type=values.line(file.get("mime_type")),
                length=values.positive(file.get("size_in_bytes")),
                duration=values.seconds(file.get("duration_in_seconds")),
                title=values.line(file.get("title")),
            )


def _is_item(value: Object) -> bool:
    return "content_html" in value or "content_text" in value
