"""Channel and posts → Atom (RFC 4287)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet import address
from planet.feeds import facts, markup, media, sources
from planet.feeds.channel import GENERATOR, GENERATOR_URL, GENERATOR_VERSION, updated
from planet.feeds.dates import rfc3339

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planet.feeds.channel import Channel
    from planet.feeds.markup import Xml
    from planet.model import Contents, Enclosure, Html, Person, Post

_NAMESPACE = "http://www.w3.org/2005/Atom"
_TEXT: markup.Attributes = {"type": "text"}
_HTML: markup.Attributes = {"type": "html"}


def write(channel: Channel, posts: Sequence[Post], contents: Contents) -> bytes:
    """An Atom document with an entry for each post, in their order."""
    texts = facts.full_texts(posts, contents)
    origins = _sources(posts) if channel.mixed else {}
    entries = (
        _entry(post, texts.get(post.entry.number), origins.get(post.source.key, markup.NOTHING))
        for post in posts
    )
    return markup.document(
        markup.nest(
            "feed",
            [*_head(channel, posts), *entries],
            {"xmlns": _NAMESPACE, "xml:lang": channel.language},
        )
    )


def _head(channel: Channel, posts: Sequence[Post]) -> Iterator[Xml]:
    yield markup.text("id", channel.id)
    yield markup.text("title", channel.title, _TEXT)
    yield markup.text("subtitle", channel.description, _TEXT)
    yield markup.text("updated", rfc3339(updated(posts)))
    yield _link("self", channel.address("atom.xml"), "application/atom+xml")
    yield _link("alternate", channel.page, "text/html")
    yield _person(channel.author)
    yield markup.text("logo", channel.image)
    yield markup.text("rights", channel.rights, _TEXT)
    yield markup.text("generator", GENERATOR, {"uri": GENERATOR_URL, "version": GENERATOR_VERSION})


def _entry(post: Post, content: Html | None, source: Xml) -> Xml:
    entry = post.entry
    children = [
        markup.text("id", post.uid),
        markup.text("title", entry.heading, _TEXT),
        markup.text("published", rfc3339(post.when)),
        markup.text("updated", rfc3339(post.modified)),
        *map(_person, facts.authors(post)),
        _link("alternate", entry.link, None),
        *map(_enclosure, facts.enclosures(post)),
        _link("replies", entry.comments, "text/html"),
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
    elif post.entry.link is not None:
        yield markup.text("summary", summary, _TEXT)
    else:
        # RFC 4287 §4.1.2: an entry that links nowhere must hold its content.
        yield markup.text("content", summary or post.entry.heading, _TEXT)


def _sources(posts: Sequence[Post]) -> dict[str, Xml]:
    """The atom:source of each source that the posts come from, by its key."""
    by_source: dict[str, list[Post]] = {}
    for post in posts:
        by_source.setdefault(post.source.key, []).append(post)
    return {key: _source(mine) for key, mine in by_source.items()}


def _source(posts: Sequence[Post]) -> Xml:
    source = posts[0].source
    return markup.nest(
        "source",
        [
            markup.text("id", sources.id_of(source)),
            markup.text("title", source.title, _TEXT),
            # Of the posts shown here, not of all it has: nothing outside this file may change it.
            markup.text("updated", rfc3339(updated(posts))),
            _link("self", address.public(source.url), None),
            _link("alternate", source.link, "text/html"),
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


def _link(rel: str, href: str | None, media_type: str | None) -> Xml:
    if href is None:
        return markup.NOTHING
    return markup.empty("link", {"rel": rel, "href": href, "type": media_type})
