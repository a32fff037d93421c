"""Addresses, and names of accounts and services: which are some, and where they lead."""

import pytest

from planet.text import account, address
from tests.cases import case, cases


@cases(
    "written, base, expected",
    case("kept", "https://a.example/x?b=1&a=2", None, "https://a.example/x?b=1&a=2"),
    case("relative", "/p", "https://a.example/d/e", "https://a.example/p"),
    case("blanks", " https://a.example/\n x ", None, "https://a.example/%20x"),
    case("unicode", "http://bücher.example/ä b", None, "http://xn--bcher-kva.example/%C3%A4%20b"),
    case("sharp s of its own", "http://straße.example/", None, "http://xn--strae-oqa.example/"),
    case(
        "emoji and underscores",
        "http://I❤.a_b.Ü.example/",
        None,
        "http://xn--i-7iq.a_b.xn--tda.example/",
    ),
    case("wide dot", "http://www。ü.example/", None, "http://www.xn--tda.example/"),
    case("wide slash", "http://a.example／ü/", None, None),
    case("nothing but a soft hyphen", "http://\xad/", None, None),
    case("upper case", "HTTP://A.example/%e4", None, "http://a.example/%e4"),
    case("IPv6", "http://[::1]:8080/x", None, "http://[::1]:8080/x"),
    case("script", "javascript:alert(1)", "https://a.example/", None),
    case("split script", "java\nscript:alert(1)", "https://a.example/", None),
    case("data", "data:text/html,x", None, None),
    case("no host", "http:///x", None, None),
    case("broken brackets", "http://[bad/", None, None),
    case("empty label", "http://a..b/", None, None),
    case("port too high", "http://a.example:99999/", None, None),
    case("port with a zero before it", "http://a.example:080/", None, "http://a.example:80/"),
    case("blank in host", "http://a b.example/", None, None),
    case("too long", "http://a.example/" + "x" * 5000, None, None),
    case("half a character", "http://a.example/\ud800", None, None),
    case(
        "a backslash before another host",
        r"http://good.example\@evil.example/",
        None,
        "http://good.example/@evil.example/",
    ),
    case("only backslashes", r"http:\\a.example\x", None, "http://a.example/x"),
    case("relative host", r"/\evil.example\x", "https://a.example/d", "https://evil.example/x"),
    case("relative path", r"..\x", "https://a.example/d/e", "https://a.example/x"),
    case("in the query", r"http://a.example/x?y=\z", None, "http://a.example/x?y=%5Cz"),
    case(
        "in the fragment",
        r"http://a.example#\@evil.example/?\x",
        None,
        "http://a.example#%5C@evil.example/?%5Cx",
    ),
    case(
        "a label of IDNA 2008",
        "http://xn--strae-oqa.example/",
        None,
        "http://xn--strae-oqa.example/",
    ),
    case("empty", "", "https://a.example/", None),
    case("absent", None, "https://a.example/", None),
)
def test_an_address_is_absolute_and_ascii_or_nothing(
    written: str | None, base: str | None, expected: str | None
) -> None:
    assert address.make_absolute(written, base) == expected


@cases(
    "one, other, equal",
    case("port and fragment", "http://a.example", "http://A.example:80/#x", True),
    case("root dot", "https://a.example./", "https://a.example/", True),
    case("query", "https://a.example/?p=1", "https://a.example/?p=2", False),
    case("final slash", "https://a.example/a", "https://a.example/a/", False),
    case("scheme", "http://a.example/", "https://a.example/", False),
    case("user", "https://u:p@a.example/", "https://a.example/", False),
    case("not a web address", "urn:x", "urn:x", True),
)
def test_addresses_are_the_same_only_when_no_server_may_tell_them_apart(
    one: str, other: str, equal: bool
) -> None:
    assert (address.normalize(one) == address.normalize(other)) is equal


@cases(
    "one, other, equal",
    case("scheme", "http://a.example/a", "https://a.example/a", True),
    case("end", "https://a.example/a", "https://A.example:443/a//#part", True),
    case("home page", "https://a.example", "http://a.example/", True),
    case("query", "https://a.example/a?p=1", "https://a.example/a/?p=1", True),
    case("two queries", "https://a.example/?p=1", "https://a.example/?p=2", False),
    case("ad", "https://a.example/a?utm_source=x&p=1&fbclid=2", "http://a.example/a?p=1", True),
    case("another name", "https://a.example/?utm", "https://a.example/", False),
    case("host", "https://a.example/a", "https://b.example/a", False),
    case("path", "https://a.example/a", "https://a.example/A", False),
    case("port", "http://a.example:8080/", "http://a.example/", False),
    case("usual port", "https://a.example:443/a", "https://a.example/a", True),
    case("not a web address", "urn:x", "urn:x", True),
    case("no web addresses", "urn:x/", "urn:x", False),
)
def test_links_lead_to_one_page_whatever_their(one: str, other: str, equal: bool) -> None:
    assert (address.page_key(one) == address.page_key(other)) is equal


def test_what_is_printed_of_an_address_holds_no_secret() -> None:
    written = "https://me:secret@a.example/feed?token=secret&page=2#x"

    assert address.redact(written) == "https://a.example/feed?token=…&page=…"
    assert address.redact("http://[bad") == "(not an address)"


@cases(
    "url, expected",
    case("open", "https://a.example/f?format=rss", "https://a.example/f?format=rss"),
    case("password", "https://u:p@a.example:81/f", "https://a.example:81/f"),
    case("token", "https://a.example/f?id=1&token=x", None),
    case("upper-case key", "https://a.example/f?API_KEY=x", None),
    case("part of a name", "https://a.example/f?rss-auth=x", None),
    case("semicolon", "https://a.example/f?a=1;sig=x", None),
    case(
        "only alike",
        "https://a.example/?author=x&keyword=y",
        "https://a.example/?author=x&keyword=y",
    ),
    case("file", "file:///home/me/feed.xml", None),
    case("no address", "http://[bad", None),
)
def test_an_address_is_made_public_without_its_secrets_or_not_at_all(
    url: str, expected: str | None
) -> None:
    assert address.without_secrets(url) == expected


def test_hosts_and_origins_name_the_port() -> None:
    assert address.host("http://A.example/x") == "a.example:80"
    assert address.host("urn:x") == ""
    assert address.origin("https://a.example/x") == ("https", "a.example:443")


@cases(
    "url, expected",
    case("https", "https://A.example/x", "a.example:443"),
    case("http", "http://a.example/x", "a.example:443"),
    case("port 80, spelled out", "http://a.example:80/", "a.example:443"),
    case("another port", "http://a.example:8080/", "a.example:8080"),
    case("another name", "http://www.a.example/", "www.a.example:443"),
    case("an IPv6 address", "http://[2001:db8::1]/", "2001:db8::1:443"),
    case("no web address", "urn:x", ""),
)
def test_a_server_is_a_name_with_http_and_https_or_another_port(url: str, expected: str) -> None:
    assert address.server(url) == expected


@pytest.mark.parametrize(
    "iri",
    [
        "https://example.org/1",
        "http://example.org/?p=1",
        "HTTPS://example.org/ä",
        "urn:isbn:0451450523",
        "urn:uuid:0b1fdf04-6e5b-4a1d-9c6f-2f0d6c3b7a11",
        "urn:x-own:a%20b",
        "tag:example.org,2026:1",
        "tag:ada@example.org,2026-11-22:/posts/1#first",
        "at://did:plc:abc/app.bsky.feed.post/1",
        "ftp://example.org/1",
        "news:1@example.org",
    ],
)
def test_an_iri_may_stand_where_one_is_required(iri: str) -> None:
    assert address.is_valid_iri(iri)


@cases(
    "iri",
    case("nothing", ""),
    case("a number", "1"),
    case("a path", "/1"),
    case("a drive", "c:temp"),
    case("a scheme alone", "urn:"),
    case("a blank", "https://example.org/a b"),
    case("a line end", "https://example.org/1\n"),
    case("a no-break space", "https://example.org/\u00a0"),
    case("quotes", 'urn:x-own:"a"'),
    case("angle brackets", "urn:x-own:<a>"),
    case("a scheme that begins with a digit", "1a:b"),
    case("no host", "https:///1"),
    case("no slashes", "http:1"),
    case("a URN without a namespace", "urn:1"),
    case("a tag without authority and date", "tag:0"),
    case("a tag without a date", "tag:example.org:1"),
    case("a script", "javascript:alert(1)"),
    case("a script in capitals", "JavaScript:alert(1)"),
    case("another script", "vbscript:msgbox(1)"),
    case("a document", "data:text/html,<b>"),
    case("data", "data:text/plain;base64,YQ=="),
)
def test_what_is_no_iri_may_not_stand_where_one_is_required(iri: str) -> None:
    assert not address.is_valid_iri(iri)


# Names of accounts and handles of services: which are some, and where they lead


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
