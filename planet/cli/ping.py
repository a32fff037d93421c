"""`planet ping`: tell the hub which feeds have changed since it was told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.errors import UsageError
from planet.report import Exit, printable, printable_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from planet.config import Config
    from planet.http.hub import Hub, Told
    from planet.store import Publications


_FEEDS = frozenset({"atom.xml", "feed.json", "podcast.xml", "digest.xml"})
# Nobody subscribes to an archive of a month.
_ARCHIVE = re.compile(r"(?:^|/)[0-9]{4}/[0-9]{2}/[^/]+$")
_BUDGET = timedelta(minutes=10)
"""When the config has none: no run can be made as long, for the state is held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    """What became of telling a hub."""

    hub: str
    topics: tuple[str, ...]
    """All that it was to be told of."""
    answers: tuple[Told, ...]

    @property
    def told(self) -> list[str]:
        """The topics that the hub has heard of."""
        return [answer.topic for answer in self.answers if answer.error is None]

    @property
    def failures(self) -> dict[str, str]:
        """What went wrong, in words, by topic."""
        return {answer.topic: str(answer.error) for answer in self.answers if answer.error}

    @property
    def left(self) -> list[str]:
        """The topics for the next time."""
        told = set(self.told)
        return [topic for topic in self.topics if topic not in told]

    @property
    def wait(self) -> timedelta | None:
        """How long the hub asks to be left alone."""
        return self.answers[-1].retry_after if self.answers else None

    @property
    def summary(self) -> str:
        """What became of it, in one line."""
        if not self.topics:
            return f"{self.hub}: nothing has changed since it was told"
        words = f"{self.hub}: told of {_feeds(len(self.told))}"
        if self.left:
            words += f"; {len(self.left)} left for the next time"
        if self.wait:
            words += f"; it asks to be left alone for {-(-self.wait // timedelta(minutes=1))} min"
        return words

    def as_json(self) -> str:
        """The same for machines."""
        said = {
            "hub": self.hub,
            "told": self.told,
            "failures": self.failures,
            "left": self.left,
            "retry_after": self.wait and self.wait.total_seconds(),
        }
        return printable_json(said)


@click.command("ping")
@options.config_option
@options.folder_options
@click.option("--all", "everything", is_flag=True, help="Tell of every feed, changed or not.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Only what went wrong.")
def command(
    config_path: Path,
    output: Path | None,
    state: Path | None,
    everything: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Tell the hub which feeds of the published site have changed since it was told.

    Call it when the site is where its readers find it. What a hub does not hear, it is told the
    next time; that it fails is no failure of this command.
    """
    from planet.cli.options import clock
    from planet.http import user_agent
    from planet.http.hub import Hub
    from planet.store import Store

    config = options.read_config(config_path, output=output, state=state)
    links, url = _addresses(config)
    hub = Hub(
        url,
        user_agent=user_agent(config.contact),
        clock=clock,
        gap=config.fetch.host_gap,
        timeout=config.defaults.asking.timeout,
        budget=config.fetch.budget or _BUDGET,
    )
    with Store.open(config.state, config.veil) as store:
        ping = _ping(hub, links, store.publications, everything=everything)
    if as_json:
        click.echo(ping.as_json())
    for topic, words in ping.failures.items():
        click.echo(printable(f"{ping.hub} was not told of {topic}: {words}"), err=True)
    if not quiet or ping.left:
        click.echo(printable(ping.summary), err=True)
    return Exit.DONE


def _addresses(config: Config) -> tuple[dict[str, str], str]:
    """The output folders of the sites, each with its address, and whom to tell.

    Raises:
        UsageError: the config does not say.
    """
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
) -> Ping:
    """Tell the hub; each topic that it has heard of is written down at once."""
    changed: dict[str, tuple[str, str, str]] = {}
    for folder, link in links.items():
        digests = _feed_digests(publications, folder)
        if everything:
            publications.forget_told(folder, hub.url)
        told = publications.told(folder, hub.url)
        changed |= {
            f"{link}{path}": (folder, path, digest)
            for path, digest in digests.items()
            if told.get(path) != digest
        }
    # The planet's own feeds first: those most people subscribe to.
    topics = sorted(changed, key=lambda topic: (changed[topic][1].count("/"), topic))
    answers = []
    for answer in hub.tell(topics):
        if answer.error is None:
            folder, path, digest = changed[answer.topic]
            publications.keep_told(folder, hub.url, path, digest)
        answers.append(answer)
    return Ping(hub=hub.url, topics=tuple(topics), answers=tuple(answers))


def _feed_digests(publications: Publications, folder: str) -> Mapping[str, str]:
    """The feeds of the site as published, with a digest of each.

    Raises:
        UsageError: nothing was published there.
    """
    if publications.last(folder) is None:
        raise UsageError(f"{folder} has no site of this planet yet; `planet build` makes it")
    return {
        path: file.digest
        for path, file in publications.files(folder).items()
        if path.rpartition("/")[2] in _FEEDS and not _ARCHIVE.search(path)
    }


def _feeds(number: int) -> str:
    return "1 feed" if number == 1 else f"{number} feeds"
