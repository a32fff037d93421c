"""An issue that was made with the form "Pick an episode" → what to pick.

GitHub writes such an issue as Markdown: each field's label as a heading, a blank line, and what was
filled in; of a field that was left empty it says `_No response_`. The fields are those of
`.github/ISSUE_TEMPLATE/pick.yml`, by their labels and in that order. The note is the last, so that
it may hold anything, headings like these included.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planet.errors import UsageError
from planet.model import OWN_LIST

if TYPE_CHECKING:
    from pathlib import Path

_FIELDS: Final = re.compile(
    r"\s*### Episode\n(?P<episode>.*?)\n### List\n(?P<list>.*?)\n### Note\n(?P<note>.*)", re.DOTALL
)
_EMPTY: Final = "_No response_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What was filled in."""

    episode: str
    """A handle or an address, as `planet pick` takes it."""
    list: str = OWN_LIST
    note: str | None = None


def read_form(path: Path) -> Form:
    """What the issue says whose text is in a file.

    Raises:
        UsageError: the file cannot be read, or is not the text of such an issue.
    """
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    return form(text)


def form(text: str) -> Form:
    """What the text of an issue says.

    Raises:
        UsageError: it is not the text of such an issue, or names no episode.
    """
    found = _FIELDS.fullmatch("\n".join(re.split(r"\r\n?|\n", text)))
    if found is None:
        raise UsageError(
            'this is not what the form "Pick an episode" makes: the lines "### Episode", '
            '"### List" and "### Note", each with what was filled in below it'
        )
    said = {name: value.strip() for name, value in found.groupdict().items()}
    episode, name, note = ("" if value == _EMPTY else value for value in said.values())
    if not episode:
        raise UsageError("the form names no episode")
    for label, value in (("Episode", episode), ("List", name)):
        if "\n" in value:
            raise UsageError(f'the field "{label}" of the form has more than one line')
    return Form(episode=episode, list=name or OWN_LIST, note=note or None)
