"""What a runner shows: the page of a run, and remarks; no feed writes on it."""

from collections.abc import Iterator

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from planet.errors import Place, Problem
from planet.report import FeedOutcome, Outcome, Report, workflow
from planet.report.workflow import MOST, annotate, escape_prose, format_prose_link, render_page
from tests.browser.vectors import others, own
from tests.builders import NOW, make_feed
from tests.cases import case, cases

PLACE = Place(file="config.yaml", line=3, column=5)
ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![pixel](https://evil.example/p.png)",
    "[click](javascript:alert(1))",
    "[ref]: https://evil.example",
    "https://evil.example/ and <https://evil.example>",
    "a | b || c",
    "`code` ``more``",
    "**bold** _it_ ~~gone~~ $math$",
    "# heading",
    "- item",
    "&lt;b&gt; &amp;amp; &#60;",
    "</summary></details><h1>",
    "\\| \\` \\<b>",
    "<!-- comment",
    "| --- |",
    "^sub^ {: .x } : smile :",
]


def tokens(text: str) -> Iterator[Token]:
    """What the Markdown consists of, as a reader of it understands it."""
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        yield token
        yield from token.children or ()


def item_of(text: str) -> str:
    """A page with one item of a list."""
    return render_page([], "T", [text])


def seen(text: str) -> str:
    """The words of a page, but for what has no width."""
    said = [token.content for token in tokens(text) if token.type in {"text", "text_special"}]
    return "".join(said).replace("\u200b", "")


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_a_feed_says_shows_as_words(attack: str) -> None:
    assert seen(item_of(attack)) == f"PlanetT (1){attack}"


def test_no_attack_on_pages_is_more_than_words() -> None:
    attacks = [*ATTACKS, *(each.html for each in [*own(), *others()])]
    allowed = {token.type for token in tokens(item_of("words"))}

    for some in (attacks[start : start + 50] for start in range(0, len(attacks), 50)):
        found = [*tokens(render_page([], "T", some))]
        assert {token.type for token in found} <= allowed
        assert sum(token.type == "list_item_open" for token in found) == len(some)


# Markdown that people edit


def test_what_leads_nowhere_is_text_in_markdown_to_be_edited() -> None:
    assert format_prose_link("a [b]", None) == "a &#91;b&#93;"


def test_sentences_stay_readable_in_markdown_to_be_edited() -> None:
    assert escape_prose("What's new: “parts” (1/2), 50% off!") == (
        "What's new: “parts” (1/2), 50% off!"
    )


def test_a_page_has_no_list_without_items_and_says_how_many_it_leaves_out() -> None:
    text = render_page(["B <b>."], "T", ["1"] * (MOST + 1000))

    assert render_page(["B."], "T") == "### Planet\n\nB.\n\n"
    assert text.startswith("### Planet\n\nB &#60;b&#62;.\n\n#### T (1,200)\n\n- 1\n- 1\n")
    assert (text.count("- 1\n"), text.endswith("\n\n1,000 more.\n\n")) == (MOST, True)


# Of a run


def test_the_page_of_a_run_has_totals_then_what_needs_a_look_then_lines_of_text() -> None:
    report = Report(
        started=NOW,
        feeds=3,
        outcomes=[
            FeedOutcome(feed=make_feed("three"), name="Three", outcome=Outcome.SAME, status=304),
            FeedOutcome(feed=make_feed("two"), name="Two", outcome=Outcome.NEW, added=2, edited=1),
            FeedOutcome(
                feed=make_feed("one"),
                name="One",
                outcome=Outcome.FAILED,
                error="it takes too long",
                failures=3,
            ),
        ],
        issues=[Problem(PLACE, "One (https://one.example/feed): it is <down>. Wait.")],
        entries=40,
        written=("a.html",),
        alarm="nothing since long",
        notices=("something was mended.",),
    )

    assert workflow.render_report(report) == (
        "### Planet\n\n"
        "3 of 3 feeds looked at, 1 with news, 1 unchanged, 1 failed, 2 new entries, "
        "1 in need of attention (see planet status).\n\n"
        "1 file written (40 entries).\n\n"
        "nothing since long.\n\n"
        "something was mended.\n\n"
        "#### In need of attention (1)\n\n"
        "- One (https&#58;//one.example/feed): it is &#60;down&#62;. Wait."
        "\n\n"
        "    One: it takes too long (3 times in a row)\n"
        "    Two: 2 new, 1 edited\n"
    )


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_feed_ends_the_text_of_a_page(attack: str) -> None:
    outcomes = [
        FeedOutcome(feed=make_feed(), name=name, outcome=Outcome.NEW, added=1)
        for name in (attack, f"```\n{attack}")
    ]

    page = workflow.render_report(Report(started=NOW, outcomes=outcomes))

    (code,) = (token for token in tokens(page) if token.type == "code_block")
    assert page.endswith("".join(f"    {line}\n" for line in code.content.splitlines()))
    assert len(code.content.splitlines()) == 2


def test_the_page_of_a_config_with_mistakes_has_each_with_its_place() -> None:
    place = Place(file="config.yaml", line=4, column=5)

    text = workflow.render_problems([Problem(place, "what | is"), Problem(None, "wrong")])

    assert text == (
        "### Planet\n\n#### Mistakes (2)\n\n- config.yaml:4:5 what &#124; is\n- wrong\n\n"
    )


# Remarks on a run: which there are, and the lines that have a runner show them


@cases(
    "problem, file, line",
    case(
        "a line of the repository",
        Problem(PLACE, "One: it is down.", is_warning=True),
        "a/config.yaml",
        "::warning file=a/config.yaml,line=3,col=5::One: it is down.",
    ),
    case(
        "a place outside of it",
        Problem(PLACE, "no such setting"),
        None,
        "::error::config.yaml:3:5 no such setting",
    ),
    case("no place", Problem(None, "state is held"), None, "::error::state is held"),
    case(
        "words of a feed",
        Problem(None, "::100%,\r\n##[error]"),
        None,
        "::error::: :100%25, # #[error]",
    ),
    case(
        "a file of an odd name",
        Problem(PLACE, "w", is_warning=True),
        "odd,name:%.yaml",
        "::warning file=odd%2Cname%3A%25.yaml,line=3,col=5::w",
    ),
    case("words without end", Problem(None, "w" * 1000), None, f"::error::{'w' * 599}…"),
)
def test_an_annotation_is_a_command_to_the_runner_with(
    problem: Problem, file: str | None, line: str
) -> None:
    assert annotate(problem, file) == line
