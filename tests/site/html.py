"""Pages as tests look at them: elements with attributes and text, in the order of the page."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

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
