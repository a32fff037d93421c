"""Planet from Python: the examples of docs/python.md, run as their readers would run them."""

import re
import subprocess
from pathlib import Path

import pytest

import planet
import planet.errors
from planet.api import Planet
from planet.errors import ConfigError
from tests.docs import section
from tests.processes import python
from tests.server import Response, Server
from tests.whole.conftest import DEMO, rss

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
SITE = "https://harbour-notes.example"
KIND = re.compile(r'(?:Fetch|Parse|Feed)Error\(\s*"(\w+)"')
ELSEWHERE = {"bad_list", "out_of_time"}
"""Of subscription lists, and of runs with a budget."""


@pytest.fixture
def publisher(server: Server) -> Server:
    """Harbour Notes on loopback."""
    server.feed("/feed", (DEMO / "harbour-notes.xml").read_bytes(), etag='"1"')
    server.script("/gone", Response(status=404))
    return server


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(code, encoding="utf-8")
    return python(str(script), folder=folder, XDG_CACHE_HOME=str(folder / "cache"))


def test_examples_print_as_shown(tmp_path: Path, publisher: Server) -> None:
    """In one process, each in a folder of its own; the one that sets up logging is the last."""
    examples = sorted(EXAMPLES, key=lambda example: "logging" in example[0])
    script = ["import os"]
    for number, (code, _) in enumerate(examples):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "config.yaml").write_text(
            f"title: P\nfetch: {{host_gap: 0s}}\nfeeds: ['{publisher.url('/feed')}']\n"
        )
        if "planet.status()" in code:
            Planet.from_config(folder / "config.yaml").build()
        there = f"os.chdir({str(folder)!r}); os.environ['XDG_CACHE_HOME'] = {str(folder)!r}"
        here = re.sub(f"{SITE}(?=/(feed|gone))", publisher.url(""), code)
        script += [there, here, "print('----')"]

    done = run("\n".join(script), tmp_path)

    assert done.stderr == ""
    assert done.stdout.split("----\n") == [*(printed for _, printed in examples), ""]


def test_every_example_on_the_page_is_run() -> None:
    assert len(EXAMPLES) == PAGE.count("```python") == 6


def test_every_error_is_on_the_page() -> None:
    table = section(PAGE, "When it fails")
    sources = [file.read_text(encoding="utf-8") for file in (ROOT / "planet").rglob("*.py")]
    kinds = {kind for text in sources for kind in KIND.findall(text)} - ELSEWHERE
    errors = {name for name in vars(planet.errors) if name.endswith("Error")}

    assert len(kinds) > 20
    assert kinds - set(re.findall(r"`(\w+)`", table)) == set()
    assert errors - set(re.findall(r"`(\w+)`", PAGE)) <= {"FetchError", "ParseError"}


def test_every_name_that_is_offered_is_there() -> None:
    assert all(getattr(planet, name).__name__ == name for name in planet.__all__)
    assert set(planet.__all__) <= set(re.findall(r"`(\w+)`", PAGE))


def test_importing_the_package_loads_nothing_of_it(tmp_path: Path) -> None:
    code = "import planet, sys\nprint([m for m in sys.modules if m.startswith('planet.')])\n"

    assert run(code, tmp_path).stdout == "[]\n"


def test_what_the_package_does_not_have_is_said_as_by_any_module() -> None:
    with pytest.raises(AttributeError, match="module 'planet' has no attribute 'nothing'"):
        _ = planet.nothing


def test_a_planet_is_built_from_its_config(tmp_path: Path, publisher: Server) -> None:
    publisher.feed("/one", rss("a"))
    path = tmp_path / "config.yaml"
    path.write_text("title: P\nfeeds: ['${FEED}']\n")

    report = Planet.from_config(path, environ={"FEED": publisher.url("/one")}).build()

    assert (report.entries, report.changed, report.failed) == (1, True, [])
    assert "All about a." in (tmp_path / "public" / "index.html").read_text(encoding="utf-8")


def test_a_planet_asks_nobody_when_it_is_told_so(tmp_path: Path, publisher: Server) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(f"title: P\nfeeds: ['{publisher.url('/feed')}']\n")

    report = Planet.from_config(path).build(offline=True)

    assert (publisher.requests, report.entries) == ([], 0)


def test_a_config_with_mistakes_is_no_planet(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("titel: P\n")

    with pytest.raises(ConfigError) as caught:
        Planet.from_config(path)

    assert len(caught.value.problems) > 1
