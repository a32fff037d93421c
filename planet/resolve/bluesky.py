"""A name of AT Protocol → its posts, from a service that has them all (an AppView).

https://docs.bsky.app/docs/api/app-bsky-feed-get-author-feed
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from planet.model import Aside, Lead, Resolved, Step
from planet.resolve.answers import astray

if TYPE_CHECKING:
    from collections.abc import Mapping

_ACCEPT = "application/json"
_POSTS = 50
"""Posts in an answer: what is met in a day many times over; 100 is the most one may ask for."""
_DID = re.compile(r"did:[a-z]+:[A-Za-z0-9._:%-]{1,500}")


def who(handle: str, appview: str) -> Lead:
    """The question whose handle that is."""
    query = urlencode({"handle": handle})
    url = f"{appview}/xrpc/com.atproto.identity.resolveHandle?{query}"
    return Lead(step=Step.HANDLE, url=url, accept=_ACCEPT)


def did(said: Mapping[str, Any]) -> str:
    """What the owner of a handle is known by, for good.

    Raises:
        FetchError: that is not said.
    """
    found = said.get("did")
    if not isinstance(found, str) or not _DID.fullmatch(found):
        raise astray("the answer does not say whose handle that is")
    return found


def posts(did: str, appview: str, include: frozenset[Aside], resolved: Resolved | None) -> Lead:
    """The question what somebody posted. Answers to oneself are among the posts in any case."""
    with_replies = Aside.REPLIES in include
    what = "posts_with_replies" if with_replies else "posts_and_author_threads"
    query = urlencode({"actor": did, "limit": _POSTS, "filter": what})
    url = f"{appview}/xrpc/app.bsky.feed.getAuthorFeed?{query}"
    page = f"https://bsky.app/profile/{did}"
    about = resolved or Resolved(url=url, did=did, page=page)
    return Lead(step=Step.POSTS, url=url, accept=_ACCEPT, about=about)
