"""The expressions of workflows, `${{ … }}` and `if:`, as far as they are used here.

A name that is not declared is an error, where GitHub would say nothing.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_WORD = re.compile(r"\s*('(?:[^']|'')*'|\|\||&&|==|!=|[(),]|[\w.*-]+)")
_OPERATORS = {"||": " or ", "&&": " and ", "==": "==", "!=": "!=", "(": "(", ")": ")", ",": ","}


def holds(condition: str | None, known: Mapping[str, Any], *, well: bool, workspace: Path) -> bool:
    """Whether a step or a job is run; if it says nothing of how it went before, only if well."""
    text = condition or "success()"
    functions = {
        "success": lambda: well,
        "always": lambda: True,
        "startsWith": lambda text, start: text.lower().startswith(start.lower()),
        "hashFiles": lambda path: "a-hash" if (workspace / path).is_file() else "",
    }
    found = bool(_value(text, known, functions))
    return found if "success()" in text or "always()" in text else found and well


def filled_in(values: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, str]:
    """Values with what their expressions come to."""
    return {
        name: re.sub(
            r"\$\{\{(.*?)\}\}", lambda found: _text(_value(found[1], known, {})), _text(value)
        )
        for name, value in values.items()
    }


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value or "")


def _value(text: str, known: Mapping[str, Any], functions: Mapping[str, Any]) -> Any:
    """What an expression comes to; a name that is not declared is an error."""

    def look_up(name: str) -> Any:
        if name in known:
            return known[name]
        # An output of a step that is there, but did not say it.
        return known[f"{name.rpartition('.')[0]}.*"]

    source, position = "", 0
    text = text.strip()
    while position < len(text):
        found = _WORD.match(text, position)
        assert found, f"what is {text[position:]!r}?"
        word, position = found[1], found.end()
        if word in _OPERATORS:
            source += _OPERATORS[word]
        elif word.startswith("'"):
            source += repr(word[1:-1].replace("''", "'"))
        elif word in ("true", "false"):
            source += word.title()
        elif text[position : position + 1] == "(":
            source += word
        else:
            source += f"look_up({word!r})"
    return eval(source, {"__builtins__": {}}, {"look_up": look_up, **functions})
