"""What an attempt brought → what is known of the feed from now on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet.errors import FeedError
from planet.model import DueReason, Outcome, Reading
from planet.schedule.causes import Cause, cause
from planet.schedule.freshness import renewed
from planet.schedule.known import known_of
from planet.schedule.ladders import eased, taught
from planet.schedule.learned import discreet, forgotten, is_lost, learned, named
from planet.schedule.moved import followed, must_switch, switched
from planet.schedule.posts import posted, recent
from planet.schedule.tally import tallied
from planet.schedule.upcoming import settled, soon
from planet.schedule.validators import audited, heeded
from planet.schedule.verdicts import judged

if TYPE_CHECKING:
    from planet.model import Feed, Fetched, Memory


def remember(
    before: Memory | None,
    feed: Feed,
    fetched: Fetched,
    result: Reading | FeedError | None,
    *,
    reader: str,
) -> Memory:
    """What is known of a feed after an attempt.

    `result` is what its body came to, if a new one came; `reader` the version of the parser.
    """
    known = known_of(feed, before)
    error = fetched.error or (result if isinstance(result, FeedError) else None)
    if not fetched.asked:
        return _recalled(known, feed, fetched, result, reader)
    deferred = error is not None and cause(error.kind) is Cause.DEFERRED
    tried = _tried(known, feed, fetched, result, failed=error is not None and not deferred)
    if must_switch(known.moved, feed, fetched, error):
        # Its other address is asked before anything is held against the feed.
        return soon(switched(tried), feed, DueReason.FLOOR, ended=fetched.ended)
    if is_lost(known, fetched, error):
        return soon(forgotten(tried), feed, DueReason.FLOOR, ended=fetched.ended)
    if deferred and fetched.error and fetched.error.kind == "out_of_time":
        return soon(tried, feed, DueReason.FLOOR, ended=fetched.ended)
    if deferred:
        return settled(tried, feed, fetched, ended=fetched.ended)
    answered = tried if fetched.error else _answered(tried, feed, fetched, result, reader)
    slowed = _slowed(answered, feed, fetched)
    return settled(judged(slowed, feed, error, fetched.ended), feed, fetched, ended=fetched.ended)


def _tried(
    known: Memory, feed: Feed, fetched: Fetched, result: Reading | FeedError | None, *, failed: bool
) -> Memory:
    """With the attempt itself written down, whatever came of it."""
    tried = replace(
        known,
        attempted_at=fetched.started,
        status=fetched.status,
        redirect=fetched.redirect,
    )
    if feed.is_file:
        return tried
    same = fetched.outcome is Outcome.SAME and known.unreadable is not None
    noise = (
        isinstance(result, Reading)
        and not result.drafts
        and known.processed_hash not in (None, fetched.body_hash)
    )
    health = tallied(known.health, fetched, failed=failed or same, noise=noise)
    return replace(audited(tried, fetched), health=health)


def _answered(
    tried: Memory, feed: Feed, fetched: Fetched, result: Reading | FeedError | None, reader: str
) -> Memory:
    """With what a complete answer says; no error touches any of this."""
    memory = replace(
        learned(heeded(tried, fetched), fetched),
        answered_url=fetched.url,
        is_inside=fetched.is_inside,
        lifetime=renewed(tried.lifetime, fetched),
    )
    memory = _read(memory, feed, fetched, result, reader)
    if memory.unreadable is None:
        memory = replace(memory, moved=followed(memory.moved, feed, fetched))
    return memory


def _read(
    memory: Memory, feed: Feed, fetched: Fetched, result: Reading | FeedError | None, reader: str
) -> Memory:
    """With its body read: with success or not, these bytes need not be read again."""
    if fetched.outcome is not Outcome.NEW:
        return memory
    first = memory.profile is None
    memory = replace(
        memory,
        processed_hash=fetched.body_hash,
        reader=reader,
        unreadable=None,
        unreadable_kind=None,
    )
    if isinstance(result, FeedError):
        return replace(memory, unreadable=str(result), unreadable_kind=result.kind)
    if not isinstance(result, Reading):
        return memory
    posts = recent(memory.posts, posted(result.posted, seen=fetched.ended, first=first))
    changed_at = fetched.ended if result.drafts else memory.changed_at
    if first:
        # Nobody saw the change: what it found tells when it was.
        changed_at = posts[-1] if posts else None
    profile = discreet(named(result.profile, memory.resolved), feed)
    return replace(memory, profile=profile, posts=posts, changed_at=changed_at)


def _slowed(memory: Memory, feed: Feed, fetched: Fetched) -> Memory:
    """With what the answer teaches of how often to ask at the most."""
    if fetched.error and cause(fetched.error.kind) is Cause.THROTTLED:
        return taught(memory, feed.asking, at=fetched.ended)
    return eased(memory, feed.asking, at=fetched.ended)


def _recalled(
    known: Memory, feed: Feed, fetched: Fetched, result: Reading | FeedError | None, reader: str
) -> Memory:
    """With a body from disk read, of which nobody was asked."""
    memory = _read(known, feed, fetched, result, reader)
    error = result if isinstance(result, FeedError) else None
    if known.interrupted and known.attempted_at is not None:
        # What the killed run would have written, had it lived.
        at = known.attempted_at
        memory = replace(memory, validators=fetched.validators, whole_at=at)
        return settled(judged(memory, feed, error, at), feed, fetched, ended=at)
    # A body read anew says nothing about the server, unless it was the body that was at fault.
    was_at_fault = known.error_kind is not None and known.error_kind == known.unreadable_kind
    return judged(memory, feed, error, fetched.ended) if error or was_at_fault else memory
