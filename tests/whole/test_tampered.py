"""A state that somebody has changed: it is told in words, and nothing of it gets onto the site."""

import json
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import pytest

from planet.errors import StateError
from planet.store.codec import checksum, pack
from tests.server import Response, Server
from tests.whole.conftest import Planet

BAD = "javascript:alert(4711)"
_TABLES = (
    *("feed", "entry", "text", "list", "publication", "file", "planet", "host", "digest"),
    *("dedupe", "release", "waiting"),
)
_ITEM = (
    "<item><title>Post</title><guid isPermaLink='false'>1</guid>"
    "<link>https://one.example/post</link><category>sea</category>"
    "<comments>https://one.example/comments</comments>"
    "<source url='https://two.example/'>Two</source>"
    "<description>&lt;p&gt;Words with &lt;a href='https://three.example/'&gt;a link&lt;/a&gt;."
    "&lt;/p&gt;</description>"
    "<enclosure url='https://one.example/1.mp3' type='audio/mpeg' length='1'/>"
    "<itunes:image href='https://one.example/1.png'/><itunes:season>2</itunes:season>"
    "<podcast:person href='https://one.example/ann'>Ann</podcast:person>"
    "<podcast:chapters url='https://one.example/1.json' type='application/json+chapters'/>"
    "<podcast:transcript url='https://one.example/1.vtt' type='text/vtt'/>"
    "<pubDate>20 Nov 2026 08:00:00 GMT</pubDate></item>"
)
_FEED = (
    "<rss version='2.0' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd' "
    "xmlns:podcast='https://podcastindex.org/namespace/1.0'><channel><title>One</title>"
    "<link>https://one.example/</link><image><url>https://one.example/icon.png</url>"
    "<title>One</title><link>https://one.example/</link></image><ttl>90</ttl><category>sea</category>"
    f"{_ITEM}<item><title>Old</title><guid>2</guid><description>Old words.</description></item>"
    "</channel></rss>"
)


@pytest.fixture
def grown(a_planet: Planet, server: Server) -> Planet:
    """A planet with something in every table."""
    server.feed("/one", _FEED.encode(), etag='"1"')
    server.feed("/two", _FEED.replace(">2<", ">3<").encode(), etag='"1"')
    outlines = f"<outline type='rss' xmlUrl='{server.url('/two')}'/>"
    server.feed("/list", f"<opml version='2.0'><body>{outlines}</body></opml>".encode(), etag='"1"')
    a_planet.settings |= {
        "digest": {"every": "day"},
        "new_feed_entries": 1,
        "subscriptions": [server.url("/list")],
        "editions": {"now": {"folder": "."}, "calm": {"release": {}}},
    }
    with Server() as other:
        late = other.script("/late", Response(status=429, headers=(("Retry-After", "7200"),)))
        a_planet.subscribe(server.url("/one"), late)
        a_planet.build()
        a_planet.later(days=1).build()
    return a_planet


class Tampering:
    """Changes the state of a planet, each time from what it was, and runs it again."""

    def __init__(self, planet: Planet) -> None:
        self._planet = planet
        self._state = planet.folder / "state"
        self._was = planet.folder / "was"
        shutil.copytree(self._state, self._was)

    def rows(self, table: str) -> list[dict[str, Any]]:
        with closing(sqlite3.connect(self._was / "planet.sqlite")) as db:
            db.row_factory = sqlite3.Row
            return [dict(row) for row in db.execute(f"SELECT * FROM {table}")]

    def run(self, table: str, column: str, value: object) -> bool:
        """Put a value into each row; False when a run refuses such a state."""
        shutil.rmtree(self._state)
        shutil.copytree(self._was, self._state)
        with closing(sqlite3.connect(self._state / "planet.sqlite")) as db, db:
            with suppress(sqlite3.IntegrityError):  # a number of a row is one
                db.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (value,))
            # As for a site that is made anew from all there is.
            db.execute("DELETE FROM publication WHERE ? <> 'publication'", (table,))
            db.execute("DELETE FROM file WHERE ? <> 'file'", (table,))
        try:
            self._planet.build(offline=True)
        except StateError as error:
            assert "planet.sqlite cannot be used: " in str(error)  # noqa: PT017 - either is right
            return False
        return True


@pytest.mark.parametrize("table", _TABLES)
def test_a_value_of_a_wrong_type_is_a_fault_of_the_state(grown: Planet, table: str) -> None:
    tampering = Tampering(grown)
    rows = tampering.rows(table)
    assert rows

    for column in rows[0]:
        kinds = {type(row[column]) for row in rows}
        # Whether it is refused or does no harm: a run ends without any other error.
        tampering.run(table, column, b"\xff\x00" if int in kinds or float in kinds else -(2**62))


@pytest.mark.parametrize(
    ("table", "column"), [("feed", "state"), ("host", "state"), ("entry", "value"), ("digest", "")]
)
def test_a_value_of_a_wrong_type_within_is_one_too(grown: Planet, table: str, column: str) -> None:
    tampering = Tampering(grown)
    column = column or "packed"
    said = max((row[column] for row in tampering.rows(table)), key=lambda said: len(said or b""))
    found = json.loads(zlib.decompress(said) if isinstance(said, bytes) else said)
    refused = 0

    for changed in _changed(found):
        written = json.dumps(changed)
        packed = pack(written) if isinstance(said, bytes) else written
        refused += not tampering.run(table, column, packed)

    assert refused


def _changed(value: Any) -> Iterator[Any]:
    """What JSON has, each time with another part of it of a wrong type."""
    yield 7 if isinstance(value, str) else "x"
    if isinstance(value, dict):
        yield from ({**value, key: new} for key in value for new in _changed(value[key]))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from ([*value[:place], new, *value[place + 1 :]] for new in _changed(part))


def _give_checksums(db: sqlite3.Connection) -> None:
    """A checksum tells of damage, and hinders nobody who changes it as well."""
    db.create_function("checksum", -1, checksum)
    kept = {
        "entry": "id, first_id, link, published, updated, origin, value",
        "text": "number, cleaning, kind, base, value",
    }
    for table, columns in kept.items():
        db.execute(f"UPDATE {table} SET checksum = checksum({columns})")
    db.execute("DELETE FROM publication")
    db.execute("DELETE FROM file")


@pytest.mark.parametrize(
    ("table", "column", "address"),
    [
        ("entry", "link", "https://one.example/post"),
        ("entry", "value", "https://one.example/comments"),
        ("entry", "value", "https://one.example/1.mp3"),
        ("entry", "value", "https://one.example/1.png"),
        ("entry", "value", "https://one.example/ann"),
        ("entry", "value", "https://one.example/1.json"),
        ("entry", "value", "https://one.example/1.vtt"),
        ("entry", "origin", "https://two.example/"),
        ("feed", "state", "https://one.example/"),
        ("feed", "state", "https://one.example/icon.png"),
        ("digest", "packed", "https://one.example/post"),
    ],
)
def test_an_address_with_a_bad_scheme_is_a_fault_of_the_state(
    grown: Planet, table: str, column: str, address: str
) -> None:
    state = grown.folder / "state/planet.sqlite"
    changed = 0
    with closing(sqlite3.connect(state)) as db, db:
        rows = db.execute(f"SELECT rowid, {column} FROM {table} WHERE {column} NOTNULL").fetchall()
        for number, stored in rows:
            is_packed = isinstance(stored, bytes) and column == "packed"
            said = zlib.decompress(stored).decode() if is_packed else stored
            wrong = said.replace(f'"{address}"', f'"{BAD}"') if column != "link" else BAD
            changed += wrong != said
            row = pack(wrong) if is_packed else wrong, number
            db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", row)
        _give_checksums(db)
    shutil.rmtree(grown.output)

    with pytest.raises(StateError, match="a row in it is damaged"):
        grown.build(offline=True)

    assert changed
    assert not grown.output.exists()


def test_a_text_that_was_tampered_with_is_cleaned_before_it_is_published(grown: Planet) -> None:
    state = grown.folder / "state/planet.sqlite"
    with closing(sqlite3.connect(state)) as db, db:
        assert db.execute("SELECT count(links) FROM text").fetchone() != (0,)
        wrong = f"<p>Words with <a href=\"{BAD}\" onclick='{BAD}'>x</a><script>{BAD}</script></p>"
        db.execute("UPDATE text SET value = ?", (pack(wrong),))
        db.execute("UPDATE text SET links = ?", (pack(f"{BAD} {BAD}"),))
        _give_checksums(db)
    shutil.rmtree(grown.output)

    grown.build(offline=True)

    site = grown.site()
    assert "index.html" in site
    assert [path for path, body in site.items() if b"4711" in body] == []
    assert b"Words with" in site["2026/11/index.html"]
