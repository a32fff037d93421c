"""Plain text: one line, with nothing in it that a line cannot have."""

import time

import pytest

from planet.model import Text, TextKind
from planet.text.plain import plain
from tests.cases import case, cases


def html(value: str) -> Text:
    return Text(value=value, kind=TextKind.HTML)


@cases(
    "value, expected",
    case("reference", "no tags &amp; one reference", "no tags & one reference"),
    case("blocks part", "<p>one</p><p>two</p>", "one two"),
    case("lines part", "one<br/>two", "one two"),
    case("inline joins", "<b>in</b>line", "inline"),
    case("lowered numbers", "H<sub>2</sub>O", "H2O"),
    case("raised numbers", "10<sup class=x>-6</sup>", "10⁻⁶"),
    case("other small words", "n<sup>th</sup> and 1<sup>2", "nth and 12"),
    case("ruby", "<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>字", "漢字"),
    case("decoded once", "&amp;lt; <b>x</b>", "&lt; x"),
    case("a reference at the end", "<b>&amp;</b>", "&"),
    case("scripts and styles", "a<script>b</script>c<style>d</style>e", "ace"),
    case("templates", "a<template>b<p>c</p></template>d</template>e", "ade"),
    case("a script without end", "a<script>b", "a"),
    case("comments of all kinds", "a<!-- b -->c<![CDATA[d]]>e<!x>f<?g>h", "acefh"),
    case("a comment that Python does not know", "a<![CDtegory[b]]>c", "ac"),
    case("signs", "a < b <3 <i>c</i>", "a < b <3 c"),
    case("a tag without end", "a <b", "a"),
    case("controls", "<b>a\x00\x1b[31m\u202eb\u2028c</b>", "a[31mb c"),
)
def test_html_becomes_its_words(value: str, expected: str) -> None:
    assert plain(html(value)) == expected


@cases(
    "value, expected",
    case("blanks", " a\n b\t", "a b"),
    case("no markup", "a &amp; <b>", "a &amp; <b>"),
    case("controls", "a\u2066b\ufeffc\x7f\x9b", "abc"),
    case("non-characters", "a\ufdd0b\ufdefc\uffffd\U0010fffee", "abcde"),
    case("joiners stay", "نص\u200cها 👩\u200d💻", "نص\u200cها 👩\u200d💻"),
)
def test_plain_text_stays_but_for_blanks_and_controls(value: str, expected: str) -> None:
    assert plain(Text(value=value)) == expected


@cases(
    "value, expected",
    case("between words", "<p>some words there</p>", "some words…"),
    case("fits", "<p>exactly fifteen</p>", "exactly fifteen"),
    case("without blanks", "中文" * 20, "中文" * 7 + "…"),
    case("read only in part", "<p>some words " + "x" * 20_000, "some words…"),
    case("mostly blanks", f"<p>some{'<b> </b>' * 20_000}words there</p>", "some words…"),
)
def test_a_long_text_is_cut(value: str, expected: str) -> None:
    assert plain(html(value), 15) == expected


@pytest.mark.parametrize(
    "piece",
    [
        *("<a ", "<!--", "<![", "<a b='", "&", "<", "</", "<?", "<!x "),
        *("<a <a ", "<a b b b ", "<a/", '<a b="x"y', "<script>", "&#9"),
    ],
)
def test_no_text_takes_more_than_linear_time(piece: str) -> None:
    value = piece * (1_000_000 // len(piece))
    started = time.process_time()

    plain(html(value))

    # A parser that reads on from each piece, or again with each chunk, needs half a minute.
    assert time.process_time() - started < 5


def test_what_follows_a_long_tag_is_read() -> None:
    value = f'<p>before</p><img src="data:image/png;base64,{"A" * 500_000}"><p>after</p>'

    assert plain(html(value)) == "before after"


@pytest.mark.parametrize("around", ["{}", "<p>{}</p>", '<p title="{}">\ufffd</p>'])
def test_a_reference_with_a_number_without_end_is_one_unknown_character(around: str) -> None:
    assert plain(html(around.format("&#" + "9" * 5000 + ";"))) == "\ufffd"
