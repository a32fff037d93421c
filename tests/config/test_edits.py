"""Feeds come into config.yaml and go out of it, and every other letter stays where it was."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from planet.config.edits import add_items, remove_items, replace_texts
from planet.errors import ConfigError
from planet.picks import replace_feeds
from tests.cases import case, cases
from tests.hostile import calm, texts

ONE, TWO = "https://one.example/feed", "https://two.example/feed?a=1&b=[2]"


@cases(
    "before, after",
    case("lines", "title: T\nfeeds:\n  - a.xml\n", f"title: T\nfeeds:\n  - a.xml\n  - {ONE}\n"),
    case(
        "lines without indentation",
        "feeds:\n- a.xml  # mine\n\n# Ours\ntitle: T\n",
        f"feeds:\n- a.xml  # mine\n- {ONE}\n\n# Ours\ntitle: T\n",
    ),
    case(
        "behind the comments of the last one",
        "feeds:\n    -   url: a.xml\n        # about it\n    # - b.xml\n\n# end\n",
        f"feeds:\n    -   url: a.xml\n        # about it\n    - {ONE}\n    # - b.xml\n\n# end\n",
    ),
    case("CRLF", "feeds:\r\n  - a.xml\r\n", f"feeds:\r\n  - a.xml\r\n  - {ONE}\r\n"),
    case("no end at last", "feeds:\n  - a.xml", f"feeds:\n  - a.xml\n  - {ONE}\n"),
    case("empty", "feeds: []  # none\ntitle: T\n", f"feeds:  # none\n  - {ONE}\ntitle: T\n"),
    case("nothing", "feeds:\ntitle: T\n", f"feeds:\n  - {ONE}\ntitle: T\n"),
    case("a mark", "\ufefffeeds:\n  - a.xml\n", f"\ufefffeeds:\n  - a.xml\n  - {ONE}\n"),
)
def test_a_feed_is_added_at_the_end_of_the_list(before: str, after: str) -> None:
    assert add_items(before, [ONE], file="config.yaml") == after
    if "- a.xml" in before and before.endswith("\n"):
        assert remove_items(after, [1], file="config.yaml") == before


@cases(
    "before, gone, after",
    case(
        "the last, with what is indented deeper",
        "feeds:\n  # A\n  - a.xml  # mine\n  # B\n  - url: b.xml\n    # its own\n",
        [1],
        "feeds:\n  # A\n  - a.xml  # mine\n  # B\n",
    ),
    case(
        "the first, without the comments around it",
        "feeds:\n  # A\n  - a.xml  # mine\n\n  # B\n  - b.xml\n",
        [0],
        "feeds:\n  # A\n\n  # B\n  - b.xml\n",
    ),
    case(
        "one below its dash",
        "feeds:\n  - # here\n    url: a.xml\n  - >-\n    b.xml\n\n# end\n",
        [0],
        "feeds:\n  - >-\n    b.xml\n\n# end\n",
    ),
    case(
        "all",
        "feeds:  # all\n- a.xml\n- b.xml\nsubscriptions: [c.opml]\n",
        [0, 1],
        "feeds: []  # all\nsubscriptions: [c.opml]\n",
    ),
)
def test_a_feed_goes_with_its_own_lines(before: str, gone: list[int], after: str) -> None:
    assert remove_items(before, gone, file="config.yaml") == after


@cases(
    "text",
    case("brackets", "feeds: [a.xml]\n"),
    case("one without a list", "feeds: a.xml\n"),
    case("an alias", "mine: &all [a.xml]\nfeeds: *all\n"),
    case("a list that another is", "feeds: &all\n  - a.xml\nmine: *all\n"),
    case("written twice", "feeds:\n  - a.xml\nfeeds:\n  - b.xml\n"),
)
def test_a_list_that_cannot_be_changed_is_left_with_the_lines_to_write(text: str) -> None:
    with pytest.raises(
        ConfigError, match=r"by hand; make its items lines with dashes, and add:\n- "
    ):
        add_items(text, [ONE], file="config.yaml")
    if "xml" in text:
        with pytest.raises(ConfigError, match="by hand"):
            remove_items(text, [0], file="config.yaml")


@cases(
    "before, after",
    case("plain", f"- {ONE} # {ONE}", f"- https://new.example/feed # {ONE}"),
    case("quoted", f"- '{ONE}'", "- 'https://new.example/feed'"),
    case(
        "in a mapping",
        f"- {{url: '{ONE}', name: A}}",
        "- {url: 'https://new.example/feed', name: A}",
    ),
)
def test_a_new_address_goes_exactly_where_the_old_one_stood(before: str, after: str) -> None:
    text = "title: {0}\nfeeds:\n  {1}\nfilters: {{exclude: {0}}}\n"
    path = ("feeds", 0, "url") if "url" in before else ("feeds", 0)

    changed = replace_texts(
        text.format(ONE, before), {path: "https://new.example/feed"}, file="config.yaml"
    )

    assert changed == text.format(ONE, after)


@cases(
    "text",
    case("other values use it", f"feeds:\n  - &a {ONE}\nlink: *a\n"),
    case("it would need quotes", f"feeds: [{ONE}]\n"),
)
def test_an_address_that_cannot_be_replaced_is_left_to_the_operator(text: str) -> None:
    with pytest.raises(ConfigError, match="by hand"):
        replace_texts(text, {("feeds", 0): TWO}, file="f")


def test_picks_follow_their_feed_to_its_new_address() -> None:
    pick = "title: One\n    picked: 2026-11-22\n    enclosure: https://one.example/1.mp3\n"
    text = f"picks:  # ours\n  - feed: {ONE}  # once\n    {pick}"

    after = replace_feeds(text, {ONE: TWO}, file="picks.yaml")

    assert after == text.replace(ONE, TWO)


ITEMS = st.lists(
    st.fixed_dictionaries(
        {"url": st.sampled_from([ONE, TWO, "https://x.example/a:"])},
        optional={
            "name": texts.map(lambda text: " ".join(text.split())).filter(str.isprintable),
            "tags": st.lists(st.sampled_from(["no", "a, b", "12:30", "- x", "null"]), min_size=1),
        },
    )
    | st.just(ONE),
    min_size=1,
    max_size=3,
)


@calm
@given(st.sampled_from(["", "  ", "    "]), st.sampled_from(["\n", "\r\n"]), ITEMS)
def test_what_is_added_can_be_taken_out_again_and_nothing_was_changed(
    indentation: str, end: str, new: list[object]
) -> None:
    lines = ["# head", "feeds: # all", f"{indentation}- url: a.xml  # 'it", "", "owner: {name: x}"]
    text = end.join([*lines, "# end", ""])

    after = add_items(text, new, file="config.yaml")  # type: ignore[arg-type]

    assert yaml.safe_load(after)["feeds"] == [{"url": "a.xml"}, *new]
    assert remove_items(after, range(1, len(new) + 1), file="config.yaml") == text


def test_texts_of_others_do_not_break_out_of_their_place() -> None:
    hostile = 'x"\\ # y: [z]\u2028- {evil: true}'

    after = add_items("feeds:\n  - a.xml\n", [{"url": ONE, "name": hostile}], file="config.yaml")

    assert yaml.safe_load(after)["feeds"][1] == {"url": ONE, "name": hostile}
