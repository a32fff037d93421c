"""Picking an episode from a page: buttons in a preview, links on a published site."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from msgspec.structs import replace

from planet.model import Edition, Entry, Pages, Picking, PickList, Podcast, handle
from planet.site.pages.frame import TOKEN
from tests.cases import case, cases
from tests.site.editions import (
    drawn,
    hours_before,
    make_audio,
    make_edition,
    make_picked,
    make_post,
    make_source,
)
from tests.site.html import Document

SHOW = make_source("show")
PICKED = make_picked(1, SHOW)
PAGE = "source/show/index.html"


def make_episode(number: int, **changes: Any) -> Entry:
    changes.setdefault("enclosures", (make_audio(number),))
    return make_post(number, SHOW, title=f"Episode {number}", **changes).entry


def make_show(**changes: Any) -> Edition:
    """An edition with a show of which one episode is picked, and two may be."""
    episodes = {"show": (make_episode(9), make_episode(8))}
    changes = {"repository": "https://code.example/planet", "episodes": episodes, **changes}
    return make_edition(PICKED, sources=[SHOW], **changes)


def shown(edition: Edition, picking: Picking, path: str = PAGE) -> Document:
    return Document(drawn(edition, pages=Pages(picking=picking))[path])


def buttons(page: Document) -> list[str]:
    return [*page.texts("button"), *page.texts("a", class_="button")]


@cases(
    "picking, heading, expected",
    case("none", Picking.NONE, "Episodes to pick", []),
    case("link", Picking.LINK, "Episodes to pick", ["Pick Episode 9", "Pick Episode 8"]),
    case(
        "form",
        Picking.FORM,
        "Episodes to pick",
        ["Take out of Planet Example Post -1", "Pick Episode 9", "Pick Episode 8"],
    ),
)
def test_a_show_has_its_picks_first_and_then_what_may_be_picked(
    picking: Picking, heading: str, expected: list[str]
) -> None:
    page = shown(make_show(), picking)

    assert page.texts("h2", "h3") == ["Newest posts", "Post -1", heading, "Episode 9", "Episode 8"]
    assert len(page.all("audio")) == 3
    assert buttons(page) == expected


@cases(
    "episodes, headings, said",
    case("with episodes", (make_episode(9),), ["Episodes to pick"], False),
    case("with nothing at all", (), ["Newest posts"], True),
)
def test_a_show_of_which_nothing_is_picked_shows_its_episodes(
    episodes: tuple[Entry, ...], headings: list[str], said: bool
) -> None:
    edition = make_edition(sources=[SHOW], episodes={"show": episodes})

    page = shown(edition, Picking.NONE)

    assert page.texts("h2") == headings
    assert ("There are no posts yet." in page.texts("p")) is said


def test_an_episode_that_is_shown_as_a_post_is_not_shown_again() -> None:
    again = replace(make_episode(7), id=PICKED.entry.id)

    page = shown(make_show(episodes={"show": (again, make_episode(8))}), Picking.FORM)

    assert page.texts("h3") == ["Post -1", "Episode 8"]


def test_an_episode_is_dated_by_its_show_but_not_in_the_future() -> None:
    old = make_episode(8, when=hours_before(48))
    early = replace(make_episode(9), dated=hours_before(-999))

    page = shown(make_edition(sources=[SHOW], episodes={"show": (early, old)}), Picking.NONE)

    assert page.texts("p", class_="from") == ["20 November 2026", "18 November 2026"]


def test_a_form_says_which_episode_and_that_it_is_ours() -> None:
    page = shown(make_show(), Picking.FORM)

    forms = [(form["method"], form["action"]) for form in page.all("form")]
    fields = [(field["name"], field["value"]) for field in page.all("input", type="hidden")]
    assert forms == [("post", "../../-/unpick"), ("post", "../../-/pick"), ("post", "../../-/pick")]
    assert fields == [
        (name, value)
        for episode in (PICKED.entry.id, "tag:9", "tag:8")
        for name, value in [("token", TOKEN), ("episode", handle("show", episode)), ("list", "")]
    ]
    assert [field["name"] for field in page.all("input") if "type" not in field.attributes] == [
        "note",
        "note",
    ]


def test_with_lists_there_is_a_choice_of_those_an_episode_is_not_on() -> None:
    entry = make_episode(9)
    on_long = replace(make_picked(9, SHOW, name="long"), entry=entry)
    lists = (
        PickList(name="long", podcast=Podcast(title="Long ones"), posts=(on_long,)),
        PickList(name="short", podcast=Podcast()),
    )

    page = shown(make_show(lists=lists, episodes={"show": (entry,)}), Picking.FORM)

    assert buttons(page) == [
        "Take out of Planet Example Post -1",
        "Pick Post -1",
        "Take out of Long ones Episode 9",
        "Pick Episode 9",
    ]
    choices = [(option["value"], option.text) for option in page.all("option")]
    assert choices == [
        ("long", "Long ones"),
        ("short", "short"),
        ("", "Planet Example"),
        ("short", "short"),
    ]
    taken_out_of = [
        field["value"] for field in page.all("input", name="list") if field["type"] == "hidden"
    ]
    assert taken_out_of == ["", "long"]


def test_in_a_preview_whatever_can_be_played_can_be_picked_from_any_source() -> None:
    edition = make_edition(
        make_post(1, SHOW, enclosures=(make_audio(),)), make_post(2, SHOW, when=hours_before(1))
    )

    assert buttons(shown(edition, Picking.FORM)) == ["Pick Post 1"]
    assert buttons(shown(edition, Picking.FORM, "podcast/index.html")) == ["Pick Post 1"]
    assert buttons(shown(edition, Picking.FORM, "index.html")) == []
    assert buttons(shown(edition, Picking.LINK)) == []


def test_in_a_preview_an_episode_can_be_taken_off_a_list_on_its_page() -> None:
    posts = (make_picked(4, SHOW, name="long"),)
    lists = (PickList(name="long", podcast=Podcast(), posts=posts),)

    page = shown(make_show(lists=lists), Picking.FORM, "lists/long/index.html")

    assert buttons(page) == ["Take out of long Post -4", "Pick Post -4"]


def test_a_link_opens_a_form_in_the_repository_that_is_filled_in() -> None:
    episode = replace(make_episode(9), title="Tea & toast? 100% “yes” #1")
    edition = make_show(
        episodes={"show": (episode,)}, repository="https://code.example/you/planet/"
    )

    (link,) = shown(edition, Picking.LINK).all("a", class_="button")

    address = urlsplit(link["href"])
    assert address[:3] == ("https", "code.example", "/you/planet/issues/new")
    assert address.fragment == ""
    assert parse_qs(address.query) == {
        "template": ["pick.yml"],
        "title": ["Pick: Tea & toast? 100% “yes” #1"],
        "episode": [handle("show", "tag:9")],
    }


def test_an_episode_on_any_list_is_not_offered_to_readers() -> None:
    entry = make_episode(9)
    on_long = replace(make_picked(9, SHOW, name="long"), entry=entry)
    lists = (PickList(name="long", podcast=Podcast(), posts=(on_long,)),)

    page = shown(make_show(lists=lists), Picking.LINK)

    assert buttons(page) == ["Pick Episode 8"]


def test_nothing_can_be_picked_that_cannot_be_played() -> None:
    edition = make_show(episodes={"show": (make_episode(9, enclosures=()),)})

    assert buttons(shown(edition, Picking.LINK)) == []


@cases("repository", case("none", None), case("no web address", "git@code.example:planet"))
def test_without_a_repository_there_is_nowhere_to_link_to(repository: str | None) -> None:
    page = shown(make_show(repository=repository), Picking.LINK)

    assert buttons(page) == []
    assert "Episodes to pick" in page.texts("h2")
