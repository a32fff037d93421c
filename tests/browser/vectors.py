"""What feeds may send to do harm: ours, and those of other projects where they are at hand."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr
from zlib import crc32

_HERE = Path(__file__).parent
CORPUS = _HERE.parents[1] / "../shared/corpus/xss"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """A text that may do harm when it becomes part of a page as it is."""

    id: str
    html: str
    does: str = ""
    """The worst that Chromium lets it do, as `pages.KINDS` has it; only said of ours."""


def own() -> list[Vector]:
    """Those of this repository."""
    return [Vector(**load) for load in json.loads((_HERE / "vectors.json").read_bytes())]


def others() -> list[Vector]:
    """Those of the corpus; none when it is not there."""
    return [
        Vector(id=load["id"], html=load["html"])
        for file in sorted(CORPUS.glob("*.json"))
        for load in json.loads(file.read_bytes())
    ]


# Vectors → feeds that say them in every place that a feed has, in every format

_NEWEST = datetime(2026, 6, 28, tzinfo=UTC)
# XML 1.0 §2.2.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry that says one thing wherever it can."""

    id: str
    said: str
    when: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """What a feed says of itself."""

    title: str
    description: str
    link: str


def entries_of(vectors: Sequence[Vector], *, shift: int) -> dict[str, bytes]:
    """A feed in each format, by its name; each vector is an entry of one of them.

    With as many shifts as there are formats, each vector comes in every format.
    """
    shelves: dict[str, list[Entry]] = {name: [] for name in FORMATS}
    for place, vector in enumerate(vectors):
        when = _NEWEST - timedelta(minutes=place)
        shelves[_format(vector, shift)].append(Entry(id=str(place), said=vector.html, when=when))
    return {
        name: FORMATS[name](
            Channel(title=name, description="Tame", link=f"https://{name}.example/"), entries
        )
        for name, entries in shelves.items()
    }


def channels_of(vectors: Sequence[Vector]) -> dict[str, bytes]:
    """A feed for each vector, which says it of itself."""
    return {
        f"channel-{place}": FORMATS[_format(vector)](
            Channel(title=vector.html, description=vector.html, link=vector.html),
            [Entry(id="1", said=f"/{place}", when=_NEWEST)],
        )
        for place, vector in enumerate(vectors)
    }


def _format(vector: Vector, shift: int = 0) -> str:
    """The format a vector comes in: the same, whatever the others are."""
    return list(FORMATS)[(crc32(vector.id.encode()) + shift) % len(FORMATS)]


def _rss(channel: Channel, entries: Sequence[Entry]) -> bytes:
    """RSS, the text in the description, escaped."""
    return _in_rss(
        channel,
        entries,
        lambda said: f"<description>{escape(said)}</description><author>{escape(said)}</author>",
    )


def _rss_encoded(channel: Channel, entries: Sequence[Entry]) -> bytes:
    """RSS, the text in content:encoded, in sections."""
    return _in_rss(
        channel,
        entries,
        lambda said: (
            f"<description>{_section(said)}</description>"
            f"<content:encoded>{_section(said)}</content:encoded>"
            f"<dc:creator>{_section(said)}</dc:creator>"
        ),
    )


def _in_rss(channel: Channel, entries: Sequence[Entry], text: Callable[[str], str]) -> bytes:
    items = "".join(
        f"<item><guid isPermaLink='false'>{entry.id}</guid><title>{escape(entry.said)}</title>"
        f"<link>{escape(entry.said)}</link><pubDate>{format_datetime(entry.when)}</pubDate>"
        f"<category>{escape(entry.said)}</category>{text(entry.said)}"
        f"<enclosure url={quoteattr(entry.said)} type={quoteattr(entry.said)} length='1'/>"
        "</item>"
        for entry in entries
    )
    return _xml(
        "<rss version='2.0' xmlns:content='http://purl.org/rss/1.0/modules/content/' "
        "xmlns:dc='http://purl.org/dc/elements/1.1/'>"
        f"<channel><title>{escape(channel.title)}</title><link>{escape(channel.link)}</link>"
        f"<description>{escape(channel.description)}</description>{items}</channel></rss>"
    )


def _atom_html(channel: Channel, entries: Sequence[Entry]) -> bytes:
    return _atom(channel, entries, "html")


def _atom_text(channel: Channel, entries: Sequence[Entry]) -> bytes:
    return _atom(channel, entries, "text")


def _atom(channel: Channel, entries: Sequence[Entry], kind: str) -> bytes:
    items = "".join(
        f"<entry><id>{entry.id}</id><title type='{kind}'>{escape(entry.said)}</title>"
        f"<link href={quoteattr(entry.said)}/><updated>{entry.when.isoformat()}</updated>"
        f"<author><name>{escape(entry.said)}</name><uri>{escape(entry.said)}</uri></author>"
        f"<category term={quoteattr(entry.said)} label={quoteattr(entry.said)}/>"
        f"<link rel='enclosure' href={quoteattr(entry.said)} title={quoteattr(entry.said)}/>"
        f"<summary type='{kind}'>{escape(entry.said)}</summary>"
        f"<content type='{kind}'>{escape(entry.said)}</content></entry>"
        for entry in entries
    )
    return _xml(
        f"<feed xmlns='http://www.w3.org/2005/Atom'><id>{escape(channel.link)}</id>"
        f"<title type='{kind}'>{escape(channel.title)}</title>"
        f"<link href={quoteattr(channel.link)}/>"
        f"<subtitle type='{kind}'>{escape(channel.description)}</subtitle>{items}</feed>"
    )


def _json(channel: Channel, entries: Sequence[Entry]) -> bytes:
    items = [
        {
            "id": entry.id,
            "url": entry.said,
            "title": entry.said,
            "content_html": entry.said,
            "summary": entry.said,
            "image": entry.said,
            "date_published": entry.when.isoformat(),
            "authors": [{"name": entry.said, "url": entry.said}],
            "tags": [entry.said],
            "attachments": [
                {"url": entry.said, "mime_type": entry.said, "title": entry.said},
                {"url": entry.said, "mime_type": "audio/mpeg"},
            ],
        }
        for entry in entries
    ]
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": channel.title,
        "description": channel.description,
        "home_page_url": channel.link,
        "items": items,
    }
    return json.dumps(feed).encode()


FORMATS: Mapping[str, Callable[[Channel, Sequence[Entry]], bytes]] = {
    "rss": _rss,
    "encoded": _rss_encoded,
    "html": _atom_html,
    "text": _atom_text,
    "json": _json,
}


def _section(text: str) -> str:
    return f"<![CDATA[{text.replace(']]>', ']]]]><![CDATA[>')}]]>"


def _xml(document: str) -> bytes:
    return _NOT_IN_XML.sub("", document).encode()
