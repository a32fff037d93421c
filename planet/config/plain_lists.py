"""Lists of feeds in other formats than OPML → settings of ours, and what cannot be one.

text        an address a line; comments begin with "#"
CSV         a header row, and a row for each feed
osmosfeed   `osmosfeed.yaml`: `sources` with an `href` each
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Final

from planet.config import yaml
from planet.config.other_planets import (
    ForeignConfig,
    ForeignItem,
    IniOption,
    Word,
    decode,
    recognise_format,
)
from planet.errors import ConfigError, Place, Problem
from planet.text import account, address

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def read_list(data: bytes, *, file: str) -> ForeignConfig:
    """Read a list of feeds, in whichever of these formats it is.

    Raises:
        ConfigError: it is in none of them, with what it is if that is known.
    """
    text = decode(data)
    if _OSMOSFEED.search(text) and _HREF.search(text):
        return read_osmosfeed(data, file=file)
    top = Place(file=file, line=1, column=1)
    if advice := recognise_format(data, file):
        raise ConfigError([Problem(top, advice)])
    first = next(filter(None, map(_drop_comment, text.splitlines())), "")
    delimiter = max(_DELIMITERS, key=first.count)
    if _is_address(first.split()[0] if first else ""):
        return read_lines(text, file=file)
    (header,) = csv.reader([first], delimiter=delimiter, skipinitialspace=True)
    if _find_address_column(header) is not None:
        return read_table(text, file=file, delimiter=delimiter)
    words = (
        "this is no list of feeds: neither OPML, nor CSV whose first row names a column of "
        "addresses (feed, xmlUrl or url), nor text with an address on each line"
    )
    raise ConfigError([Problem(top, words)])


# Text


def read_lines(text: str, *, file: str) -> ForeignConfig:
    """Read a list with an address, or the name of an account, on each line."""
    foreign = ForeignConfig.empty(file)
    for number, line in enumerate(text.splitlines(), 1):
        words = _drop_comment(line)
        place = Place(file=file, line=number, column=1)
        first, *rest = words.split(maxsplit=1) or [""]
        if rest:
            problem = Problem(place, f"has more than an address: {rest[0][:60]}")
            foreign.left.append(problem)
        if first:
            foreign.feeds.append(ForeignItem(settings={"url": first}, place=place))
    return foreign


def _drop_comment(line: str) -> str:
    """Return a line without what follows a "#" that is in no address."""
    return re.sub(r"(?:^|\s)#.*", "", line).strip()


def _is_address(word: str) -> bool:
    return bool(
        address.make_absolute(word)
        or account.parse_name(word)
        or re.match(r"feed:|[\w-]+(?:\.[\w-]+)+/", word)
    )


# CSV

_ADDRESSES: Final = ("feed", "feedurl", "xmlurl", "rss", "rssurl", "atom", "atomurl", "url")
"""Columns that may have the address of the feed, the surest first."""
_COLUMNS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("name", "title", "text"), "name"),
    **dict.fromkeys(("link", "site", "siteurl", "website", "homepage", "htmlurl", "url"), "link"),
    **dict.fromkeys(("image", "face", "avatar", "photo"), "image"),
    **dict.fromkeys(("language", "lang"), "language"),
    **dict.fromkeys(("tags", "tag", "category", "categories", "group", "folder"), "tags"),
    "id": "id",
}
_DELIMITERS: Final = ",;\t|"


def read_table(text: str, *, file: str, delimiter: str) -> ForeignConfig:
    """Read a table whose first row has the names of its columns."""
    foreign = ForeignConfig.empty(file)
    rows = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, skipinitialspace=True)
    names: list[str] = []
    where, line = 0, 1
    try:
        for row in rows:
            place, line = Place(file=file, line=line, column=1), rows.line_num + 1
            cells = [cell.strip() for cell in row]
            if not any(cells) or cells[0].startswith("#"):
                continue
            if names:
                _read_row(foreign, names, cells, where, place)
            else:
                names = [cell.lower() for cell in cells]
                # Whoever calls has seen that there is one.
                where = _find_address_column(names) or 0
    except csv.Error as error:
        words = f"the table is broken here, and what follows is not read: {error}"
        foreign.lost.append((Problem(Place(file=file, line=line, column=1), words),))
    return foreign


def _read_row(
    foreign: ForeignConfig, names: Sequence[str], row: Sequence[str], where: int, place: Place
) -> None:
    url = row[where] if where < len(row) else ""
    if not url:
        foreign.lost.append((Problem(place, f"has nothing in the column {names[where]}"),))
        return
    feed = ForeignItem(settings={"url": url}, place=place)
    cells = [
        IniOption(name=name, value=cell, place=place)
        for index, (name, cell) in enumerate(zip(names, row, strict=False))
        if index != where and name
    ]
    words = {cell.name: word for cell in cells if (word := _word(cell.name))}
    feed.take(cells, words, of_feed=True)
    foreign.feeds.append(feed)


def _word(column: str) -> Word | None:
    """Return the setting that a column is, and what converts its values."""
    name = _COLUMNS.get(_plain(column))
    if name == "tags":
        return Word(name, _split_tags)
    return Word(name) if name else None


def _split_tags(cell: str) -> list[str]:
    return [tag.strip() for tag in re.split("[,;|]", cell) if tag.strip()]


def _find_address_column(names: Iterable[str]) -> int | None:
    plain = [_plain(name) for name in names]
    return next((plain.index(name) for name in _ADDRESSES if name in plain), None)


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


# osmosfeed

_OSMOSFEED: Final = re.compile(r"^sources\s*:", re.MULTILINE)
_HREF: Final = re.compile(r"\bhref\s*:")
_OF_OSMOSFEED: Final[Mapping[str, Word]] = {
    "siteTitle": Word("title"),
    "timezone": Word("timezone"),
}
_NOT_OF_OURS: Final[Mapping[str, str]] = {
    "cacheUrl": 'is not needed: "state" is the folder for all that is kept',
    "cacheMaxDays": 'is not needed: "retention.entries" says how long entries are kept',
    "sources": "",
}


def read_osmosfeed(data: bytes, *, file: str) -> ForeignConfig:
    """Read an `osmosfeed.yaml`.

    Raises:
        ConfigError: it is no YAML.
    """
    document = yaml.read(data, file=file, expand=str)
    top = document.root.parts
    foreign = ForeignConfig.empty(file)
    for name, node in top.items():
        option = IniOption(name=name, value=str(node.text or ""), place=document.key_place((name,)))
        if why := _NOT_OF_OURS.get(name):
            foreign.planet.leave(option, why)
        elif name not in _NOT_OF_OURS and node.scalar is not None:
            foreign.planet.take([option], _OF_OSMOSFEED)
    sources = top["sources"].parts if top["sources"].is_list else {}
    for index, source in sources.items():
        place = document.place(("sources", index))
        href = source.parts["href"].text if "href" in source.parts else source.text
        if not href:
            foreign.lost.append((Problem(place, "has no href, so it is no feed"),))
            continue
        feed = ForeignItem(settings={"url": href}, place=place)
        others = (
            IniOption(name=name, value=node.text or "", place=place)
            for name, node in source.parts.items()
            if name != "href"
        )
        feed.take(others, {}, of_feed=True)
        foreign.feeds.append(feed)
    return foreign
