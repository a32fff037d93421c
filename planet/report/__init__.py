"""What happened in a run: words for people, JSON for machines, and the exit code."""

from planet.report.ending import Exit, FailOn
from planet.report.heard import Heard, called
from planet.report.printable import printable
from planet.report.reasons import GIVEN_UP, REASONS, because
from planet.report.report import Listener, Report

__all__ = [
    "GIVEN_UP",
    "REASONS",
    "Exit",
    "FailOn",
    "Heard",
    "Listener",
    "Report",
    "because",
    "called",
    "printable",
]
