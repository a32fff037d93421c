"""Where pages are on a site, and which addresses may stand in one."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING
from urllib.parse import quote

from planet.text import address

if TYPE_CHECKING:
    from planet.model import PickList, Source, Tag


def source_folder(source: Source) -> str:
    """Where a source's page and feeds are: an address relative to the site's root."""
    return f"source/{quote(source.slug, errors='replace')}/"


def tag_folder(tag: Tag) -> str:
    """Where a tag's page and feeds are: an address relative to the site's root."""
    return f"tag/{quote(tag.slug, errors='replace')}/"


def list_folder(listed: PickList) -> str:
    """Where the page and the feed of a list are: an address relative to the site's root."""
    return f"lists/{quote(listed.name, errors='replace')}/"


def page_address(link: str, path: str) -> str:
    """The address of a page of the site that is published at `link`."""
    # One page, one address: hosts serve it without its index.html, too.
    return link + quote(path.removesuffix("index.html"), errors="replace")


def href(url: str | None) -> str | None:
    """An address that may stand in a page, or None when it is not one of the web."""
    # Addresses in the model are absolute already; to take each apart again costs more than the
    # rest of its post.
    if url is None or url.startswith(("https://", "http://")):
        return url
    return address.web(url)


def fingerprint(*facts: object) -> str:
    """A hash of texts, numbers, dates and tuples of these."""
    return hashlib.sha256(repr(facts).encode(errors="backslashreplace")).hexdigest()
