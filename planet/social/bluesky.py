"""What an account on Bluesky posts (AT Protocol, `app.bsky.feed.getAuthorFeed`) → ParsedFeed.

Tolerant: a field of the wrong type counts as absent, and a post that cannot be told from others is
passed over. What an account answers to others and what it passes on is left out unless it is
wanted; a thread of its own is a row of its posts.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from planet.errors import ParseError
from planet.model import (
    Enclosure,
    IncludeKind,
    Origin,
    ParsedEntry,
    Profile,
    Text,
    TextKind,
)
from planet.parse import coerce, compose, dates
from planet.parse.coerce import make_person, part
from planet.parse.identify import make_feed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from planet.model import ParsedFeed, Person
    from planet.parse.coerce import Object
    from planet.parse.sniff import FeedDocument


SITE: Final = "https://bsky.app"
# https://atproto.com/specs/at-uri-scheme, as strict as is needed to make an address of it.
_URI = re.compile(
    r"at://([A-Za-z0-9.:_%-]{1,500})/([A-Za-z0-9.-]{1,300})/([A-Za-z0-9._:~-]{1,500})"
)
_FOLDERS = {
    "app.bsky.feed.post": "profile/{who}/post/{key}",
    "app.bsky.feed.generator": "profile/{who}/feed/{key}",
    "app.bsky.graph.list": "profile/{who}/lists/{key}",
    "app.bsky.graph.starterpack": "starter-pack/{who}/{key}",
}
# What an author asks of whoever shows posts to the public (https://docs.bsky.app, "Labels").
_NOT_IN_PUBLIC = "!no-unauthenticated"
# What stands for a handle that does not lead back to whom it is of.
_NO_HANDLE = "handle.invalid"


def identifier(author: Object) -> str | None:
    """Return the handle of somebody, else the DID, which never changes."""
    handle, did = coerce.line(author.get("handle")), coerce.line(author.get("did"))
    return handle if handle and handle != _NO_HANDLE else did


def make_author(author: Object) -> Person | None:
    """Return an author by display name, else by `@` and the handle."""
    who = identifier(author)
    handle = f"@{who}" if who and not who.startswith("did:") else None
    name = coerce.line(author.get("displayName")) or handle
    return make_person(name, f"{SITE}/profile/{quote(who, safe=':')}" if who else None)


def is_for_members(author: Object) -> bool:
    """Return whether an author wants to be seen only by people who are logged in."""
    return any(label.get("val") == _NOT_IN_PUBLIC for label in coerce.dicts(author.get("labels")))


def page_of(uri: object, author: Object | None = None) -> str | None:
    """Return the page that shows the record at an AT URI, which is by that author."""
    match = _URI.fullmatch(uri) if isinstance(uri, str) else None
    form = _FOLDERS.get(match[2]) if match else None
    if match is None or form is None:
        return None
    who = (identifier(author) if author else None) or match[1]
    return f"{SITE}/{form.format(who=quote(who, safe=':'), key=match[3])}"


def author_of(uri: object) -> str | None:
    """Return the DID in an AT URI: who made the record."""
    match = _URI.fullmatch(uri) if isinstance(uri, str) else None
    return match[1] if match else None


_FEATURE = "app.bsky.richtext.facet#"
_MAX_FACETS = 300
_MAX_FEATURES = 10
"""Of one facet."""
_BREAKS = re.compile(r"\n\s*\n")


def facets_html(record: Object) -> str:
    """Write the text of a post's record in paragraphs, with its facets as links.

    Of facets that overlap, the first counts.
    """
    # Facets count bytes of UTF-8.
    text = (coerce.string(record.get("text")) or "")[: coerce.MAX_TEXT].encode()
    links = []
    for facet in coerce.dicts(record.get("facets"))[:_MAX_FACETS]:
        index = part(facet, "index")
        start, end = _offset(index.get("byteStart"), text), _offset(index.get("byteEnd"), text)
        if start is not None and end is not None and start < end:
            features = coerce.dicts(facet.get("features"))[:_MAX_FEATURES]
            if link := _link(text[start:end].decode(), features):
                links.append((start, -end, link))
    pieces, done = [], 0
    for start, end, link in sorted(links):
        if start >= done:
            pieces += [escape(text[done:start].decode()), link]
            done = -end
    pieces.append(escape(text[done:].decode()))
    parts = (words.strip() for words in _BREAKS.split("".join(pieces)))
    return "".join(f"<p>{words}</p>" for words in parts if words).replace("\n", "<br>")


def tags(record: Object) -> tuple[str, ...]:
    """Return the tags in a text, then those beside it."""
    inside = [
        feature.get("tag")
        for facet in coerce.dicts(record.get("facets"))[:_MAX_FACETS]
        for feature in coerce.dicts(facet.get("features"))
    ]
    return coerce.lines([*inside, *coerce.items(record.get("tags"))])


def _offset(value: object, text: bytes) -> int | None:
    """Return an offset in bytes if it is between two characters."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= len(text):
        return None
    # 10xxxxxx goes on with a character (RFC 3629 §3).
    return None if value < len(text) and text[value] & 0xC0 == 0x80 else value


def _link(words: str, features: Sequence[Object]) -> str | None:
    url = next(filter(None, map(_url, features)), None)
    return compose.anchor(url, " ".join(words.split()) or None) if url else None


def _url(feature: Object) -> str | None:
    kind = str(feature.get("$type")).removeprefix(_FEATURE)
    if kind == "link":
        return coerce.link(feature.get("uri"))
    name = coerce.string(feature.get({"mention": "did", "tag": "tag"}.get(kind, "")))
    if name is None:
        return None
    folder = "profile" if kind == "mention" else "hashtag"
    return f"{SITE}/{folder}/{quote(name, safe=':')}"


# RFC 8216 §10: a list of the pieces of a film, not the film.
_PLAYLIST = "application/vnd.apple.mpegurl"


class Embedded(msgspec.Struct, frozen=True, kw_only=True):
    """What is embedded in a post."""

    html: str = ""
    image: str | None = None
    files: tuple[Enclosure, ...] = ()


def read_embed(post: Object, *, link: str | None, is_hidden: bool) -> Embedded:
    """Read what is embedded in the post at `link`; only a quotation if it `is_hidden`."""
    embed = part(post, "embed")
    quoted = _quote(embed)
    quote = f"<blockquote>{quoted}</blockquote>" if quoted else ""
    # recordWithMedia has either in a part of its own.
    media = part(embed, "media") or embed
    if is_hidden:
        return Embedded(html=quote)
    shown = _pictures(media) or _film(media, link) or _page(media) or Embedded()
    return replace(shown, html=shown.html + quote)


def _pictures(media: Object) -> Embedded | None:
    html, first = [], None
    for image in coerce.dicts(media.get("images"))[: coerce.MAX_FILES]:
        whole, thumb = coerce.link(image.get("fullsize")), coerce.link(image.get("thumb"))
        if src := thumb or whole:
            html.append(compose.picture(src, coerce.line(image.get("alt")), href=whole))
            first = first or whole or thumb
    return Embedded(html="".join(html), image=first) if html else None


def _film(media: Object, link: str | None) -> Embedded | None:
    playlist, still = coerce.file(media.get("playlist")), coerce.link(media.get("thumbnail"))
    if playlist is None:
        return None
    alt = coerce.line(media.get("alt"))
    return Embedded(
        html=compose.picture(still, alt, href=link) if still else "",
        image=still,
        files=(Enclosure(url=playlist, media_type=_PLAYLIST, title=alt),),
    )


def _page(media: Object) -> Embedded | None:
    page = part(media, "external")
    url = coerce.link(page.get("uri"))
    if url is None:
        return None
    thumb = coerce.link(page.get("thumb"))
    title, about = coerce.line(page.get("title")), coerce.line(page.get("description"))
    picture = compose.picture(thumb, href=url) if thumb else ""
    return Embedded(html=picture + compose.reference(url, title, about), image=thumb)


def _quote(embed: Object) -> str:
    """Write another post in few words; only a link to one that is gone, or not public."""
    record = part(embed, "record")
    # recordWithMedia has a record in a record.
    record = part(record, "record") or record
    author = part(record, "author") or part(record, "creator")
    link = page_of(record.get("uri"), author)
    if link is None:
        return ""
    by, name = make_author(author), record.get("displayName") or record.get("name")
    words = coerce.line(name) or (by.name if by else None)
    text = "" if is_for_members(author) else facets_html(part(record, "value"))
    return compose.reference(link, words) + text


_METHOD = "/xrpc/app.bsky.feed.getAuthorFeed"


def read(document: FeedDocument) -> ParsedFeed:
    """Read the posts in a document; see `planet.parse.parse`.

    Raises:
        ParseError: `not_a_feed` or `unreadable`.
    """
    feed = coerce.parse_json_object(document.text).get("feed")
    items = [item for item in coerce.dicts(feed) if isinstance(item.get("post"), dict)]
    # Of an account without posts, nothing but the address tells that it is one.
    if not items and not (feed == [] and _METHOD in (document.base or "")):
        raise ParseError("not_a_feed", "this is JSON, but no feed of Bluesky's")
    account = _account(items)
    wanted = [item for item in items if _is_wanted(item, account, document.include)]
    public = [item for item in wanted if not is_for_members(part(item["post"], "author"))]
    # A pinned post is there twice: above the others, and in its place.
    posts = {str(item["post"].get("uri")): item for item in reversed(public)}
    left = len(wanted) - len(public)
    notes = [f"posts that their author does not want shown in public: {left}"] if left else []
    return make_feed(_profile(account), list(reversed(posts.values())), _entry, *notes)


def _account(items: Sequence[Object]) -> Object:
    """Return the account whose posts these are."""
    for item in items:
        who = part(_repost(item), "by") or part(item["post"], "author")
        if coerce.line(who.get("did")):
            return who
    return {}


def _profile(account: Object) -> Profile:
    who, did = make_author(account), coerce.line(account.get("did"))
    return Profile(
        format="bluesky",
        id=f"at://{did}" if did else None,
        title=who.name if who else None,
        link=who.url if who else None,
        author=who.name if who else None,
        image=coerce.link(account.get("avatar")),
    )


def _entry(item: Object) -> ParsedEntry:
    post, repost = item["post"], _repost(item)
    record, author = part(post, "record"), part(post, "author")
    uri, who = coerce.string(post.get("uri")) or "", make_author(author)
    link = page_of(uri, author)
    warnings = _labels(post, record)
    media = read_embed(post, link=link, is_hidden=bool(warnings))
    parent = _find_parent(item, record)
    answered = page_of(parent.get("uri"), part(parent, "author"))
    mention = ""
    if answered and author_of(parent.get("uri")) != author.get("did"):
        by = make_author(part(parent, "author"))
        mention = compose.mention(compose.ANSWERS, answered, by.name if by else None)
    before = (mention, *(compose.warning(label, link) for label in warnings))
    html = f"{''.join(before)}{facets_html(record)}{media.html}"
    return ParsedEntry(
        id=uri,
        link=link,
        content=Text(value=html, kind=TextKind.HTML) if html else None,
        authors=(who,) if who else (),
        categories=(*tags(record), *warnings),
        published=_find_date(post, record, repost),
        enclosures=media.files,
        image=media.image,
        in_reply_to=(answered,) if answered else (),
        origin=Origin(title=who.name, link=who.url) if repost and who else None,
        language=coerce.language(*coerce.items(record.get("langs"))),
    )


def _is_wanted(item: Object, account: Object, include: frozenset[IncludeKind]) -> bool:
    if _repost(item):
        return IncludeKind.BOOSTS in include
    parent = part(part(part(item["post"], "record"), "reply"), "parent")
    is_own = not parent or author_of(parent.get("uri")) == account.get("did")
    return is_own or IncludeKind.REPLIES in include


def _repost(item: Object) -> Object:
    reason = part(item, "reason")
    return reason if str(reason.get("$type")).endswith("#reasonRepost") else {}


def _find_parent(item: Object, record: Object) -> Object:
    """Return the post that this one answers, if any: as it is shown, else its address alone."""
    shown = part(part(item, "reply"), "parent")
    return shown if shown.get("uri") else part(part(record, "reply"), "parent")


def _labels(post: Object, record: Object) -> tuple[str, ...]:
    """Return the labels of a post, by its author or by a moderator."""
    own = coerce.dicts(part(record, "labels").get("values"))
    given = [label for label in coerce.dicts(post.get("labels")) if label.get("neg") is not True]
    labels = coerce.lines(label.get("val") for label in (*own, *given))
    # Those with an exclamation mark are for programs.
    return tuple(label for label in labels if not label.startswith("!"))


def _find_date(post: Object, record: Object, repost: Object) -> datetime | None:
    if passed_on := dates.parse_date(repost.get("indexedAt")):
        return passed_on
    # The first is what a program claims, the second when the network first saw it: what is older
    # may have been written elsewhere before, what is newer cannot be.
    moments = (dates.parse_date(record.get("createdAt")), dates.parse_date(post.get("indexedAt")))
    return min(filter(None, moments), default=None)
