"""OPML → the feeds it lists. The only module that reads subscription lists.

The list may come from anywhere: it cannot declare entities, and nothing but web addresses is taken
from it, so that it can name neither files nor anything else on this machine.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html.entities import html5
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.parsers import expat  # hardened below: no entities, nothing external

from planet.config import settings, values
from planet.config.feeds import feed
from planet.errors import Problem
from planet.model import Place
from planet.model.secrets import NO_REDACTOR
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.config import nouns
    from planet.model import Feed
    from planet.model.secrets import Redactor


_MAX_DEPTH: Final = 50


def feeds_from_opml(
    data: bytes,
    *,
    file: str,
    defaults: nouns.Defaults,
    base: str | None = None,
    known: Sequence[Feed] = (),
    veil: Redactor = NO_REDACTOR,
) -> tuple[tuple[Feed, ...], tuple[Problem, ...]]:
    """The feeds of a subscription list, and what is wrong with it.

    A feed whose address is among `known` is left out: what the config says of it holds. One that is
    listed twice is one feed with the tags of both. Of a list that cannot be read to its end nothing
    is taken. `file` is what the list is called in places, `base` the address it came from.

    A feed with a secret of `veil` in its address is known by the secret's name, as if the config
    had said it; a home page with one is left out.
    """
    listed, problems, mended = outlines(data, file=file, base=base)
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
        name = veil.redact(outline.name) if outline.name else None
        link = veil.public(outline.link) if outline.link else None
        new = feed(
            settings.Feed(
                url=outline.url, name=name, link=link, tags=tuple(map(veil.redact, outline.tags))
            ),
            said=veil.hide(outline.url) if is_hidden else outline.url,
            place=outline.place,
            folder=Path(),
            defaults=defaults,
            taken=taken,
        )
        taken.add(new.slug)
        feeds.append(replace(new, veil=veil) if veil.secrets else new)
    return tuple(feeds), (*problems, *mended)


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
    data: bytes, *, file: str, base: str | None = None, partly: bool = False
) -> tuple[tuple[Outline, ...], tuple[Problem, ...], tuple[Problem, ...]]:
    """The feeds in an OPML list (http://opml.org/spec2.opml), what is wrong, and what was mended.

    Names of attributes are read in any case, as lists have them. An outline that is neither a feed
    nor a folder is a warning among what is wrong. `file` is what the list is called in places,
    `base` the address it came from, which relative addresses start from. Of a list that cannot be
    read to its end nothing is taken, or, with `partly`, what stands before.
    """
    reader = _Reader(file, base)
    try:
        try:
            reader.read(data)
        except expat.ExpatError:
            text, mends = _mended(data, file)
            reader = _Reader(file, base)
            reader.mended += mends
            reader.read(text)
    except expat.ExpatError as error:
        place = Place(file=file, line=error.lineno, column=error.offset + 1)
        why = expat.ErrorString(error.code)
    except _RefusedError as error:
        place, why = error.place, str(error)
    except (LookupError, ValueError):  # an encoding Python does not know, or expat cannot use
        place, why = reader.place(), "its encoding is unknown"
    else:
        return tuple(reader.outlines), tuple(reader.problems), tuple(reader.mended)
    if partly and reader.outlines:
        cut = Problem(place, f"the list is broken here, and what follows is not read: {why}")
        return tuple(reader.outlines), (*reader.problems, cut), tuple(reader.mended)
    return (), (Problem(place, f"this is not OPML: {why}"),), ()


# Characters that XML allows and no text has. Each stands for one that should have been an entity
# ("&amp;"), so that all that is mended stays in its line and column.
_AND: Final = "\ufdd0"
_MARKS: Final = {"&": _AND, "<": "\ufdd1", '"': "\ufdd2", "'": "\ufdd3"}
_DECLARED: Final = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)""")
_MENDABLE: Final = re.compile(
    r"(?P<entity>&(?!(?:amp|lt|gt|quot|apos);)(?=[A-Za-z][A-Za-z0-9]*;))"
    r"|(?P<and>&(?!(?:[A-Za-z][A-Za-z0-9]*|#[0-9]+|#x[0-9a-fA-F]+);))"
    r"|(?P<less><(?![A-Za-z/!?_:]))"
    r"|(?P<control>[\x00-\x08\x0b\x0c\x0e-\x1f\ufdd0-\ufdd3\ufffe\uffff])"
)
_MENDS: Final = {
    "entity": (_AND, "an entity of HTML is read as its character"),
    "and": (_AND, 'a bare "&" is read as "&amp;"'),
    "less": (_MARKS["<"], 'a bare "<" is read as "&lt;"'),
    "control": (" ", "a character that XML forbids is read as a blank"),
}
_NEXT: Final = re.compile(r"(?=<(?:/?outline\b|/(?:head|body|opml)\b|!--))", re.IGNORECASE)
_OUTLINE: Final = re.compile(
    r"""<outline(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*/?>""", re.IGNORECASE
)
_ATTRIBUTE: Final = re.compile(r"""(?<![\w.:-])([A-Za-z_][\w.:-]*)\s*=\s*(["'])""")
# Names that descriptions have in their HTML.
_OF_HTML: Final = ("alt", "class", "height", "href", "id", "rel", "src", "style", "target", "width")


def _mended(data: bytes, file: str) -> tuple[str, list[Problem]]:
    """A list in which what keeps it from being XML is read as it was meant; and what that was."""
    declared = _DECLARED.search(data[:200])
    name = declared[1].decode() if declared else "utf-8"
    found: dict[str, list[int]] = {}
    try:
        text = data.decode("utf-8-sig" if name.lower() in ("utf-8", "utf8") else name)
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
        found[f"what is no {name.upper()} is read as Windows-1252"] = [0]

    def mend(match: re.Match[str]) -> str:
        character, words = _MENDS[match.lastgroup or ""]
        found.setdefault(words, []).append(match.start())
        return character

    text = _MENDABLE.sub(mend, text)
    parts = _NEXT.split(text)
    at = 0
    for number, part in enumerate(parts):
        if part[:8].lower() == "<outline" and not _OUTLINE.match(part):
            parts[number] = mended = _with_whole_attributes(part)
            if mended != part:
                words = "a quotation mark or a tag within an attribute is read as its text"
                found.setdefault(words, []).append(at)
        at += len(part)
    mends = []
    for words, starts in found.items():
        before = re.split(r"\r\n?|\n", text[: starts[0]])
        place = Place(file=file, line=len(before), column=len(before[-1]) + 1)
        times = f" ({len(starts)} times)" if len(starts) > 1 else ""
        mends.append(Problem(place, words + times, is_warning=True))
    return "".join(parts), mends


def _with_whole_attributes(tag: str) -> str:
    """A tag in whose attributes there may be quotation marks and tags of HTML.

    An attribute ends at the last quotation mark before the next, or before the end of the tag.
    """
    end = len(tag.rstrip().removesuffix(">").removesuffix("/").rstrip())
    names = {*_OF_HTML}
    attributes = []
    for attribute in _ATTRIBUTE.finditer(tag, 0, end):
        name = attribute[1].lower()
        if name not in names and not name.startswith("data-"):
            names.add(name)
            attributes.append(attribute)
    pieces, at = [], 0
    for number, attribute in enumerate(attributes, 1):
        value_end = attributes[number].start() if number < len(attributes) else end
        value = tag[attribute.end() : value_end].rstrip().removesuffix(attribute[2])
        for character in ("<", attribute[2]):
            value = value.replace(character, _MARKS[character])
        pieces += [tag[at : attribute.end()], value]
        at = attribute.end() + len(value)
    return "".join([*pieces, tag[at:]])


def _restored(value: str) -> str:
    """The text of an attribute in which characters were mended."""

    def entity(match: re.Match[str]) -> str:
        return html5.get(match[1], f"&{match[1]}")

    if _AND in value:
        value = re.sub(f"{_AND}([A-Za-z][A-Za-z0-9]*;)", entity, value)
    for character, mark in _MARKS.items():
        value = value.replace(mark, character)
    return value


@dataclass(slots=True, kw_only=True)
class _Open:
    """An outline that has not ended yet."""

    folder: str
    """What it is called as a folder; empty for a feed."""
    lack: Problem | None
    """Why it is no feed. Whatever holds others and is meant as nothing else is a folder."""
    is_meant: bool
    """Whether its type says that it is no folder."""


class _RefusedError(Exception):
    """The list is something a list has no reason to be."""

    def __init__(self, place: Place, why: str) -> None:
        self.place = place
        super().__init__(why)


class _Reader:
    def __init__(self, file: str, base: str | None) -> None:
        self.outlines: list[Outline] = []
        self.problems: list[Problem] = []
        self.mended: list[Problem] = []
        self._file = file
        self._base = base
        self._open: list[_Open] = []
        self._is_opml = False
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.EntityDeclHandler = self._refuse_entities

    def read(self, data: bytes | str) -> None:
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
        given = {name.lower(): _restored(value) for name, value in attributes.items()}
        name = _line(given.get("text")) or _line(given.get("title"))
        if self._open and not self._open[-1].is_meant:
            self._open[-1].lack = None
        if written := given.get("xmlurl", "").strip():
            self._add(written, name, given)
            # A feed is no folder, but it ends like one.
            self._open.append(_Open(folder="", lack=None, is_meant=True))
        else:
            kind = given.get("type", "").strip().lower()
            lack = Problem(self.place(), self._lack(name, kind, given), is_warning=True)
            is_meant = kind in ("atom", "include", "link", "rss")
            self._open.append(_Open(folder=name or "", lack=lack, is_meant=is_meant))
        # Each feed gets the names of all folders around it.
        if len(self._open) > _MAX_DEPTH:
            raise _RefusedError(self.place(), f"its folders are more than {_MAX_DEPTH} deep")

    def _end(self, element: str) -> None:
        if element.lower() == "outline" and (lack := self._open.pop().lack) is not None:
            self.problems.append(lack)

    def _lack(self, name: str | None, kind: str, given: Mapping[str, str]) -> str:
        """Why an outline without an address of a feed is none."""
        page = address.web(given.get("url") or given.get("htmlurl"), self._base)
        shown = address.redacted(page) if page else None
        called = name or "an outline"
        if kind == "include" or (kind == "link" and (shown or "").lower().endswith(".opml")):
            if shown is None:
                return f"{called} includes another list and does not say which"
            return f'{called} includes the list {shown}; write its address under "subscriptions"'
        lack = "has an empty xmlUrl" if "xmlurl" in given else "has no xmlUrl"
        hint = f"; `planet add {shown}` looks for its feed" if shown else ""
        return f"{called} {lack}, so it is no feed{hint}"

    def _add(self, written: str, name: str | None, given: Mapping[str, str]) -> None:
        meant = values.without_feed_scheme(written)
        try:
            url = _web_address(address.web(meant, self._base) or meant)
        except ValueError as error:
            self.problems.append(Problem(self.place(), f"xmlUrl of {name or 'a feed'} {error}"))
            return
        if meant != written:
            words = f'xmlUrl of {name or "a feed"} begins with "feed:"'
            words = f"{words} and is read as {address.redacted(url)}"
            self.mended.append(Problem(self.place(), words, is_warning=True))
        # OPML 2.0: "/Boston/Weather,/Harvard".
        categories = given.get("category", "").replace(",", "/").split("/")
        folders = [outline.folder for outline in self._open]
        tags = [tag for each in (*folders, *categories) if (tag := _line(each))]
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
    if not written.strip().lower().startswith(("http:", "https:")):
        # What `checked` would say of it has to do with paths.
        raise ValueError("is not a web address; a subscription list may only hold web addresses")
    return values.checked(written)


def _line(text: str | None) -> str | None:
    try:
        return values.line(text or "")
    except ValueError:
        return None
