"""What the config of another program says → what ours can say of it, and what it cannot.

Nothing is dropped without a word: each option is taken over, or is a `Problem` that says why not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from planet.address import redacted
from planet.config import addresses, mistakes, settings, yaml
from planet.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from planet.config.document import Trail
    from planet.config.ini import Option
    from planet.model import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A feed of the other program, as our config would say it."""

    said: Mapping[str, Any]
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

    trail: tuple[str, ...]
    meaning: Callable[[str], Any] = str
    """What its text means; raises ValueError with why that cannot be said here."""


@dataclass(slots=True)
class Translation:
    """Options, as far as they can be said here."""

    said: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    left: list[Problem] = field(default_factory=list)

    def put(self, trail: tuple[str, ...], value: Any, place: Place) -> None:
        """Say a value under the names that lead to it."""
        here = self.said
        for name in trail[:-1]:
            here = here.setdefault(name, {})
        here[trail[-1]] = value
        self.places[".".join(trail)] = place

    def leave(self, option: Option, why: str) -> None:
        """Write down why an option is not taken over."""
        self.left.append(Problem(option.place, f"{option.name} {why}"))


def translated(
    options: Iterable[Option],
    words: Mapping[str, Word],
    reasons: Mapping[str, str],
    *,
    otherwise: str,
) -> Translation:
    """What options come to. Of one that `words` does not have, `reasons` or `otherwise` says why.

    One without a value says nothing, and is passed over.
    """
    found = Translation()
    for option in options:
        word = words.get(option.name)
        if not option.value:
            continue
        if word is None:
            found.leave(option, reasons.get(option.name, otherwise))
            continue
        try:
            found.put(word.trail, word.meaning(option.value), option.place)
        except ValueError as error:
            found.leave(option, str(error))
    return found


def fitting(
    wanted: Wanted,
) -> tuple[dict[str, Any] | None, tuple[Problem, ...], tuple[Problem, ...]]:
    """The settings of a feed that our config can have, why not the others, and what was mended.

    There are none when its address is not one.
    """
    written = wanted.said.get("url")
    if written is None:
        return None, (Problem(wanted.place, "names no feed"),), ()
    url = addresses.without_feed_scheme(written)
    whole = {"title": "?", "feeds": [_literal({**wanted.said, "url": url})]}
    left, problems = _fitted(whole, ("feeds", 0), wanted.places, wanted.place)
    words = f'its address begins with "feed:" and is read as {redacted(url)}'
    mended = (Problem(wanted.places.get("url", wanted.place), words),) if url != written else ()
    return (left if "url" in left else None), problems, mended


def fitting_planet(found: Elsewhere, place: Place) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """The settings of the planet that our config can have, and why not the others."""
    whole = {"title": "My Planet", **_literal(dict(found.planet))}
    return _fitted(whole, (), found.planet_places, place)


def _fitted(
    whole: dict[str, Any], top: Trail, places: Mapping[str, Place], place: Place
) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    wrong = settings.check(whole).mistakes
    here: Any = whole
    for step in top:
        here = here[step]
    if not wrong:
        return here, ()
    document, _ = yaml.read(json.dumps(whole).encode(), file="", expand=str)
    prefix = "feeds[0]."
    problems = []
    for mistake, problem in zip(wrong, mistakes.problems(wrong, document), strict=True):
        trail = mistake.location[len(top) :] or ("url",)
        name = str(trail[0])
        where = places.get(".".join(map(str, trail[:2])), places.get(name, place))
        problems.append(Problem(where, problem.message.removeprefix(prefix)))
        inner = here.get(name)
        # Of filters, one that is wrong takes no other along.
        if isinstance(inner, dict) and len(trail) > 1:
            inner.pop(str(trail[1]), None)
        if not isinstance(inner, dict) or len(trail) == 1 or not inner:
            here.pop(name, None)
    return here, tuple(problems)


def _literal(value: Any) -> Any:
    """A copy in which nothing is taken from the environment: another's text could ask for it."""
    if isinstance(value, dict):
        return {name: _literal(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_literal(each) for each in value]
    return value.replace("${", "$ {") if isinstance(value, str) else value
