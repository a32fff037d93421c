"""Channel and posts → Atom (RFC 4287), and the archives of an Atom feed (RFC 5005 §4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planet import address, media, project
from planet.feeds import facts, markup, sources
from planet.feeds.channel import GENERATOR, GENERATOR_VERSION, updated
from planet.feeds.dates import rfc3339

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from planet.feeds.channel import Channel
    from planet.feeds.markup import Xml
    from planet.model import Contents, Enclosure, Html, Person, Post, Source

_NAMESPACE = "http://www.w3.org/2005/Atom"
_HISTORY = "http://purl.org/syndication/history/1.0"
_TYPE = "application/atom+xml"
_TEXT: markup.Attributes = {"type": "text"}
_HTML: markup.Attributes = {"type": "html"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """Where a document stands in the history of its feed; all addresses are absolute.

    Without `month` it is the document that people subscribe to, else an archive.
    """

    month: str | None = None
    """The address of the archive's folder, ending in a slash; the month's page is there, too."""
    older: str | None = None
    """The archive before this one."""
    newer: str | None = None
    """The archive after this one."""


SUBSCRIPTION = Chapter()
"""The only document of a feed without archives."""


def write(
    channel: Channel, posts: Sequence[Post], contents: Contents, chapter: Chapter = SUBSCRIPTION
) -> bytes:
    """An Atom document with an entry for each post, in their order."""
    texts = facts.texts(posts, contents, channel.words)
    origins = _sources(posts) if channel.mixed else {}
    entries = (
        _entry(post, texts.get(post.entry.number), origins.get(post.source, markup.NOTHING))
        for post in posts
    )
    return document(channel, entries, updated(posts), chapter)


def document(
    channel: Channel, entries: Iterable[Xml], changed: datetime, chapter: Chapter = SUBSCRIPTION
) -> bytes:
    """An Atom document with these entries; `changed` is the newest change of any of them."""
    return markup.document(
        markup.nest(
            "feed",
            [*_head(channel, changed, chapter), *entries],
            {
                "xmlns": _NAMESPACE,
                "xmlns:fh": _HISTORY if chapter.month else None,
                "xml:lang": channel.language,
            },
        )
    )


def link(rel: str, href: str | None, media_type: str | None = None) -> Xml:
    """An Atom link; nothing where there is nothing to link to."""
    if href is None:
        return markup.NOTHING
    return markup.empty("link", {"rel": rel, "href": href, "type": media_type})


def _head(channel: Channel, changed: datetime, chapter: Chapter) -> Iterator[Xml]:
    own = channel.address(channel.file)
    yield markup.text("id", channel.id)
    yield markup.text("title", channel.title, _TEXT)
    yield markup.text("subtitle", channel.description, _TEXT)
    yield markup.text("updated", rfc3339(changed))
    if chapter.month:
        yield link("self", f"{chapter.month}{channel.file}", _TYPE)
        yield link("current", own, _TYPE)
        yield markup.empty("fh:archive", {})
    else:
        yield link("self", own, _TYPE)
        yield link("hub", channel.hub)
    yield link("prev-archive", chapter.older, _TYPE)
    yield link("next-archive", chapter.newer, _TYPE)
    yield link("alternate", chapter.month or channel.page, "text/html")
    yield _person(channel.author)
    yield markup.text("logo", channel.image)
    yield markup.text("rights", channel.rights, _TEXT)
    home = project.address("Source")
    yield markup.text("generator", GENERATOR, {"uri": home, "version": GENERATOR_VERSION})


def _entry(post: Post, content: Html | None, source: Xml) -> Xml:
    entry = post.entry
    children = [
        markup.text("id", post.uid),
        markup.text("title", entry.heading, _TEXT),
        markup.text("published", rfc3339(post.when)),
        markup.text("updated", rfc3339(post.modified)),
        *map(_person, facts.authors(post)),
        link("alternate", entry.link),
        *map(_enclosure, facts.enclosures(post)),
        link("replies", entry.comments, "text/html"),
        *(markup.empty("category", {"term": term}) for term in facts.categories(post)),
        *_words(post, content),
        markup.text("rights", entry.rights, _TEXT),
        source,
    ]
    return markup.nest("entry", children, {"xml:lang": facts.language_of(post)})


def _words(post: Post, content: Html | None) -> Iterator[Xml]:
    summary = facts.summary(post)
    if content is not None:
        yield markup.text("summary", summary, _TEXT)
        yield markup.text("content", content, _HTML)
    else:
        # RFC 4287 §4.1.2: an entry that links nowhere must hold its content, and it is advisable
        # that any other without content has a summary that is not empty.
        name = "summary" if post.entry.link else "content"
        yield markup.text(name, summary or post.entry.heading, _TEXT)


def _sources(posts: Sequence[Post]) -> dict[Source, Xml]:
    """The atom:source of each source that the posts come from."""
    # Not by key: picked episodes of one show that is gone may know it by different names.
    by_source: dict[Source, list[Post]] = {}
    for post in posts:
        by_source.setdefault(post.source, []).append(post)
    return {source: _source(source, mine) for source, mine in by_source.items()}


def _source(source: Source, posts: Sequence[Post]) -> Xml:
    return markup.nest(
        "source",
        [
            markup.text("id", sources.id_of(source)),
            markup.text("title", source.title, _TEXT),
            # Of the posts shown here, not of all it has: nothing outside this file may change it.
            markup.text("updated", rfc3339(updated(posts))),
            link("self", address.public(source.url)),
            link("alternate", source.link, "text/html"),
            markup.text("rights", source.rights, _TEXT),
        ],
    )


def _person(person: Person) -> Xml:
    return markup.nest("author", [markup.text("name", person.name), markup.text("uri", person.url)])


def _enclosure(enclosure: Enclosure) -> Xml:
    return markup.empty(
        "link",
        {
            "rel": "enclosure",
            "href": enclosure.url,
            "type": media.media_type(enclosure),
            "length": str(enclosure.length) if enclosure.length else None,
            "title": enclosure.title,
        },
    )
