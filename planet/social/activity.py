"""An outbox in ActivityStreams 2.0 → ParsedFeed (https://www.w3.org/TR/activitystreams-vocabulary/).

JSON-LD is not processed: the names are taken as they stand, as all servers of the social web write
them. Tolerant: what is of the wrong type counts as absent.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec.structs import replace

from planet.errors import ParseError
from planet.model import Enclosure, IncludeKind, ParsedEntry, Profile, Text, TextKind
from planet.parse import coerce, compose, dates
from planet.parse.coerce import EntryTexts, make_person, merge_people
from planet.parse.compose import SHARES, add_pictures, list_pictures
from planet.parse.identify import make_feed
from planet.text.headers import media_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planet.model import ParsedFeed
    from planet.parse.coerce import Object
    from planet.parse.sniff import FeedDocument


_MAX_LINKS = 200
_PAGE = "text/html"
_PLAYED = ("audio/", "video/")
_DURATION = re.compile(r"PT(?:(\d{1,4})H)?(?:(\d{1,6})M)?(?:(\d{1,8})(?:\.\d*)?S)?")


def page(node: Object, base: str | None) -> str | None:
    """Return the page for people among the links of a thing, else its first link."""
    links = list(_links(node.get("url")))
    links.sort(key=lambda link: not (_media_type(link) is None or _is_page(link)))
    return coerce.first_link([*(link.get("href") for link in links), node.get("id")], base)


def files(post: Object, base: str | None) -> tuple[Enclosure, ...]:
    """Return the files of a post, each address once: its own recording, then its attachments.

    Of a recording in several sizes, that is the first.
    """
    once: dict[str, Enclosure] = {}
    for node in (post, *coerce.dicts(coerce.as_list(post.get("attachment")))):
        if (file := _file(node, base, is_post=node is post)) is not None:
            once.setdefault(file.url, file)
    return tuple(islice(once.values(), coerce.MAX_FILES))


def _file(node: Object, base: str | None, *, is_post: bool) -> Enclosure | None:
    links = [{"href": node.get("href")}, *_links(node.get("url"))]
    if is_post:
        links = [link for link in links if (_media_type(link) or "").startswith(_PLAYED)]
    for link in links:
        if url := coerce.file(link.get("href"), base):
            if _is_page(link if _media_type(link) else node):
                continue
            return Enclosure(
                url=url,
                media_type=_media_type(link) or _media_type(node),
                length=coerce.positive(link.get("size")),
                duration=_seconds(node.get("duration")),
                title=None if is_post else coerce.line(node.get("name")),
            )
    return None


def _links(value: object, *, deeper: bool = True) -> Iterator[Object]:
    """Yield the Links of an `url`, and those that a playlist has beside itself."""
    for link in islice(coerce.as_list(value), _MAX_LINKS):
        if isinstance(link, str):
            yield {"href": link}
        elif isinstance(link, dict):
            yield link
            if deeper:
                yield from _links(link.get("tag"), deeper=False)


def _media_type(node: Object) -> str | None:
    return coerce.media_type(node.get("mediaType"))


def _is_page(node: Object) -> bool:
    return media_type(_media_type(node)) == _PAGE


def _seconds(value: object) -> int | None:
    """Parse an xsd:duration of hours, minutes and seconds."""
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    hours, minutes, seconds = (int(group or 0) for group in match.groups())
    return coerce.seconds(3600 * hours + 60 * minutes + seconds)


_POSTS: Final = frozenset(
    {"Note", "Article", "Page", "Video", "Audio", "Image", "Question", "Event"}
)
_PUBLIC: Final = frozenset({"https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public"})
_ADDRESSED: Final = ("to", "cc", "audience", "bto", "bcc")
# Where `summary` is what its name says, and not a warning of what follows.
_SUMMARISED: Final = frozenset({"Article", "Page", "Event"})
_WARNING: Final = "⚠ "
_PLAIN: Final = frozenset({"text/plain", "text/markdown"})


def read(document: FeedDocument) -> ParsedFeed:
    """Read the outbox, or a page of one, in a document; see `planet.parse.parse`.

    Raises:
        ParseError: `not_a_feed` or `unreadable`.
    """
    activities = _items(coerce.parse_json_object(document.text))
    posts = filter(None, map(_find_post, activities[: coerce.MAX_ENTRIES]))
    own = {_id(post): post for post in posts if _id(post)}
    return make_feed(
        Profile(format="activitystreams"),
        activities,
        lambda activity: _read_activity(activity, own, document),
    )


def _items(collection: Object) -> list[Any]:
    """Return the items of a collection, or of the first page in it."""
    # First of all: a JSON Feed has `items`, too, and may tell of ActivityStreams.
    if "Collection" not in str(collection.get("type")):
        raise ParseError("not_a_feed", "this is ActivityStreams, but no collection of posts")
    for page in (collection, coerce.part(collection, "first")):
        for name in ("orderedItems", "items"):
            if isinstance(page.get(name), list):
                return list(page[name])
    return []


def _read_activity(
    activity: object, own: Mapping[str, Object], document: FeedDocument
) -> ParsedEntry | None:
    """Return the entry of an activity that is public and wanted; `own` has the outbox."""
    if not isinstance(activity, dict):
        return None
    if _is(activity, "Announce"):
        is_wanted = IncludeKind.BOOSTS in document.include and _is_public(activity)
        return _read_boost(activity, document.base) if is_wanted else None
    post = _find_post(activity)
    if post is None or not _is_public(post, activity):
        return None
    is_reply = _is_reply(post, activity, own)
    if is_reply and IncludeKind.REPLIES not in document.include:
        return None
    return _entry(post, activity, document.base, mentions_answered=is_reply)


def _find_post(activity: object) -> Object | None:
    """Return the post in a Create, or the post itself where there is no activity around it."""
    if not isinstance(activity, dict):
        return None
    post = activity.get("object") if _is(activity, "Create") else activity
    return post if isinstance(post, dict) and _POSTS.intersection(_types(post)) else None


def _entry(
    post: Object, activity: Object, base: str | None, *, mentions_answered: bool = True
) -> ParsedEntry:
    link = page(post, base)
    content, brief = _in_a_language(post, "content"), _in_a_language(post, "summary").words
    kind = TextKind.TEXT if post.get("mediaType") in _PLAIN else TextKind.HTML
    summary = coerce.text(brief, TextKind.HTML, link or base)
    title = coerce.line(_in_a_language(post, "name").words)
    is_hidden = post.get("sensitive") is True
    if summary and (is_hidden or not _SUMMARISED.intersection(_types(post))):
        # The excerpt of a text that is warned of is the warning.
        warning = f"{_WARNING}{coerce.line(brief)}"
        title = f"{title} ({warning})" if title else warning
        summary = Text(value=warning)
    enclosures = files(post, base)
    text = coerce.text(content.words, kind, link or base)
    pictures = list_pictures(enclosures, is_hidden=is_hidden)
    answered = coerce.links([_address_of(_find_parent(post), base)], base)
    quote = _quote(post, text, base)
    if mentions_answered:
        summary, text = compose.mention_answered(EntryTexts(summary, text), answered)
    text = compose.surround(text, None, after=quote)
    return ParsedEntry(
        id=_id(post),
        link=link,
        title=Text(value=title) if title else None,
        summary=summary,
        content=add_pictures(text, None, pictures),
        categories=_hashtags(post),
        published=dates.parse_date(post.get("published"), activity.get("published")),
        updated=dates.parse_date(post.get("updated")),
        enclosures=enclosures,
        image=None if is_hidden else _image(post, enclosures, base),
        in_reply_to=answered,
        language=coerce.language(content.language),
    )


# FEP-044f, and what Misskey, Fedibird and Pleroma had before it.
_QUOTES: Final = ("quote", "quoteUrl", "quoteUri", "_misskey_quote")
# What servers write into a text for readers that know nothing of quotations (FEP-044f).
_QUOTED_INLINE: Final = re.compile(r"class=[\"'][^\"']*\bquote-inline\b")


def _quote(post: Object, text: Text | None, base: str | None) -> str:
    """Write a link to the post that this one quotes, unless its text has one."""
    url = coerce.first_link((_address_of(post.get(name), base) for name in _QUOTES), base)
    has_link = text is not None and _QUOTED_INLINE.search(text.value)
    if url is None or has_link or compose.shows(text, url):
        return ""
    return f"<blockquote>{compose.reference(url)}</blockquote>"


def _read_boost(activity: Object, base: str | None) -> ParsedEntry | None:
    """Return an entry for a boost, dated by it; just a link where the post is not included."""
    post = activity.get("object")
    passed_on = dates.parse_date(activity.get("published"))
    if isinstance(post, dict) and "type" in post:
        if _find_post(post) is not post or not _is_public(post, activity):
            return None
        by = _iri(post.get("attributedTo"))
        return replace(
            _entry(post, activity, base),
            id=_id(activity) or _id(post),
            published=passed_on,
            authors=merge_people([make_person(_guess_name(by), by)]),
        )
    link = coerce.link(_iri(post))
    if link is None:
        return None
    title = Text(value=f"{SHARES} {link}")
    return ParsedEntry(id=_id(activity), link=link, title=title, published=passed_on)


def _address_of(thing: object, base: str | None) -> str | None:
    """Return the address of a thing, or of its page where it is here; of several the first."""
    first = next(iter(coerce.as_list(thing)), None)
    return page(first, base) if isinstance(first, dict) else coerce.link(first, base)


def _is_reply(post: Object, activity: Object, own: Mapping[str, Object]) -> bool:
    """Return whether it answers somebody else: an answer to oneself continues a post."""
    met: set[str] = set()
    while to := _find_parent(post):
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


def _find_parent(post: Object) -> object:
    """Return what a post answers, if anything; of several posts the first."""
    return next(iter(coerce.as_list(post.get("inReplyTo"))), None)


def _is_public(post: Object, activity: Object | None = None) -> bool:
    """Return whether a post is for everyone, by its own fields, else by those of its activity."""
    for node in (post, activity or {}):
        addressed = [node[name] for name in _ADDRESSED if node.get(name)]
        if addressed:
            return any(not _PUBLIC.isdisjoint(_texts(to)) for to in addressed)
    return False


class _InLanguage(NamedTuple):
    words: str | None
    language: str | None


def _in_a_language(post: Object, name: str) -> _InLanguage:
    """Return a text and its language, if it is given; of several languages the first."""
    plain = coerce.string(post.get(name))
    for language, text in coerce.part(post, f"{name}Map").items():
        if (words := coerce.string(text)) and plain in (None, words):
            return _InLanguage(words, language)
    return _InLanguage(plain, None)


def _image(post: Object, enclosures: tuple[Enclosure, ...], base: str | None) -> str | None:
    """Return the picture that stands for a post: its own, else the first attachment."""
    for name in ("image", "icon"):
        for node in coerce.as_list(post.get(name)):
            url = page(node, base) if isinstance(node, dict) else coerce.link(node, base)
            if url:
                return url
    pictures = (file.url for file in enclosures if (file.media_type or "").startswith("image/"))
    return next(pictures, None)


def _hashtags(post: Object) -> tuple[str, ...]:
    tags = coerce.dicts(coerce.as_list(post.get("tag")))
    names = (coerce.string(tag.get("name")) for tag in tags if _is(tag, "Hashtag"))
    return coerce.lines(name.removeprefix("#") for name in names if name)


def _guess_name(iri: str | None) -> str | None:
    """Return the last part of an address as a name, where nothing else is known of somebody."""
    return iri.rstrip("/").rpartition("/")[2].removeprefix("@") if iri else None


def _id(node: Object) -> str:
    return coerce.string(node.get("id")) or ""


def _iri(value: object) -> str | None:
    """Return the address of a thing, which may stand for it; of several the first."""
    value = next(iter(coerce.as_list(value)), None)
    return coerce.string(value.get("id") if isinstance(value, dict) else value)


def _is(node: Object, kind: str) -> bool:
    return kind in _types(node)


def _types(node: Object) -> list[str]:
    return _texts(node.get("type"))


def _texts(value: object) -> list[str]:
    return [text for text in coerce.as_list(value) if isinstance(text, str)]
