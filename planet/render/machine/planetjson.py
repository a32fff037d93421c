"""The site in a nutshell → planet.json, for programs that want to know what is where."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from planet import __version__, address
from planet.render import feedlinks
from planet.render.places import href, list_folder, source_folder, tag_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.model import Edition, Source, Tag
    from planet.render.feedlinks import SiteFeed
    from planet.render.sheet import Sheet

VERSION = 1
"""Of the form of the document; another one when a member is gone or means something else."""

_Object = dict[str, Any]


def document(edition: Edition, sheets: Sequence[Sheet]) -> _Object:
    """What a site is, and where its pages and feeds are, ready for JSON.

    Addresses are relative to the site's own, which is `link`. Without the moment it was made: it
    is the same for as long as the site is.
    """
    feeds = {sheet.path: sheet.feeds for sheet in sheets}
    languages = {edition.language, *(source.language for source in edition.sources)}
    owner = edition.owner
    return {
        "version": VERSION,
        "generator": f"Planet {__version__}",
        "title": edition.title,
        "link": href(edition.link),
        "description": edition.description,
        "owner": {"name": owner.name, "url": href(owner.url)},
        "language": edition.language,
        "languages": sorted(filter(None, languages)),
        "timezone": str(edition.timezone),
        "updated": _moment(edition.updated) if edition.posts else None,
        "counts": {"posts": len(edition.posts), "sources": len(edition.sources)},
        "feeds": _feeds([*feedlinks.of_planet(edition), feedlinks.opml_of(edition)]),
        "sources": [_source(source, edition.tags, feeds) for source in edition.sources],
        "tags": [
            {
                "name": tag.name,
                "slug": tag.slug,
                **_place(tag_folder(tag), f"tag/{tag.slug}", feeds),
            }
            for tag in edition.tags
        ],
        "lists": [
            {
                "name": listed.name,
                "title": listed.podcast.title or listed.name,
                **_place(list_folder(listed), f"lists/{listed.name}", feeds),
            }
            for listed in edition.lists
        ],
        "digests": [
            {"name": digest.name, "posts": digest.count, "page": f"digest/{digest.name}/"}
            for digest in edition.digests or ()
        ],
    }


def write(said: _Object) -> bytes:
    """The document as JSON."""
    # "ignore" drops lone surrogates, the only code points UTF-8 cannot hold.
    return (json.dumps(said, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "ignore")


def _source(
    source: Source, tags: Iterable[Tag], feeds: Mapping[str, tuple[SiteFeed, ...]]
) -> _Object:
    folder = source_folder(source)
    return {
        "slug": source.slug,
        "title": source.title,
        "home": href(source.link),
        # What has a secret in it is nobody's business.
        "feed": address.public(source.url),
        "language": source.language,
        "tags": [tag.slug for tag in tags if tag.name in source.tags],
        "posts": source.count,
        "newest": _moment(source.newest),
        **_place(folder, f"source/{source.slug}", feeds),
        "links": f"{folder}links.json",
    }


def _place(folder: str, path: str, feeds: Mapping[str, tuple[SiteFeed, ...]]) -> _Object:
    return {"page": folder, "feeds": _feeds(feeds[f"{path}/index.html"])}


def _feeds(feeds: Iterable[SiteFeed]) -> list[_Object]:
    return [
        {"format": feed.format, "path": feed.path, "media_type": feed.media_type} for feed in feeds
    ]


def _moment(when: datetime | None) -> str | None:
    return when.isoformat(timespec="seconds") if when else None
