"""What a reading brought → rows: new entries, edits, what its feed still lists; and what goes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace

from planet.model import Counts, Entry, NewEntry, PublishedEntry, RestoredEntry
from planet.store import codec
from planet.store.codec import from_row, put_dedupe_keys, select_in, typed
from planet.store.database import show, transaction
from planet.store.texts import clean_text, put_text, read_texts, text_fields
from planet.text import media
from planet.text.plain import plain

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.model import Feed, ParseResult, Transformed
    from planet.model.secrets import Redactor


def is_held_back(rank: int | None, shown: int | None) -> bool:
    """Whether an entry of this rank is not seen while so many of a new feed are; None: all."""
    return rank is not None and shown is not None and rank >= shown


def can_wait(draft: NewEntry) -> bool:
    """Whether an entry can do without its text: what can be played is picked with its notes."""
    return draft.raw is not None and media.find_playable(draft) is None


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


NEXT_GENERATION = "(SELECT generation + 1 FROM planet)"
"""That of the planet when the transaction is done, which ends with `show`."""


def mark_changed(connection: sqlite3.Connection, numbers: Iterable[tuple[int]]) -> None:
    """Let sites assemble these entries again; within the caller's transaction."""
    connection.executemany(
        f"UPDATE entry SET generation = {NEXT_GENERATION} WHERE number = ?",  # noqa: S608 - constants
        numbers,
    )


def drop_texts(connection: sqlite3.Connection, before: datetime) -> int:
    """Forget the texts of entries from before this that their feeds no longer list; count them.

    Without its digest an entry counts as edited: its text comes back with its feed. Within the
    caller's transaction.
    """
    numbers = connection.execute(
        "SELECT number FROM text JOIN entry USING (number) WHERE dated < ? AND NOT present",
        (codec.micros(before),),
    ).fetchall()
    connection.executemany("UPDATE entry SET digest = x'' WHERE number = ?", numbers)
    mark_changed(connection, numbers)
    connection.executemany("DELETE FROM text WHERE number = ?", numbers)
    originals = select_in(
        connection,
        "SELECT number, original FROM transform WHERE original NOTNULL AND number",
        [number for (number,) in numbers],
    )
    for number, packed in list(originals):
        draft = replace(_original(packed), raw=None, content=None, cleaning=None)
        connection.execute(
            "UPDATE transform SET original = ? WHERE number = ?", (_packed(draft), number)
        )
    return len(numbers)


def keep_entries(
    connection: sqlite3.Connection,
    feed: int,
    reading: ParseResult,
    now: datetime,
    shown: int | None,
    *,
    transforms: bool,
) -> Counts:
    """Store what a reading found new or edited in a feed, and what the feed still lists.

    `shown` and `transforms` as in `Store.keep`. Within the caller's transaction.
    """
    # What the site told gives way to what its feed says of the same entry.
    told = [
        restored
        for draft in reading.drafts
        if (restored := draft.restored) and restored.replaces is not None
    ]
    connection.executemany(
        "DELETE FROM entry WHERE number = ?", [(restored.replaces,) for restored in told]
    )
    # Others get its number again.
    connection.executemany(
        f"INSERT INTO removed VALUES (?, {NEXT_GENERATION})",  # noqa: S608 - constants
        [(restored.replaces,) for restored in told if restored.number != restored.replaces],
    )
    rows = connection.execute(
        "SELECT id, entry.number, present, rank, waiting.digest, first_id, entry.digest FROM entry "
        "LEFT JOIN waiting ON waiting.number = entry.number WHERE feed = ? AND kept",
        (feed,),
    ).fetchall()
    stored = {row[0]: row[1:] for row in rows}
    edited = back = 0
    # The last of the document first, so that a higher number is the newer one; pages before all;
    # of two with one id the first in the document counts.
    drafts = {draft.id: draft for draft in reversed(reading.drafts)}
    drafts = dict(sorted(drafts.items(), key=lambda item: not _is_page(item[1])))
    for draft in drafts.values():
        stored_as = draft.former_id or draft.id
        number, _, rank, waited, first_id, digest = stored.get(
            stored_as, (None, 0, draft.rank, None, None, b"")
        )
        waits = (
            (number is None or waited is not None) and is_held_back(rank, shown) and can_wait(draft)
        )
        kept = bare(draft) if waits else draft
        if number is None:
            number = _insert(connection, feed, kept, reading.oldest, now)
        elif waited is not None and waited.hex() == draft.digest:
            # What it was before it waited: no edit.
            columns = {
                "digest": bytes.fromhex(kept.digest),
                "present": 1,
                "summary": kept.summary,
            }
            _write(connection, number, columns)
            back += 1
        else:
            # With the same digest, another cleaner has made its text anew.
            is_same = digest.hex() == draft.digest
            is_edit = not (reading.read_anew or draft.former_id or is_same)
            _put_back(connection, number)
            _update(connection, number, kept, now, is_edit=is_edit)
            back += is_same
            edited += not is_same
        put_dedupe_keys(connection, number, feed, first_id or stored_as, draft.link)
        put_text(connection, number, kept)
        if transforms and not waits:
            connection.execute("INSERT INTO transform (number, waits) VALUES (?, 1)", (number,))
        if waits:
            row = number, bytes.fromhex(draft.digest)
            connection.execute("INSERT OR REPLACE INTO waiting VALUES (?, ?)", row)
        elif waited is not None:
            connection.execute("DELETE FROM waiting WHERE number = ?", (number,))
    if back or told:
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
    again = sum(draft.restored is not None for draft in drafts.values())
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
        put_text(connection, number, draft)
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
    restored = draft.restored or RestoredEntry(first_seen=now, changed_at=now, dated=claim or now)
    row = {
        "number": restored.number,
        "feed": feed,
        "kept": is_kept,
        "id": draft.id,
        "digest": bytes.fromhex(draft.digest),
        "first_seen": codec.micros(restored.first_seen),
        "changed_at": codec.micros(restored.changed_at),
        "dated": codec.micros(restored.dated),
        "present": 1,
        "rank": draft.rank,
        **_columns(draft),
    }
    row["checksum"] = codec.checksum(*map(row.get, codec.CHECKED))
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    statement = f"INSERT INTO entry ({names}, generation) VALUES ({marks}, {NEXT_GENERATION})"  # noqa: S608 - constants
    cursor = connection.execute(statement, tuple(row.values()))
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
    title, rank, dated, changed_at, first_id, *before = connection.execute(
        "SELECT title, rank, dated, changed_at, coalesce(first_id, id), published, updated "
        "FROM entry WHERE number = ?",
        (number,),
    ).fetchone()
    columns = _columns(draft)
    published, updated = columns["published"], columns["updated"]
    claims, claims_before = set(filter(None, (published, updated))), set(filter(None, before))
    moments = set(filter(None, (updated, before[1])))
    if is_edit:
        changed_at = codec.micros(now)
        newest = max(claims, default=0)
        if newest > max(claims_before, default=0):
            moments.add(newest)
        elif draft.title != title or _has_other_words(connection, number, draft):
            moments.add(changed_at)
    if rank is not None and claims and not claims_before:
        dated = published or updated
    columns |= {
        "id": draft.id,
        "digest": bytes.fromhex(draft.digest),
        "present": 1,
        "first_id": None if first_id == draft.id else first_id,
        "changed_at": changed_at,
        "dated": dated,
        "updated": max(moments, default=None),
    }
    _write(connection, number, columns)


def _has_other_words(connection: sqlite3.Connection, number: int, draft: NewEntry) -> bool:
    """Return whether the text of an entry is stored, and says something else.

    Addresses in it do not count: they change when its site moves, and with each signature.
    """
    stored = read_texts(connection, [number]).get(number)
    text = draft.raw if draft.content is None else clean_text(draft.content)
    return stored is not None and (text is None or plain(text) != plain(stored))


def _columns(draft: NewEntry) -> dict[str, Any]:
    """What an entry says, in the columns that have it."""
    return {
        "link": codec.link_of(draft),
        "title": draft.title,
        "summary": draft.summary,
        "published": codec.micros(draft.published),
        "updated": codec.micros(draft.updated),
        "more": codec.more(draft),
        "origin": codec.text(codec.plain(draft.origin)) if draft.origin else None,
    }


def _write(connection: sqlite3.Connection, number: int, columns: Mapping[str, Any]) -> None:
    """Write columns of an entry."""
    names = " = ?, ".join(columns)
    statement = f"UPDATE entry SET {names} = ?, generation = {NEXT_GENERATION} WHERE number = ?"  # noqa: S608 - constants
    connection.execute(statement, (*columns.values(), number))
    connection.execute(_UPDATE_CHECKSUM, (number,))


_UPDATE_CHECKSUM = f"UPDATE entry SET checksum = {codec.ENTRY_CHECKSUM} WHERE number = ?"  # noqa: S608


class Transforms:
    """Entries that go through a program of the operator's, and what they were before.

    An entry has what the program made of it where it had its feed's words, so that whoever reads
    it need not know. What its feed says of it stays beside it.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def waiting(self) -> dict[str, list[int]]:
        """The numbers of the entries that no program has seen yet, by the keys of their feeds."""
        waiting: dict[str, list[int]] = {}
        rows = self._connection.execute(
            "SELECT feed.key, entry.number FROM transform JOIN entry USING (number) "
            "JOIN feed ON feed.number = entry.feed WHERE waits ORDER BY entry.number"
        )
        for key, number in typed(rows, str, int):
            waiting.setdefault(key, []).append(number)
        return waiting

    def put(self, results: Mapping[int, tuple[Mapping[str, Any], Transformed]]) -> None:
        """Store what a program made of entries: the fields of `NewEntry` that are others now."""
        with transaction(self._connection):
            for number, (changes, transformed) in results.items():
                before, dated = _as_stored(self._connection, number)
                after = replace(before, **changes, transformed=transformed)
                row = number, *((codec.micros(dated), _packed(before)) if changes else (None, None))
                self._connection.execute(
                    "INSERT OR REPLACE INTO transform VALUES (?, 0, ?, ?)", row
                )
                moved = after.published if "published" in changes else None
                _rewrite(self._connection, number, after, moved or dated)
            show(self._connection)

    def again(self, keys: Iterable[str]) -> None:
        """Let all entries of these feeds wait once more, and be as their feeds say.

        Those of other feeds are as their feeds say, too. An entry whose text was forgotten waits
        for no program.
        """
        with transaction(self._connection):
            for (number,) in self._connection.execute("SELECT number FROM transform").fetchall():
                _put_back(self._connection, number)
            self._connection.executemany(
                "INSERT INTO transform (number, waits) SELECT entry.number, 1 FROM entry "
                "JOIN feed ON feed.number = entry.feed "
                "WHERE key = ? AND kept AND digest != x''",
                [(key,) for key in keys],
            )
            show(self._connection)


_OF_BOTH = tuple(set(NewEntry.__struct_fields__) & set(Entry.__struct_fields__))
_MADE = frozenset({"links"})
"""What is made from a text, whenever it is wanted."""


def _as_stored(connection: sqlite3.Connection, number: int) -> tuple[NewEntry, datetime]:
    """An entry and its text, and when it is dated."""
    (row,) = connection.execute(f"{codec.ENTRIES} WHERE entry.number = ?", (number,))
    entry = codec.entry_from(row)
    draft = NewEntry(**{name: getattr(entry, name) for name in _OF_BOTH})
    return replace(draft, **text_fields(connection, number)), entry.dated


def _rewrite(connection: sqlite3.Connection, number: int, draft: NewEntry, dated: datetime) -> None:
    """Let an entry say this; that its publisher did is not said."""
    _write(connection, number, {"dated": codec.micros(dated), **_columns(draft)})
    feed, first_id = connection.execute(
        "SELECT feed, coalesce(first_id, id) FROM entry WHERE number = ?", (number,)
    ).fetchone()
    put_dedupe_keys(connection, number, feed, first_id, draft.link)
    put_text(connection, number, draft)


def _put_back(connection: sqlite3.Connection, number: int) -> None:
    """Let an entry be as its feed says it, and no program have seen it."""
    row = connection.execute(
        "DELETE FROM transform WHERE number = ? RETURNING waits, dated, original", (number,)
    ).fetchone()
    if row is None or row[0]:
        return
    draft, dated = _as_stored(connection, number)
    if row[2] is not None:
        draft, dated = _original(row[2]), codec.moment(row[1]) or dated
    _rewrite(connection, number, replace(draft, transformed=None), dated)


def _packed(draft: NewEntry) -> bytes:
    return codec.pack(codec.text(codec.plain(draft, leave_out=_MADE)))


@from_row
def _original(packed: bytes) -> NewEntry:
    return NewEntry(**codec.from_plain(NewEntry, json.loads(codec.unpack(packed))))


_OTHERS = ""


class RestoredEntries:
    """Entries of the published site, by the feed they will come back with.

    Where the site has told what they say, they are entries already, which their feed does not list.
    """

    def __init__(self, connection: sqlite3.Connection, redactor: Redactor) -> None:
        self._connection = connection
        self._redactor = redactor

    def put(
        self,
        published: Sequence[PublishedEntry],
        feeds: Mapping[str, Feed],
        *,
        others_before: datetime,
    ) -> None:
        """Store what is known of entries, newest first; `feeds` are theirs, by slug.

        Numbers are set aside for them, so that they will stand in this order again. What these
        feeds have besides is no newer than `others_before`.
        """
        early = codec.micros(others_before)
        rows: list[tuple[str | int | None, ...]] = [
            (feed.key, _OTHERS, None, early, early, early) for feed in feeds.values()
        ]
        numbered = list(enumerate(reversed(published), 1))
        for number, entry in numbered:
            moments = map(codec.micros, (entry.first_seen, entry.filed, entry.modified))
            rows.append((feeds[entry.slug].key, entry.uid, number, *moments))
        with transaction(self._connection):
            self._connection.execute("DELETE FROM restored")
            self._connection.executemany("INSERT INTO restored VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._connection.execute("DELETE FROM sqlite_sequence WHERE name = 'entry'")
            self._connection.execute(
                "INSERT INTO sqlite_sequence VALUES ('entry', ?)", (len(published),)
            )
            for number, entry in numbered:
                if entry.draft is not None:
                    self._insert(number, entry, entry.draft, feeds[entry.slug])
            show(self._connection)

    def _insert(self, number: int, entry: PublishedEntry, draft: NewEntry, feed: Feed) -> None:
        """Store what an entry says until its feed says it; of the feed, nothing else is known."""
        self._connection.execute(
            "INSERT OR IGNORE INTO feed (key, url) VALUES (?, ?)",
            (feed.key, self._redactor.hide(feed.url)),
        )
        ((feed_number,),) = self._connection.execute(
            "SELECT number FROM feed WHERE key = ?", (feed.key,)
        )
        restored = RestoredEntry(
            number=number,
            first_seen=entry.first_seen,
            changed_at=max(entry.first_seen, entry.modified),
            dated=entry.filed,
        )
        draft = replace(draft, id=entry.uid, digest="", rank=None, restored=restored)
        _insert(self._connection, feed_number, draft, None, entry.first_seen)
        self._connection.execute("UPDATE entry SET present = 0 WHERE number = ?", (number,))
        put_dedupe_keys(self._connection, number, feed_number, draft.id, draft.link)
        put_text(self._connection, number, draft)

    @from_row
    def of(self, key: str) -> tuple[dict[str, tuple[int, PublishedEntry]], datetime | None]:
        """What is known of the entries of a feed, by id, each with its number.

        With it comes what its others are no newer than; None when nothing is known of the feed.
        """
        rows = self._connection.execute(
            "SELECT uid, number, first_seen, filed, modified FROM restored WHERE feed = ?", (key,)
        )
        published: dict[str, tuple[int, PublishedEntry]] = {}
        others_before: datetime | None = None
        for uid, number, *counts in typed(rows, str, int | None, int, int, int):
            first_seen, filed, modified = (
                cast("datetime", codec.moment(count)) for count in counts
            )
            if uid == _OTHERS:
                others_before = filed
                continue
            entry = PublishedEntry(
                slug="", uid=uid, first_seen=first_seen, filed=filed, modified=modified
            )
            published[uid] = number, entry
        return published, others_before

    @property
    def are_there(self) -> bool:
        """Whether any are waiting for their feed."""
        return self._connection.execute("SELECT 1 FROM restored LIMIT 1").fetchone() is not None

    def rename(self, old_key: str, key: str) -> None:
        """Move the entries of two feeds that become one to the old one, which gets the new key.

        Within the caller's transaction, before the feeds are one.
        """
        these = (
            "WHERE number IN (SELECT number FROM restored WHERE restored.feed = :key AND "
            "number NOTNULL) AND EXISTS (SELECT 1 FROM feed WHERE key = :old_key)"
        )
        old = "SET feed = (SELECT number FROM feed WHERE key = :old_key)"
        for statement in (
            f"UPDATE entry {old}, generation = {NEXT_GENERATION} {these}",
            f"UPDATE dedupe {old} {these}",
            "UPDATE OR IGNORE restored SET feed = :key WHERE feed = :old_key",
            "DELETE FROM restored WHERE feed = :old_key",
        ):
            self._connection.execute(statement, {"old_key": old_key, "key": key})

    def drop(self, key: str) -> None:
        """The entries of a feed have come back; within the caller's transaction."""
        self._connection.execute("DELETE FROM restored WHERE feed = ?", (key,))
