"""Nouns as plain JSON values: defaults are left out, so that expectations stay short."""

from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct
from msgspec.structs import fields


def plainly(value: object) -> Any:
    if isinstance(value, Struct):
        content = [(field, getattr(value, field.name)) for field in fields(value)]
        return {field.name: plainly(item) for field, item in content if item != field.default}
    if isinstance(value, tuple | list):
        return [plainly(part) for part in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value
