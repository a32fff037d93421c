"""New entries → a program of the operator's → what it makes of them, in the store.

The program gets an entry a line, as the site's `feed.json` has it, and answers each with a line:
the entry, or `null`. What it says is cleaned as what a feed says. It has no shell, and nothing of
an entry is in its arguments or its environment.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec.structs import replace

from planet.errors import FeedError
from planet.model import ContentMode, Picks, Transformed, TransformOutcome
from planet.report import format_count, printable
from planet.run.open import cleaning
from planet.run.read import ReadOptions, read
from planet.store import TransformResult
from planet.text.html import MAX_EXCERPT
from planet.text.plain import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from planet.config import Config
    from planet.model import Entry, Feed, NewEntry, ParseResult, Text
    from planet.report import Report
    from planet.run.open import Run


_TOGETHER: Final = 1000
"""Entries for one process: what they say has to be held, and is lost with one that fails."""
_SECONDS: Final = 60.0
_SECONDS_AN_ENTRY: Final = 2.0
_ENVIRONMENT: Final = ("HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ") + (
    ("SYSTEMROOT", "TEMP", "TMP", "USERPROFILE") if sys.platform == "win32" else ()
)

_TEXT: Final = ("raw", "content", "links", "cleaning")
_FIELDS: Final[Mapping[str, Sequence[str]]] = {
    "title": ("title",),
    "url": ("link",),
    "external_url": ("link",),
    "content_html": _TEXT,
    "content_text": _TEXT,
    "summary": ("summary",),
    "image": ("image",),
    "banner_image": ("image",),
    "date_published": ("published",),
    "date_modified": ("updated",),
    "authors": ("authors",),
    "tags": ("categories",),
    "language": ("language",),
    "attachments": ("enclosures",),
}
"""By the members of an item that a program may change, the fields of an entry that then change."""


class TransformError(Exception):
    """A program failed; the message goes on after its name."""


def transform(config: Config, feeds: Sequence[Feed], *, run: Run, report: Report) -> None:
    """Let the operator's programs make what they make of the entries that wait for them.

    There is one process for each program, unless more than a thousand entries wait. When a program
    fails, its entries stay as their feeds say them and wait for the next run, and the report says
    so.
    """
    by_key = {feed.key: feed for feed in feeds if feed.picks is Picks.ALSO}
    if not any(feed.transform for feed in feeds):
        return
    waiting: dict[tuple[str, ...], list[int]] = {}
    for key, numbers in run.store.transforms.waiting().items():
        if key in by_key and (command := by_key[key].transform):
            waiting.setdefault(command, []).extend(numbers)
    for command, numbers in waiting.items():
        failed: Counter[str] = Counter()
        for start in range(0, len(numbers), _TOGETHER):
            batch = numbers[start : start + _TOGETHER]
            results = _run_program(command, batch, config, by_key, run)
            run.store.transforms.put(results)
            made = (transformed for _, transformed in results.values())
            failed.update(one.detail for one in made if one.outcome is TransformOutcome.FAILED)
        if failed:
            reason, *others = failed
            more = f" (and {format_count(len(others), 'other reason')})" if others else ""
            entries = format_count(failed.total(), "entry stays", "entries stay")
            report.notice(
                f"transform: {' '.join(command)} {reason}{more}; {entries} as sent until it works"
            )


def _run_program(
    command: Sequence[str],
    numbers: Sequence[int],
    config: Config,
    feeds: Mapping[str, Feed],
    run: Run,
) -> dict[int, TransformResult]:
    """Return what a program makes of entries, by their numbers."""
    entries = {entry.number: entry for entry in run.store.entries.by_number(numbers)}
    items = _make_items(entries.values(), config, feeds, run)
    name = " ".join(command)
    try:
        answers = ask(
            command,
            [json.dumps(item, ensure_ascii=False).encode() for item in items.values()],
            folder=config.path.parent,
            seconds=_SECONDS + _SECONDS_AN_ENTRY * len(items),
        )
    except TransformError as error:
        words = printable(run.redactor.redact(str(error)))
        failure = Transformed(outcome=TransformOutcome.FAILED, command=name, detail=words)
        return dict.fromkeys(items, TransformResult({}, failure))
    results: dict[int, TransformResult] = {}
    calls: dict[int, tuple[ProgramAnswer, Future[ParseResult | FeedError]]] = {}
    for (number, item), line in zip(items.items(), answers, strict=True):
        answer = _read_answer(line, item)
        detail = ", ".join(answer.details)
        transformed = Transformed(outcome=answer.outcome, command=name, detail=detail)
        results[number] = TransformResult({}, transformed)
        if answer.outcome is TransformOutcome.CHANGED:
            calls[number] = answer, run.workers.call(_reader(line, entries[number], config, run))
    texts = run.store.texts.read(list(calls))
    for number, (answer, call) in calls.items():
        parsed, transformed = call.result(), results[number].transformed
        changes: Mapping[str, Any] = {}
        if isinstance(parsed, FeedError) or not parsed.drafts:
            words = "answers with an entry that cannot be read"
            transformed = replace(transformed, outcome=TransformOutcome.FAILED, detail=words)
        else:
            entry, text = entries[number], texts.get(number)
            changes = _find_changes(parsed.drafts[0], answer.details, entry, text)
            transformed = replace(transformed, digest=answer.digest)
        results[number] = TransformResult(changes, transformed)
    return results


def _make_items(
    entries: Collection[Entry], config: Config, feeds: Mapping[str, Feed], run: Run
) -> dict[int, dict[str, Any]]:
    """Return the entries as `feed.json` has them, whole, by their numbers."""
    # Imported here: most planets have no program.
    from planet.run.texts import texts_of
    from planet.site.feeds.jsonfeed import item, source_of
    from planet.timeline.assemble import make_rules
    from planet.timeline.edition import sources

    whole = {key: replace(feed, content=ContentMode.FULL) for key, feed in feeds.items()}
    keys = {entry.feed for entry in entries}
    shown_as = sources(
        (whole[key] for key in keys), run.store.states(), {}, run.store.entries.origins()
    )
    contents = texts_of(config, run)([entry.number for entry in entries])
    posts = map(make_rules(config, whole, shown_as).make_post, entries)
    return {
        post.entry.number: item(post, contents.get(post.entry.number), source_of(post.source))
        for post in posts
    }


class ProgramAnswer(NamedTuple):
    """A line that a program answers."""

    outcome: TransformOutcome
    details: Sequence[str] = ()
    """The members that are others, or what failed."""
    digest: str = ""


def _read_answer(line: bytes, sent: Mapping[str, Any]) -> ProgramAnswer:
    """Return what a program made of the item that it was sent."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        return _fail("answers with a line that is no JSON")
    if answer is None:
        return ProgramAnswer(TransformOutcome.DROPPED)
    if not isinstance(answer, dict):
        return _fail("answers with a line that is neither an object nor null")
    if answer.get("id", sent["id"]) != sent["id"]:
        return _fail("answers with another entry than it was sent: the order must stay")
    others = [name for name in _FIELDS if answer.get(name) != sent.get(name)]
    digest = blake2b(line, digest_size=8).hexdigest()
    return ProgramAnswer(
        TransformOutcome.CHANGED if others else TransformOutcome.SAME, others, digest
    )


def _fail(words: str) -> ProgramAnswer:
    return ProgramAnswer(TransformOutcome.FAILED, (words,))


def _reader(line: bytes, entry: Entry, config: Config, run: Run) -> Callable[[], ParseResult]:
    """Return what reads an answer: as a feed with one entry, and so with its limits."""
    return partial(
        read,
        b'{"version": "https://jsonfeed.org/version/1.1", "items": [' + line + b"]}",
        url=entry.link or "",
        content_type="application/feed+json",
        options=ReadOptions(cleaning=cleaning(config), redactor=run.redactor),
    )


def _find_changes(
    draft: NewEntry, others: Sequence[str], entry: Entry, text: Text | None
) -> dict[str, Any]:
    """Return the fields of an entry that differ; what JSON Feed has no member for stays."""
    names = {name for member in others for name in _FIELDS[member]}
    changes = {name: getattr(draft, name) for name in names}
    was_excerpt = text is not None and entry.summary == (plain(text, MAX_EXCERPT) or None)
    if "raw" in changes and "summary" not in changes and (was_excerpt or not entry.summary):
        changes["summary"] = (plain(draft.raw, MAX_EXCERPT) or None) if draft.raw else None
    return changes


def ask(
    command: Sequence[str], lines: Sequence[bytes], *, folder: Path, seconds: float
) -> list[bytes]:
    """Return the lines that a program answers to these, one for each.

    It runs in `folder`, where its path starts, and is killed with all that it started when it has
    taken so many seconds, and when it has ended.

    Raises:
        TransformError: it cannot be started, is killed, fails, or answers with more or fewer lines.
    """
    place = folder.absolute()
    environ = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    try:
        process = subprocess.Popen(  # noqa: S603 - the operator named it
            [str(place / command[0]), *command[1:]],
            cwd=place,
            env={"LANG": "C.UTF-8", **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise TransformError(f"cannot be started: {error.strerror}") from None
    with process:
        try:
            answer, words = process.communicate(b"".join(line + b"\n" for line in lines), seconds)
        except subprocess.TimeoutExpired:
            reason = f"takes longer than {seconds:g} seconds and was ended"
            raise TransformError(reason) from None
        finally:
            _kill(process)
    if code := process.returncode:
        last = printable(words.decode(errors="replace").strip().rpartition("\n")[2])
        how = f"was ended by signal {-code}" if code < 0 else f"fails with exit code {code}"
        raise TransformError(f"{how}: {last}" if last else how)
    answers = answer.removesuffix(b"\n").split(b"\n") if answer else []
    if len(answers) != len(lines):
        given = format_count(len(lines), "entry", "entries")
        raise TransformError(f"answers with {format_count(len(answers), 'line')} to {given}")
    return answers


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program, and all that it started, which may hold its pipes."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
