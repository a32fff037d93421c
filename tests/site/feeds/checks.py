"""Every file of a site's feeds, held against the rules of its format."""

import json
from collections.abc import Mapping
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # it ships no types

from tests.site.feeds import opml20, rfc4287, rss20

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "schemas" / "jsonfeed-1.1.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def problems(documents: Mapping[str, bytes]) -> dict[str, list[str]]:
    """What is wrong with files, by path; those with nothing wrong are left out."""
    found = {path: of_file(path, document) for path, document in documents.items()}
    return {path: wrong for path, wrong in found.items() if wrong}


def of_file(path: str, document: bytes) -> list[str]:
    """What is wrong with one file, in words."""
    match path.rpartition("/")[2]:
        case "atom.xml" | "digest.xml":
            return rfc4287.problems(document)
        case "podcast.xml":
            return rss20.problems(document)
        case "rss.xml":
            return rss20.problems(document, is_podcast=False)
        case "opml.xml":
            return opml20.problems(document)
        case "feed.json":
            return [error.message for error in VALIDATOR.iter_errors(json.loads(document))]
        case _:
            return []
