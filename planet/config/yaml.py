"""YAML text → Document: plain values with line and column. With `yamlwriter` the door to PyYAML.

Read from parser events rather than through a loader, so that every mistake can be told with its
place, and so that neither nesting nor aliases can make a small file large.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NoReturn

import yaml

from planet.config.document import Document, Node, label
from planet.errors import ConfigError, Problem
from planet.model import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planet.config.document import Trail

# libyaml is six times as fast, but not in every build of PyYAML.
_LOADER: Final[type[Any]] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG: Final = "tag:yaml.org,2002:"
_MAX_DEPTH: Final = 20
_MAX_VALUES: Final = 1_000_000
# YAML 1.1 §5.1: what may stand in a file.
_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_EMPTY = 'the file is empty; it needs "title" and "feeds" (`planet init` writes an example)'
_NOT_A_MAPPING = 'the file must be a mapping of settings, each on a line such as "title: My planet"'


def read(
    data: bytes, *, file: str, expand: Callable[[str], str], loader: type[Any] = _LOADER
) -> tuple[Document, tuple[Problem, ...]]:
    """The settings in `data`, and what is wrong with them as YAML.

    `expand` puts the environment into a text; its `ValueError` becomes a problem. Of a key that
    comes twice the first value counts.

    Raises:
        ConfigError: the text is not YAML, or not a mapping: nothing can be said about settings.
    """
    composer = _Composer(_decoded(data, file), file, expand, loader)
    root = composer.document()
    if not isinstance(root.value, dict):
        composer.stop(root.line, root.column, _NOT_A_MAPPING)
    return Document(file=file, root=root), tuple(composer.problems)


def _decoded(data: bytes, file: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        message = "this is not UTF-8; save the file in the encoding UTF-8"
        raise ConfigError([Problem(_end(before, file), message)]) from None
    if found := _UNPRINTABLE.search(text):
        message = f"the character U+{ord(found[0]):04X} is not allowed in YAML"
        raise ConfigError([Problem(_end(text[: found.start()], file), message)])
    return text


def _end(before: str, file: str) -> Place:
    lines = before.split("\n")
    return Place(file=file, line=len(lines), column=len(lines[-1]) + 1)


class _Composer:
    """Puts parser events together to nodes, and notes each mistake on the way."""

    def __init__(
        self, text: str, file: str, expand: Callable[[str], str], loader: type[Any]
    ) -> None:
        self.problems: list[Problem] = []
        self._text = text
        self._file = file
        self._expand = expand
        self._anchors: dict[str, Node] = {}
        self._events: Iterator[Any] = yaml.parse(text, Loader=loader)
        self._tag: Callable[..., str] = yaml.resolver.Resolver().resolve
        self._construct = yaml.constructor.SafeConstructor()

    def document(self) -> Node:
        """The one document of the file.

        Raises:
            ConfigError: there is none, or it is not YAML.
        """
        try:
            next(self._events)  # the stream begins
            if isinstance(next(self._events), yaml.StreamEndEvent):
                self.stop(1, 1, _EMPTY)
            root = self._node(next(self._events), ())
            next(self._events)  # the document ends
            if not isinstance(after := next(self._events), yaml.StreamEndEvent):
                self.stop(*_start(after), "a second document begins here; a config is one")
        except yaml.MarkedYAMLError as error:
            line, column = _mark(error.problem_mark or error.context_mark)
            self.stop(line, column, _syntax(error, self._text.split("\n"), line, column))
        if root.value is None:
            self.stop(root.line, root.column, _EMPTY)
        return root

    def stop(self, line: int, column: int, message: str) -> NoReturn:
        """Give up: what follows cannot be understood."""
        self._complain(line, column, message)
        raise ConfigError(self.problems) from None

    def _complain(self, line: int, column: int, message: str) -> None:
        self.problems.append(Problem(Place(file=self._file, line=line, column=column), message))

    def _node(self, event: Any, trail: Trail) -> Node:
        line, column = _start(event)
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                self.stop(line, column, f"no anchor &{event.anchor} ends before this place")
            return self._anchors[event.anchor]._replace(line=line, column=column)
        if isinstance(event, yaml.ScalarEvent):
            node = self._scalar(event, trail)
        else:
            if len(trail) > _MAX_DEPTH:
                self.stop(line, column, f"this is nested more than {_MAX_DEPTH} levels deep")
            is_list = isinstance(event, yaml.SequenceStartEvent)
            if event.tag not in (None, "!", f"{_TAG}seq" if is_list else f"{_TAG}map"):
                self._complain(line, column, f"{label(trail)} cannot have the tag {event.tag}")
            node = self._list(event, trail) if is_list else self._mapping(event, trail)
            if node.size > _MAX_VALUES:
                self.stop(line, column, f"with its aliases this is over {_MAX_VALUES:,} values")
        if event.anchor:
            self._anchors[event.anchor] = node
        return node

    def _scalar(self, event: Any, trail: Trail) -> Node:
        line, column = _start(event)
        said: str = event.value
        quoted = not _is_plain(event)
        tag = event.tag
        if tag in (None, "!"):
            tag = f"{_TAG}str" if quoted else self._tag(yaml.ScalarNode, said, (True, False))
        try:
            value = self._value(tag, said)
        except (KeyError, ValueError) as error:  # KeyError: `!!bool maybe`
            why = error if isinstance(error, ValueError) else "is neither true nor false"
            self._complain(line, column, f"{label(trail)} {why}")
            value = said
        if value is None and trail:
            self._complain(line, column, f"{label(trail)} has no value; give one, or remove it")
        return Node(line, column, value, said, quoted)

    def _value(self, tag: str, said: str) -> Any:
        kind = tag.removeprefix(_TAG)
        # No setting is a date: a bare 2026-11-21 is text, and so are "=" and "<<".
        if kind in ("str", "timestamp", "value", "merge"):
            return self._expand(said) if "${" in said else said
        if kind not in ("null", "bool", "int", "float"):
            raise ValueError(f"cannot have the tag {tag}")
        # YAML 1.1 reads 12:30 as 750 and 010 as 8; YAML 1.2, which editors follow, does not.
        if kind in ("int", "float") and re.search(r":|^[-+]?0[0-9_]", said):
            raise ValueError("is not the number it looks like; put it into quotes")
        try:
            return getattr(self._construct, f"construct_yaml_{kind}")(yaml.ScalarNode(tag, said))
        except ValueError:  # `!!int ten`, or more digits than Python converts
            raise ValueError("is not a number that can be read") from None

    def _list(self, start: Any, trail: Trail) -> Node:
        nodes: list[Node] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            nodes.append(self._node(event, (*trail, len(nodes))))
        value = [node.value for node in nodes]
        size = 1 + sum(node.size for node in nodes)
        return Node(*_start(start), value, parts=dict(enumerate(nodes)), size=size)

    def _mapping(self, start: Any, trail: Trail) -> Node:
        parts: dict[str | int, Node] = {}
        keys: dict[str, tuple[int, int]] = {}
        merged: list[Node] = []
        while not isinstance(key := next(self._events), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                self.stop(*_start(key), "a name of a setting is expected here")
            name: str = key.value
            node = self._node(next(self._events), (*trail, name))
            if name in keys:
                first = keys[name][0]
                self._complain(*_start(key), f'"{name}" stands here again, after line {first}')
                continue
            keys[name] = _start(key)
            if name == "<<" and _is_plain(key):
                merged = self._merged(node)
            else:
                parts[name] = node
        # https://yaml.org/type/merge.html: what is written here goes before what is merged in,
        # and the earlier mapping before the later.
        for other in merged:
            parts = {**other.parts, **parts}
            keys = {**other.keys, **keys}
        value = {name: node.value for name, node in parts.items()}
        size = 1 + sum(node.size for node in parts.values())
        return Node(*_start(start), value, parts=parts, keys=keys, size=size)

    def _merged(self, node: Node) -> list[Node]:
        nodes = list(node.parts.values()) if isinstance(node.value, list) else [node]
        for wrong in (node for node in nodes if not isinstance(node.value, dict)):
            self._complain(wrong.line, wrong.column, '"<<" takes a mapping, or a list of mappings')
        return [node for node in nodes if isinstance(node.value, dict)]


def _is_plain(event: Any) -> bool:
    # libyaml says "", the parser in Python None.
    return not event.style


def _start(event: Any) -> tuple[int, int]:
    return _mark(event.start_mark)


def _mark(mark: Any) -> tuple[int, int]:
    return mark.line + 1, mark.column + 1


def _syntax(error: yaml.MarkedYAMLError, lines: list[str], line: int, column: int) -> str:
    """What the parser says of text that is not YAML, and what most likely helps."""
    said = " ".join(part for part in (error.context, error.problem) if part)
    here = lines[line - 1][column - 1 :] if line <= len(lines) else ""
    if here.startswith("\t"):
        return "this is not YAML: lines are indented with blanks, not with tabs"
    if "mapping values are not allowed" in said:
        return "this is not YAML: put a text with a colon and a blank in it into quotes"
    if here.startswith(("@", "`", "%")):
        return f"this is not YAML: put a text that begins with {here[0]} into quotes"
    if "flow" in said and "${" in "".join(lines[line - 1 : line]):
        return 'this is not YAML: inside [] and {}, put "${…}" into quotes'
    return f"this is not YAML: {said}"
