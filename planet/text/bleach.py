"""The door to bleach: HTML → well-formed HTML.

bleach parses as browsers do, and lets through the elements and attributes of the policy. Elements
that are left out with their content have to be let through as well, to be recognised: where bleach
strips a tag, it keeps the text, that of scripts included.
"""

from __future__ import annotations

import threading
from html import escape
from typing import TYPE_CHECKING, Any

from bleach.sanitizer import Cleaner

from planet.text import policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


# html5lib loses what stands in a table outside its cells when nothing is around the table. No feed
# has an element of that name, and the writer leaves it out.
_AROUND = "x-text"
_DROPPED = policy.DROPPED | {"iframe"}
_SIGNS = str.maketrans({'"': "&quot;", "<": "&lt;", ">": "&gt;"})


def parsed(html: str) -> str:
    """What the policy lets through of HTML, well-formed. Raises whatever bleach raises."""
    return _of_thread.parsed(html)


class _OfThread(threading.local):
    """A cleaner keeps state while it works: shared between threads, it mixes their texts."""

    _out: list[str]

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

    def parsed(self, html: str) -> str:
        self._out = []
        self._cleaner.clean(f"<{_AROUND}>{html}")
        return "".join(self._out)

    def _consume(self, *, source: Iterable[Mapping[str, Any]]) -> tuple[()]:
        write = self._out.append
        # The element whose content is left out, once for each of that name that is open in it.
        dropped: list[str] = []
        for token in source:
            kind, name = token["type"], token.get("name", "")
            if dropped and name != dropped[0]:
                continue
            if kind == "EndTag" and dropped:
                dropped.pop()
            elif kind == "EndTag":
                write(f"</{name}>" if name != _AROUND else "")
            elif kind in ("StartTag", "EmptyTag"):
                if name == "iframe":
                    write(f"<iframe{_attributes(token['data'])}></iframe>")
                if dropped or name in _DROPPED:
                    dropped.append(name)
                elif name != _AROUND:
                    write(f"<{name}{_attributes(token['data'])}>")
            else:  # Entity, Characters or SpaceCharacters; bleach has dropped the comments
                write(f"&{name};" if name else escape(token["data"], quote=False))
        return ()


def _attributes(attributes: Mapping[tuple[str | None, str], str]) -> str:
    # bleach leaves their character references as they are.
    return "".join(
        f' {name}="{value.translate(_SIGNS)}"' for (_, name), value in attributes.items()
    )


_of_thread = _OfThread()
