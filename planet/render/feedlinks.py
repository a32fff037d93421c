"""Where the feeds of a site are, as its pages name them. `planet.feeds` makes the feeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planet.render import context
from planet.render.present import href

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.model import Post
    from planet.render.present import Presenter

# RFC 4287 §7, RSS Advisory Board, JSON Feed 1.1 and OPML 2.0 name these types.
_ATOM = ("atom", "atom.xml", "application/atom+xml")
_JSON = ("json", "feed.json", "application/feed+json")
_PODCAST = ("podcast", "podcast.xml", "application/rss+xml")
_OPML = ("opml", "opml.xml", "text/x-opml")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedSet:
    """The feeds with the same posts in them: the planet's, or a source's."""

    title: str
    """Of the planet or the source."""
    folder: str = ""
    """Where they are: an address relative to the site's root, empty or ending in a slash."""
    podcast: bool = False
    """Whether a podcast feed is among them."""

    def links(self, presenter: Presenter) -> tuple[context.FeedLink, ...]:
        """Links to its feeds, the one that most apps read first."""
        formats = (_ATOM, _JSON, _PODCAST) if self.podcast else (_ATOM, _JSON)
        return tuple(self._link(presenter, *format_) for format_ in formats)

    def opml(self, presenter: Presenter) -> context.FeedLink:
        """A link to the list of sources."""
        return self._link(presenter, *_OPML)

    def _link(
        self, presenter: Presenter, format_: str, name: str, media_type: str
    ) -> context.FeedLink:
        word = getattr(presenter.words, format_)
        return context.FeedLink(
            name=word,
            title=f"{self.title} – {word}",
            hint=getattr(presenter.words, f"{format_}_hint"),
            href=f"{presenter.root}{self.folder}{name}",
            address=href(presenter.link and f"{presenter.link}{self.folder}{name}"),
            media_type=media_type,
            format=format_,
        )


def has_podcast(posts: Iterable[Post]) -> bool:
    """Whether a podcast feed is made from these posts: one of them has something to play."""
    return any(
        enclosure.media_type is not None and enclosure.media_type.startswith(("audio/", "video/"))
        for post in posts
        for enclosure in post.entry.enclosures
    )
