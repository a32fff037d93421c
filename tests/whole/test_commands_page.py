"""docs/commands.md: the commands that answer questions, run as they stand there."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from planet.cli import main
from tests.server import Server
from tests.whole.conftest import DEMO, Planet

PAGE = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")
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
def publisher() -> Iterator[Server]:
    with Server() as server:
        server.feed("/feed", (DEMO / "harbour-notes.xml").read_bytes(), etag='"1"')
        yield server


@pytest.mark.parametrize(
    ("command", "output"), [pytest.param(call, said, id=call) for _, call, said in EXAMPLES]
)
def test_a_command_says_what_the_page_says(
    a_planet: Planet,
    publisher: Server,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    command: str,
    output: str,
) -> None:
    monkeypatch.chdir(a_planet.folder)
    monkeypatch.delenv("PLANET_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(a_planet.folder / "cache"))
    a_planet.subscribe({"url": publisher.url("/feed"), "id": "harbour-notes"})
    if not command.startswith("check"):  # which is shown as for a planet that is new
        a_planet.build()
    found = re.search(r"```yaml\n(title: Coast\n.*?)```", PAGE, re.DOTALL)
    assert found
    config = found[1].replace(SITE, publisher.url("/feed"))
    (a_planet.folder / "config.yaml").write_text(config, encoding="utf-8")

    main(shlex.split(command.replace(SITE, publisher.url("/feed"))))

    out, err = capfd.readouterr()
    assert settled(out + err, publisher) == settled(output, publisher)


def test_each_of_these_commands_is_shown() -> None:
    assert {section for section, *_ in EXAMPLES} == {*MINE}


def settled(text: str, publisher: Server) -> str:
    """What is printed, but for what depends on the machine."""
    text = text.replace(publisher.url("/feed"), SITE)
    text = re.sub(r"It is due: .*|It is asked again at .*", "(next)", text)
    return re.sub(r"\d+ kB", "N kB", text)
