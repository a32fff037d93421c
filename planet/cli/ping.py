"""`planet ping`: tell the hub which feeds have changed since it was told."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.errors import UsageError
from planet.report import Exit, counted, printable, printable_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.config import Config
    from planet.http.hub import Hub, PingResult
    from planet.store import Publications


_FEEDS = frozenset({"atom.xml", "feed.json", "podcast.xml", "rss.xml", "digest.xml"})
_BUDGET = timedelta(minutes=10)
"""When the config has none: no run can be made as long, for the state is held."""


@click.command("ping")
@options.output_option
@options.takes_config
@click.option("--all", "everything", is_flag=True, help="Tell of every feed, changed or not.")
@click.option("-q", "--quiet", is_flag=True, help="Only what went wrong.")
@options.json_option
def command(config: Config, everything: bool, quiet: bool, as_json: bool) -> int:
    """Tell the hub which feeds of the published site have changed since it was told.

    Call it when the site is where its readers find it. What a hub does not hear, it is told the
    next time; that it fails is no failure of this command.
    """
    from planet.http import user_agent
    from planet.http.hub import Hub
    from planet.store import Store

    links, url = _addresses(config)
    hub = Hub(
        url,
        user_agent=user_agent(config.contact),
        clock=options.clock,
        gap=config.fetch.host_gap,
        timeout=config.defaults.policy.timeout,
        budget=config.fetch.budget or _BUDGET,
    )
    with Store.open(config.state, config.redactor) as store:
        topics, answers = _ping(hub, links, store.publications, everything=everything)
    pinged = [answer.topic for answer in answers if answer.error is None]
    failures = {answer.topic: str(answer.error) for answer in answers if answer.error}
    left = [topic for topic in topics if topic not in pinged]
    wait = answers[-1].retry_after if answers else None
    if as_json:
        seconds = wait and wait.total_seconds()
        record = {"told": pinged, "failures": failures, "left": left, "retry_after": seconds}
        click.echo(printable_json({"hub": url, **record}))
    for topic, words in failures.items():
        click.echo(printable(f"{url} was not told of {topic}: {words}"), err=True)
    summary = f"{url}: told of {counted(len(pinged), 'feed')}"
    if not topics:
        summary = f"{url}: nothing has changed since it was told"
    if left:
        summary += f"; {len(left)} left for the next time"
    if wait:
        summary += f"; it asks to be left alone for {-(-wait // timedelta(minutes=1))} min"
    if left or not quiet:
        click.echo(printable(summary), err=True)
    return Exit.DONE


def _addresses(config: Config) -> tuple[dict[str, str], str]:
    """The output folders of the sites, each with its address, and whom to tell."""
    if config.hub is None:
        raise UsageError(f'{config.path} names no WebSub hub to tell; set "hub" in it')
    links = {}
    for site in config.sites:
        if site.link is None:
            raise UsageError(f'{config.path} does not say where the site is; set "link" in it')
        links[str(site.output.absolute())] = site.link
    return links, config.hub


def _ping(
    hub: Hub, links: Mapping[str, str], publications: Publications, *, everything: bool
) -> tuple[list[str], list[PingResult]]:
    """Tell the hub; the topics it was to be told of, and what came of those it was asked.

    Each topic that it has heard of is written down at once.
    """
    changed: dict[str, tuple[str, str, str]] = {}
    for folder, link in links.items():
        digests = _feed_digests(publications, folder)
        if everything:
            publications.forget_pings(folder, hub.url)
        pinged = publications.pinged(folder, hub.url)
        changed |= {
            f"{link}{path}": (folder, path, digest)
            for path, digest in digests.items()
            if pinged.get(path) != digest
        }
    # The planet's own feeds first: those most people subscribe to.
    topics = sorted(changed, key=lambda topic: (changed[topic][1].count("/"), topic))
    answers = []
    for answer in hub.ping(topics):
        if answer.error is None:
            folder, path, digest = changed[answer.topic]
            publications.keep_ping(folder, hub.url, path, digest)
        answers.append(answer)
    return topics, answers


def _feed_digests(publications: Publications, folder: str) -> Mapping[str, str]:
    """The feeds of the site as published, with a digest of each."""
    if publications.last(folder) is None:
        raise UsageError(f"{folder} has no site of this planet yet; `planet build` makes it")
    return {
        path: file.digest
        for path, file in publications.files(folder).items()
        if path.rpartition("/")[2] in _FEEDS
    }
