"""Fragments made of attacks → clean HTML, which two other parsers read as it is written.

By hand: `python -m tests.fuzz.fuzz_clean 50000`, with `--seed` for others, and `--show` for more of
what it finds. Half of them are cleaned by nh3, half by bleach. html5lib and lexbor (`selectolax`)
read what comes out:

- each finds the tree that is written, and in it what the policy allows alone;
- cleaned again, it stays as it is;
- each word that both see in what went in is in it, but for some of those beside SVG, MathML and
  what is left out without an end, which are counted.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from random import Random
from typing import Any

import html5lib
from selectolax.lexbor import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    LexborHTMLParser,
)

from planet.model import Images, Text, TextKind
from planet.text import policy
from planet.text.fallbacks import use_fallbacks
from planet.text.html import MAX_HTML, Cleaning, clean, show_images
from planet.text.plain import plain
from planet.text.sanitize import sanitize
from tests.text.cases import BASE, SANITIZERS, Sanitizer, values
from tests.text.judge import faults

_PIECE = re.compile(r"<[^<>]*>?|[^<]+")
_NAMES = (
    *("a", "b", "p", "div", "table", "tr", "td", "caption", "li", "ul", "dl", "dd", "pre", "ruby"),
    *("rt", "h1", "h3", "svg", "math", "mtext", "mi", "annotation-xml", "foreignObject", "desc"),
    *("mo", "mrow", "mfrac", "msup", "munderover", "mtable", "mtr", "mtd", "mglyph", "semantics"),
    *("style", "script", "title", "textarea", "select", "option", "template", "noscript", "iframe"),
    *("xmp", "noembed", "form", "button", "marquee", "object", "font", "nobr", "big", "img", "br"),
    *("details", "summary", "video", "source", "picture", "center", "section", "x-y", "image"),
)
_MAX_LENGTH = 1500
# Of these a word is lost on purpose, or taken for text by one parser and not by the other.
_UNSEEN = policy.DROPPED | {"iframe", "xmp", "plaintext", "frameset", "head"}


def fragments(choose: Random) -> Iterator[str]:
    """Fragments without end: attacks and cases that are cut, crossed and put into each other."""
    seeds = [list(_PIECE.findall(value)) for _, value in values() if len(value) < _MAX_LENGTH]
    seeds = [pieces for pieces in seeds if pieces]
    while True:
        pieces = list(choose.choice(seeds))
        for _ in range(choose.randint(0, 4)):
            pieces = choose.choice(_CHANGES)(pieces, choose, seeds)
        yield "".join(_with_words(pieces, choose))[:_MAX_LENGTH]


def _with_words(pieces: list[str], choose: Random) -> Iterator[str]:
    """Words of their own between the pieces, so that each can be told from the others."""
    for number, piece in enumerate(pieces):
        yield piece
        if choose.random() < 0.5:
            yield f" w{number}q "


Change = Callable[[list[str], Random, list[list[str]]], list[str]]


def _cut(pieces: list[str], choose: Random, seeds: list[list[str]]) -> list[str]:
    return pieces[: choose.randint(1, len(pieces))]


def _leave_out(pieces: list[str], choose: Random, seeds: list[list[str]]) -> list[str]:
    place = choose.randrange(len(pieces))
    return pieces[:place] + pieces[place + 1 :] or pieces


def _repeat(pieces: list[str], choose: Random, seeds: list[list[str]]) -> list[str]:
    place = choose.randrange(len(pieces))
    return pieces[:place] + pieces[place : place + 1] * choose.randint(1, 4) + pieces[place:]


def _swap(pieces: list[str], choose: Random, seeds: list[list[str]]) -> list[str]:
    one, other = choose.randrange(len(pieces)), choose.randrange(len(pieces))
    pieces = list(pieces)
    pieces[one], pieces[other] = pieces[other], pieces[one]
    return pieces


def _put_in(pieces: list[str], choose: Random, seeds: list[list[str]]) -> list[str]:
    place = choose.randint(0, len(pieces))
    return pieces[:place] + choose.choice(seeds) + pieces[place:]


def _put_tag(pieces: list[str], choose: Random, seeds: list[list[str]]) -> list[str]:
    place, end = choose.randint(0, len(pieces)), choose.choice(("", "", "/"))
    return [*pieces[:place], f"<{end}{choose.choice(_NAMES)}>", *pieces[place:]]


def _put_around(pieces: list[str], choose: Random, seeds: list[list[str]]) -> list[str]:
    name = choose.choice(_NAMES)
    return [f"<{name}>", *pieces, f"</{name}>"]


def _break(pieces: list[str], choose: Random, seeds: list[list[str]]) -> list[str]:
    place = choose.randrange(len(pieces))
    piece, sign = pieces[place], choose.choice(("<", ">", '"', "'", "/", "\x00", "&", "\n", "-->"))
    where = choose.randint(0, len(piece))
    return [*pieces[:place], piece[:where] + sign + piece[where:], *pieces[place + 1 :]]


_CHANGES: tuple[Change, ...] = (
    *(_cut, _leave_out, _repeat, _swap, _put_in, _put_in, _put_tag, _put_tag, _put_around, _break),
)

Tree = list[Any]
"""Texts, and elements as lists of their name, their attributes, and what is in them."""


def read_by_html5lib(html: str) -> Tree:
    """The tree that html5lib finds."""
    root = html5lib.parseFragment(html, treebuilder="dom", namespaceHTMLElements=False)
    return _tree_of_dom(root)


def _tree_of_dom(node: Any) -> Tree:
    tree: Tree = []
    for child in node.childNodes:
        if child.nodeType == child.TEXT_NODE:
            _add_text(tree, child.data)
        elif child.nodeType == child.ELEMENT_NODE:
            attributes = dict(sorted(child.attributes.items()))
            tree.append([child.tagName, attributes, *_tree_of_dom(child)])
        else:
            tree.append([f"#{child.nodeName}", {}])
    return tree


def read_by_lexbor(html: str) -> Tree:
    """The tree that lexbor finds."""
    # With scripts, as on a page: a `noscript` that does not end holds all that follows.
    root = LexborHTMLParser(html, is_fragment=True, scripting=True).root
    return _tree_of_lexbor(root) if root is not None else []


def _tree_of_lexbor(parent: Any) -> Tree:
    tree: Tree = []
    for child in parent.iter(include_text=True):
        if child.tag == "-text":
            _add_text(tree, child.text_content)
        else:
            attributes = {name: value or "" for name, value in sorted(child.attributes.items())}
            tree.append([child.tag or "#unnamed", attributes, *_tree_of_lexbor(child)])
    return tree


class _AsWritten(HTMLParser):
    """The tree of balanced HTML, with no rule about what may be where."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[Tree] = [[]]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element: Tree = [tag, {name: value or "" for name, value in sorted(attrs)}]
        self.open[-1].append(element)
        if tag not in policy.VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        self.open.pop()

    def handle_data(self, data: str) -> None:
        _add_text(self.open[-1], data)


def read_as_written(html: str) -> Tree:
    """The tree as its tags say, where none of them is missing."""
    reader = _AsWritten()
    reader.feed(html)
    reader.close()
    return reader.open[0]


def _add_text(tree: Tree, text: str) -> None:
    if tree and isinstance(tree[-1], str):
        tree[-1] += text
    else:
        tree.append(text)


_WORD = re.compile(r"w\d+q")
_DECLARATION = re.compile(r"<[!?][^>]*>")
# Where the libraries may find another end of what is left out than other parsers do. nh3 is given
# other names for unknown elements, but not in SVG and MathML, which may end sooner than they seem
# to. bleach leaves unknown tags out before it parses, and then they end nothing, as `<input>` would
# end `<select>`.
_LEFT_OUT = re.compile(
    rf"<(?:svg|math|xmp|select)\b|<({'|'.join(policy.DROPPED)})\b(?!.*</\1\b)",
    re.IGNORECASE | re.DOTALL,
)


def seen_words(tree: Tree) -> set[str]:
    """The words of `fragments` that somebody sees who reads the tree."""
    words: set[str] = set()
    for node in tree:
        if isinstance(node, str):
            words.update(_WORD.findall(node))
        elif node[0].lower() not in _UNSEEN:
            words |= seen_words(node[2:])
    return words


@dataclass
class Findings:
    """What was tried, and what was wrong with it."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: list[tuple[str, str, str, str]] = field(default_factory=list)
    """What is wrong, with the library, the fragment and what came out."""

    def add(self, kind: str, sanitizer: str, value: str, cleaned: str) -> None:
        """Count something wrong, and keep it."""
        self.counts[kind] += 1
        self.examples.append((kind, sanitizer, value, cleaned))


def try_out(value: str, sanitizer: Sanitizer, images: Images, findings: Findings) -> None:
    """Clean a fragment, and add whatever is wrong with what comes out."""
    cleaning = Cleaning(sanitizer=sanitizer)
    cleaned = clean(Text(value=value, kind=TextKind.HTML, base=BASE), cleaning)
    cleaned = show_images(cleaned, images)
    findings.counts[f"fragments, {sanitizer}"] += 1
    if faults(cleaned):
        findings.add("not allowed", sanitizer, value, cleaned)
        return
    written = read_as_written(cleaned)
    for name, read in (("html5lib", read_by_html5lib), ("lexbor", read_by_lexbor)):
        if read(cleaned) != written:
            findings.add(f"read otherwise by {name}", sanitizer, value, cleaned)
    again = clean(Text(value=cleaned, kind=TextKind.HTML, base=BASE), cleaning)
    if again != cleaned:
        findings.add("no fixed point", sanitizer, value, cleaned)
    given = policy.CONTROLS.sub("", value)
    if sanitize(given, base=BASE, limit=MAX_HTML, sanitizer=sanitizer) is None:
        findings.counts[f"given up, {sanitizer}"] += 1
    seen = use_fallbacks(given)
    seen_by_both = seen_words(read_by_html5lib(seen)) & seen_words(read_by_lexbor(seen))
    findings.counts["words"] += len(seen_by_both)
    if not seen_by_both.issubset(_WORD.findall(plain(Text(value=cleaned, kind=TextKind.HTML)))):
        if any(map(_LEFT_OUT.search, (seen, _DECLARATION.sub("", seen)))):
            findings.counts[f"text lost beside elements that are left out, {sanitizer}"] += 1
        else:
            findings.add("text lost", sanitizer, value, cleaned)


def run(count: int, seed: int) -> Findings:
    """Try so many fragments; the same for the same seed."""
    findings = Findings()
    made = fragments(Random(seed))
    for number in range(count):
        try_out(next(made), SANITIZERS[number % 2], list(Images)[number % 3], findings)
    return findings


def main() -> int:
    """Print what was counted; 1 where anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=5)
    options = parser.parse_args()
    findings = run(options.count, options.seed)
    for kind, count in sorted(findings.counts.items()):
        print(f"{count:>9,}  {kind}")
    for kind, sanitizer, value, cleaned in findings.examples[: options.show]:
        print(f"\n{kind} ({sanitizer})\n  {value!r}\n  {cleaned!r}")
    return 1 if findings.examples else 0


if __name__ == "__main__":
    sys.exit(main())
