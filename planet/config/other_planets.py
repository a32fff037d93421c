"""The config of Planet 2.0, Venus or Pluto → settings of ours, and what cannot be one.

Nothing is dropped silently: each option is taken over, or is a `Problem` that says why not.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urljoin

import msgspec

from planet import documentation
from planet.config import settings, texts, yaml
from planet.config.sections import Mistake, describe_mistakes
from planet.errors import Place, Problem
from planet.text import address, profiles
from planet.text.address import redact
from planet.text.languages import language_tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class Word(NamedTuple):
    """What an option of another program is here."""

    setting: str
    """The name of our setting."""
    convert: Callable[[str], Any] = str
    """Converts the value; a ValueError says why it cannot."""


@dataclass(slots=True, kw_only=True)
class ForeignItem:
    """A planet, a feed or a list of the other program, as settings of ours."""

    place: Place
    settings: dict[str, Any] = field(default_factory=dict)
    """Not checked yet; `url` is among those of a feed or a list."""
    places: dict[str, Place] = field(default_factory=dict)
    """The place of each setting where it is not `place`, by name: `name`, `filters.include`."""
    left: list[Problem] = field(default_factory=list)
    """Settings that are not taken over, and why."""
    extra: list[Problem] = field(default_factory=list)
    """What is taken over as `extra`, for templates only."""
    repairs: list[Problem] = field(default_factory=list)
    """What is read in another way than it is written."""

    def put(self, name: str, value: Any, place: Place) -> None:
        """Set a value under its name, or the names that lead to it: `filters.include`."""
        here, (*above, last) = self.settings, name.split(".")
        for step in above:
            here = here.setdefault(step, {})
        here[last] = value
        self.places[name] = place

    def leave(self, option: IniOption, why: str) -> None:
        """Record why an option is not taken over."""
        self.left.append(Problem(option.place, f"{option.name} {why}"))

    def take(
        self, options: Iterable[IniOption], words: Mapping[str, Word], *, of_feed: bool = False
    ) -> None:
        """Take over options by this table; those without a value are ignored.

        Of a feed, options that are not in the table are accounts, or go to `extra`.
        """
        for option in options:
            if not option.value:
                continue
            if option.name not in words:
                if why := _NOT_NEEDED.get(option.name):
                    self.leave(option, why)
                elif of_feed:
                    self._take_unknown(option)
                else:
                    self.leave(option, _UNKNOWN)
                continue
            word = words[option.name]
            try:
                self.put(word.setting, word.convert(option.value), option.place)
            except ValueError as error:
                self.leave(option, str(error))

    def _take_unknown(self, option: IniOption) -> None:
        """Take over an account as a link, a place that is a language as that, others as `extra`."""
        service = profiles.service_name(option.name)
        language = _read_language(option.value) if option.name == "location" else None
        if service == "email" or option.name in _MAIL:
            self.keep(option, "email", option.value, hint="; under links, as email, it is shown")
        elif service:
            self.put_named("links", service, option.value, option.place)
        elif language:
            self.put("language", language, option.place)
            self.repairs.append(Problem(option.place, "location is a language, and read as that"))
        elif option.name == "author" and any(map(_LABELLED.fullmatch, option.value.split())):
            for word in option.value.split():
                name, _, value = word.partition(":")
                self.keep(option, name, value or "yes")
        elif option.name == "author":
            self.put("author", option.value, option.place)
        else:
            self.keep(option, option.name, option.value)

    def put_named(self, section: str, name: str, value: str, place: Place) -> None:
        """Set a value under a name of the operator's own, which may have dots in it."""
        self.settings.setdefault(section, {})[name] = value
        self.places[f"{section}.{name}"] = place

    def keep(self, option: IniOption, name: str, value: str, *, hint: str = "") -> None:
        """Set a value under `extra`, and say so."""
        self.put_named("extra", name, value, option.place)
        words = f"{name} is kept under extra, for templates of your own{hint}"
        self.extra.append(Problem(option.place, words))


@dataclass(slots=True, kw_only=True)
class ForeignConfig:
    """What was found in the config of another program."""

    planet: ForeignItem
    feeds: list[ForeignItem] = field(default_factory=list)
    lists: list[ForeignItem] = field(default_factory=list)
    """Subscription lists; of each, the `url` counts."""
    lost: list[tuple[Problem, ...]] = field(default_factory=list)
    """Why a feed or list is not taken over, for each of them."""
    extra: list[Problem] = field(default_factory=list)
    """What is taken over for templates only."""
    left: list[Problem] = field(default_factory=list)
    """What else is not taken over, and why."""
    repairs: list[Problem] = field(default_factory=list)
    """What was read in another way than it is written."""

    @classmethod
    def empty(cls, file: str) -> ForeignConfig:
        """Make the config of a list, which says nothing of a planet."""
        return cls(planet=ForeignItem(place=Place(file=file, line=1, column=1)))


class ConvertedItem(NamedTuple):
    """The settings of a feed or of a planet as they are here."""

    settings: dict[str, Any]
    """Those of a feed have no `url` when its address is none."""
    problems: tuple[Problem, ...]
    """Why others are not taken over."""
    repairs: tuple[Problem, ...] = ()
    """What was read in another way than it is written."""


def convert_feed(wanted: ForeignItem) -> ConvertedItem:
    """Convert the settings of a feed."""
    written = wanted.settings["url"]
    url = texts.without_feed_scheme(written)
    item = _escape_variables({**wanted.settings, "url": url})
    unfit = _strip(item, wanted, {"title": "?", "feeds": [item]})
    words = f'its address begins with "feed:" and is read as {redact(url)}'
    mend = (Problem(wanted.places.get("url", wanted.place), words),) if url != written else ()
    return ConvertedItem(item, unfit, (*mend, *wanted.repairs))


def convert_planet(wanted: ForeignItem) -> ConvertedItem:
    """Convert the settings of the planet."""
    whole = {"title": "My Planet", **_escape_variables(wanted.settings)}
    return ConvertedItem(whole, _strip(whole, wanted, whole))


def _strip(here: dict[str, Any], wanted: ForeignItem, whole: dict[str, Any]) -> tuple[Problem, ...]:
    """Remove settings that are mistakes in a whole config, and return why."""
    wrong: list[Mistake] = []
    settings.check({name: value for name, value in whole.items() if name != "feeds"}, wrong)
    for index, item in enumerate(whole.get("feeds", ())):
        settings.check_feed(item, index, wrong)
    if not wrong:
        return ()
    document = yaml.read(json.dumps(whole).encode(), file="", expand=str)
    unfit = []
    for mistake, problem in zip(
        wrong, describe_mistakes(wrong, document, settings.PlanetSettings), strict=True
    ):
        key_path = mistake.location[0 if here is whole else 2 :] or ("url",)
        name = str(key_path[0])
        place = wanted.places.get(name, wanted.place)
        place = wanted.places.get(".".join(map(str, key_path[:2])), place)
        unfit.append(Problem(place, problem.message.removeprefix("feeds[0].")))
        inner = here.get(name)
        # A wrong filter does not remove the others.
        if isinstance(inner, dict) and len(key_path) > 1:
            inner.pop(str(key_path[1]), None)
        if not isinstance(inner, dict) or len(key_path) == 1 or not inner:
            here.pop(name, None)
    return tuple(unfit)


def _escape_variables(value: Any) -> Any:
    """Return a copy without variables: a foreign text must not read the environment."""
    if isinstance(value, dict):
        return {name: _escape_variables(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_escape_variables(item) for item in value]
    return value.replace("${", "$ {") if isinstance(value, str) else value


_SECTION: Final = re.compile(r"\[(.+)\]\s*(?:[#;].*)?")
_OPTION: Final = re.compile(r"([^:=\s][^:=]*)[:=]\s*(.*)")
_COMMENT: Final = re.compile(r"\s;.*")
_PLACEHOLDER: Final = re.compile(r"%\((\w+)\)s")


class IniOption(msgspec.Struct, frozen=True, kw_only=True):
    """An option of an INI file."""

    name: str
    """In lower case."""
    value: str
    """Without blanks around it; continuation lines are joined by line ends."""
    place: Place


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """The options under a name in square brackets; a section that comes twice is one."""

    name: str
    """Empty for options before the first section."""
    place: Place
    options: dict[str, IniOption] = {}
    """By name; of options with the same name the last."""


class IniFile(NamedTuple):
    """What an INI file says."""

    sections: dict[str, Section]
    """By name."""
    unreadable: list[Problem]
    """Lines that are neither a section nor an option."""
    repeated: list[Problem]
    """Sections and options that come twice."""


def parse_ini(data: bytes, *, file: str) -> IniFile:
    """Parse an INI file."""
    here = Section(name="", place=Place(file=file, line=1, column=1))
    by_name: dict[str, Section] = {"": here}
    unreadable: list[Problem] = []
    twice: list[Problem] = []
    last, depth = "", 0
    for number, line in enumerate(decode(data).splitlines(), 1):
        words, place = line.strip(), Place(file=file, line=number, column=1)
        indentation = len(line) - len(line.lstrip())
        if not words or words.startswith(("#", ";")):
            continue
        if last and indentation > depth:
            option = here.options[last]
            value = f"{option.value}\n{_strip_comment(words)}".strip()
            here.options[last] = IniOption(name=last, value=value, place=option.place)
        elif section := _SECTION.fullmatch(words):
            name, last = section[1].strip(), ""
            here = by_name.setdefault(name, Section(name=name, place=place))
            if here.place != place:
                words = f"[{name}] is there already, in line {here.place.line}; both count as one"
                twice.append(Problem(place, words))
        elif option_ := _OPTION.fullmatch(words):
            last, depth = option_[1].rstrip().lower(), indentation
            value = _strip_comment(option_[2])
            if before := here.options.get(last):
                words = f"{last} takes the place of the one in line {before.place.line}"
                twice.append(Problem(place, words))
            here.options[last] = IniOption(name=last, value=value, place=place)
        else:
            unreadable.append(Problem(place, "is neither a section nor an option"))
    return IniFile(by_name, unreadable, repeated=twice)


def fill_in(option: IniOption, others: Mapping[str, IniOption]) -> IniOption:
    """Replace each `%(name)s` in an option by the value of that option."""

    def value(match: re.Match[str]) -> str:
        other = others.get(match[1].lower())
        return other.value if other else match[0]

    text = _PLACEHOLDER.sub(value, option.value)
    return IniOption(name=option.name, value=text, place=option.place)


def decode(data: bytes) -> str:
    """Decode a file in UTF-8, or in the encoding of editors before that."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _strip_comment(value: str) -> str:
    return _COMMENT.sub("", f" {value}").strip()


_UNKNOWN: Final = (
    f"has no setting here; {documentation('moving.md')} says what takes the place of which"
)
_NO_PROGRAMS: Final = (
    'it would get Atom, and "transform" runs programs that read JSON '
    f'({documentation("transform.md")}); see whether "filters" can say it'
)
_LISTS: Final = ("opml", "foaf", "csv", "config")
_OF_EACH: Final = ("filter", "exclude", "filters", "face", "avatar")
"""Options of the planet that are taken over for each of its feeds."""


def _parse_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"is not a number: {text}") from None


def _convert_seconds(text: str) -> str:
    return f"{_parse_number(text)}s"


def _convert_threads(text: str) -> int:
    if not (number := _parse_number(text)):
        raise ValueError("is 0: here feeds are always asked for side by side")
    return number


def _convert_language(text: str) -> str:
    return text.partition(".")[0].partition("@")[0].replace("_", "-")


def _convert_future(text: str) -> str:
    return {"ignore_date": "clamp", "ignore_entry": "drop"}.get(text, "keep")


# First those of Venus, then those of Pluto.
_OF_FEED: Final[Mapping[str, Word]] = {
    "name": Word("name"),
    "link": Word("link"),
    "future_dates": Word("future", _convert_future),
    "feed_timeout": Word("fetch.timeout", _convert_seconds),
    "new_feed_items": Word("filters.recent", _parse_number),
    "title": Word("name"),
    "url": Word("link"),
    "feed": Word("url"),
    "feed_url": Word("url"),
    "html_url": Word("link"),
}
_MAIL: Final = frozenset({"author_email", "owner_email"})
# As in the list of Planet openSUSE: `author = irc:ann nick:ann member`.
_LABELLED: Final = re.compile(r"[a-z]+:(?!//)\S+")
_LANGUAGE: Final = re.compile(r"[a-z]{2}(?:[-_][A-Za-z]{2,4})?")


def _read_language(place: str) -> str | None:
    """Return the language that stands in place of a place; countries are in capitals."""
    return language_tag(place) if _LANGUAGE.fullmatch(place) else None


_OF_PLANET: Final[Mapping[str, Word]] = {
    "name": Word("title"),
    "link": Word("link"),
    "owner_name": Word("owner.name"),
    "owner_email": Word("owner.email"),
    "output_dir": Word("output"),
    "items_per_page": Word("pages.front", _parse_number),
    "feed_timeout": Word("fetch.timeout", _convert_seconds),
    "spider_threads": Word("fetch.workers", _convert_threads),
    "new_feed_items": Word("new_feed_entries", _parse_number),
    "future_dates": Word("future", _convert_future),
    "pubsubhubbub_hub": Word("hub"),
    "locale": Word("language", _convert_language),
    "title": Word("title"),
    "url": Word("link"),
    "author": Word("owner.name"),
    "email": Word("owner.email"),
}
_FOLDER_OF_STATE: Final = 'is not needed: "state" is the folder for all that is kept'
_OTHER_TEMPLATES: Final = (
    f'is about templates; "theme" says how the site looks ({documentation("themes.md")})'
)
_TEXT_ITSELF: Final = "is not needed: Planet looks at the text itself"
_FACES: Final = "is not needed: a theme knows how large faces are"
_OTHER_LIST: Final = "names another list of feeds; import that one, too"
_AS_FILTERS: Final = (
    f'lists words or expressions; write them under "filters" ({documentation("filters.md")})'
)
_NOT_NEEDED: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            *("cache_directory", "cache_keep_entries", "http_cache_directory"),
            *("cache_sources_directory", "cache_lists_directory", "cache_blacklist_directory"),
        ),
        _FOLDER_OF_STATE,
    ),
    **dict.fromkeys(
        ("output_theme", "template_files", "template_directories", "bill_of_materials"),
        _OTHER_TEMPLATES,
    ),
    **dict.fromkeys(
        (
            *("encoding", "ignore_in_feed", "name_type", "title_type", "summary_type"),
            *("content_type", "xml_base"),
        ),
        _TEXT_ITSELF,
    ),
    **dict.fromkeys(("facewidth", "faceheight"), _FACES),
    **dict.fromkeys(("includes", "excludes"), _AS_FILTERS),
    **dict.fromkeys(("source", *(f"source{number}" for number in range(1, 31))), _OTHER_LIST),
    **dict.fromkeys(
        ("date_format", "new_date_format"),
        'is not needed: dates are written as is usual in the "language" of the planet',
    ),
    **dict.fromkeys(
        ("log_level", "log_format"), "is not needed: `-v` and `-q` say how much is told"
    ),
    "activity_threshold": "is not needed: the list of sources can leave out those that are quiet",
    "days_per_page": 'counts days, and "pages.front" posts; months have pages of their own',
    "filter_directories": "is about programs; see transform",
}
"""Options of Venus and Pluto that mean something, and why they mean nothing here."""


def read_planet_ini(data: bytes, *, file: str) -> ForeignConfig:
    """Convert a config.ini of Planet 2.0 or Venus, or a planet.ini of Pluto.

    A section is a feed, and its name is the address or, for Pluto, a short name. The options of
    the planet are in [Planet], or for Pluto before the first section.
    """
    ini = parse_ini(data, file=file)
    by_name = ini.sections
    general = by_name.pop("DEFAULT", None)
    planet = next((part for name, part in by_name.items() if name.lower() == "planet"), by_name[""])
    defaults = general.options if general else {}
    subscribed = [part for name, part in by_name.items() if name and part is not planet]
    files = _split_words(planet, "template_files") | _split_words(planet, "filters")
    files |= {name for section in subscribed for name in _split_words(section, "filters")}
    foreign = ForeignConfig(
        planet=_convert_planet_section(planet, defaults),
        left=ini.unreadable,
        repairs=ini.repeated,
    )
    for section in subscribed:
        kind = section.options.get("content_type")
        if section.name in files:
            words = f"[{section.name}] is about a template or a filter, and has no meaning here"
            foreign.left.append(Problem(section.place, words))
        elif not kind or not any(name in kind.value for name in _LISTS):
            foreign.feeds.append(_convert_feed_section(section, planet, defaults))
        elif why := _why_no_list(section, kind):
            foreign.lost.append((Problem(kind.place, f"{kind.name} {why}"),))
        else:
            wanted = ForeignItem(settings={"url": section.name}, place=section.place)
            others = (option for option in section.options.values() if option.name not in _OF_LIST)
            wanted.take(others, {})
            foreign.lists.append(wanted)
    return foreign


_OF_LIST: Final = ("content_type", "name")


def _why_no_list(section: Section, kind: IniOption) -> str | None:
    """Return why a section is no subscription list that can be read; None if it is one."""
    if "opml" not in kind.value:
        return f"is {kind.value}: only lists in OPML are read; {section.name} is left out"
    if address.make_absolute(section.name) is None:
        return f'says that {section.name} is a list; put its path under "subscriptions"'
    return None


def _convert_planet_section(section: Section, defaults: Mapping[str, IniOption]) -> ForeignItem:
    """Convert the settings of the planet, except those that count for each feed."""
    options = {**defaults, **section.options}
    planet = ForeignItem(place=section.place)
    own = (fill_in(option, options) for name, option in options.items() if name not in _OF_EACH)
    planet.take(own, _OF_PLANET)
    _leave_programs(planet, options)
    return planet


def _convert_feed_section(
    section: Section, planet: Section, defaults: Mapping[str, IniOption]
) -> ForeignItem:
    """Convert the settings of a feed."""
    every = {**defaults, **planet.options, **section.options}
    own = [fill_in(option, every) for option in section.options.values()]
    feed = ForeignItem(place=section.place, settings={"url": section.name})
    taken = (option for option in own if option.name not in _OF_EACH)
    feed.take(taken, _OF_FEED, of_feed=True)
    for name in ("face", "avatar"):
        if name in every and every[name].value:
            face = fill_in(every[name], every)
            image = _image_address(face, planet)
            if address.make_absolute(image):
                feed.put("image", image, face.place)
            else:
                feed.leave(face, _NO_SITE)
                feed.put_named("extra", name, face.value, face.place)
    for name, setting in (("filter", "include"), ("exclude", "exclude")):
        option = fill_in(every[name], every) if name in every else None
        lines = [line for line in option.value.split("\n") if line] if option else []
        if option and name == "filter" and len(lines) > 1:
            words = "has several expressions that must all be found, and here one would be enough"
            feed.leave(option, f"{words}; write one expression for all of them")
        elif option and lines:
            feed.put(f"filters.{setting}", [f"/{line}/" for line in lines], option.place)
    _leave_programs(feed, section.options)
    return feed


_NO_SITE: Final = (
    "is a file of a site whose address is not known; put it beside the config, and write its path: "
    "image: faces/ann.png"
)


def _leave_programs(wanted: ForeignItem, options: Mapping[str, IniOption]) -> None:
    for script in options["filters"].value.split() if "filters" in options else ():
        wanted.leave(options["filters"], f"names {script}: {_NO_PROGRAMS}")


def _image_address(face: IniOption, planet: Section) -> str:
    """Return the address of a face, which is in the folder `images` of the site."""
    link = planet.options.get("link")
    site = link.value.rstrip("/") + "/" if link else ""
    if address.make_absolute(face.value):
        return face.value
    return urljoin(site, face.value if "/" in face.value else f"images/{face.value}")


def _split_words(section: Section, name: str) -> set[str]:
    option = section.options.get(name)
    return set(option.value.split()) if option else set()


# A file of another program in the place of a config

_FIRST_LINE: Final = re.compile(r"\[.+\]\s*(?:[#;].*)?$|[\w.-]+\s*=")
_TOML: Final = re.compile(r"""^\[\[|^[\w."-]+\s*=\s*(?:["'\[{]|true$|false$|\d+$)""", re.MULTILINE)
_PLANET_SECTION: Final = re.compile(r"^\[(?:planet\]|https?:)", re.MULTILINE | re.IGNORECASE)


def recognise_format(data: bytes, file: str) -> str | None:
    """Return what kind of file this is, if it is no YAML, and how to make a config of it.

    None where that is not known.
    """
    text = data.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
    if text.startswith("<"):
        return _recognise_markup(text[:10_000].lower(), file)
    lines = (line for line in text.splitlines() if line.strip() and line.strip()[0] not in "#;")
    if not _FIRST_LINE.match(next(lines, "")):
        return None
    if _TOML.search(text):
        return (
            "this is TOML, and a config is YAML, where a line is `title: My planet`; "
            "`planet import` takes over lists (OPML, CSV, an address a line), and the configs of "
            "Venus, Pluto and osmosfeed"
        )
    program = "venus" if _PLANET_SECTION.search(text) else "pluto"
    return (
        f"this is an INI file; `planet import --{program} {file} --config new.yaml` makes a config "
        f"of it, if it is one of {program.title()}"
    )


def _recognise_markup(head: str, file: str) -> str | None:
    if "<opml" in head:
        return (
            f"this is a list of feeds in OPML; `planet import {file} --config new.yaml` makes a "
            'config of it, and a config may name it under "subscriptions"'
        )
    if re.search("<(?:rss|feed|rdf:rdf)[ >]", head):
        return 'this is a feed; a config names it under "feeds" (`planet init` writes one)'
    if re.search("<(?:!doctype html|html)", head):
        return "this is a web page; `planet init` writes a config"
    return None
