"""Images for tests: nothing to see, but with all that says how large they are."""

import zlib


def png(width: int, height: int) -> bytes:
    """The beginning of a PNG, and its end."""
    header = b"IHDR" + width.to_bytes(4) + height.to_bytes(4) + b"\x08\x02\0\0\0"
    chunks = (header, b"IDAT" + zlib.compress(b"\0"), b"IEND")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (len(chunk) - 4).to_bytes(4) + chunk + zlib.crc32(chunk).to_bytes(4) for chunk in chunks
    )


def segment(marker: int, data: bytes) -> bytes:
    """A segment of a JPEG, by its marker."""
    return bytes([0xFF, marker]) + (len(data) + 2).to_bytes(2) + data


def frame(width: int, height: int, marker: int = 0xC0) -> bytes:
    """The segment of a JPEG that says how large it is."""
    said = b"\x08" + height.to_bytes(2) + width.to_bytes(2) + b"\x03\x01\x22\0\x02\x11\1\x03\x11\1"
    return segment(marker, said)


JFIF = segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0")


def jpeg(*segments: bytes) -> bytes:
    """The beginning of a JPEG, up to its scan, and its end."""
    return b"\xff\xd8" + b"".join(segments) + segment(0xDA, b"\1\1\0\0\x3f\0") + b"\0\xff\xd9"
