"""Text → values: every way in which a file can fail to be YAML, and what YAML can do."""

import time
from pathlib import Path

from planet.config import yaml as door
from tests.cases import case, cases
from tests.config.files import complaints, loaded

NO_SETTINGS = (
    '1:1  this must be settings, each on a line such as "title: My planet"; '
    "`planet init` writes an example"
)
COLON = (
    'put a blank after the ":" of a name, here or in the line above, and a text with both into '
    'quotes; an address with settings below it is written "- url: https://…"'
)
ANCHOR = 'this is not YAML: put a text that begins with @ ` % * & or "${" into quotes'


@cases(
    "text, said",
    case("nothing", "", NO_SETTINGS),
    case("a list", "- f.xml\n", NO_SETTINGS),
    case(
        "a tab",
        "fetch:\n\ttimeout: 3s\n",
        "2:1  this is not YAML: lines are indented with blanks, not with tabs",
    ),
    case(
        "a colon in text",
        "title: Planet: the site\n",
        f"1:14  this is not YAML: {COLON}",
    ),
    case("an at sign", "title: @planet\n", f"1:8  {ANCHOR}"),
    case(
        "a variable inside braces",
        "feeds: [{url: ${ADDRESS}}]\n",
        f"1:16  {ANCHOR}",
    ),
    case(
        "an open bracket",
        "feeds: [f.xml\ntitle: T\n",
        '2:6  this is not YAML: a "[" or "{", here or above, is not ended by its "]" or "}"',
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
        "2:1  this is not YAML: a second document begins here; a config is one",
    ),
    case("a circle", "feeds: &all [*all]\n", "1:1  this is nested too deeply"),
    case(
        "a control character", "title: a\x07b\n", "1:9  the character U+0007 is not allowed in YAML"
    ),
    case(
        "another encoding",
        b"title: caf\xe9\n",
        "1:11  this is not UTF-8; save the file in the encoding UTF-8",
    ),
)
def test_text_that_cannot_be_read_is_one_problem(
    tmp_path: Path, text: str | bytes, said: str
) -> None:
    assert complaints(tmp_path, text) == [said]


def test_every_scalar_is_text_and_what_is_empty_is_not_set() -> None:
    text = "a: no\nb: 12:30\nc: 010\nd: '20'\ne:\nf: ~\ng: ''\nh: [1, , x]\ni: !secret x\n"

    data = door.read(text.replace(" , ", " ~, "), file="config.yaml").data

    assert data == {
        "a": "no",
        "b": "12:30",
        "c": "010",
        "d": "20",
        "g": "",
        "i": "x",
        "h": ["1", None, "x"],
    }


def test_settings_can_be_named_and_used_again(tmp_path: Path) -> None:
    text = "title: T\nfeeds:\n  - {url: a.xml, tags: &tags [a, b]}\n  - {url: b.xml, tags: *tags}\n"

    config = loaded(tmp_path, text)

    assert [feed.tags for feed in config.feeds] == [("a", "b"), ("a", "b")]


def test_a_name_that_comes_twice_is_told_and_the_first_counts(tmp_path: Path) -> None:
    text = "title: A\nfeeds: [a.xml]\ntitle: B\n"

    assert complaints(tmp_path, text) == [
        '3:1  "title" stands here again, after line 1',
    ]


@cases(
    "text",
    case("brackets", "feeds: " + "[" * 5000 + "]" * 5000),
    case("lines", "feeds:\n" + "".join(" " * depth + "-\n" for depth in range(3000))),
    case(
        "aliases",
        "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)),
    ),
)
def test_a_small_file_cannot_become_large_or_slow(tmp_path: Path, text: str) -> None:
    began = time.process_time()

    (said,) = complaints(tmp_path, f"title: A\n{text}")

    assert "nested too deeply" in said or "over 400,000 values" in said
    assert time.process_time() - began < 10
