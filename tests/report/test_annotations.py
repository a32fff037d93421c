"""Remarks on a run: which there are, and the lines that have a runner show them."""

from planet.errors import Place
from planet.model import Advice, IssueKind, Outcome
from planet.report import FeedOutcome, Report, workflow
from planet.report.workflow import Annotation
from tests.builders import NOW, make_feed
from tests.cases import case, cases

PLACE = Place(file="config.yaml", line=3, column=5)
ADVICE = Advice(concern=IssueKind.DOWN, words="Wait.")


def make_outcome(
    name: str = "One", *, is_news: bool = True, error: str | None = None
) -> FeedOutcome:
    return FeedOutcome(
        feed=make_feed(place=PLACE),
        name=name,
        outcome=Outcome.FAILED if error else Outcome.SAME,
        error=error,
        failures=3 if error else 0,
        advice=ADVICE,
        is_news=is_news,
    )


@cases(
    "remark, file, line",
    case(
        "a line of the repository",
        Annotation(words="It is down.", title="One", place=PLACE),
        "a/config.yaml",
        "::warning file=a/config.yaml,line=3,col=5,title=One::It is down.",
    ),
    case(
        "no title",
        Annotation(is_error=True, words="no such setting", place=PLACE),
        "config.yaml",
        "::error file=config.yaml,line=3,col=5::no such setting",
    ),
    case(
        "a place outside of it",
        Annotation(is_error=True, words="no such setting", place=PLACE),
        None,
        "::error::config.yaml:3:5  no such setting",
    ),
    case(
        "no place",
        Annotation(is_error=True, words="state is held", title="Planet"),
        None,
        "::error title=Planet::state is held",
    ),
    case(
        "words of a feed",
        Annotation(words="::100%,\r\n##[error]", title="a,b:c%\n::d"),
        None,
        "::warning title=a%2Cb%3Ac%25 %3A%3Ad::: :100%25, # #[error]",
    ),
    case(
        "a file of an odd name",
        Annotation(words="w", place=PLACE),
        "odd,name:%.yaml",
        "::warning file=odd%2Cname%3A%25.yaml,line=3,col=5::w",
    ),
    case(
        "words without end",
        Annotation(words="w" * 1000, title="t" * 1000),
        None,
        f"::warning title={'t' * 99}…::{'w' * 599}…",
    ),
)
def test_a_remark_is_a_command_to_the_runner_with(
    remark: Annotation, file: str | None, line: str
) -> None:
    assert remark.command(file) == line


def test_what_is_wrong_with_the_whole_run_comes_first() -> None:
    report = Report(
        started=NOW, outcomes=[make_outcome()], alarm="nothing comes", refused="every feed failed"
    )

    assert [(each.is_error, each.words) for each in workflow.annotate_report(report)] == [
        (True, "every feed failed"),
        (False, "nothing comes"),
        (False, "Wait."),
    ]


@cases(
    "number, shown, more",
    case("eight", 8, 8, []),
    case("nine", 9, 8, ["1 more in the summary of this run"]),
    case("very many", 1208, 8, ["1,200 more in the summary of this run"]),
)
def test_of_each_level_are_shown_no_more_than_eight_of(
    number: int, shown: int, more: list[str]
) -> None:
    warnings = [Annotation(words=f"w{count}") for count in range(number)]
    error = Annotation(is_error=True, words="e")

    found = workflow.limit_annotations([*warnings, error])

    said = [Annotation(words=words) for words in more]
    assert found == [error, *warnings[:shown], *said]
