"""Picks into `picks.yaml` and out of it, in the text of the file: all else in it stays as it is."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from msgspec import to_builtins
from msgspec.structs import asdict, replace

from planet.config import edits, yaml
from planet.config.picks import EPISODE_FIELDS, SAME_FIELDS, PickSettings, is_blank, parse_picks
from planet.errors import ConfigError, Place, Problem
from planet.model import Enclosure, Episode, Origin, Person, Pick, TextKind, Transcript

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from planet.config.yaml import KeyPath


_NEW: Final = """\
# The episodes that were picked: `planet pick` adds to them, `planet unpick` takes from them.
# A pick that is written by hand needs title, picked and enclosure.
"""


def add_picks(text: str, new: Sequence[Pick], *, file: str) -> str:
    """Add picks to the end of the list in the text of `file`; an empty text becomes a new file.

    Raises:
        ConfigError: the file has mistakes, or is not written in lines that can be added to.
    """
    before = text or _NEW
    if is_blank(text.encode()):
        before += "picks:" if before.endswith("\n") else "\npicks:"
    meant = [replace(pick, place=None) for pick in (*_read(text, file), *new)]
    # Some texts of feeds cannot be written into the file.
    with suppress(ConfigError):
        after = edits.add_items(
            before, [format_pick(pick) for pick in new], file=file, name="picks"
        )
        if [replace(pick, place=None) for pick in _read(after, file)] == meant:
            return after
    words = (
        'this file can only be changed by hand; for `planet pick`, write "picks:" on a line of '
        'its own, and each pick below it on lines of its own that begin with "- "'
    )
    raise ConfigError([Problem(Place(file=file, line=1, column=1), words)])


def remove_picks(text: str, gone: Collection[Place], *, file: str) -> str:
    """Remove the picks that begin at these places from the text of `file`.

    Raises:
        ConfigError: the file has mistakes, or its picks do not have lines of their own.
    """
    numbers = [number for number, pick in enumerate(_read(text, file)) if pick.place in gone]
    return edits.remove_items(text, numbers, file=file, name="picks")


def replace_feeds(text: str, moves: Mapping[str, str], *, file: str) -> str:
    """Replace the addresses of feeds in the picks of a text, which has no mistakes.

    `moves` has the new address of each feed by its old one, both normalised.

    Raises:
        ConfigError: one cannot be changed; it says what to do.
    """
    if is_blank(text.encode()):
        return text
    document = yaml.read(text, file=file)
    new: dict[KeyPath, str] = {
        ("picks", number, "feed"): moves[pick.feed]
        for number, pick in enumerate(_read(text, file))
        if pick.feed in moves and "feed" in document.data["picks"][number]
    }
    try:
        return edits.replace_texts(text, new, file=file)
    except ConfigError:
        words = "the feed of this pick has moved; write its new address here by hand"
        raise ConfigError([Problem(document.place(key_path), words) for key_path in new]) from None


def _read(text: str, file: str) -> tuple[Pick, ...]:
    episodes = parse_picks(text.encode(), file=file)
    if episodes.problems:
        raise ConfigError(episodes.problems)
    return episodes.picks


def format_pick(pick: Pick) -> dict[str, Any]:
    """Return a pick as the file has it: only what is set, in the order of the file.

    Moments are `datetime`; all else is what JSON knows.
    """
    episode = pick.episode or Episode()
    files = [_format_file(file) for file in pick.enclosures]
    values: dict[str, Any] = {
        **{name: getattr(pick, name) for name in SAME_FIELDS},
        **{name: to_builtins(getattr(episode, noun)) for noun, name in EPISODE_FIELDS.items()},
        "categories": list(pick.categories),
        "picked": pick.picked_at,
        "show": _without_empty(**asdict(pick.show)),
        "enclosure": files[0] if len(files) == 1 else files,
        "authors": _format_people(pick.authors),
        "transcripts": [_format_file(file) for file in episode.transcripts],
        "persons": _format_people(episode.persons),
        "source": _without_empty(**asdict(pick.origin or Origin())),
        "feed": pick.feed,
        "id": pick.id,
    }
    if pick.text:
        kind = None if pick.text.kind is TextKind.HTML else str(pick.text.kind)
        values |= {"base": pick.text.base, "notes_type": kind, "notes": pick.text.value}
    return _without_empty(**{name: values.get(name) for name in PickSettings.__struct_fields__})


def _format_file(file: Enclosure | Transcript) -> dict[str, Any]:
    written = asdict(file)
    return _without_empty(url=written.pop("url"), type=written.pop("media_type"), **written)


def _without_empty(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}


def _format_people(people: Iterable[Person]) -> list[Any]:
    return [_without_empty(**asdict(person)) if person.url else person.name for person in people]
