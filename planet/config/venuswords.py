"""What the options of Planet 2.0 and Venus are called here, and why some have no name here."""

from __future__ import annotations

from typing import Final

from planet.config.elsewhere import Word

_FUTURE: Final = {"ignore_date": "clamp", "ignore_entry": "drop"}


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"is not a number: {text}") from None


def _seconds(text: str) -> str:
    return f"{_number(text)}s"


def _threads(text: str) -> int:
    if not (number := _number(text)):
        raise ValueError("is 0: here feeds are always asked for side by side")
    return number


def _language(text: str) -> str:
    return text.partition(".")[0].partition("@")[0].replace("_", "-")


def _future(text: str) -> str:
    return _FUTURE.get(text, "keep")


NO_PROGRAMS: Final = 'no programs are run over entries; see whether "filters" can say it'
UNKNOWN: Final = "has no meaning here; only a template could show it"
OF_FEED: Final = {
    "name": Word(trail=("name",)),
    "link": Word(trail=("link",)),
    "future_dates": Word(trail=("future",), meaning=_future),
    "feed_timeout": Word(trail=("fetch", "timeout"), meaning=_seconds),
    "new_feed_items": Word(trail=("filters", "recent"), meaning=_number),
}
OF_PLANET: Final = {
    "name": Word(trail=("title",)),
    "link": Word(trail=("link",)),
    "owner_name": Word(trail=("owner", "name")),
    "owner_email": Word(trail=("owner", "email")),
    "output_dir": Word(trail=("output",)),
    "items_per_page": Word(trail=("pages", "front"), meaning=_number),
    "feed_timeout": Word(trail=("fetch", "timeout"), meaning=_seconds),
    "spider_threads": Word(trail=("fetch", "workers"), meaning=_threads),
    "new_feed_items": Word(trail=("new_feed_entries",), meaning=_number),
    "future_dates": Word(trail=("future",), meaning=_future),
    "pubsubhubbub_hub": Word(trail=("hub",)),
    "locale": Word(trail=("language",), meaning=_language),
}
OF_FEEDS: Final = {
    "facewidth": "is not needed: the theme gives all pictures one size",
    "faceheight": "is not needed: the theme gives all pictures one size",
    "xml_base": "has no setting: relative addresses start where feed and entry say",
    "ignore_in_feed": "has no setting: dates and names are checked for all feeds alike",
    "name_type": "has no setting: how a text is to be read is found out",
    "title_type": "has no setting: how a text is to be read is found out",
    "summary_type": "has no setting: how a text is to be read is found out",
    "content_type": "has no setting: how a text is to be read is found out",
    "activity_threshold": 'has no setting: quiet feeds are told by `planet status`, and "max_age" '
    'under "filters" hides what is old',
    "activity_horizon": 'has no setting: quiet feeds are told by `planet status`, and "max_age" '
    'under "filters" hides what is old',
    "cache_keep_entries": 'has no setting: "retention" says how long entries are kept',
}
OF_TEMPLATES: Final = {
    **dict.fromkeys(
        ("template_files", "template_directories", "bill_of_materials", "output_theme"),
        'has to do with templates of Venus; "theme" names a theme of this program',
    ),
    **dict.fromkeys(
        ("date_format", "new_date_format", "encoding", "days_per_page", "django_autoescape"),
        "has no setting: the theme and its language decide that",
    ),
    **dict.fromkeys(
        (
            "cache_directory",
            "cache_sources_directory",
            "cache_lists_directory",
            "http_cache_directory",
        ),
        'is a cache that is of no use here; "state" names the folder of ours',
    ),
    **dict.fromkeys(("log_level", "log_format"), "is an option of the command line here: -q, -v"),
    "filter_directories": "has to do with programs that are run over entries; here none are",
    "pubsubhubbub_feeds": "has no setting: the hub is told of every feed that has changed",
    "generator": "has no setting",
    "generator_uri": "has no setting",
    "feed": "has no setting: the site names its own feeds",
    "feedtype": "has no setting: the site names its own feeds",
}
