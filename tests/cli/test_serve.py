"""What `planet serve` answers a browser, and who may pick."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from planet.cli.episodes import PickRequest
from planet.cli.serve import MOST, Preview, SiteDrawing, serve_answers
from planet.errors import PlanetError, UsageError
from tests.cases import case, cases
from tests.cli.browser import TOKEN, Browser

FORM = '<form method="post"><input type="hidden" name="token" value="PLANET-PICK-TOKEN"></form>'
WORDS = '<p>name="token" value="PLANET-PICK-TOKEN" <img src="https://a.example/PLANET-PICK-TOKEN">'
SITE = {
    "index.html": b"<h1>Front</h1>",
    "404.html": b"<h1>Nothing</h1>",
    "source/one/index.html": f"<h1>One</h1>{FORM}{WORDS}".encode(),
    "source/größe/index.html": "<h1>Größe</h1>".encode(),
    "atom.xml": b"<feed/>",
    "feed.json": b"{}",
    "robots.txt": "Heute: Größe".encode(),
    "style.css": b"p {}",
    "cover.PNG": b"\x89PNG",
    "odd": b"odd",
}


@dataclass
class Drawn(SiteDrawing):
    """A drawing that is made by hand."""

    site: Mapping[str, bytes] = field(default_factory=lambda: dict(SITE))
    fails: PlanetError | None = None
    fresh: bool = True
    picks: tuple[PickRequest, ...] = ()
    draws: int = 0

    def is_fresh(self) -> bool:
        return self.fresh

    def draw(self) -> Mapping[str, bytes]:
        self.draws += 1
        if self.fails:
            raise self.fails
        self.fresh = True
        return self.site

    def pick(self, wish: PickRequest) -> None:
        if wish.episode == "unknown":
            raise UsageError("there is no episode <unknown>")
        known = self.picks
        # Whoever else picks at this moment reads the same.
        threading.Event().wait(0.001)
        self.picks = (*known, wish)

    def unpick(self, wish: PickRequest) -> None:
        self.picks = tuple(pick for pick in self.picks if pick.episode != wish.episode)


@contextmanager
def serving(drawn: Drawn) -> Iterator[Browser]:
    preview = Preview(drawn, token=TOKEN, tell=list[str]().append)
    with serve_answers(preview.answer) as port:
        yield Browser(port)


@pytest.fixture
def drawn() -> Drawn:
    return Drawn()


@pytest.fixture
def browser(drawn: Drawn) -> Iterator[Browser]:
    with serving(drawn) as browser:
        yield browser


@cases(
    "path, media_type, body",
    case("the front page", "/", "text/html; charset=utf-8", "<h1>Front</h1>"),
    case("a query", "/index.html?a=b", "text/html; charset=utf-8", "<h1>Front</h1>"),
    case("XML", "/atom.xml", "application/xml; charset=utf-8", "<feed/>"),
    case("JSON", "/feed.json", "application/json", "{}"),
    case("text", "/robots.txt", "text/plain; charset=utf-8", "Heute: Größe"),
    case("a style sheet", "/style.css", "text/css; charset=utf-8", "p {}"),
    case("an image", "/cover.PNG", "image/png", "\ufffdPNG"),
    case("who knows", "/odd", "application/octet-stream", "odd"),
    case(
        "a folder with an odd name",
        "/source/gr%C3%B6%C3%9Fe/",
        "text/html; charset=utf-8",
        "<h1>Größe</h1>",
    ),
)
def test_a_file_comes_in_its_type(browser: Browser, path: str, media_type: str, body: str) -> None:
    said = browser.get(path)

    assert (said.status, said.headers["Content-Type"], said.body) == (200, media_type, body)


@pytest.mark.parametrize("path", ["/", "/nothing", "/source/one", "/-/pick"])
def test_no_answer_is_kept_guessed_at_or_framed(browser: Browser, path: str) -> None:
    said = browser.get(path)

    assert {name: said.headers[name] for name in sorted(said.headers) if name[:2] in "CaCoX-"} == {
        "Cache-Control": "no-store",
        "Content-Length": str(len(said.body)),
        "Content-Security-Policy": "frame-ancestors 'none'",
        "Content-Type": "text/html; charset=utf-8",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }


def test_a_folder_is_named_with_a_slash_at_its_end(browser: Browser) -> None:
    said = browser.get("/source/gr%C3%B6%C3%9Fe")

    assert (said.status, said.headers["Location"]) == (301, "/source/gr%C3%B6%C3%9Fe/")


@cases(
    "path",
    case("no file", "/nothing"),
    case("a folder without a page", "/source/"),
    case("up", "/../etc/passwd"),
    case("up and down", "/source/one/../../index.html"),
    case("up in code", "/%2e%2e/%2e%2e/etc/passwd"),
    case("from the root", "//etc/passwd"),
    case("from the root in code", "/%2fetc%2fpasswd"),
    case("a NUL", "/index.html%00.png"),
    case("no UTF-8", "/%ff%fe"),
    case("backslashes", "/source\\one\\index.html"),
    case("a whole address", "http://127.0.0.1/index.html"),
    case("everything", "*"),
)
def test_where_nothing_is_the_page_of_the_site_for_that_comes(browser: Browser, path: str) -> None:
    said = browser.get(path)

    assert (said.status, said.body) == (404, "<h1>Nothing</h1>")


def test_without_a_site_in_the_folder_itself_its_address_leads_to_an_edition() -> None:
    site = {"calm/about/index.html": b"about", "calm/index.html": b"calm", "b/x/index.html": b"x"}
    with serving(Drawn(site)) as browser:
        answer = browser.get("/")

    assert (answer.status, answer.headers["Location"]) == (303, "/calm/")


def test_a_site_without_such_a_page_gets_one_that_escapes_what_was_asked() -> None:
    with serving(Drawn(site={})) as browser:
        said = browser.get("/<script>alert(1)</script>")

    assert said.status == 404
    assert '<pre style="white-space: pre-wrap">/&lt;script&gt;alert(1)&lt;/script' in said.body


def test_a_head_is_an_answer_without_its_body(browser: Browser) -> None:
    said = browser.ask("HEAD", "/", {"Host": f"localhost:{browser.port}"})

    assert (said.status, said.headers["Content-Length"], said.body) == (200, "14", "")


def test_the_secret_stands_in_forms_and_nowhere_else(browser: Browser) -> None:
    said = browser.get("/source/one/")

    assert said.body == f"<h1>One</h1>{FORM.replace('PLANET-PICK-TOKEN', TOKEN)}{WORDS}"


def test_a_page_is_drawn_again_when_something_has_changed(drawn: Drawn, browser: Browser) -> None:
    browser.get("/")
    before = drawn.draws
    drawn.site, drawn.fresh = {"index.html": b"New"}, False
    said = [browser.get("/").body, browser.get("/").body]

    assert (before, drawn.draws, said) == (1, 2, ["New", "New"])


def test_a_form_of_a_page_picks_and_leads_back_to_it(drawn: Drawn, browser: Browser) -> None:
    said = browser.post(list="trips", note="Fühl “mich” & <you>\r\n")

    assert (said.status, said.headers["Location"]) == (303, "/source/one/index.html")
    wish = PickRequest(episode="0123456789", list="trips", note="Fühl “mich” & <you>")
    assert drawn.picks == (wish,)


def test_a_form_of_a_page_puts_back_what_was_picked(drawn: Drawn, browser: Browser) -> None:
    browser.post()
    browser.post(episode="other")
    said = browser.post("/-/unpick")

    assert said.status == 303
    assert drawn.picks == (PickRequest(episode="other"),)


@cases(
    "referer",
    case("another site", "https://evil.example/"),
    case("a path we have", "https://evil.example/source/one/index.html"),
    case("no scheme", "//evil.example/"),
    case("two slashes", "http://127.0.0.1:PORT//evil.example/"),
    case("a backslash", "http://127.0.0.1:PORT/\\evil.example/"),
    case("a name before the host", "http://127.0.0.1:PORT@evil.example/"),
    case("no address", "http://["),
    case("a page that is not there", "http://127.0.0.1:PORT/nothing"),
)
def test_nobody_is_sent_anywhere_else(browser: Browser, referer: str) -> None:
    said = browser.post(Referer=referer)

    assert (said.status, said.headers["Location"]) == (303, "/index.html")


@cases(
    "changed, without, status",
    case("a name that leads here", {"Host": "evil.example:PORT"}, "", 403),
    case("no port", {"Host": "127.0.0.1"}, "", 403),
    case("another port", {"Host": "127.0.0.1:1"}, "", 403),
    case("a longer name", {"Host": "127.0.0.1.evil.example:PORT"}, "", 403),
    case("another address of this machine", {"Host": "[::1]:PORT"}, "", 403),
    case("no host", {}, "Host", 403),
    case("another site", {"Sec_Fetch_Site": "cross-site"}, "", 403),
    case("another port, it says", {"Sec_Fetch_Site": "same-site"}, "", 403),
    case("no site", {"Sec_Fetch_Site": "none"}, "", 403),
    case("another origin", {"Origin": "https://evil.example"}, "", 403),
    case("the origin of another port", {"Origin": "http://127.0.0.1:1"}, "", 403),
    case("another scheme", {"Origin": "https://127.0.0.1:PORT"}, "", 403),
    case("our other name", {"Origin": "http://localhost:PORT"}, "", 403),
    case("an empty origin", {"Origin": ""}, "", 403),
    case("no secret", {}, "token", 403),
    case("an empty secret", {"token": ""}, "", 403),
    case("what stands for the secret", {"token": "PLANET-PICK-TOKEN"}, "", 403),
    case("another secret", {"token": "ä-secret"}, "", 403),
    case("no form", {"Content_Type": "text/plain"}, "", 400),
    case("a body of no type", {}, "Content-Type", 400),
    case("no such episode", {"episode": "unknown"}, "", 400),
    case("a length that is none", {"Content_Length": "-1"}, "", 411),
    case("chunks", {"Transfer_Encoding": "chunked"}, "", 411),
    case("a form that is too long", {"Content_Length": str(MOST + 1)}, "", 413),
)
def test_nothing_else_picks(
    drawn: Drawn, browser: Browser, changed: dict[str, str], without: str, status: int
) -> None:
    said = browser.post(without=without, **changed)

    assert (said.status, drawn.picks) == (status, ())


@cases(
    "body",
    case("a field twice", b"token=a-secret&episode=1&episode=2"),
    case("two secrets", b"token=a-secret&token=a-secret"),
    case("no UTF-8", b"token=a-secret&episode=%ff"),
    case("bytes beyond ASCII", b"token=a-secret&episode=\xc3\xb6"),
    case("no value", b"token=a-secret&episode"),
    case("too many fields", b"token=a-secret" + b"&a=" * 30),
)
def test_an_unreadable_form_picks_nothing(drawn: Drawn, browser: Browser, body: bytes) -> None:
    said = browser.post("/-/pick", body)

    assert (said.status, drawn.picks) == (400, ())


@cases(
    "method, path, status",
    case("a link", "GET", f"/-/pick?token={TOKEN}&episode=1", 404),
    case("nearly the path", "POST", "/-/pick/", 404),
    case("less than the path", "POST", "/pick", 404),
    case("a page", "POST", "/", 404),
    case("another method", "PUT", "/-/pick", 501),
    case("yet another", "DELETE", "/index.html", 501),
)
def test_only_a_form_sent_to_its_place_changes_anything(
    drawn: Drawn, browser: Browser, method: str, path: str, status: int
) -> None:
    headers = {"Host": f"127.0.0.1:{browser.port}", "Content-Length": "0"}
    said = browser.ask(method, path, headers)

    assert (said.status, drawn.picks) == (status, ())


def test_what_is_wrong_with_a_pick_is_said_in_words_that_are_escaped(browser: Browser) -> None:
    said = browser.post(episode="unknown")

    assert "there is no episode &lt;unknown&gt;" in said.body
