"""Settings as written → Config: defaults filled in, subscription files read."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit

from planet.config import editions, nouns, picks, settings, values
from planet.config.checks import contradictions
from planet.config.feeds import count, feed
from planet.config.nouns import timed
from planet.config.opml import feeds_from_opml
from planet.config.yaml import label
from planet.errors import Problem
from planet.model import Picking, Podcast
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.config.settings import Checked
    from planet.config.yaml import Document
    from planet.model import Feed


def _podcast(written: Podcast, folder: Path) -> Podcast:
    """With the file of its cover, which is looked for from `folder`."""
    cover = written.cover
    if not isinstance(cover, str):
        return written
    return replace(written, cover=address.web(cover) or folder / cover)


class Subscribed(NamedTuple):
    """What the subscription lists come to."""

    feeds: tuple[Feed, ...]
    """From the lists that are files."""
    lists: tuple[Feed, ...]
    """The lists that are on the web."""
    files: tuple[Path, ...]
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
    files: list[Path] = []
    problems: list[Problem] = []
    urls: dict[str, int] = {}
    for index, written_url in written.items():
        trail = ("subscriptions", index)
        place = document.place(trail)
        url = values.located(written_url, folder)
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
            said = document.said(trail) or written_url
            taken = {each.slug for each in before}
            itself = settings.Feed(url=written_url)
            lists.append(
                feed(itself, said=said, place=place, folder=folder, defaults=defaults, taken=taken)
            )
            continue
        path = Path(unquote(urlsplit(url).path))
        files.append(path)
        try:
            data = path.read_bytes()
        except OSError as error:
            problems.append(Problem(place, f"{label(trail)} cannot be read: {error.strerror}"))
            continue
        # Named as the config names it, so that a place is short and the same on every machine.
        file = str(path if written_url.startswith(("/", "file:")) else folder / written_url)
        found, more = feeds_from_opml(data, file=file, defaults=defaults, known=before)
        feeds += found
        problems += more
    return Subscribed(tuple(feeds), tuple(lists), tuple(files), tuple(problems))


def resolve(
    checked: Checked, document: Document, *, path: Path
) -> tuple[nouns.Config, tuple[Problem, ...]]:
    """What the file at `path` means, and what in it cannot be meant."""
    planet, folder = checked.planet, path.parent
    theme, theme_place, options = editions.theme(planet.theme, document, folder)
    defaults = nouns.Defaults(
        content=planet.content,
        future=planet.future,
        new_feed_entries=count(planet.new_feed_entries),
        asking=values.planet_wide(planet.fetch),
    )
    feeds = _feeds(checked, document, folder, defaults)
    subscribed = subscriptions(
        checked.subscriptions,
        document,
        folder=folder,
        defaults=defaults,
        known=tuple(feeds.values()),
    )
    podcast = _podcast(planet.podcast, folder)
    lists = {name: _podcast(each, folder) for name, each in planet.lists.items()}
    covers = (each.cover for each in (podcast, *lists.values()))
    as_written = {
        each.name: getattr(planet, each.name)
        for each in fields(nouns.Config)
        if hasattr(planet, each.name)
    }
    config = nouns.Config(
        **as_written
        | {
            "path": path,
            "theme": theme,
            "theme_place": theme_place,
            "theme_options": options,
            "output": folder / planet.output,
            "state": folder / planet.state,
            "pages": replace(
                planet.pages, picking=Picking.LINK if planet.repository else Picking.NONE
            ),
            "podcast": podcast,
            "lists": lists,
            "defaults": defaults,
            "feeds": (*feeds.values(), *subscribed.feeds),
            "subscriptions": subscribed.lists,
            "editions": editions.editions(planet, document, folder=folder),
            "files": (
                *(path, path.with_name(picks.FILE), *subscribed.files),
                *(cover for cover in covers if isinstance(cover, Path)),
            ),
        }
    )
    config = replace(config, feeds=timed(config, config.feeds))
    at_odds = contradictions(config, checked, feeds, document)
    of_editions = editions.problems(config, planet, feeds, document)
    return config, (
        *at_odds,
        *of_editions,
        *subscribed.problems,
    )


def _feeds(
    checked: Checked, document: Document, folder: Path, defaults: nouns.Defaults
) -> dict[int, Feed]:
    """The feeds of the file itself, by their index there."""
    feeds: dict[int, Feed] = {}
    taken: set[str] = set()
    for index, written in checked.feeds.items():
        trail = document.trail(("feeds", index, "url"))
        feeds[index] = feed(
            written,
            said=document.said(trail) or written.url,
            place=document.place(trail),
            folder=folder,
            defaults=defaults,
            taken=taken,
        )
        taken.add(feeds[index].slug)
    return feeds
