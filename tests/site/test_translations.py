"""What Planet says in other languages: whole catalogues, and the dates of CLDR."""

import re
from collections.abc import Sequence
from datetime import datetime
from gettext import c2py
from pathlib import Path

import pytest
from babel import Locale
from babel.messages.pofile import read_po

from planet.model import DueReason, GivenUp
from planet.site.words import FOLDER, TEMPLATE, load, read, speak
from tests.cases import case, cases
from tests.processes import python

MOMENT = datetime(2026, 11, 20, 14, 5)  # noqa: DTZ001 - as local as a page shows it
CATALOGUES = sorted(FOLDER.glob("*.po"))
REGIONS = [file for file in CATALOGUES if re.search("_[A-Z]{2}$", file.stem)]
MACHINE_MADE = [
    file for file in CATALOGUES if '"X-Machine-Made: yes\\n"' in file.read_text(encoding="utf-8")
]
WHOLE = [file for file in CATALOGUES if file not in (*REGIONS, *MACHINE_MADE)]
LANGUAGES = sorted(["en", *(file.stem.replace("_", "-") for file in CATALOGUES)])
WORDS = speak("en")
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


def test_the_template_has_its_words_in_order_and_one_for_every_reason() -> None:
    assert list(ENGLISH) == [
        *sorted(name for name in ENGLISH if name and "." not in name),
        *(f"reasons.{name}" for name in WORDS.reasons),
        *(f"endings.{name}" for name in WORDS.endings),
    ]
    assert set(WORDS.reasons) == {reason.name.lower() for reason in DueReason}
    assert set(WORDS.endings) == {reason.name.lower() for reason in GivenUp}


@pytest.mark.parametrize("file", WHOLE, ids=name)
def test_a_catalogue_says_all_that_the_template_says_and_no_more(file: Path) -> None:
    messages = read(file)

    assert {message.context: message.id for message in messages} == ENGLISH
    assert [message.context for message in messages if message.fuzzy] == []
    assert [message.context for message in messages if not all(forms(message.string))] == []


@pytest.mark.parametrize("file", MACHINE_MADE, ids=name)
def test_a_machine_made_catalogue_says_what_the_template_says_as_far_as_it_goes(file: Path) -> None:
    assert {message.context: message.id for message in read(file)}.items() <= ENGLISH.items()


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


@pytest.mark.parametrize("file", REGIONS, ids=name)
def test_a_catalogue_of_a_region_has_only_what_is_said_otherwise_there(file: Path) -> None:
    language = file.with_stem(file.stem.partition("_")[0])
    whole = {message.context: message for message in read(language)}
    counts_alike = counted(file) == counted(language)

    own = read(file)

    assert {message.context: message.id for message in own}.items() <= ENGLISH.items()
    assert [
        message.context
        for message in own
        if message.string == whole[message.context].string
        and (counts_alike or not message.pluralizable)
    ] == []


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
        ("es", ["0 entradas", "1 entrada", "2 entradas", "11 entradas", "1.234 entradas"]),
        (
            "pt",
            [
                *("0 publicação", "1 publicação", "2 publicações", "11 publicações"),
                "1.234 publicações",
            ],
        ),
        pytest.param(
            "pt-PT",
            [
                *("0 publicações", "1 publicação", "2 publicações", "11 publicações"),
                "1\xa0234 publicações",
            ],
            id="words of the language, forms of the region",
        ),
        ("ja", ["0件の記事", "1件の記事", "2件の記事", "11件の記事", "1,234件の記事"]),
        ("ru", ["0 записей", "1 запись", "2 записи", "11 записей", "1\xa0234 записи"]),
        ("cs", ["0 příspěvků", "1 příspěvek", "2 příspěvky", "11 příspěvků", "1\xa0234 příspěvků"]),
        ("pl", ["0 wpisów", "1 wpis", "2 wpisy", "11 wpisów", "1\xa0234 wpisy"]),
        ("id", ["0 tulisan", "1 tulisan", "2 tulisan", "11 tulisan", "1.234 tulisan"]),
        ("ar", ["لا منشورات", "منشور واحد", "منشوران", "11 منشورًا", "1,234 منشورًا"]),
    ],
)
def test_posts_are_counted_in_the_plural_forms_of_the_language(
    tag: str, expected: list[str]
) -> None:
    said = [speak(tag).posts(count) for count in (0, 1, 2, 11, 1234)]

    # In Switzerland thousands are set off by either apostrophe, by the version of the CLDR.
    assert [words.replace("’", "'") for words in said] == expected


RUSSIAN = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && "
"(n%100<10 || n%100>=20) ? 1 : 2);\\n"

#, python-brace-format
msgctxt "posts"
msgid "{count} post"
msgid_plural "{count} posts"
msgstr[0] "{count} запись"
msgstr[1] "{count} записи"
msgstr[2] "{count} записей"

#, fuzzy
msgctxt "sources"
msgid "Sources"
msgstr "?"

msgctxt "tags"
msgid "Tags"
msgstr ""
"""


def test_words_in_another_script_are_not_borrowed(tmp_path: Path) -> None:
    for language in ("zh", "zh_Hant"):
        text = (FOLDER / f"{language}.po").read_text(encoding="utf-8")
        (tmp_path / f"{language}.po").write_text(text.replace("訂閱", ""), encoding="utf-8")

    assert load("zh-TW", folder=tmp_path).subscribe == "Subscribe"


def test_a_catalogue_is_read_as_translators_leave_it(tmp_path: Path) -> None:
    (tmp_path / "ru.po").write_text(RUSSIAN, encoding="utf-8")

    words = load("ru-RU", folder=tmp_path)

    assert [words.posts(count) for count in (0, 1, 2, 5, 11, 21, 22, 112)] == [
        *("0 записей", "1 запись", "2 записи", "5 записей"),
        *("11 записей", "21 запись", "22 записи", "112 записей"),
    ]
    assert (words.sources, words.tags, words.website) == ("Sources", "Tags", "Website")


@pytest.mark.parametrize(
    ("tag", "weekday", "both", "month"),
    [
        ("en", "Friday", "20 November 2026, 14:05", "November 2026"),
        ("en-GB", "Friday", "20 November 2026, 14:05", "November 2026"),
        ("en-US", "Friday", "November 20, 2026, 2:05\u202fPM", "November 2026"),
        ("de", "Freitag", "20. November 2026, 14:05", "November 2026"),
        ("fr", "Vendredi", "20 novembre 2026, 14:05", "novembre 2026"),
        ("fr-CA", "Vendredi", "20 novembre 2026, 14 h 05", "novembre 2026"),
        ("es", "Viernes", "20 de noviembre de 2026, 14:05", "noviembre de 2026"),
        ("pt", "Sexta-feira", "20 de novembro de 2026 14:05", "novembro de 2026"),
        ("pt-BR", "Sexta-feira", "20 de novembro de 2026 14:05", "novembro de 2026"),
        ("pt-PT", "Sexta-feira", "20 de novembro de 2026, 14:05", "novembro de 2026"),
        ("ja", "金曜日", "2026年11月20日 14:05", "2026年11月"),
        ("ar", "الجمعة", "20 نوفمبر 2026، 2:05 م", "نوفمبر 2026"),
        ("pl", "Piątek", "20 listopada 2026, 14:05", "listopad 2026"),
        ("zh-TW", "星期五", "2026年11月20日 下午2:05", "2026年11月"),
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
        ("de-AT", "Quellen", "Abonnieren"),
        ("de-DE-1996-x-mine", "Quellen", "Abonnieren"),
        ("PT-br", "Fontes", "Assinar"),
        pytest.param("pt-PT", "Fontes", "Subscrever", id="one from the language, one its own"),
        pytest.param("pt-AO", "Fontes", "Subscrever", id="as in another country"),
        ("pt-BR", "Fontes", "Assinar"),
        ("zh-CN", "来源", "订阅"),
        ("zh-HK", "來源", "訂閱"),
        pytest.param("sv", "Sources", "Subscribe", id="no words"),
        pytest.param("xx-Latn-YY", "Sources", "Subscribe", id="nothing is known"),
    ],
)
def test_words_come_from_the_nearest_language(tag: str, sources: str, subscribe: str) -> None:
    words = speak(tag)

    assert (words.sources, words.subscribe) == (sources, subscribe)


@pytest.mark.parametrize("tag", LANGUAGES)
@pytest.mark.parametrize("year", [1, 1582, 1899, 9999])
def test_every_year_can_be_written(tag: str, year: int) -> None:
    words, moment = speak(tag), MOMENT.replace(year=year)

    said = (words.both(moment), words.month(year, 1), words.weekday(moment))

    assert all(said)
    assert str(year) in said[0]


@pytest.mark.parametrize(
    ("tag", "expected"), [("de", "1,2 MB"), ("fr", "1,2 Mo"), ("ja", "1.2 MB"), ("ar", "1.2 م.ب")]
)
def test_a_size_has_the_units_and_the_comma_of_the_language(tag: str, expected: str) -> None:
    assert speak(tag).size(1_249_000) == expected


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


def test_other_words_have_another_version() -> None:
    versions = [speak(tag).version for tag in (*LANGUAGES, "de-AT", "xx")]

    assert len(set(versions)) == len(versions)
