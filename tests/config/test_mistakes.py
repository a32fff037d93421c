"""Settings that do not fit: each mistake is told, with its place and a way out."""

from datetime import time
from pathlib import Path

import pytest

from planet.config import load
from planet.errors import ConfigError
from tests.cases import case, cases
from tests.config.files import complained, complaints, loaded

TEN_MISTAKES = """\
titel: My planet
timezone: Europe/Berln
language: nope!
fetch:
  timeout: 60
  workers: 0
feeds:
  - url: https://example.org/feed
    filtr: {exclude: advert}
    filters: {exclude: '/(advert/'}
  - htps://example.org/feed
  - url: https://EXAMPLE.org:443/feed
    fetch: {min_interval: 5m}
"""


def test_ten_mistakes_give_ten_messages_each_with_its_line(tmp_path: Path) -> None:
    said = complaints(tmp_path, TEN_MISTAKES)

    assert said == [
        '1:1  there is no setting "titel"; did you mean "title"?',
        "2:11  timezone must be the name of a time zone such as Europe/Berlin or UTC, "
        'not "Europe/Berln"; did you mean "Europe/Berlin"?',
        '3:11  language must be a language tag such as "en" or "pt-BR", not "nope!"',
        '5:12  fetch.timeout must be a duration such as 90s, 30m, 3h, 2d or 4w, not "60"',
        '6:12  fetch.workers must be a whole number from 1 to 200, not "0"',
        '9:5  feeds[0] has no setting "filtr"; did you mean "filters"?',
        "10:24  feeds[0].filters.exclude is not a regular expression: missing ) at position 7",
        '11:5  feeds[1] must begin with https:// or http://, or be a path, as in "./feed.xml"',
        "12:10  feeds[2].url has the address of feeds[0] in line 8",
        "13:12  feeds[2].fetch has a min_interval of 5m, which is less than 1h; "
        'if the publisher agreed to that, say so: "agreed: true"',
    ]


@complained(
    "setting, said",
    r"""
timeout: 3s
    2:1  there is no setting "timeout"; it belongs under "fetch"
items_per_page: 20
    2:1  there is no setting "items_per_page"; did you mean "pages.front"?
xyzzy: 1
    2:1  there is no setting "xyzzy"
filters: {include: [{titel: x}]}
    2:29  filters.include[0].titel is no part of an entry; did you mean "title"?
transform: [run, '']
    2:18  transform[1] must not be empty
description: [x]
    2:14  description must be text
filters: {exclude: *sponsored}
    2:20  this is not YAML: put a text that begins with @ ` % * & or "${" into
    quotes
fetch: fast
    2:8  fetch must be a mapping, as in "name: value", not "fast"
cache: {options: {port: 1}}
    2:18  cache.options has no effect: only redis has options
subscriptions: [{url: https://example.org/list.opml}]
    2:17  subscriptions[0] must be text
description: '  '
    2:14  description must not be empty
description: "a\0b"
    2:14  description has a character in it that cannot be written
fetch: {workers: 201}
    2:18  fetch.workers must be a whole number from 1 to 200, not "201"
new_feed_entries: some
    2:19  new_feed_entries must be a whole number from 0 up, or "all", not "some"
content: ful
    2:10  content must be one of full, summary, title, not "ful"; did you mean "full"?
retention: {content: 0d}
    2:22  retention.content must be longer than zero, not "0d"
retention: {content: 9999999w}
    2:22  retention.content must be at most a hundred years, not "9999999w"
fetch: {max_size: 0}
    2:19  fetch.max_size must be a size such as 500kB, 8MiB or 1000000, not "0"
timezone: CEST
    2:11  timezone must be the name of a time zone such as Europe/Berlin or UTC, not "CEST"
timezone: localtime
    2:11  timezone must be the name of a time zone such as Europe/Berlin or UTC, not "localtime"
timezone: ../etc/passwd
    2:11  timezone must be the name of a time zone such as Europe/Berlin or UTC, not "../etc/passwd"
owner: {url: example.org}
    2:14  owner.url must be a web address that begins with https:// or http://, not "example.org"
owner: {email: nobody}
    2:16  owner.email must be a mail address, not "nobody"
link: https://example.org/?p=1
    2:7  link must be the address of a folder, without the name of a page, "?" or "#", not
    "https://example.org/?p=1"
link: https://example.org/index.html
    2:7  link must be the address of a folder, without the name of a page, "?" or "#", not
    "https://example.org/index.html"
theme: https://example.org/theme
    2:8  theme must be a name or a folder on this machine
theme: {options: {a: [1]}}
    2:22  theme.options.a must be text
output: static/site
    2:9  output must not lie in static/, where the site's own files are
timezone: “Europe/Berlin”
    2:11  timezone is in curly quotes; write straight ones ("), or none
output: ~/public
    2:9  output begins with "~", which only a shell understands; write "${HOME}"
state: public/state
    2:8  state would publish the state: its folder must not lie in that of the site
output: .
    2:9  output would publish the state: its folder must not lie in that of the site
fetch: {min_interval: 5m, agreed: maybe}
    2:35  fetch.agreed must be true or false, not "maybe"
fetch: {min_interval: 3d, max_interval: 4}
    2:41  fetch.max_interval must be a duration such as 90s, 30m, 3h, 2d or 4w, not "4"
fetch: {max_interval: 30m}
    2:8  fetch has a max_interval (30m) below the min_interval (1h)
""",
)
def test_what_does_not_fit_is_told_with_its_place(tmp_path: Path, setting: str, said: str) -> None:
    text = f"title: A planet\n{setting}\nfeeds: [feed.xml]\n"

    found = complaints(tmp_path, text)

    assert found == [said]


@complained(
    "feed, said",
    r"""
''
    3:5  feeds[0] must not be empty
'https://'
    3:5  feeds[0] is not a web address; write it bare, without blanks, "<" and ">"
'@ann'
    3:5  feeds[0] is not the name of an account; write acct:user@host, or at:// and a handle or
    did:
<https://example.org/>
    3:5  feeds[0] is not a web address; write it bare, without blanks, "<" and ">"
https://user:pass@example.org/
    3:5  feeds[0] must not hold a password; write "auth: {user: …, password: …}"
feed://example.org/
    3:5  feeds[0] must begin with https:// or http://, or be a path, as in "./feed.xml"
example.org/feed
    3:5  feeds[0] must begin with https:// or http://, or be a path, as in "./feed.xml"
[x]
    3:5  feeds[0] must be a mapping, as in "name: value"
{name: x}
    3:5  feeds[0] needs "url"
{xmlUrl: feed.xml}
    3:6  feeds[0] has no setting "xmlUrl"; did you mean "url"?
{url: 'http://x/', username: ann}
    3:24  feeds[0] has no setting "username"; did you mean "auth.user"?
{url: feed.xml, enabled: archive}
    3:30  feeds[0].enabled must be true, false or "archived", not "archive"
{url: feed.xml, retention: 3d}
    3:21  feeds[0] has no setting "retention"; it is a setting of the planet
{url: feed.xml, links: {github: ann/x}}
    3:37  feeds[0].links.github must be a web address that begins with https:// or http://, or for
    mail, not "ann/x"
{url: feed.xml, links: {Blog: 'javascript:alert(1)'}}
    3:35  feeds[0].links.Blog must be a web address that begins with https:// or http://, or for
    mail, not "javascript:alert(1)"
{url: feed.xml, headers: {X: y}}
    3:30  feeds[0].headers has no effect on a file
{url: feed.xml, public: true}
    3:29  feeds[0].public has no effect on a file
{url: 'http://x/', auth: {user: a, password: b}, headers: {authorization: x}}
    3:30  feeds[0].auth has no effect beside a header "Authorization"
{url: 'http://x/', auth: {user: 'a:b', password: b}}
    3:37  feeds[0].auth.user must not be empty, or have a colon in it
{url: 'http://x/', auth: {user: a}}
    3:30  feeds[0].auth needs "password"
{url: 'http://x/', headers: {Cookie: x}}
    3:42  feeds[0].headers.Cookie cannot be set: Planet sends this header as it needs it
{url: 'http://x/', headers: {'a b': x}}
    3:41  feeds[0].headers.a b is not the name of a header
{url: 'http://x/', headers: {X: "a\r\nY: b"}}
    3:37  feeds[0].headers.X has a line break or a character in it that no header can carry
{url: 'http://x/', fetch: {min_interval: 2h, max_interval: 1h}}
    3:31  feeds[0].fetch has a max_interval (1h) below the min_interval (2h)
{url: 'http://x/', fetch: {max_interval: 20m}}
    3:31  feeds[0].fetch has a min_interval of 20m, which is less than 1h; if the publisher agreed
    to that, say so: "agreed: true"
""",
)
def test_what_does_not_fit_a_feed_is_told_with_its_place(
    tmp_path: Path, feed: str, said: str
) -> None:
    text = f"title: A planet\nfeeds:\n  - {feed}\n"

    found = complaints(tmp_path, text)

    assert found == [said]


@cases(
    "text, said",
    case("no list", "title: x\n", "1:1"),
    case("an empty list", "title: x\nfeeds: []\n", "2:8"),
    case("all commented out", "title: x\nfeeds:\n  # - https://one.example/\n", "2:7"),
    case("two empty lists", "title: x\nsubscriptions: []\nfeeds: []\n", "3:8"),
)
def test_a_planet_needs_something_to_read(tmp_path: Path, text: str, said: str) -> None:
    found = complaints(tmp_path, text)

    assert found == [f'{said}  there is nothing to read; put the address of a feed under "feeds"']


def test_a_list_that_is_commented_out_may_stand_beside_another(tmp_path: Path) -> None:
    text = "title: x\nsubscriptions: [https://one.example/list.opml]\nfeeds:\n  # - f.xml\n"

    config = loaded(tmp_path, text)

    assert (len(config.subscriptions), config.feeds, config.warnings) == (1, (), ())


def test_a_mistake_in_a_feed_without_a_list_is_told_with_its_place(tmp_path: Path) -> None:
    assert complaints(tmp_path, "title: x\nfeeds:\n  url: f.xml\n  nam: x\n") == [
        '4:3  feeds[0] has no setting "nam"; did you mean "name"?'
    ]


def test_the_items_of_a_list_have_a_blank_after_their_dash(tmp_path: Path) -> None:
    assert complaints(tmp_path, "title: x\nfeeds:\n  -https://one.example/\n") == [
        '3:3  feeds needs a blank after each dash, as in "- x"'
    ]


@cases(
    "feed",
    case("its key has no blank", "url:https://example.org/"),
    case("it is only an address", "https://example.org/"),
)
def test_a_feed_with_settings_that_is_written_wrongly_is_told_what_to_do(
    tmp_path: Path, feed: str
) -> None:
    text = f"title: x\nfeeds:\n  - {feed}\n    name: x\n"

    (told,) = complaints(tmp_path, text)

    assert told.startswith('4:9  this is not YAML: put a blank after the ":" of a name, here or in')
    assert told.endswith('an address with settings below it is written "- url: https://…"')


def test_a_file_that_is_not_there_or_no_file_says_what_to_do(tmp_path: Path) -> None:
    way_out = "`planet init` writes one, and `--config` names another"

    for path, words in (
        (tmp_path / "config.yaml", f"there is no {tmp_path}/config.yaml"),
        (tmp_path, f"{tmp_path} cannot be read: Is a directory"),
    ):
        with pytest.raises(ConfigError) as caught:
            load(path, environ={})
        assert str(caught.value) == f"{words}; {way_out}"


def test_what_is_long_is_quoted_in_part(tmp_path: Path) -> None:
    (said,) = complaints(tmp_path, f"title: x\nfeeds: [f.xml]\ncontent: {'full ' * 40}\n")

    assert said == (f'3:10  content must be one of full, summary, title, not "{"full " * 12}…"')


UNDERSTOOD = """\
title: 2024
description: on
owner: {name: 12:30}
language: pt_BR
timezone:
theme: true
pages: {front: '20', source: 020, indexing: 'yes', search: off}
digest: {at: 07:00}
filters: {include: 3}
feeds:
  - url: feed.xml
    tags: [a, 2024, ]
    extra: {size: 12}
  -
"""


def test_every_value_is_what_it_looks_like_and_what_is_empty_is_not_set(tmp_path: Path) -> None:
    config = loaded(tmp_path, UNDERSTOOD)

    assert (config.title, config.description, config.owner.name) == ("2024", "on", "12:30")
    assert (config.language, config.timezone.key, config.theme.name) == ("pt-BR", "UTC", "true")
    assert (config.pages.front, config.pages.source) == (20, 20)
    assert (config.pages.indexing, config.pages.search) == (True, False)
    assert (config.digest and config.digest.at) == time(7)
    assert config.filters.include[0].written == "3"
    assert [(feed.tags, feed.extra) for feed in config.feeds] == [
        (("a", "2024"), (("size", "12"),))
    ]


@cases(
    "text, words",
    case(
        "Venus",
        "# mine\n[Planet]\nname = A: mine\n\n[http://one.example/f]\n",
        "perhaps the config of Venus",
    ),
    case("Pluto", "title = A\n\n[one]\n  feed  = http://one.example/f\n", "this is INI or TOML"),
    case("OPML", "\ufeff<?xml version='1.0'?>\n<opml><body/></opml>", "a list of feeds in OPML"),
    case("a feed", "<?xml version='1.0'?>\n<rss version='2.0'></rss>\n", "this is a feed"),
    case("a page", "<!DOCTYPE html>\n<title>x</title>\n", "this is a web page"),
    case("XML", "<x/>", "this is XML; it is neither a list in OPML nor a feed"),
)
def test_a_file_of_another_program_or_format_is_told_what_to_do(
    tmp_path: Path, text: str, words: str
) -> None:
    (said,) = complaints(tmp_path, text)

    assert said.startswith("1:1  ")
    assert words in said
