"""Examples of sites, with which templates are drawn to find mistakes in them."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace

from planet.model import (
    Digest,
    Edition,
    Entry,
    FairShare,
    Html,
    Linked,
    LinkGraph,
    Owner,
    Pages,
    Part,
    Pick,
    Picking,
    PickList,
    Podcast,
    Post,
    Source,
    Tag,
)
from planet.site.pages.listing import describe_site, list_pages
from planet.site.pages.theme import OwnPage

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from planet.model import Contents, Timeline
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


class _FewPosts:
    """A timeline of a few posts of one day, the newest first."""

    def __init__(self, *posts: Post) -> None:
        self._posts = posts
        self.timeless: dict[str, Part] = {}
        self.picked = [(post.entry.feed, post.entry.id) for post in posts if post.picked]
        parts = [Part(len(posts), post.when, post.when, True, "") for post in posts[:1]]
        self.days = {post.day: part for post, part in zip(posts, parts, strict=False)}
        self.sources = {post.source.key: part for post in posts for part in parts}

    def posts(
        self, limit: int | None = None, *, sources: Collection[str] | None = None, **_: object
    ) -> Iterator[Post]:
        """Yield the newest posts, of all or of some sources."""
        found = (post for post in self._posts if sources is None or post.source.key in sources)
        return islice(found, limit)

    def fair_share(self, limit: int, per_source: int) -> FairShare:
        """Return all posts but one, and where that is."""
        rest = {(post.day, post.source.key): 1 for post in self._posts[-1:]}
        return FairShare(self._posts[:-1], rest)


def list_examples(theme: Theme, files: ShownSite) -> Iterator[tuple[Page, Contents]]:
    """Yield the pages of a full site, of one to pick episodes on, and of one with nothing.

    They ask for the style sheets and scripts of the site `files`.
    """
    own = OwnPage(path="x/index.html", title="X", in_navigation=True, text="x", is_markdown=True)
    theme = replace(theme, pages=(*theme.pages, own))
    empty = Edition(title="P", timezone=_ZONE, timeline=_timeline(), digests=())
    for edition, pages in (
        (make_edition(), Pages(script=True, search=True, indexing=True, picking=Picking.LINK)),
        (make_edition(), Pages(archive=1, picking=Picking.FORM)),
        (empty, Pages()),
    ):
        site = replace(describe_site(edition, pages, theme), files=files.files)
        for page in list_pages(edition, pages, theme, site):
            yield page, lambda numbers: dict.fromkeys(numbers, _TEXT)


def _timeline(*posts: Post) -> Timeline:
    return cast("Timeline", _FewPosts(*posts))


def make_edition() -> Edition:
    """Make an edition with a page of every kind, and all that a post can have."""
    data = Path(__file__).with_suffix(".json").read_bytes()
    example = msgspec.json.decode(data, type=_Example)
    source, other, gone = example.sources
    rich, note = (
        Post(entry=entry, source=of, uid=entry.id, when=entry.dated, day=entry.dated.date())
        for entry, of in zip(example.entries, (source, other), strict=True)
    )
    picked = replace(note, picked=example.pick)
    more = [replace(rich, also_in=(other, gone)), note, rich, rich, rich, rich]
    linked = Linked(address="https://news.example/", title="News", posts=(rich, note, picked))
    listed = PickList(name="l", podcast=Podcast(title="L", description="x"), posts=(picked, rich))
    return Edition(
        title="Planet",
        link="https://planet.example/",
        description="Words",
        owner=Owner(name="R", email="r@planet.example", url="https://r.example/"),
        timezone=_ZONE,
        repository="https://code.example/planet",
        timeline=_timeline(picked, *more),
        sources=(source, other),
        tags=(Tag(name="Sea", slug="sea"),),
        lists=(listed,),
        episodes={"a": (replace(rich.entry, id="9"),)},
        digests=(example.digest, replace(example.digest, name="2026-11-19")),
        links=LinkGraph(top=(linked, replace(linked, post=rich)), is_shared=True),
    )
