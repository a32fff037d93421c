"""`planet import` and `planet export`: lists and other planets in, a list out, nothing lost."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from planet.config import load
from planet.model import Feed
from tests.cases import case, cases
from tests.server import Server
from tests.whole.conftest import call, rss

CONFIG = "title: T  # ours\nfeeds:\n  - https://there.example/feed\n# end\n"
OPML = """\
<opml version="2.0"><head><title>L</title></head><body>
<outline text="Folder">
  <outline text="One: the first" xmlUrl="https://one.example/feed" htmlUrl="https://one.example/"
    category="/a/b,c"/>
</outline>
<outline text="There" xmlUrl="http://there.example/feed"/>
<outline text="${HOME} ::x" xmlUrl="https://two.example/feed"/>
<outline text="Twice" xmlUrl="https://two.example/feed"/>
<outline text="File" xmlUrl="file:///etc/passwd"/>
</body></opml>
"""


pytestmark = pytest.mark.usefixtures("folder")


def config(folder: Path) -> str:
    return (folder / "config.yaml").read_text(encoding="utf-8")


def feeds(folder: Path, name: str = "config.yaml") -> dict[str, Feed]:
    return {feed.url: feed for feed in load(folder / name, environ={"HOME": "secret"}).feeds}


def test_a_list_is_added_and_what_is_there_stays_as_it_is(folder: Path) -> None:
    (folder / "config.yaml").write_text(CONFIG)
    (folder / "list.opml").write_text(OPML)

    code, out, err = call("import", "list.opml")

    assert code == 0, err
    assert out.splitlines() == [
        "There already:",
        "  list.opml:6:1  http://there.example/feed is there already: config.yaml:3:5",
        "  list.opml:8:1  https://two.example/feed is there already: list.opml:7:1",
        "Feeds not taken over:",
        '  list.opml:9:1  xmlUrl of File is not a web address; write it bare, without blanks, "<" '
        'and ">"',
        "2 feeds taken into config.yaml, 2 there already, 1 not taken",
    ]
    assert config(folder) == (
        "title: T  # ours\nfeeds:\n  - https://there.example/feed\n"
        "  - url: https://one.example/feed\n    name: 'One: the first'\n    tags:\n"
        "      - Folder\n      - a\n      - b\n      - c\n    link: https://one.example/\n"
        "  - url: https://two.example/feed\n    name: $ {HOME} ::x\n# end\n"
    )
    assert "secret" not in str(feeds(folder))


@pytest.mark.parametrize(
    ("name", "text", "new", "twice", "not_taken"),
    [
        ("list.opml", OPML, 3, 1, 1),
        ("list.txt", "acct:ann@a.example\n@ann@a.example\nat://Cleo.example\nacct:x\n", 2, 1, 1),
    ],
)
def test_a_second_time_nothing_is_new(
    name: str, text: str, new: int, twice: int, not_taken: int, folder: Path
) -> None:
    (folder / name).write_text(text)
    first = call("import", name)
    before = config(folder)

    again = call("import", name)

    left = f"there already, {not_taken} not taken\n"
    assert (first[0], again[0]) == (0, 0)
    assert first[1].endswith(f"{new} feeds taken into a new config.yaml, {twice} {left}")
    assert again[1].endswith(f"0 feeds taken into config.yaml, {new + twice} {left}")
    assert config(folder) == before
    assert before.startswith("# yaml-language-server: $schema=https://")


def test_feeds_that_are_not_taken_are_counted_apart_from_settings(folder: Path) -> None:
    (folder / "old.ini").write_text(
        "[Planet]\ncache_directory = c\n[feed://a.example/f]\nfacewidth = 1\nxml_base = x\n"
        "[c.example/f]\nface = y\n[http://d.example/l]\ncontent_type = foaf\n[cache/f.xml]\n"
        "[feed://a.example/f]\nname = A\n"
    )

    code, out, err = call("import", "old.ini")

    assert code == 0, err
    assert out.splitlines() == [
        "Feeds not taken over:",
        "  old.ini:6:1  [c.example/f] is no feed: it has no web address",
        "  old.ini:8:1  http://d.example/l is a list in foaf; import that, too",
        "  old.ini:10:1  [cache/f.xml] is no feed: it has no web address",
        "Settings not taken over:",
        "  old.ini:2:1  cache_directory has no setting here",
        "  old.ini:5:1  xml_base is kept under extra, for templates of your own",
        "1 feed taken into a new config.yaml, 0 there already, 3 not taken",
    ]
    assert "`planet check --online` asks each feed once" in err
    (feed,) = feeds(folder).values()
    assert (feed.url, feed.name) == ("https://a.example/f", "A")


@cases(
    "arguments, words",
    case("nothing", [], "Missing argument"),
    case("no such file", ["none.opml"], "none.opml cannot be read"),
    case("no list", ["note.txt"], "this is no list of feeds"),
    case("no feed", ["empty.opml", "--config", "new.yaml"], "there is no feed in it"),
)
def test_what_cannot_be_imported_is_refused(folder: Path, arguments: list[str], words: str) -> None:
    (folder / "config.yaml").write_text(CONFIG)
    (folder / "list.opml").write_text(OPML)
    (folder / "empty.opml").write_text("<opml/>")
    (folder / "note.txt").write_text("nothing\nto read\n")

    code, _, err = call("import", *arguments)

    assert code == 2
    assert words in err
    assert (config(folder), (folder / "new.yaml").exists()) == (CONFIG, False)


def test_a_planet_is_added_to_one_that_says_for_itself_what_it_is(folder: Path) -> None:
    (folder / "config.yaml").write_text(CONFIG)
    (folder / "old.ini").write_text(
        "[Planet]\nname = Old\n[http://a.example/f]\n[http://b.example/l]\ncontent_type = opml\n"
        "[cache/feed.xml]\n[c.example/f]\n"
    )

    code, out, err = call("import", "old.ini")

    assert code == 0, err
    assert "config.yaml stays as it is, without the title of the other planet" in out
    assert "old.ini:6:1  [cache/feed.xml] is no feed" in out
    assert "1 feed and 1 subscription list taken into config.yaml" in out
    planet = load(folder / "config.yaml", environ={})
    assert planet.title == "T"
    assert [each.url for each in (*planet.feeds, *planet.subscriptions)] == [
        "https://there.example/feed",
        "http://a.example/f",
        "http://b.example/l",
    ]


EXPORTED = """\
title: "T & co"
owner: {name: Ann, url: "https://ann.example/"}
feeds:
  - {url: "https://a.example/f", name: 'A <"> ☃', tags: [one, "two, too", c/d], link: "https://a.example/",
     links: {GitHub: "https://github.com/a", My roll: "https://a.example/r", "写真": "https://a.example/p",
             email: a@a.example}}
  - {url: "https://b.example/f?key=geheim", name: Secret}
  - {url: "https://c.example/f?u=${KEY}", name: Hidden, id: h}
  - {url: "https://d.example/f", enabled: false}
  - {url: "https://e.example/f", auth: {user: ann, password: geheim}}
  - local.xml
  - acct:ann@social.example
subscriptions: [list.opml]
"""


def test_feeds_are_written_as_a_list_redact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "geheim")
    (tmp_path / "config.yaml").write_text(EXPORTED, encoding="utf-8")
    (tmp_path / "list.opml").write_text(
        "<opml><outline text='L' xmlUrl='https://l.test/f'/></opml>"
    )

    code, out, err = call("export")

    folder, *outlines = [each.attrib for each in ET.fromstring(out.encode()).iter("outline")]
    assert code == 0
    assert err == "4 feeds are left out: a file, a name, or an address with a secret in it\n"
    assert [
        (outline["text"], outline["xmlUrl"], outline.get("htmlUrl")) for outline in outlines
    ] == [
        ('A <"> ☃', "https://a.example/f", "https://a.example/"),
        ("https://e.example/f", "https://e.example/f", None),
        ("L", "https://l.test/f", None),
    ]
    assert folder == {"text": "one", "title": "one"}
    assert outlines[0]["category"] == "one,two too,c d"
    assert {name.rpartition("}")[2]: url for name, url in outlines[0].items() if "}" in name} == {
        "GitHub": "https://github.com/a",
        "My-roll": "https://a.example/r",
        "page-3": "https://a.example/p",
    }
    assert "geheim" not in out


def test_what_was_exported_comes_back_and_goes_out_the_same(
    folder: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "geheim")
    url = server.feed("/feed", rss("a", name="A blog"))
    more = EXPORTED.partition("  - local.xml\n")[0] + f"  - {url}\n"
    (folder / "config.yaml").write_text(more + "fetch: {host_gap: 0s}\n", encoding="utf-8")
    call("fetch", "--feed", url)

    call("export", "one.opml")
    call("import", "one.opml", "--config", "two.yaml")
    call("export", "--config", "two.yaml", "--state", "none", "two.opml")
    call("import", "two.opml", "--config", "three.yaml")

    one, two = ((folder / f"{name}.opml").read_text("utf-8") for name in ("one", "two"))
    outlines = re.findall("<outline.*", one)
    assert len(outlines) == 4
    assert "A blog" in one
    # The pages of whoever writes a feed are for other programs.
    assert re.findall("<outline.*", two) == [
        re.sub(r' link:\S+="[^"]*"', "", line) for line in outlines
    ]
    assert (folder / "two.yaml").read_bytes() == (folder / "three.yaml").read_bytes()
