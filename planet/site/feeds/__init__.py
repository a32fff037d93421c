"""Edition → File: Atom, JSON Feed, RSS, podcasts and OPML, for the planet and its parts.

Its parts are its sources and its tags. Beside them the digest as a feed, and `health.json`, which
says how it goes with the feeds that come in.

Doors besides what it offers itself:

    formats  which feeds there are, and in which formats
    opml     lists of sources
    facts    what is said of posts and sources in every format
    markup   XML, drawn by the templates here, and JSON
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from planet import __version__
from planet.model import File, FileKind, fingerprint
from planet.site.feeds import channel, facts, formats, jsonfeed, opml
from planet.site.feeds.channel import EMPTY
from planet.site.feeds.markup import write_xml
from planet.text.media import list_playables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from planet.model import Contents, Edition, Pages, Post, Source
    from planet.site.feeds.channel import Channel, Cover
    from planet.site.feeds.formats import SiteFeed
    from planet.text.media import Playable


DIGESTS = 30
"""Digests in their feed."""


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
    yield from _planet_part(edition, pages, own, icon).files(edition, contents)
    if own.path:
        file = _make_file(own.path, fingerprint(own.image), partial(bytes, own.image))
        yield replace(file, kind=FileKind.ASSET)
    for part in (
        *_source_parts(edition, pages.source, cover),
        *_tag_parts(edition, pages.feed, own),
    ):
        yield from part.files(edition, contents)


def health_file(
    edition: Edition,
    records: Mapping[str, Mapping[str, Any]],
    together: Mapping[str, Any],
) -> File:
    """Return `health.json`, of `records` by the keys of feeds, and of all together."""
    return _whole_file("health.json", jsonfeed.health(edition.sources, records, together))


class _Part(NamedTuple):
    """A part of the site that has feeds: the planet itself, a source, or a tag."""

    feeds: Sequence[SiteFeed]
    channel: Channel
    posts: Sequence[Post]
    podcast: Channel
    """The channel of its podcast."""
    episodes: Sequence[Playable]
    sources: Sequence[Source] = ()
    """Those of its list."""

    def files(self, edition: Edition, contents: Contents) -> Iterator[File]:
        """Yield a file for each feed."""
        for feed in self.feeds:
            match feed.format:
                case "opml":
                    yield _make_opml_file(feed, edition, self.sources)
                case "digest":
                    yield _make_digest_file(feed, edition)
                case "podcast":
                    posts = [episode.post for episode in self.episodes]
                    yield _make_feed_file(feed, self.podcast, posts, contents, self.episodes)
                case _:
                    yield _make_feed_file(feed, self.channel, self.posts, contents)


def _make_feed_file(
    feed: SiteFeed,
    of: Channel,
    posts: Sequence[Post],
    contents: Contents,
    episodes: Sequence[Playable] = (),
) -> File:
    def write() -> bytes:
        texts = facts.texts(posts, contents, of.words)
        if feed.format == "json":
            return jsonfeed.write_json_feed(of, posts, texts)
        template = feed.path.removeprefix(feed.folder)
        return write_xml(template, channel=of, posts=posts, episodes=episodes, texts=texts)

    made_from = fingerprint(of, [(post.uid, post.fingerprint) for post in posts])
    return _make_file(feed.path, made_from, write)


def _planet_part(edition: Edition, pages: Pages, own: Cover, icon: str | None) -> _Part:
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
    episodes = list_playables(timeline.posts(), pages.feed)
    return _Part(formats.of_planet(edition), of, posts, podcast, episodes, edition.sources)


def _source_parts(edition: Edition, limit: int, theme: str | None) -> Iterator[_Part]:
    posts: dict[str, list[Post]] = {}
    for post in edition.timeline.posts(timeless=True):
        posts.setdefault(post.source.key, []).append(post)
    for source in edition.sources:
        if feeds := formats.of_source(edition, source):
            of, own = channel.of_source(edition, source), posts.get(source.key, [])
            podcast = replace(of, image=of.image or channel.on_site(theme, edition.link))
            yield _Part(feeds, of, own[:limit], podcast, list_playables(own, limit))


def _tag_parts(edition: Edition, limit: int, own: Cover) -> Iterator[_Part]:
    for tag in edition.tags:
        of, sources = channel.of_tag(edition, tag), edition.tagged(tag)
        podcast = replace(of, category=edition.podcast.category, image=own.address)
        posts = tuple(edition.timeline.posts(sources={source.key for source in sources}))
        episodes = list_playables(posts, limit)
        feeds = formats.of_tag(edition, tag)
        yield _Part(feeds, of, posts[:limit], podcast, episodes, sources)


def _make_digest_file(feed: SiteFeed, edition: Edition) -> File:
    of, digests = channel.of_digests(edition), (edition.digests or ())[:DIGESTS]
    changed = max((digest.made_at for digest in digests), default=EMPTY)
    write = partial(write_xml, "digest.xml", channel=of, digests=digests, changed=changed)
    return _make_file(feed.path, fingerprint(of, digests), write)


def _make_opml_file(feed: SiteFeed, edition: Edition, sources: Sequence[Source]) -> File:
    listed = opml.list_feeds(edition, sources)
    write = partial(opml.write_opml, feed.of, edition.owner, listed)
    return _make_file(feed.path, fingerprint(feed.of, edition.owner, *listed), write)


def _whole_file(path: str, *pieces: bytes) -> File:
    """Return a file with this content: making it takes no longer than comparing it."""
    return _make_file(path, fingerprint(pieces), partial(b"".join, pieces))


def _make_file(path: str, made_from: str, make: Callable[[], bytes]) -> File:
    return File(path=path, fingerprint=fingerprint(__version__, path, made_from), make=make)
