"""HTML for what a post says beside its words: whom it answers, its pictures, what it quotes.

Written where a format has fields for these, and readers would miss them. Like any text of a feed it
is cleaned before anyone sees it. What a post does is said by signs, which need no language.
"""

from __future__ import annotations

from html import escape

from planet.plain import shortened

ANSWERS, LIKES, SHARES, KEEPS = "↩", "♥", "↻", "★"
_WARNS = "⚠"
_MAX_SHOWN = 80


def paragraphs(words: str) -> str:
    """Plain text with its line ends."""
    parts = (escape(part.strip()) for part in words.replace("\r\n", "\n").split("\n\n"))
    return "".join(f"<p>{part}</p>" for part in parts if part).replace("\n", "<br>")


def anchor(url: str, words: str | None = None) -> str:
    """A link; without words of its own it shows the address, as people write it."""
    address = shortened(url.partition("://")[2].rstrip("/") or url, _MAX_SHOWN)
    shown = words if words and words != url else address
    return f'<a href="{escape(url)}">{escape(shown)}</a>'


def mention(sign: str, url: str, words: str | None = None) -> str:
    """What a post does to another one."""
    return f"<p>{sign} {anchor(url, words)}</p>"


def warning(words: str, url: str | None) -> str:
    """What a post is not shown in full for, and where it is."""
    return f"<p>{_WARNS} {anchor(url, words) if url else escape(words)}</p>"


def reference(url: str, title: str | None = None, about: str | None = None) -> str:
    """A page that a post is about."""
    return f"<p>{anchor(url, title)}{f'<br>{escape(about)}' if about else ''}</p>"


def quotation(html: str) -> str:
    """What another one said."""
    return f"<blockquote>{html}</blockquote>" if html else ""


def picture(src: str, alt: str | None = None, *, href: str | None = None) -> str:
    """An image, which leads to `href`."""
    image = f'<img src="{escape(src)}" alt="{escape(alt or "")}">'
    return f'<p><a href="{escape(href)}">{image}</a></p>' if href else f"<p>{image}</p>"
