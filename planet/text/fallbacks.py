"""HTML that needs scripts to show something → HTML with a fallback in its place.

The libraries that clean cannot do it: they keep an element or drop it, and put nothing in its
place. The result is as hostile as the source, and is cleaned afterwards: where an expression here
sees an element that a parser would not see, the worst outcome is a text that looks odd.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from planet.text import policy
from planet.text.formulas import (
    ANNOTATION,
    is_mathml,
    parse_formula,
    write_inner,
    write_linear,
)
from planet.text.plain import split_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.text.policy import Attributes


# Those whose content a parser takes for no HTML, and those that become something else here, up to
# their ends; of others that nobody sees the content of, the self-closed. It matches whatever comes
# after its beginning, so that nothing is read twice.
_ELEMENT = re.compile(
    r"<(?:(?P<name>iframe|lite-(?:vimeo|youtube)|math|no(?:embed|frames)|script|style|t(?:extarea|itle)"
    r"|xmp)|applet|audio|button|canvas|datalist|frameset|noscript|opt(?:group|ion)|select|template"
    r"|video)(?P<attributes>(?=[\s/>])[^<>]*?)"
    r"(?:/>|(?(name)>(?P<inside>.*?)(?:(?P<end></(?P=name)\b[^<>]*>)|\Z)|(?!)))",
    re.IGNORECASE | re.DOTALL,
)
_NOSCRIPT = re.compile(
    r"<(?:(?P<before>img\b[^<>]*>)\s*<)?noscript\b[^<>]*>(?P<inside>.*?)(?:</noscript\b[^<>]*>|\Z)"
    r"(?:\s*<(?P<after>img\b[^<>]*>))?",
    re.IGNORECASE | re.DOTALL,
)
_IMAGE = re.compile(r"<img\b", re.IGNORECASE)
_SHOWN = re.compile(r"src\s*=\s*(?:[\"']\s*)?(?!data:)[^\s\"'>]", re.IGNORECASE)
_LAZY = re.compile("lazy|placeholder", re.IGNORECASE)
_NO_ADDRESS = re.compile(r"\s*(?:(?:about|data|javascript):|\Z)", re.IGNORECASE)
# Of a frame in a frame.
_FRAME = re.compile(r"<iframe(?=[\s/>])([^<>]*+)>", re.IGNORECASE)
_TEX = re.compile(r"(?:math|application|text)/(?:x-)?(?:la)?tex", re.IGNORECASE)
# What kramdown puts around a formula, to make it XML as well.
_SECTION = re.compile(r"%? ?(?:<!\[CDATA\[|\]\]>)")
# What KaTeX writes beside the formula, for the eye alone.
_SEEN = '</math></span><span class="katex-html"'
_NAME = re.compile(r"<([^\s/]+)")
_SPAN = re.compile(r"<(/?)span\b")


def use_fallbacks(html: str) -> str:
    """Replace what only a script would show by its fallback.

    - A self-closed element whose content is not shown gets an end tag, and hides nothing after it.
    - A formula stays where `formulas` can write it; else it becomes its `alttext`, its TeX, or its
      text.
    - A frame without an address becomes its content; videos and gists that a script would load
      become frames.
    - The placeholder of an image becomes what the `noscript` beside it has.
    """
    if _SEEN in html:
        html = "".join(_without_twins(html))
    html = _NOSCRIPT.sub(_image, html)
    return _ELEMENT.sub(_element, html)


def _without_twins(html: str) -> Iterator[str]:
    end = 0
    while (start := html.find(_SEEN, end)) >= 0:
        start = html.index("<span", start)
        yield html[end:start]
        depth, end = 0, len(html)
        for tag in _SPAN.finditer(html, start):
            depth += -1 if tag[1] else 1
            if depth == 0:
                end = html.find(">", tag.end()) + 1 or end
                break
    yield html[end:]


def _image(match: re.Match[str]) -> str:
    beside = [tag for tag in (match["before"], match["after"]) if tag]
    real = [f"<{tag}" for tag in beside if _SHOWN.search(tag) and not _LAZY.search(tag)]
    if len(real) == len(beside) or not _IMAGE.search(match["inside"]):
        return match[0]
    return match["inside"] + "".join(real)


def _element(match: re.Match[str]) -> str:
    whole, inside = match[0], match["inside"] or ""
    if match["inside"] is None:
        # The slash may be the end of a value that has no quotes.
        if "=" in re.split(r"[\s\"']", match["attributes"])[-1]:
            return whole
        whole = f"{whole.removesuffix('/>')}></{_NAME.findall(whole)[0]}>"
    elif match["end"] is None:
        return whole
    attributes = policy.read_attributes(match["attributes"])
    match name := (match["name"] or "").lower():
        case "math":
            return _formula(attributes, inside)
        case "iframe" if not _has_address(attributes):
            return _content(inside)
        case "script" if _TEX.match(attributes.get("type") or ""):
            return escape(_SECTION.sub("", inside))
        case "script":
            source = attributes.get("src") or ""
            pages = (script.fullmatch(source) for script in policy.SCRIPTS)
            page = next((page for page in pages if page), None)
            return _frame(page[1]) if page else whole
        case "lite-youtube" | "lite-vimeo":
            titles = (attributes.get(name) for name in ("title", "videotitle", "playlabel"))
            video = policy.LITE[name].format(attributes.get("videoid") or "")
            return _frame(video, next(filter(None, titles), ""))
    return whole


def _has_address(attributes: Attributes) -> bool:
    sources = (attributes.get(source) or "" for source in policy.SOURCES)
    return not all(map(_NO_ADDRESS.match, sources))


def _content(inside: str) -> str:
    """Return the content of a frame without an address, as balanced HTML.

    Parsers take it for text, up to the end tag of any frame: those in it have none of their own.
    """
    if policy.is_balanced(_FRAME.sub("", inside)):
        return _FRAME.sub(_frame_inside, inside)
    pieces, end = [], 0
    for frame in _FRAME.finditer(inside):
        pieces += [_words(inside[end : frame.start()]), _frame_inside(frame)]
        end = frame.end()
    return "".join([*pieces, _words(inside[end:])])


def _frame_inside(match: re.Match[str]) -> str:
    return f"{match[0]}</iframe>" if _has_address(policy.read_attributes(match[1])) else ""


def _words(html: str) -> str:
    return "".join(escape(text) or " " for text in split_texts(html))


def _formula(attributes: Attributes, inside: str) -> str:
    tree = parse_formula(inside)
    if tree and (written := write_inner(tree)):
        display = ' display="block"' if attributes.get("display") == "block" else ""
        return f"<math{display}>{written}</math>"
    tex = (note[3] for note in ANNOTATION.finditer(inside) if _TEX.search(note[2]))
    alternative = escape(attributes.get("alttext") or "")
    if words := (alternative or next(tex, "")).strip():
        return words
    # What is not of MathML alone is left to the cleaner.
    return write_linear(tree) if tree and is_mathml(tree) else ANNOTATION.sub("", inside)


def _frame(source: str, title: str = "") -> str:
    return f'<iframe src="{escape(source)}" title="{escape(title)}"></iframe>'
