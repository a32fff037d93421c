"""Channel and episodes → podcast RSS: RSS 2.0 with the iTunes and Podcasting 2.0 namespaces."""

from __future__ import annotations

import html
import uuid
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from planet.feeds import facts, markup, media, sources
from planet.feeds.channel import GENERATOR, GENERATOR_VERSION, updated
from planet.feeds.dates import rfc822

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from planet.feeds.channel import Channel
    from planet.feeds.markup import Xml
    from planet.model import Contents, Enclosure, Episode, Html, Post

_NAMESPACES: markup.Attributes = {
    "version": "2.0",
    "xmlns:atom": "http://www.w3.org/2005/Atom",
    "xmlns:content": "http://purl.org/rss/1.0/modules/content/",
    "xmlns:itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "xmlns:podcast": "https://podcastindex.org/namespace/1.0",
}
# Of Apple's categories the one that is true of any planet: it brings what is new.
_CATEGORY = "News"
_KINDS = frozenset({"full", "trailer", "bonus"})
# The namespace that the Podcasting 2.0 specification gives for podcast:guid.
_GUIDS = uuid.UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")


@dataclass(frozen=True, slots=True, kw_only=True)
class Playable:
    """A post with the one file of it that players get."""

    post: Post
    enclosure: Enclosure


def playables(posts: Iterable[Post], limit: int) -> tuple[Playable, ...]:
    """The first posts with audio or video, at most `limit`; a file's address counts once."""
    return tuple(islice(_playables(posts), limit))


def write(channel: Channel, shown: Sequence[Playable], contents: Contents) -> bytes:
    """An RSS document with an item for each, in their order.

    Directories are asked to leave it alone (itunes:block, podcast:locked): the shows themselves
    are what they should list.
    """
    posts = [playable.post for playable in shown]
    texts = facts.full_texts(posts, contents)
    items = (_item(channel, playable, texts.get(playable.post.entry.number)) for playable in shown)
    return markup.document(
        markup.nest("rss", [markup.nest("channel", [*_head(channel, posts), *items])], _NAMESPACES)
    )


def guid(address: str) -> str:
    """The podcast:guid of the feed at an address; neither scheme nor final slash matters."""
    return str(uuid.uuid5(_GUIDS, address.partition("://")[2].rstrip("/")))


def _playables(posts: Iterable[Post]) -> Iterator[Playable]:
    met = set[str]()
    for post in posts:
        enclosure = media.playable(post.entry)
        if enclosure is not None and enclosure.url not in met:
            met.add(enclosure.url)
            yield Playable(post=post, enclosure=enclosure)


def _head(channel: Channel, posts: Sequence[Post]) -> Iterator[Xml]:
    address = channel.address("podcast.xml")
    yield markup.text("title", channel.title)
    yield markup.text("link", channel.page)
    yield markup.text("description", channel.description or channel.title)
    yield markup.text("language", channel.language)
    yield markup.text("copyright", channel.rights)
    yield markup.text("lastBuildDate", rfc822(updated(posts)))
    yield markup.text("generator", f"{GENERATOR} {GENERATOR_VERSION}")
    if address is not None:
        yield markup.empty(
            "atom:link", {"rel": "self", "href": address, "type": "application/rss+xml"}
        )
        yield markup.text("podcast:guid", guid(address))
    yield markup.text("podcast:locked", "yes")
    yield markup.text("itunes:author", channel.author.name)
    yield _image(_cover(channel, posts))
    yield markup.empty("itunes:category", {"text": _CATEGORY})
    yield markup.text("itunes:explicit", _truth(any(map(_explicit, posts))))
    yield markup.text("itunes:block", "Yes")


def _item(channel: Channel, playable: Playable, content: Html | None) -> Xml:
    post = playable.post
    entry, source = post.entry, post.source
    # Players take episodes that share title and day for one and the same, whichever show they are
    # of, and most prefer itunes:title to title; so the show's name stands in both.
    title = f"{source.title}: {entry.heading}" if channel.mixed else entry.heading
    children = [
        markup.text("title", title),
        markup.text("link", entry.link),
        *_notes(facts.summary(post), content),
        markup.text("guid", post.uid, {"isPermaLink": "false"}),
        markup.text("pubDate", rfc822(post.when)),
        _enclosure(playable.enclosure),
        *(markup.text("category", term) for term in facts.categories(post)),
        markup.text("comments", entry.comments),
        _source(channel, post),
        markup.text("itunes:title", title),
        markup.text("itunes:author", source.title if channel.mixed else channel.author.name),
        markup.text("itunes:duration", _positive(playable.enclosure.duration)),
        _image(entry.image or (source.image if channel.mixed else None)),
        markup.text("itunes:explicit", _truth(_explicit(post))),
        *(_episode(entry.episode) if entry.episode else ()),
    ]
    return markup.nest("item", children)


def _notes(summary: str | None, content: Html | None) -> Iterator[Xml]:
    """The show notes, as HTML: what a description is to hold (RSS Best Practices Profile)."""
    if summary is None:
        # The content module wants a description before its element.
        yield markup.text("description", content)
    else:
        yield markup.text("description", html.escape(summary, quote=False))
        yield markup.text("content:encoded", content)


def _enclosure(enclosure: Enclosure) -> Xml:
    return markup.empty(
        "enclosure",
        {
            "url": enclosure.url,
            # RSS 2.0 wants a length; 0 is what the profile says for an unknown one.
            "length": _positive(enclosure.length) or "0",
            "type": media.media_type(enclosure),
        },
    )


def _episode(episode: Episode) -> Iterator[Xml]:
    yield markup.text("itunes:episode", _positive(episode.number))
    yield markup.text("itunes:season", _positive(episode.season))
    yield markup.text("itunes:episodeType", episode.kind if episode.kind in _KINDS else None)
    if episode.chapters is not None:
        yield markup.empty(
            "podcast:chapters", {"url": episode.chapters, "type": "application/json+chapters"}
        )
    for transcript in episode.transcripts:
        yield markup.empty(
            "podcast:transcript",
            {
                "url": transcript.url,
                "type": transcript.media_type,
                "language": transcript.language,
            },
        )
    for person in episode.persons:
        yield markup.text("podcast:person", person.name or person.url, {"href": person.url})


def _source(channel: Channel, post: Post) -> Xml:
    url = sources.subscribe_url(post.source, channel.site)
    if not channel.mixed or url is None:
        return markup.NOTHING
    return markup.text("source", post.source.title, {"url": url})


def _cover(channel: Channel, posts: Sequence[Post]) -> str | None:
    """The channel's own image, else that of the first of its shows, by title, that has one."""
    # By title and not by date: a cover must not change with every new episode.
    shows = sorted((post.source.title, post.source.key, post.source.image or "") for post in posts)
    return channel.image or next((image for _, _, image in shows if image), None)


def _image(href: str | None) -> Xml:
    return markup.empty("itunes:image", {"href": href}) if href else markup.NOTHING


def _explicit(post: Post) -> bool | None:
    """What the episode says of itself, else what its show says."""
    said = post.entry.episode.explicit if post.entry.episode else None
    return post.source.explicit if said is None else said


def _truth(claim: bool | None) -> str | None:
    return None if claim is None else str(claim).lower()


def _positive(number: int | None) -> str | None:
    """The number as text; None for 0, by which feeds mean that they do not know."""
    return str(number) if number is not None and number > 0 else None
