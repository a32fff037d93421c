"""The folder `pages/` beside the config → pages of the operator's own: front matter, then a text.

They are trusted as templates and slots are: HTML in them is the operator's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from planet.config import yaml
from planet.errors import ConfigError, Place, Problem, suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path


_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\.(md|html)")
_FENCE = "---"
_SETTINGS = ("title", "description", "navigation")
_EXAMPLE = 'the page must begin with a line "---", a line such as "title: Rules", and a line "---"'


class OwnPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the operator's own."""

    name: str
    """The name of its folder on the site."""
    title: str
    description: str | None
    in_navigation: bool
    text: str
    is_markdown: bool
    """Whether the text is Markdown; else it is HTML."""

    @property
    def path(self) -> str:
        """Return where it is, relative to the site's root."""
        return f"{self.name}/index.html"


def parse_pages(
    folder: Path, texts: Mapping[str, str], is_taken: Callable[[str], object]
) -> tuple[OwnPage, ...]:
    """Return the pages of a folder, in the order of their names.

    `texts` are its files by their paths in it. `is_taken` tells whether Planet itself publishes
    something at a path of the site.

    Raises:
        ConfigError: files are no pages; it holds every mistake, with file and line.
    """
    problems: list[Problem] = []
    pages: dict[str, OwnPage] = {}
    for path, text in texts.items():
        parser = _OwnPageParser(str(folder / path), problems)
        page = parser.parse(path, text)
        if page and is_taken(page.path):
            parser.refuse(
                f'Planet has a page "{page.name}/" of its own; give the file another name'
            )
        elif page and pages.setdefault(page.name, page) is not page:
            both = f'both would be the page "{page.name}/"'
            parser.refuse(f"there is {page.name}.html, too, and {both}")
    if problems:
        raise ConfigError(problems)
    return tuple(pages.values())


class _OwnPageParser:
    """Reads one file, and collects what is wrong with it."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        self._file = file
        self._problems = problems

    def parse(self, path: str, text: str) -> OwnPage | None:
        """Return the page; None if something is wrong."""
        if not _NAME.fullmatch(path):
            self.refuse(
                'is no page: these are files such as "rules.md" or "rules.html", with names of '
                'a-z, 0-9 and "-"; pictures and other files belong into static/'
            )
            return None
        lines = text.removeprefix("\ufeff").splitlines(keepends=True)
        bare = [line.rstrip() for line in lines]
        if bare[:1] != [_FENCE]:
            self.refuse(_EXAMPLE)
            return None
        if _FENCE not in bare[1:]:
            self.refuse('no second line "---" ends what is said of the page')
            return None
        end = bare.index(_FENCE, 1)
        # With an empty line for the first one, so that lines count as in the file.
        settings = self._settings("\n" + "".join(lines[1:end]))
        if settings is None:
            return None
        name, _, kind = path.rpartition(".")
        return OwnPage(
            name=name,
            title=settings["title"],
            description=settings.get("description"),
            in_navigation=settings.get("navigation", False),
            text="".join(lines[end + 1 :]),
            is_markdown=kind == "md",
        )

    def _settings(self, front_matter: str) -> dict[str, Any] | None:
        if not front_matter.strip():
            self.refuse(_EXAMPLE)
            return None
        try:
            document = yaml.read(front_matter.encode(), file=self._file, expand=str)
        except ConfigError as error:
            self._problems += error.problems
            return None
        wrong = [*document.problems, *_check(document)]
        self._problems += wrong
        if wrong:
            return None
        # As it is written: a title may be a number.
        texts = {name: document.node((name,)).text for name in document.root.parts}
        return texts | {"navigation": document.node(("navigation",)).value is True}

    def refuse(self, words: str) -> None:
        """Note what is wrong with the file as a whole."""
        self._problems.append(Problem(Place(file=self._file, line=1, column=1), words))


def _check(document: yaml.Document) -> Iterator[Problem]:
    """Yield what is wrong with the front matter of a page."""
    for name, node in document.root.parts.items():
        if name not in _SETTINGS:
            near = suggestion(str(name), _SETTINGS) or f"; it has {', '.join(_SETTINGS)}"
            words = f'a page has no setting "{name}"{near}'
            yield Problem(document.key_place((name,)), words)
        elif name == "navigation" and not isinstance(node.value, bool):
            yield document.problem((name,), "must be true or false")
        elif node.text is None:
            yield document.problem((name,), "must be a text")
    if "title" not in document.root.parts:
        yield Problem(document.at(0), "title is missing")
