"""Topics → requests to a WebSub hub, one for each topic, one after the other.

WebSub leaves to hubs how they are told (W3C Recommendation, §2). This is what all public ones
take: the publisher's POST of PubSubHubbub 0.4 (§7.1). Nobody but the hub is asked, wherever its
answer leads.
"""

from __future__ import annotations

import time
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING

import msgspec
from requests import Request

from planet.errors import FetchError, StateError
from planet.http.adapter import FeedAdapter
from planet.http.guard import Guard, is_public
from planet.http.limits import Deadline
from planet.http.request import REDIRECTS, make_fetch_error
from planet.text import address
from planet.text.headers import retry_after

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime, timedelta

    from requests import PreparedRequest


_REFUSALS = 3
"""Topics refused one after the other, from which on it is taken that the hub refuses them all."""


class PingResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of telling a hub of one topic."""

    topic: str
    error: FetchError | None = None
    retry_after: timedelta | None = None
    """How long the hub asks to be left alone."""
    refused: bool = False
    """Whether it was the topic that the hub would not take: of others it may well be told."""


@dataclass(frozen=True)
class Hub:
    """A hub that the operator chose, told politely.

    `gap` lies between the end of one request and the start of the next; `timeout` is for the whole
    exchange, and no request is started after `budget`.
    """

    url: str
    _: KW_ONLY
    user_agent: str
    clock: Callable[[], datetime]
    gap: timedelta
    timeout: timedelta
    budget: timedelta
    _adapter: FeedAdapter = field(init=False, default_factory=FeedAdapter)

    def ping(self, topics: Iterable[str]) -> Iterator[PingResult]:
        """Tell the hub of one topic after the other, and yield the results. Never raises FeedError.

        It stops before the last topic when the hub fails, asks us to wait, or refuses three topics
        in a row, and when the budget is used up.

        Raises:
            StateError: what the environment says of certificates cannot be used.
        """
        ends = time.monotonic() + self.budget.total_seconds()
        refused = 0
        for number, topic in enumerate(topics):
            if number:
                time.sleep(self.gap.total_seconds())
                if time.monotonic() > ends:
                    return
            result = self._result(topic)
            yield result
            refused = refused + 1 if result.refused else 0
            if refused == _REFUSALS or (result.error and not result.refused):
                return

    def _result(self, topic: str) -> PingResult:
        # The operator's own word: it may be anywhere.
        guard = Guard(self.url, self.url, is_public)
        deadline = Deadline(self.timeout.total_seconds())
        try:
            # Not through a session, which would follow redirects and keep cookies.
            with self._adapter.stream(self._request(topic), deadline, guard) as answer:
                return self._read_answer(topic, answer.status, answer.fields)
        except FetchError as error:
            return PingResult(topic=topic, error=error)
        except StateError:
            raise
        except Exception as error:  # noqa: BLE001 - the door: hostile answers raise many kinds
            return PingResult(topic=topic, error=make_fetch_error(error))

    def _request(self, topic: str) -> PreparedRequest:
        headers = {
            "User-Agent": self.user_agent,
            "Accept-Encoding": "identity",
            "Connection": "close",
        }
        data = {"hub.mode": "publish", "hub.url": topic}
        return Request("POST", self.url, headers=headers, data=data).prepare()

    def _read_answer(self, topic: str, status: int, headers: Mapping[str, str]) -> PingResult:
        """Interpret an answer. Every 2xx says that the hub has heard."""
        if 200 <= status < 300:
            return PingResult(topic=topic)
        wait = retry_after(headers, received_at=self.clock())
        if status in REDIRECTS:
            where = address.make_absolute(headers.get("location"), self.url)
            named = address.redact(address.normalize(where)) if where else "elsewhere"
            words = f"has moved to {named}; if you trust that, name it in the config"
        elif status == 429:
            words = "asks us to come less often"
        elif status >= 500:
            words = "has a problem of its own"
        else:
            words = "will not take it"
        error = FetchError(f"http_{status}", f"the hub {words} (HTTP {status})")
        refused = 400 <= status < 500 and status != 429 and wait is None
        return PingResult(topic=topic, error=error, retry_after=wait, refused=refused)
