"""The writer: whatever it is told, what it gives is what the policy allows."""

from __future__ import annotations

from planet.model import Images
from planet.text.policy import Writer


def make_writer() -> Writer:
    return Writer(base=None, images=Images.LAZY)


def test_what_the_policy_does_not_have_is_not_written() -> None:
    writer = make_writer()

    writer.start("p", {"onclick": "alert(1)", "dir": "ltr"})
    writer.start("blink", {"dir": "ltr"})
    writer.text("a<b>&")
    writer.end("blink")
    writer.start("input", {"value": "x"})
    writer.end("p")

    assert writer.html() == '<p dir="ltr">a&lt;b&gt;&amp;</p>'


def test_what_is_opened_is_closed_in_order() -> None:
    writer = make_writer()

    writer.end("p")
    writer.start("div", {})
    writer.start("b", {})
    writer.start("i", {})
    writer.end("b")
    writer.end("i")
    writer.start("p", {})

    assert writer.html() == "<div><b><i></i></b><p></p></div>"


def test_what_is_left_out_ends_with_its_own_end_tag() -> None:
    writer = make_writer()

    writer.start("script", {})
    writer.start("p", {})
    writer.start("script", {})
    writer.end("script")
    writer.text("x")
    writer.end("p")
    writer.end("script")
    writer.text("kept")
    writer.start("style", {})
    writer.text("left out")

    assert writer.html() == "kept"


def test_a_table_ends_where_something_begins_that_no_table_holds() -> None:
    writer = make_writer()

    for name in ("table", "tbody", "tr", "td", "table", "tbody"):
        writer.start(name, {})
    writer.text("\n")
    writer.start("li", {})
    writer.text("one")
    writer.end("li")
    writer.start("tr", {})
    writer.start("td", {})
    writer.text("two")
    writer.end("table")
    writer.text("three")

    assert writer.html() == (
        "<table><tbody><tr><td><table><tbody>\n</tbody></table><li>one</li>two"
        "three</td></tr></tbody></table>"
    )


def test_a_part_of_a_table_is_only_written_where_it_belongs() -> None:
    writer = make_writer()

    for name in ("tr", "td", "col", "table", "td", "caption"):
        writer.start(name, {})
        writer.text(name)

    assert writer.html() == "trtdcol<table></table>tabletdcaption"


def test_images_and_links_are_no_part_of_a_table_either() -> None:
    writer = make_writer()

    writer.start("table", {})
    writer.start("img", {"src": "https://a.example/i"})
    writer.end("table")
    writer.start("table", {})
    writer.start("iframe", {"src": "https://a.example/"})

    assert writer.html() == (
        '<table></table><img src="https://a.example/i" alt="" loading="lazy">'
        '<table></table><a href="https://a.example/" rel="noopener noreferrer">'
        "Embedded: a.example</a>"
    )


def test_no_link_is_in_a_link_unless_in_a_cell() -> None:
    writer = make_writer()

    for name in ("a", "b", "a", "table", "tbody", "tr", "td", "a"):
        writer.start(name, {"href": "https://a.example/"})
        writer.text("x" if name == "a" else "")

    link = '<a href="https://a.example/" rel="noopener noreferrer">x'
    assert writer.html() == (
        f"{link}<b>x<table><tbody><tr><td>{link}</a></td></tr></tbody></table></b></a>"
    )
