"""Planet: feeds in, a calm static site and combined feeds out.

A run is a sentence; the package is its dictionary. Start at `planet/build.py`.

The map: imports go down, never up, and never sideways between stages. A library named on a line
has its one door there. `tests/test_architecture.py` reads this table and holds the code to it.

    7  cli          argv → exit code; one file a command                    click, rich
    7  api          the same from Python: one feed, or a whole run
    6  build        the whole run, in one function: start here
    6  peeking      an address → what the feed there says, through a cache
    6  purging      what nobody needs any more → gone, and the room it took
    5  update       feeds → store: ask, read, keep
    5  site         store → site: select, merge, render, publish
    5  discover  an address → the feed there, or the one its page names
    5  recovery     a lost state ← what the published site says of its entries
    5  subscriptions  lists on the web → the feeds on them
    5  opening      a config → what a run works with, opened
    4  run          what a run works with, and how far it goes
    4  explain      what is known → what becomes of each entry, and why
    4  texts        entries → their texts, cleaned when first wanted
    4  look         a config → how its site looks: the theme, its options, files of one's own
    4  serving      Request → Answer: a site on this machine, and picks from its pages
    4  recipe       what the operator decides about a site → a fingerprint
    4  reading      a body → Reading: parse, then clean; runs in a worker
    4  keeping      what came of a feed → the store, or the cache of episodes
    4  picking      episodes → picks in picks.yaml, and out of it again
    3  schedule     which feeds are due, and when each is next: pure decisions
    3  resolve      a name → the addresses that lead to its posts; pure
    3  fetch        Feed → Fetched, politely       requests, requests_cache, urllib3, cryptography
    3  parse        Fetched → ParsedFeed: RSS, Atom, JSON Feed, h-feed, …     feedparser, mf2py
    3  content      untrusted HTML → safe HTML, text, links                 bleach, nh3
    3  select       entries → the wanted ones, and why: filters; pure
    3  release      when a site comes out → the moment whose state it shows; pure
    3  merge        entries → Edition: dates, duplicates, order, days; pure
    3  links        posts, and what their texts link to → who links to what; pure
    3  digest       posts since the last → a digest, when its time has come; pure
    3  render       Edition → File: pages, and what machines read        jinja2, markupsafe
    3  feeds        Edition → File: Atom, JSON Feed, podcast RSS, OPML, digests, health
    3  publish      File → folder: whole files, only the changed ones
    3  search       Edition → an index of its posts, to look words up in   pagefind
    2  store        what we know ⇄ disk: feeds, entries, runs               sqlite3
    1  config       config.yaml → Config; every mistake at once      yaml, pydantic, regex
    1  files        a file → replaced whole, its permissions kept
    1  report       what happened: words, JSON, exit code
    1  words        a language → what is written in it: words, dates        babel
    1  workers      a pure function → its result, from another process      pebble
    0  model        the nouns that pass between stages: frozen dataclasses
    0  account      names of people on the social web: acct:user@host, at://name
    0  address      which addresses are web addresses, absolute, or the same
    0  media        which files of a post can be played, and what kind they are
    0  iri          which ids are absolute IRIs
    0  project      where the project lives, as the package's metadata says
    0  veil         secrets ⇄ their names, for what is written down
    0  headers      header fields of an answer: dates, lifetimes, Retry-After
    0  plain        untrusted text → plain text
    0  errors       everything raised on purpose, as a tree
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planet.api import FetchedFeed, Planet, fetch

__all__ = ["FetchedFeed", "Planet", "fetch"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # Loaded when it is asked for: the commands need other things, and none needs all.
    if name in __all__:
        return getattr(import_module("planet.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Package(ModuleType):
    """The package, of which `planet.fetch` is the function `planet.api.fetch`."""

    def __setattr__(self, name: str, value: object) -> None:
        # Python would put the package of that name there, which stages import by its full name.
        if name not in __all__:
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
