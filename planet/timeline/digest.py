"""Posts since the last digest → a digest, when its time has come. Pure.

A digest is due at a time of day in the planet's zone, and made by the first run after that. A
digest has all posts since the one before, also from times without a run: each post is in one
digest.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from planet.model import ContentMode, Digest, DigestItem, DigestSection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from planet.model import Post, Timeline, Timetable


def make_digest(
    timeline: Timeline, last: Digest | None, *, times: Timetable, now: datetime
) -> Digest | None:
    """Return the digest due now; None if none is due, or without new posts.

    `timeline` is of an edition; `last` is the newest digest. A post later than the due moment is
    no reason for a digest, but stands in a late one: a day without posts has no digest, and posts
    of the next afternoon wait for the morning.

    Of the entries in the first reading of a feed, only those posted since the last digest are
    told. A picked episode is told when picked.
    """
    due = times.last(now)
    name = due.astimezone(times.zone).date().isoformat()
    # Names grow with their moments, unless the operator has changed times or zone.
    if last is not None and (last.due_at >= due or last.name >= name):
        return None
    since = last.made_at if last else times.last(due - timedelta(microseconds=1))
    news = list_news(timeline, since, last, now=now)
    if not any(post.when <= due for post in news):
        return None
    return Digest(name=name, due_at=due, made_at=now, since=since, sections=_sections(news))


def list_news(
    timeline: Timeline, since: datetime, last: Digest | None = None, *, now: datetime
) -> list[Post]:
    """Return the posts after a moment for a digest, newest first.

    Posts in the digest `last` are left out.
    """
    posts = timeline.posts(arrived_after=min(since, last.since) if last else since)
    return [post for post in _news(posts, since, last) if post.arrival <= now]


def _news(posts: Iterable[Post], since: datetime, last: Digest | None) -> Iterator[Post]:
    """Yield the posts without a digest so far."""
    last_uids = {item.uid for section in last.sections for item in section.items} if last else set()
    for post in posts:
        if post.picked:
            # The file of picks may come later than what was picked: from another machine.
            is_late = last is not None and post.when > last.since and post.uid not in last_uids
            is_news = post.when > since or is_late
        else:
            is_new = post.entry.rank is None or post.when > since
            # The same post may come again from another source.
            is_news = is_new and post.arrival > since and post.uid not in last_uids
        if is_news:
            yield post


def group_by_source(posts: Iterable[Post]) -> list[list[Post]]:
    """Return the posts of each source, in the order of their first ones."""
    by_source: dict[str, list[Post]] = {}
    for post in posts:
        by_source.setdefault(post.source.key, []).append(post)
    return [*by_source.values()]


def _sections(posts: Iterable[Post]) -> tuple[DigestSection, ...]:
    return tuple(
        DigestSection(
            source=posts[0].source.title,
            link=posts[0].source.link,
            items=tuple(map(_item, posts)),
        )
        for posts in group_by_source(posts)
    )


def _item(post: Post) -> DigestItem:
    entry, tells_all = post.entry, post.source.content is not ContentMode.TITLE
    # A note is its text, and its first words are not told twice.
    heading = "" if tells_all and entry.is_note else entry.heading
    summary = entry.summary if tells_all and entry.summary != heading else None
    return DigestItem(uid=post.uid, heading=heading, link=entry.link, summary=summary)
