"""Channel and posts → RSS 2.0: as articles, or as a podcast.

Articles have Dublin Core's creators, for RSS wants mail addresses of authors. A podcast has the
namespaces of iTunes and Podcasting 2.0.
"""

from __future__ import annotations

import uuid
from html import escape
from typing import TYPE_CHECKING

from planet import __version__
from planet.model import EPISODE_KINDS, Enclosure
from planet.site.feeds import facts, markup
from planet.site.feeds.channel import GENERATOR, newest_change
from planet.site.feeds.markup import rfc822
from planet.text import media
from planet.text.languages import language_tag

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planet.model import Contents, Episode, Html, Post, Transcript
    from planet.site.feeds.channel import Channel
    from planet.site.feeds.markup import Xml
    from planet.text.media import Playable


_COMMON: markup.Attributes = {
    "version": "2.0",
    "xmlns:atom": "http://www.w3.org/2005/Atom",
    "xmlns:source": "http://source.scripting.com/",
}
_OF_ARTICLES = {**_COMMON, "xmlns:dc": "http://purl.org/dc/elements/1.1/"}
_OF_PODCAST = {
    **_COMMON,
    "xmlns:content": "http://purl.org/rss/1.0/modules/content/",
    "xmlns:itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "xmlns:podcast": "https://podcastindex.org/namespace/1.0",
}
# The namespace that the Podcasting 2.0 specification gives for podcast:guid.
_GUIDS = uuid.UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")
# Characters that an itunes:author may have, by Apple's first specification.
_MAX_AUTHOR = 255


def write_podcast(channel: Channel, shown: Sequence[Playable], contents: Contents) -> bytes:
    """Return a podcast's RSS document with an item for each episode, in their order.

    Directories are asked to leave it alone (itunes:block, podcast:locked): the shows themselves
    are what they should list.
    """
    posts = [playable.post for playable in shown]
    texts = facts.texts(posts, contents, channel.words)
    items = (_item(channel, playable, texts.get(playable.post.entry.number)) for playable in shown)
    head = *_head(channel, posts, "podcast.xml"), *_head_of_podcast(channel, posts)
    return _document([*head, *items], _OF_PODCAST)


def guid(address: str) -> str:
    """Return the podcast:guid of the feed at an address; neither scheme nor final slash matters."""
    return str(uuid.uuid5(_GUIDS, address.partition("://")[2].rstrip("/")))


def _document(children: list[Xml], namespaces: markup.Attributes) -> bytes:
    return markup.document(markup.nest("rss", [markup.nest("channel", children)], namespaces))


def _head(channel: Channel, posts: Sequence[Post], file: str) -> Iterator[Xml]:
    address = channel.address(file)
    yield markup.text("title", channel.title)
    yield markup.text("link", channel.page)
    # Readers take it for HTML, as they do that of an item.
    yield markup.text("description", escape(channel.description or channel.title, quote=False))
    yield markup.text("language", channel.language)
    yield markup.text("copyright", channel.rights)
    yield markup.text("lastBuildDate", rfc822(newest_change(posts)))
    yield markup.text("generator", f"{GENERATOR} {__version__}")
    if address is not None:
        yield markup.empty(
            "atom:link", {"rel": "self", "href": address, "type": "application/rss+xml"}
        )
        if channel.hub is not None:
            yield markup.empty("atom:link", {"rel": "hub", "href": channel.hub})
    if channel.mixed and channel.site is not None:
        yield markup.text("source:blogroll", f"{channel.site}opml.xml")


def _head_of_podcast(channel: Channel, posts: Sequence[Post]) -> Iterator[Xml]:
    if (address := channel.address("podcast.xml")) is not None:
        yield markup.text("podcast:guid", guid(address))
    yield markup.text("podcast:locked", "yes")
    yield markup.text("podcast:medium", _medium(posts))
    yield _author(channel.author.name)
    yield _image(_cover(channel, posts))
    yield _category(channel.category)
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
        *_notes(channel, post, content),
        markup.text("guid", post.uid, {"isPermaLink": "false"}),
        markup.text("pubDate", rfc822(post.when)),
        _enclosure(playable.enclosure),
        *(markup.text("category", term) for term in facts.categories(post)),
        markup.text("comments", entry.comments),
        _source(channel, post),
        markup.text("itunes:title", title),
        _author(source.title if channel.mixed else channel.author.name),
        markup.text("itunes:duration", _positive(playable.enclosure.duration)),
        _image(entry.image or (source.image if channel.mixed else None)),
        markup.text("itunes:explicit", _truth(_explicit(post))),
        *(_episode(entry.episode) if entry.episode else ()),
    ]
    return markup.nest("item", children)


def _notes(channel: Channel, post: Post, content: Html | None) -> Iterator[Xml]:
    """Return the show notes as HTML, as a description is to hold (RSS Best Practices Profile)."""
    summary = facts.summary(post)
    # A paragraph, so that readers who guess take it for HTML: in plain text "&amp;" is no "&".
    short = summary and facts.foreword(post, channel.words) + facts.paragraph(summary)
    # The content module wants a description before its element.
    yield markup.text("description", short or content)
    if short and content != short:
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
    yield markup.text("itunes:episodeType", episode.kind if episode.kind in EPISODE_KINDS else None)
    if episode.chapters is not None:
        yield markup.empty(
            "podcast:chapters", {"url": episode.chapters, "type": "application/json+chapters"}
        )
    yield from map(_transcript, episode.transcripts)
    for person in episode.persons:
        yield markup.text("podcast:person", person.name or person.url, {"href": person.url})
    for page in episode.funding:
        yield markup.text("podcast:funding", page.title or page.url, {"url": page.url})
    for discussion in episode.discussions:
        yield markup.empty(
            "podcast:socialInteract",
            {
                "protocol": discussion.protocol,
                "uri": discussion.url,
                "accountId": discussion.account,
                "accountUrl": discussion.account_url,
                "priority": _positive(discussion.priority),
            },
        )


def _transcript(transcript: Transcript) -> Xml:
    # Held to the same rules as that of an enclosure; the namespace wants one.
    file = Enclosure(url=transcript.url, media_type=transcript.media_type)
    media_type = media.media_type(file)
    if media_type is None:
        return markup.NOTHING
    return markup.empty(
        "podcast:transcript",
        {"url": file.url, "type": media_type, "language": language_tag(transcript.language)},
    )


def _source(channel: Channel, post: Post) -> Xml:
    url = markup.subscribe_url(post.source, channel.site)
    if not channel.mixed or url is None:
        return markup.NOTHING
    return markup.text("source", post.source.title, {"url": url})


def _cover(channel: Channel, posts: Sequence[Post]) -> str | None:
    """Return the channel's own image, else that of its first show, by title, that has one."""
    # By title and not by date: a cover must not change with every new episode.
    shows = sorted((post.source.title, post.source.key, post.source.image or "") for post in posts)
    return channel.image or next((image for _, _, image in shows if image), None)


def _author(name: str | None) -> Xml:
    if name is not None and len(name) > _MAX_AUTHOR:
        name = f"{name[: _MAX_AUTHOR - 1]}…"
    return markup.text("itunes:author", name)


def _category(category: str) -> Xml:
    broad, _, narrow = category.partition(" > ")
    if not narrow:
        return markup.empty("itunes:category", {"text": broad})
    inner = markup.empty("itunes:category", {"text": narrow})
    return markup.nest("itunes:category", [inner], {"text": broad})


def _image(href: str | None) -> Xml:
    return markup.empty("itunes:image", {"href": href}) if href else markup.NOTHING


def _medium(posts: Sequence[Post]) -> str | None:
    """Return what all its shows are; None where one is a podcast, or they are not the same."""
    mediums = {post.entry.episode.medium if post.entry.episode else None for post in posts}
    return mediums.pop() if len(mediums) == 1 else None


def _explicit(post: Post) -> bool | None:
    """Return whether an episode is explicit, as it says itself, or else its show."""
    own = post.entry.episode.explicit if post.entry.episode else None
    return post.source.explicit if own is None else own


def _truth(claim: bool | None) -> str | None:
    return None if claim is None else str(claim).lower()


def _positive(number: int | None) -> str | None:
    """Return the number as text; None for 0, by which feeds mean that they do not know."""
    return str(number) if number is not None and number > 0 else None
