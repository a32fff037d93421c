"""A body → Reading: parsed, and what is new in it made clean. Runs in a worker process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet import media
from planet.content import Cleaning, digest, draft
from planet.model import PAGE, Reading
from planet.parse import parse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.model import Aside, ParsedEntry

PRELOAD = ("planet.reading", "planet.parse.feedparser", "planet.content.bleach")
"""Modules that `read` needs, for `Workers`."""


def read(
    body: bytes,
    *,
    url: str,
    content_type: str | None,
    known: Mapping[str, str] | None,
    clean_first: int | None,
    cleaning: Cleaning,
    episodes_only: bool = False,
    read_as: str | None = None,
    include: frozenset[Aside] = frozenset(),
) -> Reading:
    """What a feed's body says that is not known yet.

    `known` has the digests of the entries that are stored, or is None when the feed is read for
    the first time: then entries are ranked by date, and only the first `clean_first` of them get
    their text cleaned, because no more will be shown. With `episodes_only` there are no entries but
    those that can be played, and none gets its text cleaned. `read_as` is the format the feed was
    in when it was last read: where a feed was, a web page is the sign of a fault. `include` is what
    is wanted of an account besides its own posts.

    Raises:
        ParseError: the body is not a feed that can be read.
    """
    pages = read_as in (None, PAGE)
    parsed = parse(body, url=url, content_type=content_type, pages=pages, include=include)
    entries = parsed.entries
    if episodes_only:
        entries = tuple(entry for entry in entries if media.playable(entry))
    ranks = _ranks(entries) if known is None else {}
    drafts = []
    for entry in entries:
        entry_digest = digest(entry)
        if known is not None and known.get(entry.id) == entry_digest:
            continue
        rank = ranks.get(entry.id)
        is_shown = rank is None or clean_first is None or rank < clean_first
        drafts.append(
            draft(
                entry,
                digest=entry_digest,
                rank=rank,
                cleaning=cleaning,
                clean_content=is_shown and not episodes_only,
            )
        )
    return Reading(
        profile=parsed.profile,
        drafts=tuple(drafts),
        ids=tuple(entry.id for entry in entries),
        posted=tuple(
            entry.published or entry.updated
            for entry in entries
            if known is None or entry.id not in known
        ),
        notes=parsed.notes,
    )


def _ranks(entries: Sequence[ParsedEntry]) -> dict[str, int]:
    """The place of each entry by date, newest first; undated ones as the document has them."""
    dated = [entry.published or entry.updated for entry in entries]
    newest = max((date for date in dated if date is not None), default=None)
    if newest is None:
        return {entry.id: rank for rank, entry in enumerate(entries)}
    order = sorted(range(len(entries)), key=lambda place: dated[place] or newest, reverse=True)
    return {entries[place].id: rank for rank, place in enumerate(order)}
