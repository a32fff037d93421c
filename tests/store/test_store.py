"""What is known ⇄ disk: whole, exact, and there after whatever happens."""

import multiprocessing
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from itertools import count
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo, fields, replace

from planet import model
from planet.errors import StateError
from planet.model import (
    Counts,
    Day,
    Digest,
    DigestItem,
    DigestSection,
    Entry,
    Feed,
    FeedState,
    Health,
    Hints,
    HostState,
    Html,
    Lifetime,
    Moved,
    NewEntry,
    ParseResult,
    Profile,
    Text,
)
from planet.store import Publication, PublishedFile, Store, locks
from planet.store.database import migrate, open_exclusive, version_of
from planet.store.schema import VERSION
from planet.store.texts import clean_text
from tests.builders import NOW, make_draft, make_feed, make_profile, make_reading, make_state
from tests.cases import case, cases
from tests.stored import keep_reading, listed_ids, stored_digests

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
LATER = NOW + HOUR
LONG_AGO = NOW - 1000 * DAY
MOMENTS = ("published", "updated", "changed_at")

HOSTILE = "ä \U0001f600 e\u0301 \u202e ' \" \\ \0 \x1b \ufffe <b>&amp; \r\n\t end"


A_DIGEST = Digest(
    name="2026-11-20",
    due_at=NOW - timedelta(hours=6),
    made_at=NOW,
    since=NOW - timedelta(days=1, microseconds=1),
    sections=(DigestSection(source="One", items=(DigestItem(uid="urn:1", heading="First"),)),),
)


def keep(
    store: Store,
    *drafts: NewEntry,
    feed: str = "one",
    now: datetime = NOW,
    former: Mapping[str, str] = MappingProxyType({}),
    **reading: Any,
) -> Counts:
    result = make_reading(*drafts, **reading)
    return keep_reading(store, make_state(feed), result, now=now, former=former)


def keep_one(store: Store, draft: NewEntry, **said: Any) -> Entry:
    """The entry that comes of a draft, the last of its feed."""
    keep(store, draft, **said)
    return store.entries.of_feeds([said.get("feed", "one")])[-1]


def numbers(store: Store, *feeds: str) -> dict[str, int]:
    return {entry.id: entry.number for entry in store.entries.of_feeds(feeds or ("one",))}


# Whole nouns: every field has a value that is not its default, so that none can be forgotten


_COUNT = count(1)
ADDRESSES = {"url", "comments", "image", "chapters", "page", "in_reply_to", "link"}
_NAMES = {**vars(model), "datetime": datetime, "timedelta": timedelta}


def filled(kind: Any, name: str = "") -> Any:
    """A value of a type that is no default: nouns are filled in all their fields."""
    number = next(_COUNT)
    if get_origin(kind) in (Union, UnionType):
        return filled(get_args(kind)[0], name)
    if get_origin(kind) is tuple:
        return (filled(get_args(kind)[0], name), filled(get_args(kind)[0], name))
    if get_origin(kind) is frozenset:
        return frozenset({filled(get_args(kind)[0], name), filled(get_args(kind)[0], name)})
    if kind is Day:
        return Day(*(next(_COUNT) for _ in Day._fields))
    if isinstance(kind, type) and issubclass(kind, Struct):
        make: Any = kind
        hints = get_type_hints(kind, localns=_NAMES)
        return make(**{each.name: filled(hints[each.name], each.name) for each in fields(kind)})
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return list(kind)[-1]
    # Addresses that are none of the web do not come back.
    web = "https://x.example/" if name in ADDRESSES else ""
    simple: Mapping[Any, Any] = {
        str: f"{web}{name} {number} {HOSTILE}",
        Html: f"<p>{name} {number} {HOSTILE}</p>",
        int: number,
        bool: True,
        datetime: NOW - timedelta(days=number, microseconds=number),
        timedelta: timedelta(hours=number, microseconds=number),
    }
    return simple[kind]


def default(field: FieldInfo) -> Any:
    return None if field.default is NODEFAULT else field.default


def make_full_draft() -> NewEntry:
    full: NewEntry = filled(NewEntry)
    return replace(full, digest="00ff7f")


@pytest.mark.parametrize(
    "noun", [NewEntry, Profile, FeedState, Lifetime, Moved, Health, HostState, Digest]
)
def test_a_filled_noun_has_no_default_left(noun: Any) -> None:
    full = filled(noun)

    assert not [each.name for each in fields(noun) if getattr(full, each.name) == default(each)]


@cases(
    "before",
    case("new", None),
    case("an edit of next to nothing", make_draft("id")),
    case("an edit of everything", replace(make_full_draft(), id="id", digest="ee")),
)
@cases(
    "draft",
    case("everything", replace(make_full_draft(), id="id")),
    case("next to nothing", make_draft("id", raw="")),
)
def test_all_of_a_draft_is_kept(draft: NewEntry, before: NewEntry | None, store: Store) -> None:
    if before:
        keep(store, before, now=NOW - DAY)
    first = replace(before, published=before.published or NOW - DAY) if before else draft

    entry = keep_one(store, draft)

    said = set(NewEntry.__struct_fields__)
    not_told = {"content", "raw", "cleaning", "links"}
    expected = {name: getattr(draft, name) for name in said - not_told}
    if before:  # when it was edited: see below
        expected["updated"] = entry.updated
    assert entry == Entry(
        number=1,
        feed="one",
        first_seen=NOW - DAY if before else NOW,
        changed_at=NOW,
        dated=first.published or NOW,
        **expected | {"rank": first.rank},
    )
    text, cleaning = store.texts.read_stored([1])[1]
    assert text == (draft.raw if draft.content is None else clean_text(draft.content))
    assert cleaning == (draft.cleaning or "")
    assert stored_digests(store) == {"id": draft.digest}


PUBLICATION = Publication(config_hash="1", listed="2", generation=1, entries=1)
PROFILES = make_profile(explicit=False), make_profile(hints=Hints(ttl=HOUR))


@cases(
    "table, noun",
    case("all of a feed", "feeds", replace(filled(FeedState), key="one")),
    case("nothing of a feed", "feeds", make_state()),
    case("a profile that denies something", "feeds", make_state(profile=PROFILES[0])),
    case("a hint of one kind", "feeds", make_state(profile=PROFILES[1])),
    case("a day of nothing", "feeds", make_state(health=Health(days=(Day(number=20_000),)))),
    case("all of a server", "hosts", filled(HostState)),
    case("nothing of a server", "hosts", HostState(host="one.example:443")),
    case("all of a digest", "digests", replace(filled(Digest), name="2026-11-20")),
    case("all of a publication", "publications", filled(Publication)),
    case("a publication for ever", "publications", PUBLICATION),
)
def test_a_noun_is_kept_whole_in_the_place_of_the_one_before_it(
    table: str, noun: Any, folder: Path
) -> None:
    with Store.open(folder) as store:
        records = getattr(store, table)
        records.put({"one": filled_like(noun), "two": noun})
        records.put({"one": noun})

    with Store.open(folder) as store:
        assert getattr(store, table).read() == {"one": noun, "two": noun}


def filled_like(noun: Any) -> Any:
    """Another noun of the same kind, in which nothing is missing."""
    full = filled(type(noun))
    return replace(full, name="2025-01-01") if isinstance(noun, Digest) else full


@cases(
    "moment",
    case("with microseconds", datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)),
    case("before 1970", datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)),
    case("at the beginning of dates", datetime(1, 1, 1, tzinfo=UTC)),
    case("at their end", datetime.max.replace(tzinfo=UTC)),
    case("in another zone", datetime(2026, 1, 2, 3, tzinfo=timezone(5.75 * HOUR))),
)
def test_a_moment_is_kept_exactly(moment: datetime, store: Store) -> None:
    entry = keep_one(store, make_draft(published=moment, updated=moment), now=moment)

    assert {getattr(entry, name) for name in ("first_seen", "dated", *MOMENTS)} == {moment}
    assert entry.dated.tzinfo is UTC


# Texts


@pytest.mark.parametrize("raw", ["", "\0" * 1000, "".join(map(chr, range(0x20, 0xD800)))], ids=len)
def test_a_text_comes_back_as_it_was(raw: str, store: Store) -> None:
    keep(store, make_draft(raw="as sent", content=Html(raw), cleaning="1"))
    keep(store, make_draft(raw=raw), feed="two")

    assert store.texts.read([1, 2]) == {1: clean_text(Html(raw)), 2: Text(value=raw)}


def test_an_edit_without_a_text_removes_the_old_one(store: Store) -> None:
    keep(store, make_draft(raw="old", content=Html("old"), cleaning="1"))

    keep(store, make_draft(title="new"))

    assert store.texts.read([1]) == {}


# Entries


def test_an_edit_changes_what_an_entry_says_and_not_where_it_stands(store: Store) -> None:
    before = keep_one(store, make_draft(title="Old", published=NOW - DAY, rank=3))

    kept = keep(store, edit := make_draft(title="New", published=LATER, rank=0), now=LATER)

    assert kept == Counts(edited=1)
    when: dict[str, Any] = dict.fromkeys(MOMENTS, LATER)
    assert store.entries.of_feeds(["one"]) == [
        replace(before, title="New", digest=edit.digest, **when)
    ]


def test_an_entry_with_a_new_id_is_published_with_its_first(store: Store) -> None:
    before = keep_one(store, make_draft("a", title="A"))
    keep(store, make_draft("b", title="A"), former={"b": "a"}, now=LATER)
    keep(store, draft := make_draft("c", title="A"), former={"c": "b"}, now=LATER)

    (after,) = store.entries.of_feeds(["one"])

    assert after == replace(before, id="c", first_id="a", digest=draft.digest)
    assert (after.identity, listed_ids(store)) == (("one", "a"), {"c"})


def test_an_entry_that_gets_its_first_id_back_has_no_other(store: Store) -> None:
    before = keep_one(store, make_draft("a"))
    keep(store, make_draft("b"), former={"b": "a"})
    keep(store, draft := make_draft("a"), former={"a": "b"})

    assert store.entries.of_feeds(["one"]) == [replace(before, digest=draft.digest)]


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


# What goes


def retire(
    store: Store,
    *,
    entries: datetime = NOW - 9 * DAY,
    texts: datetime = NOW - 9 * DAY,
    feeds: tuple[str, ...] = ("one", "two", "three"),
) -> int:
    return store.retire(feeds, entries_before=entries, texts_before=texts)


def test_the_entries_of_a_feed_that_is_gone_are_forgotten_like_others(store: Store) -> None:
    keep(store, make_draft("a", published=NOW - 2 * DAY), feed="one")
    keep(store, make_draft("b", published=NOW - 2 * DAY), feed="two")

    gone = retire(store, entries=NOW - DAY, feeds=("two",))

    assert gone == 1
    assert list(numbers(store, "one")) == []


def test_what_is_too_old_and_no_more_in_its_feed_is_forgotten(store: Store) -> None:
    ages = {"older": 3, "just": 2, "younger": 1}
    for name, age in ages.items():
        keep(store, make_draft(name, published=NOW - age * DAY, raw=name))
    keep(store, ids=())
    known = numbers(store)

    gone = retire(store, entries=NOW - 2 * DAY, texts=NOW - 2 * DAY)

    assert gone == 1
    assert set(numbers(store)) == {"just", "younger"}
    assert set(store.texts.read(list(known.values()))) == {known["just"], known["younger"]}


def test_what_its_feed_still_lists_is_kept_however_old_it_is(store: Store) -> None:
    keep(
        store,
        *(make_draft(name, published=LONG_AGO, raw=name) for name in ("listed", "gone", "back")),
    )
    keep(store, ids=("listed",))
    keep(store, ids=("listed", "back"))

    assert retire(store) == 1
    assert set(numbers(store)) == {"listed", "back"}
    assert len(store.texts.read(list(numbers(store).values()))) == 2


def test_a_number_is_never_used_again(folder: Path) -> None:
    with Store.open(folder) as store:
        keep(store, make_draft("a", published=LONG_AGO, raw="a"))
        keep(store, ids=())
        retire(store)
    with Store.open(folder) as store:
        again = keep_one(store, make_draft("a", raw="again"))

        assert again.number == 2
        assert store.texts.read([1, 2]) == {2: Text(value="again")}


def test_a_renamed_feed_takes_its_past_with_it(store: Store) -> None:
    entry = keep_one(store, make_draft(raw="text"))
    keep(store, make_draft(), feed="other")
    store.attempt([make_feed()], NOW)
    feed = make_feed("new", url="https://new.example/")

    store.rename("one", feed)

    assert store.entries.of_feeds(["new"]) == [replace(entry, feed="new", first_key="one")]
    assert stored_digests(store, "new") == {entry.id: entry.digest}
    assert store.states() == {
        "new": make_state("new", url="https://new.example/", attempted_at=NOW),
        "other": make_state("other"),
    }


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
    two = replace(known, attempted_at=LATER)
    assert states == {"one": make_state("one", attempted_at=NOW), "two": two}
    assert all(state.interrupted for state in states.values())


@cases(
    "feeds, synced",
    case("servers", [make_feed("one"), make_feed("two")], True),
    case("a file and a server", [make_feed("one", url="file:///a.xml"), make_feed("two")], True),
    case("files", [make_feed("one", url="file:///a.xml")], False),
)
def test_a_wave_of_attempts_is_one_commit_which_is_on_the_disk_for(
    feeds: list[Feed], synced: bool, folder: Path
) -> None:
    statements: list[str] = []
    with open_exclusive(folder) as connection:
        store = Store(connection)
        connection.set_trace_callback(statements.append)

        store.attempt(feeds, NOW)
        store.keep(make_state("one"))

        connection.set_trace_callback(None)
        (mode,) = connection.execute("PRAGMA synchronous").fetchone()

    words = [statement.partition("(")[0].strip() for statement in statements]
    full, wave = "PRAGMA synchronous = FULL", "INSERT INTO feed"
    assert (full in words) is synced
    start = words.index(full) if synced else 0
    inside = words[start : words.index("COMMIT", start) + 1] if synced else []
    assert inside == ([full, "BEGIN IMMEDIATE", wave, "COMMIT"] if synced else [])
    assert mode == 1  # NORMAL: what comes of it waits for no disk


def test_what_is_kept_after_an_attempt_settles_it(store: Store) -> None:
    store.attempt([make_feed()], NOW)
    store.keep(make_state(attempted_at=NOW, settled_at=NOW))

    assert not store.states()["one"].interrupted


class LastWords(str):
    """A text on which the program comes to its end."""

    __slots__ = ()

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError(encoding, errors)


def broken_off(*, content: str = "", title: str | None = None) -> ParseResult:
    """A reading with a new entry and an edit, and then an entry on which something breaks."""
    return make_reading(
        make_draft("broken", raw="x", content=Html(content), title=title),
        make_draft("known", title="New", raw="new"),
        make_draft("new", raw="new"),
        profile=make_profile(title="New"),
    )


def run_until_killed(folder: Path) -> None:
    with Store.open(folder) as store:
        store.attempt([make_feed()], LATER)
        last = broken_off(content=LastWords("last"))
        keep_reading(store, make_state(status=200), last, now=LATER, shows=True)


def make_known(folder: Path) -> tuple[list[Entry], int]:
    with Store.open(folder) as store:
        keep(store, make_draft("known", raw="old"))
        store.keep(make_state(status=304))
        return store.entries.of_feeds(["one"]), store.generation


def test_a_killed_run_leaves_what_was_known_and_nobody_locked_out(folder: Path) -> None:
    entries, generation = make_known(folder)
    killed = multiprocessing.get_context("spawn").Process(target=run_until_killed, args=[folder])

    killed.start()
    killed.join(60)

    assert killed.exitcode == -signal.SIGKILL
    with Store.open(folder) as store:
        assert (store.entries.of_feeds(["one"]), store.generation) == (entries, generation)
        assert store.texts.read([1, 2, 3]) == {1: Text(value="old")}
        assert store.states() == {"one": make_state(status=304, attempted_at=LATER)}


def test_what_breaks_off_is_kept_whole_or_not_at_all(folder: Path) -> None:
    entries, generation = make_known(folder)
    reading = broken_off(title="\ud800")

    with Store.open(folder) as store:
        with pytest.raises(UnicodeEncodeError):
            keep_reading(store, make_state(status=200), reading, now=LATER, shows=True)
        # The store goes on working.
        assert keep(store, make_draft("later"), feed="two") == Counts(added=1)

    with Store.open(folder) as store:
        assert (store.entries.of_feeds(["one"]), store.generation) == (entries, generation + 1)
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
    monkeypatch.setattr(locks, "_FEW_TRIES", 1)

    with Store.open(folder), pytest.raises(StateError) as caught, Store.open(folder):
        pass
    with Store.open(folder):
        pass

    assert str(caught.value).splitlines()[0] == f"another run is using the state folder {folder}"
    assert caught.value.exit_code == 5


def test_a_run_that_raised_locks_nobody_out(folder: Path) -> None:
    with pytest.raises(RuntimeError), Store.open(folder):
        raise RuntimeError

    with Store.open(folder) as store:
        assert store.generation == 0
    assert sorted(path.name for path in folder.iterdir()) == ["lock", "planet.sqlite"]


def of_version(folder: Path, version: int) -> None:
    with Store.open(folder):
        pass
    with closing(sqlite3.connect(folder / "planet.sqlite")) as connection:
        connection.execute(f"PRAGMA user_version = {version}")


@cases(
    "damage, words",
    case(
        "it is a folder",
        lambda folder: (folder / "planet.sqlite").mkdir(parents=True),
        "{folder}/planet.sqlite cannot be used: unable to open database file",
    ),
    case(
        "its lock is a folder",
        lambda folder: (folder / "lock").mkdir(parents=True),
        "the state folder {folder} cannot be written: Is a directory",
    ),
)
def test_no_state_is_used_if(damage: Callable[[Path], object], words: str, folder: Path) -> None:
    damage(folder)

    with pytest.raises(StateError) as caught, Store.open(folder) as store:
        store.states()

    assert str(caught.value).startswith(words.format(folder=folder))


def test_who_may_not_write_can_look_in_peace(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_known(folder)
    before = sorted(path.name for path in folder.iterdir())
    monkeypatch.setattr("planet.store.database.os.access", lambda path, mode: False)

    with Store.look(folder) as store:
        during = sorted(path.name for path in folder.iterdir())
        known = [entry.id for entry in store.entries.of_feeds(["one"])]

    assert (known != [], during) == (True, before)


def test_who_looks_sees_one_moment_while_a_run_goes_on(store: Store, folder: Path) -> None:
    keep(store, make_draft("a"))

    with Store.look(folder) as looking:
        before = numbers(looking)
        keep(store, make_draft("b"))
        during = numbers(looking)

    assert (before, during, [*numbers(store)]) == ({"a": 1}, {"a": 1}, ["a", "b"])


def test_a_newer_state_is_not_even_looked_at_and_left_as_it_was(folder: Path) -> None:
    of_version(folder, 1000)
    before = (folder / "planet.sqlite").read_bytes()

    for opened in (Store.look, Store.open):
        with pytest.raises(StateError) as caught, opened(folder):
            pass
        assert str(caught.value) == (
            f"{folder}/planet.sqlite cannot be used: it was written by a newer Planet (its version "
            f"is 1000, this one knows {VERSION})\n"
            "Update Planet, or choose another folder (state in the config, or --state)."
        )

    assert (folder / "planet.sqlite").read_bytes() == before


def test_damage_that_shows_while_a_run_goes_on_ends_it_in_words(folder: Path) -> None:
    def run() -> None:
        with Store.open(folder) as store:
            with closing(sqlite3.connect(folder / "planet.sqlite")) as other:
                other.execute("DROP TABLE entry")
            store.texts.read([1])

    with pytest.raises(StateError, match="cannot be used: its tables are of another Planet"):
        run()


# Digests


def test_digests_come_the_newest_first(store: Store) -> None:
    names = ["2026-11-20", "2025-12-31", "2026-11-21"]
    for name in names:
        store.digests.keep(replace(A_DIGEST, name=name))

    assert [digest.name for digest in store.digests.all()] == sorted(names, reverse=True)


def test_a_digest_is_never_replaced(folder: Path) -> None:
    with Store.open(folder) as store:
        store.digests.keep(A_DIGEST)

    words = r"UNIQUE constraint failed: digest\.key"
    with pytest.raises(StateError, match=words), Store.open(folder) as store:
        store.digests.keep(replace(A_DIGEST, sections=()))

    with Store.open(folder) as store:
        assert store.digests.all() == (A_DIGEST,)


@cases(
    "harm",
    case("no packed text", "UPDATE site SET body = x'00ff'"),
    case("no such moment", "UPDATE planet SET believed = 4611686018427387904"),
    case("no name of a digest", "UPDATE digest SET value = json_set(value, '$.name', '../x')"),
    case(
        "a moment with which nothing can be reckoned",
        "UPDATE feed SET value = json_set(value, '$.due_at', '9999-12-31T23:59:59Z')",
    ),
)
def test_a_row_that_is_damaged_is_told_in_words(harm: str, folder: Path) -> None:
    with Store.open(folder) as store:
        store.keep(make_state())
        store.digests.keep(A_DIGEST)
        store.publications.record("/public", PUBLICATION, {})
        store.believe(NOW)
    with closing(sqlite3.connect(folder / "planet.sqlite")) as other, other:
        other.execute(harm)

    def read() -> None:
        with Store.open(folder) as store:
            store.states()
            store.digests.all()
            store.publications.files("/public")
            assert store.believed

    with pytest.raises(StateError, match=r"planet\.sqlite cannot be used: a row in it is damaged"):
        read()


# Publications


def make_publication(**said: Any) -> Publication:
    return replace(PUBLICATION, **said)


def make_published(**said: Any) -> PublishedFile:
    return PublishedFile(fingerprint="1", digest="1", size=1, mtime=1)._replace(**said)


def test_each_output_folder_has_a_publication_that_replaces_the_one_before_it(
    store: Store,
) -> None:
    record = store.publications.record
    record("/one", make_publication(entries=1), {name: make_published() for name in "abc"})
    record("/two", make_publication(entries=2), {"a": make_published(size=2)})

    files = {HOSTILE: make_published(), "b": make_published(size=2, mtime=1_764_000_000_123_456)}
    record("/one", make_publication(entries=3), files)

    found = {
        output: (store.publications.get(output), store.publications.files(output))
        for output in ("/one", "/two", "/three")
    }
    assert found == {
        "/one": (make_publication(entries=3), files),
        "/two": (make_publication(entries=2), {"a": make_published(size=2)}),
        "/three": (None, {}),
    }


def test_a_release_is_known_wherever_its_edition_was_made(store: Store) -> None:
    record, read_release = store.publications.record, store.publications.read_release
    record("/one", make_publication(edition="calm", released=NOW), {})
    record("/two", make_publication(edition="calm", released=LATER), {})
    record("/all", make_publication(), {})
    assert (read_release("calm"), read_release("")) == (LATER, None)

    store.correct(NOW)
    assert read_release("calm") is None


def test_a_publication_is_recorded_whole_or_not_at_all(store: Store) -> None:
    before = {"a": make_published()}
    store.publications.record("/public", make_publication(), before)

    files = {"b": make_published(), "\ud800": make_published()}
    with pytest.raises(UnicodeEncodeError):
        store.publications.record("/public", make_publication(entries=9), files)

    assert store.publications.get("/public") == make_publication()
    assert store.publications.files("/public") == before


# An older state gets the tables of this Planet by numbered steps of SQL, or stays as it was

STEPS = {
    1: "ALTER TABLE tea ADD COLUMN cups INTEGER DEFAULT 2; CREATE TABLE cake (name TEXT)",
    2: "INSERT INTO cake SELECT name || ' and cake' FROM tea",
}


@pytest.fixture
def older() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript("CREATE TABLE tea (name TEXT); INSERT INTO tea VALUES ('green')")
        connection.execute("PRAGMA user_version = 1")
        yield connection


def test_an_older_state_goes_through_each_step_once(older: sqlite3.Connection) -> None:
    migrate(older, STEPS)
    migrate(older, STEPS)

    assert older.execute("SELECT name, cups FROM tea").fetchall() == [("green", 2)]
    assert older.execute("SELECT name FROM cake").fetchall() == [("green and cake",)]
    assert version_of(older) == 3


def test_a_step_that_fails_leaves_the_state_as_it_was(older: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.OperationalError):
        migrate(older, STEPS | {2: "INSERT INTO nowhere VALUES (1)"})

    assert older.execute("SELECT name FROM sqlite_schema").fetchall() == [("tea",)]
    assert version_of(older) == 1
