"""Where a feed or a subscription list is: a web address, a name, a `file:` address, or a path."""

from __future__ import annotations

import os.path
import posixpath
import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from planet import account, address
from planet.config import values

# At least two characters: `C:\feeds` is a path.
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(.*)", re.DOTALL)
_FEED_SCHEME: Final = re.compile(r"feed:(?://)?(.+)", re.IGNORECASE | re.DOTALL)
_HOST: Final = re.compile(r"[\w-]+(\.[\w-]+)*\.([^\W\d_]{2,})(:[0-9]+)?")
_SUFFIXES: Final = frozenset({"atom", "json", "opml", "rdf", "rss", "txt", "xml"})


def checked(written: str) -> str:
    """The address or path of a feed, or the name of who writes it, without the blanks around it.

    Raises:
        ValueError: it is neither, in words that follow the name of the setting.
    """
    text = values.secret(written.strip())
    if re.search(r"[<>]", text):
        raise ValueError("has an angle bracket in it; write the bare address")
    if account.looks_like_name(text):
        _check_name(text)
        return text
    match = _SCHEME.fullmatch(text)
    scheme = match[1].lower() if match else ""
    if scheme in ("http", "https"):
        _check_web(text)
    elif scheme == "feed":
        raise ValueError('begins with "feed:"; write https:// instead')
    elif scheme == "file":
        parts = urlsplit(text)
        if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
            raise ValueError('must be file:/// and a full path, or a path without "file:"')
    elif _forgot_scheme(text, match):
        raise ValueError('looks like a web address without https://; begin a path with "./"')
    elif match:
        raise ValueError("must begin with https:// or http://, or be the path of a file")
    return text


def located(written: str, folder: Path) -> str:
    """The absolute, normalised address of what `checked` let pass; paths start at `folder`."""
    if known_as := account.name(written):
        return known_as
    if written.lower().startswith(("http:", "https:")):
        return address.same(written)
    path = unquote(urlsplit(written).path) if written.lower().startswith("file:") else written
    return Path(os.path.normpath(folder.absolute() / path)).as_uri()


def without_feed_scheme(written: str) -> str:
    """The web address that `feed:https://…` and `feed://…` mean; any other text as it is.

    `feed:` was put before addresses so that browsers hand them to a feed reader.
    """
    found = _FEED_SCHEME.fullmatch(written.strip())
    if found is None:
        return written
    return found[1] if found[1].lower().startswith(("http:", "https:")) else f"https://{found[1]}"


def identity(said: str, url: str) -> str:
    """What a feed without an `id` is known by in the state.

    That is its normalised address; but the path as written of a relative one, so that the folder
    can move, and the text as written when it takes a secret from the environment.
    """
    text = said.strip()
    if "${" in text:
        return text
    if url.startswith("file:") and not text.startswith("/") and not _SCHEME.match(text):
        return posixpath.normpath(text)
    return url


def _check_name(text: str) -> None:
    if account.name(text) is None:
        raise ValueError(
            "is not the name of an account; write acct:user@host, or at:// and a handle or did:"
        )


def _check_web(text: str) -> None:
    if re.search(r"\s", text):
        raise ValueError("has a blank in it; is that one web address?")
    if address.web(text) is None:
        raise ValueError("is not a web address")
    if "@" in urlsplit(text).netloc:
        raise ValueError('must not hold a password; write "auth: {user: …, password: …}"')


def _forgot_scheme(text: str, match: re.Match[str] | None) -> bool:
    """Whether `example.org/feed`, `//example.org` or `localhost:8000/feed` is meant as a host."""
    if text.startswith("//") or (match and re.match(r"[0-9]", match[2])):
        return True
    first, slash, _ = text.partition("/")
    host = _HOST.fullmatch(first)
    return host is not None and (bool(slash) or host[2].lower() not in _SUFFIXES)
