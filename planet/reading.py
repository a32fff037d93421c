"""A body → Reading: parsed, and what is new in it made clean. Runs in a worker process.

Secrets of the config that the body repeats are taken out here, before anything is made of it.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, cast

from planet import media
from planet.content import Cleaning, digest, draft
from planet.errors import ParseError
from planet.model import PAGE, Reading, Text, TextKind
from planet.parse import parse
from planet.veil import NO_VEIL, Veil

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.model import Aside, ParsedEntry

_LINKS: Final = frozenset({"link", "comments"})
"""Fields with an address that leads somewhere, and can do so without a parameter."""
_FILES: Final = frozenset({"url", "image", "chapters"})
"""Fields with one that does not work without any part of it."""
_NEVER = datetime.min.replace(tzinfo=UTC)

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
    veil: Veil = NO_VEIL,
) -> Reading:
    """What a feed's body says that is not known yet.

    `known` has the digests of the entries that are stored, or is None when the feed is read for
    the first time: then entries are ranked by date, and only the first `clean_first` of them get
    their text cleaned, because no more will be shown. With `episodes_only` there are no entries but
    those that can be played, and none gets its text cleaned. `read_as` is the format the feed was
    in when it was last read: where a feed was, a web page is the sign of a fault. `include` is what
    is wanted of an account besides its own posts. No secret of `veil` is in any entry that comes.

    Raises:
        ParseError: the body is not a feed that can be read.
    """
    pages = read_as in (None, PAGE)
    try:
        parsed = parse(body, url=url, content_type=content_type, pages=pages, include=include)
    except ParseError as error:
        raise ParseError(error.kind, veil.redact(str(error))) from error
    entries = parsed.entries
    if veil.secrets:
        entries = tuple(_discreet(entry, veil) for entry in entries)
    if episodes_only:
        entries = tuple(entry for entry in entries if media.playable(entry))
    claims = [entry.published or entry.updated for entry in entries]
    oldest = min(filter(None, claims), default=None)
    ranks = _ranks(entries, claims) if known is None else {}
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
            claim
            for entry, claim in zip(entries, claims, strict=True)
            if known is None or entry.id not in known
        ),
        oldest=oldest,
        notes=tuple(map(veil.redact, parsed.notes)),
    )


def _discreet(entry: ParsedEntry, veil: Veil) -> ParsedEntry:
    """An entry without secrets; `withheld` names the files that do not work without one."""
    files = (veil.redact(file.url) for file in entry.enclosures if veil.covers(file.url))
    found: ParsedEntry = _without(entry, veil)
    return replace(found, withheld=tuple(files))


def _without(said: Any, veil: Veil, name: str = "") -> Any:
    """What an entry says in the field of that name without secrets; None if nothing is left."""
    if isinstance(said, str) and not isinstance(said, Enum):
        if name in _FILES:
            return None if veil.covers(said) else said
        return veil.public(said) if name in _LINKS else veil.redact(said)
    if isinstance(said, tuple):
        return tuple(kept for each in said if (kept := _without(each, veil)) is not None)
    if isinstance(said, Text):
        redact = veil.redact_html if said.kind is TextKind.HTML else veil.redact
        base = veil.base(said.base) or None if said.base else None
        return replace(said, value=redact(said.value), base=base)
    if not is_dataclass(said):
        return said
    kept = {each.name: _without(getattr(said, each.name), veil, each.name) for each in fields(said)}
    # A file is nothing without its address; of people the name may be left.
    is_lost = getattr(said, "url", None) and not (kept["url"] or kept.get("name"))
    return None if is_lost else replace(cast("Any", said), **kept)


def _ranks(entries: Sequence[ParsedEntry], claims: Sequence[datetime | None]) -> dict[str, int]:
    """The place of each entry by date, newest first; below, undated ones as they come."""
    order = sorted(range(len(entries)), key=lambda place: claims[place] or _NEVER, reverse=True)
    return {entries[place].id: rank for rank, place in enumerate(order)}
