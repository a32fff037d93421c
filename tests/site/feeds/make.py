"""Builders of editions: each test states what matters to it, and nothing else."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from hashlib import blake2b
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from planet.model import Edition, Enclosure, Entry, FeedHealth, Html, Pages, Post, Source, Timeline
from planet.site.feeds import feed_files
from planet.text.media import find_playable
from tests.builders import NOW as NOON
from tests.builders import make_pick, make_source

__all__ = ["NOON", "make_source"]

MP3 = Enclosure(url="https://one.example/1.mp3", media_type="audio/mpeg", length=1234)

_VOLATILE: dict[str, Any] = {"newest": None, "count": 0, "standing": FeedHealth()}


def make_entry(number: int = 1, **changes: Any) -> Entry:
    """An entry; the higher its number, the older it is."""
    when = changes.pop("when", NOON - timedelta(hours=number))
    entry = Entry(
        number=number,
        feed="one",
        id=f"https://one.example/{number}",
        digest="0",
        first_seen=when,
        changed_at=when,
        dated=when,
        link=f"https://one.example/{number}",
        title=f"Title {number}",
        summary=f"Summary {number}",
    )
    return replace(entry, **changes)


def make_post(
    entry: Entry | None = None, source: Source | None = None, also_in: tuple[Source, ...] = ()
) -> Post:
    """A post as `merge` makes it, with a fingerprint of what can be shown of it."""
    entry, source = entry or make_entry(), source or make_source()
    shown = [replace(each, **_VOLATILE) for each in (source, *also_in)]
    return Post(
        entry=entry,
        source=source,
        uid=entry.id,
        when=entry.dated,
        day=entry.dated.date(),
        also_in=also_in,
        is_playable=find_playable(entry) is not None,
        fingerprint=blake2b(repr((entry, shown)).encode()).hexdigest(),
    )


def make_picked(entry: Entry, source: Source, *, note: str | None = None) -> Post:
    """A post that was picked when it is dated, as `merge` makes it."""
    pick = make_pick(entry.id, picked_at=entry.dated, note=note, published=entry.published)
    post = make_post(entry, source)
    mark = blake2b(repr((post.fingerprint, pick)).encode()).hexdigest()
    return replace(post, picked=pick, fingerprint=mark)


def make_edition(*posts: Post, **changes: Any) -> Edition:
    """An edition of these posts, and of their sources unless others are given."""
    sources = {post.source.key: post.source for post in posts}
    edition = Edition(
        title="Planet Test",
        link="https://planet.example/",
        timezone=ZoneInfo("UTC"),
        timeline=Timeline(posts),
        sources=tuple(sorted(sources.values(), key=lambda source: source.title)),
    )
    return replace(edition, **changes)


class Texts:
    """A store of texts that remembers which it was asked for."""

    def __init__(self, texts: Mapping[int, str] | None = None) -> None:
        self.texts = dict(texts or {})
        self.asked: list[int] = []

    def __call__(self, numbers: Sequence[int]) -> Mapping[int, Html]:
        self.asked += numbers
        return {number: Html(self.texts[number]) for number in numbers if number in self.texts}


def written(
    edition: Edition,
    texts: Mapping[int, str] | None = None,
    pages: Pages | None = None,
    cover: str | None = None,
) -> dict[str, bytes]:
    """Every file of an edition's feeds, by its path."""
    made = feed_files(edition, pages=pages or Pages(), contents=Texts(texts), cover=cover)
    return {file.path: file.make() for file in made}
