"""The page that says what the planet is, how it behaves, and whom to write to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.render import bodies, feedlinks
from planet.render.places import href
from planet.render.sheet import Sheet

if TYPE_CHECKING:
    from planet.model import Edition
    from planet.words.words import Words


def sheet(edition: Edition, words: Words) -> Sheet:
    """The page about an edition's planet."""
    owner, sources, posts = edition.owner, len(edition.sources), len(edition.posts)
    return Sheet(
        kind="about",
        path="about/index.html",
        title=words.about,
        facts=(owner.email, owner.url, sources, posts),
        body=lambda _: bodies.AboutPage(
            sources=sources, posts=posts, email=owner.email, home=href(owner.url)
        ),
        feeds=feedlinks.of_posts(edition),
    )
