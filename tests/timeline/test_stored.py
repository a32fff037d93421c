"""Posts as they were decided, read a part at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from planet.model import Enclosure, NewEntry
from planet.store import Store
from planet.timeline.assemble import make_rules
from planet.timeline.edition import sources
from planet.timeline.posts import update_posts
from planet.timeline.stored import StoredTimeline
from tests.builders import NOW, make_draft
from tests.timeline.conftest import Planet
from tests.timelines import Listed


def episode(feed: str, age: int) -> NewEntry:
    """An entry from so many minutes ago; each third has nothing to play."""
    sound = Enclosure(url=f"https://{feed}.example/{age}.mp3")
    return make_draft(
        f"tag:{feed}.example,2026:{age}",
        published=NOW - age * timedelta(minutes=1),
        enclosures=(sound,) if age % 3 else (),
    )


@contextmanager
def opened(planet: Planet) -> Iterator[StoredTimeline]:
    """The posts of a planet as they are decided now."""
    config = planet.config()
    feeds = {feed.key: feed for feed in config.feeds}
    with Store.open(planet.state) as store:
        shown_as = sources(feeds.values(), store.states(), {})
        table, rules = store.posts(""), make_rules(config, feeds, shown_as)
        update_posts(table, rules, texts=lambda _: {}, now=NOW)
        yield StoredTimeline(table, shown_as, ())


def test_a_day_has_of_each_source_no_more_than_its_share_and_says_how_many_there_are(
    planet: Planet,
) -> None:
    planet.configure({"id": "one"}, {"id": "two"}, new_feed_entries="all")
    planet.lists("one", *(episode("one", age) for age in range(30)))
    planet.lists("two", *(episode("two", age) for age in (25, 27, 1500)))
    with opened(planet) as timeline:
        everything = tuple(timeline.posts())

        whole, cut = timeline.fair_share(60, 3), timeline.fair_share(4, 3)

    expected = Listed(everything)
    assert whole == expected.fair_share(60, 3)
    assert cut == expected.fair_share(4, 3)
    ids = [post.entry.id.partition("2026:")[2] for post in whole.posts]
    assert ids == ["0", "1", "2", "25", "27", "1500"]
    assert list(whole.rest.values()) == [27]


def test_what_several_sources_have_to_play_is_read_to_the_end_newest_first(planet: Planet) -> None:
    planet.configure({"id": "one"}, {"id": "two"})
    planet.lists("one", *(episode("one", age) for age in range(900)))
    planet.lists("two", *(episode("two", age) for age in (1, 500, 1000)))
    with opened(planet) as timeline:
        played = list(timeline.posts(sources=["one", "two"], playable=True))
        everything = list(timeline.posts())

    assert played == [post for post in everything if post.entry.enclosures]
    assert len(played) == 603
