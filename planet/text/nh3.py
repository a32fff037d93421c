"""The door to nh3 (ammonia, in Rust): HTML → calls of a Writer.

Its output is well-formed and escaped, so the parser of the standard library reads it reliably, and
what that gives is checked against the policy once more by the writer.
"""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from nh3 import Cleaner

from planet.text import policy

if TYPE_CHECKING:
    from planet.text.policy import Writer


def write(html: str, writer: Writer) -> None:
    """Write what the policy allows of untrusted HTML. Raises whatever nh3 raises."""
    reader = _Reader(writer)
    reader.feed(_cleaner().clean(html))
    reader.close()


@cache
def _cleaner() -> Cleaner:
    # Unlike bleach's, it has no state and may be shared.
    attributes = policy.attributes()
    return Cleaner(
        tags=set(attributes),
        attributes={name: set(names) for name, names in attributes.items()},
        clean_content_tags=set(policy.DROPPED),
        url_schemes=set(policy.SCHEMES),
        link_rel=None,
    )


class _Reader(HTMLParser):
    def __init__(self, writer: Writer) -> None:
        super().__init__(convert_charrefs=True)
        self._writer = writer

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._writer.start(tag, dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        self._writer.end(tag)

    def handle_data(self, data: str) -> None:
        self._writer.text(data)
