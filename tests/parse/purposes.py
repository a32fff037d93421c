"""Two readings of a feed, by ElementTree and by feedparser as it comes: where they differ, and why.

`PURPOSES` is the table: what ElementTree's reading says otherwise, in which fields, and why. What
differs and is not in it is a fault of one of the two. `differences.md` has the same table for
readers, and a test holds them together.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from planet.errors import ParseError
from planet.model import Profile
from planet.parse.elementtree import NotWellFormedError, TooComplexError, parse_tree, read_tree
from planet.parse.feedparser import parse_damaged
from planet.parse.repair import repair
from planet.parse.xml import interpret

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from xml.etree.ElementTree import Element

    from planet.model import ParsedFeed

URL = "https://feed.example/feed.xml"


class Readings(NamedTuple):
    """A document, and what both readers make of it."""

    root: Element
    text: str
    ours: ParsedFeed
    theirs: ParsedFeed | None
    """None where feedparser fails."""


class Difference(NamedTuple):
    """A field of which the two say something else."""

    field: str
    ours: object
    theirs: object


def read_both_ways(text: str) -> Readings | None:
    """Read a document both ways; None where ElementTree does not read it."""
    document = repair(text)
    try:
        tree = parse_tree(document.encode("utf-8", "replace"))
    except (NotWellFormedError, TooComplexError):
        return None
    raw = read_tree(tree)
    if raw is None:
        return None
    try:
        theirs = interpret(parse_damaged(document), URL)
    except ParseError:
        theirs = None
    return Readings(tree.root, document, interpret(raw, URL), theirs)


def differences(pair: Readings) -> Iterator[Difference]:
    """Compare two readings, field by field."""
    if pair.theirs is None:
        yield Difference("failure", None, None)
        return
    yield from _differing("feed.", pair.ours.profile, pair.theirs.profile)
    if len(pair.ours.entries) != len(pair.theirs.entries):
        yield Difference("entries", len(pair.ours.entries), len(pair.theirs.entries))
        return
    for one, other in zip(pair.ours.entries, pair.theirs.entries, strict=True):
        yield from _differing("", one, other)


def _differing(prefix: str, one: Struct, other: Struct) -> Iterator[Difference]:
    for name in one.__struct_fields__:
        pair = getattr(one, name), getattr(other, name)
        if pair[0] != pair[1]:
            yield Difference(prefix + name, *pair)


def local(element: Element) -> str:
    return element.tag.rpartition("}")[2].lower()


@dataclass(frozen=True)
class Purpose:
    """One way in which ElementTree's reading differs on purpose."""

    name: str
    why: str
    fields: str
    """Names, with blanks between; `*` for all."""
    applies: Callable[[Readings], bool]
    """Whether a document has what the two read differently."""

    def explains(self, difference: Difference, pair: Readings) -> bool:
        """Whether the difference is in one of the fields, and the document has the cause."""
        is_covered = self.fields == "*" or difference.field in self.fields.split()
        return is_covered and self.applies(pair)


def contains(pattern: str) -> Callable[[Readings], bool]:
    search = re.compile(pattern, re.IGNORECASE).search
    return lambda pair: search(pair.text) is not None


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


_FEEDS = _names("rss rdf feed channel")
_CONTAINERS = _FEEDS | _names(
    "item entry source image author contributor owner group skiphours skipdays content category"
)
_TEXTS = _names("title summary description content encoded body subtitle tagline rights copyright")
_OF_FEEDS = _names(
    "title summary description content encoded subtitle id guid category source author name uri "
    "url item entry language date copyright published updated created media body channel comments "
    "image link links authors tags textinput width enclosure summary_detail georssgeom person"
)
_OWN_KEYS = _names("links authors tags summary_detail georssgeom textinput media width")
_OF_ENTRIES = _names("content encoded body guid comments enclosure source creator published issued")
# Attributes, and the elements on which they say something.
_ATTRIBUTES = {
    "href": "link image person enclosure",
    "url": "content thumbnail enclosure source chapters transcript player image",
    "term": "category",
    "type": "link enclosure title summary content rights subtitle tagline description copyright "
    "chapters transcript text encoded body",
    "lang": "",
    "mode": "title summary content tagline copyright",
    "src": "content",
    "lastmod": "",
    "ispermalink": "guid",
}
_ONCE = _names(
    "title id guid description summary language comments rights copyright ttl image source "
    "explicit encoded pubdate published updated modified created date issued body subtitle "
    "tagline channel duration origlink episode season name uri email creator logo icon"
)
_SAME = {"copyright": "rights", "guid": "id", "pubdate": "published", "modified": "updated"}
_INNER_NAMESPACE = re.compile(
    r"""<(?!div|svg|math|\w+:)[\w:.-]+\b[^<>]*\sxmlns(?::dc)?=["']""", re.IGNORECASE
)


def _feed_elements(element: Element) -> Iterator[Element]:
    """The elements of a document that are not in a text."""
    yield element
    if local(element) not in _TEXTS or "search.yahoo.com" in element.tag:
        for child in element:
            yield from _feed_elements(child)


def _is_nested(outer: Element, inner: Element) -> bool:
    """Whether an element stands in another one that is no place for it."""
    outside, inside = local(outer), local(inner)
    if outside in _TEXTS and "search.yahoo.com" not in outer.tag:
        return any(local(element) in _OF_FEEDS for element in inner.iter())
    if "search.yahoo.com" in outer.tag and "search.yahoo.com" not in inner.tag:
        return True
    if outside in ("skiphours", "skipdays"):
        return inside not in ("hour", "day")
    if inside in ("item", "entry") or (inside == "source" and outside in _FEEDS):
        return inside == "source" or outside not in _FEEDS
    is_text_beside = bool((outer.text or "").strip() or (inner.tail or "").strip())
    return is_text_beside or outside not in _CONTAINERS


def _has_nested(pair: Readings) -> bool:
    elements = _feed_elements(pair.root)
    return any(_is_nested(outer, inner) for outer in elements for inner in outer)


def _has_odd_attributes(pair: Readings) -> bool:
    return any(
        _is_odd(element, *key.lower().rpartition("}")[::2])
        for element in _feed_elements(pair.root)
        for key in element.attrib
    )


def _is_odd(element: Element, namespace: str, name: str) -> bool:
    if namespace:
        is_about = name == "about" and local(element) != "item"
        return "w3.org" not in namespace or "xlink" in namespace or is_about or name == "lang"
    if name == "rel":
        return local(element) != "link" or not element.get("href")
    return local(element) not in _ATTRIBUTES.get(name, local(element)).split()


def _has_repeated(pair: Readings) -> bool:
    for element in _feed_elements(pair.root):
        names = Counter(
            _SAME.get(local(child), local(child)) for child in element if not child.get("href")
        )
        if any(count > 1 for name, count in names.items() if name in _ONCE or name == "link"):
            return True
    return False


def _has_own_keys(pair: Readings) -> bool:
    return any(local(element) in _OWN_KEYS for element in _feed_elements(pair.root))


def _has_misplaced(pair: Readings) -> bool:
    return any(
        local(child) in _OF_ENTRIES or "search.yahoo.com" in child.tag
        for element in _feed_elements(pair.root)
        if local(element) in _FEEDS
        for child in element
    )


def _has_inner_namespace(pair: Readings) -> bool:
    return _INNER_NAMESPACE.search(pair.text, pair.text.find(">")) is not None


_OF_FEED = " ".join(f"feed.{name}" for name in Profile.__struct_fields__)

PURPOSES = (
    Purpose(
        "Bases",
        "feedparser keeps the base of an entry for what stands below, and reads `base` of other "
        "namespaces and of HTML as xml:base; a relative base in another is resolved once only.",
        "*",
        contains(r"\bbase\s*="),
    ),
    Purpose(
        "Captions and accounts",
        "feedparser takes media:description and dc:description for the description.",
        "summary content id",
        contains("(media|dc):description"),
    ),
    Purpose(
        "Pictures",
        "feedparser keeps nothing of what stands in a media:content or a media:group.",
        "content title categories",
        contains("<media:"),
    ),
    Purpose(
        "Explicit or not",
        "feedparser knows `yes` and `clean`; podcasts say `true` and `false`.",
        "feed.explicit episode",
        contains("explicit"),
    ),
    Purpose(
        "Podcast namespace",
        "feedparser keeps the last element of a name, and of one with attributes no text.",
        "episode",
        contains("podcast"),
    ),
    Purpose(
        "Accounts",
        "As of the podcast namespace, nothing is left of several source:account.",
        "feed.links",
        contains(":account"),
    ),
    Purpose(
        "Hours and days to skip",
        "feedparser keeps the last one.",
        "feed.hints",
        contains("skip(hours|days)"),
    ),
    Purpose(
        "Empty hints",
        "An element that says nothing is not there.",
        "feed.hints",
        contains("sy:update"),
    ),
    Purpose(
        "Guids that say that they are links",
        "feedparser does not tell them from those that leave it open.",
        "link title summary content id",
        contains("""ispermalink=["']true"""),
    ),
    Purpose(
        "Descriptions of podcasts",
        "feedparser lets the last of description, itunes:subtitle and itunes:summary win: a "
        "description comes first.",
        "feed.description summary content id",
        contains("itunes:(subtitle|summary)|<summary"),
    ),
    Purpose(
        "Owners of podcasts",
        "feedparser writes the name of the owner over that of the author.",
        "feed.author",
        contains("itunes:owner"),
    ),
    Purpose(
        "Enclosures of pages",
        "feedparser says text/html where a link says nothing, so nobody can tell.",
        "enclosures",
        contains("enclosure"),
    ),
    Purpose(
        "Formats",
        "feedparser goes by the namespaces a document declares, we by its elements.",
        "feed.format",
        contains("xmlns"),
    ),
    Purpose(
        "Languages",
        "feedparser reads the language of rss and feed, not that of rdf:RDF and channel.",
        "feed.language language",
        contains(r"\blang="),
    ),
    Purpose(
        "SVG and MathML",
        "They are written without their namespace: what cleans the text leaves them out.",
        "*",
        contains("svg|mathml"),
    ),
    Purpose(
        "Markup in plain texts",
        "feedparser has a list of elements of HTML of its own, which we do not use; the escaped "
        "text before elements in a text is not escaped by it, so that it becomes markup.",
        "title summary content id feed.title",
        contains("type="),
    ),
    Purpose(
        "Repeated elements",
        "Of several titles and texts, the first that says something counts, of several dates and "
        "ids the last; what has the name of the feed's format comes before what modules have.",
        "*",
        _has_repeated,
    ),
    Purpose(
        "Nested elements",
        "feedparser takes all elements of a feed and of an entry for its own, however deep they "
        "are, and an end tag of an inner one for that of the outer; only children count.",
        "*",
        _has_nested,
    ),
    Purpose(
        "Elements of entries in a channel",
        "They say nothing about a feed.",
        _OF_FEED,
        _has_misplaced,
    ),
    Purpose(
        "RSS without a channel",
        "What stands in its place says what the channel would.",
        _OF_FEED,
        lambda pair: "<channel" not in pair.text,
    ),
    Purpose(
        "Attributes",
        "feedparser drops the text of an unknown element that has attributes, reads those of "
        "other namespaces as if they had none, and `href` and `lastmod` of items as CDF has them.",
        "*",
        _has_odd_attributes,
    ),
    Purpose(
        "Elements with the names of keys",
        "feedparser mixes up an element `links` and its own list of that name.",
        "*",
        _has_own_keys,
    ),
    Purpose(
        "Namespaces in passing",
        "What an element declares for itself changes the names of others for feedparser.",
        "*",
        _has_inner_namespace,
    ),
)


def unexplained(pair: Readings | None) -> list[Difference]:
    """The differences of two readings that no purpose explains."""
    every = differences(pair) if pair else ()
    return [difference for difference in every if pair and not explanations(difference, pair)]


def explanations(difference: Difference, pair: Readings) -> list[Purpose]:
    """The purposes that explain a difference."""
    return [purpose for purpose in PURPOSES if purpose.explains(difference, pair)]
