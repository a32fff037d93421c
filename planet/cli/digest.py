"""`planet digest`: what is new, for editors and for programs that pass it on; nobody is asked."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Final

import click

from planet.cli import options
from planet.cli.options import NOTHING_KNOWN, clock
from planet.errors import UsageError
from planet.explain.status import open_outcomes, site_of
from planet.model import ContentMode, Post
from planet.report import format_count, printable, printable_json
from planet.report.workflow import escape_prose, format_prose_link
from planet.timeline.digest import find_arrival, group_by_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from zoneinfo import ZoneInfo

    from planet.config import Config


_TODAY: Final = "today"


def _parse_since(_: click.Context, __: click.Parameter, value: str) -> timedelta:
    from planet.config.texts import parse_duration

    try:
        return parse_duration(value)
    except ValueError as error:
        raise click.BadParameter(str(error).replace("{value}", repr(value))) from None


def _parse_until(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value not in (None, _TODAY):
        try:
            date.fromisoformat(value)
        except ValueError:
            words = f"{value!r} is neither {_TODAY} nor a day such as 2026-11-23"
            raise click.BadParameter(words) from None
    return value


@click.command("digest")
@options.pass_config
@click.option(
    "--since",
    callback=_parse_since,
    default="7d",
    show_default=True,
    metavar="TIME",
    help="How far back: 90m, 6h, 7d, 2w.",
)
@click.option(
    "--until",
    callback=_parse_until,
    metavar="today|DAY",
    help="Up to when this day begins in the planet's time zone; without, up to now.",
)
@click.option("--edition", metavar="NAME", help="Of this edition; without, of the first one.")
@click.option("--markdown", is_flag=True, help="Print it as Markdown.")
@options.json_option
def command(
    config: Config,
    since: timedelta,
    until: str | None,
    edition: str | None,
    markdown: bool,
    as_json: bool,
) -> None:
    """Print what is new on the site, by source, without a request.

    An entry is new when it was seen first in that time. Of what a new feed brought with it, only
    what is dated in that time is new. Where nothing is new, nothing is printed.

    With --until, the same days give the same digest at whatever time it is printed: --since 7d
    --until today, once a week, leaves nothing out and tells nothing twice.
    """
    if markdown and as_json:
        raise UsageError("--markdown or --json: say one of them")
    site, now = site_of(config, edition), clock()
    end = now if until is None else _midnight(until, now, site.timezone)
    # By the calendar: a day has 23 or 25 hours when the clock is changed.
    begin = (end - since).astimezone(UTC)
    with open_outcomes(config, edition, now=now) as outcomes:
        if outcomes is None:
            raise UsageError(NOTHING_KNOWN)
        posts = outcomes.news(begin, end.astimezone(UTC))
    if as_json:
        click.echo(printable_json([*map(_to_json, posts)]))
    elif posts:
        lines = _as_markdown if markdown else _as_text
        for line in lines(posts, site.timezone):
            click.echo(line)
    sources = len({post.source.key for post in posts})
    count = f"{format_count(len(posts), 'entry', 'entries')} of {format_count(sources, 'source')}"
    click.echo(f"since {begin:%Y-%m-%d %H:%M} UTC: {count}", err=True)


def _midnight(day: str, now: datetime, zone: ZoneInfo) -> datetime:
    """Return when a day begins in a time zone, with that zone."""
    found = now.astimezone(zone).date() if day == _TODAY else date.fromisoformat(day)
    return datetime.combine(found, time(), zone)


def _to_json(post: Post) -> dict[str, Any]:
    """Return a post, ready for JSON; what is not known is left out."""
    entry = post.entry
    record = {
        "id": post.uid,
        "title": entry.heading,
        "link": entry.link,
        "summary": _summarize(post),
        "authors": [author.name for author in entry.authors if author.name] or None,
        "language": entry.language or post.source.language,
        "source": {"title": post.source.title, "link": post.source.link},
        "published": post.when.isoformat(),
        "came": find_arrival(post).isoformat(),
    }
    return {name: value for name, value in record.items() if value is not None}


def _summarize(post: Post) -> str | None:
    """Return the first words of a post, unless they are its heading or only titles are shown."""
    is_title_only = post.source.content is ContentMode.TITLE
    summary = post.entry.summary
    return None if is_title_only or summary == post.entry.heading else summary


def _format_day(moment: datetime, zone: ZoneInfo) -> str:
    return f"{moment.astimezone(zone):%Y-%m-%d}"


def _as_text(posts: Sequence[Post], zone: ZoneInfo) -> Iterator[str]:
    """Yield the lines of a text to be read, in a terminal or a mail."""
    for number, group in enumerate(group_by_source(posts)):
        if number:
            yield ""
        yield printable(group[0].source.title)
        for post in group:
            yield f"  {_format_day(post.when, zone)}  {printable(post.entry.heading)}"
            if post.entry.link:
                yield f"              {printable(post.entry.link)}"


def _as_markdown(posts: Sequence[Post], zone: ZoneInfo) -> Iterator[str]:
    """Yield the lines of Markdown to be edited, in which nothing of a feed is more than text."""
    for number, group in enumerate(group_by_source(posts)):
        if number:
            yield ""
        source = group[0].source
        yield f"## {format_prose_link(source.title, source.link)}"
        yield ""
        for post in group:
            heading = format_prose_link(post.entry.heading, post.entry.link)
            summary = _summarize(post)
            words = f": {escape_prose(summary)}" if summary else ""
            yield f"- {heading} ({_format_day(post.when, zone)}){words}"
