"""Channel and posts → Atom (RFC 4287)."""

from __future__ import annotations

import html
from datetime import date
from typing import TYPE_CHECKING

from planet import __version__, project_address
from planet.site.feeds import facts, markup
from planet.site.feeds.channel import EMPTY, GENERATOR, newest_change, urn
from planet.site.feeds.markup import rfc3339
from planet.text import address, media

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from planet.model import (
        Contents,
        Digest,
        DigestItem,
        Enclosure,
        Html,
        Person,
        Post,
        Source,
    )
    from planet.site.feeds.channel import Channel
    from planet.site.feeds.markup import Xml


_NAMESPACE = "http://www.w3.org/2005/Atom"
_TYPE = "application/atom+xml"
_TEXT: markup.Attributes = {"type": "text"}
_NO_TITLE = markup.empty("title", {})
_HTML: markup.Attributes = {"type": "html"}
_THREAD: markup.Attributes = {"xmlns:thr": "http://purl.org/syndication/thread/1.0"}
_ITUNES: markup.Attributes = {"xmlns:itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd"}


def write_atom(channel: Channel, posts: Sequence[Post], contents: Contents) -> bytes:
    """Return an Atom document with an entry for each post, in their order."""
    texts = facts.texts(posts, contents, channel.words)
    origins = _sources(posts) if channel.mixed else {}
    entries = (
        _entry(
            post,
            texts.get(post.entry.number),
            origins[post.source] if channel.mixed else markup.NOTHING,
        )
        for post in posts
    )
    return document(channel, entries, newest_change(posts))


def document(channel: Channel, entries: Iterable[Xml], changed: datetime) -> bytes:
    """Return an Atom document with these entries; `changed` is the newest change of any of them."""
    return markup.document(
        markup.nest(
            "feed",
            [*_head(channel, changed), *entries],
            {"xmlns": _NAMESPACE, "xml:lang": channel.language},
        )
    )


def link(rel: str, href: str | None, media_type: str | None = None) -> Xml:
    """Return an Atom link; nothing where there is no address."""
    if href is None:
        return markup.NOTHING
    return markup.empty("link", {"rel": rel, "href": href, "type": media_type})


def _head(channel: Channel, changed: datetime) -> Iterator[Xml]:
    yield markup.text("id", channel.id)
    yield markup.text("title", channel.title, _TEXT)
    yield markup.text("subtitle", channel.description, _TEXT)
    yield markup.text("updated", rfc3339(changed))
    yield link("self", channel.address(channel.file), _TYPE)
    yield link("hub", channel.hub)
    yield link("alternate", channel.page, "text/html")
    yield _person(channel.author)
    yield markup.text("icon", channel.icon)
    yield markup.text("logo", channel.image)
    yield markup.text("rights", channel.rights, _TEXT)
    home = project_address("Source")
    yield markup.text("generator", GENERATOR, {"uri": home, "version": __version__})


def _entry(post: Post, content: Html | None, source: Xml) -> Xml:
    entry = post.entry
    children = [
        markup.text("id", post.uid),
        # RFC 4287 §4.1.2 wants a title, and lets it be empty: a note has none.
        *((_NO_TITLE,) if entry.is_note else (markup.text("title", entry.heading, _TEXT),)),
        markup.text("published", rfc3339(post.when)),
        markup.text("updated", rfc3339(post.modified)),
        *map(_person, facts.authors(post)),
        link("alternate", entry.link),
        *map(_enclosure, facts.enclosures(post)),
        _duration(post),
        link("replies", entry.comments, "text/html"),
        *(_answers(url) for url in entry.in_reply_to),
        *(markup.empty("category", {"term": term}) for term in facts.categories(post)),
        *_words(post, content),
        markup.text("rights", entry.rights, _TEXT),
        source,
    ]
    return markup.nest("entry", children, {"xml:lang": facts.language_of(post)})


def _answers(url: str) -> Xml:
    # RFC 4685 §3: what the address identifies, and where it is.
    return markup.empty("thr:in-reply-to", {**_THREAD, "ref": url, "href": url})


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
    """Return the atom:source of each source of these posts."""
    # Not by key: picked episodes of one show that is gone may know it by different names.
    by_source: dict[Source, list[Post]] = {}
    for post in posts:
        by_source.setdefault(post.source, []).append(post)
    return {source: _source(source, mine) for source, mine in by_source.items()}


def _source(source: Source, posts: Sequence[Post]) -> Xml:
    return markup.nest(
        "source",
        [
            markup.text("id", markup.id_of(source)),
            markup.text("title", source.title, _TEXT),
            # Of the posts shown here, not of all it has: nothing outside this file may change it.
            markup.text("updated", rfc3339(newest_change(posts))),
            link("self", address.without_secrets(source.url)),
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


def _duration(post: Post) -> Xml:
    # RFC 4287 has no word for it: it is the entry's, as in podcasts.
    playable = media.find_playable(post.entry)
    seconds = str(playable.duration) if playable and playable.duration else None
    return markup.text("itunes:duration", seconds, _ITUNES)


LENGTH = 30
"""Digests in the feed."""


def write_digest_feed(channel: Channel, digests: Sequence[Digest]) -> bytes:
    """Return an Atom document with an entry for each digest, in their order."""
    changed = max((digest.made_at for digest in digests), default=EMPTY)
    return document(channel, (_digest_entry(channel, digest) for digest in digests), changed)


def _digest_entry(channel: Channel, digest: Digest) -> Xml:
    address, words = channel.address(f"digest/{digest.name}/"), channel.words
    title = words.digest_of(words.date(date.fromisoformat(digest.name)))
    return markup.nest(
        "entry",
        [
            markup.text("id", address or urn(f"{channel.seed}{digest.name}/")),
            markup.text("title", title, _TEXT),
            markup.text("published", rfc3339(digest.due_at)),
            markup.text("updated", rfc3339(digest.made_at)),
            link("alternate", address, "text/html"),
            markup.text("content", "".join(_content(digest)), _HTML),
        ],
    )


def _content(digest: Digest) -> Iterator[str]:
    for section in digest.sections:
        yield f"<h4>{_link_html(section.source, section.link)}</h4>\n<ul>\n"
        yield from map(_item, section.items)
        yield "</ul>\n"


def _item(item: DigestItem) -> str:
    if not item.heading:
        return f"<li>{_link_html(item.summary or '', item.link)}</li>\n"
    summary = f"<br>\n{html.escape(item.summary, quote=False)}" if item.summary else ""
    return f"<li>{_link_html(item.heading, item.link)}{summary}</li>\n"


def _link_html(text: str, href: str | None) -> str:
    escaped = html.escape(text, quote=False)
    return f'<a href="{html.escape(href)}">{escaped}</a>' if href else escaped
