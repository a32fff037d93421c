"""Nouns of the model ⇄ what SQLite can keep. Pure; what is None is not written at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import zlib
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cache, partial, wraps
from inspect import get_annotations
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from msgspec.structs import fields

from planet import model
from planet.errors import StateError
from planet.model import Entry, Origin
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from types import UnionType

    from planet.model import NewEntry


P = ParamSpec("P")
Made = TypeVar("Made")

_DAMAGED = (
    "Put a backup of it in its place. Without one, move it away and run again: what feed.json of "
    "the site has is taken back from there, and whom to ask when from polling.json beside it."
)
_WAYS_OUT = {
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_FULL: "Make room on its disk, and run again: nothing is lost.",
    sqlite3.SQLITE_IOERR: "See whether its disk is full or failing, and run again.",
    sqlite3.SQLITE_BUSY: "Another program has it open; run again when that has ended.",
}
"""By the primary result code, https://www.sqlite.org/rescode.html."""
_LONGEST = 512 - len("-journal")
"""What SQLite takes, less what it adds to the name of a file (MAX_PATHNAME in its os_unix.c)."""


@contextmanager
def faults_named(path: Path) -> Iterator[None]:
    """Say which file it is, and what to do about it.

    Raises:
        StateError: SQLite failed, or the file is empty. SQLite would take that for a new one, but
            a store that is there has tables (`schema.create`).
    """
    if path.is_file() and path.stat().st_size == 0:
        raise StateError(f"{path} cannot be used: it is empty\n{_DAMAGED}")
    try:
        yield
    except sqlite3.Error as error:
        raise fault(path, error) from error
    except VersionError as error:
        raise StateError(f"{path} cannot be used: {error}") from error


class VersionError(Exception):
    """Another Planet wrote the file; the message goes on after the file's name."""


def fault(path: Path, error: sqlite3.Error) -> StateError:
    """What is wrong with a file, and what to do about it."""
    what, way_out = str(error), _WAYS_OUT.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, "")
    if what.startswith("unable to open") and len(os.fsencode(path.resolve())) > _LONGEST:
        what = f"its path is too long for SQLite, which takes {_LONGEST} bytes"
        way_out = "Choose a shorter one for the state (state in the config, or --state)."
    if isinstance(error, RowError) or "decode to UTF-8" in what or "user-defined" in what:
        # That message goes on with the text, which is a feed's. A function (`add_functions`) fails
        # for nothing else.
        what, way_out = "a row in it is damaged", _DAMAGED
    if isinstance(error, PagesError):
        what, way_out = "database disk image is malformed", _DAMAGED
    return StateError(f"{path} cannot be used: {what}\n{way_out}".rstrip())


_WRONG = (
    *(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
    zlib.error,
)
"""What comes of a value of another type, or of one that cannot be unpacked."""


class PagesError(sqlite3.DatabaseError):
    """The pages of a file do not hold together."""


class RowError(sqlite3.DatabaseError):
    """What stands in a row is not what was written there."""


def typed(rows: Iterable[tuple[Any, ...]], *kinds: type | UnionType) -> list[tuple[Any, ...]]:
    """Rows whose columns have these types: SQLite lets anything stand anywhere."""
    checked = list(rows)
    for row in checked:
        if not all(map(isinstance, row, kinds)):
            raise RowError
    return checked


_BATCH = 500
"""Values in one statement: SQLite takes no more than 999 everywhere."""


def select_in(
    connection: sqlite3.Connection, statement: str, values: Iterable[Any], *first: Any
) -> Iterator[tuple[Any, ...]]:
    """The rows of a statement that ends in a column, for these values of that."""
    values = list(values)
    for start in range(0, len(values), _BATCH):
        batch = values[start : start + _BATCH]
        marks = ",".join("?" * len(batch))
        # All at once: a cursor that is left open outlives the connection when a row is damaged.
        yield from connection.execute(f"{statement} IN ({marks})", (*first, *batch)).fetchall()


def insert(
    connection: sqlite3.Connection, into: str, rows: Sequence[tuple[Any, ...]], rest: str
) -> list[tuple[Any, ...]]:
    """Insert rows, many with each statement, which goes on with `rest`; what that returns.

    A statement for each would hand the interpreter to another thread, and take it back, as often.
    """
    returned = []
    step = _BATCH // len(rows[0]) if rows else 1
    for start in range(0, len(rows), step):
        batch = rows[start : start + step]
        marks = ",".join([f"({','.join('?' * len(batch[0]))})"] * len(batch))
        values = [value for row in batch for value in row]
        statement = f"INSERT INTO {into} VALUES {marks} {rest}"  # noqa: S608 - constants
        returned += connection.execute(statement, values).fetchall()
    return returned


def from_row(make: Callable[P, Made]) -> Callable[P, Made]:
    """A function that makes something from a row, whose damage then is the file's.

    It does nothing else: so whatever is wrong in it is wrong with the row.
    """

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> Made:
        try:
            return make(*args, **kwargs)
        except _WRONG as error:
            raise RowError from error

    return made


T = TypeVar("T")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

_ADDRESSES = frozenset({"link", "url", "comments", "image", "chapters", "page"})
"""Fields of nouns that are shown as a link, a picture or a file."""

MORE = (
    "authors",
    "categories",
    "enclosures",
    "image",
    "comments",
    "rights",
    "language",
    "episode",
    "withheld",
    "transformed",
)
"""The fields of an entry that are kept as one JSON text."""


def micros(moment: datetime | None) -> int | None:
    """Microseconds since 1970."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def moment(count: int | None) -> datetime | None:
    """The moment so many microseconds after 1970, UTC."""
    return None if count is None else _EPOCH + timedelta(microseconds=count)


def plain(noun: Any, *, leave_out: frozenset[str] = frozenset()) -> dict[str, Any]:
    """A noun of the model as JSON knows it, without fields that are None or have their default."""
    kind: Any = type(noun)
    return {
        name: write(value) if write else value
        for name, (default, write, _) in _fields_of(kind).items()
        if (value := getattr(noun, name)) is not None and value != default and name not in leave_out
    }


def from_plain(kind: Any, stored: dict[str, Any]) -> dict[str, Any]:
    """The fields of a noun from what `plain` made of it.

    What it has no field for is left out, and so is an address that is not of the web: none such
    was written, and it would be on the site.

    Raises:
        TypeError: a value is of another type than the noun says.
    """
    forms = _fields_of(kind)
    return {name: forms[name][2](stored[name]) for name in stored if name in forms}


def text(stored: object) -> str:
    """What JSON knows, as short as it can be written."""
    return _ENCODER.encode(stored)


def more(draft: NewEntry) -> str | None:
    """The rarer fields of an entry as JSON; None when it has none of them."""
    forms = _fields_of(Entry)
    rarer = {
        name: write(value) if (write := forms[name][1]) else value
        for name in MORE
        if (value := getattr(draft, name))
    }
    return text(rarer) if rarer else None


def _rarer(stored: str | None) -> dict[str, Any]:
    """The fields that `more` wrote, as `Entry` wants them."""
    return {} if stored is None else from_plain(Entry, json.loads(stored))


def origin_from(stored: str) -> Origin:
    """The origin of an entry."""
    return Origin(**from_plain(Origin, json.loads(stored)))


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
_Form = tuple["Callable[[Any], Any] | None", "Callable[[Any], Any]"]
"""What writes a value for JSON, None where it can stay as it is; and what reads it again."""


@cache
def _fields_of(kind: Any) -> dict[str, tuple[Any, Any, Any]]:
    """The default of field field of a noun, and its form, by name."""
    forms = {}
    types = {name: type_ for base in kind.__mro__ for name, type_ in get_annotations(base).items()}
    for field in fields(kind):
        write, read = _form(_ANNOTATED.sub(r"\1", types[field.name]).removesuffix(" | None"))
        forms[field.name] = field.default, write, _address if field.name in _ADDRESSES else read
    return forms


_ANNOTATED = re.compile(r"Annotated\[(.*), ['\"][^'\"]*['\"]\]")
"""What a type says besides is for files of the operator's."""


def _form(annotation: str) -> _Form:
    """The form of values of a type, by what the noun says of it."""
    if annotation == "tuple[datetime, ...]":
        return _steps, _moments
    if annotation == "tuple[Day, ...]":
        return list, _days
    if several := re.fullmatch(r"(tuple|frozenset)\[(\w+)(?:, \.\.\.)?\]", annotation):
        write, read = _form(several[2])
        collect, order = (tuple, list) if several[1] == "tuple" else (frozenset, sorted)
        return (
            lambda values: [write(value) if write else value for value in order(values)],
            lambda values: collect(
                made for value in exactly(list, values) if not _is_lost(made := read(value))
            ),
        )
    if annotation in _FORMS:
        return _FORMS[annotation]
    kind: Any = getattr(model, annotation)
    if issubclass(kind, Enum):
        return None, kind
    return plain, lambda value: kind(**from_plain(kind, value))


def exactly(kind: type[T], stored: Any) -> T:
    """What is stored, if it is of this type.

    Raises:
        TypeError: it is of another.
    """
    if type(stored) is not kind:
        raise TypeError(f"it is no {kind.__name__}")
    return stored


def _seconds(length: timedelta) -> float:
    seconds = length.total_seconds()
    return int(seconds) if seconds.is_integer() else seconds


def _steps(moments: Sequence[datetime]) -> list[float]:
    """Moments as the first of them, and from each the time to the next: that is shorter."""
    first = (moments[0] - _EPOCH) // _MICROSECOND
    return [first, *(_seconds(after - before) for before, after in pairwise(moments))]


def _moments(stored: list[Any]) -> tuple[datetime, ...]:
    first: Any = moment(stored[0])
    return tuple(accumulate((timedelta(seconds=step) for step in stored[1:]), initial=first))


def _days(stored: list[list[int]]) -> tuple[model.Day, ...]:
    return tuple(model.Day(*row) for row in typed(map(tuple, stored), int, int, int, int))


_FORMS: dict[str, _Form] = {
    **{kind.__name__: (None, partial(exactly, kind)) for kind in (str, int, bool)},
    "Html": (None, partial(exactly, str)),
    "datetime": (micros, moment),
    "timedelta": (_seconds, lambda stored: timedelta(seconds=stored)),
}
"""By the type of a field; others are nouns of the model."""


def _is_lost(made: Any) -> bool:
    """Whether it is a file without its address, or nobody."""
    return getattr(made, "url", "") is None and not getattr(made, "name", None)


def _address(stored: Any) -> str | None:
    return stored if is_on_the_web(exactly(str, stored)) else None


def is_on_the_web(address: str) -> bool:
    """Whether an address is one of those that were written."""
    return address.startswith(("http://", "https://"))


@from_row
def entry_from(row: tuple[Any, ...]) -> Entry:
    """An entry from a row of `ENTRIES`."""
    if not all(map(isinstance, row, _COLUMNS)):
        raise TypeError("a column has another type")
    if not row[17]:
        raise ValueError("its checksum is that of other words")
    return Entry(
        number=row[0],
        feed=row[1],
        id=row[2],
        digest=row[3].hex(),
        first_seen=cast("datetime", moment(row[4])),
        changed_at=cast("datetime", moment(row[5])),
        dated=cast("datetime", moment(row[6])),
        rank=row[7],
        link=row[8] and _address(row[8]),
        title=row[9],
        summary=row[10],
        published=moment(row[11]),
        updated=moment(row[12]),
        first_key=row[14],
        first_id=row[15],
        origin=row[16] and origin_from(row[16]),
        **_rarer(row[13]),
    )


LINK = "CASE WHEN link = x'' THEN id ELSE link END"
"""The link of an entry: where it is the id, only that is stored (`link_of`)."""

CHECKED = (
    *("id", "first_id", "link", "title", "summary", "published", "updated", "more", "origin"),
)
"""The columns of an entry that have what it says: its checksum is taken of them, in this order."""
ENTRY_CHECKSUM = f"checksum({', '.join(CHECKED)})"

ENTRY_COLUMNS = (
    "entry.number, feed.key, id, digest, first_seen, changed_at, dated, rank, "
    f"{LINK}, title, summary, published, updated, more, first_key, first_id, origin, "
    f"entry.checksum = {ENTRY_CHECKSUM}"
)
_COLUMNS = (
    *(int, str, str, bytes, int, int, int, int | None, str | None, str | None),
    *(str | None, int | None, int | None, str | None, str | None, str | None, str | None, int),
)
OF_FEEDS = "FROM entry JOIN feed ON feed.number = entry.feed"
ENTRIES = f"SELECT {ENTRY_COLUMNS} {OF_FEEDS}"


def link_of(draft: NewEntry) -> str | bytes | None:
    """What is stored as the link of an entry."""
    return b"" if draft.link is not None and draft.link == draft.id else draft.link


def pack(text: str) -> bytes:
    """Return a text, compressed."""
    return zlib.compress(text.encode())


@from_row
def unpack(packed: bytes) -> str:
    """Return the text that `pack` compressed."""
    return zlib.decompress(packed).decode()


def checksum(*values: Any) -> int:
    """The CRC-32 of the values of a row: it tells when a byte of one was damaged.

    In statements it is the function `checksum` (`add_functions`).
    """
    crc = 0
    for value in values:
        data = value if isinstance(value, bytes) else f"{value!r},".encode(errors="surrogatepass")
        crc = zlib.crc32(data, crc)
    return crc


def add_functions(connection: sqlite3.Connection) -> None:
    """Give a connection the functions of Planet that its statements call."""
    connection.create_function("checksum", -1, checksum, deterministic=True)


def dedupe_key_of_link(link: str | None) -> int | None:
    """A number that is equal for links which lead to the same page."""
    return None if link is None else _number(address.page_key(link))


def dedupe_key_of_id(entry_id: str) -> int:
    """A number that is equal for ids which say the same, with `urn:uuid:` before them or not.

    That of an address is the one of a link to it.
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
    """The same number for the same text, on every machine; 64 bits, as SQLite has them."""
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
