"""What is hidden behind names comes back exactly, and nothing else does."""

from __future__ import annotations

import re
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planet.model.secrets import Redactor

VALUE = "p&ss/Wörd?"
VEIL = Redactor(secrets=(("TOKEN", VALUE), ("SHORT", "ss/W")))


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(VALUE, id="as it is"),
        pytest.param("p%26ss%2FW%C3%B6rd%3F", id="in a query"),
        pytest.param("p%26ss%2fW%c3%b6rd%3f", id="in a query, in lower case"),
        pytest.param("p&ss/W%C3%B6rd?", id="in an address"),
        pytest.param("p&amp;ss/Wörd?", id="in XML"),
        pytest.param("p&ss\\/W\\u00f6rd?", id="in JSON"),
        pytest.param(b64encode(VALUE.encode()).decode(), id="in base64"),
        pytest.param(VALUE.lower(), id="in lower case"),
    ],
)
def test_a_secret_is_hidden_however_it_is_written(said: str) -> None:
    text = f"before {said} after"

    hidden = VEIL.hide(text)

    assert said not in hidden
    assert hidden.startswith("before ${TOKEN")
    assert VEIL.show(hidden) == text


@pytest.mark.parametrize(
    "said",
    [
        pytest.param("p%26ss%2FW%c3%b6rd%3F", id="hex in either case"),
        pytest.param("p%26s%73/W%C3%B6rd%3f", id="more of it than needed in percent"),
        pytest.param("%70%26%73%73%2F%57%C3%B6%72%64%3F", id="all of it in percent"),
        pytest.param("p%2526ss%252FW%25C3%25B6rd%253F", id="an address within an address"),
        pytest.param("p&#38;ss/W&ouml;rd?", id="by other names in HTML"),
        pytest.param("&#112;&#x26;s&#x073;/W&#XF6rd&#063;", id="by number"),
        pytest.param("p&amp;amp;ss/W&amp;#246;rd?", id="HTML within HTML"),
        pytest.param("p\\u0026ss\\/W\\u00F6rd?", id="JSON that is on the safe side"),
    ],
)
def test_a_secret_is_hidden_whichever_way_each_of_its_characters_is_written(said: str) -> None:
    text = f"before {said} after"

    hidden, taken_out = VEIL.hide(text), VEIL.redact(text)

    assert re.fullmatch(r"before \$\{TOKEN\.\d+\} after", hidden)
    # In a usual way of the same kind.
    shown = VEIL.show(hidden).removeprefix("before ").removesuffix(" after")
    assert VEIL.redact(shown) == "${TOKEN}"
    assert taken_out == "before ${TOKEN} after"
    assert VEIL.covers(text)


@pytest.mark.parametrize("said", ["a+b=c", "a%2Bb%3Dc", "a%2bb%3dc", "a+b%3Dc", "a&#43;b&equals;c"])
def test_a_secret_that_is_given_as_it_stands_in_an_address_is_one_in_plain_words_too(
    said: str,
) -> None:
    veil = Redactor(secrets=(("TOKEN", "a%2Bb%3Dc"),))

    assert veil.redact(f"before {said} after") == "before ${TOKEN} after"
    assert veil.redact(veil.show(veil.hide(said))) == "${TOKEN}"


def test_what_is_taken_out_is_called_by_its_name_and_all_else_stays() -> None:
    said = f"${{TOKEN}} ${{}} {VALUE} {VALUE.replace('&', '&amp;')} $x ss/W"

    assert VEIL.redact(said) == "${TOKEN} ${} ${TOKEN} ${TOKEN} $x ${SHORT}"
    assert Redactor().redact(said) == said


@pytest.mark.parametrize(
    ("said", "public"),
    [
        pytest.param("https://x.example/?a=1#b", "https://x.example/?a=1#b", id="no secret"),
        pytest.param(
            "https://x.example/1?a=b&k=abcd&c#d", "https://x.example/1?a=b&c#d", id="a parameter"
        ),
        pytest.param("https://x.example/?k=%61bcd", "https://x.example/", id="the only parameter"),
        pytest.param("https://x.example/abcd/1?k=abcd", None, id="in its path"),
        pytest.param("https://u:abcd@x.example/", None, id="as a password"),
        pytest.param("https://x.example/#abcd", None, id="in its fragment"),
        pytest.param("https://x.example/?a=1&k=ab&cd", None, id="more than one parameter"),
    ],
)
def test_a_link_keeps_what_is_no_secret(said: str, public: str | None) -> None:
    veil = Redactor(secrets=(("PART", "abcd"), ("TWO", "ab&cd")))

    assert veil.public(said) == public


def test_html_keeps_no_address_that_would_not_work() -> None:
    veil = Redactor(secrets=(("K", "abcd"),))
    html = (
        "<p title='abcd'>abcd <a class=x href='/1?k=abcd&amp;b=2' >one</a> <a href=/%61bcd>two</a>"
        '<img alt="a" src="https://x.example/?k=abcd"><a href="/3">three</a>'
    )

    assert veil.redact_html(html) == (
        '<p >${K} <a class=x href="/1?b=2" >one</a> <a >two</a><img alt="a" ><a href="/3">three</a>'
    )


@pytest.mark.parametrize("code", ["utf-16-le", "utf-16-be"])
def test_a_secret_is_hidden_in_a_document_in_utf_16(code: str) -> None:
    document = f"<link>{VALUE}</link>".encode(code)

    hidden = VEIL.hide_bytes(document)

    assert VALUE.encode(code) not in hidden
    assert VEIL.show_bytes(hidden) == document


@pytest.mark.parametrize(
    "said", ["${TOKEN}", "${}", "${TOKEN.1}", "${${TOKEN}}", "$${TOKEN}", "${", "${}TOKEN}"]
)
def test_whoever_writes_the_name_of_a_secret_does_not_get_the_secret(said: str) -> None:
    assert VEIL.show(VEIL.hide(said)) == said
    assert VEIL.show(Redactor().hide(said)) == said


@given(st.lists(st.sampled_from([VALUE, "ss/W", "${", "TOKEN", "SHORT", "}", "$", "x", ".1"])))
def test_what_was_hidden_comes_back(parts: list[str]) -> None:
    text = "".join(parts)

    assert VEIL.show(VEIL.hide(text)) == text


def test_what_is_no_text_comes_back_too() -> None:
    said = bytes(range(256)) * 2 + VALUE.encode() + b"\xff${"

    assert VEIL.show_bytes(VEIL.hide_bytes(said)) == said


def test_a_secret_that_has_changed_is_there_as_it_is_now() -> None:
    before, after = (Redactor(secrets=(("TOKEN", value),)) for value in ("one-4711", "two-4712"))

    assert after.show(before.hide("https://x.example/?k=one-4711")) == (
        "https://x.example/?k=two-4712"
    )


def test_a_name_that_nobody_knows_any_more_stays() -> None:
    assert Redactor().show(VEIL.hide(f"https://x.example/?k={VALUE}")) == (
        "https://x.example/?k=${TOKEN}"
    )


@pytest.mark.parametrize(
    ("url", "base"),
    [
        pytest.param("https://x.example/feed.xml", "https://x.example/feed.xml", id="no secret"),
        pytest.param(
            "https://x.example/a/feed.xml?k=abcd", "https://x.example/a/", id="in its query"
        ),
        pytest.param(
            "https://x.example/?b=/c&k=abcd", "https://x.example/", id="late in its query"
        ),
        pytest.param("https://x.example/a/abcd/b", "https://x.example/a/", id="in its path"),
        pytest.param("https://abcd.example/a", "", id="in the name of its server"),
        pytest.param("https://whole.example/in?it", "https://whole.example/", id="all of it"),
    ],
)
def test_relative_addresses_are_made_absolute_without_the_secret(url: str, base: str) -> None:
    whole = "https://whole.example/in?it"
    veil = Redactor(secrets=(("PART", "abcd"), ("WHOLE", whole)))

    assert veil.base(url) == base


def test_a_veil_does_not_tell_what_it_hides() -> None:
    assert VALUE not in repr(VEIL)
