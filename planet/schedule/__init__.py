"""Which feeds are due, what an attempt changes, and when each is next. Pure decisions.

Nothing here reads a clock, a disk or a network: everything follows from what is known of a feed,
what asking it brought, and `now`.
"""

from planet.schedule.health import TROUBLE, remember, shows, trouble
from planet.schedule.turns import due, forced, unread

__all__ = ["TROUBLE", "due", "forced", "remember", "shows", "trouble", "unread"]
