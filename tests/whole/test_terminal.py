"""The commands on a real terminal: what is on its screen in the end, wide or narrow."""

import os
import pty
import re
import subprocess
import sys
import termios
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from tests.processes import environ
from tests.server import Response, Server
from tests.whole.conftest import call, rss, write_config

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
    assert not any("━" in line for line in screen)


def test_status_has_lines_for_a_feed_on_a_narrow_terminal(tmp_path: Path, server: Server) -> None:
    write_config(tmp_path, server.feed("/one", rss("a", name="Notes from the harbour")))
    call("build", "--config", str(tmp_path / "config.yaml"))
    wide = Terminal(80).run("status", folder=tmp_path)
    narrow = Terminal(40).run("status", folder=tmp_path)

    assert wide[0].split() == ["state", "last", "good", "next", "because", "feed"]
    assert re.match(r"ok     now        in \d+ \w+  no ETag \(see min_interval\)  Notes", wide[1])
    assert narrow[0] == "Notes from the harbour"
    assert re.fullmatch(r"  ok, last good now, next in \d+ \w+, no", narrow[1])
    assert narrow[2:4] == ["  ETag (see min_interval)", ""]
