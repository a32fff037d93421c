"""What a run works with, and how far it goes: opened and said by the caller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planet.content import Cleaning

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from planet.config import Config
    from planet.fetch import Web
    from planet.store import Store
    from planet.workers import Workers


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a run works with, opened by the caller."""

    store: Store
    web: Web
    workers: Workers
    clock: Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which feeds a run asks for: those that are due, unless it says otherwise."""

    offline: bool = False
    """Nobody is asked; files, and bodies that are on disk already, are still read."""
    force: bool = False
    """Everybody is asked, due or not; still with validators."""
    only: frozenset[str] | None = None
    """The keys of the feeds to consider; None is all."""


def cleaning(config: Config) -> Cleaning:
    """How this planet's texts are cleaned."""
    return Cleaning(sanitizer=config.sanitizer, images=config.pages.images)
