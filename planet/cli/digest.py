"""`planet digest`: the new entries, for editors, without a request."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.cli.options import clock
from planet.explain.status import open_outcomes, site_of
from planet.model import ContentMode, Post
from planet.report import format_count, printable
from planet.report.workflow import escape_prose, format_prose_link
from planet.timeline.digest import group_by_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from zoneinfo import ZoneInfo

    from planet.config import Config


def _parse_since(_: click.Context, __: click.Parameter, value: str) -> timedelta:
    from planet.config.kinds import parse_duration

    try:
        return parse_duration(value)
    except ValueError as error:
        raise click.BadParameter(str(error).replace("{value}", repr(value))) from None


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
@click.option("--edition", metavar="NAME", help="Of this edition; without, of the first one.")
@click.option("--markdown", is_flag=True, help="Print it as Markdown.")
def command(config: Config, since: timedelta, edition: str | None, markdown: bool) -> None:
    """Print the new entries of the site, by source, without a request.

    An entry is new when the planet saw the entry first in this time; of a new feed, only when the
    entry is dated in this time. Without new entries, nothing is printed.
    """
    site, now = site_of(config, edition), clock()
    # By the calendar: a day has 23 or 25 hours when the clock is changed.
    begin = (now.astimezone(site.timezone) - since).astimezone(UTC)
    with open_outcomes(config, edition, now=now) as outcomes:
        posts = outcomes.news(begin, now)
    format_group = _as_markdown if markdown else _as_text
    groups = ["\n".join(format_group(group, site.timezone)) for group in group_by_source(posts)]
    if groups:
        click.echo("\n\n".join(groups))
    sources = len({post.source.key for post in posts})
    count = f"{format_count(len(posts), 'entry', 'entries')} of {format_count(sources, 'source')}"
    click.echo(f"since {begin:%Y-%m-%d %H:%M} UTC: {count}", err=True)


def _summarize(post: Post) -> str | None:
    """Return the first words of a post, unless they are the heading or only titles are shown."""
    is_title_only = post.source.content is ContentMode.TITLE
    summary = post.entry.summary
    return None if is_title_only or summary == post.entry.heading else summary


def _format_day(moment: datetime, zone: ZoneInfo) -> str:
    return f"{moment.astimezone(zone):%Y-%m-%d}"


def _as_text(group: Sequence[Post], zone: ZoneInfo) -> Iterator[str]:
    """Yield the lines of a source's posts, for a terminal or a mail."""
    yield printable(group[0].source.title)
    for post in group:
        yield f"  {_format_day(post.when, zone)}  {printable(post.entry.heading)}"
        if post.entry.link:
            yield f"              {printable(post.entry.link)}"


def _as_markdown(group: Sequence[Post], zone: ZoneInfo) -> Iterator[str]:
    """Yield the lines of a source's posts, in Markdown without any markup of a feed."""
    source = group[0].source
    yield f"## {format_prose_link(source.title, source.link)}"
    yield ""
    for post in group:
        heading = format_prose_link(post.entry.heading, post.entry.link)
        summary = _summarize(post)
        words = f": {escape_prose(summary)}" if summary else ""
        yield f"- {heading} ({_format_day(post.when, zone)}){words}"
