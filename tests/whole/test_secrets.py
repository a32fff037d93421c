"""What an address takes from the environment is told nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.whole.conftest import rss

if TYPE_CHECKING:
    from tests.server import Server
    from tests.whole.conftest import Planet

SECRET = "hush-4711"


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("{server}/feeds/${{TOKEN}}/rss", id="a part of its path"),
        pytest.param("{server}/rss?u=${{TOKEN}}", id="a parameter of any name"),
        pytest.param("${{WHOLE}}", id="all of it"),
    ],
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

    (heard,) = report.heard
    assert heard.outcome == "new"
    assert SECRET not in heard.line + str(heard.as_json())
    assert [path for path, body in a_planet.site().items() if SECRET.encode() in body] == []
    assert b"source/" in a_planet.site()["opml.xml"]
