"""Digests → Atom: one entry a digest, made once and then never changed."""

from __future__ import annotations

import html
from datetime import date
from typing import TYPE_CHECKING

from planet.feeds import atom, markup
from planet.feeds.channel import EMPTY, urn
from planet.feeds.dates import rfc3339

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planet.feeds.channel import Channel
    from planet.feeds.markup import Xml
    from planet.model import Digest, DigestItem

LENGTH = 30
"""Digests in the feed."""


def write(channel: Channel, digests: Sequence[Digest]) -> bytes:
    """An Atom document with an entry for each digest, in their order."""
    changed = max((digest.made_at for digest in digests), default=EMPTY)
    return atom.document(channel, (_entry(channel, digest) for digest in digests), changed)


def title(channel: Channel, digest: Digest) -> str:
    """What a digest is called: it names its day."""
    return channel.words.digest_of(channel.words.date(date.fromisoformat(digest.name)))


def page(channel: Channel, digest: Digest) -> str | None:
    """The address of the page of a digest, if that is known."""
    return channel.address(f"digest/{digest.name}/")


def _entry(channel: Channel, digest: Digest) -> Xml:
    address = page(channel, digest)
    return markup.nest(
        "entry",
        [
            markup.text("id", address or urn(f"{channel.seed}{digest.name}/")),
            markup.text("title", title(channel, digest), {"type": "text"}),
            markup.text("published", rfc3339(digest.due_at)),
            markup.text("updated", rfc3339(digest.made_at)),
            atom.link("alternate", address, "text/html"),
            markup.text("content", "".join(_content(digest)), {"type": "html"}),
        ],
    )


def _content(digest: Digest) -> Iterator[str]:
    for section in digest.sections:
        yield f"<h4>{_linked(section.source, section.link)}</h4>\n<ul>\n"
        yield from map(_item, section.items)
        yield "</ul>\n"


def _item(item: DigestItem) -> str:
    summary = f"<br>\n{html.escape(item.summary, quote=False)}" if item.summary else ""
    return f"<li>{_linked(item.heading, item.link)}{summary}</li>\n"


def _linked(text: str, href: str | None) -> str:
    escaped = html.escape(text, quote=False)
    return f'<a href="{html.escape(href)}">{escaped}</a>' if href else escaped
