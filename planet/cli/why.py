"""`planet why` and `planet preview`: what becomes of an entry, or of each of a feed, and why."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import asdict

from planet.cli import options
from planet.cli.options import NOTHING_KNOWN, clock, find_feed
from planet.errors import UsageError
from planet.explain.status import open_outcomes, site_of
from planet.model import handle
from planet.report import Exit, format_count, printable, printable_json
from planet.text import account
from planet.text.address import normalize, redact
from planet.timeline.select import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from zoneinfo import ZoneInfo

    from planet.config import Config
    from planet.explain.outcomes import Explanation, Outcomes
    from planet.explain.sentences import Answer, Speaker


_NOWHERE = "nowhere"


@click.command("why")
@options.pass_config
@click.argument("words", nargs=-1, required=True, metavar="URL|ID|WORDS...")
@options.json_option
def command(config: Config, words: tuple[str, ...], as_json: bool) -> int:
    """Tell whether an entry is shown and where, or why not and what would show it.

    Name the entry by its address, its ID as in `planet preview`, or words of its title. For the
    address of a feed, or another address on its site, the command says how that feed is. It sends
    no request. The exit code is 2 when no feed has the entry and no feed has that address.
    """
    from planet.config.edits import Places
    from planet.explain.naming import find_entries
    from planet.explain.sentences import Speaker

    name, places = " ".join(words), Places(config.path)
    exit_code = Exit.DONE
    records: list[dict[str, Any]] = []
    for number, site in enumerate(config.sites):
        with _open_outcomes(config, site.site.name) as outcomes:
            speaker = Speaker(outcomes, places)
            explanations = find_entries(name, outcomes)
            if not explanations:
                answers = _answer_nowhere(name, outcomes, speaker)
                records = [asdict(answer) for answer in answers]
                if not as_json:
                    _print_answers(answers)
                exit_code = Exit.USAGE if answers[0].reason == _NOWHERE else Exit.DONE
                break
            if not _are_one(explanations):
                records = [_to_json(explanation) for explanation in explanations]
                if not as_json:
                    _print_candidates(explanations, site.timezone)
                break
            answers = list(map(speaker.explain_entry, explanations))
        edition = {"edition": site.site.name} if site.site.name else {}
        records += [
            {**edition, **_to_json(explanation), **asdict(answer)}
            for explanation, answer in zip(explanations, answers, strict=True)
        ]
        if not as_json:
            if site.site.name:
                click.echo(("\n" if number else "") + f"In {speaker.edition}:")
            _print_answers(answers)
    if as_json:
        click.echo(printable_json(records))
    return exit_code


@contextmanager
def _open_outcomes(config: Config, edition: str | None) -> Iterator[Outcomes]:
    """Open what becomes of entries on the site of an edition.

    Raises:
        UsageError: there was no run yet.
    """
    with open_outcomes(config, edition, now=clock()) as outcomes:
        if outcomes is None:
            raise UsageError(NOTHING_KNOWN)
        yield outcomes


def _are_one(explanations: Sequence[Explanation]) -> bool:
    """Tell whether these are one entry, or the same one in several feeds."""
    links = {explanation.entry.link for explanation in explanations}
    feeds = {explanation.entry.feed for explanation in explanations}
    return len(explanations) == 1 or (len(links) == 1 and len(feeds) == len(explanations))


def _answer_nowhere(name: str, outcomes: Outcomes, speaker: Speaker) -> list[Answer]:
    """Return the answers for what no feed has: how the feeds are that it may be of."""
    from planet.config.texts import format_duration
    from planet.explain import naming
    from planet.explain.sentences import Answer

    of_site = naming.find_feeds(name, outcomes)
    answers = [*map(speaker.explain_feed, of_site)]
    if any((account.parse_name(name) or normalize(name)) == feed.url for feed in of_site):
        return answers
    kept = format_duration(outcomes.config.retention.entries)
    if len(of_site) > 1:
        last = f"What is known of feeds of that site, of which there are {len(of_site)}:"
    elif of_site:
        last = "What is known of the feed of that site:"
    elif "://" in name:
        last = "No feed is of that site, either; `planet add` adds one."
    else:
        last = "Its address finds it better than words of its title."
    nowhere = (
        "None of the feeds has listed it when they were read.",
        f"What a feed no longer lists is forgotten after {kept} (`retention.entries`).",
        last,
    )
    return [Answer(reason=_NOWHERE, subject=redact(name), words=nowhere), *answers]


def _print_answers(answers: Iterable[Answer]) -> None:
    for number, answer in enumerate(answers):
        if number:
            click.echo()
        click.echo(printable(answer.subject))
        for words in answer.words:
            click.echo(f"  {printable(words)}")


def _print_candidates(explanations: Sequence[Explanation], zone: ZoneInfo) -> None:
    for explanation in explanations:
        click.echo(_format_explanation(explanation, zone, with_feed=True))
    click.echo(f"{len(explanations)} entries are meant; name one by its ID", err=True)


@click.command("preview")
@options.pass_config
@click.argument("name", metavar="FEED")
@click.option("--edition", metavar="NAME", help="In this edition; without, in the first one.")
@options.json_option
def preview(config: Config, name: str, edition: str | None, as_json: bool) -> None:
    """List the entries of a feed, newest first, and say which are shown; no request is sent.

    FEED is what `planet status` calls a feed, its address, its id, or its folder on the site.
    `planet why ID` tells more of an entry.
    """
    site = site_of(config, edition)
    with _open_outcomes(config, edition) as outcomes:
        feed = find_feed(name, outcomes.feeds.values(), outcomes.states)
        listed = outcomes.explain(lambda entry: entry.feed == feed.key)
    if as_json:
        click.echo(printable_json([*map(_explanation_to_json, listed)]))
        return
    for explanation in listed:
        click.echo(_format_explanation(explanation, site.timezone))
    if not listed:
        words = "no entry is known of it; `planet why` with its address tells more"
        click.echo(words, err=True)
        return
    counts = Counter("shown" if one.is_shown else _name_reason(one) for one in listed)
    words = ", ".join(f"{count:,} {name}" for name, count in counts.most_common())
    click.echo(f"{format_count(len(listed), 'entry', 'entries')}: {words}", err=True)


def _to_json(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation with the feed of its entry, ready for JSON."""
    feed = {"name": explanation.name, "url": redact(explanation.entry.feed)}
    return {"feed": feed, **_explanation_to_json(explanation)}


def _explanation_to_json(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation, ready for JSON; what is not known is left out."""
    entry, post = explanation.entry, explanation.post
    instead = post if post and not explanation.is_shown else None
    by = None
    if isinstance(explanation.reason, Reason):
        by = "planet" if explanation.by_planet else "feed"
    record = {
        "id": entry.id,
        "handle": handle(entry.feed, entry.id),
        "title": entry.heading,
        "link": entry.link,
        "when": explanation.when.isoformat(),
        "shown": explanation.is_shown,
        "reason": explanation.reason,
        "detail": explanation.detail,
        "by": by,
        "until": explanation.until.isoformat() if explanation.until else None,
        "duplicate_of": instead
        and {
            "feed": redact(instead.source.key),
            "id": instead.entry.id,
            "title": instead.entry.heading,
        },
        "listed": explanation.listed,
    }
    return {name: value for name, value in record.items() if value is not None}


def _format_explanation(
    explanation: Explanation, zone: ZoneInfo, *, with_feed: bool = False
) -> str:
    """Format an entry and its outcome, on one line, with the name of its feed if wanted."""
    entry = explanation.entry
    mark = "+" if explanation.is_shown else "-"
    date = f"{explanation.when.astimezone(zone):%Y-%m-%d}"
    title = printable(f"{explanation.name}: {entry.heading}" if with_feed else entry.heading)
    return (
        f"{mark} {handle(entry.feed, entry.id)}  {date}  {title}{_format_reason(explanation, zone)}"
    )


def _format_reason(explanation: Explanation, zone: ZoneInfo) -> str:
    """Format why an entry is not shown, or a remark on one that is."""
    post, until = explanation.post, explanation.until
    detail = f": {explanation.detail}" if explanation.detail else ""
    words = f"{_name_reason(explanation)}{detail}"
    if explanation.reason == "duplicate" and post:
        words = f"the same as “{post.entry.heading}” of {post.source.title}"
    elif explanation.reason == "picked":
        words = "picked"
    elif explanation.is_shown:
        also = ", ".join(source.title for source in post.also_in) if post else ""
        words = f"also in {also}" if also else ""
    if until:
        words = f"{words}, until {until.astimezone(zone):%Y-%m-%d}".removeprefix(", ")
    return f"  ({printable(words)})" if words else ""


def _name_reason(explanation: Explanation) -> str:
    """Return the name of the reason, as it is called in the config."""
    name = "enabled: false" if explanation.reason == "disabled" else explanation.reason
    return f"{name} of the planet" if explanation.by_planet else name
