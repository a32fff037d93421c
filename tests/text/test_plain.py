"""Plain text: one line, with nothing in it that a line cannot have."""

from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest

from planet.model import Text, TextKind
from planet.text.plain import plain


def html(value: str) -> Text:
    return Text(value=value, kind=TextKind.HTML)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("no tags &amp; one reference", "no tags & one reference", id="reference"),
        pytest.param("<p>one</p><p>two</p>", "one two", id="blocks part"),
        pytest.param("one<br/>two", "one two", id="lines part"),
        pytest.param("H<sub>2</sub>O", "H2O", id="inline joins"),
        pytest.param("&amp;lt; <b>x</b>", "&lt; x", id="decoded once"),
        pytest.param("<b>&amp;</b>", "&", id="a reference at the end"),
        pytest.param("a<script>b</script>c<style>d</style>e", "ace", id="scripts and styles"),
        pytest.param("a<template>b<p>c</p></template>d</template>e", "ade", id="templates"),
        pytest.param("a<script>b", "a", id="a script without end"),
        pytest.param("a<!-- b -->c<![CDATA[d]]>e<!x>f<?g>h", "acefh", id="comments of all kinds"),
        pytest.param("a<![CDtegory[b]]>c", "ac", id="a comment that Python does not know"),
        pytest.param("a < b <3 <i>c</i>", "a < b <3 c", id="signs"),
        pytest.param("a <b", "a", id="a tag without end"),
        pytest.param("<b>a\x00\x1b[31m\u202eb\u2028c</b>", "a[31mb c", id="controls"),
    ],
)
def test_html_becomes_its_words(value: str, expected: str) -> None:
    assert plain(html(value)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(" a\n b\t", "a b", id="blanks"),
        pytest.param("a &amp; <b>", "a &amp; <b>", id="no markup"),
        pytest.param("a\u2066b\ufeffc\x7f\x9b", "abc", id="controls"),
        pytest.param("a\ufdd0b\ufdefc\uffffd\U0010fffee", "abcde", id="non-characters"),
        pytest.param("نص\u200cها 👩\u200d💻", "نص\u200cها 👩\u200d💻", id="joiners stay"),
    ],
)
def test_plain_text_stays_but_for_blanks_and_controls(value: str, expected: str) -> None:
    assert plain(Text(value=value)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("<p>some words there</p>", "some words…", id="between words"),
        pytest.param("<p>exactly fifteen</p>", "exactly fifteen", id="fits"),
        pytest.param("中文" * 20, "中文" * 7 + "…", id="without blanks"),
        pytest.param("<p>some words " + "x" * 20_000, "some words…", id="read only in part"),
    ],
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


@pytest.mark.parametrize("piece", ["b ", "<a ", "b='", "/", 'b="x"y'])
def test_a_tag_without_end_is_read_in_few_steps(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    parse = HTMLParser.parse_starttag

    def counted(parser: HTMLParser, i: int) -> int:
        read.append(len(parser.rawdata) - i)
        return parse(parser, i)

    monkeypatch.setattr(HTMLParser, "parse_starttag", counted)
    value = "<a " + piece * (200_000 // len(piece))

    plain(html(value))

    assert sum(read) < 4 * len(value)


def test_what_follows_a_long_tag_is_read() -> None:
    value = f'<p>before</p><img src="data:image/png;base64,{"A" * 500_000}"><p>after</p>'

    assert plain(html(value)) == "before after"


@pytest.mark.parametrize("around", ["{}", "<p>{}</p>", '<p title="{}">\ufffd</p>'])
def test_a_reference_with_a_number_without_end_is_one_unknown_character(around: str) -> None:
    assert plain(html(around.format("&#" + "9" * 5000 + ";"))) == "\ufffd"
