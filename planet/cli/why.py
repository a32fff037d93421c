"""`planet why`: the answer to "why is my post not shown"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planet.cli import options
from planet.cli.options import clock, looked_at
from planet.model import handle
from planet.report import Exit, printable
from planet.text import account
from planet.text.address import redacted, same

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from planet.timeline.explain import Answer, Explanation, Known, Terms


_MOST_LISTED = 20
_MOST_FEEDS = 5
_NOWHERE = "nowhere"


@click.command("why")
@options.config_option
@options.state_option
@click.argument("words", nargs=-1, required=True, metavar="URL|ID|WORDS...")
def command(config_path: Path, state: Path | None, words: tuple[str, ...]) -> int:
    """Tell whether an entry is shown and where, or why not and what would show it.

    It is named by its address, its ID as `planet preview` has it, or words of its title. Of the
    address of a feed, or of anything else on its site, it tells how that feed is. Nobody is asked.
    The exit code is 2 when no feed has it, and it is no feed's address either.
    """
    from planet.config.mistakes import Places
    from planet.timeline.explain import Terms, entries, look
    from planet.timeline.explanations import Speaker

    config = options.read_config(config_path, state=state)
    name, places, at = " ".join(words), Places(config.path), clock()
    with looked_at(config) as shelf:
        for number, site in enumerate(config.sites):
            known = look(site, shelf.feeds, store=shelf.store, episodes=shelf.episodes, now=at)
            terms = Terms(places, site)
            found = entries(name, known)
            if not found:
                answers = _nowhere(name, known, terms)
                _tell(answers)
                return Exit.USAGE if answers[0].reason == _NOWHERE else Exit.DONE
            if not _are_one(found):
                _list(found)
                break
            if site.site.name:
                click.echo(("\n" if number else "") + f"In {terms.edition}:")
            _tell(Speaker(known, terms).answer(verdict) for verdict in found)
    return Exit.DONE


def _are_one(found: Sequence[Explanation]) -> bool:
    """Whether the entries are one thing: a single one, or what several feeds have of it."""
    links = {verdict.entry.link for verdict in found}
    feeds = {verdict.entry.feed for verdict in found}
    return len(found) == 1 or (len(links) == 1 and len(feeds) == len(found))


def _nowhere(name: str, known: Known, terms: Terms) -> list[Answer]:
    """What to say of something that no feed has: how the feeds are that it may be of."""
    from planet.config.values import spoken
    from planet.timeline.explain import Answer, feeds, state

    of_site = feeds(name, known)
    answers = [state(feed, known, terms) for feed in of_site[:_MOST_FEEDS]]
    kept = spoken(known.config.retention.entries)
    if of_site:
        said = "What is known of the feed of that site:"
        if len(of_site) > 1:
            said = f"What is known of feeds of that site, of which there are {len(of_site)}:"
    elif "://" in name:
        said = "No feed is of that site, either; `planet add` adds one."
    else:
        said = "Its address finds it better than words of its title."
    nowhere = (
        "None of the feeds has listed it when they were read.",
        f"What a feed no longer lists is forgotten after {kept} (`retention.entries`).",
        said,
    )
    if any((account.name(name) or same(name)) == feed.url for feed in of_site):
        return answers
    return [Answer(reason=_NOWHERE, subject=redacted(name), words=nowhere), *answers]


def _tell(answers: Iterable[Answer]) -> None:
    for number, answer in enumerate(answers):
        if number:
            click.echo()
        click.echo(printable(answer.subject))
        for words in answer.words:
            click.echo(f"  {printable(words)}")


def _list(found: Sequence[Explanation]) -> None:
    for verdict in found[:_MOST_LISTED]:
        entry = verdict.entry
        title = printable(f"{verdict.name}: {entry.heading}")
        click.echo(f"{handle(entry.feed, entry.id)}  {verdict.when:%Y-%m-%d}  {title}")
    more = f", of which these are the newest {_MOST_LISTED}" if len(found) > _MOST_LISTED else ""
    click.echo(f"{len(found)} entries are meant{more}; name one by its ID", err=True)
