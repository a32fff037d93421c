"""What an account on Bluesky posts (AT Protocol, `app.bsky.feed.getAuthorFeed`) → ParsedFeed.

Tolerant: a field of the wrong type counts as absent, and a post that cannot be told from others is
passed over. What an account answers to others and what it passes on is left out unless it is
wanted; a thread of its own is a row of its posts.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from planet.errors import ParseError
from planet.model import Aside, Origin, ParsedEntry, ParsedFeed, Profile, Text, TextKind
from planet.parse import dates, facets, markup, values
from planet.parse.atproto import author_of, is_for_members, page_of, part, someone
from planet.parse.embeds import embedded
from planet.parse.ids import identified

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from planet.parse.atproto import Object

_METHOD = "/xrpc/app.bsky.feed.getAuthorFeed"


def read(text: str, *, base: str | None, include: frozenset[Aside]) -> ParsedFeed:
    """What the posts in a text say; see `planet.parse.parse`.

    Raises:
        ParseError: `not_a_feed` or `unreadable`.
    """
    try:
        # An object: `sniff` has seen how it begins.
        said = json.loads(text).get("feed")
    except (ValueError, RecursionError) as error:
        raise ParseError("unreadable", f"the JSON is damaged ({type(error).__name__})") from error
    items = [item for item in values.dicts(said) if isinstance(item.get("post"), dict)]
    # Of an account without posts, nothing but the address tells that it is one.
    if not items and not (said == [] and _METHOD in (base or "")):
        raise ParseError("not_a_feed", "this is JSON, but no feed of Bluesky's")
    account = _account(items)
    wanted = [item for item in items if _is_wanted(item, account, include)]
    public = [item for item in wanted if not is_for_members(part(item["post"], "author"))]
    # A pinned post is there twice: above the others, and in its place.
    posts = {str(item["post"].get("uri")): item for item in reversed(public)}
    entries, notes = identified(
        _entry(item) for item in list(reversed(posts.values()))[: values.MAX_ENTRIES]
    )
    if len(public) < len(wanted):
        left = len(wanted) - len(public)
        notes = (*notes, f"posts that their author does not want shown in public: {left}")
    return ParsedFeed(profile=_profile(account), entries=entries, notes=notes)


def _account(items: Sequence[Object]) -> Object:
    """Whose posts these are, or passed on."""
    for item in items:
        who = part(_repost(item), "by") or part(item["post"], "author")
        if values.line(who.get("did")):
            return who
    return {}


def _profile(account: Object) -> Profile:
    who, did = someone(account), values.line(account.get("did"))
    return Profile(
        format="bluesky",
        id=f"at://{did}" if did else None,
        title=who.name if who else None,
        link=who.url if who else None,
        author=who.name if who else None,
        image=values.link(account.get("avatar")),
    )


def _entry(item: Object) -> ParsedEntry:
    post, repost = item["post"], _repost(item)
    record, author = part(post, "record"), part(post, "author")
    uri, who = values.string(post.get("uri")) or "", someone(author)
    link = page_of(uri, author)
    warnings = _labels(post, record)
    media = embedded(post, link=link, is_hidden=bool(warnings))
    before = (*_answered(item, author), *(markup.warning(each, link) for each in warnings))
    html = f"{''.join(before)}{facets.html(record)}{media.html}"
    return ParsedEntry(
        id=uri,
        link=link,
        content=Text(value=html, kind=TextKind.HTML) if html else None,
        authors=(who,) if who else (),
        categories=(*facets.tags(record), *warnings),
        published=_moment(repost.get("indexedAt")) or _published(post, record),
        enclosures=media.files,
        image=media.image,
        origin=Origin(title=who.name, link=who.url) if repost and who else None,
        language=_language(record),
    )


def _is_wanted(item: Object, account: Object, include: frozenset[Aside]) -> bool:
    if _repost(item):
        return Aside.BOOSTS in include
    parent = part(part(part(item["post"], "record"), "reply"), "parent")
    is_own = not parent or author_of(parent.get("uri")) == account.get("did")
    return is_own or Aside.REPLIES in include


def _repost(item: Object) -> Object:
    reason = part(item, "reason")
    return reason if str(reason.get("$type")).endswith("#reasonRepost") else {}


def _answered(item: Object, author: Object) -> Iterator[str]:
    """What a post answers, when that is somebody else's."""
    parent = part(part(item, "reply"), "parent")
    to = part(parent, "author")
    link = page_of(parent.get("uri"), to)
    if link and to.get("did") != author.get("did"):
        who = someone(to)
        yield markup.mention(markup.ANSWERS, link, who.name if who else None)


def _labels(post: Object, record: Object) -> tuple[str, ...]:
    """What a post is labelled as, by its author or by a moderator."""
    own = values.dicts(part(record, "labels").get("values"))
    given = [label for label in values.dicts(post.get("labels")) if label.get("neg") is not True]
    said = values.lines(label.get("val") for label in (*own, *given))
    # Those with an exclamation mark are for programs.
    return tuple(label for label in said if not label.startswith("!"))


def _published(post: Object, record: Object) -> datetime | None:
    # The first is what a program claims, the second when the network first saw it: what is older
    # may have been written elsewhere before, what is newer cannot be.
    moments = (_moment(record.get("createdAt")), _moment(post.get("indexedAt")))
    return min((each for each in moments if each), default=None)


def _moment(value: object) -> datetime | None:
    return dates.moment(value) if isinstance(value, str) else None


def _language(record: Object) -> str | None:
    said = record.get("langs")
    found = (values.language(each) for each in (said if isinstance(said, list) else ()))
    return next(filter(None, found), None)
