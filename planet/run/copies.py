"""Pictures in new entries → small copies in the state, and files of the site.

Each picture is asked for once, through the client of feeds and by the manners of it, and only in a
run that asks for a feed. A worker makes the copy, for what comes may be made to do harm.
"""

from __future__ import annotations

from functools import partial
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from planet.model import (
    Conditions,
    ContentMode,
    FetchPolicy,
    File,
    Images,
    PollRequest,
    StoredPicture,
    fingerprint,
)
from planet.run.changes import is_held_back
from planet.run.faces import AGAIN, PictureAnswers, has_asked_somebody, picture_feed
from planet.run.poll import poll
from planet.run.texts import texts_of
from planet.site.pages.readable import list_pictures
from planet.text import address
from planet.text.pictures import shrink_picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from planet.config import Config
    from planet.model import Feed, FeedState
    from planet.report import Report
    from planet.run.open import Run, Scope


NEWEST: Final = 200
"""Entries whose pictures are copied, of all feeds together."""
PER_ENTRY: Final = 4
"""Pictures of one entry that are copied, its first."""
MOST: Final = 400
"""Copies that are kept: 60 MB at most, and a tenth of that as a rule."""
MOST_ENDED: Final = MOST // 2
"""How many of these may be of sites that have ended, the last that were made."""
PER_RUN: Final = 60
"""Pictures that are asked for in one run."""
_POLICY: Final = FetchPolicy(max_size=4 * 1024 * 1024)


def refresh_copies(
    config: Config, feeds: Sequence[Feed], *, run: Run, scope: Scope, report: Report
) -> None:
    """Copy the pictures of the newest entries that were not asked for yet.

    Raises:
        StateError: what came cannot be stored.
    """
    if not has_asked_somebody(report, run):
        return
    pictures, now = run.store.pictures, run.clock()
    stored = pictures.read()
    known = {url: one for url, one in stored.items() if one.feed}
    copied = {feed.key: feed for feed in feeds if feed.enabled and feed.images is Images.COPIED}
    # A site that has ended cannot be asked again.
    ended = [
        one
        for one in known.values()
        if one.kind and one.feed in copied and copied[one.feed].is_archived
    ]
    ended.sort(key=lambda one: one.asked_at, reverse=True)
    kept = {one.url for one in ended[:MOST_ENDED]}
    running = {key: feed for key, feed in copied.items() if not feed.is_archived}
    wanted = _choose_pictures(config, running, run, MOST - len(kept)) if running else {}
    # A face is asked for in its own time.
    wanted = {url: key for url, key in wanted.items() if url in known or url not in stored}
    pictures.drop(known.keys() - wanted.keys() - kept)
    # Nobody is asked twice for a picture that came; for another, a month later.
    due = (
        url
        for url, key in wanted.items()
        if copied[key].is_asked and scope.asks(copied[key])
        if url not in known
        or not (known[url].kind or known[url].asked_at <= now < known[url].asked_at + AGAIN)
    )
    asked = [StoredPicture(url=url, asked_at=now, feed=wanted[url]) for url in islice(due, PER_RUN)]
    if not asked:
        return
    # Written down first: a run that is killed over and over asks for none again.
    pictures.note(asked)
    states, left = run.store.states(), {one.url: one for one in asked}
    requests = [_request(one, states) for one in asked]
    journal = run.journal(of_feeds=False)
    for feed, fetched, _ in poll(requests, journal, run, rules=PictureAnswers()):
        picture = left.pop(feed.url)
        if fetched.body:
            copy = run.workers.call(shrink_picture, fetched.body).result()
            if isinstance(copy, bytes):
                pictures.put(replace(picture, kind="webp", answered_url=fetched.url), copy)
    # Those that there was no time for, or whose servers are to be left alone.
    pictures.drop(left.keys() - known.keys())


def _request(picture: StoredPicture, states: Mapping[str, FeedState]) -> PollRequest:
    """Return the request for a picture. What the operator sends along for the feed is not in it."""
    state = states.get(picture.feed or "")
    # Nobody outside leads us into a private network.
    feed = picture_feed(picture.url, is_led=not (state and state.is_inside))
    return PollRequest(feed=replace(feed, policy=_POLICY), conditions=Conditions.NONE)


def _choose_pictures(
    config: Config, feeds: Mapping[str, Feed], run: Run, most: int
) -> dict[str, str]:
    """Return the addresses of pictures to copy, each with the key of its feed, the newest first."""
    newest = [
        entry
        for entry in run.store.entries.newest(feeds, NEWEST)
        if feeds[entry.feed].content is ContentMode.FULL
        and not is_held_back(entry.rank, feeds[entry.feed].new_feed_entries)
    ]
    texts = texts_of(config, run)([entry.number for entry in newest])
    chosen: dict[str, str] = {}
    for entry in newest:
        shown = [*list_pictures(texts.get(entry.number, "")), *filter(None, [entry.image])]
        for url in shown[:PER_ENTRY]:
            # One with a secret in it would be sent where the operator never sent it.
            if address.without_secrets(url) and not run.redactor.covers(url) and len(chosen) < most:
                chosen.setdefault(url, entry.feed)
    return chosen


def copy_files(feeds: Iterable[Feed], *, run: Run) -> dict[str, dict[str, File]]:
    """Return the files of copies by the key of their feed, and by the address of the picture."""
    copied = {feed.key for feed in feeds if feed.images is Images.COPIED}
    files: dict[str, dict[str, File]] = {}
    for url, one in run.store.pictures.read().items() if copied else ():
        if one.feed in copied and one.body_hash:
            name = blake2b(url.encode(errors="surrogatepass"), digest_size=8).hexdigest()
            files.setdefault(one.feed, {})[url] = File(
                path=f"pictures/{name}.webp",
                fingerprint=fingerprint(one.body_hash),
                make=partial(run.store.pictures.body, url),
            )
    return files
