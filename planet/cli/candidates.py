"""A feed that the planet may get: what is at its address, and what would be shown of it."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from planet.config.opml import list_feeds
from planet.errors import FeedError, PlanetError, UsageError
from planet.explain.outcomes import EntryOutcome, Explanation, Outcomes
from planet.explain.sentences import EXPLANATIONS
from planet.model import Feed, FeedState, NewEntry, ParseResult
from planet.report import format_count, printable
from planet.report.workflow import escape_words, format_code
from planet.run.ingest import decide
from planet.schedule import current_state
from planet.schedule.health import advise
from planet.store import Store
from planet.text import account, address
from planet.text.plain import shorten
from planet.timeline.select import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from planet.config import Config
    from planet.explain.status import PlanetState
    from planet.peek.discover import Discovery


SHOWN: Final = 3
"""How many of a feed's entries are shown."""
_LONGEST: Final = 70
_START: Final = datetime.min.replace(tzinfo=UTC)
_SILENT: Final = timedelta(days=365)
_NUMBERED: Final = frozenset({Reason.HELD_BACK, Reason.TOO_OLD})
"""Reasons whose detail is of one entry alone."""
_FOR_OPERATORS: Final = frozenset({"private_address", "not_a_feed", "http_429", "host_rests"})
"""Kinds of errors whose own words say what to do, or that nobody can do anything about."""


def parse_address(text: str) -> str:
    """Return the address of a feed, page or account; `https://` may be left out.

    Raises:
        UsageError: it is no web address.
    """
    from planet.config.texts import check_address, without_feed_scheme

    if known_as := account.parse_name(text.strip()):
        return known_as
    url = without_feed_scheme(text.strip())
    try:
        url = check_address(url)
    except ValueError as error:
        if "://" in url:
            raise UsageError(f"{address.redact(url)} {error}") from None
        url = f"https://{url}"
    if address.make_absolute(url) is None:
        raise UsageError(f"{text} is no web address; write the path of a file into the config")
    try:
        return address.normalize(check_address(url))
    except ValueError as error:
        raise UsageError(f"{address.redact(url)} {error}") from None


def refuse_known(planet: PlanetState, addresses: Iterable[str]) -> None:
    """Refuse a feed that is in the config already.

    Raises:
        UsageError: it is; with the line of the config.
    """
    there = planet.by_address()
    found = (there.get(address.without_scheme(url)) for url in addresses)
    if feed := next(filter(None, found), None):
        off = ", where it is archived" if feed.is_archived else ""
        off = off if feed.enabled else ", where it is not enabled"
        name = printable(planet.name_of(feed))
        raise UsageError(f"{name} is there already: {feed.place}{off}")


def preview_feed(
    config: Config, url: str, reading: ParseResult, *, now: datetime
) -> tuple[Explanation, ...]:
    """Explain what would become of a feed's entries if a run had read it just now; newest first.

    `config` has a feed with the address `url`, and `reading` is what came from there. The answer is
    for the first edition that shows the feed. A copy of the state is written to and thrown away.

    Raises:
        StateError: the state cannot be read.
    """
    with Store.copy(config.state, config.redactor) as store:
        feeds = list_feeds(config, store.lists.read())
        feed = next(feed for feed in feeds if feed.url == url)
        state = replace(
            current_state(feed, store.states().get(feed.key)),
            profile=reading.profile,
            picks=feed.picks,
        )
        rows = store.entries.rows(feed.key, picks=feed.picks)
        store.keep(state, decide(feed, reading, rows, store=store, now=now))
        shown_by = [site for site in config.sites if site.site.shows(feed)]
        site = (*shown_by, *config.sites)[0]
        return tuple(Outcomes(site, feeds, store=store, now=now).of_feeds([feed.key]))


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A feed that was found, and what the planet would show of it."""

    discovery: Discovery
    explanations: tuple[Explanation, ...]
    """What would become of its entries."""
    name: str | None = None
    """The name that is written into the config, if a form asks for one."""
    now: datetime

    @property
    def title(self) -> str:
        """What it calls itself, else its address."""
        return self.discovery.feed.profile.title or self.url

    @property
    def url(self) -> str:
        """Where it is asked for from now on, without what may be a secret."""
        return address.redact(self.discovery.url)

    @property
    def newest(self) -> list[NewEntry]:
        """Its newest entries, of those without a date the first."""
        return list_newest(self.discovery.feed.drafts)

    @property
    def newest_at(self) -> datetime | None:
        """The date of its newest entry; None if none has one."""
        dates = [_date(entry) for entry in self.discovery.feed.drafts if _is_dated(entry)]
        return max(dates, default=None)

    @property
    def language(self) -> str | None:
        """The language that it says it is in, or that most of its entries say."""
        said = [entry.language for entry in self.discovery.feed.drafts if entry.language]
        often = Counter(said).most_common(1)
        return self.discovery.feed.profile.language or (often[0][0] if often else None)

    @property
    def facts(self) -> dict[str, str]:
        """What there is to know of it, in words by what they are about."""
        profile, entries = self.discovery.feed.profile, self.discovery.feed.drafts
        count = format_count(len(entries), "entry", "entries")
        newest = f", the newest of {self.newest_at:%Y-%m-%d}" if self.newest_at else ""
        page = self.discovery.page
        facts = {
            "Address": self.url,
            "Name": self.name or "",
            "Named by": address.redact(page) if page else "",
            "Format": profile.format,
            "Entries": f"{count}{newest}",
            "Language": self.language or "not said",
            "On the planet": "; ".join(self._outcome),
        }
        return {label: words for label, words in facts.items() if words}

    @property
    def _outcome(self) -> list[str]:
        """Return how many entries would be shown, and why the others would not."""
        total, counts = len(self.explanations), Counter(map(_reason, self.explanations))
        shown = counts.pop("", 0)
        words = [f"{shown:,} of {total:,} would be shown"]
        return words + [f"{count:,} {reason}" for reason, count in counts.most_common()]

    def remarks(self) -> Iterator[str]:
        """Yield what is odd about it, and how to mend it, in sentences."""
        yield from self._remark_on_entries()
        discovery = self.discovery
        if not discovery.feed.profile.title:
            yield "It has no title: give it one, or a name here."
        if not self.language:
            yield (
                "It does not say its language: say it (language in RSS, xml:lang in Atom, language "
                "in JSON Feed), so that it is read out and hyphenated rightly."
            )
        if discovery.url.startswith("http:"):
            yield "Its address is without TLS: give the one with https:// if it has one."
        if not discovery.has_validators:
            yield (
                "Its server sends neither ETag nor Last-Modified, so each answer is a whole one, "
                "and it is asked once a day."
            )
        yield from (f"{note.removesuffix('.')}." for note in discovery.feed.notes)
        for other in discovery.others[:SHOWN]:
            called = f"{other.title}, " if other.title else ""
            yield f"The page names another feed: {called}{address.redact(other.url)}"

    def _remark_on_entries(self) -> Iterator[str]:
        entries = self.discovery.feed.drafts
        if not entries:
            yield "It lists no entry, so there is nothing to show yet."
            return
        if not any(map(_is_dated, entries)):
            yield (
                "None of its entries has a date, so the planet takes the time at which it saw them "
                "first: give each a date (pubDate in RSS, published in Atom, date_published in "
                "JSON Feed)."
            )
        elif self.newest_at and self.now - self.newest_at > _SILENT:
            yield f"Its newest entry is of {self.newest_at:%Y-%m-%d}: it may have ended."
        if self.explanations and not any(one.is_shown for one in self.explanations):
            yield "The planet would show none of its entries."
        if not any(entry.link for entry in entries):
            yield "None of its entries has a link, so readers cannot follow them: give each a link."

    def as_markdown(self, heading: str) -> str:
        """Return what there is to know of it in Markdown; nothing of the feed is more than text."""
        rows = {
            label: format_code(words) if label in ("Address", "Named by") else escape_words(words)
            for label, words in self.facts.items()
        }
        table = [f"| {label} | {words} |" for label, words in rows.items()]
        entries = [f"- {escape_words(format_entry(entry))}" for entry in self.newest]
        remarks = [f"- {escape_words(words)}" for words in self.remarks()]
        parts = [
            f"**{escape_words(self.title)}** {heading}",
            "\n".join(["| Feed | |", "| --- | --- |", *table]),
            *(["Its newest entries:", "\n".join(entries)] if entries else []),
            *(["Remarks:", "\n".join(remarks)] if remarks else []),
        ]
        return "\n\n".join(parts)


def render_refusal(error: PlanetError | FeedError, url: str | None) -> str:
    """Say in Markdown why a feed cannot be added, and what to do about it.

    Nothing of a stranger's is more than text.
    """
    words = [f"{str(error).removesuffix('.')}."]
    if isinstance(error, FeedError) and error.kind not in _FOR_OPERATORS and url is not None:
        feed = Feed(key=url, url=url, slug="")
        # As of one that never worked, which is told at once.
        state = FeedState(key=url, url=url, failures=1, error_kind=error.kind)
        todo = advise(feed, state)
        words += [todo.words] if todo else []
    return "\n\n".join(["This feed cannot be added as it is.", *map(escape_words, words)])


def _date(entry: NewEntry) -> datetime:
    return entry.published or entry.updated or _START


def _is_dated(entry: NewEntry) -> bool:
    return _date(entry) > _START


def list_newest(entries: Iterable[NewEntry]) -> list[NewEntry]:
    """Return the newest entries of a feed, of those without a date the first."""
    return sorted(entries, key=_date, reverse=True)[:SHOWN]


def format_entry(entry: NewEntry) -> str:
    """Format an entry as its date and its title."""
    day = f"{_date(entry):%Y-%m-%d}" if _is_dated(entry) else "(undated)"
    return f"{day}  {printable(shorten(entry.title or '(without a title)', _LONGEST))}"


def _reason(explanation: Explanation) -> str:
    """Return why an entry would not be shown, in words that follow a number; "" if it would be."""
    if explanation.is_shown:
        return ""
    if explanation.outcome is EntryOutcome.DUPLICATE and explanation.post:
        return f"already come from {explanation.post.source.title}"
    if explanation.rule is not None and explanation.rule in EXPLANATIONS:
        setting = EXPLANATIONS[explanation.rule].setting
        detail = f" ({explanation.detail})" if explanation.rule not in _NUMBERED else ""
        return f"not, by {setting}{detail if explanation.detail else ''}"
    return f"not ({explanation.reason})"
