"""Edits of a YAML file that leave all else as it is, and how a file is replaced.

The parser gives the place of each value, and three operations change the text there: items are
added to a list, items are removed, an address is replaced. Then the new text is parsed, and must
give exactly the data that is wanted; else the operator is told what to write by hand. This check
is why unusual YAML needs no rule of its own here.

A new item is written in the style of its list: lines with dashes, or brackets. With an item in
lines, comments right below it are removed that are indented deeper than its dash; others stay.
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
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from planet.config import texts, yaml
from planet.config.yaml import Document, KeyPath, Node, dump_list
from planet.errors import ConfigError, OutputError, Place, Problem
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from planet.model import Feed


class Splice(NamedTuple):
    """A change of a text."""

    start: int
    end: int
    new: str
    """What takes the place of the text from start to end."""


FEEDS: Final = "feeds"
_BOM: Final = "\ufeff"
_NO_ITEMS: Final = re.compile(r"(?:\[ *\])?")


class NotEditableError(Exception):
    """An edit that cannot be made, in words that end a sentence."""


def add_items(
    text: str, new: Sequence[str | Mapping[str, Any]], *, file: str, name: str = FEEDS
) -> str:
    """Add items to the end of the list `name` in the text of `file`; the list is made if need be.

    There is at least one. An item is text, or a dict of text, numbers, moments, lists and dicts.

    Raises:
        ConfigError: the file has mistakes, or is not written in a way that can be added to.
    """
    # Mistakes do not matter here: the text after the edit is checked.
    root, lines = _read(text, file).root, dump_list(new)
    items = _read(f"{name}:\n{lines}", file).root.value[name]
    before = root.value.get(name)
    try:
        if not isinstance(before, list | None):
            raise NotEditableError
        meant = {**root.value, name: [*(before or ()), *items]}
        return _splice(
            text, _splice_items_in(text.removeprefix(_BOM), root, name, items, lines), meant, file
        )
    except NotEditableError:
        raise _edit_by_hand_error(
            file, name, f"; write at its end:\n{lines}".rstrip("\n")
        ) from None


def remove_items(text: str, gone: Collection[int], *, file: str, name: str = FEEDS) -> str:
    """Remove the items with these numbers, counted from 0, from the list `name` of a text.

    Raises:
        ConfigError: the file has mistakes, or is not written in a way that can be taken from.
    """
    root = _read(text, file).root
    left = [item for number, item in enumerate(root.value[name]) if number not in gone]
    meant = {**root.value, name: left}
    try:
        return _splice(
            text, _splice_items_out(text.removeprefix(_BOM), root, name, gone), meant, file
        )
    except NotEditableError:
        raise _edit_by_hand_error(file, name) from None


def replace_addresses(text: str, new: Mapping[KeyPath, str], *, file: str) -> str:
    """Replace the addresses at these key paths of a text; the new ones are normalised.

    Raises:
        NotEditableError: something else would be changed, too.
        ConfigError: the file is not YAML.
    """
    root, bare = _read(text, file).root, text.removeprefix(_BOM)
    # A copy: aliases share one object, which must not be changed in all places.
    meant = json.loads(json.dumps(root.value))
    splices = []
    for key_path, url in new.items():
        node, value = root, meant
        for step in key_path[:-1]:
            node, value = node.parts[step], value[step]
        node, value[key_path[-1]] = node.parts[key_path[-1]], url
        splices.append(Splice(node.start, node.end, _format_scalar(bare[node.start], url)))
    return _splice(text, splices, meant, file)


def change_address(text: str, place: Place, new: str, *, file: str) -> str:
    """Change the address of the feed or list at a place of a config without mistakes.

    Raises:
        NotEditableError: the operator has to make the change.
    """
    document = _read(text, file)
    key_path = _find_addresses(document)[place]
    old = (document.node(key_path).text or "").strip()
    if "${" in old:
        raise NotEditableError('; change it by hand: it takes a part from the environment ("${…}")')
    _check_editions(document, old)
    try:
        return replace_addresses(
            text, {key_path: address.normalize(texts.check_address(new))}, file=file
        )
    except ValueError as error:
        raise NotEditableError(f", which {error}") from None


def _check_editions(document: Document, old: str) -> None:
    """Check that no edition names a feed by this address.

    Raises:
        NotEditableError: one does.
    """
    for edition, settings in (document.root.value.get("editions") or {}).items():
        feeds = (settings or {}).get("feeds") or ()
        names = {feeds} if isinstance(feeds, str) else feeds
        if not {old, texts.resolve_address(old, Path())}.isdisjoint(names):
            raise NotEditableError(
                f"; change it by hand, also in editions.{edition}, which names it so"
            )


def find_number(text: str, place: Place, *, file: str) -> int:
    """Return the number of the feed at a place of `file`, for `removed`.

    Raises:
        NotEditableError: the operator has to remove it.
    """
    document = _read(text, file)
    key_path = _find_addresses(document)[place]
    _check_editions(document, (document.node(key_path).text or "").strip())
    return int(key_path[1])


def number_feeds(text: str, *, file: str) -> dict[Place, int]:
    """Return the number of each feed of a file, by the place of its address."""
    key_paths = _find_addresses(_read(text, file)).items()
    return {place: int(number) for place, (section, number, *_) in key_paths if section == FEEDS}


def _find_addresses(document: Document) -> dict[Place, KeyPath]:
    """Return the key path of the address of each feed and list, by its place."""
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
        self._document = _read(path.read_bytes().decode(), str(path))
        self._feeds = {
            place: key_path[:2]
            for place, key_path in _find_addresses(self._document).items()
            if key_path[0] == FEEDS
        }

    def of(self, feed: Feed | None, *setting: str) -> Place | None:
        """Return the place of a setting of a feed, or with None of the planet; None without one."""
        above: KeyPath | None = ()
        if feed is not None:
            # A feed of a list has none.
            above = self._feeds.get(feed.place) if feed.place else None
        if above is None:
            return None
        key_path = (*above, *setting)
        is_there = self._document.key_path(key_path) == key_path
        return self._document.key_place(key_path) if is_there else None


def _read(text: str, file: str) -> Document:
    # Variables are not expanded, because they change no place.
    return yaml.read(text.encode(), file=file, expand=str)


def _splice(text: str, splices: Sequence[Splice], meant: Any, file: str) -> str:
    bare = text.removeprefix(_BOM)
    # From the end, so that earlier places stay right.
    for start, end, new in sorted(splices, reverse=True):
        bare = bare[:start] + new + bare[end:]
    after = _BOM * text.startswith(_BOM) + bare
    try:
        document = _read(after, file)
    except ConfigError:
        raise NotEditableError from None
    if document.problems or document.root.value != meant:
        raise NotEditableError("; change it by hand: other settings use what stands here, too")
    return after


def _edit_by_hand_error(file: str, name: str, more: str = "") -> ConfigError:
    words = f'the list "{name}" of this file can only be changed by hand{more}'
    return ConfigError([Problem(Place(file=file, line=1, column=1), words)])


def _splice_items_in(
    text: str, root: Node, name: str, items: Sequence[Any], lines: str
) -> list[Splice]:
    """Return the splices that add items to a list; `lines` are the items as a block."""
    listed = root.parts.get(name)
    line_break = "\r\n" if "\r\n" in text else "\n"
    splices, head, column = [], "", 2
    if listed is None:
        at, head = len(text), f"{name}:{line_break}"
    elif listed.parts and text[listed.start] == "-":
        column = _column(text, listed)
        at = _item_end(text, listed.parts[len(listed.parts) - 1], column)
    elif text[root.start] == "{" or (listed.parts and text[listed.start] == "["):
        return [_splice_into_brackets(text, listed, items)]
    elif _NO_ITEMS.fullmatch(text, listed.start, listed.end):
        start = len(text[: listed.start].rstrip(" "))
        splices.append(Splice(start, listed.end, ""))
        at = _line_end(text, listed.end)
    else:
        raise NotEditableError
    if at and text[at - 1] != "\n":
        head = line_break + head
    block = re.sub(r"^(?=.)", " " * column, lines, flags=re.MULTILINE)
    return [*splices, Splice(at, at, head + block.replace("\n", line_break))]


def _splice_items_out(text: str, root: Node, name: str, gone: Collection[int]) -> list[Splice]:
    listed = root.parts[name]
    if text[listed.start] == "[":
        return _splice_out_of_brackets(text, listed, gone)
    column = _column(text, listed)
    splices = []
    for number in gone:
        item = listed.parts[number]
        low = listed.parts[number - 1].end - 1 if number else max(listed.start - column - 1, 0)
        start = text.rfind("\n" + " " * column + "-", low, item.start) + 1
        if not start:
            raise NotEditableError
        splices.append(Splice(start, _item_end(text, item, column), ""))
    if gone and len(gone) == len(listed.parts):
        key = re.search(rf"^(['\"]?){name}\1[ \t]*:", text, re.MULTILINE)
        if key is None:
            raise NotEditableError
        splices.append(Splice(key.end(), key.end(), " []"))
    return splices


def _item_end(text: str, item: Node, column: int) -> int:
    """Return the end of the lines of an item whose dash is in this column."""
    # A text in lines ends with its line end.
    end = _line_end(text, item.end - text[: item.end].endswith("\n"))
    deeper = re.compile(rf"(?:(?:[ \t\r]*\n)* {{{column + 1},}}#[^\n]*(?:\n|\Z))*")
    return deeper.match(text, end).end()  # type: ignore[union-attr] # it matches nothing, too


def _column(text: str, node: Node) -> int:
    return node.start - text.rfind("\n", 0, node.start) - 1


def _line_end(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


def _splice_into_brackets(text: str, listed: Node, items: Sequence[Any]) -> Splice:
    pieces = [json.dumps(item, ensure_ascii=False) for item in items]
    if not listed.parts:
        return Splice(listed.start + 1, listed.start + 1, ", ".join(pieces))
    last = listed.parts[len(listed.parts) - 1]
    if "#" in text[last.end : listed.end]:
        raise NotEditableError  # the comment is about the last item, and would be about the new one
    indentation = re.search(r"(\r?\n *)?\Z", text[listed.start : last.start])
    separator = f",{(indentation and indentation[1]) or ' '}"
    return Splice(last.end, last.end, "".join(separator + piece for piece in pieces))


def _splice_out_of_brackets(text: str, listed: Node, gone: Collection[int]) -> list[Splice]:
    """Return the splices that remove items, each with the comma before it or after it."""
    splices, count = [], len(listed.parts)
    for number in sorted(gone):
        start, end = listed.parts[number].start, listed.parts[number].end
        if all(earlier in gone for earlier in range(number)):
            last = number + 1 == count
            before, behind = start, listed.end - 1 if last else listed.parts[number + 1].start
        else:
            before, behind = listed.parts[number - 1].end, end
        if "#" in text[before:start] + text[end:behind]:
            raise NotEditableError  # a comment would go
        splices.append(Splice(before, behind, ""))
    return splices


def _format_scalar(first: str, new: str) -> str:
    """Format an address in the style of the scalar that begins with this character."""
    if first in "&!|>":
        raise NotEditableError("; change it by hand: it has an anchor, a tag, or lines of its own")
    if first in "'\"":
        # A normalised address has no double quotes and no backslashes.
        return first + new.replace(first, first * 2) + first
    return f'"{new}"' if re.search(r"[][{},?]|:$", new) else new


# The file itself


@contextmanager
def lock_folder(path: Path, *, patience: float = 10) -> Iterator[None]:
    """Lock the folder of a file, so that others wait while it is read and written.

    The lock leaves no file behind. Others wait for `patience` seconds at most, because the folder
    may be locked for another reason. Where folders cannot be locked, there is no lock.
    """
    with ExitStack() as stack:
        # Windows cannot open folders, and not every network drive has locks: there, two may write
        # at once. The file itself cannot be locked, because it is replaced.
        with suppress(OSError):
            number = os.open(path.resolve().parent, os.O_RDONLY)
            stack.callback(os.close, number)
            until = time.monotonic() + patience
            while not _try_lock(number) and time.monotonic() < until:
                time.sleep(0.02)
        yield


def _try_lock(number: int) -> bool:
    """Lock an open folder until it is closed; tell whether that worked."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


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
