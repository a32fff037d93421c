"""Fates of entries, health of feeds → the answers to "why isn't my post shown?", in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from planet.config.kinds import format_duration
from planet.model import Feed, TransformOutcome, handle
from planet.report import explain_due, format_count
from planet.schedule.health import advise, feed_health
from planet.text.address import redact
from planet.timeline.select import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from planet.config.edits import Places
    from planet.explain.outcomes import Explanation, Outcomes


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer in words, with text of feeds inside: print by `report.printable`."""

    reason: str
    """A word for machines."""
    subject: str
    """The subject."""
    words: tuple[str, ...]
    """Sentences, each on a line of its own."""


_HIDDEN: Final[Mapping[Reason, tuple[str, str, str]]] = {
    Reason.NOT_PICKED: (
        "picks",
        "only picked episodes are, by {setting}.",
        "`planet pick {handle}` picks it.",
    ),
    Reason.NOT_RELEASED: (
        "release",
        "it was {detail} after {edition} came out last, by {setting}.",
        "It comes out at {until}, with the next run from then on.",
    ),
    Reason.HELD_BACK: (
        "new_feed_entries",
        "it was number {rank} when its feed was read for the first time, and of a new feed only "
        "the newest {feed.new_feed_entries} are shown, by {setting}.",
        "It is shown at once with `new_feed_entries: {rank}`, or `all`.",
    ),
    Reason.TRANSFORM: (
        "transform",
        "the program {detail} dropped it, by {setting}.",
        "It is shown without the program, or when it is edited and the program lets it pass.",
    ),
    Reason.FUTURE: (
        "future",
        "it is dated {until}, by {setting}: `drop`.",
        "It is shown from then on; `future: clamp` shows it now.",
    ),
    Reason.LANGUAGE: (
        "filters.languages",
        "it is in the language {detail}, as it or `language` of its feed says, and that is not "
        "among {setting}.",
        "Add {detail} there to let it pass.",
    ),
    Reason.NOT_INCLUDED: (
        "filters.include",
        "nothing of what is wanted is found in it: {detail}, by {setting}.",
        "Add a word that is in it, or take the setting away, to let it pass.",
    ),
    Reason.EXCLUDED: (
        "filters.exclude",
        "“{detail}” is found in it, which is turned away by {setting}.",
        "Take “{detail}” out there to let it pass.",
    ),
    Reason.TOO_OLD: (
        "filters.max_age",
        "it is dated {when} and older than is wanted by {setting}.",
        "A longer time lets it pass.",
    ),
    Reason.NOT_RECENT: (
        "filters.recent",
        "it is not among {detail}, and no others are wanted by {setting}.",
        "A larger number lets it pass.",
    ),
    Reason.NOT_DRAWN: (
        "filters.random",
        "it is not among the {detail}, by {setting}.",
        "The lot is drawn again when a new entry comes; with a larger number more are drawn.",
    ),
    Reason.DUPLICATE: (
        "",
        "the same entry is shown as one of {post.source.title}: “{post.entry.heading}” (ID "
        "{post_handle}), “also in {name}”.",
        "Two entries are the same that have the same link, or the same id. A pick goes before all "
        "else, then the author's own feed, then a feed with a higher `priority`, then the one that "
        "comes first in the config.",
    ),
    Reason.DISABLED: (
        "enabled",
        "its feed is switched off, by {setting}.",
        "Without that setting its feed is asked again, and what is known of it comes back.",
    ),
    Reason.ELSEWHERE: (
        "",
        "{edition} does not show its feed.",
        "With the name of its feed under `feeds` of that edition, it would be.",
    ),
    Reason.LEFT: (
        "",
        "its feed is not in the config any more: {key}.",
        "With the feed, it would come back.",
    ),
}
"""By every reason for which an entry is not shown: the setting, why, and what would show it."""


_TRANSFORMED: Final = {
    TransformOutcome.CHANGED: "The program {0.command} changed of it: {0.detail}.",
    TransformOutcome.SAME: "The program {0.command} left it as it is.",
    TransformOutcome.FAILED: "It is as its feed says it, for the program {0.command} {0.detail}. "
    "The next run tries again.",
}


class Speaker:
    """Puts outcomes into the operator's words: settings with their lines, moments in his zone."""

    def __init__(self, outcomes: Outcomes, places: Places) -> None:
        """`places` are those of the settings in the config."""
        self._outcomes, self._places = outcomes, places
        self._config, self._site = outcomes.config, outcomes.config.site

    @property
    def edition(self) -> str:
        """Return the name of the site."""
        return f"the edition “{self._site.name}”" if self._site.name else "the planet"

    def explain_entry(self, explanation: Explanation) -> Answer:
        """Say where an entry is shown, or why not, with a remedy."""
        entry = explanation.entry
        name = f"{handle(entry.feed, entry.id)}{f', {entry.link}' if entry.link else ''}"
        source = (
            f"It is an entry of {explanation.name}, dated {self._moment(explanation.when)} and "
            f"first seen {self._moment(entry.first_seen)} (ID {name})."
        )
        tell = self._tell_shown if explanation.is_shown else self._tell_hidden
        return Answer(
            reason=explanation.reason,
            subject=f"“{entry.heading}”",
            words=(source, *tell(explanation), *self._add_remarks(explanation)),
        )

    def explain_feed(self, feed: Feed) -> Answer:
        """Say the state of a feed, and when the feed is asked next."""
        outcomes, state = self._outcomes, self._outcomes.states.get(feed.key)
        health, advice = feed_health(feed, state, outcomes.hosts), advise(feed, state)
        shown = format_count(outcomes.count_shown(feed.key), "entry is", "entries are")
        detail = health.given_up.words if health.given_up else health.message
        if health.state == "disabled":
            detail = str(feed.place)
        words = [
            f"State: {health.state}{f' ({detail})' if detail else ''}.",
            f"It was last asked at {self._moment(health.asked_at)} and read at "
            f"{self._moment(health.succeeded_at)}; {shown} shown.",
        ]
        due = health.due_at
        if feed.is_file:
            words.append("It is a file, which every run reads.")
        elif due and due > outcomes.now:
            reason = state and health.due_reason and explain_due(state, health.due_reason)
            why = f" ({reason})" if reason else ""
            words.append(f"It is asked again at {self._moment(due)}{why}.")
        elif feed.is_asked and not health.given_up:
            words.append("It is due: the next `planet build` asks it.")
        name, url = outcomes.name_of(feed.key), redact(feed.written_url)
        return Answer(
            reason=health.state,
            subject=name if name == url else f"{name} ({url})",
            words=(*words, *([advice.words] if advice else [])),
        )

    def _tell_shown(self, explanation: Explanation) -> Iterator[str]:
        post, pages = explanation.post, self._config.pages
        assert post, "it is shown"
        if post.picked:
            when = self._moment(post.when)
            yield f"It was picked, and is filed under the moment it was picked, {when}."
        month = f"It is shown on the page of its month ({post.day:%Y/%m}/)"
        if post.entry.is_timeless and not post.picked:
            yield (
                f"It is shown on the page of its source only ({post.source.folder}): its feed has "
                "no dates, and it was there when that was read for the first time."
            )
        elif explanation.is_on_front:
            yield f"{month} and on the front page."
        else:
            yield (
                f"{month}. The front page has the newest {pages.front} posts (`pages.front`), "
                f"{pages.per_source} of a source on one day (`pages.per_source`)."
            )
        if post.also_in:
            names = ", ".join(source.title for source in post.also_in)
            yield f"It is also in {names}; it is shown once, as one of {explanation.name}."
        if explanation.until is not None:
            until = self._moment(explanation.until)
            yield f"It is shown until {until}; then it is too old (`max_age`)."

    def _tell_hidden(self, explanation: Explanation) -> Iterator[str]:
        entry, post = explanation.entry, explanation.post
        setting, why, remedy = _HIDDEN[explanation.reason]
        values = {
            "setting": setting and self._name_setting(explanation, setting),
            "detail": explanation.detail or "found",
            "until": self._moment(explanation.until),
            "handle": handle(entry.feed, entry.id),
            "edition": self.edition,
            "feed": explanation.feed,
            "name": explanation.name,
            "key": redact(entry.feed),
            "rank": (entry.rank or 0) + 1,
            "when": self._moment(explanation.when),
            "post": post,
            "post_handle": post and handle(post.entry.feed, post.entry.id),
        }
        yield f"It is not shown, because {why}".format_map(values)
        yield remedy.format_map(values)

    def _add_remarks(self, explanation: Explanation) -> Iterator[str]:
        entry, kept = explanation.entry, self._config.retention.entries
        made = entry.transformed
        if made and (words := _TRANSFORMED.get(made.outcome)):
            yield words.format(made)
        for url in entry.withheld:
            yield (
                "A file of it is left out, because whoever has its address has a secret of the "
                f"config: {url}."
            )
        if not explanation.listed and explanation.reason is not Reason.PICKED:
            end = self._moment(entry.dated + kept)
            yield (
                f"Its feed no longer lists it. It is kept until {end}, by `retention.entries` "
                f"({format_duration(kept)})."
            )
        for pattern in explanation.too_slow:
            yield (
                f"The filter {pattern} takes too long to search it, and let it pass: an "
                "expression without repetitions in repetitions, as in (a+)+, would not."
            )

    def _name_setting(self, explanation: Explanation, label: str) -> str:
        """Name the setting behind a decision, with the line in the config."""
        name = label.split(".")
        feed = None if explanation.by_planet or label == "release" else explanation.feed
        owners: list[tuple[str, Feed | None, list[str]]] = [
            (self.edition, None, ["editions", self._site.name, *name]),
            ("the planet", None, name),
        ]
        if feed:
            owners.insert(0, (explanation.name, feed, name))
        for owner, of_feed, path in owners:
            if place := self._places.of(of_feed, *path):
                return f"`{label}` of {owner} ({place})"
        at = f"; {feed.place} is where the feed stands" if feed and feed.place else ""
        return f"`{label}`, which the config does not set{at}"

    def _moment(self, when: datetime | None) -> str:
        """Write a moment in the planet's time zone."""
        return f"{when.astimezone(self._config.timezone):%Y-%m-%d %H:%M}" if when else "never"
