"""Which feeds are due, what an attempt changes, and when each is next. Pure decisions.

Nothing here reads a clock, a disk or a network: everything follows from what is known of a feed
and its server, what asking it brought, and `now`. Even chance does, see `chance`.
"""

from planet.schedule.attempts import remember
from planet.schedule.health import TROUBLE, shows, trouble
from planet.schedule.hosts import gap, host_after, rests
from planet.schedule.known import believable, corrected, revived
from planet.schedule.moved import renamed
from planet.schedule.outage import is_outage, undone
from planet.schedule.turns import due, forced, next_poll, unread
from planet.schedule.upcoming import skips

__all__ = [
    "TROUBLE",
    "believable",
    "corrected",
    "due",
    "forced",
    "gap",
    "host_after",
    "is_outage",
    "next_poll",
    "remember",
    "renamed",
    "rests",
    "revived",
    "shows",
    "skips",
    "trouble",
    "undone",
    "unread",
]
