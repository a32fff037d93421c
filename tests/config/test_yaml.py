"""Text → values: every way in which a file can fail to be YAML, and what YAML can do."""

import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from planet.config import yaml as door
from tests.cases import case, cases
from tests.config.files import complaints, loaded

EMPTY = '1:1  the file is empty; it needs "title" and "feeds" (`planet init` writes an example)'
NO_ANCHOR = 'ends before this place; put a text that begins with "*" into quotes'
NOT_A_MAPPING = (
    '1:1  the file must be a mapping of settings, each on a line such as "title: My planet"'
)


@cases(
    "text, said",
    case("nothing", "", EMPTY),
    case("a comment", "# title: A planet\n", EMPTY),
    case("null", "~\n", EMPTY),
    case("a list", "- f.xml\n", '1:1  a list needs a name above it, such as "feeds:"'),
    case("text", "https://example.org/\n", NOT_A_MAPPING),
    case(
        "a tab",
        "fetch:\n\ttimeout: 3s\n",
        "2:1  this is not YAML: lines are indented with blanks, not with tabs",
    ),
    case(
        "a colon in text",
        "title: Planet: the site\n",
        "1:14  this is not YAML: put a text with a colon and a blank in it into quotes",
    ),
    case(
        "an at sign",
        "title: @planet\n",
        "1:8  this is not YAML: put a text that begins with @ into quotes",
    ),
    case(
        "a variable inside braces",
        "feeds: [{url: ${ADDRESS}}]\n",
        '1:16  this is not YAML: inside [] and {}, put "${…}" into quotes',
    ),
    case(
        "an open bracket",
        "feeds: [",
        "2:1  this is not YAML: while parsing a flow node did not find expected node content",
    ),
    case(
        "an open quote",
        "title: 'Planet\n",
        "1:8  this is not YAML: no quotation mark ends the text that begins here",
    ),
    case(
        "a dash without a blank",
        "feeds:\n  - a.xml\n  -b.xml\ntitle: x\n",
        '3:3  this is not YAML: a line is a name with ":", or begins with a dash and a blank',
    ),
    case(
        "another indentation",
        "feeds:\n  - url: a.xml\n   name: A\n",
        "3:4  this is not YAML: while parsing a block collection did not find expected "
        "'-' indicator; is this line indented like those it belongs to?",
    ),
    case(
        "two documents",
        "title: a\n---\ntitle: b\n",
        "2:1  a second document begins here; a config is one",
    ),
    case("alias", "title: *name\n", f"1:8  no anchor &name {NO_ANCHOR}"),
    case("a circle", "feeds: &all [*all]\n", f"1:14  no anchor &all {NO_ANCHOR}"),
    case("list as key", "? [a]\n: b\n", "1:3  a name of a setting is expected here"),
    case(
        "Latin-1",
        b"title: Caf\xe9\n",
        "1:11  this is not UTF-8; save the file in the encoding UTF-8",
    ),
    case("a bell", "title: A\nlink: \x07\n", "2:7  the character U+0007 is not allowed in YAML"),
    case("deep brackets", "[" * 900, "1:22  this is nested more than 20 levels deep"),
    case("deep list", "- " * 10_000, "1:43  this is nested more than 20 levels deep"),
)
def test_text_that_cannot_be_read_is_one_problem(
    tmp_path: Path, text: str | bytes, said: str
) -> None:
    found = complaints(tmp_path, text)

    assert found == [said]


def test_brackets_past_any_limit_are_told_as_nested_too_deep(tmp_path: Path) -> None:
    (found,) = complaints(tmp_path, "[" * 100_000)

    # Where the limit of libyaml is met, which no version of it had to have, the place is another.
    assert found.endswith("  this is nested more than 20 levels deep")


def test_what_was_wrong_before_the_text_broke_is_told_as_well(tmp_path: Path) -> None:
    found = complaints(tmp_path, "title: a\ntitle: b\nlink: [\n")

    assert found == [
        '2:1  "title" stands here again, after line 1',
        "4:1  this is not YAML: while parsing a flow node did not find expected node content",
    ]


@cases(
    "line, said",
    case("a key again", "title: b", '3:1  "title" stands here again, after line 1'),
    case("a tag of another program", "link: !secret x", "3:7  link cannot have the tag !secret"),
    case(
        "a tag that makes no mapping",
        "owner: !!set {name}",
        "3:8  owner cannot have the tag tag:yaml.org,2002:set",
    ),
    case("no number", "priority: !!int ten", "3:11  priority is not a number that can be read"),
    case(
        "5,000 digits", f"priority: {'9' * 5000}", "3:11  priority is not a number that can be read"
    ),
    case("no truth", "priority: !!bool maybe", "3:11  priority is neither true nor false"),
    case("a merge", "<<: [a]", '3:6  "<<" takes a mapping, or a list of mappings'),
)
def test_a_value_that_yaml_has_no_sense_for_is_told_with_its_place(
    tmp_path: Path, line: str, said: str
) -> None:
    found = complaints(tmp_path, f"title: a\nfeeds: [f.xml]\n{line}\n")

    assert said in found


def test_aliases_and_merges_save_writing(tmp_path: Path) -> None:
    config = loaded(
        tmp_path,
        """\
title: &name A planet
description: *name
feeds:
  - url: a.xml
    filters: &few {recent: 3, random: 2}
  - {url: b.xml, filters: *few}
  - url: c.xml
    filters:
      <<: [{random: 9}, *few]
      recent: 5
""",
    )

    assert config.description == "A planet"
    assert [(feed.filters.recent, feed.filters.random) for feed in config.feeds] == [
        (3, 2),
        (3, 2),
        (5, 9),
    ]


def test_an_alias_stands_at_its_own_place(tmp_path: Path) -> None:
    found = complaints(tmp_path, "title: A\nlink: &x nowhere\nfeeds: [f.xml]\nowner:\n  url: *x\n")

    assert [said.split()[0] for said in found] == ["2:7", "5:8"]


def test_a_quoted_merge_sign_is_a_name_like_others(tmp_path: Path) -> None:
    found = complaints(tmp_path, "title: A\nfeeds: [f.xml]\n'<<': {link: x}\n")

    assert found == ['3:1  there is no setting "<<"']


def test_a_bomb_of_aliases_is_small_and_quick(tmp_path: Path) -> None:
    levels = [f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 10)}]" for n in range(1, 30)]
    started = time.process_time()

    found = complaints(tmp_path, "\n".join(["title: A", "x0: &x0 [a]", *levels]))

    assert found == ["8:5  with its aliases this is over 1,000,000 values"]
    assert time.process_time() - started < 1


def test_a_date_without_quotes_is_text(tmp_path: Path) -> None:
    config = loaded(tmp_path, "title: 2026-11-21\nfeeds: [f.xml]\n")

    assert config.title == "2026-11-21"


def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path) -> None:
    config = loaded(tmp_path, b"\xef\xbb\xbftitle: A planet\nfeeds: [f.xml]\n")

    assert config.title == "A planet"


def test_the_parser_in_python_reads_the_same() -> None:
    text = b"title: 'A'\nfeeds: [a, {url: no, tags: &t [1, ~]}, {<<: {name: *t}}]\ntitle: 12:30\n"
    fast = door.read(text, file="config.yaml", expand=str)

    slow = door.read(text, file="config.yaml", expand=str, loader=yaml.SafeLoader)

    assert slow == fast


@pytest.mark.parametrize("loader", [yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)])
@cases(
    "trail, stretch",
    case("text with an anchor", ("title",), "&t 'It''s 🪐'"),
    case("an alias", ("link",), "*t"),
    case("text on two lines", ("about",), "a b\n  c"),
    case("a list in lines", ("feeds",), "- a.xml  # one\n- url: [b]\n  name: c"),
    case("a mapping in lines", ("feeds", 1), "url: [b]\n  name: c"),
    case("a list in brackets", ("feeds", 1, "url"), "[b]"),
    case("a mapping in braces", ("owner",), '{name: "d", }'),
    case("lines as they are", ("note",), "|\n  # d\n\n"),
)
def test_a_value_knows_where_it_stands(
    trail: tuple[str | int, ...], stretch: str, loader: type[Any]
) -> None:
    text = (
        "title: &t 'It''s 🪐'  # a\nlink: *t\nabout: a b\n  c  # d\n"
        "feeds:  # all\n- a.xml  # one\n- url: [b]\n  name: c  # two\n# end\n"
        'owner: {name: "d", }  # e\nnote: |\n  # d\n\n# end\n'
    )

    document = door.read(f"\ufeff{text}".encode(), file="", expand=str, loader=loader)

    node = document.node(trail)
    assert text[node.start : node.end] == stretch
