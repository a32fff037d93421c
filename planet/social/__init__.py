"""Accounts of the social web → requests and entries: WebFinger, ActivityPub, AT Protocol.

`planet.http` and `planet.parse` know nothing of accounts: resolver, signer and formats are handed
to them.

Other doors:

    resolver  the name of an account → the requests on the way to the posts
    signing   requests signed with a key of the operator's
"""

from __future__ import annotations

from typing import Final

from planet.parse import FORMATS as FEED_FORMATS
from planet.parse import InputFormat

_ACTIVITYSTREAMS: Final = "www.w3.org/ns/activitystreams"


# JSON Feed has `items`, too: before its reader, an outbox is looked for.
FORMATS: Final = (
    InputFormat(
        "planet.social.activity",
        "json",
        lambda text: text[0] == "{" and _ACTIVITYSTREAMS in text,
    ),
    *FEED_FORMATS,
    InputFormat("planet.social.bluesky", "json", lambda text: text[0] == "{" and '"feed"' in text),
)
"""Every format that is read, of feeds and of accounts, in the order in which they are tried."""
