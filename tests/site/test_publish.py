"""A site → a folder: whole files, only the changed ones, and nobody else's."""

import errno
import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn, TypeAlias

import pytest

from planet.errors import OutputError
from planet.model import File, FileKind
from planet.site import publish as publishing
from planet.site.publish import Published, is_intact, publish
from planet.store import PublishedFile
from tests.cases import case, cases

Files: TypeAlias = Mapping[str, PublishedFile]


def make_file(path: str, data: bytes = b"old", fingerprint: str | None = None) -> File:
    """A file of the site; its fingerprint is made from its bytes, unless one is given."""
    kind = {".html": FileKind.PAGE, ".css": FileKind.ASSET, ".png": FileKind.ASSET}.get(
        Path(path).suffix, FileKind.FEED
    )
    return File(path=path, kind=kind, fingerprint=fingerprint or data.hex(), make=lambda: data)


def make_failing(path: str, error: Exception) -> File:
    def make() -> NoReturn:
        raise error

    return File(path=path, fingerprint="failing", make=make)


def make_unwanted(path: str, data: bytes = b"old") -> File:
    """A file that is there already: whoever makes it again fails."""
    return File(
        path=path,
        fingerprint=data.hex(),
        make=make_failing(path, AssertionError(f"{path} was made again")).make,
    )


def tree(folder: Path) -> dict[str, bytes]:
    """All files below a folder; a folder without any is there with its slash."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() and not any(path.iterdir()):
            found[f"{name}/"] = b""
        elif not path.is_dir():
            found[name] = path.read_bytes()
    return found


def written_at(folder: Path) -> dict[str, tuple[int, int]]:
    """What changes when a file is written again, even with the same bytes."""
    return {
        name: ((folder / name).lstat().st_ino, (folder / name).lstat().st_mtime_ns)
        for name in tree(folder)
        if not name.endswith("/")
    }


def age(path: Path) -> None:
    """Make a file older, so that writing it again shows."""
    os.utime(path, ns=(10**18, 10**18))


def digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "public"


@pytest.fixture
def old(output: Path) -> Files:
    """A site of three files, as it was left the last time."""
    files = [make_file(path) for path in ("a.html", "tag/b.html", "year/month/c.html")]
    return publish(files, output, {}).files


SIGNED = b'<feed><generator uri="https://a.example/" version="0.1.0">Planet</generator>'
"""The feed of a site that says that Planet made it."""
OLD = {"a.html": b"old", "tag/b.html": b"old", "year/month/c.html": b"old"}


# What is written


def test_a_new_site_is_written_whole(output: Path) -> None:
    published = publish([make_file("a.html", b"A"), make_file("tag/b.html", b"BB")], output, {})

    found = {name: (output / name).lstat() for name in ("a.html", "tag/b.html")}
    assert tree(output) == {"a.html": b"A", "tag/b.html": b"BB"}
    assert published == Published(
        files={
            "a.html": PublishedFile(
                fingerprint="41", digest=digest(b"A"), size=1, mtime=found["a.html"].st_mtime_ns
            ),
            "tag/b.html": PublishedFile(
                fingerprint="4242",
                digest=digest(b"BB"),
                size=2,
                mtime=found["tag/b.html"].st_mtime_ns,
            ),
        },
        written=("a.html", "tag/b.html"),
    )


def test_a_site_that_did_not_change_is_not_even_made(output: Path, old: Files) -> None:
    before = written_at(output)

    published = publish([make_unwanted(path) for path in OLD], output, old)

    assert published == Published(files=old)
    assert written_at(output) == before


def test_only_what_changed_is_written(output: Path, old: Files) -> None:
    before = written_at(output)
    site = [
        make_unwanted("a.html"),
        make_file("tag/b.html", b"new"),
        make_file("year/month/c.html"),
    ]

    published = publish(site, output, old)

    after = written_at(output)
    assert tree(output) == OLD | {"tag/b.html": b"new"}
    assert published.written == ("tag/b.html",)
    assert [name for name in after if after[name] != before[name]] == ["tag/b.html"]
    assert is_intact(output, published.files)


@pytest.mark.parametrize("known", [0, 1], ids=["was lost", "is an old one"])
def test_a_site_that_planet_made_is_written_over_whatever_became_of_its_state(
    known: int, output: Path
) -> None:
    site = [make_file("atom.xml", SIGNED), *map(make_file, OLD)]
    files = publish(site, output, {}).files
    before = {"atom.xml": files["atom.xml"]} if known else {}

    published = publish([make_file("a.html", b"new")], output, before)

    assert tree(output) == OLD | {"a.html": b"new"} | ({} if known else {"atom.xml": SIGNED})
    assert published.written == ("a.html",)


def test_files_are_moved_in_the_order_of_who_links_to_whom(output: Path) -> None:
    before = publish([make_file("index.html"), make_file("b/index.html")], output, {}).files
    new = ["a/atom.xml", "b/index.html", "index.html", "style.css", "a/index.html", "atom.xml"]

    moved: list[str] = []
    move = publishing._move

    def record(source: Path, target: Path) -> None:
        moved.append(target.relative_to(output).as_posix())
        move(source, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(publishing, "_move", record)
        publish([make_file(path, b"new") for path in new], output, before)

    assert moved == [
        *("style.css", "a/index.html", "a/atom.xml", "atom.xml", "b/index.html", "index.html")
    ]


# When something goes wrong


@pytest.mark.parametrize("place", [0, 1, 3])
def test_nothing_is_moved_while_one_file_cannot_be_made(
    place: int, output: Path, old: Files
) -> None:
    before = written_at(output)
    site = [make_file("a.html", b"new"), make_file("new.html"), make_file("tag/b.html", b"new")]
    site.insert(place, make_failing("year/month/c.html", RuntimeError("a bug")))

    with pytest.raises(RuntimeError, match="a bug"):
        publish(site, output, old)

    assert tree(output) == OLD
    assert written_at(output) == before


def test_a_site_of_which_a_part_cannot_be_moved_is_told_and_goes_on_with_the_next_run(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = [make_file(path) for path in ("a.css", "a.html", "index.html")]
    replace = Path.replace

    def fail_late(source: Path, target: Path) -> Path:
        if target == output / "index.html":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
        return replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail_late)
        with pytest.raises(OutputError, match="No space left on device"):
            publish(site, output, {})
    published = publish(site, output, {})

    assert published.written == ("index.html",)
    assert tree(output) == {"a.css": b"old", "a.html": b"old", "index.html": b"old"}


def test_what_a_killed_run_left_is_removed(output: Path, old: Files) -> None:
    left = output / ".planet-workshop-killed/tag"
    left.mkdir(parents=True)
    (left / "half.html").write_bytes(b"ha")

    publish([make_unwanted(path) for path in OLD], output, old)

    assert tree(output) == OLD


def a_file(path: Path) -> None:
    path.write_bytes(b"mine")


def a_link(path: Path) -> None:
    path.symlink_to("a.html")


def a_folder(path: Path) -> None:
    (path / "deep").mkdir(parents=True)
    (path / "deep/mine").write_bytes(b"mine")


@pytest.mark.parametrize("place", [a_file, a_link, a_folder])
def test_nothing_of_others_is_written_over_and_all_else_stays_as_it_was(
    place: Callable[[Path], None], output: Path, old: Files
) -> None:
    for path in ("index.html", "new.html"):
        place(output / path)
    before = written_at(output)
    site = [make_file(path, b"new") for path in ("a.html", "index.html", "new.html")]

    with pytest.raises(OutputError) as caught:
        publish(site, output, old)

    assert written_at(output) == before
    assert "has what Planet did not put there: index.html, new.html\n" in str(caught.value)


# What is deleted


def test_what_the_site_has_no_more_is_deleted_with_its_folders(output: Path, old: Files) -> None:
    published = publish([make_unwanted("a.html")], output, old)

    assert tree(output) == {"a.html": b"old"}
    assert published == Published(
        files={"a.html": old["a.html"]}, deleted=("tag/b.html", "year/month/c.html")
    )


def test_other_peoples_files_are_never_deleted(output: Path, old: Files) -> None:
    others = {
        ".well-known/x": b"mine",
        "CNAME": b"mine",
        "year/month/mine.html": b"mine",
        "workshop/mine": b"mine",
    }
    for name, data in others.items():
        (output / name).parent.mkdir(exist_ok=True)
        (output / name).write_bytes(data)
    (output / "empty").mkdir()

    publish([make_file("new.html")], output, old)

    assert tree(output) == {"new.html": b"old", "empty/": b""} | others


@cases("data", case("other bytes", b"somebody's"), case("as many bytes", b"new"))
def test_a_file_that_somebody_changed_is_not_deleted(data: bytes, output: Path, old: Files) -> None:
    changed = output / "tag/b.html"
    changed.write_bytes(data)
    age(changed)

    published = publish([make_file("a.html")], output, old)

    assert tree(output) == {"a.html": b"old", "tag/b.html": data}
    assert published.deleted == ("year/month/c.html",)
    assert "tag/b.html" not in published.files


def test_a_file_that_somebody_deleted_is_made_again(output: Path, old: Files) -> None:
    (output / "year/month/c.html").unlink()
    (output / "year/month").rmdir()

    published = publish([make_file(path) for path in OLD], output, old)

    assert tree(output) == OLD
    assert published.written == ("year/month/c.html",)


def test_a_file_that_was_only_touched_is_still_ours(output: Path, old: Files) -> None:
    # As a copy, a checkout or a restored cache leaves it.
    for name in OLD:
        age(output / name)
    stands = is_intact(output, old)

    published = publish([make_file("a.html")], output, old)

    assert stands
    assert tree(output) == {"a.html": b"old"}
    assert (published.written, published.deleted) == ((), ("tag/b.html", "year/month/c.html"))


# Links


@cases(
    "data, there",
    case("the same bytes", b"old", True),
    case("other bytes", b"new", True),
    case("nothing", b"new", False),
)
@pytest.mark.parametrize("state", ["kept", "lost"])
def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed_to(
    data: bytes, there: bool, state: str, output: Path, old: Files
) -> None:
    target = output.parent / "target"
    if there:
        target.write_bytes(b"old")
    (output / "a.html").unlink()
    (output / "a.html").symlink_to(target)
    (output / "atom.xml").write_bytes(SIGNED)

    publish([make_file("a.html", data)], output, old if state == "kept" else {})

    assert target.exists() is there
    assert not there or target.read_bytes() == b"old"
    assert not (output / "a.html").is_symlink()
    assert (output / "a.html").read_bytes() == data


@pytest.mark.parametrize("state", ["kept", "lost"])
@pytest.mark.parametrize("data", [b"new", OLD["tag/b.html"]])
def test_a_folder_that_is_a_link_is_not_followed(
    data: bytes, state: str, output: Path, old: Files, tmp_path: Path
) -> None:
    (output / "atom.xml").write_bytes(SIGNED)
    (output / "tag").rename(tmp_path / "elsewhere")
    (output / "tag").symlink_to(tmp_path / "elsewhere")
    before = tree(tmp_path / "elsewhere")

    with pytest.raises(OutputError, match="has what Planet did not put there: tag\n"):
        publish([make_file("tag/b.html", data)], output, old if state == "kept" else {})
    publish([make_unwanted("a.html")], output, old)

    assert not is_intact(output, old)
    assert (output / "tag").is_symlink()
    assert tree(tmp_path / "elsewhere") == before != {}


# What would be done, and what stands


def rewritten(path: Path) -> None:
    path.write_bytes(b"longer")


def deleted(path: Path) -> None:
    path.unlink()


def made_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def made_a_link(path: Path) -> None:
    kept = path.rename(path.with_suffix(".kept"))
    path.symlink_to(kept)


@pytest.mark.parametrize("harm", [rewritten, deleted, made_a_folder, made_a_link])
def test_a_site_is_up_to_date_until_one_of_its_files_is_touched(
    harm: Callable[[Path], None], output: Path, old: Files
) -> None:
    before = is_intact(output, old)

    harm(output / "tag/b.html")

    assert (before, is_intact(output, old)) == (True, False)
