"""Theme → the first mistake: every template compiled, and drawn with examples of sites."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import msgspec
from jinja2 import nodes
from msgspec.structs import replace

from planet.errors import ThemeError, suggestion
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
from planet.site.pages.drawing import Drawer
from planet.site.pages.listing import describe_site, list_pages
from planet.site.pages.theme import OwnPage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.site.pages.theme import Theme


_TEXT = Html("<h4>A heading</h4><p>Boats lie in the harbour.</p><table><tr><td>1</td></tr></table>")
_ZONE = ZoneInfo("UTC")


class _Example(msgspec.Struct, frozen=True, kw_only=True):
    """All possible facts of a source, a post, a pick and a digest, once."""

    sources: tuple[Source, ...]
    entries: tuple[Entry, ...]
    pick: Pick
    digest: Digest


def check_theme(theme: Theme) -> None:
    """Compile every template, and draw pages of every kind, to find mistakes in a theme.

    The pages are those of a full site, of one to pick episodes on, and of one with nothing.

    Raises:
        ThemeError: of the first mistake, with file and line.
    """
    own = OwnPage(path="x/index.html", title="X", navigation=True, text="x", is_markdown=True)
    with_own = replace(theme, pages=(*theme.pages, own))
    empty = Edition(title="P", timezone=_ZONE, timeline=Timeline(()), digests=())
    every = Pages(per_source=2, script=True, search=True, indexing=True, picking=Picking.LINK)
    used: set[Path] = set()
    for edition, pages in (
        (make_edition(), every),
        (make_edition(), Pages(archive=1, picking=Picking.FORM)),
        (empty, Pages()),
    ):
        site = describe_site(edition, pages, with_own)
        drawer = Drawer(theme, site)
        if not used:
            _check_blocks(drawer.compile_all())
        for path in theme.sheets:
            drawer.draw_sheet(path)
        for spec in list_pages(edition, pages, with_own, site):
            drawer.draw(spec, lambda numbers: dict.fromkeys(numbers, _TEXT))
        used |= drawer.used
    names = Counter(name for _, name, _ in theme.templates())
    for file, name, _ in theme.templates():
        if names[name] == 1 and file not in used:
            near = suggestion(name, sorted(names.keys() - {name}), least=0.8)
            raise ThemeError(f"{file}  no page is made with it{near}")


def _check_blocks(trees: Mapping[Path, nodes.Template]) -> None:
    """Refuse a block without a block of this name in a template below.

    Jinja is silent about such a block, and leaves the content out of every page.
    """
    names = Counter(block.name for tree in trees.values() for block in tree.find_all(nodes.Block))
    for file, tree in trees.items():
        if tree.find(nodes.Extends):
            for block in tree.body:
                if isinstance(block, nodes.Block) and names[block.name] == 1:
                    near = suggestion(block.name, names.keys() - {block.name})
                    place = f"{file}:{block.lineno}"
                    raise ThemeError(f'{place}  no other template has a block "{block.name}"{near}')


def make_edition() -> Edition:
    """Make an edition with a page of every kind, and posts with everything."""
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
