"""Edition → an index of its posts, in which the page `search/` looks words up.

The only module that knows Pagefind: a program that reads pages from a folder and writes an index
beside its own script, which finds words in it in a browser. Each post is such a page for it, with
no more of its text than the site may show. The same posts always give the same files.

What a word is, and which are forms of one, depends on the language: posts of each language have an
index of their own, and the page looks into all of them.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections import Counter
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from planet import __version__
from planet.errors import SearchError
from planet.model import SEARCHED, ContentMode, Text, TextKind, fingerprint
from planet.site.pages.labels import language_tag
from planet.text import address
from planet.text.plain import one_line, plain, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planet.model import Contents, Edition, Post
    from planet.site.words import Words


FOLDER = "search/pagefind/"
"""Where the index is: an address relative to the site's root."""
ENTRY = f"{FOLDER}pagefind-entry.json"
"""The file of the index that there always is."""

_LENGTH = 1_500
"""Characters of each text."""
_TITLE_LENGTH = 250
_TOGETHER = 200
"""Texts that are asked for together."""
_SECONDS = 300.0
"""For one run of the program; as many posts as there can be take it a tenth of that."""

LANGUAGES = 12
"""How many languages have an index of their own: a browser loads some 70 kB for each. Posts in
others, of which there are the fewest, are among those of the planet's."""
# Japanese and Chinese have no blanks between words, and feeds in them often say that they are
# English, as their software does by default.
_KANA, _HAN = re.compile("[\u3041-\u30fa]"), re.compile("[\u4e00-\u9fff]")
_SHARE = 4
"""A text with this part of its characters in a script is in the language of that script."""

# Of what it writes, its script asks for these; the others are ready-made search boxes.
_NEEDED = re.compile(r"pagefind(-entry|-worker)?\.js(on)?|.+\.(pagefind|pf_\w+)")


def fingerprint_posts(edition: Edition) -> str:
    """Return what changes whenever the index of an edition may."""
    from planet.site.words import speak

    words, marks, posts = speak(edition.language), [], 0
    for part in edition.timeline.days.values():
        if posts < SEARCHED:
            marks.append(part.mark)
        posts += part.posts
    return fingerprint(__version__, version("pagefind"), words, tuple(marks))


def index(
    edition: Edition, contents: Contents, *, time_limit: float = _SECONDS
) -> dict[str, bytes]:
    """Return the files of an index by their paths on the site; none when there are no posts.

    `time_limit` is in seconds.

    Raises:
        SearchError: Pagefind is not whole, failed, or took too long.
    """
    if not edition.count:
        return {}
    try:
        with tempfile.TemporaryDirectory(prefix="planet-search-") as name:
            folder = Path(name)
            _write(edition, contents, folder / "pages")
            _run(folder, limit=time_limit)
            return _read(folder / "made")
    except OSError as error:
        raise _failure(error.strerror or str(error)) from error


def _write(edition: Edition, contents: Contents, pages: Path) -> None:
    """Put a page for each post into a new folder."""
    from planet.site.words import speak

    pages.mkdir()
    words, own = speak(edition.language), edition.language.partition("-")[0].lower()
    posts = tuple(edition.timeline.posts(SEARCHED))
    texts = _read_texts(posts, contents)
    languages = [
        _language(post, text or post.entry.heading) or own
        for post, text in zip(posts, texts, strict=True)
    ]
    counted = Counter({own: len(posts)}) + Counter(sorted(languages))
    common = dict(counted.most_common(LANGUAGES))
    for post, text, language in zip(posts, texts, languages, strict=True):
        # Named by what stays the same, so that a post that did not change keeps its file.
        file = pages / f"{fingerprint(post.uid)}.html"
        page = _page(post, text, words, language if language in common else own)
        file.write_text(page, encoding="utf-8", errors="replace")


def _language(post: Post, text: str) -> str | None:
    """Return the language of a post without its region, by its script or as its feed says."""
    if len(_KANA.findall(text)) * _SHARE > len(text):
        return "ja"
    if len(_HAN.findall(text)) * _SHARE > len(text):
        return "ja" if _KANA.search(text) else "zh"
    tag = language_tag(post.entry.language or post.source.language)
    return tag and tag.partition("-")[0].lower()


def _read(made: Path) -> dict[str, bytes]:
    files = sorted(path for path in made.rglob("*") if _NEEDED.fullmatch(path.name))
    index = {FOLDER + path.relative_to(made).as_posix(): path.read_bytes() for path in files}
    # Pagefind writes its languages in another order each time.
    index[ENTRY] = json.dumps(json.loads(index[ENTRY]), sort_keys=True).encode()
    return index


def _read_texts(posts: Sequence[Post], contents: Contents) -> list[str]:
    """Return the text of each post, as far as that may be shown."""
    read: list[str] = []
    for start in range(0, len(posts), _TOGETHER):
        batch = posts[start : start + _TOGETHER]
        full = [post.entry.number for post in batch if post.source.content is ContentMode.FULL]
        texts = contents(full) if full else {}
        for post in batch:
            note = post.picked.note if post.picked else None
            html = texts.get(post.entry.number)
            if html:
                words_of: str | None = plain(Text(value=html, kind=TextKind.HTML), _LENGTH)
            else:
                words_of = post.entry.summary
            shown = (note, None if post.source.content is ContentMode.TITLE else words_of)
            read.append(shorten(" ".join(filter(None, shown)), _LENGTH))
    return read


def _page(post: Post, text: str, words: Words, index: str) -> str:
    """Return a post as Pagefind reads it for the index of a language."""
    title = shorten(post.entry.heading, _TITLE_LENGTH)
    fields = {
        "title": title,
        # What has no address of its own is read on the page of its month.
        "url": address.make_absolute(post.entry.link)
        or f"{post.day.year:04}/{post.day.month:02}/index.html",
        "source": post.source.title,
        "date": words.date(post.day),
        "lang": language_tag(post.entry.language or post.source.language),
    }
    head = "".join(
        f'<meta data-pagefind-meta="{name}[content]" content="{escape(value)}">\n'
        for name, value in fields.items()
        if value
    )
    # A page without words is none to it.
    body = escape(text or title)
    root = f'<html lang="{index}">'
    return f"<!doctype html>\n{root}<head>\n{head}</head>\n<body><p>{body}</p></body></html>\n"


def _run(folder: Path, *, limit: float) -> None:
    """Make an index of the pages in a folder, beside these."""
    from pagefind.service import get_executable

    program = get_executable()
    if program is None:
        raise _failure("Pagefind has no program; pip install 'planet-digest[search]'")
    where = ["--site", "pages", "--output-path", "made"]
    try:
        # In a folder and an environment that say nothing of how it is to work.
        subprocess.run(  # noqa: S603 - nothing of it comes from a feed
            [program, *where, "--silent"],
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


def _failure(reason: str) -> SearchError:
    return SearchError(
        f"the index for searching could not be made: {reason}\n"
        "(`search: false` under `pages` makes a site without one.)"
    )
