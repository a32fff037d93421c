"""A web page with microformats → ParsedFeed (https://microformats.org/wiki/h-feed).

The feed is the first h-feed with posts in it, else the posts that stand on the page by themselves.
Nothing but the page is read: no author's page, and no next one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import mf2py  # type: ignore[import-untyped]  # has no types
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
from planet.parse.coerce import Object, make_person, merge_people
from planet.parse.discovery import is_feed_type
from planet.parse.identify import make_feed
from planet.parse.sniff import FeedDocument, cut_out_page
from planet.text import address
from planet.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


MAX_PAGE = 500_000
"""Characters of a page that are read. A parser of HTML that makes what browsers make of a page
takes seconds for so many, where feeds take tenths."""
_MAX_MENTIONED = 10
_SIGNS = {
    "in-reply-to": compose.ANSWERS,
    "like-of": compose.LIKES,
    "repost-of": compose.SHARES,
    "bookmark-of": compose.KEEPS,
}
_ELLIPSIS = re.compile(r"\s*(?:…|\.\.\.|\[(?:…|\.\.\.)\])\Z")


def read(document: FeedDocument) -> ParsedFeed:
    """Read the feed in a page; see `planet.parse.parse`.

    Raises:
        ParseError: `not_a_feed` (there are no posts in it) or `unreadable`.
    """
    return _PageReader(cut_out_page(document.text), document.base).read()


# A microformat is a dict for mf2py; a value of its properties is a string or a dict: the words and
# the markup of content, the address and the words of an image, another microformat.


def _values(item: Object, *names: str) -> list[Any]:
    properties = item.get("properties", {})
    return [value for name in names for value in properties.get(name, ())]


def _plain_form(value: Any) -> str | None:
    return value.get("value") if isinstance(value, dict) else value


def _texts(item: Object, *names: str) -> list[str]:
    return [text for value in _values(item, *names) if (text := _plain_form(value))]


def _text(item: Object, *names: str) -> str:
    return next(iter(_texts(item, *names)), "")


def _find(items: Iterable[Object], kind: str, outside: str = "") -> Iterator[Object]:
    """Yield the items of a kind among items and in them, but none inside a kind of item.

    With `outside`, those that are properties of others are none.
    """
    for item in items:
        if kind in item.get("type", ()):
            yield item
        if outside not in item.get("type", ()):
            yield from _find(item.get("children", ()), kind, outside)
            if not outside:
                inside = _values(item, *item.get("properties", {}))
                yield from _find([one for one in inside if isinstance(one, dict)], kind)


def _entries(items: Iterable[Object]) -> list[Object]:
    """Return the posts among items and in them, but none in another post, such as comments."""
    return list(_find(items, "h-entry", outside="h-entry"))


class _PageReader:
    """Reads one page that was found at `url`."""

    def __init__(self, text: str, url: str | None) -> None:
        try:
            parser = mf2py.Parser(
                doc=BeautifulSoup(text[:MAX_PAGE], "html5lib"),
                url=url,
                # Classes of a popular style sheet, such as h-full, which look like microformats.
                filter_roots=True,
            )
            page = parser.to_dict()
        except RecursionError as error:
            raise ParseError("unreadable", "the page is too complex to be a feed") from error
        except Exception as error:  # mf2py promises no set of exceptions
            reason = type(error).__name__
            raise ParseError("unreadable", f"the page cannot be read ({reason})") from error
        title = parser.__doc__.find("title")
        self._title = coerce.line(title.get_text()) if title else None
        self._items, self._rels, self._links = page["items"], page["rels"], page["rel-urls"]
        self._language = parser.lang
        self._url = url
        # Addresses in items are absolute if that of the page is known.
        self._base = address.make_absolute(getattr(parser, "__url__", None), url)
        self._is_cut = len(text) > MAX_PAGE
        self._cards: dict[str, Object] = {}
        """Those with a name, by their addresses."""
        for card in _find(self._items, "h-card"):
            if self._name(card):
                for link in self._addresses(card):
                    self._cards.setdefault(link, card)
        self._authors: tuple[Person, ...] = ()

    def read(self) -> ParsedFeed:
        """Return the feed of the page."""
        feeds = _find(self._items, "h-feed", outside="h-entry")
        feed: Object = next((one for one in feeds if _entries(one.get("children", ()))), {})
        items = _entries(feed.get("children", ()) if feed else self._items)
        if self._is_cut:
            # What comes last may be without its last words.
            items = items[:-1]
        if not items:
            raise ParseError("not_a_feed", "this is a web page without posts in it, not a feed")
        self._authors = self._read_authors(feed) or self._author_of_page()
        return make_feed(self._profile(feed), items, self._entry, *self._notes())

    def _notes(self) -> Iterator[str]:
        if self._is_cut:
            yield f"only the first {MAX_PAGE:,} characters of the page are read"
        for link, attributes in self._links.items():
            if "alternate" in attributes.get("rels", ()) and is_feed_type(attributes.get("type")):
                yield f"this is a web page, which names a feed: {address.redact(link)}"
                break

    def _profile(self, feed: Object) -> Profile:
        authors = [one for one in _values(feed, "author") if isinstance(one, dict)]
        cards = [*authors, self._cards.get(address.normalize(self._url or ""), {})]
        faces = [face for card in cards for face in _texts(card, "photo")]
        pictures = [*_texts(feed, "photo", "logo", "featured"), *faces]
        return Profile(
            format=PAGE,
            id=coerce.line(_text(feed, "uid")),
            title=coerce.line(_text(feed, "name")) or self._title,
            link=coerce.first_link([*_texts(feed, "url"), self._url], self._base),
            description=coerce.line(_text(feed, "summary")),
            author=self._authors[0].name if self._authors else None,
            image=coerce.first_link(pictures, self._base),
            language=coerce.language(feed.get("lang"), self._language),
            hints=Hints(hubs=coerce.links(self._rels.get("hub", ()), self._base)),
        )

    # People.

    def _read_authors(self, item: Object) -> tuple[Person, ...]:
        return merge_people(self._author(value) for value in _values(item, "author"))

    def _author_of_page(self) -> tuple[Person, ...]:
        """Return whom the page links to as its author, else the person it represents."""
        linked = merge_people(self._author(url) for url in self._rels.get("author", ()))
        if len(linked) == 1:
            return linked
        # Several are those of several posts.
        card = self._cards.get(address.normalize(self._url or ""))
        return merge_people([self._author(card) if card else None])

    def _author(self, value: Any) -> Person | None:
        if isinstance(value, dict) and "type" in value:
            links = self._addresses(value)
            is_known = not self._name(value) and links
            card: Object = self._cards.get(links[0], value) if is_known else value
            return make_person(self._name(card), next(iter(self._addresses(card)), None))
        name = _plain_form(value)
        link = coerce.link(name) if isinstance(name, str) and "://" in name else None
        if link is None:
            return make_person(name)
        known = self._cards.get(address.normalize(link))
        return self._author(known) if known else Person(url=link)

    def _name(self, card: Object) -> str:
        return _text(card, "name", "nickname", "org")

    def _addresses(self, card: Object) -> list[str]:
        links = (coerce.link(text, self._base) for text in _texts(card, "url", "uid"))
        return [address.normalize(link) for link in links if link]

    # A post.

    def _entry(self, item: Object) -> ParsedEntry:
        link = coerce.first_link(_texts(item, "url"), self._base)
        own_id = coerce.string(item.get("id"))
        if link is None and own_id and self._url:
            # On a page of short notes, the place of a note is all there is to link to.
            link = coerce.link(f"#{own_id}", self._url)
        contents = _values(item, "content")
        content, summary = self._read_text(contents), self._read_text(_values(item, "summary"))
        files = (
            coerce.file(text, self._base)
            for text in _texts(item, "audio", "video")[: coerce.MAX_FILES]
        )
        return ParsedEntry(
            id=_text(item, "uid"),
            link=link,
            title=_title(item),
            summary=summary,
            content=self._add_surroundings(item, content, summary),
            authors=self._read_authors(item) or self._authors,
            categories=coerce.lines(_texts(item, "category")),
            published=dates.parse_date(*_texts(item, "published")),
            updated=dates.parse_date(*_texts(item, "updated")),
            enclosures=tuple(Enclosure(url=url) for url in dict.fromkeys(filter(None, files))),
            image=coerce.first_link(_texts(item, "featured", "photo"), self._base),
            in_reply_to=coerce.links(url for url, _ in self._read_citations(item, "in-reply-to")),
            language=coerce.language(
                *(text.get("lang") for text in coerce.dicts(contents)),
                item.get("lang"),
                self._language,
            ),
        )

    def _read_text(self, candidates: list[Any]) -> Text | None:
        """Return the first of several texts: the markup of e-* properties, the words of p-*."""
        for value in candidates:
            html = value.get("html") if isinstance(value, dict) else None
            if text := (
                coerce.text(html, TextKind.HTML, self._base)
                or coerce.text(_plain_form(value), TextKind.TEXT, self._base)
            ):
                return text
        return None

    def _add_surroundings(
        self, item: Object, content: Text | None, summary: Text | None
    ) -> Text | None:
        """Return the content with what the page shows around it: posts it is about, pictures."""
        before = "".join(
            compose.mention(sign, url, name)
            for kind, sign in _SIGNS.items()
            for url, name in self._read_citations(item, kind)
            if not compose.shows(content, url)
        )
        after = "".join(
            compose.picture(url, coerce.line(value.get("alt")) if isinstance(value, dict) else None)
            for value in _values(item, "photo")[: coerce.MAX_FILES]
            if (url := coerce.link(_plain_form(value), self._base))
            and not compose.shows(content, url)
        )
        text = compose.surround(content, summary, before=before, after=after)
        return text and replace(text, base=self._base)

    def _read_citations(self, item: Object, kind: str) -> Iterator[tuple[str, str | None]]:
        """Yield address and name of each post that this one answers, likes, shares or keeps."""
        for value in _values(item, kind)[:_MAX_MENTIONED]:
            cited: Object = value if isinstance(value, dict) else {}
            if link := coerce.first_link([_plain_form(value), *_texts(cited, "url")], self._base):
                yield link, coerce.line(_text(cited, "name"))


def _title(item: Object) -> Text | None:
    """Return the name as a title, unless the text begins with it (post type discovery, §4)."""
    name, text = one_line(_text(item, "name")), one_line(_text(item, "content", "summary"))
    if not name or (text and text.startswith(_ELLIPSIS.sub("", name))):
        return None
    return Text(value=name[: coerce.MAX_LINE])
