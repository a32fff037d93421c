"""A service and what somebody is called there → the address of their page on it.

Names of services are compared without regard to capitals; any name may stand before an address.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from planet.text import account, address


class Service(NamedTuple):
    """Where people have a page, and how a handle leads to it."""

    label: str
    url: str
    """The address of the page, with `{}` for the handle."""


SERVICES: Final = {
    "bluesky": Service("Bluesky", "https://bsky.app/profile/{}"),
    "codeberg": Service("Codeberg", "https://codeberg.org/{}"),
    "email": Service("E-mail", "mailto:{}"),
    "github": Service("GitHub", "https://github.com/{}"),
    "gitlab": Service("GitLab", "https://gitlab.com/{}"),
    "linkedin": Service("LinkedIn", "https://www.linkedin.com/in/{}"),
    # The only one whose pages are on many hosts.
    "mastodon": Service("Mastodon", ""),
    "x": Service("X", "https://x.com/{}"),
    "youtube": Service("YouTube", "https://www.youtube.com/@{}"),
}
"""By the name that a config has for each."""
_ALSO: Final = {
    "bsky": "bluesky",
    "e-mail": "email",
    "fediverse": "mastodon",
    "mail": "email",
    "twitter": "x",
}
_HANDLE: Final = re.compile(r"@?(\w[\w.:-]{0,99})", re.ASCII)
_MAIL: Final = re.compile(r"""(?:mailto:)?([^@\s<>?&%"#/\\]{1,64}@[^@\s<>?&%"#/\\]{1,255})""")


def service_name(name: str) -> str | None:
    """Return the name that a config has for a service whose handles are known."""
    lower = name.strip().lower()
    known_as = _ALSO.get(lower, lower)
    return known_as if known_as in SERVICES else None


def find_service(name: str) -> Service | None:
    """Return the service that is called so, if it is one whose handles are known."""
    return SERVICES.get(service_name(name) or "")


def profile_url(name: str, written: str) -> str | None:
    """Return the address of a page: a web address as it is, a handle by the service of that name.

    A mail address leads to `mailto:…`. None for what is neither.
    """
    text = written.strip()
    if re.match("https?://", text, re.IGNORECASE):
        return None if re.search(r"[\s<>]", text) else address.make_absolute(text)
    service = service_name(name)
    if service == "mastodon":
        handle = text.removeprefix("acct:").removeprefix("@")
        user, _, host = (account.parse_name(f"acct:{handle}") or "acct:@")[5:].rpartition("@")
        return address.make_absolute(f"https://{host}/@{user}") if host else None
    match = (_MAIL if service == "email" else _HANDLE).fullmatch(text)
    # A name on Bluesky is that of a host, or a DID.
    if match is None or service is None or (service == "bluesky" and not re.search("[.:]", text)):
        return None
    return SERVICES[service].url.format(match[1])


def is_mail(url: str) -> bool:
    """Return whether an address of `profile_url` is for writing to somebody."""
    return url.startswith("mailto:")
