"""Untrusted text → safe HTML and plain text; a parsed entry → `NewEntry`. The door to Markdown.

`policy` has the elements of entries, and docs/html.md the same as a table.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import blake2b
from html import escape, unescape
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec.structs import replace

from planet.model import Facts, Html, Images, NewEntry, Text, TextKind
from planet.text import address
from planet.text.plain import (
    decode_attribute,
    decode_references,
    one_line,
    plain,
    shorten,
    split_at_addresses,
)
from planet.text.policy import (
    CONTROLS,
    REVISION,
    read_attributes,
    start_tag,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it import MarkdownIt

    from planet.model import ParsedEntry
    from planet.model.secrets import Redactor


MAX_HTML = 200_000
"""Characters."""


def hash_entry(entry: ParsedEntry) -> str:
    """Return the BLAKE2b-128 hash, in hex, of the words of a source in an entry.

    Fields without a value do not count, so that a new field of `ParsedEntry` makes no entry look
    edited. Nor do dates, and the base of a text, which follows from the address of the feed.
    """
    texts = {
        name: replace(text, base=None)
        for name in ("title", "summary", "content")
        if (text := getattr(entry, name))
    }
    undated = replace(entry, published=None, updated=None, **texts)
    return blake2b(msgspec.json.encode(undated), digest_size=16).hexdigest()


# Who indents a line has an editor that broke the one before it: that line's end means nothing.
_INDENT = re.compile(r"(?<=\S)[ \t]*\n[ \t]+(?=\S)")
_BLANK_LINES = re.compile(r"\n\s*\n")


def make_paragraphs(words: str, *, lines: bool = True) -> Html:
    """Turn plain text into paragraphs of HTML, parted at blank lines, with links for addresses.

    With `lines`, line ends become `<br>`.
    """
    words = CONTROLS.sub("", words).replace("\r\n", "\n").replace("\r", "\n").strip()
    end = "<br>\n" if lines else "\n"
    parts = [_link_addresses(part.strip()).replace("\n", end) for part in _BLANK_LINES.split(words)]
    return Html("\n".join(f"<p>{part}</p>" for part in parts if part))


def render_markdown(words: str) -> str:
    """Turn CommonMark, with the tables and struck words of GitHub, into HTML.

    HTML stays as written: whoever shows the result cleans the result, or trusts the author.
    """
    rendered: str = _markdown().render(words)
    return rendered


@cache
def _markdown() -> MarkdownIt:
    # Imported when first needed: few feeds have texts in Markdown only.
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def _link_addresses(words: str) -> str:
    """Escape plain text, with links for addresses."""
    pieces = []
    for before, link in split_at_addresses(words):
        tag = start_tag("a", {"href": link}, None) if link else None
        shown = escape(link, quote=False)
        pieces += [escape(before, quote=False), f"{tag}{shown}</a>" if tag else shown]
    return "".join(pieces)


MAX_LINKS = 100
"""Of one text: nobody recommends more, and a list of all there is says nothing."""
MAX_LINK = 1000
"""Characters of an address."""

# `sanitize` alone writes clean HTML: with an address first in an `a`, in double quotes, and with no
# "<" that begins no tag. So this finds every link, and a parser would find the same ones slower.
_LINK = re.compile(r'<a href="(https?://[^"]*)"')
_IMAGE = re.compile(
    r"https?://[^/?#]*/[^?#]*\.(?:avif|gif|jpe?g|png|svg|webp)(?![^?#])", re.IGNORECASE
)


def find_links(html: Html) -> tuple[str, ...]:
    """Return the web addresses of the links in a clean text, each once, in the order of the text.

    They are normalized (`address.normalize`), without user and password. Addresses with a secret in
    the query are left out, and so are addresses of images: whether a text shows or links an image
    is a setting.
    """
    public = (address.without_secrets(decode_references(link)) for link in _LINK.findall(html))
    links = (
        address.normalize(link)
        for link in public
        if link and len(link) <= MAX_LINK and not _IMAGE.match(link)
    )
    return tuple(islice(dict.fromkeys(links), MAX_LINKS))


_WORDED = re.compile(r'<a href="(https?://[^"<>]*)"[^<>]*>(.{1,1000}?)</a>', re.DOTALL)


def find_links_with_words(html: Html) -> Iterator[tuple[str, str]]:
    """Yield the address and the words of each link to a web address in a clean text."""
    for link, shown in _WORDED.findall(html):
        if public := address.without_secrets(decode_references(link)):
            yield address.normalize(public), one_line(unescape(re.sub("<[^<>]*>", "", shown)))


MAX_TITLE = 300
MAX_EXCERPT = 500
"""Characters of plain text."""


class Cleaning(msgspec.Struct, frozen=True, kw_only=True):
    """How texts are cleaned: which library parses them."""

    sanitizer: Literal["nh3", "bleach"] = "nh3"

    @property
    def version(self) -> str:
        """Differs whenever the same text could come out differently."""
        return f"{self.sanitizer}-{REVISION}"


def clean(text: Text, cleaning: Cleaning) -> Html:
    """Return safe HTML with absolute addresses. Never raises.

    Plain text becomes paragraphs, and so does HTML past the limits of cleaning. Images
    stay, whatever the site does with them (`show_images`).
    """
    value = CONTROLS.sub("", text.value)
    is_html = text.kind is TextKind.HTML
    if len(value) > MAX_HTML:
        return make_paragraphs(plain(text, MAX_HTML))
    if not is_html or "<" not in value:
        return make_paragraphs(_INDENT.sub(" ", decode_references(value)) if is_html else value)
    # Imported when first needed: a run in which nothing is new cleans nothing.
    from planet.text.sanitize import sanitize

    try:
        html = sanitize(value, base=text.base, limit=MAX_HTML, sanitizer=cleaning.sanitizer)
    except Exception:  # noqa: BLE001 - parsers of HTML promise no set of exceptions
        html = None
    if html is None:
        return make_paragraphs(plain(text, MAX_HTML))
    return _with_paragraphs(html)


_SHOWN_IMAGE = re.compile(r"<a (?=href=)|</a>|<img ([^<>]*)>")


def show_images(html: Html, images: Images) -> Html:
    """Return a clean text with images as a site shows them, as clean as before.

    Links or alternative texts take the places of other images.
    """
    if images is Images.LAZY or "<img" not in html:
        return html
    is_linked = False

    def show(match: re.Match[str]) -> str:
        """Return a link or words for an image; no link within a link."""
        nonlocal is_linked
        if match[1] is None:
            is_linked = match[0] != "</a>"
            return match[0]
        attributes = read_attributes(match[1])
        source = attributes.get("src") or ""
        words = escape(attributes.get("alt") or "", quote=False)
        if images is Images.NONE or is_linked or source.startswith("data:"):
            return words
        return f"{start_tag('a', {'href': source}, None)}{words or 'Image'}</a>"

    return _with_paragraphs(Html(_SHOWN_IMAGE.sub(show, html)))


# One place for the value in each kind of quotes.
_WRITTEN: Final = re.compile(r"""\s([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")


def redact_html(html: str, redactor: Redactor) -> str:
    """Redact HTML, without addresses that need a secret."""

    def redact(match: re.Match[str]) -> str:
        """Return an attribute without secrets: a link without the parameter, or nothing."""
        name = match[1]
        value = decode_attribute(match[2] or match[3] or match[4] or "")
        if not redactor.covers(value):
            return match[0]
        shorter = redactor.public(value) if name.lower() == "href" else None
        return f' {name}="{escape(shorter)}"' if shorter else " "

    return redactor.redact(_WRITTEN.sub(redact, html)) if redactor.covers(html) else html


def _with_paragraphs(html: Html) -> Html:
    """Return the text, with paragraphs where no tags are left."""
    return html if "<" in html else make_paragraphs(decode_references(html), lines=False)


def draft_entry(
    entry: ParsedEntry, *, cleaning: Cleaning, clean_content: bool, rank: int | None, digest: str
) -> NewEntry:
    """Return the entry to store: title and excerpt as plain text, the text as sent.

    The text is the content, else the summary; `clean_content` adds the clean text.
    """
    raw = entry.content or entry.summary
    excerpted = entry.summary or entry.content
    content = clean(raw, cleaning) if raw and clean_content else None
    title = plain(entry.title, MAX_TITLE) if entry.title else ""
    excerpt = plain(excerpted, MAX_EXCERPT) if excerpted else ""
    if not excerpt and content:
        alternatives = map(decode_references, _ALTERNATIVE.findall(content))
        excerpt = shorten("; ".join(alternatives), MAX_EXCERPT)
    excerpt = _without_filler(excerpt, title)
    return NewEntry(
        id=entry.id,
        digest=digest,
        title=title or None,
        summary=excerpt or None,
        content=content,
        links=None if content is None else find_links(content),
        cleaning=cleaning.version if raw and clean_content else None,
        raw=raw,
        rank=rank,
        **{name: getattr(entry, name) for name in Facts.__struct_fields__},
    )


_ALTERNATIVE = re.compile(r'<img [^<>]*?\balt="([^"]+)"')
# What programs put behind an excerpt: where the post stood first, and the words of a link, in front
# of which a sentence has ended or was cut.
_FIRST = re.compile(r"(?:\A|(?<=[.!?…\])。])|\s)\s*+The post .{1,300} first on .{1,200}\Z")
_MORE = re.compile(
    r"([.!?…\])。])\s*"
    r"(?i:(?:read|see|view|show) (?:more|on|the (?:full|whole|rest))\b[^.!?]{0,80}"
    r"|continue reading\b.{0,200}|keep reading)[\s.…:»›→>\])]*\Z"
)
_CUT = re.compile(r"\s*(?:\[(?:…|\.\.\.)\]|\((?:…|\.\.\.)\))\Z")
_LONG_TITLE = 20
"""Characters; what begins with the word or two of a shorter title may be a sentence of its own."""


def _without_filler(words: str, title: str) -> str:
    """Remove from an excerpt a repeated title, and words such as "Read more"."""
    # Each is looked for where it can be only: there are as many excerpts as entries.
    if " first on " in words:
        words = _FIRST.sub("", words)
    words = _MORE.sub(r"\1", f".{words}")[1:]
    if words.endswith(("]", ")")):
        words = _CUT.sub("…", words)
    if not title or not words.casefold().startswith(title.casefold()):
        return words
    rest = words[len(title) :].lstrip(" .:|–—-")
    is_whole = len(title) >= _LONG_TITLE and not words[len(title) :][:1].isalnum()
    return words if rest and (not is_whole or rest[0].islower()) else rest
