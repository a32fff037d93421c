"""`docs/themes.md` says what templates see: all of it, and nothing else."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from planet.render import bodies, context
from planet.render.words import Counted, Phrase, Words

DOCS = (Path(__file__).parents[2] / "docs/themes.md").read_text()
NOUNS = [
    noun
    for noun in (vars(context) | vars(bodies)).values()
    if isinstance(noun, type) and is_dataclass(noun)
]


def documented(heading: str) -> list[tuple[str, str]]:
    """The first two columns of the table below a heading, without their marks."""
    section = re.search(rf"^##+ {heading}\n(.*?)(?=^##|\Z)", DOCS, re.MULTILINE | re.DOTALL)
    assert section, f"{heading} is not in docs/themes.md"
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \|", section[1].replace(r"\|", "¦"), re.MULTILINE)
    return [(name, said.strip("`").replace("¦", "|")) for name, said in rows]


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.__name__)
def test_every_variable_is_documented_with_its_type(noun: type) -> None:
    assert documented(noun.__name__) == [(field.name, field.type) for field in fields(noun)]


def test_every_word_is_documented() -> None:
    words = Words()
    expected = []
    for field in fields(Words):
        word = getattr(words, field.name)
        if isinstance(word, Phrase):
            expected.append((f"{field.name}(name)", word.text))
        elif isinstance(word, Counted):
            arguments = "count, name" if "{name}" in word.other else "count"
            expected.append((f"{field.name}({arguments})", word.other))
        else:
            expected.append((field.name, word))

    assert documented("Words") == expected


@pytest.mark.parametrize("template", [f"{kind}.html" for kind in bodies.PAGES])
def test_every_template_is_documented(template: str) -> None:
    assert f"\n`{template}`" in DOCS
