"""Examples of sites, with which templates are drawn to find mistakes in them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, cast
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from planet.model import (
    Digest,
    DigestItem,
    DigestSection,
    Edition,
    Enclosure,
    Entry,
    FairShare,
    FeedHealth,
    Html,
    Linked,
    LinkGraph,
    Owner,
    Pages,
    Part,
    Person,
    Pick,
    Picking,
    PickList,
    Podcast,
    Post,
    ProfileLink,
    Show,
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


_NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
_TEXT = Html("<h4>A heading</h4><p>Boats lie in the harbour.</p><table><tr><td>1</td></tr></table>")


class _FewPosts:
    """A timeline of a few posts, the newest first."""

    def __init__(self, *posts: Post) -> None:
        self._posts = posts
        self.days: dict[date, Part] = {}
        self.months: dict[tuple[int, int], Part] = {}
        self.sources: dict[str, Part] = {}
        for post in posts:
            part = Part(1, post.when, post.when, bool(post.entry.enclosures), post.fingerprint)
            for parts, key in (
                (self.days, post.day),
                (self.months, (post.day.year, post.day.month)),
                (self.sources, post.source.key),
            ):
                parts[key] = Part.together([parts[key], part]) if key in parts else part  # type: ignore[index]
        self.timeless: dict[str, Part] = {}
        self.picked = [(post.entry.feed, post.entry.id) for post in posts if post.picked]

    def posts(
        self,
        limit: int | None = None,
        *,
        period: tuple[int, ...] = (),
        sources: Collection[str] | None = None,
        **_: object,
    ) -> Iterator[Post]:
        """Yield the newest posts, of all or of a part."""
        found = (post for post in self._posts if sources is None or post.source.key in sources)
        return islice(found, limit)

    def latest(self, limit: int) -> Iterator[Post]:
        """Yield the newest posts of each source."""
        return self.posts(limit)

    def fair_share(self, limit: int, per_source: int) -> FairShare:
        """Return the newest posts, and of the first source one that is not among them."""
        rest = {(post.day, post.source.key): 1 for post in self._posts[-1:]}
        return FairShare(self._posts[:-1] or self._posts, rest)


def list_examples(theme: Theme, site: ShownSite) -> Iterator[tuple[Page, Contents]]:
    """Yield the pages of a full site, of one to pick episodes on, and of one with nothing."""
    own = OwnPage(path="x/index.html", title="X", in_navigation=True, text="x", is_markdown=True)
    theme = replace(theme, pages=(*theme.pages, own))
    for edition, pages in (
        (make_edition(), Pages(script=True, search=True, indexing=True, picking=Picking.LINK)),
        (make_edition(), Pages(front=3, archive=1, picking=Picking.FORM)),
        (Edition(title="P", timezone=ZoneInfo("UTC"), timeline=_timeline(), digests=()), Pages()),
    ):
        shared = describe_site(edition, pages, theme)
        shared = replace(shared, files=site.files)
        for page in list_pages(edition, pages, theme, shared):
            yield page, lambda numbers: dict.fromkeys(numbers, _TEXT)


def _timeline(*posts: Post) -> Timeline:
    return cast("Timeline", _FewPosts(*posts))


def make_edition() -> Edition:
    """Make an edition with a page of every kind, and all that a post can have."""
    health = FeedHealth(trouble="503 Service Unavailable", trouble_since=_NOON, asked_at=_NOON)
    quiet = FeedHealth(quiet_since=_NOON, is_archived=True, moved_to="https://b.example/feed")
    source = Source(
        key="a",
        slug="a",
        url="https://a.example/feed",
        title="A",
        link="https://a.example/",
        description="Words",
        own_format="atom",
        has_feeds=True,
        links=(
            ProfileLink(name="x", url="https://x.example/"),
            ProfileLink(name="email", url="mailto:a@a.example"),
        ),
        tags=("Sea",),
        newest=_NOON,
        count=5,
        standing=health,
    )
    other = replace(source, key="b", slug="b", title="B", face="faces/b.png", standing=quiet)
    gone = Source(key="c", slug="", url="", title="C")
    rich = _make_post(6, source, title="Boats", summary="In the harbour", also_in=(other, gone))
    posts = [
        rich,
        _make_post(5, other, summary="A note in answer", language="de"),
        *(_make_post(number, source, title="More") for number in (4, 3, 2, 1)),
    ]
    picked = replace(posts[1], picked=_make_pick(posts[1].entry), uid="tag:picked")
    linked = Linked(address="https://news.example/", title="News", posts=(rich, *posts[1:3]))
    digests = [
        Digest(
            name=f"2026-11-{day}",
            due_at=_NOON,
            made_at=_NOON,
            since=_NOON - timedelta(days=1),
            sections=(
                DigestSection(
                    source="A",
                    link="https://a.example/",
                    items=(
                        DigestItem(uid="1", heading="Boats", link="https://a.example/1"),
                        DigestItem(uid="2", heading="", summary="A note"),
                    ),
                ),
            ),
        )
        for day in (20, 19)
    ]
    listed = PickList(name="l", podcast=Podcast(title="L", description="x"), posts=(picked, rich))
    return Edition(
        title="Planet",
        link="https://planet.example/",
        description="Words",
        owner=Owner(name="R", email="r@planet.example", url="https://r.example/"),
        timezone=ZoneInfo("UTC"),
        repository="https://code.example/planet",
        timeline=_timeline(picked, *posts),
        sources=(source, other),
        tags=(Tag(name="Sea", slug="sea"),),
        lists=(listed,),
        episodes={"a": (_make_post(9, source, title="Episode").entry,)},
        digests=tuple(digests),
        links=LinkGraph(top=(linked, replace(linked, post=rich)), is_shared=True),
    )


def _make_post(
    number: int, source: Source, *, also_in: tuple[Source, ...] = (), **changes: str
) -> Post:
    when = _NOON + timedelta(hours=number)
    url = f"https://{source.slug}.example/{number}"
    entry = Entry(
        number=number,
        feed=source.key,
        id=url,
        digest="",
        first_seen=when,
        changed_at=when,
        dated=when,
        link=url,
        authors=(Person(name="Ann"),),
        in_reply_to=("https://d.example/1",),
        image=f"{url}.png",
        enclosures=(
            Enclosure(url=f"{url}.mp3", media_type="audio/mpeg", length=1_000, duration=60),
            Enclosure(url=f"{url}.mp4", media_type="video/mp4", title="Film"),
            Enclosure(url=f"{url}.pdf"),
        ),
    )
    entry = replace(entry, **changes)
    return Post(entry=entry, source=source, uid=url, when=when, day=when.date(), also_in=also_in)


def _make_pick(entry: Entry) -> Pick:
    return Pick(
        feed=entry.feed,
        id=entry.id,
        picked_at=_NOON,
        note="Why",
        title=entry.title,
        published=_NOON,
        show=Show(title="A"),
    )
