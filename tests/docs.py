"""The pages of the documentation, as tests read them."""

import re
from pathlib import Path

_DOCS = Path(__file__).parents[1] / "docs"
EXAMPLE_THEMES = {
    file.parent.name: file.parent for file in sorted(_DOCS.glob("themes/*/theme.toml"))
}
"""The folders of the themes that `docs/themes.md` tells how to make, by their names."""


def page(name: str) -> str:
    return (_DOCS / name).read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """What stands below a heading, up to the next one that is not below it."""
    found = re.search(rf"^(##+) {re.escape(heading)}\n", text, re.MULTILINE)
    assert found, f"there is no heading {heading}"
    below = text[found.end() :]
    return re.split(rf"^#{{2,{len(found[1])}}} ", below, maxsplit=1, flags=re.MULTILINE)[0]


def blocks(text: str, language: str) -> list[str]:
    """The blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
