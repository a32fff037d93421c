"""`${NAME}`: taken from the environment, and never seen again."""

from pathlib import Path

from planet.model.secrets import Redactor, Secret
from tests.cases import case, cases
from tests.config.files import complaints, loaded, only_feed


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


@cases(
    "said, why",
    case("unset", "${NOWHERE}", "needs the environment variable NOWHERE, which is not set"),
    case("empty", "${EMPTY}", "needs the environment variable EMPTY, which is not set"),
    case("no name", "${no name}", 'has a "${" that no name and "}" follow'),
    case("no end", "${OPEN", 'has a "${" that no name and "}" follow'),
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
    case("timezone", 'timezone: "${SECRET}"'),
    case("choice", 'content: "${SECRET}"'),
    case("link", 'link: "${SECRET}"'),
    case("fetch", 'fetch: {timeout: "${SECRET}", max_size: "${SECRET}"}'),
    case("pages", 'pages: {front: "${SECRET}", indexing: "${SECRET}"}'),
    case("filters", 'filters: {include: "/(${SECRET}/", recent: "${SECRET}"}'),
    case("subscriptions", 'subscriptions: ["https://${SECRET} x/", "/${SECRET}"]'),
    case("new_feed_entries", 'new_feed_entries: "${SECRET}"'),
    case("owner", 'owner: "${SECRET}"'),
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


def test_a_feed_keeps_its_past_when_its_secret_changes(tmp_path: Path) -> None:
    said = "https://example.org/?key=${KEY}"

    before, after = only_feed(tmp_path, said, KEY="one"), only_feed(tmp_path, said, KEY="two")

    assert (before.key, before.slug) == (after.key, after.slug)
    assert "one" not in before.key + before.slug


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


def test_a_feed_tells_an_address_without_the_secrets_of_the_config(tmp_path: Path) -> None:
    feed = only_feed(tmp_path, "https://example.org/?key=${KEY}", KEY="hush-4711")

    told = feed.redact("https://example.org/moved/hush-4711")

    assert told == "https://example.org/moved/${KEY}"


def test_a_config_without_secrets_hides_nothing(tmp_path: Path) -> None:
    feed = only_feed(tmp_path, "https://example.org/")

    assert feed.redactor is None
    assert feed.redact("https://example.org/${x}") == "https://example.org/${x}"
