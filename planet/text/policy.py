"""What may be in an entry, as data: docs/reading.md shows it as a table and says why.

Everything that is not here is not let through: `planet.text.writer` writes by these tables, and a
library that has mended a text cleans it by them before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from functools import cache
from html import escape
from types import MappingProxyType

from planet.text import address
from planet.text.plain import NO_CHARACTERS, one_line

REVISION = 6
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

# How a parser reads these (HTML §13.2.6.4).

HEADINGS = frozenset({"h4", "h5", "h6"})
"""Elements that are not in one another."""
BLOCKS = HEADINGS | frozenset(
    {
        *("address", "blockquote", "dd", "details", "div", "dl", "dt", "figcaption", "figure"),
        *("hr", "li", "ol", "p", "pre", "summary", "table", "ul"),
    }
)
"""Elements whose start tag ends an open `p`."""
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
