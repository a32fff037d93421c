"""What is known of a feed → the answer to "why is there nothing of it?", in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet import address
from planet.address import redacted
from planet.explain.nouns import Answer
from planet.report import GIVEN_UP, because
from planet.schedule import next_poll, rests
from planet.schedule.advice import advice
from planet.schedule.known import known_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.explain.nouns import Known
    from planet.explain.terms import Terms
    from planet.model import Feed, HostMemory, Memory


def state(feed: Feed, known: Known, terms: Terms) -> Answer:
    """How it goes with a feed, and when something new of it can show."""
    memory = known_of(feed, known.memories.get(feed.key))
    asked_at = memory.asked_url or feed.url
    host = known.hosts.get(address.host(asked_at))
    code, words = _state(feed, memory, host, known, terms)
    said = advice(feed, known.memories.get(feed.key))
    told = (*words, said.words) if said and feed.enabled else tuple(words)
    name = known.names[feed.key]
    url = redacted(feed.written_url)
    subject = name if name == url else f"{name} ({url})"
    return Answer(reason=code, subject=subject, words=told)


def _state(
    feed: Feed, memory: Memory, host: HostMemory | None, known: Known, terms: Terms
) -> tuple[str, list[str]]:
    shown = sum(verdict.is_shown and verdict.entry.feed == feed.key for verdict in known.verdicts)
    count = f"{shown} of its entries are shown." if shown != 1 else "One of its entries is shown."
    if not feed.enabled:
        place = f" ({feed.place})" if feed.place else ""
        return "disabled", [f"This feed is switched off in the config, by `enabled`{place}."]
    if memory.given_up:
        words = f"This feed is not asked any more: {GIVEN_UP[memory.given_up]}."
        return "given_up", [words, count]
    if memory.attempted_at is None:
        return "never_asked", [
            "This feed was never asked.",
            *_next(feed, memory, host, known, terms),
        ]
    if memory.interrupted:
        return "interrupted", [
            f"A run that asked this feed at {terms.moment(memory.attempted_at)} was cut short.",
            *_next(feed, memory, host, known, terms),
        ]
    if memory.failures:
        return "failing", [
            *_failing(memory, terms),
            count,
            *_next(feed, memory, host, known, terms),
        ]
    if memory.succeeded_at is None and not feed.is_file:
        # What was held against it is forgotten once `planet retry` was told to.
        words = f"This feed was last asked at {terms.moment(memory.attempted_at)}, and never read."
        return "never_read", [words, *_next(feed, memory, host, known, terms)]
    answered = memory.succeeded_at or memory.attempted_at
    words = f"This feed was last read at {terms.moment(answered)}, and all was well. {count}"
    return "ok", [words, *_next(feed, memory, host, known, terms)]


def _failing(memory: Memory, terms: Terms) -> Iterator[str]:
    times = f"{memory.failures} times in a row" if memory.failures > 1 else "once"
    yield f"This feed has failed {times}: {memory.error}."
    if memory.succeeded_at is None:
        yield "It was never read."
    else:
        yield f"It was last read at {terms.moment(memory.succeeded_at)}; what it said stays."


def _next(
    feed: Feed, memory: Memory, host: HostMemory | None, known: Known, terms: Terms
) -> Iterator[str]:
    """When it is asked next, for what it lists since then."""
    if feed.is_file:
        yield "It is a file, which every run reads."
        return
    if rests(host, now=known.now) and host is not None and host.rests_until is not None:
        yield f"Its server is to be left alone until {terms.moment(host.rests_until)}."
        return
    at, reason = next_poll(feed, memory, host)
    if at is None or at <= known.now:
        yield "It is due: the next `planet build` asks it."
        return
    why = f" ({because(memory, reason)})" if reason else ""
    yield f"It is asked again at {terms.moment(at)}{why}; what it has listed since comes then."
