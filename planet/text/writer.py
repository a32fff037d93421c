"""Well-formed HTML → clean HTML, by the tables of `policy`. Nothing else writes clean HTML.

What a library makes of a text is well-formed, and so is most of what feeds send. The second needs
no library: where each element ends by its own end tag, and stands where parsers leave it, all of
them make the same of it.
"""

from __future__ import annotations

import re
from html import escape
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from planet.model import Html, Images
from planet.text import address, policy
from planet.text.mending import mended
from planet.text.plain import decoded, one_line
from planet.text.policy import (
    ELEMENTS,
    INDENTED,
    RENAMED,
    VOID,
    Value,
    checked,
    read_attributes,
    start_tag,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planet.text.policy import Attributes


_ATTRIBUTES = (
    r"((?:\s++[a-zA-Z][\w:.-]*+"
    r"(?:\s*+=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+'|[\w.%#:;,+-]++(?=[\s>])))?+)*+)\s*+"
)
# A text, and what is behind it: a comment, an element whose content is no HTML, a tag, or a sign
# that begins none of them in a form that all parsers read alike.
_TOKEN = re.compile(
    rf"([^<]*+)(?:<(?:!--(?!-?>)(?:[^<-]|-(?!-))*+-->"
    rf"|(iframe|script|style){_ATTRIBUTES}>([^<]*+)</\2\s*+>"
    rf"|(/?)([a-zA-Z][a-zA-Z0-9]*+){_ATTRIBUTES}/?>)|(<)|\Z)",
    re.ASCII,
)
_REFERENCE = re.compile(r"&[^\t\n\f <>&;]*+;?")

MAX_DEPTH = 128
"""Elements in elements."""

_ADDRESSES = {Value.LINK, Value.FILE, Value.IMAGE}
_RESOLVED = {name for name, own in ELEMENTS.items() if _ADDRESSES.intersection(own.values())}
_RESOLVED.add("embed")
_KNOWN = frozenset({*policy.attributes(), "big", "font", "picture"}) - {"iframe"}
_ENDS = {name: f"</{RENAMED.get(name, name)}>" for name in _KNOWN}

# How a parser places elements (HTML §13.2.6.4).
_READINGS = {"rp", "rt"}
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_HEADING = re.compile("<h[1-6]", re.IGNORECASE)
# Their start tags end an open `p`.
_PARTING = _HEADINGS | {
    *("address", "article", "aside", "blockquote", "center", "dd", "details", "dir", "div", "dl"),
    *("dt", "figcaption", "figure", "footer", "header", "hr", "li", "main", "menu", "nav", "ol"),
    *("p", "pre", "rp", "rt", "section", "summary", "table", "ul"),
}
_PARENTS = {
    name: parents
    for names, parents in (  # an empty one for none
        ("caption colgroup tbody tfoot thead", {"table"}),
        ("col", {"colgroup"}),
        ("tr", {"tbody", "tfoot", "thead"}),
        ("td th", {"tr"}),
        ("li", {"", "ul", "ol", "dir", "menu"}),
        ("dd dt", {"", "dl"}),
        ("rp rt", {"ruby"}),
    )
    for name in names.split()
}
# In these are the parts of a table, and nothing else.
_HOLDERS = {"table", "colgroup", "tbody", "tfoot", "thead", "tr"}
_PLACED = _PARTING | _PARENTS.keys() | {"a"}

# HTML §2.3.4.4: digits, perhaps a fraction, and whatever follows them, but for a share of the page.
_SIZE = re.compile(r"\s*([0-9]++)(?:\.[0-9]*+)?+(?!%)")
_WIDTH = re.compile(r"([0-9]{1,5})w,?", re.ASCII)
_PAGE_WIDTH = 1200


class Written(NamedTuple):
    """Clean HTML."""

    html: Html
    is_stable: bool
    """Whether every parser reads it as it was written."""
    is_whole: bool
    """Whether no end tag was left out for a parser to find its place."""


def write(
    html: str, *, base: str | None, images: Images, only_stable: bool = False
) -> Written | None:
    """What the policy allows of it.

    None when it is not well-formed; with `only_stable` also when it is not stable. There are no
    `CONTROLS` in what is given but for references to them.
    """
    html = _lines(html)
    tokens = _TOKEN.findall(html)
    headings = _headings(tokens) if _HEADING.search(html) else {}
    writer = _Writer(base, images, headings, only_stable=only_stable)
    for text, raw, given, content, end, name, attributes, odd in tokens:
        if text:
            writer.text(_canonical(text) if "&" in text or ">" in text else text)
        if name:
            if name not in _KNOWN and (name := name.lower()) not in _KNOWN:
                return None
            if not (writer.end(name) if end else writer.start(name, attributes)):
                return None
        elif raw:
            writer.raw(raw, given, content)
        elif odd:
            return None
    if writer.names or (only_stable and not writer.is_stable):
        return None
    clean = "".join(writer.out)
    clean = policy.CONTROLS.sub("", clean) if "&#" in html else clean
    return Written(Html(clean), writer.is_stable, writer.is_whole)


def _headings(tokens: Iterable[tuple[str, ...]]) -> dict[str, str]:
    """What headings are called: they keep their order below that of the entry, without gaps."""
    used = sorted(_HEADINGS.intersection(map(str.lower, set(map(itemgetter(5), tokens)))))
    return {name: f"h{min(level, 6)}" for level, name in enumerate(used, start=4)}


class _Writer:
    """Writes the HTML of one text; its calls are those of a parser."""

    def __init__(
        self,
        base: str | None,
        images: Images,
        headings: Mapping[str, str],
        *,
        only_stable: bool,
    ) -> None:
        self.out: list[str] = []
        self.names: list[str] = []
        """The open elements."""
        self.is_stable = True
        self.is_whole = True
        self._base = base
        self._images = images
        self._headings = headings
        self._only_stable = only_stable
        # Of the open elements; empty where the start tag was left out.
        self._ends: list[str] = []

    def start(self, name: str, attributes: str) -> bool:
        """The start tag of a known element; whether there is a use in going on."""
        names = self.names
        if name in _PLACED or (names and names[-1] in _HOLDERS):
            self.is_stable = self.is_stable and self._is_placed(name)
        if name not in _RESOLVED:
            self._element(name, _tag(self._headings.get(name, name), attributes))
        elif name == "img":
            self._image(read_attributes(attributes))
        elif name == "embed":
            self.frame(attributes, players_only=True)
        elif name != "source" or "audio" in names or "video" in names:
            self._element(name, start_tag(name, read_attributes(attributes), self._base))
        return self.is_stable or not self._only_stable

    def _element(self, name: str, tag: str | None) -> None:
        names = self.names
        if name in INDENTED and sum(around in INDENTED for around in names) >= policy.MAX_INDENTED:
            tag = None
            self.is_stable = False
        if tag:
            self.out.append(tag)
        if name not in VOID:
            names.append(name)
            self._ends.append(_ENDS[self._headings.get(name, name)] if tag else "")
            self.is_stable = self.is_stable and len(names) <= MAX_DEPTH

    def end(self, name: str) -> bool:
        """An end tag; whether it ends the innermost element."""
        if name in VOID:
            # Parsers pass over it, but for one that they take for a start tag.
            return name != "br"
        if not self.names or self.names.pop() != name:
            return False
        if tag := self._ends.pop():
            self.out.append(tag)
        return True

    def text(self, words: str) -> None:
        """Text that is escaped."""
        out, names = self.out, self.names
        if not out:
            # bleach puts a line end in the place of some tags.
            words = words.lstrip("\n ")
        elif words[:1] == "\n" and out[-1].startswith("<pre"):
            # Right after this tag a parser swallows a line end, but html5lib does not in a cell.
            words = words.lstrip("\n")
        if words:
            if names and names[-1] in _HOLDERS and words.strip("\t\n\f "):
                self.is_stable = False
            out.append(words)

    def raw(self, name: str, attributes: str, content: str) -> None:
        """An element whose content is no HTML."""
        if name == "iframe":
            self.frame(attributes)
            is_placed = not (self.names and self.names[-1] in _HOLDERS)
            self.is_stable = self.is_stable and is_placed and not content
        else:
            whole = f"<{name}{attributes}>{content}</{name}>"
            self.is_stable &= mended(whole) == whole

    def frame(self, attributes: str, *, players_only: bool = False) -> None:
        """A link in the place of a frame, to the page that shows the same."""
        values = read_attributes(attributes)
        sources = (address.web(values.get(source), self._base) for source in policy.SOURCES)
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
        source = address.web(source) or framed
        host = (urlsplit(source).hostname or "").removeprefix("www.")
        players = (
            word
            for player, word in policy.PLAYERS.items()
            if host == player or host.endswith(f".{player}")
        )
        title = one_line(values.get("title") or "")
        name = host if policy.NAMELESS.fullmatch(title) else f"{title} ({host})"
        self._link(source, f"{next(players, 'Embedded')}: {name}")

    def _is_placed(self, name: str) -> bool:
        """Whether a parser leaves an element where it begins, and ends no other for it."""
        names = self.names
        parent = names[-1] if names else ""
        around = names
        if name in _READINGS and "ruby" in names:
            # They end a paragraph in their ruby alone.
            around = names[-names[::-1].index("ruby") - 1 :]
        if name in _PARTING and "p" in around:
            # Parsers make another paragraph of an end tag that comes later.
            for place in range(len(names) - len(around), len(names)):
                if names[place] == "p":
                    self._ends[place] = ""
            self.is_stable = self.is_whole = False
            return False
        if name in _PARENTS:
            return parent in _PARENTS[name]
        if parent in _HOLDERS:
            return False
        if name in _HEADINGS:
            return _HEADINGS.isdisjoint(names)
        return name != "a" or "a" not in names

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
        target = checked(Value.FILE, source or "", self._base)
        if target and self._images is Images.LINKED:
            self._link(target, alternative or "Image")
        else:
            self.text(_escaped(alternative))

    def _source(self, attributes: Attributes) -> str | None:
        """The address of an image, wherever it is: that of a placeholder comes last."""
        sources = [attributes.get(name) for name in policy.SOURCES]
        sets = [attributes.get(name) or "" for name in policy.SOURCE_SETS]
        candidates = (*sources, *filter(None, map(_from_set, sets)))
        usable = (source for source in candidates if address.web(source, self._base))
        return next(usable, sources[-1])

    def _link(self, target: str, words: str) -> None:
        tag = None if "</a>" in self._ends else start_tag("a", {"href": target}, None)
        if tag:
            self.out.append(f"{tag}{_escaped(words)}</a>")
        else:
            self.text(_escaped(words))


def _canonical(text: str) -> str:
    """A text that is escaped as its feed likes, escaped as this does."""
    text = text.replace(">", "&gt;")
    return _REFERENCE.sub(lambda match: _reference(match[0]), text) if "&" in text else text


def _reference(reference: str) -> str:
    return _escaped(_lines(decoded(reference)))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _escaped(words: str) -> str:
    return escape(words, quote=False)


def _tag(name: str, attributes: str) -> str | None:
    """The start tag of an element that has no address: most come again and again."""
    return start_tag(RENAMED.get(name, name), read_attributes(attributes), None)


def _from_set(candidates: str) -> str | None:
    """Of the addresses in a `srcset`, the one whose width is nearest to that of a page."""
    parts = [part.split() for part in re.split(r",\s", candidates) if part.strip(", \t\n")]
    parts.sort(key=lambda part: abs(_PAGE_WIDTH - _width(part[-1])))
    return parts[0][0] if parts else None


def _width(descriptor: str) -> int:
    match = _WIDTH.fullmatch(descriptor)
    return int(match[1]) if match else 0


def _is_pixel(size: str) -> bool:
    match = _SIZE.match(size)
    return match is not None and match[1].lstrip("0") in {"", "1"}
