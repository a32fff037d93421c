"""A feed as written → its address, its identity, its folder, and how it is asked for."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from pathlib import Path

import pytest

from planet.config.values import slug
from tests.config.files import complaints, loaded, only_feed


@pytest.mark.parametrize(
    ("said", "url"),
    [
        pytest.param("HTTP://EXAMPLE.org:80", "http://example.org/", id="normalised"),
        pytest.param("https://example.org/f#new", "https://example.org/f", id="no fragment"),
        pytest.param(
            "https://bücher.example/ü?q=é",
            "https://xn--bcher-kva.example/%C3%BC?q=%C3%A9",
            id="Unicode",
        ),
        pytest.param("http://localhost:8000/f", "http://localhost:8000/f", id="a port"),
        pytest.param("file:///srv/a%20b.xml", "file:///srv/a%20b.xml", id="a file address"),
        pytest.param("file://localhost/srv/../f.xml", "file:///f.xml", id="with a host"),
        pytest.param("/srv/a b.xml", "file:///srv/a%20b.xml", id="a full path"),
        pytest.param("./feeds.d/f.xml", "file://{folder}/feeds.d/f.xml", id="a dotted path"),
        pytest.param("feeds/../f.xml", "file://{folder}/f.xml", id="a path"),
        pytest.param("f.xml", "file://{folder}/f.xml", id="a file"),
    ],
)
def test_the_address_of_a_feed_is_absolute_and_normalised(
    tmp_path: Path, said: str, url: str
) -> None:
    feed = only_feed(tmp_path, said)

    assert feed.url == url.format(folder=tmp_path)


def test_a_path_starts_at_the_folder_of_the_config_wherever_one_is(
    tmp_path: Path,
) -> None:
    (tmp_path / "planet").mkdir()

    with contextlib.chdir(tmp_path):
        feed = only_feed(Path("planet"), "f.xml")

    assert feed.url == (tmp_path / "planet/f.xml").as_uri()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        pytest.param("''", "must not be empty", id="nothing"),
        pytest.param("'https://'", "is not a web address", id="no host"),
        pytest.param(
            "https://example.org/a b",
            "has a blank in it; is that one web address?",
            id="a blank",
        ),
        pytest.param(
            "<https://example.org/>",
            "has an angle bracket in it; write the bare address",
            id="angle brackets",
        ),
        pytest.param(
            "https://user:pass@example.org/",
            'must not hold a password; write "auth: {user: …, password: …}"',
            id="a password",
        ),
        pytest.param(
            "feed://example.org/", 'begins with "feed:"; write https:// instead', id="feed:"
        ),
        pytest.param(
            "file:f.xml",
            'must be file:/// and a full path, or a path without "file:"',
            id="a relative file:",
        ),
        pytest.param(
            "file://server/f.xml",
            'must be file:/// and a full path, or a path without "file:"',
            id="another host's file:",
        ),
        pytest.param(
            "gopher://example.org/",
            "must begin with https:// or http://, or be the path of a file",
            id="gopher:",
        ),
        *(
            pytest.param(
                said,
                'looks like a web address without https://; begin a path with "./"',
                id=said,
            )
            for said in ("example.org/feed", "www.example.org", "//example.org/f", "localhost:80/f")
        ),
        pytest.param(
            '"a\\0b"', "has a character in it that cannot be written", id="a control character"
        ),
    ],
)
def test_what_is_no_address_is_told_with_a_way_out(tmp_path: Path, said: str, why: str) -> None:
    found = complaints(tmp_path, f"title: A\nfeeds:\n  - {said}\n")

    assert found == [f"3:5  feeds[0] {why}"]


@pytest.mark.parametrize(
    ("feed", "key"),
    [
        pytest.param("{url: 'https://example.org/', id: mine}", "mine", id="its id"),
        pytest.param("HTTPS://example.org", "https://example.org/", id="its address"),
        pytest.param("./feeds/f.xml", "feeds/f.xml", id="its path as written"),
        pytest.param("/srv/f.xml", "file:///srv/f.xml", id="its full path"),
        pytest.param("file:///srv/f.xml", "file:///srv/f.xml", id="its file address"),
        pytest.param(
            "https://example.org/?key=${KEY}", "https://example.org/?key=${KEY}", id="not a secret"
        ),
    ],
)
def test_a_feed_is_known_by(tmp_path: Path, feed: str, key: str) -> None:
    found = only_feed(tmp_path, feed, KEY="s3cret")

    assert found.key == key


@pytest.mark.parametrize(
    ("second", "said"),
    [
        pytest.param(
            "https://EXAMPLE.org:443/f",
            "4:5  feeds[1] has the address of feeds[0] in line 3",
            id="the same address",
        ),
        pytest.param(
            "{url: 'https://example.org/g', id: one}",
            "4:40  feeds[1].id has the id of feeds[0] in line 3",
            id="the same id",
        ),
    ],
)
def test_two_feeds_cannot_be_one(tmp_path: Path, second: str, said: str) -> None:
    text = f"title: A\nfeeds:\n  - {{url: 'https://example.org/f', id: one}}\n  - {second}\n"

    found = complaints(tmp_path, text)

    assert found == [said]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param(("The Id", "name", "host/path"), "the-id", id="its id"),
        pytest.param((None, "Café  Ñandú!", "host/path"), "cafe-nandu", id="its name in ASCII"),
        pytest.param((None, "Łódź & Kødpålæg ß", None), "lodz-kodpalaeg-ss", id="its letters"),
        pytest.param((None, "Блог", "host/path"), "host-path", id="its address, failing that"),
        pytest.param((None, "東京", None), "feed", id="something, failing all"),
        pytest.param((None, "con", None), "con-feed", id="not a device of Windows"),
        pytest.param((None, "LPT1", None), "lpt1-feed", id="not a printer of Windows"),
        pytest.param((None, "x" * 59 + " yz", None), "x" * 59, id="at most 60 characters"),
        pytest.param((None, "taken", None), "taken-2c70e1", id="digits of its key when taken"),
        pytest.param(
            (None, "both taken", None), "both-taken-2c70e12b7a06", id="more digits when that is"
        ),
        pytest.param((None, "l" * 60, None), "l" * 53 + "-2c70e1", id="and still at most 60"),
    ],
)
def test_the_folder_of_a_feed_is_named_after(names: tuple[str | None, ...], expected: str) -> None:
    taken = {"taken", "both-taken", "both-taken-2c70e1", "l" * 60}

    name = slug(names, key="key", taken=taken)

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


def test_a_secret_in_an_address_is_not_in_the_name_of_its_folder(tmp_path: Path) -> None:
    feed = only_feed(tmp_path, "https://example.org/${KEY}/feed", KEY="s3cret")

    assert (feed.url, feed.slug) == ("https://example.org/s3cret/feed", "example-org-key-feed")


@pytest.mark.parametrize(
    ("fetch", "low", "high"),
    [
        pytest.param("{timeout: 5s}", 2, 6, id="the planet's, without its own"),
        pytest.param("{min_interval: 3h}", 3, 6, id="its own least"),
        pytest.param("{min_interval: 9h}", 9, 9, id="its own least above the planet's most"),
        pytest.param("{max_interval: 5h}", 2, 5, id="its own most"),
        pytest.param("{max_interval: 1h}", 1, 1, id="its own most below the planet's least"),
        pytest.param("{min_interval: 1h, max_interval: 9h}", 1, 9, id="both"),
    ],
)
def test_the_interval_of_a_feed_is(tmp_path: Path, fetch: str, low: int, high: int) -> None:
    text = f"""\
title: A planet
fetch: {{min_interval: 2h, max_interval: 6h}}
feeds:
  - {{url: 'https://example.org/', fetch: {fetch}}}
"""

    (feed,) = loaded(tmp_path, text).feeds

    assert (feed.asking.min_interval, feed.asking.max_interval) == (
        timedelta(hours=low),
        timedelta(hours=high),
    )


@pytest.mark.parametrize(
    ("planet", "feed", "hours"),
    [
        pytest.param("{workers: 1}", "{timeout: 5s}", 24, id="a day"),
        pytest.param("{min_interval: 3h}", "{max_interval: 5h}", 24, id="a day for all of them"),
        pytest.param("{workers: 1}", "{min_interval: 3h}", 3, id="its own interval"),
        pytest.param("{workers: 1}", "{min_interval: 48h}", 48, id="its own interval of days"),
        pytest.param("{agreed: true}", "{min_interval: 10m}", 1, id="an hour, whatever was agreed"),
    ],
)
def test_the_interval_of_a_feed_that_always_sends_all_is(
    tmp_path: Path, planet: str, feed: str, hours: int
) -> None:
    text = f"title: A\nfetch: {planet}\nfeeds:\n  - {{url: 'http://x/', fetch: {feed}}}\n"

    config = loaded(tmp_path, text)

    assert config.feeds[0].asking.whole_interval == timedelta(hours=hours)
    assert config.defaults.asking.whole_interval == timedelta(hours=24)


@pytest.mark.parametrize(
    ("planet", "feed"),
    [
        pytest.param("{agreed: true, min_interval: 0s}", "{timeout: 5s}", id="by the planet"),
        pytest.param("{agreed: true}", "{min_interval: 5m}", id="by the planet for this feed"),
        pytest.param("{workers: 1}", "{agreed: true, min_interval: 5m}", id="by the feed"),
    ],
)
def test_less_than_an_hour_is_allowed_when_agreed(tmp_path: Path, planet: str, feed: str) -> None:
    text = f"title: A\nfetch: {planet}\nfeeds:\n  - {{url: 'http://x/', fetch: {feed}}}\n"

    found = complaints(tmp_path, text)

    assert found == []


def test_a_feed_that_did_not_agree_does_not_go_along_with_the_planet(tmp_path: Path) -> None:
    text = """\
title: A
fetch: {agreed: true, min_interval: 5m}
feeds:
  - {url: 'https://example.org/', fetch: {agreed: false}}
"""

    found = complaints(tmp_path, text)

    assert found == [
        "4:42  feeds[0].fetch has a min_interval of 5m, which is less than 1h; "
        'if the publisher agreed to that, say so: "agreed: true"'
    ]


@pytest.mark.parametrize(
    ("said", "spoken"),
    [
        pytest.param("90s", timedelta(seconds=90), id="seconds"),
        pytest.param("30m", timedelta(minutes=30), id="minutes"),
        pytest.param("3h", timedelta(hours=3), id="hours"),
        pytest.param("2d", timedelta(days=2), id="days"),
        pytest.param("4w", timedelta(weeks=4), id="weeks"),
        pytest.param("4 w", timedelta(weeks=4), id="with a blank"),
    ],
)
def test_a_duration_is_one_number_and_one_unit(
    tmp_path: Path, said: str, spoken: timedelta
) -> None:
    config = loaded(tmp_path, f"title: A\nfeeds: [f.xml]\nretention: {{content: {said}}}\n")

    assert config.retention.content == spoken


@pytest.mark.parametrize(
    ("said", "size"),
    [
        pytest.param("1", 1, id="bytes"),
        pytest.param("12B", 12, id="B"),
        pytest.param("500kB", 500_000, id="kB"),
        pytest.param("2MB", 2_000_000, id="MB"),
        pytest.param("1GB", 10**9, id="GB"),
        pytest.param("64 KiB", 65_536, id="KiB"),
        pytest.param("8MiB", 8_388_608, id="MiB"),
        pytest.param("1GiB", 2**30, id="GiB"),
    ],
)
def test_a_size_is_a_number_of_bytes_or_has_a_unit(tmp_path: Path, said: str, size: int) -> None:
    feed = only_feed(tmp_path, f"{{url: f.xml, fetch: {{max_size: {said}}}}}")

    assert feed.asking.max_size == size


@pytest.mark.parametrize(
    "tag",
    [
        "en",
        "de-AT",
        "zh-Hant-TW",
        "sr-Latn",
        "es-419",
        "sl-rozaj-biske",
        "de-CH-1901",
        "en-x-planet",
        "yue",
        "de-u-co-phonebk",
    ],
)
def test_a_language_is_a_tag_of_bcp_47(tmp_path: Path, tag: str) -> None:
    feed = only_feed(tmp_path, f"{{url: f.xml, language: {tag}}}")

    assert feed.language == tag
