"""Sources → OPML 2.0: a list for subscribing to all of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from planet.site.feeds import facts
from planet.site.feeds.channel import on_site
from planet.site.feeds.markup import write_xml
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planet.model import Edition, Owner, ProfileLink, Source


class ListedFeed(msgspec.Struct, frozen=True, kw_only=True):
    """A feed in a subscription list."""

    title: str
    url: str
    page: str | None
    description: str | None
    tags: tuple[str, ...]
    """The first is the folder."""
    is_archived: bool
    links: tuple[ProfileLink, ...]
    picture: str | None = None


def list_feeds(edition: Edition, sources: Iterable[Source]) -> list[ListedFeed]:
    """Return the sources with something to subscribe to, in order.

    A source without a public feed has the address of the feed on this site. Without one, or with
    an unknown address of the site, the source is left out.
    """
    return [
        ListedFeed(
            title=source.title,
            url=feed,
            page=source.link,
            description=source.description,
            tags=source.tags,
            is_archived=source.standing.is_archived,
            links=source.links,
            picture=on_site(source.face, edition.link),
        )
        for source in sources
        if (feed := facts.subscribe_url(source, edition.link)) is not None
    ]


def _outline(feed: ListedFeed) -> Mapping[str, str | None]:
    """Return the attributes of a feed's outline (OPML 2.0), with its links as `link:name`.

    An archived feed is a comment, so nobody subscribes to one. Links for mail are left out: the
    list would be one of mail addresses.
    """
    links: dict[str, str] = {}
    for number, link in enumerate(feed.links, 1):
        if url := address.make_absolute(link.url):
            links.setdefault(f"link:{_local_name(link.name) or f'page-{number}'}", url)
    return {
        "type": "rss",
        "text": feed.title,
        "title": feed.title,
        "xmlUrl": feed.url,
        "htmlUrl": feed.page,
        "description": feed.description,
        "category": ",".join(map(_make_category, feed.tags)) or None,
        "isComment": "true" if feed.is_archived else None,
        "imageUrl": feed.picture,
        **links,
    }


def _make_category(tag: str) -> str:
    """Return a tag without commas, which part categories, and slashes, which part their levels."""
    return " ".join(re.split(r"[\s,/]+", tag))


def _local_name(name: str) -> str:
    """Return the letters and digits of a name, which every XML parser takes; perhaps none.

    Names of attributes may have other characters, but parsers do not agree on which.
    """
    return re.sub("[^A-Za-z0-9]+", "-", name).strip("-").lstrip("-0123456789")


def write_opml(title: str, owner: Owner, feeds: Iterable[ListedFeed]) -> bytes:
    """Return an OPML document with these feeds in folders, and the name and page of the owner.

    Feeds without a tag stand in no folder.
    """
    folders: dict[str, list[Mapping[str, str | None]]] = {}
    for feed in feeds:
        folder = _make_category(feed.tags[0]) if feed.tags else ""
        folders.setdefault(folder, []).append(_outline(feed))
    return write_xml(
        "opml.xml", title=title, owner=owner.name, owner_page=owner.url, folders=folders.items()
    )
