"""Planet: feeds in, a calm static site and combined feeds out.

A run is a sentence; the package is its dictionary. Start at `planet/run/build.py`.

The map: imports go down, never up, and never sideways between rooms of one level; the spine alone
knows the rooms beside it, and they may know it. A library named on a line has its one door there.
Outsiders import what a room's `__init__` offers, or from the modules that its docstring names.
`tests/test_architecture.py` reads this table and holds the code to it.

    6  cli       argv → exit code; one file a command, or a family of them     click, rich
    6  api       the same from Python: one feed, or a whole run
    5  run       the spine: ask, read, keep, publish                           pebble
    5  cluster   the same asking, by the workers of a Dask cluster             distributed
    5  explain   why an entry is shown or not, how feeds are, who links to an address
    5  peek      one feed by itself: what is at an address, through a cache without a config
    5  picks     episodes → picks.yaml, and out of it again
    5  transform  new entries → the operator's program → what it makes of them
    4  timeline  what is shown, and why: filters, dates, duplicates, picks, releases, digests
    4  site      what is shown → files: pages, feeds, search  jinja2, markupsafe, babel, pagefind
    3  social    accounts → requests and entries: ActivityPub, AT Protocol     cryptography
    2  http      requests → answers, politely: no feed formats  requests, requests_cache, urllib3
    2  parse     an answer → entries: a file a format family  feedparser, mf2py, bs4, webencodings
    2  schedule  which feeds are due, and when each is next: pure decisions
    2  store     what is known ⇄ disk                                          sqlite3
    2  config    config.yaml → settings; every mistake at once   yaml, regex, imagesize
    2  report    what happened: words, JSON, job summary, exit code
    1  text      HTML made safe, plain text, addresses, media, secrets   nh3, bleach, idna
    0  model     the nouns that pass between rooms: frozen dataclasses
    0  errors    everything raised on purpose, as a tree
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from planet.api import (
        Answer,
        DiscoveredFeed,
        Enclosure,
        Entry,
        Episode,
        Explanation,
        Feed,
        FeedCache,
        FetchedFeed,
        NewEntry,
        Person,
        Pick,
        Planet,
        Profile,
        Report,
        parse_feed,
        read_feed,
        read_page,
    )


__all__ = [
    "Answer",
    "DiscoveredFeed",
    "Enclosure",
    "Entry",
    "Episode",
    "Explanation",
    "Feed",
    "FeedCache",
    "FetchedFeed",
    "NewEntry",
    "Person",
    "Pick",
    "Planet",
    "Profile",
    "Report",
    "parse_feed",
    "read_feed",
    "read_page",
]
__version__ = "0.1.0"

DISTRIBUTION: Final = "planet-digest"
"""What package indexes know it by."""


@cache
def project_address(label: str) -> str:
    """The address that `[project.urls]` of pyproject.toml gives under a label."""
    # Few commands name one.
    from importlib import metadata

    # As "Source, https://…"; docs/ in this repository is where "Documentation" leads.
    lines = metadata.metadata(DISTRIBUTION).get_all("Project-URL") or ()
    urls: dict[str, str] = dict(line.split(", ", 1) for line in lines)
    return urls[label]


def documentation(name: str) -> str:
    """The address of a page of the documentation, such as `politeness.md`."""
    return f"{project_address('Documentation')}/{name}"


def __getattr__(name: str) -> Any:
    # Loaded when it is asked for: the commands need other things, and none needs all.
    if name in __all__:
        return getattr(import_module("planet.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
