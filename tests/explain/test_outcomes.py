"""Every reason for which an entry can be shown or missing, and what is said of it."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from planet.explain.outcomes import EntryOutcome
from planet.explain.sentences import Speaker
from planet.model import Enclosure, NewEntry, Transformed, TransformOutcome
from planet.timeline.select import Reason
from tests.builders import NOW, make_draft
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
    reason: str
    words: tuple[str, ...] = field(default=())


ONE = "title: P\nfeeds:\n- id: one\n  url: https://one.example/feed\n"
OTHER = "title: P\nfeeds: [https://other.example/feed]\n"
BOTH = f"{ONE}- id: two\n  url: https://two.example/feed\n"
PICK = """\
picks:
- feed: one
  id: a
  picked: 2026-11-20T12:00:00Z
  title: About a
  show: {title: One}
  enclosure: {url: https://one.example/a.mp3, type: audio/mpeg}
"""

ON_ALL_PAGES = (
    "It is shown on the front page (number 1), on the page of its month (2026/11/) and on that of "
    "its source (source/one/)."
)

CASES = {
    "shown": Case(config=ONE, reason="shown", words=(ON_ALL_PAGES,)),
    "shown, and older than the front page": Case(
        config=f"{ONE}pages: {{front: 1}}\n",
        one=(draft("a", published=NOW - DAY), draft("b")),
        reason="shown",
        words=(
            (
                "It is shown on the page of its month (2026/11/) and on that of its source "
                "(source/one/); not on the front page, for 1 post is newer, and it holds 1, by "
                "`pages.front` of the planet (config.yaml:5:9)."
            ),
        ),
    ),
    "shown, but over the share of its source": Case(
        config=f"{ONE}pages: {{per_source: 1}}\n",
        one=(draft("c", published=NOW - DAY), draft("a", published=NOW - DAY / 24), draft("b")),
        reason="shown",
        words=(
            (
                "It is shown on the page of its month (2026/11/) and on that of its source "
                "(source/one/); not on the front page, which shows 1 of a source on one day, by "
                "`pages.per_source` of the planet (config.yaml:5:9)."
            ),
        ),
    ),
    "shown, and in another feed": Case(
        config=BOTH,
        two=(draft("a"),),
        reason="shown",
        words=(ON_ALL_PAGES, "It is also in Two; it is shown once, as one of One."),
    ),
    "shown until it is too old": Case(
        config=f"{ONE}filters: {{max_age: 2d}}\n",
        reason="shown",
        words=(ON_ALL_PAGES, "It is shown until 2026-11-22 12:00; then it is too old (`max_age`)."),
    ),
    "shown, though its feed no longer lists it": Case(
        config=ONE,
        unlisted=True,
        reason="shown",
        words=(
            ON_ALL_PAGES,
            (
                "Its feed no longer lists it. It is kept until 2028-11-19 12:00, by "
                "`retention.entries` (730d)."
            ),
        ),
    ),
    "picked": Case(
        config=ONE,
        one=(
            draft(
                "a",
                enclosures=(Enclosure(url="https://one.example/a.mp3", media_type="audio/mpeg"),),
            ),
        ),
        picks=PICK,
        reason="picked",
        words=(
            "It was picked, and is filed under the moment it was picked, 2026-11-20 12:00.",
            ON_ALL_PAGES,
        ),
    ),
    "picked, of a feed that is gone": Case(
        config=OTHER,
        one=(),
        picks=PICK,
        reason="picked",
        words=(
            "It was picked, and is filed under the moment it was picked, 2026-11-20 12:00.",
            "It is shown on the front page (number 1) and on the page of its month (2026/11/).",
        ),
    ),
    "picked for a list, of a feed that is gone": Case(
        config=OTHER,
        one=(),
        picks=PICK + "  list: best\n",
        reason="picked",
        words=(
            "It is not shown, for it was not picked for the planet's own list.",
            "It is picked for the list best, and is on lists/best/.",
        ),
    ),
    "duplicate": Case(
        config=BOTH,
        one=(draft("a", link="https://two.example/a"),),
        two=(draft("a", link="https://two.example/a", title="The original"),),
        reason="duplicate",
        words=(
            (
                "It is not shown, because the same entry is shown as one of Two: “The original”"
                " (ID b22fb31603), “also in One”."
            ),
            (
                "Two entries are the same that have the same link, or the same id. The author's"
                " own feed goes before others, then a feed with a higher `priority`, then the "
                "one that comes first in the config."
            ),
        ),
    ),
    "duplicate of a pick": Case(
        config=BOTH,
        one=(draft("tag:x.example,2026:a"),),
        picks=PICK.replace("feed: one\n  id: a", "feed: gone\n  id: tag:x.example,2026:a"),
        reason="duplicate",
        words=(
            (
                "It is not shown, because the same entry is shown as one of One: “About a” (ID "
                "72c93e6e20), “also in One”."
            ),
            "That one was picked, and a pick goes before all else.",
        ),
    ),
    "picks": Case(
        config=f"{ONE}  picks: only\n",
        one=(),
        offered=(draft("a"),),
        reason="picks",
        words=(
            (
                "It is not shown, because only picked episodes are, by `picks` of One "
                "(config.yaml:5:3)."
            ),
            "`planet pick 266c6740ea` picks it.",
        ),
    ),
    "picks, and on a list": Case(
        config=f"{ONE}  picks: only\n",
        one=(),
        offered=(draft("a"),),
        picks=PICK + "  list: best\n",
        reason="picks",
        words=(
            (
                "It is not shown, because only picked episodes are, by `picks` of One "
                "(config.yaml:5:3)."
            ),
            "`planet pick 266c6740ea` picks it.",
            "It is picked for the list best, and is on lists/best/.",
        ),
    ),
    "new_feed_entries": Case(
        config=f"{ONE}  new_feed_entries: 1\n",
        one=(draft("b", rank=0), draft("a", rank=1)),
        reason="new_feed_entries",
        words=(
            (
                "It is not shown, because it was number 2 when its feed was read for the first "
                "time, and of a new feed only the newest 1 are shown, by `new_feed_entries` of "
                "One (config.yaml:5:3)."
            ),
            "It is shown at once with `new_feed_entries: 2`, or `all`.",
        ),
    ),
    "new_feed_entries, by default": Case(
        config=ONE,
        one=(draft("a", rank=10),),
        reason="new_feed_entries",
        words=(
            (
                "It is not shown, because it was number 11 when its feed was read for the first"
                " time, and of a new feed only the newest 10 are shown, by `new_feed_entries`, "
                "which the config does not set; config.yaml:4:8 is where the feed stands."
            ),
            "It is shown at once with `new_feed_entries: 11`, or `all`.",
        ),
    ),
    "future": Case(
        config=f"future: drop\n{ONE}",
        one=(draft("a", published=NOW + DAY),),
        reason="future",
        words=(
            (
                "It is not shown yet, because it is dated 2026-11-21 12:00, by `future` of the "
                "planet (config.yaml:1:1): `drop`."
            ),
            "It is shown from then on; `future: clamp` shows it now.",
        ),
    ),
    "transform": Case(
        config=f"{ONE}  transform: [/bin/cat]\n",
        one=(
            draft(
                "a",
                transformed=Transformed(outcome=TransformOutcome.DROPPED, command="./repair -a"),
            ),
        ),
        reason="transform",
        words=(
            (
                "It is not shown, because the program ./repair -a dropped it, by `transform` of "
                "One (config.yaml:5:3)."
            ),
            "It is shown without the program, or when it is edited and the program lets it pass.",
        ),
    ),
    "language": Case(
        config=f"{ONE}  filters: {{languages: [en, de]}}\n",
        one=(draft("a", language="fr"),),
        reason="language",
        words=(
            (
                "It is not shown, because it is in the language fr, as it says itself, and that"
                " is not among `filters.languages` of One (config.yaml:5:13)."
            ),
            "Add fr there to let it pass.",
        ),
    ),
    "include": Case(
        config=f"{ONE}  filters: {{include: [birds, trees]}}\n",
        reason="include",
        words=(
            (
                "It is not shown, because nothing of what is wanted is found in it: birds, "
                "trees, by `filters.include` of One (config.yaml:5:13)."
            ),
            "Add a word that is in it, or take the setting away, to let it pass.",
        ),
    ),
    "exclude": Case(
        config=f"{ONE}  filters:\n    exclude:\n    - about\n",
        reason="exclude",
        words=(
            (
                "It is not shown, because “about” is found in it, which is turned away by "
                "`filters.exclude` of One (config.yaml:6:5)."
            ),
            "Take “about” out there to let it pass.",
        ),
    ),
    "exclude of the planet": Case(
        config=f"{ONE}filters: {{exclude: about}}\n",
        reason="exclude",
        words=(
            (
                "It is not shown, because “about” is found in it, which is turned away by "
                "`filters.exclude` of the planet (config.yaml:5:11)."
            ),
            "Take “about” out there to let it pass.",
        ),
    ),
    "max_age": Case(
        config=f"{ONE}  filters: {{max_age: 2d}}\n",
        later=3 * DAY,
        reason="max_age",
        words=(
            (
                "It is not shown, because it is dated 2026-11-20 12:00 and older than is wanted"
                " by `filters.max_age` of One (config.yaml:5:13)."
            ),
            "A longer time lets it pass.",
        ),
    ),
    "recent": Case(
        config=f"{ONE}filters: {{recent: 1}}\n",
        one=(draft("a", published=NOW - DAY), draft("b")),
        reason="recent",
        words=(
            (
                "It is not shown, because it is not among the newest 1, and no others are "
                "wanted by `filters.recent` of the planet (config.yaml:5:11)."
            ),
            "A larger number lets it pass.",
        ),
    ),
    "random": Case(
        config=f"{ONE}  filters: {{random: 1}}\n",
        one=(draft("a"), *(draft(f"b{number}") for number in range(20))),
        reason="random",
        words=(
            (
                "It is not shown, because it is not among the 1 drawn by lot, by "
                "`filters.random` of One (config.yaml:5:13)."
            ),
            ("The lot is drawn again when a new entry comes; with a larger number more are drawn."),
        ),
    ),
    "disabled": Case(
        config=f"{ONE}  enabled: false\n",
        reason="disabled",
        words=(
            (
                "It is not shown, because its feed is switched off, by `enabled` of One "
                "(config.yaml:5:3)."
            ),
            ("Without that setting its feed is asked again, and what is known of it comes back."),
        ),
    ),
    "waiting for a release": Case(
        config=f"{ONE}editions:\n  calm:\n    release: {{at: '07:00'}}\n",
        released=NOW - DAY,
        reason="release",
        words=(
            "It is not shown yet, because it was found after the edition “calm” came out last, by "
            "`release` of the edition “calm” (config.yaml:7:5).",
            "It comes out at 2026-11-21 07:00, with the next run from then on.",
        ),
    ),
    "waiting for a release that a filter keeps it from": Case(
        config=f"{ONE}editions:\n  calm:\n    release: {{at: '07:00'}}\n"
        "    filters: {exclude: about}\n",
        released=NOW - DAY,
        reason="exclude",
        words=(
            "It is not shown, because “about” is found in it, which is turned away by "
            "`filters.exclude` of the edition “calm” (config.yaml:8:15).",
            "Take “about” out there to let it pass.",
        ),
    ),
    "picked, and waiting for a release": Case(
        config=f"{ONE}  picks: only\neditions:\n  calm:\n    release: {{at: '13:00'}}\n",
        one=(),
        offered=(draft("a"),),
        picks=PICK,
        released=NOW - DAY,
        reason="release",
        words=(
            "It is not shown yet, because it was picked after the edition “calm” came out last, by "
            "`release` of the edition “calm” (config.yaml:8:5).",
            "It comes out at 2026-11-20 13:00, with the next run from then on.",
        ),
    ),
    "not in the edition": Case(
        config=f"{BOTH}editions:\n  all: {{}}\n  second: {{feeds: two}}\n",
        reason="edition",
        words=(
            "It is not shown, because the edition “second” does not show its feed.",
            "With the name of its feed under `feeds` of that edition, it would be.",
        ),
    ),
    "a filter of the edition": Case(
        config=f"{ONE}editions:\n  calm:\n    filters: {{exclude: about}}\n",
        reason="exclude",
        words=(
            "It is not shown, because “about” is found in it, which is turned away by "
            "`filters.exclude` of the edition “calm” (config.yaml:7:15).",
            "Take “about” out there to let it pass.",
        ),
    ),
    "left": Case(
        config=OTHER,
        reason="left",
        words=(
            "It is not shown, because its feed is not in the config any more: one.",
            "With the feed, it would come back.",
        ),
    ),
}


def asked(planet: Planet, case: Case) -> tuple[str, tuple[str, ...]]:
    """The reason, and the words after the first sentence, which is the same in all answers."""
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
            for each in outcomes.of_all()
            if each.entry.feed == "one" and each.entry.id.endswith("a")
        ]
        answer = Speaker(outcomes, planet.terms()).answer(explanation)
    return answer.reason, answer.words[1:]


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items()])
def test_the_answer_says_why_and_what_would_change_it(planet: Planet, case: Case) -> None:
    assert asked(planet, case) == (case.reason, case.words)


def test_there_is_a_case_for_every_reason_and_every_fate() -> None:
    reasons = {case.reason for case in CASES.values()}

    assert reasons == {*Reason, *EntryOutcome} - {Reason.KEPT, EntryOutcome.DROPPED}
