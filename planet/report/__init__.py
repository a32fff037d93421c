"""What happened in a run: words for people, JSON for machines, and the exit code.

Doors besides what it offers itself:

    remarks  what a run has to say, how bad it is, and to whom
    summary  the page of a run, in Markdown
"""

from __future__ import annotations

from planet.report import remarks, summary
from planet.report.printable import (
    GIVEN_UP,
    REASONS,
    because,
    foldable,
    printable,
    printable_json,
    printable_line,
)
from planet.report.report import Exit, FailOn, FeedOutcome, Issue, Listener, Report, called, counted

__all__ = [
    "GIVEN_UP",
    "REASONS",
    "Exit",
    "FailOn",
    "FeedOutcome",
    "Issue",
    "Listener",
    "Report",
    "because",
    "called",
    "counted",
    "foldable",
    "printable",
    "printable_json",
    "printable_line",
    "remarks",
    "summary",
]
