"""The facts of posts and sources for all formats."""

from __future__ import annotations

import html
import uuid
from datetime import UTC
from typing import TYPE_CHECKING

from planet.model import ContentMode, Html, Person
from planet.text import address
from planet.text.plain import language_tag

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.model import Contents, Enclosure, Post, Source
    from planet.site.words import Words


# What WordPress and others write where nobody chose a category.
_NO_CATEGORY = frozenset(
    {
        *("uncategorized", "uncategorised", "unkategorisiert", "non classé", "non classifié(e)"),
        *("sin categoría", "sin categorizar", "sem categoria", "senza categoria"),
        *("geen categorie", "без рубрики", "bez kategorii", "غير مصنف", "未分類", "未分类"),
    }
)


def foreword(post: Post, words: Words) -> Html:
    """Return the operator's note on a picked episode, and the date of first publication.

    Empty for any other post. The day is the one in UTC: the same bytes on every machine.
    """
    if post.picked is None:
        return Html("")
    note, published = paragraph(post.picked.note), post.entry.published
    if published is None:
        return note
    sentence = words.published(words.date(published.astimezone(UTC).date()))
    return Html(f"{note}<p><em>{sentence}</em></p>")


def paragraph(text: str | None) -> Html:
    """Return plain text as a paragraph of separate lines; nothing for no text."""
    if not text:
        return Html("")
    return Html(f"<p>{html.escape(text, quote=False).replace(chr(10), '<br>')}</p>")


def texts(posts: Sequence[Post], contents: Contents, words: Words) -> Mapping[int, Html]:
    """Return the texts that sources let be published, by the numbers of entries.

    The text of a picked episode begins with the foreword, and may be an excerpt.
    """
    whole = contents(
        [post.entry.number for post in posts if post.source.content is ContentMode.FULL]
    )
    published: dict[int, Html] = {}
    for post in posts:
        text, first = whole.get(post.entry.number), foreword(post, words)
        if first:
            text = Html(first + (text or paragraph(summary(post))))
        if text:
            published[post.entry.number] = text
    return published


def summary(post: Post) -> str | None:
    """Return the summary of a post; None where only the title may be published."""
    return None if post.source.content is ContentMode.TITLE else post.entry.summary or None


def authors(post: Post) -> tuple[Person, ...]:
    """Return the authors of a post, else the source's author, else the source.

    Never empty (RFC 4287 §4.1.2 wants an author), and each has a name.
    """
    named = tuple(
        Person(name=person.name or person.url, url=person.url)
        for person in post.entry.authors
        if person.name or person.url
    )
    return named or (Person(name=post.source.author or post.source.title),)


def language_of(post: Post) -> str | None:
    """Return the language of a post, else of the source."""
    return language_tag(post.entry.language) or language_tag(post.source.language)


def categories(post: Post) -> tuple[str, ...]:
    """Return the categories of a post, each once, without such as “Uncategorized”."""
    terms = (term for term in post.entry.categories if term and term.casefold() not in _NO_CATEGORY)
    return tuple(dict.fromkeys(terms))


def enclosures(post: Post) -> tuple[Enclosure, ...]:
    """Return the enclosures of a post, each address once."""
    by_url: dict[str, Enclosure] = {}
    for enclosure in post.entry.enclosures:
        by_url.setdefault(enclosure.url, enclosure)
    return tuple(by_url.values())


def own_feed(source: Source) -> str | None:
    """Return the address of the source's own feed, if readers can subscribe there."""
    return address.without_secrets(source.url) if source.own_format else None


def subscribe_url(source: Source, site: str | None) -> str | None:
    """Return the address to subscribe to: the own feed, else the feed on this site.

    There may be neither. A site without an address has no address of a feed.
    """
    own = own_feed(source)
    if own is None and source.has_feeds and site is not None:
        return f"{site}{source.folder}atom.xml"
    return own


def id_of(source: Source) -> str:
    """Return the id as an absolute IRI: the own one, else the address, else a UUID of the key."""
    if source.id and address.is_valid_iri(source.id) and _may_be_told(source.id):
        return source.id
    return (
        address.without_secrets(source.url)
        or f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, source.key)}"
    )


def _may_be_told(iri: str) -> bool:
    if iri.lower().startswith("file:"):
        return False
    web = address.make_absolute(iri)
    return web is None or web == address.without_secrets(web)
