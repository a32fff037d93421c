"""Write the JSON Schema of the settings: `python -m docs.config_schema > config.schema.json`."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from datetime import time, timedelta
from enum import StrEnum
from inspect import getdoc, getsource
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from msgspec import Struct

from planet import documentation, project_address
from planet.config import resolved, sections, texts
from planet.config.sections import Setting, Shape, make_shape
from planet.config.settings import POLICY, PlanetSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    Schema = dict[str, Any]


def json_schema() -> Schema:
    """Return the JSON Schema of `config.yaml`, in draft-07, which every editor knows."""
    definitions: dict[str, Schema] = {}
    section = _section(PlanetSettings, definitions)
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
    # An editor has no docs/ beside the config.
    schema: Schema = {}
    if words:
        schema["description"] = words.replace("docs/", documentation(""))
    if setting.default not in (None, ()):
        schema["default"] = as_written(setting.default)
    value = _value(setting.shape, definitions)
    # Draft-07 ignores what stands beside a reference.
    return {**schema, **({"allOf": [value]} if schema and "$ref" in value else value)}


def words_of(section: type) -> dict[str, str]:
    """Return the docstrings of the settings of a section; some of a feed's are the planet's."""
    shared = () if section in (PlanetSettings, resolved.Fetch) else (PlanetSettings, resolved.Fetch)
    words = {name: text for of in shared for name, text in words_of(of).items() if name in _SHARED}
    for base in reversed(section.__mro__[: section.__mro__.index(Struct)]):
        (tree,) = ast.parse(getsource(base)).body
        assert isinstance(tree, ast.ClassDef)
        for own, below in pairwise(tree.body):
            if isinstance(own, ast.AnnAssign) and isinstance(below, ast.Expr):
                words[ast.unparse(own.target)] = " ".join(ast.literal_eval(below.value).split())
    return words


_SHARED: Final = ("content", "future", "new_feed_entries", *POLICY)
"""Settings of a feed that the planet has as well."""


def as_written(default: Any) -> Any:
    """Return a default as the config has it."""
    if isinstance(default, timedelta):
        return texts.format_duration(default)
    if isinstance(default, time):
        return f"{default:%H:%M}"
    return str(default) if isinstance(default, ZoneInfo | StrEnum) else default


def _value(wanted: Shape, definitions: dict[str, Schema]) -> Schema:
    """Return the schema of the values of a type."""
    if wanted.origin in (tuple, Sequence):
        item = _value(wanted.item, definitions)
        many = {"items": item, "type": "array"}
        return many if wanted.origin is Sequence else {"anyOf": [item, many]}
    if wanted.origin is Mapping:
        value, names = _value(wanted.item, definitions), make_shape(wanted.inner[0]).kind
        if names is None or "pattern" not in names.schema:
            return {"additionalProperties": value, "type": "object"}
        return {
            "patternProperties": {names.schema["pattern"]: value},
            "propertyNames": {"$comment": names.schema["$comment"]},
            "type": "object",
        }
    if wanted.is_section:
        return _refer(wanted.type, lambda: _section(wanted.type, definitions), definitions)
    if section := wanted.in_place_of_text:
        either = [sections.kind_of(wanted).schema, _value(make_shape(section), definitions)]
        return {"oneOf" if wanted.kind and wanted.kind.section else "anyOf": either}
    if not wanted.choices:
        return sections.kind_of(wanted).schema
    schema = {"enum": list(wanted.choices), "type": "string"}
    if wanted.origin:
        return schema
    about = {"description": getdoc(wanted.type)}
    return _refer(wanted.type, lambda: {**about, **schema}, definitions)


def _refer(type_: Any, make: Callable[[], Schema], definitions: dict[str, Schema]) -> Schema:
    """Return a reference to the definition of a type, which is added the first time."""
    if type_.__name__ not in definitions:
        definitions[type_.__name__] = make()
    return {"$ref": f"#/definitions/{type_.__name__}"}


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=2))
