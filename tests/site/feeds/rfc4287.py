"""A small checker of Atom documents: RFC 4287, and what the W3C validator warns about."""

from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from tests.site.feeds import grammar

ATOM = "{http://www.w3.org/2005/Atom}"
ARCHIVE = "{http://purl.org/syndication/history/1.0}archive"
DURATION = "{http://www.itunes.com/dtds/podcast-1.0.dtd}duration"
IN_REPLY_TO = "{http://purl.org/syndication/thread/1.0}in-reply-to"
LANG = "{http://www.w3.org/XML/1998/namespace}lang"

_ONCE = {"id", "title", "updated"}
_AT_MOST_ONCE = {
    "feed": {"generator", "icon", "logo", "rights", "subtitle"},
    "entry": {"content", "published", "rights", "source", "summary", DURATION},
    "source": {"generator", "icon", "logo", "rights", "subtitle"},
}
_KNOWN = {
    "feed": _ONCE
    | _AT_MOST_ONCE["feed"]
    | {"author", "category", "contributor", "entry", "link", ARCHIVE},
    "entry": _ONCE
    | _AT_MOST_ONCE["entry"]
    | {"author", "category", "contributor", "link", IN_REPLY_TO},
    "source": _ONCE | _AT_MOST_ONCE["source"] | {"author", "category", "contributor", "link"},
}
_TEXTS = {"title", "subtitle", "summary", "rights", "content"}
# RFC 4287, 4685, 5005, and WebSub.
_RELATIONS = {
    "feed": {"self", "alternate", "hub", "current", "prev-archive"},
    "entry": {"alternate", "enclosure", "replies"},
    "source": {"self", "alternate"},
}


def problems(document: bytes) -> list[str]:
    """What is wrong with an Atom feed document, in words; empty for a valid one."""
    feed = ET.fromstring(document)
    if feed.tag != f"{ATOM}feed":
        return [f"the root is {feed.tag}"]
    entries = feed.findall(f"{ATOM}entry")
    found = [*_container(feed, "feed"), *(p for e in entries for p in _container(e, "entry"))]
    sources = feed.findall(f"{ATOM}entry/{ATOM}source")
    found += [p for source in sources for p in _container(source, "source")]
    if feed.find(f"{ATOM}author") is None:  # §4.1.1
        found += [f"{_name(e)}: no author" for e in entries if e.find(f"{ATOM}author") is None]
    found += [f"entry {i} twice" for i, n in Counter(map(_name, entries)).items() if n > 1]
    for element in feed.iter():
        found += _construct(element)
    names = _names(feed)
    if entries and names.index("entry") + len(entries) != len(names):
        found.append("feed: metadata after an entry")
    return found + ["control characters"] * grammar.has_controls(document)


def _container(parent: Element, kind: str) -> Iterator[str]:
    name = f"{kind} {_name(parent)}"
    count = Counter(_names(parent))
    yield from (f"{name}: {count[each]} of {each}" for each in _ONCE if count[each] != 1)
    yield from (f"{name}: two of {each}" for each in _AT_MOST_ONCE[kind] if count[each] > 1)
    yield from (f"{name}: unknown {each}" for each in count.keys() - _KNOWN[kind])
    links = [_relation(link) for link in parent.findall(f"{ATOM}link")]
    yield from (
        f"{name}: unknown relation {rel}" for rel, *_ in links if rel not in _RELATIONS[kind]
    )
    # §4.1.1 and §4.1.2: no two alternates of the same type and language; the validator wants this
    # of all links of a feed.
    single = [link for link in links if kind != "entry" or link[0] == "alternate"]
    yield from (f"{name}: the same {link[0]} twice" for link, n in Counter(single).items() if n > 1)
    if kind != "entry" and not parent.findtext(f"{ATOM}title"):
        yield f"{name}: an empty title"
    if kind == "entry" and not count["content"]:
        if "alternate" not in {rel for rel, *_ in links}:
            yield f"{name}: neither content nor alternate"
        if not count["summary"]:
            yield f"{name}: nothing to read"


def _construct(element: Element) -> Iterator[str]:
    name, text = element.tag.removeprefix(ATOM), element.text or ""
    if name in {"id", "icon", "logo", "uri"} and not grammar.is_iri(text):
        yield f"{name}: {text!r} is no absolute IRI"
    if name in {"updated", "published"} and not grammar.is_rfc3339(text):
        yield f"{name}: {text!r} is no date"
    is_text = element.get("type", "text") in {"text", "html"} and not len(element)
    if name in _TEXTS and not (is_text and (text or name == "title")):
        yield f"{name}: not a text construct"
    if name == "content" and element.get("type") == "html":
        yield from grammar.faults_of_html(text)
    if name in {"author", "contributor"}:
        names, uris = element.findall(f"{ATOM}name"), element.findall(f"{ATOM}uri")
        if len(names) != 1 or not names[0].text or len(uris) > 1:
            yield f"{name}: not a person construct"
    if name == "category" and not element.get("term"):
        yield "category: no term"
    yield from _link(element) if name == "link" else ()
    if name == IN_REPLY_TO and not all(
        grammar.is_iri(element.get(at, "")) for at in ("ref", "href")
    ):
        yield f"in-reply-to: {element.attrib} names no post (RFC 4685 §3)"
    if LANG in element.attrib and not grammar.is_language(element.attrib[LANG]):
        yield f"{name}: {element.attrib[LANG]!r} is no language"


def _link(link: Element) -> Iterator[str]:
    if not grammar.is_iri(link.get("href", "")):
        yield f"link: {link.get('href')!r} is no absolute IRI"
    if not grammar.is_media_type(link.get("type", "a/b")):
        yield f"link: {link.get('type')!r} is no media type"
    if not link.get("length", "1").isdigit():
        yield f"link: {link.get('length')!r} is no length"
    if not link.get("title", "x"):
        yield "link: no title"


def _relation(link: Element) -> tuple[str, str | None, str | None]:
    return link.get("rel", "alternate"), link.get("type"), link.get("hreflang")


def _names(parent: Element) -> list[str]:
    return [child.tag.removeprefix(ATOM) for child in parent]


def _name(element: Element) -> str:
    return element.findtext(f"{ATOM}id", "without id")
