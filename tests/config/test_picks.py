"""`picks.yaml`: what it may say, what is said of mistakes in it, and how it is edited."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from planet.config import load
from planet.config.picks import parse_picks
from planet.config.sections import settings
from planet.errors import ConfigError, Place
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
from planet.picks import add_picks, remove_picks
from tests.builders import NOW
from tests.cases import case, cases

FILE = "https://show.example/1.mp3"
SHORTEST = f"picks:\n  - title: One\n    picked: 2026-11-20\n    enclosure: {FILE}\n"

EVERYTHING = Pick(
    feed="https://show.example/feed",
    id="tag:show.example,2026:1",
    picked_at=NOW,
    note="Because: it is good",
    title="One",
    summary="All about one.",
    text=Text(
        value="<p>One\n  two</p>\n\n<p>#three</p>\n",
        kind=TextKind.HTML,
        base="https://show.example/1",
    ),
    show=Show(
        title="Show",
        url="https://show.example/feed",
        link="https://show.example/",
        author="Ann",
        image="https://show.example/cover.jpg",
        language="en-GB",
        explicit=True,
    ),
    link="https://show.example/1",
    authors=(Person(name="Ann"), Person(name="Bob", url="https://bob.example/")),
    categories=("Arts", "no"),
    published=datetime(2026, 11, 1, 8, 30, 15, 250, tzinfo=UTC),
    updated=NOW,
    enclosures=(
        Enclosure(url=FILE, media_type="audio/mpeg", length=1000, duration=3723, title="Sound"),
        Enclosure(url="https://show.example/1.pdf"),
    ),
    image="https://show.example/1.jpg",
    comments="https://show.example/1#comments",
    rights="© Ann",
    origin=Origin(
        id="x", title="Other", link="https://other.example/", url="https://other.example/feed"
    ),
    language="en",
    episode=Episode(
        number=3,
        season=2,
        kind="bonus",
        explicit=False,
        chapters="https://show.example/1.json",
        transcripts=(
            Transcript(url="https://show.example/1.vtt", media_type="text/vtt", language="en"),
            Transcript(url="https://show.example/1.srt", media_type="application/srt"),
        ),
        persons=(Person(url="https://guest.example/"),),
        funding=(Funding(url="https://show.example/give", title="Give"),),
    ),
)


def make_pick(number: int = 1, **changes: Any) -> Pick:
    url = f"https://show.example/{number}.mp3"
    pick = Pick(
        feed="show",
        id=f"id {number}",
        picked_at=NOW,
        title=f"Episode {number}",
        show=Show(title="Show"),
        enclosures=(Enclosure(url=url, media_type="audio/mpeg"),),
    )
    return replace(pick, **changes)


def read(text: str) -> list[Pick]:
    """The picks in a text without mistakes, without their places."""
    found, wrong = parse_picks(text.encode(), file="picks.yaml")
    assert wrong == ()
    return [replace(pick, place=None) for pick in found]


def places(text: str) -> list[Place | None]:
    return [pick.place for pick in parse_picks(text.encode(), file="picks.yaml")[0]]


def add(text: str, *new: Pick) -> str:
    return add_picks(text, new, file="picks.yaml")


def remove(text: str, *indexes: int) -> str:
    """The text without the picks at these places of its list."""
    gone = {place for index, place in enumerate(places(text)) if index in indexes and place}
    return remove_picks(text, gone, file="picks.yaml")


# What it says


def test_title_date_and_file_are_enough() -> None:
    (pick,) = read(SHORTEST)

    assert pick == Pick(
        feed=FILE,
        id=FILE,
        picked_at=datetime(2026, 11, 20, tzinfo=UTC),
        title="One",
        enclosures=(Enclosure(url=FILE),),
        show=Show(title="show.example"),
    )


@cases(
    "line, field, value",
    case("one author", "authors: Ann", "authors", (Person(name="Ann"),)),
    case("the number of an episode", "episode: 3", "episode", Episode(number=3)),
    case("plain notes", "notes: a <b", "text", Text(value="a <b")),
    case("a folded note", "note: >\n      a\n      b\n", "note", "a b"),
    case("no environment", 'title: "${HOME}"', "title", "${HOME}"),
    case(
        "an address as people write it",
        "enclosure: {url: https://a.example/Ä.ogg}",
        "enclosures",
        (Enclosure(url="https://a.example/%C3%84.ogg"),),
    ),
    case(
        "an address to the letter, as its feed has it",
        'enclosure: "https://CDN.example/a|b%2fc.mp3?x=[1]"',
        "enclosures",
        (Enclosure(url="https://CDN.example/a|b%2fc.mp3?x=[1]"),),
    ),
    case(
        "a file whose address does not tell what it is",
        "enclosure: {url: https://a.example/x, type: audio/mpeg, duration: 62}",
        "enclosures",
        (Enclosure(url="https://a.example/x", media_type="audio/mpeg", duration=62),),
    ),
    case(
        "another zone",
        "picked: 2026-11-20T08:00:00+02:00",
        "picked_at",
        datetime(2026, 11, 20, 6, tzinfo=UTC),
    ),
)
def test_people_may_write_picks_as_they_like(line: str, field: str, value: object) -> None:
    needed = ("title: One", "picked: 2026-11-20", f"enclosure: {FILE}")
    others = [each for each in needed if each.split(":")[0] != line.split(":")[0]]

    (pick,) = read("".join(["picks:\n  -\n", *(f"    {each}\n" for each in (*others, line))]))

    assert getattr(pick, field) == value


@pytest.mark.parametrize("text", ["", "# none\n", "picks:", "picks: []\n", "{}", "\ufeff\n"])
def test_there_may_be_no_picks(text: str) -> None:
    assert read(text) == []


NO_DATE = "must be a date from 1970 to 2100 such as 2026-11-22T07:00:00Z"
NEEDS_FILE = (
    "needs a file that is audio or video; where its address does not tell, say so: "
    "{url: https://…, type: audio/mpeg}"
)


@cases(
    "text, complaints",
    case(
        "of all kinds",
        "picks:\n  - titel: One\n    picked: soon\n    enclosure: one.mp3\n",
        [
            '2:5  picks[0] has no setting "titel"; did you mean "title"?',
            f'3:13  picks[0].picked {NO_DATE}, not "soon"',
            "4:16  picks[0].enclosure must be a web address that begins with https:// or http://",
        ],
    ),
    case(
        "deeper",
        SHORTEST + "    show: {titel: x}\n    authors: [{nme: x}]\n    episode: {type: fuller}\n",
        [
            '5:12  picks[0].show has no setting "titel"; did you mean "title"?',
            '6:16  picks[0].authors[0] has no setting "nme"; did you mean "name"?',
            '7:21  picks[0].episode.type must be one of full, trailer, bonus, not "fuller"',
        ],
    ),
    case(
        "no file",
        SHORTEST.replace(FILE, "[]"),
        [f"4:16  picks[0].enclosure {NEEDS_FILE}"],
    ),
    case(
        "long ago",
        SHORTEST.replace("2026-11-20", "0001-01-01"),
        [f'3:13  picks[0].picked {NO_DATE}, not "0001-01-01"'],
    ),
    case(
        "nothing to play",
        SHORTEST.replace("1.mp3", "listen"),
        [f"4:16  picks[0].enclosure {NEEDS_FILE}"],
    ),
    case(
        "twice",
        SHORTEST + SHORTEST.removeprefix("picks:\n"),
        ["5:5  picks[1] is the episode of line 2 again; remove one of the two"],
    ),
    case(
        "no list",
        "picks: One\n",
        ['1:8  picks must be a mapping, as in "name: value"'],
    ),
    case("no YAML", "picks: [\n", None),
)
def test_a_mistake_is_told_with_its_place(
    tmp_path: Path, text: str, complaints: list[str] | None
) -> None:
    (tmp_path / "config.yaml").write_text("titel: A planet\ntitle: A\nfeeds: [f.xml]\n")
    (tmp_path / "picks.yaml").write_text(text)

    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "config.yaml", environ={})

    first, *told = (str(problem) for problem in caught.value.problems)
    assert "config.yaml:1:1" in first
    if complaints is None:
        assert len(told) == 1
    else:
        assert sorted(told) == [
            f"{tmp_path}/picks.yaml:{complaint}" for complaint in sorted(complaints)
        ]


def test_every_name_is_documented() -> None:
    docs = (Path(__file__).parents[2] / "docs/castsampler.md").read_text(encoding="utf-8")

    named = set(re.findall(r"`(\w+)`", docs))

    sections = (Pick, Enclosure, Episode, Origin, Person, Show, Text, Transcript, Funding)
    assert {name for section in sections for name in settings(section)} <= named


# How it is edited


def test_a_pick_with_everything_is_written_so_that_people_can_read_it() -> None:
    text = add("picks:\n", EVERYTHING)

    assert read(text) == [EVERYTHING]
    assert text.startswith(
        """picks:
  - title: One
    picked: 2026-11-20 12:00:00+00:00
    note: 'Because: it is good'
    show:
      title: Show
"""
    )
    assert text.endswith(
        """    summary: All about one.
    notes:
      value: |
        <p>One
          two</p>

        <p>#three</p>
      type: html
      base: https://show.example/1
"""
    )


@cases(
    "text",
    case("nothing", ""),
    case("a comment", "# mine\n"),
    case("picks", SHORTEST),
    case("notes at the end", SHORTEST + "    notes: |+\n      - b\n      # c\n\n"),
    case("a marked document", f"---\n{SHORTEST}...\n"),
)
def test_all_else_stays_to_the_letter(text: str) -> None:
    one = add(text, make_pick(1))
    two = add(one, make_pick(2))
    there = len(places(text))

    lines = iter(one.splitlines())
    assert all(line in lines for line in text.splitlines())
    assert remove(two, there + 1).rstrip() == one.rstrip()
    assert read(remove(two, *range(there), there + 1)) == [make_pick(1)]


def test_a_file_that_cannot_be_edited_is_left_to_the_operator() -> None:
    text = f"picks: [{{title: a, picked: 2026-11-20, enclosure: {FILE}}}]\n"

    with pytest.raises(ConfigError, match=r'^picks\.yaml:1:1  "picks" of this file can only be'):
        add(text, make_pick())
    with pytest.raises(ConfigError, match="of this file can only be changed by hand"):
        remove(text, 0)


def test_a_file_with_mistakes_is_not_edited() -> None:
    with pytest.raises(ConfigError, match='needs "title"'):
        add("picks: [{}]\n", make_pick())
