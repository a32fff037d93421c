"""Servers that mean ill, among others that do not: a small `tests/benchmarks/test_chaos.py`."""

import gzip
import threading
from collections import Counter
from datetime import timedelta

from msgspec.structs import replace

from planet.model import Fetched, FetchPolicy
from tests.http.conftest import BODY, Reader, turn
from tests.patience import patient
from tests.server import Response, Server

EACH = 4
ASKING = FetchPolicy(max_size=1_000_000)
BRIEFLY = replace(ASKING, timeout=timedelta(seconds=patient(2.0)))
BOMB = gzip.compress(bytes(20_000_000))
ANSWERS = {
    "/good": Response(body=BODY),
    "/silent": Response(hold=threading.Event()),
    "/dripping": Response(body=BODY, drip_body=0.1),
    "/endless": Response(body=b"x" * 65_536, endless=True),
    "/bomb": Response(headers=(("Content-Encoding", "gzip"),), body=BOMB),
}
SLOW = ("/silent", "/dripping")


def outcome(fetched: Fetched) -> str:
    return fetched.error.kind if fetched.error else fetched.outcome


def test_servers_that_mean_ill_keep_no_other_from_being_read(reader: Reader) -> None:
    bad = [path for path in ANSWERS if path != "/good"]
    paths = [path for path in bad for _ in range(EACH)] + ["/good"] * 24
    hosts = [f"127.0.1.{number}" for number in range(1, len(paths) + 1)]
    with Server(*hosts) as server:
        for path, response in ANSWERS.items():
            server.script(path, response)
        turns = [
            turn(server.url(path, host), policy=BRIEFLY if path in SLOW else ASKING)
            for path, host in zip(paths, hosts, strict=True)
        ]

        came = reader.ask(*turns, workers=8)

    counted = Counter((url.rpartition("/")[2], outcome(fetched)) for url, fetched in came.items())
    assert counted == {
        ("good", "new"): 24,
        ("silent", "timeout"): EACH,
        ("dripping", "timeout"): EACH,
        ("endless", "too_large"): EACH,
        ("bomb", "too_large"): EACH,
    }
