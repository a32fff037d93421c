"""How AT Protocol calls people and what they made → persons, and pages of Bluesky's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from planet.parse import values
from planet.parse.people import person

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.model import Person

Object = dict[str, Any]
SITE: Final = "https://bsky.app"
# https://atproto.com/specs/at-uri-scheme, as strict as is needed to make an address of it.
_URI = re.compile(
    r"at://([A-Za-z0-9.:_%-]{1,500})/([A-Za-z0-9.-]{1,300})/([A-Za-z0-9._:~-]{1,500})"
)
_FOLDERS = {
    "app.bsky.feed.post": "profile/{who}/post/{key}",
    "app.bsky.feed.generator": "profile/{who}/feed/{key}",
    "app.bsky.graph.list": "profile/{who}/lists/{key}",
    "app.bsky.graph.starterpack": "starter-pack/{who}/{key}",
}
# What an author asks of whoever shows posts to the public (https://docs.bsky.app, "Labels").
_NOT_IN_PUBLIC = "!no-unauthenticated"
# What stands for a handle that does not lead back to whom it is of.
_NO_HANDLE = "handle.invalid"


def part(said: Mapping[str, Any], name: str) -> Object:
    """An object in an object; without one, an empty one."""
    value = said.get(name)
    return value if isinstance(value, dict) else {}


def known_as(author: Mapping[str, Any]) -> str | None:
    """The handle of somebody, or the DID, which never changes."""
    handle, did = values.line(author.get("handle")), values.line(author.get("did"))
    return handle if handle and handle != _NO_HANDLE else did


def someone(author: Mapping[str, Any]) -> Person | None:
    """Somebody by the name they like, else `@` and their handle."""
    who = known_as(author)
    handle = f"@{who}" if who and not who.startswith("did:") else None
    name = values.line(author.get("displayName")) or handle
    return person(name, f"{SITE}/profile/{quote(who, safe=':')}" if who else None)


def is_for_members(author: Mapping[str, Any]) -> bool:
    """Whether somebody wants to be seen by those only who are logged in."""
    return any(label.get("val") == _NOT_IN_PUBLIC for label in values.dicts(author.get("labels")))


def page_of(uri: object, author: Mapping[str, Any] | None = None) -> str | None:
    """The page that shows what has that address of the protocol, and is by that author."""
    found = _URI.fullmatch(uri) if isinstance(uri, str) else None
    form = _FOLDERS.get(found[2]) if found else None
    if found is None or form is None:
        return None
    who = (known_as(author) if author else None) or found[1]
    return f"{SITE}/{form.format(who=quote(who, safe=':'), key=found[3])}"


def author_of(uri: object) -> str | None:
    """The DID of whoever made what has that address."""
    found = _URI.fullmatch(uri) if isinstance(uri, str) else None
    return found[1] if found else None
