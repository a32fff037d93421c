"""Accounts of the social web → requests and entries: WebFinger, ActivityPub, AT Protocol.

`planet.http` and `planet.parse` know none of them: what they need is handed to them.

Doors besides what it offers itself:

    resolver  the name of an account → the requests that lead to its posts
    signing   requests signed with a key of the operator's
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planet.parse import FORMATS as FEED_FORMATS
from planet.parse import InputFormat

if TYPE_CHECKING:
    from planet.model import ParsedFeed
    from planet.parse.sniff import FeedDocument


_ACTIVITYSTREAMS: Final = "www.w3.org/ns/activitystreams"


# Each reader is loaded when it is first needed.


def _read_activity(document: FeedDocument) -> ParsedFeed:
    from planet.social.activity import read

    return read(document)


def _read_bluesky(document: FeedDocument) -> ParsedFeed:
    from planet.social.bluesky import read

    return read(document)


# JSON Feed has `items`, too: before its reader, an outbox is looked for.
FORMATS: Final = (
    InputFormat(
        "activity",
        "json",
        lambda text: text[0] == "{" and _ACTIVITYSTREAMS in text,
        _read_activity,
    ),
    *FEED_FORMATS,
    InputFormat("bluesky", "json", lambda text: text[0] == "{" and '"feed"' in text, _read_bluesky),
)
"""Every format that is read, of feeds and of accounts, in the order in which they are tried."""
