"""Charsets: what the bytes say before what is said of them."""

from __future__ import annotations

import pytest

from planet.parse.sniff import decoded

XML = '<?xml version="1.0" encoding="{0}"?><rss>{1}</rss>'


def xml(label: str, words: str, encoding: str) -> bytes:
    return XML.format(label, words).encode(encoding)


@pytest.mark.parametrize(
    ("body", "content_type", "words"),
    [
        pytest.param(xml("utf-8", "naïve", "utf-8"), None, "naïve", id="UTF-8"),
        pytest.param(xml("iso-8859-1", "naïve", "utf-8"), None, "naïve", id="UTF-8 in disguise"),
        pytest.param(
            xml("utf-8", "naïve", "utf-8"),
            "text/xml; charset=us-ascii",
            "naïve",
            id="wrong HTTP",
        ),
        pytest.param("<rss>naïve</rss>".encode(), "text/xml", "naïve", id="text/xml is not ASCII"),
        pytest.param(xml("iso-8859-1", "“naïve”", "cp1252"), None, "“naïve”", id="windows-1252"),
        pytest.param(xml("gb2312", "囍", "gb18030"), None, "囍", id="gb18030"),
        pytest.param(xml("Shift_JIS", "①", "cp932"), None, "①", id="Shift JIS as met"),
        pytest.param(xml("x-sjis", "①", "cp932"), None, "①", id="Shift JIS by an old name"),
        pytest.param(
            xml("x-mac-cyrillic", "Привет", "mac-cyrillic"),
            None,
            "Привет",
            id="a name that Python does not know",
        ),
        pytest.param(xml("gbk", "𠀀", "gb18030"), None, "𠀀", id="gbk, and more than that"),
        pytest.param(
            xml("iso-8859-1", "Привет", "koi8-r"), 'text/xml; charset="koi8-r"', "Привет", id="HTTP"
        ),
        pytest.param(
            xml("koi8-r", "Привет", "koi8-r"), "text/xml; charset=utf-8", "Привет", id="next label"
        ),
        pytest.param(
            xml("iso-2022-jp", "日本", "iso2022_jp"), None, "日本", id="seven bits, not ASCII"
        ),
        pytest.param(b"\xef\xbb\xbf" + "<rss>é</rss>".encode(), None, "é", id="UTF-8 mark"),
        pytest.param(xml("utf-8", "é", "utf-16"), None, "é", id="UTF-16 mark"),
        pytest.param(xml("utf-16", "é", "utf-16-le"), None, "é", id="UTF-16 without mark"),
        pytest.param(xml("utf-16", "é", "utf-32"), None, "é", id="UTF-32 mark"),
        pytest.param(xml("utf-32", "é", "utf-32-be"), None, "é", id="UTF-32 without mark"),
        pytest.param(xml("utf-16", "é", "utf-8"), None, "é", id="not UTF-16 at all"),
        pytest.param(xml("ebcdic-cp-us", "AB", "cp037"), None, "AB", id="EBCDIC"),
        pytest.param("<rss>“naïve”</rss>".encode("cp1252"), None, "“naïve”", id="western, unsaid"),
        pytest.param(xml("utf-7", "A", "ascii"), None, "A", id="an encoding nobody may have"),
        pytest.param(xml("undefined", "A", "ascii"), None, "A", id="a codec that raises"),
        pytest.param(xml("zlib", "A", "ascii"), None, "A", id="a codec that is no charset"),
        pytest.param(xml("x-nothing", "A", "ascii"), None, "A", id="no codec"),
        pytest.param(xml("hz-gb-2312", "A~", "ascii"), None, "A~", id="what no browser reads"),
    ],
)
def test_a_body_is_decoded(body: bytes, content_type: str | None, words: str) -> None:
    text, notes = decoded(body, content_type)

    assert (text.partition("<rss>")[2], notes) == (f"{words}</rss>", ())


@pytest.mark.parametrize(
    ("body", "text", "note"),
    [
        pytest.param(
            "héé ".encode() + b"\xff",
            "héé \ufffd",
            "1 characters could not be decoded as utf-8",
            id="UTF-8 with a bad byte",
        ),
        pytest.param(
            b"<?xml version='1.0' encoding='euc-kr'?>\xff\xff",
            "<?xml version='1.0' encoding='euc-kr'?>\ufffd\ufffd",
            "2 characters could not be decoded as cp949",
            id="not what it says",
        ),
        pytest.param(
            b"\xfe\xff\x00a\xd8\x00",
            "a\ufffd",
            "1 characters could not be decoded as utf-16-be",
            id="half a pair",
        ),
        pytest.param(
            b"\x81\xe9",
            "\ufffdé",
            "1 characters could not be decoded as cp1252",
            id="unsaid, and not even western",
        ),
    ],
)
def test_what_cannot_be_decoded_is_marked_and_noted(body: bytes, text: str, note: str) -> None:
    assert decoded(body) == (text, (note,))
