"""How readers of a page pick an episode: with a form, or a link to a form in the repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlencode

import msgspec
from msgspec.structs import replace

from planet.model import Picking, handle
from planet.site.pages.labels import clip
from planet.text import address, media

if TYPE_CHECKING:
    from collections.abc import Container

    from planet.model import Edition, Entry, Pages
    from planet.site.words import Words


TOKEN = "PLANET-PICK-TOKEN"  # noqa: S105 - what stands for one
"""Stands in the forms for the secret by which a server knows forms of its own pages."""
_TITLE_LENGTH = 120


class PickControl(NamedTuple):
    """How an episode is picked on the source's page, and put back."""

    episode: str
    token: str | None = None
    """With a form, the token that proves this site's own."""
    picked_for: str | None = None
    """The title of the podcast."""
    link: str | None = None
    """The form in the repository."""


class PickButtons(msgspec.Struct, frozen=True, kw_only=True):
    """The ways to pick, the podcast, and present picks."""

    way: Picking
    repository: str | None = None
    title: str = ""
    """The title of the podcast."""
    picked: tuple[tuple[str, str], ...] = ()
    """The picked episodes, each by feed and id, in order."""

    @classmethod
    def of(cls, edition: Edition, pages: Pages) -> PickButtons:
        """Collect the ways to pick, and the picks, of a site."""
        posts = (post for post in edition.timeline.dated if post.picked)
        return cls(
            way=choose_picking(edition, pages),
            repository=edition.repository,
            title=edition.podcast.title or edition.title,
            picked=tuple(sorted({(post.entry.feed, post.entry.id) for post in posts})),
        )

    def among(self, feeds: Container[str]) -> PickButtons:
        """Keep only picks of these feeds; nothing where there is no way to pick."""
        if self.way is Picking.NONE:
            return PickButtons(way=Picking.NONE)
        return replace(self, picked=tuple(key for key in self.picked if key[0] in feeds))

    def control(self, entry: Entry, words: Words, *, is_offered: bool) -> PickControl | None:
        """Return how an entry is picked.

        None where it has nothing to play or there is no way; on pages that anyone may read, only
        what is offered to be picked has one, until it is.
        """
        if self.way is Picking.NONE or media.find_playable(entry) is None:
            return None
        is_picked = (entry.feed, entry.id) in self.picked
        episode = handle(entry.feed, entry.id)
        if self.way is Picking.FORM:
            return PickControl(episode, token=TOKEN, picked_for=self.title if is_picked else None)
        if is_picked or not is_offered:
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
