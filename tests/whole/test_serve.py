"""`planet serve`: what a browser gets, and who may pick."""

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from planet.cli import main
from planet.cli.options import ConfigFile
from planet.cli.serve import Preview, SiteDrawing, serve_answers
from planet.store import Store
from tests.cases import case, cases
from tests.cli.browser import TOKEN, Browser
from tests.patience import PATIENCE
from tests.processes import environ
from tests.whole.conftest import CHECKOUT

PODCAST = """<rss version="2.0"><channel><title>Bench</title><link>https://bench.example/</link>
<item><title>Joints</title><guid isPermaLink="false">joints</guid>
<enclosure url="https://bench.example/joints.mp3" type="audio/mpeg" length="1"/></item>
</channel></rss>"""


class Operator:
    """Someone with a planet in a folder, and `planet serve` in another window."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "config.yaml"
        self.told: list[str] = []
        (folder / "bench.xml").write_text(PODCAST)
        self.writes(title="A planet")

    def writes(self, **settings: object) -> None:
        feed = {"url": "bench.xml", "picks": "only"}
        self.config.write_text(json.dumps({"feeds": [feed], **settings}))

    def builds(self) -> None:
        assert main(["build", "-q", "--config", str(self.config)]) == 0

    def episode(self, browser: Browser) -> str:
        """What its one episode is called."""
        (episode,) = set(re.findall('name="episode" value="(.*?)"', self.page(browser)))
        return str(episode)

    def page(self, browser: Browser) -> str:
        return browser.get("/source/bench/").body

    @contextmanager
    def serves(self) -> Iterator[Browser]:
        preview = Preview(
            SiteDrawing(ConfigFile(path=self.config)), token=TOKEN, tell=self.told.append
        )
        with serve_answers(preview.answer) as port:
            yield Browser(port)


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    return Operator(tmp_path)


def test_a_site_is_shown_that_was_never_published(operator: Operator) -> None:
    with operator.serves() as browser:
        said = browser.get("/")

    with Store.open(operator.folder / "state") as store:
        published = store.publications.last(str(operator.folder / "public"))
    assert (said.status, '<h1 class="p-name" dir="auto">A planet</h1>' in said.body) == (200, True)
    assert (published, (operator.folder / "public").exists()) == (None, False)


def test_what_is_changed_is_there_when_a_page_is_asked_for_again(operator: Operator) -> None:
    theme = operator.folder / "theme"
    shutil.copytree(CHECKOUT / "themes" / "default", theme)
    with operator.serves() as browser:
        before = browser.get("/source/bench/")

        operator.builds()
        built = browser.get("/source/bench/")
        operator.writes(title="Another planet", theme="./theme")
        renamed = browser.get("/")
        (theme / "templates" / "style.css").write_text("p { color: red }")
        styled = browser.get("/style.css")

    assert ("Joints" in before.body, "Joints" in built.body) == (False, True)
    assert "Another planet" in renamed.body
    assert styled.body == "p { color: red }"


@cases(
    "settings, words",
    case("in the config", {"titel": "A planet"}, "titel"),
    case("in the theme", {"title": "A planet", "theme": "gone"}, "gone"),
)
def test_a_mistake_of_the_operator_is_shown_and_can_be_mended(
    operator: Operator, settings: dict[str, str], words: str
) -> None:
    with operator.serves() as browser:
        operator.writes(**settings)
        broken, again = browser.get("/"), browser.get("/style.css")
        operator.writes(title="Mended")
        mended = browser.get("/")

    assert [said.status for said in (broken, again, mended)] == [500, 500, 200]
    assert words in broken.body
    assert len(operator.told) == 1
    assert "Mended" in mended.body


def test_while_another_run_has_the_state_the_pages_stay(operator: Operator) -> None:
    with operator.serves() as browser:
        with Store.open(operator.folder / "state"):
            operator.writes(title="Another planet")
            held = [browser.get("/"), browser.get("/")]
        free = browser.get("/")

    assert ["Another planet" in said.body for said in (*held, free)] == [False, False, True]
    assert len(operator.told) == 1


def test_it_says_where_it_serves_and_ends_with_an_interrupt(operator: Operator) -> None:
    with ExitStack() as stack:
        with suppress(OSError):
            # The port it would take, unless somebody else has it already.
            stack.enter_context(socket.create_server(("127.0.0.1", 8000)))
        process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-m", "planet", "serve"],
                cwd=operator.folder,
                env=environ(PYTHONUNBUFFERED="1"),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        # What fails here must not wait for it to end.
        stack.callback(process.kill)
        line = process.stdout.readline() if process.stdout else ""
        found = re.fullmatch(r"Serving http://127\.0\.0\.1:(\d+)/ until Ctrl-C\n", line)
        port = int(found[1]) if found else 0
        well = Browser(port).get("/")
        operator.writes(titel="A planet")
        ill = Browser(port).get("/")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)

    assert (port != 8000, well.status, ill.status) == (True, 200, 500)
    assert process.returncode == 0
    assert "interrupted" not in err
    assert err.startswith("Making the site")
    assert err.count("titel") == 1


def test_a_pick_is_written_down_shown_and_taken_back(operator: Operator) -> None:
    operator.writes(title="A planet", lists={"trips": {"title": "For the road"}})
    operator.builds()

    with operator.serves() as browser:
        episode = operator.episode(browser)
        picked = browser.post(episode=episode, list="trips", note="Listen to this")
        written = (operator.folder / "picks.yaml").read_text()
        page, feed = operator.page(browser), browser.get("/lists/trips/podcast.xml").body
        again = browser.post(episode=episode, list="trips")
        back = browser.post("/-/unpick", episode=episode, list="trips")
        gone = browser.get("/lists/trips/podcast.xml").body

    assert [said.status for said in (picked, again, back)] == [303, 400, 303]
    assert all(words in written for words in ("title: Joints", "list: trips", "Listen to this"))
    assert "/-/unpick" in page
    assert ("bench.example/joints.mp3" in feed, "bench.example/joints.mp3" in gone) == (True, False)
    assert "joints" not in (operator.folder / "picks.yaml").read_text()


def test_an_episode_can_be_picked_while_another_run_has_the_state(operator: Operator) -> None:
    operator.builds()

    with operator.serves() as browser:
        episode = operator.episode(browser)
        with Store.open(operator.folder / "state"):
            said = browser.post(episode=episode)

    assert said.status == 303
    assert "Joints" in (operator.folder / "picks.yaml").read_text()
