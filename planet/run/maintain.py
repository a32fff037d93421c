"""What no run needs any more → gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.model import Picks
from planet.run.open import trusted_now
from planet.run.pictures import face_feed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planet.config import Config
    from planet.model import Feed, FeedState
    from planet.run.open import Run


def forget(
    config: Config, feeds: Sequence[Feed], states: Mapping[str, FeedState], run: Run
) -> None:
    """Let go of episodes and of bodies that no feed will come back for."""
    run.store.entries.drop_episodes(except_of=[f.key for f in feeds if f.picks is Picks.ONLY])
    wanted = {feed.key: feed for feed in (*feeds, *config.subscriptions)}
    known = {key: (feed, states.get(key)) for key, feed in wanted.items()}
    if any(feed.is_asked and state and state.interrupted for feed, state in known.values()):
        # Its body may be there under an address that nobody lived to write down.
        return
    left = [state for key, state in states.items() if key not in wanted and state.answered_url]
    if left or run.is_connected:
        faces = run.store.pictures.read().values()
        run.web.keep_only(
            [
                *((feed, state.answered_url if state else None) for feed, state in known.values()),
                *((face_feed(one.url), one.answered_url) for one in faces),
            ]
        )
    for state in left:
        run.store.keep(replace(state, answered_url=None))


def keep_archived(feeds: Sequence[Feed], *, run: Run) -> None:
    """Have retention keep all that archived feeds said."""
    run.store.entries.keep_listed([feed.key for feed in feeds if feed.is_archived])


def retire(config: Config, feeds: Sequence[Feed], *, run: Run) -> None:
    """Let go of what retention no longer keeps: for good, so only once no site misses it."""
    keep_archived(feeds, run=run)
    retention, now = config.retention, trusted_now(run)
    # What a filter reads has to last as long as what it decides about.
    reads_texts = any(one.reads_texts for one in (config.filters, *(f.filters for f in feeds)))
    run.store.retire(
        (feed.key for feed in feeds if feed.picks is Picks.ALSO),
        entries_before=now - retention.entries,
        texts_before=now - (retention.entries if reads_texts else retention.content),
    )
    known = {feed.key for feed in (*feeds, *config.subscriptions)}
    run.store.forget_left(known, before=now - retention.entries)
