"""picks.yaml → picks, or every mistake in it with line and column.

The file stands beside the config. It says of each episode that was picked all that is needed to
publish it, so that it stays when its source drops it. A person who adds one needs no more than its
title, when it was picked, and the address of its file.
"""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 - types of settings are looked up
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from planet.config import yaml
from planet.config.kinds import text_kind
from planet.config.sections import Checker
from planet.errors import ConfigError, Place, Problem
from planet.model import (
    Enclosure,
    Episode,
    Funding,
    Origin,
    Person,
    Pick,
    Show,
    Text,
    TextKind,
    Transcript,
)
from planet.text import media

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planet.config.yaml import Document


_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2100, 1, 2, tzinfo=UTC)


def _parse_moment(value: str) -> datetime:
    """Parse a moment; without a zone it is in UTC."""
    try:
        moment = datetime.fromisoformat(value.strip())
        moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ValueError("must be a date such as 2026-11-22T07:00:00Z") from None
    if not _EARLIEST <= moment < _LATEST:
        raise ValueError("must be a date between 1970 and 2100")
    return moment


Given = Annotated[str, "verbatim"]
Words = Annotated[str, "verbatim line"]
Address = Annotated[str, "verbatim address"]
Language = Annotated[str, "verbatim language"]
Moment = Annotated[datetime, text_kind(_parse_moment)]
Count = Annotated[int, "count from zero"]


class PickSettings(msgspec.Struct, frozen=True, kw_only=True):
    """An episode, with what is needed to publish it for ever."""

    title: Words
    picked: Moment
    note: Words | None = None
    show: Show = Show()
    link: Address | None = None
    published: Moment | None = None
    updated: Moment | None = None
    enclosure: tuple[Enclosure, ...]
    image: Address | None = None
    episode: Count | None = None
    season: Count | None = None
    type: Literal["full", "trailer", "bonus"] | None = None
    explicit: bool | None = None
    language: Language | None = None
    authors: tuple[Person, ...] = ()
    categories: tuple[Words, ...] = ()
    chapters: Address | None = None
    transcripts: tuple[Transcript, ...] = ()
    persons: tuple[Person, ...] = ()
    funding: tuple[Funding, ...] = ()
    comments: Address | None = None
    rights: Words | None = None
    source: Origin | None = None
    feed: Given | None = None
    id: Given | None = None
    summary: Words | None = None
    base: Address | None = None
    notes_type: TextKind = TextKind.HTML
    notes: Given | None = None


class PicksFile(msgspec.Struct, frozen=True, kw_only=True):
    """The whole file."""

    picks: Sequence[PickSettings | None] = ()


# What the file and the noun say in the same way, and what it calls the fields of `Episode`.
SAME_FIELDS: Final = (
    *("note", "title", "summary", "link", "categories", "published", "updated"),
    *("image", "comments", "rights", "language"),
)
EPISODE_FIELDS: Final = {"number": "episode", "kind": "type"} | {
    name: name for name in ("season", "explicit", "chapters", "funding")
}
FILE: Final = "picks.yaml"


class ParsedPicks(NamedTuple):
    """The picks of a file, in its order."""

    picks: tuple[Pick, ...] = ()
    problems: tuple[Problem, ...] = ()
    """What is wrong in the file."""


def parse_picks(data: bytes, *, file: str) -> ParsedPicks:
    """Parse the picks of a file.

    Variables are not expanded. A file with nothing but comments has no picks.
    """
    if is_blank(data):
        return ParsedPicks()
    try:
        document = yaml.read(data, file=file)
    except ConfigError as error:
        return ParsedPicks(problems=error.problems)
    checker = Checker(document, PicksFile)
    items = checker.check(PicksFile, document.data, ()).picks
    by_index = {
        index: _resolve_pick(item, document.place(("picks", index)))
        for index, item in enumerate(items)
        if item and item.enclosure
    }
    wrong = [
        *document.problems,
        *checker.problems,
        *_find_unplayable(by_index, document),
        *(
            document.problem(("picks", index), "needs the address of a file as its enclosure")
            for index, item in enumerate(items)
            if item and not item.enclosure
        ),
        *_find_twins(by_index, document),
    ]
    return ParsedPicks(tuple(by_index.values()), tuple(wrong))


def is_blank(data: bytes) -> bool:
    """Tell whether a file has nothing but comments."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return all(not line.strip() or line.lstrip().startswith(b"#") for line in lines)


def _resolve_pick(written: PickSettings, place: Place) -> Pick:
    files = tuple(
        # In feeds, nothing stands for not known.
        replace(file, length=file.length or None, duration=file.duration or None)
        for file in written.enclosure
    )
    host = urlsplit(files[0].url).hostname or files[0].url
    episode = Episode(
        **{noun: getattr(written, name) for noun, name in EPISODE_FIELDS.items()},
        transcripts=written.transcripts,
        persons=_without_nobody(written.persons),
    )
    return Pick(
        **{name: getattr(written, name) for name in SAME_FIELDS},
        feed=written.feed or files[0].url,
        id=written.id or files[0].url,
        picked_at=written.picked,
        text=Text(value=written.notes, kind=written.notes_type, base=written.base)
        if written.notes
        else None,
        show=replace(written.show, title=written.show.title or host),
        authors=_without_nobody(written.authors),
        enclosures=files,
        origin=written.source if written.source != Origin() else None,
        episode=episode if episode != Episode() else None,
        place=place,
    )


def _without_nobody(people: tuple[Person, ...]) -> tuple[Person, ...]:
    return tuple(person for person in people if person != Person())


def _find_unplayable(picks_by_index: Mapping[int, Pick], document: Document) -> Iterator[Problem]:
    for index, pick in picks_by_index.items():
        if media.find_playable(pick) is None:
            words = (
                "is neither audio nor video, as far as its address tells; say so with "
                '"type", such as {url: https://…, type: audio/mpeg}'
            )
            yield document.problem(("picks", index, "enclosure"), words)


def _find_twins(picks_by_index: Mapping[int, Pick], document: Document) -> Iterator[Problem]:
    """Yield episodes that are picked twice."""
    first: dict[tuple[str, str], int] = {}
    for index, pick in picks_by_index.items():
        earlier = first.setdefault((pick.feed, pick.id), index)
        if earlier != index:
            line = document.place(("picks", earlier)).line
            words = f"is the episode of line {line} again; remove one of the two"
            yield document.problem(("picks", index), words)
