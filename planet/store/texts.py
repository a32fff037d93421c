"""The texts of entries, compressed, and what they link to: the last columns of `entry`.

A text is clean HTML. Where nobody has shown it yet, it may still be as its feed sent it: then it is
cleaned before it is shown for the first time, and the clean text takes its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from planet.model import Html, Text, TextKind, WebAddress
from planet.store import codec
from planet.store.database import Table
from planet.text.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from planet.model import NewEntry


AS_SENT: Final = ""
"""The cleaning of a text that nobody has cleaned."""
_OF_NUMBERS: Final = "FROM entry WHERE number IN (SELECT value FROM json_each(?))"


class StoredText(NamedTuple):
    """A text as it is kept; one that is not clean yet is untrusted."""

    text: Text
    cleaning: str
    """The version of the cleaner that made it; `AS_SENT` if none did."""


class TextTable(Table):
    """The texts of entries, by the numbers of these; entries without one are left out."""

    def read_stored(self, numbers: Sequence[int]) -> dict[int, StoredText]:
        """Return the texts with what made them."""
        rows = self._select(
            tuple[int, str, TextKind, str | None, bytes],
            f"SELECT number, cleaning, kind, base, text {_OF_NUMBERS} AND text NOTNULL",
            codec.encode(numbers),
        )
        return {
            number: StoredText(Text(value=codec.unpack(packed), kind=kind, base=base), cleaning)
            for number, cleaning, kind, base, packed in rows
        }

    def read(self, numbers: Sequence[int]) -> dict[int, Text]:
        """Return the texts alone."""
        return {number: stored.text for number, stored in self.read_stored(numbers).items()}

    def read_plain(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the texts as plain text."""
        return {number: plain(text) for number, text in self.read(numbers).items()}

    def put_clean(self, cleaned: Mapping[int, Html], *, cleaning: str) -> None:
        """Store clean texts in place of those that they were made from."""
        sql = "UPDATE entry SET cleaning = ?, kind = ?, base = NULL, text = ? WHERE number = ?"
        with self._transaction():
            for number, html in cleaned.items():
                self._execute(sql, cleaning, TextKind.HTML, codec.pack(html), number)

    def feeds(self, numbers: Sequence[int]) -> dict[int, str]:
        """Return the keys of the feeds that the texts are of."""
        sql = f"SELECT number, feed {_OF_NUMBERS}"
        return dict(self._select(tuple[int, str], sql, codec.encode(numbers)))

    def links(self, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """Return what the texts link to; those of which it is not known are left out."""
        sql = f"SELECT number, links {_OF_NUMBERS} AND links NOTNULL"
        rows = self._select(tuple[int, str], sql, codec.encode(numbers))
        return {number: codec.decode(links, tuple[WebAddress, ...]) for number, links in rows}

    def put_links(self, links: Mapping[int, Sequence[str]]) -> None:
        """Store what texts link to."""
        sql = "UPDATE entry SET links = ? WHERE number = ?"
        with self._transaction():
            for number, urls in links.items():
                self._execute(sql, codec.encode(urls), number)

    def drop_unlisted(self, before: datetime) -> int:
        """Forget the texts of entries from before this that their feeds no longer list; count them.

        These entries count as edited then, so that their texts come back with their feeds.
        """
        return self._execute(
            "UPDATE entry SET digest = '', cleaning = NULL, kind = NULL, base = NULL, "
            "links = NULL, text = NULL WHERE dated < ? AND NOT present AND text NOTNULL",
            codec.micros(before),
        )


def clean_text(html: Html) -> Text:
    """Return a clean text as a text that can be cleaned again."""
    return Text(value=html, kind=TextKind.HTML)


def text_columns(draft: NewEntry) -> dict[str, Any]:
    """Return the columns that have the text of an entry, clean if it is there so."""
    text, cleaning = draft.raw, AS_SENT
    if draft.content is not None:
        text, cleaning = clean_text(draft.content), draft.cleaning or AS_SENT
    if text is None:
        return dict.fromkeys(("cleaning", "kind", "base", "links", "text"))
    return {
        "cleaning": cleaning,
        "kind": text.kind,
        "base": text.base,
        "links": None if draft.links is None else codec.encode(draft.links),
        "text": codec.pack(text.value),
    }


def text_fields(stored: StoredText | None) -> dict[str, Any]:
    """Return the fields of a `NewEntry` that have its text as it is stored."""
    if stored is None:
        return {}
    text, cleaning = stored
    if cleaning == AS_SENT:
        return {"raw": text}
    return {"content": Html(text.value), "cleaning": cleaning}
