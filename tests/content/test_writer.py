"""The writer: whatever it is told, what it gives is what the policy allows."""

from __future__ import annotations

from planet.content.writer import Writer
from planet.model import Images


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
