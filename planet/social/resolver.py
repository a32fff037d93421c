"""The name of an account → the requests on the way to the posts.

WebFinger (RFC 7033), ActivityPub and AT Protocol; `planet.http` sends the requests. Pure.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import msgspec
from msgspec.structs import replace

from planet.errors import FetchError
from planet.model import IncludeKind, Lead, Resolved, Step
from planet.parse import coerce
from planet.text import account, address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.model import Feed


_DEEPEST = 3
# ActivityPub §3.2: a client MUST ask for the second; what is met is asked for by the first.
_ACTIVITY = (
    "application/activity+json, "
    'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'
)
_ACTIVITY_TYPES = ("application/activity+json", "application/ld+json")
_JRD = "application/jrd+json, application/json;q=0.9"
_ITEMS = ("orderedItems", "items")
_JSON = "application/json"
_POSTS = 50
"""Posts in an answer: what is met in a day many times over; 100 is the most one may ask for."""
_DID = re.compile(r"did:[a-z]+:[A-Za-z0-9._:%-]{1,500}")


class Resolver(msgspec.Struct, frozen=True, kw_only=True):
    """Knows the ways of WebFinger, ActivityPub and AT Protocol."""

    appview: str = "https://public.api.bsky.app"
    """The service that answers for AT Protocol: an origin, without a slash at its end."""

    def begin(self, feed: Feed, resolution: Resolved | None) -> Lead | None:
        """Return the first request: for the posts themselves with a `resolution`.

        None for a feed with an ordinary address.
        """
        handle = account.find_bluesky_id(feed.url)
        if handle is not None:
            did = resolution.did if resolution else handle if handle.startswith("did:") else None
            return self._posts(did, feed, resolution) if did else self._owner(handle)
        if resolution is not None:
            return Lead(step=Step.PAGE, url=resolution.url, accept=_ACTIVITY, about=resolution)
        if account.is_name(feed.url):
            return Lead(step=Step.ACCOUNT, url=account.webfinger_url(feed.url), accept=_JRD)
        return None

    def may_lead(self, headers: Mapping[str, str]) -> bool:
        """Return whether the answer of an ordinary feed may be an actor or an outbox."""
        return _is_activity(headers.get("content-type"))

    def follow(self, feed: Feed, lead: Lead, url: str, body: bytes) -> Lead | Resolved | None:
        """Return the request after the answer to a step; `url` is the address of the answer.

        An ordinary feed in ActivityStreams may turn out to be an actor or an outbox. Resolved means
        that the posts are in this very body; None means an ordinary feed.

        Raises:
            FetchError: the answer leads nowhere; in words that follow the name of the step.
        """
        try:
            document = json.loads(body)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict):
            if lead.step is Step.FEED:
                return None
            raise _astray("the answer is not what was asked for")
        match lead.step:
            case Step.FEED if "outbox" in document:
                return _outbox(document, url)
            case Step.FEED:
                return _page(document, url, Resolved(url=url)) if "first" in document else None
            case Step.ACCOUNT:
                return _actor(document, url)
            case Step.ACTOR:
                return _outbox(document, url)
            case Step.OUTBOX:
                return _page(document, url, lead.about or Resolved(url=url))
        did = document.get("did")
        if not isinstance(did, str) or not _DID.fullmatch(did):
            raise _astray("the answer does not say whose handle that is")
        return self._posts(did, feed, None)

    def _owner(self, handle: str) -> Lead:
        """Make the request for the DID of a handle."""
        query = urlencode({"handle": handle})
        url = f"{self.appview}/xrpc/com.atproto.identity.resolveHandle?{query}"
        return Lead(step=Step.HANDLE, url=url, accept=_JSON)

    def _posts(self, did: str, feed: Feed, resolution: Resolved | None) -> Lead:
        """Make the request for posts; answers to oneself are among them in any case."""
        with_replies = IncludeKind.REPLIES in feed.include
        kinds = "posts_with_replies" if with_replies else "posts_and_author_threads"
        query = urlencode({"actor": did, "limit": _POSTS, "filter": kinds})
        url = f"{self.appview}/xrpc/app.bsky.feed.getAuthorFeed?{query}"
        about = resolution or Resolved(url=url, did=did, page=f"https://bsky.app/profile/{did}")
        return Lead(step=Step.POSTS, url=url, accept=_JSON, about=about)


def _astray(words: str) -> FetchError:
    return FetchError("bad_lead", words)


def _actor(document: Mapping[str, Any], url: str) -> Lead:
    """Return the request for the actor of an account."""
    for item in coerce.dicts(document.get("links")):
        if item.get("rel") == "self" and _is_activity(item.get("type")):
            return Lead(step=Step.ACTOR, url=_next(item.get("href"), url), accept=_ACTIVITY)
    raise _astray("it knows the account, but names no ActivityStreams actor for it")


def _outbox(document: Mapping[str, Any], url: str) -> Lead:
    """Return the request for the outbox of an actor."""
    if document.get("outbox") is None:
        raise _astray("the answer is no actor with an outbox")
    about = Resolved(
        url=_next(document["outbox"], url),
        name=coerce.line(document.get("name")) or coerce.line(document.get("preferredUsername")),
        page=_link(document.get("url"), url),
        image=_link(document.get("icon"), url),
        moved_to=_link(document.get("movedTo"), url),
    )
    return Lead(step=Step.OUTBOX, url=about.url, accept=_ACTIVITY, about=about)


def _page(document: Mapping[str, Any], url: str, about: Resolved) -> Lead | Resolved:
    """Return the request for the first page of an outbox, or Resolved with the posts at hand."""
    here, page = replace(about, url=url, did=None), document.get("first")
    has_items = any(document.get(name) for name in _ITEMS)
    if page is not None and not has_items and not (isinstance(page, dict) and {*_ITEMS} & {*page}):
        return Lead(step=Step.PAGE, url=_next(page, url), accept=_ACTIVITY, about=here)
    if page is None and not has_items and "Collection" not in str(document.get("type")):
        raise _astray("the answer is no collection of posts")
    return here


def _next(value: object, url: str) -> str:
    """Return the next address, as named in the answer from `url`.

    Raises:
        FetchError: there is no address, or one without TLS after one with TLS.
    """
    target = _link(value, url)
    if target is None:
        raise _astray("the answer names no address to ask next")
    if url.startswith("https:") and not target.startswith("https:"):
        raise _astray("the answer leads from https to http")
    return target


def _link(value: object, base: str, depth: int = 0) -> str | None:
    """Return the first web address in a string, a thing, or a list of both."""
    if isinstance(value, str):
        return address.make_absolute(value, base)
    # A Link has href, an Image url, anything else id.
    named = (
        [value.get(name) for name in ("href", "url", "id")] if isinstance(value, dict) else value
    )
    inner = named if isinstance(named, list) and depth < _DEEPEST else []
    return next(filter(None, (_link(one, base, depth + 1) for one in inner)), None)


def _is_activity(media_type: object) -> bool:
    return str(media_type).strip().lower().startswith(_ACTIVITY_TYPES)
