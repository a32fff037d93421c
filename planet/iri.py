"""Which ids are absolute IRIs (RFC 3987), and keep to what their scheme demands."""

from __future__ import annotations

import re

# §2.2: a scheme, and after it no blank, control or delimiter character. A one-letter scheme is a
# Windows drive, and a scheme alone is no address.
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:[^\s<>\"{}|\\^`\x00-\x20\x7f-\xa0]+")
# Ids of these kinds are made by hand and by software that has never read the rules. A reader that
# knows them rejects what breaks them.
_KINDS = {
    # RFC 3986 §3.2.2: there is a host.
    "http": re.compile(r"https?://[^/?#].*", re.IGNORECASE),
    "https": re.compile(r"https?://[^/?#].*", re.IGNORECASE),
    # RFC 2141 §2, which later versions only widen; RFC 9562 §4.
    "urn": re.compile(
        r"urn:(?:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
        r"|(?!uuid:)[a-z0-9][a-z0-9-]{1,31}:(?:[a-z0-9()+,\-.:=@;$_!*']|%[0-9a-f]{2})+)",
        re.IGNORECASE,
    ),
    # RFC 4151 §2.1.
    "tag": re.compile(
        r"tag:(?:[\w.-]+@)?[a-z0-9.-]+,\d{4}(?:-\d{2}(?:-\d{2})?)?:[\w;/?:@&=+$.\-!~*'()%,#]*",
        re.IGNORECASE | re.ASCII,
    ),
}


def is_absolute(said: str) -> bool:
    """Whether it may stand where an absolute IRI is demanded, such as in atom:id."""
    if not _IRI.fullmatch(said):
        return False
    kind = _KINDS.get(said.partition(":")[0].lower())
    return kind is None or kind.fullmatch(said) is not None
