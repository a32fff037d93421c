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
from planet.config.sections import make_shape
from planet.config.settings import PlanetSettings
from planet.config.value_kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from planet.config.sections import Setting, Shape

    Schema = dict[str, Any]
    Paths = dict[type, list[str]]


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

In any text, `${NAME}` stands for the environment variable of that name.
This is where passwords belong; one that is not set, or empty, is a mistake.

A word or phrase is found whatever the case, and only as whole words: not `art` in "party".
A regular expression is one of Python's, and is found anywhere in the text.
"""


def reference() -> str:
    """Return the page `docs/config.md` with every setting, in Markdown."""
    paths = _paths()
    parts = [_INTRODUCTION.replace("SCHEMA", project_address("Config schema")), "## The planet\n"]
    words = _Words()
    parts.append(
        _table(PlanetSettings, paths, words.of(PlanetSettings, "[the planet](#the-planet)"))
    )
    for section, (first, *others) in paths.items():
        also = f" The same goes for {_list(map(_code, others), 'and')}." if others else ""
        about = " ".join((getdoc(section) or "").split())
        table = _table(section, paths, words.of(section, _link(first)))
        parts += [f"## {_code(first)}\n\n{about}{also}\n", table]
    return "\n".join(parts)


class _Words(dict[tuple[str, str], str]):
    """The links to where a setting was first described in the same words."""

    def of(self, section: type, link: str) -> dict[str, str]:
        """Return the words about each setting, or where they are if that is shorter."""
        words = words_of(section)
        told = {name: words[name] for name in sections.settings(section) if name in words}
        firsts = {name: self.setdefault((name, text), link) for name, text in told.items()}
        return {
            name: text if firsts[name] == link else min(text, f"As in {firsts[name]}.", key=len)
            for name, text in told.items()
        }


def _paths() -> Paths:
    """Return the paths at which each section may be, in the order of the file."""
    paths: Paths = {}
    waiting: list[tuple[str, type]] = [("", PlanetSettings)]
    while waiting:
        above, section = waiting.pop(0)
        for setting in sections.settings(section).values():
            for below, suffix in _sections(setting.shape):
                path = f"{above}.{setting.name}{suffix}".lstrip(".")
                if below not in paths:
                    waiting.append((path, below))
                paths.setdefault(below, []).append(path)
    return paths


def _sections(wanted: Shape) -> Iterator[tuple[type, str]]:
    """Yield the sections in a setting, each with "[]" when it may be in a list."""
    if wanted.origin in (tuple, Sequence, Mapping):
        suffix = ".<name>" if wanted.origin is Mapping else "[]"
        yield from ((section, suffix + deeper) for section, deeper in _sections(wanted.item))
    elif wanted.is_section:
        yield wanted.type, ""
    elif section := wanted.in_place_of_text:
        yield section, ""


def _link(path: str) -> str:
    return f"[{_code(path)}](#{re.sub(r'[^a-z_-]', '', path)})"


def _table(section: type, paths: Paths, words: Mapping[str, str]) -> str:
    lines = ["| Setting | Kind | Default | |", "|---|---|---|---|"]
    for name, setting in sections.settings(section).items():
        kind = _kind(setting.shape, paths)
        default = "required" if setting.is_required else _default(setting)
        lines.append(f"| `{name}` | {kind} | {default} | {words.get(name, '')} |")
    return "\n".join([*lines, ""])


def _kind(wanted: Shape, paths: Paths) -> str:
    """Describe the values of a setting in words."""
    if wanted.origin is tuple:
        return f"{_kind(wanted.item, paths)}, or a list of such"
    if wanted.origin is Sequence:
        return f"list of: {_kind(wanted.item, paths)}"
    if wanted.origin is Mapping:
        one = wanted.item
        return f"names, each with {_kind(one, paths)}" if one.is_section else "names with values"
    if wanted.is_section:
        return _link(paths[wanted.type][0])
    if section := wanted.in_place_of_text:
        return f"{_simple(sections.kind_of(wanted).schema)} or {_kind(make_shape(section), paths)}"
    if wanted.choices:
        return _list(map(_code, wanted.choices), "or")
    return _simple(sections.kind_of(wanted).schema)


def _simple(schema: Schema) -> str:
    if "$comment" in schema:
        return str(schema["$comment"])
    if "anyOf" in schema:
        return _list(map(_simple, schema["anyOf"]), "or")
    if "enum" in schema:
        return _list(map(_code, schema["enum"]), "or")
    if "const" in schema:
        return _code(schema["const"])
    if schema["type"] == "integer":
        least = f" from {schema['minimum']}" if "minimum" in schema else ""
        most = f" to {schema['maximum']}" if "maximum" in schema else ""
        return f"whole number{least}{most}"
    return {"boolean": "`true` or `false`", "string": "text"}[schema["type"]]


def _default(setting: Setting) -> str:
    value = as_written(setting.default)
    if value in (None, ()):
        return ""
    if setting.shape.kind is KINDS["size"]:
        return _code(f"{value // 1024**2}MiB")
    return _code(value if isinstance(value, str) else json.dumps(value))


def _code(text: str) -> str:
    return f"`{text}`"


def _list(parts: Iterable[str], word: str) -> str:
    *most, last = parts
    return f"{', '.join(most)} {word} {last}" if most else last


if __name__ == "__main__":
    print(reference(), end="")
