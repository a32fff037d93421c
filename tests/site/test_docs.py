"""`docs/themes.md` says what templates see: all of it, and nothing else."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from planet.site.pages import bodies, context
from planet.site.words import Counted, Phrase, Words, speak
from tests.site.test_translations import LANGUAGES

DOCS = (Path(__file__).parents[2] / "docs/themes.md").read_text()
NOUNS = [
    noun
    for noun in (vars(context) | vars(bodies)).values()
    if isinstance(noun, type) and is_dataclass(noun) and noun is not bodies.PageBody
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
    words = speak("en")
    expected = []
    for field in fields(Words):
        word = getattr(words, field.name)
        if isinstance(word, Phrase | Counted):
            text = word.text if isinstance(word, Phrase) else word.form(2)
            # One is handed in by its place, all others by their names.
            first = "count" if isinstance(word, Counted) else "name"
            others = [name for name in re.findall(r"\{(\w+)\}", text) if name != first]
            expected.append((f"{field.name}({', '.join([first, *others])})", text))
        elif isinstance(word, str) and field.name != "version":
            expected.append((field.name, word))

    assert documented("Words") == expected


def test_every_language_that_has_words_is_documented() -> None:
    said = re.search(r"There are words in (.+?)\.", DOCS)

    assert said
    assert re.findall(r"`(.+?)`", said[1]) == LANGUAGES


@pytest.mark.parametrize("template", [f"{kind}.html" for kind in bodies.PAGES])
def test_every_template_is_documented(template: str) -> None:
    assert f"\n`{template}`" in DOCS
