"""Pictures of others → files of the site, so that whoever reads it asks nobody else.

Faces are those of sources: the operator's own files, and what feeds have for an icon, asked for
once a month. Copies are small ones of the pictures in new entries, each asked for once. Both are
asked for through the client of feeds and by the manners of it, and only in a run that asks for a
feed. Only what a feed, an entry or the config names is asked for, never a guess such as
`/favicon.ico`. A worker makes what is made smaller, for what comes may be made to do harm.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import partial
from hashlib import blake2b
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from planet.model import (
    Conditions,
    ContentMode,
    Feed,
    FetchPolicy,
    File,
    Images,
    PollRequest,
    StoredPicture,
    fingerprint,
)
from planet.run.changes import is_held_back
from planet.run.drawing import load_site_theme
from planet.run.poll import poll
from planet.run.texts import texts_of
from planet.site.pages.readable import list_pictures
from planet.text import address
from planet.text.pictures import FACE_SIDE, MAX_FACE, identify_picture, shrink_picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from planet.config import Config
    from planet.errors import FeedError
    from planet.model import FeedState, Fetched
    from planet.model.secrets import Redactor
    from planet.report import Report
    from planet.run.open import Run, Scope
    from planet.site.pages import Theme


_LOG = logging.getLogger(__name__)
AGAIN: Final = timedelta(days=30)
"""The least time between two requests for an icon, whatever came of the first."""
ICONS_PER_RUN: Final = 100
"""Icons that are asked for in one run: a new planet has as many as feeds."""
MOST_ICONS: Final = 1000
"""Icons that are kept, those of the first feeds of the config: together 100 MB at most."""
# The cover of a podcast is often ten times as large as a face: a small copy is made of it, where
# there is a library for that.
_LARGEST: Final = 2 * 1024 * 1024 if find_spec("PIL") else MAX_FACE
_ICON_POLICY: Final = FetchPolicy(timeout=timedelta(seconds=20), max_size=_LARGEST)
_GONE: Final = frozenset({"http_404", "http_410"})
_MOST_NAMED: Final = 3
NEWEST: Final = 200
"""Entries whose pictures are copied, of all feeds together."""
PER_ENTRY: Final = 4
"""Pictures of one entry that are copied, its first."""
MOST_COPIES: Final = 400
"""Copies that are kept: 60 MB at most, and a tenth of that as a rule."""
MOST_ENDED: Final = MOST_COPIES // 2
"""How many of these may be of sites that have ended, the last that were made."""
COPIES_PER_RUN: Final = 60
"""Pictures of entries that are asked for in one run."""
_COPY_POLICY: Final = FetchPolicy(max_size=4 * 1024 * 1024)


class PictureAnswers:
    """The rules for answers that have a picture (`planet.http.AnswerRules`)."""

    accept = "image/png, image/webp, image/jpeg, image/gif;q=0.9, image/*;q=0.5, */*;q=0.1"
    keeps_body = False

    def check_type(self, media_type: str) -> None:
        """Accept any type: the bytes say what they are."""

    def check_body(self, body: bytes, *, pages: bool) -> None:
        """Accept any body: whoever asked for it looks at it."""

    def breaks_off(self, body: bytes) -> bool:
        """Return False: only the connection can tell."""
        return False


def refresh_pictures(
    config: Config, feeds: Sequence[Feed], *, run: Run, scope: Scope, report: Report
) -> None:
    """Ask for icons whose month is over and for pictures of new entries, where sites show them.

    Nobody is asked in a run that asked for no feed but files, or could reach nobody.

    Raises:
        StateError: what came cannot be stored.
        ThemeError, ConfigError: the theme of a site is wrong.
    """
    has_asked = any(outcome.was_asked and not outcome.feed.is_file for outcome in report.outcomes)
    if not has_asked or run.reach.is_outage:
        return
    shown = feeds if any(shows_icons(load_site_theme(site)) for site in config.sites) else ()
    copied = {feed.key: feed for feed in feeds if feed.enabled and feed.images is Images.COPIED}
    states = run.store.states() if shown or copied else {}
    _refresh_icons(shown, states, run=run, scope=scope, report=report)
    _refresh_copies(config, copied, states, run=run, scope=scope)


# Faces of sources


def shows_icons(theme: Theme) -> bool:
    """Return whether a site shows what feeds have for an icon, by `faces` of its theme."""
    return theme.options.get("faces") is True


def _refresh_icons(
    feeds: Sequence[Feed],
    states: Mapping[str, FeedState],
    *,
    run: Run,
    scope: Scope,
    report: Report,
) -> None:
    """Ask for the icons of feeds whose month is over; forget those of others."""
    known = {url: one for url, one in run.store.pictures.read().items() if one.feed is None}
    wanted, now = _choose_icons(feeds, states, run.redactor), run.clock()
    # What is wanted again within the month is not asked for again, either.
    run.store.pictures.drop(
        [url for url in known.keys() - wanted.keys() if _is_due(known[url], now)]
    )
    due = (
        url
        for url, feed in wanted.items()
        if feed.is_asked and scope.asks(feed) and _is_due(known.get(url), now)
    )
    requests = [
        _request_icon(wanted[url], url, states.get(wanted[url].key), known.get(url))
        for url in islice(due, ICONS_PER_RUN)
    ]
    if not requests:
        return
    # Written down first: a run that is killed over and over asks for none again.
    before = {request.url: known.get(request.url) for request in requests}
    run.store.pictures.note(
        replace(one, asked_at=now) if one else StoredPicture(url=url, asked_at=now)
        for url, one in before.items()
    )
    journal = run.journal(of_feeds=False)
    useless: list[str] = []
    for feed, fetched, _ in poll(requests, journal, run, rules=PictureAnswers()):
        if not _keep(feed.url, fetched, before.pop(feed.url), run):
            owner = wanted[feed.url]
            useless.append(report.names(owner, states.get(owner.key)))
    if useless:
        more = f" and {len(useless) - _MOST_NAMED} more" if len(useless) > _MOST_NAMED else ""
        report.notice(
            f"no face of {', '.join(useless[:_MOST_NAMED])}{more}: the picture that is named has "
            f"more than {_LARGEST // 1000:,} kB, or is none that pages can show; `image` of a feed "
            "names another"
        )
    # Those that there was no time for, or whose servers are to be left alone.
    run.store.pictures.note(one for one in before.values() if one)
    run.store.pictures.drop([url for url, one in before.items() if one is None])


def _is_due(picture: StoredPicture | None, now: datetime) -> bool:
    """Return whether an icon may be asked for; one that was asked in the future is."""
    return picture is None or not picture.asked_at <= now < picture.asked_at + AGAIN


def _request_icon(
    owner: Feed, url: str, state: FeedState | None, picture: StoredPicture | None
) -> PollRequest:
    """Return the request for an icon. What the operator sends along for the feed is not in it."""
    # Nobody outside leads us into a private network.
    is_trusted = owner.image == url or bool(state and state.is_inside)
    known_hash = picture.body_hash if picture else None
    return PollRequest(
        feed=picture_feed(url, is_led=not is_trusted),
        known_hash=known_hash,
        conditions=Conditions.ALL if known_hash else Conditions.NONE,
    )


def picture_feed(url: str, *, is_led: bool = True) -> Feed:
    """Return what stands for a picture where feeds are asked for."""
    return Feed(key=f"picture {url}", url=url, slug="", is_led=is_led, policy=_ICON_POLICY)


def _choose_icons(
    feeds: Iterable[Feed], states: Mapping[str, FeedState], redactor: Redactor
) -> dict[str, Feed]:
    """Return the addresses of icons, each with the first feed that has it."""
    chosen: dict[str, Feed] = {}
    for feed in feeds:
        url = find_icon(feed, states.get(feed.key), redactor) if feed.enabled else None
        if url and len(chosen) < MOST_ICONS:
            chosen.setdefault(url, feed)
    return chosen


def find_icon(feed: Feed, state: FeedState | None, redactor: Redactor) -> str | None:
    """Return the address of the picture of a feed that is no file; None without one.

    One with a secret in it is left out: it would be sent where the operator never sent it.
    """
    if feed.face:
        return None
    named = feed.image or (state.profile.image if state and state.profile else None)
    url = address.make_absolute(named)
    if url is None or redactor.covers(url):
        return None
    public = address.without_secrets(url)
    return address.normalize(public) if public else None


def _keep(url: str, fetched: Fetched, before: StoredPicture | None, run: Run) -> bool:
    """Store what came of asking for an icon; what failed leaves the last one where it was.

    Return False if there is a picture that cannot be a face.
    """
    now = fetched.started
    picture = replace(before, asked_at=now) if before else StoredPicture(url=url, asked_at=now)
    if fetched.error is not None:
        if fetched.error.kind in _GONE and picture.body_hash:
            run.store.pictures.put(replace(picture, kind=None), None)
        return fetched.error.kind != "too_large"
    picture = replace(picture, answered_url=fetched.url)
    # After a 304 for one that was made smaller, the body is empty: that it had is not kept.
    if not fetched.body and picture.body_hash:
        run.store.pictures.note([picture])
        return True
    sent = fetched.body or b""
    found = identify_picture(sent)
    body: bytes | FeedError | None = sent
    kind = found.kind if found else None
    if found and (len(sent) > MAX_FACE or not found.is_face):
        body, kind = run.workers.call(shrink_picture, sent, FACE_SIDE).result(), "webp"
    if kind is None or not isinstance(body, bytes) or len(body) > MAX_FACE:
        _LOG.info("%s: is no picture that can be shown", address.redact(url))
        run.store.pictures.put(replace(picture, kind=None), None)
        return False
    run.store.pictures.put(replace(picture, kind=kind), body)
    return True


def face_files(
    feeds: Iterable[Feed], states: Mapping[str, FeedState], *, run: Run, icons: bool
) -> dict[str, File]:
    """Return the file of the site for each feed with a picture, by the feed's key.

    They are the operator's own and, with `icons`, those that were fetched.

    Raises:
        OSError: a file of the operator's cannot be read.
    """
    stored = run.store.pictures.read() if icons else {}
    files: dict[str, File] = {}
    for feed in feeds:
        if feed.face:
            body = feed.face.read_bytes()
            if found := identify_picture(body):
                path = f"faces/{feed.slug}.{found.kind}"
                files[feed.key] = File(
                    path=path, fingerprint=fingerprint(body), make=partial(bytes, body)
                )
        elif url := find_icon(feed, states.get(feed.key), run.redactor) if stored else None:
            picture = stored.get(url)
            if picture and picture.kind and picture.body_hash:
                files[feed.key] = File(
                    path=f"faces/{feed.slug}.{picture.kind}",
                    fingerprint=fingerprint(picture.body_hash),
                    make=partial(run.store.pictures.body, url),
                )
    return files


# Copies of pictures in entries


def _refresh_copies(
    config: Config,
    copied: dict[str, Feed],
    states: Mapping[str, FeedState],
    *,
    run: Run,
    scope: Scope,
) -> None:
    """Copy the pictures of the newest entries of these feeds that were not asked for yet."""
    pictures, now = run.store.pictures, run.clock()
    stored = pictures.read()
    known = {url: one for url, one in stored.items() if one.feed}
    # A site that has ended cannot be asked again.
    ended = [
        one
        for one in known.values()
        if one.kind and one.feed in copied and copied[one.feed].is_archived
    ]
    ended.sort(key=lambda one: one.asked_at, reverse=True)
    kept = {one.url for one in ended[:MOST_ENDED]}
    running = {key: feed for key, feed in copied.items() if not feed.is_archived}
    wanted = _choose_pictures(config, running, run, MOST_COPIES - len(kept)) if running else {}
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
    asked = [
        StoredPicture(url=url, asked_at=now, feed=wanted[url])
        for url in islice(due, COPIES_PER_RUN)
    ]
    if not asked:
        return
    # Written down first: a run that is killed over and over asks for none again.
    pictures.note(asked)
    left = {one.url: one for one in asked}
    requests = [_request_copy(one, states) for one in asked]
    journal = run.journal(of_feeds=False)
    for feed, fetched, _ in poll(requests, journal, run, rules=PictureAnswers()):
        picture = left.pop(feed.url)
        if fetched.body:
            copy = run.workers.call(shrink_picture, fetched.body).result()
            if isinstance(copy, bytes):
                pictures.put(replace(picture, kind="webp", answered_url=fetched.url), copy)
    # Those that there was no time for, or whose servers are to be left alone.
    pictures.drop(left.keys() - known.keys())


def _request_copy(picture: StoredPicture, states: Mapping[str, FeedState]) -> PollRequest:
    """Return the request for a picture. What the operator sends along for the feed is not in it."""
    state = states.get(picture.feed or "")
    # Nobody outside leads us into a private network.
    feed = picture_feed(picture.url, is_led=not (state and state.is_inside))
    return PollRequest(feed=replace(feed, policy=_COPY_POLICY), conditions=Conditions.NONE)


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
