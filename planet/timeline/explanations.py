"""A verdict → the answer to "why isn't my post shown?", in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from planet.config.values import spoken
from planet.model import handle
from planet.text.address import redacted
from planet.timeline.explain import Answer, EntryOutcome
from planet.timeline.select import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from planet.model import Feed
    from planet.timeline.explain import Explanation, Known, Terms
    from planet.timeline.select import Decision

    Saying: TypeAlias = "Callable[[Explanation, Decision, Terms], tuple[str, str]]"


def _not_picked(verdict: Explanation, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "picks")
    return (
        f"It is not shown, because only picked episodes are, by {setting}.",
        f"`planet pick {handle(decision.entry.feed, decision.entry.id)}` picks it.",
    )


def _not_released(verdict: Explanation, decision: Decision, terms: Terms) -> tuple[str, str]:
    comes_out = decision.until or terms.comes_out(decision.entry.first_seen)
    return (
        f"It is not shown yet, because it was {decision.detail or 'found'} after {terms.edition} "
        f"came out last, by {terms.setting(None, 'release')}.",
        f"It comes out at {terms.moment(comes_out)}, with the next run from then on.",
    )


def _held_back(verdict: Explanation, decision: Decision, terms: Terms) -> tuple[str, str]:
    rank = (decision.entry.rank or 0) + 1
    setting = terms.setting(verdict, "new_feed_entries")
    return (
        f"It is not shown, because it was number {rank} when its feed was read for the first "
        f"time, and of a new feed only the newest {_feed(verdict).new_feed_entries} are shown, "
        f"by {setting}.",
        f"It is shown at once with `new_feed_entries: {rank}`, or `all`.",
    )


def _future(verdict: Explanation, decision: Decision, terms: Terms) -> tuple[str, str]:
    when = terms.moment(decision.entry.dated)
    setting = terms.setting(verdict, "future")
    return (
        f"It is not shown yet, because it is dated {when}, by {setting}: `drop`.",
        "It is shown from then on; `future: clamp` shows it now.",
    )


def _language(verdict: Explanation, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "filters", "languages")
    said_by = "it says itself" if decision.entry.language else "`language` of its feed says"
    return (
        f"It is not shown, because it is in the language {decision.detail}, as {said_by}, and that "
        f"is not among {setting}.",
        f"Add {decision.detail} there to let it pass.",
    )


def _category(verdict: Explanation, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "filters", "categories")
    own = ", ".join(decision.entry.categories)
    has = f"its own are {own}" if own else "it has none at all"
    return (
        f"It is not shown, because it is in none of the categories {decision.detail}; {has}. "
        f"That is {setting}.",
        "Add one that it has there, or take the setting away, to let it pass.",
    )


def _not_included(verdict: Explanation, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "filters", "include")
    return (
        f"It is not shown, because nothing of what is wanted is found in it: {decision.detail}, "
        f"by {setting}.",
        "Add a word that is in it, or take the setting away, to let it pass.",
    )


def _excluded(verdict: Explanation, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "filters", "exclude")
    return (
        f"It is not shown, because “{decision.detail}” is found in it, which is turned "
        f"away by {setting}.",
        f"Take “{decision.detail}” out there to let it pass.",
    )


def _too_old(verdict: Explanation, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "filters", "max_age")
    return (
        f"It is not shown, because it is dated {terms.moment(verdict.when)} and older than is "
        f"wanted by {setting}.",
        "A longer time lets it pass.",
    )


def _not_recent(verdict: Explanation, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "filters", "recent")
    return (
        f"It is not shown, because it is not among {decision.detail}, and no others are wanted "
        f"by {setting}.",
        "A larger number lets it pass.",
    )


def _not_drawn(verdict: Explanation, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "filters", "random")
    return (
        f"It is not shown, because it is not among the {decision.detail}, by {setting}.",
        "The lot is drawn again when a new entry comes; with a larger number more are drawn.",
    )


def _feed(verdict: Explanation) -> Feed:
    assert verdict.feed is not None, "settings speak of a feed that there is"
    return verdict.feed


SAYINGS: Final[Mapping[Reason, Saying]] = {
    Reason.NOT_PICKED: _not_picked,
    Reason.NOT_RELEASED: _not_released,
    Reason.HELD_BACK: _held_back,
    Reason.FUTURE: _future,
    Reason.LANGUAGE: _language,
    Reason.CATEGORY: _category,
    Reason.NOT_INCLUDED: _not_included,
    Reason.EXCLUDED: _excluded,
    Reason.TOO_OLD: _too_old,
    Reason.NOT_RECENT: _not_recent,
    Reason.NOT_DRAWN: _not_drawn,
}
"""By every reason but KEPT."""


class Speaker:
    """Puts verdicts into words."""

    def __init__(self, known: Known, terms: Terms) -> None:
        self._known = known
        self._terms = terms

    def answer(self, verdict: Explanation) -> Answer:
        """Whether an entry is shown, where or why not, and what would change that."""
        said = {
            EntryOutcome.SHOWN: self._shown,
            EntryOutcome.PICKED: self._picked,
            EntryOutcome.DUPLICATE: self._duplicate,
            EntryOutcome.DROPPED: self._dropped,
            EntryOutcome.DISABLED: self._disabled,
            EntryOutcome.ELSEWHERE: self._elsewhere,
            EntryOutcome.LEFT: self._left,
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

    def _source(self, verdict: Explanation) -> str:
        entry = verdict.entry
        link = f", {entry.link}" if entry.link else ""
        return (
            f"It is an entry of {verdict.name}, dated {self._terms.moment(verdict.when)} "
            f"and first seen {self._terms.moment(entry.first_seen)} "
            f"(ID {handle(entry.feed, entry.id)}{link})."
        )

    def _shown(self, verdict: Explanation) -> Iterator[str]:
        yield f"It is shown {self._where(verdict)}."
        if verdict.post and verdict.post.also_in:
            names = ", ".join(source.title for source in verdict.post.also_in)
            yield f"It is also in {names}; it is shown once, as one of {verdict.name}."
        until = verdict.decision.until if verdict.decision else None
        if until is not None:
            yield f"It is shown until {self._terms.moment(until)}; then it is too old (`max_age`)."

    def _where(self, verdict: Explanation) -> str:
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

    def _picked(self, verdict: Explanation) -> Iterator[str]:
        if verdict.post is None:
            yield "It is not shown, for it was not picked for the planet's own list."
            return
        when = self._terms.moment(verdict.post.when)
        yield f"It was picked, and is filed under the moment it was picked, {when}."
        yield f"It is shown {self._where(verdict)}."

    def _duplicate(self, verdict: Explanation) -> Iterator[str]:
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

    def _dropped(self, verdict: Explanation) -> Iterator[str]:
        assert verdict.decision is not None, "something was decided"
        yield from SAYINGS[verdict.decision.reason](verdict, verdict.decision, self._terms)

    def _disabled(self, verdict: Explanation) -> Iterator[str]:
        setting = self._terms.setting(verdict, "enabled")
        yield f"It is not shown, because its feed is switched off, by {setting}."
        yield "Without that setting its feed is asked again, and what is known of it comes back."

    def _elsewhere(self, verdict: Explanation) -> Iterator[str]:
        yield f"It is not shown, because {self._terms.edition} does not show its feed."
        yield "With the name of its feed under `feeds` of that edition, it would be."

    def _left(self, verdict: Explanation) -> Iterator[str]:
        feed = redacted(verdict.entry.feed)
        yield f"It is not shown, because its feed is not in the config any more: {feed}."
        yield "With the feed, it would come back."

    def _lists(self, verdict: Explanation) -> Iterator[str]:
        for name in verdict.lists:
            yield f"It is picked for the list {name}, and is on lists/{name}/."

    def _withheld(self, verdict: Explanation) -> Iterator[str]:
        for address in verdict.entry.withheld:
            yield (
                f"A file of it is left out, because whoever has its address has a secret of the "
                f"config: {address}."
            )

    def _kept(self, verdict: Explanation) -> Iterator[str]:
        """How long an entry stays that only Planet has."""
        if verdict.listed or verdict.fate is EntryOutcome.PICKED:
            return
        end = self._terms.moment(verdict.entry.dated + self._known.config.retention.entries)
        yield (
            f"Its feed no longer lists it. It is kept until {end}, by "
            f"`retention.entries` ({spoken(self._known.config.retention.entries)})."
        )

    def _unsearched(self, verdict: Explanation) -> Iterator[str]:
        for pattern in verdict.decision.too_slow if verdict.decision else ():
            yield (
                f"The filter {pattern.said} takes too long to search it, and let it pass: an "
                "expression without repetitions in repetitions, as in (a+)+, would not."
            )
