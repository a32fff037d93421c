"""`planet why` and `planet preview`: the fate of an entry, or of each of a feed, and why."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import asdict

from planet.cli import options
from planet.cli.options import clock
from planet.explain.status import open_outcomes, site_of
from planet.model import handle
from planet.report import Exit, find_feed, format_count, printable, printable_json
from planet.text import account
from planet.text.address import normalize, redact
from planet.timeline.select import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from zoneinfo import ZoneInfo

    from planet.config import Config
    from planet.explain.outcomes import Explanation, Outcomes
    from planet.explain.sentences import Answer, Speaker


_NOWHERE = "nowhere"
_BY_NO_FILTER = (
    *(Reason.SHOWN, Reason.PICKED, Reason.DUPLICATE),
    *(Reason.DISABLED, Reason.ELSEWHERE, Reason.LEFT),
)


@click.command("why")
@options.pass_config
@click.argument("words", nargs=-1, required=True, metavar="URL|ID|WORDS...")
@options.json_option
def command(config: Config, words: tuple[str, ...], as_json: bool) -> int:
    """Tell whether an entry is shown and where, or why not and which change would show the entry.

    Name the entry by address, by ID as in `planet preview`, or by words of the title. For the
    address of a feed, or another address on the same site, the command tells the health of the
    feed. No request is sent. The exit code is 2 when no feed has the entry or this address.
    """
    from planet.config.edits import Places
    from planet.explain.sentences import Speaker

    name, places = " ".join(words), Places(config.path)
    exit_code = Exit.DONE
    records: list[dict[str, Any]] = []
    lines: list[str] = []
    for site in config.sites:
        with open_outcomes(config, site.site.name, now=clock()) as outcomes:
            speaker = Speaker(outcomes, places)
            explanations = outcomes.find_entries(name)
            if not explanations:
                answers = _answer_nowhere(name, outcomes, speaker)
                records, lines = list(map(asdict, answers)), _format_answers(answers)
                exit_code = Exit.USAGE if answers[0].reason == _NOWHERE else Exit.DONE
                break
            if not _are_one(explanations):
                records = list(map(_to_json, explanations))
                lines = [_format_explanation(one, site.timezone, one.name) for one in explanations]
                lines.append(f"{len(explanations)} entries are meant; name one by its ID")
                break
            answers = list(map(speaker.explain_entry, explanations))
        edition = {"edition": site.site.name} if site.site.name else {}
        records += [
            {**edition, **_to_json(explanation), **asdict(answer)}
            for explanation, answer in zip(explanations, answers, strict=True)
        ]
        if edition:
            lines += [*([""] if lines else []), f"In {speaker.edition}:"]
        lines += _format_answers(answers)
    click.echo(printable_json(records) if as_json else "\n".join(lines))
    return exit_code


def _are_one(explanations: Sequence[Explanation]) -> bool:
    """Tell whether these are one entry, or the same one in several feeds."""
    links = {explanation.entry.link for explanation in explanations}
    feeds = {explanation.entry.feed for explanation in explanations}
    return len(explanations) == 1 or (len(links) == 1 and len(feeds) == len(explanations))


def _answer_nowhere(name: str, outcomes: Outcomes, speaker: Speaker) -> list[Answer]:
    """Return the answers for an unknown entry: the health of the feeds of the same site."""
    from planet.config.kinds import format_duration
    from planet.explain.sentences import Answer

    of_site = outcomes.find_feeds(name)
    answers = [*map(speaker.explain_feed, of_site)]
    if any((account.parse_name(name) or normalize(name)) == feed.url for feed in of_site):
        return answers
    kept = format_duration(outcomes.config.retention.entries)
    last = "What is known of feeds of that site:"
    if not of_site:
        last = "No feed is of that site, either; `planet add` adds one."
    nowhere = (
        "None of the feeds has listed it when they were read.",
        f"What a feed no longer lists is forgotten after {kept} (`retention.entries`).",
        last,
    )
    return [Answer(reason=_NOWHERE, subject=redact(name), words=nowhere), *answers]


def _format_answers(answers: Iterable[Answer]) -> list[str]:
    lines: list[str] = []
    for answer in answers:
        lines += [*([""] if lines else []), printable(answer.subject)]
        lines += [f"  {printable(words)}" for words in answer.words]
    return lines


@click.command("preview")
@options.pass_config
@click.argument("name", metavar="FEED")
@click.option("--edition", metavar="NAME", help="In this edition; without, in the first one.")
@options.json_option
def preview(config: Config, name: str, edition: str | None, as_json: bool) -> None:
    """List the entries of a feed, newest first, and say which are shown; no request is sent.

    FEED is a name from `planet status`, an address, an id, or a folder on the site.
    `planet why ID` tells more of an entry.
    """
    site = site_of(config, edition)
    with open_outcomes(config, edition, now=clock()) as outcomes:
        feed = find_feed(name, outcomes.feeds.values(), outcomes.states)
        entries = outcomes.entries.values()
        listed = outcomes.explain(entry for entry in entries if entry.feed == feed.key)
    if as_json:
        click.echo(printable_json([*map(_to_json, listed)]))
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
    """Return an explanation, ready for JSON; unknown facts are left out."""
    entry, post = explanation.entry, explanation.post
    duplicate_of = by = None
    if post and not explanation.is_shown:
        key, instead = redact(post.source.key), post.entry
        duplicate_of = {"feed": key, "id": instead.id, "title": instead.heading}
    if explanation.reason not in _BY_NO_FILTER:
        by = "planet" if explanation.by_planet else "feed"
    record = {
        "feed": {"name": explanation.name, "url": redact(entry.feed)},
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
        "duplicate_of": duplicate_of,
        "listed": explanation.listed,
    }
    return {name: value for name, value in record.items() if value is not None}


def _format_explanation(explanation: Explanation, zone: ZoneInfo, feed: str = "") -> str:
    """Format an entry with the outcome, on one line, with the name of the feed if wanted."""
    entry = explanation.entry
    mark = "+" if explanation.is_shown else "-"
    date = f"{explanation.when.astimezone(zone):%Y-%m-%d}"
    title = printable(f"{feed}: {entry.heading}" if feed else entry.heading)
    reason = _format_reason(explanation, zone)
    return f"{mark} {handle(entry.feed, entry.id)}  {date}  {title}{reason}"


def _format_reason(explanation: Explanation, zone: ZoneInfo) -> str:
    """Format why an entry is not shown, or a remark on a shown entry."""
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
    """Return the name of the reason, as the config has the setting."""
    name = "enabled: false" if explanation.reason == "disabled" else explanation.reason
    return f"{name} of the site" if explanation.by_planet else name
