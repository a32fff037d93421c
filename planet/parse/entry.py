"""What a feed says of one entry: feedparser's dict → ParsedEntry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planet import media
from planet.model import Episode, Origin, ParsedEntry
from planet.parse import values
from planet.parse.markup import attached, pictured
from planet.parse.media import enclosures, image
from planet.parse.parts import categories, linked, moment, page, people
from planet.parse.people import different
from planet.parse.texts import named, summary_and_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.model import Profile
    from planet.parse.extras import Extras

_KINDS = frozenset({"full", "trailer", "bonus"})


def entry(said: dict[str, Any], *, feed: Profile, extras: Extras, base: str | None) -> ParsedEntry:
    """An entry of the feed that was found at `base`.

    `said` is a plain dict on purpose: feedparser's own answers to some names with the value of
    another (`updated` may be the date of publication), and warns while it does.
    """
    link = _link(said, feed.link, base)
    # Trap: what a relative address is relative to, when there is no xml:base. By RFC 4287 it is
    # the feed's address; by what publishers do, the page the text was taken from.
    bases = (link, feed.link, base)
    is_atom = feed.format.startswith("atom")
    summary, content = summary_and_content(said, *bases, is_atom=is_atom)
    published, updated = moment(said, "published"), moment(said, "updated")
    nearest = next((each for each in bases if each), None)
    files = enclosures(said, nearest)
    # The one picture beside a recording is its cover, mostly that of the show.
    is_cover = len(extras.pictures) == 1 and any(map(media.plays, files))
    pictures = [] if is_cover else extras.pictures
    return ParsedEntry(
        id=values.string(said.get("id")) or "",
        link=link,
        title=named(said, "title", *bases),
        summary=summary,
        content=pictured(content, summary, [*pictures, *attached(files)]),
        authors=people(said, *bases),
        categories=categories(said, keywords=False),
        published=published or moment(said, "created"),
        updated=updated,
        enclosures=files,
        image=image(said, files, nearest),
        # RSS comments; Atom replies (RFC 4685 §4).
        comments=values.first_link([said.get("comments"), *linked(said, "replies")], nearest),
        rights=values.line(said.get("rights")),
        origin=_origin(said.get("source"), nearest),
        language=_language(said) or feed.language,
        episode=_episode(said, extras),
    )


def _link(said: Mapping[str, Any], *bases: str | None) -> str | None:
    return (
        # What the link was before a service put one of its own in its place.
        values.link(said.get("feedburner_origlink"))
        or page(said, *bases)
        # Here feedparser has lent the id, which only is an address when it is a whole one.
        or values.link(said.get("link"))
    )


def _origin(source: object, base: str | None) -> Origin | None:
    if not isinstance(source, dict):
        return None
    source = dict(source)
    origin = Origin(
        id=values.line(source.get("id")),
        title=values.line(source.get("title")),
        link=page(source, base) or values.link(source.get("href"), base),
    )
    return origin if origin != Origin() else None


def _language(said: Mapping[str, Any]) -> str | None:
    """The language of an entry by xml:lang, which is inherited, or dc:language."""
    details = [said.get("summary_detail"), said.get("title_detail")]
    texts = [*values.dicts(said.get("content")), *values.dicts(details)]
    candidates = [said.get("language"), *(each.get("language") for each in texts)]
    return next((found for each in candidates if (found := values.language(each))), None)


def _episode(said: Mapping[str, Any], extras: Extras) -> Episode | None:
    kind = (values.line(said.get("itunes_episodetype")) or "").lower()
    explicit = extras.explicit
    if explicit is None:
        explicit = values.claim(said.get("itunes_explicit"))
    episode = Episode(
        number=values.positive(said.get("itunes_episode")),
        season=values.positive(said.get("itunes_season")),
        kind=kind if kind in _KINDS else None,
        explicit=explicit,
        chapters=extras.chapters,
        transcripts=tuple(extras.transcripts[:50]),
        persons=different(extras.persons),
    )
    return episode if episode != Episode() else None
