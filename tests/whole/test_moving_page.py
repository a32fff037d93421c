"""`docs/moving.md`: each command on it, run with a file of the program it is for; its tables."""

import re
from pathlib import Path

import pytest

from planet.cli import main
from planet.config import load
from planet.config.other_planets import ForeignItem, convert_feed, read_planet_ini
from planet.config.plain_lists import read_list
from tests.docs import blocks, page, section
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


VALUES = {
    "link": "https://a.example/",
    "url": "https://a.example/",
    "locale": "pt_BR",
    "location": "en",
    "mastodon": "@ann@social.example",
}
NOT_TAKEN = ("not taken", "not needed")


def rows(program: str, table: int) -> list[tuple[str, str]]:
    """What each option of a table on the page becomes: the name of a setting, or some words."""
    text = section(page("moving.md"), program)
    (*_, body) = [
        part.split("|---|---|\n")[1] for part in text.split("\n\n") if "|---|---|" in part
    ][: table + 1]
    found: list[tuple[str, str]] = []
    for options, meaning in re.findall(r"^\| (.+?) \| (.+?) \|$", body, re.MULTILINE):
        names = re.findall("`(.*?)`", options)
        settings = re.findall("`(.*?)`", meaning.partition(";")[0])
        is_taken = not meaning.startswith(NOT_TAKEN)
        if is_taken and len(settings) < len(names):
            settings = settings[:1] * len(names)
        settings = settings if is_taken else [""] * len(names)
        found += zip(names, settings, strict=False)
    return found


def settings_of(item: ForeignItem) -> set[str]:
    return {*item.places, *(name for name in item.settings if name not in ("links", "extra"))}


def cases_of(program: str, table: int) -> list[object]:
    return [
        pytest.param(program, table, option, setting, id=f"{program}, {option}")
        for option, setting in rows(program, table)
    ]


@pytest.mark.parametrize(
    ("program", "table", "option", "setting"),
    [
        *(case for table in (0, 1) for case in cases_of("Planet 2.0 and Venus", table)),
        *(case for table in (0, 1) for case in cases_of("Pluto", table)),
        *cases_of("osmosfeed", 0),
        *cases_of("Lists", 1),
    ],
)
def test_an_option_becomes_what_the_page_says(
    program: str, table: int, option: str, setting: str
) -> None:
    line = f"{option} = {VALUES.get(option, '5')}\n"
    top, feed = (line, "") if table == 0 else ("", line)
    site = "" if option in ("link", "url") and table == 0 else "link = https://p.example/\n"
    if program == "osmosfeed":
        foreign = read_list(f"{line.replace(' =', ':')}sources: [href: x]\n".encode(), file="f")
    elif program == "Lists":
        table_ = f"feed,{option}\nhttps://a.example/f,{VALUES.get(option, '5')}\n"
        foreign = read_list(table_.encode(), file="f")
    else:
        head = "[Planet]\n" if program != "Pluto" else ""
        ini = f"{head}{site}{top}[https://a.example/f]\n{feed}"
        foreign = read_planet_ini(ini.encode(), file="f")
    item = foreign.planet if table == 0 else foreign.feeds[0]
    if table:
        convert_feed(item)

    if setting:
        assert setting in settings_of(item)
    else:
        assert any(problem.message.startswith(option) for problem in item.left)
