"""Edition → File: Atom, JSON Feed, podcast RSS and OPML, for the planet and for each source.

Beside them `health.json`, which says how it goes with the feeds that come in.
"""

from __future__ import annotations

from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from planet import __version__
from planet.feeds import atom, channel, healthjson, jsonfeed, opml, podcast
from planet.model import File

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from planet.feeds.channel import Channel
    from planet.model import Contents, Edition, Pages, Post


def feeds(edition: Edition, *, pages: Pages, contents: Contents) -> tuple[File, ...]:
    """The feeds of an edition, as files that can be made.

    For the planet `atom.xml`, `feed.json`, `podcast.xml` and `opml.xml`; for each source the first
    three in `source/<slug>/`. A `podcast.xml` there is only where a post has audio or video. What a
    file holds depends on nothing but its channel, its posts and their texts, which their
    fingerprints stand for: equal fingerprints mean equal bytes, whenever and wherever it is made.
    """
    by_source: dict[str, list[Post]] = {source.key: [] for source in edition.sources}
    for post in edition.posts:
        by_source.setdefault(post.source.key, []).append(post)

    files = [*_files(channel.of_planet(edition), edition.posts, pages.feed, contents)]
    for source in edition.sources:
        of_source = channel.of_source(edition, source)
        files += _files(of_source, by_source[source.key], pages.source, contents)
    listed = opml.subscriptions(edition)
    files.append(_file("opml.xml", _digest(listed), partial(opml.write, listed)))
    return tuple(files)


def health(
    edition: Edition, records: Mapping[str, Mapping[str, Any]], together: Mapping[str, Any]
) -> File:
    """`health.json`, from what is known of each of the edition's feeds, by key, and of all."""
    said = healthjson.document(edition.sources, records, together)
    return _file("health.json", _digest(said), partial(healthjson.write, said))


def _files(of: Channel, posts: Sequence[Post], limit: int, contents: Contents) -> Iterator[File]:
    newest = posts[:limit]
    seen = _digest(of, [post.fingerprint for post in newest])
    yield _file(f"{of.folder}atom.xml", seen, partial(atom.write, of, newest, contents))
    yield _file(f"{of.folder}feed.json", seen, partial(jsonfeed.write, of, newest, contents))
    if playables := podcast.playables(posts, limit):
        heard = _digest(of, [playable.post.fingerprint for playable in playables])
        yield _file(
            f"{of.folder}podcast.xml", heard, partial(podcast.write, of, playables, contents)
        )


def _file(path: str, seen: str, make: Callable[[], bytes]) -> File:
    return File(path=path, fingerprint=_digest(__version__, path, seen), make=make)


def _digest(*parts: object) -> str:
    # The repr of frozen values tells all of them apart, and holds no lone surrogate.
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()
