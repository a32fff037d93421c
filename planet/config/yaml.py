"""YAML text → Document: plain values with line and column. The door to PyYAML.

It is read from parser events and not through a loader, so that every mistake has its place, and so
that neither nesting nor aliases can make a small file large.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from datetime import datetime
from sys import intern
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import yaml

from planet.errors import ConfigError, Place, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


KeyPath = tuple[str | int, ...]
"""The keys and indexes that lead from the top of a file to a value."""

# Settings with secrets: their values are never repeated in a message.
_SECRET = frozenset({"auth", "headers", "options", "signature"})
_MAX_QUOTE = 60
_CURLY: Final = re.compile("[“„‟”‘’‚][^“„‟”]*[“‟”‘’]")


# A named tuple, because a large file has hundreds of thousands of them: a frozen dataclass takes
# several times as long to make.
class Node(NamedTuple):
    """One value of a file."""

    start: int
    end: int
    """Where its text begins, with anchor and tag, and ends, without comments after it: in
    characters of the file, without its byte order mark."""
    scalar: Any = None
    """Text, number, truth value or None; None for a list or a mapping, too."""
    text: str | None = None
    """A scalar as it is written, with variables as such; None for a list or a mapping."""
    quoted: bool = False
    parts: Mapping[Any, Node] = {}
    """The values of a list or a mapping, by index or key."""
    size: int = 1
    """How many values it has in all, with an alias counted each time."""
    key: int = 0
    """Where its key begins, if it has one."""
    is_list: bool = False

    @property
    def is_mapping(self) -> bool:
        """Tell whether it is a mapping."""
        return self.text is None and not self.is_list

    @property
    def is_in_curly_quotes(self) -> bool:
        """Tell whether a text is in the quotation marks of a word processor, which YAML keeps."""
        return not self.quoted and bool(_CURLY.fullmatch(self.text or ""))

    @property
    def value(self) -> Any:
        """Return text, number, truth value, None, or a new list or dict of these."""
        if self.text is not None:
            return self.scalar
        if self.is_list:
            return [part.value for part in self.parts.values()]
        return {name: part.value for name, part in self.parts.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file that was read. Its `root` is a mapping."""

    file: str
    root: Node
    at: Callable[[int], Place] = field(compare=False)
    """The place of a character of the file."""
    problems: tuple[Problem, ...] = ()
    """What is wrong in it, though it can be read."""

    def node(self, location: KeyPath) -> Node:
        """Return the value at `location`; steps that are not in the file are skipped."""
        node = self.root
        for step in location:
            node = node.parts.get(step, node)
        return node

    def key_path(self, location: KeyPath) -> KeyPath:
        """Return `location` without steps that are not in the file."""
        node, steps = self.root, []
        for step in location:
            if step in node.parts:
                node = node.parts[step]
                steps.append(step)
        return tuple(steps)

    def place(self, location: KeyPath) -> Place:
        """Return where the value begins."""
        return self.at(self.node(location).start)

    def key_place(self, location: KeyPath) -> Place:
        """Return where its key begins."""
        return self.at(self.node(location).key)

    def problem(self, location: KeyPath, words: str, *, is_warning: bool = False) -> Problem:
        """Make a problem of the value, or of the section that lacks it."""
        name = label(self.key_path(location))
        return Problem(self.place(location), f"{name} {words}", is_warning=is_warning)

    def quote(self, location: KeyPath) -> str | None:
        """Return the scalar in quotes, for a message; None where it may be a secret."""
        text = self.node(location).text
        if text is None or _SECRET.intersection(location):
            return None
        words = " ".join(text.split())
        return f'"{words[:_MAX_QUOTE]}…"' if len(words) > _MAX_QUOTE else f'"{words}"'


def label(key_path: KeyPath) -> str:
    """Return the name of a value in a message: `feeds[0].filters.include[1]`."""
    name = ""
    for step in key_path:
        if isinstance(step, int):
            name += f"[{step}]"
        elif not re.fullmatch(r"[\w-]+", step):
            name += f'["{step}"]'
        else:
            name += f".{step}" if name else step
    return name or "the file"


# libyaml is six times as fast, but not in every build of PyYAML.
_LOADER: Final[type[Any]] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG: Final = "tag:yaml.org,2002:"
_MAX_DEPTH: Final = 20
_TOO_DEEP: Final = f"this is nested more than {_MAX_DEPTH} levels deep"
_MAX_VALUES: Final = 1_000_000
# YAML 1.1 §5.1: what may stand in a file.
_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_EMPTY = 'the file is empty; it needs "title" and "feeds" (`planet init` writes an example)'
_ONLY_A_LIST = 'a list needs a name above it, such as "feeds:"'
_NOT_A_MAPPING = 'the file must be a mapping of settings, each on a line such as "title: My planet"'


def read(
    data: bytes, *, file: str, expand: Callable[[str], str], loader: type[Any] = _LOADER
) -> Document:
    """Parse YAML.

    `expand` fills in the variables of a text; its `ValueError` becomes a problem. Of a key that
    comes twice the first value counts.

    Raises:
        ConfigError: the text is not YAML, or not a mapping, so that nothing more can be checked.
    """
    text = _decode(data, file)
    composer = _Composer(text, file, expand, loader)
    root = composer.document()
    problems = tuple(composer.problems)
    return Document(file=file, root=root, at=composer.place, problems=problems)


def _decode(data: bytes, file: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        message = "this is not UTF-8; save the file in the encoding UTF-8"
        raise ConfigError([Problem(_make_locator(file, before)(len(before)), message)]) from None
    if forbidden := _UNPRINTABLE.search(text):
        message = f"the character U+{ord(forbidden[0]):04X} is not allowed in YAML"
        raise ConfigError([Problem(_make_locator(file, text)(forbidden.start()), message)])
    return text


# YAML 1.1 §5.4, which knows more line ends than editors do.
_LINE_END: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


def _make_locator(file: str, text: str) -> Callable[[int], Place]:
    """Make a function that gives the place of a character of a text."""
    # An array, because a large file has hundreds of thousands of lines.
    starts = array("L", (0, *(end.end() for end in _LINE_END.finditer(text))))

    def place(index: int) -> Place:
        line = bisect_right(starts, index)
        return Place(file=file, line=line, column=index - starts[line - 1] + 1)

    return place


class _Composer:
    """Makes nodes of parser events, and collects the problems."""

    def __init__(
        self, text: str, file: str, expand: Callable[[str], str], loader: type[Any]
    ) -> None:
        self.problems: list[Problem] = []
        self.place = _make_locator(file, text)
        self._text = text
        self._file = file
        self._expand = expand
        self._anchors: dict[str, Node] = {}
        # Without `yaml.parse`, which takes a fifth of the time.
        self._next: Callable[[], Any] = loader(text).get_event
        self._tag: Callable[..., str] = yaml.resolver.Resolver().resolve
        self._construct = yaml.constructor.SafeConstructor()

    def document(self) -> Node:
        """Return the root of the only document of the file.

        Raises:
            ConfigError: there is none, or more than one.
        """
        try:
            beginning = self._next()
            if isinstance(self._next(), yaml.StreamEndEvent):
                self.stop(beginning, _EMPTY)
            root = self._node(first := self._next(), ())
            self._next()  # the document ends
            if not isinstance(after := self._next(), yaml.StreamEndEvent):
                self.stop(after, "a second document begins here; a config is one")
        except yaml.MarkedYAMLError as error:
            mark: Any = error.problem_mark or error.context_mark
            # The parser notices it only where something else begins, or at the end of the file.
            if error.context_mark and _UNENDED.search(f"{error.problem}"):
                mark = error.context_mark
            place = Place(file=self._file, line=mark.line + 1, column=mark.column + 1)
            words = _describe_syntax_error(error, self._text.split("\n"), place)
            raise ConfigError([*self.problems, Problem(place, words)]) from None
        if not root.is_mapping:
            wrong = _ONLY_A_LIST if root.is_list else _NOT_A_MAPPING
            self.stop(first, _EMPTY if root.value is None else wrong)
        return root

    def stop(self, event: Any, message: str) -> NoReturn:
        """Raise a `ConfigError` with all problems so far, and this one."""
        self._complain(event, message)
        raise ConfigError(self.problems) from None

    def _complain(self, event: Any, message: str) -> None:
        self.problems.append(Problem(self.place(event.start_mark.index), message))

    def _node(self, event: Any, key_path: KeyPath, key: int = 0) -> Node:
        if isinstance(event, yaml.ScalarEvent):
            node = self._scalar(event, key_path, key)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                words = 'put a text that begins with "*" into quotes'
                self.stop(event, f"no anchor &{event.anchor} ends before this place; {words}")
            node = self._anchors[event.anchor]
            return node._replace(start=_start(event), end=_end(event), key=key)
        else:
            if len(key_path) > _MAX_DEPTH:
                self.stop(event, _TOO_DEEP)
            is_list = isinstance(event, yaml.SequenceStartEvent)
            if event.tag not in (None, "!", f"{_TAG}seq" if is_list else f"{_TAG}map"):
                self._complain(event, f"{label(key_path)} cannot have the tag {event.tag}")
            node = (self._list if is_list else self._mapping)(event, key_path, key)
            # Only aliases make more values than letters.
            if node.size > max(_MAX_VALUES, len(self._text)):
                self.stop(event, f"with its aliases this is over {_MAX_VALUES:,} values")
        if event.anchor:
            self._anchors[event.anchor] = node
        return node

    def _scalar(self, event: Any, key_path: KeyPath, key: int) -> Node:
        text: str = event.value
        quoted = not _is_plain(event)
        tag = event.tag
        if tag in (None, "!"):
            tag = f"{_TAG}str" if quoted else self._tag(yaml.ScalarNode, text, (True, False))
        try:
            value = self._value(tag, text)
        except (KeyError, ValueError) as error:  # KeyError: `!!bool maybe`
            why = error if isinstance(error, ValueError) else "is neither true nor false"
            self._complain(event, f"{label(key_path)} {why}")
            value = text
        if value is None and key_path and key_path not in _MAY_BE_EMPTY:
            is_needed = key_path[-1] in _NEEDED
            way_out = "write one after the colon" if is_needed else "give one, or remove it"
            self._complain(event, f"{label(key_path)} has no value; {way_out}")
        return Node(_start(event), _end(event), value, text, quoted, key=key)

    def _value(self, tag: str, text: str) -> Any:
        kind = tag.removeprefix(_TAG)
        # No setting is a date: a bare 2026-11-21 is text, and so are "=" and "<<".
        if kind in ("str", "timestamp", "value", "merge"):
            return self._expand(text) if "${" in text else text
        if kind not in ("null", "bool", "int", "float"):
            raise ValueError(f"cannot have the tag {tag}")
        # YAML 1.1 reads 12:30 as 750 and 010 as 8; YAML 1.2, which editors follow, does not.
        if kind in ("int", "float") and re.search(r":|^[-+]?0[0-9_]", text):
            raise ValueError("is not the number it looks like; put it into quotes")
        try:
            return getattr(self._construct, f"construct_yaml_{kind}")(yaml.ScalarNode(tag, text))
        except ValueError:  # `!!int ten`, or more digits than Python converts
            raise ValueError("is not a number that can be read") from None

    def _list(self, start: Any, key_path: KeyPath, key: int) -> Node:
        parts: dict[int, Node] = {}
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            parts[len(parts)] = self._node(event, (*key_path, len(parts)))
        size = 1 + sum(node.size for node in parts.values())
        # Without brackets a list ends, for the parser, behind the comments that come after it.
        end = _end(event) if start.flow_style else parts[len(parts) - 1].end
        return Node(_start(start), end, parts=parts, size=size, key=key, is_list=True)

    def _mapping(self, start: Any, key_path: KeyPath, at: int) -> Node:
        parts: dict[str, Node] = {}
        keys: dict[str, int] = {}
        merged: list[Node] = []
        end = 0
        while not isinstance(key := self._next(), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                self.stop(key, "a name of a setting is expected here")
            # A large file has the same few names again and again.
            name = intern(key.value)
            node = self._node(self._next(), (*key_path, name), _start(key))
            end = node.end
            if name in keys:
                first = self.place(keys[name]).line
                self._complain(key, f'"{name}" stands here again, after line {first}')
                continue
            keys[name] = node.key
            if name == "<<" and _is_plain(key):
                merged = self._merge(node)
            else:
                parts[name] = node
        # https://yaml.org/type/merge.html: what is written here goes before what is merged in,
        # and the earlier mapping before the later.
        for other in merged:
            parts = {**other.parts, **parts}
        size = 1 + sum(node.size for node in parts.values())
        end = _end(key) if start.flow_style else end
        return Node(_start(start), end, parts=parts, size=size, key=at)

    def _merge(self, node: Node) -> list[Node]:
        nodes = list(node.parts.values()) if node.is_list else [node]
        for wrong in (node for node in nodes if not node.is_mapping):
            words = '"<<" takes a mapping, or a list of mappings'
            self.problems.append(Problem(self.place(wrong.start), words))
        return [node for node in nodes if node.is_mapping]


_MAY_BE_EMPTY: Final = (("feeds",), ("subscriptions",))
"""Lists that may have no item, because all are commented out."""
_NEEDED: Final = frozenset({"title", "url", "user", "password", "key_id", "key"})
"""Settings that are required somewhere."""
_UNENDED: Final = re.compile(r"unexpected end of stream|could not find expected ':'")


def _is_plain(event: Any) -> bool:
    # libyaml says "", the parser in Python None.
    return not event.style


def _start(event: Any) -> int:
    return int(event.start_mark.index)


def _end(event: Any) -> int:
    return int(event.end_mark.index)


def _describe_syntax_error(error: yaml.MarkedYAMLError, lines: list[str], place: Place) -> str:
    """Return what is wrong with text that is not YAML, and what most likely helps."""
    problem = " ".join(part for part in (error.context, error.problem) if part)
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    if "end of stream" in problem:
        return "this is not YAML: no quotation mark ends the text that begins here"
    if "nesting depth" in problem:  # libyaml has a limit of its own since 0.2.6
        return _TOO_DEEP
    if "simple key" in problem:
        return 'this is not YAML: a line is a name with ":", or begins with a dash and a blank'
    here = line[place.column - 1 :]
    if here.startswith("\t"):
        return "this is not YAML: lines are indented with blanks, not with tabs"
    # The first colon of a line is not expected where the text above goes on.
    goes_on = place.line > 1 and ":" not in line[: place.column - 1]
    if "mapping values are not allowed" in problem:
        return f"this is not YAML: {_advise_on_colon(lines[place.line - 2] if goes_on else '')}"
    if "alias" in problem or "anchor" in problem:
        return "this is not YAML: put a text that begins with * or & into quotes"
    if here.startswith(("@", "`", "%")):
        return f"this is not YAML: put a text that begins with {here[0]} into quotes"
    if "flow" in problem and "${" in line:
        return 'this is not YAML: inside [] and {}, put "${…}" into quotes'
    if here.startswith("(") and "](" in line:
        return "this is not YAML: write the bare address in place of a link of Markdown"
    hint = "; is this line indented like those it belongs to?" if " block " in problem else ""
    return f"this is not YAML: {problem}{hint}"


def _advise_on_colon(above: str) -> str:
    """Return what helps where a colon is not expected; `above` is the line that is continued."""
    if re.match(r"\s*-\s+https?:", above):
        return 'an address with settings below it is written "- url: https://…"'
    if re.match(r"\s*(- +)?[\w-]+:[^ ]", above):
        return "put a blank after the colon in the line above"
    return "put a text with a colon and a blank in it into quotes"


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


def _represent_moment(dumper: yaml.SafeDumper, moment: datetime) -> yaml.ScalarNode:
    text = moment.isoformat().replace("+00:00", "Z")
    return dumper.represent_scalar("tag:yaml.org,2002:timestamp", text)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(datetime, _represent_moment)
