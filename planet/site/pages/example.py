"""Examples of sites, with which templates are drawn to find mistakes in them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace

from planet.model import (
    Digest,
    Edition,
    Entry,
    Html,
    Linked,
    LinkGraph,
    Owner,
    Pages,
    Pick,
    Picking,
    Post,
    Source,
    Tag,
    Timeline,
)
from planet.site.pages.listing import describe_site, list_pages
from planet.site.pages.theme import OwnPage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.model import Contents
    from planet.site.pages.nouns import Page, ShownSite
    from planet.site.pages.theme import Theme


_TEXT = Html("<h4>A heading</h4><p>Boats lie in the harbour.</p><table><tr><td>1</td></tr></table>")
_ZONE = ZoneInfo("UTC")


class _Example(msgspec.Struct, frozen=True, kw_only=True):
    """All that a page can show of a source, a post, a pick and a digest, once."""

    sources: tuple[Source, ...]
    entries: tuple[Entry, ...]
    pick: Pick
    digest: Digest


def list_examples(theme: Theme, files: ShownSite) -> Iterator[tuple[Page, Contents]]:
    """Yield the pages of a full site, of one to pick episodes on, and of one with nothing.

    They ask for the style sheets and scripts of the site `files`.
    """
    own = OwnPage(path="x/index.html", title="X", in_navigation=True, text="x", is_markdown=True)
    theme = replace(theme, pages=(*theme.pages, own))
    empty = Edition(title="P", timezone=_ZONE, timeline=Timeline(()), digests=())
    for edition, pages in (
        (
            make_edition(),
            Pages(per_source=2, script=True, search=True, indexing=True, picking=Picking.LINK),
        ),
        (make_edition(), Pages(archive=1, picking=Picking.FORM)),
        (empty, Pages()),
    ):
        site = replace(describe_site(edition, pages, theme), files=files.files)
        for page in list_pages(edition, pages, theme, site):
            yield page, lambda numbers: dict.fromkeys(numbers, _TEXT)


def make_edition() -> Edition:
    """Make an edition with a page of every kind, and all that a post can have."""
    data = Path(__file__).with_suffix(".json").read_bytes()
    example = msgspec.json.decode(data, type=_Example)
    source, other, gone = example.sources
    rich, note = (
        Post(
            entry=entry,
            source=of,
            uid=entry.id,
            when=entry.dated,
            day=entry.dated.date(),
            is_playable=bool(entry.enclosures),
        )
        for entry, of in zip(example.entries, (source, other), strict=True)
    )
    picked = replace(note, picked=example.pick)
    more = [replace(rich, also_in=(other, gone)), note, rich, rich, rich, rich]
    linked = Linked(address="https://news.example/", title="News", posts=(rich, note, picked))
    return Edition(
        title="Planet",
        link="https://planet.example/",
        description="Words",
        owner=Owner(name="R", email="r@planet.example", url="https://r.example/"),
        timezone=_ZONE,
        repository="https://code.example/planet",
        timeline=Timeline((picked, *more)),
        sources=(source, other),
        tags=(Tag(name="Sea", slug="sea"),),
        episodes={"a": (replace(rich.entry, id="9"),)},
        digests=(example.digest, replace(example.digest, name="2026-11-19")),
        links=LinkGraph(top=(linked, replace(linked, post=rich)), is_shared=True),
    )
