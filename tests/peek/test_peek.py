"""`planet peek`, and `planet.read_feed`, which share a cache."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from planet.api import read_feed
from planet.errors import StateError, UsageError
from planet.model import Html
from planet.peek.peek import FetchedFeed, Peek, open_cache, peek
from planet.store import Store, locks
from tests.builders import make_feed
from tests.cases import case, cases
from tests.server import Response, Server
from tests.whole.conftest import NOON, call, rss


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder, with the commands called in an empty one beside it."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "planet"


def peeked(*names: str, after: timedelta = timedelta(0)) -> Sequence[Peek]:
    """What a call brings, so long after noon."""
    with open_cache(None, lambda: NOON + after) as run:
        return list(peek(names, run=run))


def test_entries_are_printed_newest_first_without_a_config(server: Server, cache: Path) -> None:
    one = server.feed("/one", rss("a", "b", "c", name="One"))
    two = server.feed("/two", rss("d", name="Two"))

    code, out, err = call("peek", one, two)

    assert (code, err) == (0, "")
    assert sorted(out.splitlines()) == ["One: a", "One: b", "One: c", "Two: d"]
    assert (cache / "planet.sqlite").is_file()


def test_within_the_hour_nobody_is_asked_again(server: Server) -> None:
    url = server.feed("/one", rss("a", name="One"), etag='"1"')

    call("peek", url)
    code, out, err = call("peek", url)

    assert (code, out, len(server.requests)) == (0, "One: a\n", 1)
    assert err.startswith(f"{url}: not asked until ")
    assert err.endswith("; this is from the cache\n")


def test_after_an_hour_a_feed_is_asked_whether_there_is_anything_new(server: Server) -> None:
    url = server.feed("/one", rss("a"), etag='"1"')

    (first,) = peeked(url)
    (again,) = peeked(url, after=timedelta(hours=1, minutes=20))

    assert server.etags == [None, '"1"']
    assert isinstance(first.result, FetchedFeed)
    assert isinstance(again.result, FetchedFeed)
    assert again.result == replace(first.result, status=304, headers=again.result.headers)
    assert again.result.asked


def test_a_feed_whose_server_is_to_be_left_alone_comes_from_the_cache(server: Server) -> None:
    busy = server.script("/busy", Response(status=429))
    well = server.feed("/well", rss("a"))
    peeked(well)

    found = peeked(busy, well, after=timedelta(days=2))

    assert server.paths == ["/well", "/busy"]
    (told,) = [each.result for each in found if isinstance(each.result, FetchedFeed)]
    assert ([entry.title for entry in told.entries], told.asked) == (["a"], False)


def test_a_feed_that_fails_is_told_and_stops_no_other(server: Server) -> None:
    ill = server.script("/ill?key=secret", Response(status=500))
    well = server.feed("/well", rss("a", name="Well"))
    page = server.feed("/page", b"<!doctype html><title>A page</title>")

    for _ in range(2):
        code, out, err = call("peek", ill, well, page)
        assert (code, out) == (3, "Well: a\n")
        assert (f"{server.url('/ill?key=…')}: " in err, f"{page}: " in err) == (True, True)
        assert "secret" not in err
    assert len(server.requests) == 3


def test_an_address_may_hold_any_unicode(server: Server) -> None:
    server.feed("/caf%C3%A9/%E8%8C%B6?q=%F0%9F%8D%B5", rss("a"))

    feed = read_feed(server.url("/café/茶?q=🍵"))

    assert [entry.title for entry in feed.entries] == ["a"]


def test_after_a_killed_call_nobody_is_asked_at_once(server: Server, cache: Path) -> None:
    url = server.feed("/one", rss("a"))
    feed = make_feed(url, url=url)
    with Store.open(cache) as store:
        store.attempt([feed], NOON)

    (found,) = peeked(url)

    assert server.requests == []
    assert (
        str(found.result)
        == "127.0.0.1 is not to be asked yet, and nothing of this feed is in the cache"
    )


def test_a_file_will_do(tmp_path: Path) -> None:
    (tmp_path / "here" / "mine.xml").write_bytes(rss("a", name="Mine"))

    feed = read_feed("mine.xml")

    assert (feed.title, feed.asked) == ("Mine", True)


def test_one_call_brings_a_feed_clean(server: Server) -> None:
    script = b"&lt;script>x&lt;/script>"
    hostile = rss("A &lt;b&gt;bold&lt;/b&gt; one").replace(b"All about", script)
    url = server.feed("/one", hostile)

    feed = read_feed(url)

    assert (feed.url, feed.title, feed.profile.link) == (url, "One", "https://one.example/")
    (entry,) = feed.entries
    assert entry.title == "A bold one"
    assert entry.content is not None
    assert "script" not in entry.content
    assert entry.content == Html(entry.content)


@cases(
    "name, words",
    case("another scheme", "ftp://one.example/feed", "must begin with https://"),
    case("no scheme", "one.example/feed", "without https://"),
    case("a password", "https://ada:pw@one.example/", "must not hold a password"),
)
def test_what_is_no_address_is_said_to_be_none(name: str, words: str) -> None:
    code, _, err = call("peek", name)

    assert code == 2
    assert words in err
    assert "pw" not in err
    with pytest.raises(UsageError):
        read_feed(name)


def test_a_cache_held_elsewhere_is_not_used(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_TRIES", 2)
    with Store.open(cache), pytest.raises(StateError, match="another run"):
        read_feed("https://one.example/feed")
