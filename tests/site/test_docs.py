"""`docs/themes.md` says what templates see: all of it, and nothing else."""

import re
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

from planet.model import Pages
from planet.site.pages import load_theme, views
from planet.site.pages.context import SiteContext
from planet.site.pages.frame import Frame
from planet.site.pages.page_kinds import KINDS
from planet.site.pages.renderer import EVERY
from planet.site.words import Counted, Phrase, speak
from tests.docs import EXAMPLE_THEMES, page, section
from tests.site.editions import RULES, make_whole_edition
from tests.site.test_translations import LANGUAGES, MACHINE_MADE

ROOT = Path(__file__).parents[2]
DOCS = page("themes.md")
NOUNS = [
    noun for noun in vars(views).values() if isinstance(noun, type) and issubclass(noun, Struct)
]


def documented(heading: str) -> list[tuple[str, str]]:
    """The names in the list below a heading, each with its type; a line may have several."""
    lines = re.findall(r"^- .+$", section(DOCS, heading), re.MULTILINE)
    return re.findall(r"`(\w+)` \(`(.+?)`\)", "\n".join(lines))


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.__name__)
def test_every_variable_is_documented_with_its_type(noun: type) -> None:
    fields = [(name, type_.replace("View", "")) for name, type_ in noun.__annotations__.items()]
    assert documented(noun.__name__.removesuffix("View")) == fields


def test_every_word_that_is_called_is_documented() -> None:
    expected: dict[str, list[str]] = {"With a name": [], "With a number": []}
    for name, word in vars(speak("en")).items():
        if isinstance(word, Counted):
            expected["With a number"].append(call(name, "count", word.form(2)))
        elif isinstance(word, Phrase):
            expected["With a name"].append(call(name, "name", word.text))

    lines = re.findall(rf"^- ({'|'.join(expected)}): (.+)$", DOCS, re.MULTILINE)

    assert {kind: re.findall("`(.+?)`", names) for kind, names in lines} == expected


def call(name: str, first: str, text: str) -> str:
    """How a template calls a word: the first value by its place, all others by their names."""
    others = [other for other in re.findall(r"\{(\w+)\}", text) if other != first]
    return f"{name}({', '.join([first, *others])})"


def test_every_language_that_has_words_is_documented() -> None:
    said = re.search(r"There are words in (.+?)\.", DOCS)

    assert said
    assert re.findall(r"`(.+?)`", said[1]) == LANGUAGES


def test_the_catalogues_that_no_speaker_has_read_are_named() -> None:
    (row,) = re.findall(r"^\| (.+?) \| not yet: they are machine-made", DOCS, re.MULTILINE)

    assert re.findall("`(.+?)`", row) == [file.stem.replace("_", "-") for file in MACHINE_MADE]


@pytest.mark.parametrize("kind", KINDS)
def test_what_every_template_is_given_is_documented(kind: str) -> None:
    (heading,) = re.findall(rf"^### (\w+)\n(?:(?!^###).)*?^`{kind}\.html`", DOCS, re.M | re.S)

    assert documented(heading) == list(KINDS[kind].variables.items())


def test_what_all_templates_are_given_is_documented() -> None:
    assert documented("Common") == list(EVERY.items())


def test_pages_are_given_what_is_said_of_their_kind() -> None:
    edition, pages, theme = (
        make_whole_edition(),
        Pages(archive=1, search=True),
        replace(load_theme("default"), pages=(RULES,)),
    )
    frame = Frame.of(edition, pages, theme)
    site = SiteContext(
        edition=edition, pages=pages, theme=theme, contents=lambda _: {}, frame=frame
    )

    given = {
        name: {
            tuple(kind.present(frame.presenter(spec.path), **spec.rows))
            for spec in kind.query(site)
        }
        for name, kind in KINDS.items()
    }

    assert given == {name: {tuple(kind.variables)} for name, kind in KINDS.items()}


def test_the_gallery_shows_every_theme_in_a_small_picture() -> None:
    pictures = re.findall(r"\]\((gallery/\w+\.webp)\)", page("gallery.md"))
    sizes = [(ROOT / "docs" / picture).stat().st_size for picture in pictures]

    shipped = {folder.name for folder in (ROOT / "themes").iterdir()}
    assert {*pictures} == {f"gallery/{name}.webp" for name in (shipped | EXAMPLE_THEMES.keys())}
    assert max(sizes) <= 80_000
