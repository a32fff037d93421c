"""Edition → an index of the posts, in which the page `search/` looks words up.

The only door to Pagefind: a program with a folder of pages to read, and an index and a ready search
box to write. Each post is such a page, with no more text than the site may show.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from planet.errors import OutputError
from planet.model import SEARCHED, Text, TextKind
from planet.site.feeds import facts
from planet.text import address
from planet.text.plain import one_line, plain, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planet.model import Contents, Edition


FOLDER = "search/pagefind/"
"""Where the index is: an address relative to the site's root."""

_LENGTH = 1_500
"""Characters of each text."""
_TITLE_LENGTH = 250
_TOGETHER = 200
"""Texts that are asked for together."""
_SECONDS = 300.0
"""For one run of the program; as many posts as there can be take it a tenth of that."""
# Of what it writes, the search needs these; the others are further ready-made boxes.
_NEEDED = re.compile(
    r"pagefind(-entry|-worker)?\.js(on)?|pagefind-ui\.(css|js)|.+\.(pagefind|pf_\w+)"
)


def index(
    edition: Edition,
    contents: Contents,
    *,
    mask: Callable[[bytes], bytes] = bytes,
    time_limit: float = _SECONDS,
) -> dict[str, bytes]:
    """Return the files of an index by their paths on the site; none when there are no posts.

    `mask` takes secrets out of the pages; `time_limit` is in seconds.

    Raises:
        OutputError: Pagefind is not whole, failed, or took too long.
    """
    if not edition.count:
        return {}
    try:
        with tempfile.TemporaryDirectory(prefix="planet-search-") as name:
            pages, made = Path(name, "pages"), Path(name, "made")
            pages.mkdir()
            for number, page in enumerate(_pages(edition, contents)):
                (pages / f"{number}.html").write_bytes(mask(page.encode(errors="replace")))
            _run(Path(name), limit=time_limit)
            files = sorted(path for path in made.rglob("*") if _NEEDED.fullmatch(path.name))
            return {FOLDER + path.relative_to(made).as_posix(): path.read_bytes() for path in files}
    except OSError as error:
        raise _failure(error.strerror or str(error)) from error


def _pages(edition: Edition, contents: Contents) -> Iterator[str]:
    """Yield each post as a page for Pagefind, in the language of the planet."""
    from planet.site.words import speak

    posts = tuple(edition.timeline.posts(SEARCHED))
    words, language = speak(edition.language), edition.language.partition("-")[0].lower()
    for start in range(0, len(posts), _TOGETHER):
        batch = posts[start : start + _TOGETHER]
        texts = facts.texts(batch, contents, words)
        for post in batch:
            html = texts.get(post.entry.number)
            text = html and plain(Text(value=html, kind=TextKind.HTML), _LENGTH)
            fields = {
                "title": shorten(post.entry.heading, _TITLE_LENGTH),
                # What has no address of its own is read on the page of its month.
                "url": address.make_absolute(post.entry.link)
                or f"../{post.day.year:04}/{post.day.month:02}/index.html",
                "source": post.source.title,
                "date": words.date(post.day),
            }
            head = "".join(
                f'<meta data-pagefind-meta="{name}[content]" content="{escape(value)}">\n'
                for name, value in fields.items()
            )
            # A page without words is none to it.
            body = escape(text or shorten(facts.summary(post) or fields["title"], _LENGTH))
            yield (
                f'<!doctype html>\n<html lang="{language}"><head>\n{head}</head>\n'
                f"<body><p>{body}</p></body></html>\n"
            )


def _run(folder: Path, *, limit: float) -> None:
    """Make an index of the pages in a folder, beside these."""
    from pagefind.service import get_executable

    program = get_executable()
    if program is None:
        raise _failure("Pagefind has no program; pip install 'planet-digest[search]'")
    try:
        # In a folder and an environment that say nothing of how it is to work.
        subprocess.run(  # noqa: S603 - nothing of it comes from a feed
            [program, "--site", "pages", "--output-path", "made", "--silent"],
            cwd=folder,
            env={},
            check=True,
            timeout=limit,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
    except subprocess.TimeoutExpired as error:
        raise _failure(f"Pagefind took longer than {limit:g} seconds") from error
    except subprocess.CalledProcessError as error:
        if error.returncode < 0:
            raise _failure("Pagefind was killed, perhaps for want of memory") from error
        reason = one_line(error.stderr.decode(errors="replace")) or f"exit code {error.returncode}"
        raise _failure(f"Pagefind failed: {shorten(reason, _TITLE_LENGTH)}") from error


def _failure(reason: str) -> OutputError:
    return OutputError(
        f"the index for searching could not be made: {reason}\n"
        "(`search: false` under `pages` makes a site without one.)"
    )
