"""What the environment says of the way to servers: proxies, and whose certificates are trusted.

The variables are those of curl and requests. `.netrc` is not read (R46 in docs/politeness.md):
credentials are in the config.
"""

from __future__ import annotations

import os
from base64 import b64encode
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from urllib.request import getproxies

from requests.utils import (
    DEFAULT_CA_BUNDLE_PATH,
    get_auth_from_url,
    select_proxy,
    should_bypass_proxies,
)

from planet.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Mapping


_SCHEMES: Final = ("http", "https", "all")
_BUNDLES: Final = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A proxy that is asked in the place of servers."""

    host: str
    port: int
    headers: Mapping[str, str] = field(repr=False)
    """What it is told of who asks."""


class Proxies:
    """The proxies of `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY`, which `NO_PROXY` limits."""

    def __init__(self) -> None:
        """Read the environment.

        Raises:
            StateError: it names a proxy that cannot be used.
        """
        urls = getproxies()
        self._urls = {scheme: urls[scheme] for scheme in _SCHEMES if urls.get(scheme)}
        for scheme, url in self._urls.items():
            _proxy(scheme, url)

    @property
    def variables(self) -> list[str]:
        """The names of the variables that name a proxy."""
        return [_variable(scheme) for scheme in self._urls]

    def choose(self, url: str) -> Proxy | None:
        """Return the proxy through which an address is to be asked for; None for none."""
        # Without a proxy there is nothing to bypass, and to find that out takes its time.
        if not self._urls or should_bypass_proxies(url, no_proxy=None):
            return None
        proxy_url = select_proxy(url, self._urls)
        return _proxy(urlsplit(url).scheme, proxy_url) if proxy_url else None


def check_environment() -> str | None:
    """Return what an operator should know of the proxies that are used; None without any.

    Raises:
        StateError: the environment names a proxy that cannot be used, or certificates that are not
            there.
    """
    find_authorities()
    variables = Proxies().variables
    if not variables:
        return None
    return (
        f"requests go through a proxy ({', '.join(variables)}), which alone sees where names lead: "
        "it has to refuse what leads into private networks"
    )


def _variable(scheme: str) -> str:
    return f"{scheme.upper()}_PROXY"


def _proxy(scheme: str, url: str) -> Proxy:
    # It may have a password, so it is in no message, nor in what an exception was raised from.
    no_address = _wrong(scheme, "is no address of a proxy, such as http://proxy.example:3128")
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port or 80
    except ValueError:
        raise no_address from None
    if not parts.hostname:
        raise no_address
    if parts.scheme != "http":
        raise _wrong(scheme, f"names a proxy by {parts.scheme}, and only http proxies can be used")
    user, password = get_auth_from_url(parts.geturl())
    credentials = b64encode(f"{user}:{password}".encode()).decode("ascii")
    headers = {"Proxy-Authorization": f"Basic {credentials}"} if user else {}
    return Proxy(host=parts.hostname, port=port, headers=headers)


def _wrong(scheme: str, words: str) -> StateError:
    return StateError(f"the environment variable {_variable(scheme)} {words}; nobody was asked")


def find_authorities() -> str:
    """Return the file, or the folder, with the certificates of those who are trusted.

    Raises:
        StateError: the environment names one that is not there.
    """
    for name in _BUNDLES:
        if path := os.environ.get(name):
            if not Path(path).exists():
                raise StateError(
                    f"the environment variable {name} names {path}, which is not there; "
                    "nobody was asked"
                )
            return path
    return DEFAULT_CA_BUNDLE_PATH
