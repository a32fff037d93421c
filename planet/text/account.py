"""Names of people on the social web: `acct:user@host` (RFC 7565), `at://name` (AT Protocol)."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from planet.text import address

_ACCOUNT = re.compile(
    # RFC 7565 §7: unreserved characters, sub-delims, and what is encoded.
    r"(?:acct:@?|@)(?P<user>[\w.~!$&'()*+,;=%-]+)@(?P<host>[^\s/?#@\\]+)",
    re.ASCII | re.IGNORECASE,
)
_NAME = re.compile(
    r"(?P<did>did:[a-z]+:[A-Za-z0-9._:%-]*[A-Za-z0-9._-])"
    # https://atproto.com/specs/handle: a host name whose last label begins with a letter.
    r"|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?",
    re.IGNORECASE,
)
_AT = re.compile(r"at://@?([^/\s]+)/?", re.IGNORECASE)
_BLUESKY = re.compile(r"https?://(?:www\.)?bsky\.app/profile/@?([^/?#\s]+)/?", re.IGNORECASE)
_PROFILE = re.compile(r"/(?:@|users/|u/|author/|accounts/|a/|c/)([\w.-]+)/?", re.ASCII)
_HERE = ("localhost", "127.0.0.1", "::1")
_MAX_LENGTH = 1000


def parse_name(written: str) -> str | None:
    """Return the name of an account in one form; None for anything else.

    Names are `acct:user@host`, `@user@host`, `at://handle`, `at://did:…`, and the address of a
    profile on Bluesky.
    """
    if len(written) > _MAX_LENGTH:
        return None
    if match := _ACCOUNT.fullmatch(written):
        host = _host(match["host"])
        return f"acct:{match['user']}@{host}" if host else None
    match = _AT.fullmatch(written) or _BLUESKY.fullmatch(written)
    owner = _NAME.fullmatch(match[1]) if match else None
    return f"at://{owner['did'] or owner[0].lower()}" if owner else None


def looks_like_name(written: str) -> bool:
    """Return whether somebody meant to write a name, correctly or not."""
    return written.lower().startswith(("acct:", "at:", "@"))


def is_name(url: str) -> bool:
    """Return whether a feed's address is the name of an account."""
    return url.startswith(("acct:", "at://"))


def find_bluesky_id(url: str) -> str | None:
    """Return the handle or DID of a name of Bluesky's."""
    return url.removeprefix("at://") if url.startswith("at://") else None


def guess_from_profile(url: str) -> str | None:
    """Guess an account from the address of a profile, such as `https://host/@user`."""
    parts = urlsplit(url)
    match = _PROFILE.fullmatch(parts.path)
    return parse_name(f"acct:{match[1]}@{parts.netloc}") if match and not parts.query else None


def webfinger_url(acct: str) -> str:
    """Return the WebFinger address of an account (RFC 7033 §4): https, but http on this machine.

    A request within the machine needs no TLS (W3C Secure Contexts §3.1).
    """
    host = acct.rpartition("@")[2]
    scheme = "http" if urlsplit(f"//{host}").hostname in _HERE else "https"
    return f"{scheme}://{host}/.well-known/webfinger?resource={quote(acct, safe='')}"


def _host(written: str) -> str | None:
    """Return a host in ASCII and lower case, with the port unless 443."""
    url = address.make_absolute(f"https://{written}/")
    return urlsplit(address.normalize(url)).netloc if url else None
