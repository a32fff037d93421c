"""Writing XML and JSON, well-formed whatever the strings hold, and the filters of the templates.

Templates of the package draw XML, and no theme replaces them. Every value is escaped, so words of a
feed can only become text or the value of an attribute; characters outside XML are left out; and
every document is parsed before anybody gets one.
"""

from __future__ import annotations

import html
import json
import re
import uuid
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

import msgspec
from markupsafe import Markup

from planet import __version__, documentation, project_address
from planet.model import Html
from planet.site.feeds import facts
from planet.site.feeds.channel import newest_change
from planet.text import address, media
from planet.text.plain import language_tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from jinja2 import Environment

    from planet.model import Post, Source
    from planet.site.words import Words


# XML 1.0 §2.2 forbids these C0 controls; DEL and the C1 controls below are discouraged there, and
# the W3C feed validator takes them for wrongly decoded windows-1252.
_CONTROLS = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0D})
# U+0080 to U+009F, U+FFFE and U+FFFF in UTF-8: no character's encoding lies inside another's.
# Apart, because what begins with one certain byte is looked for a hundred times faster.
_UNWANTED = re.compile(rb"\xc2[\x80-\x9f]"), re.compile(rb"\xef\xbf[\xbe\xbf]")


def write_xml(template: str, **values: Any) -> bytes:
    """Return a template drawn with these values, in UTF-8.

    Raises:
        ExpatError: the document is not well-formed, a mistake of the template.
    """
    drawn = _environment().get_template(template).render(values)
    # "ignore" drops lone surrogates, the only code points UTF-8 cannot hold.
    document = drawn.encode("utf-8", "ignore").translate(None, _CONTROLS)
    for unwanted in _UNWANTED:
        document = unwanted.sub(b"", document)
    expat.ParserCreate(namespace_separator=" ").Parse(document, True)
    return document


def write_json(value: object, *, indent: int | None = None) -> bytes:
    """Return a value as JSON."""
    # "ignore" drops lone surrogates, the only code points UTF-8 cannot hold.
    written = json.dumps(value, ensure_ascii=False, indent=indent) + "\n"
    document = written.encode("utf-8", "ignore")
    msgspec.json.decode(document)
    return document


@cache
def _environment() -> Environment:
    # Imported late, as most runs make no feed.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("planet.site.feeds"),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=_escape,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters |= {function.__name__: function for function in _FILTERS}
    environment.globals |= {
        "documentation": documentation("feeds.md"),
        "home": project_address("Source"),
        "version": __version__,
    }
    return environment


def _escape(value: object) -> Markup:
    """Escape a value for any place, also between quotation marks; markup stays untouched."""
    return value if isinstance(value, Markup) else Markup(html.escape(str(value)))  # noqa: S704


def text(value: str) -> Markup:
    """Escape a value, markup too, for a place between tags: without quotation marks."""
    return Markup(html.escape(str(value), quote=False))  # noqa: S704


def attributes(values: Mapping[str, object]) -> Markup:
    """Write attributes, each behind a blank; an attribute of None is left out."""
    written = (
        f' {name}="{html.escape(str(value))}"'
        for name, value in values.items()
        if value is not None
    )
    return Markup("".join(written))  # noqa: S704


def rfc3339(moment: datetime) -> str:
    """Write a UTC moment for Atom (RFC 4287 §3.3) and JSON Feed."""
    return moment.isoformat(timespec="seconds")[:19] + "Z"


def rfc822(moment: datetime) -> str:
    """Write a UTC moment for RSS 2.0: RFC 822 with four digits for the year, in GMT."""
    # Imported late: it brings `socket` along, and most runs write no podcast.
    from email.utils import format_datetime

    return format_datetime(moment, usegmt=True)


# The namespace that the Podcasting 2.0 specification gives for podcast:guid.
_GUIDS = uuid.UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")
# Characters that an itunes:author may have, by Apple's first specification.
_MAX_AUTHOR = 255


def guid(url: str | None) -> str | None:
    """Return the podcast:guid of the feed at an address; neither scheme nor final slash matters."""
    return url and str(uuid.uuid5(_GUIDS, url.partition("://")[2].rstrip("/")))


def notes(post: Post, words: Words) -> Html:
    """Return the short show notes as HTML; empty where there is no summary."""
    summary = facts.summary(post)
    return Html(facts.foreword(post, words) + facts.paragraph(summary) if summary else "")


def cover(posts: Sequence[Post], own: str | None) -> str | None:
    """Return the channel's own image, else the first one of the shows, by title."""
    # By title and not by date: a cover must not change with every new episode.
    shows = sorted((post.source.title, post.source.key, post.source.image or "") for post in posts)
    return own or next((image for _, _, image in shows if image), None)


def short(name: str | None) -> str | None:
    """Return the name of an author, cut to the length that Apple allows."""
    return f"{name[: _MAX_AUTHOR - 1]}…" if name and len(name) > _MAX_AUTHOR else name


def explicit(post: Post) -> bool | None:
    """Return whether an episode is explicit: in its own words, else in the show's."""
    own = post.entry.episode.explicit if post.entry.episode else None
    return post.source.explicit if own is None else own


def any_explicit(posts: Iterable[Post]) -> bool:
    """Return whether one of the episodes is explicit."""
    return any(map(explicit, posts))


def changes_by_source(posts: Sequence[Post]) -> Mapping[Source, datetime]:
    """Return the newest change of the posts of each source."""
    # Not by key: picked episodes of one show that is gone may know it by different names.
    by_source: dict[Source, list[Post]] = {}
    for post in posts:
        by_source.setdefault(post.source, []).append(post)
    return {source: newest_change(own) for source, own in by_source.items()}


def duration(post: Post) -> int | None:
    """Return the seconds of the file to play; None when unknown."""
    playable = media.find_playable(post.entry)
    return (playable and playable.duration) or None


def truth(claim: bool | None) -> str | None:
    """Write true or false; None when unknown."""
    return None if claim is None else str(claim).lower()


def positive(number: int | None) -> str | None:
    """Return the number as text; None for 0, the sign of feeds for an unknown number."""
    return str(number) if number is not None and number > 0 else None


_FILTERS: tuple[Callable[..., object], ...] = (
    *(any_explicit, attributes, changes_by_source, cover, duration, explicit, guid, notes),
    *(positive, rfc3339, rfc822, short, text, truth, newest_change, language_tag),
    date.fromisoformat,
    *(facts.authors, facts.categories, facts.enclosures, facts.id_of, facts.language_of),
    *(facts.subscribe_url, facts.summary, media.media_type, address.without_secrets),
)
"""The filters of the templates, each by its name."""
