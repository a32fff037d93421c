"""Nouns that decide: secrets and what hides them, moments of a timetable, decoders of threads."""

import os
import pickle
from base64 import b64encode
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planet.model import Every, FetchPolicy, Timetable
from planet.model.secrets import Redactor, Secret
from tests.builders import make_feed
from tests.cases import case, cases
from tests.processes import PACKAGES, python

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
    case("more of it than needed in percent", "p%26s%73/W%C3%B6rd%3f"),
    case("by number", "&#112;&#x26;s&#x073;/W&#XF6rd&#063;"),
)
def test_a_secret_is_taken_out_whichever_way_its_characters_are_spelled(said: str) -> None:
    assert REDACTOR.covers(said)
    assert REDACTOR.redact(f"before {said} after") == "before ${TOKEN} after"


def test_a_secret_may_be_a_part_of_its_own_name() -> None:
    redactor = Redactor(secrets=(("FEED_TOKEN", Secret("TOKEN")),))

    assert redactor.redact("a TOKEN here") == "a ${FEED_TOKEN} here"
    assert "TOKEN" not in redactor.redact("T%4FKEN").replace("${FEED_TOKEN}", "")


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


# A time of day on some days of the week: over a year of hours, in five zones

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
ZONES = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "America/Santiago",  # summer time begins at midnight there: that midnight does not exist
]
WEEKDAYS = tuple(Every)[1:]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("every", [Every.DAY, Every.MONDAY])
def test_each_day_of_the_year_that_is_meant_has_one_moment(zone: str, every: Every) -> None:
    there = ZoneInfo(zone)
    timetable = Timetable(at=time(0), every=every, zone=there)
    hours = [NEW_YEAR + number * HOUR for number in range(365 * 24)]

    moments = sorted({timetable.next(hour) for hour in hours})

    dates = [moment.astimezone(there).date() for moment in moments]
    first, last = dates[0], dates[-1]
    meant = [
        first + timedelta(days=number)
        for number in range((last - first).days + 1)
        if every in (Every.DAY, WEEKDAYS[(first + timedelta(days=number)).weekday()])
    ]
    assert dates == meant


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("at", [time(0), time(2, 30)], ids=["midnight", "half past two"])
def test_every_hour_lies_between_the_last_moment_and_the_next(zone: str, at: time) -> None:
    timetable = Timetable(at=at, zone=ZoneInfo(zone))

    # Each hour of a day, and each day of the year, is among these.
    for number in range(0, 365 * 24, 5):
        now = NEW_YEAR + number * HOUR
        last, following = timetable.last(now), timetable.next(now)
        assert last <= now < following
        assert timetable.last(following) == following
        assert timetable.next(last) == following


BERLIN = "Europe/Berlin"


@cases(
    "at, zone, now, last, following",
    case("just before", (7, 0), BERLIN, "2026-11-20 05:59", "11-19 06:00", "11-20 06:00"),
    case("at that time", (7, 0), BERLIN, "2026-11-20 06:00", "11-20 06:00", "11-21 06:00"),
    case("at midnight", (0, 0), "Asia/Kolkata", "2026-11-19 18:30", "11-19 18:30", "11-20 18:30"),
    case(
        "when clocks leave it out",
        (2, 30),
        BERLIN,
        "2026-03-29 12:00",
        "03-29 01:30",
        "03-30 00:30",
    ),
    case(
        "when they leave it out first",
        (2, 0),
        BERLIN,
        "2026-03-29 12:00",
        "03-29 01:00",
        "03-30 00:00",
    ),
    case(
        "when it is the first again",
        (3, 0),
        BERLIN,
        "2026-03-29 12:00",
        "03-29 01:00",
        "03-30 01:00",
    ),
    case("when it comes twice", (2, 30), BERLIN, "2026-10-25 01:00", "10-25 00:30", "10-26 01:30"),
    case(
        "at a midnight that clocks leave out",
        *((0, 0), "America/Santiago", "2026-09-06 03:59", "09-05 04:00", "09-06 04:00"),
    ),
)
def test_a_time_of_every_day_has_these_moments(
    at: tuple[int, int], zone: str, now: str, last: str, following: str
) -> None:
    timetable = Timetable(at=time(*at), zone=ZoneInfo(zone))

    found = (timetable.last(utc(now)), timetable.next(utc(now)))

    assert found == (utc(f"{now[:5]}{last}"), utc(f"{now[:5]}{following}"))
    assert {moment.tzinfo for moment in found} == {UTC}


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# Decoders, for threads as well

RACE = """\
import os, sys, threading
import msgspec
from planet.model import ParseResult
from planet.model.decoding import decoder_of
from tests.builders import make_draft, make_reading

written = msgspec.json.encode(make_reading(make_draft("a"), make_draft("b")))
sys.setswitchinterval(1e-7)

def decode(together):
    together.wait()
    decoder_of(ParseResult)(written)

# In each process nothing is known of the type yet.
for _ in range(20):
    if not (child := os.fork()):
        together = threading.Barrier(8)
        threads = [threading.Thread(target=decode, args=[together]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_threads_may_be_the_first_to_decode_a_type_together(tmp_path: Path) -> None:
    checkout = Path(__file__).parents[1]

    done = python("-c", RACE, folder=tmp_path, PYTHONPATH=f"{PACKAGES}{os.pathsep}{checkout}")

    assert done.stdout.split() == ["0"] * 20, done.stderr
