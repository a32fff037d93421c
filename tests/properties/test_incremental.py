"""A site that grew step by step is byte for byte the one that is made of the same state at once.

Histories are random: entries come, change and go, feeds say the same things, get other names, come
and go, the operator changes his mind, makes editions that come out at once or at times, and the
clock leaps. After each step what was decided entry by entry is compared with what is decided about
all at once, and with what is merged from whole entries, each held against all others; and the
folder that was there from the start with one that is made anew.
"""

import random
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import datetime, time, timedelta
from pathlib import Path
from sqlite3 import connect
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from planet.config import Config
from planet.config.resolved import Site
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
    Post,
    Text,
    TextKind,
    Timetable,
)
from planet.report import Report
from planet.run.edition import make_edition
from planet.run.open import Run, cleaning
from planet.run.publish import draw, publish_sites
from planet.store import PostTable
from planet.text.html import Cleaning, clean, find_links
from planet.timeline.edition import sources
from planet.timeline.select import Search, select
from tests.builders import make_digest, make_feed, make_pick, make_profile, make_reading, make_state
from tests.processes import files
from tests.stored import keep_reading
from tests.timelines import Merged, merged
from tests.whole.conftest import Planet

KEYS = [f"feed{number}" for number in range(5)]
ORIGINS = [
    Origin(id="tag:a.example,2026:a", title="Ann", link="https://a.example/"),
    Origin(id="tag:a.example,2026:a", title="Ann red", link="https://a.example/"),
    Origin(url="https://feed0.example/feed", title="Zero"),
]
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
            # With 1, a day of six posts has two pages.
            pages=Pages(
                front=6,
                feed=5,
                source=3,
                archive=rng.choice((1, 4)),
                indexing=rng.random() < 0.5,
            ),
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
            origin = self.rng.choice([None, Origin(title="Elsewhere"), *ORIGINS])
            link = self.rng.choice([draft.link, f"{draft.link}#part", None])
            digest = make_digest(draft.digest, origin, link)
            copied = replace(draft, origin=origin, link=link, digest=digest, **own)
            self._keep(run, key, [copied], listed=[*self.known[key], copied.id])

    def entries_go(self, run: Run) -> None:
        key = self.rng.choice(KEYS)
        self._keep(run, key, [], listed=self.rng.sample(sorted(self.known[key]), k=0))
        before = self._moment()
        run.store.retire(KEYS, entries_before=before, texts_before=before)
        left = {(entry.feed, entry.id) for entry in run.store.entries.of_feeds(KEYS)}
        for feed, drafts in self.known.items():
            self.known[feed] = {each: drafts[each] for each in drafts if (feed, each) in left}

    def a_feed_is_called_something_else(self, run: Run) -> None:
        self._keep(run, self.rng.choice(KEYS), [], listed=())

    def a_feed_moves(self, run: Run) -> None:
        old = self.rng.choice(self.config.feeds)
        if old.key not in run.store.states():
            return
        new = replace(old, key=f"{old.key}x")
        run.store.rename(old.key, new)
        self.config = replace(
            self.config, feeds=tuple(new if feed is old else feed for feed in self.config.feeds)
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

    def the_operator_makes_editions(self, _: Run) -> None:
        release = Timetable(at=time(7), zone=ZoneInfo("UTC"))
        part = Site(name="part", folder="part", tags=("tag0",), filters=self._filters())
        editions = (
            Site(name="all", folder=""),
            replace(part, release=self.rng.choice([None, release])),
            Site(
                name="two", folder="two", feeds=(KEYS[0], KEYS[1]), timezone=ZoneInfo("Asia/Tokyo")
            ),
        )
        self.config = replace(self.config, editions=self.rng.choice([(), editions, editions[:2]]))

    def time_passes(self, _: Run) -> None:
        self.planet.later(days=self.rng.choice([1, 1, 20]))

    def the_clock_leaps(self, _: Run) -> None:
        self.planet.later(days=self.rng.choice([-30, -1, 400]))

    def _filters(self) -> Filters:
        word = Pattern(
            written="red",
            regex=re.compile("red"),
            field=self.rng.choice([None, Field.TITLE, Field.SOURCE]),
        )
        return self.rng.choice(
            [
                Filters(),
                Filters(recent=self.rng.randrange(1, 9)),
                Filters(random=self.rng.randrange(1, 9)),
                Filters(max_age=timedelta(days=self.rng.randrange(1, 200))),
                Filters(include=(word,)),
                Filters(exclude=(word,), recent=12),
                Filters(recent=9, random=self.rng.randrange(1, 9)),
                Filters(recent=9, max_age=timedelta(days=self.rng.randrange(1, 200))),
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
        state = make_state(
            now_called,
            attempted_at=self.now,
            succeeded_at=self.now,
            profile=make_profile(title=title, link=f"https://{key}.example/"),
        )
        reading = make_reading(*drafts, ids=tuple(listed))
        keep_reading(run.store, state, reading, now=self.now, shows=True)

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
            links=find_links(html),
            raw=raw,
            cleaning=_CLEANING.version,
            rank=rng.choice([None, None, 0, 3]),
            authors=rng.choice([(), (Person(name="Ada"),)]),
            categories=rng.choice([(), ("news",)]),
            enclosures=rng.choice([(), (), (enclosure,)]),
            language=rng.choice([None, "de"]),
            origin=rng.choice([None, None, *ORIGINS]),
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
    *[History.the_operator_makes_editions] * 2,
    History.the_clock_leaps,
    *[History.the_operator_picks] * 2,
    *[History.time_passes] * 2,
]


def made(config: Config, run: Run) -> Report:
    report = Report(started=run.clock())
    publish_sites(config, config.feeds, run=run, report=report, trusted=True)
    return report


def site(config: Config) -> dict[str, bytes]:
    """The files of those sites that always show what is known."""
    found = files(config.output)
    now = {each.folder for each in config.editions if each.release is None}
    stands_still = {"part", "two"} - now
    return {path: body for path, body in found.items() if path.split("/")[0] not in stands_still}


def drawn(config: Config, run: Run) -> dict[str, bytes]:
    """All sites as they would be made now, also those that come out at times."""
    files, _ = draw(config, config.feeds, run=run)
    return {file.path: file.make() for file in files}


def at_length(config: Config, run: Run) -> Merged:
    """The edition as it is merged from whole entries, each held against all others."""
    feeds = {feed.key: feed for feed in config.feeds if feed.enabled}
    shown_as = sources(feeds.values(), run.store.states(), {}, run.store.entries.origins())
    decisions = select(
        run.store.entries.of_feeds(feeds),
        feeds,
        planet=config.filters,
        search=Search(shown_as, run.store.texts.read_plain),
        now=run.clock(),
    )
    return merged(
        [decision.entry for decision in decisions if decision.kept],
        feeds,
        shown_as,
        zone=config.timezone,
        picks=config.picks,
        lists=config.lists,
        cleaning=cleaning(config).version,
    )


def said(posts: Iterable[Post]) -> Iterator[tuple[object, ...]]:
    """What is said of each post, in their order."""
    for post in posts:
        entry = post.entry
        yield (
            *(entry.number, entry.feed, entry.id, entry.digest, entry.title, entry.link),
            *(entry.first_seen, entry.changed_at, entry.dated, entry.updated, entry.published),
            *(entry.authors, entry.enclosures, entry.origin, entry.rank),
            *(post.uid, post.when, post.day, post.modified),
            *(post.source.key, [source.key for source in post.also_in], post.picked),
        )


def decided(config: Config, run: Run) -> list[object]:
    """What was decided for each site about each entry, and what is known of each part."""
    return [_decided(run.store.posts(each.site.folder)) for each in config.sites]


def _decided(rows: PostTable) -> list[object]:
    names = {number: key for key, (number, _) in rows.sources().items()}
    found = sorted(rows.rows(), key=lambda row: row.number)
    parts = sorted((names[source], kind, part) for source, kind, part in rows.parts())
    # The numbers of sources tell in which order they came.
    return [*((names.get(row.source or 0), row._replace(source=None)) for row in found), *parts]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_made_step_by_step_is_what_is_made_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    if seed % 2:
        # As where there are many: about each feed by itself.
        monkeypatch.setattr("planet.timeline.posts._BATCH", 1)
    rng = random.Random(seed)
    history = History(tmp_path, rng)
    written = whole = 0

    for number in range(16):
        with history.planet.opened() as run:
            rng.choice(STEPS)(history, run)
            report = made(history.config, run)
            anew = replace(history.config, output=tmp_path / f"anew{number}")
            first = history.config.sites[0]
            edition = make_edition(first, first.feeds, run=run, icons=False).edition
            at_once = at_length(first, run)
            files, rows = drawn(history.config, run), decided(history.config, run)
            assert list(said(edition.timeline.posts())) == list(said(at_once.posts))
            assert [(each.key, each.newest, each.count) for each in edition.sources] == [
                (each.key, each.newest, each.count) for each in at_once.sources
            ]

        # The same state, of which nobody has decided anything.
        other = Planet(tmp_path / f"copy{number}")
        other.now = history.now
        shutil.copytree(history.config.state, other.folder / "state")
        with closing(connect(other.folder / "state" / "planet.sqlite")) as file, file:
            for table in ("site", "source", "post", "part"):
                file.execute(f"DELETE FROM {table}")
        with other.opened() as run:
            made(anew, run)
            assert drawn(anew, run) == files
            assert decided(anew, run) == rows

        assert site(history.config) == site(anew)
        written += len(report.written)
        whole += len(site(anew))

    # Most of it stands from step to step, or this would show nothing.
    assert written < whole / 2
