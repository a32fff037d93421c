"""From a name to its posts: what is asked on the way, and where it ends."""

import json
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from planet.errors import FetchError
from planet.http.redirects import MAX_STEP, lasting_url
from planet.model import FetchPolicy, Lead, Resolved, Step
from planet.model.secrets import Secret
from planet.social.resolver import Resolver
from tests.cases import case, cases
from tests.http.conftest import PRIVATE, PUBLIC, Reader, kind, turn
from tests.server import Response, Server, moved

KIND = (("Content-Type", "application/activity+json"),)
PAGE = b'{"type": "OrderedCollectionPage", "orderedItems": []}'


def said(**document: Any) -> Response:
    return Response(headers=KIND, body=json.dumps(document).encode())


def account(server: Server) -> str:
    return f"acct:ann@{urlsplit(server.url('/')).netloc}"


def webfinger(name: str) -> str:
    return f"/.well-known/webfinger?resource={quote(name, safe='')}"


def links_to(href: object) -> Response:
    return said(links=[{"rel": "self", "type": "application/activity+json", "href": href}])


@pytest.fixture
def name(server: Server) -> str:
    """An account on a server that says what it should."""
    name = account(server)
    server.script(webfinger(name), links_to(server.url("/ann")))
    server.script("/ann", said(type="Person", outbox=server.url("/outbox")))
    server.script("/outbox", said(type="OrderedCollection", first="/outbox?page=1"))
    server.script("/outbox?page=1", Response(headers=KIND, body=PAGE))
    return name


def test_each_step_asks_for_what_it_wants(reader: Reader, server: Server, name: str) -> None:
    reader.once(name)

    asked = [request.header("Accept") or "" for request in server.requests]
    assert [each.partition(",")[0] for each in asked] == [
        "application/jrd+json",
        "application/activity+json",
        "application/activity+json",
        "application/activity+json",
    ]
    assert 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"' in asked[1]


@cases(
    "outbox",
    case("beside it", {"orderedItems": [{"id": "1"}]}),
    case("on a page within it", {"first": {"items": [{"id": "1"}]}}),
    case("nowhere, because there are none", {"totalItems": 0}),
    case("on a page within it that is empty", {"first": {"orderedItems": []}}),
)
def test_an_outbox_may_have_the_posts_itself(
    reader: Reader, server: Server, name: str, outbox: dict[str, object]
) -> None:
    server.script("/outbox", said(type="OrderedCollection", **outbox))

    fetched = reader.once(name)

    assert (fetched.resolved, kind(fetched)) == (Resolved(url=server.url("/outbox")), None)
    assert server.paths[-1] == "/outbox"


@pytest.mark.parametrize("step", range(4), ids=["WebFinger", "actor", "outbox", "page"])
def test_each_step_may_redirect(reader: Reader, server: Server, name: str, step: int) -> None:
    path = (webfinger(name), "/ann", "/outbox", "/outbox?page=1")[step]
    server.script("/elsewhere", server._scripts[path](None))  # type: ignore[arg-type]
    server.script(path, moved("/elsewhere"))

    fetched = reader.once(name)

    assert (fetched.body, len(server.requests)) == (PAGE, 5)
    # For now only: the next time it is asked where the name leads.
    assert fetched.resolved == Resolved(url=server.url("/outbox?page=1"))
    assert fetched.permanent_url is None


def test_a_page_that_has_moved_is_remembered_so(reader: Reader, server: Server, name: str) -> None:
    server.script("/outbox?page=1", moved("/new", 301))
    server.script("/new", Response(headers=KIND, body=PAGE))

    fetched = reader.once(name)

    assert fetched.resolved == Resolved(url=server.url("/new"))
    # It is not the name that has moved.
    assert fetched.permanent_url is None


@cases(
    "path, answer, words",
    case("an account without an actor", "finger", said(links=[]), "WebFinger of"),
    case("an actor that is a number", "finger", links_to(7), "WebFinger of"),
    case("an actor by FTP", "finger", links_to("ftp://a.example"), "WebFinger of"),
    case("a list", "finger", Response(body=b"[1]"), "WebFinger of"),
    case("a page for an actor", "/ann", Response(body=b"<html>"), "actor at"),
    case("an outbox in too many lists", "/ann", said(outbox=[[[["/outbox"]]]]), "actor at"),
    case("too deep", "/ann", said(outbox={"url": {"href": {"id": {"id": "/x"}}}}), "actor at"),
    case("an actor without an outbox", "/ann", said(type="Person"), "actor at"),
    case("lists without end", "/ann", Response(body=b"[" * 99_999), "actor at"),
    case("an outbox that is none", "/outbox", said(type="Note"), "outbox at"),
    case("a page that is a list", "/outbox", said(first=[]), "outbox at"),
)
def test_an_answer_that_leads_nowhere_ends_the_visit(
    reader: Reader, server: Server, name: str, path: str, answer: Response, words: str
) -> None:
    server.script(webfinger(name) if path == "finger" else path, answer)

    fetched = reader.once(name)

    assert (kind(fetched), fetched.resolved) == ("bad_lead", None)
    assert str(fetched.error).startswith(words)


def test_a_step_is_not_larger_than_it_has_to_be(reader: Reader, server: Server, name: str) -> None:
    server.script("/ann", said(type="Person", outbox="/outbox", name="a" * MAX_STEP))

    fetched = reader.once(name)

    assert kind(fetched) == "too_large"


def test_no_host_that_rests_is_asked_for_a_step(reader: Reader, server: Server, name: str) -> None:
    with Server("127.0.0.3") as other:
        server.script(webfinger(name), links_to(other.url("/ann")))
        reader.notes.rests = {other.url("").removeprefix("http://")}

        fetched = reader.once(name)

        assert (kind(fetched), other.requests) == ("host_cooldown", [])


STEPS = ("actor", "outbox", "page")


@pytest.mark.parametrize("step", STEPS)
def test_no_answer_leads_into_a_private_network(outside: Reader, hosts: Server, step: str) -> None:
    name = account(hosts)
    at = {each: hosts.url(f"/{each}", PRIVATE if each == step else PUBLIC) for each in STEPS}
    hosts.script(webfinger(name), links_to(at["actor"]))
    hosts.script("/actor", said(type="Person", outbox=at["outbox"]))
    hosts.script("/outbox", said(type="OrderedCollection", first=at["page"]))
    hosts.script("/page", Response(body=PAGE))

    fetched = outside.once(name)

    assert kind(fetched) == "private_address"
    assert {request.host for request in hosts.requests} == {PUBLIC}


@cases(
    "host, expected",
    case("in the public Internet", PUBLIC, None),
    case("in a private network", PRIVATE, "private_address"),
)
def test_what_was_learned_is_no_more_trusted_than_a_redirect(
    outside: Reader, hosts: Server, host: str, expected: str | None
) -> None:
    hosts.script("/page", Response(body=PAGE))
    learned = Resolved(url=hosts.url("/page", host))
    known = turn(account(hosts), resolved=learned, was_public=True)

    came = outside.ask(known)

    assert kind(came[known.feed.key]) == expected
    assert len(hosts.requests) == (0 if expected else 1)


def test_what_is_for_the_host_of_the_name_is_for_no_other(reader: Reader, server: Server) -> None:
    name = account(server)
    with Server("127.0.0.3") as other:
        server.script(webfinger(name), links_to(other.url("/ann")))
        other.script("/ann", said(type="Person", outbox="/outbox"))
        other.script("/outbox", said(type="OrderedCollection"))

        reader.once(name, policy=FetchPolicy(auth=("ann", Secret("secret"))))

        assert server.requests[0].header("Authorization")
        assert [request.header("Authorization") for request in other.requests] == [None, None]


SECURE = "https://harbour.example"


@cases(
    "step, document",
    case(
        "actor",
        Step.ACCOUNT,
        {"links": [{"rel": "self", "type": "application/activity+json", "href": "{}/ann"}]},
    ),
    case("outbox", Step.ACTOR, {"outbox": "{}/outbox"}),
    case("page", Step.OUTBOX, {"first": "{}/page"}),
)
def test_no_answer_gives_tls_up(step: Step, document: dict[str, object]) -> None:
    lead = Lead(step=step, url=f"{SECURE}/here", accept="*/*")
    feed = turn("acct:ann@harbour.example").feed

    def follow(root: str) -> object:
        body = json.dumps(document).replace("{}", root).encode()
        return Resolver(appview=SECURE).follow(feed, lead, lead.url, body)

    assert isinstance(follow(SECURE), Lead)
    with pytest.raises(FetchError, match="from https to http"):
        follow("http://harbour.example")


@cases(
    "permanent_url, expected",
    case("over TLS", f"{SECURE}/new", f"{SECURE}/new"),
    case("without", "http://harbour.example/new", f"{SECURE}/page"),
    case("nowhere", None, f"{SECURE}/page"),
)
def test_nothing_is_remembered_that_gives_tls_up(permanent_url: str | None, expected: str) -> None:
    assert lasting_url(f"{SECURE}/page", permanent_url) == expected


@cases(
    "document, asked",
    case("an outbox", b'{"first": "/outbox?page=1"}', 2),
    case("a page of one", PAGE, 1),
    case("something damaged", b"{", 1),
)
def test_an_ordinary_feed_in_activitystreams_may_lead_on(
    reader: Reader, server: Server, name: str, document: bytes, asked: int
) -> None:
    url = server.script("/feed", Response(headers=KIND, body=document))

    fetched = reader.once(url)

    assert (kind(fetched), len(server.requests)) == (None, asked)
    assert fetched.body == (PAGE if asked == 2 else document)


# Publications on the AT Protocol


@pytest.mark.parametrize("did", [None, 7, "ann.example", "did:plc:a b", "did:plc:"])
def test_whose_handle_it_is_has_to_be_said(reader: Reader, server: Server, did: object) -> None:
    server.script("/xrpc/com.atproto.identity.resolveHandle?handle=ann.example", said(did=did))
    reader.appview = server.url("")

    fetched = reader.once("at://ann.example")

    assert (kind(fetched), len(server.requests)) == ("bad_lead", 1)
