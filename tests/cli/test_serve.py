"""`planet serve`: what a browser gets of a real planet, who may pick, and what that changes."""

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from urllib.parse import urlencode

import pytest

from planet.cli import main
from planet.cli.options import ConfigFile
from planet.cli.serve import Preview, serve_preview
from planet.store import Store
from tests.cases import case, cases
from tests.patience import PATIENCE
from tests.processes import environ
from tests.whole.conftest import CHECKOUT

NOTHING: Mapping[str, str] = MappingProxyType({})
# It has what stands for the secret in an address on its own server.
PODCAST = """<rss version="2.0"><channel><title>Bench</title><link>https://bench.example/</link>
<item><title>Joints</title><guid isPermaLink="false">joints</guid>
<enclosure url="https://bench.example/joints.mp3?PLANET-PICK-TOKEN" type="audio/mpeg" length="1"/>
</item></channel></rss>"""


@dataclass(frozen=True)
class Said:
    """An answer, as it came."""

    status: int
    headers: dict[str, str]
    body: str


class Browser:
    """Asks one server, and says no more than it is told to."""

    def __init__(self, port: int, token: str = "") -> None:
        self.port = port
        self.token = token

    def ask(
        self, method: str, path: str, headers: Mapping[str, str] = NOTHING, body: str | None = None
    ) -> Said:
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            found = {name.title(): value for name, value in answer.headers.items()}
            return Said(answer.status, found, answer.read().decode(errors="replace"))

    def get(self, path: str) -> Said:
        return self.ask("GET", path)

    def post(self, path: str = "/-/pick", /, **said: str) -> Said:
        """Send the form of a page; `said` are its fields, or headers, which have capitals."""
        fields, headers = {"token": self.token}, {}
        for name, value in said.items():
            if name[0].isupper():
                headers[name.replace("_", "-")] = value.replace("PORT", str(self.port))
            else:
                fields[name] = value
        return self.ask("POST", path, headers, urlencode(fields))


class Operator:
    """Someone with a planet in a folder, and `planet serve` in another window."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "config.yaml"
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

    def picks(self) -> str:
        picks = self.folder / "picks.yaml"
        return picks.read_text() if picks.exists() else ""

    @contextmanager
    def serves(self) -> Iterator[Browser]:
        with TemporaryDirectory() as folder:
            preview = Preview(ConfigFile(path=self.config), Path(folder))
            preview.refresh()
            with serve_preview(preview) as port:
                yield Browser(port, preview.token)


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    return Operator(tmp_path)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Operator:
    """An operator who changes nothing."""
    operator = Operator(tmp_path_factory.mktemp("planet"))
    operator.builds()
    return operator


@pytest.fixture(scope="module")
def browser(reader: Operator) -> Iterator[Browser]:
    with reader.serves() as browser:
        yield browser


@cases(
    "path, media_type",
    case("the front page", "/", "text/html"),
    case("a folder", "/source/%62ench/", "text/html"),
    case("JSON", "/feed.json", "application/json"),
    case("a style sheet", "/style.css", "text/css"),
)
def test_a_file_comes_in_its_type(browser: Browser, path: str, media_type: str) -> None:
    said = browser.get(path)

    assert (said.status, said.headers["Content-Type"]) == (200, media_type)


@pytest.mark.parametrize("path", ["/", "/nothing", "/source/bench", "/-/pick"])
def test_no_answer_is_kept_guessed_at_or_framed(browser: Browser, path: str) -> None:
    headers = browser.get(path).headers

    assert headers["Cache-Control"] == "no-store"
    assert (headers["X-Frame-Options"], headers["X-Content-Type-Options"]) == ("DENY", "nosniff")


@cases(
    "path",
    case("no file", "/nothing"),
    case("a folder without a page", "/source/"),
    case("up", "/../etc/passwd"),
    case("a NUL", "/index.html%00.png"),
)
def test_where_nothing_is_nothing_comes(browser: Browser, path: str) -> None:
    assert browser.get(path).status == 404


def test_a_head_is_an_answer_without_its_body(browser: Browser) -> None:
    said = browser.ask("HEAD", "/", {"Host": f"localhost:{browser.port}"})

    assert (said.status, said.headers["Content-Length"] > "0", said.body) == (200, True, "")


def test_the_secret_stands_in_forms_and_in_no_address(browser: Browser) -> None:
    page = browser.get("/source/bench/").body

    field = f'<input type="hidden" name="token" value="{browser.token}">'
    assert field in page
    assert browser.token not in page.replace(field, "")
    assert "https://bench.example/joints.mp3?PLANET-PICK-TOKEN" in page


@cases(
    "path, said, status",
    case("a name that leads here", "/-/pick", {"Host": "evil.example:PORT"}, 403),
    case("what stands for the secret", "/-/pick", {"token": "PLANET-PICK-TOKEN"}, 403),
    case("another secret", "/-/pick", {"token": "ä-secret"}, 403),
    case("no such episode", "/-/pick", {"episode": "<unknown>"}, 400),
    case("a length that is none", "/-/pick", {"Content_Length": "-1"}, 403),
    case("nearly the path", "/-/pick/", {}, 404),
)
def test_nothing_but_a_form_of_its_own_page_picks(
    reader: Operator, browser: Browser, path: str, said: dict[str, str], status: int
) -> None:
    answer = browser.post(path, **{"episode": reader.episode(browser), **said})

    assert (answer.status, reader.picks()) == (status, "")
    assert "<unknown>" not in answer.body


def test_a_site_is_shown_that_was_never_published(operator: Operator) -> None:
    with operator.serves() as browser:
        said = browser.get("/")

    with Store.open(operator.folder / "state") as store:
        published = store.publications.get(str(operator.folder / "public"))
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
        broken = browser.get("/")
        operator.writes(title="Mended")
        mended = browser.get("/")

    assert [said.status for said in (broken, mended)] == [500, 200]
    assert words in broken.body
    assert "Mended" in mended.body


def test_it_says_where_it_serves_and_ends_with_an_interrupt(operator: Operator) -> None:
    with ExitStack() as stack:
        with suppress(OSError):
            # The port it would take, unless somebody else has it already.
            stack.enter_context(socket.create_server(("127.0.0.1", 8000)))
        operator.writes(title="A planet", editions={"calm": {}, "loud": {}})
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
        found = re.fullmatch(r"Serving http://127\.0\.0\.1:(\d+)/calm/ until Ctrl-C\n", line)
        port = int(found[1]) if found else 0
        answer = Browser(port).get("/calm/")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)

    assert (port != 8000, answer.status) == (True, 200)
    assert err.startswith("Making the site")
    assert (process.returncode, err.splitlines()[-1]) == (130, "planet: interrupted")


def test_a_pick_is_written_down_shown_and_taken_back(operator: Operator) -> None:
    operator.writes(title="A planet")
    operator.builds()

    with operator.serves() as browser:
        episode = operator.episode(browser)
        picked = browser.post(episode=episode, note="Fühl “mich” & <you>\r\n")
        written = operator.picks()
        page, feed = operator.page(browser), browser.get("/podcast.xml").body
        again = browser.post(episode=episode)
        back = browser.post("/-/unpick", episode=episode)
        gone = browser.get("/podcast.xml").body

    assert [said.status for said in (picked, again, back)] == [303, 400, 303]
    assert all(words in written for words in ("title: Joints", "Fühl “mich” & <you>"))
    assert "/-/unpick" in page
    assert ("bench.example/joints.mp3" in feed, "bench.example/joints.mp3" in gone) == (True, False)
    assert "joints" not in operator.picks()


@cases(
    "referer, back",
    case("the page of the form", "http://127.0.0.1:PORT/source/bench/", "/source/bench/"),
    case("another site", "https://evil.example/", "/"),
    case("a backslash", "http://127.0.0.1:PORT/\\evil.example/", "/evil.example/"),
    case("nothing", "", "/"),
)
def test_a_form_leads_back_to_its_page_and_nowhere_else(
    operator: Operator, referer: str, back: str
) -> None:
    operator.builds()
    with operator.serves() as browser:
        said = browser.post(episode=operator.episode(browser), Referer=referer)

    assert (said.status, said.headers["Location"]) == (303, back)


def test_an_episode_is_picked_and_shown_while_another_run_has_the_state(
    operator: Operator,
) -> None:
    operator.builds()

    with operator.serves() as browser:
        episode = operator.episode(browser)
        with Store.open(operator.folder / "state"):
            said = browser.post(episode=episode)
            page = operator.page(browser)

    assert said.status == 303
    assert "Joints" in operator.picks()
    assert "/-/unpick" in page
