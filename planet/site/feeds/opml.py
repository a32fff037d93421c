"""Edition → OPML 2.0: a list of its sources, for subscribing to all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.site.feeds import markup

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.model import Edition, Source
    from planet.site.feeds.markup import Xml


def outlines(edition: Edition, sources: Iterable[Source]) -> list[Xml]:
    """Return an outline for each of these sources that can be subscribed to, in their order.

    A source without a feed that readers can subscribe to has the address of its feed on this site.
    It is left out where there is none, or the site's address is not known.
    """
    return [
        outline(
            source.title,
            feed,
            page=source.link,
            description=source.description,
            # Commas separate categories, so none can be in one.
            category=",".join(tag.replace(",", " ") for tag in source.tags) or None,
            is_archived=source.standing.is_archived,
        )
        for source in sources
        if (feed := markup.subscribe_url(source, edition.link)) is not None
    ]


def outline(
    title: str,
    feed: str,
    *,
    page: str | None,
    description: str | None,
    category: str | None,
    is_archived: bool,
) -> Xml:
    """Return the outline of a feed (OPML 2.0, “Subscription lists”).

    One that is archived is a comment, so that nobody subscribes to it.
    """
    return markup.empty(
        "outline",
        {
            "type": "rss",
            "text": title,
            "title": title,
            "xmlUrl": feed,
            "htmlUrl": page,
            "description": description,
            "category": category,
            "isComment": "true" if is_archived else None,
        },
    )


def write(title: str, owner: str | None, owner_page: str | None, outlines: Iterable[Xml]) -> bytes:
    """Return an OPML document with these outlines."""
    head = markup.nest(
        "head",
        [
            markup.text("title", title),
            markup.text("ownerName", owner),
            markup.text("ownerId", owner_page),
        ],
    )
    return markup.document(
        markup.nest("opml", [head, markup.nest("body", outlines)], {"version": "2.0"})
    )
