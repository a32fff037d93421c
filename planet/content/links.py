"""Clean HTML → the addresses that it links to."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from planet import address

if TYPE_CHECKING:
    from planet.model import Html

MAX_LINKS = 100
"""Of one text: nobody recommends more, and a list of all there is says nothing."""
MAX_LENGTH = 1000
"""Characters of an address."""

# `Writer` alone writes clean HTML: with an address first in an `a`, in double quotes, and with no
# "<" that begins no tag. So this finds every link, and a parser would find the same ones slower.
_LINK = re.compile(r'<a href="(https?://[^"]*)"')
_IMAGE = re.compile(r"\.(?:avif|gif|jpe?g|png|svg|webp)$", re.IGNORECASE)


def links(html: Html) -> tuple[str, ...]:
    """The web addresses that a clean text links to, each once, in the order of the text.

    They are as `address.same` writes them, without fragment, and without user and password. An
    address that a part of its query makes private is left out, and so is that of an image, which a
    text shows or links to as the operator likes.
    """
    found: dict[str, None] = {}
    for said in _LINK.findall(html):
        public = address.public(unescape(said))
        if public and len(public) <= MAX_LENGTH and not _IMAGE.search(urlsplit(public).path):
            found[address.same(public)] = None
            if len(found) == MAX_LINKS:
                break
    return tuple(found)
