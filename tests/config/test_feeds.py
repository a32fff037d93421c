"""A feed as written → its address, identity and folder, how it is asked for, and its secrets."""

import contextlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from planet.config import Config
from planet.config.feeds import make_slug
from planet.model.secrets import Redactor, Secret
from tests.cases import case, cases
from tests.config.files import complaints, loaded, only_feed


@cases(
    "said, url",
    case("normalised", "HTTP://EXAMPLE.org:80", "http://example.org/"),
    case("no fragment", "https://example.org/f#new", "https://example.org/f"),
    case(
        "Unicode", "https://bücher.example/ü?q=é", "https://xn--bcher-kva.example/%C3%BC?q=%C3%A9"
    ),
    case("a file address", "file:///srv/a%20b.xml", "file:///srv/a%20b.xml"),
    case("with a host", "file://localhost/srv/../f.xml", "file:///f.xml"),
    case("a full path", "/srv/a b.xml", "file:///srv/a%20b.xml"),
    case("a path", "feeds/../f.xml", "file://{folder}/f.xml"),
)
def test_the_address_of_a_feed_is_absolute_and_normalised(
    tmp_path: Path, said: str, url: str
) -> None:
    feed = only_feed(tmp_path, said)

    assert feed.url == url.format(folder=tmp_path)


def test_a_path_starts_at_the_folder_of_the_config_wherever_one_is(tmp_path: Path) -> None:
    (tmp_path / "planet").mkdir()

    with contextlib.chdir(tmp_path):
        feed = only_feed(Path("planet"), "f.xml")

    assert feed.url == (tmp_path / "planet/f.xml").as_uri()


@cases(
    "feed, key",
    case("its id", "{url: 'https://example.org/', id: mine}", "mine"),
    case("its address", "HTTPS://example.org", "https://example.org/"),
    case("its path as written", "./feeds/f.xml", "feeds/f.xml"),
    case("its file address", "file:///srv/f.xml", "file:///srv/f.xml"),
    case("not a secret", "https://example.org/?key=${KEY}", "https://example.org/?key=${KEY}"),
)
def test_a_feed_is_known_by_its_id_or_else_its_address(tmp_path: Path, feed: str, key: str) -> None:
    found = only_feed(tmp_path, feed, KEY="s3cret")

    assert found.key == key


def test_two_feeds_cannot_have_one_address_or_id(tmp_path: Path) -> None:
    text = """\
title: A
feeds:
  - {url: 'https://example.org/f', id: one}
  - https://EXAMPLE.org:443/f
  - {url: 'https://example.org/g', id: one}
"""

    assert complaints(tmp_path, text) == [
        "4:5  feeds[1] has the address of feeds[0] in line 3",
        "5:40  feeds[2].id has the id of feeds[0] in line 3",
    ]


@cases(
    "names, expected",
    case("its id", ("The Id", "name", "host/path"), "the-id"),
    case("its name in ASCII", (None, "Café  Ñandú!", "host/path"), "cafe-nandu"),
    case("its letters", (None, "Łódź & Kødpålæg ß", None), "lodz-kodpalaeg-ss"),
    case("its address, failing that", (None, "Блог", "host/path"), "host-path"),
    case("something, failing all", (None, "東京", None), "feed"),
    case("at most 60 characters", (None, "x" * 59 + " yz", None), "x" * 59),
    case("digits of its key when taken", (None, "taken", None), "taken-2c70e1"),
    case("and still at most 60", (None, "l" * 60, None), "l" * 53 + "-2c70e1"),
)
def test_the_folder_of_a_feed_is_named_after_what_is_known_of_it(
    names: tuple[str | None, ...], expected: str
) -> None:
    taken = {"taken", "both-taken", "both-taken-2c70e1", "l" * 60}

    name = make_slug(names, key="key", taken=taken)

    assert name == expected


def test_each_feed_has_a_folder_of_its_own(tmp_path: Path) -> None:
    config = loaded(
        tmp_path,
        """\
title: A planet
feeds:
  - https://example.org/feed.xml?p=1
  - https://example.org/feed.xml?p=2
  - {url: https://example.org/other, name: Example org feed xml}
  - sub/news.xml
subscriptions: [https://example.org/feed.xml]
""",
    )

    assert [feed.slug for feed in (*config.feeds, *config.subscriptions)] == [
        "example-org-feed-xml",
        "example-org-feed-xml-94e93e",
        "example-org-feed-xml-55208e",
        "news",
        "example-org-feed-xml-d74f9c",
    ]


@cases(
    "fetch, low, high",
    case("the planet's, without its own", "{agreed: true}", 2, 6),
    case("its own least", "{min_interval: 3h}", 3, 6),
    case("less than an hour, agreed", "{agreed: true, min_interval: 0s}", 0, 6),
    case("its own least above the planet's most", "{min_interval: 9h}", 9, 9),
    case("its own most", "{max_interval: 5h}", 2, 5),
    case("its own most below the planet's least", "{max_interval: 1h}", 1, 1),
)
def test_the_interval_of_a_feed_is_its_own_or_the_planets(
    tmp_path: Path, fetch: str, low: int, high: int
) -> None:
    text = f"""\
title: A planet
fetch: {{min_interval: 2h, max_interval: 6h}}
feeds:
  - {{url: 'https://example.org/', fetch: {fetch}}}
"""

    (feed,) = loaded(tmp_path, text).feeds

    assert (feed.policy.min_interval, feed.policy.max_interval) == (
        timedelta(hours=low),
        timedelta(hours=high),
    )


def test_less_than_an_hour_by_a_tag_is_told_at_the_feed_and_by_the_planet_once(
    tmp_path: Path,
) -> None:
    feeds = "feeds: [{url: 'http://x/', tags: a}, {url: 'http://y/', headers: {X: y}}]\n"
    words = 'less than 1h; if the publisher agreed to that, say so: "agreed: true"'

    by_tag = complaints(
        tmp_path, f"title: A\ntags: {{a: {{fetch: {{min_interval: 5m}}}}}}\n{feeds}"
    )
    by_planet = complaints(tmp_path, f"title: A\nfetch: {{min_interval: 4m}}\n{feeds}")

    assert by_tag == [f"3:9  feeds[0] has a min_interval of 5m, which is {words}"]
    assert by_planet == [f"2:8  fetch has a min_interval of 4m, which is {words}"]


@cases(
    "setting, found",
    case(
        "seconds",
        "retention: {content: 90s}",
        lambda config: config.retention.content.seconds == 90,
    ),
    case("kB", "fetch: {max_size: 500kB}", lambda config: config.fetch.max_size == 500_000),
    case("MiB", "fetch: {max_size: 8MiB}", lambda config: config.fetch.max_size == 8_388_608),
    *(
        case(tag, f"language: {tag}", lambda config: config.language.count("-") > 0)
        for tag in ("zh-Hant-TW", "sl-rozaj-biske", "en-x-planet", "de-u-co-phonebk")
    ),
)
def test_a_value_is_what_it_is_written_as(
    tmp_path: Path, setting: str, found: Callable[[Config], bool]
) -> None:
    assert found(loaded(tmp_path, f"title: A\nfeeds: [f.xml]\n{setting}\n"))


def test_a_variable_is_put_in_wherever_text_may_stand(tmp_path: Path) -> None:
    config = loaded(
        tmp_path,
        """\
title: Planet ${TOWN} in ${TOWN}
timezone: "${ZONE}"
retention: {content: "${TIME}"}
cache: {backend: redis, options: {password: "${SECRET}"}}
feeds:
  - url: https://example.org/${SECRET}
    headers: {Authorization: "Bearer ${SECRET}"}
    tags: ["${TOWN}"]
""",
        TOWN="Ulm",
        ZONE="Europe/Berlin",
        TIME="3d",
        SECRET="s3cret\n",
    )

    (feed,) = config.feeds
    assert (config.title, config.timezone.key, config.retention.content.days) == (
        "Planet Ulm in Ulm",
        "Europe/Berlin",
        3,
    )
    assert config.cache.options == {"password": Secret("s3cret\n")}
    assert (feed.url, feed.tags) == ("https://example.org/s3cret", ("Ulm",))
    assert feed.policy.headers == (("Authorization", Secret("Bearer s3cret")),)


NO_NAME = (
    'has a "${" that no name and "}" follow; for ${{ … }} of a workflow, set NAME there, '
    'under "env"'
)


@cases(
    "said, why",
    case("unset", "${NOWHERE}", "needs the environment variable NOWHERE, which is not set"),
    case("empty", "${EMPTY}", "needs the environment variable EMPTY, which is not set"),
    case("no name", "${no name}", NO_NAME),
    case("no end", "${OPEN", NO_NAME),
    case("not UTF-8", "${BYTES}", "has a character in it that cannot be written"),
)
def test_a_variable_that_cannot_be_put_in_is_told(tmp_path: Path, said: str, why: str) -> None:
    text = f"title: '{said}'\nfeeds: [f.xml]\n"

    found = complaints(tmp_path, text, EMPTY="", BYTES="\udcff")

    assert found == [f"1:8  title {why}"]


def test_a_dollar_alone_is_a_dollar(tmp_path: Path) -> None:
    config = loaded(tmp_path, "title: $5 for $NAME\nfeeds: [f.xml]\n", NAME="x")

    assert config.title == "$5 for $NAME"


@cases(
    "text",
    case("language", 'language: "${SECRET}"'),
    case("link", 'link: "${SECRET}"'),
    case("fetch", 'fetch: {timeout: "${SECRET}", max_size: "${SECRET}"}'),
    case("filters", 'filters: {include: "/(${SECRET}/", recent: "${SECRET}"}'),
    case("subscriptions", 'subscriptions: ["https://${SECRET} x/", "/${SECRET}"]'),
    case(
        "feeds", 'feeds: ["https://u:${SECRET}@x/", "https://${SECRET} x/", "https://x:${SECRET}/"]'
    ),
    case("headers", 'feeds: [{url: "http://x/", headers: {X: "${SECRET}\\n${SECRET}", "Y Y": x}}]'),
    case("twins", 'feeds: [{url: "http://x/?${SECRET}"}, {url: "http://x/?${SECRET}"}]'),
)
def test_a_mistake_does_not_show_the_secret_in_it(tmp_path: Path, text: str) -> None:
    found = complaints(tmp_path, f"title: A\n{text}\n", SECRET="s3cret")

    assert found
    assert "s3cret" not in "\n".join(found)


def test_a_feed_keeps_its_past_and_its_folder_when_its_secret_changes(tmp_path: Path) -> None:
    said = "https://example.org/${KEY}/feed"

    before, after = only_feed(tmp_path, said, KEY="one"), only_feed(tmp_path, said, KEY="two")

    assert (before.url, before.key, before.slug) == (
        "https://example.org/one/feed",
        said,
        "example-org-key-feed",
    )
    assert (after.key, after.slug) == (before.key, before.slug)


def test_what_feeds_and_lists_are_asked_with_is_known_as_secret(tmp_path: Path) -> None:
    config = loaded(
        tmp_path,
        """\
title: Planet ${TOWN}
subscriptions: ["https://example.org/list?k=${LISTKEY}"]
feeds:
  - https://example.org/${SHORT}/${PLAIN}
  - url: https://example.org/?k=${QUERY}
    name: "${TOWN}"
    headers: {Authorization: "Bearer ${BEARER}", X-Plain: none}
  - url: https://example.org/private
    auth: {user: ada, password: "${WORD}"}
  - url: https://example.org/public
    auth: {user: ada, password: known}
  - url: https://example.org/key
    auth: {user: "${USERKEY}", password: x}
  - url: https://example.org/name
    auth: {user: "${NAME}", password: y}
""",
        TOWN="Castrop",
        LISTKEY="list-key",
        SHORT="abc",
        PLAIN="in-path",
        QUERY="in-query",
        BEARER="in-header",
        WORD="in-auth",
        USERKEY="k-0123456789",
        NAME="ada lovelac",
    )

    assert config.redactor == Redactor(
        secrets=(
            ("BEARER", Secret("in-header")),
            ("LISTKEY", Secret("list-key")),
            ("NAME.basic", Secret("YWRhIGxvdmVsYWM6eQ==")),
            ("PLAIN", Secret("in-path")),
            ("QUERY", Secret("in-query")),
            ("USERKEY", Secret("k-0123456789")),
            ("USERKEY.basic", Secret("ay0wMTIzNDU2Nzg5Ong=")),
            ("WORD", Secret("in-auth")),
            ("WORD.basic", Secret("YWRhOmluLWF1dGg=")),
        )
    )
    assert {feed.redactor for feed in (*config.feeds, *config.subscriptions)} == {config.redactor}


def test_a_secret_of_a_feed_without_a_list_around_it_is_known(tmp_path: Path) -> None:
    text = "title: A\nfeeds:\n  url: https://a.example/\n  auth: {user: ada, password: '${WORD}'}\n"

    config = loaded(tmp_path, text, WORD="in-auth")

    assert [name for name, _ in config.redactor.secrets] == ["WORD", "WORD.basic"]


def test_a_feed_tells_an_address_without_the_secrets_of_the_config(tmp_path: Path) -> None:
    feed = only_feed(tmp_path, "https://example.org/?key=${KEY}", KEY="hush-4711")
    without = only_feed(tmp_path, "https://example.org/")

    assert feed.redact("https://example.org/hush-4711") == "https://example.org/${KEY}"
    assert without.redactor is None
    assert without.redact("https://example.org/${x}") == "https://example.org/${x}"
