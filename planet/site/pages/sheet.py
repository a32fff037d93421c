"""A page before it is drawn: what there is to draw, and what would have to change for another."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from planet import model
    from planet.model import Post, Source
    from planet.site.pages.bodies import PageBody
    from planet.site.pages.chrome import SiteFeed
    from planet.site.pages.present import Presenter


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSpec:
    """A page before it is drawn.

    Its `facts` hold all that its body is made from and nothing that its page does not show.
    """

    kind: str
    """The name of its template without `.html`."""
    path: str
    title: str
    facts: tuple[object, ...]
    body: Callable[[Presenter], PageBody]
    feeds: tuple[SiteFeed, ...]
    """The feeds it names in its head."""

    @property
    def is_everywhere(self) -> bool:
        """Whether it is shown at any address, so that its links cannot be relative."""
        return self.path == "404.html"


def source_folder(source: model.Source) -> str:
    """Where a source's page and feeds are: an address relative to the site's root."""
    return f"source/{quote(source.slug, errors='replace')}/"


def tag_folder(tag: model.Tag) -> str:
    """Where a tag's page and feeds are: an address relative to the site's root."""
    return f"tag/{quote(tag.slug, errors='replace')}/"


def list_folder(listed: model.PickList) -> str:
    """Where the page and the feed of a list are: an address relative to the site's root."""
    return f"lists/{quote(listed.name, errors='replace')}/"


def page_address(link: str, path: str) -> str:
    """The address of a page of the site that is published at `link`."""
    # One page, one address: hosts serve it without its index.html, too.
    return link + quote(path.removesuffix("index.html"), errors="replace")


def href(url: str | None) -> str | None:
    """An address that may stand in a page, or None when it is not one of the web."""
    # Addresses in the model are absolute already; to take each apart again costs more than the
    # rest of its post.
    if url is None or url.startswith(("https://", "http://")):
        return url
    return address.web(url)


def fingerprint(*facts: object) -> str:
    """A hash of texts, numbers, dates and tuples of these."""
    return hashlib.sha256(repr(facts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks posts: equal marks promise that a post is shown alike wherever it is shown.

    A source is looked at once, not once for each of its posts.
    """

    _sources: dict[int, tuple[Source, str]] = field(default_factory=dict)
    """By what they are: posts share their sources, and to compare sources would cost more."""

    def __call__(self, post: Post) -> str:
        """The mark of a post."""
        mark = f"{post.fingerprint} {self._source(post.source)}"
        if post.also_in:
            mark += "".join(f" {self._source(source)}" for source in post.also_in)
        return mark

    def of(self, posts: Sequence[Post]) -> str:
        """The marks of posts, in their order."""
        return "\n".join(map(self, posts))

    def _source(self, source: Source) -> str:
        # What a post shows of its source. Its newest post, count and health are not among it:
        # they change without the post.
        known = self._sources.get(id(source))
        if known is None:
            home = None if source.slug else source.link
            facts = (source.slug, source.title, home, source.face, source.language, source.content)
            # With the source, so that nothing else gets its place in memory meanwhile.
            known = self._sources[id(source)] = source, fingerprint(*facts)
        return known[1]


_STOPS = " ,.;:–—-"


def clipped(text: str, limit: int) -> str:
    """The text, or its beginning up to the last blank within the limit and an ellipsis."""
    if len(text) <= limit:
        return text
    kept = text[:limit].rpartition(" ")[0]
    # Chinese and Japanese have no blanks to cut at.
    return (kept if len(kept) > limit // 2 else text[:limit]).rstrip(_STOPS) + "…"


def monogram(title: str) -> str:
    """One or two letters to know a source by: the initials of its first two words.

    One letter where the script has no capitals, for there two of them are not initials.
    """
    initials = [first for word in title.split() if (first := _first_letter(word))]
    if not initials:
        return "·"
    has_capitals = initials[0].lower() != initials[0].upper()
    return "".join(initials[: 2 if has_capitals else 1])


def duration(seconds: int | None) -> str | None:
    """Hours, minutes and seconds, as “1:02:33” or “4:05”; None when unknown."""
    if seconds is None or seconds <= 0:
        return None
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def headed(text: str) -> str:
    """The text as a heading: some languages write the names of months small, but not there."""
    return text[:1].title() + text[1:]


def _first_letter(word: str) -> str:
    # Some capitals are two letters (ß, ŉ): the first is enough.
    return next((letter.upper()[0] for letter in word if letter.isalnum()), "")
