"""The JSON Schema of the file: for editors, for the reference, and for suggestions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planet.config import settings
from planet.project import address

if TYPE_CHECKING:
    from planet.config.document import Trail

Schema = dict[str, Any]


def json_schema() -> Schema:
    """A JSON Schema of `config.yaml`, in draft-07: the one that every editor knows."""
    schema = _draft_07(settings.json_schema())
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": address("Config schema"),
        "title": "Configuration of a planet",
        **schema,
        "anyOf": [{"required": ["feeds"]}, {"required": ["subscriptions"]}],
    }


def settings_in(schema: Schema, location: Trail) -> dict[str, Schema]:
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


def _draft_07(part: Schema) -> Schema:
    """A part of pydantic's schema (2020-12) in draft-07, and without what only Python needs."""
    converted = _with_converted_parts(part)
    # pydantic makes titles out of the names of settings: they say nothing more.
    converted.pop("title", None)
    # None is how Python says that a setting was not given; the file just leaves it out.
    if converted.get("default") in (None, []):
        converted.pop("default", None)
    given = [each for each in converted.pop("anyOf", ()) if each != {"type": "null"}]
    if len(given) == 1:
        converted = {**given[0], **converted}
    elif given:
        converted["anyOf"] = given
    if "$ref" in converted:
        converted["$ref"] = converted["$ref"].replace("#/$defs/", "#/definitions/")
        if len(converted) > 1:
            # Draft-07 ignores what stands beside a reference.
            converted["allOf"] = [{"$ref": converted.pop("$ref")}]
    return converted


def _with_converted_parts(part: Schema) -> Schema:
    converted = {{"$defs": "definitions"}.get(key, key): value for key, value in part.items()}
    for key, value in converted.items():
        if key in ("properties", "definitions"):
            converted[key] = {name: _draft_07(each) for name, each in value.items()}
        elif key in ("anyOf", "oneOf"):
            converted[key] = [_draft_07(each) for each in value]
        elif isinstance(value, dict):
            converted[key] = _draft_07(value)
    return converted
