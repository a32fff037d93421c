"""docs/commands.md: the commands run as they stand there, and what they say."""

import re
import shlex
from pathlib import Path

import pytest

from tests.docs import blocks, page, section
from tests.server import Response, Server
from tests.whole.conftest import DEMO, Planet, call, rss

PAGE = page("commands.md")
SECTIONS = re.split(r"^## planet ", PAGE, flags=re.MULTILINE)
MINE = ("why", "preview", "links", "check --online", "peek", "purge")
EXAMPLES = [
    (section.partition("\n")[0], *found)
    for section in SECTIONS
    if section.partition("\n")[0] in MINE
    for found in re.findall(r"```console\n\$ planet (.*)\n((?:.*\n)*?)```", section)
]
SITE = "https://harbour-notes.example/feed"


@pytest.fixture
def publisher(server: Server) -> Server:
    server.feed("/feed", (DEMO / "harbour-notes.xml").read_bytes(), etag='"1"')
    return server


@pytest.mark.parametrize(
    ("command", "output"), [pytest.param(call, said, id=call) for _, call, said in EXAMPLES]
)
def test_a_command_says_what_the_page_says(
    folder: Path,
    a_planet: Planet,
    publisher: Server,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    output: str,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    a_planet.subscribe({"url": publisher.url("/feed"), "id": "harbour-notes"})
    if not command.startswith("check"):  # which is shown as for a planet that is new
        a_planet.build()
    found = re.search(r"```yaml\n(title: Coast\n.*?)```", PAGE, re.DOTALL)
    assert found
    config = found[1].replace(SITE, publisher.url("/feed"))
    (folder / "config.yaml").write_text(config, encoding="utf-8")

    _, out, err = call(*shlex.split(command.replace(SITE, publisher.url("/feed"))))

    assert settled(out + err, publisher) == settled(output, publisher)


def test_each_of_these_commands_is_shown() -> None:
    assert {section for section, *_ in EXAMPLES} == {*MINE}


def test_every_command_is_in_the_table_that_begins_the_page() -> None:
    listed = re.findall(r"`planet ([a-z]+)`", "".join(re.findall(r"^\| .*? \|", SECTIONS[0], re.M)))

    commands = re.findall(r"^  (\w+)  ", call("--help").out.partition("Every day")[2], re.M)
    assert sorted(listed) == sorted(commands)


def settled(text: str, publisher: Server) -> str:
    """What is printed, but for what depends on the machine."""
    text = text.replace(publisher.url("/feed"), SITE)
    text = re.sub(r"It is due: .*|It is asked again at .*", "(next)", text)
    return re.sub(r"\d+ kB", "N kB", text)


CONFIG = "title: T\nfetch:\n  host_gap: 0s\nfeeds:\n  - https://there.example/feed\n"
HOME = (
    "<link rel=alternate type=application/rss+xml href=feed>"
    "<link rel=alternate type=application/rss+xml href=comments title=Comments>"
)
FRIENDS = """\
<opml version="2.0">
<body>
<outline text="There" xmlUrl="https://there.example/feed"/>
<outline text="New" xmlUrl="https://new.example/feed"/>
</body>
</opml>
"""
VENUS = """\
[Planet]
name = Ours
cache_directory = cache
link = https://planet.example/

[http://one.example/feed]
face = one.png
facewidth = 64
irc = ann

[http://two.example/feed]

facewidth = 64
"""


def shown(command: str) -> list[tuple[list[str], str]]:
    """The calls that the section about a command shows, each with what it prints."""
    console = "".join(blocks(section(PAGE, f"planet {command}"), "console"))
    calls = re.findall(r"^\$ planet (.*)\n((?:(?!\$ ).*\n)*)", console, re.MULTILINE)
    return [(shlex.split(words), printed) for words, printed in calls]


def test_the_page_shows_what_commands_do_to_lists(folder: Path, server: Server) -> None:
    files = {"config.yaml": CONFIG, "friends.opml": FRIENDS, "config.ini": VENUS}
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    headers = (("Content-Type", "text/html"),)
    home = server.script("/", Response(headers=headers, body=HOME.encode()))
    server.feed("/feed", rss("Low tide", "High tide", name="A harbour blog"))
    seen = []

    for command in ("add", "remove", "import", "export"):
        for words, printed in shown(command):
            asked = [word.replace("https://blog.example/", home) for word in words]
            _, out, err = call(*asked)
            everything = (out + err).replace(home, "https://blog.example/")
            # What comes after it is advice, and told on the page in other words.
            assert everything.startswith(printed), words
            seen.append(words[0])
            if words[0] == "add" and len(seen) == 1:
                call("fetch", "-q", "--feed", server.url("/feed"))

    assert seen == ["add", "add", "remove", "import", "import", "export"]
