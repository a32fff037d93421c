"""Settings of a feed, or a list in OPML → feeds, with every default filled in.

A list may come from anywhere, and be broken: the parser of HTML goes on after mistakes, and knows
no entities but those of HTML. Only web addresses are taken from a list: no stranger can name a file
of this machine.
"""

from __future__ import annotations

import hashlib
import os.path
import posixpath
import re
import unicodedata
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec.structs import fields, replace

from planet.config import kinds
from planet.config.kinds import ARCHIVED
from planet.config.settings import FeedFetchSettings, FeedSettings, TagSettings, set_releases
from planet.errors import Place, Problem
from planet.model import Feed, FetchPolicy, ProfileLink
from planet.text import account
from planet.text.address import make_absolute, normalize, redact

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from planet.config.settings import Config

T = TypeVar("T", bound=msgspec.Struct)


_AS_WRITTEN: Final = ("name", "link", "author", "language", "priority", "picks", "filters")
_FLOOR: Final = FetchPolicy().min_interval
"""The least time between two polls ("Best practices for feed readers")."""


def resolve_feed(
    written: FeedSettings, address: str, place: Place, planet: Config, *, taken: Container[str]
) -> Feed:
    """Return the feed with every default filled in.

    `address` has the names of secrets in place of the values; key and slug are made from this
    text. `taken` are the slugs of other feeds.
    """
    folder = planet.path.parent
    for tag in written.tags:
        if shared := planet.tags.get(tag):
            written = _lay_over(written, shared)
    url = resolve_address(written.url, folder)
    key = written.id or _identity(address, url)
    own, picture = written.new_feed_entries, written.image
    entries = planet.new_feed_entries if own is None else own
    names = (written.id, written.name, _short_address(address))
    return Feed(
        **{name: getattr(written, name) for name in _AS_WRITTEN},
        links=tuple(ProfileLink(name=name, url=url) for name, url in written.links.items()),
        extra=tuple(written.extra.items()),
        enabled=written.enabled is not False,
        is_archived=written.enabled == ARCHIVED,
        image=picture if isinstance(picture, str) else None,
        face=folder / picture if isinstance(picture, Path) else None,
        key=key,
        url=url,
        is_hidden="${" in address,
        is_led=written.public,
        slug=make_slug(names, key=key, taken=taken),
        tags=tuple(dict.fromkeys(written.tags)),
        content=written.content or planet.content,
        images=written.images or planet.pages.images,
        future=planet.future,
        # Else it is "all".
        new_feed_entries=entries if isinstance(entries, int) else None,
        transform=planet.transform if written.transform is None else written.transform,
        include=frozenset(written.include),
        policy=_resolve_policy(planet.policy, written),
        # Any feed may repeat the secrets of another.
        redactor=planet.redactor if planet.redactor.secrets else None,
        place=place,
    )


def _lay_over(upper: T, lower: TagSettings | T) -> T:
    """Return a section with the missing settings of a lower one."""
    own = {}
    for field in fields(lower):
        mine, other = getattr(upper, field.name), getattr(lower, field.name)
        if isinstance(mine, msgspec.Struct) and mine != other:
            own[field.name] = _lay_over(mine, other)
        elif mine == field.default:
            own[field.name] = other
    return replace(upper, **own)


def _resolve_policy(base: FetchPolicy, feed: FeedSettings) -> FetchPolicy:
    """Return the policy of a feed; the feed's own interval goes before the planet's other one.

    An operator who knows the feed may have whole answers more often than once a day, but not more
    often than once an hour.
    """
    own = feed.fetch
    if own == FeedFetchSettings() and not feed.headers and not feed.auth:
        return base  # Most feeds share it: a list may be long.
    low = base.min_interval if own.min_interval is None else own.min_interval
    high = own.max_interval or max(low, base.max_interval)
    if own.max_interval and own.min_interval is None:
        low = min(low, high)
    return replace(
        base,
        min_interval=low,
        max_interval=high,
        agreed=base.agreed if own.agreed is None else own.agreed,
        whole_interval=base.whole_interval if own.min_interval is None else max(low, _FLOOR),
        headers=tuple(feed.headers.items()),
        auth=(feed.auth.user, feed.auth.password) if feed.auth else None,
    )


# Addresses and names


def resolve_address(written: str, folder: Path) -> str:
    """Return the absolute, normalised address of a checked one; paths start at `folder`."""
    if known_as := account.parse_name(written):
        return known_as
    if written.lower().startswith(("http:", "https:")):
        return normalize(written)
    path = unquote(urlsplit(written).path) if written.lower().startswith("file:") else written
    return Path(os.path.normpath(folder.absolute() / path)).as_uri()


def _identity(written: str, url: str) -> str:
    """Return the key of a feed without an `id`: the normalised address, in most cases.

    A relative path stays as written, and the folder can move. An address with a secret from the
    environment stays as written, too.
    """
    text = written.strip()
    if "${" in text:
        return text
    is_relative = not text.startswith("/") and not kinds.SCHEME.match(text)
    return posixpath.normpath(text) if url.startswith("file:") and is_relative else url


_SERVER: Final = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:)?//([^/?#][^?#]*)", re.IGNORECASE)


def _short_address(written: str) -> str:
    """Return a short name for an address: host and path, or the name of the file."""
    match = _SERVER.match(written)
    return match[1] if match else Path(urlsplit(written).path).stem


_MAX_LENGTH: Final = 60
# Letters that Unicode does not decompose, in their usual Latin spelling.
_SPELLED: Final = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)


def make_slug(names: Iterable[str | None], *, key: str, taken: Container[str]) -> str:
    """Make the name of a folder from the first suitable one of `names`: a-z, 0-9, "-", up to 60.

    A taken name gets digits of a hash of `key`, which depend on nothing else: a feed keeps the
    folder when others come and go.
    """
    stem = next((plain for name in names if name and (plain := _to_ascii(name))), "feed")
    name, digits = stem, 0
    while name in taken:
        digits += 6
        suffix = hashlib.sha256(key.encode()).hexdigest()[:digits]
        name = f"{stem[: _MAX_LENGTH - digits - 1].rstrip('-')}-{suffix}"
    return name


def _to_ascii(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.casefold().translate(_SPELLED))
    ascii_letters = letters.encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_letters).strip("-")[:_MAX_LENGTH].rstrip("-")


# Subscription lists


class Outline(NamedTuple):
    """A feed in a subscription list."""

    place: Place
    settings: dict[str, Any]
    """The settings of the feed in a config: `url`, and those that the list has."""


class OpmlList(NamedTuple):
    """The feeds of a subscription list as written, and the mistakes in it."""

    outlines: tuple[Outline, ...] = ()
    problems: tuple[Problem, ...] = ()


class ListedFeeds(NamedTuple):
    """The feeds of a subscription list with every default filled in, and the mistakes in it."""

    feeds: tuple[Feed, ...]
    problems: tuple[Problem, ...]


def list_feeds(
    config: Config, find_body: Callable[[str], bytes | None], *, inside: Container[str] = ()
) -> tuple[Feed, ...]:
    """Return the feeds of the config and of the subscription lists, each once.

    `find_body` gives the last body of a list by the key of its subscription, if there is one.
    `inside` has the keys of the lists in a private network, which may lead to others there.
    """
    feeds = list(config.feeds)
    for subscription in config.subscriptions:
        if body := find_body(subscription.key):
            # An address that is a list is no feed, whatever another list says.
            taken = (*feeds, *config.subscriptions)
            listed, _ = read_list(body, subscription, config, besides=taken)
            is_led = subscription.key not in inside
            feeds += [replace(feed, is_led=is_led) for feed in listed]
    return set_releases(config, feeds)


def read_list(
    body: bytes, subscription: Feed, planet: Config, *, besides: Sequence[Feed] = ()
) -> ListedFeeds:
    """Return the feeds of a subscription list, without those with addresses of `besides`.

    A feed with two outlines has the tags of both. A list without an end has no feeds.

    In the address of a feed, the name of a secret of the planet stands in place of the value, as in
    the config; a home page with a secret is left out.
    """
    redactor, urls = planet.redactor, {other.url for other in besides}
    file = redact(subscription.written_url)
    if subscription.is_file:
        # As the config names it: short, and the same on every machine.
        is_full = subscription.key.startswith("file:")
        file = str(subscription.path if is_full else planet.path.parent / subscription.key)
    outlines, problems = parse_opml(body, file=file, base=redactor.base(subscription.url))
    by_url: dict[str, Outline] = {}
    for outline in outlines:
        first = by_url.setdefault(outline.settings["url"], outline)
        if first is not outline:
            tags = [*first.settings.get("tags", ()), *outline.settings.get("tags", ())]
            first.settings["tags"] = tags
    taken = {other.slug for other in besides}
    feeds = []
    for url, (place, settings) in by_url.items():
        if url in urls:
            continue
        settings |= {
            "name": redactor.redact(settings.get("name", "")) or None,
            "link": redactor.public(settings["link"]) if "link" in settings else None,
            "tags": [redactor.redact(tag) for tag in settings.get("tags", ())],
        }
        address = redactor.hide(url) if redactor.covers(url) else url
        feed = resolve_feed(FeedSettings(**settings), address, place, planet, taken=taken)
        taken.add(feed.slug)
        feeds.append(feed)
    return ListedFeeds(tuple(feeds), problems)


def parse_opml(
    data: bytes, *, file: str, base: str | None = None, partly: bool = False
) -> OpmlList:
    """Parse an OPML list (http://opml.org/spec2.opml).

    Names of attributes are read in any case. An outline that is neither feed nor folder is a
    warning. `file` is the name of the list in places, `base` the address for relative ones. A list
    without an end tag has no feeds or, with `partly`, all feeds so far.
    """
    reader = _Reader(file, base)
    reader.feed(decode(data))
    reader.close()
    if reader.is_opml and (reader.has_ended or partly):
        return OpmlList(tuple(reader.outlines), tuple(reader.problems))
    words = "the list ends before its </opml>"
    words = words if reader.is_opml else "this is not OPML: it has no <opml>"
    return OpmlList(problems=(Problem(reader.place(), words),))


def decode(data: bytes) -> str:
    """Decode a list as UTF-8 or, failing that, as Windows-1252."""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    with suppress(UnicodeDecodeError):
        return data.decode(encoding)
    return data.decode("cp1252", "replace")


_MAX_DEPTH: Final = 50


class _Reader(HTMLParser):
    def __init__(self, file: str, base: str | None) -> None:
        super().__init__()
        self.outlines: list[Outline] = []
        self.problems: list[Problem] = []
        self.is_opml = self.has_ended = False
        self._file, self._base = file, base
        self._folders: list[str] = []
        self._lack: Problem | None = None
        """Why the last outline is no feed, until another one begins in it."""

    def place(self) -> Place:
        """Return the present place of the parser."""
        line, column = self.getpos()
        return Place(file=self._file, line=line, column=column + 1)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_opml |= tag == "opml"
        if tag != "outline" or not self.is_opml:
            return
        given = {name: value or "" for name, value in reversed(attrs)}
        name = _one_line(given.get("text")) or _one_line(given.get("title"))
        # What has outlines in it is a folder.
        self._lack = None
        if written := given.get("xmlurl", "").strip():
            self._add(written, name, given)
        else:
            page = make_absolute(given.get("url") or given.get("htmlurl"), self._base)
            hint = f"; `planet add {redact(page)}` looks for its feed" if page else ""
            words = f"{name or 'an outline'} has no xmlUrl, so it is no feed{hint}"
            self._lack = Problem(self.place(), words, is_warning=True)
        self._folders.append("" if written else name)

    def handle_endtag(self, tag: str) -> None:
        if tag == "outline" and self._folders:
            self._folders.pop()
            self.problems += [self._lack] if self._lack else []
            self._lack = None
        self.has_ended |= tag == "opml"

    def _add(self, written: str, name: str, given: dict[str, str]) -> None:
        meant = kinds.without_feed_scheme(written)
        url = make_absolute(meant, self._base)
        try:
            url = normalize(kinds.check_address(url or f"http:{meant}"))
        except ValueError as error:
            self.problems.append(Problem(self.place(), f"xmlUrl of {name or 'a feed'} {error}"))
            return
        # OPML 2.0: "/Boston/Weather,/Harvard".
        categories = given.get("category", "").replace(",", "/").split("/")
        tags = filter(None, map(_one_line, (*self._folders[:_MAX_DEPTH], *categories)))
        settings = {
            "url": url,
            # In a list every feed must have a name; without one, it is the address.
            "name": name if name != url else None,
            "tags": [*dict.fromkeys(tags)],
            "link": make_absolute(given.get("htmlurl")),
            # Planet writes as a comment what is archived.
            "enabled": ARCHIVED if given.get("iscomment", "").strip().lower() == "true" else None,
        }
        given_settings = {name: value for name, value in settings.items() if value}
        self.outlines.append(Outline(self.place(), given_settings))


def _one_line(text: str | None) -> str:
    with suppress(ValueError):
        return kinds.one_line(text or "")
    return ""
