"""Theme → drawn pages. The only module that imports jinja2, and itself only imported to draw."""

from __future__ import annotations

import logging
import re
import traceback
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from jinja2 import (
    FunctionLoader,
    StrictUndefined,
    TemplateNotFound,
    TemplateSyntaxError,
    UndefinedError,
    meta,
    nodes,
)
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from msgspec.structs import replace

from planet.errors import ThemeError, suggestion
from planet.model import Pages
from planet.site.pages import views
from planet.site.pages.assets import name_assets
from planet.site.pages.page_kinds import KINDS
from planet.site.pages.sample import list_samplers
from planet.site.pages.theme import is_sheet
from planet.site.words import Words, speak

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, MutableMapping

    from planet.site.pages.frame import Frame
    from planet.site.pages.sample import Sampler
    from planet.site.pages.theme import Layers, Template, Theme


_LOG = logging.getLogger(__name__)
# What a template may read without further questions: exactly the fields of exactly these types.
_OPEN: Mapping[type, frozenset[str]] = {
    noun: frozenset(noun.__struct_fields__)
    for noun in vars(views).values()
    if isinstance(noun, type) and issubclass(noun, msgspec.Struct)
}


EVERY = {
    "site": "Site",
    "page": "Page",
    "words": "Words",
    "options": "Mapping[str, OptionValue]",
    "slots": "Slots",
    "files": "Mapping[str, str]",
}
"""The variables of every template, with their types."""


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox with a shorter way to what is meant to be read, and templates in layers."""

    layers: Layers

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return the attribute of an object, or an undefined value."""
        # The sandbox asks twenty questions of every value: without this they are two thirds of the
        # cost of a page.
        kind = type(obj)
        if attribute in _OPEN.get(kind, ()):
            return getattr(obj, attribute)
        if kind is Words and attribute in vars(obj) and attribute[0] != "_":
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the variables that a template has besides those of its page."""
        # Jinja's chain of mappings is walked for each include: on a page with a thousand sources
        # that is a third of its cost.
        return {**self.globals, **(d or {})}

    def join_path(self, template: str, parent: str) -> str:
        """Return the full name of a template that another one names."""
        return self.layers.absolute(template, parent)


class _TemplateMistake(NamedTuple):
    """What is wrong in a line of a template."""

    line: int
    words: str


class _TemplateLine(NamedTuple):
    """Where an error comes from."""

    template: Template
    line: int | None


class Renderer:
    """A theme's templates, compiled as they are needed."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
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
        self._environment.layers = theme.layers

    def draw(
        self, kind: str, frame: Frame, page: views.PageView, variables: Mapping[str, object]
    ) -> bytes:
        """Draw a page of a kind with these variables and those of every template, as UTF-8.

        Raises:
            ThemeError: a template is wrong; the message names its file and line.
        """
        every: dict[str, object] = {
            "site": frame.site,
            "page": page,
            "words": frame.words,
            "options": self._theme.options,
            "slots": frame.slots,
            "files": frame.files,
        }
        try:
            drawn = self._environment.get_template(f"{kind}.html").render(every, **variables)
        except Exception as error:  # a template is a program: there is nothing it cannot raise
            raise self._theme_error(error) from error
        # A lone surrogate, which JSON can hold, is no character and has no UTF-8.
        return drawn.encode("utf-8", "replace")

    def draw_sheet(self, path: str) -> bytes:
        """Draw a style sheet with the options of the theme, as UTF-8.

        Raises:
            ThemeError: its template is wrong; the message names its file and line.
        """
        try:
            drawn = self._environment.get_template(path).render(options=self._theme.options)
        except Exception as error:  # as of a page
            raise self._theme_error(error) from error
        return drawn.encode("utf-8", "replace")

    def check(self) -> None:
        """Compile and draw every template, and look for names that no page has.

        Raises:
            ThemeError: of the first mistake; the message names its file and line.
        """
        for number, layer in enumerate(self._theme.layers.layers):
            for name, template in layer.templates.items():
                self._check(f"!{number}/{name}", template)
        self._check_use()
        for path in self._theme.sheets:
            self.draw_sheet(path)
        for kind, sampler in product(KINDS, list_samplers()):
            self._draw_sample(kind, sampler)

    def _draw_sample(self, kind: str, sampler: Sampler) -> None:
        """Draw a page of a kind with values that mean nothing, and look at the names it asks for.

        Raises:
            ThemeError: it asks for one that is never there, or for one that no template may see.
        """
        every: dict[str, object] = {
            "site": sampler.make(views.SiteView),
            "page": replace(sampler.make(views.PageView), kind=kind),
            "words": speak("en"),
            "options": self._theme.options,
            "slots": sampler.make(views.SlotsView),
            "files": name_assets(self._theme, Pages(script=True, search=True)),
        }
        variables = sampler.make_variables(KINDS[kind].variables)
        try:
            self._environment.get_template(f"{kind}.html").render(every, **variables)
        except (UndefinedError, SecurityError) as error:
            if self._is_mistyped(error):
                raise self._theme_error(error) from error
        except Exception as error:  # noqa: BLE001 - what the values mean is no mistake of a template
            _LOG.debug("%s.html cannot be drawn with samples: %r", kind, error)

    def _is_mistyped(self, error: Exception) -> bool:
        """Return whether an error is about a name that is written so in its template.

        A name that is made of a value, or set where the values do not lead, is none.
        """
        if isinstance(error, SecurityError):
            return True
        place = self._place_of(error)
        matches = (kind.fullmatch(str(error)) for kind in (_ATTRIBUTE, _UNDEFINED, _FILE))
        missing = next(filter(None, matches), None)
        if place is None or missing is None:
            return False
        name, text = missing.groups()[-1], place.template.text
        is_set = name in _made(self._environment.parse(text))
        return re.search(rf"\b{re.escape(name)}\b", text) is not None and (
            not is_set or missing.re is not _UNDEFINED
        )

    def _check_use(self) -> None:
        """Look for templates that lie over others and that nothing uses, as where a name is wrong.

        Raises:
            ThemeError: of the first.
        """
        layers = self._theme.layers.layers
        names = {f"{page}.html" for page in KINDS} | set(self._theme.sheets)
        for template in (template for layer in layers for template in layer.templates.values()):
            for node in self._environment.parse(template.text).find_all(_USES):
                used = getattr(node, "template", None)
                if not isinstance(used, nodes.Const | nodes.List | nodes.Tuple):
                    return  # named by a variable, which may be any of them
                constants = [used] if isinstance(used, nodes.Const) else used.find_all(nodes.Const)
                names |= {re.sub("^!.*?/", "", str(constant.value)) for constant in constants}
        for number, layer in enumerate(layers[:-1]):
            used = names.union(*(below.templates for below in layers[number + 1 :]))
            for name in sorted(layer.templates.keys() - used):
                near = suggestion(name, sorted(used), least=0.8)
                raise ThemeError(f"{layer.templates[name].file}  no page is made with it{near}")

    def _check(self, name: str, template: Template) -> None:
        try:
            self._environment.get_template(name)
        except TemplateSyntaxError as error:
            raise self._theme_error(error) from error
        tree = self._environment.parse(template.text)
        for mistake in (
            *self._missing(name, tree),
            *self._unknown(template.file.name, tree),
            *self._no_options(tree),
        ):
            raise ThemeError(f"{template.file}:{mistake.line}  {mistake.words}")

    def _load(self, name: str) -> tuple[str, str, Callable[[], bool]] | None:
        found = self._theme.layers.find(name)
        return found and (found.template.text, str(found.template.file), lambda: True)

    def _missing(self, name: str, tree: nodes.Template) -> Iterator[_TemplateMistake]:
        """Yield the uses of templates that are not there, but for those named by a variable."""
        layers = self._theme.layers
        for node in tree.find_all(_USES):
            used = getattr(node, "template", None)
            if getattr(node, "ignore_missing", False) or not isinstance(used, nodes.Const):
                continue
            target = layers.find(layers.absolute(used.value, name))
            if target is None:
                yield _TemplateMistake(node.lineno, _not_there(used.value))
            elif isinstance(node, nodes.Extends) and target == layers.find(name):
                below = f"the one below is {'!theme/' + used.value!r}"
                yield _TemplateMistake(
                    node.lineno, f"the template {used.value!r} is this one; {below}"
                )

    def _unknown(self, name: str, tree: nodes.Template) -> Iterator[_TemplateMistake]:
        """Yield the uses of variables that a page does not have, but for those of includes."""
        kind = name.removesuffix(".html")
        if is_sheet(name):
            variables = {"options"}
        elif kind in KINDS:
            variables = EVERY.keys() | KINDS[kind].variables.keys()
        else:
            return
        undeclared = meta.find_undeclared_variables(tree)
        # jinja2 looks at each block by itself, and sees nothing there of what stands above it.
        unknown = undeclared - variables - _made(tree) - self._environment.globals.keys()
        for node in tree.find_all(nodes.Name):
            if node.name in unknown:
                yield _TemplateMistake(node.lineno, f"{node.name!r} is undefined")

    def _no_options(self, tree: nodes.Template) -> Iterator[_TemplateMistake]:
        """Yield the uses of options that the theme does not have."""
        for node in tree.find_all(nodes.Getattr):
            of_options = isinstance(node.node, nodes.Name) and node.node.name == "options"
            if of_options and node.attr not in self._theme.options:
                yield _TemplateMistake(node.lineno, f"the theme has no option {node.attr!r}")

    def _place_of(self, error: Exception) -> _TemplateLine | None:
        """Return the innermost line of a template that an error comes from."""
        templates = {
            str(template.file): template
            for layer in self._theme.layers.layers
            for template in layer.templates.values()
        }
        # Jinja puts the templates' own lines into the traceback.
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            if frame.filename in templates:
                return _TemplateLine(templates[frame.filename], frame.lineno)
        return None

    def _theme_error(self, error: Exception) -> ThemeError:
        """Return what went wrong in a template, with the innermost place in the theme."""
        if isinstance(error, TemplateSyntaxError):
            return ThemeError(f"{error.filename}:{error.lineno}  {error.message}")
        line = self._place_of(error)
        place = f"{line.template.file}:{line.line}" if line else self._theme.name
        if isinstance(error, TemplateNotFound):
            return ThemeError(f"{place}  {_not_there(str(error))}")
        if isinstance(error, RecursionError):
            words = "this template leads back to itself; what lies below it is '!theme/…'"
            return ThemeError(f"{place}  {words}")
        if attribute := _ATTRIBUTE.fullmatch(str(error)):
            return ThemeError(f"{place}  {_no_attribute(*attribute.groups())}")
        return ThemeError(f"{place}  {error}")


_UNDEFINED = re.compile(r"'(\w+)' is undefined")
_FILE = re.compile(r"'dict object' has no attribute '([\w./-]+\.(?:css|js))'")
_USES = (nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport)
# What jinja2 says of an attribute that is not there.
_ATTRIBUTE = re.compile(r"'([\w.]+) object' has no attribute '(\w+)'")


def _no_attribute(kind: str, name: str) -> str:
    """Return the message about an attribute that is not there, in words of docs/themes.md."""
    nouns = {f"{noun.__module__}.{noun.__name__}": sorted(has) for noun, has in _OPEN.items()}
    has = nouns.get(kind, [])
    meant = suggestion(name, has) or (f"; it has {', '.join(has)}" if has else "")
    noun = kind.rpartition(".")[2].removesuffix("View")
    return f"{noun!r} has no attribute {name!r}{meant}"


def _made(tree: nodes.Template) -> set[str]:
    """Return the names that a template defines itself."""
    made = {name.name for name in tree.find_all(nodes.Name) if name.ctx == "store"}
    made |= {macro.name for macro in tree.find_all(nodes.Macro)}
    made |= {module.target for module in tree.find_all(nodes.Import)}
    for taken in tree.find_all(nodes.FromImport):
        made |= {name if isinstance(name, str) else name[1] for name in taken.names}
    return made


def _not_there(template: object) -> str:
    return f"the template {template!r} is not there"
