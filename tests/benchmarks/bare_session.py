"""Requests and nothing else: what asking costs at least with the library that was given.

`python bare_session.py ADDRESSES FOLDER` asks every address in a file, one after the other, with
the ETag that it got the last time, which it keeps in FOLDER/etags.json.
"""

import json
import sys
from pathlib import Path

import requests


def main(addresses: list[str], kept: Path) -> None:
    """Ask, and keep the ETags."""
    etags: dict[str, str] = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    with requests.Session() as session:
        for address in addresses:
            known = {"If-None-Match": etags[address]} if address in etags else {}
            response = session.get(address, headers=known, timeout=30)
            response.raise_for_status()
            etags[address] = response.headers["ETag"]
    kept.write_text(json.dumps(etags), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]).read_text(encoding="utf-8").split(), Path(sys.argv[2]) / "etags.json")
