"""A new address goes exactly where the old one stood, or nowhere."""

from pathlib import Path

from planet.config.edits import NotEditableError, change_address
from planet.picks.picks_file import replace_feeds
from tests.cases import case, cases
from tests.config.files import loaded

OLD, NEW = "https://old.example/feed", "https://new.example/feed"
QUERY = "https://new.example/?a=1&b=2"
COLON = "https://new.example/a:"
BRACKETS = "https://new.example/a,[b]"
QUOTE = "https://new.example/it's"


def moved(folder: Path, text: str, old: str, new: str, **environ: str) -> str:
    """What becomes of a config when the feed or list at an address moves; or why nothing does."""
    config = loaded(folder, text, **environ)
    place = next(
        feed.place
        for feed in (*config.feeds, *config.subscriptions)
        if feed.url == old and feed.place
    )
    try:
        return change_address(text, place, new, file=str(folder / "config.yaml"))
    except NotEditableError as left:
        return str(left)


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
    old = "https://me.example/" if "*me" in before else OLD

    text = moved(tmp_path, spelled(before), old, new)

    assert text == spelled(after)
    urls = [feed.url for feed in loaded(tmp_path, text).feeds]
    assert (urls.count(new), old in urls) == (1, False)


@cases(
    "text, reason",
    case(
        "its address comes from the environment",
        spelled('- {name: One, url: "https://old.example/${WHAT}"}'),
        '; change it by hand: it takes a part from the environment ("${…}")',
    ),
    case(
        "other settings use it, too",
        spelled(f"- {{url: &one {OLD}, link: *one}}"),
        "; change it by hand: it has an anchor, a tag, or lines of its own",
    ),
    case(
        "it has lines of its own",
        spelled(f"- >-\n        {OLD}"),
        "; change it by hand: it has an anchor, a tag, or lines of its own",
    ),
    case(
        "another setting gets it by an alias",
        f"title: A planet\nfeeds: [&one {{url: {OLD}, name: One}}]\nowner: *one\n",
        "; change it by hand: other settings use what stands here, too",
    ),
    case(
        "an edition names it",
        f"title: T\nfeeds: [{OLD}, a.xml]\neditions: {{all: {{}}, few: {{feeds: {OLD}}}}}\n",
        "; change it by hand, also in editions.few, which names it so",
    ),
    case(
        "an edition names it among others",
        f"title: T\nfeeds: [{OLD}]\neditions: {{all: {{}}, few: {{feeds: [{OLD}]}}}}\n",
        "; change it by hand, also in editions.few, which names it so",
    ),
)
def test_an_address_that_is_not_plainly_written_is_left_to_the_operator(
    tmp_path: Path, text: str, reason: str
) -> None:
    assert moved(tmp_path, text, OLD, NEW, WHAT="feed") == reason


@cases(
    "text",
    case("a byte order mark", f"\ufefftitle: A planet\nfeeds: ['{OLD}']\n"),
    case("lines that end in CR and LF", f"title: A planet\r\nfeeds:\r\n- {OLD}\r\n"),
    case("lines that end in CR", f"title: A planet\rfeeds:\r- {OLD}\r"),
    case("odd line ends, and none at last", f"title: A\u2028 planet\nfeeds:\n- {OLD}"),
    case("marks of a document", f"---\ntitle: A planet\nfeeds: [ {OLD} ]\n...\n"),
    case("wide letters", f"title: 世界 🪐\nfeeds: [{{name: 🪐, url: {OLD}}}]\n"),
    case("a list of feeds", f"title: A planet\nfeeds: [a.xml]\nsubscriptions: ['{OLD}']\n"),
)
def test_what_stands_around_an_address_stays_as_it_is(tmp_path: Path, text: str) -> None:
    assert moved(tmp_path, text, OLD, NEW) == text.replace(OLD, NEW)


PICK = "title: One, picked: 2026-11-22, enclosure: https://one.example/1.mp3"


@cases(
    "before, after",
    case(
        "on lines",
        f"picks:  # ours\n  - feed: {OLD}  # once\n    {PICK}\n".replace(", ", "\n    "),
        f'picks:  # ours\n  - feed: "{QUERY}"  # once\n    {PICK}\n'.replace(", ", "\n    "),
    ),
    case(
        "in brackets",
        f"picks: [{{{PICK}, feed: '{OLD}', id: a}}, {{{PICK}, feed: {OLD}, id: b}}]\n",
        f"picks: [{{{PICK}, feed: '{QUERY}', id: a}}, {{{PICK}, feed: \"{QUERY}\", id: b}}]\n",
    ),
    case("of another feed", *[f"picks:\n  - {{{PICK}, feed: https://another.example/feed}}\n"] * 2),
    case("that name no feed", *[f"picks:\n  - {{{PICK}}}\n"] * 2),
)
def test_picks_follow_their_feed_to_its_new_address(before: str, after: str) -> None:
    moves = {OLD: QUERY, "https://one.example/1.mp3": QUERY}

    assert replace_feeds(before, moves, file="picks.yaml") == after
