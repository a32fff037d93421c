"""`planet import`, `export` and `schema`: from other programs, and for them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from msgspec.structs import replace

import planet
from planet.cli import options
from planet.errors import Problem, UsageError, fold_problems
from planet.explain.status import PlanetState, load_planet_state
from planet.model import Feed, FeedHealth, Profile, Source
from planet.report import format_count, printable_line
from planet.text import account, address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planet.cli.options import ConfigFile
    from planet.config import Config
    from planet.config.foreign import ForeignConfig


class _New(NamedTuple):
    """The feeds and lists of another program."""

    feeds: list[str | dict[str, Any]]
    lists: list[str]
    there: list[Problem]
    """Feeds in the config already."""


@click.command("import")
@options.pass_file
@click.argument("file", type=options.FILE)
def import_(config_file: ConfigFile, file: Path) -> None:
    """Add the feeds of a list (OPML, text), or of Venus or Pluto, to the config.

    Other lines of the config stay; without a config, one is made. The command prints a line with
    the reason for everything left behind.
    """
    from planet.config.edits import add_items
    from planet.config.foreign import read_foreign

    foreign = read_foreign(options.read_file(file), file=str(file))
    path, planet = config_file.path, PlanetState()
    if not (is_new := not path.exists()):
        planet = load_planet_state(config_file.read(needs_feeds=False))
        if names := ", ".join(foreign.planet):
            words = f"{path} stays as it is, without the {names} of the other planet"
            foreign.left.append(Problem(foreign.top, words))
    new = _gather(foreign, planet)

    def add_feeds(text: str) -> str:
        text = text or _make_first_config(foreign)
        for name, items in (("feeds", new.feeds), ("subscriptions", new.lists)):
            text = add_items(text, items, file=str(path), name=name) if items else text
        return text

    if new.feeds or new.lists:
        config_file.edit(add_feeds)
    elif is_new:
        words = "there is no feed in it that could be taken over"
        raise UsageError(_format_problems([*foreign.lost, *foreign.left]) + words)
    for title, problems in (
        ("There already", new.there),
        ("Feeds not taken over", foreign.lost),
        ("Settings not taken over", foreign.left),
    ):
        if problems:
            click.echo(f"{title}:\n{_format_problems(problems)}", nl=False)
    lists = f" and {format_count(len(new.lists), 'subscription list')}" if new.lists else ""
    where = f"a new {path}" if is_new else str(path)
    counts = f"{len(new.there)} there already, {len(foreign.lost)} not taken"
    click.echo(f"{format_count(len(new.feeds), 'feed')}{lists} taken into {where}, {counts}")
    if is_new:
        words = "`planet check --online` asks each feed once, and `planet build` makes the site"
        click.echo(f"Next: {words}.", err=True)


def _make_first_config(foreign: ForeignConfig) -> str:
    """Return a config without feeds, with the settings of the other program's planet."""
    from planet import project_address
    from planet.config.yaml import dump_list

    # A mapping is an item of a list without its dash.
    whole = {"title": "My Planet", **foreign.planet}
    settings = re.sub(r"^(?:- |  )", "", dump_list([whole]), flags=re.MULTILINE)
    words = "`planet check` finds mistakes in this file, `planet build` makes the site."
    head = f"# yaml-language-server: $schema={project_address('Config schema')}"
    return f"{head}\n#\n# {words}\n\n{settings}\n"


def _gather(foreign: ForeignConfig, planet: PlanetState) -> _New:
    """Sort out which feeds and lists of another program are new."""
    new = _New([], [], [])
    places = {url: str(feed.place) for url, feed in planet.by_address().items()}
    for item in foreign.feeds:
        written = item.settings["url"]
        url = account.parse_name(written) or address.normalize(written)
        schemeless = address.without_scheme(url)
        if schemeless in places:
            words = f"{address.redact(url)} is there already: {places[schemeless]}"
            new.there.append(Problem(item.place, words))
        elif address.make_absolute(url) or account.parse_name(written):
            places[schemeless] = str(item.place)
            new.feeds.append(written if len(item.settings) == 1 else item.settings)
        else:
            words = f"{url} is no web address; if it is a file, write its path into the config"
            foreign.lost.append(Problem(item.place, words))
    for url in foreign.lists:
        if address.without_scheme(address.normalize(url)) not in places:
            new.lists.append(url)
    return new


def _format_problems(problems: Sequence[Problem]) -> str:
    """Format problems by their places; of many alike the first few."""
    ordered = sorted(dict.fromkeys(problems), key=lambda one: one.place.line if one.place else 0)
    return "".join(f"  {printable_line(line)}\n" for line in fold_problems(ordered))


@click.command("export")
@options.pass_config
@click.argument("file", required=False, type=options.FILE)
def export(config: Config, file: Path | None) -> None:
    """Write the feeds of the config and of its lists as OPML 2.0, to FILE or to standard output.

    Left out are feeds that are not enabled, files, accounts, and addresses with a secret.
    """
    from planet.config.edits import replace_file
    from planet.site.feeds.opml import list_outlines, write_opml

    planet = load_planet_state(config)
    enabled = [feed for feed in planet.feeds if feed.enabled]
    sources = filter(None, (_make_source(feed, planet) for feed in enabled))
    outlines = list_outlines(sources, site=None)
    owner = replace(config.owner, url=_public_address(config.owner.url))
    document = write_opml(config.title, owner, outlines)
    if file is None:
        # As bytes, because it declares UTF-8, whatever the terminal can show.
        # `##[` is a command to some CI systems, also within a line.
        click.echo(re.sub(rb"(?i)##(?=(?:vso)?\[)", b"#&#35;", document), nl=False)
    else:
        replace_file(file, document)
        click.echo(f"{file} is written: {format_count(len(outlines), 'feed')}", err=True)
    if left := len(enabled) - len(outlines):
        what = format_count(left, "feed is", "feeds are")
        click.echo(f"{what} left out: a file, a name, or an address with a secret in it", err=True)


def _make_source(feed: Feed, planet: PlanetState) -> Source | None:
    """Return a feed as others may see it; None when the address is not for others."""
    url = address.without_secrets(feed.url)
    if url is None or feed.is_hidden:
        return None
    state = planet.states.get(feed.key)
    profile = (state and state.profile) or Profile(format="")
    return Source(
        key=feed.key,
        slug=feed.slug,
        url=url,
        title=feed.name or profile.title or url,
        link=_public_address(feed.link or profile.link),
        description=profile.description,
        own_format="rss",
        links=feed.links,
        tags=feed.tags,
        standing=FeedHealth(state="archived" if feed.is_archived else "ok"),
    )


def _public_address(url: str | None) -> str | None:
    return address.without_secrets(url) if url else None


@click.command("schema")
def schema() -> None:
    """Print the JSON Schema (draft-07) of the config."""
    package = Path(planet.__file__).parent
    # A wheel has it in the package, a checkout beside it.
    inside, beside = package / _SCHEMA, package.parent / _SCHEMA
    click.echo((inside if inside.is_file() else beside).read_bytes(), nl=False)


_SCHEMA = "config.schema.json"
