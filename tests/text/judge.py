"""Judges HTML that was cleaned, by reading it again: does it hold what the policy allows alone?"""

from html.parser import HTMLParser

from planet.text import policy

_ADDRESSES = {"href", "src", "cite"}
_ADDED = {"rel", "loading", "controls", "preload"}


def faults(html: str) -> list[str]:
    """Everything in it that should not be there."""
    judge = _Judge()
    judge.feed(html)
    judge.close()
    return judge.faults + [f"{tag} is not closed" for tag in judge.open]


class _Judge(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in policy.ELEMENTS:
            self.faults.append(f"element {tag}")
        if tag not in policy.VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name not in {*policy.ELEMENTS.get(tag, {}), *policy.EVERYWHERE, *_ADDED}:
                self.faults.append(f"attribute {name}")
            schemes = ("http://", "https://", "mailto:", "data:image/")
            if name in _ADDRESSES and not (value or "").startswith(schemes):
                self.faults.append(f"address {value}")
            if (value or "").startswith("data:") and (tag, name) != ("img", "src"):
                self.faults.append(f"data in {tag} {name}")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"end of {tag}")

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"comment {data}")

    def handle_decl(self, decl: str) -> None:
        self.faults.append(f"declaration {decl}")

    def handle_pi(self, data: str) -> None:
        self.faults.append(f"instruction {data}")

    def unknown_decl(self, data: str) -> None:
        self.faults.append(f"section {data}")
