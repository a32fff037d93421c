"""picks.yaml with other picks in it, and not a letter else changed. Pure.

A pick is added at the end of the list. One that goes takes its own lines with it and no others:
comments stay, unless they are indented deeper than its dash. Every edit is proven: the text is
read again, and must say what it said before but for those picks. An edit that cannot be made so is
left to the operator, with what to do.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from planet.config import yaml
from planet.config.edits import rewritten
from planet.config.picks import is_blank, picks
from planet.config.yaml import written
from planet.errors import ConfigError, Problem
from planet.model import Episode, Origin, Place, TextKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from planet.config.yaml import Node
    from planet.model import Person, Pick, Text


_NEW: Final = """\
# The episodes that were picked: `planet pick` adds to them, `planet unpick` takes from them.
# A pick that is written by hand needs title, picked and enclosure.
"""
_INDENTATION: Final = 2
_BOM: Final = "\ufeff"
# Blanks of YAML; a no-break space is text to it.
_BLANKS: Final = " \t\r\n"


def added(text: str, new: Sequence[Pick], *, file: str) -> str:
    """The text of `file` with more picks at the end of its list; of an empty text, a new file.

    Raises:
        ConfigError: the file has mistakes, or is not written in lines that can be added to.
    """
    before = _picks(text, file)
    bom, text = _without_bom(text)
    text, column = _open_list(text, file)
    end = "\r\n" if "\r\n" in text else "\n"
    if not text.endswith(("\n", "\r")):
        text += end
    items = written([as_written(pick) for pick in new])
    block = re.sub(r"^(?=.)", " " * column, items, flags=re.MULTILINE)
    after = bom + text + block.replace("\n", end)
    return _proven(after, [*before, *new], file)


def removed(text: str, gone: Collection[Place], *, file: str) -> str:
    """The text of `file` without the picks that begin at these places.

    Raises:
        ConfigError: the file has mistakes, or its picks do not have lines of their own.
    """
    before = _picks(text, file)
    bom, text = _without_bom(text)
    lines = text.splitlines(keepends=True)
    column, dashes = _dashes(lines, _listed(text, file), file)
    kept = lines[: dashes[0]]
    for pick, start, end in zip(before, dashes, [*dashes[1:], len(lines)], strict=True):
        after = _own_end(lines, start, end, column) if pick.place in gone else start
        kept += lines[after:end]
    left = [pick for pick in before if pick.place not in gone]
    return _proven(bom + "".join(kept), left, file)


def as_written(pick: Pick) -> dict[str, Any]:
    """A pick as the file has it: only what is set, in the order in which it is written.

    Moments are `datetime`; all else is what JSON knows.
    """
    episode, source = pick.episode or Episode(), pick.origin or Origin()
    files = [
        _set(
            url=each.url,
            type=each.media_type,
            length=each.length,
            duration=each.duration,
            title=each.title,
        )
        for each in pick.enclosures
    ]
    show = pick.show
    return _set(
        title=pick.title,
        picked=pick.picked_at,
        list=pick.list,
        note=pick.note,
        show=_set(
            title=show.title,
            url=show.url,
            link=show.link,
            author=show.author,
            image=show.image,
            language=show.language,
            explicit=show.explicit,
        ),
        link=pick.link,
        published=pick.published,
        updated=pick.updated,
        enclosure=files[0] if len(files) == 1 else files,
        image=pick.image,
        episode=episode.number,
        season=episode.season,
        type=episode.kind,
        explicit=episode.explicit,
        language=pick.language,
        authors=_people(pick.authors),
        categories=list(pick.categories),
        chapters=episode.chapters,
        transcripts=[
            _set(url=each.url, type=each.media_type, language=each.language)
            for each in episode.transcripts
        ],
        persons=_people(episode.persons),
        comments=pick.comments,
        rights=pick.rights,
        source=_set(id=source.id, title=source.title, link=source.link),
        feed=pick.feed,
        id=pick.id,
        summary=pick.summary,
        **_notes(pick.text),
    )


def _set(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}


def _people(people: Iterable[Person]) -> list[Any]:
    return [_set(name=each.name, url=each.url) if each.url else each.name for each in people]


def _notes(text: Text | None) -> dict[str, Any]:
    if text is None:
        return {}
    kind = None if text.kind is TextKind.HTML else str(text.kind)
    return {"base": text.base, "notes_type": kind, "notes": text.value}


def _picks(text: str, file: str) -> tuple[Pick, ...]:
    found, wrong = picks(text.encode(), file=file)
    if wrong:
        raise ConfigError(wrong)
    return found


def _proven(text: str, meant: Iterable[Pick], file: str) -> str:
    """The text, if these are the picks in it.

    Raises:
        ConfigError: they are not.
    """
    found, wrong = picks(text.encode(), file=file)
    if wrong or list(map(_placeless, found)) != list(map(_placeless, meant)):
        raise _left(file)
    return text


def _placeless(pick: Pick) -> Pick:
    return replace(pick, place=None)


def _without_bom(text: str) -> tuple[str, str]:
    return (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)


def _listed(text: str, file: str) -> Node:
    """The list in a file that is not blank."""
    document, _ = yaml.read(text.encode(), file=file, expand=str)
    if "picks" not in document.root.parts:
        raise _left(file)
    return document.root.parts["picks"]


def _open_list(text: str, file: str) -> tuple[str, int]:
    """A text at whose end items can stand, and how far they are to be indented."""
    if is_blank(text.encode()):
        text = text or _NEW
        return text + ("" if text.endswith("\n") else "\n") + "picks:", _INDENTATION
    node = _listed(text, file)
    lines = text.splitlines(keepends=True)
    if node.parts:
        return text, _dashes(lines, node, file)[0]
    if node.value is not None:
        line = lines[node.line - 1]
        head, rest = line[: node.column - 1], line[node.column - 1 :]
        lines[node.line - 1] = head.rstrip(" ") + re.sub(r"^\[ *\]", "", rest)
    return "".join(lines), _INDENTATION


def _dashes(lines: Sequence[str], node: Node, file: str) -> tuple[int, list[int]]:
    """How far the items of a list are indented, and on which line each begins.

    Raises:
        ConfigError: one does not begin with a dash at the start of a line.
    """
    column = node.column - 1
    found: list[int] = []
    for item in node.parts.values():
        # What is in an item may begin below its dash.
        above = range(item.line - 1, found[-1] if found else node.line - 2, -1)
        dash = next((at for at in above if lines[at][column:].startswith("-")), None)
        if dash is None or lines[dash][:column].strip(" "):
            raise _left(file)
        found.append(dash)
    if not found:
        raise _left(file)
    return column, found


def _own_end(lines: Sequence[str], start: int, end: int, column: int) -> int:
    """Where the lines of an item end, without the comments below that are not its own."""
    while end > start + 1:
        line = lines[end - 1].strip(_BLANKS)
        depth = len(lines[end - 1]) - len(lines[end - 1].lstrip(" "))
        if line and not (line.startswith("#") and depth <= column):
            break
        end -= 1
    return end


def _left(file: str) -> ConfigError:
    words = (
        'this file can only be changed by hand; for `planet pick`, write "picks:" on a line of '
        'its own, and each pick below it on lines of its own that begin with "- "'
    )
    return ConfigError([Problem(Place(file=file, line=1, column=1), words)])


_BY_HAND: Final = "the feed of this pick has moved; write its new address here by hand"


def followed(text: str, moves: Mapping[str, str], *, file: str) -> str:
    """The text of `file`, which has no mistakes, with the new addresses of the feeds of its picks.

    `moves` has the new address of each feed by its old one, both normalised.

    Raises:
        ConfigError: one cannot be changed where it stands; it says what to do.
    """
    document, _ = yaml.read(text.encode(), file=file, expand=str)
    before, _ = picks(text.encode(), file=file)
    places = {
        index: document.place(("picks", index, "feed"))
        for index, pick in enumerate(before)
        if pick.feed in moves and "feed" in document.root.value["picks"][index]
    }
    changed = text
    # From the end, so that the places of those that wait still hold.
    for index, place in reversed(places.items()):
        said = document.said(("picks", index, "feed")) or ""
        changed, _ = rewritten(changed, place, said, moves[before[index].feed])
    after, wrong = picks(changed.encode(), file=file)
    meant = [
        replace(pick, feed=moves[pick.feed]) if index in places else pick
        for index, pick in enumerate(before)
    ]
    if wrong or [replace(pick, place=None) for pick in after] != [
        replace(pick, place=None) for pick in meant
    ]:
        raise ConfigError([Problem(place, _BY_HAND) for place in places.values()])
    return changed
