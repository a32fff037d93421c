"""Feeds come into config.yaml and go out of it, and every other letter stays where it was."""

import json
import re

import pytest
import yaml

from planet.config.edits import add_items, number_feeds, remove_items
from planet.errors import ConfigError, Place
from tests.cases import case, cases

ONE, TWO = "https://one.example/feed", "https://two.example/feed?a=1&b=[2]"
NAMED = {"url": TWO, "name": "It's: two # 2", "tags": ["a", "b, c"]}


def block(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


@cases(
    "before, after",
    case(
        "lines",
        block("title: T", "feeds:", "  - a.xml"),
        block("title: T", "feeds:", "  - a.xml", f"  - {ONE}"),
    ),
    case(
        "lines without indentation",
        block("feeds:", "- a.xml  # mine", "", "# Ours", "title: T"),
        block("feeds:", "- a.xml  # mine", f"- {ONE}", "", "# Ours", "title: T"),
    ),
    case(
        "behind the comments of the last one",
        block(
            *("feeds:", "    -   url: a.xml", "        # about it"), *("    # - b.xml", "", "# end")
        ),
        block(
            *("feeds:", "    -   url: a.xml", "        # about it", f"    - {ONE}"),
            *("    # - b.xml", "", "# end"),
        ),
    ),
    case("CRLF", "feeds:\r\n  - a.xml\r\n", f"feeds:\r\n  - a.xml\r\n  - {ONE}\r\n"),
    case(
        "a last line without an end",
        "title: T\nfeeds:\n  - a.xml",
        f"title: T\nfeeds:\n  - a.xml\n  - {ONE}\n",
    ),
    case(
        "an empty list",
        block("feeds: []  # none", "title: T"),
        block("feeds:  # none", f"  - {ONE}", "title: T"),
    ),
    case("none", block("title: T", "# end"), block("title: T", "# end", "feeds:", f"  - {ONE}")),
    case("brackets", "feeds: [a.xml] # x\n", f'feeds: [a.xml, "{ONE}"] # x\n'),
    case("a comma at the end", "feeds: [a.xml, ]\n", f'feeds: [a.xml, "{ONE}", ]\n'),
    case(
        "lines in brackets",
        block("feeds: [", "  a.xml, # one", "  b.xml", "]"),
        block("feeds: [", "  a.xml, # one", "  b.xml,", f'  "{ONE}"', "]"),
    ),
    case(
        "lines in brackets that end with a comma",
        block("feeds: [", "  {url: a.xml},", "  ]"),
        block("feeds: [", "  {url: a.xml},", f'  "{ONE}",', "  ]"),
    ),
    case("JSON", '{"feeds": [], "title": "T"}', f'{{"feeds": ["{ONE}"], "title": "T"}}'),
    case("a mark before it", "\ufefffeeds:\n  - a.xml\n", f"\ufefffeeds:\n  - a.xml\n  - {ONE}\n"),
)
def test_a_feed_is_added_at_the_end_in_the_style_of_the_list(before: str, after: str) -> None:
    assert add_items(before, [ONE], file="config.yaml") == after
    if "a.xml" in before and before.endswith("\n"):
        last = len(yaml.safe_load(after)["feeds"]) - 1
        assert remove_items(after, [last], file="config.yaml") == before


def test_a_feed_with_settings_is_written_as_people_write_it() -> None:
    after = add_items("feeds:\n  - a.xml\n", [NAMED], file="config.yaml")

    assert after == block(
        *("feeds:", "  - a.xml", f"  - url: {TWO}", "    name: 'It''s: two # 2'", "    tags:"),
        *("      - a", "      - b, c"),
    )


@cases(
    "before, gone, after",
    case(
        "the last, with what is indented deeper",
        block("feeds:", "  # A", "  - a.xml  # mine", "  # B", "  - url: b.xml", "    # its own"),
        [1],
        block("feeds:", "  # A", "  - a.xml  # mine", "  # B"),
    ),
    case(
        "the first, without the comments around it",
        block("feeds:", "  # A", "  - a.xml  # mine", "", "  # B", "  - b.xml"),
        [0],
        block("feeds:", "  # A", "", "  # B", "  - b.xml"),
    ),
    case(
        "one below its dash",
        block("feeds:", "  - # here", "    url: a.xml", "  - >-", "    b.xml", "", "# end"),
        [0],
        block("feeds:", "  - >-", "    b.xml", "", "# end"),
    ),
    case(
        "all",
        block("feeds:  # all", "- a.xml", "- b.xml", "subscriptions: [c.opml]"),
        [0, 1],
        block("feeds: []  # all", "subscriptions: [c.opml]"),
    ),
    case("brackets", "feeds: [a.xml, b.xml, c.xml]\n", [1], "feeds: [a.xml, c.xml]\n"),
    case("the last ones", "feeds: [a.xml, b.xml, c.xml]\n", [1, 2], "feeds: [a.xml]\n"),
    case(
        "lines in brackets",
        block("feeds: [", "  a.xml, # one", "  b.xml,", "  c.xml", "]"),
        [2],
        block("feeds: [", "  a.xml, # one", "  b.xml", "]"),
    ),
    case(
        "JSON",
        block("{", '  "feeds": [', '    "a.xml",', '    "b.xml"', "  ]", "}"),
        [1],
        block("{", '  "feeds": [', '    "a.xml"', "  ]", "}"),
    ),
)
def test_a_feed_goes_with_its_own_lines(before: str, gone: list[int], after: str) -> None:
    assert remove_items(before, gone, file="config.yaml") == after


@cases(
    "text",
    case("an alias", "mine: &all [a.xml]\nfeeds: *all\n"),
    case("a list that another is", "feeds: &all\n  - a.xml\nmine: *all\n"),
    case("an empty list with an anchor", "feeds: &all []\n"),
    case("JSON without the list", '{"title": "T"}\n'),
    case("more than one document", "title: T\nfeeds:\n  - a.xml\n...\n---\n"),
    case("line ends of long ago", "feeds:\r  - a.xml\rtitle: T\r"),
    case("a comment behind the last in brackets", "feeds: [\n  a.xml # mine\n]\n"),
)
def test_a_list_that_cannot_be_added_to_is_left_with_the_lines_to_write(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        add_items(text, [ONE], file="config.yaml")

    assert re.search("by hand; write at its end:\n- |a second document", str(caught.value))


def test_a_feed_that_others_are_made_from_is_not_taken_out() -> None:
    text = "feeds:\n  - &one {url: a.xml, tags: [t]}\n  - {<<: *one, url: b.xml}\n"

    with pytest.raises(ConfigError, match="by hand"):
        remove_items(text, [0], file="config.yaml")
    assert (
        remove_items(text, [1], file="config.yaml")
        == text.splitlines(keepends=True)[0] + (text.splitlines(keepends=True)[1])
    )


@cases(
    "text",
    case("an alias", "mine: &all [a.xml]\nfeeds: *all\n"),
    case("written twice", "feeds: [a.xml]\nfeeds: [b.xml]\n"),
    case("behind a key on a line of its own", "? feeds\n:\n- a.xml\n"),
    case("a comment in brackets", "feeds: [\n  a.xml, # A\n  b.xml\n]\n"),
)
def test_a_list_that_cannot_be_taken_from_is_left(text: str) -> None:
    with pytest.raises(ConfigError, match="by hand"):
        remove_items(text, [0], file="config.yaml")


def test_feeds_are_known_by_their_places() -> None:
    text = "feeds:\n  - a.xml\n  - {name: B, url: 'https://b.example/${KEY}'}\n"

    assert number_feeds(text, file="config.yaml") == {
        Place(file="config.yaml", line=2, column=5): 0,
        Place(file="config.yaml", line=3, column=20): 1,
    }


def test_texts_of_others_do_not_break_out_of_their_place() -> None:
    hostile = 'x"\\ # y: [z]\u2028- {evil: true}'
    for text in ("feeds:\n  - a.xml\n", "feeds: [a.xml]\n", '{"feeds": ["a.xml"]}'):
        after = add_items(text, [{"url": ONE, "name": hostile}], file="config.yaml")

        assert yaml.safe_load(after)["feeds"][1] == {"url": ONE, "name": hostile}, json.dumps(after)
