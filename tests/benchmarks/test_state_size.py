"""How large the state gets in a year, for a hundred feeds and for a thousand.

Nobody is asked: what a run would have read goes the way it goes in a run, to the store and to the
cache of answers, each day of the year at its own time; each day ends as a run does, and each month
with what a site shows. Prints a table; `docs/operating.md` tells what it says. Run it by hand: it
takes minutes.
"""

import hashlib
import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planet.config import Config, load
from planet.http.request import cache_name
from planet.http.session import KeptResponse
from planet.model import (
    Feed,
    FeedState,
    Fetched,
    Hints,
    NewEntry,
    ParsedEntry,
    ParseResult,
    Person,
    Profile,
    Text,
    TextKind,
)
from planet.model.secrets import NO_REDACTOR
from planet.run import ingest
from planet.run.edition import make_edition
from planet.run.maintain import forget, purge, retire
from planet.run.open import Run, open_run
from planet.text.html import Cleaning, draft_entry, hash_entry

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
MONTH = 30
LISTED = 15
"""Entries that a feed lists."""
_CLEANING = Cleaning(sanitizer="nh3")
_FILES = ("planet.sqlite", "http.sqlite")
_WORDS = [
    "".join(Random(number).choices("aeioubcdfglmnprst", k=3 + number % 8)) for number in range(4000)
]


@dataclass(slots=True)
class Writer:
    """Writes a feed: seldom or often, at length or not, the same each time."""

    number: int
    chance: Random
    often: float
    """Posts a day."""
    length: float
    """Bytes of a usual post."""
    written: int = 0
    posts: tuple[ParsedEntry, ...] = ()

    def day(self, now: datetime) -> int:
        """How much it writes in a day."""
        count = 0
        after = self.chance.expovariate(self.often)
        while after < 1:
            self._post(now - DAY * (1 - after))
            count += 1
            after += self.chance.expovariate(self.often)
        return count

    def _post(self, at: datetime) -> None:
        self.written += 1
        link = f"https://writer{self.number}.example/{at:%Y/%m}/{self._words(5, '-')}"
        html, size = "", self.chance.lognormvariate(math.log(self.length), 0.7)
        while len(html) < size:
            more = f'<a href="https://elsewhere.example/{self._words(3, "-")}">there</a>'
            html += f"<p>{self._words(60)} {more} {self._words(20)}.</p>\n"
        post = ParsedEntry(
            id=link,
            link=link,
            title=Text(value=self._words(7), kind=TextKind.TEXT),
            content=Text(value=html, kind=TextKind.HTML, base=link),
            authors=(Person(name=f"Writer {self.number}"),),
            categories=tuple(self.chance.choices(_WORDS[:200], k=3)),
            published=at.replace(microsecond=0),
        )
        self.posts = (post, *self.posts[: LISTED - 1])

    def _words(self, count: int, between: str = " ") -> str:
        # Few words are said often, and most seldom.
        picked = (int(len(_WORDS) * self.chance.random() ** 6) for _ in range(count))
        return between.join(_WORDS[each] for each in picked)


def writers(count: int) -> list[Writer]:
    """As many write less than every other week as write more; some write several times a day."""
    found = []
    for number in range(count):
        chance = Random(number)
        often = min(chance.lognormvariate(math.log(25), 1.3), 2000) / 365
        length = min(chance.lognormvariate(math.log(800), 1.6), 30_000)
        writer = Writer(number=number, chance=chance, often=often, length=length)
        while len(writer.posts) < LISTED:
            writer.day(START - DAY)
        found.append(writer)
    return found


@dataclass(slots=True)
class Year:
    """A planet that lives through a year."""

    folder: Path
    count: int
    now: datetime = START
    entries: int = 0

    def config(self) -> Config:
        path = self.folder / "config.yaml"
        feeds = "".join(f"  - https://writer{n}.example/feed.xml\n" for n in range(self.count))
        path.write_text(f"title: A year\nfeeds:\n{feeds}", encoding="utf-8")
        return load(path, environ={})

    def months(self) -> Iterator[str]:
        """A line for each month: how large each file is, and all of it as git packs it, in MB."""
        config = self.config()
        writing = writers(self.count)
        names = "".join(f"{name:>16}" for name in (*_FILES, "packed"))
        yield f"{self.count:,} feeds\nmonth   entries{names}"
        for month in range(1, 13):
            with open_run(config, lambda: self.now) as run:
                memories = run.store.states()
                for _ in range(MONTH):
                    self.now += DAY
                    for writer, feed in zip(writing, config.feeds, strict=True):
                        if (
                            writer.day(self.now)
                            or self.now.day % 7 == 0
                            or feed.key not in memories
                        ):
                            self._keep(writer, feed, memories, run)
                    run.store.believe(self.now)
                    forget(config, config.feeds, memories, run)
                    retire(config, config.feeds, run=run)
                make_edition(config, config.feeds, run=run, icons=False)
            yield f"{month:5} {self.entries:9,}{self.sizes()}"
        purge(config, clock=lambda: self.now)
        yield f"purge {self.entries:9,}{self.sizes()}"

    def sizes(self) -> str:
        state = self.folder / "state"
        whole = [(state / name).read_bytes() for name in _FILES]
        packed = sum(len(zlib.compress(each)) for each in whole)
        return "".join(f"{size / 1e6:16.1f}" for size in (*map(len, whole), packed))

    def _keep(self, writer: Writer, feed: Feed, memories: dict[str, FeedState], run: Run) -> None:
        """What a run makes of an answer."""
        before = memories.get(feed.key)
        stored = ingest.stored_digests(feed, before, store=run.store, cleaning=_CLEANING)
        news = [post for post in writer.posts if stored is None or post.id not in stored]
        body = "".join(post.content.value for post in writer.posts if post.content).encode()
        fetched = Fetched(
            started=self.now,
            ended=self.now,
            url=feed.url,
            status=200 if news else 304,
            headers={"etag": '"1"', "date": "Thu, 01 Jan 2026 12:00:00 GMT"},
            body=body if news else None,
            body_hash=hashlib.sha256(body).hexdigest() if news else None,
            conditional=before is not None,
            validators=frozenset({"etag", "last-modified"}),
            bytes_received=len(body) if news else 0,
            response_time=timedelta(milliseconds=120),
        )
        reading = ParseResult(
            profile=_profile(writer),
            drafts=_drafts(news, None if stored is not None else feed.new_feed_entries),
            ids=tuple(post.id for post in writer.posts),
            posted=tuple(post.published for post in news),
        )
        memories[feed.key], kept = ingest.keep(
            feed, fetched, reading if news else None, before, store=run.store
        )
        self.entries += kept.added
        if news:
            _cache(run, feed, body)


def _drafts(news: list[ParsedEntry], shown: int | None) -> tuple[NewEntry, ...]:
    """As `reading` makes them, where only so many of a new feed are shown; None: of a known one."""
    return tuple(
        draft_entry(
            post,
            digest=hash_entry(post),
            rank=None if shown is None else rank,
            cleaning=_CLEANING,
            clean_content=shown is None or rank < shown,
        )
        for rank, post in enumerate(news)
    )


def _profile(writer: Writer) -> Profile:
    site = f"https://writer{writer.number}.example/"
    return Profile(
        format="atom10",
        title=f"What writer {writer.number} writes",
        id=site,
        link=site,
        description="Notes on this and that, and now and then a longer one.",
        language="en",
        hints=Hints(),
    )


def _cache(run: Run, feed: Feed, body: bytes) -> None:
    session: Any = run.web.session
    validators = {"ETag": '"6a1f2c-5e8d"', "Last-Modified": "Thu, 01 Jan 2026 12:00:00 GMT"}
    session.cache.responses[session._key(cache_name(feed.key, feed.url))] = KeptResponse.make(
        feed.url, validators, body, NO_REDACTOR
    )


@pytest.mark.parametrize("count", [100, 1_000])
def test_a_year(tmp_path: Path, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    year = Year(folder=tmp_path, count=count)

    with capsys.disabled():
        for line in year.months():
            print(line)

    assert year.entries > 50 * count
