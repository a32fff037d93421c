"""The page on which posts are searched; the index is made elsewhere, and a script looks it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.model import SEARCHED
from planet.render import bodies, feedlinks
from planet.render.sheet import Sheet

if TYPE_CHECKING:
    from planet.model import Edition
    from planet.words.words import Words


def sheet(edition: Edition, words: Words) -> Sheet:
    """The page on which the posts of an edition are searched."""
    posts = min(len(edition.posts), SEARCHED)
    return Sheet(
        kind="search",
        path="search/index.html",
        title=words.search,
        facts=(posts,),
        body=lambda _: bodies.SearchPage(posts=posts),
        feeds=feedlinks.of_posts(edition),
    )
