"""Every file of a site's feeds, held against schemas and readers that others keep."""

import io
import json
from collections.abc import Mapping
from pathlib import Path

import feedparser  # type: ignore[import-untyped]  # it ships no types
import jsonschema  # type: ignore[import-untyped]  # it ships no types
import listparser

ATOM = "{http://www.w3.org/2005/Atom}"
LANG = "{http://www.w3.org/XML/1998/namespace}lang"
ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
CONTENT = "{http://purl.org/rss/1.0/modules/content/}"

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "schemas" / "jsonfeed-1.1.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def problems(documents: Mapping[str, bytes]) -> dict[str, list[str]]:
    """What is wrong with files, by path; those with nothing wrong are left out."""
    found = {path: _of_file(path, document) for path, document in documents.items()}
    return {path: wrong for path, wrong in found.items() if wrong}


def _of_file(path: str, document: bytes) -> list[str]:
    """What a schema or a reader says against one file, in words."""
    match path.rpartition("/")[2]:
        case "atom.xml" | "digest.xml":
            return _of_feed(document, "atom10")
        case "podcast.xml":
            return _of_feed(document, "rss20")
        case "opml.xml":
            read = listparser.parse(document)
            return [str(read.bozo_exception)] if read.bozo else []
        case "feed.json":
            return [error.message for error in VALIDATOR.iter_errors(json.loads(document))]
        case _:
            return []


def _of_feed(document: bytes, version: str) -> list[str]:
    read = feedparser.parse(io.BytesIO(document))
    wrong = [f"is {read.version!r}"] * (read.version != version)
    wrong += [str(read.bozo_exception)] if read.bozo else []
    ids = [entry.get("id") for entry in read.entries]
    wrong += ["an entry without an id, or two with one"] * (len({*ids} - {None}) < len(ids))
    wrong += [
        f"{entry.id} has no date" for entry in read.entries if not entry.get("published_parsed")
    ]
    return wrong + ["the feed has no title"] * ("title" not in read.feed)
