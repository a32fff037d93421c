"""Faces of sources → files of the site, so that visitors ask nobody else for pictures.

A face is a file beside the config, or the picture at an address in the config. Such an address is
polled like a feed, with a wait of 30 days, and only in a run with requests for feeds. A picture
named by a feed alone is not asked for.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from planet.errors import ParseError
from planet.model import Conditions, Feed, FetchPolicy, File, FileKind, fingerprint
from planet.run.open import load_feed_states
from planet.run.poll import PollJournal, plan_polls, poll
from planet.schedule import KnownFeeds, record_attempt
from planet.text import address
from planet.text.pictures import MAX_FACE, MAX_FACE_SIDE, identify_picture

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planet.model.secrets import Redactor
    from planet.report import Report
    from planet.run.open import Run, Scope
    from planet.store import Store


AGAIN: Final = timedelta(days=30)
"""The least time between two requests for a face, whatever came of the first."""
_POLICY: Final = FetchPolicy(
    timeout=timedelta(seconds=20), max_size=MAX_FACE, min_interval=AGAIN, max_interval=AGAIN
)
_READER: Final = "face 1"
_NO_FACE: Final = ParseError("unreadable", "this is no picture that pages can show")
_GONE: Final = frozenset({"http_404", "http_410"})
_ACCEPT: Final = "image/png, image/webp, image/jpeg, image/gif;q=0.9, image/*;q=0.5, */*;q=0.1"


def list_faces(feeds: Iterable[Feed], redactor: Redactor) -> dict[str, Feed]:
    """Return a feed to poll for each face at an address in the config, by the key of its source.

    An address with a secret is left out: the operator never sent the secret there.
    """
    faces = {}
    for feed in feeds:
        url = address.make_absolute(feed.image)
        if not feed.enabled or feed.face or url is None or redactor.covers(url):
            continue
        if public := address.without_secrets(url):
            url = address.normalize(public)
            # Without the headers and passwords of the feed.
            faces[feed.key] = Feed(key=f"picture {url}", url=url, slug="", policy=_POLICY)
    return faces


def refresh_pictures(feeds: Iterable[Feed], *, run: Run, scope: Scope, report: Report) -> None:
    """Ask for the faces whose 30 days are over, and name the ones not fit for pages.

    Nobody is asked in a run without requests for feeds, or when nobody could be reached.

    Raises:
        StateError: an answer cannot be stored.
    """
    has_asked = any(outcome.was_asked and not outcome.feed.is_file for outcome in report.outcomes)
    if not has_asked or run.reach.is_outage:
        return
    wanted = {feed.key: feed for feed in feeds if feed.is_asked and scope.asks(feed)}
    by_owner = list_faces(wanted.values(), run.redactor)
    faces = {face.key: face for face in by_owner.values()}
    owners = {face.key: wanted[key] for key, face in by_owner.items()}
    if not faces:
        return
    # Imported here, as its libraries: most runs have no face to ask for.
    from planet.http import AnyAnswer

    states, journal = load_feed_states(run, faces), PollJournal(run)
    known = KnownFeeds([*faces.values()], states, journal.hosts, lambda _: _READER)
    everyone = replace(scope, force=False, only=None)
    requests, on_disk = plan_polls(known, scope=everyone, now=run.clock())
    # Of a feed, the whole answer would be wanted after so long.
    requests = [replace(request, conditions=Conditions.ALL) for request in requests]
    for face, fetched, _ in poll(requests, journal, on_disk=on_disk, rules=AnyAnswer(_ACCEPT)):
        kind, error = fetched.error.kind if fetched.error else None, None
        if fetched.body is not None:
            found = identify_picture(fetched.body)
            error = None if found and found.is_face else _NO_FACE
        state = record_attempt(states.get(face.key), face, fetched, error, reader=_READER)
        is_other = fetched.body is not None or kind in _GONE
        if is_other:
            run.store.feeds.put_body(face.key, None if error else fetched.body)
        run.store.keep(state, shows=is_other)
        is_bad = kind is None and run.store.feeds.body(face.key) is None
        if is_bad or kind == "too_large":
            owner = owners[face.key]
            name = report.name_of(owner, run.store.states([owner.key]).get(owner.key))
            report.notice(
                f"no face of {name}: the picture at its `image` has more than "
                f"{MAX_FACE // 1000:,} kB or {MAX_FACE_SIDE} pixels a side, or is none to show"
            )


def face_files(
    feeds: Iterable[Feed], store: Store, redactor: Redactor, *, icons: bool
) -> dict[str, File]:
    """Return the file of the site for each feed with a face, by the feed's key.

    Files of the operator are among them and, with `icons`, fetched pictures.

    Raises:
        OSError: a file of the operator's cannot be read.
    """
    files: dict[str, File] = {}
    feeds = list(feeds)
    faces = list_faces(feeds, redactor) if icons else {}
    for feed in feeds:
        body = feed.face.read_bytes() if feed.face else None
        if feed.key in faces:
            body = store.feeds.body(faces[feed.key].key)
        if body and (found := identify_picture(body)):
            files[feed.key] = File(
                path=f"faces/{feed.slug}.{found.kind}",
                kind=FileKind.ASSET,
                fingerprint=fingerprint(body),
                make=partial(bytes, body),
            )
    return files
