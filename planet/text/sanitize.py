"""Untrusted HTML → clean HTML: nh3 or bleach parse it, and `writer` writes what they give.

They are imported when they are first needed: a run in which nothing is new cleans nothing.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from planet.text import formulas, policy
from planet.text.fallbacks import use_fallbacks
from planet.text.policy import CONTROLS
from planet.text.writer import write

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from nh3 import Cleaner

    from planet.model import Html


# What their tags say; how deep they are in the end, the writer sees.
MAX_DEPTH = 128
"""Elements in elements, and tags that do not end."""
MAX_ATTRIBUTES = 1_000
"""Of one element."""
MAX_REPEATED = 50_000
"""Formatting elements that never end, which a parser opens anew in each element that follows,
times the elements there are."""

_MAX_ROUNDS = 4

# What stands between attributes, and between them and their values, so many times and once more.
_CROWDED_TAG = re.compile(
    rf"<[a-zA-Z](?:(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s/=<>])*+[\s/=]++){{{MAX_ATTRIBUTES + 1}}}"
)
# The case of ASCII alone counts in HTML, and of blanks those of ASCII alone end a name.
_TAG = re.compile(r"<(/?)([a-z][^\s/>]*)", re.ASCII | re.IGNORECASE)
_FORMATTING = {
    *("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt"),
    "u",
}
# Elements that end without an end tag.
_SELF_ENDING = {
    *("area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source"),
    *("track", "wbr", "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot"),
    *("colgroup", "option", "rp", "rt"),
}


def sanitize(html: str, *, base: str | None, limit: int, sanitizer: str) -> Html | None:
    """Return the HTML cleaned by `nh3` or `bleach`, until cleaning it again changes nothing.

    None where that has no end, or where it would take more than `limit` characters or the other
    limits of this module allow. Raises whatever the library does.
    """
    html = use_fallbacks(html)
    if len(html) > limit or not is_bounded(html):
        return None
    clean: Html | None = None
    for _ in range(_MAX_ROUNDS):
        parsed = CONTROLS.sub(
            "", clean_with_nh3(html) if sanitizer == "nh3" else clean_with_bleach(html)
        )
        if parsed == clean:
            return clean
        clean = write(parsed, base=base)
        if clean is None or clean == html:
            return clean
        # What was left out may have held elements in their places: a parser has to look again.
        html = clean
    return None


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
    depth = deepest = unended = 0
    started: Counter[str] = Counter()
    for end, written in tags:
        name = written.lower() if written.isascii() else written
        if name in _SELF_ENDING:
            continue
        if end:
            # Of an element that is not open, parsers pass over the end tag.
            if started[name]:
                started[name] -= 1
                depth -= 1
                unended -= name in _FORMATTING
        else:
            started[name] += 1
            depth += 1
            deepest = max(deepest, depth)
            unended += name in _FORMATTING
    return deepest <= MAX_DEPTH and unended * len(tags) <= MAX_REPEATED


# Matches whatever comes after its beginning, so that nothing is read twice.
_ELEMENT = re.compile(
    r"<(svg|math)\b(?:[^<>]*+(?<=/)>|.*?(?:</\1\b|\Z))"
    r"|(</?)([a-z][^\s/>]*)((?:[^>\"']|\"[^\"]*\"|'[^']*')*)",
    re.ASCII | re.DOTALL | re.IGNORECASE,
)
_NAME = re.compile(r"</?([a-z][^\s/>]*)", re.ASCII | re.IGNORECASE)
_FRAME = re.compile(r"(<iframe[^>]*+(?:>|\Z)).*?(?:</iframe>|\Z)", re.DOTALL)
# Those that are none of the policy's and mean something to a parser of HTML (§13.2.6).
_KNOWN = frozenset(policy.list_attributes()) | policy.DROPPED
# Outside a formula, its elements mean nothing.
_KNOWN -= formulas.ELEMENTS - {"math"}
_KNOWN |= {
    *("area", "base", "basefont", "bgsound", "big", "body", "dialog", "fieldset", "font", "form"),
    *("frame", "head", "hgroup", "html", "image", "input", "keygen", "link", "listing", "marquee"),
    *("meta", "nobr", "object", "param", "plaintext", "rb", "rtc", "search", "track", "xmp"),
}


def clean_with_nh3(html: str) -> str:
    """Clean HTML with nh3 by the tables of the policy. Raises whatever nh3 raises."""
    if not _KNOWN.issuperset(map(str.lower, _NAME.findall(html))):
        html = _ELEMENT.sub(_rename_unknown, html)
    # It writes a reference to a character that the writer has as it is.
    html = _nh3().clean(html).replace("&nbsp;", "\xa0")
    # Its content is no HTML, and not escaped.
    return _FRAME.sub(r"\1</iframe>", html) if "<iframe" in html else html


def _rename_unknown(match: re.Match[str]) -> str:
    """Give an unknown element a name that SVG and MathML do not have.

    nh3 drops elements with a name of theirs with all that is in them: a `<path>` that somebody
    writes about would take the rest of the text with it.
    """
    if match[1] or match[3].lower() in _KNOWN:
        return match[0]
    return f"{match[2]}x-{match[3]}{match[4]}"


_ATTRIBUTE_NAME = re.compile(r" ([a-z]+)")


@cache
def _nh3() -> Cleaner:
    from nh3 import Cleaner

    # Unlike bleach's, it has no state and may be shared.
    attributes = policy.list_attributes()
    # Those that the writer adds are kept as well, so that what it wrote comes back as it is.
    added = {name: set(_ATTRIBUTE_NAME.findall(text)) for name, text in policy.ADDED.items()}
    return Cleaner(
        tags=set(attributes),
        attributes={name: {*own, *added.get(name, ())} for name, own in attributes.items()},
        clean_content_tags=set(policy.DROPPED),
        url_schemes=set(policy.SCHEMES),
        link_rel=None,
    )


# html5lib loses what stands in a table outside its cells when nothing is around the table. No feed
# has an element of that name, and the writer leaves it out.
_AROUND = "x-text"
_DROPPED = policy.DROPPED | {"iframe"}
_SIGNS = str.maketrans({'"': "&quot;", "<": "&lt;", ">": "&gt;"})


class _Bleach(threading.local):
    """A cleaner keeps state while it works: shared between threads, it mixes their texts.

    Elements that are left out with their content are let through by it, to be recognised here:
    where bleach strips a tag, it keeps the text, that of scripts included.
    """

    _out: list[str]

    def __init__(self) -> None:
        from bleach.sanitizer import Cleaner

        attributes = policy.list_attributes()
        self._cleaner = Cleaner(
            tags={*attributes, *policy.DROPPED, _AROUND},
            attributes=attributes,
            protocols=policy.SCHEMES,
            strip=True,
            # A filter that lets nothing through leaves bleach's serialiser nothing to do, which
            # is slow and escapes some ampersands twice.
            filters=[self._consume],  # type: ignore[list-item]  # any callable will do
        )

    def clean(self, html: str) -> str:
        self._out = []
        self._cleaner.clean(f"<{_AROUND}>{html}")
        return "".join(self._out)

    def _consume(self, *, source: Iterable[Mapping[str, Any]]) -> tuple[()]:
        write = self._out.append
        # The element whose content is left out, once for each of that name that is open in it.
        dropped: list[str] = []
        for token in source:
            kind, name = token["type"], token.get("name", "")
            if dropped and name != dropped[0]:
                continue
            if kind == "EndTag" and dropped:
                dropped.pop()
            elif kind == "EndTag":
                write(f"</{name}>" if name != _AROUND else "")
            elif kind in ("StartTag", "EmptyTag"):
                if name == "iframe":
                    write(f"<iframe{_attributes(token['data'])}></iframe>")
                if dropped or name in _DROPPED:
                    dropped.append(name)
                elif name != _AROUND:
                    write(f"<{name}{_attributes(token['data'])}>")
            else:  # Entity, Characters or SpaceCharacters; bleach has dropped the comments
                write(f"&{name};" if name else escape(token["data"], quote=False))
        return ()


_bleach = cache(_Bleach)


def clean_with_bleach(html: str) -> str:
    """Clean HTML with bleach by the tables of the policy. Raises whatever bleach raises."""
    return _bleach().clean(html)


def _attributes(attributes: Mapping[tuple[str | None, str], str]) -> str:
    # bleach leaves their character references as they are.
    return "".join(
        f' {name}="{value.translate(_SIGNS)}"' for (_, name), value in attributes.items()
    )
