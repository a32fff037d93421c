"""Checks of names, addresses and texts of the config; `kinds` has those of other values.

Each check takes a value and returns what it means, or raises a `ValueError` whose words follow the
name of the setting.
"""

from __future__ import annotations

import hashlib
import os.path
import re
import unicodedata
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from planet.text import account, address

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping


_MAX_LENGTH: Final = 60
# Letters that Unicode does not decompose, in their usual Latin spelling.
_SPELLED: Final = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)


def make_slug(names: Iterable[str | None], *, key: str, taken: Container[str]) -> str:
    """Make a name for a folder of the first of `names` that gives one: a-z, 0-9 and "-", up to 60.

    When it is taken, digits of a hash of `key` are added, which depend on nothing else, so that a
    feed keeps its folder when others come and go.
    """
    stem = next((plain for name in names if name and (plain := _to_ascii(name))), "feed")
    name, digits = stem, 0
    while name in taken:
        digest = hashlib.sha256(key.encode()).hexdigest()
        digits += 6
        name = f"{stem[: _MAX_LENGTH - digits - 1].rstrip('-')}-{digest[:digits]}"
    return name


def _to_ascii(name: str) -> str:
    letters = name.lower()
    if not name.isascii():
        spelled = unicodedata.normalize("NFKD", name.casefold().translate(_SPELLED))
        letters = spelled.encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:_MAX_LENGTH].rstrip("-")


_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604_800}
ARCHIVED: Final = "archived"
"""What `enabled` says of a feed whose site has ended."""
VARIABLE: Final = r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}"


def expand_variables(text: str, environ: Mapping[str, str]) -> str:
    """Replace each `${NAME}` in a text from `environ`.

    An empty variable counts as not set: in CI a secret that does not exist is empty.
    """

    def look_up(match: re.Match[str]) -> str:
        value = environ.get(match[1])
        if not value:
            raise ValueError(f"needs the environment variable {match[1]}, which is not set")
        return value

    if "${" in re.sub(VARIABLE, "", text):
        words = 'has a "${" that no name and "}" follow'
        raise ValueError(f'{words}; for ${{{{ … }}}} of a workflow, set NAME there, under "env"')
    return re.sub(VARIABLE, look_up, text)


def one_line(text: str) -> str:
    """Return a text on one line, with blanks collapsed."""
    words = " ".join(text.split())
    if not words:
        raise ValueError("must not be empty")
    return check_characters(words)


def check_secret(text: str) -> str:
    """Return a text as it is, unless it is empty or cannot be written."""
    if not text:
        raise ValueError("must not be empty")
    return check_characters(text)


def check_characters(text: str) -> str:
    """Return a text, unless it has characters that would break what it is written to."""
    # Cc breaks XML and headers; Cs is how bytes that are not UTF-8 come from the environment.
    if not text.isprintable() and {"Cc", "Cs"} & set(map(unicodedata.category, text)):
        raise ValueError("has a character in it that cannot be written")
    return text


DURATION: Final = r"([0-9]{1,12}) ?([smhdw])"
# Longer ones would lead out of the years a date can have.
_LONGEST: Final = 36500 * _UNITS["d"]


def parse_duration(text: str) -> timedelta:
    """Parse a duration as the config has it, such as `90s` or `2d`.

    Raises:
        ValueError: it is none, in words with a place for the `{value}`.
    """
    match = re.fullmatch(DURATION, text.strip())
    if match is None:
        raise ValueError("must be a duration such as 90s, 30m, 3h, 2d or 4w")
    if (seconds := int(match[1]) * _UNITS[match[2]]) > _LONGEST:
        raise ValueError("must be at most a hundred years")
    return timedelta(seconds=seconds)


def format_duration(length: timedelta) -> str:
    """Format a duration as the config has it."""
    seconds = int(length.total_seconds())
    unit = next((unit for unit in "dhm" if seconds and not seconds % _UNITS[unit]), "s")
    return f"{seconds // _UNITS[unit]}{unit}"


# At least two characters: `C:\feeds` is a path.
SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")
_FILE: Final = re.compile("file:(//(localhost)?)?/(?!/)", re.IGNORECASE)
_HOST: Final = re.compile(
    r"//|[\w-]+(\.[\w-]+)*\.(?!(atom|json|opml|rdf|rss|txt|xml)$)[^\W\d_]{2,}(:[0-9]+)?(/|$)"
)
"""The beginning of a web address without a scheme, such as `example.org/feed`."""


def check_address(written: str) -> str:
    """Check the address or path of a feed, or the name of an account; blanks around it are removed.

    Raises:
        ValueError: it is none of these, in words that follow the name of the setting.
    """
    text = check_secret(written.strip())
    if account.looks_like_name(text):
        if account.parse_name(text) is None:
            words = "write acct:user@host, or at:// and a handle or did:"
            raise ValueError(f"is not the name of an account; {words}")
    elif re.match("<?https?:", text, re.IGNORECASE):
        if re.search(r"[\s<>]", text) or address.make_absolute(text) is None:
            raise ValueError('is not a web address; write it bare, without blanks, "<" and ">"')
        if "@" in urlsplit(text).netloc:
            raise ValueError('must not hold a password; write "auth: {user: …, password: …}"')
    elif _HOST.match(text) or (SCHEME.match(text) and not _FILE.match(text)):
        words = 'must begin with https:// or http://, or be a path, as in "./feed.xml"'
        raise ValueError(words)
    return text


def resolve_address(written: str, folder: Path) -> str:
    """Return the absolute, normalised address of a checked one; paths start at `folder`."""
    if known_as := account.parse_name(written):
        return known_as
    if written.lower().startswith(("http:", "https:")):
        return address.normalize(written)
    path = unquote(urlsplit(written).path) if written.lower().startswith("file:") else written
    return Path(os.path.normpath(folder.absolute() / path)).as_uri()


def without_feed_scheme(written: str) -> str:
    """Return the web address in `feed:https://…` and `feed://…`; any other text as it is.

    With `feed:`, browsers handed an address to a feed reader.
    """
    rest = re.sub("^feed:(//)?", "", written.strip(), flags=re.IGNORECASE)
    if rest == written.strip():
        return written
    return rest if rest.lower().startswith(("http:", "https:")) else f"https://{rest}"
