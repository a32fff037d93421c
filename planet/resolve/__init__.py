"""A name → the addresses that lead to its posts, step by step. Pure.

`Resolver.begin` says what to ask for first, and `follow` what an answer leads to. What comes of it
is remembered with the feed, so that later the posts are asked for at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planet import account
from planet.model import Lead, Resolved, Step
from planet.resolve import activity, bluesky, webfinger
from planet.resolve.answers import loaded

if TYPE_CHECKING:
    from planet.model import Feed

__all__ = ["Resolver"]


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
                return bluesky.who(handle, self.appview)
            return bluesky.posts(did, self.appview, feed.include, resolved)
        if resolved is not None:
            return activity.lead(Step.PAGE, resolved.url, resolved)
        if account.is_name(feed.url):
            return webfinger.lead(feed.url)
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
            return activity.first(url, body)
        said = loaded(body)
        if lead.step is Step.ACCOUNT:
            return webfinger.actor(said, url)
        if lead.step is Step.ACTOR:
            return activity.outbox(said, url)
        if lead.step is Step.OUTBOX:
            return activity.page(said, url, lead.about)
        return bluesky.posts(bluesky.did(said), self.appview, feed.include, None)
