"""Feeds → the site that `planet build` makes of them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from tests.processes import python

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
    public = folder / "public"
    return {
        path.relative_to(public).as_posix(): path.read_bytes()
        for path in sorted(public.rglob("*"))
        if path.is_file()
    }
