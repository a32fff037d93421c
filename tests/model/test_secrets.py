"""What is hidden behind names comes back exactly, and nothing else does."""

import pickle
import re
from base64 import b64encode

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planet.model import FetchPolicy
from planet.model.secrets import Redactor, Secret
from tests.builders import make_feed
from tests.cases import case, cases

VALUE = "p&ss/Wörd?"
REDACTOR = Redactor(secrets=(("TOKEN", Secret(VALUE)), ("SHORT", Secret("ss/W"))))


@cases(
    "said",
    case("as it is", VALUE),
    case("in a query", "p%26ss%2FW%C3%B6rd%3F"),
    case("in a query, in lower case", "p%26ss%2fW%c3%b6rd%3f"),
    case("in an address", "p&ss/W%C3%B6rd?"),
    case("in XML", "p&amp;ss/Wörd?"),
    case("in JSON", "p&ss\\/W\\u00f6rd?"),
    case("in base64", b64encode(VALUE.encode()).decode()),
    case("in lower case", VALUE.lower()),
)
def test_a_secret_is_hidden_however_it_is_written(said: str) -> None:
    text = f"before {said} after"

    hidden = REDACTOR.hide(text)

    assert said not in hidden
    assert hidden.startswith("before ${TOKEN")
    assert REDACTOR.show(hidden) == text


@cases(
    "said",
    case("hex in either case", "p%26ss%2FW%c3%b6rd%3F"),
    case("more of it than needed in percent", "p%26s%73/W%C3%B6rd%3f"),
    case("all of it in percent", "%70%26%73%73%2F%57%C3%B6%72%64%3F"),
    case("an address within an address", "p%2526ss%252FW%25C3%25B6rd%253F"),
    case("by other names in HTML", "p&#38;ss/W&ouml;rd?"),
    case("by number", "&#112;&#x26;s&#x073;/W&#XF6rd&#063;"),
    case("HTML within HTML", "p&amp;amp;ss/W&amp;#246;rd?"),
    case("JSON that is on the safe side", "p\\u0026ss\\/W\\u00F6rd?"),
)
def test_a_secret_is_hidden_whichever_way_each_of_its_characters_is_written(said: str) -> None:
    text = f"before {said} after"

    hidden, taken_out = REDACTOR.hide(text), REDACTOR.redact(text)

    assert re.fullmatch(r"before \$\{TOKEN\.\d+\} after", hidden)
    # In a usual way of the same kind.
    shown = REDACTOR.show(hidden).removeprefix("before ").removesuffix(" after")
    assert REDACTOR.redact(shown) == "${TOKEN}"
    assert taken_out == "before ${TOKEN} after"
    assert REDACTOR.covers(text)


def test_what_is_taken_out_is_called_by_its_name_and_all_else_stays() -> None:
    said = f"${{TOKEN}} ${{}} {VALUE} {VALUE.replace('&', '&amp;')} $x ss/W"

    assert REDACTOR.redact(said) == "${TOKEN} ${} ${TOKEN} ${TOKEN} $x ${SHORT}"
    assert Redactor().redact(said) == said


@cases(
    "said, public",
    case("no secret", "https://x.example/?a=1#b", "https://x.example/?a=1#b"),
    case("a parameter", "https://x.example/1?a=b&k=abcd&c#d", "https://x.example/1?a=b&c#d"),
    case("the only parameter", "https://x.example/?k=%61bcd", "https://x.example/"),
    case("in its path", "https://x.example/abcd/1?k=abcd", None),
    case("as a password", "https://u:abcd@x.example/", None),
    case("in its fragment", "https://x.example/#abcd", None),
    case("more than one parameter", "https://x.example/?a=1&k=ab&cd", None),
)
def test_a_link_keeps_what_is_no_secret(said: str, public: str | None) -> None:
    redactor = Redactor(secrets=(("PART", Secret("abcd")), ("TWO", Secret("ab&cd"))))

    assert redactor.public(said) == public


@pytest.mark.parametrize(
    "said", ["${TOKEN}", "${}", "${TOKEN.1}", "${${TOKEN}}", "$${TOKEN}", "${", "${}TOKEN}"]
)
def test_whoever_writes_the_name_of_a_secret_does_not_get_the_secret(said: str) -> None:
    assert REDACTOR.show(REDACTOR.hide(said)) == said
    assert REDACTOR.show(Redactor().hide(said)) == said


@given(st.lists(st.sampled_from([VALUE, "ss/W", "${", "TOKEN", "SHORT", "}", "$", "x", ".1"])))
def test_what_was_hidden_comes_back(parts: list[str]) -> None:
    text = "".join(parts)

    assert REDACTOR.show(REDACTOR.hide(text)) == text


@cases(
    "url, base",
    case("no secret", "https://x.example/feed.xml", "https://x.example/feed.xml"),
    case("in its query", "https://x.example/a/feed.xml?k=abcd", "https://x.example/a/"),
    case("late in its query", "https://x.example/?b=/c&k=abcd", "https://x.example/"),
    case("in its path", "https://x.example/a/abcd/b", "https://x.example/a/"),
    case("in the name of its server", "https://abcd.example/a", ""),
    case("all of it", "https://whole.example/in?it", "https://whole.example/"),
)
def test_relative_addresses_are_made_absolute_without_the_secret(url: str, base: str) -> None:
    whole = "https://whole.example/in?it"
    redactor = Redactor(secrets=(("PART", Secret("abcd")), ("WHOLE", Secret(whole))))

    assert redactor.base(url) == base


def test_a_secret_hides_itself_where_it_is_shown() -> None:
    feed = make_feed(
        policy=FetchPolicy(headers=(("X-Key", Secret("s3cret")),), auth=("ada", Secret("s3cret"))),
        redactor=Redactor(secrets=(("KEY", Secret("s3cret")),)),
    )

    assert "s3cret" not in repr(feed)
    assert repr(feed.policy.auth) == "('ada', Secret(…))"


def test_a_secret_is_not_encoded() -> None:
    with pytest.raises(TypeError, match="unsupported") as caught:
        msgspec.json.encode(FetchPolicy(auth=("ada", Secret("s3cret"))))

    assert "s3cret" not in str(caught.value)


def test_a_secret_comes_to_another_process_as_it_is() -> None:
    policy = FetchPolicy(auth=("ada", Secret("s3cret")))

    there = pickle.loads(pickle.dumps(policy))

    assert (there, hash(there)) == (policy, hash(policy))
    assert there != FetchPolicy(auth=("ada", Secret("another")))
    assert Secret("s3cret") != "s3cret"
