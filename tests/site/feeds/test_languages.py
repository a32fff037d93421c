"""What Planet itself says in its feeds, in the planet's language."""

import io
from datetime import UTC, datetime

import feedparser  # type: ignore[import-untyped]  # it ships no types
import pytest

from tests.site.feeds.make import make_edition, make_entry, make_picked, make_source, written
from tests.site.feeds.test_digests import make_digest, planet


@pytest.mark.parametrize(
    ("language", "title", "entry"),
    [
        ("en", "Digest", "Digest of 20 November 2026"),
        ("en-US", "Digest", "Digest of November 20, 2026"),
        ("de", "Überblick", "Überblick vom 20. November 2026"),
        ("fr", "Récapitulatif", "Récapitulatif du 20 novembre 2026"),
        ("es", "Resumen", "Resumen del 20 de noviembre de 2026"),
        ("pt-PT", "Resumo", "Resumo de 20 de novembro de 2026"),
        ("ja", "ダイジェスト", "2026年11月20日のダイジェスト"),
        ("ar", "الملخص", "ملخص 20 نوفمبر 2026"),
    ],
)
def test_a_digest_is_called_in_the_language_of_the_planet(
    language: str, title: str, entry: str
) -> None:
    files = written(planet(make_digest(), language=language))

    parsed = feedparser.parse(io.BytesIO(files["digest.xml"]))
    assert (parsed.feed.title, parsed.entries[0].title) == (f"Planet Test: {title}", entry)


def test_when_a_pick_was_published_is_said_as_the_planet_speaks() -> None:
    entry = make_entry(-1, published=datetime(2024, 5, 3, tzinfo=UTC), summary="S")
    post = make_picked(entry, make_source())

    files = written(make_edition(post, language="de"))

    parsed = feedparser.parse(io.BytesIO(files["atom.xml"]))
    assert parsed.entries[0].content[0].value.startswith("<p><em>Erschienen am 3. Mai 2024</em>")
