"""XML that is well-formed whatever its strings hold."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from planet.site.feeds import markup


@pytest.mark.parametrize(
    ("said", "read"),
    [
        pytest.param("a & b", "a & b", id="ampersand"),
        pytest.param("<script>alert(1)</script>", "<script>alert(1)</script>", id="markup"),
        pytest.param("x ]]> y", "x ]]> y", id="end of CDATA"),
        pytest.param("\"double\" 'single'", "\"double\" 'single'", id="quotes"),
        pytest.param("a\x00\x08\x0b\x1f\x7fb", "ab", id="C0 controls"),
        pytest.param("a\x80\x9fb\xa0", "ab\xa0", id="C1 controls"),
        pytest.param("a\ufffe\uffffb\ufffd", "ab\ufffd", id="not characters"),
        pytest.param("a\ud800\udfffb", "ab", id="lone surrogates"),
        pytest.param("\U0001f600 \U0010ffff", "\U0001f600 \U0010ffff", id="beyond the BMP"),
        pytest.param("&am\x00p; &#0; &lt;", "&amp; &#0; &lt;", id="split reference"),
    ],
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
