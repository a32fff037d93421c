"""Accounts of the social web as feeds: from a name in the config to posts on the page."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from planet.config import load
from planet.social.signing import Signer
from tests.cases import case, cases
from tests.server import Request, Response, Script, Server
from tests.whole.conftest import Planet, call

PUBLIC = "https://www.w3.org/ns/activitystreams#Public"
WEBFINGER = "/.well-known/webfinger"
HANDLE = "/xrpc/com.atproto.identity.resolveHandle?handle=ann.example"
ALL = [WEBFINGER, "/users/ann", "/users/ann/outbox", "/users/ann/outbox"]
ACTIVITY = "application/activity+json; charset=utf-8"


class Instance:
    """A server of the social web with the account `ann`."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.root = server.url("/")
        self.host = self.root.removeprefix("http://").rstrip("/")
        self.actor = f"{self.root}users/ann"
        self.name = f"acct:ann@{self.host}"
        self.posts = [self.post(1, "First words.")]
        self.page_path = "/users/ann/outbox?page=true"
        self.more: dict[str, Any] = {}
        asked = quote(self.name, safe="")
        self.says(f"{WEBFINGER}?resource={asked}", self.webfinger, "application/jrd+json")
        self.says("/users/ann", self.person)
        self.says("/users/ann/outbox", self.outbox)
        self.says("/users/ann/outbox?page=true", self.page)
        self.says("/users/ann/outbox?page=1", self.page)

    def webfinger(self) -> object:
        return {
            "subject": self.name,
            "links": [
                {"rel": "http://webfinger.net/rel/profile-page", "href": f"{self.root}@ann"},
                {"rel": "self", "type": "application/activity+json", "href": self.actor},
            ],
        }

    def person(self) -> object:
        return {
            "@context": "https://www.w3.org/ns/activitystreams",
            "id": self.actor,
            "type": "Person",
            "name": "Ann of the Harbour",
            "url": f"{self.root}@ann",
            "icon": {"type": "Image", "url": f"{self.root}ann.png"},
            "outbox": f"{self.actor}/outbox",
            **self.more,
        }

    def outbox(self) -> object:
        return {
            "@context": "https://www.w3.org/ns/activitystreams",
            "id": f"{self.actor}/outbox",
            "type": "OrderedCollection",
            "totalItems": len(self.posts),
            "first": self.server.url(self.page_path),
        }

    def page(self) -> object:
        return {
            "@context": "https://www.w3.org/ns/activitystreams",
            "type": "OrderedCollectionPage",
            "partOf": f"{self.actor}/outbox",
            "orderedItems": self.posts,
        }

    def post(self, number: int, words: str, **changes: Any) -> dict[str, Any]:
        note = {
            "id": f"{self.actor}/statuses/{number}",
            "type": "Note",
            "published": f"2026-11-{10 + number}T08:00:00Z",
            "url": f"{self.root}@ann/{number}",
            "attributedTo": self.actor,
            "to": [PUBLIC],
            "content": f"<p>{words}</p>",
            **changes,
        }
        return {
            "id": f"{note['id']}/activity",
            "type": "Create",
            "actor": self.actor,
            "published": note["published"],
            "to": note["to"],
            "object": note,
        }

    def boost(self, number: int, what: object) -> dict[str, Any]:
        return {
            "id": f"{self.actor}/statuses/{number}/activity",
            "type": "Announce",
            "actor": self.actor,
            "published": f"2026-11-{10 + number}T08:00:00Z",
            "to": [PUBLIC],
            "object": what,
        }

    def says(self, path: str, what: Callable[[], object], kind: str = ACTIVITY) -> None:
        """Answer with a document, and with 304 who has it."""

        def answer(request: Request) -> Response:
            body = json.dumps(what()).encode()
            tag = f'"{hash(body)}"'
            headers = (("Content-Type", kind), ("ETag", tag))
            if request.header("If-None-Match") == tag:
                return Response(status=304, headers=headers)
            return Response(headers=headers, body=body)

        self.server.answer(path, answer)

    @property
    def asked(self) -> list[str]:
        return [request.path.partition("?")[0] for request in self.server.requests]


@pytest.fixture
def instance(server: Server) -> Instance:
    return Instance(server)


def test_an_account_is_followed_to_its_posts_and_anew_after_a_month(
    a_planet: Planet, instance: Instance
) -> None:
    a_planet.subscribe(instance.name)

    report = a_planet.build()

    assert report.failed == []
    page = a_planet.page()
    assert "First words." in page
    assert "Ann of the Harbour" in page
    assert instance.asked == ALL
    a_planet.later(days=29).build()
    assert instance.asked == ALL * 2


def test_a_later_poll_is_one_conditional_request_and_brings_what_is_new(
    a_planet: Planet, instance: Instance
) -> None:
    a_planet.subscribe(instance.name)
    a_planet.build()
    before = len(instance.asked)

    report = a_planet.later(days=2).build()
    instance.posts.insert(0, instance.post(2, "Second thoughts."))
    news = a_planet.later(days=2).build()

    request, _ = instance.server.requests[before:]
    assert (news.added, "Second thoughts." in a_planet.page()) == (1, True)
    assert request.path == "/users/ann/outbox?page=true"
    assert [outcome.status for outcome in report.outcomes] == [304]
    assert request.header("If-None-Match")
    assert (request.header("Accept") or "").startswith("application/activity+json")


def test_what_is_not_wanted_is_left_out_until_it_is(a_planet: Planet, instance: Instance) -> None:
    instance.posts += [
        instance.post(2, "An answer.", inReplyTo="https://else.example/notes/1"),
        instance.post(3, "More of the first.", inReplyTo=f"{instance.actor}/statuses/1"),
        instance.post(4, "For friends.", to=[f"{instance.actor}/followers"]),
        instance.boost(5, "https://else.example/notes/7"),
    ]
    a_planet.subscribe(instance.name)
    a_planet.build()
    bare = a_planet.page()
    before = len(instance.asked)

    a_planet.subscribe({"url": instance.name, "include": ["replies", "boosts"]})
    a_planet.build()

    page = a_planet.page()
    words = ("An answer.", "More of the first.", "else.example/notes/7", "For friends.")
    assert [each in bare for each in words] == [False, True, False, False]
    assert [each in page for each in words] == [True, True, True, False]
    # It was on disk.
    assert len(instance.asked) == before


def test_the_address_of_an_actor_leads_on(a_planet: Planet, instance: Instance) -> None:
    a_planet.subscribe(instance.actor)
    a_planet.build()
    first, before = instance.asked, len(instance.asked)

    a_planet.later(days=2).build()

    assert first == ALL[1:]
    assert "First words." in a_planet.page()
    assert instance.server.paths[before:] == ["/users/ann/outbox?page=true"]


@cases(
    "path, status, kind, words",
    case("no such account", WEBFINGER, 404, "http_404", "WebFinger of "),
    case("too often, at first", WEBFINGER, 429, "http_429", "WebFinger of "),
    case("an actor for the known", "/users/ann", 401, "http_401", "actor at "),
    case("no outbox", "/users/ann/outbox", 404, "http_404", "outbox at "),
    case("no page", "/users/ann/outbox?page=true", 500, "http_500", "the server"),
)
def test_a_failure_names_its_step(
    a_planet: Planet, instance: Instance, path: str, status: int, kind: str, words: str
) -> None:
    asked = f"{path}?resource={quote(instance.name, safe='')}" if path == WEBFINGER else path
    instance.server.script(asked, Response(status=status))
    a_planet.subscribe(instance.name)

    (outcome,) = a_planet.build().outcomes

    assert outcome.error_kind == kind
    assert (outcome.error or "").startswith(words)
    advice = outcome.advice.words if outcome.advice else ""
    assert ("fetch.signature" in advice) is (status == 401)
    # It is not tried a second time.
    assert instance.server.requests[-1].path == asked


def test_an_account_that_moved_is_told(a_planet: Planet, instance: Instance) -> None:
    instance.more = {"movedTo": "https://new.example/users/ann"}
    a_planet.subscribe(instance.name)

    (outcome,) = a_planet.build().outcomes

    assert outcome.advice is not None
    assert "https://new.example/users/ann" in outcome.advice.words


class AppView:
    did = "did:plc:abcdefghijklmnopqrstuvwx"

    def __init__(self, server: Server) -> None:
        self.server = server
        server.feed(HANDLE, json.dumps({"did": self.did}).encode())
        self.posts = self.asked_for("posts_and_author_threads")
        self.all = self.asked_for("posts_with_replies")
        for path in (self.posts, self.all):
            server.feed(path, self.feed(), etag='"1"')

    def asked_for(self, kind: str) -> str:
        query = f"actor={quote(self.did, safe='')}&limit=50&filter={kind}"
        return f"/xrpc/app.bsky.feed.getAuthorFeed?{query}"

    def feed(self) -> bytes:
        author = {"did": self.did, "handle": "ann.example", "displayName": "Ann"}
        post = {
            "uri": f"at://{self.did}/app.bsky.feed.post/1",
            "cid": "bafy",
            "author": author,
            "record": {
                "$type": "app.bsky.feed.post",
                "text": "Words under a blue sky.",
                "createdAt": "2026-11-11T08:00:00Z",
            },
            "indexedAt": "2026-11-11T08:00:00Z",
        }
        return json.dumps({"feed": [{"post": post}]}).encode()


def test_a_handle_is_followed_once(a_planet: Planet, server: Server) -> None:
    appview = AppView(server)
    a_planet.appview = server.url("")
    a_planet.subscribe("https://bsky.app/profile/Ann.example")
    a_planet.build()
    first = server.paths

    report = a_planet.later(days=2).build()

    assert first == [HANDLE, appview.posts]
    assert server.paths[2:] == [appview.posts]
    assert [outcome.status for outcome in report.outcomes] == [304]
    assert "Words under a blue sky." in a_planet.page()


def test_a_did_needs_no_handle_and_replies_are_asked_for(a_planet: Planet, server: Server) -> None:
    appview = AppView(server)
    a_planet.appview = server.url("")
    a_planet.subscribe({"url": f"at://{appview.did}", "include": "replies"})

    a_planet.build()

    assert server.paths == [appview.all]
    assert "Words under a blue sky." in a_planet.page()


@pytest.mark.parametrize("way", ["name", "mention", "profile"])
def test_an_account_is_added_by_its_name(a_planet: Planet, instance: Instance, way: str) -> None:
    profile = Response(headers=(("Content-Type", "text/html"),), body=b"<!doctype html><p>Ann")
    instance.server.script("/@ann", profile)
    mention = instance.name.replace("acct:", "@")
    said = {"name": instance.name, "mention": mention, "profile": f"{instance.root}@ann"}[way]
    path = a_planet.writes("title: One\nfetch: {host_gap: 0s}\nfeeds: []\n")

    code, out, _ = a_planet.call("add", said)

    assert code == 0
    assert "activitystreams" in out
    assert [feed.url for feed in load(path, environ={}).feeds] == [instance.name]


def test_a_key_is_known_for_the_host(a_planet: Planet, instance: Instance, server: Server) -> None:
    a_planet.signer = Signer("https://planet.example/actor.json#main-key", a_key())
    for path, script in list(server._scripts.items()):
        if path.startswith("/users/"):
            server.answer(path, closed(script))
    a_planet.subscribe(instance.name)
    a_planet.build()
    before = len(server.requests)

    report = a_planet.later(days=2).build()

    (request,) = server.requests[before:]
    assert [outcome.status for outcome in report.outcomes] == [304]
    assert request.header("Signature")
    assert "First words." in a_planet.page()


def closed(script: Script) -> Script:
    """Answers whoever signs."""
    return lambda request: script(request) if request.header("Signature") else Response(status=401)


def a_key() -> str:
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def test_check_finds_a_key_of_no_use(a_planet: Planet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "-----BEGIN PRIVATE KEY-----\\nAAAA\\n-----END PRIVATE KEY-----")
    (a_planet.folder / "one.xml").touch()
    signature = "{key_id: 'https://planet.example/actor.json', key: '${KEY}'}"
    a_planet.writes(f"title: One\nfeeds: [one.xml]\nfetch: {{signature: {signature}}}\n")

    code, _, err = a_planet.call("check")

    words = (
        "Error: fetch.signature has a key that cannot be read; it has to be a private key in PEM\n"
    )
    assert (code, err) == (2, words)


def test_an_account_is_known_by_its_name_to_why_and_peek(
    a_planet: Planet, instance: Instance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    a_planet.subscribe(instance.name)
    a_planet.build()

    why = a_planet.call("why", instance.name.replace("acct:", "@")).out
    peeked = call("peek", instance.name).out

    assert why.startswith(f"Ann of the Harbour ({instance.name})\n")
    assert "1 entry is shown." in why
    assert peeked == "Ann of the Harbour: First words.\n"
