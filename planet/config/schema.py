"""The settings, for people and for editors: the reference and the JSON Schema.

Both are made from the sections. What they say of a setting is what stands under it in the source.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from datetime import time, timedelta
from enum import StrEnum
from inspect import getdoc, getsource
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from planet.config import sections
from planet.config.kinds import KINDS
from planet.config.nouns import Fetch
from planet.config.sections import shape
from planet.config.settings import Planet
from planet.config.values import spoken
from planet.project import address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from planet.config.sections import Setting, Shape

    Schema = dict[str, Any]
    Paths = dict[type, list[str]]


def json_schema() -> Schema:
    """A JSON Schema of `config.yaml`, in draft-07: the one that every editor knows."""
    definitions: dict[str, Schema] = {}
    section = _section(Planet, definitions)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": address("Config schema"),
        "title": "Configuration of a planet",
        "definitions": dict(sorted(definitions.items())),
        **section,
        "anyOf": [{"required": ["feeds"]}, {"required": ["subscriptions"]}],
    }


def _section(section: type, definitions: dict[str, Schema]) -> Schema:
    settings, words = sections.settings(section), _words(section)
    required = [name for name, setting in settings.items() if setting.is_required]
    return {
        "additionalProperties": False,
        "description": getdoc(section),
        "properties": {
            name: _setting(setting, words.get(name), definitions)
            for name, setting in settings.items()
        },
        **({"required": required} if required else {}),
        "type": "object",
    }


def _setting(setting: Setting, words: str | None, definitions: dict[str, Schema]) -> Schema:
    schema: Schema = {"description": words} if words else {}
    if setting.default not in (None, ()):
        schema["default"] = _as_written(setting.default)
    value = _value(shape(setting.type), definitions)
    # Draft-07 ignores what stands beside a reference.
    return {**schema, **({"allOf": [value]} if schema and "$ref" in value else value)}


def _words(section: type) -> dict[str, str]:
    """What is said of the settings of a section; some of a feed's are said of the planet's."""
    (tree,) = ast.parse(getsource(section)).body
    assert isinstance(tree, ast.ClassDef)
    words = {} if section in (Planet, Fetch) else {**_words(Planet), **_words(Fetch)}
    words = {name: words[name] for name in _SHARED if name in words}
    for field, below in pairwise(tree.body):
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
            words[ast.unparse(field.target)] = " ".join(ast.literal_eval(below.value).split())
    return words


_SHARED: Final = (
    *("content", "future", "new_feed_entries"),
    *("min_interval", "max_interval", "agreed", "timeout", "max_size"),
)
"""Settings of a feed that the planet has as well."""


def _as_written(default: Any) -> Any:
    if isinstance(default, timedelta):
        return spoken(default)
    if isinstance(default, time):
        return f"{default:%H:%M}"
    return str(default) if isinstance(default, ZoneInfo | StrEnum) else default


def _value(wanted: Shape, definitions: dict[str, Schema]) -> Schema:
    """What may be written for a type."""
    if wanted.origin in (tuple, Sequence):
        item = _value(wanted.item, definitions)
        many = {"items": item, "type": "array"}
        return many if wanted.origin is Sequence else {"anyOf": [item, many]}
    if wanted.origin is Mapping:
        value, names = _value(wanted.item, definitions), shape(wanted.inner[0]).kind
        if names is None or "pattern" not in names.schema:
            return {"additionalProperties": value, "type": "object"}
        return {
            "patternProperties": {names.schema["pattern"]: value},
            "propertyNames": {"$comment": names.schema["$comment"]},
            "type": "object",
        }
    if wanted.is_section:
        return _defined(wanted.type, lambda: _section(wanted.type, definitions), definitions)
    if section := wanted.in_place_of_text:
        either = [sections.kind(wanted).schema, _value(shape(section), definitions)]
        return {"oneOf" if wanted.kind and wanted.kind.section else "anyOf": either}
    if not wanted.choices:
        return sections.kind(wanted).schema
    schema = {"enum": list(wanted.choices), "type": "string"}
    if wanted.origin:
        return schema
    about = {"description": getdoc(wanted.type)}
    return _defined(wanted.type, lambda: {**about, **schema}, definitions)


def _defined(type_: Any, make: Callable[[], Schema], definitions: dict[str, Schema]) -> Schema:
    """A reference to the definition of a type, which is made the first time."""
    if type_.__name__ not in definitions:
        definitions[type_.__name__] = make()
    return {"$ref": f"#/definitions/{type_.__name__}"}


_INTRODUCTION: Final = """\
# Settings

<!-- Written by `planet.config.schema.reference()`, and tested to be up to date. To renew it:
python -c 'import planet.config.schema as s; print(s.reference(), end="")' > docs/config.md -->

A planet is described by one file in YAML, `config.yaml`.
Only `title` and one feed are required:

```yaml
title: A planet
feeds:
  - https://example.org/feed.xml
```

`config.example.yaml` shows every setting at work.
Paths start at the folder of the file.
Whatever is wrong is told at once, each mistake with its line and column.

With this as the first line, an editor helps to write the file:

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
    """The page `docs/config.md`: every setting, in Markdown."""
    paths = _paths()
    parts = [_INTRODUCTION.replace("SCHEMA", address("Config schema")), "## The planet\n"]
    parts.append(_table(Planet, paths))
    for section, (first, *others) in paths.items():
        also = f" The same goes for {_list(map(_code, others), 'and')}." if others else ""
        about = " ".join((getdoc(section) or "").split())
        parts += [f"## {_code(first)}\n\n{about}{also}\n", _table(section, paths)]
    return "\n".join(parts)


def _paths() -> Paths:
    """Where each section is found, in the order of the file."""
    paths: Paths = {}
    waiting: list[tuple[str, type]] = [("", Planet)]
    while waiting:
        above, section = waiting.pop(0)
        for setting in sections.settings(section).values():
            for below, suffix in _sections(shape(setting.type)):
                path = f"{above}.{setting.name}{suffix}".lstrip(".")
                if below not in paths:
                    waiting.append((path, below))
                paths.setdefault(below, []).append(path)
    return paths


def _sections(wanted: Shape) -> Iterator[tuple[type, str]]:
    """The sections a setting leads to, each with "[]" when it may be in a list."""
    if wanted.origin in (tuple, Sequence, Mapping):
        suffix = ".<name>" if wanted.origin is Mapping else "[]"
        yield from ((section, suffix + deeper) for section, deeper in _sections(wanted.item))
    elif wanted.is_section:
        yield wanted.type, ""
    elif section := wanted.in_place_of_text:
        yield section, ""


def _table(section: type, paths: Paths) -> str:
    words = _words(section)
    lines = ["| Setting | Kind | Default | |", "|---|---|---|---|"]
    for name, setting in sections.settings(section).items():
        kind = _kind(shape(setting.type), paths)
        default = "required" if setting.is_required else _default(setting)
        lines.append(f"| `{name}` | {kind} | {default} | {words.get(name, '')} |")
    return "\n".join([*lines, ""])


def _kind(wanted: Shape, paths: Paths) -> str:
    """What may be written, in words."""
    if wanted.origin is tuple:
        return f"{_kind(wanted.item, paths)}, or a list of such"
    if wanted.origin is Sequence:
        return f"list of: {_kind(wanted.item, paths)}"
    if wanted.origin is Mapping:
        one = wanted.item
        return f"names, each with {_kind(one, paths)}" if one.is_section else "names with values"
    if wanted.is_section:
        path = paths[wanted.type][0]
        return f"[{_code(path)}](#{re.sub(r'[^a-z_-]', '', path)})"
    if section := wanted.in_place_of_text:
        return f"{_simple(sections.kind(wanted).schema)} or {_kind(shape(section), paths)}"
    if wanted.choices:
        return _list(map(_code, wanted.choices), "or")
    return _simple(sections.kind(wanted).schema)


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
    value = _as_written(setting.default)
    if value in (None, ()):
        return ""
    if shape(setting.type).kind is KINDS["size"]:
        return _code(f"{value // 1024**2}MiB")
    return _code(value if isinstance(value, str) else json.dumps(value))


def _code(text: str) -> str:
    return f"`{text}`"


def _list(parts: Iterable[str], word: str) -> str:
    *most, last = parts
    return f"{', '.join(most)} {word} {last}" if most else last
