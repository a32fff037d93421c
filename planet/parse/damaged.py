"""A feed in damaged XML → the feed repaired, else as well as feedparser can read it."""

from __future__ import annotations

import re
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

from planet.errors import ParseError
from planet.model import Enclosure, ParsedEntry, ParsedFeed, Profile, Text, TextKind
from planet.parse import coerce, compose, dates
from planet.parse.compose import make_feed
from planet.text.plain import decode_references

if TYPE_CHECKING:
    from planet.parse.coerce import Object

# XML 1.0 §2.2: these are no characters. Nobody misses them.
_NO_CHARACTERS = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
# Sections, which stay; an ampersand, with the name or number after it; and in the title of a post
# about PHP, or XML, what readers take for an instruction, or a section, with all that follows.
_BARE = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:amp|lt|gt|quot|apos);)(?:#?\w+;)?"
    r"|<(?=\?(?![^<]*\?>)|!\[)",
    re.ASCII | re.DOTALL,
)
_PREFIX = re.compile(r"<([A-Za-z_][\w.-]{0,40}):(?=\w)")
_DECLARED_PREFIX = re.compile(r"\bxmlns:([\w.-]+)")
_ROOT_NAME = re.compile(r"<[^\s/>]+")
# Any other stands for itself: by its customary prefix the tree knows a module.
_NAMESPACES = {"atom": "http://www.w3.org/2005/Atom", "rss": "http://purl.org/rss/1.0/"}


def repair(document: str) -> str:
    """Repair characters, references and prefixes of a document, which begins with the root element.

    Most feeds are well-formed XML then. References of HTML are decoded: feeds declare none.
    """
    document = _BARE.sub(_escape, _NO_CHARACTERS.sub("", document))
    missing = sorted({*_PREFIX.findall(document)} - {*_DECLARED_PREFIX.findall(document)})
    declared = "".join(f' xmlns:{name}="{_NAMESPACES.get(name, name)}"' for name in missing)
    return _ROOT_NAME.sub(rf"\g<0>{declared}", document, count=1)


def _escape(bare: re.Match[str]) -> str:
    if bare[0].startswith("<!"):
        return bare[0]
    # A reference to no character becomes U+FFFD.
    decoded = decode_references(bare[0]).replace("\ufffd", "")
    return escape(_NO_CHARACTERS.sub("", decoded))


_HEADERS = {"content-type": "application/xml; charset=utf-8"}
# feedparser looks for mail addresses with an expression that takes quadratic time.
_LONG_AUTHOR = re.compile(
    r"(<(?:[\w-]+:)?(?:author|creator|managingeditor|webmaster|publisher|owner|name|email)"
    rf"(?:\s[^<>]*)?>\s*+(?:<!\[CDATA\[)?[^<\]]{{{coerce.MAX_LINE}}})[^<\]]+",
    re.IGNORECASE,
)


def read_damaged(document: str, base: str | None) -> ParsedFeed:
    """Read titles, links, ids, dates, texts and files of a document found at `base`.

    feedparser's own fetching, sanitising, resolving of addresses in HTML and reading of dates stay
    unused: they are unsafe, or slow, or depend on the host.

    Raises:
        ParseError: `unreadable`.
    """
    # Imported here: most runs need none of it.
    import feedparser  # type: ignore[import-untyped]  # has no types

    try:
        parsed = feedparser.parse(
            BytesIO(_LONG_AUTHOR.sub(r"\1", repair(document)).encode("utf-8", "replace")),
            response_headers=_HEADERS,
            sanitize_html=False,
            resolve_relative_uris=False,
        )
        # Plain dicts: its own are slow, and have keys that are others.
        about = dict(parsed["feed"])
        entries = [dict(entry) for entry in parsed["entries"][: coerce.MAX_ENTRIES + 1]]
        version = str(parsed["version"] or "xml")
    except Exception as error:  # feedparser promises no set of exceptions
        reason = type(error).__name__
        raise ParseError("unreadable", f"the feed cannot be read ({reason})") from error
    profile = Profile(
        format=version,
        id=coerce.line(about.get("id")),
        title=coerce.line(about.get("title")),
        link=coerce.link(about.get("link"), base),
        description=coerce.line(about.get("subtitle")),
        language=coerce.language(about.get("language")),
        updated=dates.parse_date(about.get("updated"), about.get("published")),
        reader="feedparser",
    )
    return make_feed(profile, entries, lambda entry: _entry(entry, profile, base))


def _entry(entry: Object, feed: Profile, base: str | None) -> ParsedEntry:
    links = (entry.get("feedburner_origlink"), entry.get("link"))
    link = coerce.first_link(links, feed.link, base)
    nearest = link or feed.link or base
    title = coerce.line(coerce.repair_encoding(coerce.string(entry.get("title")) or ""))
    summary = _text(entry.get("summary"), nearest)
    contents = [_text(part.get("value"), nearest) for part in coerce.dicts(entry.get("content"))]
    content = max(filter(None, contents), key=lambda text: len(text.value), default=None)
    # feedparser takes the content for the summary where there is none.
    summary = None if summary == content else summary
    summary, content = compose.drop_empty_text(summary, content)
    files = [
        Enclosure(
            url=url,
            media_type=coerce.media_type(link.get("type")),
            length=coerce.positive(link.get("length")),
        )
        for link in coerce.dicts(entry.get("links"))[: coerce.MAX_FILES]
        if link.get("rel") == "enclosure" and (url := coerce.file(link.get("href"), nearest))
    ]
    return ParsedEntry(
        # So that an entry stays the same when its feed is mended.
        id=(coerce.string(entry.get("id")) or "").replace("&amp;", "&"),
        link=link,
        title=Text(value=title) if title else None,
        summary=summary,
        content=content,
        published=dates.parse_date(entry.get("published"), entry.get("created")),
        updated=dates.parse_date(entry.get("updated")),
        enclosures=tuple(files),
        language=feed.language,
    )


def _text(value: object, base: str | None) -> Text | None:
    return coerce.text(coerce.repair_encoding(coerce.string(value) or ""), TextKind.HTML, base)
