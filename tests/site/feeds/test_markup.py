"""XML that is well-formed whatever its strings hold."""

from xml.etree import ElementTree as ET

from planet.site.feeds import markup
from tests.cases import case, cases


@cases(
    "said, read",
    case("ampersand", "a & b", "a & b"),
    case("markup", "<script>alert(1)</script>", "<script>alert(1)</script>"),
    case("end of CDATA", "x ]]> y", "x ]]> y"),
    case("quotes", "\"double\" 'single'", "\"double\" 'single'"),
    case("C0 controls", "a\x00\x08\x0b\x1f\x7fb", "ab"),
    case("C1 controls", "a\x80\x9fb\xa0", "ab\xa0"),
    case("not characters", "a\ufffe\uffffb\ufffd", "ab\ufffd"),
    case("lone surrogates", "a\ud800\udfffb", "ab"),
    case("beyond the BMP", "\U0001f600 \U0010ffff", "\U0001f600 \U0010ffff"),
    case("split reference", "&am\x00p; &#0; &lt;", "&amp; &#0; &lt;"),
)
def test_text_and_attributes_read_back_as_said_without_what_xml_forbids(
    said: str, read: str
) -> None:
    root = markup.nest("r", [markup.text("t", said, {"a": said}), markup.empty("e", {"a": said})])

    parsed = ET.fromstring(markup.document(root))

    assert [(e.text, e.get("a")) for e in parsed] == [(read, read), (None, read)]


def test_what_is_absent_leaves_no_trace() -> None:
    root = markup.nest("r", [markup.text("t", None), markup.empty("e", {"a": None, "b": "1"})])

    assert root == '<r>\n<e b="1"/>\n</r>\n'
