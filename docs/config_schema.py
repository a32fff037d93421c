"""Write the JSON Schema of the settings: `python -m docs.config_schema > config.schema.json`."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from datetime import time, timedelta
from enum import StrEnum
from inspect import getdoc, getsource
from itertools import pairwise
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from msgspec import NODEFAULT, Struct

from planet import documentation, project_address
from planet.config import kinds, sections
from planet.config.sections import look_into
from planet.config.settings import POLICY, Config, Fetch

Schema = dict[str, Any]


def json_schema() -> Schema:
    """Return the JSON Schema of `config.yaml`, in draft-07, which every editor knows."""
    definitions: dict[str, Schema] = {}
    section = _section(Config, definitions)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": project_address("Config schema"),
        "title": "Configuration of a planet",
        "definitions": dict(sorted(definitions.items())),
        **section,
        "anyOf": [{"required": ["feeds"]}, {"required": ["subscriptions"]}],
    }


def _section(section: type, definitions: dict[str, Schema]) -> Schema:
    settings, words = sections.settings(section), words_of(section)
    required = [name for name, field in settings.items() if field.required]
    return {
        "additionalProperties": False,
        "description": getdoc(section),
        "properties": {
            name: _setting(field, words.get(field.name), definitions)
            for name, field in settings.items()
        },
        **({"required": required} if required else {}),
        "type": "object",
    }


def _setting(field: Any, words: str | None, definitions: dict[str, Schema]) -> Schema:
    # An editor has no docs/ beside the config.
    schema: Schema = {}
    if words:
        schema["description"] = words.replace("docs/", documentation(""))
    if (default := as_written(field.default)) is not None:
        schema["default"] = default
    value = _value(field.type, definitions)
    # Draft-07 ignores what stands beside a reference. An empty setting is not set.
    return {**schema, "anyOf": [value, {"type": "null"}]}


def words_of(section: type) -> dict[str, str]:
    """Return the docstrings of the settings of a section; some of a feed's are the planet's."""
    shared = () if section in (Config, Fetch) else (Config, Fetch)
    words = {name: text for of in shared for name, text in words_of(of).items() if name in _SHARED}
    for base in reversed(section.__mro__[: section.__mro__.index(Struct)]):
        (tree,) = ast.parse(getsource(base)).body
        assert isinstance(tree, ast.ClassDef)
        for own, below in pairwise(tree.body):
            if isinstance(own, ast.AnnAssign) and isinstance(below, ast.Expr):
                words[ast.unparse(own.target)] = " ".join(ast.literal_eval(below.value).split())
    return words


_SHARED: Final = ("content", "new_feed_entries", *POLICY)
"""Settings of a feed that the planet has as well."""


def as_written(default: Any) -> Any:
    """Return a default as the config has it; None for a section, and where there is none."""
    if isinstance(default, timedelta):
        return kinds.format_duration(default)
    if isinstance(default, time):
        return f"{default:%H:%M}"
    if isinstance(default, Struct | tuple | dict) or default in (NODEFAULT, ""):
        return None
    return str(default) if isinstance(default, ZoneInfo | StrEnum | Path) else default


def _value(type_: Any, definitions: dict[str, Schema]) -> Schema:
    """Return the schema of the values of a type."""
    shape = look_into(type_)
    if shape.kind:
        return shape.kind.schema
    if shape.origin in (tuple, Sequence):
        item = _value(shape.inner[0], definitions)
        return {"anyOf": [item, {"items": item, "type": "array"}]}
    if shape.origin is Mapping:
        value = _value(shape.inner[1], definitions)
        return {"additionalProperties": value, "type": "object"}
    if sections.is_section(shape.origin):
        name = shape.origin.__name__
        if name not in definitions:
            definitions[name] = _section(shape.origin, definitions)
        reference = {"$ref": f"#/definitions/{name}"}
        short = getattr(shape.origin, "short", None)
        if short is None:
            return reference
        own = sections.settings(shape.origin)[short].type
        return {"anyOf": [_value(own, definitions), reference]}
    return {"enum": list(sections.choices_of(shape)), "type": "string"}


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=2))
