"""Which validators a request names, and what its answer says of them (RFC 9110 §13)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from planet.model import Conditions
from planet.schedule.causes import UNASKED
from planet.schedule.constants import (
    AUDIT,
    AUDIT_GAPS,
    ETAG_BROKEN,
    IGNORED_AFTER,
    WHOLE_AGAIN,
)

if TYPE_CHECKING:
    from datetime import datetime

    from planet.model import Fetched, Memory

_BOTH = frozenset({"etag", "last-modified"})


def conditions(memory: Memory, *, now: datetime, wanted: bool) -> Conditions:
    """What the next request of a feed names: all there is, unless there is a reason not to.

    That is when nothing but 304 has come for very long, or when the feed is judged by what is on
    disk and the operator does not take that for an answer: the feed is `wanted`, or was taken up
    again.
    """
    if not wanted and _is_unproven(memory, now):
        return Conditions.NONE
    if memory.unreadable is not None and (wanted or not memory.failures):
        last = memory.audited_at
        if last is None or now - last >= WHOLE_AGAIN:
            return Conditions.NONE
    return Conditions.DATE if _by_date(memory, now) else Conditions.ALL


def is_unconditional(fetched: Fetched) -> bool:
    """Whether a request for the feed itself went out that named no validators."""
    if fetched.error and fetched.error.kind in UNASKED:
        return False
    return not fetched.conditional


def audited(memory: Memory, fetched: Fetched) -> Memory:
    """With a request that named no validators written down, if there were some to name."""
    if memory.validators and is_unconditional(fetched):
        return replace(memory, audited_at=fetched.started)
    return memory


def heeded(memory: Memory, fetched: Fetched) -> Memory:
    """With what a 200 or 304 says of the validators; `memory` is from before it."""
    if fetched.cut_off:
        return memory
    by_date = _by_date(memory, fetched.started)
    memory = replace(memory, validators=fetched.validators)
    if fetched.status != 200:
        if by_date and memory.identical == IGNORED_AFTER:
            # So it was the ETag that never matched.
            memory = replace(memory, etag_broken_until=fetched.ended + ETAG_BROKEN)
        return replace(memory, identical=0)
    memory = replace(memory, whole_at=fetched.ended)
    if fetched.body_hash != memory.processed_hash:
        return replace(memory, identical=0)
    if not fetched.conditional:
        return memory
    if by_date:
        # It does not heed the date alone, either.
        return replace(memory, identical=memory.identical + 1, etag_broken_until=None)
    same = fetched.same_etag or "etag" not in fetched.validators
    return replace(memory, identical=memory.identical + 1 if same else 0)


def _by_date(memory: Memory, now: datetime) -> bool:
    """Whether the ETag is left out: to see whether that helps, or because it did."""
    if not memory.validators >= _BOTH:
        return False
    broken = memory.etag_broken_until is not None and memory.etag_broken_until > now
    return broken or memory.identical == IGNORED_AFTER


def _is_unproven(memory: Memory, now: datetime) -> bool:
    """Whether a whole answer is overdue that would show that "not modified" is still true."""
    if not memory.validators or memory.failures or memory.whole_at is None:
        return False
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(memory.posts)]
    quiet = max(AUDIT, AUDIT_GAPS * timedelta(seconds=median(gaps or [0])))
    last = memory.audited_at
    return now - memory.whole_at >= quiet and (last is None or now - last >= AUDIT)
