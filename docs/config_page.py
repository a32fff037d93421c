"""Write the page of all settings: `python -m docs.config_page > docs/config.md`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from docs.config_schema import Schema, json_schema
from planet import documentation, project_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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
With this as the first line, an editor helps to write it:

```yaml
# yaml-language-server: $schema=SCHEMA
```

## Values

In brackets are the kind of a value, if it is not text, and its default; of several words it is
the first.

- duration: `90s`, `30m`, `3h`, `2d`, `4w`
- size: bytes, or `500kB`, `8MiB`
- switch: `true` or `false`
- path: from the folder of the config
- feed address: a web address, or the path of a file
- language tag: `en`, `pt-BR`
- time zone: `Europe/Berlin`
- pattern: a word or phrase, found whatever the case and as whole words (not `art` in "party");
  or `/regex/`, as in Python and found anywhere, `/regex/i` to ignore case

`language: no`, `at: 07:00` and `title: 2024` need no quotes.
A list of one item may be written as that item.
In any text, `${NAME}` stands for the environment variable of that name.
This is where passwords belong; one that is not set, or empty, is a mistake.
"""


def reference() -> str:
    """Return the page `docs/config.md` with every setting, in Markdown, from the schema."""
    schema = json_schema()
    paths = _find_paths(schema)
    told: dict[tuple[str, str], str] = {}
    parts = [_INTRODUCTION.replace("SCHEMA", project_address("Config schema"))]
    parts += ["## The planet\n", *_settings(schema, "[the planet](#the-planet)", paths, told)]
    for name, (first, *others) in paths.items():
        section = schema["definitions"][name]
        also = f" The same goes for {_list(map(_code, others), 'and')}." if others else ""
        about = " ".join((section["description"] or "").split())
        parts += [f"## {_code(first)}\n\n{about}{also}\n"]
        parts += _settings(section, _link(first), paths, told)
    return "\n".join(parts)


def _find_paths(schema: Schema) -> dict[str, list[str]]:
    """Return the paths at which each section may be, in the order of the file."""
    paths: dict[str, list[str]] = {}
    waiting: list[tuple[str, Schema]] = [("", schema)]
    while waiting:
        above, section = waiting.pop(0)
        for name, setting in section["properties"].items():
            for below, suffix in _find_sections(setting):
                path = f"{above}.{name}{suffix}".lstrip(".")
                if below not in paths:
                    waiting.append((path, schema["definitions"][below]))
                paths.setdefault(below, [])
                if path not in paths[below]:
                    paths[below].append(path)
    return paths


def _find_sections(value: Schema) -> Iterator[tuple[str, str]]:
    """Yield the section in a value, if there is one, with the end of its path."""
    if "$comment" in value:
        return
    if "$ref" in value:
        yield _section_name(value), ""
    parts = [("", part) for part in value.get("anyOf", ())]
    parts += [("[]", value["items"])] if "items" in value else []
    parts += [(".<name>", value["additionalProperties"])] if value.get("type") == "object" else []
    # One in a list may be written without it; the list is what the page tells of.
    found = [(name, suffix + end) for suffix, part in parts for name, end in _find_sections(part)]
    yield from found[-1:]


def _section_name(reference: Schema) -> str:
    return str(reference.get("$ref")).rpartition("/")[2]


def _settings(
    section: Schema, link: str, paths: Mapping[str, list[str]], told: dict[tuple[str, str], str]
) -> Iterator[str]:
    """Yield a line for each setting; those that a section before has told of share one."""
    again: dict[str, list[str]] = {}
    for name, setting in section["properties"].items():
        value = setting["anyOf"][0]
        words = setting.get("description", "").replace(documentation(""), "docs/")
        if _section_name(value) in paths and not words:
            yield f"- {_link(paths[_section_name(value)][0], name)}"
        elif words and (name, words) in told:
            again.setdefault(told[name, words], []).append(_code(name))
        else:
            told[name, words] = link
            kind = _kind(value, paths)
            default = "required" if name in section.get("required", ()) else _default(setting, kind)
            notes = ", ".join(filter(None, (kind, default))).removeprefix("text, ")
            yield f"- `{name}`{f' ({notes})' * (notes != 'text')}: {words}"
    for other, names in again.items():
        yield f"- {_list(names, 'and')}: as in {other}"
    yield ""


def _kind(value: Schema, paths: Mapping[str, list[str]]) -> str:
    """Describe the values of a setting in words."""
    if "$comment" in value:
        return str(value["$comment"])
    if "$ref" in value:
        return _link(paths[_section_name(value)][0])
    if "anyOf" in value:
        *parts, last = value["anyOf"]
        if "items" in last:
            return f"{_kind(last['items'], paths)}, or a list"
        return _list((_kind(part, paths) for part in (*parts, last)), "or")
    if "enum" in value:
        return _list(map(_code, value["enum"]), "or")
    if value["type"] == "object":
        return f"names, each with {_kind(value['additionalProperties'], paths)}"
    if value["type"] == "integer":
        least = f" from {value['minimum']}" if "minimum" in value else ""
        most = f" to {value['maximum']}" if "maximum" in value else ""
        return f"number{least}{most}"
    return {"boolean": "switch", "string": "text"}[value["type"]]


def _default(setting: Schema, kind: str) -> str:
    value = setting.get("default")
    # Of several words, the first is the default.
    if value is None or kind.startswith(_code(str(value))):
        return ""
    if kind.endswith("size"):
        return _code(f"{value // 1024**2}MiB")
    return _code(value if isinstance(value, str) else json.dumps(value))


def _link(path: str, name: str = "") -> str:
    return f"[{_code(name or path)}](#{re.sub(r'[^a-z_-]', '', path)})"


def _code(text: str) -> str:
    return f"`{text}`"


def _list(parts: Iterable[str], word: str) -> str:
    *most, last = parts
    return f"{', '.join(most)} {word} {last}" if most else last


if __name__ == "__main__":
    print(reference(), end="")
