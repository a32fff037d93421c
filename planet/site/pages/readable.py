"""Clean HTML of a post → the same with additions for pages.

The text comes from the cleaner: tags are small, values are quoted, and no value of an attribute has
a bare `<`, `>` or `"`. A text is read once into a tree, changed there, and written again: the
result is well nested, whatever came in, and all work is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections import Counter
from html import escape, unescape
from typing import TYPE_CHECKING, TypeGuard

from planet.site.pages.labels import strip_to_letters

if TYPE_CHECKING:
    from planet.site.words import Words


# HTML Standard, "Void elements".
_VOID = frozenset(
    {
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source"),
        *("track", "wbr"),
    }
)
_BOXES = frozenset({"article", "div", "header", "section"})
_BLOCKS = _BOXES | {
    *("blockquote", "dd", "details", "dl", "dt", "figcaption", "figure", "h4", "h5", "h6", "li"),
    *("ol", "p", "pre", "table", "td", "th", "ul"),
}
_ENDS = _BOXES | {"blockquote", "dl", "figure", "ol", "p", "pre", "table", "ul"}
"""Elements after which a text may be folded."""
_HEADINGS = {"h4", "h5", "h6"}
_LONG, _REST = 2_400, 1_200
"""Letters of a text before the rest is folded, and the least letters of a rest."""
_NARROW, _LINES = 32, 40
"""Characters of a line of code that the column of a phone holds, and lines that stand in full."""
_NAME_LENGTH = 60

_TOKEN = re.compile(r"<(/?)([a-z][a-z0-9]*)(?: [^<>]*)?>")
_HREF = re.compile(r' href="(?:https?://)?(?:www\.)?([^"]*)"')
_ALT = re.compile(r' alt="[^"]')
_SIZE = re.compile(r' (?:width|height)="[1-9]')
# They stand in for signs and words, and are small.
_SMALL = re.compile(r"latex|emoji|smil(?:ey|ie)|/badge")


class Element:
    """An element of a text, with children."""

    __slots__ = ("children", "end", "images", "letters", "line", "named", "start", "stop", "tag")

    def __init__(self, tag: str, start: str, within: Element | None) -> None:
        self.tag = tag
        self.start = start
        self.end = "" if not tag or tag in _VOID else f"</{tag}>"
        self.children: list[Element | str] = []
        self.letters = self.images = self.named = 0
        """How many letters, pictures, and pictures with alternative text are in it."""
        is_block = within is None or tag in _BLOCKS
        self.line: list[int] = [0] if is_block or within is None else within.line
        """The letters beside it that stand in no block within its own."""
        self.stop = 0
        """The place behind the last one in it, among all elements."""

    def drop(self) -> None:
        """Leave the element out, with the children."""
        self.start = self.end = ""
        self.children = []


class TextTree:
    """A text as a tree, and all elements in the order of their beginnings."""

    def __init__(self, content: str) -> None:
        self.root = Element("", "", None)
        self.elements = [self.root]
        stack, opened, end = [self.root], Counter[str](), 0
        for token in _TOKEN.finditer(content):
            self._add(stack[-1], content[end : token.start()])
            end, tag = token.end(), token[2]
            if not token[1]:
                element = Element(tag, token[0], stack[-1])
                stack[-1].children.append(element)
                self.elements.append(element)
                if tag in _VOID:
                    element.stop = len(self.elements)
                    self._count(element, stack[-1])
                else:
                    stack.append(element)
                    opened[tag] += 1
            elif opened[tag]:
                while self._close(stack, opened) != tag:
                    pass
        self._add(stack[-1], content[end:])
        while len(stack) > 1:
            self._close(stack, opened)
        self.root.stop = len(self.elements)

    @staticmethod
    def _add(element: Element, text: str) -> None:
        if text:
            letters = len("".join(text.split()))
            element.children.append(text)
            element.letters += letters
            element.line[0] += letters

    @staticmethod
    def _count(element: Element, within: Element) -> None:
        is_image = element.tag == "img"
        within.letters += element.letters
        within.images += element.images + is_image
        within.named += element.named + (is_image and _ALT.search(element.start) is not None)

    def _close(self, stack: list[Element], opened: Counter[str]) -> str:
        element = stack.pop()
        element.stop = len(self.elements)
        opened[element.tag] -= 1
        self._count(element, stack[-1])
        return element.tag

    def write(self, element: Element | None = None) -> str:
        """Write the text, or one element."""
        written: list[str] = []
        todo: list[Element | str] = [element or self.root]
        while todo:
            node = todo.pop()
            if isinstance(node, str):
                written.append(node)
            else:
                written.append(node.start)
                todo.append(node.end)
                todo.extend(reversed(node.children))
        return "".join(written)

    def words(self, element: Element) -> str:
        """Return the words in an element, in one line."""
        return " ".join(unescape(_TOKEN.sub(" ", self.write(element))).split())


def make_readable(content: str, *, title: str, film: str, words: Words) -> str:
    """Return a clean text made ready for readers.

    A heading with the title again goes, and so does one without words; the others begin at the
    level below the title's, and leave none out. A link around a picture without alternative text is
    named by the address. After some forty lines the rest of a text is folded away.

    A table, and wide or long code, is a region with a name, which scrolls and which the keyboard
    reaches. Before a film is loaded, the theme's picture `film` is shown. A lone picture without a
    size is marked, so a theme can keep a frame free.
    """
    tree = TextTree(content)
    _drop_title(tree, title)
    levels = sorted({element.tag for element in tree.elements if _is_heading(element)})
    scrolls_until = 0
    for place, element in enumerate(tree.elements):
        match element.tag:
            case "h4" | "h5" | "h6":
                _level_heading(element, levels)
            case "a":
                _name_link(element)
            case "table":
                element.start = f'<div class="wide" {_region(words.table)}>{element.start}'
                element.end += "</div>"
            case "pre" if place >= scrolls_until:
                scrolls_until = element.stop
                if _is_wide(unescape(_TOKEN.sub("", tree.write(element)))):
                    region = f'<pre class="wide" {_region(words.code)}'
                    element.start = region + element.start[4:]
            case "video":
                element.start = f'<video poster="{film}"{element.start[6:]}'
            case "img" if _is_alone(element):
                element.start = f'<img class="alone"{element.start[4:]}'
    _fold(tree.root, words)
    return tree.write()


def _region(name: str) -> str:
    # Not a `region`: each of those is a landmark, and a post may have ten.
    return f'role="group" aria-label="{escape(name)}" tabindex="0"'


def _is_wide(code: str) -> bool:
    """Return whether code may have to be scrolled on a phone, or is long."""
    lines = code.splitlines()
    return len(lines) > _LINES or any(len(line) > _NARROW for line in lines)


def _drop_title(tree: TextTree, title: str) -> None:
    """Drop a first heading or paragraph with the title, unless the text has nothing else."""
    first: Element | str = tree.root
    while isinstance(first, Element) and (first is tree.root or first.tag in _BOXES):
        filled = (child for child in first.children if isinstance(child, Element) or child.strip())
        first = next(filled, "")
    if (
        isinstance(first, Element)
        and first.tag in {*_HEADINGS, "p"}
        and not first.images
        and (tree.root.images or tree.root.letters > first.letters)
        and strip_to_letters(tree.words(first)) == (strip_to_letters(title) or None)
    ):
        first.tag = ""
        first.drop()


def _is_heading(element: Element) -> bool:
    """Return whether an element is a heading, and stays one."""
    return element.tag in _HEADINGS and bool(element.letters or element.named)


def _level_heading(element: Element, levels: list[str]) -> None:
    if _is_heading(element):
        level = 4 + levels.index(element.tag)
        element.start, element.end = f"<h{level}{element.start[3:]}", f"</h{level}>"
    elif element.images:
        element.start, element.end = "<p>", "</p>"
    else:
        element.drop()


def _name_link(element: Element) -> None:
    """Name a link around pictures without a description; drop one around nothing."""
    if element.letters or element.named:
        return
    if not element.images:
        element.start = element.end = ""
    elif href := _HREF.search(element.start):
        name = escape(unescape(href[1])[:_NAME_LENGTH])
        element.start = f'{element.start[:-1]} aria-label="{name}">'


def _is_alone(image: Element) -> bool:
    """Return whether a picture has no size, and no words beside it in the same block."""
    tag = image.start
    return not image.line[0] and not _SIZE.search(tag) and not _SMALL.search(tag)


def _fold(text: Element, words: Words) -> None:
    """Fold the rest behind the paragraph with which a text is long, unless the rest is short.

    Where one box holds most of the text, the fold is within the box.
    """
    box, read = text, 0
    while inner := next((child for child in box.children if _holds_most(child, text)), None):
        read += sum(map(_letters, box.children[: box.children.index(inner)]))
        box = inner
    left = box.letters
    for place, child in enumerate(box.children):
        read, left = read + _letters(child), left - _letters(child)
        if read >= _LONG and _ends(box.children, place):
            if left >= _REST:
                folded = Element("details", '<details class="rest">', None)
                summary = f"<summary>{escape(words.show_more)}</summary>"
                folded.children = [summary, *box.children[place + 1 :]]
                box.children[place + 1 :] = [folded]
            return


def _holds_most(child: Element | str, text: Element) -> TypeGuard[Element]:
    is_box = isinstance(child, Element) and child.tag in _BOXES
    return is_box and 2 * _letters(child) > text.letters


def _ends(children: list[Element | str], place: int) -> bool:
    """Return whether a text may be folded behind a child: a block, or an empty line."""
    child = children[place]
    if not isinstance(child, Element) or child.tag != "br":
        return isinstance(child, Element) and child.tag in _ENDS
    before = [each for each in children[max(place - 2, 0) : place] if not _is_blank(each)]
    return bool(before) and isinstance(before[-1], Element) and before[-1].tag == "br"


def _is_blank(child: Element | str) -> bool:
    return isinstance(child, str) and not child.strip()


def _letters(child: Element | str) -> int:
    return child.letters if isinstance(child, Element) else len("".join(child.split()))
