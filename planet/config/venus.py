"""config.ini of Planet 2.0 and of Venus → what our config can say of it.

What the options mean is in Venus's documents ("Configuration", "Filters", "Normalization"). Its
regular expressions are looked for as Venus looks for them; programs that it runs over entries, and
all that has to do with its templates, have nothing here that does the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urljoin

from planet import address
from planet.config.elsewhere import Elsewhere, Translation, Wanted, translated
from planet.config.ini import Option, Section, filled_in, sections
from planet.config.venuswords import (
    NO_PROGRAMS,
    OF_FEED,
    OF_FEEDS,
    OF_PLANET,
    OF_TEMPLATES,
    UNKNOWN,
)
from planet.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

_SIFTER: Final = "regexp_sifter.py"
_LISTS: Final = ("opml", "foaf", "csv", "config")


def venus(data: bytes, *, file: str) -> Elsewhere:
    """What a config.ini says."""
    found, problems, twice = sections(data, file=file)
    general = found.pop("DEFAULT", None)
    planet = next((each for name, each in found.items() if name.lower() == "planet"), found[""])
    # What stands before the first section, Python 2 does not read at all.
    files = _words(planet, "template_files") | _words(planet, "filters")
    subscribed = [each for name, each in found.items() if name and each is not planet]
    files |= {name for each in subscribed for name in _words(each, "filters")}
    defaults = general.options if general else {}
    whole = _planet(planet, defaults)
    left = [*problems, *whole.left]
    feeds: list[Wanted] = []
    lists: list[Wanted] = []
    lost: list[Problem] = []
    for section in subscribed:
        if section.name in files:
            words = f"[{section.name}] is about a template or a filter, and has no meaning here"
            left.append(Problem(section.place, words))
            continue
        kind = section.options.get("content_type")
        if kind and any(name in kind.value for name in _LISTS):
            lists += _list(section, kind, lost, left)
            continue
        one = _feed(section, planet, defaults)
        left += one.left
        feeds.append(
            Wanted(said={"url": section.name, **one.said}, place=section.place, places=one.places)
        )
    return Elsewhere(
        planet=whole.said,
        planet_places=whole.places,
        feeds=tuple(feeds),
        lists=tuple(lists),
        lost=tuple(lost),
        left=tuple(left),
        mended=twice,
    )


def _planet(planet: Section, defaults: Mapping[str, Option]) -> Translation:
    """The planet's own settings; its `filter` and `exclude` are said of each feed."""
    options = {**defaults, **planet.options}
    said = [
        filled_in(option, options)
        for name, option in options.items()
        if name not in ("filter", "exclude", "filters", "face")
    ]
    found = translated(said, OF_PLANET, {**OF_TEMPLATES, **OF_FEEDS}, otherwise=UNKNOWN)
    for option in (options[name] for name in ("filters",) if name in options):
        for script in option.value.split():
            if not script.startswith(_SIFTER):
                found.leave(option, f"names {script}: {NO_PROGRAMS}")
    return found


def _feed(section: Section, planet: Section, defaults: Mapping[str, Option]) -> Translation:
    """The settings of a feed."""
    inherited = {**defaults, **planet.options}
    every = {**inherited, **section.options}
    own = [filled_in(option, every) for option in section.options.values()]
    special = ("face", "filter", "exclude", "filters")
    plain = [option for option in own if option.name not in special]
    found = translated(plain, OF_FEED, {**OF_FEEDS, **OF_TEMPLATES}, otherwise=UNKNOWN)
    if (face := every.get("face")) and face.value:
        found.put(("image",), _image(filled_in(face, every), planet), face.place)
    sought = [every[name] for name in ("filter", "exclude") if name in every]
    for option in (filled_in(each, every) for each in sought):
        _sift(found, option, "require" if option.name == "filter" else "exclude", option.value)
    for holder in (inherited, section.options):
        if "filters" in holder:
            _scripts(found, holder["filters"], is_own=holder is section.options)
    return found


def _image(face: Option, planet: Section) -> str:
    """The address of a face: templates look for it in the folder `images` of the site."""
    link = planet.options.get("link")
    site = link.value.rstrip("/") + "/" if link else ""
    if address.web(face.value):
        return face.value
    return urljoin(site, face.value if "/" in face.value else f"images/{face.value}")


def _scripts(found: Translation, option: Option, *, is_own: bool) -> None:
    """The filters in a list of programs: one of them we know."""
    for script in option.value.split():
        name, _, query = script.partition("?")
        if name == _SIFTER and query:
            for parameter, values in parse_qs(query).items():
                _sift(found, option, parameter.removeprefix("--"), "\n".join(values))
        elif is_own:
            found.leave(option, f"names {script}: {NO_PROGRAMS}")


def _sift(found: Translation, option: Option, kind: str, value: str) -> None:
    """A regular expression that has to be, or must not be, in the text of an entry."""
    lines = [line for line in value.split("\n") if line]
    if not lines:
        return
    setting = "exclude" if kind == "exclude" else "include"
    before = found.said.get("filters", {}).get(setting, [])
    if kind not in ("require", "exclude"):
        found.leave(option, f"asks for {kind}, which Planet does not know")
    elif setting == "include" and len([*before, *lines]) > 1:
        words = "has several expressions that must all be found, and here one would be enough"
        found.leave(option, f"{words}; write one expression for all of them")
    else:
        said = [*before, *(f"/{line}/" for line in lines)]
        found.put(("filters", setting), said, option.place)


def _list(section: Section, kind: Option, lost: list[Problem], left: list[Problem]) -> list[Wanted]:
    """A subscription list, if we can read its kind."""
    note = Translation()
    if "opml" not in kind.value:
        note.leave(
            kind, f"is {kind.value}: only lists in OPML are read; {section.name} is left out"
        )
    elif address.web(section.name) is None:
        note.leave(kind, f'says that {section.name} is a list; put its path under "subscriptions"')
    if note.left:
        lost += note.left
        return []
    for option in section.options.values():
        if option.name not in ("content_type", "name"):
            note.leave(option, "is said of a list, whose feeds say for themselves what they are")
    left += note.left
    return [Wanted(said={"url": section.name}, place=section.place)]


def _words(section: Section, name: str) -> set[str]:
    option = section.options.get(name)
    return set(option.value.split()) if option else set()
