"""What other planets' configs say: taken over, or named with the reason."""

from itertools import chain
from typing import Any

from planet import documentation
from planet.config.other_planets import ForeignConfig, convert_feed, convert_planet, read_planet_ini
from tests.cases import case, cases

NO_SETTING = f"has no setting here; {documentation('moving.md')} says what takes the place of which"
TEXT = "is not needed: Planet looks at the text itself"
FACES = "is not needed: a theme knows how large faces are"
TEMPLATES = f'is about templates; "theme" says how the site looks ({documentation("themes.md")})'
NO_PROGRAM = (
    'it would get Atom, and "transform" runs programs that read JSON '
    f'({documentation("transform.md")}); see whether "filters" can say it'
)


def taken(found: ForeignConfig) -> list[dict[str, Any] | None]:
    return [convert_feed(feed)[0] for feed in found.feeds]


def left(found: ForeignConfig) -> list[str]:
    """What is not taken over, each as "line: words", from top to bottom."""
    problems = [*chain.from_iterable(found.lost), *found.left, *convert_planet(found.planet)[1]]
    problems += [problem for feed in found.feeds for problem in convert_feed(feed)[1]]
    for wanted in (found.planet, *found.feeds, *found.lists):
        problems += wanted.left
    said = dict.fromkeys((each.place.line if each.place else 0, each.message) for each in problems)
    return [f"{line}: {words}" for line, words in sorted(said)]


def kept(found: ForeignConfig) -> list[str]:
    """What only templates get, each as "line: words"."""
    problems = [problem for feed in found.feeds for problem in feed.extra]
    return [f"{each.place.line if each.place else 0}: {each.message}" for each in problems]


VENUS = rb"""
[Planet]
name = Planet Test
link = http://planet.example.org
owner_name = Ann
owner_email = ann@example.org
items_per_page = 40
new_feed_items: 5
feed_timeout = 30
spider_threads = 10
locale = pt_BR.UTF-8
output_dir = /var/www
pubsubhubbub_hub = https://hub.example/
cache_directory = cache  ; not here
date_format = %B %d, %Y
template_files = index.html.tmpl

[DEFAULT]
facewidth = 64

[index.html.tmpl]
items_per_page = 30

[http://one.example/feed]
name = One; with a comment ; like this
face = one.png
nick = uno
exclude = (?i)sponsored
    ^ad:

[http://two.example/feed?a=1&b=2]
  name: %(owner_name)s's
  face: https://two.example/me.png
  future_dates: ignore_entry
  feed_timeout: 90
  new_feed_items: 7
  filters: regexp_sifter.py?--require=planet strip_ads.py

[http://one.example/feed]
link = http://one.example/
"""


def test_a_planet_of_venus_is_taken_over() -> None:
    found = read_planet_ini(VENUS, file="f")

    assert convert_planet(found.planet)[0] == {
        "title": "Planet Test",
        "link": "http://planet.example.org",
        "owner": {"name": "Ann", "email": "ann@example.org"},
        "pages": {"front": 40},
        "new_feed_entries": 5,
        "fetch": {"timeout": "30s", "workers": 10},
        "language": "pt-BR",
        "output": "/var/www",
        "hub": "https://hub.example/",
    }
    assert taken(found) == [
        {
            "url": "http://one.example/feed",
            "name": "One; with a comment",
            "link": "http://one.example/",
            "image": "http://planet.example.org/images/one.png",
            "filters": {"exclude": ["/(?i)sponsored/", "/^ad:/"]},
            "extra": {"nick": "uno"},
        },
        {
            "url": "http://two.example/feed?a=1&b=2",
            "name": "Ann's",
            "image": "https://two.example/me.png",
            "future": "drop",
            "fetch": {"timeout": "90s"},
            "filters": {"recent": 7},
        },
    ]
    assert left(found) == [
        '14: cache_directory is not needed: "state" is the folder for all that is kept',
        '15: date_format is not needed: dates are written as is usual in the "language" of the '
        "planet",
        f"16: template_files {TEMPLATES}",
        f"19: facewidth {FACES}",
        "21: [index.html.tmpl] is about a template or a filter, and has no meaning here",
        f"37: filters names regexp_sifter.py?--require=planet: {NO_PROGRAM}",
        f"37: filters names strip_ads.py: {NO_PROGRAM}",
    ]
    assert kept(found) == ["27: nick is kept under extra, for templates of your own"]


@cases(
    "planet, feed, filters, words",
    case("of the planet", "filter = a", "", {"include": ["/a/"]}, []),
    case("its own goes first", "filter = a", "filter = b", {"include": ["/b/"]}, []),
    case("a slash", "exclude = a/b", "", {"exclude": ["/a/b/"]}, []),
    case(
        "several",
        "",
        "filter = a\n  b",
        None,
        [
            "4: filter has several expressions that must all be found,"
            " and here one would be enough; write one expression for all of them"
        ],
    ),
    case(
        "no expression",
        "",
        "exclude = (\nfilter = a",
        {"include": ["/a/"]},
        [
            "4: filters.exclude[0] is not a regular expression: missing ), unterminated "
            "subpattern at character 1 of it"
        ],
    ),
    case("programs", "filters = x.py", "", None, [f"2: filters names x.py: {NO_PROGRAM}"]),
)
def test_filters_of_venus_become_those_of_planet(
    planet: str, feed: str, filters: dict[str, Any] | None, words: list[str]
) -> None:
    found = read_planet_ini(
        f"[planet]\n{planet}\n[http://a.example/f]\n{feed}\n".encode(), file="f"
    )

    (one,) = taken(found)
    assert one is not None
    assert one.get("filters") == filters
    assert left(found) == words


@cases(
    "feed, words",
    case(
        "a face without a site",
        "[f.xml]\nface = x.png",
        [
            "2: face is a file of a site whose address is not known; put it beside the config, and "
            "write its path: image: faces/ann.png"
        ],
    ),
    case(
        "no address",
        "[a.example/f]",
        ['1: url looks like a web address without https://; begin a path with "./"'],
    ),
    case(
        "no number",
        "[http://a.example/f]\nfeed_timeout = soon",
        ["2: feed_timeout is not a number: soon"],
    ),
    case(
        "nothing said",
        "[http://a.example/f]\nxml_base = x\nname =\nfilter =",
        [f"2: xml_base {TEXT}"],
    ),
    case("no option", "[http://a.example/f]\nnothing", ["2: is neither a section nor an option"]),
    case(
        "no threads",
        "[Planet]\nspider_threads = 0\n[http://a.example/f]",
        ["2: spider_threads is 0: here feeds are always asked for side by side"],
    ),
    case(
        "a list that is a file",
        "[l.opml]\ncontent_type = opml",
        ['2: content_type says that l.opml is a list; put its path under "subscriptions"'],
    ),
    case(
        "another list",
        "[http://a.example/l]\ncontent_type = foaf",
        ["2: content_type is foaf: only lists in OPML are read; http://a.example/l is left out"],
    ),
)
def test_what_venus_says_and_planet_cannot_is_told(feed: str, words: list[str]) -> None:
    assert left(read_planet_ini(feed.encode(), file="f")) == words


def test_a_reading_list_of_venus_is_a_subscription_list() -> None:
    found = read_planet_ini(
        b"[https://a.example/l]\ncontent_type = opml\nname = L\nxml_base = x", file="f"
    )

    assert [wanted.settings for wanted in found.lists] == [{"url": "https://a.example/l"}]
    assert left(found) == [f"4: xml_base {TEXT}"]


def test_a_config_in_an_old_encoding_is_read() -> None:
    (one,) = taken(read_planet_ini("[http://a.example/f]\nname = Renée".encode("cp1252"), file="f"))

    assert one == {"url": "http://a.example/f", "name": "Renée"}


def test_nothing_is_taken_from_the_environment_that_another_planet_names() -> None:
    text = b"[http://a.example/f]\nname = ${HOME}\nexclude = ${HOME}"

    (one,) = taken(read_planet_ini(text, file="f"))

    assert one is not None
    assert "${" not in str(one)


def test_a_planet_of_pluto_is_taken_over() -> None:
    found = read_planet_ini(
        b"title = Planet Ruby\nauthor = Ann\nspeed = 5\nsource1 = https://a.example/more.ini\n\n"
        b"[lang]\n  title = Ruby\n  link  = http://ruby.example/\n  feed  = http://ruby.example/f\n"
        b"  twitter = ruby\n  github = no/handle\n  location = pt_BR\n  email = a@ruby.example\n"
        b"  author = irc:ann member\n  avatar = ann.png\n"
        b"[none]\n  title = No feed\n  location = Wien\n  author = https://ann.example/\n",
        file="f",
    )

    assert convert_planet(found.planet).settings == {
        "title": "Planet Ruby",
        "owner": {"name": "Ann"},
    }
    assert taken(found) == [
        {
            "url": "http://ruby.example/f",
            "name": "Ruby",
            "link": "http://ruby.example/",
            "links": {"x": "ruby"},
            "language": "pt-BR",
            "extra": {
                "email": "a@ruby.example",
                "irc": "ann",
                "member": "yes",
                "avatar": "ann.png",
            },
        },
        {
            "url": "none",
            "name": "No feed",
            "extra": {"location": "Wien"},
            "author": "https://ann.example/",
        },
    ]
    assert left(found) == [
        f"3: speed {NO_SETTING}",
        "4: source1 names another list of feeds; import that one, too",
        '11: links.github must be a handle of GitHub such as "ann", or a web address, '
        'not "no/handle"',
        "15: avatar is a file of a site whose address is not known; put it beside the config, and "
        "write its path: image: faces/ann.png",
    ]
    assert [str(each) for feed in found.feeds for each in convert_feed(feed).repairs] == [
        "f:12:1  location is a language, and read as that"
    ]
    assert kept(found)[0] == (
        "13: email is kept under extra, for templates of your own; under links, as email, it is "
        "shown"
    )


@cases(
    "written, read",
    case("before an address", "feed:https://a.example/f", "https://a.example/f"),
    case("before one without TLS", "FEED:http://a.example/f", "http://a.example/f"),
    case("in place of https:", "feed://a.example/f", "https://a.example/f"),
    case("with both", "feed://https://a.example/f", "https://a.example/f"),
)
def test_an_address_that_begins_with_feed_is_rewritten(written: str, read: str) -> None:
    (wanted,) = read_planet_ini(f"[{written}]".encode(), file="f").feeds

    item, problems, repairs = convert_feed(wanted)

    assert (item, problems) == ({"url": read}, ())
    assert [str(each) for each in repairs] == [
        f'f:1:1  its address begins with "feed:" and is read as {read}'
    ]


def test_a_wrong_value_of_a_planet_is_named_and_the_rest_is_taken() -> None:
    found = read_planet_ini(
        b"[Planet]\nname = T\nlink = somewhere\nowner_email = nobody\n", file="f"
    )

    assert convert_planet(found.planet)[0] == {"title": "T"}
    assert left(found) == [
        "3: link must be a web address that begins with https:// or http://",
        "4: owner.email must be a mail address",
    ]
