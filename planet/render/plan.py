"""Edition → Sheets: which pages a site has.

A new post touches the front page, its month, its source, the tags of that, the podcast if it has
something to play, the lists of months and sources, and the page about the planet, which counts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.render import (
    about,
    bodies,
    digests,
    feedlinks,
    linked,
    origins,
    podcasts,
    river,
    searching,
)
from planet.render.fingerprint import Marks
from planet.render.sheet import Sheet
from planet.words import speak

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.model import Contents, Edition, Pages
    from planet.render.present import Presenter
    from planet.render.theme import Theme
    from planet.words.words import Words


def sheets(edition: Edition, *, theme: Theme, pages: Pages, contents: Contents) -> Iterator[Sheet]:
    """The pages of a site; of two editions, those with the same path are the same page."""
    marks, words = Marks(), speak(edition.language)
    full = contents if theme.full_text else None
    yield from river.sheets(edition, pages, full, marks, words)
    yield from origins.sheets(edition, pages, contents, marks, words)
    yield from podcasts.sheets(edition, pages, marks, words, cover=theme.cover)
    yield from digests.sheets(edition, words)
    yield linked.sheet(edition, marks, words)
    yield about.sheet(edition, words)
    if pages.search:
        yield searching.sheet(edition, words)
    yield _subscribe(edition, words)
    yield _missing(edition, words)


def _subscribe(edition: Edition, words: Words) -> Sheet:
    feeds, opml = feedlinks.of_planet(edition), feedlinks.opml_of(edition)
    lists = tuple(feedlinks.of_list(listed)[0] for listed in edition.lists)

    def body(presenter: Presenter) -> bodies.SubscribePage:
        return bodies.SubscribePage(
            feeds=tuple(feed.link(presenter) for feed in feeds),
            lists=tuple(feed.link(presenter) for feed in lists),
            opml=opml.link(presenter),
        )

    return Sheet(
        kind="subscribe",
        path="subscribe/index.html",
        title=words.subscribe,
        facts=lists,
        body=body,
        feeds=feeds,
    )


def _missing(edition: Edition, words: Words) -> Sheet:
    return Sheet(
        kind="404",
        path="404.html",
        title=words.missing,
        facts=(),
        body=lambda _: bodies.MissingPage(),
        feeds=feedlinks.of_posts(edition),
    )
