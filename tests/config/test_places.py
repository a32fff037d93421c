"""Where settings stand in a config file."""

from pathlib import Path

from planet.config.edits import Places
from planet.errors import Place
from tests.cases import case, cases
from tests.config.files import loaded

CONFIG = """\
title: A planet
future: drop
feeds:
- https://zero.example/feed
- name: One
  url: https://one.example/feed
  filters:
    exclude: [noise, "${SECRET}"]
- url: https://two.example/feed
  filters: {exclude: noise}
"""


@cases(
    "feed, setting, place",
    case("of the planet", None, ("future",), "2:1"),
    case("not given", None, ("filters", "exclude"), None),
    case("of a feed that is only an address", 0, ("filters",), None),
    case("of a feed", 1, ("filters", "exclude"), "8:5"),
    case("not given for the feed", 1, ("future",), None),
    case("of the last feed", 2, ("filters", "exclude"), "10:13"),
)
def test_each_setting_has_its_line_and_column(
    tmp_path: Path, feed: int | None, setting: tuple[str, ...], place: str | None
) -> None:
    config = loaded(tmp_path, CONFIG, SECRET="x")

    found = Places(config.path).of(None if feed is None else config.feeds[feed], *setting)

    assert (found and f"{found.line}:{found.column}") == place


def test_a_feed_of_a_list_has_no_settings_there(tmp_path: Path) -> None:
    (tmp_path / "mine.opml").write_text(
        "<opml version='2.0'><body><outline xmlUrl='https://ada.example/feed'/></body></opml>"
    )
    config = loaded(tmp_path, "title: A planet\nsubscriptions: [mine.opml]\n")

    assert Places(config.path).of(config.feeds[0], "filters") is None


def test_a_setting_that_is_merged_in_stands_where_it_is_written(tmp_path: Path) -> None:
    text = (
        "title: A planet\nfeeds:\n- &a {url: https://one.example/, language: en}\n"
        "- {<<: *a, url: https://two.example/}\n"
    )
    config = loaded(tmp_path, text)

    found = Places(config.path).of(config.feeds[1], "language")

    assert found == Place(file=str(config.path), line=3, column=34)
