"""Nouns as plain JSON values: defaults are left out, so that expectations stay short."""

from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from typing import Any


def plainly(value: object) -> Any:
    if is_dataclass(value):
        said = {field: getattr(value, field.name) for field in fields(value)}
        return {field.name: plainly(each) for field, each in said.items() if each != field.default}
    if isinstance(value, tuple | list):
        return [plainly(each) for each in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value
