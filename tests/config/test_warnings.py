"""Settings that can be used, but are probably not meant: `planet check` tells of them."""

from pathlib import Path

import pytest

from tests.cases import case, cases
from tests.config.files import loaded


def warned(folder: Path, text: str, **environ: str) -> list[str]:
    """What is told of a config that can be used, each as "line:column  message"."""
    config = loaded(folder, text, **environ)
    return [str(warning).replace(f"{config.path}:", "") for warning in config.warnings]


SHELL = (
    'has a "$" before a name, which is taken as it is written; to take it from the environment, '
    'write "${NAME}"'
)


@cases(
    "feed, label",
    case("password", "auth: {user: ann, password: $PASSWORD}", "4:33  feeds[0].auth.password"),
    case("header", "headers: {X-Key: Bearer $KEY}", "4:22  feeds[0].headers.X-Key"),
    case("program", "transform: [./run, $HOME]", "4:24  feeds[0].transform[1]"),
)
def test_a_variable_as_shells_have_it_is_told_and_not_repeated(
    tmp_path: Path, feed: str, label: str
) -> None:
    program = tmp_path / "run"
    program.touch(mode=0o755)

    assert warned(tmp_path, f"title: T\nfeeds:\n  - url: https://one.example/f\n    {feed}\n") == [
        f"{label} {SHELL}"
    ]


def test_a_variable_in_an_address_or_a_path_is_told(tmp_path: Path) -> None:
    text = "title: T\noutput: $HOME/site\nfeeds:\n  - https://one.example/f?a=$KEY\n"

    assert warned(tmp_path, text) == [f"2:9  output {SHELL}", f"4:5  feeds[0] {SHELL}"]


@cases(
    "text",
    case("of a price", "title: $5 for $NAME\nfeeds: [f.xml]\n"),
    case("within a password", "title: T\nfeeds: [{url: 'http://a.example/', auth: {user: a, "
         "password: 'a$B'}}]\n"),
    case("in a filter", "title: T\nfeeds: [f.xml]\nfilters: {exclude: $AAPL}\n"),
)  # fmt: skip
def test_a_dollar_that_is_no_variable_is_left_alone(tmp_path: Path, text: str) -> None:
    assert warned(tmp_path, text) == []


@cases(
    "setting, message",
    case("tags", "tags: 'code, art'", "4:11  feeds[0].tags {}; write [code, art] {}"),
    case(
        "words",
        "filters: {exclude: 'ad, offer,'}",
        "4:24  feeds[0].filters.exclude {}; write [ad, offer] {}",
    ),
    case(
        "words in titles",
        "filters: {include: {title: 'a,b'}}",
        "4:32  feeds[0].filters.include.title {}; write [a, b] {}",
    ),
)
def test_several_words_in_one_text_are_told(tmp_path: Path, setting: str, message: str) -> None:
    text = f"title: T\nfeeds:\n  - url: https://one.example/f\n    {setting}\n"

    assert warned(tmp_path, text) == [
        message.format("is one text with a comma in it", "if several are meant")
    ]


@cases(
    "setting",
    case("of a list", "tags: ['Smith, John']"),
    case("of a regular expression", "filters: {exclude: '/a{1,3}/'}"),
    case("of a name", "name: Smith, John"),
)
def test_a_comma_within_a_text_is_left_alone(tmp_path: Path, setting: str) -> None:
    text = f"title: T\nfeeds:\n  - url: https://one.example/f\n    {setting}\n"

    assert warned(tmp_path, text) == []


@cases(
    "first, second, scheme",
    case("upgraded", "http://one.example/f", "https://one.example/f", "https"),
    case("downgraded", "HTTPS://One.example:443", "http://one.example/", "http"),
)
def test_one_address_by_http_and_https_is_told_with_both_lines(
    tmp_path: Path, first: str, second: str, scheme: str
) -> None:
    text = f"title: T\nfeeds:\n  - {first}\n  - f.xml\n  - {second}\n"

    assert warned(tmp_path, text) == [
        f'5:5  feeds[2] is the address of feeds[0] in line 3 but for "{scheme}"; keep one'
    ]


def test_two_feeds_with_one_name_are_told_with_both_lines(tmp_path: Path) -> None:
    text = """\
title: T
feeds:
  - {url: https://one.example/f, name: Ada}
  - {url: https://two.example/f, name: ada}
"""

    assert warned(tmp_path, text) == [
        "4:40  feeds[1].name is the name of feeds[0] in line 3, too; nobody can tell them apart"
    ]


def test_a_feed_that_is_turned_off_is_no_twin(tmp_path: Path) -> None:
    text = """\
title: T
feeds:
  - {url: http://one.example/f, name: Ada, enabled: false}
  - {url: https://one.example/f, name: Ada}
"""

    assert warned(tmp_path, text) == []


@cases(
    "retention, messages",
    case(
        "for a day",
        "{entries: 1d}",
        [
            "2:22  retention.entries is 1d: so soon an entry goes from the site when its feed "
            "stops listing it; to hide what is old, set `max_age` under `filters`"
        ],
    ),
    case(
        "shorter than their texts",
        "{entries: 30d, content: 60d}",
        ["2:36  retention.content has no effect beyond retention.entries, which is 30d"],
    ),
    case("for a month", "{entries: 30d}", []),
    case("for two years", "{content: 365d}", []),
)
def test_a_retention_that_can_hardly_be_meant_is_told(
    tmp_path: Path, retention: str, messages: list[str]
) -> None:
    text = f"title: T\nretention: {retention}\nfeeds: [f.xml]\n"

    assert warned(tmp_path, text) == messages


@cases(
    "title, is_told",
    case("English", "“My Planet”", True),
    case("German", "„Mein Planet“", True),
    case("single", "‘My Planet’", True),
    case("in straight ones", '"“My Planet”"', False),
    case("around words of it", "“Code” and “Art”", False),
    case("French", "« Ma planète »", False),
)
def test_curly_quotes_around_a_text_are_told(tmp_path: Path, title: str, is_told: bool) -> None:
    words = 'is in curly quotes, which are a part of it; write straight ones ("), or none'

    found = warned(tmp_path, f"title: {title}\nfeeds: [f.xml]\n")

    assert found == [f"1:8  title {words}"] * is_told


def test_a_comma_at_the_end_of_an_address_is_told(tmp_path: Path) -> None:
    text = "title: T\nfeeds:\n  - https://one.example/f,\n  - {url: 'https://two.example/f,'}\n"
    words = "ends with a comma, which is a part of it; a line of a list has none"

    assert warned(tmp_path, text) == [f"3:5  feeds[0] {words}", f"4:11  feeds[1].url {words}"]


@cases(
    "setting, place",
    case("of the planet", "timezone: EST", "2:11  timezone"),
    case("of an edition", "editions: {a: {timezone: MST}}", "2:26  editions.a.timezone"),
)
def test_a_zone_without_summer_time_is_told(tmp_path: Path, setting: str, place: str) -> None:
    zone = setting.rstrip("}")[-3:]

    assert warned(tmp_path, f"title: T\n{setting}\nfeeds: [f.xml]\n") == [
        f"{place} is {zone}, also in summer; a place has a name, such as America/New_York"
    ]


def test_a_library_that_gets_no_more_fixes_is_told(tmp_path: Path) -> None:
    assert warned(tmp_path, "title: T\nfeeds: [f.xml]\nsanitizer: bleach\n") == [
        '3:12  sanitizer "bleach" gets no more fixes; leave the line out, and nh3 cleans'
    ]


def test_nothing_is_told_of_the_library_that_cleans_by_default(tmp_path: Path) -> None:
    assert warned(tmp_path, "title: T\nfeeds: [f.xml]\nsanitizer: nh3\n") == []


NO_LINK = (
    '1:1  there is no "link", and .github/workflows/publish.yml publishes the site: without its '
    "address, feed readers and other sites cannot follow it; "
    "write link: https://YOU.github.io/REPOSITORY/"
)


@pytest.fixture
def workflows(tmp_path: Path) -> Path:
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    (folder / "check.yml").write_text("jobs: {check: {}}\n")
    return folder


@cases(
    "step",
    case("GitHub Pages", "uses: actions/deploy-pages@v5"),
    case("Cloudflare", "run: npx --yes wrangler@4 pages deploy site"),
    case("Netlify", "run: npx --yes netlify-cli@17 deploy --prod"),
    case("the workflow of Planet", "uses: o/planet/.github/workflows/publish.yml@abc"),
)
def test_no_link_beside_a_workflow_that_publishes_is_told(
    tmp_path: Path, workflows: Path, step: str
) -> None:
    (workflows / "publish.yml").write_text(f"jobs: {{a: {{steps: [{step}]}}}}\n")

    assert warned(tmp_path, "title: T\nfeeds: [f.xml]\n") == [NO_LINK]


@cases(
    "settings",
    case("of the planet", "link: https://site.example/"),
    case("of each edition", "editions: {one: {link: 'https://site.example/'}}"),
)
def test_a_workflow_may_publish_with_a_link(tmp_path: Path, workflows: Path, settings: str) -> None:
    (workflows / "publish.yml").write_text("uses: actions/deploy-pages@v5\n")

    assert warned(tmp_path, f"title: T\nfeeds: [f.xml]\n{settings}\n") == []


def test_a_workflow_that_publishes_nothing_needs_no_link(tmp_path: Path, workflows: Path) -> None:
    (workflows / "folder.yml").mkdir()

    assert warned(tmp_path, "title: T\nfeeds: [f.xml]\n") == []
