"""What values have to look like, whatever the format: as strict as the W3C feed validator."""

import re
from datetime import datetime
from html.parser import HTMLParser

from planet.text.policy import ELEMENTS

_IRI = re.compile(r"[a-z][a-z0-9+.-]*:[^\s<>\"{}|\\^`]+", re.IGNORECASE)
_URN = re.compile(
    r"urn:[a-z0-9][a-z0-9-]{1,31}:([a-z0-9()+,.:=@;$_!*'-]|%[0-9a-f]{2})+", re.IGNORECASE
)
_TAG = re.compile(
    r"tag:([a-z0-9._-]+@)?[a-z0-9.-]+,\d{4}(-\d\d(-\d\d)?)?:[0-9a-z;/?:@&=+$._!~*'()%,#-]*",
    re.IGNORECASE,
)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HTTP = re.compile(r"https?://[^\s/?#<>\"]+(?![^/?#])[^\s<>\"{}|\\^`]*", re.ASCII)
_MEDIA = re.compile(r"[^\s()<>,;:\\\"/\[\]?=]+/[^\s()<>,;:\\\"/\[\]?=]+")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
# The validator calls these wrongly decoded.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def is_iri(value: str) -> bool:
    """As the validator has it, with what it knows of `urn:` and `tag:`."""
    scheme = value.partition(":")[0].lower()
    kind = _TAG if scheme == "tag" else _URN if scheme == "urn" else _IRI
    uuid = value.lower().partition("urn:uuid:")[2]
    return bool(kind.fullmatch(value)) and (not uuid or bool(_UUID.fullmatch(uuid)))


def is_web(value: str) -> bool:
    return bool(_HTTP.fullmatch(value))


def is_media_type(value: str) -> bool:
    return bool(_MEDIA.fullmatch(value))


def is_language(value: str) -> bool:
    return bool(_LANGUAGE.fullmatch(value))


def is_rfc3339(value: str) -> bool:
    if not _DATE.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def is_rfc822(value: str) -> bool:
    """Whether it is a date with four digits for the year, in GMT, on the right day of the week."""
    try:
        moment = datetime.strptime(value, "%a, %d %b %Y %H:%M:%S GMT")  # noqa: DTZ007
    except ValueError:
        return False
    return moment.strftime("%a") == value[:3]


def has_controls(document: bytes) -> bool:
    return bool(_CONTROLS.search(document.decode()))


def faults_of_html(text: str) -> list[str]:
    """What is wrong with HTML in a feed: addresses that are relative, elements that are risky."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.faults


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ELEMENTS:
            self.faults.append(f"<{tag}> in HTML")
        for name, value in attrs:
            if name in {"href", "src", "cite", "poster"} and not is_iri(value or ""):
                self.faults.append(f"<{tag} {name}> that is not absolute")
