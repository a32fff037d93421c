"""The whole run: bring every feed up to date, then publish what they say together. Start here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planet.run.maintain import retire
from planet.run.pictures import refresh_pictures
from planet.run.publish import publish_sites
from planet.run.update import update
from planet.transform import transform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planet.config import Config
    from planet.model import Feed
    from planet.report import Report
    from planet.run.open import Run, Scope


def build(
    config: Config,
    feeds: Sequence[Feed],
    *,
    run: Run,
    scope: Scope,
    report: Report,
    if_changed: bool = False,
) -> None:
    """Bring every feed up to date, then publish what they say together.

    One feed that fails stops no other, and what it said before stays on the page. When nothing
    trustworthy came together the report says so, and the site stays as it was; it does so too when
    an exception ends the run. A run that is killed at any moment has lost nothing, and the next
    one asks nobody again for what arrived. What is too old is deleted last, when the site that
    shows it no more is trusted. `if_changed` is as for `publish_sites`.
    """
    fetch(config, feeds, run=run, scope=scope, report=report)
    run.workers.rest()
    if report.refused is None:
        publish_sites(config, feeds, run=run, report=report, if_changed=if_changed)
    if report.refused is None:
        retire(config, feeds, run=run)


def fetch(config: Config, feeds: Sequence[Feed], *, run: Run, scope: Scope, report: Report) -> None:
    """Bring every feed up to date, and what the site shows besides; the site stays as it was."""
    update(config, feeds, run=run, scope=scope, report=report)
    refresh_pictures(config, feeds, run=run, scope=scope, report=report)
    transform(config, feeds, run=run, report=report)
