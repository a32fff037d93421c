"""A config of before → its feeds, as far as they can be understood.

What is wrong in it is no business of those who compare another config with it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from planet.config import settings, values, yaml
from planet.config.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from planet.config.nouns import Config


def earlier(data: bytes, *, path: Path, environ: Mapping[str, str]) -> Config:
    """What `data` would say as the file at `path`, without all in it that is wrong."""
    expand = partial(values.expanded, environ=environ)
    document, _ = yaml.read(data, file=str(path), expand=expand)
    config, _ = resolve(settings.check(document.root.value), document, path=path)
    return config
