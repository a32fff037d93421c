"""Nouns as plain JSON values: defaults are left out, so that expectations stay short."""

from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from typing import Any


def plainly(value: object) -> Any:
    if is_dataclass(value):
        content = {field: getattr(value, field.name) for field in fields(value)}
        return {
            field.name: plainly(item) for field, item in content.items() if item != field.default
        }
    if isinstance(value, tuple | list):
        return [plainly(part) for part in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value
