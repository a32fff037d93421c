"""Records of long texts in a repository of the AT Protocol (`listRecords`) → ParsedFeed.

Documents of https://standard.site (`site.standard.document`) and entries of WhiteWind
(`com.whtwnd.blog.entry`). Tolerant: a field of the wrong type counts as absent.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from planet.errors import ParseError
from planet.model import ParsedEntry, Profile, Text, TextKind
from planet.parse import coerce, compose, dates
from planet.parse.coerce import part
from planet.parse.identify import make_feed
from planet.social.bluesky import write_facets
from planet.text import account

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planet.model import ParsedFeed, Resolved
    from planet.parse.coerce import Object
    from planet.parse.sniff import FeedDocument


LIST: Final = "/xrpc/com.atproto.repo.listRecords"
_MAX_BLOCKS = 2_000
_MAX_LEVELS = 5
"""Lists in lists."""


def read(document: FeedDocument, resolved: Resolved | None = None) -> ParsedFeed:
    """Read the records in a document; `resolved` is what the way to them has brought.

    Of a publication that is resolved, only its own documents are read.

    Raises:
        ParseError: `not_a_feed` or `unreadable`.
    """
    listed = coerce.parse_json_object(document.text).get("records")
    records = [record for record in coerce.dicts(listed) if _collection(record)]
    if not records and not (listed == [] and LIST in (document.base or "")):
        raise ParseError("not_a_feed", "this is JSON, but no list of documents")
    server = server_of(document.base or "")
    return make_feed(
        Profile(format="atproto"),
        records,
        lambda record: _read_record(record, server, resolved),
    )


def server_of(url: str) -> str:
    """Return the address of the server that answers at another one, without a slash at its end."""
    return urljoin(url, "/").removesuffix("/")


def _collection(record: Object) -> str | None:
    """Return the collection of a record that is read here."""
    name = account.parse_record(coerce.string(record.get("uri")) or "")
    known = (account.DOCUMENTS, account.WHITEWIND)
    return name.collection if name and name.key and name.collection in known else None


def _read_record(record: Object, server: str, resolved: Resolved | None) -> ParsedEntry | None:
    value, uri = part(record, "value"), str(record["uri"])
    if _collection(record) == account.WHITEWIND:
        return _whitewind(value, uri)
    site = coerce.string(value.get("site")) or ""
    publication = resolved.publication if resolved else None
    home = resolved.page if resolved else None
    is_own = site == publication or (home is not None and site.rstrip("/") == home.rstrip("/"))
    if publication and not is_own:
        return None
    if site == publication:
        site = home or ""
    path = coerce.string(value.get("path"))
    link = coerce.link(f"{site.rstrip('/')}/{path.lstrip('/')}") if path else None
    base = link or home
    return ParsedEntry(
        id=uri,
        link=link,
        title=_line(value.get("title")),
        summary=coerce.text(value.get("description"), TextKind.TEXT, base),
        content=_content(part(value, "content"), uri, server, base)
        or coerce.text(value.get("textContent"), TextKind.TEXT, base),
        categories=coerce.lines(coerce.items(value.get("tags"))),
        published=dates.parse_date(value.get("publishedAt")),
        updated=dates.parse_date(value.get("updatedAt")),
        image=blob_url(value.get("coverImage"), uri, server),
    )


def _whitewind(value: Object, uri: str) -> ParsedEntry | None:
    """Read an entry of WhiteWind, unless its author shows it to some only."""
    if value.get("visibility", "public") != "public" or value.get("isDraft") is True:
        return None
    # at://did:…/com.whtwnd.blog.entry/key
    owner, _, key = uri.removeprefix("at://").split("/")
    link = coerce.link(f"https://whtwnd.com/{owner}/{key}")
    return ParsedEntry(
        id=uri,
        link=link,
        title=_line(value.get("title")),
        content=coerce.markdown(value.get("content"), link),
        published=dates.parse_date(value.get("createdAt")),
    )


def _line(value: object) -> Text | None:
    words = coerce.line(value)
    return Text(value=words) if words else None


def blob_url(blob: object, uri: str, server: str) -> str | None:
    """Return where a repository's server has a file that the record at `uri` names."""
    ref = part(part({"blob": blob}, "blob"), "ref")
    cid = coerce.string(ref.get("$link"))
    owner = uri.removeprefix("at://").partition("/")[0]
    if not cid or not cid.isalnum() or not server:
        return None
    return coerce.link(f"{server}/xrpc/com.atproto.sync.getBlob?did={owner}&cid={cid}")


# The kinds of content; of any other the text beside it is read.


def _content(content: Object, uri: str, server: str, base: str | None) -> Text | None:
    """Read a content of a known kind: Markdown, HTML, or the blocks of Leaflet."""
    kind = coerce.string(content.get("$type"))
    if kind in ("site.standard.content.markdown", "at.markpub.markdown"):
        # No lexicon names the field yet; these are met.
        written = (content.get("text"), content.get("markdown"), content.get("value"))
        values = [part({"text": text}, "text").get("markdown") or text for text in written]
        return next(filter(None, (coerce.markdown(text, base) for text in values)), None)
    if kind == "site.standard.content.html":
        return coerce.text(content.get("value"), TextKind.HTML, base)
    if kind == "pub.leaflet.content":
        blocks = [
            part(block, "block")
            for page in coerce.dicts(content.get("pages"))
            for block in coerce.dicts(page.get("blocks"))
        ]
        html = "".join(_block(block, uri, server) for block in blocks[:_MAX_BLOCKS])
        return coerce.text(html, TextKind.HTML, base)
    return None


_LEAFLET: Final = "pub.leaflet.blocks."


def _block(block: Object, uri: str, server: str) -> str:
    """Write a block of Leaflet as HTML; a kind that is not known shows its words, if any."""
    words = _rich(block)
    match str(block.get("$type")).removeprefix(_LEAFLET):
        case "header":
            level = min(coerce.number(block.get("level")) or 1, 6)
            return f"<h{level}>{words}</h{level}>" if words else ""
        case "blockquote":
            return f"<blockquote><p>{words}</p></blockquote>"
        case "code":
            return f"<pre><code>{escape(str(block.get('plaintext') or ''))}</code></pre>"
        case "horizontalRule":
            return "<hr>"
        case "image":
            src = blob_url(block.get("image"), uri, server)
            return compose.picture(src, coerce.line(block.get("alt"))) if src else ""
        case "unorderedList" | "orderedList" as kind:
            name = "ul" if kind == "unorderedList" else "ol"
            return "".join(_list(block, name, uri, server))
        case "website" | "iframe":
            url = coerce.link(block.get("src") or block.get("url"))
            title, about = coerce.line(block.get("title")), coerce.line(block.get("description"))
            return compose.reference(url, title, about) if url else ""
    return f"<p>{words}</p>" if words else ""


def _list(block: Object, name: str, uri: str, server: str, level: int = 0) -> Iterator[str]:
    yield f"<{name}>"
    for item in coerce.dicts(block.get("children"))[:_MAX_BLOCKS]:
        content = part(item, "content")
        yield f"<li>{_rich(content) or _block(content, uri, server)}"
        if item.get("children") and level < _MAX_LEVELS:
            yield from _list(item, name, uri, server, level + 1)
        yield "</li>"
    yield f"</{name}>"


_FACET: Final = "pub.leaflet.richtext.facet#"
_MARKS = {
    "bold": "b",
    "italic": "i",
    "code": "code",
    "strikethrough": "s",
    "underline": "u",
    "highlight": "mark",
}


def _rich(block: Object) -> str:
    """Write the words of a block with its facets: links, and how words are set."""
    html = write_facets(coerce.string(block.get("plaintext")), block, _set)
    return html.replace("\n", "<br>")


def _set(words: str, features: Sequence[Object]) -> str:
    words = escape(words)
    for feature in features:
        kind = str(feature.get("$type")).removeprefix(_FACET)
        if mark := _MARKS.get(kind):
            words = f"<{mark}>{words}</{mark}>"
        elif kind == "link" and (url := coerce.link(feature.get("uri"))):
            words = f'<a href="{escape(url)}">{words}</a>'
    return words
