"""Which entries may be the same thing in several feeds: those that share a sign.

Two entries can only be the same if their links are, or their ids. To hold all of them against each
other whenever a site is made would cost more than all the rest; so a number is kept for what each
would have to share. Those that share one are few, and `merge` looks at them closely.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from planet import address

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

TABLE = """
CREATE TABLE sign (
    number INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
    feed   INTEGER NOT NULL,
    link   INTEGER,           -- equal for links that are the same
    id     INTEGER NOT NULL   -- equal for ids that are published as one
);
CREATE INDEX sign_link ON sign (link, feed);
CREATE INDEX sign_id ON sign (id, feed);
INSERT INTO sign SELECT number, feed, sign_of_link(link), sign_of_id(id) FROM entry;
"""
"""The table, and the signs of what was there before it (within `functions`)."""

AGAIN = "UPDATE sign SET link = (SELECT sign_of_link(link) FROM entry WHERE number = sign.number);"
"""The links were compared otherwise before."""

_PUT = "INSERT OR REPLACE INTO sign VALUES (?, ?, ?, ?)"
_BATCH = 500
"""As in `store`."""


def functions(connection: sqlite3.Connection) -> None:
    """Let a connection make signs."""
    connection.create_function("sign_of_link", 1, sign_of_link, deterministic=True)
    connection.create_function("sign_of_id", 1, sign_of_id, deterministic=True)


def sign_of_link(link: str | None) -> int | None:
    """A number that is equal for links which lead to the same page."""
    return None if link is None else _number(address.page(link))


def sign_of_id(said: str) -> int:
    """A number that is equal for ids which say the same, with `urn:uuid:` before them or not."""
    return _number(said.lower().removeprefix("urn:uuid:"))


def put_sign(
    connection: sqlite3.Connection, number: int, feed: int, said: str, link: str | None
) -> None:
    """Store the signs of an entry, within the caller's transaction."""
    connection.execute(_PUT, (number, feed, sign_of_link(link), sign_of_id(said)))


def alike(connection: sqlite3.Connection, ids: Iterable[str]) -> set[int]:
    """The numbers of the entries that share a sign with another one, or with one of these ids.

    A link counts only where two feeds have it.
    """
    found = connection.execute(
        "SELECT number FROM sign WHERE link IN "
        "(SELECT link FROM sign GROUP BY link HAVING min(feed) < max(feed)) "
        "UNION SELECT number FROM sign WHERE id IN "
        "(SELECT id FROM sign GROUP BY id HAVING count(*) > 1)"
    ).fetchall()
    numbers = {number for (number,) in found}
    signs = sorted(set(map(sign_of_id, ids)))
    for start in range(0, len(signs), _BATCH):
        batch = signs[start : start + _BATCH]
        marks = ",".join("?" * len(batch))
        rows = connection.execute(
            f"SELECT number FROM sign WHERE id IN ({marks})",  # noqa: S608 - question marks
            batch,
        ).fetchall()
        numbers |= {number for (number,) in rows}
    return numbers


def _number(text: str) -> int:
    """The same number for the same text, on every machine; 64 bits, as SQLite has them."""
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
