"""YAML text → Document: plain data, and the place of each value. The door to PyYAML.

Every scalar is text, and the setting gives the meaning: `language: no`, `at: 07:00` and
`title: 2024` are read as they look, with quotes and without. An empty setting is not set.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import yaml

from planet.errors import ConfigError, Place, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


KeyPath = tuple[str | int, ...]
"""The keys and indexes that lead from the top of a file to a value."""

# libyaml is six times as fast, but not in every build of PyYAML.
_LOADER: Final[type[Any]] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_EMPTY: Final = frozenset({"", "~", "null"})
_CURLY: Final = re.compile("[“„‟”‘’‚][^“„‟”]*[“‟”‘’]")
_MAX_VALUES: Final = 400_000
"""With aliases a small file could have more values than fit into memory."""
# YAML 1.1 §5.1: what may stand in a file.
_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Document:
    """The content of a file, and the place of each value.

    `expand` fills in the variables of a text; a `ValueError` becomes a problem. Of two values with
    the same key the first one counts.
    """

    def __init__(self, root: Any, *, file: str, expand: Callable[[str], str]) -> None:
        self.file, self._expand = file, expand
        self.nodes: dict[KeyPath, Any] = {}
        """The node of each value, as PyYAML has it."""
        self.keys: dict[KeyPath, Any] = {}
        """The node of the key of each value in a mapping."""
        self.problems: list[Problem] = []
        """The mistakes in a file that can be read all the same."""
        self.data: Any = self._read(root, ())
        """The values, in text, lists and dicts; an empty value is None in a list, else absent."""

    def find(self, location: KeyPath) -> KeyPath:
        """Return a location without the steps beyond the file."""
        there: KeyPath = ()
        for step in location:
            there = (*there, step) if (*there, step) in self.nodes else there
        return there

    def node(self, location: KeyPath) -> Any:
        """Return the value at a location, or the last value on the way."""
        return self.nodes[self.find(location)]

    def place(self, location: KeyPath) -> Place:
        """Return the place where a value begins."""
        return _place(self.file, self.node(location).start_mark)

    def key_place(self, location: KeyPath) -> Place:
        """Return the place where the key of a value begins."""
        return _place(self.file, self.keys[self.find(location)].start_mark)

    def problem(self, location: KeyPath, words: str, *, is_warning: bool = False) -> Problem:
        """Make a problem of the value, or of the section without the value."""
        name = label(self.find(location))
        return Problem(self.place(location), f"{name} {words}", is_warning=is_warning)

    def text(self, location: KeyPath) -> str | None:
        """Return a scalar as written, with variables as such; None for anything else."""
        value = self.node(location).value
        return value if isinstance(value, str) else None

    def texts(self) -> dict[KeyPath, str | None]:
        """Return each value as `text` does, by location."""
        return {location: self.text(location) for location in self.nodes}

    def _read(self, node: Any, path: KeyPath) -> Any:
        """Return text, None, a list or a dict."""
        self.nodes[path] = node
        if len(self.nodes) > _MAX_VALUES:
            raise yaml.YAMLError(f"with its aliases this has over {_MAX_VALUES:,} values")
        if isinstance(node, yaml.MappingNode):
            return self._read_mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self._read(item, (*path, index)) for index, item in enumerate(node.value)]
        # Without quotes, the style is "" for libyaml, and None for the parser in Python.
        if not node.style and node.value in _EMPTY:
            return None
        if not node.style and _CURLY.fullmatch(node.value):
            words = 'is in curly quotes; write straight ones ("), or none'
            self._complain(node, f"{label(path)} {words}")
        try:
            return self._expand(node.value) if "${" in node.value else node.value
        except ValueError as error:
            self._complain(node, f"{label(path)} {error}")
            return node.value

    def _read_mapping(self, node: Any, path: KeyPath) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, value in node.value:
            here = (*path, key.value)
            if not isinstance(key, yaml.ScalarNode):
                self._complain(key, "a name of a setting is expected here")
            elif here in self.keys:
                line = self.keys[here].start_mark.line + 1
                self._complain(key, f'"{key.value}" stands here again, after line {line}')
            else:
                self.keys[here] = key
                values[key.value] = self._read(value, here)
        return {name: value for name, value in values.items() if value is not None}

    def _complain(self, node: Any, words: str) -> None:
        """Add a problem of a node, but not again for an alias."""
        problem = Problem(_place(self.file, node.start_mark), words)
        if problem.place not in [other.place for other in self.problems]:
            self.problems.append(problem)


def _place(file: str, mark: Any) -> Place:
    return Place(file=file, line=mark.line + 1, column=mark.column + 1)


def label(key_path: KeyPath) -> str:
    """Return the name of a value in a message: `feeds[0].filters.include[1]`."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in key_path)
    return "".join(steps).removeprefix(".") or "the file"


def read(data: bytes | str, *, file: str, expand: Callable[[str], str] = str) -> Document:
    """Parse YAML.

    Raises:
        ConfigError: the text is not YAML, or not a mapping.
    """
    text = _decode(data, file) if isinstance(data, bytes) else data.removeprefix("\ufeff")
    top = Place(file=file, line=1, column=1)
    try:
        root = yaml.compose(text, Loader=_LOADER)
        if isinstance(root, yaml.MappingNode):
            return Document(root, file=file, expand=expand)
        words = 'this must be settings, each on a line such as "title: My planet"'
        problem = Problem(top, f"{words}; `planet init` writes an example")
    except yaml.MarkedYAMLError as error:
        problem = _describe_syntax_error(error, text, file)
    except RecursionError:
        problem = Problem(top, "this is nested too deeply")
    except yaml.YAMLError as error:
        problem = Problem(top, str(error))
    raise ConfigError([problem])


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


_ADVICE: Final = {
    ".*another document": "a second document begins here; a config is one",
    ".*end of stream": "no quotation mark ends the text that begins here",
    ".*simple key": 'a line is a name with ":", or begins with a dash and a blank',
    ".*\n\t": "lines are indented with blanks, not with tabs",
    ".*mapping values": (
        'put a blank after the ":" of a name, here or in the line above, and a text with both into '
        'quotes; an address with settings below it is written "- url: https://…"'
    ),
    r".*(alias|anchor|\n[@`%]|flow.*\n.*\n.*\$\{)": (
        'put a text that begins with @ ` % * & or "${" into quotes'
    ),
    ".*flow": 'a "[" or "{", here or above, is not ended by its "]" or "}"',
}
"""The most likely help, by the words of the parser, the rest of the line, and the line."""


def _describe_syntax_error(error: yaml.MarkedYAMLError, text: str, file: str) -> Problem:
    """Return the mistake in a broken text, with the most likely help."""
    words = " ".join(part for part in (error.context, error.problem) if part)
    mark: Any = error.problem_mark or error.context_mark
    # The parser notices it only where something else begins, or at the end of the file.
    if error.context_mark and re.search("end of stream|expected ':'", words):
        mark = error.context_mark
    if re.search("recursive|nesting depth", words):
        return Problem(_place(file, mark), "this is nested too deeply")
    line = [*text.split("\n"), ""][mark.line]
    context = f"{words}\n{line[mark.column :]}\n{line}"
    hint = "; is this line indented like those it belongs to?" if " block " in words else ""
    fitting = (advice for pattern, advice in _ADVICE.items() if re.match(pattern, context))
    return Problem(_place(file, mark), f"this is not YAML: {next(fitting, words + hint)}")


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
