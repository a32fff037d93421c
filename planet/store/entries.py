"""What a reading brought → rows: new entries, edits, what its feed still lists; and what goes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from planet.model import Counts, PublishedEntry, RestoredEntry, Text, TextKind
from planet.store import codec
from planet.store.codec import from_row, put_sign, select_in, typed
from planet.store.database import show, transaction
from planet.text import media
from planet.text.plain import plain

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.model import NewEntry, ParseResult


def is_held_back(rank: int | None, shown: int | None) -> bool:
    """Whether an entry of this rank is not seen while so many of a new feed are; None: all."""
    return rank is not None and shown is not None and rank >= shown


def can_wait(draft: NewEntry) -> bool:
    """Whether an entry can do without its text: what can be played is picked with its notes."""
    return draft.raw is not None and media.playable(draft) is None


def bare(draft: NewEntry) -> NewEntry:
    """The entry without its text, and with no more of a summary than what it is called by.

    It has no digest, so that it is another one for whoever shows it when its text is there.
    """
    return replace(
        draft,
        digest="",
        summary=None if draft.title else draft.summary,
        raw=None,
        content=None,
        links=None,
        cleaning=None,
    )


class Links:
    """The addresses that the texts of entries link to."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of(self, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """Those of these entries, by number; an entry of which they are not known is left out."""
        rows = select_in(self._connection, "SELECT number, packed FROM links WHERE number", numbers)
        return {number: _unpacked(packed) for number, packed in rows}

    def put(self, links: Mapping[int, Sequence[str]]) -> None:
        """Store those of entries that have a text."""
        with transaction(self._connection):
            put_links(self._connection, links)


def put_links(connection: sqlite3.Connection, links: Mapping[int, Sequence[str]]) -> None:
    """Store what the texts of entries link to, within the caller's transaction."""
    connection.executemany(
        "INSERT OR REPLACE INTO links VALUES (?, ?)",
        [(number, codec.pack("\n".join(found))) for number, found in links.items()],
    )


def _unpacked(packed: bytes) -> tuple[str, ...]:
    return tuple(filter(codec.is_on_the_web, codec.unpack(packed).split()))


_SAME = b""
"""Stands for a base that is the entry's link."""
_LINK = f"SELECT {codec.LINK} FROM entry WHERE entry.number = text.number"  # noqa: S608 - constants
_BASE = f"CASE WHEN base = x'' THEN ({_LINK}) ELSE base END"
RAW = f"SELECT number, kind, {_BASE}, raw FROM text"  # noqa: S608 - constants


def keep_text(connection: sqlite3.Connection, number: int, draft: NewEntry) -> None:
    """Store the text of an entry, or that it has none; within the caller's transaction."""
    if draft.raw is None:
        connection.execute("DELETE FROM text WHERE number = ?", (number,))
        return
    raw, base = draft.raw.value, draft.raw.base
    connection.execute(
        "INSERT OR REPLACE INTO text (number, kind, base, raw, clean, cleaning, excerpt) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            number,
            draft.raw.kind,
            _SAME if base is not None and base == draft.link else base,
            codec.pack(raw),
            None if draft.content is None else codec.pack_against(draft.content, raw),
            draft.cleaning,
            None if draft.summary is None else codec.pack_against(draft.summary, raw),
        ),
    )
    if draft.links is not None:
        put_links(connection, {number: draft.links})


def drop_texts(connection: sqlite3.Connection, before: datetime) -> int:
    """Forget the texts of entries from before this that their feeds no longer list; how many.

    Without its digest an entry counts as edited: its text comes back with its feed. Within the
    caller's transaction.
    """
    old = connection.execute(
        "SELECT number, raw, excerpt FROM text JOIN entry USING (number) "
        "WHERE dated < ? AND NOT present",
        (codec.micros(before),),
    ).fetchall()
    excerpts = [
        (codec.pack(codec.unpack_against(excerpt, codec.unpack(raw))), number)
        for number, raw, excerpt in old
        if excerpt is not None
    ]
    connection.executemany("UPDATE entry SET summary = ? WHERE number = ?", excerpts)
    numbers = [(number,) for number, _, _ in old]
    connection.executemany("UPDATE entry SET digest = x'' WHERE number = ?", numbers)
    connection.executemany("DELETE FROM text WHERE number = ?", numbers)
    return len(old)


@from_row
def texts(rows: Iterable[tuple[Any, ...]]) -> dict[int, Text]:
    """The raw texts in rows of `RAW`, by the numbers of their entries."""
    return {
        number: Text(value=codec.unpack(raw), kind=TextKind(kind), base=base)
        for number, kind, base, raw in typed(rows, int, str, str | None, bytes)
    }


def keep_entries(
    connection: sqlite3.Connection,
    feed: int,
    reading: ParseResult,
    now: datetime,
    shown: int | None,
) -> Counts:
    """Store what a reading found new or edited in a feed, and what the feed still lists.

    `shown` as in `Store.keep`. Within the caller's transaction.
    """
    rows = connection.execute(
        "SELECT id, entry.number, present, rank, waiting.digest, first_id FROM entry "
        "LEFT JOIN waiting ON waiting.number = entry.number WHERE feed = ? AND kept",
        (feed,),
    ).fetchall()
    known = {row[0]: row[1:] for row in rows}
    edited = back = 0
    # The last of the document first, so that a higher number is the newer one; pages before all;
    # of two with one id the first in the document counts.
    drafts = {draft.id: draft for draft in reversed(reading.drafts)}
    drafts = dict(sorted(drafts.items(), key=lambda item: not _is_page(item[1])))
    for draft in drafts.values():
        stored_as = draft.former_id or draft.id
        number, _, rank, waited, first_id = known.get(stored_as, (None, 0, draft.rank, None, None))
        waits = (
            (number is None or waited is not None) and is_held_back(rank, shown) and can_wait(draft)
        )
        kept = bare(draft) if waits else draft
        if number is None:
            number = _insert(connection, feed, kept, reading.oldest, now)
        elif waited is not None and waited.hex() == draft.digest:
            _give_back(connection, number, kept)
            back += 1
        else:
            _update(
                connection, number, kept, now, is_edit=not (reading.read_anew or draft.former_id)
            )
            edited += 1
        put_sign(connection, number, feed, first_id or stored_as, draft.link)
        keep_text(connection, number, kept)
        if waits:
            row = number, bytes.fromhex(draft.digest)
            connection.execute("INSERT OR REPLACE INTO waiting VALUES (?, ?)", row)
        elif waited is not None:
            connection.execute("DELETE FROM waiting WHERE number = ?", (number,))
    if back:
        show(connection)
    renamed = {draft.former_id: draft.id for draft in drafts.values()}
    listed = set(reading.ids)
    connection.executemany(
        "UPDATE entry SET present = ? WHERE number = ?",
        [
            (is_listed, number)
            for entry_id, number, present, *_ in rows
            if (is_listed := renamed.get(entry_id, entry_id) in listed) != bool(present)
        ],
    )
    again = sum(draft.seed is not None for draft in drafts.values())
    return Counts(added=len(drafts) - edited - back - again, edited=edited)


def keep_episodes(
    connection: sqlite3.Connection, feed: int, result: ParseResult, now: datetime
) -> Counts:
    """Let what can be picked of a feed that shows picks only be what its document lists.

    Within the caller's transaction.
    """
    numbers = dict(
        connection.execute("SELECT id, number FROM entry WHERE feed = ? AND NOT kept", (feed,))
    )
    gone = [(numbers[entry_id],) for entry_id in numbers.keys() - set(result.ids)]
    connection.executemany("DELETE FROM entry WHERE number = ?", gone)
    if gone:
        show(connection)
    # The last of the document first, so that a higher number is the newer one.
    drafts = {draft.id: draft for draft in reversed(result.drafts)}
    for draft in drafts.values():
        number = numbers.get(draft.id)
        if number is None:
            draft = replace(draft, rank=None)
            number = _insert(connection, feed, draft, None, now, is_kept=False)
        else:
            _update(connection, number, draft, now, is_edit=True)
        keep_text(connection, number, draft)
    edited = len(drafts.keys() & numbers.keys())
    return Counts(added=len(drafts) - edited, edited=edited)


def _insert(
    connection: sqlite3.Connection,
    feed: int,
    draft: NewEntry,
    oldest: datetime | None,
    now: datetime,
    *,
    is_kept: bool = True,
) -> int:
    # What was there before anybody looked, and does not say since when, is no news.
    claim = oldest if _is_page(draft) else draft.published or draft.updated
    seed = draft.seed or RestoredEntry(first_seen=now, changed_at=now, dated=claim or now)
    cursor = connection.execute(
        "INSERT INTO entry (number, feed, kept, id, digest, first_seen, changed_at, dated, "
        "present, rank, link, title, summary, published, updated, more, origin) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            seed.number,
            feed,
            is_kept,
            draft.id,
            bytes.fromhex(draft.digest),
            codec.micros(seed.first_seen),
            codec.micros(seed.changed_at),
            codec.micros(seed.dated),
            draft.rank,
            *_columns(draft),
        ),
    )
    return int(cursor.lastrowid or 0)


def _is_page(draft: NewEntry) -> bool:
    """As `Entry.is_page`."""
    return draft.rank is not None and not (draft.published or draft.updated)


def _update(
    connection: sqlite3.Connection, number: int, draft: NewEntry, now: datetime, *, is_edit: bool
) -> None:
    """What an entry says is replaced; when it was met and filed is not.

    `is_edit` tells that its publisher changed it: when, it says with a date that is new; where it
    does not, and its words are others, it was now.
    """
    title, raw, kind, rank, dated, changed_at, *before = connection.execute(
        "SELECT title, raw, kind, rank, dated, changed_at, published, updated "
        "FROM entry LEFT JOIN text USING (number) WHERE entry.number = ?",
        (number,),
    ).fetchone()
    *first, published, updated, more, origin = _columns(draft)
    claims, claims_before = set(filter(None, (published, updated))), set(filter(None, before))
    moments = set(filter(None, (updated, before[1])))
    if is_edit:
        changed_at = codec.micros(now)
        newest = max(claims, default=0)
        if newest > max(claims_before, default=0):
            moments.add(newest)
        elif draft.title != title or (raw and _words(draft.raw) != _words(_text(kind, raw))):
            moments.add(changed_at)
    if rank is not None and claims and not claims_before:
        dated = published or updated
    connection.execute(
        "UPDATE entry SET id = ?, first_id = nullif(coalesce(first_id, id), ?), digest = ?, "
        "changed_at = ?, dated = ?, present = 1, link = ?, title = ?, summary = ?, published = ?, "
        "updated = ?, more = ?, origin = ? WHERE number = ?",
        (
            *(draft.id, draft.id, bytes.fromhex(draft.digest), changed_at, dated),
            *(*first, published, max(moments, default=None), more, origin, number),
        ),
    )


def _words(text: Text | None) -> str | None:
    """What a text says: addresses in it change when its site moves, and with each signature."""
    return plain(text) if text else None


def _text(kind: str, raw: bytes) -> Text:
    return Text(kind=TextKind(kind), value=codec.unpack(raw))


def _give_back(connection: sqlite3.Connection, number: int, draft: NewEntry) -> None:
    """What an entry was before it waited: no edit."""
    connection.execute(
        "UPDATE entry SET digest = ?, present = 1, summary = ? WHERE number = ?",
        (bytes.fromhex(draft.digest), _summary(draft), number),
    )


def _summary(draft: NewEntry) -> bytes | None:
    """The summary, where it is not kept with the text."""
    return None if draft.raw or draft.summary is None else codec.pack(draft.summary)


def _columns(draft: NewEntry) -> tuple[Any, ...]:
    return (
        codec.link_of(draft),
        draft.title,
        _summary(draft),
        codec.micros(draft.published),
        codec.micros(draft.updated),
        codec.more(draft),
        codec.text(codec.plain(draft.origin)) if draft.origin else None,
    )


_OTHERS = ""


class RestoredEntries:
    """Traces of entries, by the feed they will come back with."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(
        self, traces: Sequence[PublishedEntry], keys: Mapping[str, str], *, others_before: datetime
    ) -> None:
        """Store what is known of entries, newest first; `keys` has each feed's key by its slug.

        Numbers are set aside for them, so that they will stand in this order again. What these
        feeds have besides is no newer than `others_before`.
        """
        early = codec.micros(others_before)
        rows: list[tuple[str | int | None, ...]] = [
            (key, _OTHERS, None, early, early, early) for key in keys.values()
        ]
        for number, trace in enumerate(reversed(traces), 1):
            moments = map(codec.micros, (trace.first_seen, trace.filed, trace.modified))
            rows.append((keys[trace.slug], trace.uid, number, *moments))
        with transaction(self._connection):
            self._connection.execute("DELETE FROM seed")
            self._connection.executemany("INSERT INTO seed VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._connection.execute("DELETE FROM sqlite_sequence WHERE name = 'entry'")
            self._connection.execute(
                "INSERT INTO sqlite_sequence VALUES ('entry', ?)", (len(traces),)
            )

    @from_row
    def of(self, key: str) -> tuple[dict[str, tuple[int, PublishedEntry]], datetime | None]:
        """What is known of the entries of a feed, by id, each with its number.

        With it comes what its others are no newer than; None when nothing is known of the feed.
        """
        rows = self._connection.execute(
            "SELECT uid, number, first_seen, filed, modified FROM seed WHERE feed = ?", (key,)
        )
        known: dict[str, tuple[int, PublishedEntry]] = {}
        others_before: datetime | None = None
        for uid, number, *counts in typed(rows, str, int | None, int, int, int):
            first_seen, filed, modified = (
                cast("datetime", codec.moment(count)) for count in counts
            )
            if uid == _OTHERS:
                others_before = filed
                continue
            trace = PublishedEntry(
                slug="", uid=uid, first_seen=first_seen, filed=filed, modified=modified
            )
            known[uid] = number, trace
        return known, others_before

    @property
    def are_there(self) -> bool:
        """Whether any are waiting for their feed."""
        return self._connection.execute("SELECT 1 FROM seed LIMIT 1").fetchone() is not None

    def drop(self, key: str) -> None:
        """The entries of a feed have come back; within the caller's transaction."""
        self._connection.execute("DELETE FROM seed WHERE feed = ?", (key,))
