"""Which feeds are due, what an attempt changes, and when each is next. Pure decisions.

Nothing here reads a clock, a disk or a network: everything follows from what is known of a feed
and its server, what asking it brought, and `now`. Even chance does, see `chance`.

Doors besides what it offers itself:

    advice  what the operator should know of feeds in trouble
    causes  kinds of failures, and what is known of a feed
    record  how a feed is, for machines and for readers
    rhythm  when a feed posts, learned from its posts
    constants  every number of the politeness rules, with its source
"""

from __future__ import annotations

from planet.schedule.advice import TROUBLE, shows, trouble
from planet.schedule.attempts import remember
from planet.schedule.causes import believable, corrected, renamed, revived
from planet.schedule.hosts import gap, host_after, is_outage, rests, undone
from planet.schedule.turns import due, forced, next_poll, unread
from planet.schedule.waits import skips

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
