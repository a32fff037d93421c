"""Style sheets and scripts → the names by which pages ask for them, which tell of their content.

So a browser may keep each for ever: another content has another name. Each is published under its
plain name as well, which other files and HTML of the operator's may name.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from planet.model import fingerprint

if TYPE_CHECKING:
    from planet.model import Pages
    from planet.site.pages.theme import Theme


_ENDS = (".css", ".js")
_DIGITS = 10


def read_scripts(pages: Pages) -> dict[str, bytes]:
    """Return the scripts of Planet's own that pages may have, by their paths on the site."""
    here = Path(__file__).parents[1]
    scripts = {}
    if pages.script:
        scripts["planet.js"] = (here / "planet.js").read_bytes()
    if pages.search:
        scripts["search/search.js"] = (here / "search.js").read_bytes()
    return scripts


def name_assets(theme: Theme, pages: Pages) -> dict[str, str]:
    """Return the name with a part of a hash for each style sheet and script, by its plain name.

    The hash of a sheet that is drawn is of the options, and of all templates that are no pages.
    """
    files = {**theme.static, **read_scripts(pages)}
    hashes = {path: fingerprint(body) for path, body in files.items() if path.endswith(_ENDS)}
    templates = (named for layer in theme.layers.layers for named in layer.templates.items())
    drawn_from = [one.text for name, one in templates if not name.endswith(".html")]
    hashes |= {path: fingerprint(path, theme.options, drawn_from) for path in theme.sheets}
    return {path: _add_hash(path, hash_) for path, hash_ in sorted(hashes.items())}


def _add_hash(path: str, hash_: str) -> str:
    stem, _, end = path.rpartition(".")
    return f"{stem}.{hash_[:_DIGITS]}.{end}"
