"""What stands in an element of a feed, by families: words, links, people, categories, hints."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from planet.model import Funding, Hints, Person, Transcript
from planet.parse import coerce
from planet.parse.coerce import make_person, merge_people
from planet.parse.tree import FeedElement, join_url

if TYPE_CHECKING:
    from collections.abc import Iterator

_IDS = frozenset({"id", "guid"})
_AUTHORS = frozenset({"author", "managingeditor", "dc:creator", "dc:author", "itunes:author"})
_CATEGORIES = frozenset(
    {"category", "categories", "keywords", "dc:subject", "media:category", "media:keywords"}
)
COVERS = frozenset({"itunes:image", "itunes:link"})
"""Elements with the picture of an episode or a podcast."""
_ITUNES = "http://www.itunes.com/"


def read_identity(node: FeedElement) -> tuple[str | None, str | None]:
    """Return the last id of a feed, an entry or a source, and the first that may be its link."""
    own = page = None
    for part in node.among(_IDS):
        is_link = part.get("isPermaLink") in (None, "true")
        if words := part.words:
            own = join_url(part.base, words) if is_link else words
            page = page or (own if is_link else None)
    return own, page


class Link(NamedTuple):
    """A link of Atom, the link of RSS, or an enclosure."""

    href: str
    rel: str
    node: FeedElement


_PAGES = frozenset({"", "text/html", "application/xhtml+xml"})


def read_links(node: FeedElement) -> list[Link]:
    """Return the links of a node, and its enclosures."""
    links = []
    for part in [*node["link"], *node["enclosure"]]:
        href = part.get("url") or part.get("uri") or part.get("href")
        rel = "enclosure"
        if part.name == "link":
            rel = (part.get("rel") or "alternate").lower()
            href = join_url(part.base, part.words if href is None else href)
        if href:
            links.append(Link(href, rel, part))
    return links


def find_addresses(links: list[Link], rel: str) -> list[str]:
    """Return the addresses of the links of a relation: pages first, then all others."""
    of_relation = [link for link in links if link.rel == rel]
    of_relation.sort(key=lambda link: (link.node.get("type") or "").lower() not in _PAGES)
    return [link.href for link in of_relation]


def read_people(node: FeedElement, *bases: str | None) -> tuple[Person, ...]:
    """Return the authors, each once."""
    return merge_people(_author(part, *bases) for part in node.among(_AUTHORS))


def _author(node: FeedElement, *bases: str | None) -> Person | None:
    if not node.children:
        return make_person(node.words)
    name, url = node.last("name", "itunes:name"), node.last("uri", "url", "homepage")
    mail = None if url else node.last("email", "itunes:email")
    return make_person(name or mail, url and join_url(node.base, url), *bases)


def read_categories(node: FeedElement) -> Iterator[str]:
    """Yield the categories of an entry or a file, but those for the search of iTunes."""
    for part in node.among(_CATEGORIES):
        if part.name == "categories":
            yield from (child.words for child in part.walk() if child.name == "category")
        elif part.name == "media:keywords":
            yield from part.words.split(",")
        elif part.get("scheme", part.get("domain")) != _ITUNES:
            label, term = part.get("label"), part.get("term")
            # In RSS, and often in Atom, the term is the text.
            yield from (label or term or part.words, part.words if term else "")


def channel_images(channel: FeedElement) -> Iterator[str]:
    """Yield the addresses of the pictures of a channel."""
    of_channel = [image_address(node) for node in channel.among(COVERS | {"image"})]
    # Of several, the last one; of the pictures of Atom, the one that is no mere symbol.
    yield from list(filter(None, of_channel))[-1:]
    yield from (join_url(node.base, node.words) for node in [*channel["logo"], *channel["icon"]])


def image_address(node: FeedElement) -> str | None:
    """Return the address of an itunes:image, or of the image of a channel."""
    if node.name != "image":
        return node.get("href") or node.get("url")
    return join_url(node.base, node.last("url") or "")


def read_answered(item: FeedElement) -> tuple[str, ...]:
    """Return the addresses of the posts that an entry answers."""
    answered = [node.get("href") or node.get("ref") for node in item["thr:in-reply-to"]]
    # What is not absolute is an id, and no address.
    return coerce.links([*answered, *(node.words for node in item["source:inreplyto"])])


_EXPLICIT = {
    **dict.fromkeys(("yes", "true", "explicit"), True),
    **dict.fromkeys(("no", "false", "clean"), False),
}


def read_explicit(node: FeedElement) -> bool | None:
    """Return whether a podcast or an episode says that it is explicit, if it says so."""
    return _EXPLICIT.get((node.last("itunes:explicit") or "").casefold())


def read_transcripts(item: FeedElement, base: str | None) -> Iterator[Transcript]:
    """Yield the transcripts of an episode."""
    for node in item["podcast:transcript"]:
        url, media_type = coerce.file(node.get("url"), base), coerce.line(node.get("type"))
        if url and media_type:
            language = coerce.language(node.get("language"))
            yield Transcript(url=url, media_type=media_type, language=language)


_MAX_PAGES = 10


def read_funding(node: FeedElement, base: str | None) -> tuple[Funding, ...]:
    """Return the pages where listeners of a podcast or an episode can pay."""
    pages = [
        (coerce.link(page.get("url"), base), page) for page in node["podcast:funding"][:_MAX_PAGES]
    ]
    return tuple(Funding(url=url, title=coerce.line(page.text)) for url, page in pages if url)


# RSS 1.0 syndication module.
_PERIODS = {
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30),
    "yearly": timedelta(days=365),
}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# RSS 0.91 counts from 1 to 24, RSS 2.0 from 0 to 23: both ends are midnight (RSS Best Practices).
_HOURS = {f"{hour:0{width}}": hour % 24 for hour in range(25) for width in (1, 2)}


def read_hints(channel: FeedElement, hubs: tuple[str, ...]) -> Hints:
    """Return a feed's wishes about how often to ask; `hubs` are its hubs."""
    hour_words = [hour.words for node in channel["skiphours"] for hour in node.children]
    day_words = [day.words.lower() for node in channel["skipdays"] for day in node.children]
    hours = frozenset(_HOURS[hour] for hour in hour_words if hour in _HOURS)
    days = frozenset(_DAYS.index(day) for day in day_words if day in _DAYS)
    return Hints(
        ttl=coerce.minutes(channel.last("ttl")),
        sy=_update_period(channel),
        # A publisher who excludes everything does not mean it.
        skip_hours=hours if len(hours) < 24 else frozenset(),
        skip_days=days if len(days) < 7 else frozenset(),
        hubs=hubs,
    )


def _update_period(channel: FeedElement) -> timedelta | None:
    """Divide sy:updatePeriod by sy:updateFrequency; return None without the module."""
    period, frequency = channel.last("sy:updateperiod"), channel.last("sy:updatefrequency")
    if period is None and frequency is None:
        return None
    length = _PERIODS.get((coerce.line(period) or "daily").lower())
    return length / min(coerce.positive(frequency) or 1, 10_000) if length else None
