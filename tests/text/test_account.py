"""Names of accounts and handles of services: which are some, and where they lead."""

import re

import pytest

from planet.text import account
from planet.text.profiles import SERVICES, profile_url
from tests.cases import case, cases
from tests.docs import page, section


@cases(
    "written, expected",
    case("account", "acct:ann@harbour.example", "acct:ann@harbour.example"),
    case("mention", "@ann@harbour.example", "acct:ann@harbour.example"),
    case("by hand", "ACCT:@Ann@Harbour.Example.", "acct:Ann@harbour.example"),
    case("TLS's port", "acct:ann@harbour.example:443", "acct:ann@harbour.example"),
    case("another port", "acct:ann@127.0.0.1:8080", "acct:ann@127.0.0.1:8080"),
    case("IPv6", "acct:ann@[::1]:80", "acct:ann@[::1]:80"),
    case("IDN", "@ann@höfen.example", "acct:ann@xn--hfen-5qa.example"),
    case("handle", "at://Ann.example", "at://ann.example"),
    case("DID", "at://did:plc:AbC123", "at://did:plc:AbC123"),
    case("profile", "https://bsky.app/profile/ann.example", "at://ann.example"),
    case("p", "https://bsky.app/profile/did:web:a.example", "at://did:web:a.example"),
    case("a feed of a profile", "https://bsky.app/profile/ann.example/rss", None),
    case("one post", "at://ann.example/app.bsky.feed.post/1", None),
    case("no domain", "at://ann", None),
    case("no host", "acct:ann", None),
    case("no proper host", "acct:ann@a..example", None),
    case("no proper port", "acct:ann@a.example:99999", None),
    case("a path", "acct:ann@a.example/x", None),
    case("a blank", "acct:a b@a.example", None),
    case("a mail address", "ann@harbour.example", None),
    case("an address of the web", "https://harbour.example/@ann", None),
    case("too long", "acct:" + "a" * 1000 + "@a.example", None),
)
def test_a_name_has_one_form(written: str, expected: str | None) -> None:
    assert account.parse_name(written) == expected


@cases(
    "acct, origin",
    case("the web", "acct:a@harbour.example", "https://harbour.example"),
    case("this machine", "acct:a@127.0.0.1:80", "http://127.0.0.1:80"),
    case("this machine, IPv6", "acct:a@[::1]", "http://[::1]"),
    case("this machine by name", "acct:a@localhost:8080", "http://localhost:8080"),
    case("a machine nearby", "acct:a@192.168.0.1", "https://192.168.0.1"),
    case("a name like it", "acct:a@localhost.example", "https://localhost.example"),
)
def test_only_this_machine_is_asked_without_tls(acct: str, origin: str) -> None:
    asked = account.webfinger_url(acct)

    assert asked.startswith(f"{origin}/.well-known/webfinger?resource=acct%3Aa%40")


@cases(
    "url, expected",
    case("profile", "https://a.example/@ann", "acct:ann@a.example"),
    case("actor", "https://a.example/users/ann/", "acct:ann@a.example"),
    case("a post", "https://a.example/@ann/1", None),
    case("a page", "https://a.example/", None),
    case("a question", "https://a.example/@ann?x=y", None),
)
def test_a_profile_may_be_of_an_account(url: str, expected: str | None) -> None:
    assert account.guess_from_profile(url) == expected


@pytest.mark.parametrize(
    ("name", "written", "expected"),
    [
        ("mastodon", "@ann@social.example", "https://social.example/@ann"),
        ("Fediverse", "ann@Social.Example:8443", "https://social.example:8443/@ann"),
        ("bluesky", "@ann.bsky.social", "https://bsky.app/profile/ann.bsky.social"),
        ("bluesky", "did:plc:abc", "https://bsky.app/profile/did:plc:abc"),
        ("GitHub", "ann-b", "https://github.com/ann-b"),
        ("gitlab", "@ann.b", "https://gitlab.com/ann.b"),
        ("codeberg", "ann_b", "https://codeberg.org/ann_b"),
        ("linkedin", "in/ann", "https://www.linkedin.com/in/ann"),
        ("youtube", "@ann", "https://www.youtube.com/@ann"),
        (
            "youtube",
            "UCabcdefghijklmnopqrstuv",
            "https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv",
        ),
        ("twitter", "@ann", "https://x.com/ann"),
        ("e-mail", "mailto:ann+b@a.example", "mailto:ann+b@a.example"),
        ("github", " HTTPS://git.example/ann ", "https://git.example/ann"),
        ("anything", "https://a.example/ü", "https://a.example/%C3%BC"),
        ("anything", "ann", None),
        ("mastodon", "ann", None),
        ("mastodon", "@ann@social.example/<b>", None),
        ("bluesky", "ann", None),
        ("github", "ann/planet", None),
        ("github", "javascript:alert(1)", None),
        ("anything", "javascript:alert(1)", None),
        ("anything", "https://a.example/ <b>", None),
        ("x", "somebody-with-a-hyphen", None),
        ("email", "ann", None),
        ("email", "ann@a.example?bcc=bob@b.example", None),
    ],
)
def test_what_is_written_leads_to(name: str, written: str, expected: str | None) -> None:
    assert profile_url(name, written) == expected


def test_the_page_about_links_says_what_becomes_of_the_handle_of_each_service() -> None:
    table = section(page("sources.md"), "Links")
    rows = re.findall(r'^\| `(\w+)` \| `"?(.+?)"?` \| `(.+?)` \|$', table, re.MULTILINE)

    assert sorted(name for name, _, _ in rows) == sorted(SERVICES)
    assert [profile_url(name, written) for name, written, _ in rows] == [url for *_, url in rows]
