"""An explanation → the answer to "why isn't my post shown?", in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planet.config.values import spoken
from planet.explain.outcomes import Answer, EntryOutcome
from planet.model import TransformOutcome, handle
from planet.text.address import redact
from planet.timeline.select import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planet.explain.outcomes import Explanation, Overview, Terms


_NOT = "It is not shown, because "

EXPLANATIONS: Final[Mapping[Reason, tuple[str, str, str]]] = {
    Reason.NOT_PICKED: (
        "picks",
        _NOT + "only picked episodes are, by {setting}.",
        "`planet pick {handle}` picks it.",
    ),
    Reason.NOT_RELEASED: (
        "release",
        "It is not shown yet, because it was {detail} after {edition} came out last, by {setting}.",
        "It comes out at {until}, with the next run from then on.",
    ),
    Reason.HELD_BACK: (
        "new_feed_entries",
        _NOT + "it was number {rank} when its feed was read for the first time, and of a new feed "
        "only the newest {feed.new_feed_entries} are shown, by {setting}.",
        "It is shown at once with `new_feed_entries: {rank}`, or `all`.",
    ),
    Reason.TRANSFORM: (
        "transform",
        _NOT + "the program {detail} dropped it, by {setting}.",
        "Once the program lets it pass, `planet render --transform-again` shows it.",
    ),
    Reason.FUTURE: (
        "future",
        "It is not shown yet, because it is dated {dated}, by {setting}: `drop`.",
        "It is shown from then on; `future: clamp` shows it now.",
    ),
    Reason.LANGUAGE: (
        "filters.languages",
        _NOT + "it is in the language {detail}, as {witness}, and that is not among {setting}.",
        "Add {detail} there to let it pass.",
    ),
    Reason.CATEGORY: (
        "filters.categories",
        _NOT + "it is in none of the categories {detail}; {categories}. That is {setting}.",
        "Add one that it has there, or take the setting away, to let it pass.",
    ),
    Reason.NOT_INCLUDED: (
        "filters.include",
        _NOT + "nothing of what is wanted is found in it: {detail}, by {setting}.",
        "Add a word that is in it, or take the setting away, to let it pass.",
    ),
    Reason.EXCLUDED: (
        "filters.exclude",
        _NOT + "“{detail}” is found in it, which is turned away by {setting}.",
        "Take “{detail}” out there to let it pass.",
    ),
    Reason.TOO_OLD: (
        "filters.max_age",
        _NOT + "it is dated {when} and older than is wanted by {setting}.",
        "A longer time lets it pass.",
    ),
    Reason.NOT_RECENT: (
        "filters.recent",
        _NOT + "it is not among {detail}, and no others are wanted by {setting}.",
        "A larger number lets it pass.",
    ),
    Reason.NOT_DRAWN: (
        "filters.random",
        _NOT + "it is not among the {detail}, by {setting}.",
        "The lot is drawn again when a new entry comes; with a larger number more are drawn.",
    ),
}
"""By every reason but KEPT: the setting, why the entry is not shown, and what would show it."""


_TRANSFORMED: Final = {
    TransformOutcome.CHANGED: "The program {command} changed of it: {detail}.",
    TransformOutcome.SAME: "The program {command} left it as it is.",
    TransformOutcome.FAILED: "It is as its feed says it, for the program {command} {detail}. "
    "`planet render --transform-again` tries again.",
}


class Speaker:
    """Puts explanations into words."""

    def __init__(self, overview: Overview, terms: Terms) -> None:
        self._overview = overview
        self._terms = terms

    def answer(self, explanation: Explanation) -> Answer:
        """Whether an entry is shown, where or why not, and what would change that."""
        sentences = {
            EntryOutcome.SHOWN: self._shown,
            EntryOutcome.PICKED: self._picked,
            EntryOutcome.DUPLICATE: self._duplicate,
            EntryOutcome.DROPPED: self._dropped,
            EntryOutcome.DISABLED: self._disabled,
            EntryOutcome.ELSEWHERE: self._elsewhere,
            EntryOutcome.LEFT: self._left,
        }[explanation.outcome]
        return Answer(
            reason=explanation.reason,
            subject=f"“{explanation.entry.heading}”",
            words=(
                self._source(explanation),
                *sentences(explanation),
                *self._lists(explanation),
                *self._transformed(explanation),
                *self._withheld(explanation),
                *self._kept(explanation),
                *self._unsearched(explanation),
            ),
        )

    def _source(self, explanation: Explanation) -> str:
        entry = explanation.entry
        link = f", {entry.link}" if entry.link else ""
        return (
            f"It is an entry of {explanation.name}, dated {self._terms.moment(explanation.when)} "
            f"and first seen {self._terms.moment(entry.first_seen)} "
            f"(ID {handle(entry.feed, entry.id)}{link})."
        )

    def _shown(self, explanation: Explanation) -> Iterator[str]:
        yield f"It is shown {self._where(explanation)}."
        if explanation.post and explanation.post.also_in:
            names = ", ".join(source.title for source in explanation.post.also_in)
            yield f"It is also in {names}; it is shown once, as one of {explanation.name}."
        until = explanation.decision.until if explanation.decision else None
        if until is not None:
            yield f"It is shown until {self._terms.moment(until)}; then it is too old (`max_age`)."

    def _where(self, explanation: Explanation) -> str:
        """On which pages a post is, for which the front page may be too short."""
        post, place, pages = explanation.post, explanation.place or 0, self._overview.config.pages
        assert post is not None, "what is shown is a post"
        if post.entry.is_timeless and not post.picked:
            return (
                f"on the page of its source only (source/{post.source.slug}/): its feed has no "
                "dates, and it was there when that was read for the first time"
            )
        where = [f"on the page of its month ({post.day:%Y/%m}/)"]
        if explanation.has_day:
            where = [f"on the page of its day ({post.day:%Y/%m/%d}/)"]
        if place < pages.front:
            where.insert(0, f"on the front page (number {place + 1})")
        if post.source.slug and (explanation.place_in_source or 0) < pages.source:
            where.append(f"on that of its source (source/{post.source.slug}/)")
        words = " and ".join(filter(None, [", ".join(where[:-1]), where[-1]]))
        if place < pages.front:
            return words
        setting = self._terms.setting(None, "pages", "front")
        newer = "1 post is newer" if place == 1 else f"{place:,} posts are newer"
        return (
            f"{words}; not on the front page, for {newer}, and it holds {pages.front}, by {setting}"
        )

    def _picked(self, explanation: Explanation) -> Iterator[str]:
        if explanation.post is None:
            yield "It is not shown, for it was not picked for the planet's own list."
            return
        when = self._terms.moment(explanation.post.when)
        yield f"It was picked, and is filed under the moment it was picked, {when}."
        yield f"It is shown {self._where(explanation)}."

    def _duplicate(self, explanation: Explanation) -> Iterator[str]:
        post = explanation.post
        assert post is not None, "a copy gives way to something"
        yield (
            f"It is not shown, because the same entry is shown as one of {post.source.title}: "
            f"“{post.entry.heading}” (ID {handle(post.entry.feed, post.entry.id)}), "
            f"“also in {explanation.name}”."
        )
        if post.picked:
            yield "That one was picked, and a pick goes before all else."
        else:
            yield (
                "Two entries are the same that have the same link, or the same id. The author's "
                "own feed goes before others, then a feed with a higher `priority`, then the one "
                "that comes first in the config."
            )

    def _dropped(self, explanation: Explanation) -> Iterator[str]:
        decision, entry, terms = explanation.decision, explanation.entry, self._terms
        assert decision is not None, "something was decided"
        setting, why, remedy = EXPLANATIONS[decision.reason]
        is_release = decision.reason is Reason.NOT_RELEASED
        own = ", ".join(entry.categories)
        values = {
            "setting": terms.setting(None if is_release else explanation, *setting.split(".")),
            "detail": decision.detail or "found",
            "until": is_release
            and terms.moment(decision.until or terms.comes_out(entry.first_seen)),
            "handle": handle(entry.feed, entry.id),
            "edition": terms.edition,
            "feed": explanation.feed,
            "rank": (entry.rank or 0) + 1,
            "dated": terms.moment(entry.dated),
            "when": terms.moment(explanation.when),
            "witness": "it says itself" if entry.language else "`language` of its feed says",
            "categories": f"its own are {own}" if own else "it has none at all",
        }
        yield why.format_map(values)
        yield remedy.format_map(values)

    def _disabled(self, explanation: Explanation) -> Iterator[str]:
        setting = self._terms.setting(explanation, "enabled")
        yield f"It is not shown, because its feed is switched off, by {setting}."
        yield "Without that setting its feed is asked again, and what is known of it comes back."

    def _elsewhere(self, explanation: Explanation) -> Iterator[str]:
        yield f"It is not shown, because {self._terms.edition} does not show its feed."
        yield "With the name of its feed under `feeds` of that edition, it would be."

    def _left(self, explanation: Explanation) -> Iterator[str]:
        feed = redact(explanation.entry.feed)
        yield f"It is not shown, because its feed is not in the config any more: {feed}."
        yield "With the feed, it would come back."

    def _lists(self, explanation: Explanation) -> Iterator[str]:
        for name in explanation.lists:
            yield f"It is picked for the list {name}, and is on lists/{name}/."

    def _transformed(self, explanation: Explanation) -> Iterator[str]:
        transformed = explanation.entry.transformed
        if transformed and (words := _TRANSFORMED.get(transformed.outcome)):
            yield words.format(command=transformed.command, detail=transformed.detail)

    def _withheld(self, explanation: Explanation) -> Iterator[str]:
        for address in explanation.entry.withheld:
            yield (
                f"A file of it is left out, because whoever has its address has a secret of the "
                f"config: {address}."
            )

    def _kept(self, explanation: Explanation) -> Iterator[str]:
        """How long an entry stays that only Planet has."""
        if explanation.listed or explanation.outcome is EntryOutcome.PICKED:
            return
        end = self._terms.moment(explanation.entry.dated + self._overview.config.retention.entries)
        yield (
            f"Its feed no longer lists it. It is kept until {end}, by "
            f"`retention.entries` ({spoken(self._overview.config.retention.entries)})."
        )

    def _unsearched(self, explanation: Explanation) -> Iterator[str]:
        for pattern in explanation.decision.too_slow if explanation.decision else ():
            yield (
                f"The filter {pattern.written} takes too long to search it, and let it pass: an "
                "expression without repetitions in repetitions, as in (a+)+, would not."
            )
