"""Names of accounts: which are some, and where to ask who they are."""

from __future__ import annotations

import pytest

from planet.text import account


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param("acct:ann@harbour.example", "acct:ann@harbour.example", id="account"),
        pytest.param("@ann@harbour.example", "acct:ann@harbour.example", id="mention"),
        pytest.param("ACCT:@Ann@Harbour.Example.", "acct:Ann@harbour.example", id="by hand"),
        pytest.param("acct:ann@harbour.example:443", "acct:ann@harbour.example", id="TLS's port"),
        pytest.param("acct:ann@127.0.0.1:8080", "acct:ann@127.0.0.1:8080", id="another port"),
        pytest.param("acct:ann@[::1]:80", "acct:ann@[::1]:80", id="IPv6"),
        pytest.param("@ann@höfen.example", "acct:ann@xn--hfen-5qa.example", id="IDN"),
        pytest.param("at://Ann.example", "at://ann.example", id="handle"),
        pytest.param("at://did:plc:AbC123", "at://did:plc:AbC123", id="DID"),
        pytest.param("https://bsky.app/profile/ann.example", "at://ann.example", id="profile"),
        pytest.param(
            "https://bsky.app/profile/did:web:a.example", "at://did:web:a.example", id="p"
        ),
        pytest.param("https://bsky.app/profile/ann.example/rss", None, id="a feed of a profile"),
        pytest.param("at://ann.example/app.bsky.feed.post/1", None, id="one post"),
        pytest.param("at://ann", None, id="no domain"),
        pytest.param("acct:ann", None, id="no host"),
        pytest.param("acct:ann@a..example", None, id="no proper host"),
        pytest.param("acct:ann@a.example:99999", None, id="no proper port"),
        pytest.param("acct:ann@a.example/x", None, id="a path"),
        pytest.param("acct:a b@a.example", None, id="a blank"),
        pytest.param("ann@harbour.example", None, id="a mail address"),
        pytest.param("https://harbour.example/@ann", None, id="an address of the web"),
        pytest.param("acct:" + "a" * 1000 + "@a.example", None, id="too long"),
    ],
)
def test_a_name_has_one_form(written: str, expected: str | None) -> None:
    assert account.name(written) == expected


@pytest.mark.parametrize(
    ("acct", "origin"),
    [
        pytest.param("acct:a@harbour.example", "https://harbour.example", id="the web"),
        pytest.param("acct:a@127.0.0.1:80", "http://127.0.0.1:80", id="this machine"),
        pytest.param("acct:a@[::1]", "http://[::1]", id="this machine, IPv6"),
        pytest.param("acct:a@localhost:8080", "http://localhost:8080", id="this machine by name"),
        pytest.param("acct:a@192.168.0.1", "https://192.168.0.1", id="a machine nearby"),
        pytest.param("acct:a@localhost.example", "https://localhost.example", id="a name like it"),
    ],
)
def test_only_this_machine_is_asked_without_tls(acct: str, origin: str) -> None:
    asked = account.webfinger(acct)

    assert asked.startswith(f"{origin}/.well-known/webfinger?resource=acct%3Aa%40")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("https://a.example/@ann", "acct:ann@a.example", id="profile"),
        pytest.param("https://a.example/users/ann/", "acct:ann@a.example", id="actor"),
        pytest.param("https://a.example/@ann/1", None, id="a post"),
        pytest.param("https://a.example/", None, id="a page"),
        pytest.param("https://a.example/@ann?x=y", None, id="a question"),
    ],
)
def test_a_profile_may_be_of_an_account(url: str, expected: str | None) -> None:
    assert account.of_profile(url) == expected
