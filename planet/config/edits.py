"""Where settings stand in a YAML file, the file with one thing changed, and how it is replaced.

The marks of the parser say where each value stands, and three operations put other text there:
items go to the end of a list, items go out of a list, an address replaces another one. Then the new
text is read, and must have exactly the data that is meant; else the operator is told what to write
by hand. This proof is why unusual YAML needs no rule of its own here.

A new item takes the style of its list: lines with dashes, or brackets. An item in lines goes with
the comments right below it that are indented deeper than its dash; all other comments stay.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from planet.config import values, yaml
from planet.config.yaml import written
from planet.errors import ConfigError, OutputError, Place, Problem
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from planet.config.yaml import Document, KeyPath, Node
    from planet.model import Feed

    Splice = tuple[int, int, str]
    """Where the text that goes begins and ends, and what comes in its place."""


FEEDS: Final = "feeds"
_BOM: Final = "\ufeff"
_NO_ITEMS: Final = re.compile(r"(?:\[ *\])?")


class LeftError(Exception):
    """An edit that cannot be made, in words that end a sentence."""


def added(
    text: str, new: Sequence[str | Mapping[str, Any]], *, file: str, name: str = FEEDS
) -> str:
    """The text of `file` with more items at the end of the list `name`, which is made if need be.

    There is at least one. An item is text, or a dict of text, numbers, moments, lists and dicts.

    Raises:
        ConfigError: the file has mistakes, or is not written in a way that can be added to.
    """
    root, lines = _read(text, file), written(new)
    items = _read(f"{name}:\n{lines}", file).value[name]
    before = root.value.get(name)
    try:
        if not isinstance(before, list | None):
            raise LeftError
        meant = {**root.value, name: [*(before or ()), *items]}
        return _spliced(text, _with(_bare(text), root, name, items, lines), meant, file)
    except LeftError:
        raise _by_hand(file, name, f"; write at its end:\n{lines}".rstrip("\n")) from None


def removed(text: str, gone: Collection[int], *, file: str, name: str = FEEDS) -> str:
    """The text of `file` without the items of the list `name` with these numbers, counted from 0.

    Raises:
        ConfigError: the file has mistakes, or is not written in a way that can be taken from.
    """
    root = _read(text, file)
    left = [item for number, item in enumerate(root.value[name]) if number not in gone]
    meant = {**root.value, name: left}
    try:
        return _spliced(text, _without(_bare(text), root, name, gone), meant, file)
    except LeftError:
        raise _by_hand(file, name) from None


def moved(text: str, new: Mapping[KeyPath, str], *, file: str) -> str:
    """The text of `file` with other addresses, all normalised, where these key paths lead to.

    Raises:
        LeftError: they cannot be put there, or something else would be changed, too.
        ConfigError: the file is not YAML.
    """
    root, bare = _read(text, file), _bare(text)
    # What several aliases stand for is one object, and not to be changed in all their places.
    meant = json.loads(json.dumps(root.value))
    splices = []
    for key_path, url in new.items():
        node, value = root, meant
        for step in key_path[:-1]:
            node, value = node.parts[step], value[step]
        node, value[key_path[-1]] = node.parts[key_path[-1]], url
        splices.append((node.start, node.end, _as(bare[node.start], url)))
    return _spliced(text, splices, meant, file)


def readdressed(text: str, place: Place, new: str, *, file: str) -> str:
    """The text of `file`, a config without mistakes, when the feed or list at a place has moved.

    Raises:
        LeftError: that is for the operator to write.
    """
    document, _ = yaml.read(text.encode(), file=file, expand=str)
    key_path = _addresses(document)[place]
    old = (document.text(key_path) or "").strip()
    if "${" in old:
        raise LeftError('; change it by hand: it takes a part from the environment ("${…}")')
    _check_editions(document, old)
    try:
        return moved(text, {key_path: address.normalize(values.checked(new))}, file=file)
    except ValueError as error:
        raise LeftError(f", which {error}") from None


def _check_editions(document: Document, old: str) -> None:
    """See whether an edition names a feed by this address, as it is written.

    Raises:
        LeftError: one does.
    """
    for edition, settings in (document.root.value.get("editions") or {}).items():
        feeds = (settings or {}).get("feeds") or ()
        names = {feeds} if isinstance(feeds, str) else feeds
        if not {old, values.located(old, Path())}.isdisjoint(names):
            raise LeftError(f"; change it by hand, also in editions.{edition}, which names it so")


def removable(text: str, place: Place, *, file: str) -> int:
    """Return the number of the feed at a place of `file`, for `removed`.

    Raises:
        LeftError: that is for the operator to remove.
    """
    document, _ = yaml.read(text.encode(), file=file, expand=str)
    key_path = _addresses(document)[place]
    _check_editions(document, (document.text(key_path) or "").strip())
    return int(key_path[1])


def numbers(text: str, *, file: str) -> dict[Place, int]:
    """The numbers of the feeds of a file, by the place where the address of each is written."""
    document, _ = yaml.read(text.encode(), file=file, expand=str)
    key_paths = _addresses(document).items()
    return {place: int(number) for place, (section, number, *_) in key_paths if section == FEEDS}


def _addresses(document: Document) -> dict[Place, KeyPath]:
    """The way to the address of each feed and list, by the place where it is written."""
    key_paths = [
        document.key_path((section, number, "url"))
        for section in (FEEDS, "subscriptions")
        if section in document.root.parts
        for number in document.root.parts[section].parts
    ]
    return {document.place(key_path): key_path for key_path in key_paths}


class Places:
    """The places of settings in a config file that has no mistakes."""

    def __init__(self, path: Path) -> None:
        # The environment moves nothing: it is left out.
        self._document, _ = yaml.read(path.read_bytes(), file=str(path), expand=str)
        self._feeds = {
            place: key_path[:2]
            for place, key_path in _addresses(self._document).items()
            if key_path[0] == FEEDS
        }

    def of(self, feed: Feed | None, *setting: str) -> Place | None:
        """Where a setting of a feed stands, or with None one of the planet; None if nowhere."""
        above: KeyPath | None = ()
        if feed is not None:
            # One that comes from a list has none.
            above = self._feeds.get(feed.place) if feed.place else None
        if above is None:
            return None
        key_path = (*above, *setting)
        is_there = self._document.key_path(key_path) == key_path
        return self._document.key_place(key_path) if is_there else None


def _read(text: str, file: str) -> Node:
    # What is wrong with it must not be so afterwards: only then it is told.
    return yaml.read(text.encode(), file=file, expand=str)[0].root


def _bare(text: str) -> str:
    """The text that marks of the parser are about."""
    return text.removeprefix(_BOM)


def _spliced(text: str, splices: Sequence[Splice], meant: Any, file: str) -> str:
    bare = _bare(text)
    # From the end, so that the places of those that wait still hold.
    for start, end, new in sorted(splices, reverse=True):
        bare = bare[:start] + new + bare[end:]
    after = _BOM * text.startswith(_BOM) + bare
    try:
        document, problems = yaml.read(after.encode(), file=file, expand=str)
    except ConfigError:
        raise LeftError from None
    if problems or document.root.value != meant:
        raise LeftError("; change it by hand: other settings use what stands here, too")
    return after


def _by_hand(file: str, name: str, more: str = "") -> ConfigError:
    words = f'the list "{name}" of this file can only be changed by hand{more}'
    return ConfigError([Problem(Place(file=file, line=1, column=1), words)])


def _with(text: str, root: Node, name: str, items: Sequence[Any], lines: str) -> list[Splice]:
    """A list with these items at its end, which in lines are `lines`."""
    listed = root.parts.get(name)
    line_break = "\r\n" if "\r\n" in text else "\n"
    splices, head, column = [], "", 2
    if listed is None:
        at, head = len(text), f"{name}:{line_break}"
    elif listed.parts and text[listed.start] == "-":
        column = _column(text, listed)
        at = _item_end(text, listed.parts[len(listed.parts) - 1], column)
    elif text[root.start] == "{" or (listed.parts and text[listed.start] == "["):
        return [_into_brackets(text, listed, items)]
    elif _NO_ITEMS.fullmatch(text, listed.start, listed.end):
        start = len(text[: listed.start].rstrip(" "))
        splices.append((start, listed.end, ""))
        at = _line_end(text, listed.end)
    else:
        raise LeftError
    if at and text[at - 1] != "\n":
        head = line_break + head
    block = re.sub(r"^(?=.)", " " * column, lines, flags=re.MULTILINE)
    return [*splices, (at, at, head + block.replace("\n", line_break))]


def _without(text: str, root: Node, name: str, gone: Collection[int]) -> list[Splice]:
    listed = root.parts[name]
    if text[listed.start] == "[":
        return _out_of_brackets(text, listed, gone)
    column = _column(text, listed)
    splices = []
    for number in gone:
        item = listed.parts[number]
        low = listed.parts[number - 1].end - 1 if number else max(listed.start - column - 1, 0)
        start = text.rfind("\n" + " " * column + "-", low, item.start) + 1
        if not start:
            raise LeftError
        splices.append((start, _item_end(text, item, column), ""))
    if gone and len(gone) == len(listed.parts):
        key = re.search(rf"^(['\"]?){name}\1[ \t]*:", text, re.MULTILINE)
        if key is None:
            raise LeftError
        splices.append((key.end(), key.end(), " []"))
    return splices


def _item_end(text: str, item: Node, column: int) -> int:
    """Where the lines end that belong to an item with its dash in this column."""
    # The lines of a text in lines are ended already.
    end = _line_end(text, item.end - text[: item.end].endswith("\n"))
    deeper = re.compile(rf"(?:(?:[ \t\r]*\n)* {{{column + 1},}}#[^\n]*(?:\n|\Z))*")
    return deeper.match(text, end).end()  # type: ignore[union-attr] # it matches nothing, too


def _column(text: str, node: Node) -> int:
    return node.start - text.rfind("\n", 0, node.start) - 1


def _line_end(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


def _into_brackets(text: str, listed: Node, items: Sequence[Any]) -> Splice:
    pieces = [json.dumps(item, ensure_ascii=False) for item in items]
    if not listed.parts:
        return listed.start + 1, listed.start + 1, ", ".join(pieces)
    last = listed.parts[len(listed.parts) - 1]
    if "#" in text[last.end : listed.end]:
        raise LeftError  # the comment is about the last item, and would be about the new one
    indentation = re.search(r"(\r?\n *)?\Z", text[listed.start : last.start])
    separator = f",{(indentation and indentation[1]) or ' '}"
    return last.end, last.end, "".join(separator + piece for piece in pieces)


def _out_of_brackets(text: str, listed: Node, gone: Collection[int]) -> list[Splice]:
    """Each item goes with the comma before it; where all before it go, with the one behind it."""
    splices, count = [], len(listed.parts)
    for number in sorted(gone):
        start, end = listed.parts[number].start, listed.parts[number].end
        if all(earlier in gone for earlier in range(number)):
            last = number + 1 == count
            before, behind = start, listed.end - 1 if last else listed.parts[number + 1].start
        else:
            before, behind = listed.parts[number - 1].end, end
        if "#" in text[before:start] + text[end:behind]:
            raise LeftError  # a comment would go
        splices.append((before, behind, ""))
    return splices


def _as(first: str, new: str) -> str:
    """An address as a scalar that takes the place of one with this first character."""
    if first in "&!|>":
        raise LeftError("; change it by hand: it has an anchor, a tag, or lines of its own")
    if first in "'\"":
        # A normalised address has neither double quotes nor backslashes in it.
        return first + new.replace(first, first * 2) + first
    return f'"{new}"' if re.search(r"[][{},?]|:$", new) else new


# The file itself


@contextmanager
def alone_with(path: Path, *, patience: float = 10) -> Iterator[None]:
    """Keep whoever else comes here from the file, who waits: what is read can be written changed.

    No file of its own is left behind for that. Nobody waits longer than `patience`, in seconds, for
    the folder may be locked by somebody else for a reason of their own; and where folders cannot be
    locked, nobody waits.
    """
    with ExitStack() as stack:
        # Windows opens no folders, and not every network drive has locks: better two at once there
        # than none. The file itself will not do, for it is replaced.
        with suppress(OSError):
            number = os.open(path.resolve().parent, os.O_RDONLY)
            stack.callback(os.close, number)
            until = time.monotonic() + patience
            while not _locked(number) and time.monotonic() < until:
                time.sleep(0.02)
        yield


def _locked(number: int) -> bool:
    """Whether nobody else has a lock on it now; it is ours then, until it is closed."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def write_whole(path: Path, content: bytes) -> None:
    """Put other content into a file, or make it; where the path is a link, what it leads to.

    The file is replaced by one that was written beside it, and so is whole at any moment. It keeps
    its permissions, and its owner where that is allowed.

    Raises:
        OutputError: it cannot be written, and is as it was.
    """
    goal = path.resolve()
    beside = goal.with_name(f".{goal.name}-{secrets.token_hex(4)}")
    try:
        before = goal.stat() if goal.exists() else None
        # Nobody may read what was not to be read, not even before it has its permissions.
        mode = 0o600 if before else 0o666
        number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(number)
            if before:
                with suppress(PermissionError):
                    os.chown(beside, before.st_uid, before.st_gid)
                shutil.copymode(goal, beside)
            beside.replace(goal)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
