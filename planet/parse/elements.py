"""Elements of a feed → links, people, categories, hints, files and pictures, by families."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from planet.model import Enclosure, Funding, Hints, Person, Transcript
from planet.parse import coerce
from planet.parse.coerce import make_person, merge_people
from planet.parse.compose import Picture
from planet.parse.tree import FeedElement, join_url

if TYPE_CHECKING:
    from collections.abc import Iterator

_IDS = frozenset({"id", "guid"})
_AUTHORS = frozenset({"author", "managingeditor", "dc:creator", "dc:author", "itunes:author"})
_CATEGORIES = frozenset(
    {"category", "categories", "keywords", "dc:subject", "media:category", "media:keywords"}
)
_COVERS = frozenset({"itunes:image", "itunes:link"})
"""Elements with the picture of an episode or a podcast."""
_ITUNES = "http://www.itunes.com/"


def read_identity(node: FeedElement) -> tuple[str | None, str | None]:
    """Return the last id of a feed, an entry or a source, and the first permalink among the ids."""
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
    """Return the links and enclosures of a node."""
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
    of_channel = [_image_address(node) for node in channel.among(_COVERS | {"image"})]
    # Of several, the last one; of the pictures of Atom, the one that is no mere symbol.
    yield from list(filter(None, of_channel))[-1:]
    yield from (join_url(node.base, node.words) for node in [*channel["logo"], *channel["icon"]])


def _image_address(node: FeedElement) -> str | None:
    """Return the address of an itunes:image, or of the image of a channel."""
    if node.name != "image":
        return node.get("href") or node.get("url")
    return join_url(node.base, node.last("url") or "")


def read_answered(item: FeedElement) -> tuple[str, ...]:
    """Return the addresses of the posts an entry answers."""
    answered = [node.get("href") or node.get("ref") for node in item["thr:in-reply-to"]]
    # What is not absolute is an id, and no address.
    return coerce.links([*answered, *(node.words for node in item["source:inreplyto"])])


_EXPLICIT = {"yes": True, "true": True, "explicit": True}
_EXPLICIT |= {"no": False, "false": False, "clean": False}


def read_explicit(node: FeedElement) -> bool | None:
    """Return whether a podcast or an episode is declared explicit; None without a declaration."""
    return _EXPLICIT.get((node.last("itunes:explicit") or "").casefold())


def read_transcripts(item: FeedElement, base: str | None) -> tuple[Transcript, ...]:
    """Return the transcripts of an episode."""
    return tuple(
        Transcript(url=url, media_type=kind, language=coerce.language(node.get("language")))
        for node in item["podcast:transcript"][: coerce.MAX_FILES]
        if (url := coerce.file(node.get("url"), base)) and (kind := coerce.line(node.get("type")))
    )


def read_funding(node: FeedElement, base: str | None) -> tuple[Funding, ...]:
    """Return the first ten pages where listeners of a podcast or an episode can pay."""
    return tuple(
        Funding(url=url, title=coerce.line(page.text))
        for page in node["podcast:funding"][:10]
        if (url := coerce.link(page.get("url"), base))
    )


# RSS 1.0 syndication module.
_PERIODS = {"hourly": 1, "daily": 24, "weekly": 168, "monthly": 720, "yearly": 8760}
"""In hours."""
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# RSS 0.91 counts from 1 to 24, RSS 2.0 from 0 to 23: both ends are midnight (RSS Best Practices).
_HOURS = {f"{hour:0{width}}": hour % 24 for hour in range(25) for width in (1, 2)}


def read_hints(channel: FeedElement) -> Hints:
    """Return a feed's wishes about how often to ask."""
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
    )


def _update_period(channel: FeedElement) -> timedelta | None:
    """Divide sy:updatePeriod by sy:updateFrequency; return None without the module."""
    period, frequency = channel.last("sy:updateperiod"), channel.last("sy:updatefrequency")
    if period is None and frequency is None:
        return None
    hours = _PERIODS.get((period or "daily").lower())
    return timedelta(hours=hours) / min(coerce.positive(frequency) or 1, 10_000) if hours else None


# Files and pictures: enclosures and Media RSS

_SOUND = ("audio", "video")


def read_groups(item: FeedElement) -> list[list[FeedElement]]:
    """Return the files of Media RSS in groups: those of one group are the same thing."""
    nodes = item.among({"media:content", "media:group"})
    return [node["media:content"] if node.name == "media:group" else [node] for node in nodes]


def _medium(file: FeedElement) -> str:
    """Return the medium of a media:content, else the first part of the type."""
    return (file.get("medium") or (file.get("type") or "").partition("/")[0]).lower()


def _width(file: FeedElement) -> int:
    return coerce.number(file.get("width")) or 0


def read_enclosures(
    item: FeedElement, links: list[Link], groups: list[list[FeedElement]], base: str | None
) -> tuple[Enclosure, ...]:
    """Return the files of an entry, from enclosures and media:content, each address once."""
    enclosures = [(link.href, link.node) for link in links if link.rel == "enclosure"]
    # What the address was before a service put one of its own in its place; of one file only.
    if len(enclosures) == 1 and (original := item.last("feedburner:origenclosurelink")):
        enclosures = [(original, enclosures[0][1])]
    recordings = [file for group in groups for file in group if _medium(file) in _SOUND]
    once: dict[str, Enclosure] = {}
    for href, node in [*enclosures, *((file.get("url"), file) for file in recordings)]:
        if url := coerce.file(href, base):
            size = node.get("length") or node.get("fileSize") or node.get("filesize")
            file = Enclosure(
                url=url,
                media_type=coerce.media_type(node.get("type")),
                length=coerce.positive(size),
                duration=coerce.seconds(node.get("duration")),
                title=coerce.line(node.get("title")),
            )
            first = once.setdefault(url, file)
            once[url] = replace(first, duration=first.duration or file.duration)
    files = list(once.values())[: coerce.MAX_FILES]
    # itunes:duration is the entry's, and so is that of its one recording.
    duration = coerce.seconds(item.last("itunes:duration"))
    for place, file in enumerate(files):
        if duration and file.duration is None and not _is_image(file):
            files[place] = replace(file, duration=duration)
            break
    return tuple(files)


def _is_image(file: Enclosure) -> bool:
    return (file.media_type or "").startswith("image/")


def entry_images(
    item: FeedElement,
    within: list[FeedElement],
    groups: list[list[FeedElement]],
    files: tuple[Enclosure, ...],
) -> Iterator[str | None]:
    """Yield the addresses of images to stand for an entry, the best first."""
    covers = [_image_address(node) for node in item.among(_COVERS)]
    yield from list(filter(None, covers))[-1:]
    for node in [*item["media:thumbnail"], *within]:
        if node.name == "media:thumbnail":
            yield node.get("url") or node.words
    yield from (file.get("url") for group in groups for file in group if _medium(file) == "image")
    yield from (file.url for file in files if _is_image(file))


def largest_picture(
    group: list[FeedElement], base: str | None, caption: str | None
) -> Picture | None:
    """Return the largest picture in a group of files; None in a group with audio or video.

    A picture without words gets the caption of the entry.
    """
    images = [file for file in group if _medium(file) == "image"]
    if any(_medium(file) in _SOUND for file in group):
        images = []
    for file in sorted(images, key=_width, reverse=True):
        if url := coerce.file(file.get("url"), base):
            title = coerce.line(file.last("media:title"))
            # A title of one word is mostly the name of the file.
            named = title if " " in (title or "") else None
            return Picture(
                url=url,
                alt=coerce.line(file.last("media:description")) or named or caption,
                width=_width(file),
                is_hidden=(file.last("media:rating") or "").casefold() == "adult",
            )
    return None
