"""The text of a list → the same with items put in or taken out. Pure; nothing is proven here.

What is put in comes to the end of the list, in the style the list has: in lines with dashes, or in
brackets. What goes takes its own lines with it and no others.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from planet.config.spans import setting
from planet.config.yamlwriter import written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.config.spans import Setting

_INDENTATION: Final = 2
_DASH: Final = re.compile(r"^( *)-(?=\s)", re.MULTILINE)
_REST_OF_LINE: Final = re.compile(r"[^\r\n]*+")
_LINE: Final = re.compile(r"( *+)([^\r\n]*+)(?:\r\n?|\n|\Z)")
_COMMA: Final = re.compile(r"(?:\s++|#[^\r\n]*+)*+,")
_COLON: Final = re.compile(r"\s*:")


class LeftError(Exception):
    """The list is not written in a way that can be changed."""


def with_items(text: str, new: Sequence[str | Mapping[str, Any]], name: str) -> str:
    """The text with items at the end of the list `name`, which is made if it is not there.

    Raises:
        LeftError: that cannot be done.
    """
    listed = _found(text, name)
    if listed is None:
        if _is_json(text):
            raise LeftError
        return f"{_ended(text)}{name}:{_break(text)}{_lines(new, text, _INDENTATION)}"
    start, end = listed.value.start, listed.value.end
    if not listed.in_brackets:
        column = _dash(text, listed, len(listed.items) - 1)[1]
        at = _after(text, listed.items[-1].end, column, of_list=True)
    elif re.fullmatch(r"\[ *\]", text[start:end]) and not _is_json(text):
        head = text[:start].rstrip(" ")
        column = _INDENTATION
        at = _line_end(text, end) - (end - len(head))
        text = head + text[end:]
    else:
        return _in_brackets(text, listed, [json.dumps(each, ensure_ascii=False) for each in new])
    head = _ended(text[:at])
    return head + _lines(new, text, column) + text[at:]


def _found(text: str, name: str) -> Setting | None:
    try:
        return setting(text, name)
    except ValueError:
        raise LeftError from None


def _lines(new: Sequence[Any], text: str, column: int) -> str:
    """Items in lines that begin with a dash, which stands in a column of its own."""
    lines = re.sub(r"^(?=.)", " " * column, written(new), flags=re.MULTILINE)
    return lines.replace("\n", _break(text))


def _ended(text: str) -> str:
    """The text with its last line ended."""
    if not text or text.endswith(("\n", "\r")):
        return text
    return text + _break(text)


def _break(text: str) -> str:
    """How the lines of the text end."""
    return "\r\n" if "\r\n" in text else "\n"


def _is_json(text: str) -> bool:
    return text.lstrip("\ufeff \t\r\n").startswith("{")


def _in_brackets(text: str, listed: Setting, pieces: Sequence[str]) -> str:
    if not listed.items:
        at = listed.value.start + 1
        if text[at - 1] != "[":
            raise LeftError
        return text[:at] + ", ".join(pieces) + text[at:]
    last = listed.items[-1]
    comma = _COMMA.match(text, last.end)
    after = comma.end() if comma else last.end
    end = _line_end(text, after, with_break=False)
    indentation = text[text.rfind("\n", 0, last.start) + 1 : last.start]
    in_lines = not indentation.strip(" ") and "\n" in text[: last.start]
    between = f",{_break(text)}{indentation}" if in_lines else ", "
    block = between.join(pieces) + ("," if comma else "")
    if in_lines and re.fullmatch(r"\s*(?:#.*)?", text[after:end]):
        # What is said of the last item, on its line, stays there.
        head = text[:after] + ("" if comma else ",") + text[after:end]
        return head + between[1:] + block + text[end:]
    return text[:after] + (between[1:] if comma else between) + block + text[after:]


def without_item(text: str, number: int, name: str) -> str:
    """The text without one item of the list `name`, by its number from 0.

    Raises:
        LeftError: that cannot be done.
    """
    listed = _found(text, name)
    if listed is None:
        raise LeftError
    if listed.in_brackets:
        return _out_of_brackets(text, listed, number)
    dash, column = _dash(text, listed, number)
    end = _after(text, listed.items[number].end, column, of_list=False)
    text = text[:dash] + text[end:]
    if len(listed.items) == 1 and (colon := _COLON.match(text, listed.key.end)):
        text = f"{text[: colon.end()]} []{text[colon.end() :]}"
    return text


def _out_of_brackets(text: str, listed: Setting, number: int) -> str:
    start, end = listed.items[number].start, listed.items[number].end
    if comma := _COMMA.match(text, end):
        between = text[end : comma.end() - 1].lstrip(" ")
        head, rest = text[:start], text[comma.end() :]
        if number and rest.lstrip(" ").startswith("]"):
            head = head.rstrip(" ")
        else:
            rest = rest.lstrip(" ")
        text, start = head + between + rest, len(head)
    elif number and (comma := _COMMA.match(text, listed.items[number - 1].end)):
        between = text[comma.end() : start].rstrip(" ")
        if not text[end : _line_end(text, end)].strip():
            between = re.sub(r"\r?\n\Z", "", between)
        return text[: comma.end() - 1] + between + text[end:]
    else:
        text = text[:start] + text[end:]
    first, last = text.rfind("\n", 0, start) + 1, _line_end(text, start)
    # No line is left where nothing stands any more.
    return text if text[first:last].strip() else text[:first] + text[last:]


def _dash(text: str, listed: Setting, number: int) -> tuple[int, int]:
    """Where the line with the dash of an item begins, and in which column the dash is."""
    low = listed.items[number - 1].end if number else listed.key.end
    found = [*_DASH.finditer(text, low, listed.items[number].start)]
    if len(found) != 1:
        raise LeftError
    return found[0].start(), len(found[0][1])


def _after(text: str, end: int, column: int, *, of_list: bool) -> int:
    """Where the lines end that belong to an item, or to the list that it is the last one of.

    To an item belong the comments below it that are indented deeper than its dash; to the list
    also those that stand right below it and are indented like it.
    """
    own = at = end if text[:end].endswith(("\n", "\r")) else _line_end(text, end)
    is_close = True
    while at < len(text):
        found = _LINE.match(text, at)
        assert found is not None, "every line has an end"
        is_close = is_close and bool(found[2])
        if found[2] and not found[2].startswith("#"):
            break
        at = found.end()
        depth = len(found[1])
        if found[2] and (depth > column or (of_list and is_close and depth == column > 0)):
            own = at
    return own


def _line_end(text: str, at: int, *, with_break: bool = True) -> int:
    pattern = _LINE if with_break else _REST_OF_LINE
    found = pattern.match(text, at)
    assert found is not None, "every line has an end"
    return found.end()
