"""The examples of documents, run as they stand there, and what they say."""

import re
import shlex
from pathlib import Path

import pytest

from planet.config import load
from tests.docs import blocks, page, section
from tests.server import Response, Server
from tests.whole.conftest import DEMO, Planet, call, rss

COMMANDS = page("commands.md")
OF_A_PLANET = ("why", "preview", "check --online", "peek")
OF_LISTS = ("add", "remove", "import", "export")
SITE, HOME = "https://harbour-notes.example/feed", "https://blog.example/"


def shown(command: str) -> list[tuple[str, str]]:
    """The calls that the section about a command shows, each with what it prints."""
    console = "".join(blocks(section(COMMANDS, f"planet {command}"), "console"))
    return re.findall(r"^\$ planet (.*)\n((?:(?!\$ ).*\n)*)", console, re.MULTILINE)


def test_every_command_is_in_the_table_that_begins_the_page() -> None:
    table = COMMANDS.partition("\n## ")[0]
    listed = re.findall(r"`planet ([a-z]+)`", "".join(re.findall(r"^\| .*? \|", table, re.M)))

    commands = re.findall(r"^  (\w+)  ", call("--help").out.partition("Every day")[2], re.M)
    assert sorted(listed) == sorted([*commands, "schema"])


@pytest.mark.parametrize(
    ("command", "output"),
    [pytest.param(*each, id=each[0]) for command in OF_A_PLANET for each in shown(command)],
)
def test_a_command_says_what_the_page_says(
    folder: Path,
    a_planet: Planet,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    output: str,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    feed = server.feed("/feed", (DEMO / "harbour-notes.xml").read_bytes(), etag='"1"')
    a_planet.subscribe({"url": feed, "id": "harbour-notes"})
    if not command.startswith("check"):  # which is shown as for a planet that is new
        a_planet.build()
    (config,) = (text for text in blocks(COMMANDS, "yaml") if text.startswith("title: Coast\n"))
    (folder / "config.yaml").write_text(config.replace(SITE, feed), encoding="utf-8")

    _, out, err = call(*shlex.split(command.replace(SITE, feed)))

    # But for what depends on the machine.
    texts = [(out + err).replace(feed, SITE), output]
    for pattern, word in {r"It is due: .*|It is asked again at .*": "", r"\d+ kB": "N kB"}.items():
        texts = [re.sub(pattern, word, text) for text in texts]
    assert texts[0] == texts[1]


def test_the_page_shows_what_commands_do_to_lists(folder: Path, server: Server) -> None:
    new, there = "https://new.example/feed", "https://there.example/feed"
    outlines = f'<outline text="There" xmlUrl="{there}"/>\n<outline text="New" xmlUrl="{new}"/>'
    files = {
        "config.yaml": f"title: T\nfetch:\n  host_gap: 0s\nfeeds:\n  - {there}\n",
        "friends.opml": f'<opml version="2.0">\n<body>\n{outlines}\n</body>\n</opml>\n',
        "config.ini": "[Planet]\nname = Ours\ncache_directory = cache\n"
        "link = https://planet.example/\n\n[http://one.example/feed]\nface = one.png\n"
        "facewidth = 64\nirc = ann\n\n[http://two.example/feed]\n\nfacewidth = 64\n",
    }
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    link = "<link rel=alternate type=application/rss+xml href="
    body = f"{link}feed>{link}comments title=Comments>".encode()
    home = server.script("/", Response(headers=(("Content-Type", "text/html"),), body=body))
    server.feed("/feed", rss("Low tide", "High tide", name="A harbour blog"))
    seen = []

    for command in OF_LISTS:
        for words, printed in shown(command):
            _, out, err = call(*shlex.split(words.replace(HOME, home)))
            # What comes after it is advice, and told on the page in other words.
            assert (out + err).replace(home, HOME).startswith(printed), words
            seen.append(words.split()[0])
            if len(seen) == 1:
                call("fetch", "-q", "--feed", server.url("/feed"))

    assert seen == ["add", "add", "remove", "import", "import", "export"]


MOVING = {
    "config.ini": "[Planet]\nname = P\nlink = https://p.example/\n[{feed}]\nname = One\n",
    "planet.ini": "title = P\n[one]\ntitle = One\nfeed = {feed}\n",
    "feeds.csv": "name,feed\nOne,{feed}\n",
    "feeds.txt": "# ours\n{feed}\n",
    "feeds.opml": (
        '<opml version="2.0"><head><title>P</title></head><body>'
        '<outline text="One" xmlUrl="{feed}"/></body></opml>'
    ),
}
"""For each file that docs/moving.md takes over, one like it."""
IMPORTS = re.findall(r"^planet (import .*)$", page("moving.md"), re.MULTILINE)


@pytest.mark.parametrize("command", IMPORTS)
def test_a_config_taken_over_makes_a_site(command: str, folder: Path, server: Server) -> None:
    address = server.feed("/one", rss("a"))
    name = command.split()[-1]
    Path(name).write_text(MOVING[name].format(feed=address), encoding="utf-8")

    imported = call(*command.split()).code
    (feed,) = load(folder / "config.yaml", environ={}).feeds

    assert (imported, feed.name or "One", feed.url) == (0, "One", address)
    assert call("build").code == 0
    assert "One" in Path("public/index.html").read_text(encoding="utf-8")


def test_a_readme_shows_how_to_begin() -> None:
    readme = page("../README.md")

    commands = "pip install . && planet demo\n", "pip install '.[test]' && pytest\n"
    assert tuple(blocks(readme, "console")) == commands
    assert "](docs/start.md)" in readme
