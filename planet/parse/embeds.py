"""What hangs on a post on Bluesky (pictures, a film, a page, another post) → HTML and files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planet.model import Enclosure
from planet.parse import facets, markup, values
from planet.parse.atproto import is_for_members, page_of, part, someone

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.parse.atproto import Object

_MAX_PICTURES = 50
# RFC 8216 §10: a list of the pieces of a film, not the film.
_PLAYLIST = "application/vnd.apple.mpegurl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """What hangs on a post."""

    html: str = ""
    image: str | None = None
    files: tuple[Enclosure, ...] = ()


def embedded(said: Mapping[str, Any], *, link: str | None, is_hidden: bool) -> Embedded:
    """What hangs on the post at `link`; of one with a warning (`is_hidden`), only the quote."""
    embed = part(said, "embed")
    quote = markup.quotation(_quoted(embed))
    # recordWithMedia has either in a part of its own.
    media = part(embed, "media") or embed
    if is_hidden:
        return Embedded(html=quote)
    for kind in (_pictures, _film, _page):
        if found := kind(media, link):
            return Embedded(html=found.html + quote, image=found.image, files=found.files)
    return Embedded(html=quote)


def _pictures(media: Object, link: str | None) -> Embedded | None:
    html, first = [], None
    for each in values.dicts(media.get("images"))[:_MAX_PICTURES]:
        whole, thumb = values.link(each.get("fullsize")), values.link(each.get("thumb"))
        if src := thumb or whole:
            html.append(markup.picture(src, values.line(each.get("alt")), href=whole))
            first = first or whole or thumb
    return Embedded(html="".join(html), image=first) if html else None


def _film(media: Object, link: str | None) -> Embedded | None:
    playlist, still = values.file(media.get("playlist")), values.link(media.get("thumbnail"))
    if playlist is None:
        return None
    alt = values.line(media.get("alt"))
    return Embedded(
        html=markup.picture(still, alt, href=link) if still else "",
        image=still,
        files=(Enclosure(url=playlist, media_type=_PLAYLIST, title=alt),),
    )


def _page(media: Object, link: str | None) -> Embedded | None:
    page = part(media, "external")
    url = values.link(page.get("uri"))
    if url is None:
        return None
    thumb = values.link(page.get("thumb"))
    title, about = values.line(page.get("title")), values.line(page.get("description"))
    picture = markup.picture(thumb, href=url) if thumb else ""
    return Embedded(html=picture + markup.reference(url, title, about), image=thumb)


def _quoted(embed: Object) -> str:
    """Another post in few words; of one that is gone, or not for us, no more than where it is."""
    record = part(embed, "record")
    # recordWithMedia has a record in a record.
    record = part(record, "record") or record
    author = part(record, "author") or part(record, "creator")
    link = page_of(record.get("uri"), author)
    if link is None:
        return ""
    by, name = someone(author), record.get("displayName") or record.get("name")
    words = values.line(name) or (by.name if by else None)
    said = "" if is_for_members(author) else facets.html(part(record, "value"))
    return markup.reference(link, words) + said
