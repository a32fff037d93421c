"""The table `dedupe`: numbers by which entries of several feeds are known to be the same."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from planet.text import address

if TYPE_CHECKING:
    import sqlite3


def dedupe_key_of_link(link: str | None) -> int | None:
    """Return a number that is equal for links which lead to the same page."""
    return None if link is None else _number(address.page_key(link))


def dedupe_key_of_id(entry_id: str) -> int:
    """Return a number that is equal for ids which say the same.

    They may have `urn:uuid:` before them or not. The number of an address is that of a link to it.
    """
    bare = entry_id.lower().removeprefix("urn:uuid:")
    return _number(
        address.page_key(entry_id)
        if address.is_valid_iri(entry_id) and bare == entry_id.lower()
        else bare
    )


def put_dedupe_keys(
    connection: sqlite3.Connection, number: int, feed: int, entry_id: str, link: str | None
) -> None:
    """Store the dedupe keys of an entry, within the caller's transaction."""
    by_id, by_link = dedupe_key_of_id(entry_id), dedupe_key_of_link(link)
    row = number, feed, None if by_link == by_id else by_link, by_id
    connection.execute("INSERT OR REPLACE INTO dedupe VALUES (?, ?, ?, ?)", row)


def _number(text: str) -> int:
    """Return the same number for the same text, on every machine; 64 bits, as SQLite has them."""
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
