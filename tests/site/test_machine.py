"""What machines read of a site: planet.json, _headers, manifest; and the search page."""

import json
import re
import struct

import pytest

from planet import __version__
from planet.model import Pages
from planet.site.pages import load_theme
from tests.site.editions import (
    Document,
    drawn,
    make_audio,
    make_digest,
    make_edition,
    make_post,
    make_source,
    make_whole_edition,
)

LINK = "https://planet.example/"


def test_planet_json_is_the_site_in_a_nutshell() -> None:
    one = make_source("one")
    edition = make_edition(
        make_post(1, one, enclosures=(make_audio(),)),
        sources=[one, make_source("two")],
        link=LINK,
        description="About",
        digests=(make_digest(20),),
    )

    assert json.loads(drawn(edition)["planet.json"]) == {
        "version": 1,
        "generator": f"Planet {__version__}",
        "title": "Planet Example",
        "link": LINK,
        "description": "About",
        "language": "en",
        "updated": "2026-11-20T11:00:00+00:00",
        "as_of": None,
        "counts": {"posts": 1, "sources": 2},
        "feeds": [
            {"format": "atom", "path": "atom.xml", "media_type": "application/atom+xml"},
            {"format": "json", "path": "feed.json", "media_type": "application/feed+json"},
            {"format": "podcast", "path": "podcast.xml", "media_type": "application/rss+xml"},
            {"format": "digest", "path": "digest.xml", "media_type": "application/atom+xml"},
            {"format": "opml", "path": "opml.xml", "media_type": "text/x-opml"},
        ],
    }


# Headers and the script


def rules(text: bytes) -> dict[str, dict[str, str]]:
    """The fields of each rule of a `_headers`, by its path."""
    found: dict[str, dict[str, str]] = {}
    for line in text.decode().splitlines():
        if line.startswith("/"):
            path = line
            found[path] = {}
        elif line:
            name, _, said = line.strip().partition(": ")
            found[path][name] = said
    return found


def test_headers_say_what_each_feed_is_and_that_anyone_may_read_it() -> None:
    found = rules(drawn(make_edition(make_post()))["_headers"])

    assert found["/:kind/:name/atom.xml"] == {
        "Content-Type": "application/atom+xml; charset=utf-8",
        "Cache-Control": "public, max-age=300",
        "Access-Control-Allow-Origin": "*",
    }
    assert found["/planet.json"]["Content-Type"] == "application/json; charset=utf-8"
    assert found["/*"]["Referrer-Policy"] == "no-referrer"
    assert found["/*"]["X-Content-Type-Options"] == "nosniff"


def test_a_manifest_says_how_a_phone_installs_the_site() -> None:
    edition = make_edition(title="كوكب", description="Ours.", language="ar", link=f"{LINK}sub/")

    manifest = json.loads(drawn(edition)["manifest.webmanifest"])

    assert manifest == {
        "name": "كوكب",
        "description": "Ours.",
        "lang": "ar",
        "dir": "rtl",
        "start_url": "./",
        "display": "minimal-ui",
        "icons": [
            {"src": "icon.svg", "type": "image/svg+xml", "sizes": "any"},
            {"src": "icon.png", "type": "image/png", "sizes": "512x512", "purpose": "any maskable"},
        ],
    }
    icon = load_theme("default").static["icon.png"]
    assert struct.unpack(">II", icon[16:24]) == (512, 512)


def test_pages_ask_for_sheets_and_scripts_by_their_content_and_may_keep_them() -> None:
    pages = Pages(script=True, search=True)
    site = drawn(make_whole_edition(), pages=pages)
    other = load_theme("default", options={"accent": "#005500"})
    changed = drawn(make_whole_edition(), pages=pages, theme=other)

    kept = rules(site["_headers"])
    names = {named(site[path]) for path in site if path.endswith("index.html")}
    asked = {name for several in names for name in several}
    # Those of Pagefind come with the index.
    asked -= {"pagefind/pagefind-ui.css", "pagefind/pagefind-ui.js"}
    plain = {re.sub(r"\.[0-9a-f]{10}\.", ".", name) for name in asked}
    assert {"style.css", "archive.css", "planet.js", "search/search.js"} <= plain <= site.keys()
    for name in asked:
        assert site[name] == site[re.sub(r"\.[0-9a-f]{10}\.", ".", name)]
        assert kept[f"/{name}"] == {"Cache-Control": "public, max-age=31536000, immutable"}
    assert named(changed["index.html"]) - named(site["index.html"]) <= changed.keys() - site.keys()
    assert len(named(changed["index.html"]) - named(site["index.html"])) == 1


def named(page: bytes) -> frozenset[str]:
    """The style sheets and scripts that a page asks for, by their paths on the site."""
    asked = re.findall(rb'<(?:link rel="stylesheet" href|script src)="(?:\.\./)*([^"]+)"', page)
    return frozenset(name.decode() for name in asked)


def test_pages_have_a_script_only_where_it_is_wanted() -> None:
    without = drawn(make_whole_edition())
    with_it = drawn(make_whole_edition(), pages=Pages(script=True))

    assert "planet.js" not in without
    assert len(with_it["planet.js"]) <= 3_750
    for path in (path for path in without if path.endswith(".html")):
        assert "script-src" not in policy(without[path])
        assert Document(without[path]).all("script") == []
        assert "script-src 'self';" in policy(with_it[path])
        assert len(Document(with_it[path]).all("script")) == 1
    assert b"script-src" not in without["_headers"]
    assert b"script-src 'self';" in with_it["_headers"]


def policy(page: bytes) -> str:
    (meta,) = Document(page).all("meta", http_equiv="Content-Security-Policy")
    return meta["content"]


WIDE = "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; "
PAGE, SCRIPT = "search/index.html", "search/search.js"


def rule(headers: bytes) -> str:
    """The policy that is sent with every file."""
    (line,) = (line for line in headers.decode().splitlines() if "Security-Policy" in line)
    return line.partition(": ")[2]


def test_without_a_search_nothing_speaks_of_one() -> None:
    edition = make_whole_edition()

    without, with_it = drawn(edition), drawn(edition, pages=Pages(search=True))

    added = with_it.keys() - without.keys()
    assert {re.sub(r"\.[0-9a-f]{10}\.", ".", path) for path in added} == {PAGE, SCRIPT}
    mention = {path for path, body in without.items() if b"earch" in body}
    assert {path for path in mention if not path.endswith(".css")} == {"_headers"}


def test_only_the_page_with_the_search_may_ask_and_compute() -> None:
    site = drawn(make_whole_edition(), pages=Pages(search=True))

    wide = [path for path, page in site.items() if path.endswith(".html") and WIDE in policy(page)]
    narrow = [path for path in site if path.endswith(".html") and path not in wide]

    assert wide == [PAGE]
    assert [path for path in narrow if "script-src" in policy(site[path])] == []
    assert [path for path in narrow if Document(site[path]).all("script")] == []


@pytest.mark.parametrize("script", [False, True])
def test_what_hosts_send_forbids_nothing_that_the_page_allows(script: bool) -> None:
    site = drawn(make_edition(make_post()), pages=Pages(search=True, script=script))

    allowed = set(policy(site[PAGE]).split("; "))

    # No page can forbid to be framed.
    assert set(rule(site["_headers"]).split("; ")) == {
        *allowed,
        "font-src 'self'",
        "frame-ancestors 'none'",
    }


def test_the_page_is_complete_without_a_script() -> None:
    page = Document(drawn(make_edition(make_post()), pages=Pages(search=True))[PAGE])

    assert page.texts("noscript") == [
        "Searching needs JavaScript. "
        "Without it, the archive and the list of sources lead to every post."
    ]
    links = [link["href"] for link in page.all("a")]
    assert links.count("../archive/index.html") == links.count("../sources/index.html") == 2
