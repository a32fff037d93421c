"""The map in `planet/__init__.py`, the doors of its rooms, and whether the code keeps to them."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

PACKAGE = Path(__file__).parents[1] / "planet"

# "3  http  requests → answers, politely    requests, urllib3": level, name, purpose, and after two
# or more blanks the libraries that have their door there.
LINE = re.compile(r"^ +(?P<level>\d)  (?P<name>\w+) +\S.*?(?:  +(?P<libraries>.+))?$", re.MULTILINE)
# "    lists    subscription lists on the web → their feeds": in the docstring of a package, one of
# its modules from which others may import.
DOOR = re.compile(r"^ {4}(?P<module>\w+) {2,}\S", re.MULTILINE)
MAX_LINES: Final = 700
MODULES: Final = {"Babel": "babel", "Jinja2": "jinja2", "PyYAML": "yaml"}
"""Libraries whose module has another name."""
DYNAMIC: Final = {"__init__.py", "cli/__init__.py", "http/session.py", "parse/__init__.py"}
"""Modules that may import by a made name: the offer of the package, the commands, the readers of
feeds, and the back ends of requests-cache."""
SPINE: Final = "run"
"""The room that knows the rooms of its level, and is known by them."""
EVERYWHERE: Final = "msgspec"
"""The library that nouns are made with."""


class Import(NamedTuple):
    """A module that a file imports, at any depth of it."""

    path: str
    """The file, relative to the package."""
    module: str
    """Dotted and absolute, with the imported name as its last part."""
    for_types: bool


def _files() -> dict[str, str]:
    """Return each module of the package: its path there and its text."""
    files = sorted(PACKAGE.rglob("*.py"))
    return {file.relative_to(PACKAGE).as_posix(): file.read_text("utf-8") for file in files}


def _name_of(path: str) -> str:
    """Return the dotted name of a module."""
    return ".".join(["planet", *Path(path).with_suffix("").parts]).removesuffix(".__init__")


def _room_of(path: str) -> str:
    """Return the room of a module; `python -m planet` is the command line under another name."""
    room = path.partition("/")[0].removesuffix(".py")
    return {"__init__": "", "__main__": "cli"}.get(room, room)


FILES: Final = _files()
NAMES: Final = {_name_of(path): path for path in FILES}
MAP: Final = {
    line["name"]: (int(line["level"]), set((line["libraries"] or "").replace(" ", "").split(",")))
    for line in LINE.finditer(ast.get_docstring(ast.parse(FILES["__init__.py"]), clean=False) or "")
}
DOORS: Final = {library: room for room, (_, libraries) in MAP.items() for library in libraries}


@cache
def imports() -> tuple[Import, ...]:
    """Return all imports of the package, those in functions and for types among them."""
    return tuple(each for path, text in FILES.items() for each in _imports(path, text))


def _imports(path: str, text: str) -> Iterator[Import]:
    tree = ast.parse(text)
    typing = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports by dots"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            names = [alias.name for alias in getattr(node, "names", ()) if _is_import(node)]
        for name in names:
            yield Import(path, name, id(node) in typing)


def _is_import(node: ast.AST) -> bool:
    return isinstance(node, ast.Import)


def test_rooms_import_only_rooms_below_them() -> None:
    level = {"": -1} | {room: number for room, (number, _) in MAP.items()}

    def may(room: str, target: str, each: Import) -> bool:
        if not room and target == "api":
            return each.for_types
        beside = level[room] == level[target] and (SPINE in (room, target) or room == target)
        return level[room] > level[target] or beside

    wrong = [
        f"{each.path} imports {each.module}"
        for each in imports()
        if each.module.startswith("planet.")
        if (target := each.module.split(".")[1]) in MAP
        if not may(_room_of(each.path), target, each)
    ]

    assert set(map(_room_of, FILES)) - {""} == MAP.keys()
    assert wrong == []


def test_each_library_is_imported_in_one_room() -> None:
    wrong = [
        f"{each.path} imports {each.module}"
        for each in imports()
        if (top := each.module.partition(".")[0]) not in {"planet", EVERYWHERE}
        if top in DOORS or top not in sys.stdlib_module_names
        if DOORS.get(top) != _room_of(each.path)
    ]

    assert wrong == []


def test_each_library_is_imported_where_its_requirement_says() -> None:
    # "feedparser>=6.0.11,<7",  # parse/damaged.py: RSS and Atom
    requirements = (PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8")
    doors = dict(re.findall(r'"([\w-]+)[^"\n]*"[],]*\s+# ([\w/]+(?:\.py|/)):', requirements))
    modules = {MODULES.get(name, name.replace("-", "_")): door for name, door in doors.items()}

    wrong = [
        f"{each.path} imports {each.module}"
        for each in imports()
        if not each.path.startswith(modules.get(each.module.partition(".")[0], ""))
    ]

    assert len(doors) > 10
    assert wrong == []


def test_rooms_are_entered_by_their_doors() -> None:
    # A package offers the names of its `__init__`, and the modules that its docstring names.
    wrong = []
    for each in imports():
        parts = each.module.split(".")
        for end in range(2, len(parts)):
            room, module = ".".join(parts[:end]), ".".join(parts[: end + 1])
            door = NAMES.get(room, "")
            if module not in NAMES or f"{_name_of(each.path)}.".startswith(f"{room}."):
                continue
            if parts[end] not in _offers(FILES[door]):
                wrong.append(f"{each.path} imports {module}")

    assert wrong == []


def _offers(door: str) -> set[str]:
    """Return the names that a package imports, and the modules that its docstring names."""
    tree = ast.parse(door)
    names = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return names | {*DOOR.findall(ast.get_docstring(tree, clean=False) or "")}


def test_no_modules_import_each_other_in_a_circle() -> None:
    uses: dict[str, set[str]] = {name: set() for name in NAMES}
    for each in imports():
        target = each.module if each.module in NAMES else each.module.rpartition(".")[0]
        if not each.for_types and target in NAMES and target != _name_of(each.path):
            uses[_name_of(each.path)].add(target)

    # Who imports nothing of what is left is in no circle.
    while free := [name for name, used in uses.items() if not used & uses.keys()]:
        for name in free:
            del uses[name]

    assert uses == {}


def test_modules_are_no_longer_than_a_reader_can_follow() -> None:
    assert {path for path, text in FILES.items() if text.count("\n") > MAX_LINES} == set()


def test_only_modules_that_load_by_need_import_by_a_made_name() -> None:
    made = {
        path for path, text in FILES.items() if re.search(r"\b(import_module|__import__)\(", text)
    }

    assert made - DYNAMIC == set()


def test_each_class_name_is_there_once() -> None:
    names = [
        node.name.removeprefix("_")
        for text in FILES.values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
    ]

    assert sorted(name for name in set(names) if names.count(name) > 1) == []


def test_the_social_web_is_known_in_its_own_room_alone() -> None:
    protocols = re.compile(r"webfinger|activitypub|activitystreams|bluesky|at proto", re.IGNORECASE)
    rooms = ("http/", "parse/", "social/")

    knowing = {
        _room_of(path)
        for path, text in FILES.items()
        if path.startswith(rooms) and protocols.search(text)
    }

    assert knowing == {"social"}
