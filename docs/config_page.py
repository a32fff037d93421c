"""Write the page of all settings: `python -m docs.config_page > docs/config.md`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from inspect import getdoc
from typing import TYPE_CHECKING, Any, Final

from docs.config_schema import as_written, words_of
from planet import project_address
from planet.config import sections
from planet.config.kinds import KINDS
from planet.config.sections import find_section, look_into
from planet.config.settings import PlanetSettings

if TYPE_CHECKING:
    from collections.abc import Iterable


_INTRODUCTION: Final = """\
# Settings

For people who write the config of a planet.

<!-- Written by `docs.config_page`, and tested to be up to date. To renew it:
python -m docs.config_page > docs/config.md -->

A planet is one file in YAML, `config.yaml`.
Only `title` and one feed are required:

```yaml
title: A planet
feeds:
  - https://example.org/feed.xml
```

[config.example.yaml](../config.example.yaml) shows every setting at work.
`planet check` tells every mistake, with its line and column.
Paths start at the folder of the file.
With this as the first line, an editor helps to write it:

```yaml
# yaml-language-server: $schema=SCHEMA
```

## Values

| Kind | How it is written |
|---|---|
| duration | one number and one unit: `90s`, `30m`, `3h`, `2d`, `4w` |
| size | a number of bytes, or one number and one unit: `500kB`, `8MiB` |
| language tag | as in BCP 47: `en`, `pt-BR` |
| time zone | as in the IANA database: `Europe/Berlin` |
| feed address | a web address, or the path of a file |
| pattern | `word`, `some phrase`, `/regex/`, or `/regex/i` to ignore case |

Every value is text until its setting reads it.
So `language: no`, `at: 07:00` and `title: 2024` need no quotes.
A setting without a value is not set; a list of one item may be written as that item.
In any text, `${NAME}` stands for the environment variable of that name.
This is where passwords belong; one that is not set, or empty, is a mistake.

A word or phrase is found whatever the case, and only as whole words: not `art` in "party".
A regular expression is one of Python's, and is found anywhere in the text.
"""


def reference() -> str:
    """Return the page `docs/config.md` with every setting, in Markdown."""
    paths = _paths()
    parts = [_INTRODUCTION.replace("SCHEMA", project_address("Config schema")), "## The planet\n"]
    parts.append(_table(PlanetSettings, paths))
    for section, (first, *others) in paths.items():
        also = f" The same goes for {_list(map(_code, others), 'and')}." if others else ""
        about = " ".join((getdoc(section) or "").split())
        parts += [f"## {_code(first)}\n\n{about}{also}\n", _table(section, paths)]
    return "\n".join(parts)


def _paths() -> dict[type, list[str]]:
    """Return the paths at which each section may be, in the order of the file."""
    paths: dict[type, list[str]] = {}
    waiting: list[tuple[str, type]] = [("", PlanetSettings)]
    while waiting:
        above, section = waiting.pop(0)
        for name, field in sections.settings(section).items():
            if (below := find_section(field.type)) is None:
                continue
            origin = look_into(field.type).origin
            suffix = "[]" if origin in (tuple, Sequence) else ".<name>" if origin is Mapping else ""
            path = f"{above}.{name}{suffix}".lstrip(".")
            if below not in paths:
                waiting.append((path, below))
            paths.setdefault(below, []).append(path)
    return paths


def _link(path: str) -> str:
    return f"[{_code(path)}](#{re.sub(r'[^a-z_-]', '', path)})"


def _table(section: type, paths: Mapping[type, list[str]]) -> str:
    lines, words = ["| Setting | Kind | Default | |", "|---|---|---|---|"], words_of(section)
    # A section that has all of another one, and more: these are told once.
    shared = next((base for base in section.__mro__[1:] if base in paths), None)
    told = sections.settings(shared) if shared else {}
    if shared:
        lines = [f"All settings of {_link(paths[shared][0])}, and:\n", *lines]
    for name, field in sections.settings(section).items():
        if name in told:
            continue
        kind = _kind(field.type, paths)
        default = "required" if field.required else _default(field)
        lines.append(f"| `{name}` | {kind} | {default} | {words.get(name, '')} |")
    return "\n".join([*lines, ""])


def _kind(type_: Any, paths: Mapping[type, list[str]]) -> str:
    """Describe the values of a setting in words."""
    shape = look_into(type_)
    if shape.kind:
        return _NAMES.get(id(shape.kind)) or _simple(shape.kind.schema)
    if shape.origin in (tuple, Sequence):
        return f"{_kind(shape.inner[0], paths)}, or a list of such"
    if shape.origin is Mapping:
        one = _kind(shape.inner[1], paths)
        return f"names, each with {one}"
    if shape.origin is bool:
        return "`true` or `false`"
    if sections.is_section(shape.origin):
        link = _link(paths[shape.origin][0])
        short = getattr(shape.origin, "short", None)
        if short is None:
            return link
        return f"{_kind(sections.settings(shape.origin)[short].type, paths)} or {link}"
    return _list(map(_code, sections.choices_of(shape)), "or")


_NAMES: Final = {
    id(KINDS["text"]): "text",
    id(KINDS["pattern"]): "pattern, or patterns by the part of an entry, or a list of such",
    id(KINDS["profiles"]): "names with addresses, or with names there",
    id(KINDS["headers"]): "names with texts",
}
"""Kinds that are described by a name of their own."""


def _simple(schema: dict[str, Any]) -> str:
    if "$comment" in schema:
        return str(schema["$comment"])
    if "anyOf" in schema:
        return _list(map(_simple, schema["anyOf"]), "or")
    if "const" in schema:
        return _code(schema["const"])
    if schema["type"] == "integer":
        least = f" from {schema['minimum']}" if "minimum" in schema else ""
        most = f" to {schema['maximum']}" if "maximum" in schema else ""
        return f"whole number{least}{most}"
    names = {"boolean": "`true` or `false`", "string": "text", "number": "number"}
    return names[schema["type"]]


def _default(field: Any) -> str:
    value = as_written(field.default)
    if value is None:
        return ""
    if look_into(field.type).kind is KINDS["size"]:
        return _code(f"{value // 1024**2}MiB")
    return _code(value if isinstance(value, str) else json.dumps(value))


def _code(text: str) -> str:
    return f"`{text}`"


def _list(parts: Iterable[str], word: str) -> str:
    *most, last = parts
    return f"{', '.join(most)} {word} {last}" if most else last


if __name__ == "__main__":
    print(reference(), end="")
