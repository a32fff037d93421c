"""A feed's element → the same with forbidden characters, references and prefixes repaired.

After it, most feeds are well-formed XML, and none needs a document type.
"""

from __future__ import annotations

import re
from html import escape
from html.entities import html5
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# XML 1.0 §2.2: these are no characters, literally or by number. Nobody misses them.
_NO_CHARACTERS = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_AMPERSAND = re.compile(
    r"&(?:#(?:[xX](?P<hexadecimal>[0-9a-fA-F]+)|(?P<decimal>[0-9]+));?"
    r"|(?P<name>[a-zA-Z_][\w.-]*);)?",
    re.ASCII,
)
# What needs no look: the five names of XML, and the numbers that most characters have (32 to 9999).
_ODD_AMPERSAND = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos|#(?:3[2-9]|[4-9]\d|[1-9]\d{2,3}|x[2-9a-fA-F][0-9a-fA-F]));)"
)
_OF_XML = frozenset({"amp", "lt", "gt", "quot", "apos"})
_PREFIX = re.compile(r"<([A-Za-z_][\w.-]{0,40}):(?=\w)")
_DECLARED_PREFIX = re.compile(r"\bxmlns:([\w.-]+)")
_MAX_PREFIXES = 100
"""Prefixes that are declared for a document."""
# RSS has no namespace; who gives it the prefix of one anyhow declares none.
_RSS_PREFIX = re.compile(r"(</?|\s)rss:(?=[a-zA-Z])")
# In the title of a post about PHP, or XML: what feedparser takes for an instruction, or a section,
# and all up to the next end tag of an item with it.
_BARE_LESS_THAN = re.compile(r"<(?=\?(?![^<]*\?>)|!\[(?!CDATA\[))")
_ROOT_NAME = re.compile(r"<[^\s/>]+")
# The modules by their customary prefix, which feeds use without declaring them.
_NAMESPACES = {
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "feedburner": "http://rssnamespace.org/feedburner/ext/1.0",
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "media": "http://search.yahoo.com/mrss/",
    "podcast": "https://podcastindex.org/namespace/1.0",
    "slash": "http://purl.org/rss/1.0/modules/slash/",
    "sy": "http://purl.org/rss/1.0/modules/syndication/",
    "thr": "http://purl.org/syndication/thread/1.0",
    "wfw": "http://wellformedweb.org/CommentAPI/",
}


def repair(document: str) -> str:
    """Remove what XML forbids from a document that begins with its root element."""
    document = _NO_CHARACTERS.sub("", document)
    if _ODD_AMPERSAND.search(document):
        document = _replace_outside_cdata(document, _AMPERSAND, _reference)
    prefixes = set(_PREFIX.findall(document))
    if "rss" in prefixes and "xmlns:rss" not in document:
        document = _RSS_PREFIX.sub(r"\1", document)
        prefixes = set(_PREFIX.findall(document))
    missing = sorted(prefixes.difference(_DECLARED_PREFIX.findall(document)))
    # What nobody knows stands for itself.
    declared = "".join(
        f' xmlns:{prefix}="{_NAMESPACES.get(prefix, prefix)}"' for prefix in missing[:_MAX_PREFIXES]
    )
    return _ROOT_NAME.sub(rf"\g<0>{declared}", document, count=1) if declared else document


def escape_bare_tags(document: str) -> str:
    """Escape what begins no instruction and no CDATA, though it looks like one."""
    return _replace_outside_cdata(document, _BARE_LESS_THAN, "&lt;")


def _replace_outside_cdata(
    document: str, bare: re.Pattern[str], reference: str | Callable[[re.Match[str]], str]
) -> str:
    """Replace each match of `bare` by `reference`, but not in CDATA."""
    pieces, end = [], 0
    while (start := document.find("<![CDATA[", end)) >= 0:
        pieces.append(bare.sub(reference, document[end:start]))
        end = document.find("]]>", start)
        end = len(document) if end < 0 else end
        pieces.append(document[start:end])
    pieces.append(bare.sub(reference, document[end:]))
    return "".join(pieces)


def _reference(ampersand: re.Match[str]) -> str:
    """Return what an ampersand, with the name or number after it, should have been.

    Names of HTML count, which feeds use without declaring them.
    """
    if name := ampersand["name"]:
        if name in _OF_XML:
            return ampersand[0]
        character = html5.get(f"{name};")
        return f"&amp;{name};" if character is None else escape(character, quote=False)
    digits, base = (
        (ampersand["hexadecimal"], 16) if ampersand["hexadecimal"] else (ampersand["decimal"], 10)
    )
    if not digits:
        return "&amp;"
    if not _is_character(int(digits, base) if len(digits) < 10 else 0):
        return ""
    # A number without its semicolon is none.
    return ampersand[0] if ampersand[0].endswith(";") else f"&amp;{ampersand[0][1:]}"


def _is_character(number: int) -> bool:
    valid = number in (9, 10, 13) or 32 <= number < 0xD800 or 0xE000 <= number < 0xFFFE
    return valid or 0x10000 <= number < 0x110000
