"""Covers of podcasts: those that players would refuse are told, before anything is published."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.cases import case, cases
from tests.config.files import complaints, loaded
from tests.config.images import JFIF, frame, jpeg, png, segment

CONFIG = "title: A planet\nfeeds: [feed.xml]\npodcast:\n  cover: art.png\n"


# What a file says

NOT_SQUARE = "is 1600 × 1500 pixels; a cover must be square, 1400 to 3000 pixels wide"
DAMAGED = "is no JPEG or PNG, or damaged; export it as one (an SVG may hold scripts)"


def fault(folder: Path, image: bytes) -> str:
    """What is said of a cover."""
    (folder / "art.png").write_bytes(image)
    (complaint,) = complaints(folder, CONFIG)
    return complaint.removeprefix('4:10  podcast.cover "art.png" ')


@cases(
    "image",
    case("PNG", png(1600, 1500)),
    case("JPEG", jpeg(JFIF, frame(1600, 1500))),
    case("a progressive JPEG", jpeg(JFIF, frame(1600, 1500, 0xC2))),
    case("JPEG without JFIF", jpeg(frame(1600, 1500))),
    case(
        # The thumbnail in it has another size.
        "JPEG with a thumbnail",
        jpeg(segment(0xE1, b"Exif\0\0" + jpeg(frame(160, 150))), frame(1600, 1500)),
    ),
    case(
        "JPEG with its tables first",
        jpeg(segment(0xC4, bytes(20)), segment(0xDB, bytes(65)), frame(1600, 1500)),
    ),
    case("JPEG with filling", jpeg(JFIF + b"\xff\xff\xff", b"\xff\x01", frame(1600, 1500))),
)
def test_the_size_of_an_image_is_read_whatever_its_format(image: bytes, tmp_path: Path) -> None:
    assert fault(tmp_path, image) == NOT_SQUARE


@cases(
    "image",
    case("a JPEG without a frame", jpeg(JFIF)),
    case("a JPEG that ends before its frame", jpeg(JFIF, b"\xff\xd9", frame(9, 9))),
    case("a segment that is too short", jpeg(b"\xff\xe0\0\1", frame(9, 9))),
    case("a segment without a length", jpeg(b"\xff\xe0\0\0", frame(9, 9))),
    case("a JPEG that was cut in a segment", jpeg(JFIF)[:12]),
    case("the beginning of a JPEG", b"\xff\xd8\xff"),
    case("nothing but filling", b"\xff\xd8\xff" + bytes([0xFF]) * 99),
    case("a PNG that was cut", png(9, 9)[:20]),
    case("the beginning of a PNG", png(9, 9)[:8]),
    case("a PNG without a header", png(9, 9).replace(b"IHDR", b"tEXt")),
)
def test_an_image_with_something_missing_is_damaged(image: bytes, tmp_path: Path) -> None:
    assert fault(tmp_path, image) == DAMAGED


def test_whatever_is_damaged_in_an_image_it_is_told_in_words(tmp_path: Path) -> None:
    chance = Random(1)
    images = [png(1600, 1500), jpeg(JFIF, segment(0xDB, bytes(65)), frame(1600, 1500))]
    told = set()
    for _ in range(200):
        image = bytearray(chance.choice(images))
        for _ in range(chance.randrange(1, 4)):
            image[chance.randrange(len(image))] = chance.choice((0, 0xFF, chance.randrange(256)))
        told.add(fault(tmp_path, bytes(image[: chance.randrange(len(image))])))

    assert {re.sub(r"is \d+ × \d+", "is 1600 × 1500", each) for each in told} == {
        *(DAMAGED, NOT_SQUARE)
    }


# What the config says


def nothing(path: Path) -> None:
    """There is no such file."""


def containing(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


@cases(
    "make, said",
    case(
        "is missing",
        nothing,
        "is not there; put a JPEG or PNG in its place, or leave the setting out",
    ),
    case(
        "is a folder",
        Path.mkdir,
        "is no file; put a JPEG or PNG in its place, or leave the setting out",
    ),
    case(
        "is a pipe",
        os.mkfifo,
        "is no file; put a JPEG or PNG in its place, or leave the setting out",
    ),
    case(
        "is too small",
        containing(png(1200, 800)),
        "is 1200 × 800 pixels; a cover must be square, 1400 to 3000 pixels wide",
    ),
    case(
        "is not quite square",
        containing(png(2000, 1999)),
        "is 2000 × 1999 pixels; a cover must be square, 1400 to 3000 pixels wide",
    ),
    case(
        "is a little too small",
        containing(png(1399, 1399)),
        "is 1399 × 1399 pixels; a cover must be square, 1400 to 3000 pixels wide",
    ),
    case(
        "is a little too large",
        containing(jpeg(frame(3001, 3001))),
        "is 3001 × 3001 pixels; a cover must be square, 1400 to 3000 pixels wide",
    ),
    case("is another kind of image", containing(b"<svg/>"), DAMAGED),
    case("is a GIF", containing(b"GIF89a\x78\x05\x78\x05"), DAMAGED),
    case("is damaged", containing(png(9, 9)[:20]), DAMAGED),
    case(
        "has too many bytes",
        containing(png(1400, 1400) + bytes(6 * 1024**2)),
        "has more than 5000 kB, which is plenty for a picture of its kind",
    ),
)
def test_a_cover_that_players_would_not_take_is_refused(
    make: Callable[[Path], object], said: str, tmp_path: Path
) -> None:
    make(tmp_path / "art.png")

    assert complaints(tmp_path, CONFIG) == [f'4:10  podcast.cover "art.png" {said}']


@cases(
    "image",
    case("PNG of the least size", png(1400, 1400)),
    case("JPEG of the greatest size", jpeg(JFIF, frame(3000, 3000))),
)
def test_covers_of_the_least_and_the_greatest_size_are_taken(image: bytes, tmp_path: Path) -> None:
    (tmp_path / "art.png").write_bytes(image)

    assert loaded(tmp_path, CONFIG).podcast.cover == tmp_path / "art.png"


# The picture of a source


SMALL = "it may be 2048 pixels wide and high, and pages show it small"
NO_PICTURE = (
    "is no PNG, JPEG, GIF, WebP or ICO, or damaged; export it as one (an SVG may hold scripts)"
)


@cases(
    "make, said",
    case(
        "is missing",
        nothing,
        "is not there; put a PNG, JPEG, GIF, WebP or ICO in its place, or leave the setting out",
    ),
    case("is an SVG", containing(b"<svg xmlns='http://www.w3.org/2000/svg'/>"), NO_PICTURE),
    case("is damaged", containing(png(9, 9)[:20]), NO_PICTURE),
    case("has too many pixels", containing(png(9, 2049)), f"is 9 × 2049 pixels; {SMALL}"),
    case(
        "has too many bytes",
        containing(png(9, 9) + bytes(100_000)),
        "has more than 100 kB, which is plenty for a picture of its kind",
    ),
)
def test_a_face_that_is_no_picture_is_refused(
    make: Callable[[Path], object], said: str, tmp_path: Path
) -> None:
    make(tmp_path / "ann.png")
    text = "title: A planet\nfeeds:\n  - {url: feed.xml, image: ann.png}\n"

    assert complaints(tmp_path, text) == [f'3:28  feeds[0].image "ann.png" {said}']


def test_a_picture_of_a_source_is_a_file_from_the_folder_of_the_config_or_an_address(
    tmp_path: Path,
) -> None:
    (tmp_path / "ann.png").write_bytes(png(9, 9))
    feeds = "{url: a.xml, image: ann.png}, {url: b.xml, image: 'https://b.example/b.png'}"

    config = loaded(tmp_path, f"title: A planet\nfeeds: [{feeds}]\n")

    assert [(feed.image, feed.face) for feed in config.feeds] == [
        (None, tmp_path / "ann.png"),
        ("https://b.example/b.png", None),
    ]
    assert tmp_path / "ann.png" in config.files
