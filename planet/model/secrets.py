"""Secrets of the operator ⇄ their names, for state, pages and messages. Pure.

The config names a secret: `${TOKEN}`. The state, which may lie on a public branch, has the name in
place of each secret, and the next run puts the secrets back (`hide`, `show`). Pages and messages
have the names for good (`redact`).
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from html import escape, unescape
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeAlias, TypeVar
from urllib.parse import quote, quote_plus, unquote, urlsplit

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


T = TypeVar("T")
Written = TypeVar("Written", str, bytes)


class Secret(Generic[T]):
    """A value hidden from `repr`, and refused by msgspec."""

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


class Redactor(msgspec.Struct, frozen=True, kw_only=True):
    """The secrets of the config, to be replaced by names and back.

    A secret is found plain, percent-encoded, in JSON, in Base64, and escaped for XML.
    """

    secrets: Secrets = ()
    """Names and values; no value is empty."""

    def hide(self, written: Written) -> Written:
        """Return text or bytes with names in place of secrets, to be shown again.

        A "${" becomes "${}", so that nobody who writes a name gets the secret.
        """
        table = _make_table(self.secrets)
        return _replace(table.hidden, lambda match: table.names.get(match[0], "${}"), written)

    def show(self, hidden: Written) -> Written:
        """Return hidden text or bytes with the secrets of now, spelled as they were."""
        spellings = _make_table(self.secrets).spellings
        return _replace(_NAME, lambda match: spellings.get(match[0], match[0]), hidden)

    def covers(self, text: str) -> bool:
        """Return whether a secret is in the text, or in the decoded text."""
        pattern = _make_table(self.secrets).pattern
        return bool(self.secrets) and bool(pattern.search(text) or pattern.search(_decode(text)))

    def redact(self, written: Written) -> Written:
        """Return text or bytes for anybody, with names in place of secrets.

        Where a secret is encoded in an unusual way, all of the text is decoded.
        """
        if not self.secrets:
            return written
        table = _make_table(self.secrets)

        def name(match: re.Match[str]) -> str:
            return re.sub(r"\.\d+}$", "}", table.names[match[0]])

        redacted = _replace(table.pattern, name, written)
        # Without the names, in which a secret may be, too.
        if isinstance(redacted, str) and self.covers(_NAME.sub("", redacted)):
            return table.pattern.sub(name, _decode(redacted))
        return redacted

    def public(self, address: str) -> str | None:
        """Return the address without query parameters that hold a secret.

        None for an address with a secret in another part.
        """
        if not self.covers(address):
            return address
        try:
            parts = urlsplit(address)
        except ValueError:
            return None
        kept = [pair for pair in parts.query.split("&") if not self.covers(pair)]
        shorter = parts._replace(query="&".join(kept)).geturl()
        return None if self.covers(shorter) else shorter

    def base(self, url: str) -> str:
        """Return the base for addresses relative to `url`.

        The base is `url` itself without a secret, else the last folder before the first secret, or
        the top of the server; empty when there is a secret in the top, too.
        """
        if not self.covers(url):
            return url
        before = _make_table(self.secrets).pattern.split(url, maxsplit=1)[0].partition("?")[0]
        parts = urlsplit(url)
        for shorter in (before[: before.rfind("/") + 1], f"{parts.scheme}://{parts.netloc}/"):
            if urlsplit(shorter).hostname and not self.covers(shorter):
                return shorter
        return ""


NO_REDACTOR: Final = Redactor()
"""For who has no secrets."""
_NAME: Final = re.compile(r"\$\{[\w.]*\}")
# What `address.make_absolute` leaves as it is.
_IN_ADDRESSES: Final = "!#$%&'()*+,/:;=?@[]~"


class _SecretForms(NamedTuple):
    """The spellings of secrets, and the names for them."""

    pattern: re.Pattern[str]
    """Finds every spelling, the longest first: never a part of a secret as a shorter one."""
    hidden: re.Pattern[str]
    """Finds the beginnings of names as well."""
    names: dict[str, str]
    """By spellings."""
    spellings: dict[str, str]
    """By names."""


@cache
def _make_table(secrets: Secrets) -> _SecretForms:
    names: dict[str, str] = {}
    for name, secret in secrets:
        for number, spelling in enumerate(_iter_spellings(secret.value)):
            names.setdefault(spelling, f"${{{name}.{number}}}" if number else f"${{{name}}}")
    longest_first = [*map(re.escape, sorted(names, key=len, reverse=True))]
    return _SecretForms(
        pattern=re.compile("|".join(longest_first)),
        hidden=re.compile("|".join([*longest_first, r"\$\{"])),
        names=names,
        spellings={"${}": "${"} | {name: spelling for spelling, name in names.items()},
    )


def _iter_spellings(value: str) -> Iterator[str]:
    """Yield the spellings of a secret; numbers in the state follow from the order.

    A secret from an address is known decoded, too.
    """
    for text in dict.fromkeys((value, unquote(value))):
        quoted = [quote_plus(text), *(quote(text, safe=kept) for kept in ("", "/", _IN_ADDRESSES))]
        in_json = [json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]]
        encoded = b64encode(text.encode()).decode().rstrip("=")
        in_lower_case = (re.sub("%..", lambda match: match[0].lower(), form) for form in quoted)
        plain = (text, text.lower(), *quoted, *in_lower_case)
        yield from (*plain, *map(escape, plain))
        yield from (*in_json, *(form.replace("/", "\\/") for form in in_json))
        yield from (encoded, encoded.translate(str.maketrans("+/", "-_")))


def _decode(text: str) -> str:
    return unescape(unquote(text)) if "%" in text or "&" in text else text


def _replace(
    pattern: re.Pattern[str], name: Callable[[re.Match[str]], str], written: Written
) -> Written:
    if isinstance(written, str):
        return pattern.sub(name, written)
    # Whatever its encoding is, each byte comes back.
    text = written.decode("utf-8", "surrogateescape")
    return pattern.sub(name, text).encode("utf-8", "surrogateescape")
