"""Edition → File: Atom, JSON Feed, RSS, podcasts and OPML, for the planet and its parts.

The parts are sources and tags. Beside them stand the digest as a feed, and `health.json` about the
feeds that come in.

Doors besides the names below:

    channel  the feeds of a site, their formats, and the facts of each
    opml     lists of sources
    facts    the facts of posts and sources for every format
    markup   XML, drawn by the templates here, and JSON
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from planet import __version__
from planet.model import File, FileKind, fingerprint, whole_file
from planet.site.feeds import channel, facts, jsonfeed, opml
from planet.site.feeds.markup import write_xml
from planet.text.media import list_playables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from planet.model import Contents, Digest, Edition, Pages, Post, Source
    from planet.site.feeds.channel import Channel, Cover, SiteFeed
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
    """Yield the feeds of an edition as files to be made, in the order of the sources.

    `docs/feeds.md` has the table. `cover` and `icon` are paths on the site of files of the theme.
    The bytes of a file depend on channel, posts and texts alone, for which the fingerprint stands:
    equal fingerprints mean equal bytes, whenever and wherever the file is made.

    Raises:
        OSError: the file of a cover cannot be read.
    """
    own = channel.cover(edition, cover)
    if own.path:
        yield whole_file(own.path, own.image, FileKind.ASSET)
    planet = channel.of_planet(edition)
    for part in (
        _planet_part(edition, planet, pages, own, channel.on_site(icon, edition.link)),
        *_source_parts(edition, planet, pages.source, channel.on_site(cover, edition.link)),
        *_tag_parts(edition, planet, pages.feed, own),
    ):
        for feed in part.feeds:
            yield _make_file(feed, part, edition, contents)


def health_file(edition: Edition) -> File:
    """Return `health.json`: the health of each feed, and of all together."""
    return whole_file("health.json", jsonfeed.write_health(edition.sources))


class _Part(NamedTuple):
    """A part of the site with feeds: the planet itself, a source, or a tag."""

    feeds: Sequence[SiteFeed]
    channel: Channel
    posts: Sequence[Post]
    podcast: Channel
    """The channel of its podcast."""
    episodes: Sequence[Playable]
    sources: Sequence[Source] = ()
    """Those of its list."""


def _planet_part(
    edition: Edition, planet: Channel, pages: Pages, own: Cover, icon: str | None
) -> _Part:
    of, told = replace(planet, image=own.address, icon=icon), edition.podcast
    podcast = replace(
        of,
        title=told.title or of.title,
        description=told.description or of.description,
        category=told.category,
        page=of.address("podcast/"),
    )
    posts = edition.timeline.fair_share(pages.feed, pages.per_source).posts
    episodes = list_playables(edition.timeline.posts(), pages.feed)
    return _Part(channel.feeds_of_planet(edition), of, posts, podcast, episodes, edition.sources)


def _source_parts(
    edition: Edition, planet: Channel, limit: int, cover: str | None
) -> Iterator[_Part]:
    posts: dict[str, list[Post]] = {}
    for post in edition.timeline.posts(timeless=True):
        posts.setdefault(post.source.key, []).append(post)
    for source in edition.sources:
        if feeds := channel.feeds_of_source(edition, source):
            of, own = channel.of_source(planet, source), posts.get(source.key, [])
            podcast = replace(of, image=of.image or cover)
            yield _Part(feeds, of, own[:limit], podcast, list_playables(own, limit))


def _tag_parts(edition: Edition, planet: Channel, limit: int, own: Cover) -> Iterator[_Part]:
    for tag in edition.tags:
        of, sources = channel.of_folder(planet, tag.folder, tag.name), edition.tagged(tag)
        podcast = replace(of, category=edition.podcast.category, image=own.address)
        posts = tuple(edition.timeline.posts(sources={source.key for source in sources}))
        feeds, episodes = channel.feeds_of_tag(edition, tag), list_playables(posts, limit)
        yield _Part(feeds, of, posts[:limit], podcast, episodes, sources)


def _make_file(feed: SiteFeed, part: _Part, edition: Edition, contents: Contents) -> File:
    """Return the file of a feed."""
    of, posts, episodes = part.channel, part.posts, part.episodes
    made_from: tuple[object, ...]
    make: Callable[[], bytes]
    match feed.format:
        case "opml":
            outlines = opml.list_outlines(part.sources, edition.link)
            made_from = feed.of, edition.owner, *outlines
            make = partial(opml.write_opml, feed.of, edition.owner, outlines)
        case "digest":
            of = replace(channel.of_folder(of, "digest/", of.words.digests), folder="")
            of = replace(of, file="digest.xml", image=None, icon=None)
            digests = (edition.digests or ())[:DIGESTS]
            made_from = of, digests
            make = partial(_write_digests, of, digests)
        case _:
            if feed.format == "podcast":
                of, posts = part.podcast, [episode.post for episode in episodes]
            made_from = of, tuple(posts)
            make = partial(_write_feed, feed.format, of, posts, episodes, contents)
    mark = fingerprint(__version__, feed.path, *made_from)
    return File(path=feed.path, fingerprint=mark, make=make)


def _write_feed(
    name: str,
    of: Channel,
    posts: Sequence[Post],
    episodes: Sequence[Playable],
    contents: Contents,
) -> bytes:
    texts = facts.texts(posts, contents, of.words)
    if name == "json":
        return jsonfeed.write_json_feed(of, posts, texts)
    template = channel.FORMATS[name].file
    return write_xml(template, channel=of, posts=posts, episodes=episodes, texts=texts)


def _write_digests(of: Channel, digests: Sequence[Digest]) -> bytes:
    changed = max((digest.made_at for digest in digests), default=channel.EMPTY)
    return write_xml("digest.xml", channel=of, digests=digests, changed=changed)
