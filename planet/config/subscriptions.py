"""Subscription lists of the config: files are read at once, web addresses are feeds to ask for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from planet.config import addresses, settings
from planet.config.document import label
from planet.config.feed import feed
from planet.config.opml import feeds_from_opml
from planet.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.config import nouns
    from planet.config.document import Document
    from planet.model import Feed


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscribed:
    """What the subscription lists come to."""

    feeds: tuple[Feed, ...]
    """From the lists that are files."""
    lists: tuple[Feed, ...]
    """The lists that are on the web."""
    problems: tuple[Problem, ...]


def subscriptions(
    written: Mapping[int, str],
    document: Document,
    *,
    folder: Path,
    defaults: nouns.Defaults,
    known: Sequence[Feed],
) -> Subscribed:
    """What the lists come to, by their index under `subscriptions`; without feeds in `known`."""
    feeds: list[Feed] = []
    lists: list[Feed] = []
    problems: list[Problem] = []
    urls: dict[str, int] = {}
    for index, address in written.items():
        trail = ("subscriptions", index)
        place = document.place(trail)
        url = addresses.located(address, folder)
        before = (*known, *feeds, *lists)
        if url in urls:
            first = label(("subscriptions", urls[url]))
            problems.append(Problem(place, f"{label(trail)} is the same list as {first}"))
            continue
        urls[url] = index
        if url in {each.url for each in before}:
            problems.append(Problem(place, f"{label(trail)} is the address of a feed here as well"))
            continue
        if not url.startswith("file:"):
            said = document.said(trail) or address
            taken = {each.slug for each in before}
            itself = settings.Feed(url=address)
            lists.append(
                feed(itself, said=said, place=place, folder=folder, defaults=defaults, taken=taken)
            )
            continue
        path = Path(unquote(urlsplit(url).path))
        try:
            data = path.read_bytes()
        except OSError as error:
            problems.append(Problem(place, f"{label(trail)} cannot be read: {error.strerror}"))
            continue
        # Named as the config names it, so that a place is short and the same on every machine.
        file = str(path if address.startswith(("/", "file:")) else folder / address)
        found, more = feeds_from_opml(data, file=file, defaults=defaults, known=before)
        feeds += found
        problems += more
    return Subscribed(feeds=tuple(feeds), lists=tuple(lists), problems=tuple(problems))
