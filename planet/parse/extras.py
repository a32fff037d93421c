"""The elements that feedparser loses: handlers for its parsers.

These are what is said of pictures (media:content), skipHours and skipDays (it keeps the last hour),
itunes:explicit (it knows `yes` and `clean`, podcasts say `true` and `false`), and the podcast
namespace (elements that repeat, or have attributes and text). Besides, media:description and
dc:description keep names of their own: feedparser takes them for the description of an item.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from planet.model import Transcript
from planet.parse import values
from planet.parse.values import Picture, person

if TYPE_CHECKING:
    from planet.model import Person


_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# RSS 0.91 counts from 1 to 24, RSS 2.0 from 0 to 23: both ends are midnight (RSS Best Practices).
_HOURS = {f"{hour:0{width}}": hour % 24 for hour in range(25) for width in (1, 2)}
_EXPLICIT = {
    **dict.fromkeys(("yes", "true", "explicit"), True),
    **dict.fromkeys(("no", "false", "clean"), False),
}
# No element has it for a name.
_KEY = "+"


@dataclass(slots=True)
class Extras:
    """What one item, or the channel around the items, says beyond what feedparser keeps."""

    explicit: bool | None = None
    chapters: str | None = None
    transcripts: list[Transcript] = field(default_factory=list)
    persons: list[Person] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    skip_hours: set[int] = field(default_factory=set)
    skip_days: set[int] = field(default_factory=set)
    caption: str | None = None
    """What an item says of all its pictures (media:description beside them)."""
    has_permalink: bool = False
    """Whether its guid says that it is a link, and does not only leave that open."""


NOTHING = Extras()


def extras(raw: dict[str, Any]) -> Extras:
    """The extras in a dict of the feed or of an entry."""
    return raw.get(_KEY) or NOTHING


class ExtraHandlers:
    """Handlers to be mixed into a parser of feedparser's."""

    extras_base: str | None = None
    _person: str | None = None
    _text: str | None = None
    # One file, or those of a group, which are the same thing.
    _files: tuple[_File, ...] = ()
    _is_group = False

    def _extras(self: Any) -> Extras:
        raw = self.entries[-1] if self.inentry else self.feeddata
        return raw.setdefault(_KEY, Extras())  # type: ignore[no-any-return]

    def track_namespace(self: Any, prefix: str | None, uri: str) -> None:
        """As feedparser does; besides, know the namespaces that are met in several forms."""
        name = uri.strip().lower()
        usual = "podcast" if "podcast" in name and "index" in name else None
        usual = "media" if "search.yahoo.com/mrss" in name else usual
        if usual and name not in self._matchnamespaces:
            # feedparser's own is one for the whole process.
            self._matchnamespaces = {**self._matchnamespaces, name: usual}
        super().track_namespace(prefix, uri)  # type: ignore[misc]

    def _end_hour(self: Any) -> None:
        hour = self.pop("hour")
        if hour in _HOURS and not self.inentry:
            self._extras().skip_hours.add(_HOURS[hour])

    def _end_day(self: Any) -> None:
        day = (self.pop("day") or "").casefold()
        if day in _DAYS and not self.inentry:
            self._extras().skip_days.add(_DAYS.index(day))

    def _end_itunes_explicit(self: Any) -> None:
        here, answer = self._extras(), self.pop("itunes_explicit") or ""
        here.explicit = _EXPLICIT.get(answer.casefold(), here.explicit)

    def _start_podcast_chapters(self: Any, attrs: dict[str, str]) -> None:
        self._extras().chapters = values.file(attrs.get("url"), self.extras_base)

    def _start_podcast_transcript(self: Any, attrs: dict[str, str]) -> None:
        url = values.file(attrs.get("url"), self.extras_base)
        media_type = values.line(attrs.get("type"))
        if url and media_type:
            language = values.language(attrs.get("language"))
            transcript = Transcript(url=url, media_type=media_type, language=language)
            self._extras().transcripts.append(transcript)

    def _start_podcast_person(self: Any, attrs: dict[str, str]) -> None:
        self._person = attrs.get("href")
        self.push("podcast_person", 1)

    def _end_podcast_person(self: Any) -> None:
        someone = person(self.pop("podcast_person"), self._person, self.extras_base)
        self._extras().persons += [someone] if someone else []

    def pop_content(self: Any, tag: str) -> str | None:
        """As feedparser does; besides, remember the text."""
        self._text = self.pop(tag)
        self.incontent -= 1
        self.contentparams.clear()
        return self._text  # type: ignore[no-any-return]

    def _start_media_group(self: Any, attrs: dict[str, str]) -> None:
        self._is_group = True

    def _end_media_group(self: Any) -> None:
        self._is_group = False
        self._end_of_files()

    def _start_media_content(self: Any, attrs: dict[str, str]) -> None:
        super()._start_media_content(attrs)  # type: ignore[misc]
        self._files = (*self._files, _File(attrs))

    def _end_media_content(self: Any) -> None:
        if self._files:
            self._files[-1].is_open = False
        if not self._is_group:
            self._end_of_files()

    def _end_of_files(self: Any) -> None:
        if picture := _picture(self._files, self.extras_base):
            self._extras().pictures.append(picture)
        self._files = ()

    def _end_media_title(self: Any) -> None:
        super()._end_media_title()  # type: ignore[misc]
        if self._files and self._files[-1].is_open:
            self._files[-1].title = values.line(self._text)

    def _start_media_description(self: Any, attrs: dict[str, str]) -> None:
        if self.inentry and not self.insource:
            self.push_content("media_description", attrs, "text/html", 1)
        else:
            super()._start_media_description(attrs)  # type: ignore[misc]

    def _end_media_description(self: Any) -> None:
        if self.inentry and not self.insource:
            self.pop_content("media_description")
        else:
            super()._end_media_description()  # type: ignore[misc]
        if self._files and self._files[-1].is_open:
            self._files[-1].description = values.line(self._text)
        elif not self._is_group:
            self._extras().caption = values.line(self._text)

    def _start_dc_description(self: Any, attrs: dict[str, str]) -> None:
        if self.inentry and not self.insource:
            self.push_content("dc_description", attrs, "text/html", 1)
        else:
            super()._start_dc_description(attrs)  # type: ignore[misc]

    def _end_dc_description(self: Any) -> None:
        if self.inentry and not self.insource:
            self.pop_content("dc_description")
        else:
            super()._end_dc_description()  # type: ignore[misc]

    def _start_guid(self: Any, attrs: dict[str, str]) -> None:
        super()._start_guid(attrs)  # type: ignore[misc]
        if attrs.get("ispermalink") == "true":
            self._extras().has_permalink = True

    def _end_media_rating(self: Any) -> None:
        rating = self.pop("rating") or ""
        if self._files and self._files[-1].is_open:
            self._files[-1].is_hidden = rating.casefold() == "adult"


@dataclass(slots=True)
class _File:
    """A media:content, and what is said in it."""

    attributes: dict[str, str]
    title: str | None = None
    description: str | None = None
    is_hidden: bool = False
    is_open: bool = True

    @property
    def medium(self) -> str:
        kind = self.attributes.get("type", "").partition("/")[0]
        return (self.attributes.get("medium") or kind).lower()

    @property
    def width(self) -> int:
        return values.number(self.attributes.get("width")) or 0


def _picture(files: tuple[_File, ...], base: str | None) -> Picture | None:
    """The picture that one or several files are, the largest; none where one of them plays."""
    if any(file.medium in ("audio", "video") for file in files):
        return None
    images = [file for file in files if file.medium == "image"]
    for file in sorted(images, key=lambda file: -file.width):
        if url := values.file(file.attributes.get("url"), base):
            # A title of one word is mostly the name of the file.
            alt = file.description or (file.title if " " in (file.title or "") else None)
            return Picture(url=url, alt=alt, width=file.width, is_hidden=file.is_hidden)
    return None
