"""The door to bleach: HTML → calls of a Writer.

bleach parses as browsers do, and lets through the elements and attributes of the policy. Elements
that are left out with their content have to be let through as well, to be recognised: where bleach
strips a tag, it keeps the text, that of scripts included.
"""

from __future__ import annotations

import re
import threading
from html import unescape
from typing import TYPE_CHECKING, Any

from bleach.sanitizer import Cleaner

from planet.text import policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planet.text.policy import Writer


# html5lib loses what stands in a table outside its cells when nothing is around the table. No feed
# has an element of that name, and the writer leaves it out.
_AROUND = "x-text"
# In attributes, a named reference without its semicolon may be what it looks like: `?a=1&copy=2`.
_REFERENCE = re.compile(r"&(?:#\d+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]*;)")


def write(html: str, writer: Writer) -> None:
    """Write what the policy allows of untrusted HTML. Raises whatever bleach raises."""
    _of_thread.write(html, writer)


class _OfThread(threading.local):
    """A cleaner keeps state while it works: shared between threads, it mixes their texts."""

    _writer: Writer

    def __init__(self) -> None:
        attributes = policy.attributes()
        self._cleaner = Cleaner(
            tags={*attributes, *policy.DROPPED, _AROUND},
            attributes=attributes,
            protocols=policy.SCHEMES,
            strip=True,
            # A filter that lets nothing through leaves bleach's serialiser nothing to do, which
            # is slow and escapes some ampersands twice.
            filters=[self._consume],  # type: ignore[list-item]  # any callable will do
        )

    def write(self, html: str, writer: Writer) -> None:
        self._writer = writer
        self._cleaner.clean(f"<{_AROUND}>{html}")

    def _consume(self, *, source: Iterable[Mapping[str, Any]]) -> tuple[()]:
        writer = self._writer
        for token in source:
            match token["type"]:
                case "StartTag" | "EmptyTag":
                    writer.start(token["name"], _decoded(token["data"]))
                case "EndTag":
                    writer.end(token["name"])
                case "Entity":
                    writer.text(unescape(f"&{token['name']};"))
                case _:  # Characters and SpaceCharacters; bleach has dropped the comments
                    writer.text(token["data"])
        return ()


def _decoded(attributes: Mapping[tuple[str | None, str], str]) -> dict[str, str | None]:
    # bleach leaves them encoded.
    return {
        name: _REFERENCE.sub(lambda found: unescape(found[0]), value) if "&" in value else value
        for (_, name), value in attributes.items()
    }


_of_thread = _OfThread()
