"""A verdict → the answer to "why isn't my post shown?", in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.address import redacted
from planet.config.values import spoken
from planet.explain.nouns import Answer, Fate
from planet.explain.sayings import SAYINGS
from planet.model import handle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.explain.nouns import Known, Verdict
    from planet.explain.terms import Terms


class Speaker:
    """Puts verdicts into words."""

    def __init__(self, known: Known, terms: Terms) -> None:
        self._known = known
        self._terms = terms

    def answer(self, verdict: Verdict) -> Answer:
        """Whether an entry is shown, where or why not, and what would change that."""
        said = {
            Fate.SHOWN: self._shown,
            Fate.PICKED: self._picked,
            Fate.DUPLICATE: self._duplicate,
            Fate.DROPPED: self._dropped,
            Fate.DISABLED: self._disabled,
            Fate.ELSEWHERE: self._elsewhere,
            Fate.LEFT: self._left,
        }[verdict.fate]
        return Answer(
            reason=verdict.reason,
            subject=f"“{verdict.entry.heading}”",
            words=(
                self._source(verdict),
                *said(verdict),
                *self._lists(verdict),
                *self._withheld(verdict),
                *self._kept(verdict),
                *self._unsearched(verdict),
            ),
        )

    def _source(self, verdict: Verdict) -> str:
        entry = verdict.entry
        link = f", {entry.link}" if entry.link else ""
        return (
            f"It is an entry of {verdict.name}, dated {self._terms.moment(verdict.when)} "
            f"and first seen {self._terms.moment(entry.first_seen)} "
            f"(ID {handle(entry.feed, entry.id)}{link})."
        )

    def _shown(self, verdict: Verdict) -> Iterator[str]:
        yield f"It is shown {self._where(verdict)}."
        if verdict.post and verdict.post.also_in:
            names = ", ".join(source.title for source in verdict.post.also_in)
            yield f"It is also in {names}; it is shown once, as one of {verdict.name}."
        until = verdict.decision.until if verdict.decision else None
        if until is not None:
            yield f"It is shown until {self._terms.moment(until)}; then it is too old (`max_age`)."

    def _where(self, verdict: Verdict) -> str:
        """On which pages a post is, for which the front page may be too short."""
        post, place, pages = verdict.post, verdict.place or 0, self._known.config.pages
        assert post is not None, "what is shown is a post"
        if post.entry.is_timeless and not post.picked:
            return (
                f"on the page of its source only (source/{post.source.slug}/): its feed has no "
                "dates, and it was there when that was read for the first time"
            )
        where = [f"on the page of its month ({post.day:%Y/%m}/)"]
        if place < pages.front:
            where.insert(0, f"on the front page (number {place + 1})")
        if post.source.slug and (verdict.place_in_source or 0) < pages.source:
            where.append(f"on that of its source (source/{post.source.slug}/)")
        words = " and ".join(filter(None, [", ".join(where[:-1]), where[-1]]))
        if place < pages.front:
            return words
        setting = self._terms.setting(None, "pages", "front")
        newer = "1 post is newer" if place == 1 else f"{place:,} posts are newer"
        return (
            f"{words}; not on the front page, for {newer}, and it holds {pages.front}, by {setting}"
        )

    def _picked(self, verdict: Verdict) -> Iterator[str]:
        if verdict.post is None:
            yield "It is not shown, for it was not picked for the planet's own list."
            return
        when = self._terms.moment(verdict.post.when)
        yield f"It was picked, and is filed under the moment it was picked, {when}."
        yield f"It is shown {self._where(verdict)}."

    def _duplicate(self, verdict: Verdict) -> Iterator[str]:
        post = verdict.post
        assert post is not None, "a copy gives way to something"
        yield (
            f"It is not shown, because the same entry is shown as one of {post.source.title}: "
            f"“{post.entry.heading}” (ID {handle(post.entry.feed, post.entry.id)}), "
            f"“also in {verdict.name}”."
        )
        if post.picked:
            yield "That one was picked, and a pick goes before all else."
        else:
            yield (
                "Two entries are the same that have the same link, or the same id. The author's "
                "own feed goes before others, then a feed with a higher `priority`, then the one "
                "that comes first in the config."
            )

    def _dropped(self, verdict: Verdict) -> Iterator[str]:
        assert verdict.decision is not None, "something was decided"
        yield from SAYINGS[verdict.decision.reason](verdict, verdict.decision, self._terms)

    def _disabled(self, verdict: Verdict) -> Iterator[str]:
        setting = self._terms.setting(verdict, "enabled")
        yield f"It is not shown, because its feed is switched off, by {setting}."
        yield "Without that setting its feed is asked again, and what is known of it comes back."

    def _elsewhere(self, verdict: Verdict) -> Iterator[str]:
        yield f"It is not shown, because {self._terms.edition} does not show its feed."
        yield "With the name of its feed under `feeds` of that edition, it would be."

    def _left(self, verdict: Verdict) -> Iterator[str]:
        feed = redacted(verdict.entry.feed)
        yield f"It is not shown, because its feed is not in the config any more: {feed}."
        yield "With the feed, it would come back."

    def _lists(self, verdict: Verdict) -> Iterator[str]:
        for name in verdict.lists:
            yield f"It is picked for the list {name}, and is on lists/{name}/."

    def _withheld(self, verdict: Verdict) -> Iterator[str]:
        for address in verdict.entry.withheld:
            yield (
                f"A file of it is left out, because whoever has its address has a secret of the "
                f"config: {address}."
            )

    def _kept(self, verdict: Verdict) -> Iterator[str]:
        """How long an entry stays that only Planet has."""
        if verdict.listed or verdict.fate is Fate.PICKED:
            return
        end = self._terms.moment(verdict.entry.dated + self._known.config.retention.entries)
        yield (
            f"Its feed no longer lists it. It is kept until {end}, by "
            f"`retention.entries` ({spoken(self._known.config.retention.entries)})."
        )

    def _unsearched(self, verdict: Verdict) -> Iterator[str]:
        for pattern in verdict.decision.too_slow if verdict.decision else ():
            yield (
                f"The filter {pattern.said} takes too long to search it, and let it pass: an "
                "expression without repetitions in repetitions, as in (a+)+, would not."
            )
