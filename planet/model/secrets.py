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
from html import escape
from html.entities import html5
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
_CODES = ("utf-16-le", "utf-16-be")
# What `address.make_absolute` leaves as it is.
_IN_ADDRESSES = "!#$%&'()*+,/:;=?@[]~"


class Redactor(msgspec.Struct, frozen=True, kw_only=True):
    """Hides secrets behind their names, and shows them again; or takes them out.

    A secret is also known as it stands in an address, in JSON, in XML, in base64 and in UTF-16:
    so it comes back exactly. Where its characters are spelled in more than one of these ways, it
    comes back in one of them. A "${" that was there before is not taken for the beginning of a
    name, whoever wrote it.
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
        """`hide` for what need not be text."""
        if not self.secrets and _OPENING not in data:
            return data
        names = _tables(self.secrets).names
        return self._pattern(data).sub(lambda match: names[self._form(match)], data)

    def show_bytes(self, hidden: bytes) -> bytes:
        """`show` for what need not be text."""
        if _OPENING not in hidden:
            return hidden
        forms = _tables(self.secrets).forms
        return _NAMED.sub(lambda match: forms.get(match[1], match[0]), hidden)

    def covers(self, text: str) -> bool:
        """Whether a secret is in it."""
        return self._first(text) is not None

    def redact(self, text: str) -> str:
        """Return the text for anybody: with names in place of secrets."""
        return _text(self.redact_bytes(_bytes(text))) if self.secrets else text

    def redact_bytes(self, data: bytes) -> bytes:
        """`redact` for what need not be text."""
        if not self.secrets:
            return data
        names = _tables(self.secrets).names

        def name(match: re.Match[bytes]) -> bytes:
            form = self._form(match)
            return form if form == _OPENING else re.sub(rb"\.\d+}$", b"}", names[form])

        return self._pattern(data).sub(name, data)

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
        start = self._first(url)
        if start is None:
            return url
        before = url[:start].partition("?")[0]
        parts = urlsplit(url)
        for shorter in (before[: before.rfind("/") + 1], f"{parts.scheme}://{parts.netloc}/"):
            if urlsplit(shorter).hostname and self._first(shorter) is None:
                return shorter
        return ""

    def _pattern(self, data: bytes) -> re.Pattern[bytes]:
        """Return the expression that finds all secrets that are there."""
        tables = _tables(self.secrets)
        plain = _decipher(data)
        return tables.spelled if any(mark in plain for mark in tables.marks) else tables.usual

    def _form(self, match: re.Match[bytes]) -> bytes:
        """Return the form of a secret that was found, or the one that is most like it."""
        tables, spelling = _tables(self.secrets), match[0]
        if spelling in tables.names:
            return spelling
        assert match.lastindex is not None, "all else are usual forms"
        value = tables.values[match.lastindex - 1]
        if re.search(rb"%[0-9A-Fa-f]{2}", spelling):
            return quote(value, safe=_IN_ADDRESSES if b"&" in spelling else "").encode()
        return (escape(value) if b"&" in spelling else json.dumps(value)[1:-1]).encode()

    def _first(self, text: str) -> int | None:
        """Where the first secret begins."""
        if not self.secrets:
            return None
        data = _bytes(text)
        matches = self._pattern(data).finditer(data)
        starts = (match.start() for match in matches if match[0] != _OPENING)
        start = next(starts, None)
        return None if start is None else len(_text(data[:start]))


NO_REDACTOR: Final = Redactor()
"""For who has no secrets."""


class _Tables(msgspec.Struct, frozen=True, kw_only=True):
    """What secrets are found by, and what stands for them."""

    usual: re.Pattern[bytes]
    """Finds the forms of `names`."""
    spelled: re.Pattern[bytes]
    """Finds all spellings; slow. The group that matched tells which of `values` it is."""
    marks: tuple[bytes, ...]
    """Where none of these is, no secret is but in its usual forms."""
    values: tuple[str, ...]
    names: dict[bytes, bytes]
    forms: dict[bytes, bytes]
    """By their names."""


@cache
def _tables(secrets: Secrets) -> _Tables:
    names, forms = {_OPENING: b"${}"}, {b"": _OPENING}
    for name, secret in secrets:
        spellings = (form for text in _iter_decodings(secret.value) for form in _forms(text))
        for number, form in enumerate(spellings):
            called = (f"{name}.{number}" if number else name).encode()
            if form not in names:
                names[form] = b"${%b}" % called
                forms[called] = form
    texts = [text for _, secret in secrets for text in _iter_decodings(secret.value)]
    values = sorted(texts, key=_length, reverse=True)
    usual = [(len(form), re.escape(form)) for form in names]
    spelled = [(_length(value), b"(%b)" % _spell(value)) for value in values]
    return _Tables(
        usual=_any_of(usual),
        spelled=_any_of(spelled + usual),
        marks=tuple(max(re.findall("[A-Za-z0-9]*", value), key=len).encode() for value in values),
        values=tuple(values),
        names=names,
        forms=forms,
    )


def _iter_decodings(value: str) -> Iterator[str]:
    """Return a secret, and what it says where the operator gave it as it stands in an address."""
    yield value
    if (meant := unquote(value)) != value:
        yield meant


def _length(value: str) -> int:
    return len(value.encode())


def _any_of(patterns: list[tuple[int, bytes]]) -> re.Pattern[bytes]:
    """Return an expression that finds the longest first, never a part of it as a shorter one."""
    longest = sorted(patterns, key=lambda pattern: pattern[0], reverse=True)
    return re.compile(b"|".join(pattern for _, pattern in longest))


def _spell(value: str) -> bytes:
    """Return an expression that finds a secret as it is, or as in addresses, HTML or JSON."""
    patterns = []
    for character in value:
        code, plain = ord(character), character.encode()
        named = "".join(
            f"|{name.rstrip(';')}" for name, meant in html5.items() if meant == character
        )
        spellings = "|".join(
            (
                "".join(f"%(?:25)*{byte:02x}" for byte in plain),
                rf"&(?:amp;)*(?:#0*{code}|#x0*{code:x}{named});?",
                rf"\\u{code:04x}",
                *([r"\+"] if character == " " else []),
                *([r"\\/"] if character == "/" else []),
            )
        )
        patterns.append(b"(?:(?i:%b)|%b)" % (spellings.encode(), re.escape(plain)))
    return b"".join(patterns)


def _decipher(data: bytes) -> bytes:
    """With each letter and digit as it is."""
    data = _ENCODED.sub(lambda match: bytes([int(match[1] or match[2], 16)]), data)
    return _DECIMAL.sub(lambda match: bytes([int(match[1])]), data)


# ASCII alone: no other letter is looked for.
_ENCODED = re.compile(
    rb"(?:%(?:25)*|\\[uU]00)([2-7][0-9A-Fa-f])|&(?:amp;)*#[xX]0*([2-7][0-9A-Fa-f])(?![0-9A-Fa-f]);?"
)
_DECIMAL = re.compile(rb"&(?:[aA][mM][pP];)*#0*(3[2-9]|[4-9][0-9]|1[01][0-9]|12[0-7])(?![0-9]);?")


def _forms(value: str) -> Iterator[bytes]:
    """Return a secret as it is, and as others write it; the order is part of what is stored."""
    safe = ("", "/", _IN_ADDRESSES)
    quoted = (quote_plus(value), *(quote(value, safe=kept) for kept in safe))
    encoded = b64encode(value.encode()).decode().rstrip("=")
    in_json = (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1])
    forms = (
        value,
        *quoted,
        *map(_lower_hex, quoted),
        value.lower(),
        escape(value),
        *in_json,
        *(form.replace("/", "\\/") for form in in_json),
        encoded,
        encoded.translate(str.maketrans("+/", "-_")),
    )
    yield from (form.encode() for form in forms)
    yield from (value.encode(code) for code in _CODES)
    yield from (form.encode(code) for form in forms[1:] for code in _CODES)


def _lower_hex(quoted: str) -> str:
    return re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), quoted)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
