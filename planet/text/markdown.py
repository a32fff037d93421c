"""Markdown → HTML, which is as untrusted as the Markdown. The only door to markdown-it-py."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


def render_markdown(words: str) -> str:
    """Turn CommonMark, with the tables and struck words of GitHub, into HTML.

    HTML in it stays as it is: whoever shows the result cleans it, or trusts the author.
    """
    rendered: str = _reader().render(words)
    return rendered


@cache
def _reader() -> MarkdownIt:
    # Imported when first needed: few feeds have texts in Markdown only.
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])
