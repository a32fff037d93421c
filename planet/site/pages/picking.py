"""How readers of a page pick an episode: with a form, or a link to a form in the repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlencode

import msgspec
from msgspec.structs import replace

from planet.model import OWN_LIST, Picking, handle
from planet.site.pages.labels import clip
from planet.text import address, media

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from planet.model import Edition, Entry, Pages
    from planet.site.words import Words


TOKEN = "PLANET-PICK-TOKEN"  # noqa: S105 - what stands for one
"""Stands in the forms for the secret by which a server knows that they are from its own pages."""
_TITLE_LENGTH = 120


class ListName(NamedTuple):
    """A list that episodes are picked for."""

    name: str
    """Its name in a form; empty for the planet's own."""
    title: str


class PickControl(NamedTuple):
    """How an episode is picked from its source's page, and put back."""

    episode: str
    token: str | None = None
    """With a form, what shows that it is this site's own."""
    lists: tuple[ListName, ...] = ()
    """Those it may be picked for, the planet's own first."""
    picked_for: tuple[ListName, ...] = ()
    link: str | None = None
    """The form in the repository."""


class PickButtons(msgspec.Struct, frozen=True, kw_only=True):
    """Where episodes are picked: how, for which lists, and what is picked already."""

    way: Picking
    repository: str | None = None
    lists: Mapping[str, str] = {}
    """The title of every list by its name, the planet's own first."""
    picked: Mapping[tuple[str, str], tuple[str, ...]] = {}
    """The names of the lists that an episode is in, by the key of its feed and its id, in order."""

    @classmethod
    def of(cls, edition: Edition, pages: Pages) -> PickButtons:
        """Collect the ways to pick, the lists and what is picked of a site."""
        posts = (post for post in edition.timeline.dated if post.picked)
        picked = dict.fromkeys(((post.entry.feed, post.entry.id) for post in posts), (OWN_LIST,))
        for name, post in ((one.name, post) for one in edition.lists for post in one.posts):
            key = post.entry.feed, post.entry.id
            picked[key] = *picked.get(key, ()), name
        lists = {OWN_LIST: edition.podcast.title or edition.title}
        return cls(
            way=choose_picking(edition, pages),
            repository=edition.repository,
            lists=lists | {listed.name: listed.title for listed in edition.lists},
            picked=dict(sorted(picked.items())),
        )

    def among(self, feeds: Container[str]) -> PickButtons:
        """Keep only what is picked of these feeds; nothing where there is no way to pick."""
        if self.way is Picking.NONE:
            return PickButtons(way=Picking.NONE)
        picked = {key: names for key, names in self.picked.items() if key[0] in feeds}
        return replace(self, picked=picked)

    def control(self, entry: Entry, words: Words, *, is_offered: bool) -> PickControl | None:
        """Return how an entry is picked.

        None where it has nothing to play or there is no way; on pages that anyone may read, only
        what is offered to be picked has one, until it is.
        """
        if self.way is Picking.NONE or media.find_playable(entry) is None:
            return None
        names = self.picked.get((entry.feed, entry.id), ())
        episode = handle(entry.feed, entry.id)
        if self.way is Picking.FORM:
            lists = [ListName(name, title) for name, title in self.lists.items()]
            return PickControl(
                episode,
                token=TOKEN,
                lists=tuple(listed for listed in lists if listed.name not in names),
                picked_for=tuple(listed for listed in lists if listed.name in names),
            )
        if names or not is_offered:
            return None
        title = words.pick_issue(clip(entry.heading, _TITLE_LENGTH))
        link = form_link(self.repository, template="pick.yml", title=title, episode=episode)
        return PickControl(episode, link=link)


def form_link(repository: str | None, **fields: str) -> str | None:
    """Return the address of a form for a new issue, filled in; None without a repository."""
    query = urlencode(fields, quote_via=quote, errors="replace")
    return f"{repository.rstrip('/')}/issues/new?{query}" if repository else None


def choose_picking(edition: Edition, pages: Pages) -> Picking:
    """Return how episodes are picked; a link needs a repository to lead to."""
    leads_nowhere = pages.picking is Picking.LINK and not address.make_absolute(
        edition.repository or ""
    )
    return Picking.NONE if leads_nowhere else pages.picking
