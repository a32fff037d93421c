"""Edition → File: Atom, JSON Feed, RSS, podcasts and OPML, for the planet and its parts.

Its parts are its sources, its tags, and its lists of picked episodes. Beside them the digest as a
feed, and `health.json`, which says how it goes with the feeds that come in.

Doors besides what it offers itself:

    opml    lists of sources
    markup  XML and JSON
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import blake2b
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from planet import __version__
from planet.model import File
from planet.site.feeds import atom, channel, jsonfeed, opml, rss
from planet.text.media import list_playables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from planet.model import Contents, Edition, Pages, Post, Source
    from planet.site.feeds.channel import Channel, Cover

Part: TypeAlias = Literal["planet", "source", "tag", "list"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format in which feeds come out."""

    file: str
    media_type: str
    write: Callable[..., bytes]
    """Channel, posts (or episodes) and their texts → the document; what has no `parts` is made
    apart, of other things."""
    parts: tuple[Part, ...] = ()
    """What there is a feed of in it."""
    is_podcast: bool = False
    """Whether it holds episodes, and is there only where there are any."""
    is_optional: bool = False
    """Whether it is there only where the operator wants it."""


# RFC 4287 §7, RSS Advisory Board, JSON Feed 1.1 and OPML 2.0 name these types.
FORMATS: Mapping[str, Format] = {
    "atom": Format(
        file="atom.xml",
        media_type="application/atom+xml",
        write=atom.write_atom,
        parts=("planet", "source", "tag", "list"),
    ),
    "json": Format(
        file="feed.json",
        media_type="application/feed+json",
        write=jsonfeed.write_json_feed,
        parts=("planet", "source", "tag"),
    ),
    "podcast": Format(
        file="podcast.xml",
        media_type="application/rss+xml",
        write=rss.write_podcast,
        parts=("planet", "source", "tag", "list"),
        is_podcast=True,
    ),
    "rss": Format(
        file="rss.xml",
        media_type="application/rss+xml",
        write=rss.write_rss,
        parts=("planet",),
        is_optional=True,
    ),
    "digest": Format(
        file="digest.xml", media_type="application/atom+xml", write=atom.write_digest_feed
    ),
    "opml": Format(file="opml.xml", media_type="text/x-opml", write=opml.write),
}
"""Every format, by the word for it (`words.atom`, `words.atom_hint`); a new one is a row here."""


@cache
def formats(part: Part, *, has_podcast: bool, has_rss: bool = False) -> Sequence[str]:
    """The formats in which there is a feed of a part of the site."""
    return tuple(
        name
        for name, format_ in FORMATS.items()
        if part in format_.parts
        and (has_podcast or not format_.is_podcast)
        and (has_rss or not format_.is_optional)
    )


def feeds(
    edition: Edition, *, pages: Pages, contents: Contents, cover: str | None
) -> Iterator[File]:
    """The feeds of an edition, as files that can be made, those of sources in the order of these.

    `docs/feeds.md` has the table. `cover` is the path on the site of the theme's own cover, if it
    has one. What a file holds depends on nothing but its channel, its posts and their texts, which
    their fingerprints stand for: equal fingerprints mean equal bytes, whenever and wherever it is
    made.

    Raises:
        OSError: the file of a cover cannot be read.
    """
    own = channel.cover(edition.podcast, "podcast/", site=edition.link, theme=cover)
    yield from _of_planet(edition, pages, contents, own)
    yield from _of_sources(edition, pages.source, contents, cover)
    yield from _of_tags(edition, pages.feed, contents, own)
    yield from _of_lists(edition, contents, cover)
    yield from _of_digests(edition)


def health(
    edition: Edition,
    record_of: Callable[[str], Mapping[str, Any]],
    together: Callable[[], Mapping[str, Any]],
) -> File:
    """`health.json`, from what is known of each of the edition's feeds, by key, and of all.

    What is known of all `together` is asked for last.
    """
    return _whole("health.json", *jsonfeed.health(edition.sources, record_of, together))


def _of_planet(edition: Edition, pages: Pages, contents: Contents, own: Cover) -> Iterator[File]:
    limit = pages.feed
    of = channel.of_planet(edition)
    timeline = edition.timeline
    own_podcast = edition.podcast
    as_podcast = {
        "title": own_podcast.title or of.title,
        "description": own_podcast.description or of.description,
        "category": own_podcast.category,
        "image": own.address,
        "page": of.address("podcast/"),
    }
    newest, played_of = _these(tuple(timeline.posts(limit))), None
    if edition.has_podcast:
        played = list_playables(timeline.posts(playable=True), limit)
        played_of = _these([playable.post for playable in played])
    yield from _made(
        "planet", of, as_podcast, newest, played_of, limit, contents, has_rss=pages.rss
    )
    yield from _image(own)
    yield _opml(of, edition, edition.sources)


def _of_sources(
    edition: Edition, limit: int, contents: Contents, theme: str | None
) -> Iterator[File]:
    for source in filter(attrgetter("has_feeds"), edition.sources):
        of = channel.of_source(edition, source)
        as_podcast = {"image": of.image or channel.on_site(theme, edition.link)}
        yield from _of_part(
            "source", edition, [source], limit, contents, of=of, as_podcast=as_podcast
        )


def _of_tags(edition: Edition, limit: int, contents: Contents, own: Cover) -> Iterator[File]:
    for tag in edition.tags:
        of, sources = channel.of_tag(edition, tag), edition.tagged(tag)
        as_podcast = {"category": edition.podcast.category, "image": own.address}
        yield from _of_part("tag", edition, sources, limit, contents, of=of, as_podcast=as_podcast)
        yield _opml(of, edition, sources)


def _of_lists(edition: Edition, contents: Contents, theme: str | None) -> Iterator[File]:
    for picks in edition.lists:
        of = channel.of_list(edition, picks)
        cover = channel.cover(picks.podcast, of.folder, site=edition.link, theme=theme)
        of = replace(of, image=cover.address)
        shown = _these(picks.posts)
        # The podcast also when it is empty: someone may be subscribed to it.
        yield from _made("list", of, {}, shown, shown, len(picks.posts), contents)
        yield from _image(cover)


def _of_digests(edition: Edition) -> Iterator[File]:
    if edition.digests is None:
        return
    of, digests = channel.of_digests(edition), edition.digests[: atom.LENGTH]
    kind = FORMATS["digest"]
    yield _file(kind.file, _digest(of, digests), partial(kind.write, of, digests))


class _Posts(NamedTuple):
    """Posts that are read when a file is made of them."""

    mark: object
    """Changes whenever anything that is shown of them does."""
    read: Callable[[], Iterable[Post]]


def _these(posts: Sequence[Post]) -> _Posts:
    return _Posts([post.fingerprint for post in posts], lambda: posts)


def _of_part(
    part: Part,
    edition: Edition,
    sources: Iterable[Source],
    limit: int,
    contents: Contents,
    *,
    of: Channel,
    as_podcast: Mapping[str, Any],
) -> Iterator[File]:
    """The feeds of these sources; nothing is read of them before a file is made."""
    keys, timeless = [source.key for source in sources], part == "source"
    kinds = (edition.timeline.sources, *([edition.timeline.timeless] if timeless else []))
    parts = [one for key in keys for kind in kinds if (one := kind.get(key))]
    read = partial(edition.timeline.posts, sources=keys, timeless=timeless)
    mark = limit, *(one.mark for one in parts)
    shown, played = _Posts(mark, partial(read, limit)), _Posts(mark, partial(read, playable=True))
    is_playable = any(one.playable for one in parts)
    yield from _made(part, of, as_podcast, shown, played if is_playable else None, limit, contents)


def _made(
    part: Part,
    of: Channel,
    as_podcast: Mapping[str, Any],
    posts: _Posts,
    played: _Posts | None,
    limit: int,
    contents: Contents,
    *,
    has_rss: bool = False,
) -> Iterator[File]:
    """A feed of these posts in each format of a part; a podcast says of itself `as_podcast`."""
    described = {False: (of, posts)}
    if played is not None:
        described[True] = replace(of, **as_podcast), played
    seen = {kind: _digest(channel, these.mark) for kind, (channel, these) in described.items()}
    for name in formats(part, has_podcast=played is not None, has_rss=has_rss):
        format_ = FORMATS[name]
        kind = format_.is_podcast
        write = partial(_written, format_, *described[kind], limit, contents)
        yield _file(of.folder + format_.file, seen[kind], write)


def _written(format_: Format, of: Channel, posts: _Posts, limit: int, contents: Contents) -> bytes:
    shown = posts.read()
    episodes = list_playables(shown, limit) if format_.is_podcast else tuple(shown)
    return format_.write(of, episodes, contents)


def _opml(of: Channel, edition: Edition, sources: Iterable[Source]) -> File:
    kind, owner = FORMATS["opml"], edition.owner
    listed = opml.outlines(edition, sources)
    return _whole(of.folder + kind.file, kind.write(of.title, owner.name, owner.url, listed))


def _image(cover: Cover) -> Iterator[File]:
    if cover.path:
        yield _whole(cover.path, cover.image)


def _whole(path: str, *pieces: bytes) -> File:
    """A file that is made already: it takes no longer than to see whether it has changed."""
    hashed = blake2b(digest_size=16)
    for piece in pieces:
        hashed.update(piece)
    return _file(path, hashed.hexdigest(), partial(b"".join, pieces))


def _file(path: str, seen: str, make: Callable[[], bytes]) -> File:
    return File(path=path, fingerprint=_digest(__version__, path, seen), make=make)


def _digest(*parts: object) -> str:
    # The repr of frozen values tells all of them apart, and holds no lone surrogate.
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()
