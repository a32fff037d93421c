"""Planet: feeds in, a calm static site and combined feeds out.

A run is a sentence; the package is its dictionary. Start at `planet/run/build.py`.

The map: imports go down, never up, and never sideways between rooms of one level; the spine alone
knows the rooms beside, and they may know the spine. A library named on a line has the one door
there; msgspec, which nouns are made with, is used everywhere. Outsiders import from a room's
`__init__`, or from the modules named in the docstring there.
`tests/test_architecture.py` reads this table and compares the code.

    7  cli       argv → exit code; one file a command, or a family of them     click
    7  api       the same from Python: one feed, or a whole run
    6  run       the spine: ask, read, keep, publish
    6  cluster   answers → entries, by the workers of a Dask cluster           distributed
    6  explain   why an entry is shown or not, and how feeds are
    6  peek      one feed by itself: an address → the feed there, through a cache, without a config
    6  picks     episodes → picks.yaml, and back
    6  transform  new entries → the operator's program → what it makes of them
    5  site      what is shown → files: pages, feeds, search  jinja2, markupsafe, babel, pagefind
    4  timeline  what is shown, and why: filters, dates, duplicates, picks, releases, digests
    4  social    accounts → requests and entries: ActivityPub, AT Protocol     cryptography
    3  http      requests → answers, politely: no feed formats  requests, requests_cache, urllib3
    3  parse     an answer → entries: a file a format family  feedparser, mf2py, bs4, webencodings
    3  schedule  which feeds are due, and when each is next: pure decisions
    3  store     what is known ⇄ disk                                          sqlite3
    3  config    config.yaml → settings; every mistake at once   yaml, regex
    3  report    what happened: words, JSON, job summary, exit code
    2  text      HTML, Markdown, pictures  nh3, bleach, idna, markdown_it, imagesize
    1  model     the nouns that pass between rooms: Structs of msgspec
    0  errors    everything raised on purpose, as a tree
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from planet.api import (
        Answer,
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
__version__ = "1.0.0"

DISTRIBUTION: Final = "planet-digest"
"""The name on package indexes."""


@cache
def project_address(label: str) -> str:
    """Return the address under a label in `[project.urls]` of pyproject.toml."""
    # Few commands name one.
    from importlib import metadata

    # As "Source, https://…"; docs/ in this repository is where "Documentation" leads.
    lines = metadata.metadata(DISTRIBUTION).get_all("Project-URL") or ()
    urls: dict[str, str] = dict(line.split(", ", 1) for line in lines)
    return urls[label]


def documentation(name: str) -> str:
    """Return the address of a page of the documentation, such as `politeness.md`."""
    return f"{project_address('Documentation')}/{name}"


def __getattr__(name: str) -> Any:
    # Loaded when it is asked for: the commands need other things, and none needs all.
    if name in __all__:
        return getattr(import_module("planet.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
