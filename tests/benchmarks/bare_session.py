"""Requests and nothing else: what asking costs at least with the library that was given.

`python bare_session.py ADDRESSES FOLDER` asks every address in a file, in twenty threads with a
session each, with the ETag that it got the last time, which it keeps in FOLDER/etags.json.
"""

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests

_THREADS = 20
_of_thread = threading.local()


def main(addresses: list[str], kept: Path) -> None:
    """Ask, and keep the ETags."""
    etags: dict[str, str] = json.loads(kept.read_text("utf-8")) if kept.exists() else {}

    def ask(address: str) -> str:
        if not hasattr(_of_thread, "session"):
            _of_thread.session = requests.Session()
        known = {"If-None-Match": etags[address]} if address in etags else {}
        response = _of_thread.session.get(address, headers=known, timeout=30)
        response.raise_for_status()
        return str(response.headers["ETag"])

    with ThreadPoolExecutor(_THREADS) as pool:
        etags = dict(zip(addresses, pool.map(ask, addresses), strict=True))
    kept.write_text(json.dumps(etags), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).read_text(encoding="utf-8").split(), Path(sys.argv[2]) / "etags.json")
