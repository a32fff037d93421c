"""Faces of sources → files of the site, so that its readers ask nobody else for them.

A face is a file beside the config, or the picture at an address in the config, which is asked for
once in 30 days: through the client of feeds and by its manners, and only in a run that asks for a
feed. A picture that only a feed names is not asked for.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from planet.model import (
    Conditions,
    Feed,
    FetchPolicy,
    File,
    FileKind,
    PollRequest,
    StoredPicture,
    fingerprint,
)
from planet.run.poll import PollJournal, poll
from planet.text import address
from planet.text.pictures import MAX_FACE, identify_picture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from planet.model import Fetched
    from planet.model.secrets import Redactor
    from planet.report import Report
    from planet.run.open import Run, Scope
    from planet.store import Store


AGAIN: Final = timedelta(days=30)
"""The least time between two requests for a face, whatever came of the first."""
_FACE_POLICY: Final = FetchPolicy(timeout=timedelta(seconds=20), max_size=MAX_FACE)
_GONE: Final = frozenset({"http_404", "http_410"})
_ACCEPT: Final = "image/png, image/webp, image/jpeg, image/gif;q=0.9, image/*;q=0.5, */*;q=0.1"


def refresh_pictures(
    feeds: Sequence[Feed], *, run: Run, scope: Scope, report: Report, shown: bool
) -> None:
    """Ask for the faces whose 30 days are over, if they are `shown`; forget other faces.

    Nobody is asked in a run that asked for no feed but files, or could reach nobody.

    Raises:
        StateError: an answer cannot be stored.
    """
    has_asked = any(outcome.was_asked and not outcome.feed.is_file for outcome in report.outcomes)
    if not has_asked or run.reach.is_outage:
        return
    known, now = run.store.pictures.read(), run.clock()
    owners: dict[str, Feed] = {}
    for feed in feeds if shown else ():
        if feed.enabled and (url := find_icon(feed, run.redactor)):
            owners.setdefault(url, feed)
    # A face that is wanted again within the 30 days is not asked for again, either.
    unwanted = known.keys() - owners.keys()
    run.store.pictures.drop([url for url in unwanted if _is_due(known[url], now)])
    before = {
        url: known.get(url)
        for url, feed in owners.items()
        if feed.is_asked and scope.asks(feed) and _is_due(known.get(url), now)
    }
    if not before:
        return
    # Imported here, as its libraries: most runs have no face to ask for.
    from planet.http import AnyAnswer

    # Written down first: a run that is killed over and over asks for none again.
    asked = {url: one or StoredPicture(url=url, asked_at=now) for url, one in before.items()}
    run.store.pictures.put({url: replace(one, asked_at=now) for url, one in asked.items()})
    requests = [_make_request(url, picture) for url, picture in before.items()]
    journal = PollJournal(run, of_feeds=False)
    for face, fetched, _ in poll(requests, journal, rules=AnyAnswer(_ACCEPT)):
        url = face.url
        if not _keep(url, fetched, before.pop(url), run.store):
            name = report.name_of(owners[url], run.store.states().get(owners[url].key))
            report.notice(
                f"no face of {name}: the picture at its `image` has more than "
                f"{MAX_FACE // 1000:,} kB, or is none that pages can show"
            )
    # There was no time for these, or their servers are to be left alone.
    run.store.pictures.put({url: one for url, one in before.items() if one})
    run.store.pictures.drop([url for url, one in before.items() if one is None])


def _is_due(picture: StoredPicture | None, now: datetime) -> bool:
    """Return whether a face may be asked for; one that was asked in the future is."""
    return picture is None or not picture.asked_at <= now < picture.asked_at + AGAIN


def _make_request(url: str, picture: StoredPicture | None) -> PollRequest:
    """Return the request for a face, without headers and passwords of the feed."""
    known_hash = picture.body_hash if picture else None
    conditions = Conditions.ALL if known_hash else Conditions.NONE
    return PollRequest(feed=face_feed(url), known_hash=known_hash, conditions=conditions)


def face_feed(url: str) -> Feed:
    """Return what stands for a face where feeds are asked for."""
    return Feed(key=f"picture {url}", url=url, slug="", policy=_FACE_POLICY)


def find_icon(feed: Feed, redactor: Redactor) -> str | None:
    """Return the address that the config names for the face of a feed; None without one.

    One with a secret in it is left out: it would be sent where the operator never sent it.
    """
    url = address.make_absolute(feed.image)
    if feed.face or url is None or redactor.covers(url):
        return None
    public = address.without_secrets(url)
    return address.normalize(public) if public else None


def _keep(url: str, fetched: Fetched, before: StoredPicture | None, store: Store) -> bool:
    """Store the answer for a face; a failed request leaves the last face where it was.

    Return False if there is a picture that cannot be a face.
    """
    picture = before or StoredPicture(url=url, asked_at=fetched.started)
    picture = replace(picture, asked_at=fetched.started)
    if fetched.error is not None:
        if fetched.error.kind in _GONE and picture.body_hash:
            store.pictures.put_face(replace(picture, kind=None), None)
        return fetched.error.kind != "too_large"
    if not fetched.body and picture.body_hash:
        store.pictures.put({url: picture})  # a 304
        return True
    found = identify_picture(fetched.body or b"")
    if found is None or not found.is_face:
        store.pictures.put_face(replace(picture, kind=None), None)
        return False
    store.pictures.put_face(replace(picture, kind=found.kind), fetched.body)
    return True


def face_files(
    feeds: Iterable[Feed], store: Store, redactor: Redactor, *, icons: bool
) -> dict[str, File]:
    """Return the file of the site for each feed with a face, by the feed's key.

    They are the operator's own and, with `icons`, those that were fetched.

    Raises:
        OSError: a file of the operator's cannot be read.
    """
    stored = store.pictures.read() if icons else {}
    files: dict[str, File] = {}
    for feed in feeds:
        url = find_icon(feed, redactor)
        picture = stored.get(url) if url else None
        if feed.face:
            body = feed.face.read_bytes()
            if found := identify_picture(body):
                files[feed.key] = _make_file(
                    feed, found.kind, fingerprint(body), partial(bytes, body)
                )
        elif url and picture and picture.kind and picture.body_hash:
            make = partial(store.pictures.face, url)
            files[feed.key] = _make_file(feed, picture.kind, fingerprint(picture.body_hash), make)
    return files


def _make_file(feed: Feed, kind: str, mark: str, make: Callable[[], bytes]) -> File:
    path = f"faces/{feed.slug}.{kind}"
    return File(path=path, kind=FileKind.ASSET, fingerprint=mark, make=make)
