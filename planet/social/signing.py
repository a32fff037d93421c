"""Requests signed with a key of the operator's, for servers that want to know who asks.

The only door to cryptography, which is loaded when a key is configured. Address and time are
signed, so that nobody who sees a request can ask for anything else.
"""

from __future__ import annotations

from base64 import b64encode
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from planet.errors import ConfigError, Problem

if TYPE_CHECKING:
    from datetime import datetime


class Signer:
    """Signs with an RSA key, which servers look up at `key_id`."""

    def __init__(self, key_id: str, key: str) -> None:
        """Read a private key in PEM.

        Raises:
            ConfigError: the key cannot be read, or cryptography is not installed.
        """
        self._key_id = key_id
        self._key = _load_key(key)

    def headers(self, url: str, *, now: datetime) -> dict[str, str]:
        """Return the header fields of a signed GET (draft-cavage-http-signatures-12 §2.3 and §2.1).

        All servers that want signatures know this draft, and only newer ones RFC 9421.
        """
        from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
        from cryptography.hazmat.primitives.hashes import SHA256

        parts = urlsplit(url)
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        date = format_datetime(now, usegmt=True)
        signed = f"(request-target): get {target}\nhost: {parts.netloc}\ndate: {date}"
        parameters = {
            "keyId": self._key_id,
            "algorithm": "rsa-sha256",
            "headers": "(request-target) host date",
            "signature": b64encode(self._key.sign(signed.encode(), PKCS1v15(), SHA256())).decode(),
        }
        field = ",".join(f'{name}="{value}"' for name, value in parameters.items())
        return {"Date": date, "Signature": field}


def _load_key(key: str) -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    except ImportError:
        raise _wrong(
            "needs cryptography, which is not installed; pip install 'planet-digest[fediverse]'"
        ) from None
    try:
        loaded = load_pem_private_key(key.encode(), password=None)
    except Exception:  # noqa: BLE001 - it promises no set of exceptions, and some show the key
        raise _wrong("has a key that cannot be read; it has to be a private key in PEM") from None
    if not isinstance(loaded, RSAPrivateKey):
        raise _wrong("has a key that is not RSA, which servers do not take")
    return loaded


def _wrong(words: str) -> ConfigError:
    return ConfigError([Problem(None, f"fetch.signature {words}")])
