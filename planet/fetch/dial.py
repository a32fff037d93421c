"""A host's addresses → a connection to the first that answers."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def dial(
    addresses: Sequence[tuple[int, int, int, str, Any]],
    *,
    timeout: float,
    options: Iterable[Sequence[Any]] = (),
) -> socket.socket:
    """A connection to the first address that answers, of those that `socket.getaddrinfo` found.

    All of them share one time limit. urllib3 gives each the whole time: a name with fifty dead
    addresses would keep us fifty times as long. `options` are set on the socket before.

    Raises:
        OSError: none answers; what the last one said. TimeoutError if it was nothing.
    """
    ends = time.monotonic() + timeout
    failure = OSError("there is no address")
    for number, (family, kind, protocol, _, where) in enumerate(addresses):
        connection = socket.socket(family, kind, protocol)
        try:
            for option in options:
                connection.setsockopt(*option)
            # A fair share, for there are many machines on which all of IPv6 is dead.
            left = max(ends - time.monotonic(), 0.0)
            connection.settimeout(max(left / (len(addresses) - number), 0.001))
            connection.connect(where)
        except OSError as error:
            connection.close()
            failure = error
        else:
            return connection
    try:
        raise failure
    finally:
        del failure  # it holds this frame, which would hold it
