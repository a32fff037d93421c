"""Settings as written → Config: defaults filled in, subscription files read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planet.config import asking, editions, nouns
from planet.config.contradictions import contradictions
from planet.config.covers import covers
from planet.config.extras import missing
from planet.config.feed import count, feed, wanted
from planet.config.podcast import podcast
from planet.config.subscriptions import subscriptions
from planet.config.waiting import timed
from planet.model import DigestTimes, Owner, Pages, Picking

if TYPE_CHECKING:
    from pathlib import Path

    from planet.config import settings
    from planet.config.document import Document
    from planet.config.settings import Checked
    from planet.errors import Problem
    from planet.model import Feed


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
        asking=asking.planet_wide(planet.fetch),
    )
    feeds = _feeds(checked, document, folder, defaults)
    subscribed = subscriptions(
        checked.subscriptions,
        document,
        folder=folder,
        defaults=defaults,
        known=tuple(feeds.values()),
    )
    config = nouns.Config(
        path=path,
        title=planet.title,
        link=planet.link,
        description=planet.description,
        owner=Owner(name=planet.owner.name, email=planet.owner.email, url=planet.owner.url),
        language=planet.language,
        timezone=planet.timezone,
        theme=theme,
        theme_place=theme_place,
        theme_options=options,
        output=folder / planet.output,
        state=folder / planet.state,
        fetch=nouns.Fetch(
            workers=planet.fetch.workers,
            host_gap=planet.fetch.host_gap,
            budget=planet.fetch.budget,
            contact=planet.fetch.contact,
            appview=planet.fetch.appview,
            signature=_signing(planet.fetch.signature),
        ),
        cache=nouns.Cache(backend=planet.cache.backend, options=planet.cache.options),
        pages=Pages(
            front=planet.pages.front,
            feed=planet.pages.feed,
            source=planet.pages.source,
            images=planet.pages.images,
            indexing=planet.pages.indexing,
            script=planet.pages.script,
            search=planet.pages.search,
            picking=Picking.LINK if planet.repository else Picking.NONE,
        ),
        podcast=podcast(planet.podcast, folder),
        lists={name: podcast(each, folder) for name, each in planet.lists.items()},
        digest=_digest(planet.digest),
        hub=planet.hub,
        repository=planet.repository,
        filters=wanted(planet.filters),
        retention=nouns.Retention(
            entries=planet.retention.entries, content=planet.retention.content
        ),
        sanitizer=planet.sanitizer,
        defaults=defaults,
        feeds=(*feeds.values(), *subscribed.feeds),
        subscriptions=subscribed.lists,
        editions=editions.editions(planet, document, folder=folder),
    )
    config = replace(config, feeds=timed(config, config.feeds))
    at_odds = contradictions(config, checked, feeds, document)
    of_editions = editions.problems(config, planet, feeds, document)
    return config, (
        *at_odds,
        *of_editions,
        *covers(config, document),
        *missing(config, document),
        *subscribed.problems,
    )


def _signing(written: settings.Signature | None) -> nouns.SigningKey | None:
    return nouns.SigningKey(key_id=written.key_id, key=written.key) if written else None


def _digest(written: settings.Digest | None) -> DigestTimes | None:
    if written is None:
        return None
    return DigestTimes(every=written.every, at=written.at, weekday=written.weekday)


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
