"""Signed requests: who gets one, and whether a server that looks at it can tell who asks."""

import json
import re
import sys
from base64 import b64decode
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from planet.errors import ConfigError
from planet.social.signing import Signer
from tests.cases import case, cases
from tests.http.conftest import BODY, Reader, kind
from tests.server import Request, Response, Server

KEY_ID = "https://planet.example/actor.json#main-key"
KIND = (("Content-Type", "application/activity+json"),)
PAGE = b'{"type": "OrderedCollectionPage", "orderedItems": []}'


def pem(key: Any) -> str:
    packed: bytes = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return packed.decode()


@pytest.fixture(scope="module")
def signer() -> Signer:
    return Signer(KEY_ID, pem(rsa.generate_private_key(public_exponent=65537, key_size=2048)))


def is_signed(request: Request, signer: Signer) -> bool:
    """Whether it is signed, as a server would look at it."""
    said = dict(re.findall(r'(\w+)="([^"]*)"', request.header("Signature") or ""))
    if said.get("keyId") != KEY_ID or said.get("algorithm") != "rsa-sha256":
        return False
    lines = [
        f"(request-target): get {request.path}"
        if name == "(request-target)"
        else f"{name}: {request.header(name)}"
        for name in said["headers"].split(" ")
    ]
    return verifies("\n".join(lines), said["signature"], signer)


def verifies(text: str, signature: str, signer: Signer) -> bool:
    key = signer._key.public_key()
    try:
        key.verify(b64decode(signature), text.encode(), PKCS1v15(), SHA256())
    except InvalidSignature:
        return False
    return True


class Closed:
    """A server that answers nobody whom it does not know; WebFinger is for all."""

    def __init__(self, server: Server, signer: Signer, status: int = 401) -> None:
        self.server = server
        self.name = f"acct:ann@{urlsplit(server.url('/')).netloc}"
        links = [{"rel": "self", "type": "application/activity+json", "href": server.url("/ann")}]
        query = f"resource={quote(self.name, safe='')}"
        server.script(
            f"/.well-known/webfinger?{query}", Response(body=json.dumps({"links": links}).encode())
        )
        documents = {
            "/ann": json.dumps({"type": "Person", "outbox": "/outbox"}).encode(),
            "/outbox": json.dumps({"type": "OrderedCollection", "first": "/page?a=b"}).encode(),
            "/page?a=b": PAGE,
        }
        for path, body in documents.items():
            self.guard(path, body, signer, status)

    def guard(self, path: str, body: bytes, signer: Signer, status: int) -> None:
        def answer(request: Request) -> Response:
            if is_signed(request, signer):
                return Response(headers=KIND, body=body)
            return Response(status=status)

        self.server.answer(path, answer)

    @property
    def signed(self) -> list[tuple[str, bool]]:
        """What was asked for, and whether it was signed."""
        return [
            (urlsplit(request.path).path, request.header("Signature") is not None)
            for request in self.server.requests
        ]


@pytest.fixture
def reader(reader: Reader, signer: Signer) -> Reader:
    reader.signer = signer
    return reader


@pytest.mark.parametrize("status", [401, 403])
def test_a_server_that_wants_to_know_who_asks_is_told(
    reader: Reader, server: Server, signer: Signer, status: int
) -> None:
    closed = Closed(server, signer, status)

    fetched = reader.once(closed.name)

    assert fetched.body == PAGE
    assert closed.signed == [
        ("/.well-known/webfinger", False),
        ("/ann", True),
        ("/outbox", True),
        ("/page", True),
    ]


def test_who_is_refused_all_the_same_is_told(reader: Reader, server: Server) -> None:
    closed = Closed(server, Signer(KEY_ID, pem(rsa.generate_private_key(65537, 2048))))

    fetched = reader.once(closed.name)

    assert kind(fetched) == "http_401"
    assert [is_signed for _, is_signed in closed.signed] == [False, True]


def test_without_key_nobody_is_asked_twice(reader: Reader, server: Server, signer: Signer) -> None:
    closed = Closed(server, signer)
    reader.signer = None

    fetched = reader.once(closed.name)

    assert "fetch.signature" in str(fetched.error)
    assert [is_signed for _, is_signed in closed.signed] == [False, False]


def test_what_signs_may_have_to_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.serialization", None)

    with pytest.raises(ConfigError, match=r"planet-digest\[fediverse\]"):
        Signer(KEY_ID, "")


@cases(
    "key, words",
    case("rubbish", "-----BEGIN PRIVATE KEY-----\nrubbish\n", "cannot be read"),
    case("no RSA", pem(ec.generate_private_key(ec.SECP256R1())), "not RSA"),
)
def test_a_key_that_is_of_no_use_is_told(key: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as told:
        Signer(KEY_ID, key)

    assert key.splitlines()[1] not in str(told.value)


@pytest.mark.parametrize("status", [401, 403])
def test_an_ordinary_feed_is_never_signed(reader: Reader, server: Server, status: int) -> None:
    url = server.script("/feed", Response(status=status), Response(body=BODY))

    fetched = reader.once(url)

    assert fetched.error is not None
    assert [request.header("Signature") for request in server.requests] == [None]
