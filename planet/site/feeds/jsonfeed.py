"""Channel and posts → JSON Feed 1.1 (https://jsonfeed.org/version/1.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from planet import documentation
from planet.schedule.health import health_json, summarize_health
from planet.site.feeds import facts
from planet.site.feeds.facts import id_of
from planet.site.feeds.markup import rfc3339, write_json
from planet.text import address, media

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.model import Enclosure, Episode, Html, Person, Post, Source
    from planet.site.feeds.channel import Channel


_VERSION = "https://jsonfeed.org/version/1.1"

_Object = dict[str, Any]


def write_json_feed(channel: Channel, posts: Sequence[Post], texts: Mapping[int, Html]) -> bytes:
    """Return a JSON Feed with an item for each post, in their order.

    `_planet` is this program's extension: the source of a post, other carriers, the moment of the
    first sight, and facts without a member in JSON Feed.
    """
    feed = _present(
        version=_VERSION,
        title=channel.title,
        home_page_url=channel.page,
        feed_url=channel.address("feed.json"),
        description=channel.description,
        icon=channel.icon or channel.image,
        favicon=channel.icon,
        authors=[_person(channel.author)],
        language=channel.language,
        hubs=[{"type": "WebSub", "url": channel.hub}] if channel.hub else None,
        _planet=_present(about=documentation("feeds.md"), posts=channel.count),
        items=[item(post, texts.get(post.entry.number)) for post in posts],
    )
    return write_json(feed)


def item(post: Post, content: Html | None) -> _Object:
    """Return a post as an item."""
    entry = post.entry
    summary = facts.summary(post)
    return _present(
        id=post.uid,
        url=entry.link,
        title=None if entry.is_note else entry.title or None,
        content_html=content,
        # One of the two must be there, if only with what stands for the post.
        content_text=None if content is not None else summary or entry.heading,
        summary=summary,
        image=entry.image,
        date_published=rfc3339(post.when),
        date_modified=rfc3339(post.modified),
        authors=[_person(person) for person in facts.authors(post)],
        tags=list(facts.categories(post)) or None,
        language=facts.language_of(post),
        attachments=[_attachment(enclosure) for enclosure in facts.enclosures(post)] or None,
        _planet=_present(
            source=_source(post.source),
            also_in=[_source(other) for other in post.also_in] or None,
            first_seen=rfc3339(entry.first_seen),
            comments=entry.comments,
            in_reply_to=list(entry.in_reply_to) or None,
            rights=entry.rights,
            episode=_episode(entry.episode) if entry.episode else None,
        ),
    )


def _episode(episode: Episode) -> _Object:
    transcripts = [
        _present(url=transcript.url, mime_type=transcript.media_type, language=transcript.language)
        for transcript in episode.transcripts
    ]
    return _present(
        number=episode.number,
        season=episode.season,
        type=episode.kind,
        explicit=episode.explicit,
        chapters=episode.chapters,
        transcripts=transcripts or None,
        persons=[_person(person) for person in episode.persons] or None,
        funding=to_builtins(episode.funding) or None,
    )


def _source(source: Source) -> _Object:
    """Return the members about the source of a post."""
    own, url = id_of(source), address.without_secrets(source.url)
    return _present(
        slug=source.slug or None,
        # Of the feed that brought it, where that is another planet's.
        via=source.via and source.via.slug,
        id=own if own != url else None,
        title=source.title,
        url=source.link,
        feed_url=url,
    )


def _person(person: Person) -> _Object:
    return _present(name=person.name, url=person.url)


def _attachment(enclosure: Enclosure) -> _Object:
    return _present(
        url=enclosure.url,
        mime_type=media.media_type(enclosure) or media.UNKNOWN,
        title=enclosure.title,
        size_in_bytes=enclosure.length or None,
        duration_in_seconds=enclosure.duration or None,
    )


def _present(**members: Any) -> _Object:
    """Return an object without members of None."""
    return {name: value for name, value in members.items() if value is not None}


VERSION = 1
"""Of the form of the document; another one when a member is gone or means something else."""


def write_health(sources: Sequence[Source]) -> bytes:
    """Return `health.json`: all feeds together, and each in the order of the sources.

    The keys of feeds are not published: they may be addresses.
    """
    own = [source for source in sources if source.via is None]
    together = summarize_health([source.standing for source in own])
    rows = [{"slug": one.slug, "title": one.title, **health_json(one.standing)} for one in own]
    return write_json({"version": VERSION, "planet": together, "feeds": rows})
