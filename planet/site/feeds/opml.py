"""Edition → OPML 2.0: a list of its sources, for subscribing to all of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from planet import documentation
from planet.site.feeds import markup
from planet.site.feeds.channel import on_site
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.model import Edition, ProfileLink, Source
    from planet.site.feeds.markup import Xml


_ROOT: markup.Attributes = {"version": "2.0", "xmlns:link": documentation("feeds.md")}


def outlines(edition: Edition, sources: Iterable[Source]) -> list[Xml]:
    """Return an outline for each of these sources that can be subscribed to, in their order.

    A source without a feed that readers can subscribe to has the address of its feed on this site.
    It is left out where there is none, or the site's address is not known.
    """
    return [
        outline(
            ListedFeed(
                title=source.title,
                url=feed,
                page=source.link,
                description=source.description,
                # Commas separate categories, so none can be in one.
                category=",".join(tag.replace(",", " ") for tag in source.tags) or None,
                is_archived=source.standing.is_archived,
                links=source.links,
                picture=on_site(source.face, edition.link),
            )
        )
        for source in sources
        if (feed := markup.subscribe_url(source, edition.link)) is not None
    ]


class ListedFeed(msgspec.Struct, frozen=True, kw_only=True):
    """A feed as a subscription list names it."""

    title: str
    url: str
    page: str | None
    description: str | None
    category: str | None
    is_archived: bool
    links: tuple[ProfileLink, ...]
    picture: str | None = None


def outline(feed: ListedFeed) -> Xml:
    """Return the outline of a feed (OPML 2.0, “Subscription lists”), with links as `link:name`.

    One that is archived is a comment, so that nobody subscribes to it. Links for mail are left out:
    the list would be one of mail addresses.
    """
    links: dict[str, str] = {}
    for number, link in enumerate(feed.links, 1):
        if url := address.make_absolute(link.url):
            links.setdefault(f"link:{_local_name(link.name) or f'page-{number}'}", url)
    return markup.empty(
        "outline",
        {
            "type": "rss",
            "text": feed.title,
            "title": feed.title,
            "xmlUrl": feed.url,
            "htmlUrl": feed.page,
            "description": feed.description,
            "category": feed.category,
            "isComment": "true" if feed.is_archived else None,
            "imageUrl": feed.picture,
            **links,
        },
    )


def _local_name(name: str) -> str:
    """Return the part of a name that every XML parser takes in a name; empty if there is none.

    Names of attributes may have others, too, but parsers do not agree on which.
    """
    return re.sub("[^A-Za-z0-9]+", "-", name).strip("-").lstrip("-0123456789")


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
    return markup.document(markup.nest("opml", [head, markup.nest("body", outlines)], _ROOT))
