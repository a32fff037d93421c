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
        file = str(folder / path)
        try:
            page = _parse_page(path, text, file=file)
            if is_taken(page.path):
                words = f'Planet has a page "{page.name}/" of its own; give the file another name'
                raise _refuse(file, words)
            if pages.setdefault(page.name, page) is not page:
                words = f'there is {page.name}.html, too, and both would be the page "{page.name}/"'
                raise _refuse(file, words)
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(problems)
    return tuple(pages.values())


def _refuse(file: str, words: str) -> ConfigError:
    return ConfigError([Problem(Place(file=file, line=1, column=1), words)])


def _parse_page(path: str, text: str, *, file: str) -> OwnPage:
    if not _NAME.fullmatch(path):
        raise _refuse(
            file,
            'is no page: these are files such as "rules.md" or "rules.html", with names of '
            'a-z, 0-9 and "-"; pictures and other files belong into static/',
        )
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    bare = [line.rstrip() for line in lines]
    if bare[:1] != [_FENCE]:
        raise _refuse(file, _EXAMPLE)
    if _FENCE not in bare[1:]:
        raise _refuse(file, 'no second line "---" ends what is said of the page')
    end = bare.index(_FENCE, 1)
    # With an empty line for the first one, so that lines count as in the file.
    settings = _parse_settings("\n" + "".join(lines[1:end]), file=file)
    name, _, kind = path.rpartition(".")
    return OwnPage(
        name=name,
        title=settings["title"],
        description=settings.get("description"),
        in_navigation=settings.get("navigation", False),
        text="".join(lines[end + 1 :]),
        is_markdown=kind == "md",
    )


def _parse_settings(front_matter: str, *, file: str) -> dict[str, Any]:
    if not front_matter.strip():
        raise _refuse(file, _EXAMPLE)
    document = yaml.read(front_matter.encode(), file=file, expand=str)
    if problems := [*document.problems, *_check(document)]:
        raise ConfigError(problems)
    # As it is written: a title may be a number.
    texts = {name: document.node((name,)).text for name in document.root.parts}
    return texts | {"navigation": document.node(("navigation",)).value is True}


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
