"""OPML → the feeds it lists. The only module that reads subscription lists.

The list may come from anywhere: it cannot declare entities, and nothing but web addresses is taken
from it, so that it can name neither files nor anything else on this machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.parsers import expat  # hardened below: no entities, nothing external

from planet import address
from planet.config import addresses, settings, values
from planet.config.feed import feed
from planet.errors import Problem
from planet.model import Place
from planet.veil import NO_VEIL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.config import nouns
    from planet.model import Feed
    from planet.veil import Veil

_MAX_DEPTH: Final = 50


def feeds_from_opml(
    data: bytes,
    *,
    file: str,
    defaults: nouns.Defaults,
    base: str | None = None,
    known: Sequence[Feed] = (),
    veil: Veil = NO_VEIL,
) -> tuple[tuple[Feed, ...], tuple[Problem, ...]]:
    """The feeds of a subscription list, and what is wrong with it.

    A feed whose address is among `known` is left out: what the config says of it holds. One that is
    listed twice is one feed with the tags of both. Of a list that cannot be read to its end nothing
    is taken. `file` is what the list is called in places, `base` the address it came from.

    A feed with a secret of `veil` in its address is known by the secret's name, as if the config
    had said it; a home page with one is left out.
    """
    listed, problems = outlines(data, file=file, base=base)
    by_url: dict[str, Outline] = {}
    for each in listed:
        first = by_url.get(each.url, each)
        tags = tuple(dict.fromkeys((*first.tags, *each.tags)))
        by_url[each.url] = replace(first, tags=tags)
    urls = {each.url for each in known}
    taken = {each.slug for each in known}
    feeds = []
    for outline in (each for each in by_url.values() if each.url not in urls):
        is_hidden = veil.covers(outline.url)
        link = None if veil.covers(outline.link or "") else outline.link
        new = feed(
            settings.Feed(url=outline.url, name=outline.name, link=link, tags=outline.tags),
            said=veil.hide(outline.url) if is_hidden else outline.url,
            place=outline.place,
            folder=Path(),
            defaults=defaults,
            taken=taken,
        )
        taken.add(new.slug)
        feeds.append(replace(new, veil=veil) if is_hidden else new)
    return tuple(feeds), problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A feed in a subscription list."""

    url: str
    name: str | None
    link: str | None
    tags: tuple[str, ...]
    """The folders it lies in and its categories."""
    place: Place


def outlines(
    data: bytes, *, file: str, base: str | None = None
) -> tuple[tuple[Outline, ...], tuple[Problem, ...]]:
    """The feeds in an OPML list (http://opml.org/spec2.opml), and what is wrong with it.

    Names of attributes are read in any case, as lists have them. `file` is what the list is called
    in places, `base` the address it came from, which relative addresses start from. Of a list that
    cannot be read to its end nothing is taken.
    """
    reader = _Reader(file, base)
    try:
        reader.read(data)
    except expat.ExpatError as error:
        place = Place(file=file, line=error.lineno, column=error.offset + 1)
        why = expat.ErrorString(error.code)
        return (), (Problem(place, f"this is not OPML: {why}"),)
    except _RefusedError as error:
        return (), (Problem(error.place, f"this is not OPML: {error}"),)
    except (LookupError, ValueError):  # an encoding Python does not know, or expat cannot use
        return (), (Problem(reader.place(), "this is not OPML: its encoding is unknown"),)
    return tuple(reader.outlines), tuple(reader.problems)


class _RefusedError(Exception):
    """The list is something a list has no reason to be."""

    def __init__(self, place: Place, why: str) -> None:
        self.place = place
        super().__init__(why)


class _Reader:
    def __init__(self, file: str, base: str | None) -> None:
        self.outlines: list[Outline] = []
        self.problems: list[Problem] = []
        self._file = file
        self._base = base
        self._folders: list[str] = []
        self._is_opml = False
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.EntityDeclHandler = self._refuse_entities

    def read(self, data: bytes) -> None:
        """Collect what the list holds."""
        self._parser.Parse(data, True)

    def place(self) -> Place:
        """Where the parser is."""
        line, column = self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber
        return Place(file=self._file, line=line, column=column + 1)

    def _refuse_entities(self, *declaration: object) -> None:
        # Entities within entities are how a small file becomes a large one.
        raise _RefusedError(self.place(), "it declares entities")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        if not self._is_opml:
            if element.lower() != "opml":
                raise _RefusedError(self.place(), f"it begins with <{element[:40]}>")
            self._is_opml = True
        if element.lower() != "outline":
            return
        given = {name.lower(): value for name, value in attributes.items()}
        name = _line(given.get("text")) or _line(given.get("title"))
        if written := given.get("xmlurl"):
            self._add(written, name, given)
        # A feed is no folder, but it ends like one.
        self._folders.append("" if written else name or "")
        # Each feed gets the names of all folders around it.
        if len(self._folders) > _MAX_DEPTH:
            raise _RefusedError(self.place(), f"its folders are more than {_MAX_DEPTH} deep")

    def _end(self, element: str) -> None:
        if element.lower() == "outline":
            self._folders.pop()

    def _add(self, written: str, name: str | None, given: Mapping[str, str]) -> None:
        try:
            url = _web_address(address.web(written, self._base) or written)
        except ValueError as error:
            self.problems.append(Problem(self.place(), f"xmlUrl of {name or 'a feed'} {error}"))
            return
        # OPML 2.0: "/Boston/Weather,/Harvard".
        categories = given.get("category", "").replace(",", "/").split("/")
        tags = [tag for each in (*self._folders, *categories) if (tag := _line(each))]
        self.outlines.append(
            Outline(
                url=address.same(url),
                name=name,
                link=address.web(given.get("htmlurl")),
                tags=tuple(dict.fromkeys(tags)),
                place=self.place(),
            )
        )


def _web_address(written: str) -> str:
    """The address without the blanks around it; raises ValueError like `addresses.checked`."""
    if not written.strip().lower().startswith(("http:", "https:", "feed:")):
        # What `checked` would say of it has to do with paths.
        raise ValueError("is not a web address; a subscription list may only hold web addresses")
    return addresses.checked(written)


def _line(text: str | None) -> str | None:
    try:
        return values.line(text or "")
    except ValueError:
        return None
