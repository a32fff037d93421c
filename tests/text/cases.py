"""Texts to clean, as `cases.yaml` has them, and builders for them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
import yaml

from planet.model import Text, TextKind
from tests.browser.vectors import own

CORPUS = Path(__file__).parents[2] / "../shared/corpus/xss"
BASE = "https://blog.example/2026/post"
REL = 'rel="noopener noreferrer"'

Sanitizer = Literal["bleach", "nh3"]
SANITIZERS: tuple[Sanitizer, ...] = ("bleach", "nh3")

_CASES = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8"))
KEPT = [pytest.param(value, id=name) for name, value in _CASES["kept"].items()]
CHANGED = [pytest.param(*pair, id=name) for name, pair in _CASES["changed"].items()]
CHANGED += [
    pytest.param(
        f'<p>a<img src="data:image/png;base64,{"A" * 40_000}" alt=b></p>',
        "<p>ab</p>",
        id="big data",
    )
]
ATTACKS: list[str] = _CASES["attacks"]
ATTACKS_APART: list[str] = _CASES["attacks_apart"]


def html(value: str, base: str | None = BASE) -> Text:
    return Text(value=value, kind=TextKind.HTML, base=base)


def values() -> Iterator[tuple[str, str]]:
    """Everything that may be hostile or broken: what is here, and what the corpus has."""
    for place, attack in enumerate([*ATTACKS, *ATTACKS_APART]):
        yield f"attack {place}", attack
    for one in [*KEPT, *CHANGED]:
        yield f"case {one.id}", str(one.values[0])
    for vector in own():
        yield vector.id, vector.html
    for file in sorted(CORPUS.glob("*.json")):
        for vector in json.loads(file.read_text(encoding="utf-8")):
            yield vector["id"], vector["html"]
