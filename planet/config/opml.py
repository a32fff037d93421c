"""Subscription lists in OPML → the feeds they list.

A list may come from anywhere: it cannot declare entities, and only web addresses are taken from
it, so that it can name no file of this machine.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from html.entities import html5
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from xml.parsers import expat  # hardened below: no entities, nothing external
from xml.sax.saxutils import escape

import msgspec
from msgspec.structs import replace

from planet.config import settings, texts
from planet.config.resolved import Config, set_releases
from planet.errors import Place, Problem
from planet.model.secrets import NO_REDACTOR, Redactor
from planet.text import address

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from planet.config import resolved
    from planet.model import Feed


_MAX_DEPTH: Final = 50


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
        defaults=config.defaults,
        besides=besides,
        redactor=config.redactor,
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
    defaults: resolved.Defaults,
    base: str | None = None,
    besides: Sequence[Feed] = (),
    redactor: Redactor = NO_REDACTOR,
) -> ListedFeeds:
    """Return the feeds of a subscription list.

    Feeds with addresses of `besides` are left out. A feed that is listed twice has the tags of
    both. A list that cannot be read to its end has no feeds. `file` is its name in places, `base`
    the address from which it came.

    In the address of a feed, a secret of `redactor` is replaced by its name, as in the config; a
    home page with a secret is left out.
    """
    listed = parse_opml(data, file=file, base=base)
    by_url: dict[str, Outline] = {}
    for outline in listed.outlines:
        first = by_url.get(outline.url, outline)
        tags = tuple(dict.fromkeys((*first.tags, *outline.tags)))
        by_url[outline.url] = replace(first, tags=tags)
    urls = {there.url for there in besides}
    taken = {there.slug for there in besides}
    feeds = []
    for outline in (outline for outline in by_url.values() if outline.url not in urls):
        is_hidden = redactor.covers(outline.url)
        name = redactor.redact(outline.name) if outline.name else None
        link = redactor.public(outline.link) if outline.link else None
        tags = tuple(map(redactor.redact, outline.tags))
        links = {
            name: url for name, there in outline.links.items() if (url := redactor.public(there))
        }
        new = settings.resolve_feed(
            settings.FeedSettings(
                url=outline.url,
                name=name,
                link=link,
                tags=tags,
                enabled=texts.ARCHIVED if outline.is_comment else True,
                links=links or None,
            ),
            address=redactor.hide(outline.url) if is_hidden else outline.url,
            place=outline.place,
            folder=Path(),
            defaults=defaults,
            taken=taken,
        )
        taken.add(new.slug)
        feeds.append(replace(new, redactor=redactor) if redactor.secrets else new)
    return ListedFeeds(tuple(feeds), (*listed.problems, *listed.repairs))


class Outline(msgspec.Struct, frozen=True, kw_only=True):
    """A feed in a subscription list."""

    url: str
    name: str | None
    link: str | None
    tags: tuple[str, ...]
    """The folders that it is in, and its categories."""
    is_comment: bool = False
    """Whether it is no longer meant to be subscribed to: Planet writes so what is archived."""
    links: dict[str, str] = {}
    """The addresses of `link:` attributes, by the rest of their names."""
    place: Place

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings of the feed in a config."""
        # In a list every feed must have a name; without one, it is the address.
        name = self.name if self.name != self.url else None
        settings: dict[str, Any] = {"url": self.url, "name": name, "tags": [*self.tags]}
        settings |= {"link": self.link, "links": self.links}
        settings |= {"enabled": texts.ARCHIVED} if self.is_comment else {}
        return {name: value for name, value in settings.items() if value}


class OpmlList(NamedTuple):
    """What an OPML list says."""

    outlines: tuple[Outline, ...] = ()
    """Its feeds."""
    problems: tuple[Problem, ...] = ()
    repairs: tuple[Problem, ...] = ()
    """What was read in another way than it is written."""


def parse_opml(
    data: bytes, *, file: str, base: str | None = None, partly: bool = False
) -> OpmlList:
    """Parse an OPML list (http://opml.org/spec2.opml).

    Names of attributes are read in any case; names of links stay as they are written. An outline
    that is neither feed nor folder is a warning. `file` is the name of the list in places, `base`
    the address for relative ones. A list that cannot be read to its end has no feeds or, with
    `partly`, those before.
    """
    reader = _Reader(file, base)
    try:
        try:
            reader.read(data)
        except expat.ExpatError:
            mended = _mend(data, file)
            reader = _Reader(file, base)
            reader.repairs += mended.repairs
            reader.read(mended.text)
    except expat.ExpatError as error:
        place = Place(file=file, line=error.lineno, column=error.offset + 1)
        why = expat.ErrorString(error.code)
    except _RefusedError as error:
        place, why = error.place, str(error)
    except (LookupError, ValueError):  # an encoding Python does not know, or expat cannot use
        place, why = reader.place(), "its encoding is unknown"
    else:
        return OpmlList(tuple(reader.outlines), tuple(reader.problems), tuple(reader.repairs))
    if partly and reader.outlines:
        cut = Problem(place, f"the list is broken here, and what follows is not read: {why}")
        problems = *reader.problems, cut
        return OpmlList(tuple(reader.outlines), problems, tuple(reader.repairs))
    return OpmlList(problems=(Problem(place, f"this is not OPML: {why}"),))


_DECLARED: Final = re.compile(rb"""<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]+)""")
_MENDABLE: Final = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos);)(?P<entity>[A-Za-z][A-Za-z0-9]*;)"
    r"|(?P<and>&(?!(?:[A-Za-z][A-Za-z0-9]*|#[0-9]+|#x[0-9a-fA-F]+);))"
    r"|(?P<less><(?![A-Za-z/!?_:]))"
    r"|(?P<control>[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff])"
)
_MENDS: Final = {
    "entity": ("", "an entity of HTML is read as its character"),
    "and": ("&amp;", 'a bare "&" is read as "&amp;"'),
    "less": ("&lt;", 'a bare "<" is read as "&lt;"'),
    "control": (" ", "a character that XML forbids is read as a blank"),
}
_NEXT: Final = re.compile(r"(?=<(?:/?outline\b|/(?:head|body|opml)\b|!--))", re.IGNORECASE)
_OUTLINE: Final = re.compile(
    r"""<outline(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*/?>""", re.IGNORECASE
)
# A value ends where the next attribute begins, or the tag ends. The limit avoids quadratic time.
_ATTRIBUTE: Final = re.compile(
    r"""\s(text|title|type|xmlurl|htmlurl|url|category|iscomment)\s*=\s*(["'])(.{0,1000}?)\2"""
    r"""(?=\s+[\w.:-]+\s*=\s*["']|\s*/?>\s*\Z)""",
    re.IGNORECASE | re.DOTALL,
)


class _MendedList(NamedTuple):
    text: str
    repairs: list[Problem]


def _mend(data: bytes, file: str) -> _MendedList:
    """Repair a list that is not well-formed XML; everything stays in its line."""
    declared = _DECLARED.search(data[:200])
    name = declared[1].decode() if declared else "utf-8"
    mends: dict[str, list[tuple[str, int]]] = defaultdict(list)
    """Each kind of repair, with the text and the position of each."""
    try:
        text = data.decode("utf-8-sig" if name.lower() in ("utf-8", "utf8") else name)
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
        mends[f"what is no {name.upper()} is read as Windows-1252"].append((text, 0))

    def mend(match: re.Match[str]) -> str:
        put, words = _MENDS[match.lastgroup or ""]
        mends[words].append((text, match.start()))
        return put or escape(html5.get(match["entity"], match[0]))

    repairs = _MENDABLE.sub(mend, text)
    parts, at = _NEXT.split(repairs), 0
    for number, part in enumerate(parts):
        if part[:8].lower() == "<outline" and not _OUTLINE.match(part):
            attributes = {match[1].lower(): match[3] for match in _ATTRIBUTE.finditer(part)}
            if attributes:
                parts[number] = _format_tag(attributes, part)
                words = "a quotation mark or a tag within an attribute is read as its text"
                mends[words].append((repairs, at))
        at += len(part)
    problems = []
    for words, places in mends.items():
        before, start = places[0]
        lines = re.split(r"\r\n?|\n", before[:start])
        place = Place(file=file, line=len(lines), column=len(lines[-1]) + 1)
        times = f" ({len(places)} times)" if len(places) > 1 else ""
        problems.append(Problem(place, words + times, is_warning=True))
    return _MendedList("".join(parts), problems)


def _format_tag(attributes: Mapping[str, str], part: str) -> str:
    """Format an outline with these attributes, and as many lines as `part` has."""
    values = "".join(
        f' {name}="{value.replace("<", "&lt;").replace(chr(34), "&quot;")}"'
        for name, value in attributes.items()
    )
    end = "/>" if part.rstrip().endswith("/>") else ">"
    tag = f"<outline{values}{end}"
    return tag + "\n" * (part.count("\n") - tag.count("\n"))


@dataclass(slots=True, kw_only=True)
class _Open:
    """An outline that has not ended yet."""

    folder: str
    """Its name as a folder; empty for a feed."""
    lack: Problem | None
    """Why it is no feed; None for a feed, and for a folder with outlines in it."""
    is_meant: bool
    """Whether it is no folder by its type."""


class _RefusedError(Exception):
    """A list that is refused, with the reason."""

    def __init__(self, place: Place, why: str) -> None:
        self.place = place
        super().__init__(why)


class _Reader:
    def __init__(self, file: str, base: str | None) -> None:
        self.outlines: list[Outline] = []
        self.problems: list[Problem] = []
        self.repairs: list[Problem] = []
        self._file = file
        self._base = base
        self._open: list[_Open] = []
        self._is_opml = False
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.EntityDeclHandler = self._refuse_entities

    def read(self, data: bytes | str) -> None:
        """Collect the outlines of the list."""
        self._parser.Parse(data, True)

    def place(self) -> Place:
        """Return the place that the parser has reached."""
        line, column = self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber
        return Place(file=self._file, line=line, column=column + 1)

    def _refuse_entities(self, *declaration: object) -> None:
        # Nested entities make a small file large.
        raise _RefusedError(self.place(), "it declares entities")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        if not self._is_opml:
            if element.lower() != "opml":
                raise _RefusedError(self.place(), f"it begins with <{element[:40]}>")
            self._is_opml = True
        if element.lower() != "outline":
            return
        given = {name.lower(): value for name, value in attributes.items()}
        name = _one_line(given.get("text")) or _one_line(given.get("title"))
        if self._open and not self._open[-1].is_meant:
            self._open[-1].lack = None
        if written := given.get("xmlurl", "").strip():
            self._add(written, name, given, _read_links(attributes))
            # A feed ends like a folder.
            self._open.append(_Open(folder="", lack=None, is_meant=True))
        else:
            kind = given.get("type", "").strip().lower()
            lack = Problem(self.place(), self._lack(name, kind, given), is_warning=True)
            is_meant = kind in ("atom", "include", "link", "rss")
            self._open.append(_Open(folder=name or "", lack=lack, is_meant=is_meant))
        # Each feed gets the names of all folders around it.
        if len(self._open) > _MAX_DEPTH:
            raise _RefusedError(self.place(), f"its folders are more than {_MAX_DEPTH} deep")

    def _end(self, element: str) -> None:
        if element.lower() == "outline" and (lack := self._open.pop().lack) is not None:
            self.problems.append(lack)

    def _lack(self, name: str | None, kind: str, given: Mapping[str, str]) -> str:
        """Return why an outline without the address of a feed is no feed."""
        page = address.make_absolute(given.get("url") or given.get("htmlurl"), self._base)
        shown = address.redact(page) if page else None
        called = name or "an outline"
        if kind == "include" or (kind == "link" and (shown or "").lower().endswith(".opml")):
            if shown is None:
                return f"{called} includes another list and does not say which"
            return f'{called} includes the list {shown}; write its address under "subscriptions"'
        lack = "has an empty xmlUrl" if "xmlurl" in given else "has no xmlUrl"
        hint = f"; `planet add {shown}` looks for its feed" if shown else ""
        return f"{called} {lack}, so it is no feed{hint}"

    def _add(
        self, written: str, name: str | None, given: Mapping[str, str], links: dict[str, str]
    ) -> None:
        meant = texts.without_feed_scheme(written)
        try:
            url = _check_web_address(address.make_absolute(meant, self._base) or meant)
        except ValueError as error:
            self.problems.append(Problem(self.place(), f"xmlUrl of {name or 'a feed'} {error}"))
            return
        if meant != written:
            words = f'xmlUrl of {name or "a feed"} begins with "feed:"'
            words = f"{words} and is read as {address.redact(url)}"
            self.repairs.append(Problem(self.place(), words, is_warning=True))
        # OPML 2.0: "/Boston/Weather,/Harvard".
        categories = given.get("category", "").replace(",", "/").split("/")
        folders = [outline.folder for outline in self._open]
        tags = [tag for name in (*folders, *categories) if (tag := _one_line(name))]
        self.outlines.append(
            Outline(
                url=address.normalize(url),
                name=name,
                link=address.make_absolute(given.get("htmlurl")),
                tags=tuple(dict.fromkeys(tags)),
                is_comment=given.get("iscomment", "").strip().lower() == "true",
                links=links,
                place=self.place(),
            )
        )


_LINK: Final = "link:"
_MAX_LINKS: Final = 20
_MAX_LINK_NAME: Final = 40


def _read_links(attributes: Mapping[str, str]) -> dict[str, str]:
    """Return the links of an outline, as `planet export` and the lists of sites have them."""
    links = {
        name[len(_LINK) :]: url
        for name, written in attributes.items()
        if name.lower().startswith(_LINK)
        and len(name) <= len(_LINK) + _MAX_LINK_NAME
        and (url := address.make_absolute(written))
    }
    return dict(list(links.items())[:_MAX_LINKS])


def _check_web_address(written: str) -> str:
    """Check an address as `texts.check_address` does, and refuse what is not on the web."""
    if not written.strip().lower().startswith(("http:", "https:")):
        # What `checked` would say of it has to do with paths.
        raise ValueError("is not a web address; a subscription list may only hold web addresses")
    return texts.check_address(written)


def _one_line(text: str | None) -> str | None:
    try:
        return texts.one_line(text or "")
    except ValueError:
        return None
