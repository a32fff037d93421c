"""`planet actor`: who signs our requests, for the servers that look it up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import click

from planet.cli import options
from planet.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


@click.command("actor")
@options.config_option
def command(config_path: Path) -> None:
    """Print the actor in whose name requests are signed, with the public half of the key.

    It belongs at the address that `fetch.signature.key_id` names, without what follows the "#".
    """
    from planet.run.runtime import signer

    config = options.read_config(config_path)
    key, signs = config.fetch.signature, signer(config)
    if key is None or signs is None:
        raise UsageError("the config has no fetch.signature, so that no request is signed")
    actor = key.key_id.partition("#")[0]
    said: dict[str, Any] = {
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
    click.echo(json.dumps(said, indent=2, ensure_ascii=False))
