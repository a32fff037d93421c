"""The config of Venus or Pluto, or a list of feeds → settings of ours, and what cannot be one.

Nothing is dropped silently: each option is taken over, or is a `Problem` that says why not.
"""

from __future__ import annotations

import json
import re
from configparser import ParsingError, RawConfigParser
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from planet.config import yaml
from planet.config.opml import decode, parse_opml
from planet.config.sections import Checker
from planet.config.settings import FeedSettings, PlanetSettings
from planet.config.texts import without_feed_scheme
from planet.errors import ConfigError, Place, Problem
from planet.text import account, address, profiles
from planet.text.plain import language_tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


@dataclass(slots=True, kw_only=True)
class ForeignItem:
    """A feed of another program, or its planet, as settings of ours."""

    place: Place
    settings: dict[str, Any] = field(default_factory=dict)
    left: list[Problem] = field(default_factory=list)
    """Why options are not taken over."""

    def put(self, path: str, value: Any) -> None:
        """Set a value under the names that lead to it: `filters.include`."""
        here, (*above, last) = self.settings, path.split(".")
        for step in above:
            here = here.setdefault(step, {})
        here[last] = value

    def keep(self, name: str, value: str, place: Place) -> None:
        """Set a value under `extra`, for templates, and say so."""
        self.settings.setdefault("extra", {})[name] = value
        self.leave(place, f"{name} is kept under extra, for templates of your own")

    def leave(self, place: Place, words: str) -> None:
        """Record why an option is not taken over."""
        self.left.append(Problem(place, words))

    def check(self, section: type) -> None:
        """Drop the settings that do not fit, and record why."""
        # A foreign text must not read the environment.
        text = json.dumps(self.settings).replace("${", "$ {")
        self.settings = json.loads(text)
        document = yaml.read(text, file=self.place.file)
        checker = Checker(document, section)
        checker.check(section, document.data, ())
        for path, problem in zip(checker.mistaken, checker.problems, strict=True):
            self.leave(self.place, problem.message.removeprefix("the file "))
            here = self.settings
            for step in path:
                # A list without one of its items may mean something else, and goes as a whole.
                if not isinstance(here.get(str(step)), dict):
                    here.pop(str(step), None)
                    break
                here = here[str(step)]
        self.settings = {name: value for name, value in self.settings.items() if value != {}}


@dataclass(slots=True, kw_only=True)
class ForeignConfig:
    """What was found in the file of another program."""

    planet: ForeignItem
    feeds: list[ForeignItem] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    """Addresses of subscription lists."""
    lost: list[Problem] = field(default_factory=list)
    """Why feeds and lists are not taken over."""

    @property
    def left(self) -> list[Problem]:
        """Return why settings are not taken over."""
        return [*self.planet.left, *(problem for feed in self.feeds for problem in feed.left)]


def read_foreign(data: bytes, *, file: str) -> ForeignConfig:
    """Read the file of another program: OPML, INI of Venus or Pluto, or a list of addresses.

    Raises:
        ConfigError: it is none of these, with what it is if that is known.
    """
    found = ForeignConfig(planet=ForeignItem(place=Place(file=file, line=1, column=1)))
    text = decode(data)
    kind = _find_kind(text)
    if kind == _OPML:
        listed = parse_opml(data, file=file, partly=True)
        found.feeds += [ForeignItem(place=place, settings=own) for place, own in listed.outlines]
        found.lost += listed.problems
    elif kind == _INI:
        _Ini(text, found).read()
    elif words := recognise_format(data, file):
        raise ConfigError([Problem(found.planet.place, words)])
    else:
        found.feeds += _read_lines(text, file)
        if not any(_is_address(feed.settings["url"]) for feed in found.feeds):
            words = "this is no list of feeds: no line begins with an address"
            way_out = "of a table, save the column of addresses as a text"
            raise ConfigError([Problem(found.planet.place, f"{words}; {way_out}")])
    for feed in found.feeds:
        feed.check(FeedSettings)
    found.lost += [feed.left[-1] for feed in found.feeds if "url" not in feed.settings]
    found.feeds = [feed for feed in found.feeds if "url" in feed.settings]
    if found.planet.settings:
        found.planet.settings.setdefault("title", "My Planet")
        found.planet.check(PlanetSettings)
    return found


def _is_address(url: str) -> bool:
    return bool(address.make_absolute(url) or account.parse_name(url))


def _read_lines(text: str, file: str) -> Iterator[ForeignItem]:
    """Yield the feeds of a list with an address, or the name of an account, on each line."""
    for number, line in enumerate(text.splitlines(), 1):
        # What follows an address is a comment, with "#" or without.
        url = next(iter(line.strip().removeprefix("- ").split()), "#")
        if not url.startswith(("#", ";", "//")):
            place = Place(file=file, line=number, column=1)
            yield ForeignItem(place=place, settings={"url": without_feed_scheme(url)})


# INI


_OF_PLANET: Final[Mapping[str, str]] = {
    **dict.fromkeys(("name", "title"), "title"),
    **dict.fromkeys(("link", "url"), "link"),
    **dict.fromkeys(("owner_name", "author"), "owner.name"),
    **dict.fromkeys(("owner_email", "email"), "owner.email"),
    "output_dir": "output",
    "items_per_page": "pages.front",
    "feed_timeout": "fetch.timeout",
    "spider_threads": "fetch.workers",
    "new_feed_items": "new_feed_entries",
    "future_dates": "future",
    "pubsubhubbub_hub": "hub",
    "locale": "language",
}
_OF_FEED: Final[Mapping[str, str]] = {
    **dict.fromkeys(("name", "title"), "name"),
    **dict.fromkeys(("link", "url", "html_url"), "link"),
    "new_feed_items": "filters.recent",
    "author": "author",
}
_CONVERT: Final[Mapping[str, Callable[[str], str]]] = {
    "feed_timeout": lambda text: f"{text}s",
    "locale": lambda text: re.sub(r"[.@].*", "", text).replace("_", "-"),
    "future_dates": lambda text: {"ignore_date": "clamp", "ignore_entry": "drop"}.get(text, "keep"),
}
_OF_EACH: Final = ("filter", "exclude", "face", "avatar", "facewidth", "faceheight")
"""Options of the planet that count for each of its feeds."""
_HERE: Final[Mapping[str, str]] = {
    **dict.fromkeys(("filters", "filter_directories"), '"transform" runs programs that read JSON'),
    **dict.fromkeys(("includes", "excludes"), 'write the words under "filters"'),
    **dict.fromkeys(("output_theme", "template_files", "template_directories"), 'see "theme"'),
    **dict.fromkeys(("source", "source1", "source2", "source3"), "import that list, too"),
    "days_per_page": "months have pages of their own",
}
"""What takes the place of options, where something does."""


class _Ini:
    """Reads a config of Venus, or a planet.ini of Pluto."""

    def __init__(self, text: str, found: ForeignConfig) -> None:
        self.found, self.file = found, found.planet.place.file
        self.parser = RawConfigParser(
            strict=False,
            allow_no_value=True,
            comment_prefixes=("#", ";"),
            inline_comment_prefixes=(";", "#"),
            empty_lines_in_values=False,
            delimiters=("=", ":") if re.search(r"(?m)^\w+\s*:", text) else ("=",),
        )
        # Pluto has the options of the planet before the first section.
        head = "" if _find_first_line(text).startswith("[") else "[planet]\n"
        try:
            self.parser.read_string(head + text)
        except ParsingError as error:
            for number, line in error.errors:
                place = Place(file=self.file, line=number - len(head.splitlines()), column=1)
                found.planet.leave(place, f"this line is neither a section nor an option: {line}")
        names = {name.lower(): name for name in self.parser.sections()}
        self.planet = names.get("planet", "")
        self.shared = dict(self.parser[self.planet]) if self.planet else {}
        self.lines: dict[tuple[str, str], int] = {}
        """Where sections and their options are first."""
        section = self.planet
        for number, line in enumerate(text.splitlines(), 1):
            if match := re.match(r"\[(.+)\]", line):
                section = match[1]
                self.lines.setdefault((section, ""), number)
            elif match := re.match(r"\s*([\w.-]+)\s*[:=]", line):
                self.lines.setdefault((section, match[1].lower()), number)

    def read(self) -> None:
        """Collect the planet, its feeds and its lists."""
        for name, value in self.shared.items():
            if value and name not in _OF_EACH:
                self._take(self.found.planet, self.planet, name, _OF_PLANET)
        for section in self.parser.sections():
            if section != self.planet:
                self._take_section(section)

    def _take_section(self, section: str) -> None:
        options, place = self.parser[section], self._find(section)
        url = without_feed_scheme(options.get("feed") or options.get("feed_url") or section)
        kind = options.get("content_type") or ""
        if not _is_address(url):
            words = f"[{section}] is no feed: it has no web address"
            if not re.search(r"\.(tmpl|xslt|py|plugin|genshi|sed)\b", section):
                self.found.lost.append(Problem(place, words))
        elif "opml" in kind:
            self.found.lists.append(url)
        elif any(name in kind for name in ("foaf", "csv", "config")):
            words = f"{address.redact(url)} is a list in {kind}; import that, too"
            self.found.lost.append(Problem(place, words))
        else:
            item = ForeignItem(place=place, settings={"url": url})
            for name, value in options.items():
                if value and name not in (*_OF_EACH, "feed", "feed_url"):
                    self._take(item, section, name, _OF_FEED)
            self._take_filters(item, section)
            self._take_face(item, section)
            self.found.feeds.append(item)

    def _value(self, section: str, name: str) -> str:
        """Return an option, with each `%(name)s` replaced by the value of that option."""
        own = {**self.shared, **self.parser[section]}
        text = own.get(name) or ""
        return re.sub(r"%\((\w+)\)s", lambda match: own.get(match[1].lower()) or match[0], text)

    def _find(self, section: str, option: str = "") -> Place:
        """Return the place of a section, or of an option in it."""
        line = self.lines.get((section, option)) or self.lines.get((section, ""), 1)
        return Place(file=self.file, line=line, column=1)

    def _take(self, item: ForeignItem, section: str, name: str, words: Mapping[str, str]) -> None:
        """Take over an option by a table; of a feed, unknown ones are accounts or `extra`."""
        value, place = " ".join(self._value(section, name).split()), self._find(section, name)
        service = profiles.service_name(name) if words is _OF_FEED else None
        if name in words and not (words is _OF_FEED and name == "author" and ":" in value):
            item.put(words[name], _CONVERT.get(name, str)(value))
        elif service and service != "email" and profiles.profile_url(service, value):
            item.put(f"links.{service}", value)
        elif words is _OF_PLANET or name in _HERE:
            hint = f"; {_HERE[name]}" if name in _HERE else ""
            item.leave(place, f"{name} has no setting here{hint}")
        elif name == "location" and re.fullmatch("[a-z]{2}([-_][A-Za-z]{2,4})?", value):
            item.put("language", language_tag(value))
        else:
            item.keep(name, value, place)

    def _take_filters(self, item: ForeignItem, section: str) -> None:
        for name, setting in (("filter", "include"), ("exclude", "exclude")):
            lines = [line.strip() for line in self._value(section, name).split("\n")]
            expressions = [f"/{line}/" for line in lines if line]
            if name == "filter" and len(expressions) > 1:
                words = "filter has several expressions that must all be found; write one for all"
                item.leave(self._find(section, name), words)
            elif expressions:
                item.put(f"filters.{setting}", expressions)

    def _take_face(self, item: ForeignItem, section: str) -> None:
        """Take over a face, which is in the folder `images` of the site."""
        name = "face" if self._value(section, "face") else "avatar"
        if not (face := self._value(section, name)):
            return
        site = self.shared.get("link") or self.shared.get("url") or ""
        path = face if "/" in face else f"images/{face}"
        if url := address.make_absolute(urljoin(f"{site.rstrip('/')}/", path)):
            item.put("image", url)
        else:
            item.keep(name, face, self._find(section, name))


# What a file is


_OPML, _INI, _TOML = "a list of feeds in OPML", "an INI file, perhaps of Venus or Pluto", "TOML"
_IMPORT: Final = "`planet import {} --config new.yaml` makes a config of it"
_ADVICE: Final = {
    _OPML: _IMPORT,
    "a feed": 'a config names it under "feeds" (`planet init` writes one)',
    "a web page": "`planet init` writes a config",
    "XML": "it is neither a list in OPML nor a feed",
    _INI: _IMPORT,
    _TOML: "a config is YAML, where a line is `title: My planet`",
}
"""What to do with a file that is no config, by what it is."""
_XML: Final = {
    _OPML: re.compile(r"<[\s\S]*<opml|<opml", re.IGNORECASE),
    "a feed": re.compile(r"<(\?[^>]*>\s*<)?(rss|feed|rdf:rdf)[ />]", re.IGNORECASE),
    "a web page": re.compile(r"<(!doctype )?html", re.IGNORECASE),
    "XML": re.compile(r"<[\w?!]"),
}
_FIRST_LINE: Final = re.compile(r"\[.+\]\s*(?:[#;].*)?$|[\w.-]+\s*=")
_OF_TOML: Final = re.compile(r"""^\[\[|^[\w."-]+\s*=\s*["'\[{]""", re.MULTILINE)
_OF_VENUS: Final = re.compile(r"^\[(?:planet\]|https?:)", re.MULTILINE | re.IGNORECASE)


def _find_first_line(text: str) -> str:
    """Return the first line that is no comment."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line and line[0] not in "#;"), "")


def _find_kind(text: str) -> str:
    """Return what a file is; nothing where that is not known."""
    head = text.lstrip()[:10_000]
    for kind, beginning in _XML.items():
        if beginning.match(head):
            return kind
    if not _FIRST_LINE.match(_find_first_line(text)):
        return ""
    return _TOML if _OF_TOML.search(text) and not _OF_VENUS.search(text) else _INI


def recognise_format(data: bytes, file: str) -> str | None:
    """Return what kind of file this is, if it is no config and no list, and what to do with it."""
    kind = _find_kind(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    return f"this is {kind}; {_ADVICE[kind].format(file)}" if kind else None
