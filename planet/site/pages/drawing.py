"""PageSpec → bytes. The only module that draws pages, and itself only imported to draw.

Safety stands here, and leans on no theme: every value is escaped but `Markup`, which `nouns` makes
of the cleaner's texts alone; a template reads an address of the web or None; and templates run in
Jinja's sandbox, where no noun shows the model's noun behind.
"""

from __future__ import annotations

import re
import traceback
from datetime import date, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from jinja2 import FunctionLoader, StrictUndefined, TemplateNotFound, TemplateSyntaxError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from planet.errors import ThemeError
from planet.model import with_short_addresses
from planet.site.pages import labels, nouns
from planet.site.pages.nouns import Canvas, href
from planet.site.pages.theme import is_sheet
from planet.site.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from planet.model import Contents, Enclosure
    from planet.site.feeds.channel import SiteFeed
    from planet.site.pages.nouns import PageSpec, ShownLink, ShownPost, ShownSite
    from planet.site.pages.theme import Theme


ADDRESSES = frozenset({"address", "home", "image", "link", "moved_to", "own_address", "url"})
"""The names of attributes that are addresses, whatever they are of."""
_MISSING = object()


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox with a shorter way to our own nouns, and templates in layers."""

    theme: Theme

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return the attribute of an object, or an undefined value."""
        # The sandbox asks twenty questions of every value: without a way around them a site takes
        # half as long again.
        if type(obj).__module__ == nouns.__name__ and attribute[0] != "_":
            value = getattr(obj, attribute, _MISSING)
            if value is not _MISSING:
                return _guard(obj, attribute, value)
        if type(obj) is Words and attribute in vars(obj) and attribute[0] != "_":
            return getattr(obj, attribute)
        return _guard(obj, attribute, super().getattr(obj, attribute))

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an item of an object, or an attribute written as one."""
        return _guard(obj, argument, super().getitem(obj, argument))

    def join_path(self, template: str, parent: str) -> str:
        """Return the full name of a template named in another one.

        `!theme/x.html` is `x.html` of the folders below the folder of the naming template, and
        `!default/x.html` the one of the theme `default`.
        """
        if not template.startswith("!"):
            return template
        layer, _, rest = template[1:].partition("/")
        names = [layer.name for layer in self.theme.layers]
        if layer == "theme":
            return f"!{_find(self.theme, parent)[0] + 1}/{rest}"
        return f"!{names.index(layer)}/{rest}" if layer and layer in names else template


def _guard(obj: Any, attribute: Any, value: Any) -> Any:
    """Return an address of the web, or None; options of the operator's own may be anything."""
    is_address = isinstance(value, str) and not isinstance(obj, dict) and attribute in ADDRESSES
    return href(value) if is_address else value


def _find(theme: Theme, name: str) -> tuple[int, str, Path]:
    """Return the layer, text and file of a template; `!2/x.html` is looked for from layer 2 on.

    Raises:
        TemplateNotFound: no layer has the template.
    """
    start, plain = 0, name
    if name.startswith("!"):
        number, _, plain = name[1:].partition("/")
        start = int(number) if number.isdecimal() else len(theme.layers)
    for place, layer in enumerate(theme.layers[start:], start):
        if plain in layer.templates:
            return place, layer.templates[plain], layer.path / "templates" / plain
    raise TemplateNotFound(name)


class Drawer:
    """A theme's templates, compiled as they are needed, with the filters of a site."""

    def __init__(self, theme: Theme, site: ShownSite) -> None:
        self._theme = theme
        self._site = site
        self.used: set[Path] = set()
        """The files of templates that were drawn with so far."""
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
        self.filters = _make_filters(site)
        """What templates can do with what they see, by name."""
        self._environment.filters |= self.filters
        self._shared = {
            "site": site,
            "words": site.words,
            "slots": site.slots,
            "files": site.files,
            "options": theme.options,
        }

    def compile_all(self) -> dict[Path, nodes.Template]:
        """Compile every template of the theme, and return a tree for each file.

        Raises:
            ThemeError: of the first mistake, with file and line.
        """
        trees = {}
        for file, name, text in self._theme.templates():
            try:
                self._environment.compile(text, name, str(file))
            except TemplateSyntaxError as error:
                raise self._name_place(error) from error
            trees[file] = self._environment.parse(text)
        return trees

    def draw(self, spec: PageSpec, contents: Contents) -> bytes:
        """Draw a page as UTF-8.

        Raises:
            ThemeError: a template is wrong; the message has file and line.
        """
        canvas = Canvas(spec, self._site, contents)
        return self._render(f"{spec.page.kind}.html", {**self._shared, **canvas.variables()})

    def draw_sheet(self, path: str) -> bytes:
        """Draw a style sheet with the options of the theme, as UTF-8.

        Raises:
            ThemeError: the template is wrong; the message has file and line.
        """
        return self._render(path, {"options": self._theme.options})

    def _load(self, name: str) -> tuple[str, str, Callable[[], bool]]:
        _, text, file = _find(self._theme, name)
        self.used.add(file)
        return text, str(file), lambda: True

    def _render(self, name: str, variables: dict[str, Any]) -> bytes:
        try:
            drawn = self._environment.get_template(name).render(variables)
        except Exception as error:  # a template is a program: there is nothing it cannot raise
            raise self._name_place(error) from error
        # A lone surrogate, which JSON can hold, is no character and has no UTF-8.
        return drawn.encode("utf-8", "replace")

    def _name_place(self, error: Exception) -> ThemeError:
        """Return an error of a template, with the innermost place in the theme."""
        if isinstance(error, TemplateSyntaxError):
            return ThemeError(f"{error.filename}:{error.lineno}  {error.message}")
        files = {str(file) for file, _, _ in self._theme.templates()}
        # Jinja puts the templates' own lines into the traceback.
        frames = reversed(traceback.extract_tb(error.__traceback__))
        place = next((f"{at.filename}:{at.lineno}" for at in frames if at.filename in files), None)
        return ThemeError(f"{place or self._theme.name}  {_words_of(error)}")


_ATTRIBUTE = re.compile(r"'(?:[\w.]+\.)?(?:Shown)?(\w+) object' has no attribute '(\w+)'")


def _words_of(error: Exception) -> str:
    """Describe an error in words of docs/templates.md."""
    if isinstance(error, TemplateNotFound):
        name = re.sub(r"^!\d+/", "!theme/", str(error))
        return f"the template {name!r} is not there"
    if isinstance(error, RecursionError):
        return "this template leads back to itself; what lies below it is '!theme/…'"
    missing = _ATTRIBUTE.fullmatch(str(error))
    if not missing:
        return re.sub(r"'Shown(\w+)'", r"'\1'", str(error))
    kind, name = missing.groups()
    return f"there is no {name!r} here" if kind == "dict" else f"{kind!r} has no attribute {name!r}"


# Filters


def _make_filters(site: ShownSite) -> dict[str, Callable[..., object]]:
    words = site.words

    def local(when: date) -> date:
        """Return a day unchanged, a moment in the planet's time zone."""
        return site.local(when) if isinstance(when, datetime) else when

    return {
        "date": lambda when: words.date(local(when)),
        "time": lambda when: words.time(site.local(when)),
        "moment": lambda when: words.both(site.local(when)),
        "iso": lambda when: _iso(local(when)),
        "weekday": lambda day: words.weekday(local(day)),
        "href": href,
        "short": with_short_addresses,
        "size": words.size,
        "duration": labels.duration,
        "tint": labels.tint,
        "kind": _kind,
        "by_letter": nouns.part_by_letter,
        "by_source": _part_by_source,
        "by_post": _part_by_post,
        "name": lambda feed: _word(words, feed),
        "title_of": lambda feed: f"{feed.of} – {_word(words, feed)}",
        "hint": lambda feed: getattr(words, f"{feed.format}_hint"),
    }


def _iso(when: date) -> str:
    return when.isoformat(timespec="seconds") if isinstance(when, datetime) else when.isoformat()


def _word(words: Words, feed: SiteFeed) -> str:
    return str(words.own_feed if feed.own_address else getattr(words, feed.format))


def _kind(enclosure: Enclosure) -> str:
    kind = (enclosure.media_type or "").partition("/")[0].lower()
    return kind if kind in {"audio", "video"} else "file"


def _part_by_source(posts: Iterable[ShownPost]) -> dict[str, list[ShownPost]]:
    """Return posts by the slugs of their sources."""
    parted: dict[str, list[ShownPost]] = {}
    for post in posts:
        parted.setdefault(post.source.slug, []).append(post)
    return parted


def _part_by_post(links: Iterable[ShownLink]) -> list[tuple[ShownPost, list[ShownLink]]]:
    """Return neighbouring links together with their newest post."""
    parted = groupby(links, lambda link: link.posts[0].href)
    of_post = [list(own) for _, own in parted]
    return [(own[0].posts[0], own) for own in of_post]
