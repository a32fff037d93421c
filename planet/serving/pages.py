"""A path → a file of the site. Pure: there is no folder that a path could lead out of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote, unquote

from planet.render.picking import TOKEN
from planet.serving.messages import Answer, sent_to, told

if TYPE_CHECKING:
    from collections.abc import Mapping

    Site: TypeAlias = Mapping[str, bytes]
    """The files of a site by their paths, which have forward slashes."""

_TYPES = {
    "html": "text/html; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    # As the types of feeds, browsers would save them instead of showing them.
    "xml": "application/xml; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "ico": "image/vnd.microsoft.icon",
    "woff2": "font/woff2",
}
# What stands for the secret counts in our own forms only. No feed can write a tag: its text may
# say the same words, but an entry that had the secret put into an address would be told it.
_FIELD = re.compile(rb'<input\b[^<>]*\bvalue="%b"[^<>]*>' % TOKEN.encode())


def page(site: Site, target: str, *, token: str) -> Answer:
    """What is at a path of the site, its forms with the secret in them."""
    name = file_at(site, target)
    if name is not None:
        return _answer(site, name, token)
    folder = _name(target)
    if f"{folder}/index.html" in site:
        return sent_to(quote(f"/{folder}/"), status=301)
    if not folder and (editions := [name for name in site if name.endswith("/index.html")]):
        # None of several editions is in the folder itself.
        first = min(editions, key=lambda name: name.count("/"))
        return sent_to(quote(f"/{first.removesuffix('index.html')}"), status=303)
    if "404.html" in site:
        return _answer(site, "404.html", token, status=404)
    return told(404, "Nothing is here", target)


def file_at(site: Site, target: str) -> str | None:
    """The file that a request target leads to, a folder's being its page; None without one."""
    name = _name(target)
    if not name or name.endswith("/"):
        name += "index.html"
    return name if name in site else None


def _name(target: str) -> str:
    return unquote(target.partition("?")[0]).removeprefix("/")


def _answer(site: Site, name: str, token: str, *, status: int = 200) -> Answer:
    suffix, body = name.rpartition(".")[2].lower(), site[name]
    if suffix == "html":
        body = _FIELD.sub(lambda field: field.group().replace(TOKEN.encode(), token.encode()), body)
    media_type = _TYPES.get(suffix, "application/octet-stream")
    return Answer(status=status, media_type=media_type, body=body)
