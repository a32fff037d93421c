"""What the caller of `Web.fetch` is asked and told while the asking goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import timedelta

    from planet.model import Fetched, Signature, Turn


class Ledger(Protocol):
    """Kept by whoever iterates `Web.fetch`, and only ever called in that thread.

    A host is `host:port` in lower case, as `address.host` has it. Files have none: for them only
    `starting` and `ended` are called.
    """

    def gap(self, host: str) -> timedelta:
        """The least time between the end of one request to a host and the start of the next."""

    def resting(self, host: str) -> bool:
        """Whether a host must not be asked now. Called before each request, redirects included."""

    def skipping(self, turn: Turn) -> bool:
        """Whether a feed must not be asked at this hour. Called before its first request."""

    def signature(self, host: str) -> Signature | None:
        """How a host wants requests to be signed; None when it was content without."""

    def starting(self, turn: Turn) -> None:
        """Write the attempt down: the first request of this turn is about to be sent."""

    def ended(self, turn: Turn, fetched: Fetched) -> None:
        """What came of a turn, as soon as it is known and before it is yielded.

        What it means for a host holds for everybody who still waits for that host.
        """
