"""The kinds of values settings have, each with its check and its JSON Schema."""

# No `from __future__ import annotations`: pydantic reads the annotations when it is run.

from collections.abc import Mapping
from datetime import time, timedelta
from typing import Annotated, Any, ClassVar, TypeVar
from zoneinfo import ZoneInfo

import pydantic
from pydantic import AfterValidator, Field, PlainValidator, Strict, WithJsonSchema

from planet import model
from planet.config import addresses, categories, filters, headers, signing, values

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
    filters.pattern(text)
    return text


_DURATION = WithJsonSchema(_string("duration", values.DURATION))

Raw = Annotated[str, Strict()]
Text = Annotated[Raw, AfterValidator(values.line)]
Secret = Annotated[Raw, AfterValidator(values.secret)]
PrivateKey = Annotated[Raw, AfterValidator(signing.private_key), _described("private key")]
Email = Annotated[Raw, AfterValidator(values.email), _described("mail address")]
UserName = Annotated[Raw, AfterValidator(values.user_name)]
FilePath = Annotated[Raw, AfterValidator(values.path), _described("path")]
FeedAddress = Annotated[Raw, AfterValidator(addresses.checked), _described("feed address")]
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
Category = Annotated[Raw, AfterValidator(categories.checked), _described("podcast category")]
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
        Annotated[Raw, AfterValidator(headers.name)], Annotated[Raw, AfterValidator(headers.value)]
    ],
    AfterValidator(headers.distinct),
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
