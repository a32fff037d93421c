"""Clean HTML of a post → the same, with what pages need besides and feeds do not.

What comes in is the cleaner's: tags and attributes are small, values are quoted, elements are
nested, and no value of an attribute has `<`, `>` or `"` as it is.
"""

from __future__ import annotations

import re
from html import escape, unescape
from typing import TYPE_CHECKING, NamedTuple

from planet.text.policy import decode_attribute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.site.words import Words


def make_readable(content: str, *, title: str, film: str | None, words: Words) -> str:
    """Return a clean text with what readers need besides.

    A heading that only repeats the title goes, and so does one without words; the others begin at
    the level below the title's, and leave none out. A link around a
    picture that has no alternative text is named by where it leads. The foot of a table stands at
    its end, as HTML wants it.

    What goes on after some forty lines is folded away. Code of more lines scrolls.

    A region that scrolls is reached with the keyboard, and says what it is. A film that is not
    loaded shows the theme's picture of one, `film`. A picture whose size only its address tells has
    it; any other that stands alone is marked, so that a theme can keep a frame free for it, and
    leads to itself, should it be too long for that.
    """
    content = _drop_title(content, title)
    if "<h" in content:
        content = _HEADING.sub(_drop_empty_heading, content)
        levels = sorted(set(_LEVEL.findall(content)))
        content = _LEVEL.sub(lambda level: str(4 + levels.index(level[0])), content)
    if "<a " in content:
        content = _LINK.sub(_name_link, content)
    if "<tfoot" in content:
        content = _FOOT_FIRST.sub(r"\2\1", content)
    readable = _HELPED.sub(lambda match: _help_element(match, film, words), content)
    marked = _mark_lone_pictures(readable) if "<img" in readable else readable
    return _fold(marked, words) if len(marked) > _LONG else marked


def without_title(summary: str, title: str) -> str:
    """Return the first words of a text without the title, where that stands before them.

    It stays where it may be the beginning of a sentence.
    """
    rest = summary[len(title) :] if summary.startswith(title) else ""
    words = rest.lstrip(_BETWEEN)
    is_apart = rest[:1] in _STOPS or (len(title) >= _TITLE and rest[:1].isspace())
    return words if words and is_apart and not words[0].islower() else summary


_BETWEEN = " \t\n.:;,–—-|!?"
_STOPS = set(".:–—|!?\n")
_TITLE = 12
"""Letters of a title that hardly begin a sentence by chance."""
_LONG, _REST = 3_000, 1_500
"""Letters of a text before its rest is folded, and of a rest that is worth it."""
_ELEMENT = re.compile(
    r"<br>\s*<br>|</(?P<ended>\w++)>"
    r"|<(?!(?:br|hr|img|input|source|track|wbr)[ >])(?P<begun>\w++)[^<>]*+>"
)
_PARAGRAPHS = {"blockquote", "div", "dl", "figure", "ol", "p", "pre", "ul", None}
"""Elements after which a text may be folded; None is an empty line."""
_TAG = re.compile("<[^<>]*>")
_FIRST = re.compile(
    r"\A((?:\s|<(?:div|section|article|header)>)*)<(h[456]|p)(?: [^<>]*)?>(.*?)</\2>", re.S
)
_HEADING = re.compile(r"<(h[456])(?: [^<>]*)?>((?:(?!</?h[456][ >]).)*+)</\1>", re.S)
_LEVEL = re.compile(r"(?<=<h)[456](?=[ >])|(?<=</h)[456](?=>)")
_LINK = re.compile(r"<a( [^<>]*)>((?:\s|<(?!/?a[ >])[^<>]*>)*)</a>")
_HREF = re.compile(r' href="(?:https?://)?(?:www\.)?([^"]*)"')
_NAME_LENGTH = 60
_FOOT_FIRST = re.compile(
    r"(<tfoot(?: [^<>]*)?>(?:(?!</?(?:table|tfoot)[ >]).)*+</tfoot>)\s*+"
    r"((?:<tbody(?: [^<>]*)?>(?:(?!</?(?:table|tbody|tfoot)[ >]).)*+</tbody>\s*+)++)",
    re.S,
)


def _text(content: str) -> str:
    return " ".join(unescape(_TAG.sub(" ", content)).split())


def strip_to_letters(text: str) -> str:
    """Return the letters and digits of a text, by which two that say the same are equal."""
    return "".join(filter(str.isalnum, text.casefold()))


def _drop_title(content: str, title: str) -> str:
    """Drop the first heading or paragraph of a text if it is the title, and not all there is."""
    first = _FIRST.match(content)
    if (
        not first
        or "<img" in first[3]
        or strip_to_letters(_text(first[3])) != (strip_to_letters(title) or None)
    ):
        return content
    rest = content[first.end() :]
    return first[1] + rest if _text(rest) or "<img" in rest else content


def _drop_empty_heading(match: re.Match[str]) -> str:
    inner = match[2]
    if _text(inner) or re.search(r'<img [^<>]*alt="[^"]', inner):
        return match[0]
    return f"<p>{inner}</p>" if "<img" in inner else ""


def _name_link(match: re.Match[str]) -> str:
    attributes, inner = match.groups()
    href = _HREF.search(attributes)
    if not href or re.search(r'<img [^<>]*alt="[^"]', inner):
        return match[0]
    if "<img" not in inner:
        return inner
    name = escape(unescape(href[1])[:_NAME_LENGTH])
    return f'<a{attributes} aria-label="{name}">{inner}</a>'


class _Rest(NamedTuple):
    """What comes in a box after the paragraph with which a text is long."""

    letters: int
    start: int
    stop: int


def _fold(content: str, words: Words) -> str:
    """Fold what follows the paragraph with which a text is long, unless that is little.

    Where boxes hold the text, it is folded within the one that has most of the rest.
    """
    depth = letters = end = 0
    # The open ones, with what is to be folded of each so far. The first is the whole text.
    boxes: list[_Rest | None] = [None]
    rests: list[_Rest] = []
    for tag in _ELEMENT.finditer(f"{content}</div>"):
        letters += len(_TAG.sub("", content[end : tag.start()]))
        end = tag.end()
        is_in_box = depth == len(boxes) - 1
        if tag["begun"]:
            depth += 1
            if is_in_box and tag["begun"] == "div":
                boxes.append(None)
            continue
        if tag["ended"]:
            depth -= 1
            rest = boxes.pop() if is_in_box else None
            if rest:
                rests.append(_Rest(letters - rest.letters, rest.start, tag.start()))
        is_break = tag["ended"] in _PARAGRAPHS and depth == len(boxes) - 1
        if is_break and boxes and letters >= _LONG:
            boxes[-1] = boxes[-1] or _Rest(letters, end, end)
    rest = max(rests, default=_Rest(0, 0, 0))
    if rest.letters < _REST:
        return content
    summary = f"<summary>{escape(words.show_more)}</summary>"
    folded = f'<details class="rest">{summary}{content[rest.start : rest.stop]}</details>'
    return content[: rest.start] + folded + content[rest.stop :]


def _help_element(match: re.Match[str], film: str | None, words: Words) -> str:
    tag = match[0]
    match tag[1:4]:
        case "tab":
            return f"<div {_scrolls(words.table)}>{tag}"
        case "/ta":
            return f"{tag}</div>"
        case "pre":
            is_wide = _is_wide(match.string, match.end())
            return f"<pre {_scrolls(words.code)}{tag[4:]}" if is_wide else tag
        case "vid":
            return f'<video poster="{film}"{tag[6:]}' if film else tag
    return _with_size(tag)


_HELPED = re.compile("<table(?=[ >])|</table>|<pre(?=[ >])|<video(?=[ >])|<img [^<>]*>")
_NARROW = 32
"""Characters of code that the column of a phone holds."""
_LINES = 40
"""Of code of more, a part is seen at a time."""
_SIZED = re.compile(r' src="[^"?#]*-([1-9]\d{1,3})x([1-9]\d{1,3})\.(?:avif|gif|jpe?g|png|webp)["?]')
_WIDTH = re.compile(r' width="([1-9]\d*)"')
# Links, and pictures that share their lines with nothing but links around them.
_BLOCK = r"</?(?:blockquote|div|figcaption|figure|h[456]|ol|p|pre|table|ul)(?=[ >])"
_ALONE = re.compile(
    rf"<a [^<>]*>|</a>|(?:{_BLOCK}[^<>]*>|\A|<br>)\s*+"
    rf"(?:(?:</?(?:a|span)(?: [^<>]*)?>|(<img )[^<>]*>)\s*+)++(?={_BLOCK}|<br>|\Z)(?(1)|(?!))"
)
_PICTURE = re.compile(r"(<a [^<>]*>|</a>)|<img(?![^<>]* (?:width|height)=)( [^<>]*>)")
# They stand in for signs and words, and are small.
_SMALL = re.compile(r"latex|emoji|smil(?:ey|ie)|/badge")
_LEADING = re.compile(r' src="(https?://[^"]*)" alt="[^"]')


def _scrolls(name: str) -> str:
    # Not a `region`: each of those is a landmark, and a post may have ten.
    return f'class="wide" role="group" aria-label="{escape(name)}" tabindex="0"'


def _is_wide(content: str, start: int) -> bool:
    """Return whether code that begins here may have to be scrolled on a phone, or is long."""
    code = unescape(_TAG.sub("", content[start : content.find("</pre>", start)]))
    lines = code.splitlines()
    return len(lines) > _LINES or any(len(line) > _NARROW for line in lines)


def _with_size(tag: str) -> str:
    """Add the size that WordPress writes into an image's address, so that nothing moves."""
    if ' height="' in tag or not (size := _SIZED.search(tag)):
        return tag
    width, height = int(size[1]), int(size[2])
    if own := _WIDTH.search(tag):
        return f'{tag[:-1]} height="{round(int(own[1]) * height / width)}">'
    return f'{tag[:-1]} width="{width}" height="{height}">'


def _mark_lone_pictures(content: str) -> str:
    """Mark the pictures of a text that stand alone, and link them to themselves."""
    is_linked = False

    def picture(match: re.Match[str]) -> str:
        nonlocal is_linked
        tag, attributes = match.groups()
        if tag or _SMALL.search(attributes):
            is_linked = tag.startswith("<a") if tag else is_linked
            return match[0]
        image = f'<img class="alone"{attributes}'
        if not is_linked and (source := _LEADING.match(attributes)):
            return f'<a href="{source[1]}" rel="noopener noreferrer">{image}</a>'
        return image

    return _ALONE.sub(lambda run: _PICTURE.sub(picture, run[0]), content)


_IMG = re.compile(r"<img [^<>]*>")
_HEIGHT = re.compile(r' height="([1-9]\d*)"')
_SOURCE = re.compile(r' src="(https?://[^"]*)"')
_LARGE = 200
"""Pixels in width from which on a picture is large; it is as high as half of that, too."""


def find_picture(content: str) -> str | None:
    """Return the address of the first large picture in a clean text; None without one.

    A picture that says nothing of its size is large where it stands alone, and is no emoji.
    """
    return next((picture.address for picture in _pictures(content) if picture.is_large), None)


class _TextPicture(NamedTuple):
    address: str
    is_large: bool


def _pictures(content: str) -> Iterator[_TextPicture]:
    """Yield the pictures in a clean text but for small ones."""
    runs = [run.span() for run in _ALONE.finditer(content)] if "<img" in content else []
    for match in _IMG.finditer(content):
        tag = _with_size(match[0])
        width, height, source = _WIDTH.search(tag), _HEIGHT.search(tag), _SOURCE.search(tag)
        if source is None or _SMALL.search(tag):
            continue
        address = decode_attribute(source[1])
        if width or height:
            is_large = (not width or int(width[1]) >= _LARGE) and (
                not height or int(height[1]) >= _LARGE // 2
            )
            if is_large or not width or int(width[1]) >= _LARGE // 2:
                yield _TextPicture(address, is_large)
        else:
            is_alone = any(start <= match.start() < end for start, end in runs)
            yield _TextPicture(address, is_alone)
