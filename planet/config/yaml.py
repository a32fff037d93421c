"""YAML text → Document: plain data, and the place of everything in it. The door to PyYAML.

Every scalar is text, and its setting says what it means: so `language: no`, `at: 07:00` and
`title: 2024` are what they look like, with quotes and without. An empty setting is not set.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import yaml

from planet.errors import ConfigError, Place, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


KeyPath = tuple[str | int, ...]
"""The keys and indexes that lead from the top of a file to a value."""

# Settings with secrets: their values are never repeated in a message.
_SECRET: Final = frozenset({"auth", "headers", "options", "signature"})
_MAX_QUOTE: Final = 60
# libyaml is six times as fast, but not in every build of PyYAML.
_LOADER: Final[type[Any]] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_EMPTY: Final = frozenset({"", "~", "null"})
_CURLY: Final = re.compile("[“„‟”‘’‚][^“„‟”]*[“‟”‘’]")
_MAX_VALUES: Final = 1_000_000
"""With aliases a small file could have more values than fit into memory."""
# YAML 1.1 §5.1: what may stand in a file.
_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, kw_only=True)
class Document:
    """A file that was read."""

    file: str
    root: Any
    """Its nodes, as PyYAML has them."""
    data: dict[str, Any]
    """What it says, in text, lists and dicts; what is empty is None in a list, and else absent."""
    problems: tuple[Problem, ...] = ()
    """What is wrong in it, though it can be read."""
    with_variables: Mapping[KeyPath, str]
    """The texts with variables in them, as they are written."""

    def node(self, location: KeyPath) -> Any:
        """Return the value at a location, or the last one on the way that is in the file."""
        return self._walk(location)[0]

    def key_path(self, location: KeyPath) -> KeyPath:
        """Return a location without steps that are not in the file."""
        return self._walk(location)[1]

    def has(self, location: KeyPath) -> bool:
        """Tell whether the file has a value at a location."""
        return self.key_path(location) == location

    def _walk(self, location: KeyPath) -> tuple[Any, KeyPath]:
        node, steps = self.root, []
        for step in location:
            if inner := _step(node, step):
                node = inner
                steps.append(step)
        return node, tuple(steps)

    def place(self, location: KeyPath) -> Place:
        """Return where a value begins."""
        return _place(self.file, self.node(location).start_mark)

    def key_place(self, location: KeyPath) -> Place:
        """Return where the key of a value begins."""
        above = self.node(location[:-1])
        keys = above.value if isinstance(above, yaml.MappingNode) else ()
        node = next((key for key, _ in keys if key.value == location[-1]), self.node(location))
        return _place(self.file, node.start_mark)

    def problem(self, location: KeyPath, words: str, *, is_warning: bool = False) -> Problem:
        """Make a problem of the value, or of the section that lacks it."""
        name = label(self.key_path(location))
        return Problem(self.place(location), f"{name} {words}", is_warning=is_warning)

    def text(self, location: KeyPath) -> str | None:
        """Return a scalar as it is written, with variables as such; None for anything else."""
        node = self.node(location)
        return node.value if isinstance(node, yaml.ScalarNode) else None

    def quote(self, location: KeyPath) -> str | None:
        """Return the scalar in quotes, for a message; None where it may be a secret."""
        text = self.text(location)
        if text is None or _SECRET.intersection(location):
            return None
        words = " ".join(text.split())
        return f'"{words[:_MAX_QUOTE]}…"' if len(words) > _MAX_QUOTE else f'"{words}"'


def _step(node: Any, step: str | int) -> Any:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step]
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == step), None)
    return None


def _place(file: str, mark: Any) -> Place:
    return Place(file=file, line=mark.line + 1, column=mark.column + 1)


def has_dashes(node: Any) -> bool:
    """Tell whether a node is a list of which each item stands behind a dash."""
    return isinstance(node, yaml.SequenceNode) and not node.flow_style


def last_part(node: Any) -> Any:
    """Return the innermost value with which a node that is written in lines ends."""
    while isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return node


def label(key_path: KeyPath) -> str:
    """Return the name of a value in a message: `feeds[0].filters.include[1]`."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in key_path)
    return "".join(steps).removeprefix(".") or "the file"


def read(data: bytes | str, *, file: str, expand: Callable[[str], str] = str) -> Document:
    """Parse YAML.

    `expand` fills in the variables of a text; its `ValueError` becomes a problem. Of a key that
    comes twice the first value counts.

    Raises:
        ConfigError: the text is not YAML, or not a mapping, so that nothing more can be checked.
    """
    text = _decode(data, file) if isinstance(data, bytes) else data.removeprefix("\ufeff")
    reader = _NodeReader(file, expand)
    try:
        root = yaml.compose(text, Loader=_LOADER)
        value = reader.data(root, ()) if root else None
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        # The parser notices it only where something else begins, or at the end of the file.
        if error.context_mark and re.search(r"end of stream|expected ':'", f"{error.problem}"):
            mark = error.context_mark
        words = _describe_syntax_error(error, text.split("\n"), mark)
        raise ConfigError([*reader.problems, Problem(_place(file, mark), words)]) from None
    except (yaml.YAMLError, RecursionError) as error:
        words = "this is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ConfigError([Problem(Place(file=file, line=1, column=1), words)]) from None
    if isinstance(value, dict):
        return Document(
            file=file,
            root=root,
            data=value,
            problems=tuple(reader.problems),
            with_variables=reader.with_variables,
        )
    words = 'this must be settings, each on a line such as "title: My planet"'
    way_out = "`planet init` writes an example"
    raise ConfigError([Problem(Place(file=file, line=1, column=1), f"{words}; {way_out}")])


def _decode(data: bytes, file: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        words = "this is not UTF-8; save the file in the encoding UTF-8"
    else:
        if not (forbidden := _UNPRINTABLE.search(text)):
            return text
        before = text[: forbidden.start()]
        words = f"the character U+{ord(forbidden[0]):04X} is not allowed in YAML"
    place = Place(file=file, line=before.count("\n") + 1, column=len(before) - before.rfind("\n"))
    raise ConfigError([Problem(place, words)]) from None


class _NodeReader:
    """Makes plain data of nodes, and collects the problems."""

    def __init__(self, file: str, expand: Callable[[str], str]) -> None:
        self.file, self.expand = file, expand
        self.problems: list[Problem] = []
        self.with_variables: dict[KeyPath, str] = {}
        self.count = 0

    def data(self, node: Any, path: KeyPath) -> Any:
        """Return text, None, a list or a dict."""
        self.count += 1
        if self.count > _MAX_VALUES:
            raise yaml.YAMLError(f"with its aliases this has over {_MAX_VALUES:,} values")
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.data(item, (*path, at)) for at, item in enumerate(node.value)]
        return self.mapping(node, path)

    def scalar(self, node: Any, path: KeyPath) -> str | None:
        """Return a text with its variables filled in."""
        # libyaml says "" for no quotes, the parser in Python None.
        if not node.style and node.value in _EMPTY:
            return None
        text: str = node.value
        if not node.style and _CURLY.fullmatch(text):
            words = 'is in curly quotes; write straight ones ("), or none'
            self.complain(node, f"{label(path)} {words}")
        if "${" in text:
            self.with_variables[path] = text
            try:
                return self.expand(text)
            except ValueError as error:
                self.complain(node, f"{label(path)} {error}")
        return text

    def mapping(self, node: Any, path: KeyPath) -> dict[str, Any]:
        """Return the values by their keys; of a key that comes twice the first one counts."""
        made: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key, value in node.value:
            name = key.value
            if not isinstance(key, yaml.ScalarNode):
                self.complain(key, "a name of a setting is expected here")
            elif name in lines:
                self.complain(key, f'"{name}" stands here again, after line {lines[name] + 1}')
            else:
                lines[name] = key.start_mark.line
                inner = self.data(value, (*path, name))
                made |= {name: inner} if inner is not None else {}
        return made

    def complain(self, node: Any, words: str) -> None:
        """Add a problem of a node; one that aliases repeat is one problem."""
        problem = Problem(_place(self.file, node.start_mark), words)
        if problem.place not in [other.place for other in self.problems]:
            self.problems.append(problem)


def _describe_syntax_error(error: yaml.MarkedYAMLError, lines: list[str], mark: Any) -> str:
    """Return what is wrong with text that is not YAML, and what most likely helps."""
    problem = " ".join(part for part in (error.context, error.problem) if part)
    line = lines[mark.line] if mark.line < len(lines) else ""
    here = line[mark.column :]
    if re.search("recursive|nesting depth", problem):
        return "this is nested too deeply"
    for applies, advice in (
        ("another document" in problem, "a second document begins here; a config is one"),
        ("end of stream" in problem, "no quotation mark ends the text that begins here"),
        ("simple key" in problem, 'a line is a name with ":", or begins with a dash and a blank'),
        (here.startswith("\t"), "lines are indented with blanks, not with tabs"),
        (
            "mapping values" in problem,
            'put a blank after the ":" of a name, here or in the line above, and a text with both '
            'into quotes; an address with settings below it is written "- url: https://…"',
        ),
        (
            re.search("alias|anchor", problem)
            or here.startswith(("@", "`", "%"))
            or ("flow" in problem and "${" in line),
            'put a text that begins with @ ` % * & or "${" into quotes',
        ),
        ("flow" in problem, 'a "[" or "{", here or above, is not ended by its "]" or "}"'),
    ):
        if applies:
            return f"this is not YAML: {advice}"
    hint = "; is this line indented like those it belongs to?" if " block " in problem else ""
    return f"this is not YAML: {problem}{hint}"


# YAML 1.1 §5.4 takes these for line ends, and reads some of them as another one.
_OTHER_LINE_ENDS = re.compile("[\r\x85\u2028\u2029]")


def dump_list(items: Sequence[Any]) -> str:
    """Format a list as a block of lines, each item after a dash at the start of a line.

    A text of several lines is written as such, where YAML can.
    """
    text: str = yaml.dump(
        items,
        Dumper=_Dumper,
        allow_unicode=True,
        default_flow_style=False,
        sort_keys=False,
        # Lines are never broken, so that a text can be searched for.
        width=float("inf"),
    )
    # The end marker, because more follows.
    return re.sub(r"(?<=\n)\.\.\.\n\Z", "", text)


class _Dumper(yaml.SafeDumper):
    """Writes each value in full, without aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        # PyYAML leaves lists in mappings where the mapping is.
        super().increase_indent(flow, False)


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    if _OTHER_LINE_ENDS.search(text):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)
