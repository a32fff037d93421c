"""What is known ⇄ disk: whole, exact, and there after whatever happens."""

import multiprocessing
import os
import signal
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from msgspec.structs import replace

from planet.errors import StateError
from planet.model import (
    Counts,
    Digest,
    DigestItem,
    DigestSection,
    Enclosure,
    Entry,
    HostState,
    Html,
    NewEntry,
    Origin,
    Person,
    Picks,
    Text,
    TextKind,
)
from planet.store import Publication, PublishedFile, Store, database, schema
from planet.store.database import migrate, version_of
from tests.builders import NOW, make_draft, make_feed, make_profile, make_reading, make_state
from tests.cases import case, cases
from tests.patience import PATIENCE
from tests.stored import keep_reading, listed_ids, stored_digests

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
LATER = NOW + HOUR
LONG_AGO = NOW - 1000 * DAY

HOSTILE = "ä \U0001f600 e\u0301 \u202e ' \" \\ \0 \x1b \ufffe <b>&amp; \r\n\t end"
A, B = "https://a.example/", "https://b.example/?x=1&y=%20"


def keep(
    store: Store,
    *drafts: NewEntry,
    feed: str = "one",
    now: datetime = NOW,
    shown: int | None = None,
    picks: Picks = Picks.ALSO,
    former: Mapping[str, str] = MappingProxyType({}),
    **reading: Any,
) -> Counts:
    state, result = make_state(feed, picks=picks), make_reading(*drafts, **reading)
    return keep_reading(store, state, result, now=now, shown=shown, former=former)


def keep_one(store: Store, draft: NewEntry, **said: Any) -> Entry:
    """The entry that comes of a draft, the last of its feed."""
    keep(store, draft, **said)
    return store.entries.of_feeds([said.get("feed", "one")])[-1]


def numbers(store: Store, *feeds: str, picks: Picks = Picks.ALSO) -> dict[str, int]:
    entries = store.entries.of_feeds(feeds or ("one",), picks=picks)
    return {entry.id: entry.number for entry in entries}


def texts(store: Store) -> dict[str, str]:
    """The texts that are stored, by the ids of their entries."""
    ids = {number: entry_id for entry_id, number in numbers(store).items()}
    return {ids[number]: text.value for number, text in store.texts.read([*ids]).items()}


def tamper(folder: Path, sql: str) -> None:
    with closing(sqlite3.connect(folder / "planet.sqlite")) as other, other:
        other.executescript(sql)


# Nouns by their keys


A_DIGEST = Digest(
    name="2026-11-20",
    due_at=NOW - timedelta(hours=6),
    made_at=NOW,
    since=NOW - timedelta(days=1, microseconds=1),
    sections=(DigestSection(source=HOSTILE, items=(DigestItem(uid="urn:1", heading="First"),)),),
)
PUBLICATION = Publication(config_hash="1", listed="2", generation=1, entries=1)


@cases(
    "table, noun, other",
    case("feed", "feeds", make_state(profile=make_profile(title=HOSTILE)), make_state(due_at=NOW)),
    case("server", "hosts", HostState(host="one.example:443"), HostState(host="", rests_until=NOW)),
    case("digest", "digests", A_DIGEST, replace(A_DIGEST, name="2025-01-01")),
    case("publication", "publications", PUBLICATION, replace(PUBLICATION, released=NOW)),
)
def test_a_noun_is_kept_whole_in_the_place_of_the_one_before_it(
    table: str, noun: Any, other: Any, folder: Path
) -> None:
    with Store.open(folder) as store:
        getattr(store, table).put({"one": other, HOSTILE: noun})
        getattr(store, table).put({"one": noun})

    with Store.open(folder) as store:
        assert getattr(store, table).read() == {"one": noun, HOSTILE: noun}


def test_digests_come_the_newest_first(store: Store) -> None:
    names = ["2026-11-20", "2025-12-31", "2026-11-21"]
    for name in names:
        store.digests.keep(replace(A_DIGEST, name=name))
    store.digests.keep(A_DIGEST, "calm")

    assert [digest.name for digest in store.digests.all()] == sorted(names, reverse=True)


def make_published(**said: Any) -> PublishedFile:
    return PublishedFile(fingerprint="1", digest="1", size=1, mtime=1)._replace(**said)


def test_each_output_folder_has_a_publication_that_replaces_the_one_before_it(
    store: Store,
) -> None:
    record = store.publications.record
    record("/one", PUBLICATION, {name: make_published() for name in "abc"})
    record("/two", PUBLICATION, {"a": make_published(size=2), "../b": make_published()})

    files = {HOSTILE: make_published(), "b": make_published(size=2, mtime=1_764_000_000_123_456)}
    record("/one", replace(PUBLICATION, entries=3), files)

    assert store.publications.get("/one") == replace(PUBLICATION, entries=3)
    assert store.publications.files("/one") == files
    assert store.publications.files("/two") == {"a": make_published(size=2)}
    assert store.publications.files("/three") == {}


def test_a_release_is_known_wherever_its_edition_was_made(store: Store) -> None:
    for folder, edition, released in (
        ("/one", "calm", NOW),
        ("/two", "calm", LATER),
        ("/", "", None),
    ):
        made = replace(PUBLICATION, edition=edition, released=released)
        store.publications.record(folder, made, {})
    read_release = store.publications.read_release
    assert (read_release("calm"), read_release("")) == (LATER, None)


# Entries


DRAFT = make_draft(
    "id",
    title=HOSTILE,
    summary=HOSTILE,
    link=A,
    authors=(Person(name=HOSTILE),),
    categories=("c",),
    published=datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    updated=datetime.max.replace(tzinfo=UTC),
    enclosures=(Enclosure(url=A),),
    origin=Origin(title="Other"),
    rank=3,
)


@cases(
    "before, first_seen",
    case("new", None, NOW),
    case("an edit", make_draft("id", title="Old", rank=3, published=DRAFT.published), NOW - DAY),
)
def test_all_of_a_draft_is_kept(
    before: NewEntry | None, first_seen: datetime, store: Store
) -> None:
    if before:
        keep(store, before, now=NOW - DAY)

    entry = keep_one(store, DRAFT)

    names = set(NewEntry.__struct_fields__) & set(Entry.__struct_fields__)
    assert {name: getattr(entry, name) for name in names} == {
        name: getattr(DRAFT, name) for name in names
    }
    assert (entry.number, entry.feed, entry.first_seen, entry.dated, entry.changed_at) == (
        *(1, "one", first_seen, DRAFT.published, NOW),
    )
    assert stored_digests(store) == {"id": DRAFT.digest}


def test_an_edit_changes_what_an_entry_says_and_not_where_it_stands(store: Store) -> None:
    before = keep_one(store, make_draft(title="Old", published=NOW - DAY, rank=3))

    kept = keep(store, edit := make_draft(title="New", published=LATER, rank=0), now=LATER)

    assert kept == Counts(edited=1)
    when: dict[str, Any] = dict.fromkeys(("published", "updated", "changed_at"), LATER)
    after = replace(before, title="New", digest=edit.digest, **when)
    assert store.entries.of_feeds(["one"]) == [after]


def test_an_entry_with_a_new_id_is_published_with_its_first(store: Store) -> None:
    before = keep_one(store, make_draft("a", title="A"))
    keep(store, make_draft("b", title="A"), former={"b": "a"}, now=LATER)
    keep(store, draft := make_draft("c", title="A"), former={"c": "b"}, now=LATER)

    (after,) = store.entries.of_feeds(["one"])

    assert after == replace(before, id="c", first_id="a", digest=draft.digest)
    assert (after.identity, listed_ids(store)) == (("one", "a"), {"c"})

    keep(store, draft := make_draft("a"), former={"a": "c"})
    assert store.entries.of_feeds(["one"]) == [replace(before, title=None, digest=draft.digest)]


def test_the_first_of_a_document_gets_the_highest_number(store: Store) -> None:
    kept = keep(store, make_draft("c"), make_draft("b"), make_draft("a"))
    more = keep(store, make_draft("e"), make_draft("d"), make_draft("a", title="New"))

    assert (kept, more) == (Counts(added=3), Counts(added=2, edited=1))
    assert numbers(store) == {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}


def test_one_feed_cannot_overwrite_anothers_entry(store: Store) -> None:
    one = keep_one(store, make_draft("1", title="One", raw="one"), feed="one")
    two = keep_one(store, make_draft("1", title="Two", raw="two"), feed="two")

    edited = keep_one(store, make_draft("1", title="New", raw="new"), feed="two", now=LATER)

    assert store.entries.of_feeds(["one", "two"]) == [one, edited]
    assert (edited.number, edited.title) == (two.number, "New")
    assert store.texts.read([1, 2]) == {1: Text(value="one"), 2: Text(value="new")}
    assert stored_digests(store) == {"1": one.digest}


def test_a_renamed_feed_takes_its_past_with_it(store: Store) -> None:
    entry = keep_one(store, make_draft(raw="text"))
    keep(store, make_draft("a"), picks=Picks.ONLY)
    keep(store, make_draft(), feed="other")
    store.attempt([make_feed()], NOW)
    feed = make_feed("new", url="https://new.example/")

    store.rename("one", feed)

    assert store.entries.of_feeds(["new"]) == [replace(entry, feed="new", first_key="one")]
    assert [*numbers(store, "new", picks=Picks.ONLY)] == ["a"]
    assert store.texts.read([1]) == {1: Text(value="text")}
    assert stored_digests(store, "new") == {entry.id: entry.digest}
    states = store.states()
    assert (states["new"].url, states["new"].attempted_at) == ("https://new.example/", NOW)
    assert states.keys() == {"new", "other"}


# Texts, and what they link to


@pytest.mark.parametrize("raw", ["", "\0" * 1000, "".join(map(chr, range(0x20, 0xD800)))], ids=len)
def test_a_text_comes_back_as_it_was_and_once_clean_only_so(raw: str, store: Store) -> None:
    clean = Text(value=raw, kind=TextKind.HTML)
    sent = Text(value=raw, base=A)
    keep(store, make_draft(raw="<script>", content=Html(raw), cleaning="1"))
    keep(store, make_draft(raw=sent), feed="two")
    assert store.texts.read_stored([1, 2, 3]) == {1: (clean, "1"), 2: (sent, "")}

    store.texts.put_clean({2: Html("clean")}, cleaning="2")
    assert store.texts.read([2]) == {2: Text(value="clean", kind=TextKind.HTML)}


def linking(entry_id: str = "1", *links: str, raw: str = "raw") -> NewEntry:
    return make_draft(
        entry_id, raw=raw, content=Html("clean"), cleaning="1", links=links, published=NOW
    )


def test_links_come_back_in_their_order_and_with_a_text_that_is_cleaned_later(
    store: Store,
) -> None:
    keep(store, linking("3", B, A), linking("2"), make_draft("1", raw="not cleaned yet"))

    assert store.texts.links([1, 2, 3, 99]) == {2: (), 3: (B, A)}
    store.texts.put_clean({1: Html(f'<a href="{A}">a</a>')}, cleaning="1")
    assert store.texts.links([1]) == {1: (A,)}


@cases(
    "edited, text, links",
    case("another text", linking("1", B, raw="new"), {"1": "clean"}, {1: (B,)}),
    case("a text not cleaned yet", make_draft("1", raw="new"), {"1": "new"}, {}),
    case("no text", make_draft("1"), {}, {}),
)
def test_an_edit_replaces_text_and_links(
    edited: NewEntry, text: dict[str, str], links: dict[int, tuple[str, ...]], store: Store
) -> None:
    keep(store, linking("1", A))

    keep(store, edited)

    assert (texts(store), store.texts.links([1])) == (text, links)


# Entries that a new feed had already


def first(number: int, **changes: object) -> NewEntry:
    """An entry of a new feed."""
    usual = {"title": "Title", "summary": f"Summary {number}", "raw": f"Text {number}"}
    return make_draft(str(number), **({"rank": number} | usual | changes))


FOUR = (first(0), first(1), first(2), first(3))


def test_what_is_held_back_waits_for_its_text_until_more_is_shown(store: Store) -> None:
    keep(store, *FOUR, shown=2)

    assert list(texts(store)) == ["1", "0"]
    assert stored_digests(store) == {draft.id: draft.digest for draft in FOUR}, "no news"
    assert keep(store, *FOUR, shown=4) == Counts(), "that is no edit"
    assert list(texts(store)) == ["3", "2", "1", "0"]


def test_an_edit_of_what_is_shown_does_not_wait(store: Store) -> None:
    keep(store, *FOUR, shown=2)

    again = replace(FOUR[1], rank=None, content=Html("clean"), cleaning="1", digest="ff")
    keep(store, again, shown=1, ids=tuple("0123"))

    assert texts(store) == {"0": "Text 0", "1": "clean"}


# What can be picked of feeds that show picks only: exactly what their documents list now


def test_a_feed_has_exactly_the_episodes_that_its_document_lists(store: Store) -> None:
    keep(store, make_draft("a"), feed="two", picks=Picks.ONLY)
    first = keep(store, make_draft("b"), make_draft("a", raw="text"), picks=Picks.ONLY)
    edited = make_draft("b", title="B")
    ids = "c", "b"
    second = keep(store, make_draft("c"), edited, ids=ids, now=LATER, picks=Picks.ONLY)

    b, _ = store.entries.of_feeds(["one"], picks=Picks.ONLY)
    assert (first, second) == (Counts(added=2), Counts(added=1, edited=1))
    assert [*numbers(store, picks=Picks.ONLY)] == ["b", "c"]
    assert (b.title, b.first_seen, b.changed_at) == ("B", NOW, LATER)
    assert (numbers(store), stored_digests(store)) == ({}, {})
    assert [*numbers(store, "two", picks=Picks.ONLY)] == ["a"]

    store.entries.drop_episodes(except_of=["two"])
    assert numbers(store, "one", "two", picks=Picks.ONLY) == {"a": 1}


# What goes


def retire(
    store: Store, *, age: timedelta = 9 * DAY, feeds: Iterable[str] = ("one", "two", "three")
) -> int:
    return store.retire(feeds, entries_before=NOW - age, texts_before=NOW - age)


def test_the_entries_of_a_feed_that_is_gone_are_forgotten_like_others(store: Store) -> None:
    keep(store, make_draft("a", published=NOW - 2 * DAY), feed="one")
    keep(store, make_draft("b", published=NOW - 2 * DAY), feed="two")

    gone = retire(store, age=DAY, feeds=("two",))

    assert gone == 1
    assert numbers(store, "one", "two") == {"b": 2}


def test_what_is_too_old_and_no_more_in_its_feed_is_forgotten(store: Store) -> None:
    ages = {"older": 3, "just": 2, "younger": 1}
    for name, age in ages.items():
        keep(store, make_draft(name, published=NOW - age * DAY, raw=name))
    keep(store, ids=())

    assert retire(store, age=2 * DAY) == 1
    assert set(texts(store)) == {"just", "younger"}


def test_a_text_goes_before_its_entry_and_comes_back_with_the_feed(store: Store) -> None:
    keep(store, draft := make_draft("a", published=NOW - 2 * DAY, raw="text"))
    keep(store, ids=())

    store.retire(["one"], entries_before=NOW - 9 * DAY, texts_before=NOW - DAY)

    assert (texts(store), stored_digests(store)) == ({}, {"a": ""})
    assert store.entries.of_feeds(["one"])[0].digest == "", "pages see another entry"
    keep(store, draft)
    assert texts(store) == {"a": "text"}


def test_what_its_feed_still_lists_is_kept_however_old_it_is(store: Store) -> None:
    names = "listed", "gone", "back"
    keep(store, *(make_draft(name, published=LONG_AGO, raw=name) for name in names))
    keep(store, ids=("listed",))
    keep(store, ids=("listed", "back"))

    assert retire(store) == 1
    assert set(texts(store)) == {"listed", "back"}


def test_a_number_is_never_used_again(folder: Path) -> None:
    with Store.open(folder) as store:
        keep(store, make_draft("a", published=LONG_AGO, raw="a"))
        keep(store, ids=())
        retire(store)
    with Store.open(folder) as store:
        again = keep_one(store, make_draft("a", raw="again"))

        assert again.number == 2
        assert store.texts.read([1, 2]) == {2: Text(value="again")}


# Accidents


def test_an_attempt_is_known_whatever_happens_then(folder: Path) -> None:
    known = make_state("two", due_at=NOW, status=200)
    with Store.open(folder) as store:
        store.keep(known)

    with suppress(KeyboardInterrupt), Store.open(folder) as store:
        store.attempt([make_feed("one")], NOW)
        store.attempt([make_feed("two", url="https://new.example/")], LATER)
        raise KeyboardInterrupt

    with Store.open(folder) as store:
        states = store.states()
        store.keep(make_state(attempted_at=NOW, settled_at=NOW))
        settled = store.states()["one"]
    two = replace(known, attempted_at=LATER)
    assert states == {"one": make_state("one", attempted_at=NOW), "two": two}
    assert all(state.interrupted for state in states.values())
    assert not settled.interrupted


def test_a_wave_of_attempts_is_one_commit_which_is_on_the_disk(folder: Path) -> None:
    statements: list[str] = []
    with Store.open(folder) as store:
        connection = store._connection
        connection.set_trace_callback(statements.append)

        store.attempt([make_feed("one"), make_feed("two")], NOW)

        connection.set_trace_callback(None)
        (mode,) = connection.execute("PRAGMA synchronous").fetchone()

    full = statements.index("PRAGMA synchronous = FULL")
    begin, commit = statements.index("BEGIN IMMEDIATE"), statements.index("COMMIT")
    assert full < begin < commit
    assert sum(sql.startswith("INSERT INTO feed") for sql in statements[begin:commit]) == 2
    assert mode == 1  # NORMAL: what comes of it waits for no disk


def make_known(folder: Path) -> tuple[list[Entry], int]:
    with Store.open(folder) as store:
        keep(store, make_draft("known", raw="old"))
        store.keep(make_state(status=304))
        return store.entries.of_feeds(["one"]), store.generation


def die(_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def run_until_killed(folder: Path) -> None:
    """Come to an end in the middle of a reading, at the text of its last entry."""
    with pytest.MonkeyPatch.context() as patch, Store.open(folder) as store:
        store.attempt([make_feed()], LATER)
        patch.setattr("planet.store.entries.pack", die)
        drafts = make_draft("broken", raw="x"), make_draft("known", title="New")
        keep(store, *drafts, make_draft("new"), now=LATER)


def test_a_killed_run_leaves_what_was_known_and_nobody_locked_out(folder: Path) -> None:
    known, generation = make_known(folder)
    killed = multiprocessing.get_context("spawn").Process(target=run_until_killed, args=[folder])

    killed.start()
    killed.join(PATIENCE)

    assert killed.exitcode == -signal.SIGKILL
    with Store.open(folder) as store:
        assert (store.entries.of_feeds(["one"]), store.generation) == (known, generation)
        assert store.texts.read([1, 2, 3]) == {1: Text(value="old")}
        assert store.states() == {"one": make_state(status=304, attempted_at=LATER)}


def test_what_breaks_off_is_kept_whole_or_not_at_all(folder: Path) -> None:
    known, generation = make_known(folder)
    drafts = make_draft("broken", title="\ud800"), make_draft("known", title="New", raw="new")

    with Store.open(folder) as store:
        with pytest.raises(UnicodeEncodeError):
            keep(store, *drafts, make_draft("new", raw="new"), now=LATER)
        # The store goes on working.
        assert keep(store, make_draft("later"), feed="two") == Counts(added=1)

    with Store.open(folder) as store:
        assert (store.entries.of_feeds(["one"]), store.generation) == (known, generation + 1)
        assert store.texts.read([1, 2, 3]) == {1: Text(value="old")}
        assert store.states()["one"] == make_state(status=304)


def test_a_lock_that_goes_in_a_moment_is_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stack:
        stack.enter_context(Store.open(folder))
        monkeypatch.setattr("time.sleep", lambda _: stack.close())

        with Store.open(folder) as store:
            assert store.states() == {}


def test_a_second_run_is_kept_out_until_the_first_has_ended(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_FEW_TRIES", 1)

    words = f"^another run is using the state folder {folder}\n"
    with Store.open(folder), pytest.raises(StateError, match=words), Store.open(folder):
        pass
    with pytest.raises(RuntimeError), Store.open(folder):
        raise RuntimeError

    with Store.open(folder) as store:
        assert store.generation == 0
    assert sorted(path.name for path in folder.iterdir()) == ["lock", "planet.sqlite"]


def test_who_may_not_write_can_look_in_peace(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_known(folder)
    before = sorted(path.name for path in folder.iterdir())
    monkeypatch.setattr(os, "access", lambda path, mode: False)

    with Store.look(folder) as store:
        during = sorted(path.name for path in folder.iterdir())
        known = [*numbers(store)]

    assert (known, during) == (["known"], before)


def test_who_looks_sees_one_moment_while_a_run_goes_on(store: Store, folder: Path) -> None:
    keep(store, make_draft("a"))

    with Store.look(folder) as looking:
        before = numbers(looking)
        keep(store, make_draft("b"))
        during = numbers(looking)

    assert (before, during, [*numbers(store)]) == ({"a": 1}, {"a": 1}, ["a", "b"])


def test_without_a_store_nothing_is_known_and_none_is_made(folder: Path) -> None:
    with Store.look(folder) as store:
        assert store.states() == {}

    assert not folder.exists()


def test_a_newer_state_is_not_even_looked_at_and_left_as_it_was(folder: Path) -> None:
    with Store.open(folder):
        pass
    tamper(folder, "PRAGMA user_version = 1000")
    before = (folder / "planet.sqlite").read_bytes()

    words = "cannot be used: it was written by a newer Planet .*\nUpdate Planet, or choose"
    for opened in (Store.look, Store.open):
        with pytest.raises(StateError, match=words), opened(folder):
            pass

    assert (folder / "planet.sqlite").read_bytes() == before


@cases(
    "harm, words",
    case("no packed text", "UPDATE site SET body = x'00ff'", "a row in it is damaged"),
    case("no such moment", "UPDATE planet SET believed = '1'", "a row in it is damaged"),
    case("no text", "UPDATE digest SET value = x'ff00'", "a row in it is damaged"),
    case(
        "no name of a digest",
        "UPDATE digest SET value = json_set(value, '$.name', '../x')",
        "a row in it is damaged",
    ),
    case(
        "a moment with which nothing can be reckoned",
        "UPDATE feed SET value = json_set(value, '$.due_at', '9999-12-31T23:59:59Z')",
        "a row in it is damaged",
    ),
    case("no such table", "DROP TABLE digest", "no such table: digest"),
)
def test_a_fault_of_the_file_is_told_in_words(harm: str, words: str, folder: Path) -> None:
    with Store.open(folder) as store:
        store.keep(make_state())
        store.digests.keep(A_DIGEST)
        store.publications.record("/public", PUBLICATION, {})
        store.believe(NOW)
    tamper(folder, harm)

    def read() -> None:
        with Store.open(folder) as store:
            store.states()
            store.digests.all()
            store.publications.files("/public")
            assert store.believed

    words = rf"planet\.sqlite cannot be used: {words}\nPut a backup of it in its place"
    with pytest.raises(StateError, match=words):
        read()


# Numbered steps of SQL lead from the tables of an older Planet to those of this one

STEPS = (
    "CREATE TABLE tea (name TEXT); INSERT INTO tea VALUES ('green')",
    "ALTER TABLE tea ADD COLUMN cups INTEGER DEFAULT 2; CREATE TABLE cake (name TEXT)",
    "INSERT INTO cake SELECT name || ' and cake' FROM tea",
)


@pytest.fixture
def older() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection, STEPS[:1])
        yield connection


def test_an_older_state_goes_through_each_step_once(older: sqlite3.Connection) -> None:
    migrate(older, STEPS)
    migrate(older, STEPS)

    assert older.execute("SELECT name, cups FROM tea").fetchall() == [("green", 2)]
    assert older.execute("SELECT name FROM cake").fetchall() == [("green and cake",)]
    assert version_of(older) == 3


def test_a_step_that_fails_leaves_the_state_as_it_was(older: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.OperationalError):
        migrate(older, (STEPS[0], f"{STEPS[1]}; INSERT INTO nowhere VALUES (1)"))
    older.rollback()

    assert older.execute("SELECT name FROM sqlite_schema").fetchall() == [("tea",)]
    assert version_of(older) == 1


def test_feeds_of_the_first_version_are_understood(tmp_path: Path) -> None:
    said = '{"key": "one", "url": "https://one.example/feed", "due_reason": "expires"}'
    with closing(sqlite3.connect(tmp_path / "planet.sqlite", isolation_level=None)) as older:
        migrate(older, schema.STEPS[:1])
        older.execute("INSERT INTO feed (key, value) VALUES ('one', ?)", (said,))

    with Store.open(tmp_path) as store:
        assert store.states()["one"].due_reason == "max_age"
