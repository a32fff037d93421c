"""Files → folder: whole files, only the changed ones, all of them made before any is moved.

A file is made in a folder beside the site and moved over the old one, so a reader never meets half
a page; and while one file cannot be made, none is moved. Files are moved in the order of who links
to whom, the front page last, so no page leads to a missing one, wherever a run is killed or fails;
the next run goes on there. Only files as Planet left them are deleted. These may be written over,
and any file of a site with Planet's signature. The folder may be a link; links within are never
followed.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import shutil
import stat
import tempfile
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from planet.errors import OutputError
from planet.model import FileKind
from planet.store import PublishedFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from planet.model import File


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of a publication."""

    files: Mapping[str, PublishedFile]
    """All files of the site, as they now stand in the folder."""
    written: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


def publish(site: Iterable[File], output: Path, before: Mapping[str, PublishedFile]) -> Published:
    """Bring a folder to a site; `before` has the files of the last publication.

    Raises:
        OutputError: the folder cannot be written, or files of somebody else are in the way.
    """
    with _faults_named(output), _workshop(output) as workshop:
        intact = intact_files(output, before)
        files, made = _make(site, output, intact, workshop)
        gone = [path for path in intact if path not in files]
        _refuse_foreign(output, made, intact)
        # Until what says whose site it is has come, so that a run that is killed is known again.
        (output / _UNFINISHED).touch()
        for path in sorted(made, key=lambda path: _move_order(output, path, made[path])):
            _move(workshop / path, output / path)
        for path in gone:
            _delete(output, path)
        (output / _UNFINISHED).unlink()
    return Published(files=files, written=tuple(sorted(made)), deleted=tuple(gone))


def check(output: Path, before: Mapping[str, PublishedFile], *, top: Path) -> None:
    """Refuse a folder that a site cannot be written to, before any feed is asked.

    `top` is the planet's output folder, from which no link may lead to this one.

    Raises:
        OutputError: the folder cannot be written.
    """
    with _faults_named(output):
        for folder in (output, *output.parents):
            if folder != top and folder.is_relative_to(top) and folder.is_symlink():
                raise _refusal(folder, "is a link, which may lead out of the output folder")
        there = next(folder for folder in (output, *output.parents) if os.path.lexists(folder))
        if not there.is_dir():
            raise _refusal(there, "is not a folder")
        _try_to_make_a_folder(output, there)
        left = {path: before[path] for path in OF_EVERY_SITE if path in before}
        _refuse_foreign(output, OF_EVERY_SITE, intact_files(output, left))


def _try_to_make_a_folder(output: Path, there: Path) -> None:
    """Refuse folders and file systems in which nobody can make anything, such as /proc."""
    try:
        Path(tempfile.mkdtemp(prefix=_WORKSHOP, dir=there)).rmdir()
    except OSError as error:
        # Room may be made while feeds are asked, and is wanted only then.
        if error.errno not in (ENOSPC, EDQUOT):
            raise OSError(error.errno, error.strerror, str(output)) from error


OF_EVERY_SITE = ("404.html", "atom.xml", "feed.json", "index.html", "opml.xml")


def _make(
    site: Iterable[File], output: Path, intact: Mapping[str, PublishedFile], workshop: Path
) -> tuple[dict[str, PublishedFile], dict[str, FileKind]]:
    """Return all files of a site, and those made now, which wait in the workshop."""
    files: dict[str, PublishedFile] = {}
    waiting: dict[str, FileKind] = {}
    for file in site:
        path, old = file.path, intact.get(file.path)
        if old is not None and old.fingerprint == file.fingerprint:
            files[path] = old
            continue
        data, target = file.make(), output / path
        digest = _digest(data)
        if _differs(output, path, data, digest, old):
            target = workshop / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            waiting[path] = file.kind
        # To move a file changes nothing of this.
        status = target.lstat()
        files[path] = PublishedFile(
            fingerprint=file.fingerprint,
            digest=digest,
            size=status.st_size,
            mtime=status.st_mtime_ns,
        )
    return files, waiting


def is_intact(output: Path, files: Mapping[str, PublishedFile]) -> bool:
    """Return whether all these files are in the folder as Planet left them."""
    return intact_files(output, files).keys() == files.keys()


def intact_files(output: Path, before: Mapping[str, PublishedFile]) -> dict[str, PublishedFile]:
    """Return the files in the state in which Planet left them."""
    elsewhere = _behind_links(output, before)
    return {
        path: old
        for path, old in before.items()
        if path.rpartition("/")[0] not in elsewhere and _is_file_intact(f"{output}/{path}", old)
    }


def _behind_links(output: Path, paths: Iterable[str]) -> set[str]:
    """Return the folders of these files to which a link leads within the output folder."""

    @cache
    def is_behind(folder: str) -> bool:
        if not folder:
            return False
        is_link = os.path.islink(f"{output}/{folder}")  # noqa: PTH114 - as below
        return is_link or is_behind(folder.rpartition("/")[0])

    return set(filter(is_behind, {path.rpartition("/")[0] for path in paths}))


def _is_file_intact(path: str, old: PublishedFile) -> bool:
    # Text, and no Path: a site has tens of thousands of files, and every run looks at all of them.
    try:
        status = os.lstat(path)
    except OSError:
        return False
    if not stat.S_ISREG(status.st_mode) or status.st_size != old.size:
        return False
    # A copy or a restored cache has other times, and may still have the same bytes.
    return status.st_mtime_ns == old.mtime or _digest(Path(path).read_bytes()) == old.digest


def _differs(output: Path, name: str, data: bytes, digest: str, old: PublishedFile | None) -> bool:
    """Return whether a file has to be written to have these bytes."""
    if old is not None:
        return old.digest != digest
    # Not in the record: the state is new, or someone wrote here. The same bytes may stay.
    path = output / name
    if not path.is_file() or path.is_symlink() or path.read_bytes() != data:
        return True
    return bool(_behind_links(output, [name]))


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _move_order(output: Path, path: str, kind: FileKind) -> tuple[int, int, str]:
    """Return the place of a file in the order of moving: after every linked file.

    Files without links come first. New pages come before old ones, which may link to them: until
    then nobody is led to a new one. The front page comes last.
    """
    if kind is FileKind.ASSET:
        return 0, kind, path
    if path == "index.html":
        return 3, kind, path
    return 1 + os.path.lexists(output / path), kind, path


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    source.replace(target)


def _refuse_foreign(
    output: Path, coming: Iterable[str], intact: Mapping[str, PublishedFile]
) -> None:
    """Refuse to write over files of somebody else, and a folder in the place of a file."""
    # When the state was lost or is an old one, there are files of ours that it does not know.
    is_ours = _is_ours(output)

    @cache
    def is_no_folder(path: str) -> bool:
        return os.path.lexists(output / path) and not _is_real_folder(output / path)

    foreign: list[str] = []
    for path in coming:
        if path not in intact:
            # Not the output folder itself, which may be a link.
            above = list(filter(is_no_folder, accumulate(path.split("/")[:-1], posixpath.join)))
            is_foreign = is_no_folder(path) and not is_ours
            foreign += above or [path] * (is_foreign or _is_real_folder(output / path))
    if names := list(dict.fromkeys(foreign)):
        more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
        named = ", ".join(names[:3]) + more
        raise _refusal(output, f"has what Planet did not put there: {named}")


def _is_ours(output: Path) -> bool:
    """Return whether Planet made the site there, by the signature of the site."""
    if (output / _UNFINISHED).exists():
        return True
    try:
        return re.search(_GENERATOR, (output / _SIGN).read_bytes()) is not None
    except OSError:
        return False


# Wherever the project lived when it made that.
_SIGN, _GENERATOR = "atom.xml", rb'<generator uri="[^"]*" version="[^"]*">Planet</generator>'
_UNFINISHED = ".planet-unfinished"
"""An empty file that is there while files are moved."""


def _is_real_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _refusal(output: Path, what: str) -> OutputError:
    return OutputError(
        f"the site cannot be written: {output} {what}\n"
        "Move that away, or choose another folder (output in the config, or --output)."
    )


def _delete(output: Path, path: str) -> None:
    """Delete a file of the site, and each folder left empty."""
    (output / path).unlink(missing_ok=True)
    folder = (output / path).parent
    while folder != output and not folder.is_symlink() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


@contextmanager
def _workshop(output: Path) -> Iterator[Path]:
    """Make a folder on the same file system in which files wait until all of them are made."""
    if os.path.lexists(output) and not output.is_dir():
        raise _refusal(output, "is not a folder")
    output.mkdir(parents=True, exist_ok=True)
    for left_by_a_killed_run in output.glob(f"{_WORKSHOP}*"):
        shutil.rmtree(left_by_a_killed_run)
    workshop = Path(tempfile.mkdtemp(prefix=_WORKSHOP, dir=output))
    try:
        yield workshop
        shutil.rmtree(workshop)
    finally:
        # Again, if that was interrupted.
        shutil.rmtree(workshop, ignore_errors=True)


_WORKSHOP = ".planet-workshop-"


@contextmanager
def _faults_named(output: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # Where the file would have come; in the workshop it only waits.
        where = re.sub(rf"[\\/]{_WORKSHOP}[^\\/]*", "", str(error.filename or output))
        raise OutputError(f"the site cannot be written: {where}: {error.strerror}") from error
