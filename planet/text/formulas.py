"""Formulas in MathML: what of them is let through, and how they read as plain text.

A narrow part of MathML Core (https://www.w3.org/TR/mathml-core/): elements that say how symbols
stand to each other, with text in `mi`, `mn` and `mo` alone. Elements in which HTML may stand
(`mtext`, `annotation-xml`), `mglyph`, and all that have fooled sanitisers are none of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

TOKENS = frozenset({"mi", "mn", "mo"})
"""Elements with text, and nothing but text."""
_PARTS = {
    **dict.fromkeys(("mfrac", "mroot", "msub", "msup", "munder", "mover"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}
"""How many elements are in one of these."""
_INSIDE = {"mtable": "mtr", "mtr": "mtd"}
ELEMENTS = frozenset({"math", "mrow", "msqrt", "mtable", "mtr", "mtd", *TOKENS, *_PARTS})
"""Every element that is let through."""
_GROUPS = frozenset({"semantics", "mstyle", "mpadded", "merror"})
_WORDS = frozenset({"mtext", "ms"})


@dataclass(slots=True)
class FormulaElement:
    """An element of a formula, with escaped text and elements in it."""

    name: str
    children: list[FormulaElement | str] = field(default_factory=list)

    @property
    def elements(self) -> list[FormulaElement]:
        """The elements in it."""
        return [child for child in self.children if isinstance(child, FormulaElement)]

    @property
    def text(self) -> str:
        """The text that stands in it directly, folded."""
        return " ".join(" ".join(text for text in self.children if isinstance(text, str)).split())


def write_inner(element: FormulaElement) -> str | None:
    """Write what is in an element as MathML; None if that is not of the part described above."""
    if element.name in TOKENS:
        return None if element.elements else element.text
    parts = element.elements
    if element.text or len(parts) != _PARTS.get(element.name, len(parts)):
        return None
    wanted = _INSIDE.get(element.name)
    written = []
    for part in parts:
        is_place = part.name in _INSIDE.values()
        inner = write_inner(part) if part.name in ELEMENTS and part.name != "math" else None
        if inner is None or (part.name != wanted if wanted or is_place else False):
            return None
        written.append(f"<{part.name}>{inner}</{part.name}>")
    return "".join(written)


def write_linear(element: FormulaElement) -> str:
    """Write a formula on one line, as in `(a + b)/2` and `x^2`."""
    parts = [part for part in map(write_linear, element.elements) if part]
    if len(parts) == _PARTS.get(element.name):
        one, *others = map(_group, parts)
        match element.name:
            case "mfrac":
                return f"{one}/{others[0]}"
            case "mroot":
                return f"{others[0]}√{one}"
            case "msup" | "mover":
                return f"{one}^{others[0]}"
            case "msub" | "munder":
                return f"{one}_{others[0]}"
        return f"{one}_{others[0]}^{others[1]}"
    match element.name:
        case "msqrt":
            return f"√{_group(''.join(parts))}"
        case "mtable":
            return f"[{'; '.join(parts)}]"
        case "mtr":
            return ", ".join(parts)
        case "mo" if element.text in _SPACED:
            return f" {element.text} "
    children = (
        write_linear(child) if isinstance(child, FormulaElement) else " ".join(child.split())
        for child in element.children
    )
    return "".join(children)


_SPACED = frozenset("+-=−±×⋅→≤≥≠≈∈") | {"&lt;", "&gt;"}
_SIMPLE = re.compile(r".|[^\W_]*|&\w+;|\(.*\)|\[.*\]")


def _group(words: str) -> str:
    words = words.strip()
    return words if _SIMPLE.fullmatch(words) else f"({words})"


_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z-]*+)[^<>]*?(/?)>|<")
ANNOTATION = re.compile(
    r"<(annotation(?:-xml)?)\b([^<>]*)>(.*?)(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL
)
"""The same formula in another language: its attributes and its words are groups 2 and 3."""
_MAX_DEPTH = 100


def parse_formula(inside: str) -> FormulaElement | None:
    """Parse what is in a `math`, as untrusted HTML; None if it is not balanced, or has a bare `<`.

    Annotations are left out, groups without a look of their own are rows, and words are symbols.
    """
    inside = ANNOTATION.sub("", inside)
    root = FormulaElement("math")
    open_, end = [root], 0
    for tag in _TAG.finditer(inside):
        open_[-1].children.append(inside[end : tag.start()])
        end = tag.end()
        if not tag[2]:
            return None
        name = tag[2].lower()
        name = "mrow" if name in _GROUPS else "mi" if name in _WORDS else name
        if tag[1]:
            if len(open_) == 1 or open_.pop().name != name:
                return None
        elif name != "mspace":
            element = FormulaElement(name)
            open_[-1].children.append(element)
            if not tag[3]:
                open_.append(element)
        elif not tag[3]:
            open_.append(FormulaElement(name))
        if len(open_) > _MAX_DEPTH:
            return None
    open_[-1].children.append(inside[end:])
    return root if len(open_) == 1 else None


def is_mathml(tree: FormulaElement) -> bool:
    """Return whether a formula has elements with names as MathML has them, and no others."""
    return tree.name[:1] == "m" and tree.name != "mark" and all(map(is_mathml, tree.elements))


# Matches whatever comes after its beginning, so that nothing is read twice.
_MATH = re.compile(r"<math(?=[\s>])([^<>]*+)>(.*?)(?:</math\s*>|\Z)", re.IGNORECASE | re.DOTALL)


def formulas_as_text(html: str) -> str:
    """Return untrusted HTML with each formula on one line of text, as `write_linear` writes it."""
    return _MATH.sub(_as_text, html)


def _as_text(match: re.Match[str]) -> str:
    tree = parse_formula(match[2])
    return write_linear(tree) if tree else ANNOTATION.sub("", match[2])
