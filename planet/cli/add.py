"""`planet add`, `remove` and `peek`: feeds into a config, out of a config, or without one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import click

from planet.cli import options
from planet.cli.options import ConfigFile, clock
from planet.errors import FeedError, UsageError
from planet.explain.status import PlanetState, load_planet_state
from planet.report import Exit, Report, find_feed, format_count, printable
from planet.text import account, address
from planet.text.plain import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from planet.config import Config
    from planet.model import Feed, NewEntry
    from planet.peek import Discovery, FetchedFeed


_SHOWN: Final = 3
"""How many of a feed's entries are shown."""
_LONGEST: Final = 70
_LONGEST_NAME: Final = 100
"""The most characters of a feed's name in a form."""
_START: Final = datetime.min.replace(tzinfo=UTC)


@click.command("add")
@options.pass_file
@click.argument("url", required=False)
@click.option("--name", metavar="NAME", help="What to call it; without, its own title.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A group it belongs to.")
@options.form_option("Add a blog")
@click.option("--dry-run", is_flag=True, help="Show the feed, and leave the config as it is.")
@options.log_option
def command(
    config_file: ConfigFile,
    url: str | None,
    name: str | None,
    tags: tuple[str, ...],
    form_path: Path | None,
    dry_run: bool,
) -> None:
    """Ask for a feed and add it to the config, whose other lines stay.

    URL is the address of the feed, or of a page that names the feed; or the name of an account, as
    @user@host or at://handle, or the address of a profile. With --form, the address has to be in
    the public Internet.
    """
    from planet.config.edits import add_items
    from planet.peek import discover
    from planet.run.open import open_run

    if form_path is not None:
        if url or name or tags:
            raise UsageError("--form says what to add; say no more")
        url, name = _read_form(form_path)
    if url is None:
        raise UsageError("say which feed to add: its address, or that of its home page")
    url = _parse_address(url)
    settings = _parse_settings(name, tags)
    if form_path is not None:
        # The name may lead elsewhere by the first build.
        settings["public"] = True
    config = config_file.read(needs_feeds=False)
    planet = load_planet_state(config)
    _refuse_known(planet, {url})
    with open_run(config, clock) as run:
        found = discover(url, config, run, is_led=form_path is not None)
    for words in _describe(found):
        click.echo(words)
    _refuse_known(planet, {found.url, *found.also_at})
    item = {"url": found.url, **settings} if settings else found.url
    config = config_file.edit(
        lambda text: add_items(text, [item], file=str(config_file.path)), dry_run=dry_run
    )
    feed = next(one for one in config.feeds if one.url == found.url)
    verb = "would be added" if dry_run else "is added"
    called = f" as {printable(feed.name)}" if feed.name else ""
    click.echo(f"{feed.place}  {address.redact(feed.url)} {verb}{called}")
    if not dry_run:
        _read(feed, config)
        click.echo("The next `planet build` shows it.", err=True)


def _read(feed: Feed, config: Config) -> None:
    """Read the answer for a new feed, so that no run asks for it within the hour (R47)."""
    from planet.run.build import update
    from planet.run.open import Scope, open_run
    from planet.run.recover import recover

    feeds, report = load_planet_state(config).feeds, Report(started=clock())
    with open_run(config, clock) as run:
        recover(config, feeds, run=run, scope=Scope(), report=report)
        run.store.attempt([feed], run.clock())
        scope = Scope(offline=True, only=frozenset({feed.key}))
        update(config, feeds, run=run, scope=scope, report=report)


def _read_form(path: Path) -> tuple[str, str | None]:
    """Return the address and the name of a form, which anybody may fill in.

    Raises:
        UsageError: the form cannot be read, or asks for something forbidden.
    """
    url, name, _ = options.read_fields(path, "Add a blog", ("Address", "Name", "Note"))
    if not url:
        raise UsageError("the form has no address")
    # In the config that would be taken from the environment, where secrets are.
    if "${" in url + name:
        raise UsageError('the form has "${" in it; write it without')
    if len(name) > _LONGEST_NAME:
        raise UsageError(f"the name in the form has more than {_LONGEST_NAME} characters")
    return url, name or None


def _parse_address(text: str) -> str:
    """Return the address of a feed, page or account; `https://` may be left out.

    Raises:
        UsageError: the text is no web address.
    """
    from planet.config.kinds import check_address, without_feed_scheme

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


def _refuse_known(planet: PlanetState, addresses: Iterable[str]) -> None:
    """Refuse an address whose feed is in the config already.

    Raises:
        UsageError: there is one; with the line of the config.
    """
    there = planet.by_address()
    found = (there.get(address.without_scheme(url)) for url in addresses)
    if feed := next(filter(None, found), None):
        off = ", where it is archived" if feed.is_archived else ""
        off = off if feed.enabled else ", where it is not enabled"
        name = printable(planet.name_of(feed))
        raise UsageError(f"{name} is there already: {feed.place}{off}")


def _parse_settings(name: str | None, tags: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings of a new feed.

    Raises:
        UsageError: the name or a tag is empty, or cannot be written.
    """
    from planet.config.kinds import one_line

    settings: dict[str, Any] = {}
    try:
        if name is not None:
            settings["name"] = one_line(name)
        if tags:
            settings["tags"] = list(dict.fromkeys(map(one_line, tags)))
    except ValueError as error:
        raise UsageError(f"a name or a tag {error}") from None
    return settings


def _describe(discovery: Discovery) -> Iterator[str]:
    """Yield the description of a feed, in lines for a terminal."""
    if discovery.page is not None:
        yield f"{address.redact(discovery.page)} is a page, which names this feed:"
    profile, entries = discovery.feed.profile, discovery.feed.drafts
    count = format_count(len(entries), "entry", "entries")
    yield printable(f"{profile.title or '(without a title)'}: {profile.format}, {count}")
    for entry in sorted(entries, key=_date, reverse=True)[:_SHOWN]:
        day = "(undated)" if _date(entry) == _START else f"{_date(entry):%Y-%m-%d}"
        yield f"  {day}  {printable(shorten(entry.title or '(without a title)', _LONGEST))}"
    for other in discovery.others:
        called = f"{other.title}, " if other.title else ""
        yield printable(f"The page names another feed: {called}{address.redact(other.url)}")


def _date(entry: NewEntry) -> datetime:
    return entry.published or entry.updated or _START


@click.command("remove")
@options.pass_config
@click.argument("names", nargs=-1, required=True, metavar="NAME-or-URL...")
def remove(config: Config, names: tuple[str, ...]) -> None:
    """Remove feeds from the config, whose other lines stay: all named feeds, or none.

    NAME is a name from `planet status`, an id, or a folder on the site.
    """
    from planet.config import yaml
    from planet.config.edits import find_addresses, remove_items

    file, planet = str(config.path), load_planet_state(config)
    feeds = {feed.key: feed for feed in (_find_one(name, planet, file) for name in names)}
    if len(feeds) == len(planet.feeds) and not config.subscriptions:
        raise UsageError("nothing would be left to read; add another feed first")

    def remove_feeds(text: str) -> str:
        paths = find_addresses(yaml.read(text, file=file))
        gone = {paths[feed.place] for feed in feeds.values() if feed.place is not None}
        return remove_items(text, {int(number) for _, number, *_ in gone}, file=file)

    ConfigFile(path=config.path).edit(remove_feeds)
    for feed in feeds.values():
        name, url = planet.name_of(feed), address.redact(feed.written_url)
        shown = printable(name if name == url else f"{name} ({url})")
        click.echo(f"{feed.place}  {shown} is gone")
    click.echo("The next `planet build` takes its posts off the site; picks of it stay.", err=True)


def _find_one(name: str, planet: PlanetState, file: str) -> Feed:
    """Find the one feed of the config with this name.

    Raises:
        UsageError: there is none, there are several, or the feed is in a list.
    """
    feed = find_feed(name, planet.feeds, planet.states)
    if feed.place is not None and feed.place.file != file:
        raise UsageError(
            f"{name!r} is not in {file}: it comes from a list; take it out there: {feed.place}"
        )
    return feed


@click.command("peek")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@options.log_option
def peek(urls: tuple[str, ...]) -> int:
    """Print the entries of feeds, newest first, as they arrive: "feed: entry".

    No config is needed. Answers are kept: a second call asks only for changes, and a call within
    the same hour sends no request. URL may also be the path of a file.
    """
    from planet import peek

    failed = False
    with peek.open_cache(None, clock) as run:
        for url, feed in peek.peek(urls, run=run):
            shown = address.redact(url)
            if isinstance(feed, FeedError):
                click.echo(printable(f"{shown}: {feed}"), err=True)
                failed = True
            else:
                _print_feed(shown, feed)
    return Exit.TOO_MANY_FAILED if failed else Exit.DONE


def _print_feed(shown: str, feed: FetchedFeed) -> None:
    for entry in sorted(feed.entries, key=lambda entry: entry.rank or 0):
        heading = entry.title or (entry.summary or "")[:80] or entry.link or entry.id
        click.echo(printable(f"{feed.title}: {heading}"))
    if not feed.asked:
        until = f" until {feed.next_at:%Y-%m-%d %H:%M} UTC" if feed.next_at else ""
        click.echo(printable(f"{shown}: not asked{until}; this is from the cache"), err=True)
