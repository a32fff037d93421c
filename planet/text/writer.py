"""HTML as a library has parsed and written it → clean HTML, by the tables of `policy`.

Nothing else writes clean HTML.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from planet.model import Html, Images
from planet.text import address, formulas, policy
from planet.text.formulas import FormulaElement
from planet.text.plain import decode_references, one_line
from planet.text.policy import (
    ELEMENTS,
    INDENTED,
    RENAMED,
    VOID,
    Value,
    check_value,
    read_attributes,
    start_tag,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planet.text.policy import Attributes


# A text, and the tag behind it; the last group is a "<" that begins no tag as libraries write them.
_TOKEN = re.compile(
    r"([^<]*+)(?:<(/?)([a-z][a-z0-9]*+)((?:\s[a-z-]++=\"[^\"<>]*+\")*+)>|(<)|\Z)", re.ASCII
)
_REFERENCE = re.compile(r"&[^\t\n\f <>&;]*+;?")

MAX_DEPTH = 128
"""Elements in elements."""

_ADDRESSES = {Value.LINK, Value.FILE, Value.IMAGE}
_RESOLVED = {name for name, own in ELEMENTS.items() if _ADDRESSES.intersection(own.values())}
_RESOLVED.add("embed")
_KNOWN = frozenset(policy.list_attributes())
_ENDS = {name: f"</{RENAMED.get(name, name)}>" for name in _KNOWN}
_VOID = VOID | {"embed", "iframe"}
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

# HTML §2.3.4.4: digits, perhaps a fraction, and whatever follows them, but for a share of the page.
_SIZE = re.compile(r"\s*([0-9]++)(?:\.[0-9]*+)?+(?!%)")
_WIDTH = re.compile(r"([0-9]{1,5})w,?", re.ASCII)
_PAGE_WIDTH = 1200


def write(
    html: str,
    *,
    base: str | None,
    images: Images = Images.LAZY,
) -> Html | None:
    """Return what the policy allows of HTML that a library has written; None if it has not.

    That is balanced, in lower case, with all attributes in double quotes, and without `CONTROLS`
    but for references to them. None, too, where it is deeper than `MAX_DEPTH`. What was written
    here can be written again, with its `images` shown in another way.
    """
    tokens = _TOKEN.findall(_lines(html))
    writer = _Writer(base, images, _headings(tokens))
    for text, end, name, attributes, odd in tokens:
        if text:
            writer.text(_canonical(text) if "&" in text or ">" in text else text)
        if odd or (name and name not in _KNOWN):
            return None
        if end and not writer.end(name):
            return None
        if name and not end:
            writer.start(name, attributes)
    if writer.names or writer.depth > MAX_DEPTH:
        return None
    clean = "".join(writer.out)
    return Html(policy.CONTROLS.sub("", clean).lstrip("\n ") if "&#" in html else clean)


def _headings(tokens: Iterable[tuple[str, ...]]) -> dict[str, str]:
    """Map the headings of a text to levels below the entry's own, in order and without gaps."""
    used = sorted(_HEADINGS.intersection(name for _, _, name, _, _ in tokens))
    return {name: f"h{min(level, 6)}" for level, name in enumerate(used, start=4)}


class _Writer:
    """Writes the HTML of one text; its calls are those of a parser."""

    def __init__(
        self,
        base: str | None,
        images: Images,
        headings: Mapping[str, str],
    ) -> None:
        self.out: list[str] = []
        self.names: list[str] = []
        """The open elements."""
        self.depth = 0
        """The most that were open at once."""
        self._base = base
        self._images = images
        self._headings = headings
        # Of the open elements; empty where the start tag was left out.
        self._ends: list[str] = []
        self._formula: list[FormulaElement] = []
        """The open elements of a formula, which is written when it ends."""
        self._math = ""

    def start(self, name: str, attributes: str) -> None:
        """Write the start tag of a known element."""
        if self._formula or name in formulas.ELEMENTS:
            self._start_in_formula(name, attributes)
        elif name in ("embed", "iframe"):
            self._frame(read_attributes(attributes), players_only=name == "embed")
        elif name not in _RESOLVED:
            self._element(name, _tag(self._headings.get(name, name), attributes))
        elif name == "img":
            self._image(read_attributes(attributes))
        elif name != "source" or "audio" in self.names or "video" in self.names:
            self._element(name, start_tag(name, read_attributes(attributes), self._base))

    def _element(self, name: str, tag: str | None) -> None:
        names = self.names
        if name in INDENTED and sum(around in INDENTED for around in names) >= policy.MAX_INDENTED:
            tag = None
        if tag:
            self.out.append(tag)
        if name not in _VOID:
            names.append(name)
            self.depth = max(self.depth, len(names))
            self._ends.append(_ENDS[self._headings.get(name, name)] if tag else "")

    def end(self, name: str) -> bool:
        """Write an end tag; return False if it does not end the innermost element."""
        if name in _VOID:
            return True
        if not self.names or self.names.pop() != name:
            return False
        tag = self._ends.pop()
        if tag and self._formula:
            self._end_in_formula()
        elif tag:
            self.out.append(tag)
        return True

    def _start_in_formula(self, name: str, attributes: str) -> None:
        """Begin an element of a formula; leave out HTML in it, and such an element elsewhere."""
        if name in _VOID:
            return
        is_begun = bool(self._formula)
        is_shown = name in formulas.ELEMENTS and (name == "math") is not is_begun
        if is_shown:
            element = FormulaElement(name)
            if is_begun:
                self._formula[-1].children.append(element)
            else:
                self._math = _tag(name, attributes) or ""
            self._formula.append(element)
        self.names.append(name)
        self.depth = max(self.depth, len(self.names))
        self._ends.append(_ENDS[name] if is_shown else "")

    def _end_in_formula(self) -> None:
        """End an element of a formula, and write the whole where that is the last one."""
        element = self._formula.pop()
        if self._formula:
            return
        if written := formulas.write_inner(element):
            self.out += (self._math, written, _ENDS["math"])
        else:
            self.text(formulas.write_linear(element))

    def text(self, words: str) -> None:
        """Write text that is escaped already."""
        if self._formula:
            self._formula[-1].children.append(words)
            return
        out = self.out
        if not out:
            # bleach puts a line end in the place of some tags.
            words = words.lstrip("\n ")
        elif words[:1] == "\n" and out[-1].startswith("<pre"):
            # Right after this tag a parser swallows a line end, but html5lib does not in a cell.
            words = words.lstrip("\n")
        if words:
            out.append(words)

    def _frame(self, values: Attributes, *, players_only: bool) -> None:
        """Write a link in the place of a frame, to the page that shows the same."""
        sources = (
            address.make_absolute(values.get(source), self._base) for source in policy.SOURCES
        )
        framed = next(filter(None, sources), None)
        if framed is None:
            return
        source = framed
        for frame, page in policy.PAGES:
            if match := frame.match(source):
                source = match.expand(page)
        if players_only and source == framed:
            return
        # The address of a page may be too long although that of its frame is not.
        source = address.make_absolute(source) or framed
        host = (urlsplit(source).hostname or "").removeprefix("www.")
        players = (
            word
            for player, word in policy.PLAYERS.items()
            if host == player or host.endswith(f".{player}")
        )
        title = one_line(values.get("title") or "")
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
            if tag := start_tag("img", shown, self._base):
                self.out.append(tag)
                return
        target = check_value(Value.FILE, source or "", self._base)
        if target and self._images is Images.LINKED:
            self._link(target, alternative or "Image")
        else:
            self.text(_escape(alternative))

    def _source(self, attributes: Attributes) -> str | None:
        """Return the address of an image from any of its attributes; a placeholder's comes last."""
        sources = [attributes.get(name) for name in policy.SOURCES]
        sets = [attributes.get(name) or "" for name in policy.SOURCE_SETS]
        candidates = (*sources, *filter(None, map(_from_set, sets)))
        usable = (source for source in candidates if address.make_absolute(source, self._base))
        return next(usable, sources[-1])

    def _link(self, target: str, words: str) -> None:
        tag = None if "</a>" in self._ends else start_tag("a", {"href": target}, None)
        if tag:
            self.out.append(f"{tag}{_escape(words)}</a>")
        else:
            self.text(_escape(words))


def _canonical(text: str) -> str:
    """Escape a text anew that its feed escaped in its own way."""
    return _REFERENCE.sub(_reference, text.replace(">", "&gt;"))


def _reference(match: re.Match[str]) -> str:
    return _escape(_lines(decode_references(match[0])))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _escape(words: str) -> str:
    return escape(words, quote=False)


def _tag(name: str, attributes: str) -> str | None:
    """Write the start tag of an element without addresses."""
    return start_tag(RENAMED.get(name, name), read_attributes(attributes), None)


def _from_set(candidates: str) -> str | None:
    """Return the address in a `srcset` whose width is nearest to that of a page."""
    parts = [part.split() for part in re.split(r",\s", candidates) if part.strip(", \t\n")]
    parts.sort(key=lambda part: abs(_PAGE_WIDTH - _width(part[-1])))
    return parts[0][0] if parts else None


def _width(descriptor: str) -> int:
    match = _WIDTH.fullmatch(descriptor)
    return int(match[1]) if match else 0


def _is_pixel(size: str) -> bool:
    match = _SIZE.match(size)
    return match is not None and match[1].lstrip("0") in {"", "1"}
