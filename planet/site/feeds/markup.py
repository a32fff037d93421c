"""Writing XML and JSON: well-formed whatever the strings hold.

XML is drawn by templates of the package, which no theme replaces. Every value is escaped, so what a
feed sent can only become text or the value of an attribute; characters that XML does not allow are
left out; and what was written is parsed before anybody gets it.
"""

from __future__ import annotations

import html
import json
import re
from functools import cache, partial
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

import msgspec

from planet import __version__, documentation, project_address

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from jinja2 import Environment
    from markupsafe import Markup


# XML 1.0 §2.2 forbids these C0 controls; DEL and the C1 controls below are discouraged there, and
# the W3C feed validator takes them for wrongly decoded windows-1252.
_CONTROLS = bytes({*range(0x20), 0x7F} - {0x09, 0x0A, 0x0D})
# U+0080 to U+009F, U+FFFE and U+FFFF in UTF-8: no character's encoding lies inside another's.
# Apart, because what begins with one certain byte is looked for a hundred times faster.
_UNWANTED = re.compile(rb"\xc2[\x80-\x9f]"), re.compile(rb"\xef\xbf[\xbe\xbf]")


def write_xml(template: str, **values: Any) -> bytes:
    """Return a template drawn with these values, in UTF-8.

    Raises:
        ExpatError: it is not well-formed, which is a mistake of the template.
    """
    text = _environment().get_template(template).render(values)
    # "ignore" drops lone surrogates, the only code points UTF-8 cannot hold.
    document = text.encode("utf-8", "ignore").translate(None, _CONTROLS)
    for unwanted in _UNWANTED:
        document = unwanted.sub(b"", document)
    expat.ParserCreate(namespace_separator=" ").Parse(document, True)
    return document


def write_json(value: object, *, indent: int | None = None) -> bytes:
    """Return a value as JSON."""
    # "ignore" drops lone surrogates, the only code points UTF-8 cannot hold.
    document = (_encoder(indent=indent).encode(value) + "\n").encode("utf-8", "ignore")
    msgspec.json.decode(document)
    return document


_encoder = cache(partial(json.JSONEncoder, ensure_ascii=False))


@cache
def _environment() -> Environment:
    # Imported late, as most runs make no feed; the filters import what they are of.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from planet.site.feeds.filters import FILTERS

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
    environment.filters |= {
        **FILTERS,
        "attributes": _write_attributes,
        "rfc3339": rfc3339,
        "rfc822": rfc822,
        "text": _escape_text,
    }
    environment.globals |= {
        "documentation": documentation("feeds.md"),
        "home": project_address("Source"),
        "version": __version__,
    }
    return environment


def _escape(value: object) -> Markup:
    """Escape a value for any place, also between quotation marks; markup stays as it is."""
    from markupsafe import Markup

    return value if isinstance(value, Markup) else Markup(html.escape(str(value)))  # noqa: S704


def _escape_text(value: str) -> Markup:
    """Escape a value, markup too, for a place between tags: without quotation marks."""
    from markupsafe import Markup

    return Markup(html.escape(str(value), quote=False))  # noqa: S704


def _write_attributes(attributes: Mapping[str, object]) -> Markup:
    """Write attributes, each with a blank before it; one whose value is None is left out."""
    from markupsafe import Markup

    written = (
        f' {name}="{html.escape(str(value))}"'
        for name, value in attributes.items()
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
