"""Feeds with elements moved, copied, renamed, said otherwise and given attributes that count."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

from planet.parse.sniff import cut_out_feed, decode_body, looks_like_xml

CASES = Path(__file__).parents[1] / "feeds"
LEAF = re.compile(r"<([\w:.-]+)((?:\s[^<>]*)?)>((?:<!\[CDATA\[.*?\]\]>|[^<])*)</\1>", re.DOTALL)
START = re.compile(r"<[\w:.-]+(?=[\s/>])")
# What a start tag may be given; namespaces among it, as they are declared in the wild.
ATTRIBUTES = [
    *('xml:base="https:///b.example/c/"', 'xml:base="d/"', 'base="e"', 'xml:base="javascript:x"'),
    *('xml:lang="pt_BR"', 'xml:lang=""', 'lang="nl"', 'TYPE="HTML"', 'type="xhtml"', 'type="text"'),
    *('type="application/octet-stream"', 'type="image/svg+xml"', 'mode="base64"', 'src="/x"'),
    *('href="/a"', 'url="/b"', 'lastmod="2026-11-01"', 'rel="Enclosure"', 'rel="self"', 'term="t"'),
    *('xmlns="http://www.w3.org/2005/Atom"', 'xmlns="http://www.w3.org/1999/xhtml"'),
    *('xmlns="http://www.w3.org/2000/svg"', 'xmlns=""', 'xmlns:q="urn:q" q:href="/q" q:lang="q"'),
    *('xmlns:xl="http://www.w3.org/1999/xlink" xl:href="/x"', 'isPermaLink="false"'),
    'xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" r:about="/about"',
    'xmlns:dc="urn:not-dc" xmlns:other="http://purl.org/dc/elements/1.1/"',
]
NAMES = """
title link description summary content subtitle author name uri email id guid category source image
url textInput item entry div svg math x links authors tags summary_detail language date copyright
published updated created media enclosure body channel comments width georssgeom dc:title dc:date
media:title media:description media:content itunes:image itunes:summary atom:link atom:author
content:encoded podcast:person
""".split()  # noqa: SIM905 - to be read as a text
TEXTS = ["", " ", "AT&amp;T", "&lt;b>x&lt;/b>", "&nbsp;caf&eacute;", "Â\x93", "â€™", "/r?a&amp;b;"]


def documents(folder: Path) -> Iterator[tuple[str, str]]:
    """The feeds in XML among the files of a folder, without what stands around them."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        text, _ = decode_body(file.read_bytes())
        if looks_like_xml(text) and not text.startswith("{"):
            yield str(file), cut_out_feed(text)


def mutated(text: str, seed: int) -> str:
    """A text with a few of its elements changed in a way that mostly leaves it well-formed."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 6)):
        leaves, starts = list(LEAF.finditer(text)), list(START.finditer(text))
        if not leaves:
            return text
        leaf, other, start = chance.choice(leaves), chance.choice(leaves), chance.choice(starts)
        name, attributes, inside = leaf.groups()
        match chance.randrange(6):
            case 0:  # copied
                text = text[: other.start()] + leaf[0] + text[other.start() :]
            case 1:  # put into another
                new = chance.choice([*NAMES, name])
                new = f"<{new}{attributes}>{inside}</{new}>"
                text = text[: other.end(2) + 1] + new + text[other.end(2) + 1 :]
            case 2:  # renamed
                new = chance.choice([*NAMES, other[1]])
                new = f"<{new}{attributes}>{inside}</{new}>"
                text = text[: leaf.start()] + new + text[leaf.end() :]
            case 3:  # said otherwise
                new = f"<{name}{attributes}>{chance.choice(TEXTS)}</{name}>"
                text = text[: leaf.start()] + new + text[leaf.end() :]
            case _:  # given an attribute
                new = f" {chance.choice(ATTRIBUTES)}"
                text = text[: start.end()] + new + text[start.end() :]
    return text
