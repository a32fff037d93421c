"""What the config of another program says → what ours can say of it, and what it cannot.

Nothing is dropped without a word: each option is taken over, or is a `Problem` that says why not.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urljoin

from planet.config import mistakes, settings, values, yaml
from planet.errors import Place, Problem
from planet.text import address
from planet.text.address import redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from planet.config.sections import Mistake
    from planet.config.yaml import KeyPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A feed of the other program, as our config would say it."""

    settings: Mapping[str, Any]
    """Its settings, `url` among them; not checked yet."""
    place: Place
    places: Mapping[str, Place] = field(default_factory=dict)
    """Where each setting comes from, as far as that is not `place`: `name`, `filters.include`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """What was found in the config of another program."""

    planet: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the planet as a whole, as our config would say them; not checked yet."""
    planet_places: Mapping[str, Place] = field(default_factory=dict)
    feeds: tuple[Wanted, ...] = ()
    lists: tuple[Wanted, ...] = ()
    """Subscription lists; of each, the `url` counts."""
    lost: tuple[Problem, ...] = ()
    """Feeds and lists that are not taken over, and why."""
    left: tuple[Problem, ...] = ()
    """Settings that are not taken over, and why."""
    mended: tuple[Problem, ...] = ()
    """What was read in another way than it is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """How an option of the other program is called here."""

    key_path: tuple[str, ...]
    meaning: Callable[[str], Any] = str
    """What its text means; raises ValueError with why that cannot be said here."""


@dataclass(slots=True)
class Translation:
    """Options, as far as they can be said here."""

    settings: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    left: list[Problem] = field(default_factory=list)

    def put(self, key_path: tuple[str, ...], value: Any, place: Place) -> None:
        """Say a value under the names that lead to it."""
        here = self.settings
        for name in key_path[:-1]:
            here = here.setdefault(name, {})
        here[key_path[-1]] = value
        self.places[".".join(key_path)] = place

    def leave(self, option: Option, why: str) -> None:
        """Write down why an option is not taken over."""
        self.left.append(Problem(option.place, f"{option.name} {why}"))


def translated(options: Iterable[Option], words: Mapping[str, Word]) -> Translation:
    """What options come to; one without a value says nothing, and is passed over."""
    translation = Translation()
    for option in options:
        word = words.get(option.name)
        if not option.value:
            continue
        if word is None:
            translation.leave(option, _UNKNOWN)
            continue
        try:
            translation.put(word.key_path, word.meaning(option.value), option.place)
        except ValueError as error:
            translation.leave(option, str(error))
    return translation


def fitting(
    wanted: Wanted,
) -> tuple[dict[str, Any] | None, tuple[Problem, ...], tuple[Problem, ...]]:
    """The settings of a feed that our config can have, why not the others, and what was mended.

    There are none when its address is not one.
    """
    written = wanted.settings["url"]
    url = values.without_feed_scheme(written)
    whole = {"title": "?", "feeds": [_literal({**wanted.settings, "url": url})]}
    left, problems = _fitted(whole, ("feeds", 0), wanted.places, wanted.place)
    words = f'its address begins with "feed:" and is read as {redacted(url)}'
    mended = (Problem(wanted.places.get("url", wanted.place), words),) if url != written else ()
    return (left if "url" in left else None), problems, mended


def fitting_planet(
    elsewhere: Elsewhere, place: Place
) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """The settings of the planet that our config can have, and why not the others."""
    whole = {"title": "My Planet", **_literal(dict(elsewhere.planet))}
    return _fitted(whole, (), elsewhere.planet_places, place)


def _fitted(
    whole: dict[str, Any], top: KeyPath, places: Mapping[str, Place], place: Place
) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    wrong: list[Mistake] = []
    settings.check({name: value for name, value in whole.items() if name != "feeds"}, wrong)
    for index, item in enumerate(whole.get("feeds", ())):
        settings.check_feed(item, index, wrong)
    here: Any = whole
    for step in top:
        here = here[step]
    if not wrong:
        return here, ()
    document, _ = yaml.read(json.dumps(whole).encode(), file="", expand=str)
    prefix = "feeds[0]."
    problems = []
    for mistake, problem in zip(wrong, mistakes.problems(wrong, document), strict=True):
        key_path = mistake.location[len(top) :] or ("url",)
        name = str(key_path[0])
        where = places.get(".".join(map(str, key_path[:2])), places.get(name, place))
        problems.append(Problem(where, problem.message.removeprefix(prefix)))
        inner = here.get(name)
        # Of filters, one that is wrong takes no other along.
        if isinstance(inner, dict) and len(key_path) > 1:
            inner.pop(str(key_path[1]), None)
        if not isinstance(inner, dict) or len(key_path) == 1 or not inner:
            here.pop(name, None)
    return here, tuple(problems)


def _literal(value: Any) -> Any:
    """A copy in which nothing is taken from the environment: another's text could ask for it."""
    if isinstance(value, dict):
        return {name: _literal(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_literal(item) for item in value]
    return value.replace("${", "$ {") if isinstance(value, str) else value


_SECTION: Final = re.compile(r"\[(.+)\]\s*(?:[#;].*)?")
_OPTION: Final = re.compile(r"([^:=\s][^:=]*?)\s*[:=]\s*(.*)")
_COMMENT: Final = re.compile(r"\s;.*")
_PLACEHOLDER: Final = re.compile(r"%\((\w+)\)s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A setting in another program's words."""

    name: str
    """In lower case."""
    value: str
    """Without blanks around it; lines it goes on in are joined by line ends."""
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What stands under a name in square brackets; of a section that comes twice, all."""

    name: str
    """Empty for what stands before the first section."""
    place: Place
    options: dict[str, Option] = field(default_factory=dict)
    """By their names; of one that comes twice, the last."""


def sections(
    data: bytes, *, file: str
) -> tuple[dict[str, Section], tuple[Problem, ...], tuple[Problem, ...]]:
    """The sections of a file in their order, by name; lines that are nothing; what comes twice."""
    here = Section(name="", place=Place(file=file, line=1, column=1))
    by_name: dict[str, Section] = {"": here}
    problems: list[Problem] = []
    twice: list[Problem] = []
    last, depth = "", 0
    for number, line in enumerate(_decoded(data).splitlines(), 1):
        words, place = line.strip(), Place(file=file, line=number, column=1)
        indentation = len(line) - len(line.lstrip())
        if not words or words.startswith(("#", ";")):
            continue
        if last and indentation > depth:
            option = here.options[last]
            value = f"{option.value}\n{_without_comment(words)}".strip()
            here.options[last] = Option(name=last, value=value, place=option.place)
        elif section := _SECTION.fullmatch(words):
            name, last = section[1].strip(), ""
            here = by_name.setdefault(name, Section(name=name, place=place))
            if here.place != place:
                words = f"[{name}] is there already, in line {here.place.line}; both count as one"
                twice.append(Problem(place, words))
        elif option_ := _OPTION.fullmatch(words):
            last, depth = option_[1].lower(), indentation
            value = _without_comment(option_[2])
            if before := here.options.get(last):
                words = f"{last} takes the place of the one in line {before.place.line}"
                twice.append(Problem(place, words))
            here.options[last] = Option(name=last, value=value, place=place)
        else:
            problems.append(Problem(place, "is neither a section nor an option"))
    return by_name, tuple(problems), tuple(twice)


def filled_in(option: Option, others: Mapping[str, Option]) -> Option:
    """The option with the values of others put in where it says `%(name)s`."""

    def value(match: re.Match[str]) -> str:
        other = others.get(match[1].lower())
        return other.value if other else match[0]

    text = _PLACEHOLDER.sub(value, option.value)
    return Option(name=option.name, value=text, place=option.place)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # What editors wrote before they wrote UTF-8. Bytes it does not know are of no use.
        return data.decode("cp1252", "replace")


def _without_comment(value: str) -> str:
    return _COMMENT.sub("", f" {value}").strip()


_UNKNOWN: Final = "has no setting here; docs/moving.md says what takes the place of which"
_NO_PROGRAMS: Final = (
    'it would get Atom, and "transform" runs programs that read JSON (docs/transform.md); see '
    'whether "filters" can say it'
)
_SIFTER: Final = "regexp_sifter.py"
_LISTS: Final = ("opml", "foaf", "csv", "config")
_OF_EACH: Final = ("filter", "exclude", "filters", "face", "avatar")
"""Options of the planet that are said of each of its feeds."""


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"is not a number: {text}") from None


def _seconds(text: str) -> str:
    return f"{_number(text)}s"


def _threads(text: str) -> int:
    if not (number := _number(text)):
        raise ValueError("is 0: here feeds are always asked for side by side")
    return number


def _language(text: str) -> str:
    return text.partition(".")[0].partition("@")[0].replace("_", "-")


def _future(text: str) -> str:
    return {"ignore_date": "clamp", "ignore_entry": "drop"}.get(text, "keep")


# First those of Venus, then those of Pluto.
_OF_FEED: Final = {
    "name": Word(key_path=("name",)),
    "link": Word(key_path=("link",)),
    "future_dates": Word(key_path=("future",), meaning=_future),
    "feed_timeout": Word(key_path=("fetch", "timeout"), meaning=_seconds),
    "new_feed_items": Word(key_path=("filters", "recent"), meaning=_number),
    "title": Word(key_path=("name",)),
    "url": Word(key_path=("link",)),
    "feed": Word(key_path=("url",)),
    "feed_url": Word(key_path=("url",)),
    "author": Word(key_path=("author",)),
}
_OF_PLANET: Final = {
    "name": Word(key_path=("title",)),
    "link": Word(key_path=("link",)),
    "owner_name": Word(key_path=("owner", "name")),
    "owner_email": Word(key_path=("owner", "email")),
    "output_dir": Word(key_path=("output",)),
    "items_per_page": Word(key_path=("pages", "front"), meaning=_number),
    "feed_timeout": Word(key_path=("fetch", "timeout"), meaning=_seconds),
    "spider_threads": Word(key_path=("fetch", "workers"), meaning=_threads),
    "new_feed_items": Word(key_path=("new_feed_entries",), meaning=_number),
    "future_dates": Word(key_path=("future",), meaning=_future),
    "pubsubhubbub_hub": Word(key_path=("hub",)),
    "locale": Word(key_path=("language",), meaning=_language),
    "title": Word(key_path=("title",)),
    "url": Word(key_path=("link",)),
    "author": Word(key_path=("owner", "name")),
    "email": Word(key_path=("owner", "email")),
}


def planet_ini(data: bytes, *, file: str) -> Elsewhere:
    """What a config.ini of Planet 2.0 or Venus says, or a planet.ini of Pluto.

    In these a section is a feed, and its name the address or, for Pluto, a short name. What is
    about the planet stands in [Planet], or for Pluto before the first section.
    """
    by_name, problems, twice = sections(data, file=file)
    general = by_name.pop("DEFAULT", None)
    planet = next((part for name, part in by_name.items() if name.lower() == "planet"), by_name[""])
    defaults = general.options if general else {}
    subscribed = [part for name, part in by_name.items() if name and part is not planet]
    files = _words(planet, "template_files") | _words(planet, "filters")
    files |= {name for section in subscribed for name in _words(section, "filters")}
    whole = _planet(planet, defaults)
    left = [*problems, *whole.left]
    feeds: list[Wanted] = []
    lists: list[Wanted] = []
    lost: list[Problem] = []
    for section in subscribed:
        kind = section.options.get("content_type")
        if section.name in files:
            words = f"[{section.name}] is about a template or a filter, and has no meaning here"
            left.append(Problem(section.place, words))
        elif kind and any(name in kind.value for name in _LISTS):
            if why := _no_list(section, kind):
                lost.append(Problem(kind.place, f"{kind.name} {why}"))
                continue
            lists.append(Wanted(settings={"url": section.name}, place=section.place))
            others = (option for option in section.options.values() if option.name not in _OF_LIST)
            left += translated(others, {}).left
        else:
            feed = _feed(section, planet, defaults)
            left += feed.left
            settings = {"url": section.name, **feed.settings}
            feeds.append(Wanted(settings=settings, place=section.place, places=feed.places))
    return Elsewhere(
        planet=whole.settings,
        planet_places=whole.places,
        feeds=tuple(feeds),
        lists=tuple(lists),
        lost=tuple(lost),
        left=tuple(left),
        mended=twice,
    )


_OF_LIST: Final = ("content_type", "name")


def _no_list(section: Section, kind: Option) -> str | None:
    """Why a section is no subscription list that can be read."""
    if "opml" not in kind.value:
        return f"is {kind.value}: only lists in OPML are read; {section.name} is left out"
    if address.web(section.name) is None:
        return f'says that {section.name} is a list; put its path under "subscriptions"'
    return None


def _planet(planet: Section, defaults: Mapping[str, Option]) -> Translation:
    """The planet's own settings; its `filter` and `exclude` are said of each feed."""
    options = {**defaults, **planet.options}
    own = [filled_in(option, options) for name, option in options.items() if name not in _OF_EACH]
    translation = translated(own, _OF_PLANET)
    # The themes that come with Venus have RSS; without one, its templates are named.
    with_rss = options.get("template_files", options.get("output_theme"))
    if with_rss and (with_rss.name == "output_theme" or "rss" in with_rss.value):
        translation.put(("pages", "rss"), True, with_rss.place)
    if "filters" in options:
        for script in options["filters"].value.split():
            if not script.startswith(_SIFTER):
                translation.leave(options["filters"], f"names {script}: {_NO_PROGRAMS}")
    return translation


def _feed(section: Section, planet: Section, defaults: Mapping[str, Option]) -> Translation:
    """The settings of a feed."""
    inherited = {**defaults, **planet.options}
    every = {**inherited, **section.options}
    own = [filled_in(option, every) for option in section.options.values()]
    feed = translated((option for option in own if option.name not in _OF_EACH), _OF_FEED)
    for name in ("face", "avatar"):
        if name in every and every[name].value:
            feed.put(("image",), _image(filled_in(every[name], every), planet), every[name].place)
    for name, kind in (("filter", "require"), ("exclude", "exclude")):
        if name in every:
            option = filled_in(every[name], every)
            _sift(feed, option, kind, option.value)
    for holder in (inherited, section.options):
        if "filters" in holder:
            _scripts(feed, holder["filters"], is_own=holder is section.options)
    return feed


def _image(face: Option, planet: Section) -> str:
    """The address of a face: templates look for it in the folder `images` of the site."""
    link = planet.options.get("link")
    site = link.value.rstrip("/") + "/" if link else ""
    if address.web(face.value):
        return face.value
    return urljoin(site, face.value if "/" in face.value else f"images/{face.value}")


def _scripts(feed: Translation, option: Option, *, is_own: bool) -> None:
    """The filters in a list of programs: one of them we know."""
    for script in option.value.split():
        name, _, query = script.partition("?")
        if name == _SIFTER and query:
            for parameter, values in parse_qs(query).items():
                _sift(feed, option, parameter.removeprefix("--"), "\n".join(values))
        elif is_own:
            feed.leave(option, f"names {script}: {_NO_PROGRAMS}")


def _sift(feed: Translation, option: Option, kind: str, value: str) -> None:
    """A regular expression that has to be, or must not be, in the text of an entry."""
    lines = [line for line in value.split("\n") if line]
    if not lines:
        return
    setting = "exclude" if kind == "exclude" else "include"
    before = feed.settings.get("filters", {}).get(setting, [])
    if kind not in ("require", "exclude"):
        feed.leave(option, f"asks for {kind}, which Planet does not know")
    elif setting == "include" and len([*before, *lines]) > 1:
        words = "has several expressions that must all be found, and here one would be enough"
        feed.leave(option, f"{words}; write one expression for all of them")
    else:
        sought = [*before, *(f"/{line}/" for line in lines)]
        feed.put(("filters", setting), sought, option.place)


def _words(section: Section, name: str) -> set[str]:
    option = section.options.get(name)
    return set(option.value.split()) if option else set()
