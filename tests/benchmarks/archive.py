"""A planet with an archive of ten years, made straight into its store.

A thousand feeds have written a hundred thousand entries, evenly over ten years. Every twentieth
feed repeats what others wrote, every tenth is a podcast. Nothing is asked: what a run would have
read is handed to the store as a run hands it over.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from planet.model import Enclosure, NewEntry, Person, Text, TextKind
from planet.store import Store
from planet.text.html import Cleaning, clean, find_links
from tests.benchmarks.texts import sentence
from tests.builders import make_digest, make_profile, make_reading, make_state
from tests.stored import keep_reading, listed_ids

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
YEARS = timedelta(days=3652)
_CLEANING = Cleaning()


def write_config(folder: Path, feeds: int) -> Path:
    """A config with so many feeds, in ten groups."""
    config = folder / "config.yaml"
    settings = {
        "title": "Ten years",
        "link": "https://planet.example/",
        "feeds": [
            {"url": _address(feed), "id": _key(feed), "tags": [f"group {feed % 10}"]}
            for feed in range(feeds)
        ],
    }
    config.write_text(json.dumps(settings), encoding="utf-8")
    return config


def fill(folder: Path, feeds: int, entries: int) -> None:
    """Store so many entries of so many feeds, the oldest first."""
    step = YEARS / entries
    numbers: dict[int, list[int]] = {}
    for number in range(entries):
        numbers.setdefault(_writer(number, feeds), []).append(number)
    with Store.open(folder / "state") as store:
        for feed, of_feed in numbers.items():
            drafts = [
                _draft(feed, number, feeds, NOW - YEARS + step * number)
                for number in reversed(of_feed)
            ]
            _keep(store, feed, drafts, NOW - timedelta(hours=1))


def add_new(folder: Path, feeds: int, count: int, round_: int) -> None:
    """Store so many new entries of half as many feeds, as a run does that found them."""
    now = NOW + timedelta(hours=round_)
    with Store.open(folder / "state") as store:
        for place in range(count // 2):
            feed = (round_ * 131 + place * 37) % feeds
            number = 10_000_000 + round_ * 1000 + place * 2
            drafts = [_draft(feed, number + one, feeds, now) for one in (1, 0)]
            _keep(store, feed, drafts, now)


def _keep(store: Store, feed: int, drafts: list[NewEntry], now: datetime) -> None:
    memory = make_state(
        _key(feed),
        url=_address(feed),
        settled_at=now,
        succeeded_at=now,
        attempted_at=now,
        profile=make_profile(title=f"Feed {feed}", link=f"https://{_key(feed)}.example/"),
    )
    # A feed that lists all it ever had: so nothing goes while something comes.
    listed = [draft.id for draft in drafts] + sorted(listed_ids(store, _key(feed)))
    keep_reading(store, memory, make_reading(*drafts, ids=tuple(listed)), now=now, shows=True)


def _draft(feed: int, number: int, feeds: int, when: datetime) -> NewEntry:
    # What a feed repeats is the post before, which another feed wrote.
    said = number - 1 if feed % 20 == 19 else number
    link = f"https://{_key(_writer(said, feeds))}.example/post-{said}"
    html = _text(number)
    raw = Text(value=html, kind=TextKind.HTML, base=link)
    cleaned = clean(raw, _CLEANING)
    draft = NewEntry(
        id=link,
        digest=make_digest(feed, number),
        link=link,
        title=f"{_word(number).title()} and {_word(number * 3)} {number}",
        summary=f"About the {_word(number)} of the {_word(number * 7)}. " * 4,
        published=when,
        updated=when + timedelta(minutes=5) if feed % 2 else None,
        content=cleaned,
        links=find_links(cleaned),
        raw=raw,
        cleaning=_CLEANING.version,
    )
    if number % 3 == 0:
        draft = replace(
            draft, authors=(Person(name=_word(feed).title()),), categories=(_word(number),)
        )
    if feed % 10 == 7:
        sound = Enclosure(url=f"{link}.mp3", media_type="audio/mpeg", length=number, duration=1800)
        draft = replace(draft, enclosures=(sound,))
    return draft


def _writer(number: int, feeds: int) -> int:
    """The feed that has an entry."""
    return number * 7919 % feeds


def _text(number: int) -> str:
    paragraphs = "".join(
        f"<p>{' '.join(_word(number * 31 + place * part) for place in range(40))}.</p>"
        for part in range(1, 5)
    )
    target = f"https://{_key(number * 13 % 1000)}.example/{number % 50}"
    return f'{paragraphs}<p>See <a href="{target}">{_word(number)}</a>.</p>'


def _word(number: int) -> str:
    return sentence(number, 1)


def _key(feed: int) -> str:
    return f"feed{feed:04}"


def _address(feed: int) -> str:
    return f"https://{_key(feed)}.example/feed.xml"
