"""Elements, attributes and text → HTML by the policy. What it gives is safe by construction.

The door of each library drives a writer with what the library let through. Names are written only
when the policy has them, values only when they are what it asks for, all else is escaped, and what
was opened is closed in the right order, whatever the calls were.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from planet import address
from planet.content import policy
from planet.content.attributes import checked, start_tag
from planet.content.policy import Value
from planet.model import Html, Images
from planet.plain import NO_CHARACTERS, one_line

if TYPE_CHECKING:
    from collections.abc import Container

    from planet.content.attributes import Attributes

CONTROLS = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f{NO_CHARACTERS}]")
"""What no page and no feed can hold: controls, halves of surrogate pairs, and non-characters."""

# HTML §2.3.4.4: digits, perhaps a fraction, and whatever follows them, but for a share of the page.
_SIZE = re.compile(r"\s*([0-9]++)(?:\.[0-9]*+)?+(?!%)")

_WIDTH = re.compile(r"([0-9]{1,5})w,?", re.ASCII)
_PAGE_WIDTH = 1200


class Writer:
    """Writes the HTML of one text; its calls are those of a parser."""

    def __init__(self, *, base: str | None, images: Images) -> None:
        self._base = base
        self._images = images
        self._out: list[str] = []
        # The open elements, and whether their tags were written.
        self._open: list[tuple[str, bool]] = []
        # The element that is being left out, once for each of that name that is open in it.
        self._dropped: list[str] = []

    def start(self, name: str, attributes: Attributes) -> None:
        """A start tag."""
        if self._dropped:
            if name == self._dropped[0]:
                self._dropped.append(name)
            return
        name = policy.RENAMED.get(name, name)
        if name in policy.DROPPED:
            self._dropped.append(name)
        elif name == "iframe":
            self._frame(attributes)
            self._dropped.append(name)
        elif name == "embed":
            self._frame(attributes, players_only=True)
        elif name == "img":
            self._image(attributes)
        elif name != "source" or self._inside("audio", "video"):
            self._element(name, attributes)

    def end(self, name: str) -> None:
        """An end tag; one that ends nothing is passed over."""
        if self._dropped:
            if name == self._dropped[0]:
                self._dropped.pop()
            return
        name = policy.RENAMED.get(name, name)
        if any(started == name for started, _ in self._open):
            while self._close() != name:
                pass

    def text(self, words: str) -> None:
        """Text, with its character references decoded."""
        if self._dropped:
            return
        if not self._out:
            # bleach puts a line end in the place of some tags.
            words = words.lstrip("\n ")
        elif self._out[-1].startswith("<pre"):
            # Right after this tag a parser swallows a line end, but html5lib does not in a cell.
            words = words.lstrip("\n")
        if words:
            if not words.isspace():
                self._make_room()
            self._out.append(escape(words, quote=False))

    def html(self) -> Html:
        """What was written, with everything closed."""
        while self._open:
            self._close()
        return Html(CONTROLS.sub("", "".join(self._out)))

    def _element(self, name: str, attributes: Attributes) -> None:
        tag = self._start_tag(name, attributes)
        if tag is not None:
            self._end_before(name)
            self._make_room(name)
            self._out.append(tag)
        if name not in policy.VOID:
            self._open.append((name, tag is not None))

    def _start_tag(self, name: str, attributes: Attributes) -> str | None:
        if name == "a" and self._inside("a", within=policy.CELLS):
            return None
        if name in policy.PARENTS and self._parent() not in policy.PARENTS[name]:
            return None
        if name in policy.INDENTED:
            around = sum(written and each in policy.INDENTED for each, written in self._open)
            if around >= policy.MAX_INDENTED:
                return None
        return start_tag(name, attributes, self._base)

    def _end_before(self, name: str) -> None:
        """Close what this start tag ends."""
        if name in policy.BLOCKS:
            self._end({"p"}, within=policy.CELLS)
        if name in policy.ENDED_BY:
            heading = name in policy.HEADINGS
            self._end(policy.ENDED_BY[name], within=policy.ELEMENTS if heading else policy.SCOPES)
        while name in policy.READINGS and self._inside("ruby") and self._parent() in policy.IMPLIED:
            self._end(policy.IMPLIED, within=())

    def _end(self, names: Container[str], *, within: Container[str]) -> None:
        """Close the innermost of these elements, unless it is beyond another kind."""
        for place in range(len(self._open) - 1, -1, -1):
            name, written = self._open[place]
            if written and name in names:
                # They stay in the list, for their own end tags to end them and nothing else.
                for each in range(len(self._open) - 1, place - 1, -1):
                    self._out += [f"</{self._open[each][0]}>"] if self._open[each][1] else []
                    self._open[each] = (self._open[each][0], False)
                return
            if written and name in within:
                return

    def _make_room(self, name: str = "") -> None:
        """Close a table in which something begins that no table holds."""
        if self._parent() in policy.HOLDERS and name not in policy.PARENTS:
            self._end({"table"}, within=())

    def _parent(self) -> str | None:
        return next((name for name, written in reversed(self._open) if written), None)

    def _close(self) -> str:
        name, written = self._open.pop()
        if written:
            self._out.append(f"</{name}>")
        return name

    def _inside(self, *names: str, within: Container[str] = ()) -> bool:
        open_ones = (name for name, written in reversed(self._open) if written)
        met = next((name for name in open_ones if name in names or name in within), None)
        return met in names

    def _frame(self, attributes: Attributes, *, players_only: bool = False) -> None:
        """A link in the place of a frame, to the page that shows the same."""
        sources = (address.web(attributes.get(each), self._base) for each in policy.SOURCES)
        framed = source = next(filter(None, sources), None)
        if source is None:
            return
        for pattern, page in policy.PAGES:
            source = pattern.sub(page, source)
        if players_only and source == framed:
            return
        host = (urlsplit(source).hostname or "").removeprefix("www.")
        players = (
            word
            for player, word in policy.PLAYERS.items()
            if host == player or host.endswith(f".{player}")
        )
        title = one_line(attributes.get("title") or "")
        name = host if policy.NAMELESS.fullmatch(title) else f"{title} ({host})"
        self._link(source, f"{next(players, 'Embedded')}: {name}")

    def _image(self, attributes: Attributes) -> None:
        alternative = one_line(attributes.get("alt") or "")
        if any(_is_pixel(attributes.get(side) or "") for side in ("width", "height")):
            # Nobody is meant to see it: it counts readers.
            return
        source = self._source(attributes)
        if self._images is Images.LAZY:
            shown = {**attributes, "src": source, "alt": alternative}
            written = start_tag("img", shown, self._base)
            if written is None:
                self.text(alternative)
            else:
                self._make_room()
                self._out.append(written)
            return
        source = checked(Value.FILE, source or "", self._base)
        if source is not None and self._images is Images.LINKED:
            self._link(source, alternative or "Image")
        else:
            self.text(alternative)

    def _source(self, attributes: Attributes) -> str | None:
        """The address of an image, wherever it is: that of a placeholder comes last."""
        said = [attributes.get(each) for each in policy.SOURCES]
        sets = [attributes.get(each) or "" for each in policy.SOURCE_SETS]
        candidates = (*said, *filter(None, map(_from_set, sets)))
        return next((each for each in candidates if address.web(each, self._base)), said[-1])

    def _link(self, target: str, words: str) -> None:
        self._make_room()
        if self._inside("a"):
            self.text(words)
        else:
            self._out.append(start_tag("a", {"href": target}, None) or "")
            self.text(words)
            self._out.append("</a>")


def _from_set(candidates: str) -> str | None:
    """Of the addresses in a `srcset`, the one whose width is nearest to that of a page."""
    parts = [each.split() for each in re.split(r",\s", candidates) if each.strip(", \t\n")]
    parts.sort(key=lambda part: abs(_PAGE_WIDTH - _width(part[-1])))
    return parts[0][0] if parts else None


def _width(descriptor: str) -> int:
    found = _WIDTH.fullmatch(descriptor)
    return int(found[1]) if found else 0


def _is_pixel(size: str) -> bool:
    found = _SIZE.match(size)
    return found is not None and found[1].lstrip("0") in {"", "1"}
