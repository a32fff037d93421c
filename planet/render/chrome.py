"""What surrounds every page of a site: made from the configuration.

Nothing in it may change because a post came, or every page of the site would change with it. Only
the first episode of a planet does that, which brings the link to the podcast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from markupsafe import Markup

from planet import __version__
from planet.render import bodies, context
from planet.render.feedlinks import has_podcast
from planet.render.picking import way
from planet.render.places import href, page_address
from planet.render.present import Presenter
from planet.words import direction, speak

if TYPE_CHECKING:
    from collections.abc import Mapping
    from zoneinfo import ZoneInfo

    from planet.model import Edition, OptionValue, Pages, Picking
    from planet.render.sheet import Sheet
    from planet.render.theme import Theme
    from planet.words.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Chrome:
    """The frame around the pages of one site."""

    title: str
    link: str | None
    description: str | None
    language: str
    words: Words
    zone: ZoneInfo
    owner_name: str | None
    owner_url: str | None
    indexing: bool
    has_podcast: bool
    picking: Picking
    script: bool
    search: bool
    options: Mapping[str, OptionValue]
    slots: context.Slots
    version: str = __version__

    def presenter(self, sheet: Sheet) -> Presenter:
        """Says things as this page has to."""
        if sheet.is_everywhere:
            root = urlsplit(self.link or "").path.rstrip("/") + "/"
        else:
            root = "../" * sheet.path.count("/")
        return Presenter(root=root, link=self.link, zone=self.zone, words=self.words)

    def common(self, sheet: Sheet, presenter: Presenter) -> bodies.Common:
        """The variables that every template gets."""
        return bodies.Common(
            site=self._site(),
            page=self._page(sheet, presenter),
            words=presenter.words,
            options=self.options,
            slots=self.slots,
        )

    def _site(self) -> context.Site:
        owner = None
        if self.owner_name:
            owner = context.Person(name=self.owner_name, href=href(self.owner_url))
        return context.Site(
            title=self.title,
            description=self.description,
            language=self.language,
            direction=direction(self.language),
            indexing=self.indexing,
            owner=owner,
            generator=f"Planet {self.version}",
            has_podcast=self.has_podcast,
            picking=self.picking.value,
            script=self.script,
            search=self.search,
        )

    def _page(self, sheet: Sheet, presenter: Presenter) -> context.Page:
        canonical = None
        if self.link and not sheet.is_everywhere:
            canonical = page_address(self.link, sheet.path)
        return context.Page(
            kind=sheet.kind,
            title=sheet.title,
            root=presenter.root,
            canonical=href(canonical),
            feeds=tuple(feed.link(presenter) for feed in sheet.feeds),
        )


def chrome(edition: Edition, pages: Pages, theme: Theme) -> Chrome:
    """The frame of an edition's pages."""
    return Chrome(
        title=edition.title,
        link=edition.link,
        description=edition.description,
        language=edition.language,
        words=speak(edition.language),
        zone=edition.timezone,
        owner_name=edition.owner.name,
        owner_url=edition.owner.url,
        indexing=pages.indexing,
        has_podcast=has_podcast(edition.posts),
        picking=way(edition, pages),
        script=pages.script,
        search=pages.search,
        options=theme.options,
        # Nowhere else is text of the operator HTML: it is a file of HTML.
        slots=context.Slots(**{slot: Markup(html) for slot, html in theme.slots.items()}),  # noqa: S704
    )
