"""Charsets: what the bytes say before what is said of them."""

from planet.parse.sniff import decode_body
from tests.cases import case, cases

XML = '<?xml version="1.0" encoding="{0}"?><rss>{1}</rss>'


def xml(label: str, words: str, encoding: str) -> bytes:
    return XML.format(label, words).encode(encoding)


@cases(
    "body, content_type, words",
    case("UTF-8", xml("utf-8", "naïve", "utf-8"), None, "naïve"),
    case("UTF-8 in disguise", xml("iso-8859-1", "naïve", "utf-8"), None, "naïve"),
    case("wrong HTTP", xml("utf-8", "naïve", "utf-8"), "text/xml; charset=us-ascii", "naïve"),
    case("text/xml is not ASCII", "<rss>naïve</rss>".encode(), "text/xml", "naïve"),
    case("windows-1252", xml("iso-8859-1", "“naïve”", "cp1252"), None, "“naïve”"),
    case("gb18030", xml("gb2312", "囍", "gb18030"), None, "囍"),
    case("Shift JIS as met", xml("Shift_JIS", "①", "cp932"), None, "①"),
    case("Shift JIS by an old name", xml("x-sjis", "①", "cp932"), None, "①"),
    case(
        "a name that Python does not know",
        xml("x-mac-cyrillic", "Привет", "mac-cyrillic"),
        None,
        "Привет",
    ),
    case("gbk, and more than that", xml("gbk", "𠀀", "gb18030"), None, "𠀀"),
    case("HTTP", xml("iso-8859-1", "Привет", "koi8-r"), 'text/xml; charset="koi8-r"', "Привет"),
    case("next label", xml("koi8-r", "Привет", "koi8-r"), "text/xml; charset=utf-8", "Привет"),
    case("seven bits, not ASCII", xml("iso-2022-jp", "日本", "iso2022_jp"), None, "日本"),
    case("UTF-8 mark", b"\xef\xbb\xbf" + "<rss>é</rss>".encode(), None, "é"),
    case("UTF-16 mark", xml("utf-8", "é", "utf-16"), None, "é"),
    case("not UTF-16 at all", xml("utf-16", "é", "utf-8"), None, "é"),
    case("western, unsaid", "<rss>“naïve”</rss>".encode("cp1252"), None, "“naïve”"),
    case("an encoding nobody may have", xml("utf-7", "A", "ascii"), None, "A"),
    case("a codec that raises", xml("undefined", "A", "ascii"), None, "A"),
    case("a codec that is no charset", xml("zlib", "A", "ascii"), None, "A"),
    case("no codec", xml("x-nothing", "A", "ascii"), None, "A"),
    case("what no browser reads", xml("hz-gb-2312", "A~", "ascii"), None, "A~"),
)
def test_a_body_is_decoded(body: bytes, content_type: str | None, words: str) -> None:
    assert decode_body(body, content_type).partition("<rss>")[2] == f"{words}</rss>"


@cases(
    "body, text",
    case("UTF-8 with a bad byte", "héé ".encode() + b"\xff", "héé \ufffd"),
    case(
        "not what it says",
        b"<?xml version='1.0' encoding='euc-kr'?>\xff\xff",
        "<?xml version='1.0' encoding='euc-kr'?>\ufffd\ufffd",
    ),
    case("half a pair", b"\xfe\xff\x00a\xd8\x00", "a\ufffd"),
    case("unsaid, and not even western", b"\x81\xe9", "\ufffdé"),
)
def test_what_cannot_be_decoded_is_marked(body: bytes, text: str) -> None:
    assert decode_body(body) == text
