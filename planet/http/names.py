"""A name → the addresses that lead to its posts, step by step. Pure.

`Resolver.begin` says what to ask for first, and `follow` what an answer leads to. What comes of it
is remembered with the feed, so that later the posts are asked for at once.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from planet.errors import FetchError
from planet.model import IncludeKind, Lead, Resolved, Step
from planet.text import account, address
from planet.text.plain import one_line, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planet.model import Feed


_MAX_NAME = 200
_DEEPEST = 3


def loaded(body: bytes) -> Mapping[str, Any]:
    """The JSON object that came.

    Raises:
        FetchError: something else did.
    """
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise astray("the answer is not what was asked for")
    return said


def astray(words: str) -> FetchError:
    """The error for an answer that leads nowhere."""
    return FetchError("bad_lead", words)


def next_address(value: object, url: str) -> str:
    """An address that the answer from `url` names as the next.

    Raises:
        FetchError: it is none, or gives up the TLS that `url` has.
    """
    found = link(value, url)
    if found is None:
        raise astray("the answer names no address to ask next")
    if url.startswith("https:") and not found.startswith("https:"):
        raise astray("the answer leads from https to http")
    return found


def link(value: object, base: str) -> str | None:
    """The first web address in what ActivityStreams has for one: text, a Link, a list of both."""
    return next((found for each in _hrefs(value) if (found := address.web(each, base))), None)


def known_as(value: object) -> str | None:
    """A name on one line."""
    if not isinstance(value, str):
        return None
    return shortened(one_line(value), _MAX_NAME) or None


def _hrefs(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        # A Link has href, an Image url, anything else id.
        for name in ("href", "url", "id"):
            if name in value and depth < _DEEPEST:
                yield from _hrefs(value[name], depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        for each in value:
            yield from _hrefs(each, depth + 1)


# ActivityPub §3.2: a client MUST ask for the second; what is met is asked for by the first.
_ACCEPT = (
    "application/activity+json, "
    'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'
)
_ITEMS = ("orderedItems", "items")


def activity_lead(step: Step, url: str, about: Resolved | None = None) -> Lead:
    """A request for something in ActivityStreams."""
    return Lead(step=step, url=url, accept=_ACCEPT, about=about)


def first(url: str, body: bytes) -> Lead | Resolved | None:
    """Where an answer leads that may be an actor, or an outbox; None when it is neither."""
    try:
        said = loaded(body)
    except FetchError:
        return None
    if "outbox" in said:
        return outbox(said, url)
    return page(said, url, Resolved(url=url)) if "first" in said else None


def outbox(said: Mapping[str, Any], url: str) -> Lead:
    """The outbox of an actor.

    Raises:
        FetchError: it has none.
    """
    if said.get("outbox") is None:
        raise astray("the answer is no actor with an outbox")
    found = next_address(said["outbox"], url)
    about = Resolved(
        url=found,
        name=known_as(said.get("name")) or known_as(said.get("preferredUsername")),
        page=link(said.get("url"), url),
        image=link(said.get("icon"), url),
        moved_to=link(said.get("movedTo"), url),
    )
    return activity_lead(Step.OUTBOX, found, about)


def page(said: Mapping[str, Any], url: str, about: Resolved | None) -> Lead | Resolved:
    """The first page of an outbox, or the outbox itself where that has the posts.

    Raises:
        FetchError: it is no collection, or its page is at no address.
    """
    about = about or Resolved(url=url)
    here = Resolved(
        url=url, name=about.name, page=about.page, image=about.image, moved_to=about.moved_to
    )
    found = said.get("first")
    if _has_items(said) or (isinstance(found, dict) and not found.keys().isdisjoint(_ITEMS)):
        return here
    if found is not None:
        return activity_lead(Step.PAGE, next_address(found, url), here)
    if "Collection" not in str(said.get("type")):
        raise astray("the answer is no collection of posts")
    return here


def _has_items(said: Mapping[str, Any]) -> bool:
    return any(said.get(name) for name in _ITEMS)


_ACCEPT_JSON = "application/json"
_POSTS = 50
"""Posts in an answer: what is met in a day many times over; 100 is the most one may ask for."""
_DID = re.compile(r"did:[a-z]+:[A-Za-z0-9._:%-]{1,500}")


def who(handle: str, appview: str) -> Lead:
    """The question whose handle that is."""
    query = urlencode({"handle": handle})
    url = f"{appview}/xrpc/com.atproto.identity.resolveHandle?{query}"
    return Lead(step=Step.HANDLE, url=url, accept=_ACCEPT_JSON)


def did(said: Mapping[str, Any]) -> str:
    """What the owner of a handle is known by, for good.

    Raises:
        FetchError: that is not said.
    """
    found = said.get("did")
    if not isinstance(found, str) or not _DID.fullmatch(found):
        raise astray("the answer does not say whose handle that is")
    return found


def posts(
    did: str, appview: str, include: frozenset[IncludeKind], resolved: Resolved | None
) -> Lead:
    """The question what somebody posted. Answers to oneself are among the posts in any case."""
    with_replies = IncludeKind.REPLIES in include
    what = "posts_with_replies" if with_replies else "posts_and_author_threads"
    query = urlencode({"actor": did, "limit": _POSTS, "filter": what})
    url = f"{appview}/xrpc/app.bsky.feed.getAuthorFeed?{query}"
    page = f"https://bsky.app/profile/{did}"
    about = resolved or Resolved(url=url, did=did, page=page)
    return Lead(step=Step.POSTS, url=url, accept=_ACCEPT_JSON, about=about)


def webfinger_lead(acct: str) -> Lead:
    """The question who an account is."""
    return Lead(
        step=Step.ACCOUNT,
        url=account.webfinger(acct),
        accept="application/jrd+json, application/json;q=0.9",
    )


def actor(said: Mapping[str, Any], url: str) -> Lead:
    """The actor of the account; or, where it says that its name is another, who that one is.

    Raises:
        FetchError: it has none.
    """
    links = said.get("links")
    for each in links if isinstance(links, list) else ():
        if isinstance(each, dict) and each.get("rel") == "self" and _is_activity(each.get("type")):
            return activity_lead(Step.ACTOR, next_address(each.get("href"), url))
    subject = said.get("subject")
    known_as = account.name(subject) if isinstance(subject, str) else None
    if known_as is None or not known_as.startswith("acct:") or account.webfinger(known_as) == url:
        raise astray("it knows the account, but names no ActivityStreams actor for it")
    found = webfinger_lead(known_as)
    next_address(found.url, url)
    return found


def _is_activity(media_type: object) -> bool:
    said = media_type.replace(" ", "").lower() if isinstance(media_type, str) else ""
    return said.startswith("application/activity+json") or (
        said.startswith("application/ld+json") and "www.w3.org/ns/activitystreams" in said
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolver:
    """Knows the ways of WebFinger, ActivityPub and AT Protocol."""

    appview: str
    """The service that answers for AT Protocol: an origin, without a slash at its end."""

    def begin(self, feed: Feed, resolved: Resolved | None) -> Lead | None:
        """What to ask for first; the posts themselves where it is `resolved` already.

        None for a feed that is asked for at its own address.
        """
        handle = account.on_bluesky(feed.url)
        if handle is not None:
            did = resolved.did if resolved else handle if handle.startswith("did:") else None
            if did is None:
                return who(handle, self.appview)
            return posts(did, self.appview, feed.include, resolved)
        if resolved is not None:
            return activity_lead(Step.PAGE, resolved.url, resolved)
        if account.is_name(feed.url):
            return webfinger_lead(feed.url)
        return None

    def follow(
        self, feed: Feed, lead: Lead | None, url: str, body: bytes
    ) -> Lead | Resolved | None:
        """What the answer to a step leads to; `url` is the address that gave it.

        Without a lead it is the answer of an ordinary feed in ActivityStreams. What is Resolved has
        its posts in this very body; None has no steps before it.

        Raises:
            FetchError: it leads nowhere; in words that follow the name of the step.
        """
        if lead is None:
            return first(url, body)
        said = loaded(body)
        if lead.step is Step.ACCOUNT:
            return actor(said, url)
        if lead.step is Step.ACTOR:
            return outbox(said, url)
        if lead.step is Step.OUTBOX:
            return page(said, url, lead.about)
        return posts(did(said), self.appview, feed.include, None)
