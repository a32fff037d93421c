"""The kinds of values settings have, each with its check and its JSON Schema."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from datetime import time, timedelta
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeVar
from zoneinfo import ZoneInfo

import pydantic
from pydantic import AfterValidator, Field, PlainValidator, Strict, WithJsonSchema

from planet import model
from planet.config import values
from planet.config.values import line
from planet.model import Pattern

if TYPE_CHECKING:
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
    return Pattern(said=said, regex=_expression(match[1], re.IGNORECASE if match[2] else 0))


def _phrase(said: str) -> re.Pattern[str]:
    body = r"\s+".join(map(re.escape, said.split()))
    before = rf"(?<![{_WORD}])" if _is_bounded(said[0]) else ""
    after = rf"(?![{_WORD}])" if _is_bounded(said[-1]) else ""
    return re.compile(before + body + after, re.IGNORECASE)


def _is_bounded(edge: str) -> bool:
    """Whether a word with this character at its edge ends there."""
    return bool(re.match(f"[{_WORD}]", edge)) and not _UNSPACED.match(edge)


def _expression(text: str, flags: int) -> regex.Pattern[str]:
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


# No `from __future__ import annotations`: pydantic reads the annotations when it is run.


T = TypeVar("T")


class Section:
    """What all sections of the file have in common: a setting nobody knows is a mistake."""

    __slots__ = ()
    __pydantic_config__: ClassVar = pydantic.ConfigDict(extra="forbid")


class _OrOne:
    """Marks a list that may be written as its only item."""

    def __get_pydantic_json_schema__(
        self, schema: Any, handler: pydantic.GetJsonSchemaHandler
    ) -> Any:
        many = handler(schema)
        return {"anyOf": [many["items"], many]}


class _OrItsName:
    """Marks a section with a name that may be written as the name alone."""

    def __get_pydantic_json_schema__(
        self, schema: Any, handler: pydantic.GetJsonSchemaHandler
    ) -> Any:
        section = handler(schema)
        name = handler.resolve_ref_schema(section)["properties"]["name"]
        return {"anyOf": [{"type": name["type"], "$comment": name["$comment"]}, section]}


def _string(kind: str, pattern: str) -> dict[str, str]:
    # `${NAME}` may stand for any text.
    either = f"^({pattern})$|{values.VARIABLE}"
    return {"type": "string", "pattern": either, "$comment": kind}


def _described(kind: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "$comment": kind})


def _listed(value: object) -> object:
    return value if isinstance(value, list) else [value]


def _named(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


def _findable(text: str) -> str:
    pattern(text)
    return text


_DURATION = WithJsonSchema(_string("duration", values.DURATION))

Raw = Annotated[str, Strict()]
Text = Annotated[Raw, AfterValidator(values.line)]
Secret = Annotated[Raw, AfterValidator(values.secret)]
PrivateKey = Annotated[Raw, AfterValidator(values.private_key), _described("private key")]
Email = Annotated[Raw, AfterValidator(values.email), _described("mail address")]
UserName = Annotated[Raw, AfterValidator(values.user_name)]
FilePath = Annotated[Raw, AfterValidator(values.path), _described("path")]
FeedAddress = Annotated[Raw, AfterValidator(values.checked), _described("feed address")]
WebAddress = Annotated[Raw, AfterValidator(values.web_address), _described("web address")]
SiteAddress = Annotated[Raw, AfterValidator(values.site_address), _described("web address")]
Origin = Annotated[Raw, AfterValidator(values.origin), _described("web address")]
Language = Annotated[
    Raw, AfterValidator(values.language), WithJsonSchema(_string("language tag", values.LANGUAGE))
]
Zone = Annotated[
    ZoneInfo,
    PlainValidator(values.zone),
    WithJsonSchema(_string("time zone", r"[\w/+-]+")),
]
Clock = Annotated[
    time, PlainValidator(values.clock), WithJsonSchema(_string("time of day", values.CLOCK))
]
Day = Annotated[
    model.Weekday,
    PlainValidator(values.weekday),
    WithJsonSchema(
        {"type": "string", "enum": [name for day in model.Weekday for name in (day.value, day[:3])]}
    ),
]
ListName = Annotated[
    Raw, AfterValidator(values.list_name), WithJsonSchema(_string("name", values.LIST_NAME))
]
CoverFile = Annotated[Raw, AfterValidator(values.path), _described("path or web address")]
Category = Annotated[Raw, AfterValidator(checked), _described("podcast category")]
Duration = Annotated[timedelta, PlainValidator(values.duration), _DURATION]
Period = Annotated[timedelta, PlainValidator(values.period), _DURATION]
Size = Annotated[
    int,
    PlainValidator(values.size),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, _string("size", values.SIZE)]}),
]
CountOrAll = Annotated[
    int | str,
    PlainValidator(values.count_or_all),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0}, {"const": "all"}]}),
]
Scalar = Annotated[
    str | int | float | bool,
    PlainValidator(values.scalar),
    WithJsonSchema({"type": ["string", "number", "boolean"]}),
]
Integer = Annotated[int, Strict()]
Count = Annotated[Integer, Field(ge=1)]
Flag = Annotated[bool, Strict()]
Sought = Annotated[Raw, AfterValidator(_findable), _described("pattern")]
Headers = Annotated[
    Mapping[
        Annotated[Raw, AfterValidator(values.name)], Annotated[Raw, AfterValidator(values.value)]
    ],
    AfterValidator(values.distinct),
]
OrItsName = Annotated[T, pydantic.BeforeValidator(_named), _OrItsName()]
OneOrMore = Annotated[tuple[T, ...], pydantic.BeforeValidator(_listed), _OrOne()]

# What may be said of the planet and of one feed alike.
MIN_INTERVAL = Field(
    description="The least time between two requests for one feed; less than 1h only with "
    "`agreed: true`. Where the server sends neither ETag nor Last-Modified each answer is a whole "
    "one, and it is at least 1d, or, where the feed has its own, at least 1h."
)
MAX_INTERVAL = Field(description="The longest time a feed in good order goes without a request.")
AGREED = Field(description="The publisher agreed to be asked more often than once an hour.")
TIMEOUT = Field(description="How long one request may take, from connecting to the last byte.")
MAX_SIZE = Field(
    description="The largest answer that is read, as sent; unpacked it may be twice as large."
)
CONTENT = Field(description="How much of each entry is published.")
FUTURE = Field(
    description="What becomes of an entry dated in the future: `clamp` files it under the moment "
    "it was first seen, `drop` hides it until its date, `keep` believes the date."
)
NEW_FEED_ENTRIES = Field(
    description="How many entries of a feed are shown of those found the first time, so that a new "
    "feed does not flood the page."
)
