"""What happened in a run: words, JSON, and the exit code."""

import json
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from planet.errors import FetchError, Place, Problem
from planet.model import (
    Advice,
    Counts,
    DueReason,
    Feed,
    FeedState,
    GivenUp,
    Moved,
    PollResult,
)
from planet.report import (
    Exit,
    FailOn,
    FeedOutcome,
    Outcome,
    Report,
    explain_due,
    name_feeds,
    printable,
    printable_line,
)
from tests.builders import NOW, make_feed, make_fetched, make_profile, make_reading, make_state
from tests.cases import case, cases

DOWN = Advice(concern="down", words="Wait.")
PLACE = Place(file="config.yaml", line=3, column=5)
CONCERNED = Problem(PLACE, "One (https://one.example/feed): Wait.", is_warning=True)


def make_outcome(**changes: Any) -> FeedOutcome:
    return replace(FeedOutcome(feed=make_feed(), name="One", outcome=Outcome.SAME), **changes)


def make_report(outcomes: str = "", **changes: Any) -> Report:
    """A report on feeds whose outcomes are given by their first letters."""
    by_letter = {outcome[0]: outcome for outcome in Outcome}
    results = [make_outcome(outcome=by_letter[letter]) for letter in outcomes]
    return Report(**{"started": NOW, "feeds": len(outcomes), "outcomes": results, **changes})


def hear(report: Report, *, result: Any = None, **changes: Any) -> None:
    """Add a feed that is not modified, but for what is said otherwise."""
    feed, fetched = changes.pop("feed", make_feed()), changes.pop("fetched", make_fetched())
    state = changes.pop("state", make_state(profile=make_profile()))
    report.add(PollResult(feed, fetched, result), state, **changes)


def add(**changes: Any) -> FeedOutcome:
    """What a report takes down of a feed."""
    report = Report(started=NOW)
    hear(report, **changes)
    (outcome,) = report.outcomes
    return outcome


# What a report takes down of a feed


NEW = make_fetched(body=b"<feed/>", bytes_received=7)


@cases(
    "told, expected, line",
    case("that is not modified", {}, {"status": 304}, "One: not modified (304)"),
    case(
        "that has news",
        {"fetched": NEW, "result": make_reading(notes=("odd",)), "kept": Counts(added=2, edited=1)},
        {"outcome": Outcome.NEW, "status": 200, "added": 2, "edited": 1, "notes": ("odd",)},
        "One: 2 new, 1 edited",
    ),
    case(
        "that failed",
        {
            "fetched": make_fetched(status=404, error=FetchError("http_404", "it is gone")),
            "state": make_state(
                profile=make_profile(), failures=1, error_kind="http_404", error="it is gone"
            ),
        },
        {
            "outcome": Outcome.FAILED,
            "status": 404,
            "error_kind": "http_404",
            "error": "it is gone",
            "failures": 1,
        },
        "One: it is gone",
    ),
    case(
        "that has moved",
        {
            "state": make_state(
                profile=make_profile(), moved=Moved(to="https://new.example/?key=secret", since=NOW)
            )
        },
        {"status": 304, "moved_to": "https://new.example/?key=…"},
        "One: not modified (304)",
    ),
    case(
        "that was put off",
        {"fetched": make_fetched(status=302, error=FetchError("retry_later", "come later"))},
        {"status": 302, "put_off": "come later"},
        "One: come later",
    ),
)
def test_of_a_feed_is_heard(told: dict[str, Any], expected: dict[str, Any], line: str) -> None:
    outcome = add(**told)

    assert outcome == make_outcome(**expected)
    assert outcome.line == line


@cases(
    "feed, state, name",
    case(
        "the operator",
        make_feed(name="Mine"),
        make_state(profile=make_profile(title="Its own")),
        "Mine",
    ),
    case("itself", make_feed(), make_state(profile=make_profile(title="Its own")), "Its own"),
    case(
        "its address, when it has no title",
        make_feed(url="https://one.example/feed?key=secret"),
        make_state(profile=make_profile(title=None)),
        "https://one.example/feed?key=…",
    ),
)
def test_a_feed_is_called_by(feed: Feed, state: FeedState, name: str) -> None:
    assert add(feed=feed, state=state).name == name


@cases(
    "advice, told, is_news",
    case("trouble that is new", DOWN, None, True),
    case("trouble that was told before", DOWN, DOWN, False),
    case("another trouble", DOWN, Advice(concern="gone", words="Remove it."), True),
    case("what can wait", Advice(concern="ignored", words="Tell it."), None, False),
)
def test_news_for_the_operator_is(
    advice: Advice | None, told: Advice | None, is_news: bool
) -> None:
    report = Report(started=NOW, refused="every feed failed", alarm="nothing comes")

    hear(report, feed=make_feed(place=PLACE), advice=advice, advice_before=told)

    assert report.outcomes[0].is_news == is_news
    planet = [Problem(None, "every feed failed"), Problem(None, "nothing comes", is_warning=True)]
    words = f"One (https://one.example/feed): {advice.words if advice else ''}"
    assert report.problems == planet + is_news * [Problem(PLACE, words, is_warning=True)]


def test_feeds_for_the_next_run_to_ask_are_counted() -> None:
    report = Report(started=NOW)

    for kind in ("host_cooldown", "retry_later", "out_of_time", "http_500"):
        hear(report, fetched=make_fetched(status=302, error=FetchError(kind, "later")))

    assert report.left == 3


FAILING = make_state(profile=make_profile(), failures=3, error="it is down")
DOWN_LONG = "One (https://one.example/feed): it is down (3 times in a row). Wait."


@cases(
    "state, advice, words",
    case("fails", FAILING, DOWN, [DOWN_LONG]),
    case("needs nothing", FAILING, None, []),
    case("can wait", FAILING, Advice(concern="ignored", words="Tell it."), []),
)
def test_a_feed_needs_attention_that(
    state: FeedState | None, advice: Advice | None, words: list[str]
) -> None:
    report = Report(started=NOW)

    report.concern(make_feed(place=PLACE), state, advice)

    assert report.issues == [Problem(PLACE, message, is_warning=True) for message in words]


# Words


@cases(
    "report, summary",
    case(
        "many",
        Report(
            started=NOW,
            feeds=1234,
            outcomes=[
                make_outcome(outcome=Outcome.NEW, added=1000),
                make_outcome(outcome=Outcome.NEW, added=234),
                make_outcome(outcome=Outcome.SAME),
                make_outcome(outcome=Outcome.FAILED),
            ],
        ),
        "4 of 1,234 feeds looked at, 2 with news, 1 unchanged, 1 failed, 1,234 new entries",
    ),
    case(
        "all that can be told",
        Report(
            started=NOW,
            feeds=1,
            outcomes=[
                make_outcome(outcome=Outcome.NEW, added=767, held=303),
                make_outcome(is_list=True, outcome=Outcome.FAILED),
            ],
            left=1200,
            issues=[CONCERNED, CONCERNED],
        ),
        "1 of 1 feed looked at, 1 with news, 0 unchanged, 0 failed, "
        "767 new entries (303 of them not shown, by new_feed_entries), "
        "1 of the lists of feeds failed, "
        "1,200 left for the next run, 2 in need of attention (see planet status)",
    ),
)
def test_a_run_is_summed_up(report: Report, summary: str) -> None:
    assert report.summary == summary


@cases(
    "said, outcome, changed",
    case(
        "written and deleted",
        {"entries": 2, "written": ("a", "b"), "deleted": ("c",)},
        "2 files written, 1 file deleted (2 entries)",
        True,
    ),
    case("none", {}, "no site made (planet render makes it)", False),
    case("refused", {"entries": 9, "refused": "every feed failed"}, "every feed failed", False),
)
def test_what_became_of_the_site_is_told(said: dict[str, Any], outcome: str, changed: bool) -> None:
    report = make_report(**said)

    assert (report.outcome, report.changed) == (outcome, changed)


@cases(
    "text, line",
    case("words", "Grüße, 世界 🎉", "Grüße, 世界 🎉"),
    case("line ends and blanks", "  a \n\r\n b\t\u2028c\x85 ", "a b c"),
    case("terminal commands", "\x1b[2Ja\x07\x9b1m", "[2Ja 1m"),
    case("turned reading direction", "a\u202eb\u2066c", "abc"),
    case("characters without width", "a\u200bb\ufeffc", "abc"),
    case("no characters at all", "\ud800a\ue000", "a"),
    case("command", "::error::x", ": :error::x"),
    case("command behind blanks", " \n\u200b::error::x", ": :error::x"),
    case("no command, because not at the start", "a ::error::x", "a ::error::x"),
    case("command of the older kind", "a ##[error]x", "a # #[error]x"),
    case("command of Azure Pipelines", "a ##VSO[x]", "a # #VSO[x]"),
)
def test_text_is_printed_on_one_line_that_does_nothing(text: str, line: str) -> None:
    assert printable(text) == line


@cases(
    "line, printed",
    case("blanks", "  a  b ", "  a  b "),
    case("command", "::error::x", ": :error::x"),
    case("command of the older kind", "a ##[error]x", "a # #[error]x"),
)
def test_a_line_is_printed_with_its_blanks_and_does_nothing(line: str, printed: str) -> None:
    assert printable_line(line) == printed


# For machines


SECRET = "https://one.example/feed?key=secret"


def test_a_report_is_one_json_object() -> None:
    outcome = make_outcome(
        feed=make_feed(SECRET, url=SECRET, slug="one"),
        name="Öne",
        outcome=Outcome.FAILED,
        status=200,
        error_kind="timeout",
        error="it takes too long",
        failures=2,
        advice=DOWN,
    )
    report = Report(
        started=NOW, feeds=1, outcomes=[outcome], issues=[CONCERNED], written=("a.html",)
    )

    record = json.loads(report.as_json())

    assert record.pop("outcomes") == [
        {
            "feed": "https://one.example/feed?key=…",
            "name": "Öne",
            "url": "https://one.example/feed?key=…",
            "outcome": "failed",
            "status": 200,
            "error_kind": "timeout",
            "error": "it takes too long",
            "failures": 2,
            "advice": {"concern": "down", "words": "Wait."},
        }
    ]
    assert record["issues"] == [
        {
            "place": {"file": "config.yaml", "line": 3, "column": 5},
            "message": CONCERNED.message,
            "is_warning": True,
        }
    ]
    assert (record["failed"], record["changed"], record["written"]) == (1, True, ["a.html"])
    assert record["started"] == "2026-11-20T12:00:00Z"
    assert "Öne" in report.as_json()


# Why a feed is asked when it is


HOUR = timedelta(hours=1)


@cases(
    "said, reason, words",
    case("a floor", {}, DueReason.FLOOR, "least time between requests"),
    case("a feed that was given up", {"given_up": GivenUp.GONE}, DueReason.GIVEN_UP, "gone"),
    case("a pace that is not known", {}, DueReason.ADAPTIVE, "how often it posts"),
    case(
        "a feed that used to post hourly",
        {
            "posts": tuple(NOW + number * HOUR for number in range(4)),
            "succeeded_at": NOW + timedelta(days=280),
        },
        DueReason.ADAPTIVE,
        "silent for 280 days",
    ),
    *(
        case(
            pace,
            {"posts": tuple(NOW + number * gap for number in range(4))},
            DueReason.ADAPTIVE,
            f"posts about {pace}",
        )
        for gap, pace in [
            (HOUR / 2, "hourly"),
            (3 * HOUR, "every 3 hours"),
            (72 * HOUR, "every 3 days"),
            (7 * 24 * HOUR, "weekly"),
            (30 * 24 * HOUR, "monthly"),
            (90 * 24 * HOUR, "every 3 months"),
        ]
    ),
)
def test_why_is_told_in_words_for(said: dict[str, Any], reason: DueReason, words: str) -> None:
    assert explain_due(make_state(**said), reason) == words


# The exit code


@cases(
    "fail_on, outcomes, code",
    case("all failed, which never matters", FailOn(), "fff", Exit.DONE),
    case("none failed", FailOn(1), "nss", Exit.DONE),
    case("one failed", FailOn(1), "nsf", Exit.TOO_MANY_FAILED),
    case("less than half failed", FailOn(50, is_percent=True), "fss", Exit.DONE),
    case("half failed", FailOn(50, is_percent=True), "fs", Exit.TOO_MANY_FAILED),
    case("half of none failed", FailOn(50, is_percent=True), "", Exit.DONE),
)
def test_a_run_ends_when(fail_on: FailOn, outcomes: str, code: Exit) -> None:
    assert make_report(outcomes).exit_code(fail_on) is code


def test_exit_codes_are_those_of_the_manual() -> None:
    assert [*map(int, Exit)] == [0, 1, 2, 3, 4, 5]


def test_feeds_of_one_name_have_their_addresses_in_it() -> None:
    one, two, alone = make_feed("one"), make_feed("two", name="Blog"), make_feed("alone", name="A")
    title = make_state("one", profile=make_profile(title="blog"))

    names = name_feeds([one, two, alone], {"one": title})

    assert names == {
        "one": "blog (one.example/feed)",
        "two": "Blog (two.example/feed)",
        "alone": "A",
    }
    assert Report(started=NOW, names=names).name_of(one, title) == names["one"]
    assert (
        Report(started=NOW, names={"one": "https://one.example/feed"}).name_of(one, title) == "blog"
    )
