"""Names of people on the social web: `acct:user@host` (RFC 7565), `at://name` (AT Protocol)."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit, urlunsplit

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
PUBLICATIONS, DOCUMENTS = "site.standard.publication", "site.standard.document"
"""The collections of https://standard.site."""
WHITEWIND = "com.whtwnd.blog.entry"
"""The collection of https://whtwnd.com."""
# https://atproto.com/specs/at-uri-scheme, but for collections that are none of these.
_RECORD = re.compile(
    rf"at://@?(?P<owner>[^/\s]+)/(?P<collection>{re.escape(PUBLICATIONS)}|{re.escape(DOCUMENTS)}"
    rf"|{re.escape(WHITEWIND)})(?:/(?P<key>[A-Za-z0-9._:~-]{{1,512}}))?/?",
    re.IGNORECASE,
)
WELL_KNOWN = f"/.well-known/{PUBLICATIONS}"
"""Where a site names its publication, by the path of which more may follow."""
_DIRECTORY = "https://plc.directory"
_DID_OF_HOST = re.compile(r"did:web:([A-Za-z0-9.-]+(?:%3A[0-9]{1,5})?)", re.IGNORECASE)
_BLUESKY = re.compile(r"https?://(?:www\.)?bsky\.app/profile/@?([^/?#\s]+)/?", re.IGNORECASE)
_PROFILE = re.compile(r"/(?:@|users/|u/|author/|accounts/|a/|c/)([\w.-]+)/?", re.ASCII)
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|[0-9a-f.]*:[0-9a-f:.]*")
_MAX_LENGTH = 1000


def parse_name(written: str) -> str | None:
    """Return the name of an account in its one form here; None for anything else.

    Names are `acct:user@host`, `@user@host`, `at://handle`, `at://did:…`, both with a collection of
    long texts behind, and the address of a profile on Bluesky.
    """
    if len(written) > _MAX_LENGTH:
        return None
    if match := _ACCOUNT.fullmatch(written):
        host = _host(match["host"])
        return f"acct:{match['user']}@{host}" if host else None
    if record := parse_record(written):
        return str(record)
    match = _AT.fullmatch(written) or _BLUESKY.fullmatch(written)
    owner = _owner(match[1]) if match else None
    return f"at://{owner}" if owner else None


def _owner(written: str) -> str | None:
    """Return a handle or DID in its one form."""
    handle = _NAME.fullmatch(written)
    return (handle["did"] or handle[0].lower()) if handle else None


class RecordName(NamedTuple):
    """A collection in a repository of the AT Protocol, or one record of it."""

    owner: str
    """A handle or DID."""
    collection: str
    key: str | None

    def __str__(self) -> str:
        """Return it as an AT URI."""
        return "/".join(filter(None, ("at:/", self.owner, self.collection, self.key)))


def parse_record(written: str) -> RecordName | None:
    """Return the collection of long texts, or the record of one, that an AT URI names."""
    match = _RECORD.fullmatch(written) if len(written) <= _MAX_LENGTH else None
    owner = _owner(match["owner"]) if match else None
    if match is None or owner is None:
        return None
    return RecordName(owner, match["collection"].lower(), match["key"])


def did_url(did: str) -> str | None:
    """Return the address of the document of a DID; None for a method that AT Protocol has not.

    As in `webfinger_url`, it is http on this machine.
    """
    if did.startswith("did:plc:"):
        return f"{_DIRECTORY}/{did}"
    match = _DID_OF_HOST.fullmatch(did)
    host = _host(unquote(match[1])) if match else None
    return host and f"{_scheme(host)}://{host}/.well-known/did.json"


def well_known_url(url: str) -> str | None:
    """Return where the site at an address names its publication (https://standard.site)."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or is_well_known(url):
        return None
    return urlunsplit((parts.scheme, parts.netloc, WELL_KNOWN + parts.path.rstrip("/"), "", ""))


def is_well_known(url: str) -> bool:
    """Return whether a site names its publication at an address."""
    return url.startswith(("http:", "https:")) and urlsplit(url).path.startswith(WELL_KNOWN)


def looks_like_name(written: str) -> bool:
    """Return whether somebody meant to write a name, correctly or not."""
    return written.lower().startswith(("acct:", "at:", "@"))


def is_name(url: str) -> bool:
    """Return whether a feed's address is the name of an account."""
    return url.startswith(("acct:", "at://"))


def find_bluesky_id(url: str) -> str | None:
    """Return the handle or DID of a name of Bluesky's."""
    owner = url.removeprefix("at://") if url.startswith("at://") else "/"
    return None if "/" in owner else owner


def guess_from_profile(url: str) -> str | None:
    """Guess an account from the address of a profile, such as `https://host/@user`."""
    parts = urlsplit(url)
    match = _PROFILE.fullmatch(parts.path)
    return parse_name(f"acct:{match[1]}@{parts.netloc}") if match and not parts.query else None


def webfinger_url(acct: str) -> str:
    """Return the WebFinger address of an account (RFC 7033 §4): https, but http on this machine.

    What does not leave the machine needs no TLS (W3C Secure Contexts §3.1).
    """
    host = acct.rpartition("@")[2]
    return f"{_scheme(host)}://{host}/.well-known/webfinger?resource={quote(acct, safe='')}"


def _host(written: str) -> str | None:
    """Return a host in ASCII and lower case, with its port unless that is 443."""
    try:
        parts = urlsplit(f"//{written}")
        name, port = (parts.hostname or "").rstrip("."), parts.port
        name = address.ascii_host(name)
    except ValueError:
        return None
    if not _HOST.fullmatch(name) or ".." in name:
        return None
    bare = f"[{name}]" if ":" in name else name
    return f"{bare}:{port}" if port not in (None, 443) else bare


def _scheme(host: str) -> str:
    name = urlsplit(f"//{host}").hostname or ""
    try:
        is_here = ip_address(name).is_loopback
    except ValueError:  # no number
        is_here = name == "localhost"
    return "http" if is_here else "https"
