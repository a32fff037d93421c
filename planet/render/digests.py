"""The pages of digests: one for each, and the newest with links to the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.render import bodies, context, feedlinks
from planet.render.places import href
from planet.render.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planet.model import Digest, DigestSection, Edition
    from planet.render.feedlinks import SiteFeed
    from planet.render.present import Presenter
    from planet.words.words import Words


def sheets(edition: Edition, words: Words) -> Iterator[Sheet]:
    """The pages of an edition's digests; none where it is to have no digests."""
    if edition.digests is None:
        return
    feed = feedlinks.digest_of(edition)
    dates = [words.date(digest.due_at.astimezone(edition.timezone)) for digest in edition.digests]
    yield _newest(edition.digests, feed, words)
    for digest, date in zip(edition.digests, dates, strict=True):
        yield _single(digest, words.digest_of(date), feed)


def _newest(digests: Sequence[Digest], feed: SiteFeed, words: Words) -> Sheet:
    newest, earlier = next(iter(digests), None), digests[1:]

    def body(presenter: Presenter) -> bodies.DigestsPage:
        return bodies.DigestsPage(
            digest=_told(newest, presenter) if newest else None,
            earlier=tuple(_link(digest, presenter) for digest in earlier),
        )

    return Sheet(
        kind="digests",
        path="digest/index.html",
        title=words.digests,
        facts=(newest, *((digest.name, digest.due_at, digest.count) for digest in earlier)),
        body=body,
        feeds=(feed,),
    )


def _single(digest: Digest, title: str, feed: SiteFeed) -> Sheet:
    return Sheet(
        kind="digest",
        path=f"digest/{digest.name}/index.html",
        title=title,
        facts=(digest,),
        body=lambda presenter: bodies.DigestPage(digest=_told(digest, presenter)),
        feeds=(feed,),
    )


def _told(digest: Digest, presenter: Presenter) -> context.Digest:
    return context.Digest(
        date=presenter.moment(digest.due_at).date,
        since=presenter.moment(digest.since),
        until=presenter.moment(digest.made_at),
        count=digest.count,
        sections=tuple(map(_section, digest.sections)),
    )


def _section(section: DigestSection) -> context.DigestSection:
    return context.DigestSection(
        title=section.source,
        home=href(section.link),
        items=tuple(
            context.DigestItem(heading=item.heading, href=href(item.link), summary=item.summary)
            for item in section.items
        ),
    )


def _link(digest: Digest, presenter: Presenter) -> context.DigestLink:
    due = presenter.moment(digest.due_at)
    return context.DigestLink(
        iso=due.iso,
        date=due.date,
        href=f"{presenter.root}digest/{digest.name}/index.html",
        count=digest.count,
    )
