"""Limits: what would take too long to clean becomes plain text, and nothing else does."""

from __future__ import annotations

import re
import time

import pytest

from planet.model import Text
from planet.text import html as cleaning
from planet.text.html import Cleaning, clean
from tests.text.cases import html


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("<p>word</p>" * 20_000, id="length"),
        pytest.param("<div>" * 129 + "word" + "</div>" * 129, id="depth"),
        pytest.param("<b>" * 129 + "word", id="tags without end"),
        pytest.param("<i " * 130 + "word", id="tags that never end"),
        pytest.param(f"<p {' '.join(f'a{each}' for each in range(1001))}>word", id="attributes"),
        pytest.param(f"<p {''.join(f'a{each}=1' for each in range(1002))}>word", id="joined up"),
        pytest.param(
            "<p>" + "".join(f"<b x={each}>" for each in range(100)) + "</p>" + "<p>word</p>" * 1000,
            id="formatting that is opened again and again",
        ),
    ],
)
def test_html_past_the_limits_becomes_one_paragraph(value: str, cleaning: Cleaning) -> None:
    started = time.process_time()

    said = clean(html(value), cleaning)

    assert re.fullmatch(r"<p>(word ?)*…?</p>|", said)
    assert clean(html(said), cleaning) == said
    assert time.process_time() - started < 3


def test_what_is_just_within_the_depth_keeps_its_markup(cleaning: Cleaning) -> None:
    assert clean(html("<i>" * 128 + "word" + "</i>" * 128), cleaning).count("<i>") == 128


@pytest.mark.parametrize(
    ("before", "after", "levels"),
    [
        pytest.param("<ul><li>word", "</li></ul>", 20, id="lists"),
        pytest.param("<blockquote>word", "</blockquote>", 20, id="quotations"),
        pytest.param("<dl><dd>word<figure>", "</figure></dd></dl>", 10, id="of several kinds"),
    ],
)
def test_what_is_indented_goes_twenty_levels_deep_and_no_deeper(
    before: str, after: str, levels: int, cleaning: Cleaning
) -> None:
    within = before * levels + after * levels

    beyond = clean(html(before * 30 + after * 30), cleaning)

    assert clean(html(within), cleaning) == within
    assert len(re.findall("<(?:ul|blockquote|dl|figure)>", beyond)) == 20
    assert beyond.count("word") == 30


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("<p>word " * 5000, id="paragraphs without end tags"),
        pytest.param("<ul>" + "<li>word" * 5000 + "</ul>", id="items without end tags"),
        pytest.param("<p>word</p>" * 10_000, id="long"),
        pytest.param(f'<p><img src="data:image/png;base64,{"/+a=" * 20_000}">x</p>', id="data"),
        pytest.param("<pre>cat <<EOF\n" + "word = 1\n" * 300 + "EOF</pre>", id="here document"),
    ],
)
def test_what_people_write_is_within_the_limits(value: str) -> None:
    assert cleaning.is_bounded(value)


def test_long_plain_text_stays_within_the_limits() -> None:
    said = clean(Text(value="word " * 100_000), Cleaning())

    assert len(said) <= cleaning.MAX_HTML + len("<p></p>")
    assert said.endswith("…</p>")
