"""The config of Venus or Pluto, or a list of feeds → settings of ours, and the rest with reasons.

Nothing is dropped silently: each option is taken over, or is a `Problem` with the reason.
"""

from __future__ import annotations

import json
import re
from configparser import ParsingError, RawConfigParser
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from planet.config import yaml
from planet.config.feeds import Outline, decode, parse_opml
from planet.config.kinds import without_feed_scheme
from planet.config.sections import Checker
from planet.config.settings import Config, FeedSettings
from planet.errors import ConfigError, Place, Problem
from planet.text import account, address
from planet.text.plain import language_tag

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class ForeignConfig:
    """The content of a file of another program."""

    def __init__(self, file: str) -> None:
        self.top = Place(file=file, line=1, column=1)
        self.planet: dict[str, Any] = {}
        """The settings of the planet."""
        self.feeds: list[Outline] = []
        self.lists: list[str] = []
        """Addresses of subscription lists."""
        self.lost: list[Problem] = []
        """Why feeds and lists are not taken over."""
        self.left: list[Problem] = []
        """Why settings are not taken over."""

    def keep_valid(self) -> None:
        """Drop mistaken settings, and feeds without a valid address, with reasons."""
        if self.planet:
            self.planet = self._drop_misfits({"title": "My Planet"} | self.planet, Config, self.top)
        feeds, self.feeds = self.feeds, []
        for place, written in feeds:
            settings = self._drop_misfits(written, FeedSettings, place)
            if "url" in settings:
                self.feeds.append(Outline(place, settings))
            else:
                self.lost.append(self.left.pop())

    def _drop_misfits(
        self, settings: dict[str, Any], section: type, place: Place
    ) -> dict[str, Any]:
        # A foreign text must not read the environment.
        text = json.dumps(settings).replace("${", "$ {")
        fitting: dict[str, Any] = json.loads(text)
        checker = Checker(yaml.read(text, file=place.file), section)
        checker.check(section, checker.document.data)
        for path, problem in checker.problems.items():
            self.left.append(Problem(place, problem.message.removeprefix("the file ")))
            name, *inner = map(str, path)
            # A list without one of its items may mean something else, and goes as a whole.
            if inner and isinstance(below := fitting.get(name), dict):
                below.pop(inner[0], None)
            else:
                fitting.pop(name, None)
        return {name: value for name, value in fitting.items() if value != {}}


def read_foreign(data: bytes, *, file: str) -> ForeignConfig:
    """Read the file of another program: OPML, INI of Venus or Pluto, or a list of addresses.

    Raises:
        ConfigError: the file is none of these; with the format, if known.
    """
    found, text = ForeignConfig(file), decode(data)
    kind = _find_kind(text)
    if kind == _OPML:
        outlines, problems = parse_opml(data, file=file, partly=True)
        found.feeds, found.lost = [*outlines], [*problems]
    elif kind == _INI:
        _Ini(text, found).read()
    elif words := recognise_format(data, file):
        raise ConfigError([Problem(found.top, words)])
    else:
        _read_lines(text, found)
    found.keep_valid()
    return found


def _read_lines(text: str, found: ForeignConfig) -> None:
    """Read a list with an address, or the name of an account, on each line."""
    for number, line in enumerate(text.splitlines(), 1):
        # What follows an address is a comment, with "#" or without.
        url = next(iter(line.strip().removeprefix("- ").split()), "#")
        if not url.startswith(("#", ";", "//")):
            place = Place(file=found.top.file, line=number, column=1)
            found.feeds.append(Outline(place, {"url": without_feed_scheme(url)}))
    if not any(_is_address(feed.settings["url"]) for feed in found.feeds):
        words = "this is no list of feeds: no line begins with an address"
        way_out = "of a table, save the column of addresses as a text"
        raise ConfigError([Problem(found.top, f"{words}; {way_out}")])


def _is_address(url: str) -> bool:
    return bool(address.make_absolute(url) or account.parse_name(url))


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
_OF_EACH: Final = ("filter", "exclude", "face", "avatar")
"""Options of the planet that count for each of its feeds."""
_NOT_TAKEN: Final = ("", "feed", "feed_url", "facewidth", "faceheight")
_HERE: Final[Mapping[str, str]] = {
    **dict.fromkeys(("filters", "filter_directories"), '"transform" runs programs that read JSON'),
    **dict.fromkeys(("includes", "excludes"), 'write the words under "filters"'),
    **dict.fromkeys(("output_theme", "template_files", "template_directories"), 'see "theme"'),
    **dict.fromkeys(("source", "source1", "source2", "source3"), "import that list, too"),
    "days_per_page": "months have pages of their own",
}
"""Settings in place of options, and other hints."""


class _Ini:
    """Reads a config of Venus, or a planet.ini of Pluto."""

    def __init__(self, text: str, found: ForeignConfig) -> None:
        self.found = found
        self.parser = RawConfigParser(
            strict=False,
            inline_comment_prefixes=(";", "#"),
            empty_lines_in_values=False,
            delimiters=("=", ":") if re.search(r"(?m)^\w+\s*:", text) else ("=",),
        )
        # Pluto has the options of the planet before the first section.
        head = "" if _find_first_line(text).startswith("[") else "[planet]\n"
        # Lines without a name or a value are left out; all others have been read by then.
        with suppress(ParsingError):
            self.parser.read_string(head + text)
        names = {name.lower(): name for name in self.parser.sections()}
        self.planet = names.get("planet", "")
        self.shared = dict(self.parser[self.planet]) if self.planet else {}
        self.lines: dict[tuple[str, str], int] = {}
        """Where sections and their options are first."""
        section = self.planet
        for number, line in enumerate(text.splitlines(), 1):
            if match := re.match(r"\[(.+)\]|\s*([\w.-]+)\s*[:=]", line):
                section = match[1] or section
                self.lines.setdefault((section, (match[2] or "").lower()), number)

    def read(self) -> None:
        """Collect the planet, the feeds and the lists."""
        for name, value in self.shared.items():
            if value and name not in (*_OF_EACH, *_NOT_TAKEN):
                self._take(self.found.planet, self.planet, name, _OF_PLANET)
        for section in self.parser.sections():
            if section != self.planet:
                self._take_section(section)

    def _take_section(self, section: str) -> None:
        options, place, found = self.parser[section], self._find(section), self.found
        url = without_feed_scheme(options.get("feed") or options.get("feed_url") or section)
        kind = options.get("content_type") or ""
        if not _is_address(url):
            words = f"[{section}] is no feed: it has no web address"
            if not re.search(r"\.(tmpl|xslt|py|plugin|genshi|sed)\b", section):
                found.lost.append(Problem(place, words))
        elif "opml" in kind:
            found.lists.append(url)
        elif any(name in kind for name in ("foaf", "csv", "config")):
            words = f"{address.redact(url)} is a list in {kind}; import that, too"
            found.lost.append(Problem(place, words))
        else:
            settings = {"url": url}
            for name in dict.fromkeys((*options, *_OF_EACH)):
                if name not in _NOT_TAKEN and self._value(section, name):
                    self._take(settings, section, name, _OF_FEED)
            found.feeds.append(Outline(place, settings))

    def _value(self, section: str, name: str) -> str:
        """Return an option, with the values of other options in place of `%(name)s`."""
        own = {**self.shared, **self.parser[section]}
        text = own.get(name) or ""
        return re.sub(r"%\((\w+)\)s", lambda match: own.get(match[1].lower()) or match[0], text)

    def _find(self, section: str, option: str = "") -> Place:
        """Return the place of a section, or of an option of the section."""
        line = self.lines.get((section, option)) or self.lines.get((section, ""), 1)
        return Place(file=self.found.top.file, line=line, column=1)

    def _take(
        self, settings: dict[str, Any], section: str, name: str, words: Mapping[str, str]
    ) -> None:
        """Take over an option by a table; unknown ones of a feed go to `extra`."""
        text = self._value(section, name)
        value, is_of_feed = " ".join(text.split()), words is _OF_FEED
        if name in ("filter", "exclude"):
            lines = [f"/{line.strip()}/" for line in text.split("\n") if line.strip()]
            if name == "filter" and len(lines) > 1:
                reason = "has several expressions that must all be found; write one for all"
                self._leave(section, name, reason)
            else:
                _put(settings, f"filters.{name.replace('filter', 'include')}", lines)
        elif name in ("face", "avatar") and (face := self._face(value)):
            settings.setdefault("image", face)
        elif name in words and not (is_of_feed and name == "author" and ":" in value):
            _put(settings, words[name], _CONVERT.get(name, str)(value))
        elif not is_of_feed or name in _HERE:
            hint = f"; {_HERE[name]}" if name in _HERE else ""
            self._leave(section, name, f"has no setting here{hint}")
        elif name == "location" and re.fullmatch("[a-z]{2}([-_][A-Za-z]{2,4})?", value):
            settings["language"] = language_tag(value)
        else:
            _put(settings, f"extra.{name}", value)
            self._leave(section, name, "is kept under extra, for templates of your own")

    def _face(self, face: str) -> str | None:
        """Return the address of a face, which is in the folder `images` of the site."""
        site = self.shared.get("link") or self.shared.get("url") or ""
        path = face if "/" in face else f"images/{face}"
        return address.make_absolute(path, f"{site.rstrip('/')}/")

    def _leave(self, section: str, name: str, reason: str) -> None:
        self.found.left.append(Problem(self._find(section, name), f"{name} {reason}"))


def _put(settings: dict[str, Any], path: str, value: Any) -> None:
    """Set a value by a path of names, such as `filters.include`."""
    section, _, name = path.rpartition(".")
    (settings.setdefault(section, {}) if section else settings)[name] = value


# What a file is


_OPML, _INI = "a list of feeds in OPML", "INI or TOML, perhaps the config of Venus or Pluto"
_IMPORT: Final = "`planet import {} --config new.yaml` makes a config of it"
_FORMATS: Final = {
    _OPML: (r"<[\s\S]*<opml|<opml", _IMPORT),
    "a feed": (
        r"<(\?[^>]*>\s*<)?(rss|feed|rdf:rdf)[ />]",
        'a config names it under "feeds" (`planet init` writes one)',
    ),
    "a web page": ("<(!doctype )?html", "`planet init` writes a config"),
    "XML": (r"<[\w?!]", "it is neither a list in OPML nor a feed"),
    _INI: (r"\[.+\]\s*(?:[#;].*)?$|[\w.-]+\s*=", _IMPORT),
}
"""How a file begins that is no config, after comments, and the way out."""


def _find_first_line(text: str) -> str:
    """Return the first line with more than a comment."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line and line[0] not in "#;"), "")


def _find_kind(text: str) -> str:
    """Return the format of a file; an empty text for an unknown one."""
    for kind, (beginning, _) in _FORMATS.items():
        head = _find_first_line(text) if kind == _INI else text.lstrip()[:10_000]
        if re.match(beginning, head, re.IGNORECASE):
            return kind
    return ""


def recognise_format(data: bytes, file: str) -> str | None:
    """Return the format of a foreign file in words, with the way out; None for an unknown one."""
    kind = _find_kind(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    return f"this is {kind}; {_FORMATS[kind][1].format(file)}" if kind else None
