"""Addresses: whether they are of the web, how they become absolute, and when two are the same.

`normalize` follows RFC 3986 §6.2.2 and §6.2.3 only, for addresses that no server may tell apart.
`page_key` goes further, to compare links: but `?p=1` and `?p=2` stay apart.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import SplitResult, quote, urljoin, urlsplit, urlunsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_ABSOLUTE = re.compile(r"https?://", re.IGNORECASE)
# WHATWG URL: tabs and line ends are removed wherever they stand, blanks at both ends.
_LINE_ENDS = re.compile(r"[\t\r\n]")
_BLANKS = "".join(map(chr, range(0x21)))
# RFC 3986 §2.2 and §2.3: what may stand in an address as it is; "%" because it is encoded already.
_KEPT = "!#$%&'()*+,/:;=?@[]~"
_MAX_LENGTH = 4096
# What is written as this module would write it: a host in plain letters, and no odd characters.
_AS_IT_IS = re.compile(
    r"https?://[a-z0-9]+(?:[.-][a-z0-9]+)*+(?P<port>:(?:[1-5]\d{4}|[1-9]\d{0,3}))?+"
    r"(?P<path>/[\w!$&'()*+,/:;=@~.%-]*+)?+"
    r"(?:\?[\w!$&'()*+,/:;=?@~.%-]++)?+(?P<fragment>#[\w!$&'()*+,/:;=?@~.%-]++)?+",
    re.ASCII,
)
_BEFORE_QUERY = re.compile("[^?#]*")
# How query parameters begin that only tell where a reader came from.
_TRACKING = re.compile(r"utm_|(?:fbclid|gclid|dclid|msclkid|igshid|mc_cid|mc_eid)=", re.IGNORECASE)
# Names of query parameters that let in whoever has the address: `token`, `api_key`, `rss-auth`, …
_SECRET = re.compile(
    r"(?:^|[^a-z])(?:access|auth|jwt|(?:api)?key|pass|passw(?:or)?d|pwd|secret|session|sid|sig"
    r"|signature|token)(?:$|[^a-z])",
    re.IGNORECASE,
)


def make_absolute(address: str | None, base: str | None = None) -> str | None:
    """Return an absolute http or https address in ASCII; None when `address` cannot be one.

    A relative address is resolved against `base` (RFC 3986 §5.2). Non-ASCII characters are
    percent-encoded as UTF-8, and host names as IDNA (RFC 3987 §3.1). A backslash counts as browsers
    count it: as a slash up to the query (WHATWG URL §4.4). The rest stays verbatim.
    """
    if not address:
        return None
    # Most addresses need no change, and to parse one costs ten times as much.
    if _AS_IT_IS.fullmatch(address) and len(address) <= _MAX_LENGTH:
        return address
    cleaned = _LINE_ENDS.sub("", address).strip(_BLANKS)
    cleaned = _BEFORE_QUERY.sub(lambda before: before[0].replace("\\", "/"), cleaned, count=1)
    if not cleaned:
        return None
    try:
        # Joining costs as much as all the rest, and most addresses are absolute already.
        joined = urljoin(base, cleaned) if base and not _ABSOLUTE.match(cleaned) else cleaned
        parts = urlsplit(joined)
        if parts.scheme.lower() not in _DEFAULT_PORTS or not parts.hostname:
            return None
        absolute = urlunsplit(
            (
                parts.scheme.lower(),
                _ascii_netloc(parts),
                quote(parts.path, safe=_KEPT),
                quote(parts.query, safe=_KEPT),
                quote(parts.fragment, safe=_KEPT),
            )
        )
    except ValueError:  # urllib.parse and the codecs: not an address at all
        return None
    return absolute if len(absolute) <= _MAX_LENGTH else None


@lru_cache(maxsize=4096)
def normalize(address: str) -> str:
    """Return one form of all addresses that no server may tell apart, without fragment.

    Anything but an http or https address is returned unchanged.
    """
    match = _AS_IT_IS.fullmatch(address)
    if match and match["path"] and not match["port"] and len(address) <= _MAX_LENGTH:
        return address[: match.start("fragment")] if match["fragment"] else address
    absolute = make_absolute(address)
    if absolute is None:
        return address
    parts = urlsplit(absolute)
    host = (parts.hostname or "").rstrip(".")
    if ":" in host:
        host = f"[{host}]"
    port = parts.port
    if port is not None and port != _DEFAULT_PORTS[parts.scheme]:
        host = f"{host}:{port}"
    user, at, _ = parts.netloc.rpartition("@")
    return urlunsplit((parts.scheme, f"{user}{at}{host}", parts.path or "/", parts.query, ""))


def page_key(address: str) -> str:
    """Return a key with which links to the same page are equal.

    The key is no address: scheme, slashes at the end of the path, and parameters for tracking
    readers are gone. Anything but a web address is returned unchanged.
    """
    scheme, separator, rest = normalize(address).partition("://")
    if not separator or scheme not in _DEFAULT_PORTS:
        return address
    path, _, query = rest.partition("?")
    kept = "&".join(pair for pair in query.split("&") if not _TRACKING.match(pair))
    return f"{path.rstrip('/')}?{kept}" if kept else path.rstrip("/")


def host(address: str) -> str:
    """Return the host and port of a web address as `host:port` in lower case, else ""."""
    absolute = make_absolute(address)
    if absolute is None:
        return ""
    parts = urlsplit(absolute)
    return f"{parts.hostname}:{parts.port or _DEFAULT_PORTS[parts.scheme]}"


@lru_cache(maxsize=4096)
def server(address: str) -> str:
    """Return the server behind a web address as `host:port`, else "".

    Waiting times and connections belong to a server. http and https of a name are one server: port
    80 counts as port 443. A server at any other port is another one.
    """
    authority = host(address)
    name, _, port = authority.rpartition(":")
    return f"{name}:443" if port == "80" else authority


def origin(address: str) -> tuple[str, str]:
    """Return scheme and `host:port` (RFC 6454 §4), beyond which credentials must not be sent."""
    return urlsplit(address).scheme, host(address)


def without_scheme(address: str) -> str:
    """Return an address without the scheme: a feed is the same with TLS and without."""
    return address.partition("://")[2] or address


def redact(address: str) -> str:
    """Return the address for printing, without user, password and values of the query."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "(not an address)"
    netloc = parts.netloc.rpartition("@")[2]
    query = re.sub(r"=[^&;]*", "=…", parts.query)
    return urlunsplit((parts.scheme, netloc, parts.path, query, ""))


def without_secrets(address: str) -> str | None:
    """Return the address without user and password, for anyone to see.

    None for anything but a web address, and for an address with a secret in the query.
    """
    absolute = make_absolute(address)
    if absolute is None or not ("?" in absolute or "@" in absolute):
        return absolute
    parts = urlsplit(absolute)
    if find_secret(absolute):
        return None
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def find_secret(address: str) -> str | None:
    """Return the first name like that of a secret among the parameters of the query."""
    query = urlsplit(make_absolute(address) or "").query
    names = (parameter.partition("=")[0] for parameter in re.split("[&;]", query))
    return next((name for name in names if _SECRET.search(name)), None)


def _ascii_netloc(parts: SplitResult) -> str:
    """Return the authority of an address with the host in ASCII.

    Raises:
        ValueError: the host or the port cannot be one.
    """
    name = ascii_host(parts.hostname or "")
    if not re.fullmatch(r"[\w.:-]+", name, re.ASCII) or ".." in name:
        raise ValueError(name)
    if ":" in name:
        name = f"[{name}]"
    if parts.port is not None:
        name = f"{name}:{parts.port}"
    user, at, _ = parts.netloc.rpartition("@")
    return f"{quote(user, safe=_KEPT)}{at}{name}"


def ascii_host(name: str) -> str:
    """Return a host name in ASCII, as browsers ask for one (UTS 46, not transitional).

    Raises:
        ValueError: the name cannot be one of a host.
    """
    if name.isascii():
        return name
    # It comes with large tables. Its own encoding refuses names that exist, such as those of emoji.
    from idna import uts46_remap

    labels = uts46_remap(name, std3_rules=False).split(".")
    return ".".join(
        label if label.isascii() else f"xn--{label.encode('punycode').decode()}" for label in labels
    )


# RFC 3987 §2.2: a scheme, and after it no blank, control or delimiter character. A one-letter
# scheme is a Windows drive, a scheme alone is no address, and a web address has a host. A tag has
# a date (RFC 4151 §2.1), and a URN a namespace (RFC 2141 §2): ids without are made by hand. Whoever
# takes an id for a link would run what the last ones hold.
_IRI = re.compile(
    r"(?!https?:(?!//[^/?#])|tag:(?![^,]*,\d{4})|urn:(?![\w-]+:)|(?:data|javascript|vbscript):)"
    r"[a-z][a-z0-9+.-]+:[^\s<>\"{}|\\^`\x00-\x20\x7f-\xa0]+",
    re.IGNORECASE,
)


def is_valid_iri(iri: str) -> bool:
    """Return whether a string may stand where an absolute IRI is required, such as in atom:id."""
    return _IRI.fullmatch(iri) is not None
