"""Builders for editions: each states what matters to a test and nothing else."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from planet.model import Edition, Entry, Html, Pages, Post, Source
from planet.render import load_theme, render

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 20, 11, 0, tzinfo=UTC)


def make_source(slug: str = "one", **said: Any) -> Source:
    source = Source(key=slug, slug=slug, url=f"https://{slug}.example/feed", title=slug.title())
    return replace(source, **said)


def make_post(
    number: int = 1,
    source: Source | None = None,
    *,
    when: datetime = NOON,
    also_in: tuple[Source, ...] = (),
    **said: Any,
) -> Post:
    """A post; its fingerprint is made from all that is said of it."""
    source = source or make_source()
    plain = Entry(
        number=number,
        feed=source.key,
        id=f"tag:{number}",
        digest=hashlib.sha256(repr(said).encode()).hexdigest(),
        first_seen=when,
        changed_at=when,
        dated=when,
        link=f"https://{source.slug}.example/{number}",
        title=f"Post {number}",
    )
    entry = replace(plain, **said)
    shown = (entry, when, [other.key for other in also_in])
    return Post(
        entry=entry,
        source=source,
        uid=f"tag:planet.example,2026:{number}",
        when=when,
        day=when.astimezone(BERLIN).date() if when.year < 9999 else when.date(),
        also_in=also_in,
        fingerprint=hashlib.sha256(repr(shown).encode()).hexdigest(),
    )


def make_edition(*posts: Post, sources: Sequence[Source] | None = None, **said: Any) -> Edition:
    """An edition of these posts, newest first, and of their sources with what follows from them."""
    ordered = sorted(posts, key=lambda post: (post.when, post.entry.number), reverse=True)
    if sources is None:
        sources = list({post.source.key: post.source for post in ordered}.values())
    counted = [_counted(source, ordered) for source in sources]
    edition = Edition(
        title="Planet Example",
        timezone=BERLIN,
        posts=tuple(ordered),
        sources=tuple(sorted(counted, key=lambda source: source.title)),
    )
    return replace(edition, **said)


def drawn(
    edition: Edition, *, pages: Pages | None = None, contents: Mapping[int, str] | None = None
) -> dict[str, bytes]:
    """Every file of the site in the default theme, by path."""
    files = render(
        edition,
        theme=load_theme("default"),
        pages=pages or Pages(),
        contents=lambda numbers: {
            number: Html(text) for number, text in (contents or {}).items() if number in numbers
        },
    )
    return {file.path: file.make() for file in files}


def hours_before(hours: float) -> datetime:
    return NOON - timedelta(hours=hours)


def _counted(source: Source, posts: Sequence[Post]) -> Source:
    own = [post for post in posts if post.source.key == source.key]
    return replace(source, count=len(own), newest=own[0].when if own else None)
