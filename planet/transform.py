"""New entries → a program of the operator's → changed entries, in the store.

The program gets an entry a line, in the form of the site's `feed.json`, and answers each with a
line: the entry, or `null`. Answers are cleaned like feeds. There is no shell, and nothing of an
entry in arguments or environment.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from planet.errors import FeedError
from planet.model import ContentMode, NewEntry, Picks, Text, TextKind, Transformed, TransformOutcome
from planet.report import format_count, printable
from planet.run.open import cleaning
from planet.run.read import ReadOptions, read
from planet.store import TransformResult
from planet.text.html import MAX_EXCERPT
from planet.text.plain import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from planet.config import Config
    from planet.model import Entry, Feed
    from planet.report import Report
    from planet.run.open import Run


_TOGETHER: Final = 1000
"""Entries for one process: what they say has to be held, and is lost with one that fails."""
_SECONDS: Final = 60.0
_SECONDS_AN_ENTRY: Final = 2.0
_ENVIRONMENT: Final = ("HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ")
"""Variables that a program gets."""
_FAILED: Final = TransformOutcome.FAILED
_VERSION: Final = "https://jsonfeed.org/version/1.1"
_TEXT: Final = ("raw", "content", "links", "cleaning")
_KEPT: Final = {"id", "digest", "rank"}
"""Fields of an entry that no program changes."""


class TransformError(Exception):
    """A program failed; the message goes on after its name."""


def transform(config: Config, feeds: Sequence[Feed], *, run: Run, report: Report) -> None:
    """Give the waiting entries to the operator's programs, and store the answers.

    There is one process for each program, unless more than a thousand entries wait. When a program
    fails, the entries stay as sent and wait for the next run, and the report says so.
    """
    by_key = {feed.key: feed for feed in feeds if feed.picks is Picks.ALSO}
    if not any(feed.transform for feed in feeds):
        return
    waiting: dict[tuple[str, ...], list[int]] = {}
    for key, numbers in run.store.entries.find_untransformed().items():
        if key in by_key and (command := by_key[key].transform):
            waiting.setdefault(command, []).extend(numbers)
    for command, numbers in waiting.items():
        failed: list[str] = []
        for start in range(0, len(numbers), _TOGETHER):
            entries = run.store.entries.by_number(numbers[start : start + _TOGETHER])
            results = _run_program(command, _make_items(entries, config, by_key, run), config, run)
            run.store.entries.put_transformed(results)
            made = (transformed for _, transformed in results.values())
            failed += [one.detail for one in made if one.outcome is TransformOutcome.FAILED]
        if failed:
            stay = format_count(len(failed), "entry stays", "entries stay")
            report.notice(
                f"transform: {' '.join(command)} {failed[0]}; {stay} as sent until it works"
            )


def _run_program(
    command: Sequence[str], items: Mapping[int, dict[str, Any]], config: Config, run: Run
) -> dict[int, TransformResult]:
    """Return the results of a program for items, by the numbers of the entries."""
    lines = [json.dumps(item, ensure_ascii=False).encode() for item in items.values()]
    seconds = _SECONDS + _SECONDS_AN_ENTRY * len(items)
    answers: Sequence[bytes | TransformError]
    try:
        answers = ask(command, lines, folder=config.path.parent, seconds=seconds)
    except TransformError as error:
        answers = [error] * len(items)
    results = {}
    for (number, sent), answer in zip(items.items(), answers, strict=True):
        outcome, detail, changes = _read_answer(answer, sent, config, run)
        transformed = Transformed(
            outcome=outcome,
            command=" ".join(command),
            detail=printable(run.redactor.redact(detail)),
            digest=blake2b(repr(changes).encode(), digest_size=8).hexdigest() if changes else "",
        )
        results[number] = TransformResult(changes, transformed)
    return results


def _make_items(
    entries: Collection[Entry], config: Config, feeds: Mapping[str, Feed], run: Run
) -> dict[int, dict[str, Any]]:
    """Return the entries as `feed.json` has them, whole, by their numbers."""
    # Imported here: most planets have no program.
    from planet.run.edition import Texts
    from planet.site.feeds.jsonfeed import item
    from planet.timeline.assemble import make_rules
    from planet.timeline.edition import sources

    whole = {key: replace(feed, content=ContentMode.FULL) for key, feed in feeds.items()}
    keys = {entry.feed for entry in entries}
    shown_as = sources((whole[key] for key in keys), run.store.states(), {}, entries)
    contents = Texts(config, run)([entry.number for entry in entries])
    posts = map(make_rules(config, whole, shown_as).make_post, entries)
    return {post.entry.number: item(post, contents.get(post.entry.number)) for post in posts}


def _read_answer(
    line: bytes | TransformError, sent: Mapping[str, Any], config: Config, run: Run
) -> tuple[TransformOutcome, str, Mapping[str, Any]]:
    """Return outcome, changed members or reason of a failure, and the changes of the entry."""
    if isinstance(line, TransformError):
        return _FAILED, str(line), {}
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = ""
    if answer is None:
        return TransformOutcome.DROPPED, "", {}
    if not isinstance(answer, dict):
        return _FAILED, "answers with a line that is neither a JSON object nor null", {}
    if answer.get("id", sent["id"]) != sent["id"]:
        return _FAILED, "answers with another entry than it was sent: the order must stay", {}
    answer["_planet"] = sent["_planet"]
    names = [name for name in {**sent, **answer} if answer.get(name) != sent.get(name)]
    if not names:
        return TransformOutcome.SAME, "", {}
    text = Text(value=sent.get("content_html") or "", kind=TextKind.HTML)
    if answer.get("summary") == sent.get("summary") == (plain(text, MAX_EXCERPT) or None):
        # The excerpt is made anew of the text that came back.
        answer["summary"] = None
    # Both are read as a feed is read: what differs then is what the program has changed.
    feed = {"version": _VERSION, "items": [{**sent, "id": "sent"}, {**answer, "id": None}]}
    options = ReadOptions(cleaning=cleaning(config), redactor=run.redactor)
    body = json.dumps(feed).encode()
    parsed = run.workers.call(read, body, url="", content_type=None, options=options).result()
    if isinstance(parsed, FeedError) or len(parsed.drafts) < 2:
        return _FAILED, "answers with an entry that cannot be read", {}
    before, after = parsed.drafts
    fields = [name for name in NewEntry.__struct_fields__ if name not in _KEPT]
    changed = [name for name in fields if getattr(after, name) != getattr(before, name)]
    changed += _TEXT if after.raw != before.raw else ()
    changes = {name: getattr(after, name) for name in changed}
    return TransformOutcome.CHANGED, ", ".join(names), changes


def ask(
    command: Sequence[str], lines: Sequence[bytes], *, folder: Path, seconds: float
) -> list[bytes]:
    """Return a program's answers to lines, one for each.

    The path of the program starts in `folder`, and so does the program. After so many seconds, and
    at the end, all its processes are killed.

    Raises:
        TransformError: no start, no end in time, a failure, or more or fewer lines.
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
            # With all that it started, which may hold its pipes.
            if sys.platform == "win32":
                process.kill()
            else:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
    if code := process.returncode:
        last = printable(words.decode(errors="replace").strip().rpartition("\n")[2])
        raise TransformError(f"fails with exit code {code}: {last or 'it says nothing'}")
    answers = answer.removesuffix(b"\n").split(b"\n") if answer else []
    if len(answers) != len(lines):
        raise TransformError(f"answers {len(lines)} entries with {len(answers)} lines")
    return answers
