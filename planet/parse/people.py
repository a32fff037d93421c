"""Names as feeds have them → Persons, without the mail addresses that come with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from planet.model import Person
from planet.parse import values

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_PERSONS = 50
_AROUND = "()<>[]{}\"',;:"
# With a dot in its host: "Brian@Stone" and "@ann@social.example" are names.
_MAIL = re.compile(r"(?:mailto:)?[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+", re.IGNORECASE)


def person(name: object, url: object = None, *bases: str | None) -> Person | None:
    """Someone with a name or an address; None when nothing but a mail address is known."""
    known_as = without_mail(values.line(name))
    address = values.link(url, *bases)
    return Person(name=known_as, url=address) if known_as or address else None


def without_mail(name: str | None) -> str | None:
    """A name without mail addresses: `ann@a.example (Ann)` and `Ann <ann@a.example>` are Ann."""
    if name is None or "@" not in name:
        return name
    words = [word for word in name.split() if not _MAIL.fullmatch(word.strip(_AROUND))]
    if len(words) == len(name.split()):
        return name
    return " ".join(words).strip(_AROUND + " ") or None


def different(persons: Iterable[Person | None]) -> tuple[Person, ...]:
    """Each person once, at most fifty: equal names are one person, with the first address."""
    found: dict[str, Person] = {}
    for each in persons:
        if each is None:
            continue
        key = (each.name or each.url or "").casefold()
        before = found.get(key)
        if before is None:
            found[key] = each
        elif before.url is None:
            found[key] = Person(name=before.name, url=each.url)
    return tuple(found.values())[:_MAX_PERSONS]
