"""The events of a run: words for people, JSON for machines, and the exit code.

Doors besides the names below:

    workflow  the words of a command for the runner of a workflow
"""

from __future__ import annotations

from planet.report import workflow
from planet.report.printable import (
    explain_due,
    printable,
    printable_json,
    printable_line,
)
from planet.report.report import (
    Exit,
    FailOn,
    FeedOutcome,
    Listener,
    Outcome,
    Report,
    feed_name,
    find_feed,
    find_keys,
    format_count,
    name_feeds,
)
