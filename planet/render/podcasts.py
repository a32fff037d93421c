"""The pages of podcast feeds: the planet's own, and each list's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from planet import media
from planet.model import Images
from planet.render import bodies, context, feedlinks
from planet.render.picking import desk
from planet.render.places import href, list_folder
from planet.render.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planet.media import Playable
    from planet.model import Edition, Pages, Podcast
    from planet.render.feedlinks import SiteFeed
    from planet.render.fingerprint import Marks
    from planet.render.picking import Desk
    from planet.render.present import Presenter
    from planet.words.words import Words


def sheets(
    edition: Edition, pages: Pages, marks: Marks, words: Words, *, cover: str | None
) -> Iterator[Sheet]:
    """The page of `podcast.xml`, if there is that feed, and one for each list.

    `cover` is the path of the theme's own, for podcasts that bring none.

    Raises:
        OSError: the file of a cover cannot be read.
    """
    picks = desk(edition, pages)
    own, title = edition.podcast, edition.podcast.title or words.podcasts
    if feedlinks.has_podcast(edition.posts):
        frame = _Frame(
            kind="podcast",
            folder="podcast/",
            title=title,
            description=own.description,
            cover=_cover(own, "podcast/", pages) or cover,
            feeds=(feedlinks.podcast_of(edition),),
        )
        yield _sheet(frame, media.playables(edition.posts, pages.feed), marks, picks)
    for listed in edition.lists:
        folder = list_folder(listed)
        frame = _Frame(
            kind="list",
            folder=folder,
            title=listed.podcast.title or listed.name,
            description=listed.podcast.description,
            cover=_cover(listed.podcast, folder, pages) or cover,
            feeds=feedlinks.of_list(listed),
        )
        yield _sheet(frame, media.playables(listed.posts, len(listed.posts)), marks, picks)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """What stands around the episodes of a podcast."""

    kind: str
    folder: str
    title: str
    description: str | None
    cover: str | None
    """A path on the site, or a web address."""
    feeds: tuple[SiteFeed, ...]
    """The podcast feed first."""

    def shown(self, presenter: Presenter) -> context.Podcast:
        """The same as a template sees it."""
        is_elsewhere = self.cover is not None and href(self.cover) is not None
        return context.Podcast(
            title=self.title,
            description=self.description,
            cover=self.cover if is_elsewhere or not self.cover else presenter.root + self.cover,
            feed=self.feeds[0].link(presenter),
        )


def _sheet(frame: _Frame, shown: Sequence[Playable], marks: Marks, picks: Desk) -> Sheet:
    posts = [playable.post for playable in shown]

    def body(presenter: Presenter) -> bodies.PodcastPage:
        return bodies.PodcastPage(
            podcast=frame.shown(presenter),
            episodes=tuple(
                presenter.playable(
                    playable, picks.control(playable.post.entry, presenter, is_offered=False)
                )
                for playable in shown
            ),
        )

    return Sheet(
        kind=frame.kind,
        path=f"{frame.folder}index.html",
        title=frame.title,
        facts=(frame, marks.of(posts), *picks.facts(post.entry for post in posts)),
        body=body,
        feeds=frame.feeds,
    )


def _cover(podcast: Podcast, folder: str, pages: Pages) -> str | None:
    """Where the cover of a podcast is, if it has one of its own and pages may show it."""
    if isinstance(podcast.cover, Path):
        return media.cover_path(folder, podcast.cover.read_bytes())
    # From another host it is an image like those of posts.
    return href(podcast.cover) if pages.images is Images.LAZY else None
