"""What happened in a run: words for people, JSON for machines, and the exit code."""

from planet.report import markdown, remarks, summary
from planet.report.counted import counted
from planet.report.ending import Exit, FailOn
from planet.report.heard import Concerned, Heard, called
from planet.report.printable import foldable, printable, printable_json, printable_line
from planet.report.reasons import GIVEN_UP, REASONS, because
from planet.report.report import Listener, Report

__all__ = [
    "GIVEN_UP",
    "REASONS",
    "Concerned",
    "Exit",
    "FailOn",
    "Heard",
    "Listener",
    "Report",
    "because",
    "called",
    "counted",
    "foldable",
    "markdown",
    "printable",
    "printable_json",
    "printable_line",
    "remarks",
    "summary",
]
