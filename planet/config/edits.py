"""Edits of a YAML file that leave all else as it is: lines go in or out, and the result is checked.

The parser gives the place of each item. A list that is not written in lines with dashes is left to
the operator, who is told what to write. Nothing is written that does not say exactly what is meant.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import sys
from contextlib import ExitStack, contextmanager, suppress
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from planet.config import yaml
from planet.config.yaml import Document, KeyPath, dump_list, has_dashes, last_part
from planet.errors import ConfigError, OutputError, Place, Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from planet.model import Feed


FEEDS: Final = "feeds"


def add_items(
    text: str, new: Sequence[str | Mapping[str, Any]], *, file: str, name: str = FEEDS
) -> str:
    """Add items to the end of the list `name` in the text of `file`; the list is made if need be.

    An item is text, or a dict of text, numbers, moments, lists and dicts.

    Raises:
        ConfigError: the file has mistakes, or is not written in lines; it says what to write.
    """
    document, block = yaml.read(text, file=file), dump_list(new)
    lines, end = text.splitlines(keepends=True), "\r\n" if "\r\n" in text else "\n"
    before = document.data.get(name) or []
    node, column = document.node((name,)), 2
    if before and (not has_dashes(node) or not isinstance(before, list)):
        raise _left_to_operator(file, name, f"; write at its end:\n{block}".rstrip())
    if before:
        column = node.start_mark.column
        at = _end_of(node, lines, column)
    else:
        keys = (key for key, _ in document.root.value if key.value == name)
        line = next((key.start_mark.line for key in keys), None)
        if line is None:
            lines.append(f"{name}:")
            at = len(lines)
        else:
            # What stands there is empty; a comment behind it stays.
            lines[line] = re.sub(r":.*?(?=\s*(#.*)?$)", ":", lines[line].rstrip())
            at = line + 1
    # The last line of a file may have no end.
    lines = [line if line.endswith("\n") else line + end for line in lines]
    lines[at:at] = [" " * column + line + end if line else end for line in block.split("\n")[:-1]]
    items = yaml.read(f"{name}:\n{block}", file=file).data[name]
    meant = {**document.data, name: [*before, *items]}
    return _check("".join(lines), meant, file, name, f"; write at its end:\n{block}".rstrip())


def remove_items(text: str, gone: Collection[int], *, file: str, name: str = FEEDS) -> str:
    """Remove the items with these numbers, counted from 0, from the list `name` of a text.

    Comments that are indented deeper than an item's dash go with it.

    Raises:
        ConfigError: the file has mistakes, or is not written in lines.
    """
    document, lines = yaml.read(text, file=file), text.splitlines(keepends=True)
    node, before = document.node((name,)), document.data.get(name) or []
    if not gone:
        return text
    if not has_dashes(node):
        raise _left_to_operator(file, name)
    column = node.start_mark.column
    for number in sorted(gone, reverse=True):
        first = node.value[number].start_mark.line
        # The item may begin on a line below its dash.
        while first > 0 and not lines[first].startswith(" " * column + "-"):
            first -= 1
        del lines[first : _end_of(node.value[number], lines, column)]
    left = [item for number, item in enumerate(before) if number not in gone]
    after = "".join(lines)
    if not left:
        after = re.sub(rf"(?m)^{name}:", f"{name}: []", after)
    return _check(after, {**document.data, name: left}, file, name)


def replace_texts(text: str, new: Mapping[KeyPath, str], *, file: str) -> str:
    """Replace the texts at these key paths, such as addresses.

    Raises:
        ConfigError: something else would change with them.
    """
    document = yaml.read(text, file=file)
    # A copy of each: aliases share one object, which must not be changed in all places.
    meant = deepcopy(document.data)
    bare = text.removeprefix("\ufeff")
    nodes = {key_path: document.node(key_path) for key_path in new}
    for key_path in sorted(new, key=lambda path: -nodes[path].start_mark.index):
        value: Any = meant
        for step in key_path[:-1]:
            value = value[step]
        value[key_path[-1]] = new[key_path]
        start, end = nodes[key_path].start_mark.index, nodes[key_path].end_mark.index
        quote = bare[start] if bare[start] in "\"'" else ""
        written = f"{quote}{new[key_path]}{quote}"
        if not re.fullmatch(r"[\w:/.~-]+\w", new[key_path]):
            # A text of JSON is one of YAML.
            written = json.dumps(new[key_path], ensure_ascii=False)
        bare = bare[:start] + written + bare[end:]
    name = str(next(iter(new), (FEEDS,))[0])
    return _check("\ufeff" * text.startswith("\ufeff") + bare, meant, file, name)


def _end_of(node: Any, lines: Sequence[str], column: int) -> int:
    """Return the line after an item and the comments that are indented deeper than its dash."""
    mark = last_part(node).end_mark
    end: int = mark.line + (mark.column > 0)
    at = end
    while at < len(lines) and re.match(rf" {{{column + 1},}}#|\s*$", lines[at]):
        at += 1
        # Blank lines belong to what comes after them, but between such comments.
        end = at if lines[at - 1].strip() else end
    return end


def _check(text: str, meant: Any, file: str, name: str, more: str = "") -> str:
    """Return a text that means what it is to mean."""
    with suppress(ConfigError):
        document = yaml.read(text, file=file)
        if document.data == meant and not document.problems:
            return text
    raise _left_to_operator(file, name, more)


def _left_to_operator(file: str, name: str, more: str = "") -> ConfigError:
    words = f'"{name}" of this file can only be changed by hand{more}'
    return ConfigError([Problem(Place(file=file, line=1, column=1), words)])


# Places


def find_addresses(document: Document) -> dict[Place, KeyPath]:
    """Return the key path of the address of each feed and list, by its place."""
    key_paths = [
        document.key_path((section, number, "url"))
        for section in (FEEDS, "subscriptions")
        if isinstance(items := document.data.get(section), list)
        for number in range(len(items))
    ]
    return {document.place(key_path): key_path for key_path in key_paths}


class Places:
    """The places of settings in a config file that has no mistakes."""

    def __init__(self, path: Path) -> None:
        self._document = yaml.read(path.read_bytes().decode(), file=str(path))
        self._addresses = find_addresses(self._document)

    def of(self, feed: Feed | None, *setting: str) -> Place | None:
        """Return the place of a setting of a feed, or with None of the planet; None without one."""
        above: KeyPath | None = ()
        if feed is not None:
            # A feed of a list has none.
            address = self._addresses.get(feed.place) if feed.place else None
            above = address and address[:2]
        if above is None:
            return None
        key_path = (*above, *setting)
        there = self._document
        return there.key_place(key_path) if there.has(key_path) else None


# The file itself


@contextmanager
def lock_folder(path: Path) -> Iterator[None]:
    """Lock the folder of a file, so that others wait while it is read and written.

    The lock leaves no file behind. The file itself cannot be locked, because it is replaced.
    """
    with ExitStack() as stack:
        # Not every network drive has locks, and Windows none of folders: there, two may write at
        # once.
        if sys.platform != "win32":
            import fcntl

            with suppress(OSError):
                number = os.open(path.resolve().parent, os.O_RDONLY)
                stack.callback(os.close, number)
                fcntl.flock(number, fcntl.LOCK_EX)
        yield


def read_text(path: Path) -> str:
    """Return the text of a file with its line ends; an empty text where there is no file."""
    return path.read_bytes().decode() if path.exists() else ""


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, or the one that a link leads to, by replacing it.

    The new file is written beside it first, so that it is whole at any moment. It keeps its
    permissions, and its owner where that is allowed.

    Raises:
        OutputError: it cannot be written, and stays as it was.
    """
    goal = path.resolve()
    beside = goal.with_name(f".{goal.name}-{secrets.token_hex(4)}")
    try:
        before = goal.stat() if goal.exists() else None
        # Not readable for others, also before it gets its permissions.
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
