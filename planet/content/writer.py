"""Elements, attributes and text → HTML by the policy. What it gives is safe by construction.

The door of each library drives a writer with what the library let through. Names are written only
when the policy has them, values only when they are what it asks for, all else is escaped, and what
was opened is closed in the right order, whatever the calls were.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from planet import address
from planet.content import policy
from planet.content.attributes import checked, start_tag
from planet.content.policy import Value
from planet.model import Html, Images
from planet.plain import NO_CHARACTERS, one_line

if TYPE_CHECKING:
    from planet.content.attributes import Attributes

CONTROLS = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f{NO_CHARACTERS}]")
"""What no page and no feed can hold: controls, halves of surrogate pairs, and non-characters."""

_NO_SIZE = frozenset({"0", "0px", "1", "1px"})


class Writer:
    """Writes the HTML of one text; its calls are those of a parser."""

    def __init__(self, *, base: str | None, images: Images) -> None:
        self._base = base
        self._images = images
        self._out: list[str] = []
        # The open elements, and whether their tags were written.
        self._open: list[tuple[str, bool]] = []
        # The element that is being left out, once for each of that name that is open in it.
        self._dropped: list[str] = []

    def start(self, name: str, attributes: Attributes) -> None:
        """A start tag."""
        if self._dropped:
            if name == self._dropped[0]:
                self._dropped.append(name)
            return
        name = policy.RENAMED.get(name, name)
        if name in policy.DROPPED:
            self._dropped.append(name)
        elif name == "iframe":
            self._frame(attributes)
            self._dropped.append(name)
        elif name == "img":
            self._image(attributes)
        elif name != "source" or self._inside("audio", "video"):
            self._element(name, attributes)

    def end(self, name: str) -> None:
        """An end tag; one that ends nothing is passed over."""
        if self._dropped:
            if name == self._dropped[0]:
                self._dropped.pop()
            return
        name = policy.RENAMED.get(name, name)
        if any(started == name for started, _ in self._open):
            while self._close() != name:
                pass

    def text(self, words: str) -> None:
        """Text, with its character references decoded."""
        if self._dropped:
            return
        if words.startswith("\n") and self._out and self._out[-1].startswith("<pre"):
            # A parser swallows one line end right after this tag: the last one has, the next will.
            self._out.append("\n")
        self._out.append(escape(words, quote=False))

    def html(self) -> Html:
        """What was written, with everything closed."""
        while self._open:
            self._close()
        return Html(CONTROLS.sub("", "".join(self._out)))

    def _element(self, name: str, attributes: Attributes) -> None:
        self._end_before(name)
        tag = start_tag(name, attributes, self._base)
        if tag is not None:
            self._out.append(tag)
        if name not in policy.VOID:
            self._open.append((name, tag is not None))

    def _end_before(self, name: str) -> None:
        """Close what a parser would close before this start tag (HTML §13.2.6.4.7).

        Elements that are left out may have parted what now meets, an `li` an `li` for example.
        """
        enders = policy.ENDED_BY.get(name)
        for place in range(len(self._open) - 1, -1, -1) if enders else ():
            started, written = self._open[place]
            if written and enders and started in enders:
                while len(self._open) > place:
                    self._close()
                return
            if written and (started in policy.SCOPES or name in policy.HEADINGS):
                return

    def _close(self) -> str:
        name, written = self._open.pop()
        if written:
            self._out.append(f"</{name}>")
        return name

    def _inside(self, *names: str) -> bool:
        return any(written and name in names for name, written in self._open)

    def _frame(self, attributes: Attributes) -> None:
        """A link in the place of a frame."""
        source = address.web(attributes.get("src"), self._base)
        if source is None:
            return
        host = (urlsplit(source).hostname or "").removeprefix("www.")
        players = (
            word
            for player, word in policy.PLAYERS.items()
            if host == player or host.endswith(f".{player}")
        )
        for pattern, page in policy.PAGES:
            source = pattern.sub(page, source)
        self._link(source, f"{next(players, 'Embedded')}: {host}")

    def _image(self, attributes: Attributes) -> None:
        alternative = one_line(attributes.get("alt") or "")
        sizes = {attributes.get("width"), attributes.get("height")}
        if "0" in sizes or sizes <= _NO_SIZE:
            # Nobody is meant to see it: it counts readers.
            return
        if self._images is Images.LAZY:
            written = start_tag("img", {**attributes, "alt": alternative}, self._base)
            self._out.append(written or escape(alternative, quote=False))
            return
        source = checked(Value.FILE, attributes.get("src") or "", self._base)
        if source is not None and self._images is Images.LINKED:
            self._link(source, alternative or "Image")
        else:
            self.text(alternative)

    def _link(self, target: str, words: str) -> None:
        if self._inside("a"):
            self.text(words)
        else:
            self._out.append(start_tag("a", {"href": target}, None) or "")
            self.text(words)
            self._out.append("</a>")
