"""What feeds and entries have alike in feedparser's dicts: links, people, categories, dates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planet.parse import dates, values
from planet.parse.people import different, person

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from planet.model import Person

# itunes:keywords were meant for a search engine of 2005, and read like it.
_KEYWORDS = "http://www.itunes.com/"
_PAGES = frozenset({"text/html", "application/xhtml+xml"})


def linked(said: Mapping[str, Any], rel: str) -> list[object]:
    """Where the links of a relation lead."""
    links = [each for each in values.dicts(said.get("links")) if each.get("rel") == rel]
    # A stable sort: pages first, then what else there is.
    links.sort(key=lambda each: each.get("type") not in _PAGES)
    return [each.get("href") for each in links]


def page(said: Mapping[str, Any], *bases: str | None) -> str | None:
    """The page a feed or an entry stands for: the first alternate link that is one."""
    return values.first_link(linked(said, "alternate"), *bases)


def people(said: Mapping[str, Any], *bases: str | None) -> tuple[Person, ...]:
    """The authors."""
    authors = values.dicts(said.get("authors"))
    return different(person(each.get("name"), each.get("href"), *bases) for each in authors)


def categories(said: Mapping[str, Any], *, keywords: bool) -> tuple[str, ...]:
    """The categories, by their labels; `keywords` tells whether those of iTunes are any."""
    tags = values.dicts(said.get("tags"))
    return values.lines(
        each.get("label") or each.get("term")
        for each in tags
        if keywords or each.get("scheme") != _KEYWORDS
    )


def image_address(value: object) -> object:
    """The address of an image element, in whatever form it is there."""
    return value.get("href") if isinstance(value, dict) else value


def moment(said: Mapping[str, Any], name: str) -> datetime | None:
    """A date."""
    # Not feedparser's own reading of it: that depends on the host's zone and on today's date.
    written = said.get(name)
    return dates.moment(written) if isinstance(written, str) else None
