"""Posts of an account on Bluesky (AT Protocol, `app.bsky.feed.getAuthorFeed`) → ParsedFeed.

Tolerant: a field of the wrong type counts as absent, and a post without an id is passed over.
Answers to others and reposts are left out unless they are wanted; a thread of the account itself is
a row of posts.
"""

from __future__ import annotations

import re
from contextlib import suppress
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote

from planet.errors import ParseError
from planet.model import Enclosure, IncludeKind, Origin, ParsedEntry, Profile, TextKind
from planet.parse import coerce, compose, dates
from planet.parse.coerce import make_person, part
from planet.parse.compose import make_feed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from planet.model import ParsedFeed, Person
    from planet.parse.coerce import Object
    from planet.parse.sniff import FeedDocument


_SITE: Final = "https://bsky.app"
_METHOD: Final = "/xrpc/app.bsky.feed.getAuthorFeed"
# https://atproto.com/specs/at-uri-scheme, as strict as is needed to make an address of it.
_POST = re.compile(
    r"at://([A-Za-z0-9.:_%-]{1,500})/app\.bsky\.feed\.post/([A-Za-z0-9._:~-]{1,500})"
)
# What an author asks of whoever shows posts to the public (https://docs.bsky.app, "Labels").
_NOT_IN_PUBLIC = "!no-unauthenticated"
# What stands for a handle that does not lead back to whom it is of.
_NO_HANDLE = "handle.invalid"


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
    public = [item for item in wanted if not _is_for_members(part(item["post"], "author"))]
    left = len(wanted) - len(public)
    notes = [f"posts that their author does not want shown in public: {left}"] if left else []
    who, did = _author(account), coerce.line(account.get("did"))
    profile = Profile(
        format="bluesky",
        id=f"at://{did}" if did else None,
        title=who.name if who else None,
        link=who.url if who else None,
        author=who.name if who else None,
        image=coerce.link(account.get("avatar")),
    )
    return make_feed(profile, public, _entry, *notes)


def _account(items: Sequence[Object]) -> Object:
    """Return the account whose posts these are."""
    accounts = (part(_repost(item), "by") or part(item["post"], "author") for item in items)
    return next((who for who in accounts if coerce.line(who.get("did"))), {})


def _is_wanted(item: Object, account: Object, include: frozenset[IncludeKind]) -> bool:
    if _repost(item):
        return IncludeKind.BOOSTS in include
    if str(part(item, "reason").get("$type")).endswith("#reasonPin"):
        # It is there again, in its place.
        return False
    parent = part(part(part(item["post"], "record"), "reply"), "parent")
    is_own = not parent or _find_did(parent) == account.get("did")
    return is_own or IncludeKind.REPLIES in include


def _repost(item: Object) -> Object:
    reason = part(item, "reason")
    return reason if str(reason.get("$type")).endswith("#reasonRepost") else {}


def _is_for_members(author: Object) -> bool:
    """Return whether an author wants to be seen only by people who are logged in."""
    return any(label.get("val") == _NOT_IN_PUBLIC for label in coerce.dicts(author.get("labels")))


def _entry(item: Object) -> ParsedEntry:
    post, repost = item["post"], _repost(item)
    record, author = part(post, "record"), part(post, "author")
    who, link = _author(author), _page(post)
    # What this post answers, if anything: as it is shown, else its address alone.
    shown, named = part(part(item, "reply"), "parent"), part(part(record, "reply"), "parent")
    parent = shown if shown.get("uri") else named
    answered, before = _page(parent), ""
    if answered and _find_did(parent) != author.get("did"):
        by = _author(part(parent, "author"))
        before = compose.mention(compose.ANSWERS, answered, by.name if by else None)
    warnings = _labels(post, record)
    before += "".join(compose.warning(label, link) for label in warnings)
    embed = part(post, "embed")
    # recordWithMedia has either in a part of its own.
    media = _Media() if warnings else _read_media(part(embed, "media") or embed, link)
    html = f"{before}{facets_html(record)}{media.html}{_quote(embed)}"
    tags = [feature.get("tag") for _, _, feature in _facets(record)]
    return ParsedEntry(
        id=coerce.string(post.get("uri")) or "",
        link=link,
        content=coerce.text(html, TextKind.HTML, None),
        authors=(who,) if who else (),
        categories=(*coerce.lines([*tags, *coerce.items(record.get("tags"))]), *warnings),
        published=_find_date(post, record, repost),
        enclosures=media.files,
        image=media.image,
        in_reply_to=(answered,) if answered else (),
        origin=Origin(title=who.name, link=who.url) if repost and who else None,
        language=coerce.language(*coerce.items(record.get("langs"))),
    )


def _handle(author: Object) -> str | None:
    """Return the handle of somebody, else the DID, which never changes."""
    handle = coerce.line(author.get("handle"))
    return handle if handle and handle != _NO_HANDLE else coerce.line(author.get("did"))


def _author(author: Object) -> Person | None:
    """Return an author by display name, else by `@` and the handle."""
    who = _handle(author)
    handle = f"@{who}" if who and not who.startswith("did:") else None
    name = coerce.line(author.get("displayName")) or handle
    return make_person(name, f"{_SITE}/profile/{quote(who, safe=':')}" if who else None)


def _page(post: Object) -> str | None:
    """Return the page of a post."""
    match = _POST.fullmatch(coerce.string(post.get("uri")) or "")
    if match is None:
        return None
    who = _handle(part(post, "author")) or match[1]
    return f"{_SITE}/profile/{quote(who, safe=':')}/post/{match[2]}"


def _find_did(post: Object) -> str | None:
    """Return the DID of the author of a post, from the AT URI."""
    match = _POST.fullmatch(coerce.string(post.get("uri")) or "")
    return match[1] if match else None


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


# Texts

_MAX_FACETS = 300
_BREAKS = re.compile(r"\n\s*\n")


def facets_html(record: Object) -> str:
    """Write the text of a post's record in paragraphs, with facets as links.

    Of overlapping facets, the first counts.
    """
    # Facets count bytes of UTF-8.
    text = (coerce.string(record.get("text")) or "")[: coerce.MAX_TEXT].encode()
    pieces, done = [], 0
    for start, end, feature in _facets(record):
        url = _feature_url(feature)
        if url and done <= start < end <= len(text):
            with suppress(UnicodeDecodeError):  # an end within a character
                before = text[done:start].decode()
                words = " ".join(text[start:end].decode().split())
                pieces += [escape(before), f'<a href="{escape(url)}">{escape(words)}</a>']
                done = end
    pieces.append(escape(text[done:].decode()))
    parts = (words.strip() for words in _BREAKS.split("".join(pieces)))
    return "".join(f"<p>{words}</p>" for words in parts if words).replace("\n", "<br>")


def _facets(record: Object) -> Iterator[tuple[int, int, Object]]:
    """Yield beginning, end and first feature of each facet, in the order of the text."""
    facets = []
    for facet in coerce.dicts(record.get("facets"))[:_MAX_FACETS]:
        index, features = part(facet, "index"), coerce.dicts(facet.get("features"))
        start, end = coerce.number(index.get("byteStart")), coerce.number(index.get("byteEnd"))
        if start is not None and end is not None and features:
            facets.append((start, end, features[0]))
    yield from sorted(facets, key=lambda facet: facet[0])


def _feature_url(feature: Object) -> str | None:
    kind = str(feature.get("$type")).rpartition("#")[2]
    if kind == "link":
        return coerce.link(feature.get("uri"))
    name = coerce.string(feature.get({"mention": "did", "tag": "tag"}.get(kind, "")))
    folder = "profile" if kind == "mention" else "hashtag"
    return f"{_SITE}/{folder}/{quote(name, safe=':')}" if name else None


# What is embedded

# RFC 8216 §10: a list of the pieces of a film, not the film.
_PLAYLIST = "application/vnd.apple.mpegurl"


class _Media(NamedTuple):
    """Pictures, a film or a page of a post."""

    html: str = ""
    image: str | None = None
    files: tuple[Enclosure, ...] = ()


def _read_media(media: Object, link: str | None) -> _Media:
    """Read pictures, a film or a page embedded in the post at `link`."""
    pictures = [
        (thumb or whole, whole, coerce.line(image.get("alt")))
        for image in coerce.dicts(media.get("images"))[: coerce.MAX_FILES]
        for whole, thumb in [(coerce.link(image.get("fullsize")), coerce.link(image.get("thumb")))]
    ]
    shown = [compose.picture(src, alt, href=whole) for src, whole, alt in pictures if src]
    if shown:
        return _Media("".join(shown), next(whole or src for src, whole, _ in pictures if src))
    if playlist := coerce.file(media.get("playlist")):
        still, alt = coerce.link(media.get("thumbnail")), coerce.line(media.get("alt"))
        html = compose.picture(still, alt, href=link) if still else ""
        return _Media(html, still, (Enclosure(url=playlist, media_type=_PLAYLIST, title=alt),))
    page = part(media, "external")
    if url := coerce.link(page.get("uri")):
        thumb, title = coerce.link(page.get("thumb")), coerce.line(page.get("title"))
        html = compose.picture(thumb, href=url) if thumb else ""
        return _Media(
            html + compose.reference(url, title, coerce.line(page.get("description"))), thumb
        )
    return _Media()


def _quote(embed: Object) -> str:
    """Write another post in few words; only a link to a deleted or private one."""
    record = part(embed, "record")
    # recordWithMedia has a record in a record.
    record = part(record, "record") or record
    author, link = part(record, "author"), _page(record)
    if link is None:
        return ""
    by = _author(author)
    words = "" if _is_for_members(author) else facets_html(part(record, "value"))
    return f"<blockquote>{compose.reference(link, by.name if by else None)}{words}</blockquote>"
