"""What a page changes in a post's text, and its short texts: monograms, cut headings, durations."""

import pytest

from planet.site.pages import labels
from planet.site.pages.labels import without_title
from planet.site.pages.readable import make_readable
from planet.site.words import speak
from tests.cases import case, cases
from tests.site.editions import make_post

LINES = "x\n" * 41
LONG = "words and " * 320
_REGION = 'role="group" aria-label="{}" tabindex="0"'
_FOLDED = '<details class="rest"><summary>Show more</summary>'
_CODE = "x = " + "1 + " * 20


@cases(
    "content, shown",
    case(
        "a table, which scrolls",
        "<table><tr><td>1</td></tr></table>",
        f'<div class="wide" {_REGION.format("Table")}><table><tr><td>1</td></tr></table></div>',
    ),
    case(
        "wide code, which scrolls",
        f'<pre dir="ltr"><code>{_CODE}</code></pre>',
        f'<pre class="wide" {_REGION.format("Code")} dir="ltr"><code>{_CODE}</code></pre>',
    ),
    case(
        "a table with columns, whose end does not come",
        "<table><colgroup><col><col></colgroup><tr><td>1</td></tr></div></section>",
        f'<div class="wide" {_REGION.format("Table")}><table><colgroup><col><col></colgroup><tr>'
        "<td>1</td></tr></table></div>",
    ),
    case(
        "a picture alone",
        '<p><img src="https://a.example/p" alt="A heron"></p>',
        '<p><img class="alone" src="https://a.example/p" alt="A heron"></p>',
    ),
    case(
        "a picture alone in a link",
        '<figure><a href="https://a.example/"><img src="https://a.example/p" alt=""></a></figure>',
        '<figure><a href="https://a.example/" aria-label="a.example/">'
        '<img class="alone" src="https://a.example/p" alt="">'
        "</a></figure>",
    ),
    case(
        "a picture among words",
        '<p>Hello <img src="https://a.example/p" alt=""></p>',
        '<p>Hello <img src="https://a.example/p" alt=""></p>',
    ),
    case(
        "the title again",
        "<h4>Post 1.</h4><p>Words</p>",
        "<p>Words</p>",
    ),
    case(
        "the title again, as a paragraph",
        "<div><p>post 1</p><p>Words</p></div>",
        "<div><p>Words</p></div>",
    ),
    case(
        "a heading that is a picture nobody describes",
        '<h5><img src="https://a.example/l" alt=""> </h5>',
        '<p><img class="alone" src="https://a.example/l" alt=""> </p>',
    ),
    case(
        "headings that leave out levels",
        '<h6>A</h6><h4>B</h4><h6 id="c">C</h6>',
        '<h5>A</h5><h4>B</h4><h5 id="c">C</h5>',
    ),
    case(
        "a long text",
        f"<p>{LONG}</p><p>{LONG}</p>",
        f"<p>{LONG}</p>{_FOLDED}<p>{LONG}</p></details>",
    ),
    case("a text that is a little longer", f"<p>{LONG}</p><p>Bye</p>", f"<p>{LONG}</p><p>Bye</p>"),
    case(
        "a long text in boxes in a box, and what a blog writes below each text",
        f"<div><div><h4>A</h4><p>{LONG}</p><p>{LONG}</p> </div><p>By A</p></div><p>Of a blog</p>",
        f"<div><div><h4>A</h4><p>{LONG}</p>{_FOLDED}<p>{LONG}</p> </details></div><p>By A</p></div>"
        "<p>Of a blog</p>",
    ),
    case("a link around nothing", '<p>a<a href="https://b.example/"> </a>b</p>', "<p>a b</p>"),
)
def test_a_text_is_made_easier_to_read(content: str, shown: str) -> None:
    assert read(content) == shown


def read(content: str) -> str:
    return make_readable(content, title="Post 1", film="film.svg", words=speak("en"))


@cases(
    "title, summary, first_words",
    case("and a full stop", "A harbour", "A harbour. Boats lie in it.", "Boats lie in it."),
    case("that goes on", "Boats of Wrenhaven", "Boats of Wrenhaven are old", None),
)
def test_first_words_do_not_repeat_a_title(
    title: str, summary: str, first_words: str | None
) -> None:
    assert without_title(summary, title) == (first_words or summary)


@cases(
    "title, summary, expected",
    case("a title", "A title", "Words", "A title"),
    case("a sentence", None, "It stood on the pier. It went.", "It stood on the pier."),
    case("a title that was cut", "It stood on…", "It stood on the pier", "It stood on the pier"),
    case("an address", None, "https://www.one.example/a/", "one.example/a"),
    case("nothing", None, None, "one.example/1"),
)
def test_a_post_without_a_title_is_called_by_its_first_words(
    title: str | None, summary: str | None, expected: str
) -> None:
    assert make_post(title=title, summary=summary).entry.heading == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(None, None), (0, None), (245, "4:05"), (3753, "1:02:33"), (360000, "100:00:00")],
)
def test_a_duration_is_told_in_hours_minutes_and_seconds(
    seconds: int | None, expected: str | None
) -> None:
    assert labels.duration(seconds) == expected
