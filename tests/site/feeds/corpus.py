"""Every file of the corpus as the only source of a planet: are all files that come out valid?

`python -m tests.site.feeds.corpus` does it for all of them, and prints what is found.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from planet.errors import FeedError, ParseError
from planet.model import (
    DigestTimes,
    Edition,
    Entry,
    Facts,
    Feed,
    FeedHealth,
    FeedState,
    Html,
    NewEntry,
    Pages,
    ParseResult,
    Pick,
    Podcast,
    Show,
)
from planet.run.read import ReadOptions, read
from planet.run.workers import Workers
from planet.site.feeds import feed_files
from planet.text.html import Cleaning
from planet.text.media import find_playable
from planet.timeline.digest import make_digest
from planet.timeline.edition import sources
from tests.builders import NOW
from tests.parse.corpus import CORPUS, URL
from tests.site.feeds.checks import of_file
from tests.timelines import merged

SEEN = NOW - timedelta(hours=12)
FEED = Feed(key="one", url=URL, slug="one", tags=("Tag",), new_feed_entries=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one file."""

    file: str
    written: int = 0
    """How many files were made of it; 0 for one that is no feed."""
    problems: tuple[str, ...] = ()
    """What is wrong with these, each as `path: what`."""


def files() -> list[Path]:
    """All files of the corpus, in an order that is always the same."""
    return sorted(path for path in (CORPUS / "feeds").rglob("*") if path.is_file())


def outcome(file: Path) -> Outcome:
    """What becomes of one file: read, cleaned, merged and written."""
    name = str(file.relative_to(CORPUS / "feeds"))
    try:
        reading = read(
            file.read_bytes(), url=URL, content_type=None, options=ReadOptions(cleaning=Cleaning())
        )
    except ParseError:
        return Outcome(file=name)
    written = site(reading)
    problems = (f"{path}: {each}" for path in written for each in of_file(path, written[path]))
    return Outcome(file=name, written=len(written), problems=tuple(problems))


def site(reading: ParseResult) -> dict[str, bytes]:
    """The feeds of a planet that shows a reading, and has picked the first two episodes of it."""
    entries = [_entry(number, draft) for number, draft in enumerate(reading.drafts, 1)]
    states = {FEED.key: FeedState(key=FEED.key, url=FEED.url, profile=reading.profile)}
    picks = _picks(reading.drafts)
    found = merged(
        entries,
        {FEED.key: FEED},
        sources([FEED], states, {FEED.key: FeedHealth()}),
        picks=picks,
        lists={"empty": Podcast(category="Arts > Books")},
        zone=ZoneInfo("Europe/Berlin"),
    )
    edition = Edition(
        title="Planet Corpus",
        link="https://planet.example/",
        timezone=ZoneInfo("Europe/Berlin"),
        hub="https://hub.example/",
        timeline=found.timeline,
        sources=found.sources,
        tags=found.tags,
        lists=found.lists,
    )
    digest = make_digest(found.timeline, None, times=DigestTimes(), zone=edition.timezone, now=NOW)
    texts = {number: Html(draft.content or "") for number, draft in enumerate(reading.drafts, 1)}
    texts |= {-number: Html("<p>Notes</p>") for number, _ in enumerate(picks, 1)}

    def contents(numbers: Sequence[int]) -> Mapping[int, Html]:
        return {number: texts[number] for number in numbers}

    made = feed_files(
        replace(edition, digests=(digest,) if digest else ()),
        pages=Pages(feed=5, source=20),
        contents=contents,
        cover="cover.png",
    )
    return {file.path: file.make() for file in made}


def _entry(number: int, draft: NewEntry) -> Entry:
    """The draft as the store keeps it."""
    return Entry(
        number=number,
        feed=FEED.key,
        id=draft.id,
        digest=draft.digest,
        first_seen=SEEN,
        changed_at=SEEN,
        dated=draft.published or draft.updated or SEEN,
        title=draft.title,
        summary=draft.summary,
        **_facts(draft),
    )


def _picks(drafts: Iterable[NewEntry]) -> tuple[Pick, ...]:
    """Two episodes for the planet's own list, and the same of a show that is gone for another."""
    spoken = [draft for draft in drafts if find_playable(draft)]
    return tuple(
        Pick(
            feed=feed,
            id=draft.id,
            picked_at=SEEN,
            list=name,
            note="Worth <an> hour & more.",
            title=draft.title,
            summary=draft.summary,
            show=Show(title="A show", url=URL),
            **_facts(draft),
        )
        for feed, name in ((FEED.key, ""), ("gone", "more"))
        for draft in spoken[:2]
    )


def _facts(draft: NewEntry) -> dict[str, Any]:
    return {name: getattr(draft, name) for name in Facts.__struct_fields__}


def _outcomes(some: Sequence[Path]) -> list[Outcome]:
    """What becomes of files; runs in a worker."""
    return [outcome(file) for file in some]


def outcomes() -> Iterator[Outcome]:
    """What becomes of every file.

    Raises:
        FeedError: a hundred files took a worker past its limits.
    """
    found = files()
    with Workers(count=2, cpu_limit=600, time_limit=3600.0) as workers:
        calls = [
            workers.call(_outcomes, found[start : start + 100])
            for start in range(0, len(found), 100)
        ]
        for call in calls:
            result = call.result()
            if isinstance(result, FeedError):
                raise result
            yield from result


def main() -> None:
    found = list(outcomes())
    print(f"{len(found):,} files, {sum(each.written > 0 for each in found):,} of them feeds")
    print(f"{sum(each.written for each in found):,} files made and checked")
    print(f"{sum(len(each.problems) for each in found):,} problems")
    for each in found:
        for problem in each.problems:
            print(f"{each.file}: {problem}")
    kinds = Counter(problem.partition(": ")[2] for each in found for problem in each.problems)
    for kind, count in kinds.most_common(40):
        print(count, kind[:200])


if __name__ == "__main__":
    main()
