"""Languages as feeds name them → tags that may be published."""

from __future__ import annotations

import re

_TAG = re.compile(r"[a-z]{2,8}(-[a-z0-9]{1,8})*", re.ASCII | re.IGNORECASE)


def tag(said: str | None) -> str | None:
    """A tag in the form of RFC 5646 §2.1, or None; `en_US` is taken for `en-US`."""
    if said is None:
        return None
    candidate = said.strip().replace("_", "-")
    return candidate if _TAG.fullmatch(candidate) else None
