"""Picked episodes → posts, filed under the moment they were picked."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from planet.merge.fingerprint import digest, mark
from planet.merge.identity import own_id, published_id
from planet.model import OWN_LIST, Entry, Facts, PickList, Podcast, Post, Source

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence
    from zoneinfo import ZoneInfo

    from planet.model import Pick

_FACTS = tuple(field.name for field in fields(Facts))


def picked_posts(
    picks: Sequence[Pick], sources: Mapping[str, Source], *, zone: ZoneInfo, cleaning: str
) -> tuple[Post, ...]:
    """A post for each pick, in their order.

    The entry of the first has the number -1, of the second -2, and so on. A pick whose source is
    not among `sources` is shown under the name its show had.
    """
    return tuple(
        _post(number, pick, sources.get(pick.feed) or _source(pick), zone, cleaning)
        for number, pick in enumerate(picks, 1)
    )


def with_picks(
    posts: Iterable[Post], picked: Iterable[Post], alike: Container[int] | None = None
) -> list[Post]:
    """The posts of a planet with those of its own list, each of which is there once.

    With `alike`, only posts whose entries have one of these numbers are held against them.
    """
    own = _distinct(post for post in picked if post.picked and post.picked.list == OWN_LIST)
    if not own:
        return list(posts)
    places = {sign: place for place, post in enumerate(own) for sign in _signs(post)}
    others: list[Post] = []
    for post in posts:
        if alike is not None and post.entry.number not in alike:
            others.append(post)
            continue
        found = {places[sign] for sign in _signs(post) if sign in places}
        if not found:
            others.append(post)
        for place in found:
            own[place] = _also_in(own[place], post)
    return [*own, *others]


def lists_of(picked: Iterable[Post], named: Mapping[str, Podcast]) -> tuple[PickList, ...]:
    """The lists besides the planet's own, by name: those of the config, and those of the picks."""
    by_list: dict[str, list[Post]] = {name: [] for name in named}
    for post in picked:
        if post.picked and post.picked.list != OWN_LIST:
            by_list.setdefault(post.picked.list, []).append(post)
    return tuple(
        PickList(
            name=name,
            podcast=named.get(name, Podcast()),
            posts=tuple(sorted(_distinct(posts), key=_last_first, reverse=True)),
        )
        for name, posts in sorted(by_list.items())
    )


def _post(number: int, pick: Pick, source: Source, zone: ZoneInfo, cleaning: str) -> Post:
    said = digest(replace(pick, place=None))
    entry = Entry(
        number=-number,
        feed=pick.feed,
        id=pick.id,
        digest=said,
        first_seen=pick.picked_at,
        changed_at=pick.picked_at,
        dated=pick.published or pick.picked_at,
        title=pick.title,
        summary=pick.summary,
        **{name: getattr(pick, name) for name in _FACTS},
    )
    day = pick.picked_at.astimezone(zone).date()
    return Post(
        entry=entry,
        source=source,
        uid=published_id(pick.feed, pick.id),
        when=pick.picked_at,
        day=day,
        picked=pick,
        fingerprint=digest((said, day, mark(source, cleaning))),
    )


def _source(pick: Pick) -> Source:
    """The show of a pick that is no source of the planet, or is none any more."""
    show = pick.show
    return Source(
        key=pick.feed,
        slug="",
        url=show.url or "",
        title=show.title,
        link=show.link,
        author=show.author,
        image=show.image,
        language=show.language,
        explicit=show.explicit,
    )


def _distinct(posts: Iterable[Post]) -> list[Post]:
    """The posts of one feed that comes out: an id that two shows claim is that of the first."""
    taken: set[str] = set()
    distinct: list[Post] = []
    for post in posts:
        if post.uid in taken:
            uid = own_id(post.entry.feed, post.entry.id)
            post = replace(post, uid=uid, fingerprint=digest((post.fingerprint, uid)))
        taken.add(post.uid)
        distinct.append(post)
    return distinct


def _signs(post: Post) -> tuple[object, ...]:
    """By either of these, two posts are the same. A link says less: shows have one for all."""
    return post.uid, (post.entry.feed, post.entry.id)


def _also_in(own: Post, post: Post) -> Post:
    """The picked post with the sources that carry the same entry."""
    carriers = {source.key: source for source in (*own.also_in, post.source, *post.also_in)}
    carriers.pop(own.entry.feed, None)
    also_in = tuple(carriers.values())
    return replace(own, also_in=also_in, fingerprint=digest((own.fingerprint, post.fingerprint)))


def _last_first(post: Post) -> tuple[object, ...]:
    return post.when, post.entry.number, post.uid
