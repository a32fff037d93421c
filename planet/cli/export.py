"""`planet export`, `planet actor` and `planet schema`: what other programs read."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import click

from planet.cli import options
from planet.config.schema import json_schema
from planet.errors import UsageError
from planet.model import Profile
from planet.report import Exit, counted
from planet.run.overview import planet_state
from planet.text import address

if TYPE_CHECKING:
    from pathlib import Path

    from planet.config import Config
    from planet.model import Feed
    from planet.run.overview import PlanetState
    from planet.site.feeds.markup import Xml


@click.command("export")
@options.takes_config
@click.argument("file", required=False, type=options.FILE)
def command(config: Config, file: Path | None) -> int:
    """Write the feeds of the config and of its lists as OPML 2.0, to FILE or to standard output.

    Feeds that are not enabled are left out, and those whose address holds a secret, or is a file
    or the name of an account.
    """
    from planet.config.files import write_whole
    from planet.site.feeds.opml import write

    planet = planet_state(config)
    enabled = [feed for feed in planet.feeds if feed.enabled]
    outlines = tuple(filter(None, (_outline(feed, planet) for feed in enabled)))
    document = write(config.title, config.owner.name, _public(config.owner.url), outlines)
    if file is None:
        # As bytes: it says itself that it is UTF-8, whatever the terminal can show.
        # A command to some CI systems wherever it stands; in XML it can be said in another way.
        click.echo(re.sub(rb"(?i)##(?=(?:vso)?\[)", b"#&#35;", document), nl=False)
    else:
        write_whole(file, document)
        click.echo(f"{file} is written: {counted(len(outlines), 'feed')}", err=True)
    if left := len(enabled) - len(outlines):
        what = counted(left, "feed is", "feeds are")
        click.echo(f"{what} left out: a file, a name, or an address with a secret in it", err=True)
    return Exit.DONE


def _outline(feed: Feed, planet: PlanetState) -> Xml | None:
    """A feed as others may see it; None when nobody else may ask for it."""
    from planet.site.feeds.opml import outline

    url = address.public(feed.url)
    if url is None or feed.is_hidden:
        return None
    state = planet.states.get(feed.key)
    profile = (state and state.profile) or Profile(format="")
    return outline(
        feed.name or profile.title or url,
        url,
        page=_public(feed.link or profile.link),
        description=profile.description,
        # Both part categories from each other, so that none can be in one.
        category=",".join(" ".join(re.split(r"[\s,/]+", tag)) for tag in feed.tags) or None,
    )


def _public(url: str | None) -> str | None:
    return address.public(url) if url else None


@click.command("actor")
@options.config_option
def actor(config_path: Path) -> None:
    """Print the actor in whose name requests are signed, with the public half of the key.

    It belongs at the address that `fetch.signature.key_id` names, without what follows the "#".
    """
    from planet.run.runtime import signer

    config = options.read_config(config_path)
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
    click.echo(json.dumps(json_schema(), indent=2))
