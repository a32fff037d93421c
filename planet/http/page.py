"""Address → page, once and for one's own use: for programs that ask for what feeds link to.

What a feed links to is its owner's choice. So such a request is guarded as those for feeds are.
"""

from __future__ import annotations

import time
from contextlib import closing
from datetime import UTC, datetime
from typing import Final

from planet.errors import FetchError
from planet.http.connection import FeedAdapter, Network
from planet.http.guard import Guard, is_public
from planet.http.redirects import REDIRECTS, RedirectChain
from planet.http.request import AnyAnswer, FeedRequest
from planet.text import address

MAX_PAGE: Final = 2_000_000
"""Bytes of a page on the wire; twice as many are read once it is unpacked."""
_PAGES: Final = AnyAnswer(
    "text/html, application/xhtml+xml;q=0.9, */*;q=0.5",
    unwanted=("image/", "video/", "audio/", "application/zip"),
)


def read_page(
    url: str,
    *,
    user_agent: str,
    timeout: float = 10.0,
    max_size: int = MAX_PAGE,
    private: bool = False,
) -> bytes:
    """Ask for the page at a web address, and return its body, unpacked.

    The request goes to the public Internet alone, and so do redirects, of which five are followed:
    an address that leads into a private network, such as loopback or the metadata service of a
    cloud, is refused before anybody is called (R48 in docs/politeness.md). With `private` the first
    server may be in a private network. `timeout` is in seconds for everything together; `max_size`
    is in bytes on the wire. Nothing is kept: how often to call is up to the caller.

    Raises:
        FetchError: it is no web address, leads where it must not, or does not answer with a page.
        StateError: what the environment says of proxies and certificates cannot be used.
    """
    start = address.make_absolute(url)
    if start is None:
        raise FetchError("bad_address", "it is no web address")
    chain = RedirectChain(address.normalize(start))
    ends_at, network = time.monotonic() + timeout, Network()
    guard = Guard(network.names, is_public, only_public=not private)
    with closing(FeedAdapter(network)) as adapter:
        while True:
            request = FeedRequest(
                chain.url,
                {"User-Agent": user_agent, "Accept": _PAGES.accept},
                seconds=ends_at - time.monotonic(),
                max_size=max_size,
                guard=guard,
                rules=_PAGES,
                asked_at=datetime.now(UTC),
            )
            body = adapter.exchange(request)
            if request.status not in REDIRECTS:
                return body
            now = datetime.now(UTC)
            wait = chain.follow(request.status or 0, request.received, received_at=now)
            time.sleep(request.time_for(wait) if wait else 0)
