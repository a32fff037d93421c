"""Tables with the JSON of a noun for each key: feeds, servers, digests, dates, sites.

Beside some nouns are bytes: the body of a list or a picture, the files of a site.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

import msgspec

from planet.model import Digest, Timestamp
from planet.model.secrets import NO_REDACTOR, Redactor
from planet.store.database import Table, decode, encode, pack, unpack

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping
    from datetime import datetime


T = TypeVar("T")

LOST: Final = ""
"""The config hash of a site that was made from a state that is lost."""
_KEYS: Final = "WHERE key IN (SELECT value FROM json_each(?))"


class Records(Table, Generic[T]):
    """One table: nouns of one kind by their keys. Secrets in them are hidden in the file."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        table: str,
        kind: type[T],
        redactor: Redactor = NO_REDACTOR,
    ) -> None:
        super().__init__(connection)
        self._table, self._kind, self._redactor = table, kind, redactor

    def read(self, keys: Iterable[str] | None = None) -> dict[str, T]:
        """Return the nouns with these keys, or all, in the order of the keys."""
        where, values = ("", ()) if keys is None else (_KEYS, (self._hide_keys(keys),))
        sql = f"SELECT key, value FROM {self._table} {where} ORDER BY key"
        show = self._redactor.show
        rows = self._select(tuple[str, str], sql, *values)
        return {show(key): decode(show(value), self._kind) for key, value in rows}

    def get(self, key: str) -> T | None:
        """Return the noun with this key."""
        return self.read([key]).get(key)

    def put(self, records: Mapping[str, T]) -> None:
        """Store nouns in place of those before; the bytes beside these stay."""
        hide = self._redactor.hide
        sql = f"INSERT INTO {self._table} (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE "
        rows = [(hide(key), hide(encode(record))) for key, record in records.items()]
        with self._transaction():
            self._connection.executemany(f"{sql} SET value = excluded.value", rows)

    def drop(self, keys: Iterable[str]) -> None:
        """Forget the nouns with these keys."""
        self._execute(f"DELETE FROM {self._table} {_KEYS}", self._hide_keys(keys))

    def body(self, key: str) -> bytes | None:
        """Return the bytes beside a noun."""
        sql = f"SELECT body FROM {self._table} {_KEYS} AND body NOTNULL"
        rows = self._select(tuple[bytes], sql, self._hide_keys([key]))
        return self._redactor.show(rows[0][0]) if rows else None

    def put_body(self, key: str, body: bytes | None) -> None:
        """Store the bytes beside a stored noun."""
        hidden = None if body is None else self._redactor.hide(body)
        sql = f"UPDATE {self._table} SET body = ? {_KEYS}"
        self._execute(sql, hidden, self._hide_keys([key]))

    def _hide_keys(self, keys: Iterable[str]) -> str:
        return encode([*map(self._redactor.hide, keys)])


class DigestTable(Records[Digest]):
    """The digests of editions, which are named by their folders."""

    def all(self, edition: str = "") -> tuple[Digest, ...]:
        """Return the digests of an edition, newest first."""
        made = reversed(self.read().items())
        return tuple(digest for key, digest in made if key.rpartition("/")[0] == edition)

    def keep(self, digest: Digest, edition: str = "") -> None:
        """Store a new digest.

        `Store.generation` stays: an edition is made anew when a digest is due.
        """
        self.put({f"{edition}/{digest.name}": digest})


class PublishedFile(NamedTuple):
    """A published file in the output folder."""

    fingerprint: str
    digest: str
    size: int
    mtime: int
    """Nanoseconds, as the file system has it."""


class Publication(msgspec.Struct, frozen=True, kw_only=True):
    """The facts from which a site was last made."""

    config_hash: str
    """Fingerprint of what the operator decides: config, theme, program."""
    listed: str = ""
    """Fingerprint of the feeds that subscription lists on the web added."""
    generation: int = 0
    keeps_until: Timestamp | None = None
    entries: int
    edition: str = ""
    """The folder of the site in the output folder."""
    released: Timestamp | None = None
    """What was found later is not in it; None when it showed what there was."""


class Publications(Records[Publication]):
    """The record of output folders; an output folder is named as `name_output` does."""

    def read_release(self, edition: str) -> datetime | None:
        """Return the moment of an edition's last release; None for an edition without releases.

        An edition is named by the folder: the moment stays when the planet moves.
        """
        made = (site.released for site in self.read().values() if site.edition == edition)
        return max(filter(None, made), default=None)

    def files(self, output: str) -> dict[str, PublishedFile]:
        """Return the published files in an output folder, by path."""
        packed = self.body(output)
        files = unpack(packed, dict[str, PublishedFile]) if packed else {}
        # No file outside of the folder was ever written down.
        return {
            path: file
            for path, file in files.items()
            if not path.startswith("/") and ".." not in path.split("/")
        }

    def record(
        self, output: str, publication: Publication, files: Mapping[str, PublishedFile]
    ) -> None:
        """Write down the files of an output folder, and the facts from which they were made."""
        with self._transaction():
            self.put({output: publication})
            self.put_body(output, pack(files))
