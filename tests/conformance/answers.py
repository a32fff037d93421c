"""What servers say in scenarios."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from email.utils import format_datetime
from typing import TypeAlias

from tests.conformance.bodies import FEED, Scene
from tests.server import Request, Response


@dataclass(frozen=True, slots=True)
class To:
    """The value of a field that is a whole address; written short."""

    address: str


Value: TypeAlias = str | timedelta | To
"""A field's value: text as it is, a span of time as the HTTP-date that far from now."""
Body: TypeAlias = bytes | Callable[[Scene], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int = 200
    fields: tuple[tuple[str, Value], ...] = ()
    body: Body = b""
    faithful: bool = False
    """304 instead, without a body, for a request that names the ETag."""
    interrupts: bool = False
    """The operator presses Ctrl-C while it is on its way; it never comes."""
    chunked: bool = False
    drips: float = 0
    """Seconds before each byte of the body."""
    hangs: bool = False
    raw: bytes | None = None
    """Sent instead of everything else."""

    def to(self, request: Request, scene: Scene) -> Response:
        """What goes out in answer to a request."""
        if self.hangs:
            return Response(hold=threading.Event())
        if self.raw is not None:
            return Response(raw=self.raw)
        fields = tuple((name, _written(value, scene)) for name, value in self.fields)
        known = request.header("If-None-Match")
        if self.faithful and known is not None and known == dict(fields).get("ETag"):
            return Response(status=304, headers=fields)
        body = self.body if isinstance(self.body, bytes) else self.body(scene)
        return Response(
            status=self.status,
            headers=fields,
            body=body,
            chunked=self.chunked,
            drip_body=self.drips,
        )


def status(
    code: int,
    etag: Value | None = None,
    modified: Value | None = None,
    *,
    body: Body = b"<html><title>No</title></html>",
    **fields: Value,
) -> Answer:
    """An answer with these fields: `cache_control="max-age=60"` is `Cache-Control: max-age=60`."""
    validators = (("ETag", etag), ("Last-Modified", modified))
    named = tuple((name.replace("_", "-").title(), value) for name, value in fields.items())
    sent = tuple((name, value) for name, value in validators if value is not None)
    return Answer(status=code, fields=(*sent, *named), body=body)


def ok(
    etag: Value | None = None, modified: Value | None = None, *, body: Body = FEED, **fields: Value
) -> Answer:
    """200 with a whole feed, always the same unless `body` says otherwise."""
    return status(200, etag, modified, body=body, **fields)


def same(etag: Value | None = None, modified: Value | None = None, **fields: Value) -> Answer:
    return status(304, etag, modified, body=b"", **fields)


def live(etag: str, *, body: Body = FEED, **fields: Value) -> Answer:
    """304 to a request that names the ETag, and 200 to every other."""
    return replace(ok(etag, body=body, **fields), faithful=True)


def moved(to: str, code: int = 301, **fields: Value) -> Answer:
    """A redirect that is meant for good."""
    return status(code, body=b"", location=To(to), **fields)


def found(to: str, code: int = 302, **fields: Value) -> Answer:
    """A redirect for the time being."""
    return moved(to, code, **fields)


def chunked(answer: Answer) -> Answer:
    """The answer without a Content-Length."""
    return replace(answer, chunked=True)


def dripping(answer: Answer) -> Answer:
    """The answer with a body that comes byte by byte, and takes for ever."""
    return replace(answer, drips=0.1)


def drops() -> Answer:
    """The connection is closed without a word."""
    return speaks(b"")


def speaks(raw: bytes) -> Answer:
    return Answer(raw=raw)


def hangs() -> Answer:
    """Nothing, ever."""
    return Answer(hangs=True)


def interrupted() -> Answer:
    """The operator presses Ctrl-C while the answer is waited for."""
    return Answer(hangs=True, interrupts=True)


def _written(value: Value, scene: Scene) -> str:
    if isinstance(value, timedelta):
        return format_datetime(scene.now + value, usegmt=True)
    return scene.url(value.address) if isinstance(value, To) else value
