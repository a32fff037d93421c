"""`planet schema`: for editors that complete and check YAML."""

from __future__ import annotations

import json

import click

from planet.config import json_schema


@click.command("schema")
def command() -> None:
    """Print the JSON Schema (draft-07) of the config."""
    click.echo(json.dumps(json_schema(), indent=2))
