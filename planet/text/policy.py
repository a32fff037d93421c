"""What may be in an entry, as data: docs/reading.md shows it as a table and says why.

Everything that is not here is not let through. A library cleans by these tables; what no library
does (addresses, images, players) is done by `planet.content.writer`, by these tables as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from functools import cache
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from planet.model import Html, Images
from planet.text import address
from planet.text.plain import NO_CHARACTERS, one_line

if TYPE_CHECKING:
    from collections.abc import Container


REVISION = 5
"""Raised whenever the same text would come out differently, so that it is cleaned again."""

MAX_DATA_IMAGE = 32_768
"""Characters of a data: address."""


class Value(Enum):
    """What the value of an attribute has to be; an attribute with another value is left out."""

    LINK = auto()
    """An http, https or mailto address, made absolute."""
    FILE = auto()
    """An http or https address, made absolute."""
    IMAGE = auto()
    """Like FILE, or a small raster image in a data: address."""
    TEXT = auto()
    """Any text."""
    NUMBER = auto()
    """A whole number of at most four digits; `start` and `value` may be negative."""
    WORD = auto()
    """What dates, language tags, media types and the fixed values of attributes are made of."""
    FLAG = auto()
    """Nothing: the attribute is there or not."""


def _each(**attributes: Value) -> Mapping[str, Value]:
    return MappingProxyType(attributes)


_NOTHING = _each()
_QUOTED = _each(cite=Value.FILE)
_CHANGED = _each(cite=Value.FILE, datetime=Value.WORD)
_TITLED = _each(title=Value.TEXT)
_PLAYER = _each(src=Value.FILE)
_CELL = _each(colspan=Value.NUMBER, rowspan=Value.NUMBER)

EVERYWHERE: Mapping[str, Value] = _each(dir=Value.WORD, lang=Value.WORD)
"""Attributes that every element may have."""

ELEMENTS: Mapping[str, Mapping[str, Value]] = MappingProxyType(
    {
        **dict.fromkeys(("p", "div", "br", "hr", "pre", "address", "h4", "h5", "h6"), _NOTHING),
        **dict.fromkeys(("b", "i", "u", "s", "em", "strong", "small", "mark", "span"), _NOTHING),
        **dict.fromkeys(("code", "kbd", "samp", "var", "sub", "sup", "cite", "wbr"), _NOTHING),
        **dict.fromkeys(("bdi", "bdo", "ruby", "rp", "rt"), _NOTHING),
        **dict.fromkeys(("ul", "dl", "dt", "dd", "figure", "figcaption", "summary"), _NOTHING),
        **dict.fromkeys(("table", "caption", "thead", "tbody", "tfoot", "tr"), _NOTHING),
        **dict.fromkeys(("abbr", "dfn"), _TITLED),
        **dict.fromkeys(("blockquote", "q"), _QUOTED),
        **dict.fromkeys(("del", "ins"), _CHANGED),
        **dict.fromkeys(("col", "colgroup"), _each(span=Value.NUMBER)),
        "time": _each(datetime=Value.WORD),
        "details": _each(open=Value.FLAG),
        "ol": _each(start=Value.NUMBER, type=Value.WORD, reversed=Value.FLAG),
        "li": _each(value=Value.NUMBER),
        "td": _CELL,
        "th": _each(**_CELL, scope=Value.WORD),
        "a": _each(href=Value.LINK, title=Value.TEXT, hreflang=Value.WORD),
        "img": _each(
            src=Value.IMAGE,
            alt=Value.TEXT,
            title=Value.TEXT,
            width=Value.NUMBER,
            height=Value.NUMBER,
        ),
        "audio": _PLAYER,
        "video": _each(**_PLAYER, width=Value.NUMBER, height=Value.NUMBER),
        "source": _each(**_PLAYER, type=Value.WORD),
    }
)
"""Elements and the attributes they may have beside those of `EVERYWHERE`."""

ADDED: Mapping[str, str] = MappingProxyType(
    {
        "a": ' rel="noopener noreferrer"',
        "img": ' loading="lazy"',
        "audio": ' controls preload="none"',
        "video": ' controls preload="none"',
    }
)
"""What every such element gets, whatever it had."""

NEEDED: Mapping[str, str] = MappingProxyType({"a": "href", "img": "src", "source": "src"})
"""Attributes without which an element is nothing, and left out; its content stays."""
_WITHOUT_ATTRIBUTES = {
    name: f"<{name}{ADDED.get(name, '')}>" for name in ELEMENTS if name not in NEEDED
}

RENAMED: Mapping[str, str] = MappingProxyType(
    {
        # On a page of ours, h1 is the planet's, h2 the day's, h3 the entry's.
        **dict.fromkeys(("h1", "h2", "h3"), "h4"),
        **dict.fromkeys(
            ("article", "aside", "center", "footer", "header", "main", "nav", "section"), "div"
        ),
        "acronym": "abbr",
        "strike": "s",
        "tt": "code",
        "dir": "ul",
        "menu": "ul",
    }
)
"""Elements that stand for another; applied twice, nothing changes."""

DROPPED = frozenset(
    {
        *("script", "style", "template", "noscript", "svg", "math", "title"),
        *("applet", "canvas", "frameset", "noframes", "noembed"),
        *("button", "select", "optgroup", "option", "textarea", "datalist"),
    }
)
"""Elements that are left out with all that is in them. Of any other only the tags are."""

SOURCES = ("data-src", "data-lazy-src", "src")
"""Where images and frames have their address: with the first two, the last is a placeholder."""
SOURCE_SETS = ("srcset", "data-srcset")
"""Where else images have addresses."""

INDENTED = frozenset({"blockquote", "dl", "figure", "ol", "ul"})
MAX_INDENTED = 20
"""How deep these may be nested; any that are deeper become one with what they are in."""

VOID = frozenset({"br", "hr", "wbr", "col", "img", "source"})
"""Allowed elements that have no content and no end tag."""

# How a parser mends what it reads (HTML §13.2.6.4). What was left out may have kept things apart
# that meet on the page, an `li` and an `li` for example: the writer mends the same, or what it
# writes would be read otherwise.

HEADINGS = frozenset({"h4", "h5", "h6"})
CELLS = frozenset({"table", "caption", "td", "th"})
"""Elements whose inside has nothing to do with what is open around them."""
ENDED_BY: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        **dict.fromkeys(HEADINGS, HEADINGS),
        **dict.fromkeys(("dd", "dt"), frozenset({"dd", "dt"})),
        "li": frozenset({"li"}),
    }
)
"""Elements whose start tag ends an open one: headings their parent, others within a scope."""
SCOPES = (
    HEADINGS
    | CELLS
    | frozenset(
        {
            *("blockquote", "colgroup", "dd", "details", "dl", "dt", "figcaption", "figure", "li"),
            *("ol", "pre", "summary", "tbody", "tfoot", "thead", "tr", "ul"),
        }
    )
)
"""Elements beyond which no start tag ends one of `ENDED_BY`."""
BLOCKS = HEADINGS | frozenset(
    {
        *("address", "blockquote", "dd", "details", "div", "dl", "dt", "figcaption", "figure"),
        *("hr", "li", "ol", "p", "pre", "summary", "table", "ul"),
    }
)
"""Elements whose start tag ends an open `p`, unless it is beyond one of `CELLS`."""
READINGS = frozenset({"rp", "rt"})
IMPLIED = READINGS | frozenset({"dd", "dt", "li", "p"})
"""Elements that the start tag of a reading ends when they are its parent."""
_ENDING = BLOCKS | READINGS | ENDED_BY.keys()
PARENTS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        **dict.fromkeys(("caption", "colgroup", "tbody", "tfoot", "thead"), frozenset({"table"})),
        "col": frozenset({"colgroup"}),
        "tr": frozenset({"tbody", "tfoot", "thead"}),
        **dict.fromkeys(("td", "th"), frozenset({"tr"})),
    }
)
"""The parts of a table, and what each has to be in; in these is nothing else."""
HOLDERS = frozenset().union(*PARENTS.values())

SCHEMES = frozenset({"http", "https", "mailto", "data"})
"""What an address may be at all; of data: only what follows."""
DATA_IMAGE = re.compile(r"data:image/(?:png|gif|jpeg|webp|avif);base64,[A-Za-z0-9+/=]+")

PLAYERS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("youtube.com", "youtube-nocookie.com", "vimeo.com"), "Video"),
        **dict.fromkeys(("dailymotion.com", "twitch.tv", "ted.com"), "Video"),
        **dict.fromkeys(("soundcloud.com", "bandcamp.com", "spotify.com"), "Audio"),
    }
)
"""Hosts whose frames are players, and the word for the link that takes the frame's place."""

_YOUTUBE = r"(?:www\.)?youtube(?:-nocookie)?\.com"
PAGES = tuple(
    (re.compile(rf"\Ahttps?://{frame}.*"), f"https://{page}")
    for frame, page in (
        (
            rf"{_YOUTUBE}/embed/videoseries\?(?:[^#]*&)?(list=[\w-]+)",
            r"www.youtube.com/playlist?\1",
        ),
        (rf"{_YOUTUBE}/(?:embed|v)/([\w-]{{11}})(?![\w-])", r"www.youtube.com/watch?v=\1"),
        (r"player\.vimeo\.com/video/(\d+)(?!\d)", r"vimeo.com/\1"),
        (r"(?:www\.)?dailymotion\.com/embed/video/(\w+)", r"www.dailymotion.com/video/\1"),
        (r"player\.twitch\.tv/\?(?:[^#]*&)?video=v?(\d+)", r"www.twitch.tv/videos/\1"),
        (r"player\.twitch\.tv/\?(?:[^#]*&)?channel=(\w+)", r"www.twitch.tv/\1"),
        (r"clips\.twitch\.tv/embed\?(?:[^#]*&)?clip=([\w-]+)", r"clips.twitch.tv/\1"),
        (r"embed\.ted\.com/(?:embed/)?talks/(\w+)", r"www.ted.com/talks/\1"),
        (r"open\.spotify\.com/embed/(\w+/\w+)", r"open.spotify.com/\1"),
        (r"embed\.(podcasts|music)\.apple\.com/([^?#]+)", r"\1.apple.com/\2"),
        (r"codepen\.io/([\w-]+)/embed/(?:preview/)?(\w+)", r"codepen.io/\1/pen/\2"),
        (r"([\w.-]+)/videos/embed/([\w-]+)", r"\1/videos/watch/\2"),  # PeerTube
        (r"archive\.org/embed/([\w.-]+)", r"archive.org/details/\1"),
    )
)
"""Addresses of frames that are no pages, and the pages that show the same."""
SCRIPTS = (
    re.compile(r"((?:https?:)?//gist\.github\.com/(?:[\w-]+/)?\w+)\.js(?:\?.*)?"),
    re.compile(r"((?:https?:)?//asciinema\.org/a/\w+)\.js(?:\?.*)?"),
)
"""Addresses of scripts that put something into the page, up to where those of its own page end."""
LITE: Mapping[str, str] = MappingProxyType(
    {
        "lite-youtube": "https://www.youtube.com/embed/{}",
        "lite-vimeo": "https://player.vimeo.com/video/{}",
    }
)
"""Elements that scripts make players of, and the address of the frame, by the video's id."""
NAMELESS = re.compile(
    r"(?:(?:youtube|vimeo|audio|video|media|music|embed(?:ded)?|content|player|iframe)\b[\s-]*)*"
    r"|.*://.*",
    re.IGNORECASE,
)
"""Titles of frames that say nothing."""


def attributes() -> dict[str, list[str]]:
    """The attributes that a library has to let through, by element."""
    allowed = dict(ELEMENTS) | {old: ELEMENTS[new] for old, new in RENAMED.items()}
    names = {name: [*own, *EVERYWHERE] for name, own in allowed.items()}
    names["img"] += [*SOURCES, *SOURCE_SETS]
    return names | {"iframe": [*SOURCES, "title"], "embed": ["src"]}


Attributes = Mapping[str, str | None]
"""Names in lower case, values with their character references decoded."""

# RFC 6068, without what would have to be escaped.
_MAIL = re.compile(r"mailto:[!#-;=?-~]+", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d{1,4}")
_WORD = re.compile(r"[\w:+./ -]{1,64}", re.ASCII)


def start_tag(name: str, attributes: Attributes, base: str | None) -> str | None:
    """The start tag of an element with the attributes it may have; None when it may not be."""
    if not attributes or name not in ELEMENTS:
        return _WITHOUT_ATTRIBUTES.get(name)
    values = {
        attribute: value
        for attribute, kind in (*ELEMENTS[name].items(), *EVERYWHERE.items())
        if (said := attributes.get(attribute)) is not None
        and (value := checked(kind, said, base)) is not None
    }
    if name in NEEDED and NEEDED[name] not in values:
        return None
    written = "".join(map(_written, values, values.values()))
    return f"<{name}{written}{ADDED.get(name, '')}>"


def checked(kind: Value, said: str, base: str | None) -> str | None:
    """The value an attribute of that kind gets; None when it cannot have what was said."""
    match kind:
        case Value.LINK if _MAIL.fullmatch(mail := said.strip()):
            return mail
        case Value.LINK | Value.FILE:
            return address.web(said, base)
        case Value.IMAGE:
            return _raster(said) or address.web(said, base)
        case Value.TEXT:
            return one_line(said)
        case Value.NUMBER:
            return said if _NUMBER.fullmatch(said := said.strip()) else None
        case Value.WORD:
            return said if _WORD.fullmatch(said := said.strip()) else None
    # A flag is there or not, whatever its value.
    return ""


def is_clean(html: str) -> bool:
    """Whether a text has only such tags as `start_tag` writes: what is kept may have been changed.

    In one pass over the text, much faster than to clean it again.
    """
    return _clean().fullmatch(html) is not None


@cache
def _clean() -> re.Pattern[str]:
    values = {
        Value.LINK: "(?:https?://|mailto:)",
        Value.FILE: "https?://",
        Value.IMAGE: "(?:https?://|data:image/(?:png|gif|jpeg|webp|avif);base64,)",
    }
    names: dict[tuple[str, str], list[str]] = {}
    for name, own in ELEMENTS.items():
        said = "|".join(
            f'{attribute}="{values.get(kind, "")}'
            for attribute, kind in (*own.items(), *EVERYWHERE.items())
        )
        names.setdefault((said, ADDED.get(name, "")), []).append(name)
    tags = [f"/(?:{'|'.join(ELEMENTS)})"]
    for (said, added), alike in names.items():
        tags.append(rf"(?:{'|'.join(alike)})(?: (?:{said})[^\"<>]*\")*+{re.escape(added)}")
    return re.compile(f"(?:[^<]++|<(?:{'|'.join(tags)})>)*+")


def _raster(said: str) -> str | None:
    small = len(said) <= MAX_DATA_IMAGE
    return said if small and DATA_IMAGE.fullmatch(said) else None


def _written(attribute: str, value: str) -> str:
    return f' {attribute}="{escape(value)}"'


# The first class has what most characters are, and is much faster than the second by itself.
CONTROLS = re.compile(
    "[^\t\n\r -~\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd]"
    f"(?<=[\x00-\x08\x0b\x0c\x0e-\x1f{NO_CHARACTERS}])"
)
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
        # The innermost of them whose tag was written.
        self._parent: str | None = None
        # The element that is being left out, once for each of that name that is open in it.
        self._dropped: list[str] = []

    def start(self, name: str, attributes: Attributes) -> None:
        """A start tag."""
        if self._dropped:
            if name == self._dropped[0]:
                self._dropped.append(name)
            return
        name = RENAMED.get(name, name)
        if name in DROPPED:
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
        name = RENAMED.get(name, name)
        if self._open and (self._open[-1][0] == name or self._is_open(name)):
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
            if self._parent in HOLDERS and not words.isspace():
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
            if name in _ENDING:
                self._end_before(name)
            self._make_room(name)
            self._out.append(tag)
        if name not in VOID:
            self._open.append((name, tag is not None))
            self._parent = self._parent if tag is None else name

    def _start_tag(self, name: str, attributes: Attributes) -> str | None:
        if name == "a" and self._inside("a", within=CELLS):
            return None
        if name in PARENTS and self._parent not in PARENTS[name]:
            return None
        if name in INDENTED:
            around = sum(written and each in INDENTED for each, written in self._open)
            if around >= MAX_INDENTED:
                return None
        return start_tag(name, attributes, self._base)

    def _end_before(self, name: str) -> None:
        """Close what this start tag ends."""
        if name in BLOCKS:
            self._end({"p"}, within=CELLS)
        if name in ENDED_BY:
            heading = name in HEADINGS
            self._end(ENDED_BY[name], within=ELEMENTS if heading else SCOPES)
        while name in READINGS and self._inside("ruby") and self._parent in IMPLIED:
            self._end(IMPLIED, within=())

    def _end(self, names: Container[str], *, within: Container[str]) -> None:
        """Close the innermost of these elements, unless it is beyond another kind."""
        for place in range(len(self._open) - 1, -1, -1):
            name, written = self._open[place]
            if written and name in names:
                # They stay in the list, for their own end tags to end them and nothing else.
                for each in range(len(self._open) - 1, place - 1, -1):
                    self._out += [f"</{self._open[each][0]}>"] if self._open[each][1] else []
                    self._open[each] = (self._open[each][0], False)
                self._parent = self._innermost()
                return
            if written and name in within:
                return

    def _make_room(self, name: str = "") -> None:
        """Close a table in which something begins that no table holds."""
        if self._parent in HOLDERS and name not in PARENTS:
            self._end({"table"}, within=())

    def _innermost(self) -> str | None:
        for name, written in reversed(self._open):
            if written:
                return name
        return None

    def _is_open(self, name: str) -> bool:
        return any(started == name for started, _ in self._open)

    def _close(self) -> str:
        name, written = self._open.pop()
        if written:
            self._out.append(f"</{name}>")
            self._parent = self._innermost()
        return name

    def _inside(self, *names: str, within: Container[str] = ()) -> bool:
        open_ones = (name for name, written in reversed(self._open) if written)
        met = next((name for name in open_ones if name in names or name in within), None)
        return met in names

    def _frame(self, attributes: Attributes, *, players_only: bool = False) -> None:
        """A link in the place of a frame, to the page that shows the same."""
        sources = (address.web(attributes.get(each), self._base) for each in SOURCES)
        framed = source = next(filter(None, sources), None)
        if source is None:
            return
        for pattern, page in PAGES:
            source = pattern.sub(page, source)
        if players_only and source == framed:
            return
        host = (urlsplit(source).hostname or "").removeprefix("www.")
        players = (
            word
            for player, word in PLAYERS.items()
            if host == player or host.endswith(f".{player}")
        )
        title = one_line(attributes.get("title") or "")
        name = host if NAMELESS.fullmatch(title) else f"{title} ({host})"
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
        said = [attributes.get(each) for each in SOURCES]
        sets = [attributes.get(each) or "" for each in SOURCE_SETS]
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
