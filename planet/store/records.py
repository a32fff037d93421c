"""Tables of nouns by a key: feeds, servers, pictures, digests, and what was published.

Each has the JSON of a noun, and bytes that some have beside it.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from planet.model import Digest, EntryDates, StoredPicture, Timestamp
from planet.model.secrets import NO_REDACTOR, Redactor
from planet.store import codec
from planet.store.database import Table

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping
    from datetime import datetime


T = TypeVar("T")

LOST: Final = ""
"""The config hash of a site that was made from a state that is lost."""


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
        show, sql = self._redactor.show, f"SELECT key, value FROM {self._table}"
        if keys is None:
            rows = self._select(tuple[str, str], f"{sql} ORDER BY key")
        else:
            where = "WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key"
            hidden = codec.encode([*map(self._redactor.hide, keys)])
            rows = self._select(tuple[str, str], f"{sql} {where}", hidden)
        return {show(key): codec.decode(show(value), self._kind) for key, value in rows}

    def get(self, key: str) -> T | None:
        """Return the noun with this key."""
        return self.read([key]).get(key)

    def put(self, records: Mapping[str, T], *, replaces: bool = True) -> None:
        """Store nouns, in place of those before them; the bytes beside these stay.

        Raises:
            IntegrityError: there is one with such a key already, and nothing is to be replaced.
        """
        hide = self._redactor.hide
        rows = [(hide(key), hide(codec.encode(record))) for key, record in records.items()]
        # One statement: each hands the interpreter to another thread, and takes it back.
        self._execute(
            f"INSERT INTO {self._table} (key, value) "
            "SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?) "
            f"WHERE true {'ON CONFLICT DO UPDATE SET value = excluded.value' if replaces else ''}",
            codec.encode(rows),
        )

    def drop(self, keys: Iterable[str]) -> None:
        """Forget the nouns with these keys."""
        hidden = codec.encode([*map(self._redactor.hide, keys)])
        where = "WHERE key IN (SELECT value FROM json_each(?))"
        self._execute(f"DELETE FROM {self._table} {where}", hidden)

    def bodies(self) -> dict[str, bytes]:
        """Return the bytes beside all nouns that have some, by their keys."""
        sql = f"SELECT key, body FROM {self._table} WHERE body NOTNULL"
        rows = self._select(tuple[str, bytes], sql)
        return {self._redactor.show(key): self._redactor.show(body) for key, body in rows}

    def body(self, key: str) -> bytes | None:
        """Return the bytes beside a noun."""
        sql = f"SELECT body FROM {self._table} WHERE key = ? AND body NOTNULL"
        rows = self._select(tuple[bytes], sql, self._redactor.hide(key))
        return next((self._redactor.show(body) for (body,) in rows), None)

    def put_body(self, key: str, body: bytes | None) -> None:
        """Store the bytes beside a noun that is stored."""
        hidden = None if body is None else self._redactor.hide(body)
        sql = f"UPDATE {self._table} SET body = ? WHERE key = ?"
        self._execute(sql, hidden, self._redactor.hide(key))


class PictureTable(Records[StoredPicture]):
    """Pictures of others that the site shows, by the addresses at which they are asked for."""

    @codec.from_row
    def face(self, url: str) -> bytes:
        """Return the bytes of a picture that is stored."""
        picture, body = self.read([url])[url], self.body(url)
        if body is None or hashlib.sha256(body).hexdigest() != picture.body_hash:
            raise ValueError("the bytes of a picture are not those that were stored")
        return body

    def put_face(self, picture: StoredPicture, body: bytes | None) -> None:
        """Store what came, in place of what was there; without a body there is nothing to show."""
        body_hash = None if body is None else hashlib.sha256(body).hexdigest()
        with self._transaction():
            self.put({picture.url: replace(picture, body_hash=body_hash)})
            self.put_body(picture.url, body)
            self._bump_generation()


class SeenTable(Records[EntryDates]):
    """The dates of entries of a lost state, by their published ids, until their feeds are read."""

    def forget(self, before: datetime) -> None:
        """Forget entries from before this."""
        self.drop([uid for uid, dates in self.read().items() if dates.dated < before])


class DigestTable(Records[Digest]):
    """The digests of editions, which are named by their folders."""

    def all(self, edition: str = "") -> tuple[Digest, ...]:
        """Return those of an edition that were made so far, the newest first."""
        sql = "SELECT key FROM digest WHERE key GLOB '*/*'"
        keys = [key for (key,) in self._select(tuple[str], sql)]
        made = self.read(key for key in keys if key.rpartition("/")[0] == edition)
        return tuple(reversed(made.values()))

    def keep(self, digest: Digest, edition: str = "") -> None:
        """Store a digest that was just made. One that is there already is never replaced.

        It is no change of what is known (`Store.generation`): an edition is made anew when a digest
        is due.
        """
        self.put({f"{edition}/{digest.name}": digest}, replaces=False)

    def forget_after(self, moment: datetime) -> None:
        """Drop those that were made later."""
        self.drop([key for key, digest in self.read().items() if digest.made_at > moment])


class PublishedFile(NamedTuple):
    """A file as it was left in the output folder."""

    fingerprint: str
    digest: str
    size: int
    mtime: int
    """Nanoseconds, as the file system has it."""


class Publication(msgspec.Struct, frozen=True, kw_only=True):
    """What a site was last made from."""

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
        """Return the moment an edition was last made as of; None when it showed what there was.

        An edition is named by its folder, so that the moment stays when the planet moves.
        """
        made = (site.released for site in self.read().values() if site.edition == edition)
        return max(filter(None, made), default=None)

    def files(self, output: str) -> dict[str, PublishedFile]:
        """Return the files that were left in an output folder, by path."""
        packed = self.body(output)
        if packed is None:
            return {}
        files = codec.decode(codec.unpack(packed), dict[str, PublishedFile])
        return {path: file for path, file in files.items() if _is_inside(path)}

    def record(
        self, output: str, publication: Publication, files: Mapping[str, PublishedFile]
    ) -> None:
        """Write down what is now in an output folder, and what it was made from."""
        packed = codec.pack(codec.encode(files))
        # Wherever its edition was made: the moment may be an earlier one, or none, from now on.
        others = {
            key: replace(site, released=publication.released)
            for key, site in self.read().items()
            if site.edition == publication.edition
        }
        with self._transaction():
            self.put({**others, output: publication})
            self.put_body(output, packed)

    def forget_releases(self, after: datetime) -> None:
        """Forget that editions were last made as of a later moment."""
        sites = self.read().items()
        later = {key: site for key, site in sites if site.released and site.released > after}
        self.put({key: replace(site, released=None) for key, site in later.items()})


def _is_inside(path: str) -> bool:
    """Return whether a file is in the output folder, as all are that were written down."""
    return not path.startswith("/") and (".." not in path or ".." not in path.split("/"))
