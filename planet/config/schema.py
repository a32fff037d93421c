"""The JSON Schema of the file: for editors, for the reference, and for suggestions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from datetime import time, timedelta
from enum import StrEnum
from inspect import getdoc
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from planet.config import sections
from planet.config.sections import shape
from planet.config.settings import Planet
from planet.config.values import spoken
from planet.project import address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from planet.config.sections import Setting, Shape
    from planet.config.yaml import RedirectChain


Schema = dict[str, Any]


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
    known = sections.settings(section)
    properties = {name: _setting(each, definitions) for name, each in known.items()}
    required = [name for name, each in known.items() if each.is_required]
    return {
        "additionalProperties": False,
        "description": getdoc(section),
        "properties": properties,
        **({"required": required} if required else {}),
        "type": "object",
    }


def _setting(setting: Setting, definitions: dict[str, Schema]) -> Schema:
    schema: Schema = {"description": setting.about} if setting.about else {}
    if setting.default not in (None, ()):
        schema["default"] = _as_written(setting.default)
    value = _values(shape(setting.type), definitions)
    # Draft-07 ignores what stands beside a reference.
    return {**schema, **({"allOf": [value]} if schema and "$ref" in value else value)}


def _as_written(default: Any) -> Any:
    if isinstance(default, timedelta):
        return spoken(default)
    if isinstance(default, time):
        return f"{default:%H:%M}"
    return str(default) if isinstance(default, ZoneInfo | StrEnum) else default


def _values(wanted: Shape, definitions: dict[str, Schema]) -> Schema:
    """What may be written for a type."""
    if wanted.origin in (tuple, Sequence):
        item = _values(shape(wanted.inner[0], wanted.kind), definitions)
        many = {"items": item, "type": "array"}
        return many if wanted.origin is Sequence else {"anyOf": [item, many]}
    if wanted.origin is Mapping:
        return _named_values(wanted, definitions)
    if is_dataclass(wanted.type) and wanted.kind is None:
        return _defined(wanted.type, lambda: _section(wanted.type, definitions), definitions)
    if section := sections.in_place_of_text(wanted):
        either = [sections.kind(wanted).schema, _values(shape(section), definitions)]
        return {"oneOf" if wanted.kind and wanted.kind.section else "anyOf": either}
    if wanted.kind is None and (choices := sections.named(wanted)):
        schema = {"enum": list(choices), "type": "string"}
        if wanted.origin:
            return schema
        about = {"description": getdoc(wanted.type)}
        return _defined(wanted.type, lambda: {**about, **schema}, definitions)
    return sections.kind(wanted).schema


def _named_values(wanted: Shape, definitions: dict[str, Schema]) -> Schema:
    names, item = (shape(each, wanted.kind) for each in wanted.inner)
    value = _values(item, definitions)
    if not names.kind or "pattern" not in names.kind.schema:
        return {"additionalProperties": value, "type": "object"}
    return {
        "patternProperties": {names.kind.schema["pattern"]: value},
        "propertyNames": {"$comment": names.kind.schema["$comment"]},
        "type": "object",
    }


def _defined(type_: Any, make: Callable[[], Schema], definitions: dict[str, Schema]) -> Schema:
    """A reference to the definition of a type, which is made the first time."""
    if type_.__name__ not in definitions:
        definitions[type_.__name__] = make()
    return {"$ref": f"#/definitions/{type_.__name__}"}


def settings_in(schema: Schema, location: RedirectChain) -> dict[str, Schema]:
    """The settings that may stand at a place of the file, each with its schema."""
    part, found = schema, _settings(schema, schema)
    for step in location:
        # What has a name of the operator's own is the same under every name.
        named = list(part.get("patternProperties", {}).values())
        inner = found[step] if step in found else named[0] if named else None
        if isinstance(step, str) and inner is not None:
            part, found = inner, _settings(schema, inner)
    return found


def _settings(schema: Schema, part: Schema) -> dict[str, Schema]:
    """The properties of a part of the schema, or of the items of a list."""
    if "$ref" in part:
        return _settings(schema, schema["definitions"][part["$ref"].rpartition("/")[2]])
    found: dict[str, Schema] = dict(part.get("properties", {}))
    for inner in (each for key in ("allOf", "anyOf", "oneOf") for each in part.get(key, ())):
        found |= _settings(schema, inner)
    if "items" in part:
        found |= _settings(schema, part["items"])
    return found


_INTRODUCTION: Final = """\
# Settings

<!-- Written by `planet.config.reference()`, and tested to be up to date. To renew it:
python -c 'import planet.config as c; print(c.reference(), end="")' > docs/config.md -->

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
    """The whole page."""
    introduction = _INTRODUCTION.replace("SCHEMA", address("Config schema"))
    return "\n".join([introduction, *_sections()])


def _sections() -> Iterator[str]:
    schema = json_schema()
    paths = _paths(schema)
    yield "## The planet\n"
    yield _table(schema, schema, paths)
    for name, (first, *others) in paths.items():
        section = schema["definitions"][name]
        also = f" The same goes for {_list(map(_code, others), 'and')}." if others else ""
        about = " ".join(section["description"].split())
        yield f"## {_code(first)}\n\n{about}{also}\n"
        yield _table(section, schema, paths)


def _paths(schema: Schema) -> dict[str, list[str]]:
    """Where each definition with settings of its own is found, in the order of the file."""
    paths: dict[str, list[str]] = {}
    waiting = [("", schema)]
    while waiting:
        above, section = waiting.pop(0)
        for name, setting in section["properties"].items():
            for definition, suffix in _definitions(setting, "").items():
                below = schema["definitions"][definition]
                path = f"{above}.{name}{suffix}".lstrip(".")
                if "properties" in below and definition not in paths:
                    waiting.append((path, below))
                if "properties" in below:
                    paths.setdefault(definition, []).append(path)
    return paths


def _definitions(part: Schema, suffix: str) -> dict[str, str]:
    """The definitions a setting leads to, each with "[]" when it may be in a list."""
    found = {_name(part["$ref"]): suffix} if "$ref" in part else {}
    for each in (each for key in ("allOf", "anyOf", "oneOf") for each in part.get(key, ())):
        found |= _definitions(each, suffix)
    for each in _named(part):
        found |= _definitions(each, ".<name>")
    return found | _definitions(part.get("items", {}), "[]") if part else found


def _named(part: Schema) -> list[Schema]:
    """What stands under names that the operator chooses."""
    named = list(part.get("patternProperties", {}).values())
    more = part.get("additionalProperties")
    return [*named, more] if isinstance(more, dict) else named


def _table(section: Schema, schema: Schema, paths: Mapping[str, list[str]]) -> str:
    lines = ["| Setting | Kind | Default | |", "|---|---|---|---|"]
    for name, setting in section["properties"].items():
        kind = _kind(setting, schema, paths)
        default = "required" if name in section.get("required", ()) else _default(setting)
        lines.append(f"| `{name}` | {kind} | {default} | {setting.get('description', '')} |")
    return "\n".join([*lines, ""])


def _kind(part: Schema, schema: Schema, paths: Mapping[str, list[str]]) -> str:
    """What may be written, in words."""
    if "$ref" in part:
        name = _name(part["$ref"])
        if name not in paths:
            return _kind(schema["definitions"][name], schema, paths)
        return f"[{_code(paths[name][0])}](#{re.sub(r'[^a-z_-]', '', paths[name][0])})"
    inner = [each for key in ("allOf", "anyOf", "oneOf") for each in part.get(key, ())]
    if len(inner) == 2 and inner[1].get("items") == inner[0]:
        return f"{_kind(inner[0], schema, paths)}, or a list of such"
    if inner:
        return _list((_kind(each, schema, paths) for each in inner), "or")
    if "items" in part:
        return f"list of: {_kind(part['items'], schema, paths)}"
    if named := _named(part):
        sections = [_kind(each, schema, paths) for each in named if "$ref" in each]
        return f"names, each with {sections[0]}" if sections else "names with values"
    return _simple(part)


def _simple(part: Schema) -> str:
    if "$comment" in part:
        return str(part["$comment"])
    if "enum" in part:
        return _list(map(_code, part["enum"]), "or")
    if "const" in part:
        return _code(part["const"])
    if part["type"] == "integer":
        least = f" from {part['minimum']}" if "minimum" in part else ""
        most = f" to {part['maximum']}" if "maximum" in part else ""
        return f"whole number{least}{most}"
    return {"boolean": "`true` or `false`", "string": "text"}[part["type"]]


def _default(setting: Schema) -> str:
    if "default" not in setting:
        return ""
    value = setting["default"]
    if any(each.get("$comment") == "size" for each in setting.get("anyOf", ())):
        return _code(f"{value // 1024**2}MiB")
    return _code(value if isinstance(value, str) else json.dumps(value))


def _code(text: str) -> str:
    return f"`{text}`"


def _list(parts: Iterable[str], word: str) -> str:
    *most, last = parts
    return f"{', '.join(most)} {word} {last}" if most else last


def _name(reference: str) -> str:
    return reference.rpartition("/")[2]
