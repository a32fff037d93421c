"""Untrusted HTML → clean HTML, in one pass: nh3 or bleach parse, `policy` says what is written.

The libraries are imported when they are first needed: a run without news cleans nothing.

HTML refused by `is_bounded` is never parsed, and every step takes linear time. Clean HTML has only
elements of the table, none of them with content that a parser takes for anything but HTML, and each
ended in its place: parsed again in any way, the elements are the same.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from planet.model import Html
from planet.text import address, policy
from planet.text.plain import decode_references, one_line, split_texts
from planet.text.policy import (
    CONTROLS,
    DROPPED,
    ELEMENTS,
    FORMATTING,
    INDENTED,
    RENAMED,
    SELF_ENDING,
    VOID,
    read_attributes,
    start_tag,
)

if TYPE_CHECKING:
    from nh3 import Cleaner

    from planet.text.policy import Attributes


# What their tags say.
MAX_DEPTH = 128
"""Elements in elements, and tags that do not end."""
MAX_ATTRIBUTES = 1_000
"""Of one element."""
MAX_REPEATED = 50_000
"""Formatting elements that never end, which a parser opens anew in each element that follows,
times the elements there are."""
MAX_GROWTH = 4
"""How many times as long as its limit a clean text may be, for what its base adds to addresses."""

# What stands between attributes, and between them and their values, so many times and once more.
_CROWDED_TAG = re.compile(
    r"<[a-zA-Z](?:(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s/=<>])*+"
    rf"(?:[\s/]++(?:=[\s/]*+)?+|=[\s/]*+)){{{MAX_ATTRIBUTES + 1}}}"
)
# The case of ASCII alone counts in HTML, and of blanks those of ASCII alone end a name.
_TAG = re.compile(r"<(/?)([a-z][^\s/>]*)", re.ASCII | re.IGNORECASE)


def sanitize(html: str, *, base: str | None, limit: int, sanitizer: str) -> Html | None:
    """Return the allowed part of HTML, parsed by `nh3` or `bleach`.

    None for HTML of more than `limit` characters or beyond the other limits of this module.
    Raises whatever the library does.
    """
    if len(html) > limit or not is_bounded(html):
        return None
    html = use_fallbacks(html, base)
    parsed = clean_with_nh3(html) if sanitizer == "nh3" else clean_with_bleach(html)
    clean = _write(CONTROLS.sub("", parsed), base)
    return Html(clean) if clean is not None and len(clean) <= MAX_GROWTH * limit else None


def is_bounded(html: str) -> bool:
    """Return whether the HTML is within the limits of this module, in linear time."""
    tags = html.count("<")
    if tags - html.count(">") > MAX_DEPTH:
        return False
    # What has fewer tags than that cannot be deeper, and so needs no look.
    if tags > MAX_DEPTH and not _is_shallow(html):
        return False
    return _CROWDED_TAG.search(html) is None


def _is_shallow(html: str) -> bool:
    tags = _TAG.findall(html)
    depth = deepest = 0
    started: Counter[str] = Counter()
    for end, written in tags:
        name = written.lower() if written.isascii() else written
        # Of an element that is not open, parsers pass over the end tag.
        if name not in SELF_ENDING and (not end or started[name]):
            step = -1 if end else 1
            started[name] += step
            depth += step
            deepest = max(deepest, depth)
    unended = sum(started[name] for name in FORMATTING)
    return deepest <= MAX_DEPTH and unended * len(tags) <= MAX_REPEATED


# What stands in a tag behind its name, by the tokenizer of HTML (§13.2.5).
_ATTRIBUTES = (
    r"(?:\s++|/(?!>)|[^\s/>][^\s/>=]*+"
    r"(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?+)?+)*+"
)
# Comments, elements whose content a parser takes for no HTML, formulas, and tags. Nothing is read
# twice, but for a formula without an end, of which there are no more than `MAX_DEPTH`.
_MARKUP = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|<(?P<raw>iframe|noembed|noframes|script|style|textarea|title)(?=[\s/>])"
    rf"(?P<of_raw>{_ATTRIBUTES})(?:/>|>.*?(?:</(?P=raw)\b[^<>]*+>|\Z))"
    rf"|<math(?=[\s>])(?P<of_math>{_ATTRIBUTES})>(?P<formula>.*?)</math\s*+>"
    rf"|<(?P<end>/?)(?P<name>[a-z][^\s/>]*+)(?P<attributes>{_ATTRIBUTES})(?P<closed>/?)(?:>|\Z)",
    re.ASCII | re.DOTALL | re.IGNORECASE,
)
# Something that parsers leave out, so that what stands on its sides becomes no tag.
_NOTHING = "<!---->"
_IN_FORMULAS = policy.FORMULAS | {"annotation", "annotation-xml"}
_IN_FORMULAS |= {old for old, new in RENAMED.items() if new in policy.FORMULAS}


_KEPT = (ELEMENTS.keys() | DROPPED | set(policy.HEADINGS)) - policy.FORMULAS
_HIDING = DROPPED - {"svg"} | {"audio", "video"}
# Those that may come to a parser as they are.
_PLAIN = _KEPT - _HIDING - {"math", "svg"}


def use_fallbacks(html: str, base: str | None) -> str:
    """Replace elements that no page may have; the HTML is cleaned afterwards.

    - A frame, a player of a plug-in, or the script of a gist becomes a link.
    - A formula with other elements than the table's becomes the `alttext`, or words.
    - A self-closed element with hidden content gets an end tag, and hides nothing after.
    - Elements get the names of the table, and tags of others are left out, before a parser builds
      anything around them and falls apart without them.

    Where an expression here sees an element and a parser would not, the worst outcome is a text
    that looks odd.
    """
    if _PLAIN.issuperset(name.lower() for _, name in _TAG.findall(html)):
        return html
    return _MARKUP.sub(lambda match: _replace(match, base), html)


def _replace(match: re.Match[str], base: str | None) -> str:
    if match["raw"]:
        is_frame = match["raw"].lower() == "iframe"
        return _link(match["of_raw"], base, only_known=not is_frame) or _NOTHING
    if match["formula"] is not None:
        return _formula(match)
    name = (match["name"] or "").lower()
    if name == "embed":
        return _link(match["attributes"], base, only_known=True) or _NOTHING
    if name not in policy.HEADINGS:
        name = RENAMED.get(name, name)
    if name not in _KEPT:
        return _NOTHING
    closing = f"></{name}>" if match["closed"] and name in _HIDING else f"{match['closed']}>"
    return f"<{match['end']}{name}{match['attributes']}{closing}"


def _link(written: str, base: str | None, *, only_known: bool) -> str:
    """Write a link to the page for a frame; nothing without an address.

    With `only_known`, a link only to one of `policy.PAGES`.
    """
    attributes = read_attributes(written)
    sources = (address.make_absolute(attributes.get(name), base) for name in policy.SOURCES)
    framed = next(filter(None, sources), None)
    if framed is None:
        return ""
    page = framed
    for frame, shown_at in policy.PAGES:
        if match := frame.match(page):
            page = match.expand(shown_at)
    if only_known and page == framed:
        return ""
    host = (urlsplit(page).hostname or "").removeprefix("www.")
    player = policy.PLAYERS.fullmatch(host)
    title = one_line(attributes.get("title") or "")
    name = host if policy.NAMELESS.fullmatch(title) else f"{title} ({host})"
    kind = player.lastgroup if player else "Embedded"
    return f'<a href="{escape(page)}">{kind}: {escape(name)}</a>'


def _formula(match: re.Match[str]) -> str:
    if _IN_FORMULAS.issuperset(name.lower() for _, name in _TAG.findall(match["formula"])):
        return match[0]
    alternative = (read_attributes(match["of_math"]).get("alttext") or "").strip()
    return escape(alternative or "".join(split_texts(match["formula"])))


def clean_with_nh3(html: str) -> str:
    """Clean HTML with nh3 by the tables of the policy. Raises whatever nh3 raises."""
    return _nh3().clean(html).replace("&nbsp;", "\xa0")


@cache
def _nh3() -> Cleaner:
    from nh3 import Cleaner

    # Unlike bleach's, it has no state and may be shared.
    attributes = policy.list_attributes()
    return Cleaner(
        tags=set(attributes),
        attributes={name: set(own) for name, own in attributes.items()},
        clean_content_tags=set(DROPPED),
        url_schemes=set(policy.SCHEMES),
        link_rel=None,
    )


# html5lib loses what stands in a table outside its cells when nothing is around the table. No feed
# has an element of that name.
_AROUND = "x-text"
_REFERENCE = re.compile(r"&[#\w]+;")


def clean_with_bleach(html: str) -> str:
    """Clean HTML with bleach by the tables of the policy. Raises whatever bleach raises.

    Elements to be left out with their content come through, and `_write` leaves them out: bleach
    would strip the tags and keep the texts, scripts included.
    """
    from bleach.sanitizer import Cleaner

    # It keeps state while it works: shared between threads, it mixes their texts.
    attributes = policy.list_attributes()
    cleaner = Cleaner(
        tags={*attributes, *DROPPED, _AROUND},
        attributes=attributes,
        protocols=policy.SCHEMES,
        strip=True,
    )
    cleaned = cleaner.clean(f"<{_AROUND}>{html}")
    inside = cleaned.removeprefix(f"<{_AROUND}>").removesuffix(f"</{_AROUND}>")
    # It leaves references as they are, those of what is no character included.
    return _REFERENCE.sub(lambda match: escape(decode_references(match[0])), inside)


# A text, and the tag behind it; the last group is a "<" that begins no tag as libraries write them.
_TOKEN = re.compile(
    r"([^<]*+)(?:<(/?)([a-z][a-z0-9-]*+)((?:\s[a-z-]++=(?:\"[^\"]*+\"|'[^']*+'))*+)>|(<)|\Z)",
    re.ASCII,
)
_KATEX = "katex-html"
"""The class of what KaTeX writes beside a formula, for the eye alone."""
# HTML §2.3.4.4: digits, perhaps a fraction, and whatever follows them, but for a share of the page.
_PIXEL = re.compile(r"\s*(?:0++1?|1)(?![0-9])(?:\.[0-9]*+)?+(?!%)")


def _write(html: str, base: str | None) -> str | None:
    """Write the allowed part of HTML from a library; None for any other HTML.

    HTML from a library is balanced, in lower case, with all attributes in quotes. None, too, for
    HTML past the depth: parsers pass over end tags counted by `is_bounded`.
    """
    tokens = _TOKEN.findall(html.replace("\r", "\n"))
    # Headings get levels below the entry's own, in order and without gaps.
    used = enumerate(sorted({token[2] for token in tokens}.intersection(policy.HEADINGS)), start=4)
    names = {**RENAMED} | {name: f"h{min(level, 6)}" for level, name in used}
    pieces: list[str] = []
    # The open elements, and what ends each; how many are open while one is left out, with it.
    opened: list[tuple[str, str]] = []
    hidden = 0
    for text, end, written, attributes, odd in tokens:
        name = names.get(written, written)
        if not hidden:
            pieces.append(text)
        if odd:
            return None
        if end and name not in VOID:
            if not opened or opened[-1][0] != name:
                return None
            pieces.append(opened.pop()[1])
            hidden = hidden if len(opened) >= hidden else 0
        elif name and not end:
            given = read_attributes(attributes) if attributes else {}
            tag = "" if hidden else _tag(name, given, base, opened)
            pieces.append(tag)
            if name not in VOID:
                opened.append((name, f"</{name}>" if tag else ""))
                if not hidden and (name in DROPPED or _KATEX in (given.get("class") or "")):
                    hidden = len(opened)
            indented = sum(around in INDENTED for around, _ in opened) if name in INDENTED else 0
            if len(opened) > MAX_DEPTH or indented > policy.MAX_INDENTED:
                return None
    return None if opened else "".join(pieces).lstrip("\n ")


def _tag(name: str, attributes: Attributes, base: str | None, opened: list[tuple[str, str]]) -> str:
    """Write a start tag by the policy, or the alternative of an image; empty without either."""
    if name == "source" and not any(around in ("audio", "video") for around, _ in opened):
        return ""
    if name != "img":
        return start_tag(name, attributes, base) or ""
    sides = filter(None, (attributes.get(side) for side in ("width", "height")))
    if any(map(_PIXEL.match, sides)):
        # Nobody is meant to see it: it counts readers.
        return ""
    sources = [attributes.get(name) for name in policy.SOURCES]
    sets = [(attributes.get(name) or "").split() for name in policy.SOURCE_SETS]
    candidates = [*sources, *(words[0].rstrip(",") for words in sets if words)]
    usable = (source for source in candidates if address.make_absolute(source, base))
    alternative = one_line(attributes.get("alt") or "")
    # A placeholder in a data: address comes last.
    shown = {**attributes, "src": next(usable, attributes.get("src")), "alt": alternative}
    return start_tag("img", shown, base) or escape(alternative, quote=False)
