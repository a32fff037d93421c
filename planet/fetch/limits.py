"""The numbers of fetching, each with its reason."""

from __future__ import annotations

MAX_REDIRECTS = 5
"""Hops followed by hand; more is a loop or a trap."""

CONNECT_TIMEOUT = 10.0
"""Seconds for TCP and TLS to stand."""

IDLE_TIMEOUT = 20.0
"""Seconds without a byte. A server that drips is ended by the feed's total time instead."""

DECODED_FACTOR = 2
"""How many times the wire limit a body may grow when decoded."""

MAX_CODINGS = 2
"""Stacked content codings that are undone; more is an attack."""

MAX_VALIDATOR = 4096
"""Characters of an ETag or Last-Modified that are worth echoing."""

CHUNK = 65536
"""Bytes read at once."""

READS_IN_PASSING = 8
"""Reads of an error page that nobody wants; once it has ended, its connection can be used again."""
