"""The elements that feedparser loses, read from the same text in a pass of its own.

These are what is said of pictures (media:content), skipHours and skipDays (it keeps the last hour),
itunes:explicit (it knows `yes` and `clean`, podcasts say `true` and `false`), and the podcast
namespace (elements that repeat, or have attributes and text). The pass is made only when one of
them is in the text, and it never fails: in a document that is not well-formed it ends at the fault,
with what came before.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers.expat import ExpatError, ParserCreate

from planet.model import Transcript
from planet.parse import values
from planet.parse.values import Picture, person

if TYPE_CHECKING:
    from planet.model import Person


_SIGNS = (
    *(b"skipHours", b"skipDays", b":explicit", b"podcastindex", b"Podcastindex"),
    b"search.yahoo.com/mrss",
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# RSS 0.91 counts from 1 to 24, RSS 2.0 from 0 to 23: both ends are midnight (RSS Best Practices).
_HOURS = {f"{hour:0{width}}": hour % 24 for hour in range(25) for width in (1, 2)}
_EXPLICIT = {
    **dict.fromkeys(("yes", "true", "explicit"), True),
    **dict.fromkeys(("no", "false", "clean"), False),
}
_ITUNES = "http://www.itunes.com/dtds/podcast-1.0.dtd"


@dataclass(slots=True)
class Extras:
    """What one item, or the channel around the items, says beyond what feedparser keeps."""

    explicit: bool | None = None
    chapters: str | None = None
    transcripts: list[Transcript] = field(default_factory=list)
    persons: list[Person] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)


@dataclass(slots=True)
class FeedExtras:
    """The extras of a document."""

    channel: Extras = field(default_factory=Extras)
    items: list[Extras] = field(default_factory=list)
    """In the order in which the items start."""
    skip_hours: set[int] = field(default_factory=set)
    skip_days: set[int] = field(default_factory=set)

    def item(self, place: int) -> Extras:
        """The extras of the item at a place; empty when the pass did not get there."""
        return self.items[place] if place < len(self.items) else Extras()


def extras(document: bytes, base: str | None) -> FeedExtras:
    """The extras of an XML document in UTF-8 without a document type."""
    if not any(sign in document for sign in _SIGNS):
        return FeedExtras()
    reading = _Reading(base)
    parser = ParserCreate(encoding="utf-8", namespace_separator="\x1f")
    parser.buffer_text = True
    # Undeclared entities are no reason to stop.
    parser.UseForeignDTD(True)
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.text
    with suppress(ExpatError):
        parser.Parse(document, True)
    return reading.found


class _Reading:
    """Where in the document the pass is, and what it has found."""

    def __init__(self, base: str | None) -> None:
        self.found = FeedExtras()
        self._base = base
        self._around = [self.found.channel]
        self._attributes: dict[str, str] = {}
        self._words: list[str] = []
        # What is said of files: each is one, or one of those of a group, which are the same thing.
        self._files: list[_File] = []
        self._is_group = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._attributes = attributes
        self._words = []
        match _known_as(name):
            case "media:group":
                self._is_group = True
            case "media:content":
                self._files.append(_File(attributes))
        if _known_as(name) in ("item", "entry"):
            item = Extras()
            self.found.items.append(item)
            self._around.append(item)
            self._files, self._is_group = [], False

    def text(self, data: str) -> None:
        self._words.append(data)

    def end(self, name: str) -> None:
        said = "".join(self._words).strip()
        attributes, self._attributes, self._words = self._attributes, {}, []
        here, in_item = self._around[-1], len(self._around) > 1
        self._end_of_media(_known_as(name), said, here)
        match _known_as(name):
            case "item" | "entry" if in_item:
                self._around.pop()
            case "hour" if not in_item and said in _HOURS:
                self.found.skip_hours.add(_HOURS[said])
            case "day" if not in_item and said.casefold() in _DAYS:
                self.found.skip_days.add(_DAYS.index(said.casefold()))
            case "itunes:explicit":
                here.explicit = _EXPLICIT.get(said.casefold(), here.explicit)
            case "podcast:chapters":
                here.chapters = values.file(attributes.get("url"), self._base)
            case "podcast:transcript" if transcript := _transcript(attributes, self._base):
                here.transcripts.append(transcript)
            case "podcast:person" if someone := person(said, attributes.get("href"), self._base):
                here.persons.append(someone)

    def _end_of_media(self, name: str, said: str, here: Extras) -> None:
        if self._files and self._files[-1].is_open:
            self._files[-1].hear(name, said)
        if name == "media:group":
            self._is_group = False
        if name in ("media:group", "media:content") and not self._is_group:
            here.pictures += _pictures(self._files, self._base)
            self._files = []


@dataclass(slots=True)
class _File:
    """A media:content, and what is said in it."""

    attributes: dict[str, str]
    title: str | None = None
    description: str | None = None
    is_hidden: bool = False
    is_open: bool = True

    def hear(self, name: str, said: str) -> None:
        match name:
            case "media:title":
                self.title = values.line(said)
            case "media:description":
                self.description = values.line(said)
            case "media:rating":
                self.is_hidden = said.casefold() == "adult"
            case "media:content":
                self.is_open = False

    @property
    def medium(self) -> str:
        told = self.attributes.get("type", "").partition("/")[0]
        return (self.attributes.get("medium") or told).lower()

    @property
    def width(self) -> int:
        return values.number(self.attributes.get("width")) or 0


def _pictures(files: list[_File], base: str | None) -> list[Picture]:
    """The picture that one or several files are, the largest; none where one of them plays."""
    if any(each.medium in ("audio", "video") for each in files):
        return []
    images = [each for each in files if each.medium == "image"]
    for each in sorted(images, key=lambda each: -each.width):
        if url := values.file(each.attributes.get("url"), base):
            # A title of one word is mostly the name of the file.
            alt = each.description or (each.title if " " in (each.title or "") else None)
            return [Picture(url=url, alt=alt, width=each.width, is_hidden=each.is_hidden)]
    return []


def _transcript(attributes: dict[str, str], base: str | None) -> Transcript | None:
    url = values.file(attributes.get("url"), base)
    media_type = values.line(attributes.get("type"))
    if url is None or media_type is None:
        return None
    language = values.language(attributes.get("language"))
    return Transcript(url=url, media_type=media_type, language=language)


def _known_as(name: str) -> str:
    """A name as expat gives it, with the customary prefix of the namespaces that count here."""
    namespace, _, local = name.rpartition("\x1f")
    if not namespace:
        return local
    namespace = namespace.strip().lower()
    if "podcast" in namespace and "index" in namespace:
        return f"podcast:{local}"
    if "search.yahoo.com/mrss" in namespace:
        return f"media:{local}"
    if namespace == _ITUNES:
        return f"itunes:{local}"
    # Elements of RSS 1.0 and Atom are in a namespace, those of RSS 2.0 are not.
    return local if local in ("item", "entry") else name
