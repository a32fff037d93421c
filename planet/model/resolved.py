"""How a name leads to the address at which its posts are: one document names the next."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Aside(StrEnum):
    """What an account sends out besides its own posts, and is left out unless it is wanted."""

    REPLIES = "replies"
    """What it answers to others; its answers to itself are posts."""
    BOOSTS = "boosts"
    """What others wrote, and it passed on."""


class Signature(StrEnum):
    """A way to sign a request, by which a server knows who asks."""

    CAVAGE = "cavage"
    """draft-cavage-http-signatures-12."""
    RFC9421 = "rfc9421"


class Step(StrEnum):
    """What is asked for on the way from a name to its posts."""

    ACCOUNT = "account"
    """WebFinger (RFC 7033): who is that?"""
    ACTOR = "actor"
    """ActivityPub §4.1: where is their outbox?"""
    OUTBOX = "outbox"
    """ActivityPub §5.1: where is its first page?"""
    PAGE = "page"
    """A page of the outbox."""
    HANDLE = "handle"
    """AT Protocol: whose handle is that?"""
    POSTS = "posts"
    """AT Protocol: what did they post?"""

    @property
    def is_last(self) -> bool:
        """Whether the answer has the posts themselves."""
        return self in (Step.PAGE, Step.POSTS)

    @property
    def may_be_signed(self) -> bool:
        """Whether servers are met that want to know who asks for it."""
        return self in (Step.ACTOR, Step.OUTBOX, Step.PAGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """Where the posts of a name are, and what was said of it on the way; untrusted."""

    url: str
    """The address whose answers are the posts."""
    name: str | None = None
    page: str | None = None
    image: str | None = None
    did: str | None = None
    """AT Protocol: what it is known by, whatever its handle is now."""
    moved_to: str | None = None
    """The actor that it says it is from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A request that brings one nearer to the posts of a name, or the posts themselves."""

    step: Step
    url: str
    accept: str
    """What to ask for (Accept)."""
    about: Resolved | None = None
    """What was said so far; None before anything was."""
