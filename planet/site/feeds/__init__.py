"""Edition → File: Atom, JSON Feed, RSS, podcasts and OPML, for the planet and its parts.

Its parts are its sources and its tags. Beside them the digest as a feed, and `health.json`, which
says how it goes with the feeds that come in.

Doors besides what it offers itself:

    opml    lists of sources
    facts   what is said of posts and sources in every format
    markup  XML, drawn by the templates here, and JSON
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from planet import __version__
from planet.model import File, FileKind, fingerprint
from planet.site.feeds import channel, facts, jsonfeed, opml
from planet.site.feeds.channel import EMPTY
from planet.site.feeds.markup import write_xml
from planet.text.media import list_playables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from planet.model import Contents, Edition, Pages, Post, Source
    from planet.site.feeds.channel import Channel, Cover
    from planet.text.media import Playable

Part: TypeAlias = Literal["planet", "source", "tag"]


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """A format in which feeds come out."""

    file: str
    media_type: str
    parts: tuple[Part, ...] = ()
    """What there is a feed of in it; what has no parts is made apart, of other things."""
    is_podcast: bool = False
    """Whether it holds episodes, and is there only where there are any."""


# RFC 4287 §7, RSS Advisory Board, JSON Feed 1.1 and OPML 2.0 name these types.
FORMATS: Mapping[str, Format] = {
    "atom": Format(
        file="atom.xml",
        media_type="application/atom+xml",
        parts=("planet", "source", "tag"),
    ),
    "json": Format(
        file=jsonfeed.FILE,
        media_type="application/feed+json",
        parts=("planet", "source", "tag"),
    ),
    "podcast": Format(
        file="podcast.xml",
        media_type="application/rss+xml",
        parts=("planet", "source", "tag"),
        is_podcast=True,
    ),
    "digest": Format(file="digest.xml", media_type="application/atom+xml"),
    "opml": Format(file="opml.xml", media_type="text/x-opml"),
}
"""Every format, by the word for it (`words.atom`, `words.atom_hint`); a new one is a row here."""

MEDIA_TYPES: Mapping[str, str] = {
    # A source's own feed may be one of articles.
    "rss": "application/rss+xml",
    **{name: format_.media_type for name, format_ in FORMATS.items()},
}
"""The media type of each format."""

DIGESTS = 30
"""Digests in their feed."""


@cache
def formats(part: Part, *, has_podcast: bool) -> Sequence[str]:
    """Return the formats in which the site has a feed of a part of itself."""
    return tuple(
        name
        for name, format_ in FORMATS.items()
        if part in format_.parts and (has_podcast or not format_.is_podcast)
    )


def feed_files(
    edition: Edition,
    *,
    pages: Pages,
    contents: Contents,
    cover: str | None,
    icon: str | None = None,
) -> Iterator[File]:
    """Yield the feeds of an edition as files that can be made, in the order of its sources.

    `docs/feeds.md` has the table. `cover` and `icon` are the paths on the site of those of the
    theme, if it has any. What a file holds depends on nothing but its channel, its posts and their
    texts, which their fingerprints stand for: equal fingerprints mean equal bytes, whenever and
    wherever it is made.

    Raises:
        OSError: the file of a cover cannot be read.
    """
    own = channel.cover(edition.podcast, site=edition.link, theme=cover)
    yield from _planet_files(edition, pages, contents, own, icon)
    yield from _source_files(edition, pages.source, contents, cover)
    yield from _tag_files(edition, pages.feed, contents, own)
    yield from _digest_file(edition)


def health_file(
    edition: Edition,
    record_of: Callable[[str], Mapping[str, Any]],
    together: Callable[[], Mapping[str, Any]],
) -> File:
    """Return `health.json`.

    `record_of` gives the record of a feed by its key, and `together` that of all feeds; it is
    called last.
    """
    return _whole_file("health.json", *jsonfeed.health(edition.sources, record_of, together))


class _Feeds(NamedTuple):
    """The feeds of a part of the site."""

    part: Part
    channel: Channel
    posts: Sequence[Post]
    podcast: Channel
    """The channel of its podcast."""
    episodes: Sequence[Playable] | None
    """None where there is no podcast."""

    def files(self, contents: Contents) -> Iterator[File]:
        """Yield a file for each format."""
        for name in formats(self.part, has_podcast=self.episodes is not None):
            format_, of, posts = FORMATS[name], self.channel, self.posts
            episodes = self.episodes if format_.is_podcast else None
            if episodes is not None:
                of, posts = self.podcast, [episode.post for episode in episodes]
            write = partial(_write, format_, of, posts, episodes, contents)
            made_from = fingerprint(of, [(post.uid, post.fingerprint) for post in posts])
            yield _file(of.folder + format_.file, made_from, write)


def _write(
    format_: Format,
    of: Channel,
    posts: Sequence[Post],
    episodes: Sequence[Playable] | None,
    contents: Contents,
) -> bytes:
    texts = facts.texts(posts, contents, of.words)
    if format_.file == jsonfeed.FILE:
        return jsonfeed.write_json_feed(of, posts, texts)
    return write_xml(format_.file, channel=of, posts=posts, episodes=episodes, texts=texts)


def _planet_files(
    edition: Edition, pages: Pages, contents: Contents, own: Cover, icon: str | None
) -> Iterator[File]:
    of, own_podcast, timeline = channel.of_planet(edition), edition.podcast, edition.timeline
    of = replace(of, image=own.address, icon=channel.on_site(icon, edition.link))
    podcast = replace(
        of,
        title=own_podcast.title or of.title,
        description=own_podcast.description or of.description,
        category=own_podcast.category,
        page=of.address("podcast/"),
    )
    posts = timeline.fair_share(pages.feed, pages.per_source).posts
    episodes = list_playables(timeline.posts(), pages.feed) if edition.has_podcast else None
    yield from _Feeds("planet", of, posts, podcast, episodes).files(contents)
    yield from _cover_file(own)
    yield _opml_file(of, edition, edition.sources)


def _source_files(
    edition: Edition, limit: int, contents: Contents, theme: str | None
) -> Iterator[File]:
    posts: dict[str, list[Post]] = {}
    for post in edition.timeline.posts(timeless=True):
        posts.setdefault(post.source.key, []).append(post)
    for source in filter(attrgetter("has_feeds"), edition.sources):
        of, own = channel.of_source(edition, source), posts.get(source.key, [])
        podcast = replace(of, image=of.image or channel.on_site(theme, edition.link))
        episodes = list_playables(own, limit) or None
        yield from _Feeds("source", of, own[:limit], podcast, episodes).files(contents)


def _tag_files(edition: Edition, limit: int, contents: Contents, own: Cover) -> Iterator[File]:
    for tag in edition.tags:
        of, sources = channel.of_tag(edition, tag), edition.tagged(tag)
        podcast = replace(of, category=edition.podcast.category, image=own.address)
        posts = tuple(edition.timeline.posts(sources={source.key for source in sources}))
        episodes = list_playables(posts, limit) or None
        yield from _Feeds("tag", of, posts[:limit], podcast, episodes).files(contents)
        yield _opml_file(of, edition, sources)


def _digest_file(edition: Edition) -> Iterator[File]:
    if edition.digests is None:
        return
    of, digests = channel.of_digests(edition), edition.digests[:DIGESTS]
    changed = max((digest.made_at for digest in digests), default=EMPTY)
    write = partial(write_xml, "digest.xml", channel=of, digests=digests, changed=changed)
    yield _file(FORMATS["digest"].file, fingerprint(of, digests), write)


def _opml_file(of: Channel, edition: Edition, sources: Iterable[Source]) -> File:
    feeds = opml.list_feeds(edition, sources)
    write = partial(opml.write_opml, of.title, edition.owner, feeds)
    return _file(
        of.folder + FORMATS["opml"].file, fingerprint(of.title, edition.owner, *feeds), write
    )


def _cover_file(cover: Cover) -> Iterator[File]:
    if cover.path:
        file = _file(cover.path, fingerprint(cover.image), partial(bytes, cover.image))
        yield replace(file, kind=FileKind.ASSET)


def _whole_file(path: str, *pieces: bytes) -> File:
    """Return a file with this content: making it takes no longer than comparing it."""
    return _file(path, fingerprint(pieces), partial(b"".join, pieces))


def _file(path: str, made_from: str, make: Callable[[], bytes]) -> File:
    return File(path=path, fingerprint=fingerprint(__version__, path, made_from), make=make)
