"""What is on the screen in the end, wide or narrow, and what `-v` prints."""

import logging
import os
import pty
import re
import subprocess
import sys
import termios
import threading
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, suppress
from io import StringIO
from pathlib import Path
from types import MappingProxyType

import pytest

from planet import FeedCache
from planet.cli.options import log_to_stderr
from tests.processes import environ
from tests.server import Response, Server, moved
from tests.whole.conftest import Planet, call, rss, write_config

NOTHING: Mapping[str, threading.Event] = MappingProxyType({})


class Terminal:
    """A terminal so many columns wide, and what its screen shows of what is sent to it."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self.sent = ""
        """All that the last command sent to it."""

    def run(
        self,
        *arguments: str,
        folder: Path,
        awaited: Mapping[str, threading.Event] = NOTHING,
        **variables: str,
    ) -> list[str]:
        """Run a command of Planet; the lines on the screen when it has ended.

        Each event is set as soon as its text was shown. `variables` are of the environment.
        """
        master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (50, self._columns))
        changed = environ(TERM="xterm", **variables)
        changed.pop("COLUMNS", None)
        command = [sys.executable, "-m", "planet", *arguments]
        sent = b""
        with subprocess.Popen(
            command, cwd=folder, env=changed, stdin=slave, stdout=slave, stderr=slave
        ):
            os.close(slave)
            # OSError is how Linux says that nobody has it open any more.
            with suppress(OSError):
                while piece := os.read(master, 65536):
                    sent += piece
                    for text in awaited:
                        if text.encode() in sent:
                            awaited[text].set()
        os.close(master)
        self.sent = sent.decode()
        return self._screen(sent.decode())

    def _screen(self, sent: str) -> list[str]:
        rows, row, column = [""], 0, 0
        for escape, text in re.findall(r"\x1b\[([?\d;]*[A-Za-z])|([\s\S])", sent):
            if text == "\r":
                column = 0
            elif escape == "2K":
                rows[row] = ""
            elif escape.endswith("A"):
                row -= int(escape[:-1] or 1)
            elif text == "\n" or (text and column == self._columns):
                row, column = row + 1, 0
                rows += [""] * (row + 1 - len(rows))
            else:
                assert text or escape[-1] in "mhl", escape
            if text not in ("", "\r", "\n"):
                rows[row] = f"{rows[row][:column]:<{column}}{text}{rows[row][column + 1 :]}"
                column += 1
        return [line.rstrip() for line in rows]


def test_the_bar_leaves_nothing_behind(tmp_path: Path, server: Server) -> None:
    columns = 40
    long = "A name that goes on and on until no terminal has room for it in one line [bold] :smile:"
    names = ["First", long, "Last"]
    shown = threading.Event()
    # The first line comes when the bar is there.
    feeds = [
        server.script(f"/{place}", Response(body=rss("a", name=name), hold=shown))
        for place, name in enumerate(names)
    ]
    write_config(tmp_path, *feeds)
    counted = threading.Event()
    awaited = {"0/3": shown, "files ": counted}
    screen = Terminal(columns).run("build", folder=tmp_path, awaited=awaited)

    lines = [f"{name}: 1 new, 0 edited" for name in names]
    wrapped = [line[at : at + columns] for line in lines for at in range(0, len(line), columns)]
    assert screen[: len(wrapped)] == [line.rstrip() for line in wrapped]
    assert counted.is_set()
    assert not any(re.match("feeds |files ", line) for line in screen)


def test_status_breaks_lines_between_words_on_a_narrow_terminal(
    tmp_path: Path, server: Server
) -> None:
    write_config(tmp_path, server.feed("/one", rss("a", name="Notes from the harbour")))
    call("build", "--config", str(tmp_path / "config.yaml"))
    wide = Terminal(80).run("status", folder=tmp_path)
    narrow = Terminal(40).run("status", folder=tmp_path)

    assert wide[0].split() == ["state", "last", "good", "next", "feed"]
    assert re.match(
        r"ok           now        in \d+ \w+    Notes from the harbour \(no ETag", wide[1]
    )
    assert re.match(r"ok           now        in \d+ \w+    Notes$", narrow[1])
    assert narrow[2] == "    from the harbour (no ETag (see"


# What `-v` prints: each request and its outcome, without secrets, and nothing else


@pytest.fixture
def server() -> Iterator[Server]:
    with Server("127.0.0.1", "127.0.0.2") as running:
        yield running


def lines(text: str, server: Server) -> dict[str, list[str]]:
    """The lines of a log by the feed or server they are about, with times and ports as in none."""
    text = text.replace(server.url(""), "http://a.example").replace(
        server.url("", "127.0.0.2"), "http://b.example"
    )
    text = re.sub(r"127\.0\.0\.\d:\d+", "127.0.0.1:80", text)
    text = re.sub(r"\d\d\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC", "MOMENT", text)
    text = re.sub(r"\d+\.\d\d s", "0.00 s", text)
    about: dict[str, list[str]] = {}
    for line in text.splitlines():
        if match := re.fullmatch(r"(planet\.[a-z.]+): (\S+?|tables? [a-z ]+): (.*)", line):
            about.setdefault(match[2], []).append(f"{match[1]}: {match[3]}")
    return about


def build(planet: Planet) -> str:
    """What a run prints at the planet's own time."""
    with redirect_stderr(StringIO()) as err, log_to_stderr():
        planet.build()
    return err.getvalue()


def test_v_has_a_line_for_each_request_and_its_outcome(folder: Path, server: Server) -> None:
    server.feed("/new", rss("b"))
    write_config(
        folder,
        {"url": server.feed("/one", rss("a")), "id": "one"},
        {"url": server.script("/old", moved(server.url("/new"), 301)), "id": "moved"},
        {"url": server.script("/gone", Response(status=410)), "id": "gone"},
        {"url": server.script("/text", Response(body=b"no feed")), "id": "text"},
    )

    err = call("build", "-v").err

    size = len(rss("a"))
    assert lines(err, server) == {
        "one": [
            f"planet.http.visit: GET http://a.example/one (no conditions): 200, {size} bytes, "
            "0.00 s",
            "planet.run.build: 1 new, 0 edited, 0 failures in a row; due MOMENT (unconditional)",
        ],
        "moved": [
            "planet.http.visit: GET http://a.example/old (no conditions): 301, 0 bytes, 0.00 s",
            f"planet.http.visit: GET http://a.example/new (no conditions): 200, {size} bytes, "
            "0.00 s",
            "planet.run.build: 1 new, 0 edited, 0 failures in a row; due MOMENT (unconditional)",
        ],
        "gone": [
            "planet.http.visit: GET http://a.example/gone (no conditions): 410, 0 bytes, 0.00 s",
            "planet.http.visit: failed, http_410: the server says the feed is gone for good; "
            "remove it from the list (HTTP 410)",
            "planet.run.build: 0 new, 0 edited, 1 failures in a row; due never (given_up)",
        ],
        "text": [
            "planet.http.visit: GET http://a.example/text (no conditions): 200, 7 bytes, 0.00 s",
            "planet.run.build: 0 new, 0 edited, 1 failures in a row; due MOMENT (backoff)",
        ],
    }


def test_no_line_has_a_secret(a_planet: Planet, server: Server) -> None:
    a_planet.environ = {
        "TOKEN": "s3cret-tøken",
        "PASSWORD": "pa$$word-of-mine",
        "KEY": "k3y-k3y-k3y",
    }
    a_planet.environ["HOST"] = "127.0.0.2"
    spelled = "s3cret-t%C3%B8ken"
    there = f"/next/{spelled}?key=k3y-k3y-k3y"
    server.script(f"/feed/{spelled}", moved(server.url(there), 301))
    server.feed(there, rss("a"), etag='"k3y-k3y-k3y"')
    server.script("/ill/k3y-k3y-k3y", Response(status=429))
    ill = server.url("/ill/${KEY}", "127.0.0.2")
    auth = {"user": "ada", "password": "${PASSWORD}"}
    a_planet.subscribe(
        {"url": server.url("/feed/${TOKEN}"), "auth": auth},
        {"url": ill.replace("127.0.0.2", "${HOST}"), "headers": {"X-Key": "${KEY}"}},
        server.feed("/open?token=unguarded-token", rss("b")),
    )

    text = build(a_planet) + build(a_planet.later(days=2))

    assert (there, '"k3y-k3y-k3y"') in server.asked
    assert 'If-None-Match: "${KEY}"' in text
    basic = b64encode(b"ada:pa$$word-of-mine").decode()
    secrets = [*a_planet.environ.values(), spelled, basic, "unguarded-token"]
    assert [secret for secret in secrets if secret in text] == []


def test_what_a_server_says_moves_no_cursor_and_is_no_command(folder: Path, server: Server) -> None:
    answer = Response(headers=(("ETag", '"##[error]\x1b[31m"'),), body=rss("a"))
    again = Response(status=304)
    write_config(folder, server.script("/one", answer, again))
    call("build", "-q")

    err = call("build", "-v", "--force").err

    assert "\x1b" not in err
    assert not any(line.startswith("::") or "##[" in line for line in err.splitlines())


def test_a_program_gets_the_same_lines_by_its_own_logging(
    tmp_path: Path, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    url = server.feed("/one", rss("a"))

    with caplog.at_level(logging.INFO, "planet"):
        FeedCache(tmp_path).fetch(url)

    assert {record.name for record in caplog.records} >= {"planet.http.visit"}
    assert any(f"GET {url} (no conditions): 200, " in line for line in caplog.messages)
    assert logging.getLogger("planet").handlers == []
