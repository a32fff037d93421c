"""A web page with microformats → ParsedFeed (https://microformats.org/wiki/h-feed).

The feed is the first h-feed with posts in it, else the posts that stand on the page by themselves.
Nothing but the page is read: no author's page, and no next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet import address
from planet.errors import ParseError
from planet.model import PAGE, Hints, ParsedFeed, Profile
from planet.parse import hentry, values
from planet.parse.discovery import is_of_a_feed
from planet.parse.hcards import Cards
from planet.parse.ids import identified
from planet.parse.microformats import MAX_PAGE, Item, page, walk
from planet.parse.sniff import page_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.model import Person
    from planet.parse.microformats import Page

_ENTRY = "h-entry"
_MAX_HUBS = 10
_NOWHERE = Item({})


def read(text: str, *, base: str | None) -> ParsedFeed:
    """What the feed in a page says; see `planet.parse.parse`.

    Raises:
        ParseError: `not_a_feed` (there are no posts in it) or `unreadable`.
    """
    found = page(page_in(text), base)
    feed, items = _representative(found)
    if found.is_cut:
        # What comes last may be without its last words.
        items = items[:-1]
    if not items:
        raise ParseError("not_a_feed", "this is a web page without posts in it, not a feed")
    cards = Cards(found, base)
    authors = cards.authors(feed) or cards.author_of_page()
    entries, notes = identified(
        hentry.entry(item, page=found, url=base, cards=cards, authors=authors)
        for item in items[: values.MAX_ENTRIES]
    )
    about = _profile(feed, found, base, cards, authors)
    notes = (*notes, *_notes(found, len(items)))
    return ParsedFeed(profile=about, entries=entries, notes=notes)


def _representative(found: Page) -> tuple[Item, list[Item]]:
    """The feed of a page with its entries; an item without anything in it if they have none."""
    for item in walk(found.items, into=_ENTRY):
        if item.is_a("h-feed") and (entries := _entries(item.children)):
            return item, entries
    return _NOWHERE, _entries(found.items)


def _entries(items: list[Item]) -> list[Item]:
    """The posts among items and in them; what is in a post is about that, such as a comment."""
    return [item for item in walk(items, into=_ENTRY) if item.is_a(_ENTRY)]


def _profile(
    feed: Item, found: Page, url: str | None, cards: Cards, authors: tuple[Person, ...]
) -> Profile:
    hubs = [values.link(hub, found.base) for hub in found.rels.get("hub", ())]
    link = values.first_link([*feed.texts("url"), url], found.base)
    pictures = [*feed.texts("photo", "logo", "featured"), cards.photo(feed)]
    return Profile(
        format=PAGE,
        id=next(map(values.line, feed.texts("uid")), None),
        title=next(map(values.line, feed.texts("name")), None) or values.line(found.title),
        link=link,
        description=next(map(values.line, feed.texts("summary")), None),
        author=authors[0].name if authors else None,
        image=values.first_link(pictures, found.base),
        language=values.language(feed.said.get("lang")) or values.language(found.language),
        categories=values.lines(feed.texts("category")),
        hints=Hints(hubs=tuple(dict.fromkeys(filter(None, hubs)))[:_MAX_HUBS]),
    )


def _notes(found: Page, count: int) -> Iterator[str]:
    if found.is_cut:
        yield f"only the first {MAX_PAGE:,} characters of the page are read"
    if count > values.MAX_ENTRIES:
        yield values.too_many(count)
    for link, said in found.links.items():
        if "alternate" in said.get("rels", ()) and is_of_a_feed(said.get("type")):
            yield f"this is a web page, which names a feed: {address.redacted(link)}"
            break
