"""Language tags as they are met → those of RFC 5646."""

from __future__ import annotations

import re

# Nearly all languages have two or three letters; one with four or more has never been registered
# (RFC 5646 §2.2.1), so `english` is none.
_TAG = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{1,8})*", re.ASCII | re.IGNORECASE)


def language_tag(text: str | None) -> str | None:
    """Return a language tag in the form of RFC 5646 §2.1, or None; `en_US` is taken for `en-US`."""
    if text is None:
        return None
    candidate = text.strip().replace("_", "-")
    return candidate if _TAG.fullmatch(candidate) else None
