"""Edits of a YAML file: lines go in or out, and all other lines stay.

The parser gives the place of each item. The result is parsed again, and compared with the wanted
content. A list without a line and a dash for each item is left to the operator, with the lines to
write.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from planet.config import yaml
from planet.config.yaml import Document, KeyPath, dump_list
from planet.errors import ConfigError, OutputError, Place, Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from planet.model import Feed


FEEDS: Final = "feeds"


def add_items(
    text: str, new: Sequence[str | Mapping[str, Any]], *, file: str, name: str = FEEDS
) -> str:
    """Add items to the end of the list `name` in the text of `file`; a missing list is made.

    An item is text, or a dict of text, numbers, moments, lists and dicts.

    Raises:
        ConfigError: the file has mistakes, or items without lines; with the lines to write.
    """
    document, block = yaml.read(text, file=file), dump_list(new)
    way_out = f"; make its items lines with dashes, and add:\n{block}".rstrip()
    lines, end = text.splitlines(keepends=True), "\r\n" if "\r\n" in text else "\n"
    before, node = document.data.get(name) or [], document.node((name,))
    column = 2
    if before and not (isinstance(before, list) and not node.flow_style):
        raise _left_to_operator(file, name, way_out)
    if before:
        column = node.start_mark.column
        at = _end_of(node, lines, column)
    elif (name,) in document.keys:
        # What stands there is empty; a comment behind it stays.
        at = document.key_place((name,)).line
        lines[at - 1] = re.sub(r":.*?(?=\s*(#.*)?$)", ":", lines[at - 1].rstrip())
    else:
        lines.append(f"{name}:")
        at = len(lines)
    # The last line of a file may have no end.
    lines = [line if line.endswith("\n") else line + end for line in lines]
    lines[at:at] = [" " * column + line + end if line else end for line in block.split("\n")[:-1]]
    items = yaml.read(f"{name}:\n{block}", file=file).data[name]
    return _check("".join(lines), {**document.data, name: [*before, *items]}, file, name, way_out)


def remove_items(text: str, gone: Collection[int], *, file: str, name: str = FEEDS) -> str:
    """Remove the items with these numbers, counted from 0, from the list `name` of a text.

    Comments below an item, indented deeper than the dash, go as well.

    Raises:
        ConfigError: the file has mistakes, or items without lines of their own.
    """
    if not gone:
        return text
    document, lines = yaml.read(text, file=file), text.splitlines(keepends=True)
    node, before = document.node((name,)), document.data.get(name)
    if not isinstance(before, list) or node.flow_style:
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
        ConfigError: another value would change as well, or a text needs other quotes.
    """
    document, lines = yaml.read(text, file=file), text.splitlines(keepends=True)
    new = {document.find(key_path): value for key_path, value in new.items()}
    marks = {key_path: document.node(key_path).start_mark for key_path in new}
    for key_path in sorted(new, key=lambda path: -marks[path].index):
        mark, before = marks[key_path], str(document.text(key_path))
        line = lines[mark.line]
        rest = line[mark.column :].replace(before, new[key_path], 1)
        lines[mark.line] = line[: mark.column] + rest
    after = "".join(lines)
    with suppress(ConfigError):
        if yaml.read(after, file=file).texts() == {**document.texts(), **new}:
            return after
    raise _left_to_operator(file, str(next(iter(new))[0]))


def _end_of(node: Any, lines: Sequence[str], column: int) -> int:
    """Return the line after an item and the comments indented deeper than the dash."""
    while isinstance(node.value, list) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    end: int = node.end_mark.line + (node.end_mark.column > 0)
    for at in range(end, len(lines)):
        # Blank lines belong to what comes after them, but between such comments.
        if re.match(rf" {{{column + 1},}}#", lines[at]):
            end = at + 1
        elif lines[at].strip():
            break
    return end


def _check(text: str, meant: Any, file: str, name: str, way_out: str = "") -> str:
    """Return a text, if a parser finds the wanted content."""
    with suppress(ConfigError):
        document = yaml.read(text, file=file)
        if document.data == meant and not document.problems:
            return text
    raise _left_to_operator(file, name, way_out)


def _left_to_operator(file: str, name: str, way_out: str = "") -> ConfigError:
    words = f'"{name}" of this file can only be changed by hand{way_out}'
    return ConfigError([Problem(Place(file=file, line=1, column=1), words)])


# Places


def find_addresses(document: Document) -> dict[Place, KeyPath]:
    """Return the key paths of the addresses of feeds and lists, by place."""
    lists = {name: document.data.get(name, []) for name in (FEEDS, "subscriptions")}
    # One feed may stand without a list around.
    counts = {name: len(one) if isinstance(one, list) else 1 for name, one in lists.items()}
    key_paths = ((name, number, "url") for name in counts for number in range(counts[name]))
    return {document.place(key_path): key_path for key_path in key_paths}


class Places:
    """The places of settings in a config file without mistakes."""

    def __init__(self, path: Path) -> None:
        self._document = yaml.read(path.read_bytes().decode(), file=str(path))
        self._addresses = find_addresses(self._document)

    def of(self, feed: Feed | None, *setting: str) -> Place | None:
        """Return the place of a setting of a feed, or with None of the planet; None without one."""
        key_path: KeyPath = setting
        if feed is not None:
            # A feed of a list has none.
            address = self._addresses.get(feed.place) if feed.place else None
            key_path = (*address[:2], *setting) if address else ()
        return self._document.key_place(key_path) if key_path in self._document.keys else None


# The file itself


@contextmanager
def lock_folder(path: Path) -> Iterator[None]:
    """Lock the folder of a file: other processes wait for the end of a change.

    The lock leaves no file behind. The file itself cannot be locked: a new one takes the name.
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
    """Replace a file, or the target of a link.

    The new file is written beside the old one first: a reader never sees half of a file.
    Permissions stay, and the owner where the system allows.

    Raises:
        OutputError: the file cannot be written, and stays as before.
    """
    goal = path.resolve()
    beside = goal.with_name(f".{goal.name}-{secrets.token_hex(4)}")
    try:
        # Not readable for others, also before the permissions are those of the old file.
        mode = 0o600 if goal.exists() else 0o666
        number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(number)
            if goal.exists():
                before = goal.stat()
                with suppress(PermissionError):
                    os.chown(beside, before.st_uid, before.st_gid)
                shutil.copymode(goal, beside)
            beside.replace(goal)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
