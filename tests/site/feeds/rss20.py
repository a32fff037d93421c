"""A small checker of RSS 2.0 by its profile, and of podcasts by the rules of their namespaces."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from planet.config.value_kinds import ALL
from planet.parse.podcasting import MEDIUMS
from tests.site.feeds import grammar

ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
PODCAST = "{https://podcastindex.org/namespace/1.0}"
CONTENT = "{http://purl.org/rss/1.0/modules/content/}"
ATOM = "{http://www.w3.org/2005/Atom}"
DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
SOURCE = "{http://source.scripting.com/}"

_PREFIXES = {ITUNES: "itunes:", PODCAST: "podcast:", CONTENT: "content:", ATOM: "atom:"}
_PREFIXES |= {DUBLIN_CORE: "dc:", SOURCE: "source:"}

# How many there may be of each element, and no others.
_ONE, _SOME, _ANY = (1, 1), (0, 1), (0, 999)
_CHANNEL = {
    **dict.fromkeys(("title", "link", "description", "language", "lastBuildDate"), _ONE),
    **dict.fromkeys(("copyright", "source:blogroll"), _SOME),
    "generator": _ONE,
    "atom:link": (1, 2),
    "item": _ANY,
}
_PODCAST = {
    **_CHANNEL,
    **dict.fromkeys(("podcast:guid", "podcast:locked", "itunes:author"), _ONE),
    **dict.fromkeys(("itunes:category", "itunes:explicit", "itunes:block"), _ONE),
    "itunes:image": _SOME,
    "podcast:medium": _SOME,
}
_ITEM = {
    **dict.fromkeys(("guid", "pubDate"), _ONE),
    **dict.fromkeys(("title", "description", "link", "comments", "source", "enclosure"), _SOME),
    "source:inReplyTo": _SOME,
    **dict.fromkeys(("category", "dc:creator"), _ANY),
}
_EPISODE = {
    **dict.fromkeys(("title", "guid", "pubDate", "enclosure", "itunes:title"), _ONE),
    "itunes:author": _ONE,
    **dict.fromkeys(("description", "link", "content:encoded", "comments", "source"), _SOME),
    **dict.fromkeys(("itunes:duration", "itunes:image", "itunes:explicit"), _SOME),
    **dict.fromkeys(("itunes:episode", "itunes:season", "itunes:episodeType"), _SOME),
    **dict.fromkeys(("podcast:chapters", "podcast:license"), _SOME),
    **dict.fromkeys(("podcast:funding", "podcast:value", "podcast:socialInteract"), _ANY),
    "podcast:alternateEnclosure": _ANY,
    **dict.fromkeys(("category", "podcast:transcript", "podcast:person"), _ANY),
}
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NUMBER = re.compile(r"[1-9]\d*")


def _is_number(value: str) -> bool:
    return bool(_NUMBER.fullmatch(value))


def _is_short(value: str) -> bool:
    return 0 < len(value) <= 255


_TEXTS: dict[str, Callable[[str], bool]] = {
    "title": bool,
    "link": grammar.is_web,
    "description": bool,
    "language": grammar.is_language,
    "lastBuildDate": grammar.is_rfc822,
    "pubDate": grammar.is_rfc822,
    "generator": bool,
    "copyright": bool,
    "category": bool,
    "comments": grammar.is_web,
    "source": bool,
    "guid": grammar.is_iri,
    "content:encoded": bool,
    "dc:creator": bool,
    "source:blogroll": grammar.is_web,
    "source:inReplyTo": grammar.is_web,
    "podcast:guid": lambda value: bool(_UUID.fullmatch(value)),
    "podcast:locked": lambda value: value in {"yes", "no"},
    **dict.fromkeys(("podcast:person", "podcast:funding", "podcast:license"), bool),
    "podcast:medium": MEDIUMS.__contains__,
    "itunes:title": bool,
    "itunes:author": _is_short,
    "itunes:block": lambda value: value == "Yes",
    "itunes:explicit": lambda value: value in {"true", "false"},
    "itunes:duration": _is_number,
    "itunes:episode": _is_number,
    "itunes:season": _is_number,
    "itunes:episodeType": lambda value: value in {"full", "trailer", "bonus"},
}
# The attributes of each element; those with "?" may be missing.
_ATTRIBUTES: dict[str, dict[str, Callable[[str], bool]]] = {
    "atom:link": {
        "href": grammar.is_web,
        "rel": lambda value: value in {"self", "hub"},
        "type?": lambda value: value == "application/rss+xml",
    },
    "guid": {"isPermaLink": lambda value: value == "false"},
    "source": {"url": grammar.is_web},
    "enclosure": {
        "url": grammar.is_web,
        "length": str.isdigit,
        "type": lambda value: (
            value.startswith(("audio/", "video/")) and grammar.is_media_type(value)
        ),
    },
    "itunes:image": {"href": grammar.is_web},
    "itunes:category": {"text": bool},
    "podcast:chapters": {
        "url": grammar.is_web,
        "type": lambda value: value == "application/json+chapters",
    },
    "podcast:transcript": {
        "url": grammar.is_web,
        "type": grammar.is_media_type,
        "language?": grammar.is_language,
    },
    "podcast:person": {"href?": grammar.is_web},
    "podcast:funding": {"url": grammar.is_web},
    "podcast:license": {"url?": grammar.is_web},
    "podcast:value": {"type": bool, "method": bool, "suggested?": bool},
    "podcast:valueRecipient": {
        **dict.fromkeys(("type", "address"), bool),
        "split": str.isdigit,
        **dict.fromkeys(("name?", "customKey?", "customValue?"), bool),
        "fee?": lambda value: value == "true",
    },
    "podcast:alternateEnclosure": {
        "type": grammar.is_media_type,
        **dict.fromkeys(("length?", "height?"), _is_number),
        **dict.fromkeys(("bitrate?", "title?", "rel?", "codecs?"), bool),
        "lang?": grammar.is_language,
        "default?": lambda value: value == "true",
    },
    "podcast:source": {"uri": grammar.is_web, "contentType?": grammar.is_media_type},
    "podcast:socialInteract": {
        "protocol": bool,
        **dict.fromkeys(("uri?", "accountUrl?"), grammar.is_web),
        "accountId?": bool,
        "priority?": _is_number,
    },
}


def problems(document: bytes, *, is_podcast: bool = True) -> list[str]:
    """What is wrong with a feed, in words; empty for a valid one."""
    rss = ET.fromstring(document)
    if (
        rss.tag != "rss"
        or rss.get("version") != "2.0"
        or [child.tag for child in rss] != ["channel"]
    ):
        return ["the root is not rss with a channel"]
    [channel] = rss
    items = channel.findall("item")
    found = [*_counted(channel, "channel", _PODCAST if is_podcast else _CHANNEL)]
    for item in items:
        found += _counted(item, "item", _EPISODE if is_podcast else _ITEM)
        found += _in_order(item)
        if item.find("title") is None and item.find("description") is None:
            found.append("item: neither title nor description")
    for element in channel.iter():
        found += _valued(element)
    names = [_name(child) for child in channel]
    if "item" in names and names.index("item") + len(items) != len(names):
        found.append("channel: metadata after an item")
    found += _unique("guid", [item.findtext("guid") for item in items])
    if is_podcast:
        found += _unique("enclosure", [each.get("url") for each in channel.iter("enclosure")])
        found += _categorised(channel)
    found += _linked(channel)
    return found + ["control characters"] * grammar.has_controls(document)


def _counted(parent: Element, name: str, allowed: dict[str, tuple[int, int]]) -> Iterator[str]:
    count = Counter(map(_name, parent))
    yield from (f"{name}: unknown {each}" for each in count.keys() - allowed.keys())
    for each, (least, most) in allowed.items():
        if not least <= count[each] <= most:
            yield f"{name}: {count[each]} of {each}"


def _in_order(item: Element) -> Iterator[str]:
    names = [_name(child) for child in item]
    if "content:encoded" in names and "description" not in names[: names.index("content:encoded")]:
        yield "item: content before a description"
    for name in ("description", f"{CONTENT}encoded"):
        yield from grammar.faults_of_html(item.findtext(name, ""))


def _valued(element: Element) -> Iterator[str]:
    name, text = _name(element), element.text or ""
    if name in _TEXTS and not _TEXTS[name](text):
        yield f"{name}: {text!r}"
    expected = _ATTRIBUTES.get(name, {})
    known = {each.removesuffix("?") for each in expected}
    yield from (f"{name}: unknown {each}" for each in element.attrib.keys() - known)
    for each, holds in expected.items():
        value = element.get(each.removesuffix("?"))
        if not (each.endswith("?") if value is None else holds(value)):
            yield f"{name}: {each} {value!r}"


def _unique(name: str, values: list[str | None]) -> Iterator[str]:
    yield from (f"{name} {value!r} twice" for value, n in Counter(values).items() if n > 1)


def _categorised(channel: Element) -> Iterator[str]:
    """Apple's categories: one subcategory at the most, inside its category."""
    for category in channel.findall(f"{ITUNES}category"):
        path = [each.get("text", "") for each in category.iter(f"{ITUNES}category")]
        if " > ".join(path) not in ALL:
            yield f"itunes:category: {path}"


def _linked(channel: Element) -> Iterator[str]:
    relations = Counter(link.get("rel") for link in channel.findall(f"{ATOM}link"))
    if relations["self"] != 1 or relations["hub"] > 1:
        yield f"atom:link: {dict(relations)}"


def _name(element: Element) -> str:
    namespace, _, name = element.tag.rpartition("}")
    return f"{_PREFIXES.get(namespace + '}', namespace)}{name}" if namespace else name
