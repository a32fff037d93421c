"""Other parsers read what was cleaned as it is written; `tests/fuzz/fuzz_clean.py` tries more."""

import pytest

pytest.importorskip("selectolax", reason="selectolax is not installed")

from planet.model import Images
from planet.text.html import clean
from tests.cases import case, cases
from tests.fuzz import fuzz_clean
from tests.fuzz.fuzz_clean import Findings, run, try_out


def test_fragments_made_of_attacks_come_out_as_every_parser_reads_them() -> None:
    findings = run(1000, seed=0)

    assert findings.examples == []
    assert findings.counts["fragments, nh3"] == findings.counts["fragments, bleach"] == 500
    assert findings.counts["words"] > 500, "else it compares nothing"


@cases(
    "cleaned, kind",
    case("an element", "<p>w1q<marquee></marquee></p>", "not allowed"),
    case("an address", '<p>w1q<a href="javascript:x">a</a></p>', "not allowed"),
    case("a place", "<p>w1q<table></table></p>", "read otherwise by html5lib"),
    case("another place", "<p>w1q<ul></ul></p>", "read otherwise by lexbor"),
    case("what changes again", '<p dir="ltr ">w1q</p>', "no fixed point"),
    case("a word", "<p></p>", "text lost"),
)
def test_whatever_is_wrong_is_found(
    cleaned: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    findings = Findings()
    monkeypatch.setattr(
        fuzz_clean, "clean", lambda text, how: cleaned if text.value == "w1q" else clean(text, how)
    )

    try_out("w1q", "nh3", Images.LAZY, findings)

    assert kind in [example[0] for example in findings.examples]
