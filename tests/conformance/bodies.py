"""The documents that servers send in scenarios."""

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Scene:
    """Where and when an answer is given."""

    now: datetime
    """By the server's clock, which is right."""
    url: Callable[[str], str]
    """The whole address behind a short one."""


PAGE = b"<!doctype html><html><head><title>Please log in</title></head><body></body></html>"
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>Notes</title><id>tag:n,2026:1</id>
<updated>2026-11-16T08:00:00Z</updated><entry><title>First</title><id>tag:n,2026:2</id>
<updated>2026-11-16T08:00:00Z</updated></entry></feed>"""
# Hours between posts, each at another hour of the day; twelve is in their middle.
_NOW_AND_THEN = (10, 16, 17, 19, 18, 8, 7, 12, 9, 5, 6, 20, 14)


def rss(*items: str, head: str = "") -> bytes:
    """A feed with these entries; `head` has further elements of its channel."""
    return (
        "<?xml version='1.0'?><rss version='2.0' "
        "xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'>"
        f"<channel><title>Notes</title>{head}{''.join(items)}</channel></rss>"
    ).encode()


def says(head: str) -> bytes:
    """A feed whose channel says this of itself."""
    return rss(*_HOURLY, head=head)


def every(period: str | None, frequency: str | None = None) -> bytes:
    """A feed that says with the syndication module how often it changes."""
    said = f"<sy:updatePeriod>{period}</sy:updatePeriod>" if period is not None else ""
    if frequency is not None:
        said += f"<sy:updateFrequency>{frequency}</sy:updateFrequency>"
    return says(said)


def skipping(*, hours: Sequence[int] = (), days: Sequence[str] = ()) -> bytes:
    """A feed that does not want to be asked in these hours and on these days."""
    said = "".join(f"<hour>{hour}</hour>" for hour in hours)
    named = "".join(f"<day>{day}</day>" for day in days)
    return says(f"<skipHours>{said}</skipHours><skipDays>{named}</skipDays>")


def posted(*ago: timedelta) -> Callable[[Scene], bytes]:
    """A feed with entries posted so long before it is asked for."""
    return lambda scene: _listing(scene.now - each for each in ago)


def now_and_then(
    *, times: float = 1, newest: timedelta = timedelta(hours=1)
) -> Callable[[Scene], bytes]:
    """A feed that posts every twelve hours or so, `times` as seldom, and did so just now."""
    gaps = (newest, *(timedelta(hours=hours * times) for hours in _NOW_AND_THEN))
    return posted(*accumulate(gaps))


def on(*moments: datetime) -> bytes:
    """A feed with entries posted at these moments."""
    return _listing(moments)


def weekly(last: datetime) -> bytes:
    """A feed with twelve posts, a week from one to the next, to the minute."""
    return on(*(last - timedelta(weeks=weeks) for weeks in range(12)))


def restless(scene: Scene) -> bytes:
    """A feed that writes down when it was asked for, and has no news."""
    now = format_datetime(scene.now, usegmt=True)
    return says(f"<lastBuildDate>{now}</lastBuildDate><pubDate>{now}</pubDate>")


def padded(size: int) -> bytes:
    """A feed with so many bytes in it and more, that hardly pack."""
    return says(f"<description>{' '.join(map(str, range(size // 5)))}</description>")


def bomb(size: int) -> bytes:
    """A packed feed that unpacks to so many bytes."""
    return gzip.compress(says(f"<description>{'a' * size}</description>"))


def json_feed(**changes: object) -> bytes:
    """A JSON Feed that says this of itself."""
    version = "https://jsonfeed.org/version/1.1"
    items = [{"id": date, "content_text": date, "date_published": date} for date in _DATES]
    return json.dumps({"version": version, "title": "Notes", "items": items, **changes}).encode()


def opml(*addresses: str) -> Callable[[Scene], bytes]:
    """A subscription list with these feeds, their addresses spelled as unusually as may be."""

    def listing(scene: Scene) -> bytes:
        urls = (scene.url(address).replace("http:", "HTTP:") + "#top" for address in addresses)
        outlines = (f"<outline type='rss' text='Notes' xmlUrl='{url}'/>" for url in urls)
        return f"<opml version='2.0'><body>{''.join(outlines)}</body></opml>".encode()

    return listing


def _listing(moments: Iterable[datetime]) -> bytes:
    return rss(*map(_entry, moments))


def _entry(moment: datetime) -> str:
    date = format_datetime(moment.astimezone(UTC), usegmt=True)
    return (
        f"<item><title>{date}</title><guid isPermaLink='false'>{date}</guid>"
        f"<pubDate>{date}</pubDate></item>"
    )


_UNTIL_NOON = [datetime(2026, 11, 21, 11, 55, tzinfo=UTC) - timedelta(hours=h) for h in range(20)]
_HOURLY = [_entry(moment) for moment in _UNTIL_NOON]
_DATES = [moment.isoformat() for moment in _UNTIL_NOON]
FEED = rss(*_HOURLY)
"""A feed that posted every hour until scenarios begin: by its own pace, it is asked as often."""
