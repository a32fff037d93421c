"""A config, and what its subscription lists on the web said last → all feeds of the planet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from planet.config.resolved import set_releases
from planet.text.address import redact

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from planet.config.opml import ListedFeeds
    from planet.config.resolved import Config
    from planet.model import Feed


def list_feeds(
    config: Config, lists: Mapping[str, bytes], *, inside: Container[str] = ()
) -> tuple[Feed, ...]:
    """Return the feeds of the config and those on its lists, each once.

    `lists` has the body of each list that was read, by the key of its subscription. `inside` has
    the keys of those lists that are in a private network, so that they may lead to others there.
    """
    feeds = list(config.feeds)
    for subscription in config.subscriptions:
        if subscription.key in lists:
            # An address that is a list is no feed, whatever another list says.
            taken = (*feeds, *config.subscriptions)
            listed = read_list(lists[subscription.key], subscription, config, besides=taken)
            is_led = subscription.key not in inside
            feeds += [replace(feed, is_led=is_led) for feed in listed.feeds]
    return set_releases(config, feeds)


def read_list(
    body: bytes, subscription: Feed, config: Config, *, besides: Sequence[Feed] = ()
) -> ListedFeeds:
    """Return the feeds on a list that are not among `besides`."""
    # Most planets have no lists.
    from planet.config.opml import feeds_from_opml

    return feeds_from_opml(
        body,
        file=redact(subscription.written_url),
        base=config.redactor.base(subscription.url),
        defaults=config.defaults,
        besides=besides,
        redactor=config.redactor,
    )
