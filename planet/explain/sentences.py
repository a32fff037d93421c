"""What is known → the answers to "why isn't my post shown?" and "how is this feed?", in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from planet.config.texts import format_duration
from planet.explain.outcomes import EntryOutcome, Explanation, Outcomes
from planet.model import Feed, FeedState, TransformOutcome, handle
from planet.report import GIVEN_UP, explain_due
from planet.schedule import current_state, find_host, is_resting, next_poll
from planet.schedule.health import advise
from planet.text.address import redact
from planet.timeline.select import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from planet.config import Config
    from planet.config.edits import Places


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer in words. Feed text is in it: it is for `report.printable`."""

    reason: str
    """A word for machines."""
    subject: str
    """What it is about."""
    words: tuple[str, ...]
    """Sentences, each on a line of its own."""


class OperatorTerms:
    """The operator's terms: settings with the lines they stand in, moments in a site's zone."""

    def __init__(self, places: Places, config: Config) -> None:
        """`config` is that of a site."""
        self._places = places
        self._zone = config.timezone
        self._site = config.site

    @property
    def edition(self) -> str:
        """What the site is called."""
        return f"the edition “{self._site.name}”" if self._site.name else "the planet"

    def comes_out(self, moment: datetime) -> datetime:
        """Return when an edition that comes out at times shows what was found then."""
        assert self._site.release is not None, "only what waits for a release asks for it"
        return self._site.release.next(moment)

    def setting(self, explanation: Explanation | None, *name: str) -> str:
        """Name a setting that decided about an entry; with None, one of the site."""
        label = ".".join(name)
        feed = explanation.feed if explanation and not explanation.by_planet else None
        if explanation and feed and (place := self._places.of(feed, *name)):
            return f"`{label}` of {explanation.name} ({place})"
        own = ("editions", self._site.name, *name)
        if self._site.name and (place := self._places.of(None, *own)):
            return f"`{label}` of {self.edition} ({place})"
        if place := self._places.of(None, *name):
            return f"`{label}` of the planet ({place})"
        at = f"; {feed.place} is where the feed stands" if feed and feed.place else ""
        return f"`{label}`, which the config does not set{at}"

    def moment(self, when: datetime) -> str:
        """Write a moment in the planet's time zone."""
        return f"{when.astimezone(self._zone):%Y-%m-%d %H:%M}"


_NOT = "It is not shown, because "


class ReasonWords(NamedTuple):
    """What to say of an entry that is not shown; values go in place of what is in braces."""

    setting: str
    why: str
    remedy: str


EXPLANATIONS: Final[Mapping[Reason, ReasonWords]] = {
    Reason.NOT_PICKED: ReasonWords(
        "picks",
        _NOT + "only picked episodes are, by {setting}.",
        "`planet pick {handle}` picks it.",
    ),
    Reason.NOT_RELEASED: ReasonWords(
        "release",
        "It is not shown yet, because it was {detail} after {edition} came out last, by {setting}.",
        "It comes out at {until}, with the next run from then on.",
    ),
    Reason.HELD_BACK: ReasonWords(
        "new_feed_entries",
        _NOT + "it was number {rank} when its feed was read for the first time, and of a new feed "
        "only the newest {feed.new_feed_entries} are shown, by {setting}.",
        "It is shown at once with `new_feed_entries: {rank}`, or `all`.",
    ),
    Reason.TRANSFORM: ReasonWords(
        "transform",
        _NOT + "the program {detail} dropped it, by {setting}.",
        "It is shown without the program, or when it is edited and the program lets it pass.",
    ),
    Reason.FUTURE: ReasonWords(
        "future",
        "It is not shown yet, because it is dated {dated}, by {setting}: `drop`.",
        "It is shown from then on; `future: clamp` shows it now.",
    ),
    Reason.LANGUAGE: ReasonWords(
        "filters.languages",
        _NOT + "it is in the language {detail}, as {witness}, and that is not among {setting}.",
        "Add {detail} there to let it pass.",
    ),
    Reason.NOT_INCLUDED: ReasonWords(
        "filters.include",
        _NOT + "nothing of what is wanted is found in it: {detail}, by {setting}.",
        "Add a word that is in it, or take the setting away, to let it pass.",
    ),
    Reason.EXCLUDED: ReasonWords(
        "filters.exclude",
        _NOT + "“{detail}” is found in it, which is turned away by {setting}.",
        "Take “{detail}” out there to let it pass.",
    ),
    Reason.TOO_OLD: ReasonWords(
        "filters.max_age",
        _NOT + "it is dated {when} and older than is wanted by {setting}.",
        "A longer time lets it pass.",
    ),
    Reason.NOT_RECENT: ReasonWords(
        "filters.recent",
        _NOT + "it is not among {detail}, and no others are wanted by {setting}.",
        "A larger number lets it pass.",
    ),
    Reason.NOT_DRAWN: ReasonWords(
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
    "The next run tries again.",
}


class Speaker:
    """Puts explanations into words."""

    def __init__(self, outcomes: Outcomes, terms: OperatorTerms) -> None:
        self._outcomes = outcomes
        self._terms = terms

    def answer(self, explanation: Explanation) -> Answer:
        """Say whether an entry is shown, where or why not, and what would change that."""
        sentences = {
            EntryOutcome.SHOWN: self._explain_shown,
            EntryOutcome.PICKED: self._explain_picked,
            EntryOutcome.DUPLICATE: self._explain_duplicate,
            EntryOutcome.DROPPED: self._explain_dropped,
            EntryOutcome.DISABLED: self._explain_disabled,
            EntryOutcome.ELSEWHERE: self._explain_elsewhere,
            EntryOutcome.LEFT: self._explain_left,
        }[explanation.outcome]
        return Answer(
            reason=explanation.reason,
            subject=f"“{explanation.entry.heading}”",
            words=(
                self._name_source(explanation),
                *sentences(explanation),
                *self._name_lists(explanation),
                *self._tell_transform(explanation),
                *self._name_withheld_files(explanation),
                *self._tell_retention(explanation),
                *self._name_slow_filters(explanation),
            ),
        )

    def _name_source(self, explanation: Explanation) -> str:
        entry = explanation.entry
        link = f", {entry.link}" if entry.link else ""
        return (
            f"It is an entry of {explanation.name}, dated {self._terms.moment(explanation.when)} "
            f"and first seen {self._terms.moment(entry.first_seen)} "
            f"(ID {handle(entry.feed, entry.id)}{link})."
        )

    def _explain_shown(self, explanation: Explanation) -> Iterator[str]:
        yield f"It is shown {self._list_pages(explanation)}."
        if explanation.post and explanation.post.also_in:
            names = ", ".join(source.title for source in explanation.post.also_in)
            yield f"It is also in {names}; it is shown once, as one of {explanation.name}."
        if explanation.until is not None:
            until = self._terms.moment(explanation.until)
            yield f"It is shown until {until}; then it is too old (`max_age`)."

    def _list_pages(self, explanation: Explanation) -> str:
        """Say on which pages a post is; the front page may have no place for it."""
        post, place, pages = explanation.post, explanation.place or 0, self._outcomes.config.pages
        assert post is not None, "what is shown is a post"
        if post.entry.is_timeless and not post.picked:
            return (
                f"on the page of its source only (source/{post.source.slug}/): its feed has no "
                "dates, and it was there when that was read for the first time"
            )
        where = [f"on the page of its month ({post.day:%Y/%m}/)"]
        if (on_front := explanation.place_on_front) is not None:
            where.insert(0, f"on the front page (number {on_front + 1})")
        if post.source.slug and (explanation.place_in_source or 0) < pages.source:
            where.append(f"on that of its source (source/{post.source.slug}/)")
        words = " and ".join(filter(None, [", ".join(where[:-1]), where[-1]]))
        if on_front is not None:
            return words
        if explanation.exceeds_share:
            setting = self._terms.setting(None, "pages", "per_source")
            return (
                f"{words}; not on the front page, which shows {pages.per_source} of a source on "
                f"one day, by {setting}"
            )
        setting = self._terms.setting(None, "pages", "front")
        newer = "1 post is newer" if place == 1 else f"{place:,} posts are newer"
        return (
            f"{words}; not on the front page, for {newer}, and it holds {pages.front}, by {setting}"
        )

    def _explain_picked(self, explanation: Explanation) -> Iterator[str]:
        if explanation.post is None:
            yield "It is not shown, for it was not picked for the planet's own list."
            return
        when = self._terms.moment(explanation.post.when)
        yield f"It was picked, and is filed under the moment it was picked, {when}."
        yield f"It is shown {self._list_pages(explanation)}."

    def _explain_duplicate(self, explanation: Explanation) -> Iterator[str]:
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

    def _explain_dropped(self, explanation: Explanation) -> Iterator[str]:
        rule, entry, terms = explanation.rule, explanation.entry, self._terms
        assert rule is not None, "something was decided"
        words = EXPLANATIONS[rule]
        steps = words.setting.split(".")
        is_release = rule is Reason.NOT_RELEASED
        values = {
            "setting": terms.setting(None if is_release else explanation, *steps),
            "detail": explanation.detail or "found",
            "until": is_release
            and terms.moment(explanation.until or terms.comes_out(entry.first_seen)),
            "handle": handle(entry.feed, entry.id),
            "edition": terms.edition,
            "feed": explanation.feed,
            "rank": (entry.rank or 0) + 1,
            "dated": terms.moment(entry.dated),
            "when": terms.moment(explanation.when),
            "witness": "it says itself" if entry.language else "`language` of its feed says",
        }
        yield words.why.format_map(values)
        yield words.remedy.format_map(values)

    def _explain_disabled(self, explanation: Explanation) -> Iterator[str]:
        setting = self._terms.setting(explanation, "enabled")
        yield f"It is not shown, because its feed is switched off, by {setting}."
        yield "Without that setting its feed is asked again, and what is known of it comes back."

    def _explain_elsewhere(self, explanation: Explanation) -> Iterator[str]:
        yield f"It is not shown, because {self._terms.edition} does not show its feed."
        yield "With the name of its feed under `feeds` of that edition, it would be."

    def _explain_left(self, explanation: Explanation) -> Iterator[str]:
        feed = redact(explanation.entry.feed)
        yield f"It is not shown, because its feed is not in the config any more: {feed}."
        yield "With the feed, it would come back."

    def _name_lists(self, explanation: Explanation) -> Iterator[str]:
        for name in explanation.lists:
            yield f"It is picked for the list {name}, and is on lists/{name}/."

    def _tell_transform(self, explanation: Explanation) -> Iterator[str]:
        transformed = explanation.entry.transformed
        if transformed and (words := _TRANSFORMED.get(transformed.outcome)):
            yield words.format(command=transformed.command, detail=transformed.detail)

    def _name_withheld_files(self, explanation: Explanation) -> Iterator[str]:
        for address in explanation.entry.withheld:
            yield (
                f"A file of it is left out, because whoever has its address has a secret of the "
                f"config: {address}."
            )

    def _tell_retention(self, explanation: Explanation) -> Iterator[str]:
        """Say how long an entry is kept that its feed no longer lists."""
        if explanation.listed or explanation.outcome is EntryOutcome.PICKED:
            return
        end = self._terms.moment(explanation.entry.dated + self._outcomes.config.retention.entries)
        yield (
            f"Its feed no longer lists it. It is kept until {end}, by "
            f"`retention.entries` ({format_duration(self._outcomes.config.retention.entries)})."
        )

    def _name_slow_filters(self, explanation: Explanation) -> Iterator[str]:
        for pattern in explanation.too_slow:
            yield (
                f"The filter {pattern} takes too long to search it, and let it pass: an "
                "expression without repetitions in repetitions, as in (a+)+, would not."
            )


def explain_feed(feed: Feed, outcomes: Outcomes, terms: OperatorTerms) -> Answer:
    """Say how it goes with a feed, and when something new of it can show."""
    feed_state = current_state(feed, outcomes.states.get(feed.key))
    answer = _explain_state(feed, feed_state, outcomes, terms)
    hint = advise(feed, outcomes.states.get(feed.key))
    return replace(answer, words=(*answer.words, hint.words)) if hint and feed.enabled else answer


def _explain_state(
    feed: Feed, feed_state: FeedState, outcomes: Outcomes, terms: OperatorTerms
) -> Answer:
    name, url = outcomes.name_of(feed.key), redact(feed.written_url)

    def answer(reason: str, *words: str) -> Answer:
        subject = name if name == url else f"{name} ({url})"
        return Answer(reason=reason, subject=subject, words=words)

    if not feed.enabled:
        place = f" ({feed.place})" if feed.place else ""
        return answer("disabled", f"This feed is switched off in the config, by `enabled`{place}.")
    shown = outcomes.count_shown(feed.key)
    count = f"{shown} of its entries are shown." if shown != 1 else "One of its entries is shown."
    if feed.is_archived:
        words = (
            "This feed is archived: it is not asked any more, and what it said is kept for good."
        )
        return answer("archived", words, count)
    if feed_state.given_up:
        words = f"This feed is not asked any more: {GIVEN_UP[feed_state.given_up]}."
        return answer("given_up", words, count)
    following = _next(feed, feed_state, outcomes, terms)
    if feed_state.attempted_at is None:
        return answer("never_asked", "This feed was never asked.", following)
    attempted = terms.moment(feed_state.attempted_at)
    if feed_state.interrupted:
        words = f"A run that asked this feed at {attempted} was cut short."
        return answer("interrupted", words, following)
    if feed_state.failures:
        return answer("failing", *_failing(feed_state, terms), count, following)
    if feed_state.succeeded_at is None and not feed.is_file:
        # What was held against it is forgotten once `planet retry` was told to.
        words = f"This feed was last asked at {attempted}, and never read."
        return answer("never_read", words, following)
    answered = terms.moment(feed_state.succeeded_at or feed_state.attempted_at)
    words = f"This feed was last read at {answered}, and all was well. {count}"
    return answer("ok", words, following)


def _failing(feed_state: FeedState, terms: OperatorTerms) -> Iterator[str]:
    times = f"{feed_state.failures} times in a row" if feed_state.failures > 1 else "once"
    yield f"This feed has failed {times}: {feed_state.error}."
    if feed_state.succeeded_at is None:
        yield "It was never read."
    else:
        yield f"It was last read at {terms.moment(feed_state.succeeded_at)}; what it said stays."


def _next(feed: Feed, feed_state: FeedState, outcomes: Outcomes, terms: OperatorTerms) -> str:
    """Say when a feed is asked next."""
    if feed.is_file:
        return "It is a file, which every run reads."
    host = find_host(feed, feed_state, outcomes.hosts)
    if host and host.rests_until and is_resting(host, now=outcomes.now):
        return f"Its server is to be left alone until {terms.moment(host.rests_until)}."
    at, reason = next_poll(feed, feed_state, host)
    if at is None or at <= outcomes.now:
        return "It is due: the next `planet build` asks it."
    why = f" ({explain_due(feed_state, reason)})" if reason else ""
    return f"It is asked again at {terms.moment(at)}{why}; what it has listed since comes then."
