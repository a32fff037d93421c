"""A post on a page: h-entry → ParsedEntry (https://microformats.org/wiki/h-entry)."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from planet.model import Enclosure, ParsedEntry, Text, TextKind
from planet.parse import dates, markup, values
from planet.parse.microformats import Item, plain_form
from planet.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from planet.model import Person
    from planet.parse.hcards import Cards
    from planet.parse.microformats import Page

_MAX_FILES = 50
_MAX_MENTIONED = 10
_SIGNS = {
    "in-reply-to": markup.ANSWERS,
    "like-of": markup.LIKES,
    "repost-of": markup.SHARES,
    "bookmark-of": markup.KEEPS,
}
_ELLIPSES = ("…", "...", "[…]", "[...]")


def entry(
    item: Item, *, page: Page, url: str | None, cards: Cards, authors: tuple[Person, ...]
) -> ParsedEntry:
    """A post on the page at `url`; `authors` are those of a post that names none."""
    link = _link(item, page.base, url)
    contents = item.values("content")
    content = _text(contents, page.base)
    summary = _text(item.values("summary"), page.base)
    pictures = [each for each in _pictures(item, page.base) if not _shows(content, each[0])]
    return ParsedEntry(
        id=next(iter(item.texts("uid")), ""),
        link=link,
        title=_title(item),
        summary=summary,
        content=_whole(item, content, summary, pictures, page.base),
        authors=cards.authors(item) or authors,
        categories=values.lines(item.texts("category")),
        published=_moment(item, "published"),
        updated=_moment(item, "updated"),
        enclosures=tuple(_files(item, page.base)),
        image=values.first_link(item.texts("featured", "photo"), page.base),
        language=_language(item, contents) or values.language(page.language),
    )


def _link(item: Item, base: str | None, url: str | None) -> str | None:
    link = values.first_link(item.texts("url"), base)
    name = values.string(item.said.get("id"))
    # On a page of short notes, the place of a note is all there is to link to.
    return link or (values.link(f"#{name}", url) if name and url else None)


def _title(item: Item) -> Text | None:
    """The name, unless it is but the beginning of the text (post type discovery, §4)."""
    name = next(iter(item.texts("name")), "")
    said = one_line(next(iter(item.texts("content", "summary")), ""))
    line = one_line(name)
    begins = line
    for ellipsis in _ELLIPSES:
        begins = begins.removesuffix(ellipsis).rstrip()
    if not line or (said and said.startswith(begins)):
        return None
    return Text(value=line[: values.MAX_LINE])


def _text(said: list[Any], base: str | None) -> Text | None:
    """The first of several texts: of e-* the markup, of p-* the words."""
    for value in said:
        html = values.string(value.get("html")) if isinstance(value, dict) else None
        words = values.string(plain_form(value))
        if html or words:
            kind = TextKind.HTML if html else TextKind.TEXT
            return Text(value=(html or words or "")[: values.MAX_TEXT], kind=kind, base=base)
    return None


def _whole(
    item: Item,
    content: Text | None,
    summary: Text | None,
    pictures: list[tuple[str, str | None]],
    base: str | None,
) -> Text | None:
    """The content with what is beside it on the page, and readers would miss."""
    before = "".join(_mentions(item, content, base))
    after = "".join(markup.picture(src, alt) for src, alt in pictures)
    if not before and not after:
        return content
    body = content or summary or Text(value="")
    html = body.value if body.kind is TextKind.HTML else markup.paragraphs(body.value)
    return Text(value=f"{before}{html}{after}", kind=TextKind.HTML, base=base)


def _mentions(item: Item, content: Text | None, base: str | None) -> Iterator[str]:
    """A paragraph for each post that this one answers, likes, shares or keeps."""
    for kind, sign in _SIGNS.items():
        for value in item.values(kind)[:_MAX_MENTIONED]:
            cited = Item(value) if isinstance(value, dict) else Item({})
            link = values.first_link([plain_form(value), *cited.texts("url")], base)
            if link and not _shows(content, link):
                name = next(iter(cited.texts("name")), None)
                yield markup.mention(sign, link, values.line(name))


def _pictures(item: Item, base: str | None) -> Iterator[tuple[str, str | None]]:
    for value in item.values("photo")[:_MAX_FILES]:
        if url := values.link(plain_form(value), base):
            yield url, values.line(value.get("alt")) if isinstance(value, dict) else None


def _files(item: Item, base: str | None) -> Iterator[Enclosure]:
    urls = (values.file(text, base) for text in item.texts("audio", "video")[:_MAX_FILES])
    for url in dict.fromkeys(filter(None, urls)):
        yield Enclosure(url=url)


def _shows(content: Text | None, url: str) -> bool:
    """Whether a text leads to an address, or shows what is there, already."""
    return content is not None and f'"{escape(url)}"' in content.value


def _moment(item: Item, name: str) -> datetime | None:
    found = (dates.moment(text) for text in item.texts(name))
    return next((each for each in found if each), None)


def _language(item: Item, contents: list[Any]) -> str | None:
    said = [each.get("lang") for each in contents if isinstance(each, dict)]
    candidates = (values.language(each) for each in [*said, item.said.get("lang")])
    return next((each for each in candidates if each), None)
