"""`planet serve` in a real browser: its own button picks, and no page from elsewhere does."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
import yaml

from planet.cli import main
from tests.browser.chromium import Chromium, Page
from tests.patience import PATIENCE
from tests.processes import environ
from tests.server import Response, Server

pytestmark = pytest.mark.browser

PODCAST = b"""\
<rss version="2.0"><channel><title>Radio Bench</title><link>https://bench.example/</link>
<item><title>Joints</title><guid isPermaLink="false">joints</guid>
<pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate>
<enclosure url="https://bench.example/joints.mp3" type="audio/mpeg" length="1000"/></item>
<item><title>Glue</title><guid isPermaLink="false">glue</guid>
<pubDate>Thu, 19 Nov 2026 08:00:00 GMT</pubDate>
<enclosure url="https://bench.example/glue.mp3" type="audio/mpeg" length="1000"/></item>
</channel></rss>"""
SOURCE = "source/radio-bench/index.html"
OF_JOINTS = "[...document.querySelectorAll('article')].find(a => a.innerText.includes('Joints'))"


class Reader(Page):
    """Somebody with a browser who looks, clicks and types."""

    def __init__(self, chromium: Chromium) -> None:
        super().__init__(chromium)
        size = {"width": 1000, "height": 2000, "deviceScaleFactor": 1, "mobile": False}
        self.do("Emulation.setDeviceMetricsOverride", **size)

    def clicks(self, element: str, *, leaves: bool = False) -> None:
        """Click on an element; `leaves` when that leads to another page."""
        box = self.value(
            f"(box => [box.x, box.y, box.width, box.height])({element}.getBoundingClientRect())"
        )
        at = {"x": box[0] + box[2] / 2, "y": box[1] + box[3] / 2, "button": "left"}
        self.do("Input.dispatchMouseEvent", type="mousePressed", clickCount=1, **at)
        released = {"type": "mouseReleased", "clickCount": 1, **at}
        (self.leave if leaves else self.do)("Input.dispatchMouseEvent", **released)

    def types(self, text: str) -> None:
        self.do("Input.insertText", text=text)

    def sends(self, form: str) -> None:
        self.leave("Runtime.evaluate", expression=f"{form}.submit()")

    def frames(self) -> list[str]:
        """What the frames of the page really show."""
        tree = self.do("Page.getFrameTree")["frameTree"]
        return [child["frame"]["url"] for child in tree.get("childFrames", [])]


class Home:
    """A planet in a folder, served by `planet serve` in a process of its own."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port
        self.url = f"http://127.0.0.1:{port}/"

    def picks(self) -> list[dict[str, Any]]:
        path = self.folder / "picks.yaml"
        said = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}
        return said.get("picks") or []

    def file(self, path: str) -> str:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", f"/{path}")
            return connection.getresponse().read().decode()
        finally:
            connection.close()


@pytest.fixture
def reader(on_loopback: Chromium) -> Reader:
    return Reader(on_loopback)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A planet that was built once, and is changed by nobody."""
    folder = tmp_path_factory.mktemp("built")
    with Server() as server:
        feed = {"url": server.feed("/bench.xml", PODCAST), "picks": "only", "name": "Radio Bench"}
        settings = {"title": "A planet", "feeds": [feed], "lists": {"trips": {"title": "Trips"}}}
        config = folder / "config.yaml"
        config.write_text(json.dumps(settings), encoding="utf-8")
        assert main(["build", "-q", "--config", str(config)]) == 0
    return folder


@pytest.fixture
def home(built: Path, tmp_path: Path) -> Iterator[Home]:
    folder = tmp_path / "home"
    shutil.copytree(built, folder)
    with _served(folder) as port:
        yield Home(folder, port)


@contextmanager
def _served(folder: Path) -> Iterator[int]:
    with subprocess.Popen(
        [sys.executable, "-m", "planet", "serve"],
        cwd=folder,
        env=environ(PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())
            assert found is not None
            yield int(found[1])
        finally:
            process.kill()


def test_an_episode_is_picked_with_a_note_and_put_back(home: Home, reader: Reader) -> None:
    reader.open(home.url + SOURCE)
    before = reader.value(f"{OF_JOINTS}.querySelector('.why')")
    reader.clicks(f"{OF_JOINTS}.querySelector('details:has([name=note]) > summary')")
    reader.clicks(f"{OF_JOINTS}.querySelector('[name=note]')")
    reader.types("Für die “lange” Fahrt <b> & zurück")
    reader.clicks(f"{OF_JOINTS}.querySelector('form.pick button')", leaves=True)

    picked = home.picks()
    here = reader.value("location.pathname")
    why = reader.value(f"{OF_JOINTS}.querySelector('.why').innerText")
    heard = "https://bench.example/joints.mp3" in home.file("podcast.xml")
    reader.clicks(f"{OF_JOINTS}.querySelector('form[action$=unpick] button')", leaves=True)

    note = "Für die “lange” Fahrt <b> & zurück"
    assert before is None
    assert [(pick["title"], pick["note"]) for pick in picked] == [("Joints", note)]
    assert (here, why, heard) == (f"/{SOURCE}", note, True)
    assert home.picks() == []
    assert "joints.mp3" not in home.file("podcast.xml")
    assert reader.value(f"{OF_JOINTS}.querySelector('.why')") is None


def test_an_episode_is_picked_for_a_list(home: Home, reader: Reader) -> None:
    reader.open(home.url + SOURCE)
    reader.value(f"{OF_JOINTS}.querySelector('select').value = 'trips'")
    reader.clicks(f"{OF_JOINTS}.querySelector('form.pick button')", leaves=True)

    words = reader.value(f"{OF_JOINTS}.querySelector('form[action$=unpick]').innerText")
    assert [(pick["title"], pick["list"]) for pick in home.picks()] == [("Joints", "trips")]
    assert "Trips" in words
    assert "https://bench.example/joints.mp3" in home.file("lists/trips/podcast.xml")


@pytest.mark.parametrize("knows_secret", [False, True], ids=["guessing", "knowing the secret"])
def test_a_page_from_elsewhere_cannot_pick(home: Home, reader: Reader, knows_secret: bool) -> None:
    page = home.file(SOURCE)
    fields = dict(re.findall('name="(episode|token)" value="(.*?)"', page))
    token = fields["token"] if knows_secret else "PLANET-PICK-TOKEN"
    form = (
        f'<form method="post" action="{home.url}-/pick">'
        f'<input name="episode" value="{fields["episode"]}"><input name="list" value="">'
        f'<input name="token" value="{token}"></form>'
    )
    with Server() as elsewhere:
        html = Response(headers=(("Content-Type", "text/html"),), body=form.encode())
        reader.open(elsewhere.script("/evil", html))

        sent = reader.value(
            f"fetch('{home.url}-/pick', {{method: 'POST', mode: 'no-cors', credentials: 'include',"
            " body: new URLSearchParams(new FormData(document.forms[0]))}).then(a => a.type)"
        )
        reader.sends("document.forms[0]")

    assert sent == "opaque"
    assert reader.value("document.querySelector('h1').innerText") == "Nothing was changed"
    assert home.picks() == []


def test_a_page_from_elsewhere_cannot_frame_the_button(home: Home, reader: Reader) -> None:
    with Server() as elsewhere:
        frame = f'<iframe src="{home.url}{SOURCE}"></iframe>'.encode()
        html = Response(headers=(("Content-Type", "text/html"),), body=frame)

        reader.open(elsewhere.script("/evil", html))

    assert reader.frames() == ["chrome-error://chromewebdata/"]
