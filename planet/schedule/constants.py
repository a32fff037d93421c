"""The numbers of politeness, each with its source.

They are lower bounds: configuration can make every wait longer, and none shorter than the floor,
save for a feed whose publisher agreed.
"""

from __future__ import annotations

from datetime import timedelta

FLOOR = timedelta(hours=1)
"""Between two requests for a feed, from the end of the last. Best practice of feed publishers: at
most one conditional request an hour."""
