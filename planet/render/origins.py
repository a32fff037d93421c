"""The pages of where posts come from: each source's, each tag's, and the list of all sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.model import ContentMode, Future, Post
from planet.model.grouped import by_source, by_tag
from planet.render import bodies, feedlinks
from planet.render.picking import desk
from planet.render.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planet.model import Contents, Edition, Entry, Html, Pages, Source, Tag
    from planet.render.fingerprint import Marks
    from planet.render.picking import Desk
    from planet.render.present import Presenter
    from planet.words.words import Words


def sheets(
    edition: Edition, pages: Pages, contents: Contents, marks: Marks, words: Words
) -> Iterator[Sheet]:
    """Each source's page, each tag's, and the list of sources."""
    of_source, of_tag = by_source(edition), by_tag(edition)
    tags = {tag.name: tag for tag in edition.tags}
    tagged = [
        (source, tuple(tags[name] for name in source.tags if name in tags))
        for source in edition.sources
    ]
    picks = desk(edition, pages)

    for source, own_tags in tagged:
        yield _source(
            source,
            of_source.get(source.key, []),
            edition.episodes.get(source.key, ()),
            tags=own_tags,
            pages=pages,
            contents=contents,
            marks=marks,
            picks=picks,
        )
    for tag in edition.tags:
        yield _tag(edition, tag, of_tag[tag.name], pages.feed, marks)
    yield _sources(edition, tagged, words)


def _source(
    source: Source,
    posts: Sequence[Post],
    offered: Sequence[Entry],
    *,
    tags: Sequence[Tag],
    pages: Pages,
    contents: Contents,
    marks: Marks,
    picks: Desk,
) -> Sheet:
    shown = posts[: pages.source]
    there = {post.entry.id for post in shown}
    episodes = [_offered(entry, source) for entry in offered if entry.id not in there]
    full = source.content is ContentMode.FULL

    def body(presenter: Presenter) -> bodies.SourcePage:
        texts: Mapping[int, Html] = {}
        if full and shown:
            texts = contents([post.entry.number for post in shown])
        return bodies.SourcePage(
            source=presenter.source(source, tags),
            posts=tuple(
                presenter.post(
                    post,
                    texts.get(post.entry.number),
                    picks.control(post.entry, presenter, is_offered=False),
                )
                for post in shown
            ),
            episodes=tuple(
                presenter.post(post, pick=picks.control(post.entry, presenter, is_offered=True))
                for post in episodes
            ),
        )

    return Sheet(
        kind="source",
        path=f"source/{source.slug}/index.html",
        title=source.title,
        facts=(
            *_said_of(source, tags),
            # How images are shown is decided by whoever hands the texts in.
            pages.images if full else None,
            marks.of(shown),
            *((post.entry.id, post.entry.digest, post.when) for post in episodes),
            *picks.facts(post.entry for post in (*shown, *episodes)),
        ),
        body=body,
        feeds=feedlinks.of_source(source, posts),
    )


def _offered(entry: Entry, source: Source) -> Post:
    """An episode that is no post, as it would look as one."""
    when = entry.filed(Future.CLAMP)
    return Post(entry=entry, source=source, uid="", when=when, day=when.date())


def _tag(edition: Edition, tag: Tag, posts: Sequence[Post], length: int, marks: Marks) -> Sheet:
    sources = [source for source in edition.sources if tag.name in source.tags]
    shown = posts[:length]

    def body(presenter: Presenter) -> bodies.TagPage:
        return bodies.TagPage(
            days=presenter.days(shown),
            sources=tuple(map(presenter.source_link, sources)),
        )

    return Sheet(
        kind="tag",
        path=f"tag/{tag.slug}/index.html",
        title=tag.name,
        facts=(
            *((source.slug, source.title) for source in sources),
            marks.of(shown),
        ),
        body=body,
        feeds=feedlinks.of_tag(edition, tag, posts),
    )


def _sources(
    edition: Edition, tagged: Sequence[tuple[Source, Sequence[Tag]]], words: Words
) -> Sheet:
    as_of = max((at for source, _ in tagged if (at := source.standing.asked_at)), default=None)

    def body(presenter: Presenter) -> bodies.SourcesPage:
        return bodies.SourcesPage(
            sources=tuple(presenter.polled_source(source, tags) for source, tags in tagged),
            tags=tuple(map(presenter.tag, edition.tags)),
            as_of=presenter.maybe(as_of),
        )

    return Sheet(
        kind="sources",
        path="sources/index.html",
        title=words.sources,
        facts=(
            edition.tags,
            *((*_said_of(source, tags), source.standing) for source, tags in tagged),
        ),
        body=body,
        feeds=feedlinks.of_posts(edition),
    )


def _said_of(source: Source, tags: Sequence[Tag]) -> tuple[object, ...]:
    """What is said of a source where it is not only named, and changes seldom."""
    standing = source.standing
    return (
        *(source.slug, source.title, source.link, source.description, tuple(tags)),
        *(source.newest, source.count, standing.quiet_since, standing.moved_to),
        *(standing.trouble, standing.trouble_since, standing.given_up, standing.given_up_at),
    )
