"""What a page is made from → a short text that differs whenever the page may."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planet.model import Post, Source


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
