"""An account → its actor, by WebFinger (RFC 7033)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planet import account
from planet.model import Lead, Step
from planet.resolve import activity
from planet.resolve.answers import astray, next_address

if TYPE_CHECKING:
    from collections.abc import Mapping


def lead(acct: str) -> Lead:
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
            return activity.lead(Step.ACTOR, next_address(each.get("href"), url))
    subject = said.get("subject")
    known_as = account.name(subject) if isinstance(subject, str) else None
    if known_as is None or not known_as.startswith("acct:") or account.webfinger(known_as) == url:
        raise astray("it knows the account, but names no ActivityStreams actor for it")
    found = lead(known_as)
    next_address(found.url, url)
    return found


def _is_activity(media_type: object) -> bool:
    said = media_type.replace(" ", "").lower() if isinstance(media_type, str) else ""
    return said.startswith("application/activity+json") or (
        said.startswith("application/ld+json") and "www.w3.org/ns/activitystreams" in said
    )
