"""`planet import`, `export`, `actor` and `schema`: from other programs, and for them."""

from __future__ import annotations

import json
import re
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urljoin

import click
from msgspec.structs import replace

import planet
from planet.cli import options
from planet.errors import Problem, UsageError
from planet.explain.status import PlanetState, load_planet_state
from planet.model import Feed, Profile
from planet.report import format_count, printable
from planet.text import address

if TYPE_CHECKING:
    from planet.cli.options import ConfigFile
    from planet.config import Config
    from planet.config.other_planets import ForeignConfig
    from planet.site.feeds.opml import ListedFeed


class _New(NamedTuple):
    """The feeds and lists of another program that can be polled."""

    feeds: list[dict[str, Any]]
    lists: list[str]
    there: list[Problem]
    """Those that are in the config already."""


@click.command("import")
@options.pass_file
@click.argument("list", required=False, type=options.FILE, metavar="[FILE]")
@click.option("--venus", type=options.FILE, help="A config.ini of Planet 2.0 or Venus.")
@click.option("--pluto", type=options.FILE, help="A planet.ini of Pluto.")
@click.option("--dry-run", is_flag=True, help="Tell what would be taken over, and write nothing.")
def import_(config_file: ConfigFile, dry_run: bool, **sources: Path | None) -> None:
    """Add the feeds of a list (OPML, CSV, text), or of another planet, to the config.

    The rest of the config stays as it is; if there is no config, one is made. The command prints a
    line with the reason for everything that it cannot take over.
    """
    from planet.cli.add import read_editable, read_text, write_config

    named = {name: source for name, source in sources.items() if source is not None}
    if len(named) != 1:
        raise UsageError("name one file: a list of feeds, or what --venus or --pluto is to read")
    foreign = _read_file(*named.popitem())
    foreign.left += foreign.planet.left
    path = config_file.path
    is_new = not path.exists()
    if is_new:
        before, planet = _make_first_config(foreign), PlanetState()
    else:
        planet = load_planet_state(read_editable(config_file))
        before = read_text(path)
        words = f"of the planet is left as it is in {path}: only feeds are added to a config"
        for name, place in foreign.planet.places.items():
            foreign.left.append(Problem(place, f"{name} {words}"))
    new = _gather(foreign, planet)
    after = _add_to_config(path, before, foreign, new)
    if not dry_run and after != before:
        write_config(path, after, before="" if is_new else before)
    _print_result(foreign, new, path, is_new=is_new, dry_run=dry_run)


_BEFORE_MARKUP: Final = b"\xef\xbb\xbf \t\r\n"


def _read_file(kind: str, file: Path) -> ForeignConfig:
    from planet.config.opml import parse_opml
    from planet.config.other_planets import ForeignConfig, ForeignItem, read_planet_ini
    from planet.config.plain_lists import read_list
    from planet.errors import ConfigError

    data = options.read_file(file)
    if kind != "list":
        return read_planet_ini(data, file=str(file))
    if not data.lstrip(_BEFORE_MARKUP).startswith(b"<"):
        return read_list(data, file=str(file))
    listed = parse_opml(data, file=str(file), partly=True)
    if listed.problems and not listed.outlines:
        raise ConfigError(listed.problems)
    foreign = ForeignConfig.empty(str(file))
    for item in listed.outlines:
        foreign.feeds.append(ForeignItem(settings=item.settings, place=item.place))
    foreign.lost += [(problem,) for problem in listed.problems]
    foreign.repairs += listed.repairs
    return foreign


def _make_first_config(foreign: ForeignConfig) -> str:
    """Return a config without feeds, with the settings of the other program's planet."""
    from planet import project_address
    from planet.config.other_planets import convert_planet
    from planet.config.yaml import dump_list

    planet = convert_planet(foreign.planet)
    foreign.left += planet.problems
    # A mapping is an item of a list without its dash.
    settings = re.sub(r"^(?:- |  )", "", dump_list([planet.settings]), flags=re.MULTILINE)
    words = "`planet check` finds mistakes in this file, `planet build` makes the site."
    head = f"# yaml-language-server: $schema={project_address('Config schema')}"
    return f"{head}\n#\n# {words}\n\n{settings}\n"


def _gather(foreign: ForeignConfig, planet: PlanetState) -> _New:
    """Sort out which of the feeds and lists that were found are new."""
    from planet.config.other_planets import convert_feed

    new = _New([], [], [])
    places = {url: feed.place for url, feed in planet.by_address().items()}
    for wanted in (*foreign.feeds, *foreign.lists):
        converted = convert_feed(wanted)
        foreign.repairs += converted.repairs
        foreign.left += wanted.left
        item = converted.settings
        if "url" not in item:
            foreign.lost.append(converted.problems)
            continue
        foreign.left += converted.problems
        foreign.extra += wanted.extra
        url = address.normalize(str(item["url"]))
        schemeless = address.without_scheme(url)
        if address.make_absolute(url) is None:
            words = f"{url} is no web address; if it is a file, write its path into the config"
            foreign.lost.append((Problem(wanted.place, words),))
        elif schemeless in places:
            words = f"{address.redact(url)} is there already: {places[schemeless]}"
            new.there.append(Problem(wanted.place, words))
        else:
            places[schemeless] = wanted.place
            if wanted in foreign.lists:
                new.lists.append(url)
            else:
                new.feeds.append(item)
    return new


def _add_to_config(path: Path, before: str, foreign: ForeignConfig, new: _New) -> str:
    """Return the text of the config with the new feeds and lists, after checking it."""
    from planet.cli.add import parse_text
    from planet.config.edits import add_items

    feeds = [feed["url"] if list(feed) == ["url"] else feed for feed in new.feeds]
    after = add_items(before, feeds, file=str(path)) if feeds else before
    if new.lists:
        after = add_items(after, new.lists, file=str(path), name="subscriptions")
    if after != before:
        parse_text(path, after)
    elif not path.exists():
        reasons = [*chain.from_iterable(foreign.lost), *foreign.left]
        raise UsageError(
            _format_problems(reasons) + "there is no feed in it that could be taken over"
        )
    return after


def _print_result(
    foreign: ForeignConfig, new: _New, path: Path, *, is_new: bool, dry_run: bool
) -> None:
    lost, left = foreign.lost, foreign.left
    for title, problems in (
        ("There already", new.there),
        ("Feeds not taken over", [*chain.from_iterable(lost)]),
        ("Settings not taken over", left),
        ("Kept for templates", foreign.extra),
        ("Read in another way than it is written", foreign.repairs),
    ):
        if problems:
            click.echo(f"{title}:\n{_format_problems(problems)}", nl=False)
    what = format_count(len(new.feeds), "feed")
    if new.lists:
        what += f" and {format_count(len(new.lists), 'subscription list')}"
    verb = "would be taken" if dry_run else "taken"
    where = f"a new {path}" if is_new else str(path)
    words = f"{what} {verb} into {where}, {len(new.there)} there already, {len(lost)} not taken"
    if left:
        words += f"; {format_count(len(set(left)), 'setting')} not taken"
    click.echo(words)


def _format_problems(problems: list[Problem]) -> str:
    """Format problems by their places; what is said of several is said once, with their lines."""
    ordered = sorted(dict.fromkeys(problems), key=lambda one: one.place.line if one.place else 0)
    by_words: dict[str, list[Problem]] = {}
    for problem in ordered:
        by_words.setdefault(problem.message, []).append(problem)
    return "".join(
        f"  {alike[0].place}  {_count_alike(alike)}{printable(words)}\n"
        for words, alike in by_words.items()
    )


_LINES: Final = 10
"""How many lines are named of those that have the same message."""


def _count_alike(alike: list[Problem]) -> str:
    if len(alike) == 1:
        return ""
    lines = [str(problem.place.line) for problem in alike[:_LINES] if problem.place]
    more = ", …" if len(alike) > _LINES else ""
    return f"{len(alike)} times (lines {', '.join(lines)}{more}): "


@click.command("export")
@options.pass_config
@click.argument("file", required=False, type=options.FILE)
def export(config: Config, file: Path | None) -> None:
    """Write the feeds of the config and of its lists as OPML 2.0, to FILE or to standard output.

    It leaves out feeds that are not enabled, files, accounts, and addresses with a secret.
    """
    from planet.config.edits import replace_file
    from planet.site.feeds.opml import write_opml

    planet = load_planet_state(config)
    enabled = [feed for feed in planet.feeds if feed.enabled]
    outlines = tuple(filter(None, (_make_outline(feed, planet) for feed in enabled)))
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


def _make_outline(feed: Feed, planet: PlanetState) -> ListedFeed | None:
    """Return a feed as an outline; None when its address is not for others."""
    from planet.site.feeds.opml import ListedFeed

    url = address.without_secrets(feed.url)
    if url is None or feed.is_hidden:
        return None
    state = planet.states.get(feed.key)
    profile = (state and state.profile) or Profile(format="")
    return ListedFeed(
        title=feed.name or profile.title or url,
        url=url,
        page=_public_address(feed.link or profile.link),
        description=profile.description,
        # Both part categories from each other, so that none can be in one.
        category=",".join(" ".join(re.split(r"[\s,/]+", tag)) for tag in feed.tags) or None,
        is_archived=feed.is_archived,
        links=profile.links if feed.links is None else feed.links,
    )


def _public_address(url: str | None) -> str | None:
    return address.without_secrets(url) if url else None


@click.command("actor")
@options.config_option
def actor(config_path: Path) -> None:
    """Print the actor in whose name requests are signed, with the public half of the key.

    It belongs at the address that `fetch.signature.key_id` names, without what follows the "#".
    """
    from planet.run.open import signer

    config = options.ConfigFile(path=config_path).read()
    key, signs = config.fetch.signature, signer(config)
    if key is None or signs is None:
        raise UsageError("the config has no fetch.signature, so that no request is signed")
    actor = key.key_id.partition("#")[0]
    document: dict[str, Any] = {
        "@context": ["https://www.w3.org/ns/activitystreams", "https://w3id.org/security/v1"],
        "id": actor,
        "type": "Application",
        "preferredUsername": "planet",
        "name": config.title,
        "url": config.link or actor,
        # ActivityPub §4.1: every actor has these; nobody listens there.
        "inbox": urljoin(actor, "inbox"),
        "outbox": urljoin(actor, "outbox"),
        "publicKey": {"id": key.key_id, "owner": actor, "publicKeyPem": signs.public_key()},
    }
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


@click.command("schema")
def schema() -> None:
    """Print the JSON Schema (draft-07) of the config."""
    package = Path(planet.__file__).parent
    # A wheel has it in the package, a checkout beside it.
    inside, beside = package / _SCHEMA, package.parent / _SCHEMA
    click.echo((inside if inside.is_file() else beside).read_bytes(), nl=False)


_SCHEMA = "config.schema.json"
