"""An outbox in ActivityStreams 2.0 → ParsedFeed (https://www.w3.org/TR/activitystreams-vocabulary/).

JSON-LD is not processed: the names are taken as they stand, as all servers of the social web write
them. Tolerant: what is of the wrong type counts as absent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from planet.errors import ParseError
from planet.model import Enclosure, IncludeKind, ParsedEntry, ParsedFeed, Profile, Text, TextKind
from planet.parse import dates, values
from planet.parse.values import SHARES, attached, different, identified, person, pictured

if TYPE_CHECKING:
    from collections.abc import Iterator


_Attachment = Mapping[str, Any]

_MAX_LINKS = 200
_MAX_FILES = 50
_PAGE = "text/html"
_PLAYED = ("audio/", "video/")
_TALL = 1080
"""Lines of a video from which on more are of no use to those who watch it on the way."""
_DURATION = re.compile(r"PT(?:(\d{1,4})H)?(?:(\d{1,6})M)?(?:(\d{1,8})(?:\.\d*)?S)?")


def page(said: _Attachment, base: str | None) -> str | None:
    """The page of a thing for people: among its links the one that is a page, else the first."""
    links = list(_links(said.get("url")))
    links.sort(key=lambda each: _media_type(each) not in (_PAGE, None))
    return values.first_link([*(each.get("href") for each in links), said.get("id")], base)


def files(post: _Attachment, base: str | None) -> tuple[Enclosure, ...]:
    """The files that belong to a post, each address once: its own recording, then its attachments.

    Of a recording that is there in several sizes, the best one that can be watched on the way.
    """
    attached = post.get("attachment")
    found: dict[str, Enclosure] = {}
    for each in (post, *values.dicts(attached if isinstance(attached, list) else [attached])):
        if (file := _file(each, base, is_post=each is post)) is not None:
            found.setdefault(file.url, file)
    return tuple(islice(found.values(), _MAX_FILES))


def _file(said: _Attachment, base: str | None, *, is_post: bool) -> Enclosure | None:
    links = [{"href": said.get("href")}, *_links(said.get("url"))]
    if is_post:
        links = [each for each in links if (_media_type(each) or "").startswith(_PLAYED)]
    links.sort(key=_rank)
    for each in links:
        if url := values.file(each.get("href"), base):
            media_type = _media_type(each) or _media_type(said)
            if media_type == _PAGE:
                continue
            return Enclosure(
                url=url,
                media_type=media_type,
                length=values.positive(each.get("size")),
                duration=_seconds(said.get("duration")),
                title=None if is_post else values.line(said.get("name")),
            )
    return None


def _rank(link: _Attachment) -> tuple[bool, int]:
    """First what is tallest, if not too tall; then the least tall."""
    height = values.number(link.get("height")) or 0
    return height > _TALL, height if height > _TALL else -height


def _links(value: object, *, deeper: bool = True) -> Iterator[_Attachment]:
    """What an `url` has as Links; those that a playlist has beside itself are among them."""
    for each in islice(value if isinstance(value, list) else [value], _MAX_LINKS):
        if isinstance(each, str):
            yield {"href": each}
        elif isinstance(each, dict):
            yield each
            if deeper:
                yield from _links(each.get("tag"), deeper=False)


def _media_type(said: _Attachment) -> str | None:
    found = values.line(said.get("mediaType"))
    return found.lower() if found and "/" in found else None


def _seconds(value: object) -> int | None:
    """A duration of xsd:duration, as far as recordings have one."""
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    hours, minutes, seconds = (int(each or 0) for each in found.groups())
    return values.seconds(3600 * hours + 60 * minutes + seconds)


Object = Mapping[str, Any]

_POSTS: Final = frozenset(
    {"Note", "Article", "Page", "Video", "Audio", "Image", "Question", "Event"}
)
_PUBLIC: Final = frozenset({"https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public"})
_ADDRESSED: Final = ("to", "cc", "audience", "bto", "bcc")
# Where `summary` is what its name says, and not a warning of what follows.
_SUMMARISED: Final = frozenset({"Article", "Page", "Event"})
_WARNING: Final = "⚠ "
_PLAIN: Final = frozenset({"text/plain", "text/markdown"})


def read(text: str, *, base: str | None, include: frozenset[IncludeKind]) -> ParsedFeed:
    """What the outbox, or a page of one, in a text says; see `planet.parse.parse`.

    Raises:
        ParseError: `not_a_feed` or `unreadable`.
    """
    said = _items(values.json_object(text))
    looked_at = said[: values.MAX_ENTRIES]
    own = {_id(post): post for each in looked_at if (post := _created(each)) and _id(post)}
    found: list[ParsedEntry] = []
    for activity in looked_at:
        if _is(activity, "Announce"):
            if IncludeKind.BOOSTS in include and _is_public(activity):
                found.extend(_boosted(activity, base))
        elif (post := _created(activity)) and _is_public(post, activity):
            is_own = IncludeKind.REPLIES in include or not _is_reply(post, activity, own)
            found += [_entry(post, activity, base)] if is_own else []
    entries, notes = identified(found)
    if len(said) > values.MAX_ENTRIES:
        notes = (*notes, values.too_many(len(said)))
    return ParsedFeed(profile=Profile(format="activitystreams"), entries=entries, notes=notes)


def _items(said: Object) -> list[Any]:
    """What a collection has; where that is on its first page, what that has."""
    # First of all: a JSON Feed has `items`, too, and may tell of ActivityStreams.
    if "Collection" not in str(said.get("type")):
        raise ParseError("not_a_feed", "this is ActivityStreams, but no collection of posts")
    inner = said.get("first")
    for each in (said, inner if isinstance(inner, dict) else {}):
        for name in ("orderedItems", "items"):
            if isinstance(each.get(name), list):
                return list(each[name])
    return []


def _created(activity: object) -> Object | None:
    """The post that an activity brings; the post itself where there is no activity around it."""
    if not isinstance(activity, dict):
        return None
    post = activity.get("object") if _is(activity, "Create") else activity
    return post if isinstance(post, dict) and _POSTS.intersection(_types(post)) else None


def _entry(post: Object, activity: Object, base: str | None) -> ParsedEntry:
    found = page(post, base)
    content, language = _in_a_language(post, "content")
    name, _ = _in_a_language(post, "name")
    said, _ = _in_a_language(post, "summary")
    kind = TextKind.TEXT if post.get("mediaType") in _PLAIN else TextKind.HTML
    summary = values.text(said, TextKind.HTML, found or base)
    title = values.line(name)
    if summary and (post.get("sensitive") is True or not _SUMMARISED.intersection(_types(post))):
        # The excerpt of a text that is warned of is the warning.
        warning = f"{_WARNING}{values.line(said)}"
        title = f"{title} ({warning})" if title else warning
        summary = Text(value=warning)
    enclosures = files(post, base)
    text = values.text(content, kind, found or base)
    pictures = attached(enclosures, is_hidden=post.get("sensitive") is True)
    return ParsedEntry(
        id=_id(post),
        link=found,
        title=Text(value=title) if title else None,
        summary=summary,
        content=pictured(text, None, pictures),
        categories=_hashtags(post),
        published=dates.moment(post.get("published")) or dates.moment(activity.get("published")),
        updated=dates.moment(post.get("updated")),
        enclosures=enclosures,
        image=None if post.get("sensitive") is True else _image(post, enclosures, base),
        language=values.language(language),
    )


def _boosted(activity: Object, base: str | None) -> Iterator[ParsedEntry]:
    """What somebody else wrote, under the date it was passed on; its address where that is all."""
    post = activity.get("object")
    passed_on = dates.moment(activity.get("published"))
    if isinstance(post, dict) and "type" in post:
        if _created(post) is post and _is_public(post, activity):
            by = _iri(post.get("attributedTo"))
            yield replace(
                _entry(post, activity, base),
                id=_id(activity) or _id(post),
                published=passed_on,
                authors=different([person(_called(by), by)]),
            )
    elif link := values.link(_iri(post)):
        title = Text(value=f"{SHARES} {link}")
        yield ParsedEntry(id=_id(activity), link=link, title=title, published=passed_on)


def _is_reply(post: Object, activity: Object, own: Mapping[str, Object]) -> bool:
    """Whether it answers somebody else: what answers oneself goes on with a post."""
    met: set[str] = set()
    while to := _answered(post):
        by = _iri(post.get("attributedTo")) or _iri(activity.get("actor"))
        if isinstance(to, dict) and to.get("attributedTo"):
            return _iri(to["attributedTo"]) != by
        address = _iri(to) or ""
        if address not in own:
            # Most servers have the posts of somebody below their address.
            return not (by and address.startswith(f"{by}/"))
        if address in met:  # in a circle, and all of it is own
            return False
        met.add(address)
        post = own[address]
    return False


def _answered(post: Object) -> object:
    """What a post answers, if anything; of several posts the first."""
    to = post.get("inReplyTo")
    return to[0] if isinstance(to, list) and to else to


def _is_public(post: Object, activity: Object | None = None) -> bool:
    """Whether it is meant for everyone: as it says itself, else as what brings it says."""
    for each in (post, activity or {}):
        said = [each[name] for name in _ADDRESSED if each.get(name)]
        if said:
            return any(not _PUBLIC.isdisjoint(_texts(to)) for to in said)
    return False


def _in_a_language(post: Object, name: str) -> tuple[str | None, str | None]:
    """A text and its language, if both are said; of several languages the first."""
    said = values.string(post.get(name))
    by_language = post.get(f"{name}Map")
    for language, text in by_language.items() if isinstance(by_language, dict) else ():
        if (found := values.string(text)) and (said is None or said == found):
            return found, language
    return said, None


def _image(post: Object, enclosures: tuple[Enclosure, ...], base: str | None) -> str | None:
    """The picture that stands for a post: its own, else the first that is attached."""
    for name in ("image", "icon"):
        said = post.get(name)
        for each in said if isinstance(said, list) else [said]:
            found = page(each, base) if isinstance(each, dict) else values.link(each, base)
            if found:
                return found
    attached = (each.url for each in enclosures if (each.media_type or "").startswith("image/"))
    return next(attached, None)


def _hashtags(post: Object) -> tuple[str, ...]:
    said = post.get("tag")
    tags = values.dicts(said if isinstance(said, list) else [said])
    names = (values.string(tag.get("name")) for tag in tags if _is(tag, "Hashtag"))
    return values.lines(name.removeprefix("#") for name in names if name)


def _called(iri: str | None) -> str | None:
    """What somebody may be called of whom only the address is known: its last part."""
    return iri.rstrip("/").rpartition("/")[2].removeprefix("@") if iri else None


def _id(said: Object) -> str:
    return values.string(said.get("id")) or ""


def _iri(value: object) -> str | None:
    """The address of a thing, which may stand for it; of several the first."""
    if isinstance(value, list):
        value = value[0] if value else None
    return values.string(value.get("id") if isinstance(value, dict) else value)


def _is(said: object, kind: str) -> bool:
    return isinstance(said, dict) and kind in _types(said)


def _types(said: Object) -> list[str]:
    return _texts(said.get("type"))


def _texts(value: object) -> list[str]:
    return [
        each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)
    ]
