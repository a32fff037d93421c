"""A feed's element → the same with forbidden characters, references and prefixes repaired.

After it, most feeds are well-formed XML, and none needs a document type.
"""

from __future__ import annotations

import re
from html import escape
from html.entities import html5

# XML 1.0 §2.2: these are no characters, literally or by number. Nobody misses them.
_NO_CHARACTERS = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
# An ampersand, with the name or number after it. And in the title of a post about PHP, or XML, what
# readers take for an instruction, or a section, and all up to the next end tag with it.
_BARE = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos);)(?:#(?:[xX](?P<hexadecimal>[0-9a-fA-F]+)|(?P<decimal>[0-9]+));?"
    r"|(?P<name>[a-zA-Z_][\w.-]*);)?|<(?=\?(?![^<]*\?>)|!\[(?!CDATA\[))",
    re.ASCII,
)
_PREFIX = re.compile(r"<([A-Za-z_][\w.-]{0,40}):(?=\w)")
_DECLARED_PREFIX = re.compile(r"\bxmlns:([\w.-]+)")
_MAX_PREFIXES = 100
"""Prefixes that are declared for a document."""
_ROOT_NAME = re.compile(r"<[^\s/>]+")
# Any other stands for itself: by its customary prefix the tree knows a module.
_NAMESPACES = {"atom": "http://www.w3.org/2005/Atom", "rss": "http://purl.org/rss/1.0/"}


def repair(document: str) -> str:
    """Remove what XML forbids from a document that begins with its root element."""
    document = _NO_CHARACTERS.sub("", document)
    pieces, end = [], 0
    while (start := document.find("<![CDATA[", end)) >= 0:
        pieces.append(_BARE.sub(_escape, document[end:start]))
        end = document.find("]]>", start)
        end = len(document) if end < 0 else end
        pieces.append(document[start:end])
    document = "".join([*pieces, _BARE.sub(_escape, document[end:])])
    missing = sorted({*_PREFIX.findall(document)} - {*_DECLARED_PREFIX.findall(document)})
    declared = "".join(
        f' xmlns:{prefix}="{_NAMESPACES.get(prefix, prefix)}"' for prefix in missing[:_MAX_PREFIXES]
    )
    return _ROOT_NAME.sub(rf"\g<0>{declared}", document, count=1) if declared else document


def _escape(bare: re.Match[str]) -> str:
    """Return what an ampersand, with the name or number after it, or a "<" should have been.

    Names of HTML count, which feeds use without declaring them.
    """
    if bare[0] == "<":
        return "&lt;"
    if name := bare["name"]:
        character = html5.get(f"{name};")
        return f"&amp;{name};" if character is None else escape(character, quote=False)
    digits, base = bare["hexadecimal"] or bare["decimal"], 16 if bare["hexadecimal"] else 10
    if not digits:
        return "&amp;"
    if not _is_character(int(digits, base) if len(digits) < 10 else 0):
        return ""
    # A number without its semicolon is none.
    return bare[0] if bare[0].endswith(";") else f"&amp;{bare[0][1:]}"


def _is_character(number: int) -> bool:
    valid = number in (9, 10, 13) or 32 <= number < 0xD800 or 0xE000 <= number < 0xFFFE
    return valid or 0x10000 <= number < 0x110000
