"""What the config takes from the environment for a feed is told nobody, and not written down."""

import json
import re
import sqlite3
import zlib
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing, suppress
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

from planet.config import load
from planet.report import Report
from planet.schedule.health import advise
from planet.store import Store
from tests.cases import case, cases
from tests.processes import files
from tests.server import Request, Response, Server
from tests.whole.conftest import Planet, rss

SECRET = "hush-4711"
TOKEN, KEY, PASSWORD = "t&ken/Zürich=4711", "key+4712/abc", "pass:word-4713"
BASIC = b64encode(f"ada:{PASSWORD}".encode()).decode()


@cases(
    "written",
    case("a part of its path", "{server}/feeds/${{TOKEN}}/rss"),
    case("a parameter of any name", "{server}/rss?u=${{TOKEN}}"),
    case("all of it", "${{WHOLE}}"),
)
def test_an_address_from_the_environment_is_on_no_page_in_no_feed_and_in_no_report(
    a_planet: Planet, server: Server, written: str
) -> None:
    body = rss("a")
    for path in (f"/feeds/{SECRET}/rss", f"/rss?u={SECRET}"):
        server.feed(path, body, etag='"1"')
    a_planet.environ = {"TOKEN": SECRET, "WHOLE": server.url(f"/feeds/{SECRET}/rss")}
    a_planet.subscribe(written.format(server=server.url("/").rstrip("/")))

    report = a_planet.build()

    (outcome,) = report.outcomes
    assert outcome.outcome == "new"
    assert SECRET not in outcome.line + str(outcome.as_json())
    assert [path for path, body in a_planet.site().items() if SECRET.encode() in body] == []
    assert b"source/" in a_planet.site()["opml.xml"]


def test_a_secret_in_the_words_of_the_config_is_in_no_file_of_the_site(
    a_planet: Planet, server: Server
) -> None:
    a_planet.environ = {"TOKEN": SECRET}
    a_planet.settings |= {"title": "About ${TOKEN}", "pages": {"indexing": True}}
    server.feed(f"/{SECRET}", rss("a"))
    a_planet.subscribe(server.url("/${TOKEN}"))

    a_planet.build()

    site = a_planet.site()
    assert [path for path, body in site.items() if SECRET.encode() in body] == []
    assert json.loads(site["manifest.webmanifest"])["name"].startswith("About ")


def test_no_secret_is_kept_or_told_whatever_servers_echo(a_planet: Planet, server: Server) -> None:
    _publish_echoes(server)
    a_planet.environ = {
        "TOKEN": TOKEN,
        "KEY": KEY,
        "PASSWORD": PASSWORD,
        "WHOLE": server.url(f"/whole/{SECRET}?{SECRET}"),
    }
    a_planet.settings["subscriptions"] = [server.url("/list?k=${TOKEN}")]
    a_planet.subscribe(
        server.url("/rss?token=${TOKEN}"),
        server.url("/gone/${TOKEN}/rss"),
        "${WHOLE}",
        {
            "url": server.url("/private"),
            "headers": {"X-Key": "${KEY}"},
            "auth": {"user": "ada", "password": "${PASSWORD}"},
        },
    )

    told = []
    for _ in range(5):
        report = a_planet.build(force=True)
        told.append(_told(report, a_planet))
        _look_everywhere(a_planet)
        a_planet.later(hours=13)

    assert _plain("\n".join(told)) == set()
    assert sorted(str(outcome.outcome) for outcome in report.outcomes) == ["failed", *["same"] * 4]
    # Asked where it has moved to, with the very validator that came from there.
    asked = {each.path: each.header("If-None-Match") for each in server.requests[-7:]}
    assert not any(path.startswith("/rss?") for path in asked)
    moved = asked[f"/moved/{quote(TOKEN, safe='')}/rss"]
    assert moved == f'"{TOKEN}"'.encode().decode("latin-1")
    _look_everywhere(a_planet)


def _publish_echoes(server: Server) -> None:
    """Feeds and a list that say the secrets they are asked with wherever a server can."""
    in_path = quote(TOKEN, safe="")
    moved = server.url(f"/moved/{in_path}/rss")
    server.script(
        f"/rss?token={quote(TOKEN, safe='/&=')}",
        Response(status=301, headers=(("Location", moved),)),
    )
    # Latin-1 is how the bytes of a header are written down in tests.
    etag = f'"{TOKEN}"'.encode().decode("latin-1")
    echo = rss("a", dated=False).replace(
        b"<link>https://one.example/</link>",
        b"<link rel='self' href='%b'/><docs>%b %b</docs>"
        % (moved.encode(), TOKEN.replace("&", "&amp;").encode(), b64encode(TOKEN.encode())),
    )
    echo = echo.replace(b"https://one.example/a", b"relative")
    server.feed(f"/moved/{in_path}/rss", echo, etag=etag)
    server.script(f"/gone/{quote(TOKEN, safe='/&=')}/rss", Response(status=404))
    server.feed(f"/whole/{SECRET}?{SECRET}", rss("b", name="Two"), etag='"2"')
    server.feed(f"/echo/{BASIC}/{quote(KEY, safe='')}", rss("c", name="Three"), etag='"3"')

    def echoed(request: Request) -> Response:
        user = (request.header("Authorization") or "").removeprefix("Basic ")
        key = quote(request.header("X-Key") or "", safe="")
        return Response(status=302, headers=(("Location", f"/echo/{user}/{key}"),))

    server.answer("/private", echoed)
    server.feed("/listed", rss("d", name="Four"), etag='"4"')
    server.feed(
        f"/list?k={quote(TOKEN, safe='/&=')}",
        (
            f"<opml version='2.0'><head><title>{quote(TOKEN)}</title></head><body>"
            f"<outline type='rss' xmlUrl='{server.url('/listed')}'/></body></opml>"
        ).encode(),
        etag='"5"',
    )


def _told(report: Report, planet: Planet) -> str:
    """Everything a run, or a look at what it left, can say."""
    config = load(planet.folder / "config.yaml", environ=planet.environ)
    words = [report.as_json(), report.summary, report.outcome]
    words += [outcome.line for outcome in report.outcomes]
    with Store.look(planet.folder / "state", config.redactor) as store:
        states = store.states()
    for feed in config.feeds:
        said = advise(feed, states.get(feed.key))
        words.append(said.words if said else "")
    return "\n".join(words)


def _unpacked(path: Path) -> Iterator[bytes]:
    with closing(sqlite3.connect(path)) as db:
        tables = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        values: list[Any] = []
        for (table,) in tables:
            for row in db.execute(f"SELECT * FROM {table}"):
                values += row
    for value in values:
        if isinstance(value, bytes):
            # A cached answer is packed after two lines.
            for part in (value, value.split(b"\n", 2)[-1]):
                with suppress(zlib.error):
                    yield zlib.decompress(part)


def test_no_secret_that_a_feed_repeats_is_anywhere_after(a_planet: Planet, server: Server) -> None:

    def publish(token: str) -> None:
        a_planet.environ = {"TOKEN": token, "PASSWORD": PASSWORD}
        for name in ("one", "two"):
            path = f"/{name}?token={quote(token, safe='/&=')}"
            server.feed(path, _repeating(name, token), etag=f'"{token[0]}"')
        # Asked without any, and has read the others.
        server.feed("/three", _repeating("three", token), etag=f'"{token[0]}"')

    publish(TOKEN)
    secret = {"user": "ada", "password": "${PASSWORD}"}
    a_planet.subscribe(
        {"url": server.url("/one?token=${TOKEN}"), "name": "One", "auth": secret},
        {"url": server.url("/two?token=${TOKEN}"), "name": "Two", "picks": "only"},
        {"url": server.url("/three"), "name": "Three", "link": "https://three.example/?k=${TOKEN}"},
    )

    report = a_planet.build()

    assert [outcome.added for outcome in report.outcomes] == [3, 2, 3]
    _look_everywhere(a_planet)
    told = _told(report, a_planet)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in a_planet.environ.items():
            patch.setenv(name, value)
        for command in (["why", "Posted"], ["why", "Spoken"], ["preview", "One"], ["episodes"]):
            code, out, err = a_planet.call(*command)
            assert code == 0
            told += out + err
    assert _plain(told) == set()

    # What works without a secret is there, and of the rest it is told that it is not.
    page, feed = a_planet.page("source/one/index.html"), json.loads(a_planet.site()["feed.json"])
    assert 'href="https://cdn.example/post?id=7"' in page
    assert "read this" in page
    assert 'src="https://cdn.example/free.png"' in page
    assert "cdn.example/cover.png" not in page
    (posted,) = (
        item
        for item in feed["items"]
        if item["title"] == "Posted" and item["_planet"]["source"]["slug"] == "one"
    )
    assert posted["url"] == "https://cdn.example/posted?a=1"
    assert [each["url"] for each in posted["attachments"]] == ["https://cdn.example/free.mp3"]
    assert (
        "A file of it is left out, because whoever has its address has a secret of the config: "
        "https://cdn.example/paid.mp3?token=${TOKEN}." in told
    )

    # Nor is it any news that the secret is another one now.
    publish(NEXT_TOKEN)
    again = a_planet.later(days=1).build()
    assert [outcome.status for outcome in again.outcomes] == [200, 200, 200]
    assert [outcome.added + outcome.edited for outcome in again.outcomes] == [0, 0, 0]
    _look_everywhere(a_planet)


NEXT_TOKEN = "s&me/Zürich=4715x"
SECRETS = {SECRET, TOKEN, NEXT_TOKEN, KEY, PASSWORD, BASIC}


def _repeating(name: str, token: str) -> bytes:
    """A feed that says two secrets in its entries, each time in another way."""
    in_query = quote(token, safe="")
    lower = in_query.replace("%2F", "%2f").replace("%C3", "%c3")
    by_number = "".join(f"&#{ord(each)};" for each in token)
    in_json = json.dumps(token)[1:-1].replace("/", "\\/")
    everything = "".join(f"%{each:02x}" for each in token.encode())
    html = (
        f"<p>Words {token.replace('&', '&amp;')}, {by_number}, {lower}, {in_json}.</p>"
        f'<p><a href="https://cdn.example/post?id=7&amp;token={lower}">read this</a></p>'
        f"<p><a href=https://cdn.example/{everything}/post>or this</a></p>"
        f'<img src="https://cdn.example/cover.png?token={in_query}" alt="A cover">'
        '<img src="https://cdn.example/free.png" alt="Free">'
    )
    link = f"https://cdn.example/posted?token={in_query}&a=1"
    return (
        "<rss version='2.0'><channel><title>Show</title>"
        f"<link>https://{name}.example/</link>"
        f"<item><title>Posted</title><guid>{escape(link)}</guid><link>{escape(link)}</link>"
        "<pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate>"
        f"<author>{by_number}</author><category>{escape(token)}</category>"
        f"<comments>{escape(link)}#comments</comments>"
        f"<description>{escape(html)}</description>"
        f"<enclosure url='https://cdn.example/paid.mp3?token={lower}' type='audio/mpeg'"
        " length='1'/>"
        "<enclosure url='https://cdn.example/free.mp3' type='audio/mpeg' length='1'/></item>"
        f"<item><title>Spoken by {by_number}</title><guid>2</guid>"
        f"<link>https://cdn.example/{everything}/2</link>"
        f"<description><![CDATA[{html}{PASSWORD}]]></description>"
        f"<enclosure url='https://ada:{quote(PASSWORD)}@cdn.example/2.mp3' type='audio/mpeg'"
        " length='1'/>"
        "<enclosure url='https://cdn.example/2.mp3' type='audio/mpeg' length='1'/></item>"
        f"<item><title>{b64encode(token.encode()).decode()}</title><guid>{by_number}</guid>"
        f"<description>{escape(escape(token))} {PASSWORD}</description></item>"
        "</channel></rss>"
    ).encode()


def _look_everywhere(a_planet: Planet) -> None:
    """Fails where a secret is, in whatever spelling, in a file of the site or of the state."""
    for path, body in a_planet.site().items():
        assert _plain(body.decode("utf-8", "replace")) == set(), path
    state = a_planet.folder / "state"
    for name, body in files(state).items():
        pieces = [body, *(_unpacked(state / name) if name.endswith(".sqlite") else ())]
        for piece in pieces:
            # Answers are kept so that they come back exactly: in the usual spellings alone.
            text = piece.decode("utf-8", "replace")
            assert _usual(text) == set(), name
            assert name.startswith("http.") or _plain(text) == set(), name
    with Store.look(state) as store:
        numbers = [entry.number for entry in store.entries.of_feeds(store.states())]
        assert numbers
        for text in store.texts.read(numbers).values():
            assert _plain(text.value) == set()


def _usual(text: str) -> set[str]:
    """The secrets that are in a text as they are, or as they stand in an address."""
    return {one for one in SECRETS if one in text or quote(one, safe="") in text}


def _plain(text: str) -> set[str]:
    """The secrets that are in a text, once nothing of it is encoded any more."""
    for _ in range(4):
        text = unescape(unquote(text))
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    text = text.replace("\\/", "/")
    encoded = {secret: b64encode(secret.encode()).decode().rstrip("=") for secret in SECRETS}
    return {secret for secret in SECRETS if secret in text or encoded[secret] in text}
