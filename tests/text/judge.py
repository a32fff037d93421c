"""Judges HTML that was cleaned as a browser would see it: parsed anew, within a page."""

import html5lib

from planet.text import policy

_HTML = "{http://www.w3.org/1999/xhtml}"
_ADDED = {
    "a": {"rel"},
    "img": {"loading"},
    "audio": {"controls", "preload"},
    "video": {"controls", "preload"},
}
_WEB = ("http://", "https://")


def faults(html: str) -> list[str]:
    """Everything in it that should not be there, and whether it leaves the element it is in."""
    page = html5lib.parse(f"<!DOCTYPE html><main><div>{html}</div><p>after</p></main>")
    text, *after = page.iterfind(f".//{_HTML}main/*")
    found = [] if [other.text for other in after] == ["after"] else ["it ends what is around it"]
    for element in text.iter():
        if element is text:
            continue
        # Of a comment, the tag is a function.
        name = str(element.tag).rpartition("}")[2]
        if name not in policy.ELEMENTS:
            found.append(f"element {name}")
            continue
        found += [f"{name} {key}={value}" for key, value in _wrong(name, element.attrib)]
    return found


def _wrong(name: str, attributes: dict[str, str]) -> list[tuple[str, str]]:
    allowed = {*policy.ELEMENTS[name], *policy.EVERYWHERE, *_ADDED.get(name, ())}
    return [
        (key, value)
        for key, value in attributes.items()
        if key not in allowed or (key in {"href", "src", "cite"} and not _leads(name, key, value))
    ]


def _leads(name: str, key: str, value: str) -> bool:
    """Return whether the address is one that such an attribute may have."""
    if (name, key) == ("img", "src") and policy.DATA_IMAGE.fullmatch(value):
        return True
    return value.startswith((*_WEB, "mailto:") if key == "href" else _WEB)
