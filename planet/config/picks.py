"""picks.yaml → picks, or every mistake in it with line and column.

The file stands beside the config. It says of each episode that was picked all that is needed to
publish it, so that it stays when its source drops it. A person who adds one needs no more than its
title, when it was picked, and the address of its file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from planet import media
from planet.config import yaml
from planet.config.document import label
from planet.config.mistakes import problems
from planet.config.settings import picks as settings
from planet.errors import ConfigError, Problem, suggestion
from planet.model import (
    OWN_LIST,
    Enclosure,
    Episode,
    Origin,
    Person,
    Pick,
    Show,
    Text,
    Transcript,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from planet.config.document import Document
    from planet.config.settings import Mistake
    from planet.model import Place

FILE: Final = "picks.yaml"


def picks(data: bytes, *, file: str) -> tuple[tuple[Pick, ...], tuple[Problem, ...]]:
    """The picks in a file, in its order, and what is wrong with it.

    Texts are taken to the letter: nothing comes from the environment. A file with nothing but
    comments has no picks.
    """
    if is_blank(data):
        return (), ()
    try:
        document, faults = yaml.read(data, file=file, expand=str)
    except ConfigError as error:
        return (), error.problems
    written, unfit = settings.check(document.root.value)
    found = {index: _pick(each, index, document) for index, each in written.items()}
    known = {problem.place for problem in faults}
    wrong = [
        *(problem for problem in faults if problem.place != _none_left(document)),
        *(problem for problem in _told(unfit, document) if problem.place not in known),
        *_unplayable(found, document),
        *_twins(found, document),
    ]
    return tuple(found.values()), tuple(wrong)


def is_blank(data: bytes) -> bool:
    """Whether nothing stands in a file but comments."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return all(not line.strip() or line.lstrip().startswith(b"#") for line in lines)


def _pick(written: settings.Pick, index: int, document: Document) -> Pick:
    files = tuple(_enclosure(each) for each in written.enclosure)
    return Pick(
        feed=written.feed or files[0].url,
        id=written.id or files[0].url,
        picked_at=written.picked,
        list=written.list or OWN_LIST,
        note=written.note,
        title=written.title,
        summary=written.summary,
        text=_text(written),
        show=_show(written.show, files[0].url),
        link=written.link,
        authors=_persons(written.authors),
        categories=written.categories,
        published=written.published,
        updated=written.updated,
        enclosures=files,
        image=written.image,
        comments=written.comments,
        rights=written.rights,
        origin=_origin(written.source),
        language=written.language,
        episode=_episode(written),
        place=document.place(("picks", index)),
    )


def _show(written: settings.Show, url: str) -> Show:
    return Show(
        title=written.title or urlsplit(url).hostname or url,
        url=written.url,
        link=written.link,
        author=written.author,
        image=written.image,
        language=written.language,
        explicit=written.explicit,
    )


def _enclosure(written: str | settings.Enclosure) -> Enclosure:
    if isinstance(written, str):
        return Enclosure(url=written)
    return Enclosure(
        url=written.url,
        media_type=written.type,
        # In feeds, nothing stands for not known.
        length=written.length or None,
        duration=written.duration or None,
        title=written.title,
    )


def _text(written: settings.Pick) -> Text | None:
    if written.notes is None:
        return None
    return Text(value=written.notes, kind=written.notes_type, base=written.base)


def _persons(written: Sequence[str | settings.Person]) -> tuple[Person, ...]:
    people = (
        Person(name=each) if isinstance(each, str) else Person(name=each.name, url=each.url)
        for each in written
    )
    return tuple(person for person in people if person != Person())


def _origin(written: settings.Source | None) -> Origin | None:
    if written is None or written == settings.Source():
        return None
    return Origin(id=written.id, title=written.title, link=written.link)


def _episode(written: settings.Pick) -> Episode | None:
    episode = Episode(
        number=written.episode,
        season=written.season,
        kind=written.type,
        explicit=written.explicit,
        chapters=written.chapters,
        transcripts=tuple(
            Transcript(url=each.url, media_type=each.type, language=each.language)
            for each in written.transcripts
        ),
        persons=_persons(written.persons),
    )
    return episode if episode != Episode() else None


def _none_left(document: Document) -> Place | None:
    """Where "picks:" has nothing behind it, because all were removed."""
    if "picks" in document.root.parts and document.root.value["picks"] is None:
        return document.place(("picks",))
    return None


def _told(unfit: Iterable[Mistake], document: Document) -> Iterator[Problem]:
    for mistake in unfit:
        if mistake.kind != "unexpected_keyword_argument":
            yield from problems([mistake], document)
            continue
        trail = document.trail(mistake.location)
        *above, name = trail
        near = suggestion(str(name), settings.names_beside(trail))
        words = f'{label(tuple(above))} cannot have "{name}"{near}'
        yield Problem(document.key_place(trail), words)


def _unplayable(found: Mapping[int, Pick], document: Document) -> Iterator[Problem]:
    for index, pick in found.items():
        if media.playable(pick) is None:
            trail = ("picks", index, "enclosure")
            words = (
                f"{label(trail)} is neither audio nor video, as far as its address tells; say so "
                'with "type", such as {url: https://…, type: audio/mpeg}'
            )
            yield Problem(document.place(trail), words)


def _twins(found: Mapping[int, Pick], document: Document) -> Iterator[Problem]:
    """Episodes that are on the same list twice."""
    first: dict[tuple[str, str, str], int] = {}
    for index, pick in found.items():
        earlier = first.setdefault((pick.list, pick.feed, pick.id), index)
        if earlier != index:
            line = document.place(("picks", earlier)).line
            words = f"picks[{index}] is the episode of line {line} again; remove one of the two"
            yield Problem(document.place(("picks", index)), words)
