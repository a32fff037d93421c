"""What kind of picture bytes are, and how large, whatever they claim to be."""

from random import Random

from planet.text.pictures import PictureInfo, identify_picture
from tests.cases import case, cases
from tests.config.images import JFIF, frame, jpeg, png, segment

ICON = b"\0\0\1\0\1\0\x10\x10"
WEBP = b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\x0f\xc0\x07\0" + bytes(8)


@cases(
    "data, expected",
    case("PNG", png(64, 32), PictureInfo("png", 64, 32)),
    case("JPEG", jpeg(JFIF, frame(64, 32)), PictureInfo("jpg", 64, 32)),
    case("a progressive JPEG", jpeg(JFIF, frame(64, 32, 0xC2)), PictureInfo("jpg", 64, 32)),
    case(
        "a JPEG with a thumbnail",
        jpeg(segment(0xE1, b"Exif\0\0" + jpeg(frame(16, 15))), frame(64, 32)),
        PictureInfo("jpg", 64, 32),
    ),
    case("a JPEG without a frame", jpeg(JFIF), None),
    case("GIF", b"GIF89a\x40\0\x20\0\0\0\0", PictureInfo("gif", 64, 32)),
    case("WebP", WEBP, PictureInfo("webp", 16, 32)),
    case("an icon", ICON, PictureInfo("ico", 256, 256)),
    case("SVG", b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>", None),
    case("a page", b"<!doctype html>", None),
    case("a PNG that was cut", png(9, 9)[:20], None),
    case("a PNG of no size", png(0, 9), None),
    case("nothing", b"", None),
)
def test_bytes_are_a_picture_or_none(data: bytes, expected: PictureInfo | None) -> None:
    assert identify_picture(data) == expected


def test_whatever_is_damaged_in_a_picture_it_is_none_or_has_a_size() -> None:
    chance = Random(1)
    for _ in range(2000):
        data = bytearray(chance.choice((png(9, 9), jpeg(JFIF, frame(9, 9)), WEBP, ICON)))
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)

        found = identify_picture(bytes(data[: chance.randrange(len(data))]))

        assert found is None or found.width > 0
