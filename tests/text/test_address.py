"""Addresses: absolute, ASCII, and equal when every server must treat them as equal."""

from __future__ import annotations

import pytest

from planet.text import address


@pytest.mark.parametrize(
    ("said", "base", "expected"),
    [
        pytest.param("https://a.example/x?b=1&a=2", None, "https://a.example/x?b=1&a=2", id="kept"),
        pytest.param("/p", "https://a.example/d/e", "https://a.example/p", id="relative"),
        pytest.param(" https://a.example/\n x ", None, "https://a.example/%20x", id="blanks"),
        pytest.param(
            "http://bücher.example/ä b",
            None,
            "http://xn--bcher-kva.example/%C3%A4%20b",
            id="unicode",
        ),
        pytest.param(
            "http://straße.example/", None, "http://xn--strae-oqa.example/", id="sharp s of its own"
        ),
        pytest.param(
            "http://I❤.a_b.Ü.example/",
            None,
            "http://xn--i-7iq.a_b.xn--tda.example/",
            id="emoji and underscores",
        ),
        pytest.param("http://www。ü.example/", None, "http://www.xn--tda.example/", id="wide dot"),
        pytest.param("http://a.example／ü/", None, None, id="wide slash"),
        pytest.param("http://\xad/", None, None, id="nothing but a soft hyphen"),
        pytest.param("HTTP://A.example/%e4", None, "http://a.example/%e4", id="upper case"),
        pytest.param("http://[::1]:8080/x", None, "http://[::1]:8080/x", id="IPv6"),
        pytest.param("javascript:alert(1)", "https://a.example/", None, id="script"),
        pytest.param("java\nscript:alert(1)", "https://a.example/", None, id="split script"),
        pytest.param("data:text/html,x", None, None, id="data"),
        pytest.param("http:///x", None, None, id="no host"),
        pytest.param("http://[bad/", None, None, id="broken brackets"),
        pytest.param("http://a..b/", None, None, id="empty label"),
        pytest.param("http://a.example:99999/", None, None, id="port too high"),
        pytest.param("http://" + "ä" * 70 + ".example/", None, None, id="label too long"),
        pytest.param("http://a b.example/", None, None, id="blank in host"),
        pytest.param("http://a.example/" + "x" * 5000, None, None, id="too long"),
        pytest.param("http://a.example/\ud800", None, None, id="half a character"),
        pytest.param(
            r"http://good.example\@evil.example/",
            None,
            "http://good.example/@evil.example/",
            id="a backslash before another host",
        ),
        pytest.param(r"http:\\a.example\x", None, "http://a.example/x", id="only backslashes"),
        pytest.param(
            r"/\evil.example\x", "https://a.example/d", "https://evil.example/x", id="relative host"
        ),
        pytest.param(r"..\x", "https://a.example/d/e", "https://a.example/x", id="relative path"),
        pytest.param(
            r"http://a.example/x?y=\z", None, "http://a.example/x?y=%5Cz", id="in the query"
        ),
        pytest.param(
            r"http://a.example#\@evil.example/?\x",
            None,
            "http://a.example#%5C@evil.example/?%5Cx",
            id="in the fragment",
        ),
        pytest.param("http://xn--/", None, None, id="an encoded label with nothing in it"),
        pytest.param("http://a.xn--a.example/", None, None, id="an encoded label of controls"),
        pytest.param("http://XN--abc-.example/", None, None, id="a label that is not encoded"),
        pytest.param("http://xn--99999999.example/", None, None, id="no code"),
        pytest.param(
            "http://xn--strae-oqa.example/",
            None,
            "http://xn--strae-oqa.example/",
            id="a label of IDNA 2008",
        ),
        pytest.param("", "https://a.example/", None, id="empty"),
        pytest.param(None, "https://a.example/", None, id="absent"),
    ],
)
def test_an_address_is_absolute_and_ascii_or_nothing(
    said: str | None, base: str | None, expected: str | None
) -> None:
    assert address.web(said, base) == expected


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        pytest.param("http://a.example", "http://A.example:80/#x", True, id="port and fragment"),
        pytest.param("https://a.example./", "https://a.example/", True, id="root dot"),
        pytest.param("https://a.example/?p=1", "https://a.example/?p=2", False, id="query"),
        pytest.param("https://a.example/a", "https://a.example/a/", False, id="final slash"),
        pytest.param("http://a.example/", "https://a.example/", False, id="scheme"),
        pytest.param("https://u:p@a.example/", "https://a.example/", False, id="user"),
        pytest.param("urn:x", "urn:x", True, id="not a web address"),
    ],
)
def test_addresses_are_the_same_only_when_no_server_may_tell_them_apart(
    one: str, other: str, equal: bool
) -> None:
    assert (address.same(one) == address.same(other)) is equal


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        pytest.param("http://a.example/a", "https://a.example/a", True, id="scheme"),
        pytest.param("https://a.example/a", "https://A.example:443/a//#part", True, id="end"),
        pytest.param("https://a.example", "http://a.example/", True, id="home page"),
        pytest.param("https://a.example/a?p=1", "https://a.example/a/?p=1", True, id="query"),
        pytest.param("https://a.example/?p=1", "https://a.example/?p=2", False, id="two queries"),
        pytest.param(
            "https://a.example/a?utm_source=x&p=1&fbclid=2", "http://a.example/a?p=1", True, id="ad"
        ),
        pytest.param("https://a.example/?utm", "https://a.example/", False, id="another name"),
        pytest.param("https://a.example/a", "https://b.example/a", False, id="host"),
        pytest.param("https://a.example/a", "https://a.example/A", False, id="path"),
        pytest.param("http://a.example:8080/", "http://a.example/", False, id="port"),
        pytest.param("urn:x", "urn:x", True, id="not a web address"),
        pytest.param("urn:x/", "urn:x", False, id="no web addresses"),
    ],
)
def test_links_lead_to_one_page_whatever_their(one: str, other: str, equal: bool) -> None:
    assert (address.page(one) == address.page(other)) is equal


def test_what_is_printed_of_an_address_holds_no_secret() -> None:
    said = "https://me:secret@a.example/feed?token=secret&page=2#x"

    assert address.redacted(said) == "https://a.example/feed?token=…&page=…"
    assert address.redacted("http://[bad") == "(not an address)"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("https://a.example/f?format=rss", "https://a.example/f?format=rss", id="open"),
        pytest.param("https://u:p@a.example:81/f", "https://a.example:81/f", id="password"),
        pytest.param("https://a.example/f?id=1&token=x", None, id="token"),
        pytest.param("https://a.example/f?API_KEY=x", None, id="upper-case key"),
        pytest.param("https://a.example/f?rss-auth=x", None, id="part of a name"),
        pytest.param("https://a.example/f?a=1;sig=x", None, id="semicolon"),
        pytest.param(
            "https://a.example/?author=x&keyword=y",
            "https://a.example/?author=x&keyword=y",
            id="only alike",
        ),
        pytest.param("file:///home/me/feed.xml", None, id="file"),
        pytest.param("http://[bad", None, id="no address"),
    ],
)
def test_an_address_is_made_public_without_its_secrets_or_not_at_all(
    url: str, expected: str | None
) -> None:
    assert address.public(url) == expected


def test_hosts_and_origins_name_the_port() -> None:
    assert address.host("http://A.example/x") == "a.example:80"
    assert address.host("urn:x") == ""
    assert address.origin("https://a.example/x") == ("https", "a.example:443")
