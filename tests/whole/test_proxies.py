"""Whole runs behind a proxy that the environment names."""

from base64 import b64encode
from pathlib import Path

import pytest

from tests.processes import files
from tests.server import Response, Server
from tests.whole.conftest import call, rss, write_config

pytestmark = pytest.mark.usefixtures("folder")
FEED = "http://feeds.example/feed"
SECRETS = ("geheim", b64encode(b"ada:geheim").decode())


@pytest.fixture
def proxy(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    where = server.url("").removeprefix("http://")
    monkeypatch.setenv("HTTP_PROXY", f"http://ada:geheim@{where}")
    return server


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        (Response(body=rss("a", name="One")), 0),
        (Response(status=407, headers=(("Proxy-Authenticate", "Basic"),)), 1),
        (Response(raw=f"HTTP/1.1 502 {' '.join(SECRETS)}\r\n\r\n".encode()), 1),
    ],
    ids=["answers", "refuses", "fails"],
)
def test_the_password_of_a_proxy_is_told_nobody_and_not_kept_whatever_it_answers(
    folder: Path, proxy: Server, answer: Response, failed: int
) -> None:
    write_config(folder, FEED)
    proxy.script(FEED, answer)

    _, out, err = call("build", "--json", "--verbose")
    _, status, _ = call("status", "--json")

    (request,) = proxy.requests
    assert request.header("Proxy-Authorization") == f"Basic {SECRETS[1]}"
    assert f"{failed} failed" in err
    kept = b"".join(files(folder).values()).decode("latin-1")
    assert [secret for secret in SECRETS if secret in out + err + status + kept] == []


def test_a_proxy_that_is_down_is_a_fault_of_the_network(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://ada:geheim@127.0.0.1:9")
    write_config(folder, *(f"http://{letter}.example/feed" for letter in "abcdefghijkl"))

    code, out, err = call("build")

    assert code == 4
    assert "geheim" not in out + err
