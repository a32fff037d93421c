"""Edition → OPML 2.0: a list of its sources, for subscribing to all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planet.site.feeds import markup

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.model import Edition, Source
    from planet.site.feeds.markup import Xml


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A source in the list; OPML 2.0, "Subscription lists"."""

    title: str
    feed: str
    page: str | None
    description: str | None
    category: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscriptions:
    """Everything the document says."""

    title: str
    owner: str | None
    owner_page: str | None
    outlines: tuple[Outline, ...]


def subscriptions(edition: Edition, listed: Iterable[Source], *, title: str) -> Subscriptions:
    """Those of the edition's sources `listed` that can be subscribed to, in their order.

    A source whose own address is not for the public stands there with the address of its feed on
    this site, and is left out when the site's address is not known.
    """
    return Subscriptions(
        title=title,
        owner=edition.owner.name,
        owner_page=edition.owner.url,
        outlines=tuple(
            Outline(
                title=source.title,
                feed=feed,
                page=source.link,
                description=source.description,
                # Commas separate categories, so none can be in one.
                category=",".join(tag.replace(",", " ") for tag in source.tags) or None,
            )
            for source in listed
            if (feed := markup.subscribe_url(source, edition.link)) is not None
        ),
    )


def write(listed: Subscriptions) -> bytes:
    """An OPML document with an outline for each subscription."""
    head = markup.nest(
        "head",
        [
            markup.text("title", listed.title),
            markup.text("ownerName", listed.owner),
            markup.text("ownerId", listed.owner_page),
        ],
    )
    body = markup.nest("body", map(_outline, listed.outlines))
    return markup.document(markup.nest("opml", [head, body], {"version": "2.0"}))


def _outline(outline: Outline) -> Xml:
    return markup.empty(
        "outline",
        {
            "type": "rss",
            "text": outline.title,
            "title": outline.title,
            "xmlUrl": outline.feed,
            "htmlUrl": outline.page,
            "description": outline.description,
            "category": outline.category,
        },
    )
