"""The elements and attributes of entries, as data; docs/html.md is the same table, with reasons.

Nothing else is let through: `planet.text.sanitize` has texts parsed by a library, and writes them
anew by these tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from html import escape

from planet.text import address
from planet.text.plain import NO_CHARACTERS, decode_attribute, one_line

REVISION = 14
"""Raised whenever the same text would come out differently, so that it is cleaned again."""

MAX_DATA_IMAGE = 32_768
"""Characters of a data: address."""


class Value(Enum):
    """The form of an attribute's value; an attribute with another value is left out."""

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


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _by_name(groups: Mapping[str, str]) -> Mapping[str, str]:
    return {name: value for value, names in groups.items() for name in names.split()}


def _elements(table: str) -> Mapping[str, Mapping[str, Value]]:
    elements = {}
    for names, _, attributes in (line.partition(":") for line in table.strip().splitlines()):
        pairs = (pair.split("=") for pair in attributes.split())
        values = {name: Value[kind.upper()] for name, kind in pairs}
        elements.update(dict.fromkeys(names.split(), values))
    return elements


EVERYWHERE: Mapping[str, Value] = {"dir": Value.WORD, "lang": Value.WORD}
"""Attributes that every element may have."""

FORMULAS = _names(
    "mrow mi mn mo mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd"
)
"""Elements of MathML that a formula may have."""

ELEMENTS = _elements(
    f"""
    p div br hr pre address h4 h5 h6 ul dl dt dd figure figcaption summary ruby rp rt:
    b i u s em strong small mark span code kbd samp var sub sup cite wbr bdi bdo:
    table caption thead tbody tfoot tr:
    abbr dfn: title=text
    blockquote q: cite=file
    del ins: cite=file datetime=word
    col colgroup: span=number
    time: datetime=word
    details: open=flag
    ol: start=number type=word reversed=flag
    li: value=number
    td: colspan=number rowspan=number
    th: colspan=number rowspan=number scope=word
    a: href=link title=text hreflang=word
    img: src=image alt=text title=text width=number height=number
    audio: src=file
    video: src=file width=number height=number
    source: src=file type=word
    math: display=word
    {" ".join(sorted(FORMULAS))}:
    """
)
"""Elements and the attributes they may have beside those of `EVERYWHERE`."""

ADDED: Mapping[str, str] = {
    "a": ' rel="noopener noreferrer"',
    "img": ' loading="lazy"',
    **dict.fromkeys(("audio", "video"), ' controls preload="none"'),
}
"""The attributes that every such element gets."""

NEEDED: Mapping[str, str] = {"a": "href", "img": "src", "source": "src"}
"""Attributes without which an element is nothing, and left out; its content stays."""
_ALLOWED = {name: (*own.items(), *EVERYWHERE.items()) for name, own in ELEMENTS.items()}

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
RENAMED = _by_name(
    {
        # On a page of ours, h1 is the planet's, h2 the day's, h3 the entry's. Which of those below
        # them a heading becomes, `sanitize` decides: they keep their order.
        "h4": "h1 h2 h3",
        "div": "article aside center footer header main nav section",
        "abbr": "acronym",
        "s": "strike",
        "code": "tt",
        "ul": "dir menu",
        "mrow": "merror mpadded mstyle semantics",
        "mi": "ms mtext",
    }
)
"""Elements that stand for another."""

DROPPED = _names(
    """
    script style template noscript svg title applet canvas frameset noframes noembed iframe
    button select optgroup option textarea datalist annotation annotation-xml
    """
)
"""Elements that are left out with all that is in them. Of any other only the tags are."""

SOURCES = ("data-src", "data-lazy-src", "src")
"""Where images and frames have their address: with the first two, the last is a placeholder."""
SOURCE_SETS = ("srcset", "data-srcset")
"""Where else images have addresses."""

INDENTED = _names("blockquote dl figure ol ul")
MAX_INDENTED = 20
"""How deep these may be nested, as each makes the lines of a page narrower."""

VOID = _names("br hr wbr col img source")
"""Allowed elements that have no content and no end tag."""

FORMATTING = _names("a b big code em font i nobr s small strike strong tt u")
"""Elements that parsers open anew in what follows, until they end."""

SELF_ENDING = _names(
    """
    area br col embed hr img input link meta param source track wbr p li dt dd tr td th thead tbody
    tfoot colgroup option rp rt
    """
)
"""Elements that end without an end tag."""

SCHEMES = _names("http https mailto data")
"""What an address may be at all; of data: only what follows."""
DATA_IMAGE = re.compile(r"data:image/(?:png|gif|jpeg|webp|avif);base64,[A-Za-z0-9+/=]+")

PLAYERS = re.compile(
    r"(?:.*\.)?(?:(?P<Video>youtube\.com|youtube-nocookie\.com|vimeo\.com|dailymotion\.com|twitch\.tv"
    r"|ted\.com)|(?P<Audio>soundcloud\.com|bandcamp\.com|spotify\.com))"
)
"""Hosts whose frames are players, and the word for the link that takes the frame's place."""

_YOUTUBE = r"(?:www\.)?youtube(?:-nocookie)?\.com"
PAGES = tuple(
    (re.compile(rf"https?://{frame}.*"), f"https://{page}")
    for frame, page in (
        (
            rf"{_YOUTUBE}/embed/videoseries\?(?:[^#]*&)?(list=[\w-]+)",
            r"www.youtube.com/playlist?\1",
        ),
        (rf"{_YOUTUBE}/(?:embed|v)/([\w-]{{11}})(?![\w-])", r"www.youtube.com/watch?v=\1"),
        (r"player\.vimeo\.com/video/(\d+)(?!\d)", r"vimeo.com/\1"),
        (r"open\.spotify\.com/embed/(\w+/\w+)", r"open.spotify.com/\1"),
        (r"codepen\.io/([\w-]+)/embed/(?:preview/)?(\w+)", r"codepen.io/\1/pen/\2"),
        (r"gist\.github\.com/((?:[\w-]+/)?\w+)\.js(?![^?])", r"gist.github.com/\1"),
    )
)
"""Addresses of frames, plug-ins and scripts that are no pages, and the pages that show the same."""
NAMELESS = re.compile(
    r"(?:(?:youtube|vimeo|audio|video|media|music|embed(?:ded)?|content|player|iframe)\b[\s-]*)*"
    r"|.*://.*",
    re.DOTALL | re.IGNORECASE,
)
"""Titles of frames that say nothing."""


def list_attributes() -> dict[str, list[str]]:
    """Return the attributes to be kept by the cleaning library, by element."""
    allowed = dict(ELEMENTS) | {old: ELEMENTS[new] for old, new in RENAMED.items()}
    names = {name: [*own, *EVERYWHERE] for name, own in allowed.items()}
    names["img"] += [*SOURCES, *SOURCE_SETS]
    names["span"] += ["class"]
    return names


Attributes = Mapping[str, str | None]
"""Names in lower case, values with their character references decoded."""

_ATTRIBUTE = re.compile(r"([\w:.-]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|(\S++)))?+", re.ASCII)


def read_attributes(written: str) -> dict[str, str | None]:
    """Return the attributes of a start tag from the text behind the name.

    The first of two with one name counts (HTML §13.2.5.33).
    """
    pairs = reversed(_ATTRIBUTE.findall(written))
    return {
        name.lower(): decode_attribute(one or other or bare) for name, one, other, bare in pairs
    }


# RFC 6068, without what would have to be escaped.
_MAIL = re.compile(r"mailto:[!#-;=?-~]+", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d{1,4}")
_WORD = re.compile(r"[\w:+./ -]{1,64}", re.ASCII)


def start_tag(name: str, attributes: Attributes, base: str | None) -> str | None:
    """Write a start tag with the allowed attributes; None for another element."""
    written = ""
    for attribute, kind in _ALLOWED.get(name, ()) if attributes else ():
        sent = attributes.get(attribute)
        if sent is not None and (value := check_value(kind, sent, base)) is not None:
            written += f' {attribute}="{escape(value)}"'
    if name not in ELEMENTS or (name in NEEDED and f' {NEEDED[name]}="' not in written):
        return None
    return f"<{name}{written}{ADDED.get(name, '')}>"


def check_value(kind: Value, value: str, base: str | None) -> str | None:
    """Return the value in the form of a kind; None for any other value."""
    match kind:
        case Value.LINK if _MAIL.fullmatch(mail := value.strip()):
            return mail
        case Value.IMAGE if len(value) <= MAX_DATA_IMAGE and DATA_IMAGE.fullmatch(value):
            return value
        case Value.LINK | Value.FILE | Value.IMAGE:
            return address.make_absolute(value, base)
        case Value.TEXT:
            return one_line(value)
        case Value.NUMBER:
            return value if _NUMBER.fullmatch(value := value.strip()) else None
        case Value.WORD:
            return value if _WORD.fullmatch(value := value.strip()) else None
    # A flag is there or not, whatever its value.
    return ""


# The first class has what most characters are, and is much faster than the second by itself.
CONTROLS = re.compile(f"[^\t\n\r -~\xa0-\ud7ff](?<=[\x00-\x08\x0b\x0c\x0e-\x1f{NO_CHARACTERS}])")
"""Characters for no page and no feed: controls, halves of surrogate pairs, and non-characters."""
