"""What nh3 writes is read by an expression, with the result that a parser of HTML has."""

from __future__ import annotations

from html.parser import HTMLParser

from planet.model import Images
from planet.text import nh3
from planet.text.mending import mended
from planet.text.policy import CONTROLS, Writer
from tests.text.cases import BASE, values


class _Parser(HTMLParser):
    def __init__(self, writer: Writer) -> None:
        super().__init__(convert_charrefs=True)
        self._writer = writer

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._writer.start(tag, dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        self._writer.end(tag)

    def handle_data(self, data: str) -> None:
        self._writer.text(data)


def test_every_tag_and_text_is_found_as_a_parser_finds_them() -> None:
    differing = []

    for name, value in values():
        html = mended(CONTROLS.sub("", value))
        ours, theirs = (Writer(base=BASE, images=Images.LAZY) for _ in range(2))
        nh3.write(html, ours)
        parser = _Parser(theirs)
        parser.feed(nh3.cleaned(html))
        parser.close()
        if ours.html() != theirs.html():
            differing.append(name)

    assert differing == []
