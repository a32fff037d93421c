"""Moments as the formats write them, always in UTC and to the second."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


def rfc3339(moment: datetime) -> str:
    """A UTC moment for Atom (RFC 4287 §3.3) and JSON Feed."""
    return moment.isoformat(timespec="seconds")[:19] + "Z"


def rfc822(moment: datetime) -> str:
    """A UTC moment for RSS 2.0: RFC 822 with four digits for the year, in GMT."""
    # Imported late: it brings `socket` along, and most runs write no podcast.
    from email.utils import format_datetime

    return format_datetime(moment, usegmt=True)
