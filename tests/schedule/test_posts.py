"""When a feed posts, as far as one can tell."""

from datetime import datetime

from msgspec.structs import replace

from planet.model import FeedState
from planet.schedule.constants import RECENT_POSTS
from tests.builders import NOW, make_draft, make_reading
from tests.cases import case, cases
from tests.schedule.states import DAY, HOUR, MINUTE, TICK, attempt, make_new, make_read_state


def after(before: FeedState | None, *claims: datetime | None) -> FeedState:
    """What is known after a reading with a new entry for each of these claims."""
    drafts = [make_draft(str(number)) for number in range(len(claims))]
    reading = make_reading(*drafts, posted=claims)
    return attempt(before, make_new(), reading)


@cases(
    "claims, posts",
    case("as it claims", [NOW - HOUR], [NOW - HOUR]),
    case("as it claims, this moment", [NOW], [NOW]),
    case("when it was first seen, if it claims the future", [NOW + TICK], [NOW]),
    case("when it was first seen, if it claims nothing", [None], [NOW]),
    case("when they were first seen, if none claims anything", [None, None], [NOW]),
    case("as each claims, in their order", [NOW - HOUR, NOW - DAY], [NOW - DAY, NOW - HOUR]),
    case("as it claims, or when it was first seen", [NOW - DAY, None], [NOW - DAY, NOW]),
    case("when they were first seen, if all claim the same", [NOW - DAY, NOW - DAY], [NOW]),
    case(
        "as they claim, if some claim the same",
        [NOW - DAY, NOW - DAY, NOW - HOUR],
        [NOW - DAY, NOW - HOUR],
    ),
)
def test_a_new_entry_has_a_moment(claims: list[datetime | None], posts: list[datetime]) -> None:
    state = after(make_read_state(), *claims)

    assert state.posts == tuple(posts)
    assert state.changed_at == NOW


@cases(
    "claims, posts",
    case("as it claims", [NOW - HOUR], [NOW - HOUR]),
    case("as it claims, if it does", [NOW - HOUR, None, NOW + DAY], [NOW - HOUR]),
    case("at a time unknown", [None, None], []),
    case("at a time unknown, if all claim the same", [NOW - DAY, NOW - DAY], []),
    case("never", [], []),
)
def test_an_entry_of_the_first_reading_was_posted_as_it_claims_or_never(
    claims: list[datetime | None], posts: list[datetime]
) -> None:
    state = after(None, *claims)

    assert state.posts == tuple(posts)
    assert state.changed_at == (posts[-1] if posts else None)


def test_posts_are_added_to_those_that_are_known_each_moment_once() -> None:
    before = make_read_state(posts=(NOW - DAY, NOW - HOUR))

    state = after(before, NOW - HOUR, NOW - 2 * HOUR, NOW - MINUTE)

    assert state.posts == (NOW - DAY, NOW - 2 * HOUR, NOW - HOUR, NOW - MINUTE)


def test_only_the_last_posts_are_remembered() -> None:
    moments = tuple(NOW - n * HOUR for n in range(RECENT_POSTS + 9, -1, -1))

    state = after(make_read_state(posts=moments[:10]), *moments[10:])

    assert state.posts == moments[-RECENT_POSTS:]


def test_an_edit_is_news_but_no_post() -> None:
    reading = make_reading(make_draft(title="Edited"))

    state = attempt(make_read_state(), make_new(), reading)

    assert (state.posts, state.changed_at) == ((), NOW)


@cases(
    "before, body_hash",
    case("came for the first time", None, "bb"),
    case("is read anew by another parser", make_read_state(reader="0"), "aa"),
)
def test_a_body_that_is_read_first_is_no_noise(before: FeedState | None, body_hash: str) -> None:
    fetched = replace(make_new(), body_hash=body_hash)

    state = attempt(before, fetched, make_reading())

    assert state.health.noise == 0
