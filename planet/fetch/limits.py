"""The numbers of fetching, each with its reason."""

from __future__ import annotations

MAX_REDIRECTS = 5
"""Hops followed by hand; more is a loop or a trap."""

MAX_STEPS = 5
"""Answers that each name the next address: an account may have another name first, then come its
actor, its outbox and a page of that."""

MAX_STEP = 1024 * 1024
"""Bytes of an answer that has no posts but only says where to ask next."""

REDIRECT_WAIT = 10.0
"""Seconds that a redirect may ask us to wait (RFC 9110 §10.2.3) without ending the attempt."""

CONNECT_TIMEOUT = 10.0
"""Seconds for TCP and TLS to stand."""

IDLE_TIMEOUT = 20.0
"""Seconds without a byte. A server that drips is ended by the feed's total time instead."""

JITTER = 1.0
"""Seconds that the gap between two requests to a host may grow, at random."""

SLOW = 1.0
"""Seconds after which an exchange makes room for another: most take less."""

CROWD = 3
"""How many times `workers` hosts may be asked at once, when most of them are slow."""

LONG_GAP = 10.0
"""Seconds between two requests to a host from which on a run does not wait for all its feeds."""

PATIENCE = 600.0
"""Seconds from its beginning in which a run starts with feeds of such a host."""

MAX_HEAD = 128 * 1024
"""Bytes of all header fields of an answer together."""

MAX_HEAD_LINES = 500
"""Header lines of an answer; some feeds come with more than a hundred."""

MAX_FRAMING = 1024 * 1024
"""Bytes of the sizes of chunks, their extensions and the trailers of an answer together; a body of
8 MiB in chunks of 32 bytes has no more."""

DECODED_FACTOR = 2
"""How many times the wire limit a body may grow when decoded."""

MAX_CODINGS = 2
"""Stacked content codings that are undone; more is an attack."""

MAX_MEMBERS = 500
"""Members of a gzip body. Block-wise packers make one for every 64 KiB; more is an attack."""

SMALL = 512 * 1024
"""Bytes of a body that are held in memory without asking: nearly all feeds are smaller."""

LARGE_AT_ONCE = 2
"""Bodies larger than that which are stored and handed out at a time."""

MAX_VALIDATOR = 4096
"""Characters of an ETag or Last-Modified that are worth echoing."""

CHUNK = 65536
"""Bytes read at once."""

READS_IN_PASSING = 8
"""Reads of an error page that nobody wants; once it has ended, its connection can be used again."""
