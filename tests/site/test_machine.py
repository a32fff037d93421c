"""What machines read of a site: planet.json, robots.txt, _headers."""

import json
import re
import shutil
import struct
from pathlib import Path

from planet import __version__
from planet.model import Edition, Owner, Pages, PickList, Podcast, ProfileLink, Tag, ThemeOption
from planet.site.machine import write_headers
from planet.site.pages import load_theme, render
from tests.site.editions import (
    drawn,
    make_audio,
    make_digest,
    make_edition,
    make_post,
    make_source,
    make_whole_edition,
)
from tests.site.html import Document

LINK = "https://planet.example/"
LINKS = (
    ProfileLink(name="x", url="https://x.com/one"),
    ProfileLink(name="email", url="mailto:one@one.example"),
)
ONE = make_source("one", link="https://one.example/", links=LINKS, language="de", tags=("Heard",))
SECRET = make_source("secret", url="https://two.example/feed?token=secret", has_feeds=False)


def planet_json(edition: Edition) -> object:
    return json.loads(drawn(edition)["planet.json"])


def test_planet_json_is_the_site_in_a_nutshell() -> None:
    edition = make_edition(
        make_post(1, ONE, enclosures=(make_audio(),)),
        sources=[ONE, SECRET],
        link=LINK,
        description="About",
        owner=Owner(name="Robin", email="robin@planet.example", url="https://robin.example/"),
        tags=(Tag(name="Heard", slug="heard"),),
        lists=(PickList(name="long", podcast=Podcast(title="Long")),),
        digests=(make_digest(20),),
    )

    def feeds(folder: str, *formats: str) -> list[dict[str, str]]:
        known = {
            "atom": ("atom.xml", "application/atom+xml"),
            "json": ("feed.json", "application/feed+json"),
            "podcast": ("podcast.xml", "application/rss+xml"),
            "digest": ("digest.xml", "application/atom+xml"),
            "opml": ("opml.xml", "text/x-opml"),
        }
        return [
            {"format": name, "path": folder + known[name][0], "media_type": known[name][1]}
            for name in formats
        ]

    assert planet_json(edition) == {
        "version": 1,
        "generator": f"Planet {__version__}",
        "title": "Planet Example",
        "link": LINK,
        "description": "About",
        "owner": {"name": "Robin", "url": "https://robin.example/"},
        "language": "en",
        "languages": ["de", "en"],
        "timezone": "Europe/Berlin",
        "updated": "2026-11-20T11:00:00+00:00",
        "as_of": None,
        "counts": {"posts": 1, "sources": 2},
        "feeds": feeds("", "atom", "json", "podcast", "digest", "opml"),
        "sources": [
            {
                "slug": "one",
                "title": "One",
                "home": "https://one.example/",
                "feed": "https://one.example/feed",
                "links": {"x": "https://x.com/one"},
                "image": None,
                "language": "de",
                "tags": ["heard"],
                "posts": 1,
                "newest": "2026-11-20T11:00:00+00:00",
                "page": "source/one/",
                "feeds": feeds("source/one/", "atom", "json", "podcast"),
            },
            {
                "slug": "secret",
                "title": "Secret",
                "home": None,
                "feed": None,
                "links": {},
                "image": None,
                "language": None,
                "tags": [],
                "posts": 0,
                "newest": None,
                "page": "source/secret/",
                "feeds": [],
            },
        ],
        "tags": [
            {
                "name": "Heard",
                "slug": "heard",
                "page": "tag/heard/",
                "feeds": feeds("tag/heard/", "atom", "json", "podcast", "opml"),
            }
        ],
        "lists": [
            {
                "name": "long",
                "title": "Long",
                "page": "lists/long/",
                "feeds": feeds("lists/long/", "podcast", "atom"),
            }
        ],
        "digests": [{"name": "2026-11-20", "posts": 1, "page": "digest/2026-11-20/"}],
    }


def test_planet_json_of_an_empty_planet_knows_no_moment() -> None:
    said = planet_json(make_edition())

    assert isinstance(said, dict)
    assert said["updated"] is None


def test_all_that_planet_json_names_is_there() -> None:
    site = drawn(make_whole_edition())
    said = json.loads(site["planet.json"])

    places = [*said["sources"], *said["tags"], *said["lists"], *said["digests"]]
    assert {f"{place['page']}index.html" for place in places} <= site.keys()


def test_what_no_text_can_hold_breaks_no_document() -> None:
    document = drawn(make_whole_edition("\ud800 alone"))["planet.json"]

    assert " alone" in json.dumps(json.loads(document))


def test_robots_may_read_that_a_page_is_not_to_be_listed() -> None:
    assert drawn(make_edition(make_post()))["robots.txt"] == b"User-agent: *\nDisallow:\n"


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
    other = load_theme("default", options=(ThemeOption(name="accent", value="#005500"),))
    changed = drawn(make_whole_edition(), pages=pages, theme=other)

    kept = rules(site["_headers"])
    names = {named(site[path]) for path in site if path.endswith("index.html")}
    asked = {name for several in names for name in several}
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


def test_rules_hold_for_sites_in_folders_of_the_site() -> None:
    found = rules(write_headers(Pages(), {"": ["a.css"], "calm": ["b.css"], "x/y": []}).encode())

    assert found["/:site0/atom.xml"] == found["/atom.xml"]
    assert found["/:site0/:kind/:name/atom.xml"] == found["/atom.xml"]
    assert found["/:site0/:site1/planet.json"] == found["/planet.json"]
    assert found["/:site0/b.css"] == found["/a.css"]


def test_no_two_rules_say_the_same_field_of_a_file() -> None:
    found = rules(drawn(make_edition(make_post()))["_headers"])
    for_all = found.pop("/*")

    assert all(not for_all.keys() & fields for fields in found.values())


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


def test_the_rules_of_the_operator_replace_those_for_hosts(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(Path(__file__).parents[2] / "themes/default", folder)
    (folder / "static/_headers").write_text("/*\n  X-Mine: yes\n")

    made = render(
        make_edition(make_post()), theme=load_theme(folder), pages=Pages(), contents=lambda _: {}
    )

    assert [file.make() for file in made if file.path == "_headers"] == [b"/*\n  X-Mine: yes\n"]
