"""`planet peek`, `planet.read_feed` and `planet.FeedCache`, which share a cache."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import planet.api
from planet import FeedCache, FetchedFeed, parse_feed
from planet.api import read_feed
from planet.errors import FeedError, StateError, UsageError
from planet.model import FetchPolicy, Html
from planet.peek import open_cache, peek, purge
from planet.store import Store, database
from tests.builders import make_feed
from tests.cases import case, cases
from tests.patience import PATIENCE
from tests.processes import python
from tests.server import Request, Response, Server
from tests.whole.conftest import NOON, call, rss


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder, with the commands called in an empty one beside it."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "planet"


def peeked(*names: str, after: timedelta = timedelta(0)) -> Sequence[FetchedFeed | FeedError]:
    """What a call brings, so long after noon."""
    with open_cache(None, lambda: NOON + after) as run:
        return [result for _, result in peek(names, run=run)]


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
    assert isinstance(first, FetchedFeed)
    assert isinstance(again, FetchedFeed)
    changed = {"status": 304, "headers": again.headers, "next_at": again.next_at}
    assert again == structs.replace(first, **changed)
    assert again.asked


def test_a_feed_whose_server_is_to_be_left_alone_comes_from_the_cache(server: Server) -> None:
    busy = server.script("/busy", Response(status=429))
    well = server.feed("/well", rss("a"))
    peeked(well)

    found = peeked(busy, well, after=timedelta(days=2))

    assert server.paths == ["/well", "/busy"]
    (told,) = [each for each in found if isinstance(each, FetchedFeed)]
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
    words = f"nothing of {url} is in the cache, and its server is not to be asked yet"
    assert str(found) == words


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
    case("no scheme", "one.example/feed", "must begin with https://"),
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
    monkeypatch.setattr(database, "_TRIES", 2)
    with Store.open(cache), pytest.raises(StateError, match="another run"):
        read_feed("https://one.example/feed")


# `planet.FeedCache`: one folder for many threads and processes, as polite as a run

GAP = timedelta(milliseconds=300)
HOUR = timedelta(hours=1)
PAGE = (
    b"<!doctype html><title>Home</title>"
    b"<link rel=alternate type=application/rss+xml href=/feed>"
    b"<link rel=alternate type=application/rss+xml title=Comments href=/comments>"
)


def titles(feed: FetchedFeed | FeedError) -> list[str | None]:
    assert isinstance(feed, FetchedFeed)
    return [entry.title for entry in feed.entries]


def at(**passed: float) -> Callable[[], datetime]:
    """A clock that stands so long after noon."""
    return lambda: NOON + timedelta(**passed)


def test_many_feeds_are_asked_for_at_their_servers_at_the_same_time(tmp_path: Path) -> None:
    meeting = threading.Barrier(2)
    with Server("127.0.0.1", "127.0.0.2") as server:
        server.script("/one", Response(body=rss("a"), hold=meeting))
        server.script("/two", Response(body=rss("b"), hold=meeting))
        urls = [server.url("/one"), server.url("/two", "127.0.0.2")]

        found = FeedCache(tmp_path).fetch_many(urls)

    assert [titles(found[url]) for url in urls] == [["a"], ["b"]]


def test_threads_that_want_one_feed_cost_one_request(tmp_path: Path, server: Server) -> None:
    url = server.feed("/one", rss("a"), etag='"1"')
    feeds = FeedCache(tmp_path, host_gap=timedelta(0))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(feeds.fetch, [url] * 8))

    assert [titles(feed) for feed in found] == [["a"]] * 8
    assert sum(feed.asked for feed in found) == 1
    assert len(server.requests) == 1


@pytest.fixture
def times(server: Server) -> list[tuple[float, float]]:
    """When each request for one of three feeds came, and when it was answered."""
    answered: list[tuple[float, float]] = []

    def answer(_: Request) -> Response:
        begun = time.monotonic()
        threading.Event().wait(0.05)
        answered.append((begun, time.monotonic()))
        return Response(body=rss("a"), headers=(("ETag", '"1"'),))

    for name in ("one", "two", "three"):
        server.answer(f"/{name}", answer)
    return answered


def test_the_calls_of_a_program_leave_a_server_the_gap(
    tmp_path: Path, server: Server, times: list[tuple[float, float]]
) -> None:
    for name in ("one", "two", "three"):
        FeedCache(tmp_path, host_gap=GAP).fetch(server.url(f"/{name}"))

    gaps = [after[0] - before[1] for before, after in pairwise(times)]
    assert len(gaps) == 2
    assert min(gaps) >= GAP.total_seconds() - 0.02


def test_processes_that_share_a_folder_ask_one_by_one(
    tmp_path: Path, server: Server, times: list[tuple[float, float]]
) -> None:
    urls = [server.url(f"/{name}") for name in ("one", "two", "three")]
    script = (
        "import sys; from planet import FeedCache\n"
        f"feeds = FeedCache({str(tmp_path)!r}).fetch_many(sys.argv[1:])\n"
        "print(sorted(one.entries[0].title for one in feeds.values()))"
    )
    command = [sys.executable, "-c", script]
    folder = Path(planet.__file__).parents[1]

    started = [
        subprocess.Popen(
            [*command, *wanted], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for wanted in (urls[:2], urls[1:])
    ]
    said = [process.communicate(timeout=PATIENCE) for process in started]

    assert said == [(b"['a', 'a']\n", b"")] * 2
    assert sorted(request.path for request in server.requests) == ["/one", "/three", "/two"]
    assert min(after[0] - before[1] for before, after in pairwise(sorted(times))) >= 0


def test_an_address_among_many_that_is_none_is_told_and_stops_no_other(
    tmp_path: Path, server: Server
) -> None:
    one, two = server.feed("/one", rss("a")), server.feed("/two", rss("b"))
    urls = [one, "ftp://one.example/", "", two, "ftp://one.example/"]

    results = FeedCache(tmp_path, host_gap=timedelta(0)).fetch_many(urls)

    assert len(results) == 4
    assert (titles(results[one]), titles(results[two])) == (["a"], ["b"])
    for url in ("ftp://one.example/", ""):
        error = results[url]
        assert isinstance(error, FeedError)
        assert error.kind == "no_address"


def test_status_and_headers_are_those_of_the_answer(tmp_path: Path, server: Server) -> None:
    headers = (("ETag", '"1"'), ("X-Served-By", "harbour"))
    url = server.script("/one", Response(body=rss("a"), headers=headers))
    feeds = FeedCache(tmp_path)

    asked, cached = feeds.fetch(url), feeds.fetch(url)

    assert (asked.status, asked.headers["x-served-by"]) == (200, "harbour")
    assert (cached.asked, cached.status, cached.headers) == (False, None, {})


def test_a_ttl_may_be_given_for_a_call(tmp_path: Path, server: Server) -> None:
    url = server.feed("/one", rss("a"), etag='"1"')
    hour, day = (FetchPolicy(min_interval=ttl, max_interval=ttl) for ttl in (HOUR, 24 * HOUR))
    asked = []

    for hours, policy in ((0, day), (2, day), (2, hour), (5, day)):
        with open_cache(tmp_path, at(hours=hours)) as run:
            ((_, found),) = peek([url], run=run, policy=policy)
        assert isinstance(found, FetchedFeed)
        asked.append(found.asked)

    assert asked == [True, False, True, False]


@cases(
    "body, url, error",
    case("no feed", b"words", "https://blog.example/", FeedError),
    case("a page that names one", PAGE, "https://blog.example/", FeedError),
    case("no address", b"", "ftp://blog.example/", UsageError),
)
def test_what_is_no_feed_is_told(body: bytes, url: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_feed(body, url=url)


def test_offline_nobody_is_asked(tmp_path: Path, server: Server) -> None:
    known, unknown = server.feed("/one", rss("a")), server.feed("/two", rss("b"))
    feeds = FeedCache(tmp_path)
    feeds.fetch(known)

    found = feeds.fetch_many([known, unknown], offline=True)

    assert titles(found[known]) == ["a"]
    assert getattr(found[unknown], "kind", None) == "not_cached"
    assert len(server.requests) == 1


def test_of_a_page_the_feed_is_told_that_it_names(tmp_path: Path, server: Server) -> None:
    page = server.feed("/", PAGE)

    with pytest.raises(FeedError, match="it names the feed " + server.url("/feed")):
        FeedCache(tmp_path).fetch(page)


@cases(
    "settings, words",
    case("less than an hour", {"ttl": timedelta(minutes=59)}, "an hour"),
    case("a browser", {"user_agent": "Mozilla/5.0"}, "browser"),
    case("another back end", {"backend": "mongodb"}, "one of sqlite, filesystem, memory, redis"),
    case("two lines", {"user_agent": "a\r\nCookie: b"}, "one line"),
    case("memory in a folder", {"backend": "memory", "folder": "x"}, "no folder"),
    case("memory with options", {"backend": "memory", "options": {"a": 1}}, "no options"),
)
def test_a_setting_that_is_of_no_use_is_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        FeedCache(**settings)


def test_purge_drops_what_nobody_has_asked_for_since(tmp_path: Path, server: Server) -> None:
    old, new = server.feed("/old", rss("a")), server.feed("/new", rss("b"))
    for url, days in ((old, 0), (new, 20)):
        with open_cache(tmp_path, at(days=days)) as run:
            list(peek([url], run=run))

    with open_cache(tmp_path, at(days=21)) as run:
        gone = purge(run, older_than=timedelta(days=10))
        left = [*run.store.states()], len(run.web.session.cache.responses)

    assert (gone, left) == (1, ([new], 1))


UNGUARDED = """
from planet import parse_feed
body = b"<rss version='2.0'><channel><title>One</title></channel></rss>"
print(parse_feed(body, url="a.xml").title)
"""


def test_a_script_that_is_not_made_for_processes_reads_feeds_and_ends(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED)

    done = python(str(script), folder=tmp_path)

    assert (done.stdout, done.stderr, done.returncode) == ("One\n", "", 0)
