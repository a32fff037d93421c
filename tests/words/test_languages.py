"""What Planet says in other languages: whole catalogues, and the dates of CLDR."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import planet
from planet.model import DueReason, GivenUp
from planet.site.words import ENGLISH, FOLDER, TABLES, Words, locale, read, speak

MOMENT = datetime(2026, 11, 20, 14, 5)  # noqa: DTZ001 - as local as a page shows it
LANGUAGES = sorted(file.stem for file in FOLDER.iterdir())
WHOLE = [tag for tag in LANGUAGES if "-" not in tag]
WORDS = [word.name for word in fields(Words) if word.name not in {"locale", "version"}]


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(.*?)\}", text))


def needed(tag: str) -> set[str]:
    """The plural categories that numbers of things have in a language."""
    return {locale(tag).plural(count) for count in range(1000)} | {"other"}


def flat(catalogue: dict[str, Any]) -> dict[str, Any]:
    """A catalogue without its tables, whose words it has under names of two parts."""
    tables = {f"{name}.{key}": said for name in TABLES for key, said in catalogue[name].items()}
    return {name: said for name, said in catalogue.items() if name not in TABLES} | tables


def test_there_are_words_in() -> None:
    assert LANGUAGES == ["ar", "de", "en", "es", "fr", "ja", "pt", "pt-PT"]


@pytest.mark.parametrize("tag", WHOLE)
def test_a_catalogue_has_every_word_in_the_same_order_and_no_other(tag: str) -> None:
    catalogue = read(tag)

    assert list(catalogue) == WORDS
    assert set(catalogue["reasons"]) == {reason.name.lower() for reason in DueReason}
    assert set(catalogue["endings"]) == {reason.name.lower() for reason in GivenUp}


@pytest.mark.parametrize("tag", WHOLE)
def test_a_catalogue_has_the_placeholders_of_the_english(tag: str) -> None:
    english, own = flat(read(ENGLISH)), flat(read(tag))

    for name, said in own.items():
        if isinstance(said, str):
            assert placeholders(said) == placeholders(english[name]), name
        else:
            wanted = placeholders(english[name]["other"])
            for category, form in said.items():
                # "One post" and "two posts" can be said without a number.
                spoken = {"count"} if category in {"zero", "one", "two"} else set()
                assert placeholders(form) | spoken == wanted, (name, category)


@pytest.mark.parametrize("tag", WHOLE)
def test_a_catalogue_has_the_plural_forms_of_its_language_and_no_other(tag: str) -> None:
    counted = {name: set(said) for name, said in flat(read(tag)).items() if isinstance(said, dict)}

    assert counted == dict.fromkeys(counted, needed(tag))


@pytest.mark.parametrize("tag", [tag for tag in LANGUAGES if "-" in tag])
def test_a_catalogue_of_a_region_has_only_what_is_said_otherwise_there(tag: str) -> None:
    catalogue, whole = read(tag), flat(read(tag.partition("-")[0]))

    own = flat({name: {} for name in TABLES} | catalogue)

    assert own.keys() <= whole.keys()
    assert [name for name, said in own.items() if said == whole[name]] == []
    assert {name: placeholders(str(said)) for name, said in own.items()} == {
        name: placeholders(str(whole[name])) for name in own
    }


@pytest.mark.parametrize("tag", LANGUAGES)
def test_no_word_is_html(tag: str) -> None:
    assert re.findall("[<>&]", str(read(tag))) == []


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("en", ["0 posts", "1 post", "2 posts", "11 posts", "1,234 posts"]),
        ("de", ["0 Beiträge", "1 Beitrag", "2 Beiträge", "11 Beiträge", "1.234 Beiträge"]),
        ("de-CH", ["0 Beiträge", "1 Beitrag", "2 Beiträge", "11 Beiträge", "1’234 Beiträge"]),
        ("fr", ["0 article", "1 article", "2 articles", "11 articles", "1\u202f234 articles"]),
        ("es", ["0 entradas", "1 entrada", "2 entradas", "11 entradas", "1.234 entradas"]),
        (
            "pt",
            [
                *("0 publicação", "1 publicação", "2 publicações", "11 publicações"),
                "1.234 publicações",
            ],
        ),
        ("ja", ["0件の記事", "1件の記事", "2件の記事", "11件の記事", "1,234件の記事"]),
        ("ar", ["لا منشورات", "منشور واحد", "منشوران", "11 منشورًا", "1,234 منشورًا"]),
    ],
)
def test_posts_are_counted(tag: str, expected: list[str]) -> None:
    assert [speak(tag).posts(count) for count in (0, 1, 2, 11, 1234)] == expected


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        pytest.param(0, "لا مصادر", id="none"),
        pytest.param(1, "مصدر واحد", id="one"),
        pytest.param(2, "مصدران", id="two"),
        pytest.param(10, "10 مصادر", id="few"),
        pytest.param(99, "99 مصدرًا", id="many"),
        pytest.param(102, "102 مصدر", id="others"),
    ],
)
def test_arabic_has_six_forms(count: int, expected: str) -> None:
    assert speak("ar").source_count(count) == expected


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
        pytest.param("pl", "Piątek", "20 listopada 2026, 14:05", "listopad 2026", id="no words"),
        pytest.param(
            "tlh", "Friday", "20 November 2026, 14:05", "November 2026", id="nothing is known"
        ),
    ],
)
def test_a_moment_is_written(tag: str, weekday: str, both: str, month: str) -> None:
    words = speak(tag)

    assert (words.weekday(MOMENT), words.both(MOMENT), words.month(2026, 11)) == (
        weekday,
        both,
        month,
    )


@pytest.mark.parametrize(
    ("tag", "word"),
    [
        ("de-AT", "Quellen"),
        ("de-DE-1996-x-mine", "Quellen"),
        ("PT-br", "Fontes"),
        pytest.param("pt-PT", "Fontes", id="from the language, not the region"),
        pytest.param("pl", "Sources", id="no words"),
        pytest.param("xx-Latn-YY", "Sources", id="nothing is known"),
    ],
)
def test_words_come_from_the_nearest_language(tag: str, word: str) -> None:
    assert speak(tag).sources == word


@pytest.mark.parametrize(
    ("tag", "word"), [("pt", "Assinar"), ("pt-PT", "Subscrever"), ("pt-AO", "Subscrever")]
)
def test_portuguese_is_that_of_its_country(tag: str, word: str) -> None:
    words = speak(tag)

    assert words.subscribe == word
    assert words.because(DueReason.HOST) == "o servidor é deixado em paz por enquanto"


@pytest.mark.parametrize("tag", LANGUAGES)
@pytest.mark.parametrize("year", [1, 1582, 1899, 9999])
def test_every_year_can_be_written(tag: str, year: int) -> None:
    words, moment = speak(tag), MOMENT.replace(year=year)

    said = (words.both(moment), words.month(year, 1), words.weekday(moment))

    assert all(said)
    assert str(year) in said[0]


@pytest.mark.parametrize(
    ("tag", "expected"),
    [("de", "1,2 MB"), ("fr", "1,2 Mo"), ("ja", "1.2 MB"), ("ar", "1.2 م.ب")],
)
def test_a_size_has_the_units_and_the_comma_of_the_language(tag: str, expected: str) -> None:
    assert speak(tag).size(1_249_000) == expected


@pytest.mark.parametrize(
    "host",
    [
        pytest.param({"LC_ALL": "C"}, id="none"),
        pytest.param({"LC_ALL": "ar_EG.UTF-8", "LANGUAGE": "ar"}, id="another"),
        pytest.param({"LC_ALL": "xx_not!!"}, id="nonsense"),
        pytest.param({"TZ": "No/Where"}, id="no time zone"),
    ],
)
def test_the_language_of_the_host_changes_nothing(host: dict[str, str]) -> None:
    code = (
        "from datetime import datetime; from planet.site.words import speak; w = speak('de');"
        "print(ascii((w.both(datetime(2026, 3, 1, 14, 5)), w.posts(1234), w.version)))"
    )
    words = speak("de")

    said = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(Path(planet.__file__).parents[1])} | host,
    ).stdout

    moment = MOMENT.replace(month=3, day=1)
    assert said == f"{(words.both(moment), words.posts(1234), words.version)!a}\n"


def test_other_words_have_another_version() -> None:
    versions = [speak(tag).version for tag in (*LANGUAGES, "de-AT", "xx")]

    assert len(set(versions)) == len(versions)
