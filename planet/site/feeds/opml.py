"""Sources → OPML 2.0: a list for subscribing to all of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from planet.site.feeds import facts
from planet.site.feeds.channel import on_site
from planet.site.feeds.markup import write_xml
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planet.model import Owner, Source

    Outline = Mapping[str, str | None]


def list_outlines(sources: Iterable[Source], site: str | None) -> list[Outline]:
    """Return the attributes of an outline for each source with something to subscribe to.

    A source without a public feed has the address of the feed on this site. Without one, or with
    an unknown address of the site, the source is left out.
    """
    return [
        _make_outline(source, url, site)
        for source in sources
        if (url := facts.subscribe_url(source, site)) is not None
    ]


def _make_outline(source: Source, url: str, site: str | None) -> Outline:
    """Return the attributes of a feed's outline (OPML 2.0), with its links as `link:name`.

    An archived feed is a comment, so nobody subscribes to one. Links for mail are left out: the
    list would be one of mail addresses.
    """
    links: dict[str, str] = {}
    for number, link in enumerate(source.links, 1):
        if page := address.make_absolute(link.url):
            links.setdefault(f"link:{_local_name(link.name) or f'page-{number}'}", page)
    return {
        "type": "rss",
        "text": source.title,
        "title": source.title,
        "xmlUrl": url,
        "htmlUrl": source.link,
        "description": source.description,
        # Commas part categories, and slashes their levels.
        "category": ",".join(re.sub(r"[\s,/]+", " ", tag) for tag in source.tags) or None,
        "isComment": "true" if source.standing.is_archived else None,
        "imageUrl": on_site(source.face, site),
        **links,
    }


def _local_name(name: str) -> str:
    """Return the letters and digits of a name, which every XML parser takes; perhaps none.

    Names of attributes may have other characters, but parsers do not agree on which.
    """
    return re.sub("[^A-Za-z0-9]+", "-", name).strip("-").lstrip("-0123456789")


def write_opml(title: str, owner: Owner, outlines: Iterable[Outline]) -> bytes:
    """Return an OPML document with these outlines, and the name and page of the owner.

    An outline stands in the folder of its first category, else in none.
    """
    folders: dict[str, list[Outline]] = {}
    for outline in outlines:
        folder = (outline["category"] or "").partition(",")[0]
        folders.setdefault(folder, []).append(outline)
    return write_xml(
        "opml.xml", title=title, owner=owner.name, owner_page=owner.url, folders=folders.items()
    )
