"""Who wrote a post on a page: https://indieweb.org/authorship, as far as the page itself knows.

That is the author of the post, else of its feed, else whom the page links to as its author, else
whose page it is. An author who is but an address is looked for among the h-cards of the page.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from planet import address
from planet.model import Person
from planet.parse import values
from planet.parse.microformats import Item
from planet.parse.people import different, person

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planet.parse.microformats import Page

_CARD = "h-card"


class Cards:
    """The people of a page that is at `url`."""

    def __init__(self, page: Page, url: str | None) -> None:
        self._page = page
        self._url = address.same(url) if url else None
        self._cards = [item for item in _all(page.items) if item.is_a(_CARD)]
        self._known: dict[str, Person] = {}
        for card in self._cards:
            someone = self._person(card)
            if someone and someone.name:
                for link in self._links(card, "uid", "url"):
                    self._known.setdefault(link, someone)

    def authors(self, item: Item) -> tuple[Person, ...]:
        """Whom an item names as its authors."""
        return different(self._author(value) for value in item.values("author"))

    def author_of_page(self) -> tuple[Person, ...]:
        """Whom the page links to as its author, else whose it is."""
        linked = different(self._author(url) for url in self._page.rels.get("author", ()))
        if len(linked) == 1:
            return linked
        # Several are those of several posts.
        card = self._representative()
        return different([self._person(card) if card else None])

    def photo(self, item: Item) -> str | None:
        """A picture of the author whom an item names, else of whose page it is."""
        named = [Item(each) for each in item.values("author") if _is_item(each)]
        card = self._representative()
        cards = [*named, card] if card else named
        pictures = [picture for each in cards for picture in each.texts("photo")]
        return values.first_link(pictures, self._page.base)

    def _author(self, value: Any) -> Person | None:
        if _is_item(value):
            someone = self._person(Item(value))
            known = self._known.get(address.same(someone.url or "")) if someone else None
            return known if known and someone and not someone.name else someone
        said = value.get("value") if isinstance(value, dict) else value
        link = values.link(said) if isinstance(said, str) and "://" in said else None
        return self._known.get(address.same(link), Person(url=link)) if link else person(said)

    def _person(self, card: Item) -> Person | None:
        name = next(iter(card.texts("name", "nickname", "org")), None)
        links = self._links(card, "url", "uid")
        return person(name, links[0] if links else None)

    def _links(self, card: Item, *names: str) -> list[str]:
        links = (values.link(text, self._page.base) for text in card.texts(*names))
        return [address.same(link) for link in links if link]

    def _representative(self) -> Item | None:
        """The card that stands for the page (https://microformats.org/wiki/representative-h-card).

        It calls the page its own in both ways, or its author's other self, or is the only one.
        """
        here = self._url
        mine = {address.same(link) for link in self._page.rels.get("me", ())}
        of_page = [card for card in self._cards if here in self._links(card, "url")]
        both = [card for card in of_page if here in self._links(card, "uid")]
        others = [card for card in self._cards if mine & set(self._links(card, "url"))]
        only = of_page if len(self._cards) == 1 else []
        return next(iter([*both, *others, *only]), None)


def _is_item(value: Any) -> bool:
    return isinstance(value, dict) and "type" in value


def _all(items: list[Item]) -> Iterator[Item]:
    """Every item of a page, properties and children, too."""
    left = deque(items)
    while left:
        item = left.popleft()
        yield item
        properties = item.said.get("properties", {})
        left.extend(Item(each) for said in properties.values() for each in said if _is_item(each))
        left.extend(item.children)
