"""Words, phrases and regular expressions: what they are found in, and what not."""

import re

import pytest
import regex

from planet.config.kinds import parse_pattern
from tests.cases import case, cases


@cases(
    "said, text",
    case("a word in another case", "art", "The Art of war"),
    case("a word in brackets", "art", "(art)"),
    case("a phrase over two lines", "  open   source ", "Open\nsource"),
    case("an end that is no word", "C++", "learn C++17"),
    case("a beginning that is no word", ".NET", "use ASP.NET"),
    case("signs alone", "[$]", "[$] Articles"),
    case("a dot as a dot", "a.b", "a.b"),
    case("slashes that are no expression", "/r/python", "see /r/python today"),
    case("Cyrillic", "блог", "Мой Блог."),
    case("Japanese inside a sentence", "東京", "東京都の天気"),
    case("Korean before a particle", "서울", "서울에서"),
    case("Thai inside a sentence", "ภาษา", "เรียนภาษาไทย"),
    case("Hindi", "हिन्दी", "नई हिन्दी किताब"),
    case("an expression", "/^v\\d+/", "v12 is out"),
    case("an expression in any case", "/ADVERT/i", "Advertisement"),
    case("an expression with a slash", "/a/b/", "x a/b y"),
)
def test_a_pattern_is_found_where_its_words_stand(said: str, text: str) -> None:
    assert parse_pattern(said).regex.search(text)


@cases(
    "said, text",
    case("a word inside a word", "art", "the party starts"),
    case("the end of a word", "art", "smart"),
    case("a letter with an accent of its own", "cafe", "cafe\u0301"),
    case("a dot as anything", "a.b", "axb"),
    case("another separator", "open source", "open-source"),
    case("the beginning of a Hindi word", "कि", "किताब"),
    case("a Hindi letter without its vowel", "क", "की"),
    case("an expression in another case", "/advert/", "Advert"),
)
def test_a_pattern_is_not_found_in_other_words(said: str, text: str) -> None:
    assert not parse_pattern(said).regex.search(text)


@cases(
    "said, why",
    case("blanks", "  ", "must not be empty"),
    case("nothing in slashes", "//", "must be /regex/ or /regex/i"),
    case(
        "an open bracket",
        "/a[/",
        "is not a regular expression: unterminated character set at position 2",
    ),
    case("too deep", "/" + "(" * 5000 + ")" * 5000 + "/", "is not a regular expression: "),
    case("another flag", "/x/gi", "must be /regex/ or /regex/i"),
)
def test_what_is_no_pattern_is_told_with_the_reason(said: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        parse_pattern(said)


def test_an_expression_a_later_python_may_read_otherwise_is_the_operators_choice() -> None:
    assert parse_pattern("/[[a]/").regex.search("[")


def test_words_are_searched_for_as_ever_and_expressions_with_a_limit() -> None:
    assert isinstance(parse_pattern("some words").regex, re.Pattern)
    assert isinstance(parse_pattern("/(a+)+$/").regex, regex.Pattern)
