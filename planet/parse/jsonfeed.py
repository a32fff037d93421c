"""JSON Feed 1.0 and 1.1 → ParsedFeed (https://www.jsonfeed.org/version/1.1/).

Tolerant: a field of the wrong type counts as absent, and an item is an object or passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.errors import ParseError
from planet.model import (
    Enclosure,
    Hints,
    Origin,
    ParsedEntry,
    ParsedFeed,
    Person,
    Profile,
    TextKind,
)
from planet.parse import coerce, dates
from planet.parse.coerce import Object, make_person, merge_people, part
from planet.parse.compose import add_pictures, drop_empty_text, list_pictures, make_feed
from planet.text.plain import decode_references

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.parse.sniff import FeedDocument


_VERSION = "jsonfeed.org/version/1"


def read(document: FeedDocument) -> ParsedFeed:
    """Read the feed in a document; see `planet.parse.parse`.

    Raises:
        ParseError: `not_a_feed` or `unreadable`.
    """
    feed, base = coerce.parse_json_object(document.text), document.base
    version, items = coerce.string(feed.get("version")) or "", coerce.dicts(feed.get("items"))
    # Feeds that forget the version are met, other JSON that has items is met more often.
    has_texts = any("content_html" in item or "content_text" in item for item in items)
    if _VERSION not in version and not has_texts:
        raise ParseError("not_a_feed", "this is JSON, but not a JSON Feed")
    profile = _profile(feed, version, base)
    return make_feed(profile, items, lambda item: _entry(item, profile, base))


def _profile(feed: Object, version: str, base: str | None) -> Profile:
    link = coerce.link(feed.get("home_page_url"), base)
    authors = _people(feed, link, base)
    return Profile(
        format="json11" if version.endswith("1.1") else "json10",
        id=coerce.line(feed.get("feed_url")),
        title=coerce.line(feed.get("title")),
        link=link,
        description=coerce.line(feed.get("description")),
        author=authors[0].name if authors else None,
        image=coerce.first_link([feed.get("icon"), feed.get("favicon")], link, base),
        language=coerce.language(feed.get("language")),
        hints=Hints(expired=feed.get("expired") is True),
    )


def _entry(item: Object, feed: Profile, page: str | None) -> ParsedEntry:
    link = coerce.link(item.get("url"), feed.link, page)
    external = coerce.link(item.get("external_url"), feed.link, page)
    base = link or feed.link or page
    extension, tags = part(item, "_planet"), item.get("tags")
    files, title = tuple(_attachments(item, base)), coerce.string(item.get("title")) or ""
    plain = coerce.text(item.get("content_text"), TextKind.TEXT, base)
    html = coerce.text(item.get("content_html"), TextKind.HTML, base)
    summary = coerce.text(item.get("summary"), TextKind.TEXT, base)
    content = drop_empty_text(plain, html).content or plain
    summary, content = drop_empty_text(summary, content)
    return ParsedEntry(
        id=_id(item.get("id")),
        link=link or external,
        # Plain text by the specification, and yet many publishers encode it for HTML.
        title=coerce.text(decode_references(title), TextKind.TEXT, base),
        summary=summary,
        content=add_pictures(content, summary, list_pictures(files)),
        authors=_people(item, base),
        categories=coerce.lines(tags) if isinstance(tags, list) else (),
        published=dates.parse_date(item.get("date_published")),
        updated=dates.parse_date(item.get("date_modified")),
        enclosures=files,
        image=coerce.first_link([item.get("image"), item.get("banner_image")], base),
        in_reply_to=coerce.links(coerce.items(extension.get("in_reply_to")), base),
        comments=coerce.link(extension.get("comments"), base),
        rights=coerce.line(extension.get("rights")),
        origin=_origin(extension, base),
        language=coerce.language(item.get("language"), feed.language),
    )


def _origin(extension: Object, base: str | None) -> Origin | None:
    """Return the feed an item comes from, by Planet's extension of JSON Feed."""
    if not (source := part(extension, "source")):
        return None
    return Origin(
        id=coerce.line(source.get("id")),
        title=coerce.line(source.get("title")),
        link=coerce.link(source.get("url"), base),
        url=coerce.link(source.get("feed_url"), base),
    )


def _id(value: object) -> str:
    # "If an id is presented as a number or other type, a JSON Feed reader must coerce it."
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return coerce.string(value) or ""


def _people(node: Object, *bases: str | None) -> tuple[Person, ...]:
    # 1.1 has a list, which some write as one object, 1.0 one author.
    authors = [*coerce.dicts(node.get("authors")), *coerce.dicts(node.get("author"))]
    return merge_people(
        make_person(author.get("name"), author.get("url"), *bases) for author in authors
    )


def _attachments(item: Object, base: str | None) -> Iterator[Enclosure]:
    for file in coerce.dicts(item.get("attachments"))[: coerce.MAX_FILES]:
        if url := coerce.file(file.get("url"), base):
            yield Enclosure(
                url=url,
                media_type=coerce.line(file.get("mime_type")),
                length=coerce.positive(file.get("size_in_bytes")),
                duration=coerce.seconds(file.get("duration_in_seconds")),
                title=coerce.line(file.get("title")),
            )
