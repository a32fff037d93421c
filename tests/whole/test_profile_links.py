"""Pages elsewhere of whoever writes a feed: from the config or the feed to pages and lists."""

import json
import re
from typing import Any

from tests.server import Server
from tests.whole.conftest import Planet, rss

ACCOUNTS = (
    b"<channel xmlns:source='http://source.scripting.com/'>"
    b"<source:account service='twitter'>tim</source:account>"
    b"<source:account service='email'>tim@tim.example</source:account>"
)
LINKS = {
    "mastodon": "@ann@social.example",
    "github": "ann",
    "My roll": "https://ann.example/roll",
    "写真": "https://ann.example/photos",
    "email": "ann@ann.example",
}


def cards(html: str) -> dict[str, str]:
    """The links of h-cards by their words, each with all its attributes."""
    header = html.partition("<h2")[0]
    return {
        words: attributes
        for attributes, words in re.findall(r'<a (class="u-[^>]*)>([^<]*)</a>', header)
    }


def test_links_are_on_the_pages_of_a_source_and_in_every_list(
    a_planet: Planet, server: Server
) -> None:
    from_feed = rss("a", name="Tim").replace(b"<channel>", ACCOUNTS)
    tim = server.feed("/tim", from_feed)
    ann: dict[str, Any] = {
        "url": server.feed("/ann", rss("b", name="Ann")),
        "name": "Ann",
        "links": LINKS,
    }
    ann["extra"] = {"irc": "<ann>"}
    none = {"url": server.feed("/none", from_feed), "name": "None", "id": "none", "links": {}}
    (a_planet.folder / "templates").mkdir()
    (a_planet.folder / "templates/source.html").write_text(
        '{% extends "!theme/source.html" %}{% block main %}{{ super() }}'
        "{% for post in posts if source.extra %}"
        "[{{ source.extra.irc }} {{ post.source.extra.irc }}]{% endfor %}"
        "{% endblock %}"
    )
    a_planet.subscribe(ann, tim, none)
    a_planet.build()

    pages = {name: a_planet.page(f"source/{name}/index.html") for name in ("ann", "none")}
    sources = a_planet.page("sources/index.html")
    summary = json.loads(a_planet.page("planet.json"))
    assert cards(pages["ann"]) == {
        "Website": 'class="u-url" href="https://ann.example/"',
        "Mastodon": 'class="u-url" rel="me" href="https://social.example/@ann"',
        "GitHub": 'class="u-url" rel="me" href="https://github.com/ann"',
        "My roll": 'class="u-url" rel="me" href="https://ann.example/roll"',
        "写真": 'class="u-url" rel="me" href="https://ann.example/photos"',
        "E-mail": 'class="u-email" rel="me" href="mailto:ann@ann.example"',
    }
    assert "[&lt;ann&gt; &lt;ann&gt;]" in pages["ann"]
    assert cards(pages["none"]) == {"Website": 'class="u-url" href="https://tim.example/"'}
    assert cards(sources)["X"] == 'class="u-url" href="https://x.com/tim"'
    assert len(cards(sources)) == 5
    assert {source["title"]: source["links"] for source in summary["sources"]} == {
        "Ann": {
            "mastodon": "https://social.example/@ann",
            "github": "https://github.com/ann",
            "My roll": "https://ann.example/roll",
            "写真": "https://ann.example/photos",
        },
        "None": {},
        "Tim": {"twitter": "https://x.com/tim"},
    }
    assert "tim@tim.example" not in json.dumps(summary) + sources
