"""The tables of `docs/moving.md`: what each option of another program becomes."""

import re

import pytest

from planet.config.other_planets import ForeignItem, convert_feed, read_planet_ini
from planet.config.plain_lists import read_list
from tests.docs import page, section

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
