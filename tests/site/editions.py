"""Editions of a site, the most common and the oddest, and their pages as a parser reads them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from planet.model import (
    Digest,
    DigestItem,
    DigestSection,
    Edition,
    Enclosure,
    FeedHealth,
    Html,
    Linked,
    LinkGraph,
    Moved,
    Owner,
    Pages,
    Person,
    Podcast,
    Post,
    Show,
    Source,
    Tag,
    Timeline,
    fingerprint,
)
from planet.site.pages import Theme, load_theme, render
from planet.site.pages.theme import OwnPage
from planet.text.media import find_playable
from tests import builders

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 20, 11, 0, tzinfo=UTC)


def make_source(slug: str = "one", **changes: Any) -> Source:
    """A source with a feed of its own, of which the site has feeds, too, but without a home."""
    return builders.make_source(slug, **{"link": None, **changes})


def make_post(
    number: int = 1,
    source: Source | None = None,
    *,
    when: datetime = NOON,
    also_in: tuple[Source, ...] = (),
    **changes: Any,
) -> Post:
    """A post; its fingerprint is made from all that is said of it."""
    source = source or make_source()
    address = f"https://{source.slug}.example/{number}"
    said = {"feed": source.key, "id": address, "link": address, "title": f"Post {number}"}
    entry = builders.make_entry(number, when=when, **{**said, **changes})
    post = Post(
        entry=entry,
        is_playable=find_playable(entry) is not None,
        source=source,
        uid=entry.id,
        when=when,
        day=when.astimezone(BERLIN).date() if when.year < 9999 else when.date(),
    )
    return decided(post, source, also_in)


def decided(post: Post, source: Source, also_in: tuple[Source, ...] = ()) -> Post:
    """A post of this source, which others have, too: its fingerprint changes with each of them."""
    carriers = [
        replace(each, newest=None, count=0, standing=FeedHealth()) for each in (source, *also_in)
    ]
    shown = fingerprint(post.entry, post.when, post.picked, carriers)
    return replace(post, source=source, also_in=also_in, fingerprint=shown)


def make_picked(
    number: int = 1,
    source: Source | None = None,
    *,
    note: str | None = None,
    **changes: Any,
) -> Post:
    """A picked episode, as `merge` makes one."""
    changes.setdefault("enclosures", (make_audio(number),))
    post = make_post(-number, source, **changes)
    entry = post.entry
    pick = builders.make_pick(
        entry.id, picked_at=post.when, note=note, published=entry.published, show=Show(title="Show")
    )
    return decided(replace(post, picked=pick), post.source)


def make_audio(number: int = 1) -> Enclosure:
    return Enclosure(url=f"https://audio.example/{number}.mp3", media_type="audio/mpeg")


def make_digest(day: int = 20, *sections: DigestSection) -> Digest:
    due = datetime(2026, 11, day, 6, tzinfo=UTC)
    return Digest(
        name=f"2026-11-{day:02}",
        due_at=due,
        made_at=due + timedelta(minutes=5),
        since=due - timedelta(days=1),
        sections=sections or (make_section(),),
    )


def make_section(words: str = "One", link: str = "https://one.example/") -> DigestSection:
    item = DigestItem(uid="tag:1", heading=words, link=link, summary=f"About {words}")
    return DigestSection(source=words, link=link, items=(item,))


def make_whole_edition(
    words: str = "Words", address: str = "https://one.example/", **changes: Any
) -> Edition:
    """An edition with a page of every kind, all of them with these words and this address."""
    show = make_source("show", title=words, description=words, link=address, tags=(words,))
    moved = Moved(to=address, since=NOON, adopted=True)
    trouble = FeedHealth(failures=3, message=words, failing_since=NOON, moved=moved)
    blog = make_source("blog", title=words, link=address, language=words, standing=trouble)
    gone = Source(key="gone", slug="", url=address, title=words, link=address)
    texts: dict[str, Any] = {"title": words, "summary": f"{words} {words}", "link": address}
    texts |= {"language": words, "authors": (Person(name=words),)}
    files = Enclosure(url=address, title=words), Enclosure(url=address, media_type=words)
    post = make_post(1, blog, **texts, enclosures=files, also_in=(gone,))
    picked = make_picked(2, show, note=words, published=hours_before(999), **texts)
    return make_edition(
        post,
        picked,
        make_picked(3, gone, note=words, **texts),
        sources=[show, blog],
        **{
            "title": words,
            "tags": (Tag(name=words, slug="some-tag"),),
            "podcast": Podcast(title=words, description=words, cover=address),
            "episodes": {"show": (make_post(5, show, enclosures=(make_audio(5),), **texts).entry,)},
            "digests": tuple(make_digest(day, make_section(words, address)) for day in (20, 19)),
            "repository": "https://code.example/planet",
            "owner": Owner(name=words, email=words, url=address),
            "links": LinkGraph(
                top=(
                    Linked(address=address, post=post, posts=(picked, post)),
                    Linked(address="https://news.example/", title=words, posts=(picked,)),
                )
            ),
            **changes,
        },
    )


RULES = OwnPage(
    path="rules/index.html",
    title="Rules",
    navigation=True,
    text="Be *kind*.",
    is_markdown=True,
)
"""A page of the operator's own."""


def make_edition(*posts: Post, sources: Sequence[Source] | None = None, **changes: Any) -> Edition:
    """An edition of these posts, newest first, and of their sources with what follows from them."""
    ordered = sorted(posts, key=lambda post: (post.when, post.entry.number), reverse=True)
    if sources is None:
        sources = list({post.source.key: post.source for post in ordered}.values())
    counted = [_counted(source, ordered) for source in sources]
    edition = Edition(
        title="Planet Example",
        timezone=BERLIN,
        timeline=Timeline(ordered),
        sources=tuple(sorted(counted, key=lambda source: source.title)),
    )
    return replace(edition, **changes)


def drawn(
    edition: Edition,
    *,
    pages: Pages | None = None,
    contents: Mapping[int, str] | None = None,
    theme: Theme | None = None,
) -> dict[str, bytes]:
    """Every file of the site, by path; in the default theme, or in another."""
    files = render(
        edition,
        theme=theme or load_theme("default"),
        pages=pages or Pages(),
        contents=lambda numbers: {
            number: Html(text) for number, text in (contents or {}).items() if number in numbers
        },
    )
    return {file.path: file.make() for file in files}


def hours_before(hours: float) -> datetime:
    return NOON - timedelta(hours=hours)


def _counted(source: Source, posts: Sequence[Post]) -> Source:
    own = [post for post in posts if post.source.key == source.key]
    return replace(source, count=len(own), newest=own[0].when if own else None)


# Pages as tests look at them: elements with attributes and text, in the order of the page

_VOID = {"meta", "link", "img", "br", "hr", "input"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All its text, also of elements inside, with single blanks."""
        return " ".join("".join(self.texts).split())

    def __getitem__(self, attribute: str) -> str:
        return self.attributes[attribute] or ""


class Document(HTMLParser):
    """A page; every element that is opened must be closed."""

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(page.decode())
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.elements.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.texts.append(data)

    def all(self, *tags: str, **attributes: str) -> list[Element]:
        """Elements with one of these tags and these attributes; `class_` is one of its classes."""
        class_ = attributes.pop("class_", None)
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [
            element
            for element in self.elements
            if element.tag in tags
            and wanted.items() <= element.attributes.items()
            and (class_ is None or class_ in (element.attributes.get("class") or "").split())
        ]

    def texts(self, *tags: str, **attributes: str) -> list[str]:
        return [element.text for element in self.all(*tags, **attributes)]
