"""What `docs/commands.md` shows of add, remove, import and export is what they do."""

import re
import shlex
from pathlib import Path

import pytest

from planet.cli import main
from tests.server import Response, Server
from tests.whole.conftest import rss

DOCS = (Path(__file__).parents[2] / "docs/commands.md").read_text(encoding="utf-8")
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

[http://two.example/feed]
"""


def shown(command: str) -> list[tuple[list[str], str]]:
    """The calls that the section about a command shows, each with what it prints."""
    section = re.search(rf"^## planet {command}\n(.*?)(?=^## |\Z)", DOCS, re.DOTALL | re.MULTILINE)
    assert section, f"docs/commands.md has no section about planet {command}"
    blocks = re.findall(r"^```console\n(.*?)^```", section[1], re.DOTALL | re.MULTILINE)
    calls = re.findall(r"^\$ planet (.*)\n((?:(?!\$ ).*\n)*)", "".join(blocks), re.MULTILINE)
    return [(shlex.split(call), printed) for call, printed in calls]


def test_the_page_shows_what_the_commands_do(
    tmp_path: Path,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLANET_CONFIG", raising=False)
    files = {"config.yaml": CONFIG, "friends.opml": FRIENDS, "config.ini": VENUS}
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    headers = (("Content-Type", "text/html"),)
    home = server.script("/", Response(headers=headers, body=HOME.encode()))
    server.feed("/feed", rss("Low tide", "High tide", name="A harbour blog"))
    seen = []

    for command in ("add", "remove", "import", "export"):
        for call, printed in shown(command):
            main([each.replace("https://blog.example/", home) for each in call])
            said = capsys.readouterr()
            everything = (said.out + said.err).replace(home, "https://blog.example/")
            # What comes after it is advice, and told on the page in other words.
            assert everything.startswith(printed), call
            seen.append(call[0])
            if call[0] == "add" and len(seen) == 1:
                main(["fetch", "-q", "--feed", server.url("/feed")])
                capsys.readouterr()

    assert seen == ["add", "add", "remove", "import", "import", "export"]
