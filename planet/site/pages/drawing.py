"""Page → bytes. The only module that draws pages, and itself only imported to draw.

Safety stands here, and leans on no theme: every value is escaped but `Markup`, which `nouns` makes
of the cleaner's texts alone; an address that a template reads is one of the web or none; nouns of
the model that know more than pages show are closed; and templates run in Jinja's sandbox.
"""

from __future__ import annotations

import re
import traceback
from collections import Counter
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from jinja2 import FunctionLoader, StrictUndefined, TemplateNotFound, TemplateSyntaxError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from planet.errors import ThemeError, suggestion
from planet.model import Entry, Post, Source, with_short_addresses
from planet.site.pages import labels, nouns
from planet.site.pages.example import list_examples
from planet.site.pages.listing import SCREEN
from planet.site.pages.nouns import (
    Canvas,
    Group,
    Letter,
    OwnPageLink,
    Page,
    ShownDay,
    ShownLink,
    ShownPost,
    ShownProfile,
    ShownSite,
    ShownSource,
    Trouble,
    href,
)
from planet.site.pages.picking import PickControl
from planet.site.pages.theme import is_sheet
from planet.site.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, MutableMapping
    from pathlib import Path

    from planet.model import Contents, Enclosure
    from planet.site.feeds.formats import SiteFeed
    from planet.site.pages.theme import Theme


ADDRESSES = frozenset({"address", "home", "image", "link", "moved_to", "own_address", "url"})
"""The names of attributes that are addresses, whatever they are of."""
_NOUNS = {
    *(ShownDay, Group, Letter, OwnPageLink, Page, PickControl, ShownProfile),
    *(ShownLink, ShownPost, ShownSource, ShownSite, Trouble),
}
"""What a template may read without further questions."""
_HIDDEN = frozenset({"fingerprint", "picks", "posts", "rest", "tags", "values"})
"""What a page knows besides what templates see of it."""
_MISSING = object()
_CLOSED = (Post, Source, Entry)
"""Nouns of the model that know more than pages show."""


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox with a shorter way to what is meant to be read, and templates in layers."""

    theme: Theme

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return the attribute of an object, or an undefined value."""
        # The sandbox asks twenty questions of every value: without this they are two thirds of the
        # cost of a page.
        if type(obj) is Words and attribute in vars(obj) and attribute[0] != "_":
            return getattr(obj, attribute)
        if type(obj) in _NOUNS and attribute[0] != "_" and not _is_hidden(obj, attribute):
            value = getattr(obj, attribute, _MISSING)
            if value is not _MISSING:
                return _guard(obj, attribute, value)
        return _guard(obj, attribute, super().getattr(obj, attribute))

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an item of an object, or an attribute that is written as one."""
        return _guard(obj, argument, super().getitem(obj, argument))

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Return whether a template may read an attribute."""
        return not _is_hidden(obj, attr) and super().is_safe_attribute(obj, attr, value)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the variables that a template has besides those of its page."""
        # Jinja's chain of mappings is walked for each include: on a page with a thousand sources
        # that is a third of its cost.
        return {**self.globals, **(d or {})}

    def join_path(self, template: str, parent: str) -> str:
        """Return the full name of a template that another one names.

        `!theme/x.html` is what `x.html` would be without the folder of the template in which this
        is written, and `!default/x.html` what it is in the theme `default`.
        """
        if not template.startswith("!"):
            return template
        layer, _, rest = template[1:].partition("/")
        names = [layer.name for layer in self.theme.layers]
        if layer == "theme":
            start = _find(self.theme, parent)[0] + 1
        elif layer in names and layer:
            start = names.index(layer)
        else:
            return template
        return f"!{start}/{rest}"


def _is_hidden(obj: Any, attribute: str) -> bool:
    """Return whether templates are not to know an attribute."""
    return isinstance(obj, _CLOSED) or (type(obj) is Page and attribute in _HIDDEN)


def _guard(obj: Any, attribute: Any, value: Any) -> Any:
    """Return an address only if it is one of the web; the operator's own options may be others."""
    is_address = isinstance(value, str) and not isinstance(obj, dict) and attribute in ADDRESSES
    return href(value) if is_address else value


def _find(theme: Theme, name: str) -> tuple[int, str, Path]:
    """Return the layer of a template, its text and its file; `!2/x.html` is looked for from 2 on.

    Raises:
        TemplateNotFound: it is in none.
    """
    start, plain = 0, name
    if name.startswith("!"):
        number, _, plain = name[1:].partition("/")
        start = int(number) if number.isdecimal() else len(theme.layers)
    for place, layer in enumerate(theme.layers[start:], start):
        if plain in layer.templates:
            return place, layer.templates[plain], layer.path / "templates" / plain
    raise TemplateNotFound(name)


def _check_blocks(trees: Mapping[Path, nodes.Template]) -> None:
    """Refuse a block that stands in for one of a template below, where none has it.

    Jinja is silent about these, and what they hold is on no page.
    """
    names = Counter(block.name for tree in trees.values() for block in tree.find_all(nodes.Block))
    for file, tree in trees.items():
        if tree.find(nodes.Extends):
            for block in tree.body:
                if isinstance(block, nodes.Block) and names[block.name] == 1:
                    near = suggestion(block.name, names.keys() - {block.name})
                    place = f"{file}:{block.lineno}"
                    raise ThemeError(f'{place}  no other template has a block "{block.name}"{near}')


class Drawer:
    """A theme's templates, compiled as they are needed, with the filters of a site."""

    def __init__(self, theme: Theme, site: ShownSite) -> None:
        self._theme = theme
        self._site = site
        self._used: set[Path] = set()
        self._environment = _Sandbox(
            loader=FunctionLoader(self._load),
            undefined=StrictUndefined,
            # A style sheet is no HTML, and sees nothing but options, which the operator wrote.
            autoescape=lambda name: not is_sheet(name or ""),
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            cache_size=-1,
        )
        self._environment.theme = theme
        self.filters = self._make_filters()
        """What templates can do with what they see, by name."""
        self._environment.filters |= self.filters
        self._shared = {
            "site": site,
            "words": site.words,
            "slots": site.slots,
            "files": site.files,
            "options": theme.options,
        }

    def _make_filters(self) -> dict[str, Callable[..., object]]:
        words, local = self._site.words, self._site.local
        return {
            "date": lambda when: words.date(_local(when, local)),
            "time": lambda when: words.time(local(when)),
            "moment": lambda when: words.both(local(when)),
            "iso": lambda when: _iso(_local(when, local)),
            "weekday": lambda day: words.weekday(_local(day, local)),
            "href": href,
            "short": with_short_addresses,
            "size": words.size,
            "duration": labels.duration,
            "tint": labels.tint,
            "kind": _kind,
            "by_letter": _part_by_letter,
            "by_source": _part_by_source,
            "by_post": _part_by_post,
            "name": lambda feed: _word(words, feed),
            "title_of": lambda feed: f"{feed.of} – {_word(words, feed)}",
            "hint": lambda feed: getattr(words, f"{feed.format}_hint"),
        }

    def draw(self, page: Page, contents: Contents) -> bytes:
        """Draw a page as UTF-8.

        Raises:
            ThemeError: a template is wrong; the message names its file and line.
        """
        return self._render(f"{page.kind}.html", **Canvas(page, contents).variables())

    def draw_sheet(self, path: str) -> bytes:
        """Draw a style sheet with the options of the theme, as UTF-8.

        Raises:
            ThemeError: its template is wrong; the message names its file and line.
        """
        return self._render(path)

    def check(self) -> None:
        """Compile every template, and draw every page of example sites.

        Raises:
            ThemeError: of the first mistake; the message names its file and line.
        """
        trees = {}
        for number, layer in enumerate(self._theme.layers):
            for name, text in layer.templates.items():
                try:
                    self._environment.get_template(f"!{number}/{name}")
                except TemplateSyntaxError as error:
                    raise self._theme_error(error) from error
                trees[layer.path / "templates" / name] = self._environment.parse(text)
        _check_blocks(trees)
        self._used.clear()
        if self._environment.cache is not None:
            self._environment.cache.clear()
        for path in self._theme.sheets:
            self.draw_sheet(path)
        for page, contents in list_examples(self._theme, self._site):
            self.draw(page, contents)
        names = Counter(name for layer in self._theme.layers for name in layer.templates)
        for layer in self._theme.layers:
            for name in layer.templates:
                file = layer.path / "templates" / name
                if names[name] == 1 and file not in self._used:
                    near = suggestion(name, sorted(names.keys() - {name}), least=0.8)
                    raise ThemeError(f"{file}  no page is made with it{near}")

    def _load(self, name: str) -> tuple[str, str, Callable[[], bool]]:
        _, text, file = _find(self._theme, name)
        self._used.add(file)
        return text, str(file), lambda: True

    def _render(self, name: str, **variables: object) -> bytes:
        shared = {"options": self._theme.options} if is_sheet(name) else self._shared
        try:
            drawn = self._environment.get_template(name).render(shared, **variables)
        except Exception as error:  # a template is a program: there is nothing it cannot raise
            raise self._theme_error(error) from error
        # A lone surrogate, which JSON can hold, is no character and has no UTF-8.
        return drawn.encode("utf-8", "replace")

    def _theme_error(self, error: Exception) -> ThemeError:
        """Return what went wrong in a template, with the innermost place in the theme."""
        if isinstance(error, TemplateSyntaxError):
            return ThemeError(f"{error.filename}:{error.lineno}  {error.message}")
        files = {
            str(layer.path / "templates" / name)
            for layer in self._theme.layers
            for name in layer.templates
        }
        # Jinja puts the templates' own lines into the traceback.
        frames = reversed(traceback.extract_tb(error.__traceback__))
        place = next((f"{at.filename}:{at.lineno}" for at in frames if at.filename in files), None)
        return ThemeError(f"{place or self._theme.name}  {_words_of(error)}")


_ATTRIBUTE = re.compile(r"'(?:[\w.]+\.)?(?:Shown)?(\w+) object' has no attribute '(\w+)'")


def _words_of(error: Exception) -> str:
    """Return what is wrong, in words of docs/templates.md."""
    if isinstance(error, TemplateNotFound):
        name = re.sub(r"^!\d+/", "!theme/", str(error))
        return f"the template {name!r} is not there"
    if isinstance(error, RecursionError):
        return "this template leads back to itself; what lies below it is '!theme/…'"
    missing = _ATTRIBUTE.fullmatch(str(error))
    if not missing:
        return re.sub(r"'Shown(\w+)'", r"'\1'", str(error))
    kind, name = missing.groups()
    if kind == "dict":
        return f"there is no {name!r} here"
    return f"{kind!r} has no attribute {name!r}"


# Filters


def _local(when: date, local: Callable[[datetime], datetime]) -> date:
    """Return a day as it is, a moment in the planet's time zone."""
    return local(when) if isinstance(when, datetime) else when


def _iso(when: date) -> str:
    return when.isoformat(timespec="seconds") if isinstance(when, datetime) else when.isoformat()


def _word(words: Words, feed: SiteFeed) -> str:
    return str(words.own_feed if feed.own_address else getattr(words, feed.format))


def _kind(enclosure: Enclosure) -> str:
    kind = (enclosure.media_type or "").partition("/")[0].lower()
    return kind if kind in {"audio", "video"} else "file"


def _part_by_letter(sources: Iterable[ShownSource]) -> list[Letter]:
    return nouns.part_by_letter(sources, SCREEN)


def _part_by_source(posts: Iterable[ShownPost]) -> dict[str, list[ShownPost]]:
    """Return posts by the slugs of their sources."""
    parted: dict[str, list[ShownPost]] = {}
    for post in posts:
        parted.setdefault(post.source.slug, []).append(post)
    return parted


def _part_by_post(links: Iterable[ShownLink]) -> list[tuple[Any, list[ShownLink]]]:
    """Return links that follow each other with the newest post that has them."""
    parted: list[tuple[Any, list[ShownLink]]] = []
    for link in links:
        if not parted or parted[-1][0].href != link.posts[0].href:
            parted.append((link.posts[0], []))
        parted[-1][1].append(link)
    return parted
