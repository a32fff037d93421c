"""A small checker of subscription lists: OPML 2.0, and what the W3C validator warns about."""

from collections.abc import Iterator
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from planet import documentation
from tests.site.feeds import grammar

_HEAD = ["title", "ownerName", "ownerId"]
_OUTLINE = {"type", "text", "title", "xmlUrl", "htmlUrl", "description", "category"}
# Attributes beyond those of OPML must be in a namespace ("Extending OPML").
_OURS = f"{{{documentation('feeds.md')}}}"


def problems(document: bytes) -> list[str]:
    """What is wrong with a subscription list, in words; empty for a valid one."""
    opml = ET.fromstring(document)
    if (opml.tag, opml.attrib) != ("opml", {"version": "2.0"}):
        return [f"the root is {opml.tag} {opml.attrib}"]
    if [child.tag for child in opml] != ["head", "body"]:
        return ["not a head and a body"]
    head, body = opml
    found = [*_head(head)]
    if not len(body):
        found.append("body: no outline")
    for outline in body:
        found += _outline(outline)
    return found + ["control characters"] * grammar.has_controls(document)


def _head(head: Element) -> Iterator[str]:
    names = [child.tag for child in head]
    if names != [name for name in _HEAD if name in names] or "title" not in names:
        yield f"head: {names}"
    yield from (f"{child.tag}: empty" for child in head if not child.text)
    owner = head.findtext("ownerId")
    if owner is not None and not grammar.is_web(owner):
        yield f"ownerId: {owner!r}"


def _outline(outline: Element) -> Iterator[str]:
    said = outline.attrib
    known = _OUTLINE | {name for name in said if name.startswith(_OURS)}
    if outline.tag != "outline" or len(outline) or said.keys() - known:
        yield f"{outline.tag}: unknown {sorted(said.keys() - known)}"
    if said.get("type") != "rss" or not said.get("text") or said["text"] != said.get("title"):
        yield f"outline: {said.get('type')} {said.get('text')!r}"
    for name in ("xmlUrl", "htmlUrl"):
        if not grammar.is_web(said.get(name, "" if name == "xmlUrl" else "https://a/")):
            yield f"outline: {name} {said.get(name)!r}"
