"""What `planet check --online` found → the page of a run on GitHub, and remarks on lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.cli.online import hints, matches_in, newest, outcome
from planet.report import called, markdown, remarks, summary
from planet.report.markdown import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.cli.online import Checked, Found
    from planet.report.summary import Linked

_COLUMNS = ("Feed", "Status", "Format", "Entries", "Newest", "Remarks", "Filters")


def page(said: str, found: Found, linked: Linked) -> str:
    """All of it, in Markdown, below what was said of the config: what does not work comes first."""
    broken = [each for each in found.feeds if not each.works]
    well = [each for each in found.feeds if each.works]
    tables = [
        markdown.Table(title=title, columns=_COLUMNS, rows=[_row(each, linked) for each in feeds])
        for title, feeds in (("Feeds that do not work", broken), ("Feeds that work", well))
    ]
    entries = sum(len(each.entries) for each in found.feeds)
    filters = [f"The planet's filters: {each}" for each in matches_in(found.matched, entries)]
    told = filter(None, [said, found.summary, found.refused, *filters])
    return markdown.page([summary.HEADING, *(f"{words(each)}." for each in told)], tables)


def remarks_on(found: Found) -> Iterator[remarks.Remark]:
    """What is to be shown on the lines of the config."""
    for each in found.feeds:
        said = ". ".join(hint.rstrip(".") for hint in hints(each))
        if each.works and not said:
            continue
        yield remarks.Remark(
            level=remarks.Level.WARNING if each.works else remarks.Level.ERROR,
            title=called(each.feed, each.memory),
            words=said if each.works else remarks.told(outcome(each), said),
            place=each.feed.place,
        )


def _row(checked: Checked, linked: Linked) -> tuple[str, ...]:
    memory, heard, last = checked.memory, checked.heard, newest(checked)
    profile = memory.profile if memory else None
    said = [] if checked.works and profile else [outcome(checked)]
    return (
        summary.named(called(checked.feed, memory), checked.feed, linked),
        f"{heard.status or ''}" if heard else "",
        words(profile.format if profile else ""),
        f"{len(checked.entries):,}" if profile else "",
        f"{last:%Y-%m-%d}" if last else "",
        "<br>".join(map(words, [*said, *hints(checked)])),
        "<br>".join(map(words, matches_in(checked.matched, len(checked.entries)))),
    )
