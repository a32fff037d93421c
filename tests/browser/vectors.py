"""What feeds may send to do harm: ours, and those of other projects where they are at hand."""

import json
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent
CORPUS = _HERE.parents[1] / "../shared/corpus/xss"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """A text that may do harm when it becomes part of a page as it is."""

    id: str
    html: str
    does: str = ""
    """The worst that Chromium lets it do, as `pages.KINDS` has it; only said of ours."""


def own() -> list[Vector]:
    """Those of this repository."""
    return [Vector(**load) for load in json.loads((_HERE / "vectors.json").read_bytes())]


def others() -> list[Vector]:
    """Those of the corpus; none when it is not there."""
    return [
        Vector(id=load["id"], html=load["html"])
        for file in sorted(CORPUS.glob("*.json"))
        for load in json.loads(file.read_bytes())
    ]
