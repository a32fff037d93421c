"""An actor → its outbox → the first page of it (ActivityPub §4.1 and §5.1, ActivityStreams 2.0)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planet.errors import FetchError
from planet.model import Lead, Resolved, Step
from planet.resolve.answers import astray, known_as, link, loaded, next_address

if TYPE_CHECKING:
    from collections.abc import Mapping

# ActivityPub §3.2: a client MUST ask for the second; what is met is asked for by the first.
_ACCEPT = (
    "application/activity+json, "
    'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'
)
_ITEMS = ("orderedItems", "items")


def lead(step: Step, url: str, about: Resolved | None = None) -> Lead:
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
    return lead(Step.OUTBOX, found, about)


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
        return lead(Step.PAGE, next_address(found, url), here)
    if "Collection" not in str(said.get("type")):
        raise astray("the answer is no collection of posts")
    return here


def _has_items(said: Mapping[str, Any]) -> bool:
    return any(said.get(name) for name in _ITEMS)
