"""What the operator keeps secret ⇄ its name, for all that is written down. Pure.

In the config a secret is only named: `${TOKEN}`. In the state it is so, too, wherever it would have
stood: the state may lie on a public branch. What the next run has to know as it was is hidden, and
has the secret in its place again when it is read back; from what is shown to anybody the secret is
taken out for good.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from html import escape, unescape
from typing import TYPE_CHECKING, Final, Generic, TypeAlias, TypeVar
from urllib.parse import quote, quote_plus, unquote, urlsplit, urlunsplit

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator


T = TypeVar("T")


class Secret(Generic[T]):
    """A value of the operator's that `repr` does not show, and that msgspec refuses to encode."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return self.value == other.value if isinstance(other, Secret) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return "Secret(…)"


Secrets: TypeAlias = tuple[tuple[str, Secret[str]], ...]
_OPENING = b"${"
_NAMED = re.compile(rb"\$\{([\w.]*)\}")
_NESTED = 4
"""Encodings within each other that are undone."""
# What `address.make_absolute` leaves as it is.
_IN_ADDRESSES = "!#$%&'()*+,/:;=?@[]~"


class Redactor(msgspec.Struct, frozen=True, kw_only=True):
    """Hides secrets behind their names, and shows them again; or takes them out.

    A secret is also known as it stands in an address, in JSON, in HTML and in base64, and comes
    back so. A "${" that was there before is not taken for the beginning of a name, whoever wrote
    it.
    """

    secrets: Secrets = ()
    """Names and values; no value is empty."""

    def hide(self, text: str) -> str:
        """Return the text with names in place of secrets."""
        if not self.secrets and "${" not in text:
            return text
        return _text(self.hide_bytes(_bytes(text)))

    def show(self, text: str) -> str:
        """Return the text that was hidden, with the secrets as they are now."""
        return _text(self.show_bytes(_bytes(text))) if "${" in text else text

    def hide_bytes(self, data: bytes) -> bytes:
        """`hide` for other values than text."""
        if not self.secrets and _OPENING not in data:
            return data
        tables = _tables(self.secrets)
        return tables.pattern.sub(lambda match: tables.names[match[0]], data)

    def show_bytes(self, hidden: bytes) -> bytes:
        """`show` for other values than text."""
        if _OPENING not in hidden:
            return hidden
        forms = _tables(self.secrets).forms
        return _NAMED.sub(lambda match: forms.get(match[1], match[0]), hidden)

    def covers(self, text: str) -> bool:
        """Return whether a secret is in the text, however spelled."""
        return self._first(text) is not None or self._first(_decode(text)) is not None

    def redact(self, text: str) -> str:
        """Return the text for anybody: with names in place of secrets.

        A text that spells one in an unusual way loses all that is encoded in it.
        """
        if not self.secrets:
            return text
        redacted = self.redact_bytes(_bytes(text))
        # Without the names, in which a secret may be, too.
        rest = _text(_NAMED.sub(b"", redacted))
        if self._first(_decode(rest)) is not None:
            redacted = self.redact_bytes(_bytes(_decode(_text(redacted))))
        return _text(redacted)

    def redact_bytes(self, data: bytes) -> bytes:
        """`redact` for other values than text."""
        if not self.secrets:
            return data
        tables = _tables(self.secrets)

        def name(match: re.Match[bytes]) -> bytes:
            called = tables.names[match[0]]
            return _OPENING if match[0] == _OPENING else re.sub(rb"\.\d+}$", b"}", called)

        return tables.pattern.sub(name, data)

    def public(self, address: str) -> str | None:
        """Return the address without the parameters of its query that hold a secret.

        None when there is a secret in another part of it.
        """
        if not self.covers(address):
            return address
        try:
            parts = urlsplit(address)
            kept = [pair for pair in parts.query.split("&") if not self.covers(pair)]
            shorter = urlunsplit(parts._replace(query="&".join(kept)))
        except ValueError:
            return None
        return None if self.covers(shorter) else shorter

    def base(self, url: str) -> str:
        """Return the base for addresses that are relative to `url`.

        That is `url` itself when no secret is in it, else the last folder before the first secret,
        or the top of its server; empty when there is a secret in that, too.
        """
        if not self.covers(url):
            return url
        before = url[: self._first(url) or 0].partition("?")[0]
        parts = urlsplit(url)
        for shorter in (before[: before.rfind("/") + 1], f"{parts.scheme}://{parts.netloc}/"):
            if urlsplit(shorter).hostname and not self.covers(shorter):
                return shorter
        return ""

    def _first(self, text: str) -> int | None:
        """Where the first secret begins."""
        if not self.secrets:
            return None
        data = _bytes(text)
        matches = _tables(self.secrets).pattern.finditer(data)
        starts = (match.start() for match in matches if match[0] != _OPENING)
        start = next(starts, None)
        return None if start is None else len(_text(data[:start]))


NO_REDACTOR: Final = Redactor()
"""For who has no secrets."""


class _Tables(msgspec.Struct, frozen=True, kw_only=True):
    """What secrets are found by, and what stands for them."""

    pattern: re.Pattern[bytes]
    """Finds all of `names`, the longest first: never a part of a secret as a shorter one."""
    names: dict[bytes, bytes]
    """By the forms in which secrets are written."""
    forms: dict[bytes, bytes]
    """By their names."""


@cache
def _tables(secrets: Secrets) -> _Tables:
    names, forms = {_OPENING: b"${}"}, {b"": _OPENING}
    for name, secret in secrets:
        for number, form in enumerate(_iter_forms(secret.value)):
            called = (f"{name}.{number}" if number else name).encode()
            if form not in names:
                names[form] = b"${%b}" % called
                forms[called] = form
    longest_first = sorted(names, key=len, reverse=True)
    pattern = re.compile(b"|".join(map(re.escape, longest_first)))
    return _Tables(pattern=pattern, names=names, forms=forms)


def _iter_forms(value: str) -> Iterator[bytes]:
    """Yield a secret as it is, and as others write it; the order is part of what is stored.

    A secret that the operator gave as it stands in an address is known as what it says, too.
    """
    for text in dict.fromkeys((value, unquote(value))):
        quoted = (quote_plus(text), *(quote(text, safe=kept) for kept in ("", "/", _IN_ADDRESSES)))
        in_json = (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
        encoded = b64encode(text.encode()).decode().rstrip("=")
        forms = (
            text,
            *quoted,
            *map(_lower_hex, quoted),
            text.lower(),
            *map(escape, (text, *quoted)),
            *in_json,
            *(form.replace("/", "\\/") for form in in_json),
            encoded,
            encoded.translate(str.maketrans("+/", "-_")),
        )
        yield from (form.encode() for form in forms)


def _lower_hex(quoted: str) -> str:
    return re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), quoted)


def _decode(text: str) -> str:
    """Undo what addresses and HTML encode, also one within the other."""
    for _ in range(_NESTED):
        text = unescape(unquote(text)) if "%" in text or "&" in text else text
    return text


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
