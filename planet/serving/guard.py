"""Which requests come from the operator, on pages that this server made. Pure.

Any page in the operator's browser can send requests to this machine. So:

1. The address asked for must be this machine's by its number or as `localhost`. A name that some
   stranger lets lead here (DNS rebinding) is another one.
2. What changes something must come from the same origin, where the browser says where it comes
   from (Fetch Metadata, `Origin`).
3. Whatever the browser says or leaves out, it must know a secret that stands in the pages.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planet.serving.messages import Request

_FORM = "application/x-www-form-urlencoded"
_MOST_FIELDS = 20


def hosts(port: int) -> frozenset[str]:
    """What a request to this server has as its `Host`."""
    return frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})


def misdirected(request: Request, *, port: int) -> str | None:
    """Why a request is not for this server, in words; None when it is."""
    if request.header("Host") in hosts(port):
        return None
    return f"This is http://127.0.0.1:{port}/ and nothing else."


def foreign(request: Request) -> str | None:
    """Why a request does not come from a page of this server, in words.

    None when it may: not every browser says where a request comes from.
    """
    if request.header("Sec-Fetch-Site") not in (None, "same-origin"):
        return "The request comes from another site."
    # A page that keeps its address to itself says "null".
    if request.header("Origin") not in (None, "null", f"http://{request.header('Host')}"):
        return "The request comes from another site."
    return None


def unsigned(fields: Mapping[str, str], *, token: str) -> str | None:
    """Why a form is not one of this server, in words; None when it is."""
    if hmac.compare_digest(fields.get("token", "").encode(), token.encode()):
        return None
    return "The page is from before this server was started. Go back, and reload it."


def fields_of(request: Request) -> dict[str, str]:
    """The fields of a form, by name.

    Raises:
        ValueError: it is no form, or has a field twice; in words.
    """
    media_type, _, _ = (request.header("Content-Type") or "").partition(";")
    if media_type.strip().lower() != _FORM:
        raise ValueError(f"A form is sent as {_FORM}.")
    try:
        pairs = parse_qsl(
            request.body.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=_MOST_FIELDS,
        )
    except ValueError as error:
        raise ValueError("The form cannot be read.") from error
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("The form says the same thing twice.")
    return fields
