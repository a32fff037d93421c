"""What happened in a run: words for people, JSON for machines, and the exit code.

Doors besides what it offers itself:

    workflow  what the runner of a workflow shows of a command
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
    Report,
    feed_name,
    find_feed,
    find_keys,
    format_count,
    name_feeds,
)
