"""Plain values → YAML text that people can read and change. With `yaml` the door to PyYAML."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

# YAML 1.1 §5.4 takes these for line ends, and reads some of them as another one.
_OTHER_LINE_ENDS = re.compile("[\r\x85\u2028\u2029]")


def written(items: Sequence[Any]) -> str:
    """A list as a block of lines, each item after a dash at the start of a line.

    A text of several lines stands as it is, a line for a line, where YAML can say it so.
    """
    text: str = yaml.dump(
        items,
        Dumper=_Dumper,
        allow_unicode=True,
        default_flow_style=False,
        sort_keys=False,
        # Lines are never broken: a text that is looked for can be found.
        width=float("inf"),
    )
    # What ends a document, which goes on after these.
    return re.sub(r"(?<=\n)\.\.\.\n\Z", "", text)


class _Dumper(yaml.SafeDumper):
    """Writes each value in full where it stands."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        # PyYAML leaves lists in mappings where the mapping is.
        super().increase_indent(flow, False)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    if _OTHER_LINE_ENDS.search(text):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _moment(dumper: yaml.SafeDumper, moment: datetime) -> yaml.ScalarNode:
    said = moment.isoformat().replace("+00:00", "Z")
    return dumper.represent_scalar("tag:yaml.org,2002:timestamp", said)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(datetime, _moment)
