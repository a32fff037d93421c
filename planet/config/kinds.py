"""The kinds of values settings have, each with its check and its JSON Schema."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Final

from planet.config import values
from planet.config.values import line
from planet.model import Field, Pattern, Weekday

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import regex


_REGEX: Final = re.compile(r"/(.*)/([A-Za-z]*)", re.DOTALL)
# Flags of other languages: somebody who writes them means a regular expression.
_FLAGS: Final = frozenset("gimsuxy")
# More letters than these are rather the end of a path: `/usr/bin`.
_MOST_FLAGS: Final = 2
# What continues a word. Vowel signs and accents are marks, and `\w` knows letters and digits only.
_WORD: Final = (
    r"\w\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    r"\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u0dff"
)
# Scripts that put no blanks between words, and Hangul, where particles follow a noun directly.
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0eff\u0f00-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    r"\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


def pattern(written: str) -> Pattern:
    r"""What a filter looks for, written as `word`, `some phrase`, `/regex/` or `/regex/i`.

    A word or phrase is found whatever the case, and only as whole words: "art" is not in "party".
    An end of it that is no part of a word (`C++`), or of a script without blanks between words,
    is found wherever it stands. A regular expression is searched for as it is.

    Raises:
        ValueError: it cannot be one, in words that follow the name of the setting.
    """
    said = line(written)
    match = _REGEX.fullmatch(written.strip())
    if match and len(match[2]) <= _MOST_FLAGS and not set(match[2]) <= _FLAGS:
        words = said.replace("/", "\\/")
        raise ValueError(
            f'looks like a regular expression with the flags "{match[2]}", and the only one there '
            f"is, is \"i\"; if the words are meant with their slashes, write '/{words}/'"
        )
    if match is None or not set(match[2]) <= _FLAGS:
        return Pattern(said=said, regex=_phrase(said))
    if not match[1]:
        raise ValueError("must not be an empty regular expression: it would match everything")
    if match[2] not in ("", "i"):
        raise ValueError(f'has the flags "{match[2]}"; the only one there is, is "i"')
    return Pattern(said=said, regex=expression(match[1], re.IGNORECASE if match[2] else 0))


def _phrase(said: str) -> re.Pattern[str]:
    body = r"\s+".join(map(re.escape, said.split()))
    before = rf"(?<![{_WORD}])" if _is_bounded(said[0]) else ""
    after = rf"(?![{_WORD}])" if _is_bounded(said[-1]) else ""
    return re.compile(before + body + after, re.IGNORECASE)


def _is_bounded(edge: str) -> bool:
    """Whether a word with this character at its edge ends there."""
    return bool(re.match(f"[{_WORD}]", edge)) and not _UNSPACED.match(edge)


def expression(text: str, flags: int) -> regex.Pattern[str]:
    """A regular expression of the operator's, whose searches can be given an end.

    Raises:
        ValueError: it is none, in words that follow the name of the setting.
    """
    # Few configs have one.
    import regex

    try:
        with warnings.catch_warnings():
            # What a later Python may read in another way is the operator's to decide.
            warnings.simplefilter("ignore")
            # It is what the manual of Python says it is, and `regex` reads that in the same way.
            re.compile(text, flags)
            return regex.compile(text, flags | regex.VERSION0)
    except re.error as error:
        at = "" if error.pos is None else f" at character {error.pos + 1} of it"
        raise ValueError(f"is not a regular expression: {error.msg}{at}") from None
    except regex.error as error:
        raise ValueError(f"is not a regular expression: {error}") from None
    except (OverflowError, RecursionError, MemoryError):
        raise ValueError("is a regular expression too large to compile") from None


_SUBCATEGORIES: Final = {
    "Arts": "Books, Design, Fashion & Beauty, Food, Performing Arts, Visual Arts",
    "Business": "Careers, Entrepreneurship, Investing, Management, Marketing, Non-Profit",
    "Comedy": "Comedy Interviews, Improv, Stand-Up",
    "Education": "Courses, How To, Language Learning, Self-Improvement",
    "Fiction": "Comedy Fiction, Drama, Science Fiction",
    "Government": "",
    "History": "",
    "Health & Fitness": "Alternative Health, Fitness, Medicine, Mental Health, Nutrition, "
    "Sexuality",
    "Kids & Family": "Education for Kids, Parenting, Pets & Animals, Stories for Kids",
    "Leisure": "Animation & Manga, Automotive, Aviation, Crafts, Games, Hobbies, Home & Garden, "
    "Video Games",
    "Music": "Music Commentary, Music History, Music Interviews",
    "News": "Business News, Daily News, Entertainment News, News Commentary, Politics, "
    "Sports News, Tech News",
    "Religion & Spirituality": "Buddhism, Christianity, Hinduism, Islam, Judaism, Religion, "
    "Spirituality",
    "Science": "Astronomy, Chemistry, Earth Sciences, Life Sciences, Mathematics, "
    "Natural Sciences, Nature, Physics, Social Sciences",
    "Society & Culture": "Documentary, Personal Journals, Philosophy, Places & Travel, "
    "Relationships",
    "Sports": "Baseball, Basketball, Cricket, Fantasy Sports, Football, Golf, Hockey, Rugby, "
    "Running, Soccer, Swimming, Tennis, Volleyball, Wilderness, Wrestling",
    "Technology": "",
    "True Crime": "",
    "TV & Film": "After Shows, Film History, Film Interviews, Film Reviews, TV Reviews",
}
ALL: Final = frozenset(_SUBCATEGORIES) | {
    f"{category} > {name}"
    for category, names in _SUBCATEGORIES.items()
    for name in filter(None, names.split(", "))
}
"""Every category, a subcategory after its category."""


def checked(text: str) -> str:
    """A category as `Podcast` has it.

    Raises:
        ValueError: there is none of this name.
    """
    said = " > ".join(part.strip() for part in text.split(">"))
    if said in ALL:
        return said
    near = get_close_matches(said, sorted(ALL), n=1)
    hint = f'; did you mean "{near[0]}"?' if near else ""
    raise ValueError(
        'must be a category of Apple Podcasts such as "Arts" or "Arts > Books", not {said}' + hint
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kind:
    """A kind of value: what it means, and what editors are told of it."""

    check: Callable[[Any], Any]
    """What a value means.

    Raises:
        ValueError: it does not fit, in words as in `values`.
    """
    schema: dict[str, Any]
    whole: Callable[[Any], Any] | None = None
    """What a list or a mapping of such values means."""
    section: type | None = None
    """What may stand in place of a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InField:
    """Words, phrases and regular expressions, each looked for in one part of an entry."""

    title: Annotated[tuple[Pattern, ...], "word"] = ()
    """Its title."""
    content: Annotated[tuple[Pattern, ...], "word"] = ()
    """Its text."""
    author: Annotated[tuple[Pattern, ...], "word"] = ()
    """The names of its authors."""
    category: Annotated[tuple[Pattern, ...], "word"] = ()
    """Its categories."""
    link: Annotated[tuple[Pattern, ...], "word"] = ()
    """Its address."""


def _patterns(written: Iterable[Pattern | InField]) -> tuple[Pattern, ...]:
    """All of them, each with the part of an entry it is looked for in."""
    found: list[Pattern] = []
    for each in written:
        if isinstance(each, Pattern):
            found.append(each)
            continue
        for field in Field:
            found += (replace(one, field=field) for one in getattr(each, field.value))
    return tuple(found)


TEXT: Final = "must be text"
MAPPING: Final = 'must be a mapping, as in "name: value", not {said}'


def text(
    check: Callable[[str], Any],
    comment: str = "",
    pattern: str = "",
    *,
    otherwise: str = TEXT,
    **more: Any,
) -> Kind:
    """A kind that is written as text; `pattern` is for editors, which know no `check`."""

    def checked(value: object) -> Any:
        if not isinstance(value, str):
            raise ValueError(otherwise)
        return check(value)

    return Kind(check=checked, schema=_schema(comment, pattern), **more)


def _schema(comment: str, pattern: str) -> dict[str, Any]:
    schema = {"type": "string"}
    if comment:
        schema["$comment"] = comment
    if pattern:
        # `${NAME}` may stand for any text.
        schema["pattern"] = f"^({pattern})$|{values.VARIABLE}"
    return schema


def _whole_number(least: int | None = None, most: int | None = None) -> Kind:
    def check(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError("must be a whole number, not {said}")
        if least is not None and value < least:
            raise ValueError(f"must be {least} or more, not {{said}}")
        if most is not None and value > most:
            raise ValueError(f"must be {most} or less, not {{said}}")
        return value

    limits = {"minimum": least, "maximum": most}
    schema = {name: limit for name, limit in limits.items() if limit is not None}
    return Kind(check=check, schema={"type": "integer", **schema})


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false, not {said}")
    return value


_DURATION: Final = _schema("duration", values.DURATION)
_DAYS: Final = [name for day in Weekday for name in (day.value, day[:3])]
_NUMBER_OR_ALL: Final = [{"type": "integer", "minimum": 0}, {"const": "all"}]
_SIZE: Final = [{"type": "integer", "minimum": 1}, _schema("size", values.SIZE)]

KINDS: Final = {
    "text": text(values.line),
    "secret": text(values.secret),
    "user name": text(values.user_name),
    "private key": text(values.private_key, "private key"),
    "mail address": text(values.email, "mail address"),
    "path": text(values.path, "path"),
    "theme": text(values.path, "path", otherwise=MAPPING),
    "path or web address": text(values.path, "path or web address"),
    "feed address": text(values.checked, "feed address"),
    "web address": text(values.web_address, "web address"),
    "site address": text(values.site_address, "web address"),
    "origin": text(values.origin, "web address"),
    "language tag": text(values.language, "language tag", values.LANGUAGE),
    "podcast category": text(checked, "podcast category"),
    "word": text(pattern, "pattern"),
    "pattern": text(pattern, "pattern", section=InField, whole=_patterns),
    "header name": text(values.name),
    "header": text(values.value, whole=values.distinct),
    "flag": Kind(check=_flag, schema={"type": "boolean"}),
    "whole number": _whole_number(),
    "count from zero": _whole_number(0),
    "count": _whole_number(1),
    "workers": _whole_number(1, 200),
    "number or all": Kind(check=values.count_or_all, schema={"anyOf": _NUMBER_OR_ALL}),
    "size": Kind(check=values.size, schema={"anyOf": _SIZE}),
    "scalar": Kind(check=values.scalar, schema={"type": ["string", "number", "boolean"]}),
    "duration": Kind(check=values.duration, schema=_DURATION),
    "period": Kind(check=values.period, schema=_DURATION),
    "time of day": Kind(check=values.clock, schema=_schema("time of day", values.CLOCK)),
    "time zone": Kind(check=values.zone, schema=_schema("time zone", r"[\w/+-]+")),
    "day": Kind(check=values.weekday, schema={"type": "string", "enum": _DAYS}),
    "list name": text(values.list_name, "name", values.LIST_NAME),
}
"""By the names that settings call them by."""
