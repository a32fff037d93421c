"""What is hidden behind names comes back exactly, and nothing else does."""

from __future__ import annotations

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planet.veil import Veil

VALUE = "p&ss/Wörd?"
VEIL = Veil(secrets=(("TOKEN", VALUE), ("SHORT", "ss/W")))


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
    assert VEIL.show(Veil().hide(said)) == said


@given(st.lists(st.sampled_from([VALUE, "ss/W", "${", "TOKEN", "SHORT", "}", "$", "x", ".1"])))
def test_what_was_hidden_comes_back(parts: list[str]) -> None:
    text = "".join(parts)

    assert VEIL.show(VEIL.hide(text)) == text


def test_what_is_no_text_comes_back_too() -> None:
    said = bytes(range(256)) * 2 + VALUE.encode() + b"\xff${"

    assert VEIL.show_bytes(VEIL.hide_bytes(said)) == said


def test_a_secret_that_has_changed_is_there_as_it_is_now() -> None:
    before, after = (Veil(secrets=(("TOKEN", value),)) for value in ("one-4711", "two-4712"))

    assert after.show(before.hide("https://x.example/?k=one-4711")) == (
        "https://x.example/?k=two-4712"
    )


def test_a_name_that_nobody_knows_any_more_stays() -> None:
    assert Veil().show(VEIL.hide(f"https://x.example/?k={VALUE}")) == (
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
    veil = Veil(secrets=(("PART", "abcd"), ("WHOLE", whole)))

    assert veil.base(url) == base


def test_a_veil_does_not_tell_what_it_hides() -> None:
    assert VALUE not in repr(VEIL)
