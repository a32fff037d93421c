"""Configs for tests: written to a folder, and read from there."""

import re
from pathlib import Path

import pytest

from planet.config import Config, load
from planet.errors import ConfigError
from planet.model import Feed
from tests.cases import case, cases


def loaded(folder: Path, text: str | bytes, **environ: str) -> Config:
    """What `text` says as the config of a planet in `folder`."""
    path = folder / "config.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(path, environ=environ)


def complaints(folder: Path, text: str | bytes, **environ: str) -> list[str]:
    """What is said to be wrong with `text`, each as "line:column  message"."""
    try:
        loaded(folder, text, **environ)
    except ConfigError as error:
        return [str(problem).replace(f"{folder}/config.yaml:", "") for problem in error.problems]
    return []


def only_feed(folder: Path, feed: str, **environ: str) -> Feed:
    """The feed that stands as `feed` in a config with no other."""
    (found,) = loaded(folder, f"title: A planet\nfeeds:\n  - {feed}\n", **environ).feeds
    return found


def complained(names: str, table: str) -> pytest.MarkDecorator:
    """Rows of settings, with what is said of them indented below: its place, then the words."""
    rows = re.findall(r"((?:(?! {4}).*\n)+)((?: {4}.+\n)+)", table.removeprefix("\n"))
    return cases(
        names,
        *(
            case(text.rstrip() or "nothing", text[:-1], re.sub(r"\n? {4}", " ", said).strip())
            for text, said in rows
        ),
    )
