"""Edition → the files of its index for searching: those that are published, while they hold."""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING

from planet import search
from planet.model import File
from planet.publish import stands

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from planet.model import Contents, Edition
    from planet.store import PublishedFile


def index_files(
    edition: Edition, *, contents: Contents, output: Path, before: Mapping[str, PublishedFile]
) -> Iterator[File]:
    """The files of the index; `before` says what Planet left in the folder the last time.

    An index is made as a whole and takes seconds, so what is there is taken from there for as long
    as the same would come out.

    Raises:
        SearchError: it could not be made.
    """
    mark = search.fingerprint(edition)
    there = {path: old for path, old in before.items() if path.startswith(search.FOLDER)}
    entry = there.get(search.ENTRY)
    if entry is not None and entry.fingerprint == mark and stands(output, there):
        for path, old in there.items():
            yield File(path=path, fingerprint=old.fingerprint, make=(output / path).read_bytes)
        return
    for path, body in search.index(edition, contents).items():
        made_from = mark if path == search.ENTRY else hashlib.sha256(body).hexdigest()
        yield File(path=path, fingerprint=made_from, make=partial(bytes, body))
