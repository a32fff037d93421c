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
    handle: re.Pattern[str]
    url: str
    """The address of the page, with `{name}` for what the group of that name has."""
    example: str


_I: Final = re.ASCII | re.IGNORECASE
_NAME: Final = re.compile(r"@?(?P<name>\w[\w.-]{0,98})", _I)
_MAIL: Final = re.compile(
    r"""(?:mailto:)?(?P<name>[^@\s<>?&%"#/\\]{1,64}@[^@\s<>?&%"#/\\]{1,255})""", _I
)
_BLUESKY: Final = re.compile(
    r"(?:at://)?@?(?P<name>did:[a-z]{1,20}:[\w.:-]{1,100}|[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5})",
    _I,
)
_GITHUB: Final = re.compile(r"@?(?P<name>[a-z0-9][a-z0-9-]{0,38})", _I)
_LINKEDIN: Final = re.compile(r"(?:in/)?(?P<name>[\w-]{1,100})/?", _I)
_MASTODON: Final = re.compile(r"(?:acct:)?@?(?P<name>[^@\s]{1,100}@[^@\s]{1,255})", _I)
_X: Final = re.compile(r"@?(?P<name>\w{1,15})", _I)
_YOUTUBE: Final = re.compile(r"@?(?P<name>\w[\w.-]{1,29})", _I)
_CHANNEL: Final = re.compile(r"UC[\w-]{22}", re.ASCII)

SERVICES: Final = {
    "bluesky": Service("Bluesky", _BLUESKY, "https://bsky.app/profile/{name}", "ann.bsky.social"),
    "codeberg": Service("Codeberg", _NAME, "https://codeberg.org/{name}", "ann"),
    "email": Service("E-mail", _MAIL, "mailto:{name}", "ann@example.org"),
    "github": Service("GitHub", _GITHUB, "https://github.com/{name}", "ann"),
    "gitlab": Service("GitLab", _NAME, "https://gitlab.com/{name}", "ann"),
    "linkedin": Service("LinkedIn", _LINKEDIN, "https://www.linkedin.com/in/{name}", "ann"),
    # The only one whose pages are on many hosts.
    "mastodon": Service("Mastodon", _MASTODON, "{name}", "@ann@social.example"),
    "x": Service("X", _X, "https://x.com/{name}", "ann"),
    "youtube": Service("YouTube", _YOUTUBE, "https://www.youtube.com/@{name}", "@ann"),
}
"""By the name that a config has for each."""
_ALSO: Final = {
    "bsky": "bluesky",
    "e-mail": "email",
    "fediverse": "mastodon",
    "mail": "email",
    "twitter": "x",
}


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
    service = find_service(name)
    match = service.handle.fullmatch(text) if service else None
    if service is None or match is None:
        return None
    if service is SERVICES["mastodon"]:
        acct = account.parse_name(f"acct:{match['name']}") or ""
        user, _, host = acct.removeprefix("acct:").rpartition("@")
        return address.make_absolute(f"https://{host}/@{user}") if acct else None
    if service is SERVICES["youtube"] and _CHANNEL.fullmatch(text):
        return f"https://www.youtube.com/channel/{text}"
    return service.url.format(name=match["name"])


def is_mail(url: str) -> bool:
    """Return whether an address of `profile_url` is for writing to somebody."""
    return url.startswith("mailto:")
