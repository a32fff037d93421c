"""A web page with microformats → ParsedFeed (https://microformats.org/wiki/h-feed).

The feed is the first h-feed with posts, else the posts of the page outside any h-feed.
Nothing but the page is read: no author's page, and no next one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import mf2py  # type: ignore[import-untyped]  # has no types
from bs4 import BeautifulSoup
from msgspec.structs import replace

from planet.errors import ParseError
from planet.model import PAGE, Enclosure, ParsedEntry, ParsedFeed, Profile, Text, TextKind
from planet.parse import coerce, compose, dates
from planet.parse.coerce import Object, make_person, merge_people
from planet.parse.compose import make_feed
from planet.parse.discovery import is_feed_type
from planet.parse.sniff import FeedDocument, cut_out_page
from planet.text import address
from planet.text.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from planet.model import Person


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
        ParseError: `not_a_feed` (a page without posts) or `unreadable`.
    """
    text, url = cut_out_page(document.text), document.base
    try:
        # The filter leaves out classes of a style sheet, such as h-full, that look like these.
        soup = BeautifulSoup(text[:MAX_PAGE], "html5lib")
        parser = mf2py.Parser(doc=soup, url=url, filter_roots=True)
        page = parser.to_dict()
    except RecursionError as error:
        raise ParseError("unreadable", "the page is too complex to be a feed") from error
    except Exception as error:  # mf2py promises no set of exceptions
        reason = type(error).__name__
        raise ParseError("unreadable", f"the page cannot be read ({reason})") from error
    feeds = _find(page["items"], "h-feed")
    feed: Object = next((one for one in feeds if _find_posts(one)), {})
    posts = _find_posts(feed or {"children": page["items"]})
    notes = list(_list_feeds(page["rel-urls"]))
    if len(text) > MAX_PAGE:
        notes.append(f"only the first {MAX_PAGE:,} characters of the page are read")
        # What comes last may be without its last words.
        posts = posts[:-1]
    if not posts:
        raise ParseError("not_a_feed", "this is a web page without posts in it, not a feed")
    # Addresses in items are absolute if that of the page is known.
    base = address.make_absolute(getattr(parser, "__url__", None), url)
    authors = _read_authors(feed, base)
    profile = Profile(
        format=PAGE,
        id=coerce.line(_text(feed, "uid")),
        title=coerce.line(_text(feed, "name")) or coerce.line(soup.title and soup.title.get_text()),
        link=coerce.first_link([*_texts(feed, "url"), url], base),
        description=coerce.line(_text(feed, "summary")),
        author=authors[0].name if authors else None,
        image=coerce.first_link(_texts(feed, "photo", "logo", "featured"), base),
        language=coerce.language(feed.get("lang"), parser.lang),
    )
    return make_feed(profile, posts, lambda item: _entry(item, url, base, profile, authors), *notes)


def _list_feeds(links: Object) -> Iterator[str]:
    for link, attributes in links.items():
        if "alternate" in attributes.get("rels", ()) and is_feed_type(attributes.get("type")):
            yield f"this is a web page, which names a feed: {address.redact(link)}"
            return


# A microformat is a dict for mf2py; a value of its properties is a string or a dict: the words and
# the markup of content, the address and the words of an image, another microformat.


def _find(items: Iterable[Object], kind: str) -> Iterator[Object]:
    """Yield the items of a kind among items and in them, but none in a post, such as comments."""
    for item in items:
        if kind in item["type"]:
            yield item
        if "h-entry" not in item["type"]:
            yield from _find(item.get("children", ()), kind)


def _find_posts(feed: Object) -> list[Object]:
    return list(_find(feed.get("children", ()), "h-entry"))


def _values(item: Object, *names: str) -> list[Any]:
    properties = item.get("properties", {})
    return [value for name in names for value in properties.get(name, ())]


def _plain_form(value: Any) -> str | None:
    return value.get("value") if isinstance(value, dict) else value


def _texts(item: Object, *names: str) -> list[str]:
    return [text for value in _values(item, *names) if (text := _plain_form(value))]


def _text(item: Object, *names: str) -> str:
    return next(iter(_texts(item, *names)), "")


def _entry(
    item: Object, url: str | None, base: str | None, feed: Profile, authors: tuple[Person, ...]
) -> ParsedEntry:
    own_id = coerce.string(item.get("id"))
    # On a page of short notes, the place of a note is all there is to link to.
    place = coerce.link(f"#{own_id}", url) if own_id and url else None
    contents = _values(item, "content")
    content, summary = _read_text(contents, base), _read_text(_values(item, "summary"), base)
    files = [coerce.file(text, base) for text in _texts(item, "audio", "video")[: coerce.MAX_FILES]]
    languages = [value.get("lang") for value in coerce.dicts(contents)]
    return ParsedEntry(
        id=_text(item, "uid"),
        link=coerce.first_link(_texts(item, "url"), base) or place,
        title=_title(item),
        summary=summary,
        content=_add_surroundings(item, content, summary, base),
        authors=_read_authors(item, base) or authors,
        categories=coerce.lines(_texts(item, "category")),
        published=dates.parse_date(*_texts(item, "published")),
        updated=dates.parse_date(*_texts(item, "updated")),
        enclosures=tuple(Enclosure(url=url) for url in dict.fromkeys(filter(None, files))),
        image=coerce.first_link(_texts(item, "featured", "photo"), base),
        in_reply_to=coerce.links(url for url, _ in _read_citations(item, "in-reply-to", base)),
        language=coerce.language(*languages, item.get("lang"), feed.language),
    )


def _title(item: Object) -> Text | None:
    """Return the name as a title, unless the text begins so (post type discovery, §4)."""
    name, text = one_line(_text(item, "name")), one_line(_text(item, "content", "summary"))
    if not name or (text and text.startswith(_ELLIPSIS.sub("", name))):
        return None
    return Text(value=name[: coerce.MAX_LINE])


def _read_authors(item: Object, base: str | None) -> tuple[Person, ...]:
    """Return the authors of a feed or a post: cards, names, or addresses."""
    cards = [one if isinstance(one, dict) else {"value": one} for one in _values(item, "author")]
    return merge_people(
        make_person(_text(card, "name"), _text(card, "url"), base)
        if "properties" in card
        else make_person(None if "://" in card["value"] else card["value"], card["value"])
        for card in cards
    )


def _read_text(candidates: list[Any], base: str | None) -> Text | None:
    """Return the first of several texts: the markup of e-* properties, the words of p-*."""
    for value in candidates:
        html = value.get("html") if isinstance(value, dict) else None
        if text := (
            coerce.text(html, TextKind.HTML, base)
            or coerce.text(_plain_form(value), TextKind.TEXT, base)
        ):
            return text
    return None


def _add_surroundings(
    item: Object, content: Text | None, summary: Text | None, base: str | None
) -> Text | None:
    """Return the content with mentioned posts above and pictures below."""
    before = "".join(
        compose.mention(sign, url, name)
        for kind, sign in _SIGNS.items()
        for url, name in _read_citations(item, kind, base)
        if not compose.shows(content, url)
    )
    after = "".join(
        compose.picture(url, coerce.line(value.get("alt")) if isinstance(value, dict) else None)
        for value in _values(item, "photo")[: coerce.MAX_FILES]
        if (url := coerce.link(_plain_form(value), base)) and not compose.shows(content, url)
    )
    text = compose.surround(content, summary, before=before, after=after)
    return text and replace(text, base=base)


def _read_citations(item: Object, kind: str, base: str | None) -> Iterator[tuple[str, str | None]]:
    """Yield address and name of each answered, liked, shared or kept post."""
    for value in _values(item, kind)[:_MAX_MENTIONED]:
        cited: Object = value if isinstance(value, dict) else {}
        if link := coerce.first_link([_plain_form(value), *_texts(cited, "url")], base):
            yield link, coerce.line(_text(cited, "name"))
