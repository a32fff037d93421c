"""The key requests are signed with, as an operator writes it."""

from __future__ import annotations

import re
from typing import Final

_PEM: Final = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----\n.+\n-----END [A-Z ]+-----\n", re.DOTALL
)


def private_key(text: str) -> str:
    """A private key in PEM; one that is kept on one line has its line ends back.

    Raises:
        ValueError: it is none, in words that follow the name of the setting.
    """
    key = text.replace("\\n", "\n").strip() + "\n"
    if not _PEM.fullmatch(key):
        raise ValueError("must be a private key in PEM, which begins with -----BEGIN")
    return key
