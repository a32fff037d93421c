"""Untrusted text → safe HTML and plain text; a parsed entry → Draft.

`policy` says what an entry may contain, and docs/content.md shows it as a table. `writer` alone
writes HTML; bleach and nh3, each behind a door of its own, tell it what they let through.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from planet.content import limits
from planet.content.attributes import is_clean
from planet.content.digests import digest
from planet.content.links import links
from planet.content.mending import mended
from planet.content.paragraphs import escaped, is_filled, paragraphs
from planet.content.policy import REVISION
from planet.content.writer import CONTROLS, Writer
from planet.errors import ConfigError, Problem
from planet.model import Draft, Html, Images, Text, TextKind
from planet.plain import decoded, plain

if TYPE_CHECKING:
    from planet.model import ParsedEntry

__all__ = ["Cleaning", "clean", "digest", "draft", "escaped", "is_clean", "links", "plain"]

MAX_TITLE = 300
MAX_EXCERPT = 500
"""Characters of plain text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaning:
    """How texts are cleaned: which library parses them, and what becomes of images.

    Made with `auto`, its `sanitizer` is nh3 where that is installed, else bleach.

    Raises:
        ConfigError: the library is not installed.
    """

    sanitizer: Literal["auto", "nh3", "bleach"] = "auto"
    images: Images = Images.LAZY

    def __post_init__(self) -> None:
        installed = find_spec("nh3") is not None
        if self.sanitizer == "auto":
            object.__setattr__(self, "sanitizer", "nh3" if installed else "bleach")
        elif self.sanitizer == "nh3" and not installed:
            message = "sanitizer: nh3 is not installed; pip install 'planet-digest[nh3]'"
            raise ConfigError([Problem(None, message)])

    @property
    def version(self) -> str:
        """Differs whenever the same text could come out differently."""
        return f"{self.sanitizer}-{REVISION}-{self.images}"


def clean(text: Text, cleaning: Cleaning) -> Html:
    """Safe HTML with absolute addresses; cleaning it again changes nothing. Never raises.

    Plain text becomes paragraphs. So does what cannot be cleaned within the limits.
    """
    value = CONTROLS.sub("", text.value)
    is_html = text.kind is TextKind.HTML
    if len(value) > limits.MAX_LENGTH:
        return paragraphs(plain(text, limits.MAX_LENGTH))
    if not is_html or "<" not in value:
        words = decoded(value) if is_html else value
        return paragraphs(words, lines=not is_html or not is_filled(words))
    value = mended(value)
    if limits.is_bounded(value):
        writer = Writer(base=text.base, images=cleaning.images)
        try:
            _write(value, writer, cleaning)
        except Exception:  # noqa: BLE001, S110 - parsers of HTML promise no set of exceptions
            pass
        else:
            html = writer.html()
            # What had only tags that were left out is as good as text without tags.
            return html if "<" in html else paragraphs(decoded(html), lines=False)
    return paragraphs(plain(text, limits.MAX_LENGTH))


def draft(
    entry: ParsedEntry, *, cleaning: Cleaning, clean_content: bool, rank: int | None, digest: str
) -> Draft:
    """The entry as it is stored: title and excerpt as plain text, its text as it was sent.

    With `clean_content` the text is there cleaned, too. A text is the content, else the summary.
    """
    raw = entry.content or entry.summary
    excerpted = entry.summary or entry.content
    content = clean(raw, cleaning) if raw and clean_content else None
    return Draft(
        id=entry.id,
        digest=digest,
        link=entry.link,
        title=(plain(entry.title, MAX_TITLE) or None) if entry.title else None,
        summary=(plain(excerpted, MAX_EXCERPT) or None) if excerpted else None,
        content=content,
        links=None if content is None else links(content),
        cleaning=cleaning.version if raw and clean_content else None,
        raw=raw,
        rank=rank,
        authors=entry.authors,
        categories=entry.categories,
        published=entry.published,
        updated=entry.updated,
        enclosures=entry.enclosures,
        image=entry.image,
        comments=entry.comments,
        rights=entry.rights,
        origin=entry.origin,
        language=entry.language,
        episode=entry.episode,
        withheld=entry.withheld,
    )


def _write(html: str, writer: Writer, cleaning: Cleaning) -> None:
    # Imported when first needed: a run in which nothing is new cleans nothing.
    if cleaning.sanitizer == "nh3":
        from planet.content import nh3

        nh3.write(html, writer)
    else:
        from planet.content import bleach

        bleach.write(html, writer)
