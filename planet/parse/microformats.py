"""The door to mf2py: a web page → the microformats in it (https://microformats.org/wiki/h-entry).

mf2py knows the older classes, too (hAtom: `hfeed`, `hentry`, `vcard`), and gives them the names of
the newer. It fetches what it is given no text of, so it is always given one. What it makes of a
page is lists and strings throughout; `Item` has them by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mf2py  # type: ignore[import-untyped]  # has no types

from planet import address
from planet.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_PAGE = 500_000
"""Characters of a page that are read. A parser of HTML that makes what browsers make of a page
takes seconds for so many, where feeds take tenths."""


@dataclass(frozen=True, slots=True)
class Item:
    """One microformat; for mf2py, a dict."""

    said: dict[str, Any]

    def is_a(self, kind: str) -> bool:
        """Whether it is of a kind, such as `h-entry`."""
        return kind in self.said.get("type", ())

    def values(self, *names: str) -> list[Any]:
        """What its properties of these names say: strings, or dicts."""
        properties = self.said.get("properties", {})
        return [value for name in names for value in properties.get(name, ())]

    def texts(self, *names: str) -> list[str]:
        """The same as strings; of what has several forms, the plain one."""
        found = [plain_form(value) for value in self.values(*names)]
        return [text for text in found if text]

    @property
    def children(self) -> list[Item]:
        """The microformats in it that are no properties of it."""
        return [Item(each) for each in self.said.get("children", ())]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page and what is in it."""

    items: list[Item]
    """The outermost, in the order of the document."""
    base: str | None
    """What its relative addresses are relative to; those in items are absolute if it is known."""
    title: str | None
    language: str | None
    rels: dict[str, list[str]]
    """Where its links lead, by their relation."""
    links: dict[str, dict[str, Any]]
    """What these links say of themselves, by where they lead."""
    is_cut: bool
    """Whether it goes on after what was read of it."""


def page(text: str, base: str | None) -> Page:
    """The microformats of a page that is at `base`.

    Raises:
        ParseError: `unreadable`.
    """
    try:
        parser = mf2py.Parser(
            doc=text[:MAX_PAGE],
            url=base,
            # Classes of a popular style sheet, such as h-full, which look like microformats.
            filter_roots=True,
        )
    except RecursionError as error:
        raise ParseError("unreadable", "the page is too complex to be a feed") from error
    except Exception as error:  # mf2py promises no set of exceptions
        reason = type(error).__name__
        raise ParseError("unreadable", f"the page cannot be read ({reason})") from error
    found, title = parser.to_dict(), parser.__doc__.find("title")
    return Page(
        items=[Item(each) for each in found["items"]],
        base=address.web(getattr(parser, "__url__", None), base),
        title=title.get_text() if title else None,
        language=parser.lang,
        rels=found["rels"],
        links=found["rel-urls"],
        is_cut=len(text) > MAX_PAGE,
    )


def plain_form(value: Any) -> str | None:
    """A value as a string: of content its words, of an image its address, of an item what it is."""
    return value.get("value") if isinstance(value, dict) else value


def walk(items: list[Item], *, into: str) -> Iterator[Item]:
    """Items and their children, in the order of the document; of a kind, the children not."""
    for item in items:
        yield item
        if not item.is_a(into):
            yield from walk(item.children, into=into)
