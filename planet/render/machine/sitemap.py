"""All pages of a site → sitemap.xml, for search engines (sitemaps.org, protocol 0.9)."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, TypeAlias
from xml.sax.saxutils import escape

from planet.render.places import page_address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from planet.model import Edition, Post
    from planet.render.sheet import Sheet

    Listed: TypeAlias = tuple[str, Sequence[tuple[str, str | None]]]
    """What is listed, `url` or `sitemap`: the address of each, and when it last changed."""

PATH = "sitemap.xml"
MOST = 50_000
"""How many addresses a file may list."""

# The pages that change whenever anything does.
_OF_ALL = {"front", "archive", "sources", "links", "about"}


def maps(edition: Edition, link: str, sheets: Sequence[Sheet]) -> Mapping[str, Listed]:
    """What the files list, by path: all pages, or where there are too many, files of pages."""
    changed = _changed(edition)
    found = [
        (
            page_address(link, sheet.path),
            _moment(edition.updated if sheet.kind in _OF_ALL else changed.get(sheet.path)),
        )
        for sheet in sheets
        if not sheet.is_everywhere
    ]
    if len(found) <= MOST:
        return {PATH: ("url", found)}
    parts = {
        f"sitemap-{number}.xml": ("url", found[start : start + MOST])
        for number, start in enumerate(range(0, len(found), MOST), 1)
    }
    return {PATH: ("sitemap", [(link + path, None) for path in parts]), **parts}


def write(listed: Listed) -> bytes:
    """The file as XML."""
    kind, found = listed
    root = "urlset" if kind == "url" else "sitemapindex"
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
        *(
            f"<{kind}><loc>{escape(place)}</loc>"
            f"{f'<lastmod>{when}</lastmod>' if when else ''}</{kind}>"
            for place, when in found
        ),
        f"</{root}>",
    ]
    return ("\n".join(lines) + "\n").encode()


def _changed(edition: Edition) -> dict[str, datetime]:
    """When those pages last changed that show posts of one kind, by path."""
    tags = {tag.name: f"tag/{tag.slug}/index.html" for tag in edition.tags}
    found: dict[str, datetime] = {}
    for post in edition.posts:
        year, source = f"{post.day.year:04}", post.source
        paths = [f"{year}/index.html", f"{year}/{post.day.month:02}/index.html"]
        paths += [f"source/{source.slug}/index.html"] if source.slug else []
        _touch(found, [*paths, *(tags[name] for name in source.tags if name in tags)], post)
    for listed in edition.lists:
        for post in listed.posts:
            _touch(found, [f"lists/{listed.name}/index.html"], post)
    for digest in edition.digests or ():
        found[f"digest/{digest.name}/index.html"] = digest.made_at
    if edition.digests:
        found["digest/index.html"] = edition.digests[0].made_at
    return found


def _touch(found: dict[str, datetime], paths: Sequence[str], post: Post) -> None:
    modified = post.modified
    for path in paths:
        if path not in found or found[path] < modified:
            found[path] = modified


def _moment(when: datetime | None) -> str | None:
    return when.astimezone(UTC).isoformat(timespec="seconds") if when else None
