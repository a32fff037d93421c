"""Room for large bodies: few at a time, so that memory is bounded whatever servers send."""

from __future__ import annotations

import threading

from planet.errors import FetchError
from planet.fetch.limits import LARGE_AT_ONCE


class Room:
    """What the visits of a round share; each has a `Place` in it.

    Nobody waits for a server while in the room: whoever enters has a whole body, to be stored and
    handed out.
    """

    def __init__(self, places: int = LARGE_AT_ONCE) -> None:
        self._free = places
        self._closed = False
        self._changed = threading.Condition()

    def enter(self) -> None:
        """Wait until there is a place.

        Raises:
            FetchError: the room was closed.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._free > 0 or self._closed)
            if self._closed:
                raise FetchError("timeout", "the run ended before the answer was read")
            self._free -= 1

    def leave(self) -> None:
        """Make way for another."""
        with self._changed:
            self._free += 1
            self._changed.notify()

    def close(self) -> None:
        """The round is over: nobody is let in any more, and nobody waits."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class Place:
    """One visit's place in the room, taken when it is needed; both calls may be repeated."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._taken = False

    def take(self) -> None:
        """Wait for it, unless it is taken already.

        Raises:
            FetchError: the room was closed.
        """
        if not self._taken:
            self._room.enter()
            self._taken = True

    def leave(self) -> None:
        """Give it back, if it was taken."""
        if self._taken:
            self._taken = False
            self._room.leave()
