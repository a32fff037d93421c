"""A site that grew step by step is byte for byte the one that is made of the same state at once.

Histories are random: entries come, change and go, feeds say the same things, get other names, come
and go, and the operator changes his mind. After each step the folder that was there from the start
is compared with one that is made anew; and what was merged from cards, of which only those that may
be the same are held against each other, with what is merged from whole entries.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest

from planet.config import Config
from planet.model import (
    ContentMode,
    DigestTimes,
    Enclosure,
    Field,
    Filters,
    Future,
    NewEntry,
    Origin,
    Pages,
    Pattern,
    Person,
    Text,
    TextKind,
)
from planet.report import Report
from planet.run.publication import make_edition, make_sites, texts_of
from planet.run.runtime import cleaning
from planet.text.html import Cleaning, clean, links
from planet.timeline.edition import merge, sources
from planet.timeline.select import select
from tests.builders import (
    make_digest,
    make_feed,
    make_memory,
    make_pick,
    make_profile,
    make_reading,
)
from tests.whole.conftest import Planet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from planet.model import Edition
    from planet.run.runtime import Run

KEYS = [f"feed{number}" for number in range(5)]
_CLEANING = Cleaning()


class History:
    """A planet to which things happen."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.planet = Planet(folder)
        self.rng = rng
        self.config = Config(
            path=folder / "config.yaml",
            title="Planet",
            link="https://planet.example/",
            output=folder / "public",
            state=folder / "state",
            feeds=tuple(
                make_feed(key, tags=(f"tag{place % 2}",)) for place, key in enumerate(KEYS)
            ),
            pages=Pages(front=6, feed=5, source=3, indexing=rng.random() < 0.5),
        )
        self.known: dict[str, dict[str, NewEntry]] = {key: {} for key in KEYS}
        self.count = 0

    @property
    def now(self) -> datetime:
        return self.planet.now

    # What feeds do

    def entries_come(self, run: Run) -> None:
        key = self.rng.choice(KEYS)
        drafts = [self._draft(key) for _ in range(self.rng.randrange(1, 5))]
        self._keep(run, key, drafts, listed=[*self.known[key], *(each.id for each in drafts)])

    def an_entry_is_edited(self, run: Run) -> None:
        key, draft = self._some_known()
        if draft:
            edited = replace(self._draft(key), id=draft.id, updated=self._moment())
            self._keep(run, key, [edited], listed=self.known[key])

    def another_feed_says_the_same(self, run: Run) -> None:
        _, draft = self._some_known()
        if draft:
            key = self.rng.choice(KEYS)
            own: dict[str, Any] = {"id": f"own {self.count}"} if self.rng.random() < 0.4 else {}
            origin = self.rng.choice([None, Origin(title="Elsewhere")])
            link = self.rng.choice([draft.link, f"{draft.link}#part", None])
            copied = replace(draft, origin=origin, link=link, **own)
            self._keep(run, key, [copied], listed=[*self.known[key], copied.id])

    def entries_go(self, run: Run) -> None:
        key = self.rng.choice(KEYS)
        self._keep(run, key, [], listed=self.rng.sample(sorted(self.known[key]), k=0))
        before = self._moment()
        run.store.retire(KEYS, entries_before=before, texts_before=before)
        left = {(entry.feed, entry.id) for entry in run.store.entries(KEYS)}
        for feed, drafts in self.known.items():
            self.known[feed] = {each: drafts[each] for each in drafts if (feed, each) in left}

    def a_feed_is_called_something_else(self, run: Run) -> None:
        self._keep(run, self.rng.choice(KEYS), [], listed=())

    def a_feed_moves(self, run: Run) -> None:
        old = self.rng.choice(self.config.feeds)
        if old.key not in run.store.memories():
            return
        new = replace(old, key=f"{old.key}x")
        run.store.rename(old.key, new)
        self.config = replace(
            self.config,
            feeds=tuple(new if feed is old else feed for feed in self.config.feeds),
        )

    # What the operator does, and time

    def the_operator_filters(self, _: Run) -> None:
        filters = self._filters()
        if self.rng.random() < 0.5:
            self.config = replace(self.config, filters=filters)
        else:
            self._change_feed(filters=filters)

    def the_operator_treats_a_feed_otherwise(self, _: Run) -> None:
        changes: list[dict[str, Any]] = [
            {"enabled": self.rng.random() < 0.7},
            {"name": f"Name {self.rng.randrange(9)}"},
            {"tags": tuple(self.rng.sample(["tag0", "tag1", "other"], 2))},
            {"content": self.rng.choice(list(ContentMode))},
            {"future": self.rng.choice(list(Future))},
            {"priority": self.rng.randrange(3)},
            {"new_feed_entries": self.rng.choice([None, 1])},
            {"language": self.rng.choice([None, "de"])},
        ]
        self._change_feed(**self.rng.choice(changes))

    def the_operator_changes_the_planet(self, _: Run) -> None:
        changes: list[dict[str, Any]] = [
            {"title": f"Planet {self.rng.randrange(3)}"},
            {"timezone": ZoneInfo(self.rng.choice(["UTC", "Pacific/Kiritimati", "America/Nome"]))},
            {"pages": replace(self.config.pages, front=self.rng.randrange(3, 9))},
            {"digest": self.rng.choice([None, DigestTimes()])},
            {"language": self.rng.choice(["en", "de"])},
        ]
        self.config = replace(self.config, **self.rng.choice(changes))

    def the_operator_picks(self, _: Run) -> None:
        key, draft = self._some_known()
        picked = draft.id if draft else f"{key} gone"
        pick = make_pick(picked, feed=key, picked_at=self._moment())
        self.config = replace(self.config, picks=(*self.config.picks, pick)[-3:])

    def time_passes(self, _: Run) -> None:
        self.planet.later(days=self.rng.choice([1, 1, 20]))

    def _filters(self) -> Filters:
        word = Pattern(
            said="red", regex=re.compile("red"), field=self.rng.choice([None, Field.TITLE])
        )
        return self.rng.choice(
            [
                Filters(),
                Filters(recent=self.rng.randrange(1, 9)),
                Filters(random=self.rng.randrange(1, 9)),
                Filters(max_age=timedelta(days=self.rng.randrange(1, 200))),
                Filters(include=(word,)),
                Filters(exclude=(word,), recent=12),
                Filters(languages=("en",), categories=("news",)),
            ]
        )

    def _change_feed(self, **said: Any) -> None:
        changed = self.rng.choice(self.config.feeds)
        self.config = replace(
            self.config,
            feeds=tuple(
                replace(feed, **said) if feed is changed else feed for feed in self.config.feeds
            ),
        )

    def _some_known(self) -> tuple[str, NewEntry | None]:
        key = self.rng.choice(KEYS)
        drafts = sorted(self.known[key].values(), key=lambda draft: draft.id)
        return key, self.rng.choice(drafts) if drafts else None

    def _keep(self, run: Run, key: str, drafts: list[NewEntry], listed: Any) -> None:
        self.known[key] |= {draft.id: draft for draft in drafts}
        now_called = next(
            (feed.key for feed in self.config.feeds if feed.key.rstrip("x") == key), key
        )
        title = f"Title {self.rng.randrange(5)}" if self.rng.random() < 0.2 else key
        memory = make_memory(
            now_called,
            attempted_at=self.now,
            succeeded_at=self.now,
            profile=make_profile(title=title, link=f"https://{key}.example/"),
        )
        reading = make_reading(*drafts, ids=tuple(listed))
        run.store.keep(memory, reading, now=self.now, shows=True)

    def _moment(self) -> datetime:
        return self.now - timedelta(minutes=self.rng.randrange(-3000, 300_000))

    def _draft(self, key: str) -> NewEntry:
        self.count += 1
        rng, place = self.rng, f"https://{key}.example/{self.count}"
        other = f"https://{rng.choice(KEYS)}.example/{rng.randrange(1, self.count + 1)}"
        raw = Text(value=f'<p>{rng.choice(["red", "blue"])} <a href="{other}">this</a>', base=place)
        raw = replace(raw, kind=TextKind.HTML)
        html = clean(raw, _CLEANING)
        enclosure = Enclosure(url=f"{place}.mp3", media_type="audio/mpeg")
        return NewEntry(
            id=rng.choice([place, f"urn:uuid:00000000-0000-4000-8000-{self.count:012}", place[8:]]),
            digest=make_digest(key, self.count),
            link=rng.choice([place, place, f"https://{key}.example/", None]),
            title=rng.choice([f"A red {self.count}", f"A blue {self.count}", None]),
            summary=rng.choice([f"Words {self.count}", None]),
            published=rng.choice([self._moment(), self._moment(), None]),
            updated=rng.choice([self._moment(), None, None]),
            content=html,
            links=links(html),
            raw=raw,
            cleaning=_CLEANING.version,
            rank=rng.choice([None, None, 0, 3]),
            authors=rng.choice([(), (Person(name="Ada"),)]),
            categories=rng.choice([(), ("news",)]),
            enclosures=rng.choice([(), (), (enclosure,)]),
            language=rng.choice([None, "de"]),
        )


STEPS: list[Callable[[History, Run], None]] = [
    *[History.entries_come] * 6,
    *[History.an_entry_is_edited] * 3,
    *[History.another_feed_says_the_same] * 4,
    History.entries_go,
    History.a_feed_is_called_something_else,
    History.a_feed_moves,
    *[History.the_operator_filters] * 2,
    *[History.the_operator_treats_a_feed_otherwise] * 2,
    History.the_operator_changes_the_planet,
    *[History.the_operator_picks] * 2,
    *[History.time_passes] * 2,
]


def made(config: Config, run: Run) -> Report:
    report = Report(started=run.clock())
    make_sites(config, config.feeds, run=run, report=report, trusted=True)
    return report


def site(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def at_length(config: Config, run: Run) -> Edition:
    """The edition as it is merged from whole entries, each held against all others."""
    feeds = {feed.key: feed for feed in config.feeds if feed.enabled}
    decisions = select(
        run.store.entries(feeds),
        feeds,
        planet=config.filters,
        texts=texts_of(config, run).plain,
        now=run.clock(),
    )
    blank, *_ = make_edition(config, config.feeds, run=run)
    return merge(
        [decision.entry for decision in decisions if decision.kept],
        feeds,
        sources(feeds.values(), run.store.memories(), {}),
        edition=blank,
        picks=config.picks,
        lists=config.lists,
        cleaning=cleaning(config).version,
    )


def said(edition: Edition) -> Iterator[tuple[object, ...]]:
    """What an edition says of each post, in its order."""
    for post in edition.posts:
        entry = post.entry
        yield (
            *(entry.number, entry.feed, entry.id, entry.digest, entry.title, entry.link),
            *(entry.first_seen, entry.changed_at, entry.dated, entry.updated, entry.published),
            *(entry.authors, entry.enclosures, entry.origin, entry.rank),
            *(post.uid, post.when, post.day, post.modified),
            *(post.source.key, [source.key for source in post.also_in], post.picked),
        )


@pytest.mark.parametrize("seed", range(3))
def test_what_is_made_step_by_step_is_what_is_made_at_once(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    history = History(tmp_path, rng)
    written = whole = 0

    for number in range(16):
        with history.planet.opened() as run:
            rng.choice(STEPS)(history, run)
            report = made(history.config, run)
            anew = replace(history.config, output=tmp_path / f"anew{number}")
            made(anew, run)
            edition, *_ = make_edition(history.config, history.config.feeds, run=run)
            assert list(said(edition)) == list(said(at_length(history.config, run)))

        assert site(history.config.output) == site(anew.output)
        written += len(report.written)
        whole += len(site(anew.output))

    # Most of it stands from step to step, or this would show nothing.
    assert written < whole / 2
