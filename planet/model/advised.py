"""What the operator is told about a feed that needs a look."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Concern(StrEnum):
    """What is the matter with a feed. An operator is told anew when it becomes another."""

    MOVED = "moved"
    """Its address leads to another one, for good."""
    GONE = "gone"
    """Its publisher took it away."""
    GIVEN_UP = "given_up"
    """It is not asked any more, for another reason."""
    ENDED = "ended"
    """It says that it will never change again."""
    NEVER_WORKED = "never_worked"
    """There is nothing at its address, and never was."""
    NOT_FOUND = "not_found"
    """There is nothing at its address any more."""
    PASSWORD = "password"  # noqa: S105 - the word, not one
    """Its server wants a user name and a password, or others than it got."""
    FORBIDDEN = "forbidden"
    """Its server will not let us have it."""
    CHALLENGE = "challenge"
    """Something in front of its server lets browsers pass only."""
    THROTTLED = "throttled"
    """Its server says that we come too often."""
    REJECTED = "rejected"
    """Its server finds something wrong with the request."""
    CERTIFICATE = "certificate"
    """Its server cannot prove to be the one that is meant."""
    HOST_NAME = "host_name"
    """There is no server of that name."""
    REDIRECT = "redirect"
    """It is redirected to where nobody can follow."""
    FILE = "file"
    """It is a file, and cannot be read."""
    PAGE = "page"
    """What is at its address is no feed."""
    TOO_LARGE = "too_large"
    """Its answer is larger than allowed."""
    UNREADABLE = "unreadable"
    """It is too damaged to be read, or empty."""
    DOWN = "down"
    """Its server has a problem of its own, or cannot be reached."""
    LIFETIME = "lifetime"
    """Its server says that an answer is good for longer than anyone means."""
    VALIDATORS = "validators"
    """Its server sends the same again and again, whatever validators it is asked with."""

    @property
    def can_wait(self) -> bool:
        """Whether the feed is in no trouble, so that nobody need be called."""
        return self in {Concern.ENDED, Concern.LIFETIME, Concern.VALIDATORS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to do about a feed."""

    concern: Concern
    words: str
    """A sentence or two for the operator, in plain text on one line."""
