"""What `picks.yaml` says of its picks, as written: None is what was not given."""

# No `from __future__ import annotations`: pydantic reads the annotations when it is run.

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Tag, TypeAdapter, ValidationError

from planet import model
from planet.config.settings import Mistake, kinds
from planet.config.settings.kinds import OneOrMore, Section
from planet.config.settings.literal import Address, Count, Given, Language, Moment, Seconds, Words


def _some(files: tuple[object, ...]) -> tuple[object, ...]:
    if not files:
        raise ValueError("needs the address of a file")
    return files


def _form(value: object) -> str:
    return "mapping" if isinstance(value, dict) else "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Show(Section):
    """The podcast it is of."""

    title: Words | None = None
    url: Address | None = None
    link: Address | None = None
    author: Words | None = None
    image: Address | None = None
    language: Language | None = None
    explicit: kinds.Flag | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure(Section):
    """A file that belongs to it."""

    url: Address
    type: Words | None = None
    length: Count | None = None
    duration: Seconds | None = None
    title: Words | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Person(Section):
    """Someone who is in it, or made it."""

    name: Words | None = None
    url: Address | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript(Section):
    """What is said in it."""

    url: Address
    type: Words
    language: Language | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Section):
    """Where it was first published."""

    id: Words | None = None
    title: Words | None = None
    link: Address | None = None


Persons = OneOrMore[
    Annotated[
        Annotated[Words, Tag("text")] | Annotated[Person, Tag("mapping")], Discriminator(_form)
    ]
]
Enclosures = Annotated[
    OneOrMore[
        Annotated[
            Annotated[Address, Tag("text")] | Annotated[Enclosure, Tag("mapping")],
            Discriminator(_form),
        ]
    ],
    AfterValidator(_some),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick(Section):
    """An episode, with what is needed to publish it for ever."""

    title: Words
    picked: Moment
    list: kinds.ListName | None = None
    note: Words | None = None
    show: Show = field(default_factory=Show)
    link: Address | None = None
    published: Moment | None = None
    updated: Moment | None = None
    enclosure: Enclosures
    image: Address | None = None
    episode: Count | None = None
    season: Count | None = None
    type: Literal["full", "trailer", "bonus"] | None = None
    explicit: kinds.Flag | None = None
    language: Language | None = None
    authors: Persons = ()
    categories: OneOrMore[Words] = ()
    chapters: Address | None = None
    transcripts: OneOrMore[Transcript] = ()
    persons: Persons = ()
    comments: Address | None = None
    rights: Words | None = None
    source: Source | None = None
    feed: Given | None = None
    id: Given | None = None
    summary: Words | None = None
    base: Address | None = None
    notes_type: model.TextKind = model.TextKind.HTML
    notes: Given | None = None


_PICK = TypeAdapter(Pick)
_SECTIONS: Mapping[object, type[Section]] = {
    "show": Show,
    "enclosure": Enclosure,
    "source": Source,
    "transcripts": Transcript,
    "authors": Person,
    "persons": Person,
}


def check(written: Mapping[str, Any]) -> tuple[Mapping[int, Pick], tuple[Mistake, ...]]:
    """The picks in a file, by their place in its list, and all that does not fit.

    A pick with a mistake in it is not among them.
    """
    mistakes = [
        _mistake((name,), "unexpected_keyword_argument") for name in written.keys() - {"picks"}
    ]
    items = written.get("picks") or ()
    if not isinstance(items, list | tuple):
        mistakes.append(_mistake(("picks",), "tuple_type"))
        items = ()
    picks = {}
    for index, item in enumerate(items):
        try:
            picks[index] = _PICK.validate_python(item)
        except ValidationError as error:
            mistakes += [
                _mistake(("picks", index, *each["loc"]), each["type"], each.get("ctx", {}))
                for each in error.errors(include_url=False, include_input=False)
            ]
    return picks, tuple(mistakes)


def names_beside(location: tuple[str | int, ...]) -> tuple[str, ...]:
    """What may stand where an unknown name stands."""
    if len(location) == 1:
        return ("picks",)
    kind: Any = next((_SECTIONS[step] for step in location[:-1] if step in _SECTIONS), Pick)
    return tuple(each.name for each in fields(kind))


def _mistake(
    location: tuple[str | int, ...], kind: str, context: Mapping[str, Any] | None = None
) -> Mistake:
    return Mistake(location=location, kind=kind, context=context or {})
