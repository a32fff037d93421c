"""A body → the new and edited entries, parsed and cleaned in a worker. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import replace

from planet.errors import ParseError
from planet.model import PAGE, ParseResult, Text, TextKind
from planet.model.secrets import NO_REDACTOR, Redactor
from planet.parse import parse
from planet.parse.discovery import find_alternates
from planet.social import FORMATS
from planet.text import media
from planet.text.address import redact
from planet.text.html import Cleaning, draft_entry, hash_entry, redact_html

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.model import Fetched, IncludeKind, ParsedEntry


_LINKS: Final = frozenset({"link", "comments", "in_reply_to"})
"""Fields with an address that leads somewhere, and can do so without a parameter."""


_FILES: Final = frozenset({"url", "image", "chapters"})
"""Fields with one that does not work without any part of it."""


_NEVER = datetime.min.replace(tzinfo=UTC)


class ReadOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How the body of a feed is read."""

    cleaning: Cleaning
    stored: Mapping[str, str] | None = None
    """The digests of the entries that are stored; None when the feed is read for the first time."""
    clean_first: int | None = None
    """Of a feed that is read for the first time, how many entries get their text cleaned, the
    newest first, because no more will be shown; None is all."""
    episodes_only: bool = False
    """Whether entries that cannot be played are left out, and no text is cleaned."""
    last_format: str | None = None
    """The format the feed was in when it was last read: where a feed was, a web page is the sign of
    a fault."""
    include: frozenset[IncludeKind] = frozenset()
    """What is wanted of an account besides its own posts."""
    redactor: Redactor = NO_REDACTOR
    """Hides the secrets of the config, which no entry has."""


def read(body: bytes, *, url: str, content_type: str | None, options: ReadOptions) -> ParseResult:
    """Parse a body; return the profile of the feed, and the new and edited entries.

    Raises:
        ParseError: the body is no readable feed.
    """
    stored, redactor = options.stored, options.redactor
    pages = options.last_format in (None, PAGE)
    try:
        parsed = parse(
            body,
            url=url,
            content_type=content_type,
            pages=pages,
            include=options.include,
            formats=FORMATS,
        )
    except ParseError as error:
        words = str(error)
        if error.kind == "not_a_feed" and (named := find_alternates(body, url, content_type)):
            words += f"; it names the feed {redact(named[0].url)}: give that address"
        raise ParseError(error.kind, redactor.redact(words)) from error
    entries, profile = parsed.entries, parsed.profile
    if redactor.secrets:
        profile = _redact_value(profile, redactor)
        entries = tuple(_redact_entry(entry, redactor) for entry in entries)
    if options.episodes_only:
        entries = tuple(entry for entry in entries if media.find_playable(entry))
    ranks = _rank(entries) if stored is None else {}
    drafts = []
    for entry in entries:
        digest = hash_entry(entry)
        if stored is not None and stored.get(entry.id) == digest:
            continue
        rank = ranks.get(entry.id)
        is_shown = rank is None or options.clean_first is None or rank < options.clean_first
        drafts.append(
            draft_entry(
                entry,
                digest=digest,
                rank=rank,
                cleaning=options.cleaning,
                clean_content=is_shown and not options.episodes_only,
            )
        )
    return ParseResult(
        profile=profile,
        drafts=tuple(drafts),
        ids=tuple(entry.id for entry in entries),
        oldest=min(filter(None, map(_find_claim, entries)), default=None),
        notes=tuple(map(redactor.redact, parsed.notes)),
    )


def read_answer(fetched: Fetched, *, options: ReadOptions) -> ParseResult:
    """Parse the body of an answer, as `read` does.

    Raises: as `read`.
    """
    return read(
        fetched.body or b"",
        url=options.redactor.base(fetched.url),
        content_type=fetched.headers.get("content-type"),
        options=options,
    )


def _redact_entry(entry: ParsedEntry, redactor: Redactor) -> ParsedEntry:
    """Return an entry without secrets; `withheld` names the files with a secret in the address."""
    files = (redactor.redact(file.url) for file in entry.enclosures if redactor.covers(file.url))
    discreet: ParsedEntry = _redact_value(entry, redactor)
    return replace(discreet, withheld=tuple(files))


def _redact_value(value: Any, redactor: Redactor, name: str = "") -> Any:
    """Return a field of an entry or a profile without secrets; None if nothing is left."""
    if isinstance(value, str) and not isinstance(value, Enum):
        if name in _FILES:
            return None if redactor.covers(value) else value
        return redactor.public(value) if name in _LINKS else redactor.redact(value)
    if isinstance(value, tuple):
        values = (_redact_value(item, redactor, name) for item in value)
        return tuple(kept for kept in values if kept is not None)
    if isinstance(value, Text):
        is_html, base = value.kind is TextKind.HTML, value.base
        return replace(
            value,
            value=redact_html(value.value, redactor) if is_html else redactor.redact(value.value),
            base=redactor.base(base) or None if base else None,
        )
    if not isinstance(value, msgspec.Struct):
        return value
    kept = {
        name: _redact_value(getattr(value, name), redactor, name)
        for name in value.__struct_fields__
    }
    # A file is nothing without its address; of people the name may be left.
    is_lost = getattr(value, "url", None) and not (kept["url"] or kept.get("name"))
    return None if is_lost else replace(value, **kept)


def _rank(entries: Sequence[ParsedEntry]) -> dict[str, int]:
    """Return the place of each entry by date, newest first; undated ones follow as they come."""
    order = sorted(entries, key=lambda entry: _find_claim(entry) or _NEVER, reverse=True)
    return {entry.id: rank for rank, entry in enumerate(order)}


def _find_claim(entry: ParsedEntry) -> datetime | None:
    """Return the claimed date of an entry."""
    return entry.published or entry.updated
