"""What the feeds of a planet link to, from their texts to its pages."""

import sqlite3
from contextlib import closing
from xml.sax.saxutils import escape

from tests.server import Server
from tests.whole.conftest import Planet, rss

TALKED_OF = "https://news.example/the-talk-of-the-day"


def linking(name: str, *links: str) -> bytes:
    text = escape("".join(f"<a href='{link}'>here</a> " for link in links))
    return rss("a", name=name).replace(b"&lt;p&gt;All about a.&lt;/p&gt;", text.encode())


def subscribe(a_planet: Planet, server: Server) -> None:
    a_planet.subscribe(
        {"url": server.feed("/1", linking("One", TALKED_OF, "https://two.example/a")), "id": "one"},
        {"url": server.feed("/2", linking("Two", f"{TALKED_OF}#top")), "id": "two"},
    )


def test_what_sources_link_to_is_on_the_page_of_links(a_planet: Planet, server: Server) -> None:
    subscribe(a_planet, server)

    a_planet.build()

    page = a_planet.page("links/index.html")
    assert f'<a href="{TALKED_OF}"><bdi>news.example/the-talk-of-the-day</bdi></a>' in page
    assert "https://two.example/a" in page


def test_links_of_texts_that_are_there_already_are_found(a_planet: Planet, server: Server) -> None:
    subscribe(a_planet, server)
    a_planet.build()
    before = a_planet.site()
    with closing(sqlite3.connect(a_planet.folder / "state/planet.sqlite")) as connection:
        connection.executescript("UPDATE text SET links = NULL")

    a_planet.settings["title"] = "Another"
    a_planet.build()
    after = a_planet.site()

    assert (
        after["links/index.html"].replace(b"Another", b"The Planet") == before["links/index.html"]
    )


def test_links_of_a_hidden_text_come_when_it_is_shown(a_planet: Planet, server: Server) -> None:
    subscribe(a_planet, server)
    a_planet.settings["new_feed_entries"] = 0
    a_planet.build()
    hidden = a_planet.page("links/index.html")

    a_planet.settings["new_feed_entries"] = "all"
    a_planet.build()

    assert TALKED_OF not in hidden
    assert TALKED_OF in a_planet.page("links/index.html")
