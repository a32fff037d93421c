"""What happened in a run: words for people, JSON for machines, and the exit code."""

from planet.report.ending import Exit, FailOn
from planet.report.heard import Heard
from planet.report.printable import printable
from planet.report.report import Listener, Report

__all__ = ["Exit", "FailOn", "Heard", "Listener", "Report", "printable"]
