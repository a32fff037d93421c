"""Subscription lists in OPML → the feeds they list.

A list may come from anywhere, and be broken: the parser of HTML goes on after mistakes, and knows
no entities but those of HTML. Only web addresses are taken from a list, so that it can name no file
of this machine.
"""

from __future__ import annotations

import re
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec.structs import replace

from planet.config import texts
from planet.config.feeds import resolve_feed
from planet.config.resolved import Config, set_releases
from planet.config.settings import FeedSettings
from planet.errors import Place, Problem
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from planet.config import resolved
    from planet.model import Feed
    from planet.model.secrets import Redactor


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
    return feeds_from_opml(
        body,
        file=address.redact(subscription.written_url),
        base=config.redactor.base(subscription.url),
        planet=config,
        besides=besides,
    )


class ListedFeeds(NamedTuple):
    """What a subscription list says."""

    feeds: tuple[Feed, ...]
    problems: tuple[Problem, ...]
    """What is wrong with it."""


def feeds_from_opml(
    data: bytes,
    *,
    file: str,
    planet: resolved.Basics,
    base: str | None = None,
    besides: Sequence[Feed] = (),
) -> ListedFeeds:
    """Return the feeds of a subscription list.

    Feeds with addresses of `besides` are left out. A feed that is listed twice has the tags of
    both. A list that cannot be read to its end has no feeds. `file` is its name in places, `base`
    the address from which it came.

    In the address of a feed, a secret of the planet is replaced by its name, as in the config; a
    home page with a secret is left out.
    """
    listed = parse_opml(data, file=file, base=base)
    redactor, urls = planet.redactor, {there.url for there in besides}
    by_url: dict[str, Outline] = {}
    for outline in listed.outlines:
        first = by_url.setdefault(outline.settings["url"], outline)
        if first is not outline:
            tags = [*first.settings.get("tags", ()), *outline.settings.get("tags", ())]
            first.settings["tags"] = tags
    taken = {there.slug for there in besides}
    feeds = []
    for url, outline in by_url.items():
        if url in urls:
            continue
        settings = _redact(outline.settings, redactor) if redactor.secrets else outline.settings
        feed = resolve_feed(
            FeedSettings(**settings),
            address=redactor.hide(url) if redactor.covers(url) else url,
            place=outline.place,
            folder=Path(),
            planet=planet,
            taken=taken,
        )
        taken.add(feed.slug)
        feeds.append(feed)
    return ListedFeeds(tuple(feeds), listed.problems)


def _redact(settings: dict[str, Any], redactor: Redactor) -> dict[str, Any]:
    """Return the settings of a feed without secrets, but for its address."""
    return settings | {
        "name": redactor.redact(settings.get("name", "")) or None,
        "link": redactor.public(settings["link"]) if "link" in settings else None,
        "tags": [redactor.redact(tag) for tag in settings.get("tags", ())],
    }


class Outline(NamedTuple):
    """A feed in a subscription list."""

    place: Place
    settings: dict[str, Any]
    """Those of the feed in a config: `url`, and what else the list says."""


class OpmlList(NamedTuple):
    """What an OPML list says."""

    outlines: tuple[Outline, ...] = ()
    """Its feeds."""
    problems: tuple[Problem, ...] = ()
    """What is wrong with it."""


def parse_opml(
    data: bytes, *, file: str, base: str | None = None, partly: bool = False
) -> OpmlList:
    """Parse an OPML list (http://opml.org/spec2.opml).

    Names of attributes are read in any case. An outline that is neither feed nor folder is a
    warning. `file` is the name of the list in places, `base` the address for relative ones. A list
    that ends before its end tag has no feeds or, with `partly`, those before.
    """
    reader = _Reader(file, base)
    reader.feed(decode(data))
    reader.close()
    if not reader.is_opml:
        return OpmlList(problems=(Problem(reader.place(), "this is not OPML: it has no <opml>"),))
    if reader.has_ended or partly:
        return OpmlList(tuple(reader.outlines), tuple(reader.problems))
    return OpmlList(problems=(Problem(reader.place(), "the list ends before its </opml>"),))


def decode(data: bytes) -> str:
    """Decode a list; what is no UTF-8 is in the encoding that it declares, or Windows-1252."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8-sig")
    declared = re.match(rb"""<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})""", data)
    with suppress(LookupError, UnicodeError):
        return data.decode(declared[1].decode() if declared else "cp1252", "replace")
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
        """Return the place that the parser has reached."""
        line, column = self.getpos()
        return Place(file=self._file, line=line, column=column + 1)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

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
            page = address.make_absolute(given.get("url") or given.get("htmlurl"), self._base)
            hint = f"; `planet add {address.redact(page)}` looks for its feed" if page else ""
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
        meant = texts.without_feed_scheme(written)
        url = address.make_absolute(meant, self._base)
        try:
            url = address.normalize(texts.check_address(url or f"http:{meant}"))
        except ValueError as error:
            self.problems.append(Problem(self.place(), f"xmlUrl of {name or 'a feed'} {error}"))
            return
        # OPML 2.0: "/Boston/Weather,/Harvard".
        categories = given.get("category", "").replace(",", "/").split("/")
        folders = self._folders[:_MAX_DEPTH]
        # Planet writes as a comment what is archived.
        is_comment = given.get("iscomment", "").strip().lower() == "true"
        settings = {
            "url": url,
            # In a list every feed must have a name; without one, it is the address.
            "name": name if name != url else None,
            "tags": [*dict.fromkeys(filter(None, map(_one_line, (*folders, *categories))))],
            "link": address.make_absolute(given.get("htmlurl")),
            "enabled": texts.ARCHIVED if is_comment else None,
        }
        given_settings = {name: value for name, value in settings.items() if value}
        self.outlines.append(Outline(self.place(), given_settings))


def _one_line(text: str | None) -> str:
    with suppress(ValueError):
        return texts.one_line(text or "")
    return ""
