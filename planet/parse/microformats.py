"""A web page with microformats → ParsedFeed (https://microformats.org/wiki/h-feed).

The feed is the first h-feed with posts in it, else the posts that stand on the page by themselves.
Nothing but the page is read: no author's page, and no next one.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import mf2py  # type: ignore[import-untyped]  # has no types
import msgspec
from bs4 import BeautifulSoup
from msgspec.structs import replace

from planet.errors import ParseError
from planet.model import (
    PAGE,
    Enclosure,
    Hints,
    ParsedEntry,
    ParsedFeed,
    Person,
    Profile,
    Text,
    TextKind,
)
from planet.parse import coerce, compose, dates
from planet.parse.coerce import make_person, merge_people
from planet.parse.compose import Picture
from planet.parse.discovery import is_feed_type
from planet.parse.identify import make_feed
from planet.parse.sniff import FeedDocument, cut_out_page
from planet.text import address
from planet.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator


MAX_PAGE = 500_000
"""Characters of a page that are read. A parser of HTML that makes what browsers make of a page
takes seconds for so many, where feeds take tenths."""


class Item(msgspec.Struct, frozen=True):
    """One microformat; for mf2py, a dict."""

    raw: dict[str, Any]

    def is_a(self, kind: str) -> bool:
        """Return whether it is of a kind, such as `h-entry`."""
        return kind in self.raw.get("type", ())

    def values(self, *names: str) -> list[Any]:
        """Return the values of its properties with these names: strings, or dicts."""
        properties = self.raw.get("properties", {})
        return [value for name in names for value in properties.get(name, ())]

    def texts(self, *names: str) -> list[str]:
        """Return the same values as strings, in their plain form."""
        return [text for value in self.values(*names) if (text := plain_form(value))]

    def text(self, *names: str) -> str:
        """Return the first of `texts`; an empty string without any."""
        return next(iter(self.texts(*names)), "")

    @property
    def children(self) -> list[Item]:
        """The microformats in it that are no properties of it."""
        return [Item(raw) for raw in self.raw.get("children", ())]


class MicroformatsPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page and what is in it."""

    items: list[Item]
    """The outermost, in the order of the document."""
    base: str | None
    """What its relative addresses are relative to; those in items are absolute if it is known."""
    title: str | None
    language: str | None
    rels: dict[str, list[str]]
    """Where its links lead, by their relation."""
    links: dict[str, dict[str, Any]]
    """What these links say of themselves, by where they lead."""
    is_cut: bool
    """Whether it goes on after what was read of it."""


def parse_page(text: str, base: str | None) -> MicroformatsPage:
    """Parse the microformats of a page that is at `base`.

    Raises:
        ParseError: `unreadable`.
    """
    try:
        document = BeautifulSoup(text[:MAX_PAGE], "html5lib")
        parser = mf2py.Parser(
            doc=document,
            url=base,
            # Classes of a popular style sheet, such as h-full, which look like microformats.
            filter_roots=True,
        )
    except RecursionError as error:
        raise ParseError("unreadable", "the page is too complex to be a feed") from error
    except Exception as error:  # mf2py promises no set of exceptions
        reason = type(error).__name__
        raise ParseError("unreadable", f"the page cannot be read ({reason})") from error
    content, title = parser.to_dict(), parser.__doc__.find("title")
    return MicroformatsPage(
        items=[Item(raw) for raw in content["items"]],
        base=address.make_absolute(getattr(parser, "__url__", None), base),
        title=title.get_text() if title else None,
        language=parser.lang,
        rels=content["rels"],
        links=content["rel-urls"],
        is_cut=len(text) > MAX_PAGE,
    )


def plain_form(value: Any) -> str | None:
    """Return a value as a string: words of content, address of an image, name of an item."""
    return value.get("value") if isinstance(value, dict) else value


def walk(items: list[Item], *, into: str) -> Iterator[Item]:
    """Yield items and their children in order, but not what is in an item of kind `into`."""
    for item in items:
        yield item
        if not item.is_a(into):
            yield from walk(item.children, into=into)


_CARD = "h-card"


class Cards:
    """The people of a page that is at `url`."""

    def __init__(self, page: MicroformatsPage, url: str | None) -> None:
        self._page = page
        self._url = address.normalize(url) if url else None
        self._cards = [item for item in _all(page.items) if item.is_a(_CARD)]
        self._people: dict[str, Person] = {}
        """Those with a name, by their addresses."""
        for card in self._cards:
            someone = self._person(card)
            if someone and someone.name:
                for link in self._links(card, "uid", "url"):
                    self._people.setdefault(link, someone)

    def authors(self, item: Item) -> tuple[Person, ...]:
        """Return whom an item names as its authors."""
        return merge_people(self._author(value) for value in item.values("author"))

    def author_of_page(self) -> tuple[Person, ...]:
        """Return whom the page links to as its author, else the person it represents."""
        linked = merge_people(self._author(url) for url in self._page.rels.get("author", ()))
        if len(linked) == 1:
            return linked
        # Several are those of several posts.
        card = self._representative()
        return merge_people([self._person(card) if card else None])

    def photo(self, item: Item) -> str | None:
        """Return a picture of the author of an item, else of the person the page represents."""
        authors = [Item(value) for value in item.values("author") if _is_item(value)]
        cards = [*authors, *filter(None, [self._representative()])]
        pictures = [picture for card in cards for picture in card.texts("photo")]
        return coerce.first_link(pictures, self._page.base)

    def _author(self, value: Any) -> Person | None:
        if _is_item(value):
            someone = self._person(Item(value))
            if someone is None or someone.name:
                return someone
            return self._people.get(address.normalize(someone.url or ""), someone)
        name = plain_form(value)
        link = coerce.link(name) if isinstance(name, str) and "://" in name else None
        return (
            self._people.get(address.normalize(link), Person(url=link))
            if link
            else make_person(name)
        )

    def _person(self, card: Item) -> Person | None:
        links = self._links(card, "url", "uid")
        return make_person(card.text("name", "nickname", "org"), links[0] if links else None)

    def _links(self, card: Item, *names: str) -> list[str]:
        links = (coerce.link(text, self._page.base) for text in card.texts(*names))
        return [address.normalize(link) for link in links if link]

    def _representative(self) -> Item | None:
        """Find the first card that has the page as its address."""
        cards = (card for card in self._cards if self._url in self._links(card, "url", "uid"))
        return next(cards, None)


def _is_item(value: Any) -> bool:
    return isinstance(value, dict) and "type" in value


def _all(items: list[Item]) -> Iterator[Item]:
    """Yield every item of a page, with those that are properties or children of others."""
    left = deque(items)
    while left:
        item = left.popleft()
        yield item
        names = item.raw.get("properties", {})
        left.extend(Item(value) for value in item.values(*names) if _is_item(value))
        left.extend(item.children)


_MAX_MENTIONED = 10
_SIGNS = {
    "in-reply-to": compose.ANSWERS,
    "like-of": compose.LIKES,
    "repost-of": compose.SHARES,
    "bookmark-of": compose.KEEPS,
}
_ELLIPSIS = re.compile(r"\s*(?:…|\.\.\.|\[(?:…|\.\.\.)\])\Z")


def read_entry(
    item: Item,
    *,
    page: MicroformatsPage,
    url: str | None,
    cards: Cards,
    authors: tuple[Person, ...],
) -> ParsedEntry:
    """Read a post on the page at `url`; `authors` are those of a post that names none."""
    link = _link(item, page.base, url)
    contents = item.values("content")
    content = _text(contents, page.base)
    summary = _text(item.values("summary"), page.base)
    pictures = [
        picture for picture in _pictures(item, page.base) if not compose.shows(content, picture.url)
    ]
    return ParsedEntry(
        id=item.text("uid"),
        link=link,
        title=_title(item),
        summary=summary,
        content=_add_surroundings(item, content, summary, pictures, page.base),
        authors=cards.authors(item) or authors,
        categories=coerce.lines(item.texts("category")),
        published=dates.parse_date(*item.texts("published")),
        updated=dates.parse_date(*item.texts("updated")),
        enclosures=tuple(_files(item, page.base)),
        image=coerce.first_link(item.texts("featured", "photo"), page.base),
        in_reply_to=coerce.links(
            (cited.url for cited in _read_citations(item, "in-reply-to", page.base)), None
        ),
        language=coerce.language(
            *(text.get("lang") for text in coerce.dicts(contents)),
            item.raw.get("lang"),
            page.language,
        ),
    )


def _link(item: Item, base: str | None, url: str | None) -> str | None:
    link = coerce.first_link(item.texts("url"), base)
    name = coerce.string(item.raw.get("id"))
    # On a page of short notes, the place of a note is all there is to link to.
    return link or (coerce.link(f"#{name}", url) if name and url else None)


def _title(item: Item) -> Text | None:
    """Return the name as a title, unless the text begins with it (post type discovery, §4)."""
    name, text = one_line(item.text("name")), one_line(item.text("content", "summary"))
    if not name or (text and text.startswith(_ELLIPSIS.sub("", name))):
        return None
    return Text(value=name[: coerce.MAX_LINE])


def _text(candidates: list[Any], base: str | None) -> Text | None:
    """Return the first of several texts: the markup of e-* properties, the words of p-*."""
    for value in candidates:
        html = coerce.string(value.get("html")) if isinstance(value, dict) else None
        words = coerce.string(plain_form(value))
        if html or words:
            kind = TextKind.HTML if html else TextKind.TEXT
            return Text(value=(html or words or "")[: coerce.MAX_TEXT], kind=kind, base=base)
    return None


def _add_surroundings(
    item: Item,
    content: Text | None,
    summary: Text | None,
    pictures: list[Picture],
    base: str | None,
) -> Text | None:
    """Return the content with what the page shows around it: posts it is about, and pictures."""
    before = "".join(
        compose.mention(sign, cited.url, cited.name)
        for kind, sign in _SIGNS.items()
        for cited in _read_citations(item, kind, base)
        if not compose.shows(content, cited.url)
    )
    after = "".join(compose.picture(picture.url, picture.alt) for picture in pictures)
    text = compose.surround(content, summary, before=before, after=after)
    return text and replace(text, base=base)


class _Citation(NamedTuple):
    """A post that another one answers, likes, shares or keeps."""

    url: str
    name: str | None


def _read_citations(item: Item, kind: str, base: str | None) -> Iterator[_Citation]:
    for value in item.values(kind)[:_MAX_MENTIONED]:
        cited = Item(value) if isinstance(value, dict) else Item({})
        if link := coerce.first_link([plain_form(value), *cited.texts("url")], base):
            yield _Citation(link, coerce.line(cited.text("name")))


def _pictures(item: Item, base: str | None) -> Iterator[Picture]:
    for value in item.values("photo")[: coerce.MAX_FILES]:
        if url := coerce.link(plain_form(value), base):
            alt = coerce.line(value.get("alt")) if isinstance(value, dict) else None
            yield Picture(url=url, alt=alt)


def _files(item: Item, base: str | None) -> Iterator[Enclosure]:
    urls = (coerce.file(text, base) for text in item.texts("audio", "video")[: coerce.MAX_FILES])
    for url in dict.fromkeys(filter(None, urls)):
        yield Enclosure(url=url)


_ENTRY = "h-entry"
_NOWHERE = Item({})


def read(document: FeedDocument) -> ParsedFeed:
    """Read the feed in a page; see `planet.parse.parse`.

    Raises:
        ParseError: `not_a_feed` (there are no posts in it) or `unreadable`.
    """
    url = document.base
    page = parse_page(cut_out_page(document.text), url)
    feed = _find_feed(page)
    items = _entries(page.items if feed is _NOWHERE else feed.children)
    if page.is_cut:
        # What comes last may be without its last words.
        items = items[:-1]
    if not items:
        raise ParseError("not_a_feed", "this is a web page without posts in it, not a feed")
    cards = Cards(page, url)
    authors = cards.authors(feed) or cards.author_of_page()
    return make_feed(
        _profile(feed, page, url, cards, authors),
        items,
        lambda item: read_entry(item, page=page, url=url, cards=cards, authors=authors),
        *_notes(page),
    )


def _find_feed(page: MicroformatsPage) -> Item:
    """Return the first feed of a page with entries; an empty item if these are in none."""
    for item in walk(page.items, into=_ENTRY):
        if item.is_a("h-feed") and _entries(item.children):
            return item
    return _NOWHERE


def _entries(items: list[Item]) -> list[Item]:
    """Return the posts among items and in them, but none inside another post, such as comments."""
    return [item for item in walk(items, into=_ENTRY) if item.is_a(_ENTRY)]


def _profile(
    feed: Item, page: MicroformatsPage, url: str | None, cards: Cards, authors: tuple[Person, ...]
) -> Profile:
    link = coerce.first_link([*feed.texts("url"), url], page.base)
    pictures = [*feed.texts("photo", "logo", "featured"), cards.photo(feed)]
    return Profile(
        format=PAGE,
        id=coerce.line(feed.text("uid")),
        title=coerce.line(feed.text("name")) or coerce.line(page.title),
        link=link,
        description=coerce.line(feed.text("summary")),
        author=authors[0].name if authors else None,
        image=coerce.first_link(pictures, page.base),
        language=coerce.language(feed.raw.get("lang"), page.language),
        categories=coerce.lines(feed.texts("category")),
        hints=Hints(hubs=coerce.links(page.rels.get("hub", ()), page.base)),
    )


def _notes(page: MicroformatsPage) -> Iterator[str]:
    if page.is_cut:
        yield f"only the first {MAX_PAGE:,} characters of the page are read"
    for link, attributes in page.links.items():
        if "alternate" in attributes.get("rels", ()) and is_feed_type(attributes.get("type")):
            yield f"this is a web page, which names a feed: {address.redact(link)}"
            break
