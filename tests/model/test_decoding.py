"""Decoders, for threads as well."""

import os
from pathlib import Path

import pytest

from tests.processes import PACKAGES, python

RACE = """\
import os, sys, threading
import msgspec
from planet.model import ParseResult
from planet.model.decoding import decoder_of
from tests.builders import make_draft, make_reading

written = msgspec.json.encode(make_reading(make_draft("a"), make_draft("b")))
sys.setswitchinterval(1e-7)

def decode(together):
    together.wait()
    decoder_of(ParseResult)(written)

# In each process nothing is known of the type yet.
for _ in range(20):
    if not (child := os.fork()):
        together = threading.Barrier(8)
        threads = [threading.Thread(target=decode, args=[together]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_threads_may_be_the_first_to_decode_a_type_together(tmp_path: Path) -> None:
    checkout = Path(__file__).parents[2]

    done = python("-c", RACE, folder=tmp_path, PYTHONPATH=f"{PACKAGES}{os.pathsep}{checkout}")

    assert done.stdout.split() == ["0"] * 20, done.stderr
