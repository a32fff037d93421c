"""What the operator keeps secret ⇄ its name, for all that is written down. Pure.

In the config a secret is only named: `${TOKEN}`. In the state it is so, too, wherever it would have
stood: the state may lie on a public branch. What is read back has the secret in its place again.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, quote_plus, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

    Secrets = tuple[tuple[str, str], ...]

_OPENING = b"${"
_NAMED = re.compile(rb"\$\{([\w.]*)\}")
_CODES = ("utf-16-le", "utf-16-be")
# What `address.web` leaves as it is.
_IN_ADDRESSES = "!#$%&'()*+,/:;=?@[]~"


@dataclass(frozen=True, slots=True, kw_only=True)
class Veil:
    """Hides secrets behind their names, and shows them again: what was hidden comes back exactly.

    A secret is also known as it stands in an address, in JSON, in XML, in base64 and in UTF-16. A
    "${" that was there before is not taken for the beginning of a name, whoever wrote it.
    """

    secrets: Secrets = field(default=(), repr=False)
    """Names and values; no value is empty."""

    def hide(self, text: str) -> str:
        """The text with names in place of secrets."""
        if not self.secrets and "${" not in text:
            return text
        return _text(self.hide_bytes(_bytes(text)))

    def show(self, text: str) -> str:
        """The text that was hidden; a secret that changed since is there as it is now."""
        return _text(self.show_bytes(_bytes(text))) if "${" in text else text

    def hide_bytes(self, said: bytes) -> bytes:
        """`hide` for what need not be text."""
        if not self.secrets and _OPENING not in said:
            return said
        pattern, names, _ = _tables(self.secrets)
        return pattern.sub(lambda found: names[found[0]], said)

    def show_bytes(self, hidden: bytes) -> bytes:
        """`show` for what need not be text."""
        if _OPENING not in hidden:
            return hidden
        _, _, values = _tables(self.secrets)
        return _NAMED.sub(lambda found: values.get(found[1], found[0]), hidden)

    def covers(self, text: str) -> bool:
        """Whether a secret is in it."""
        return self._first(text) is not None

    def base(self, url: str) -> str:
        """What addresses may be made absolute with that are relative to `url`.

        That is `url` itself when no secret is in it, else the last folder before the first secret,
        or the top of its server; empty when there is a secret in that, too.
        """
        start = self._first(url)
        if start is None:
            return url
        before = url[:start].partition("?")[0]
        parts = urlsplit(url)
        for shorter in (before[: before.rfind("/") + 1], f"{parts.scheme}://{parts.netloc}/"):
            if urlsplit(shorter).hostname and self._first(shorter) is None:
                return shorter
        return ""

    def _first(self, text: str) -> int | None:
        """Where the first secret begins."""
        pattern, *_ = _tables(self.secrets)
        said = _bytes(text)
        starts = (each.start() for each in pattern.finditer(said) if each[0] != _OPENING)
        start = next(starts, None)
        return None if start is None else len(_text(said[:start]))


NO_VEIL: Final = Veil()
"""For who has no secrets."""


@cache
def _tables(
    secrets: Secrets,
) -> tuple[re.Pattern[bytes], dict[bytes, bytes], dict[bytes, bytes]]:
    """What finds a secret, what stands for each form of one, and the form behind each name."""
    names, values = {_OPENING: b"${}"}, {b"": _OPENING}
    for name, value in secrets:
        for number, form in enumerate(_forms(value)):
            called = (f"{name}.{number}" if number else name).encode()
            if form not in names:
                names[form] = b"${%b}" % called
                values[called] = form
    # The longest first, so that no part of a secret is taken for a shorter one.
    longest = sorted(names, key=len, reverse=True)
    return re.compile(b"|".join(map(re.escape, longest))), names, values


def _forms(value: str) -> Iterator[bytes]:
    """A secret as it is, and as others write it; the order is part of what is stored."""
    safe = ("", "/", _IN_ADDRESSES)
    quoted = (quote_plus(value), *(quote(value, safe=each) for each in safe))
    encoded = b64encode(value.encode()).decode().rstrip("=")
    in_json = (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
    forms = (
        value,
        *quoted,
        *map(_lower_hex, quoted),
        value.lower(),
        escape(value),
        *in_json,
        *(each.replace("/", "\\/") for each in in_json),
        encoded,
        encoded.translate(str.maketrans("+/", "-_")),
    )
    yield from (form.encode() for form in forms)
    yield from (value.encode(code) for code in _CODES)


def _lower_hex(quoted: str) -> str:
    return re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), quoted)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(said: bytes) -> str:
    return said.decode("utf-8", "surrogatepass")
