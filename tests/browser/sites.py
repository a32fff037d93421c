"""Feeds → the site that `planet build` makes of them."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeAlias

from tests.processes import files, python

Site: TypeAlias = "Mapping[str, bytes]"


def build(folder: Path, feeds: Mapping[str, bytes], *, sanitizer: str, images: str) -> Site:
    """Every file of the site, by its path."""
    for name, body in feeds.items():
        (folder / f"{name}.xml").write_bytes(body)
    config = {
        "title": "A planet",
        "sanitizer": sanitizer,
        "pages": {"images": images, "source": 1000},
        "retention": {"entries": "9999d", "content": "9999d"},
        "new_feed_entries": "all",
        "feeds": [{"url": f"{name}.xml", "id": name, "tags": "all"} for name in feeds],
    }
    (folder / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    return built(folder)


def built(folder: Path, **environ: str) -> Site:
    """Every file of the site that the config in a folder makes, by its path."""
    done = python("-m", "planet", "build", "--fail-on", "any", folder=folder, **environ)
    assert done.returncode == 0, done.stderr
    return files(folder / "public")


def write(site: Site, folder: Path) -> None:
    for name, body in site.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(body)


class Quiet(SimpleHTTPRequestHandler):
    """The files of a folder, with this Content-Security-Policy."""

    policy = ""

    def end_headers(self) -> None:
        if self.policy:
            self.send_header("Content-Security-Policy", self.policy)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(folder: Path, policy: str = "") -> Iterator[str]:
    """A folder on loopback; its address."""
    handler = type("Heeding", (Quiet,), {"policy": policy})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
