"""A small checker of Atom documents: what RFC 4287 says "MUST" about, section by section."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

ATOM = "{http://www.w3.org/2005/Atom}"
LANG = "{http://www.w3.org/XML/1998/namespace}lang"

_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_IRI = re.compile(r"[a-z][a-z0-9+.-]*:\S+", re.IGNORECASE)
_MEDIA = re.compile(r"[^\s/]+/[^\s/]+")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")

_ONCE = {"id", "title", "updated"}
_AT_MOST_ONCE = {
    "feed": {"generator", "icon", "logo", "rights", "subtitle"},
    "entry": {"content", "published", "rights", "source", "summary"},
}
_KNOWN = {
    "feed": _ONCE | _AT_MOST_ONCE["feed"] | {"author", "category", "contributor", "entry", "link"},
    "entry": _ONCE | _AT_MOST_ONCE["entry"] | {"author", "category", "contributor", "link"},
}


def problems(document: bytes) -> list[str]:
    """What is wrong with an Atom feed document, in words; empty for a valid one."""
    feed = ET.fromstring(document)
    if feed.tag != f"{ATOM}feed":
        return [f"the root is {feed.tag}"]
    entries = feed.findall(f"{ATOM}entry")
    found = [*_container(feed, "feed"), *(p for e in entries for p in _container(e, "entry"))]
    if feed.find(f"{ATOM}author") is None:  # §4.1.1
        found += [f"{_name(e)}: no author" for e in entries if e.find(f"{ATOM}author") is None]
    found += [f"entry {i} twice" for i, n in Counter(map(_name, entries)).items() if n > 1]
    for element in feed.iter():
        found += _construct(element)
    return found


def _container(parent: Element, kind: str) -> Iterator[str]:
    name = f"{kind} {_name(parent)}"
    count = Counter(child.tag.removeprefix(ATOM) for child in parent)
    yield from (f"{name}: {count[each]} of {each}" for each in _ONCE if count[each] != 1)
    yield from (f"{name}: two of {each}" for each in _AT_MOST_ONCE[kind] if count[each] > 1)
    yield from (f"{name}: unknown {each}" for each in count.keys() - _KNOWN[kind])
    # §4.1.1 and §4.1.2: no two alternates of the same type and language.
    alternates = [
        (link.get("type"), link.get("hreflang"))
        for link in parent.findall(f"{ATOM}link")
        if link.get("rel", "alternate") == "alternate"
    ]
    if len(set(alternates)) < len(alternates):
        yield f"{name}: the same alternate twice"
    if kind == "entry" and not count["content"] and not alternates:
        yield f"{name}: neither content nor alternate"


def _construct(element: Element) -> Iterator[str]:
    name, text = element.tag.removeprefix(ATOM), element.text or ""
    if name in {"id", "icon", "logo", "uri"} and not _IRI.fullmatch(text):
        yield f"{name}: {text!r} is no absolute IRI"
    if name in {"updated", "published"} and not _DATE.fullmatch(text):
        yield f"{name}: {text!r} is no date"
    is_text = element.get("type", "text") in {"text", "html"} and not len(element)
    if name in {"title", "subtitle", "summary", "rights", "content"} and not is_text:
        yield f"{name}: not a text construct"
    if name in {"author", "contributor"}:
        names, uris = element.findall(f"{ATOM}name"), element.findall(f"{ATOM}uri")
        if len(names) != 1 or not names[0].text or len(uris) > 1:
            yield f"{name}: not a person construct"
    if name == "category" and not element.get("term"):
        yield "category: no term"
    yield from _link(element) if name == "link" else ()
    if LANG in element.attrib and not _LANGUAGE.fullmatch(element.attrib[LANG]):
        yield f"{name}: {element.attrib[LANG]!r} is no language"


def _link(link: Element) -> Iterator[str]:
    if not _IRI.fullmatch(link.get("href", "")):
        yield f"link: {link.get('href')!r} is no absolute IRI"
    if not _MEDIA.fullmatch(link.get("type", "a/b")):
        yield f"link: {link.get('type')!r} is no media type"
    if not link.get("length", "1").isdigit():
        yield f"link: {link.get('length')!r} is no length"


def _name(element: Element) -> str:
    return element.findtext(f"{ATOM}id", "without id")
