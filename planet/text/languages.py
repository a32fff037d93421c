"""Language tags as they are met → those of RFC 5646."""

from __future__ import annotations

import re

# ISO 639-1, by first letter. Three letters are taken on trust; a language with four or more has
# never been registered (RFC 5646 §2.2.1), so `english` is none.
_CODES = (
    "a[abefkmnrsvyz] b[aegimnors] c[aehorsuvy] d[aevz] e[elnostu] f[afijory] g[adlnuv] h[aeiortuyz]"
    " i[adegikostu] j[av] k[agijklmnorsuvwy] l[abginotuv] m[ghiklnrsty] n[abdeglnorvy] o[cjmrs]"
    " p[ailst] qu r[mnouw] s[acdegiklmnoqrstuvw] t[aeghiklnorstwy] u[gkrz] v[eio] w[ao] xh y[io]"
    " z[ahu]"
)
_TAG = re.compile(
    rf"(?:{_CODES.replace(' ', '|')}|[a-z]{{3}})(?:-[a-z0-9]{{1,8}})*", re.ASCII | re.IGNORECASE
)


def language_tag(text: str | None) -> str | None:
    """Return a language tag in the form of RFC 5646 §2.1, or None; `en_US` is taken for `en-US`."""
    if text is None:
        return None
    candidate = text.strip().replace("_", "-")
    return candidate if _TAG.fullmatch(candidate) else None
