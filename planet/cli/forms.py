"""The text of an issue that was made with a form → what was filled in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from planet.cli import options
from planet.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_EMPTY: Final = "_No response_"


def read_fields(path: Path, form: str, labels: Sequence[str]) -> list[str]:
    """Return the text of each field of a form, in order; one that was left empty is "".

    Each field is a heading with its label, and below it what was filled in. All but the last have
    one line. The text of the last field may look like another form.

    Raises:
        UsageError: the file cannot be read, or is no issue that was made with this form.
    """
    text = options.read_file(path).decode("utf-8", "replace")
    rest = "\n" + "\n".join(re.split(r"\r\n?|\n", text))
    fields: list[str] = []
    for label in labels:
        before, heading, rest = rest.partition(f"\n### {label}\n")
        if not heading or (not fields and before.strip()):
            *most, last = (f'"### {label}"' for label in labels)
            raise UsageError(
                f'this is not what the form "{form}" makes: the lines {", ".join(most)} and '
                f"{last}, each with what was filled in below it"
            )
        fields.append(before)
    fields = [field.strip() for field in (*fields[1:], rest)]
    fields = ["" if field == _EMPTY else field for field in fields]
    for label, field in zip(labels[:-1], fields, strict=False):
        if "\n" in field:
            raise UsageError(f'the field "{label}" of the form has more than one line')
    return fields
