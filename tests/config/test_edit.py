"""A new address goes exactly where the old one stood, or nowhere."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from planet.config.edits import Move, edited
from planet.errors import ConfigError, Problem
from tests.cases import case, cases
from tests.config.files import loaded

OLD, NEW = "https://old.example/feed", "https://new.example/feed"
QUERY = "https://new.example/?a=1&b=2"
COLON = "https://new.example/a:"
BRACKETS = "https://new.example/a,[b]"
QUOTE = "https://new.example/it's"


def moved(
    folder: Path, text: str, moves: Mapping[str, str], **environ: str
) -> tuple[str, tuple[Move, ...], tuple[Problem, ...]]:
    """What becomes of `text` when the feeds and lists at these addresses move."""
    config = loaded(folder, text, **environ)
    wanted = [
        Move(place=feed.place, old=feed.url, new=moves[feed.url])
        for feed in (*config.feeds, *config.subscriptions)
        if feed.url in moves and feed.place is not None
    ]
    return edited(text, wanted, file=str(folder / "config.yaml"))


def spelled(feed: str) -> str:
    """A config with one feed, or what else is put there, and much that must stay as it is."""
    return (
        "# Ours\r\n\r\ntitle:   'Ü: a planet'  # the title\n"
        "owner: {name: \"A\\x42\", url: &me 'https://me.example/'}\n"
        f"feeds:\n\n    # friends\n    {feed}\n"
        "    - {url: other.xml, name: https://old.example/feed}  # https://old.example/feed\n"
        "filters:\n    exclude:  [https://old.example/feed, ]\n"
    )


@cases(
    "before, new, after",
    case("plain", f"- {OLD}", NEW, f"- {NEW}"),
    case("before a comment", f"- {OLD} # {OLD}", NEW, f"- {NEW} # {OLD}"),
    case("between blanks", f"-   {OLD}   ", NEW, f"-   {NEW}   "),
    case("plain, with a query", f"- {OLD}", QUERY, f'- "{QUERY}"'),
    case("plain, with brackets", f"- {OLD}", BRACKETS, f'- "{BRACKETS}"'),
    case("plain, with a quote", f"- {OLD}", QUOTE, f"- {QUOTE}"),
    case("plain, with a colon at the end", f"- {OLD}", COLON, f'- "{COLON}"'),
    case("plain, in capitals", "- HTTPS://Old.example/feed", NEW, f"- {NEW}"),
    case("single quotes", f"- '{OLD}'", NEW, f"- '{NEW}'"),
    case("a quote in single quotes", f"- '{OLD}'", QUOTE, "- 'https://new.example/it''s'"),
    case("double quotes", f'- "{OLD}"', NEW, f'- "{NEW}"'),
    case("escapes", '- "https:\\/\\x2fold.example\\\n        /feed"', NEW, f'- "{NEW}"'),
    case("blanks inside quotes", f"- ' {OLD}  '", NEW, f"- '{NEW}'"),
    case(
        "in a mapping",
        f"- name: One\n      url:   {OLD}\n      tags: [a]",
        NEW,
        f"- name: One\n      url:   {NEW}\n      tags: [a]",
    ),
    case("in a mapping as in JSON", f'- {{"url":"{OLD}"}}', QUERY, f'- {{"url":"{QUERY}"}}'),
    case("in braces", f"- {{url: {OLD}}}", NEW, f"- {{url: {NEW}}}"),
    case(
        "in braces, with a query",
        f"- {{url: {OLD}, name: One}}",
        QUERY,
        f'- {{url: "{QUERY}", name: One}}',
    ),
    case(
        "in braces, before a comment",
        f"- {{name: One, url: {OLD} # here, or there\n\n      }}",
        BRACKETS,
        f'- {{name: One, url: "{BRACKETS}" # here, or there\n\n      }}',
    ),
    case(
        "before a comment with a bracket",
        f"- {OLD} # here, or there]",
        BRACKETS,
        f'- "{BRACKETS}" # here, or there]',
    ),
    case("an alias", "- *me", NEW, f"- {NEW}"),
    case("alias, braces", "- {url: *me, name: One}", QUERY, f'- {{url: "{QUERY}", name: One}}'),
    case(
        "merged in",
        f"- <<: {{url: {OLD}, name: One}}\n      tags: [a]",
        NEW,
        f"- <<: {{url: {NEW}, name: One}}\n      tags: [a]",
    ),
    case(
        "where another feed is merged from",
        f"- &one {{url: {OLD}, tags: [a]}}\n    - {{<<: *one, url: third.xml}}",
        NEW,
        f"- &one {{url: {NEW}, tags: [a]}}\n    - {{<<: *one, url: third.xml}}",
    ),
)
def test_an_address_is_written_as_the_one_before_it(
    tmp_path: Path, before: str, new: str, after: str
) -> None:
    said = "https://me.example/" if "*me" in before else OLD

    text, moves, problems = moved(tmp_path, spelled(before), {said: new})

    assert text == spelled(after)
    assert (len(moves), problems) == (1, ())
    urls = [feed.url for feed in loaded(tmp_path, text).feeds]
    assert (urls.count(new), said in urls) == (1, False)


@cases(
    "before, new, problem",
    case(
        "its address comes from the environment",
        '- {name: One, url: "https://old.example/${WHAT}"}',
        NEW,
        f"feeds[0].url has moved to {NEW}; change it by hand: it takes a part from the "
        'environment ("${…}")',
    ),
    case(
        "other settings use it, too",
        f"- {{url: &one {OLD}, link: *one}}",
        NEW,
        f"feeds[0].url has moved to {NEW}; change it by hand: it has an anchor, a tag, or "
        "lines of its own",
    ),
    case(
        "it has lines of its own",
        f"- >-\n        {OLD}",
        NEW,
        f"feeds[0] has moved to {NEW}; change it by hand: it has an anchor, a tag, or lines "
        "of its own",
    ),
)
def test_an_address_is_left_to_the_operator_when(
    tmp_path: Path, before: str, new: str, problem: str
) -> None:
    text = spelled(before)

    after, moves, problems = moved(tmp_path, text, {OLD: new}, WHAT="feed")

    assert (after, moves) == (text, ())
    assert [str(each).partition("  ")[2] for each in problems] == [problem]


def test_an_address_that_another_setting_gets_by_an_alias_is_left_to_the_operator(
    tmp_path: Path,
) -> None:
    text = f"title: A planet\nfeeds: [&one {{url: {OLD}, name: One}}]\nowner: *one\n"

    after, _, problems = moved(tmp_path, text, {OLD: NEW})

    assert after == text
    assert [str(problem).partition("  ")[2] for problem in problems] == [
        f"feeds[0].url has moved to {NEW}; change it by hand: other settings use what stands here, "
        "too"
    ]


@pytest.mark.parametrize("named", [OLD, f"[other.xml, {OLD}]"], ids=["alone", "among others"])
def test_an_address_by_which_an_edition_names_the_feed_is_left_to_the_operator(
    tmp_path: Path, named: str
) -> None:
    text = (
        f"title: A planet\nfeeds: [{OLD}, https://b.example/, other.xml]\n"
        f"editions:\n  all: {{}}\n  few: {{feeds: {named}}}\n"
    )

    _, moves, problems = moved(
        tmp_path, text, {OLD: NEW, "https://b.example/": "https://b.example/new"}
    )

    assert [move.new for move in moves] == ["https://b.example/new"]
    assert [str(problem).partition("  ")[2] for problem in problems] == [
        f"feeds[0] has moved to {NEW}; change it by hand, also in editions.few, which names it so"
    ]


def test_several_addresses_change_at_once_and_those_that_cannot_stay(tmp_path: Path) -> None:
    text = (
        "title: A planet\n"
        "subscriptions: [https://a.example/list, 'https://b.example/list']\n"
        "feeds: [https://c.example/, 'https://${D}/', https://e.example/, {url: https://f.example/}]\n"
    )
    new = {
        f"https://{name}.example/{end}": f"https://{name}.example/new?a"
        for name, end in (("b", "list"), ("c", ""), ("d", ""), ("e", ""), ("f", ""))
    }

    after, moves, problems = moved(tmp_path, text, new, D="d.example")

    assert after == (
        "title: A planet\n"
        "subscriptions: [https://a.example/list, 'https://b.example/new?a']\n"
        'feeds: ["https://c.example/new?a", \'https://${D}/\', "https://e.example/new?a", '
        '{url: "https://f.example/new?a"}]\n'
    )
    assert [move.old for move in moves] == [
        f"https://{x}" for x in ("b.example/list", "c.example/", "e.example/", "f.example/")
    ]
    assert [str(problem.place).rpartition("config.yaml")[2] for problem in problems] == [":3:29"]


@cases(
    "text",
    case("a byte order mark", f"\ufefftitle: A planet\nfeeds: ['{OLD}']\n"),
    case("lines that end in CR and LF", f"title: A planet\r\nfeeds:\r\n- {OLD}\r\n"),
    case("lines that end in CR", f"title: A planet\rfeeds:\r- {OLD}\r"),
    case("odd line ends, and none at last", f"title: A\u2028 planet\nfeeds:\n- {OLD}"),
    case("marks of a document", f"---\ntitle: A planet\nfeeds: [ {OLD} ]\n...\n"),
    case("wide letters", f"title: 世界 🪐\nfeeds: [{{name: 🪐, url: {OLD}}}]\n"),
)
def test_what_stands_around_an_address_stays_as_it_is(tmp_path: Path, text: str) -> None:
    assert moved(tmp_path, text, {OLD: NEW})[0] == text.replace(OLD, NEW)


def test_nothing_to_move_changes_nothing() -> None:
    text = "title: A planet\nfeeds: [a.xml]\n"

    assert edited(text, [], file="config.yaml") == (text, (), ())


def test_what_is_no_yaml_is_not_edited() -> None:
    with pytest.raises(ConfigError, match="this is not YAML"):
        edited("feeds: [", [], file="config.yaml")
