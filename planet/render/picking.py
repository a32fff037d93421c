"""How the episodes on a source's page are picked, if they can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from planet import media
from planet.model import OWN_LIST, Picking, handle
from planet.render import context, labels
from planet.render.places import href

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from planet.model import Edition, Entry, Pages
    from planet.render.present import Presenter

TOKEN = "PLANET-PICK-TOKEN"  # noqa: S105 - what stands for one
"""Stands in the forms for the secret by which a server knows that they are from its own pages."""

_TITLE_LENGTH = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where episodes are picked: how, for which lists, and what is picked already."""

    way: Picking
    repository: str | None
    lists: tuple[context.ListName, ...]
    """Every list, the planet's own first."""
    picked: Mapping[tuple[str, str], frozenset[str]]
    """The names of the lists that an episode is in, by the key of its feed and its id."""

    def control(
        self, entry: Entry, presenter: Presenter, *, is_offered: bool
    ) -> context.Pick | None:
        """How an entry is picked.

        None where it has nothing to play or there is no way; on pages that anyone may read, only
        what is offered to be picked has one, until it is.
        """
        if self.way is Picking.NONE or media.playable(entry) is None:
            return None
        names, episode = self._lists_with(entry), handle(entry.feed, entry.id)
        if self.way is Picking.FORM:
            return context.Pick(
                episode=episode,
                token=TOKEN,
                lists=tuple(each for each in self.lists if each.name not in names),
                picked_for=tuple(each for each in self.lists if each.name in names),
                link=None,
            )
        if names or not is_offered:
            return None
        title = presenter.words.pick_issue(labels.clipped(entry.heading, _TITLE_LENGTH))
        return context.Pick(
            episode=episode, token=None, lists=(), picked_for=(), link=self._issue(title, episode)
        )

    def facts(self, entries: Iterable[Entry]) -> tuple[object, ...]:
        """What the ways to pick these entries are made from."""
        if self.way is Picking.NONE:
            return ()
        held = (sorted(self._lists_with(entry)) for entry in entries)
        return (self.way, self.repository, self.lists, *held)

    def _lists_with(self, entry: Entry) -> frozenset[str]:
        return self.picked.get((entry.feed, entry.id), frozenset())

    def _issue(self, title: str, episode: str) -> str | None:
        """A form for a new issue in the repository, filled in already."""
        said = {"template": "pick.yml", "title": title, "episode": episode}
        query = urlencode(said, quote_via=quote, errors="replace")
        return href(f"{(self.repository or '').rstrip('/')}/issues/new?{query}")


def desk(edition: Edition, pages: Pages) -> Desk:
    """The desk at which the episodes of an edition are picked."""
    picked: dict[tuple[str, str], frozenset[str]] = {}
    for name, key in _picks(edition):
        picked[key] = picked.get(key, frozenset()) | {name}
    own = context.ListName(name=OWN_LIST, title=edition.podcast.title or edition.title)
    others = (
        context.ListName(name=listed.name, title=listed.podcast.title or listed.name)
        for listed in edition.lists
    )
    return Desk(
        way=way(edition, pages),
        repository=edition.repository,
        lists=(own, *others),
        picked=picked,
    )


def way(edition: Edition, pages: Pages) -> Picking:
    """How episodes are picked; a link needs a repository to lead to."""
    leads_nowhere = pages.picking is Picking.LINK and href(edition.repository) is None
    return Picking.NONE if leads_nowhere else pages.picking


def _picks(edition: Edition) -> Iterator[tuple[str, tuple[str, str]]]:
    """The picks on the site: the list of each, and the episode."""
    for posts in (edition.posts, *(listed.posts for listed in edition.lists)):
        for post in posts:
            if post.picked:
                yield post.picked.list, (post.entry.feed, post.entry.id)
