"""Markdown becomes HTML, which is cleaned like any other."""

from planet.text.html import render_markdown
from tests.cases import case, cases


@cases(
    "words, html",
    case("paragraphs", "a *b*\n\nc", "<p>a <em>b</em></p>\n<p>c</p>\n"),
    case("a table", "|a|\n|-|\n|b|", "<td>b</td>"),
    case("struck words", "~~a~~", "<s>a</s>"),
    case("HTML, for a cleaner", "<b>a</b>", "<p><b>a</b></p>\n"),
    case("no link that acts", "[a](javascript:b)", "<p>[a](javascript:b)</p>\n"),
)
def test_markdown_becomes(words: str, html: str) -> None:
    assert html in render_markdown(words)
