"""What a browser asks, and what it gets."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

_HTML = "text/html; charset=utf-8"
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{heading}</title>
</head>
<body>
<main style="overflow-wrap: anywhere">
<h1>{heading}</h1>
<pre style="white-space: pre-wrap">{words}</pre>
</main>
</body>
</html>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request as it arrived."""

    method: str
    target: str
    """Path and query, verbatim."""
    headers: tuple[tuple[str, str], ...]
    """Names and values in their order, spelled as sent."""
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """The value of a header; several are joined by `, `, None is none."""
        values = [value for sent, value in self.headers if sent.lower() == name.lower()]
        return ", ".join(values) if values else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer, without the headers that every answer has."""

    status: int = 200
    media_type: str = _HTML
    location: str | None = None
    """Where to go instead: a path on this server."""
    body: bytes = b""


def told(status: int, heading: str, words: str) -> Answer:
    """A page that says this, whatever is in the words."""
    page = _PAGE.format(heading=escape(heading), words=escape(words))
    return Answer(status=status, body=page.encode("utf-8", "replace"))


def sent_to(path: str, *, status: int) -> Answer:
    """The way to another page; `path` is as it goes over the wire."""
    return Answer(status=status, location=path)
