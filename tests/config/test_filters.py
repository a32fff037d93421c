"""Words, phrases and regular expressions: what they are found in, and what not."""

from __future__ import annotations

import re

import pytest
import regex

from planet.config.kinds import pattern


@pytest.mark.parametrize(
    ("said", "text"),
    [
        pytest.param("art", "The Art of war", id="a word in another case"),
        pytest.param("art", "art", id="all there is"),
        pytest.param("art", "(art)", id="a word in brackets"),
        pytest.param("art", "modern-art", id="a word after a hyphen"),
        pytest.param("  open   source ", "Open\nsource", id="a phrase over two lines"),
        pytest.param("C++", "learn C++17", id="an end that is no word"),
        pytest.param(".NET", "use ASP.NET", id="a beginning that is no word"),
        pytest.param("[$]", "[$] Articles", id="signs alone"),
        pytest.param("a.b", "a.b", id="a dot as a dot"),
        pytest.param("/r/python", "see /r/python today", id="slashes that are no expression"),
        pytest.param("//example", "https://example.org", id="two slashes before a word"),
        pytest.param("блог", "Мой Блог.", id="Cyrillic"),
        pytest.param("ΣΊΣΥΦΟΣ", "σίσυφος", id="Greek"),
        pytest.param("東京", "東京都の天気", id="Japanese inside a sentence"),
        pytest.param("서울", "서울에서", id="Korean before a particle"),
        pytest.param("ภาษา", "เรียนภาษาไทย", id="Thai inside a sentence"),
        pytest.param("हिन्दी", "नई हिन्दी किताब", id="Hindi"),
        pytest.param("/^v\\d+/", "v12 is out", id="an expression"),
        pytest.param("/advert/", "advertisement", id="an expression inside a word"),
        pytest.param("/ADVERT/i", "Advertisement", id="an expression in any case"),
        pytest.param("/a/b/", "x a/b y", id="an expression with a slash"),
    ],
)
def test_a_pattern_is_found(said: str, text: str) -> None:
    assert pattern(said).regex.search(text)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        pytest.param("art", "the party starts", id="a word inside a word"),
        pytest.param("art", "artist", id="the beginning of a word"),
        pytest.param("art", "smart", id="the end of a word"),
        pytest.param("art", "art_2", id="a part of a name"),
        pytest.param("cafe", "cafe\u0301", id="a letter with an accent of its own"),
        pytest.param("a.b", "axb", id="a dot as anything"),
        pytest.param("open source", "open-source", id="another separator"),
        pytest.param("блог", "блогер", id="the beginning of a Cyrillic word"),
        pytest.param("कि", "किताब", id="the beginning of a Hindi word"),
        pytest.param("क", "की", id="a Hindi letter without its vowel"),
        pytest.param("/advert/", "Advert", id="an expression in another case"),
    ],
)
def test_a_pattern_is_not_found(said: str, text: str) -> None:
    assert not pattern(said).regex.search(text)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        pytest.param("  ", "must not be empty", id="blanks"),
        pytest.param("//", "must not be an empty regular expression", id="nothing in slashes"),
        pytest.param("//i", "must not be an empty regular expression", id="nothing with a flag"),
        pytest.param(
            "/a[/",
            "is not a regular expression: unterminated character set at character 2 of it",
            id="an open bracket",
        ),
        pytest.param(
            "/(?P<a>x)(?P<a>y)/",
            "is not a regular expression: redefinition of group name 'a' as group 2; "
            "was group 1 at character 13 of it",
            id="a name twice",
        ),
        pytest.param(
            "/a{99999999999}/", "is a regular expression too large to compile", id="too many"
        ),
        pytest.param(
            "/" + "(" * 5000 + ")" * 5000 + "/",
            "is a regular expression too large to compile",
            id="too deep",
        ),
        pytest.param(
            "/[[:boats:]]/",
            "is not a regular expression: unknown property at position 10",
            id="a class nobody knows",
        ),
        pytest.param(
            "/x/gi", 'has the flags "gi"; the only one there is, is "i"', id="another flag"
        ),
        pytest.param(
            "/a/q",
            'looks like a regular expression with the flags "q", and the only one there is, is '
            "\"i\"; if the words are meant with their slashes, write '/\\/a\\/q/'",
            id="a flag that no language has",
        ),
        pytest.param(
            "/a b/I",
            'looks like a regular expression with the flags "I", and the only one there is, is '
            "\"i\"; if the words are meant with their slashes, write '/\\/a b\\/I/'",
            id="a flag in capitals",
        ),
    ],
)
def test_what_is_no_pattern_is_told_with_the_reason(said: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        pattern(said)


def test_an_expression_a_later_python_may_read_otherwise_is_the_operators_choice() -> None:
    assert pattern("/[[a]/").regex.search("[")


def test_words_are_searched_for_as_ever_and_expressions_with_a_limit() -> None:
    assert isinstance(pattern("some words").regex, re.Pattern)
    assert isinstance(pattern("/(a+)+$/").regex, regex.Pattern)


def test_an_expression_means_what_the_manual_of_python_says() -> None:
    ours = {
        r"/^\[ad\]/i": "[AD] Boats",
        r"/\bcaf\u00e9\b/": "the caf\u00e9",
        r"/(?P<a>x)(?P=a)/": "xx",
        r"/(?i:sale)/": "SALE",
        r"/[\w.]+@\w+/": "ann@example",
        r"/(?<!no )boats/": "two boats",
        r"/a{2,3}?b/": "aab",
    }

    for said, text in ours.items():
        assert pattern(said).regex.search(text), said
        assert re.search(said.strip("/i"), text, re.IGNORECASE if said[-1] == "i" else 0), said
