"""A feed that the planet may get → what would become of its entries; nobody is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.config.subscriptions import list_feeds
from planet.explain.outcomes import Outcomes
from planet.run.ingest import decide
from planet.schedule import current_state
from planet.store import Store

if TYPE_CHECKING:
    from datetime import datetime

    from planet.config import Config
    from planet.explain.outcomes import Explanation
    from planet.model import ParseResult


def preview_feed(
    config: Config, url: str, reading: ParseResult, *, now: datetime
) -> tuple[Explanation, ...]:
    """Explain what would become of a feed's entries if a run had read it just now; newest first.

    `config` has a feed with the address `url`, and `reading` is what came from there. The answer is
    for the first edition that shows the feed. A copy of the state is written to and thrown away.

    Raises:
        StateError: the state cannot be read.
    """
    with Store.copy(config.state, config.redactor) as store:
        feeds = list_feeds(config, store.lists.read())
        feed = next(feed for feed in feeds if feed.url == url)
        state = replace(
            current_state(feed, store.states().get(feed.key)),
            profile=reading.profile,
            picks=feed.picks,
        )
        rows = store.entries.rows(feed.key, picks=feed.picks)
        store.keep(state, decide(feed, reading, rows, store=store, now=now))
        shown_by = [site for site in config.sites if site.site.shows(feed)]
        site = (*shown_by, *config.sites)[0]
        return tuple(Outcomes(site, feeds, store=store, now=now).of_feeds([feed.key]))
