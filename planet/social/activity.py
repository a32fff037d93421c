"""An outbox in ActivityStreams 2.0 → ParsedFeed (https://www.w3.org/TR/activitystreams-vocabulary/).

JSON-LD is not processed: the names are taken as they stand, as all servers of the social web write
them. Tolerant: a value of the wrong type counts as absent.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from planet.errors import ParseError
from planet.model import Enclosure, IncludeKind, ParsedEntry, Profile, Text, TextKind
from planet.parse import coerce, compose, dates
from planet.parse.coerce import make_person, merge_people
from planet.parse.compose import SHARES, EntryTexts, add_pictures, list_pictures, make_feed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.model import ParsedFeed
    from planet.parse.coerce import Object
    from planet.parse.sniff import FeedDocument


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
    collection = coerce.parse_json_object(document.text)
    # First of all: a JSON Feed has `items`, too, and may tell of ActivityStreams.
    if "Collection" not in str(collection.get("type")):
        raise ParseError("not_a_feed", "this is ActivityStreams, but no collection of posts")
    pages = (collection, coerce.part(collection, "first"))
    lists = (coerce.items(page.get(name)) for page in pages for name in ("orderedItems", "items"))
    activities: list[Any] = next(filter(None, lists), [])
    posts = filter(None, map(_find_post, activities[: coerce.MAX_ENTRIES]))
    own = {address: post for post in posts if (address := _iri(post))}
    return make_feed(
        Profile(format="activitystreams"),
        activities,
        lambda activity: _read_activity(activity, own, document),
    )


def _read_activity(
    activity: object, own: Mapping[str, Object], document: FeedDocument
) -> ParsedEntry | None:
    """Return the entry of a public, wanted activity; `own` has the posts of the outbox."""
    if not isinstance(activity, dict):
        return None
    if "Announce" in _texts(activity.get("type")):
        is_wanted = IncludeKind.BOOSTS in document.include and _is_public(activity)
        return _read_boost(activity, document.base) if is_wanted else None
    post = _find_post(activity)
    if post is None or not _is_public(post, activity):
        return None
    is_reply = _is_reply(post, own)
    if is_reply and IncludeKind.REPLIES not in document.include:
        return None
    return _entry(post, activity, document.base, mentions_answered=is_reply)


def _find_post(activity: object) -> Object | None:
    """Return the post in a Create, or the post itself without an activity around."""
    post = activity
    if isinstance(activity, dict) and "Create" in _texts(activity.get("type")):
        post = activity.get("object")
    if isinstance(post, dict) and _POSTS.intersection(_texts(post.get("type"))):
        return post
    return None


def _is_public(*nodes: Object) -> bool:
    """Return whether a post is for everyone, by the own fields, else by the activity's."""
    for node in nodes:
        addressed = [node[name] for name in _ADDRESSED if node.get(name)]
        if addressed:
            return any(not _PUBLIC.isdisjoint(_texts(to)) for to in addressed)
    return False


def _is_reply(post: Object, own: Mapping[str, Object]) -> bool:
    """Return whether a post answers somebody else: an answer to oneself continues a post."""
    by = _iri(post.get("attributedTo"))
    # No further than there are posts: they may answer each other in a circle.
    for _ in range(len(own) + 1):
        if not (to := _first(post.get("inReplyTo"))):
            return False
        if (address := _iri(to) or "") not in own:
            author = _iri(to.get("attributedTo")) if isinstance(to, dict) else None
            # Most servers have the posts of somebody below their address.
            return author != by if author else not (by and address.startswith(f"{by}/"))
        post = own[address]
    return False


def _entry(
    post: Object, activity: Object, base: str | None, *, mentions_answered: bool = True
) -> ParsedEntry:
    link = _page(post, base)
    words, language = _in_a_language(post, "content")
    brief, _ = _in_a_language(post, "summary")
    kind = TextKind.TEXT if post.get("mediaType") in _PLAIN else TextKind.HTML
    summary = coerce.text(brief, TextKind.HTML, link or base)
    title = coerce.line(_in_a_language(post, "name")[0])
    is_hidden = post.get("sensitive") is True
    if summary and (is_hidden or not _SUMMARISED.intersection(_texts(post.get("type")))):
        # The excerpt of a text that is warned of is the warning.
        warning = f"{_WARNING}{coerce.line(brief)}"
        title = f"{title} ({warning})" if title else warning
        summary = Text(value=warning)
    files = _files(post, base)
    text = coerce.text(words, kind, link or base)
    answered = coerce.links([_page(post.get("inReplyTo"), base)], base)
    quote = _quote(post, text, base)
    if mentions_answered:
        summary, text = compose.mention_answered(EntryTexts(summary, text), answered)
    text = compose.surround(text, None, after=quote)
    pictures = list_pictures(files, is_hidden=is_hidden)
    images = [*coerce.items(post.get("image")), *coerce.items(post.get("icon"))]
    shown = [*(_page(image, base) for image in images), *(picture.url for picture in pictures)]
    tags = coerce.dicts(post.get("tag"))
    hashtags = (tag.get("name") for tag in tags if "Hashtag" in _texts(tag.get("type")))
    return ParsedEntry(
        id=_iri(post) or "",
        link=link,
        title=Text(value=title) if title else None,
        summary=summary,
        content=add_pictures(text, None, pictures),
        categories=coerce.lines(str(name).removeprefix("#") for name in hashtags if name),
        published=dates.parse_date(post.get("published"), activity.get("published")),
        updated=dates.parse_date(post.get("updated")),
        enclosures=files,
        image=None if is_hidden else next(filter(None, shown), None),
        in_reply_to=answered,
        language=coerce.language(language),
    )


# FEP-044f, and what Misskey, Fedibird and Pleroma had before it.
_QUOTES: Final = ("quote", "quoteUrl", "quoteUri", "_misskey_quote")
# What servers write into a text for readers that know nothing of quotations (FEP-044f).
_QUOTED_INLINE: Final = re.compile(r"class=[\"'][^\"']*\bquote-inline\b")


def _quote(post: Object, text: Text | None, base: str | None) -> str:
    """Write a link to the quoted post, unless the text has one."""
    url = next(filter(None, (_page(post.get(name), base) for name in _QUOTES)), None)
    has_link = text is not None and _QUOTED_INLINE.search(text.value)
    if url is None or has_link or compose.shows(text, url):
        return ""
    return f"<blockquote>{compose.reference(url)}</blockquote>"


def _read_boost(activity: Object, base: str | None) -> ParsedEntry | None:
    """Return an entry with the date of a boost; just a link where the post is not included."""
    post, own_id = activity.get("object"), _iri(activity) or ""
    passed_on = dates.parse_date(activity.get("published"))
    if isinstance(post, dict) and "type" in post:
        if _find_post(post) is not post or not _is_public(post, activity):
            return None
        by = _iri(post.get("attributedTo"))
        # Nothing else is known of its author.
        name = by.rstrip("/").rpartition("/")[2].removeprefix("@") if by else None
        entry = _entry(post, activity, base)
        authors = merge_people([make_person(name, by)])
        return replace(entry, id=own_id or entry.id, published=passed_on, authors=authors)
    link = coerce.link(_iri(post))
    if link is None:
        return None
    title = Text(value=f"{SHARES} {link}")
    return ParsedEntry(id=own_id, link=link, title=title, published=passed_on)


def _in_a_language(post: Object, name: str) -> tuple[str | None, str | None]:
    """Return a text and the language, if given; of several languages the first."""
    plain, texts = coerce.string(post.get(name)), coerce.part(post, f"{name}Map")
    fitting = (key for key, text in texts.items() if coerce.string(text) and plain in (None, text))
    language = next(fitting, None)
    return plain or coerce.string(texts.get(language or "")), language


_MAX_LINKS: Final = 200
_PAGE: Final = "text/html"
_PLAYED: Final = ("audio/", "video/")
_DURATION: Final = re.compile(r"PT(?:(\d{1,3})H)?(?:(\d{1,4})M)?(?:(\d{1,7})(?:\.\d*)?S)?")


def _files(post: Object, base: str | None) -> tuple[Enclosure, ...]:
    """Return the files of a post, each address once: the own recording, then attachments.

    Of a recording in several sizes, the first counts.
    """
    links = [(link, post) for link in _links(post.get("url")) if _kind(link).startswith(_PLAYED)]
    found = links[:1]
    for node in coerce.dicts(post.get("attachment")):
        found += [(link, node) for link in _links(node.get("url") or node.get("href"))][:1]
    once: dict[str, Enclosure] = {}
    for link, of in found[: coerce.MAX_FILES]:
        url, kind = coerce.file(link.get("href"), base), _kind(link) or _kind(of)
        duration = _DURATION.fullmatch(str(of.get("duration")))
        if url and not kind.startswith(_PAGE):
            once[url] = Enclosure(
                url=url,
                media_type=kind or None,
                length=coerce.positive(link.get("size")),
                duration=coerce.seconds(":".join(duration.groups("0"))) if duration else None,
                title=None if of is post else coerce.line(of.get("name")),
            )
    return tuple(once.values())


def _page(thing: object, base: str | None) -> str | None:
    """Return the page for people of a thing or an address; of several things the first."""
    first = _first(thing)
    if not isinstance(first, dict):
        return coerce.link(first, base)
    links = [*_links(first.get("url")), {"href": first.get("id")}]
    pages = [link for link in links if (_kind(link) or _PAGE).startswith(_PAGE)]
    return coerce.first_link((link.get("href") for link in (*pages, *links)), base)


def _links(value: object) -> list[Object]:
    """Return the Links of an `url`, and the Links beside a playlist."""
    links = [one if isinstance(one, dict) else {"href": one} for one in coerce.items(value)]
    tags = [tag for link in links[:_MAX_LINKS] for tag in coerce.dicts(link.get("tag"))]
    return [*links[:_MAX_LINKS], *tags[:_MAX_LINKS]]


def _kind(node: Object) -> str:
    return coerce.media_type(node.get("mediaType")) or ""


def _first(value: object) -> Any:
    return next(iter(coerce.items(value)), None)


def _iri(value: object) -> str | None:
    """Return the address of a thing, or an address itself; of several the first."""
    value = _first(value)
    return coerce.string(value.get("id") if isinstance(value, dict) else value)


def _texts(value: object) -> list[str]:
    return [text for text in coerce.items(value) if isinstance(text, str)]
