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
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from planet.errors import FeedError
from planet.model import ContentMode, Picks, Text, TextKind, Transformed, TransformOutcome
from planet.report import format_count, printable
from planet.run.open import cleaning
from planet.run.read import ReadOptions, read
from planet.store import TransformResult
from planet.text.html import MAX_EXCERPT
from planet.text.plain import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from planet.config import Config
    from planet.model import Entry, Feed, NewEntry, ParseResult
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
_CHANGEABLE: Final = (
    *("title", "link", "summary", "image", "published", "updated", "authors", "categories"),
    *("language", "enclosures"),
)
"""The fields of an entry that a program may change beside its text."""


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
    for key, numbers in run.store.entries.untransformed().items():
        if key in by_key and (command := by_key[key].transform):
            waiting.setdefault(command, []).extend(numbers)
    for command, numbers in waiting.items():
        failed: Counter[str] = Counter()
        for start in range(0, len(numbers), _TOGETHER):
            batch = numbers[start : start + _TOGETHER]
            results = _run_program(command, batch, config, by_key, run)
            run.store.entries.put_transformed(results)
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
    items = _make_items(run.store.entries.by_number(numbers), config, feeds, run)
    options = ReadOptions(cleaning=cleaning(config), redactor=run.redactor)

    def result(outcome: TransformOutcome, detail: str = "", digest: str = "") -> TransformResult:
        name, words = " ".join(command), printable(run.redactor.redact(detail))
        return TransformResult(
            {}, Transformed(outcome=outcome, command=name, detail=words, digest=digest)
        )

    try:
        lines = ask(
            command,
            [json.dumps(item, ensure_ascii=False).encode() for item in items.values()],
            folder=config.path.parent,
            seconds=_SECONDS + _SECONDS_AN_ENTRY * len(items),
        )
    except TransformError as error:
        return dict.fromkeys(items, result(TransformOutcome.FAILED, str(error)))
    results: dict[int, TransformResult] = {}
    calls: dict[int, Future[ParseResult | FeedError]] = {}
    for (number, sent), line in zip(items.items(), lines, strict=True):
        try:
            answer = _read_answer(line, sent)
        except TransformError as error:
            results[number] = result(TransformOutcome.FAILED, str(error))
            continue
        if answer is None or answer == sent:
            outcome = TransformOutcome.SAME if answer else TransformOutcome.DROPPED
            results[number] = result(outcome)
            continue
        others = [name for name in {**sent, **answer} if answer.get(name) != sent.get(name)]
        digest = blake2b(line, digest_size=8).hexdigest()
        results[number] = result(TransformOutcome.CHANGED, ", ".join(others), digest)
        calls[number] = run.workers.call(
            read, _make_feed(sent, answer), url="", content_type=None, options=options
        )
    for number, call in calls.items():
        parsed = call.result()
        if isinstance(parsed, FeedError) or len(parsed.drafts) < 2:
            words = "answers with an entry that cannot be read"
            results[number] = result(TransformOutcome.FAILED, words)
        else:
            results[number] = results[number]._replace(changes=_find_changes(*parsed.drafts))
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


def _read_answer(line: bytes, sent: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the item that a program answers; None where it drops the entry.

    Raises:
        TransformError: it is neither.
    """
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise TransformError("answers with a line that is no JSON") from None
    if answer is None:
        return None
    if not isinstance(answer, dict):
        raise TransformError("answers with a line that is neither an object nor null")
    if answer.get("id", sent["id"]) != sent["id"]:
        raise TransformError("answers with another entry than it was sent: the order must stay")
    return {**answer, "_planet": sent["_planet"]}


def _make_feed(sent: Mapping[str, Any], answer: Mapping[str, Any]) -> bytes:
    """Return a feed of two entries, with an item as it was sent and as it came back."""
    text = Text(value=sent.get("content_html") or "", kind=TextKind.HTML)
    if answer.get("summary") == sent.get("summary") == (plain(text, MAX_EXCERPT) or None):
        # The excerpt is made anew of the text that came back.
        answer = {**answer, "summary": None}
    items = [{**sent, "id": "sent"}, {**answer, "id": None}]
    return json.dumps({"version": "https://jsonfeed.org/version/1.1", "items": items}).encode()


def _find_changes(sent: NewEntry, answer: NewEntry) -> dict[str, Any]:
    """Return the fields of an entry that differ; what JSON Feed has no member for stays."""
    names = [name for name in _CHANGEABLE if getattr(answer, name) != getattr(sent, name)]
    if answer.raw != sent.raw:
        names += _TEXT
    return {name: getattr(answer, name) for name in names}


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
