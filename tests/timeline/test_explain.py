"""Every reason for which an entry is shown or missing, what is said of it, and what is meant."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from planet.explain.outcomes import Outcomes
from planet.explain.sentences import Speaker
from planet.model import (
    DueReason,
    Enclosure,
    GivenUp,
    HostState,
    NewEntry,
    Transformed,
    TransformOutcome,
    handle,
)
from planet.store import Store
from planet.timeline.select import Reason
from tests.builders import NOW, make_draft
from tests.cases import case, cases
from tests.timeline.conftest import Planet

DAY = timedelta(days=1)


def draft(entry_id: str, **changes: object) -> NewEntry:
    link = f"https://one.example/{entry_id}"
    return make_draft(
        entry_id, **{"title": f"About {entry_id}", "link": link, "published": NOW, **changes}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is known, and the answer to "why is `a` of the feed `one` not shown?"."""

    config: str
    one: tuple[NewEntry, ...] = (draft("a"),)
    two: tuple[NewEntry, ...] = ()
    offered: tuple[NewEntry, ...] = ()
    picks: str = ""
    later: timedelta = timedelta(0)
    """How long after both feeds were read it is asked."""
    unlisted: bool = False
    released: datetime | None = None
    """When the edition came out last."""
    words: tuple[str, ...]
    """What stands in the sentences after the first one, in each of them once."""


ONE = "title: P\nfeeds:\n- id: one\n  url: https://one.example/feed\n"
OTHER = "title: P\nfeeds: [https://other.example/feed]\n"
BOTH = f"{ONE}- id: two\n  url: https://two.example/feed\n"
CALM = f"{ONE}editions:\n  calm:\n    release: {{at: '07:00'}}\n"
PICK = """\
picks:
- feed: one
  id: a
  picked: 2026-11-20T12:00:00Z
  title: About a
  show: {title: One}
  enclosure: {url: https://one.example/a.mp3, type: audio/mpeg}
"""
ON_FRONT = "shown on the page of its month (2026/11/) and on the front page."
PICKED = "is filed under the moment it was picked, 2026-11-20 12:00."
TO_PICK = f"`planet pick {handle('one', 'a')}` picks it."

CASES = {
    "shown": Case(config=ONE, words=(ON_FRONT,)),
    "shown, and not on the front page": Case(
        config=f"{ONE}pages: {{front: 1}}\n",
        one=(draft("a", published=NOW - DAY), draft("b")),
        words=("month (2026/11/). The front page has the newest 1 posts",),
    ),
    "shown, and in another feed": Case(
        config=BOTH, two=(draft("a"),), words=(ON_FRONT, "also in Two; it is shown once")
    ),
    "shown until it is too old": Case(
        config=f"{ONE}filters: {{max_age: 2d}}\n",
        words=(ON_FRONT, "until 2026-11-22 12:00; then it is too old"),
    ),
    "shown, though its feed no longer lists it": Case(
        config=ONE, unlisted=True, words=(ON_FRONT, "kept until 2028-11-19 12:00")
    ),
    "shown, of a feed without dates": Case(
        config=ONE,
        one=(draft("a", published=None, rank=0),),
        words=("on the page of its source only (source/one/)",),
    ),
    "picked": Case(config=ONE, picks=PICK, words=(PICKED, ON_FRONT)),
    "picked, of a feed that is gone": Case(
        config=OTHER, one=(), picks=PICK, words=(PICKED, ON_FRONT)
    ),
    "duplicate": Case(
        config=BOTH,
        one=(draft("a", link="https://two.example/a"),),
        two=(draft("a", link="https://two.example/a", title="The original"),),
        words=(
            f"one of Two: “The original” (ID {handle('two', 'a')}), “also in One”.",
            "the author's own feed",
        ),
    ),
    "duplicate of a pick": Case(
        config=BOTH,
        one=(draft("tag:x.example,2026:a"),),
        picks=PICK.replace("feed: one\n  id: a", "feed: gone\n  id: tag:x.example,2026:a"),
        words=("one of One: “About a”", "A pick goes before all"),
    ),
    "picks": Case(
        config=f"{ONE}  picks: only\n",
        one=(),
        offered=(draft("a"),),
        words=("`picks` of One (config.yaml:5:3)", TO_PICK),
    ),
    "new_feed_entries": Case(
        config=f"{ONE}  new_feed_entries: 1\n",
        one=(draft("b", rank=0), draft("a", rank=1)),
        words=("number 2 when its feed was read", "with `new_feed_entries: 2`"),
    ),
    "new_feed_entries, by default": Case(
        config=ONE,
        one=(draft("a", rank=10),),
        words=(
            "the newest 10 are shown, by `new_feed_entries`, which the config does not set; "
            "config.yaml:4:8 is where the feed stands.",
            "with `new_feed_entries: 11`",
        ),
    ),
    "future": Case(
        config=f"future: drop\n{ONE}",
        one=(draft("a", published=NOW + DAY),),
        words=("dated 2026-11-21 12:00, by `future` of the planet (config.yaml:1:1)", "from then"),
    ),
    "transform": Case(
        config=f"{ONE}  transform: [/bin/cat]\n",
        one=(
            draft(
                "a",
                transformed=Transformed(outcome=TransformOutcome.DROPPED, command="./repair -a"),
            ),
        ),
        words=("./repair -a dropped it, by `transform` of One (config.yaml:5:3)", "without"),
    ),
    "language": Case(
        config=f"{ONE}  filters: {{languages: [en, de]}}\n",
        one=(draft("a", language="fr"),),
        words=("`filters.languages` of One (config.yaml:5:13)", "Add fr there"),
    ),
    "include": Case(
        config=f"{ONE}  filters: {{include: [birds, trees]}}\n",
        words=("birds, trees, by `filters.include` of One (config.yaml:5:13)", "Add a word"),
    ),
    "exclude": Case(
        config=f"{ONE}  filters:\n    exclude:\n    - about\n",
        words=("“about” is found in it", "Take “about” out"),
    ),
    "exclude, of the planet": Case(
        config=f"{ONE}filters: {{exclude: about}}\n",
        words=("`filters.exclude` of the planet (config.yaml:5:11)", "Take “about” out"),
    ),
    "max_age": Case(
        config=f"{ONE}  filters: {{max_age: 2d}}\n",
        later=3 * DAY,
        words=("2026-11-20 12:00 and older than is wanted", "A longer time"),
    ),
    "recent": Case(
        config=f"{ONE}filters: {{recent: 1}}\n",
        one=(draft("a", published=NOW - DAY), draft("b")),
        words=("not among the newest 1", "A larger number"),
    ),
    "random": Case(
        config=f"{ONE}  filters: {{random: 1}}\n",
        one=(draft("a"), *(draft(f"b{number}") for number in range(20))),
        words=("not among the 1 drawn by lot", "The lot is drawn again"),
    ),
    "disabled": Case(
        config=f"{ONE}  enabled: false\n",
        words=("`enabled` of One (config.yaml:5:3)", "Without that setting"),
    ),
    "release": Case(
        config=CALM,
        released=NOW - DAY,
        words=(
            "found after the edition “calm” came out last, by `release` of the edition “calm” "
            "(config.yaml:7:5)",
            "It comes out at 2026-11-21 07:00",
        ),
    ),
    "exclude, from the next release": Case(
        config=CALM + "    filters: {exclude: about}\n",
        released=NOW - DAY,
        words=("`filters.exclude` of the edition “calm” (config.yaml:8:15)", "Take “about” out"),
    ),
    "release, of what was picked": Case(
        config=CALM.replace("editions", "  picks: only\neditions").replace("07:00", "13:00"),
        one=(),
        offered=(draft("a"),),
        picks=PICK,
        released=NOW - DAY,
        words=("picked after the edition “calm” came out", "at 2026-11-20 13:00"),
    ),
    "edition": Case(
        config=f"{BOTH}editions:\n  all: {{}}\n  second: {{feeds: two}}\n",
        words=("the edition “second” does not show its feed.", "under `feeds`"),
    ),
    "left": Case(config=OTHER, words=("not in the config any more: one.", "With the feed")),
}
"""By the reason, after which a comma says more."""


@pytest.mark.parametrize("name", CASES)
def test_the_answer_says_why_and_what_would_change_it(planet: Planet, name: str) -> None:
    case = CASES[name]
    planet.write(case.config)
    if case.picks:
        planet.path.with_name("picks.yaml").write_text(case.picks)
    planet.lists("one", *case.one)
    planet.lists("two", *case.two)
    if case.offered:
        planet.offers("one", *case.offered)
    planet.now += case.later
    if case.unlisted:
        planet.lists("one")
    if case.released:
        planet.published(case.released)

    with planet.outcomes() as outcomes:
        (explanation,) = [
            each
            for each in outcomes.explain()
            if each.entry.feed == "one" and each.entry.id.endswith("a")
        ]
        answer = Speaker(outcomes, planet.places()).explain_entry(explanation)

    assert answer.reason == name.partition(",")[0].partition(" ")[0]
    sentences = answer.words[1:]
    assert [words in said for words, said in zip(case.words, sentences, strict=True)] == [
        True for _ in sentences
    ], sentences


def test_there_is_a_case_for_every_reason_and_every_fate() -> None:
    reasons = {name.partition(",")[0].partition(" ")[0] for name in CASES}

    assert reasons == {*Reason}


# What is said of a feed that shows nothing new

HOUR = timedelta(hours=1)
DUE = "It is due: the next `planet build` asks it."
LATER = "It is asked again at 2026-11-20 13:00 (least time between requests)"
SOON = {"due_at": NOW + HOUR, "due_reason": DueReason.FLOOR}
FAILED: dict[str, Any] = {"failures": 1, "error_kind": "http_503", "error": "the server said 503"}
GONE = {"given_up": GivenUp.GONE, "given_up_at": NOW}


@cases(
    "feed, known, words",
    case("ok", "", {}, ("State: ok.", "read at 2026-11-20 12:00; 1 entry is shown.", DUE)),
    case("ok, and not due", "", SOON, ("State: ok.", "last asked", LATER)),
    case("disabled", "enabled: false", {}, ("State: disabled (config.yaml:4:8).", "0 entries are")),
    case("never asked", "", None, ("State: never asked.", "at never and read at never", DUE)),
    case("never asked, as a file", "url: file:///feeds/one.xml", None, ("", "", "every run")),
    case(
        "failing, from the first",
        "",
        {**FAILED, "failures": 2, "succeeded_at": None},
        ("State: failing", "read at never", DUE, "less and less often"),
    ),
    case("given up", "", GONE, ("State: given up (gone).", "", "`planet retry one`")),
)
def test_the_answer_says_how_a_feed_is_and_when_it_is_next(
    request: Any, planet: Planet, feed: str, known: dict[str, Any] | None, words: tuple[str, ...]
) -> None:
    url = "" if feed.startswith("url") else "url: https://one.example/feed"
    lines = "\n  ".join(filter(None, (url, feed)))
    planet.write(f"title: P\nfeeds:\n- id: one\n  {lines}\n")
    if known is not None:
        planet.lists("one", make_draft("a"), **known)
    else:
        planet.lists("other")

    with planet.outcomes() as outcomes:
        answer = Speaker(outcomes, planet.places()).explain_feed(outcomes.feeds["one"])

    assert answer.reason == request.node.callspec.id.partition(",")[0]
    found = [part in said for part, said in zip(words, answer.words, strict=True)]
    assert found == [True for _ in words], answer.words


def test_a_server_that_rests_is_the_reason_to_wait(planet: Planet) -> None:
    planet.configure({"id": "one"})
    planet.lists("one", make_draft("a"), due_at=NOW)
    host = HostState(host="one.example:443", rests_until=NOW + HOUR)
    with Store.open(planet.state) as store:
        store.hosts.put({host.host: host})
    with planet.outcomes() as outcomes:
        answer = Speaker(outcomes, planet.places()).explain_feed(outcomes.feeds["one"])

    words = "It is asked again at 2026-11-20 13:00 (its server is left alone)."
    assert answer.words[2] == words


# What an operator types → the entries and feeds that are meant


@pytest.fixture
def outcomes(planet: Planet) -> Iterator[Outcomes]:
    planet.configure({"id": "one"}, {"id": "two", "link": "https://blog.two.example/"})
    file = Enclosure(url="https://cdn.example/tea.mp3", media_type="audio/mpeg")
    planet.lists(
        "one",
        make_draft("tea", title="A pot of tea", link="https://one.example/tea/?p=1"),
        make_draft("pot", title="The pot", link="https://one.example/pot", enclosures=(file,)),
        make_draft("tag:one.example,2026:3", link="https://one.example/caf%C3%A9"),
    )
    with planet.outcomes() as outcomes:
        yield outcomes


@cases(
    "name, found",
    case("its address", "https://one.example/pot", ["pot"]),
    case("its address, normalised", "HTTPS://ONE.example:443/pot#top", ["pot"]),
    case("its address, in Unicode", "https://one.example/café", ["tag:one.example,2026:3"]),
    case("its address, as people take it", "http://www.one.example/pot/", ["pot"]),
    case("its address, from a campaign", "https://one.example/tea?p=1&utm_source=x", ["tea"]),
    case("another query is another address", "https://one.example/tea/?p=2", []),
    case("its file", "https://cdn.example/tea.mp3", ["pot"]),
    case("its id", "tag:one.example,2026:3", ["tag:one.example,2026:3"]),
    case("its ID", handle("one", "tea"), ["tea"]),
    case("the beginning of its ID", handle("one", "tea")[:4].upper(), ["tea"]),
    case("words of its title", "TEA pot", ["tea"]),
    case("an id goes before a word", "pot", ["pot"]),
    case("nothing", "coffee", []),
)
def test_an_entry_is_found_by(outcomes: Outcomes, name: str, found: list[str]) -> None:
    assert [explanation.entry.id for explanation in outcomes.find_entries(name)] == found


@cases(
    "name, found",
    case("its address", "https://one.example/feed", ["one"]),
    case("another page of its site", "https://www.one.example/other", ["one"]),
    case("its home page", "https://blog.two.example", ["two"]),
    case("a site of none", "https://three.example/", []),
    case("words", "pot of tea", []),
)
def test_a_feed_is_found_by(outcomes: Outcomes, name: str, found: list[str]) -> None:
    assert [feed.key for feed in outcomes.find_feeds(name)] == found
