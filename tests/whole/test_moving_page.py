"""`docs/moving.md`: each command on it, run with a file of the program it is for."""

from pathlib import Path

import pytest

from planet.cli import main
from planet.config import load
from tests.docs import blocks, page
from tests.server import Server
from tests.whole.conftest import rss

COMMANDS = [
    line
    for block in blocks(page("moving.md"), "console")
    for line in block.splitlines()
    if line.startswith("planet ")
]
FILES = {
    "config.ini": "[Planet]\nname = P\nlink = https://p.example/\n[{feed}]\nname = One\n",
    "planet.ini": "title = P\n[one]\ntitle = One\nfeed = {feed}\n",
    "osmosfeed.yaml": "siteTitle: P\nsources:\n  - href: {feed}\n",
    "feeds.csv": "name,feed\nOne,{feed}\n",
    "feeds.txt": "# ours\n{feed}\n",
    "feeds.opml": (
        '<opml version="2.0"><head><title>P</title></head><body>'
        '<outline text="One" xmlUrl="{feed}"/></body></opml>'
    ),
}


@pytest.mark.parametrize("command", [each for each in COMMANDS if "import" in each])
def test_a_config_taken_over_makes_a_site(command: str, folder: Path, server: Server) -> None:
    address = server.feed("/one", rss("a"))
    name = command.split()[-1]
    Path(name).write_text(FILES[name].format(feed=address), encoding="utf-8")

    codes = [main(command.split()[1:])]
    (feed,) = load(folder / "config.yaml", environ={}).feeds
    codes += [main(["check"]), main(["build"])]

    assert (feed.name or "One", feed.url) == ("One", address)
    assert codes == [0, 0, 0]
    assert "One" in Path("public/index.html").read_text(encoding="utf-8")


def test_these_are_all_the_commands_on_the_page() -> None:
    assert [command for command in COMMANDS if "import" not in command] == [
        "planet check",
        "planet check --online",
        "planet build",
        "planet serve",
    ]
    assert {command.split()[-1] for command in COMMANDS if "import" in command} == FILES.keys()
