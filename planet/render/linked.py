"""The page of what the planet's posts link to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.render import bodies, context, feedlinks, labels
from planet.render.places import href
from planet.render.sheet import Sheet

if TYPE_CHECKING:
    from planet.model import Edition, Linked
    from planet.render.fingerprint import Marks
    from planet.render.present import Presenter
    from planet.words.words import Words

POSTS = 10
"""How many of the posts that link to an address are named."""

_TITLE_LENGTH = 100


def sheet(edition: Edition, marks: Marks, words: Words) -> Sheet:
    """The page of an edition's links."""
    graph = edition.links

    def body(presenter: Presenter) -> bodies.LinksPage:
        return bodies.LinksPage(
            links=tuple(
                _linked(linked, url, presenter)
                for linked in graph.top
                if (url := href(linked.address))
            ),
            is_shared=graph.is_shared,
        )

    return Sheet(
        kind="links",
        path="links/index.html",
        title=words.links,
        facts=(
            graph.is_shared,
            *(
                (
                    linked.address,
                    linked.post and marks(linked.post),
                    len(linked.posts),
                    marks.of(linked.posts[:POSTS]),
                )
                for linked in graph.top
            ),
        ),
        body=body,
        feeds=feedlinks.of_posts(edition),
    )


def _linked(linked: Linked, url: str, presenter: Presenter) -> context.Linked:
    own = linked.post
    # The title of another's page is known to nobody here, but where it is says much of it.
    title = own.entry.heading if own else url.partition("://")[2].removeprefix("www.").rstrip("/")
    return context.Linked(
        title=labels.clipped(title, _TITLE_LENGTH),
        href=url,
        source=presenter.source_link(own.source) if own else None,
        count=len(linked.posts),
        posts=tuple(presenter.post(post) for post in linked.posts[:POSTS]),
    )
