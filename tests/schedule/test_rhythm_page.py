"""`docs/rhythm.md` explains every reason for which a feed waits, in the words of the program."""

import re
from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from pathlib import Path

from planet.model import DueReason, GivenUp
from planet.report import GIVEN_UP, REASONS
from planet.schedule.constants import RUN_EVERY
from tests.cases import case, cases
from tests.docs import page, section


def table(heading: str) -> list[tuple[str, str]]:
    """The first two columns of the table below a heading."""
    text = section(page("rhythm.md"), heading)
    return re.findall(r"^\| `?([\w]+)`? \| (.+?) \|", text, re.MULTILINE)[1:]


@cases(
    "heading, codes, words",
    case("reasons", "Why a feed is asked when it is", DueReason, REASONS),
    case("ends", "Feeds that are given up", GivenUp, GIVEN_UP),
)
def test_every_reason_is_documented_in_the_words_of_status(
    heading: str, codes: type[StrEnum], words: Mapping[StrEnum, str]
) -> None:
    assert table(heading) == [(code.value, words[code]) for code in codes]


def test_all_pages_say_the_same_of_how_often_runs_begin_on_github() -> None:
    root = Path(__file__).parents[2]
    texts = [file.read_text("utf-8") for file in (root / "README.md", *root.glob("docs/*.md"))]

    minutes = [number for text in texts for number in re.findall(r"every (\d+) minutes", text)]

    # A machine of one's own may have a run every 15 minutes.
    assert set(minutes) == {str(RUN_EVERY // timedelta(minutes=1)), "15"}
