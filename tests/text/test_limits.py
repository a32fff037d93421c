"""Limits: what would take too long to clean becomes plain text, and nothing else does."""

import re
import time

from planet.model import Text
from planet.text.html import MAX_HTML, Cleaning, clean
from planet.text.sanitize import is_bounded
from tests.cases import case, cases
from tests.text.cases import html


@cases(
    "value",
    case("length", "<p>word</p>" * 20_000),
    case("depth", "<div>" * 129 + "word" + "</div>" * 129),
    case("tags without end", "<b>" * 129 + "word"),
    case("a name that only looks like one that ends itself", "<lin\u212a>" * 129 + "word"),
    case(
        "ends that only look like some",
        "<p>" + "".join(f"<b x={n}></b\xa0>" for n in range(200)) + "word",
    ),
    case("ends of nothing", "<div></x>" * 129 + "word"),
    case("ends that a parser passes over", "<div><table></div></table>" * 129 + "word"),
    case("tags that never end", "<i " * 130 + "word"),
    case("attributes", f"<p {' '.join(f'a{n}' for n in range(1001))}>word"),
    case("joined up", f"<p {''.join(f'a{n}=1' for n in range(1002))}>word"),
    case(
        "formatting that is opened again and again",
        "<p>" + "".join(f"<b x={n}>" for n in range(100)) + "</p>" + "<p>word</p>" * 1000,
    ),
)
def test_html_past_the_limits_becomes_one_paragraph(value: str, cleaning: Cleaning) -> None:
    started = time.process_time()

    cleaned = clean(html(value), cleaning)

    assert re.fullmatch(r"<p>(word ?)*…?</p>|", cleaned)
    assert time.process_time() - started < 3


def test_what_is_just_within_the_depth_keeps_its_markup(cleaning: Cleaning) -> None:
    assert clean(html("<i>" * 128 + "word" + "</i>" * 128), cleaning).count("<i>") == 128


@cases(
    "before, after, levels",
    case("lists", "<ul><li>word", "</li></ul>", 20),
    case("quotations", "<blockquote>word", "</blockquote>", 20),
    case("of several kinds", "<dl><dd>word<figure>", "</figure></dd></dl>", 10),
)
def test_what_is_indented_goes_twenty_levels_deep_and_no_deeper(
    before: str, after: str, levels: int, cleaning: Cleaning
) -> None:
    within = before * levels + after * levels
    beyond = before * (levels + 1) + after * (levels + 1)

    assert clean(html(within), cleaning) == within
    assert re.fullmatch("<p>[^<]*</p>", clean(html(beyond), cleaning))


@cases(
    "value",
    case("frames without an address", "<iframe>" + "<b>word</b> " * 15_000 + "</iframe>"),
    case("frames in frames", "<iframe src=x>" * 14_000),
    case("pictures", "<img src=x data-src=y srcset='a 1w, b 2w'>" * 4_700),
    case("comments", "<!--" * 50_000),
    case("quotes", "<p title=\"'>" * 16_000),
    case("formulas without an end", "<math>" + "<math x='" * 20_000),
    case("formulas", "<math><mi>x</mi>" * 128 + "<p x='</math '>" * 9_000),
    case("scripts", "<script></script " * 11_000),
    case("slashes", "<p " + "/" * 199_000 + ">"),
    case("equals", "<p " + "a=" * 500 + "=" * 190_000 + ">"),
    case("equals and blanks", "<p a=" + "= " * 90_000 + ">"),
    case("less than", "<" * 190_000 + ">" * 10_000),
    case("references", "<p>" + "&#9" * 60_000),
    case("addresses by a long base", "<a href=x>" * 100 + "</a><a href=x>" * 14_000),
)
def test_no_text_is_slow_to_clean_or_grows_much(value: str, cleaning: Cleaning) -> None:
    started = time.process_time()

    cleaned = clean(html(value, base=f"https://a.example/{'b' * 4_000}/"), cleaning)

    assert time.process_time() - started < 3
    assert len(cleaned) <= 5 * MAX_HTML


@cases(
    "value",
    case("paragraphs without end tags", "<p>word " * 5000),
    case("items without end tags", "<ul>" + "<li>word" * 5000 + "</ul>"),
    case("long", "<p>word</p>" * 10_000),
    case("data", f'<p><img src="data:image/png;base64,{"/+a=" * 20_000}">x</p>'),
    case("here document", "<pre>cat <<EOF\n" + "word = 1\n" * 300 + "EOF</pre>"),
)
def test_what_people_write_is_within_the_limits(value: str) -> None:
    assert is_bounded(value)


def test_long_plain_text_stays_within_the_limits() -> None:
    cleaned = clean(Text(value="word " * 100_000), Cleaning())

    assert len(cleaned) <= MAX_HTML + len("<p></p>")
    assert cleaned.endswith("…</p>")
