"""Edition → File: Atom, JSON Feed, podcast RSS and OPML, for the planet and its parts.

Its parts are its sources, its tags, and its lists of picked episodes. Beside them the digest as a
feed and as text, and `health.json`, which says how it goes with the feeds that come in.

Doors besides what it offers itself:

    opml  lists of sources
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from planet import __version__
from planet.model import File, by_source, by_tag
from planet.site.feeds import atom, channel, jsonfeed, mail, opml, podcast
from planet.site.feeds.atom import archives
from planet.text.media import playables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from planet.model import Contents, Edition, Pages, Post, Source
    from planet.site.feeds.channel import Channel, Cover
    from planet.text.media import Playable


def feeds(
    edition: Edition, *, pages: Pages, contents: Contents, cover: str | None
) -> tuple[File, ...]:
    """The feeds of an edition, as files that can be made.

    `docs/feeds.md` has the table. `cover` is the path on the site of the theme's own cover, if it
    has one. What a file holds depends on nothing but its channel, its posts and their texts, which
    their fingerprints stand for: equal fingerprints mean equal bytes, whenever and wherever it is
    made.

    Raises:
        OSError: the file of a cover cannot be read.
    """
    own = channel.cover(edition.podcast, "podcast/", site=edition.link, theme=cover)
    return (
        *_of_planet(edition, pages.feed, contents, own),
        *_of_sources(edition, pages.source, contents, cover),
        *_of_tags(edition, pages.feed, contents, own),
        *_of_lists(edition, contents, cover),
        *_of_digests(edition),
    )


def health(
    edition: Edition, records: Mapping[str, Mapping[str, Any]], together: Mapping[str, Any]
) -> File:
    """`health.json`, from what is known of each of the edition's feeds, by key, and of all."""
    said = jsonfeed.document(edition.sources, records, together)
    return _file("health.json", _digest(said), partial(jsonfeed.write_health_json, said))


def _of_planet(edition: Edition, limit: int, contents: Contents, own: Cover) -> Iterator[File]:
    of = channel.of_planet(edition)
    chapters = archives(edition.posts, limit, edition.link) if edition.link else ()
    newest = chapters[0].address if chapters else None
    yield _atom(of, edition.posts[:limit], contents, atom.Chapter(older=newest))
    for archive in chapters:
        yield _atom(of, archive.posts, contents, archive.chapter, archive.folder)
    yield _json(of, edition.posts[:limit], contents)
    said = edition.podcast
    heard = replace(
        of,
        title=said.title or of.title,
        description=said.description or of.description,
        category=said.category,
        image=own.address,
        page=of.address("podcast/"),
    )
    yield from _podcast(heard, playables(edition.posts, limit), contents)
    yield from _image(own)
    yield _opml(of, edition, edition.sources)


def _of_sources(
    edition: Edition, limit: int, contents: Contents, theme: str | None
) -> Iterator[File]:
    of_source = by_source(edition)
    for source in edition.sources:
        of, posts = channel.of_source(edition, source), of_source.get(source.key, [])
        yield _atom(of, posts[:limit], contents)
        yield _json(of, posts[:limit], contents)
        heard = replace(of, image=of.image or channel.on_site(theme, edition.link))
        yield from _podcast(heard, playables(posts, limit), contents)


def _of_tags(edition: Edition, limit: int, contents: Contents, own: Cover) -> Iterator[File]:
    of_tag = by_tag(edition)
    for tag in edition.tags:
        of, posts = channel.of_tag(edition, tag), of_tag[tag.name]
        yield _atom(of, posts[:limit], contents)
        yield _json(of, posts[:limit], contents)
        heard = replace(of, category=edition.podcast.category, image=own.address)
        yield from _podcast(heard, playables(posts, limit), contents)
        sources = [source for source in edition.sources if tag.name in source.tags]
        yield _opml(of, edition, sources)


def _of_lists(edition: Edition, contents: Contents, theme: str | None) -> Iterator[File]:
    for picks in edition.lists:
        of = channel.of_list(edition, picks)
        cover = channel.cover(picks.podcast, of.folder, site=edition.link, theme=theme)
        of = replace(of, image=cover.address)
        yield _atom(of, picks.posts, contents)
        # Also when it is empty: someone may be subscribed to it.
        yield _heard(of, playables(picks.posts, len(picks.posts)), contents)
        yield from _image(cover)


def _of_digests(edition: Edition) -> Iterator[File]:
    if edition.digests is None:
        return
    of, digests = channel.of_digests(edition), edition.digests[: atom.LENGTH]
    yield _file("digest.xml", _digest(of, digests), partial(atom.write_digest_feed, of, digests))
    for newest in digests[:1]:
        write = partial(mail.write, of, newest, edition.title)
        yield _file("digest.txt", _digest(of, newest, edition.title), write)


def _atom(
    of: Channel,
    posts: Sequence[Post],
    contents: Contents,
    chapter: atom.Chapter = atom.SUBSCRIPTION,
    folder: str | None = None,
) -> File:
    path = f"{of.folder if folder is None else folder}{of.file}"
    seen = _digest(of, chapter, _marks(posts))
    return _file(path, seen, partial(atom.write_atom, of, posts, contents, chapter))


def _json(of: Channel, posts: Sequence[Post], contents: Contents) -> File:
    seen = _digest(of, _marks(posts))
    return _file(
        f"{of.folder}feed.json", seen, partial(jsonfeed.write_json_feed, of, posts, contents)
    )


def _podcast(of: Channel, shown: Sequence[Playable], contents: Contents) -> Iterator[File]:
    if shown:
        yield _heard(of, shown, contents)


def _heard(of: Channel, shown: Sequence[Playable], contents: Contents) -> File:
    seen = _digest(of, _marks(playable.post for playable in shown))
    return _file(f"{of.folder}podcast.xml", seen, partial(podcast.write, of, shown, contents))


def _opml(of: Channel, edition: Edition, sources: Iterable[Source]) -> File:
    listed = opml.subscriptions(edition, sources, title=of.title)
    return _file(f"{of.folder}opml.xml", _digest(listed), partial(opml.write, listed))


def _image(cover: Cover) -> Iterator[File]:
    if cover.path:
        yield _file(cover.path, _digest(cover.image), lambda: cover.image)


def _marks(posts: Iterable[Post]) -> list[str]:
    return [post.fingerprint for post in posts]


def _file(path: str, seen: str, make: Callable[[], bytes]) -> File:
    return File(path=path, fingerprint=_digest(__version__, path, seen), make=make)


def _digest(*parts: object) -> str:
    # The repr of frozen values tells all of them apart, and holds no lone surrogate.
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()
