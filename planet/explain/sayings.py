"""Why a setting speaks against an entry, and what would show it: two sentences for each reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from planet.model import handle
from planet.select import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from planet.explain.nouns import Verdict
    from planet.explain.terms import Terms
    from planet.model import Feed
    from planet.select import Decision

    Saying: TypeAlias = "Callable[[Verdict, Decision, Terms], tuple[str, str]]"


def _not_picked(verdict: Verdict, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "picks")
    return (
        f"It is not shown, because only picked episodes are, by {setting}.",
        f"`planet pick {handle(decision.entry.feed, decision.entry.id)}` picks it.",
    )


def _not_released(verdict: Verdict, decision: Decision, terms: Terms) -> tuple[str, str]:
    comes_out = decision.until or terms.comes_out(decision.entry.first_seen)
    return (
        f"It is not shown yet, because it was {decision.detail or 'found'} after {terms.edition} "
        f"came out last, by {terms.setting(None, 'release')}.",
        f"It comes out at {terms.moment(comes_out)}, with the next run from then on.",
    )


def _held_back(verdict: Verdict, decision: Decision, terms: Terms) -> tuple[str, str]:
    rank = (decision.entry.rank or 0) + 1
    setting = terms.setting(verdict, "new_feed_entries")
    return (
        f"It is not shown, because it was number {rank} when its feed was read for the first "
        f"time, and of a new feed only the newest {_feed(verdict).new_feed_entries} are shown, "
        f"by {setting}.",
        f"It is shown at once with `new_feed_entries: {rank}`, or `all`.",
    )


def _future(verdict: Verdict, decision: Decision, terms: Terms) -> tuple[str, str]:
    when = terms.moment(decision.entry.dated)
    setting = terms.setting(verdict, "future")
    return (
        f"It is not shown yet, because it is dated {when}, by {setting}: `drop`.",
        "It is shown from then on; `future: clamp` shows it now.",
    )


def _language(verdict: Verdict, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "filters", "languages")
    said_by = "it says itself" if decision.entry.language else "`language` of its feed says"
    return (
        f"It is not shown, because it is in the language {decision.detail}, as {said_by}, and that "
        f"is not among {setting}.",
        f"Add {decision.detail} there to let it pass.",
    )


def _category(verdict: Verdict, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "filters", "categories")
    own = ", ".join(decision.entry.categories)
    has = f"its own are {own}" if own else "it has none at all"
    return (
        f"It is not shown, because it is in none of the categories {decision.detail}; {has}. "
        f"That is {setting}.",
        "Add one that it has there, or take the setting away, to let it pass.",
    )


def _not_included(verdict: Verdict, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "filters", "include")
    return (
        f"It is not shown, because nothing of what is wanted is found in it: {decision.detail}, "
        f"by {setting}.",
        "Add a word that is in it, or take the setting away, to let it pass.",
    )


def _excluded(verdict: Verdict, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "filters", "exclude")
    return (
        f"It is not shown, because “{decision.detail}” is found in it, which is turned "
        f"away by {setting}.",
        f"Take “{decision.detail}” out there to let it pass.",
    )


def _too_old(verdict: Verdict, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "filters", "max_age")
    return (
        f"It is not shown, because it is dated {terms.moment(verdict.when)} and older than is "
        f"wanted by {setting}.",
        "A longer time lets it pass.",
    )


def _not_recent(verdict: Verdict, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "filters", "recent")
    return (
        f"It is not shown, because it is not among {decision.detail}, and no others are wanted "
        f"by {setting}.",
        "A larger number lets it pass.",
    )


def _not_drawn(verdict: Verdict, decision: Decision, terms: Terms) -> tuple[str, str]:
    setting = terms.setting(verdict, "filters", "random")
    return (
        f"It is not shown, because it is not among the {decision.detail}, by {setting}.",
        "The lot is drawn again when a new entry comes; with a larger number more are drawn.",
    )


def _feed(verdict: Verdict) -> Feed:
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
