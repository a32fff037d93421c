"""Pages in the planet's language, with posts in others; words and catalogues."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from gettext import c2py
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel import Locale
from babel.messages.pofile import read_po
from msgspec.structs import replace

from planet.site.pages import load_theme
from planet.site.words import FOLDER, TEMPLATE, Phrase, direction, read, speak
from tests.cases import case, cases
from tests.processes import python
from tests.site.editions import (
    Document,
    drawn,
    hours_before,
    make_audio,
    make_edition,
    make_picked,
    make_post,
    make_source,
    make_whole_edition,
)

THEMES = ["default", "classic", "headlines"]
POST = make_post(1, language="en", title="Tide, again?", enclosures=(make_audio(),))
PICKED = make_picked(2, make_source("two"), language="en", published=hours_before(99))


class Directions(HTMLParser):
    """The text by which each element with `dir="auto"` runs: its first letter decides.

    What stands in `bdi`, or in an element with a direction of its own, does not count (HTML
    Standard, "The dir attribute").
    """

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.said: list[str] = []
        # For each open element, where its text counts.
        self._open: list[list[int]] = [[]]
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"meta", "link", "img", "br", "hr", "input"}:
            return
        counts = [] if tag == "bdi" or dict(attrs).get("dir") else self._open[-1]
        if dict(attrs).get("dir") == "auto":
            counts = [len(self.said)]
            self.said.append("")
        self._open.append(counts)

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for place in self._open[-1]:
            self.said[place] += data

    def runs(self, text: str) -> set[str]:
        """How those elements run that this text stands in."""
        return {_runs(said) for said in self.said if text in said}


def _runs(text: str) -> str:
    kinds = [unicodedata.bidirectional(each) for each in text]
    return next((kind for kind in kinds if kind in {"L", "R", "AL"}), "")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("path", ["index.html", "2026/11/index.html", "source/one/index.html"])
def test_a_post_runs_as_its_own_text_whatever_the_language_of_the_planet(
    theme: str, path: str
) -> None:
    site = drawn(make_edition(POST, PICKED, language="ar"), theme=load_theme(theme))

    assert Directions(site[path]).runs("Tide, again?") == {"L"}


def test_what_the_planet_says_of_a_post_is_marked_as_its_own_language() -> None:
    site = drawn(make_edition(POST, language="de"))

    page = Document(site["index.html"])
    assert [each.attributes.get("lang") for each in page.all("article", "p")] == [
        None,  # how many sources there are
        *("en", "de"),  # the post, and where it is from
        "de",  # its file
        *(None, None, None),
    ]


@pytest.mark.parametrize(
    ("language", "theme"),
    [
        *((language, "default") for language in ("ar", "de", "ja", "ru", "zh-Hant", "tlh", "fa")),
        *(("ar", theme) for theme in THEMES[1:]),
    ],
)
def test_every_page_can_be_made_in_each_language(language: str, theme: str) -> None:
    edition = replace(make_whole_edition(), language=language)

    site = drawn(edition, theme=load_theme(theme))

    pages = [Document(body).all("html")[0] for path, body in site.items() if path.endswith(".html")]
    assert {(page["lang"], page["dir"]) for page in pages} == {(language, direction(language))}


WORDS = speak("en")


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (None, None),
        (0, None),
        (999, "999 B"),
        (9_949, "9.9 kB"),
        (9_950, "10 kB"),
        (999_500, "1 MB"),
        (1_250_000_000, "1.2 GB"),
        (5 * 10**15, "5,000 TB"),
    ],
)
def test_a_size_is_told_in_decimal_units(length: int | None, expected: str | None) -> None:
    assert WORDS.size(length) == expected


@cases(
    "text, name, expected",
    case("both to the right", "All of {name}", "C++!", "All of C++!"),
    case("a name to the left", "All of {name}", "مدونة", "All of \u2068مدونة\u2069"),
    case("both to the left", "כל {name}", "מה?", "כל מה?"),
    case("a name to the right", "كل {name}", "C++!", "كل \u2068C++!\u2069"),
    case("a number", "كل {name}", "2026", "كل 2026"),
    case("Japanese", "{name}の記事", "Blog", "Blogの記事"),
    case("braces", "All of {name}", "{0} {name}", "All of {0} {name}"),
)
def test_a_name_that_runs_the_other_way_is_kept_apart(text: str, name: str, expected: str) -> None:
    assert Phrase(text)(name) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "ltr"),
        ("ar", "rtl"),
        ("fa-IR", "rtl"),
        pytest.param("az-Arab-IR", "rtl", id="a script that is not the usual one"),
        pytest.param("ar-Latn", "ltr", id="Arabic in Latin letters"),
        pytest.param("ku-Arab", "rtl", id="a script that CLDR has no dates for"),
        pytest.param("pa-PK", "rtl", id="a country that uses another script"),
        pytest.param("ar-x-mine", "rtl", id="four letters of one's own are no script"),
        pytest.param("xx", "ltr", id="nothing is known"),
        pytest.param("de-1996", "ltr", id="four digits are no script"),
    ],
)
def test_a_language_runs_in_the_direction_of_its_script(language: str, expected: str) -> None:
    assert direction(language) == expected


MOMENT = datetime(2026, 11, 20, 14, 5)  # noqa: DTZ001 - as local as a page shows it
CATALOGUES = sorted(FOLDER.glob("*.po"))
REGIONS = [file for file in CATALOGUES if re.search("_[A-Z]{2}$", file.stem)]
MACHINE_MADE = [
    file for file in CATALOGUES if '"X-Machine-Made: yes\\n"' in file.read_text(encoding="utf-8")
]
WHOLE = [file for file in CATALOGUES if file not in (*REGIONS, *MACHINE_MADE)]
LANGUAGES = sorted(["en", *(file.stem.replace("_", "-") for file in CATALOGUES)])
ENGLISH = {message.context: message.id for message in read(TEMPLATE)}


def name(file: Path) -> str:
    return file.stem


def forms(text: str | Sequence[str] | None) -> Sequence[str]:
    return [text] if isinstance(text, str) else text or [""]


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(.*?)\}", text))


def counted(file: Path) -> list[tuple[str, int]]:
    """For each number the plural category of CLDR, and which form a catalogue has for it."""
    with file.open("rb") as content:
        form = c2py(read_po(content).plural_expr)
    return [(Locale.parse(file.stem).plural_form(count), form(count)) for count in range(1000)]


def test_there_are_words_in() -> None:
    assert [
        *("ar", "cs", "de", "el", "en", "es", "fr", "id", "it", "ja", "nl", "pl", "pt", "pt-PT"),
        *("ru", "zh", "zh-Hant"),
    ] == LANGUAGES


@pytest.mark.parametrize("file", WHOLE, ids=name)
def test_a_catalogue_says_all_that_the_template_says_and_no_more(file: Path) -> None:
    messages = read(file)

    assert {message.context: message.id for message in messages} == ENGLISH
    assert [message.context for message in messages if message.fuzzy] == []
    assert [message.context for message in messages if not all(forms(message.string))] == []


@pytest.mark.parametrize("file", CATALOGUES, ids=name)
def test_a_catalogue_has_the_placeholders_of_the_english(file: Path) -> None:
    spoken = {form for category, form in counted(file) if category in ("zero", "one", "two")}

    for message in read(file):
        wanted = placeholders(forms(message.id)[-1])
        for number, text in enumerate(forms(message.string) if all(forms(message.string)) else ()):
            # "One post" and "two posts" can be said without a number.
            unsaid = {"count"} if message.pluralizable and number in spoken else set()
            assert placeholders(text) | unsaid == wanted | unsaid, message.context
            assert message.python_brace_format == bool(wanted), message.context


@pytest.mark.parametrize("file", CATALOGUES, ids=name)
def test_a_catalogue_has_the_plural_forms_of_its_language(file: Path) -> None:
    pairs = dict.fromkeys(counted(file))
    categories, numbers = zip(*pairs, strict=True)

    assert sorted(numbers) == list(range(len(set(categories))))
    assert {len(forms(message.string)) for message in read(file) if message.pluralizable} == {
        len(pairs)
    }


@pytest.mark.parametrize("file", [TEMPLATE, *CATALOGUES], ids=name)
def test_no_word_is_html(file: Path) -> None:
    said = [text for each in read(file) for text in (*forms(each.id), *forms(each.string))]

    assert [text for text in said if re.search("[<>&]", text)] == []


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("en", ["0 posts", "1 post", "2 posts", "11 posts", "1,234 posts"]),
        ("de", ["0 Beiträge", "1 Beitrag", "2 Beiträge", "11 Beiträge", "1.234 Beiträge"]),
        ("de-CH", ["0 Beiträge", "1 Beitrag", "2 Beiträge", "11 Beiträge", "1'234 Beiträge"]),
        ("fr", ["0 article", "1 article", "2 articles", "11 articles", "1\u202f234 articles"]),
        pytest.param(
            "pt-PT",
            [
                *("0 publicações", "1 publicação", "2 publicações", "11 publicações"),
                "1\xa0234 publicações",
            ],
            id="words of the language, forms of the region",
        ),
        ("ar", ["لا منشورات", "منشور واحد", "منشوران", "11 منشورًا", "1,234 منشورًا"]),
    ],
)
def test_posts_are_counted_in_the_plural_forms_of_the_language(
    tag: str, expected: list[str]
) -> None:
    said = [speak(tag).posts(count) for count in (0, 1, 2, 11, 1234)]

    # In Switzerland thousands are set off by either apostrophe, by the version of the CLDR.
    assert [words.replace("’", "'") for words in said] == expected


@pytest.mark.parametrize(
    ("tag", "weekday", "both", "month"),
    [
        ("en", "Friday", "20 November 2026, 14:05", "November 2026"),
        ("en-US", "Friday", "November 20, 2026, 2:05\u202fPM", "November 2026"),
        ("de", "Freitag", "20. November 2026, 14:05", "November 2026"),
        ("fr", "Vendredi", "20 novembre 2026, 14:05", "novembre 2026"),
        ("pt-PT", "Sexta-feira", "20 de novembro de 2026, 14:05", "novembro de 2026"),
        ("ar", "الجمعة", "20 نوفمبر 2026، 2:05 م", "نوفمبر 2026"),
        pytest.param("sv", "Fredag", "20 november 2026 14:05", "november 2026", id="no words"),
        pytest.param(
            "tlh", "Friday", "20 November 2026, 14:05", "November 2026", id="nothing is known"
        ),
    ],
)
def test_a_moment_is_written_in_the_language_of_the_planet(
    tag: str, weekday: str, both: str, month: str
) -> None:
    words = speak(tag)

    assert (words.weekday(MOMENT), words.both(MOMENT), words.month(2026, 11)) == (
        weekday,
        both,
        month,
    )


@pytest.mark.parametrize(
    ("tag", "sources", "subscribe"),
    [
        ("de-DE-1996-x-mine", "Quellen", "Abonnieren"),
        pytest.param("pt-PT", "Fontes", "Subscrever", id="one from the language, one its own"),
        pytest.param("pt-AO", "Fontes", "Subscrever", id="as in another country"),
        ("zh-HK", "來源", "訂閱"),
        pytest.param("sv", "Sources", "Subscribe", id="no words"),
        pytest.param("xx-Latn-YY", "Sources", "Subscribe", id="nothing is known"),
    ],
)
def test_words_come_from_the_nearest_language(tag: str, sources: str, subscribe: str) -> None:
    words = speak(tag)

    assert (words.sources, words.subscribe) == (sources, subscribe)


@cases(
    "host",
    case("none", {"LC_ALL": "C"}),
    case("another", {"LC_ALL": "ar_EG.UTF-8", "LANGUAGE": "ar"}),
    case("nonsense", {"LC_ALL": "xx_not!!"}),
    case("no time zone", {"TZ": "No/Where"}),
)
def test_the_language_of_the_host_changes_nothing(host: dict[str, str]) -> None:
    code = (
        "from datetime import datetime; from planet.site.words import speak; w = speak('de');"
        "print(ascii((w.both(datetime(2026, 3, 1, 14, 5)), w.posts(1234), w.version)))"
    )
    words = speak("de")

    said = python("-W", "error", "-c", code, folder=Path(), **host).stdout

    moment = MOMENT.replace(month=3, day=1)
    assert said == f"{(words.both(moment), words.posts(1234), words.version)!a}\n"
