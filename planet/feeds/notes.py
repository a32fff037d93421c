"""What stands before the text of a picked episode: why it was picked, and when it was published."""

from __future__ import annotations

import html
from datetime import UTC
from typing import TYPE_CHECKING

from planet.model import Html

if TYPE_CHECKING:
    from planet.model import Post
    from planet.words.words import Words


def foreword(post: Post, words: Words) -> Html:
    """The operator's note, and the original date of an episode that is filed under another.

    Empty for a post that was not picked. The day is that in UTC: the same bytes wherever it is
    written.
    """
    if post.picked is None:
        return Html("")
    note, published = paragraph(post.picked.note), post.entry.published
    if published is None:
        return note
    said = words.published(words.date(published.astimezone(UTC).date()))
    return Html(f"{note}<p><em>{said}</em></p>")


def paragraph(text: str | None) -> Html:
    """Plain text as a paragraph, its lines kept apart; nothing when there is none."""
    if not text:
        return Html("")
    return Html(f"<p>{html.escape(text, quote=False).replace(chr(10), '<br>')}</p>")
