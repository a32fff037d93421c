"""What comes: taken whole or not at all, and unpacked and read here rather than asked for again."""

import gzip
import zlib
from typing import Any

from tests.conformance import bodies
from tests.conformance.answers import Answer, chunked, dripping, found, ok, same, speaks
from tests.conformance.notation import FEED, FIRST, D, H, M, Scenario, after, bare, failing, tag
from tests.patience import patient

PLAIN = bodies.FEED
PACKED = gzip.compress(PLAIN)
BROKEN = b"<item><title>&#0;</title><pubDate>&bogus;</pubDate></item>"
FIELDS: dict[str, Any] = {f"x_{number}": "x" for number in range(400)}
SMALL = {"max_size": "50kB"}
RAW_DEFLATE = zlib.compressobj(wbits=-15)
LARGE = ok('"2"', body=bodies.padded(99_999))
UNFRAMED = b'HTTP/1.1 200 OK\r\nETag: "2"\r\nConnection: close\r\n\r\n'
RAW = RAW_DEFLATE.compress(PLAIN) + RAW_DEFLATE.flush()


def _packed(body: bytes, coding: str = "gzip") -> Answer:
    return ok('"2"', body=body, content_encoding=coding)


def _refused(name: str, answer: Answer, **settings: Any) -> Scenario:
    """An answer that is too large: tried again after a day, two, four, with the old validators."""
    return Scenario(
        name,
        [ok('"1"'), answer, answer, answer, same()],
        [FIRST, after(H), *(failing(days * D, tag('"1"')) for days in (1, 2, 4))],
        fetch={**SMALL, **settings},
    )


def _partial(name: str, answer: Answer, **settings: Any) -> Scenario:
    """An answer that is not whole: as if it had never come, and tried again after an hour."""
    return Scenario(
        name,
        [ok('"1"'), answer, same()],
        [FIRST, after(H), failing(H, tag('"1"')), after(H, tag('"1"'))],
        fetch=settings,
    )


def _read(name: str, body: bytes, **fields: Any) -> Scenario:
    """A feed that can be unpacked and read: it is no failure, and the wait does not grow."""
    return Scenario(
        name, [ok('"1"', body=body, **fields), same()], [bare, *[after(H, tag('"1"'))] * 3]
    )


def _unread(name: str, body: bytes, **fields: Any) -> Scenario:
    """What can't be read is a failure, but is not sent again: its validators are kept."""
    return Scenario(
        name,
        [ok('"1"', body=body, **fields), same()],
        [bare, failing(H, tag('"1"')), failing(2 * H, tag('"1"')), failing(4 * H, tag('"1"'))],
    )


LIMITS = (
    _refused("R38 takes no answer that announces more than it will read", LARGE),
    _refused("R38 stops reading where it is told no length", chunked(LARGE)),
    _refused("R38 stops unpacking what unpacks to twice as much", _packed(bodies.bomb(200_000))),
    _partial(
        "R39 leaves an answer that comes byte by byte when its time is over",
        dripping(ok('"2"')),
        timeout=f"{patient(3):.0f}s",
    ),
    _partial("R39 leaves an answer with more than a hundred fields", ok('"2"', **FIELDS)),
)

WHOLE = (
    _partial("R39 drops a body that is shorter than announced", ok('"2"', content_length="9999")),
    _partial(
        "R39 drops a body whose chunks break off",
        speaks(
            b'HTTP/1.1 200 OK\r\nETag: "2"\r\nTransfer-Encoding: chunked\r\n\r\n'
            b"%x\r\n%b\r\n" % (len(PLAIN), PLAIN)
        ),
    ),
    _partial("R39 drops a packed body that breaks off", _packed(PACKED[:-9])),
    _partial("R39 drops an empty body", ok('"2"', body=b"")),
    _partial("R39 drops a body of blanks", ok('"2"', body=b"\xef\xbb\xbf\r\n \n")),
    _partial(
        "R39 drops a packed body that is damaged", _packed(PACKED[:20] + b"\xff" * 9 + PACKED[29:])
    ),
)

CUT_OFF = (
    *(
        Scenario(
            f"R39 reads what there is of {said} that breaks off where no length was told, and "
            "keeps the validators from before",
            [ok('"1"'), speaks(UNFRAMED + body), ok('"3"'), same()],
            [bare, after(H, tag('"1"')), wait, after(H, tag('"3"'))],
        )
        for said, body, wait in (
            ("a document", PLAIN[: PLAIN.rindex(b"</channel>")], after(H, tag('"1"'))),
            ("a document of which nothing can be read", b'{"items": [', failing(H, tag('"1"'))),
        )
    ),
    Scenario(
        "R39 takes no validators from a first document that breaks off so, but its entries",
        [speaks(UNFRAMED + PLAIN[:-9]), ok('"3"'), same()],
        [bare, after(H, bare), after(H, tag('"3"'))],
    ),
)

CODINGS = (
    _read("R40 unpacks gzip", PACKED, content_encoding="gzip"),
    _read("R40 unpacks gzip by its old name", PACKED, content_encoding="X-GZip"),
    _read(
        "R40 unpacks gzip in several members", PACKED + gzip.compress(b" "), content_encoding="gzip"
    ),
    _read("R40 unpacks deflate", zlib.compress(PLAIN), content_encoding="deflate"),
    _read("R40 unpacks deflate without its wrapper", RAW, content_encoding="deflate"),
    _read("R40 unpacks twice", gzip.compress(PACKED), content_encoding="gzip, gzip"),
    _read("R40 unpacks gzip that nobody announced", PACKED),
    _read(
        "R40 takes for plain what was announced as gzip and is not", PLAIN, content_encoding="gzip"
    ),
    _read("R40 takes a charset for no coding", PLAIN, content_encoding="utf-8"),
    _read("R40 takes `none` for no coding", PLAIN, content_encoding="none"),
    Scenario(
        "R40 does not ask again in another way for what it cannot unpack",
        [ok('"1"'), _packed(b"\x1b\x03\x00", "br"), same()],
        [FIRST, after(H), failing(H, tag('"1"'))],
    ),
    Scenario(
        "R40 does not unpack three times",
        [ok('"1"'), _packed(gzip.compress(gzip.compress(PACKED)), "gzip, gzip, gzip"), same()],
        [FIRST, after(H), failing(H, tag('"1"'))],
    ),
)

READ = (
    _read(
        "R41 reads text whose charset is declared wrongly",
        PLAIN.replace(b"Notes", "Ümlaut".encode()),
        content_type="text/xml; charset=us-ascii",
    ),
    _read("R41 reads bytes that belong to no charset", PLAIN.replace(b"Notes", b"N\xfftes")),
    _read("R41 reads UTF-16", PLAIN.decode().encode("utf-16")),
    _read("R42 reads a feed that is called plain text", PLAIN, content_type="text/plain"),
    _read("R42 reads a feed that is called a page", PLAIN, content_type="text/html"),
    _read("R42 reads a feed that is called JSON", PLAIN, content_type="application/json"),
    _unread(
        "R42 asks with validators, and ever more seldom, where a page is in place of a feed",
        bodies.PAGE,
    ),
    *(
        Scenario(
            f"R42 is well again as soon as {said} in place of a feed is gone",
            {FEED: [ok('"1"'), answer, same()]} | pages,
            {FEED: [bare, after(H, tag('"1"')), failing(H, tag('"1"')), after(H, tag('"1"'))]}
            | {address: [bare] for address in pages},
        )
        for said, answer, pages in (
            ("a page", ok('"2"', body=bodies.PAGE), {}),
            ("a page to log in", found("b:/login"), {"b:/login": [ok('"2"', body=bodies.PAGE)]}),
        )
    ),
    Scenario(
        "R51 asks for the whole at the operator's word where what cannot be read is not modified",
        [ok('"1"', body=bodies.PAGE), same(), ok('"2"'), same()],
        [bare, tag('"1"'), bare, tag('"2"')],
        forced=[150 * M],
        every=2 * H,
    ),
    _unread("R42 does so where a JSON document is in place of a feed", b'{"error": "no"}'),
    _read(
        "R43 reads a feed after blank lines and a warning",
        b"\n\nWarning: x in y on line 3\n" + PLAIN,
    ),
    _read(
        "R43 reads a feed with entities from HTML in it",
        PLAIN.replace(b"Notes", b"Notes&nbsp;&eacute;"),
    ),
    _read(
        "R43 reads a feed with control characters in it", PLAIN.replace(b"Notes", b"No\x00\x08tes")
    ),
    _read(
        "R43 reads the rest of a feed with an entry that is broken",
        PLAIN.replace(b"<item>", BROKEN + b"<item>", 1),
    ),
    Scenario(
        "R43 fetches nothing that a document type names",
        [
            ok(
                '"1"',
                body=b"<!DOCTYPE rss SYSTEM 'feed.dtd' [<!ENTITY x SYSTEM 'x.txt'>]>"
                + PLAIN.partition(b"?>")[2].replace(b"Notes", b"Notes &x;"),
            ),
            same(),
        ],
        [bare, after(H, tag('"1"'))],
    ),
)

ONCE = (
    Scenario(
        "R44 has a body sent once that it cannot read, and not every hour",
        [ok('"1"', body=b"<rss version='2.0'><channel><title>Cut o"), same()],
        [bare, failing(H, tag('"1"')), failing(2 * H, tag('"1"'))],
    ),
    Scenario(
        "R44 is well again once the page is a feed",
        [ok('"1"', body=bodies.PAGE), ok('"2"'), same()],
        [bare, failing(H, tag('"1"')), after(H, tag('"2"')), after(H, tag('"2"'))],
    ),
    Scenario(
        "R44 keeps the validators of what it cannot read over those of the feed before",
        [ok('"1"'), ok('"2"', body=b'{"error": "no"}'), same()],
        [bare, after(H, tag('"1"')), failing(H, tag('"2"'))],
    ),
)

SCENARIOS = (*LIMITS, *WHOLE, *CUT_OFF, *CODINGS, *READ, *ONCE)
