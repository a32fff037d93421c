"""The map in `planet/__init__.py`, the doors of its rooms, and whether the code keeps to them."""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.cases import case, cases

PACKAGE = Path(__file__).parents[1] / "planet"

# "3  fetch  Feed → Fetched: the network, politely    requests, urllib3": level, name, what it
# does, and after two or more blanks the libraries that have their door there.
LINE = re.compile(r"^ +(?P<level>\d)  (?P<name>\w+) +(?P<what>\S.*?)(?:  +(?P<libraries>.+))?$")
# "    lists    subscription lists on the web → the feeds on them": in the docstring of a package, a
# module of it that others may import from.
DOOR = re.compile(r"^ {4}(?P<module>\w+) {2,}\S", re.MULTILINE)
MAX_LINES = 700
MODULES = {"Babel": "babel", "Jinja2": "jinja2", "PyYAML": "yaml"}
"""Libraries whose module has another name."""
DYNAMIC = {"__init__.py", "cli/__init__.py", "http/session.py"}
"""Who may import by a name that is made: what the package offers, the commands, and the back ends
of requests-cache."""
SPINE = "run"
"""The room that the rooms of its level know, and that knows them."""
EVERYWHERE = "msgspec"
"""The library that nouns are made with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A line of the map: a module or package right under `planet`."""

    level: int
    libraries: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """What one import statement brings in."""

    module: str
    """Dotted and absolute, with the imported name as its last part."""
    for_types_only: bool


def read_map(package: Path) -> dict[str, Unit]:
    """The units on the map, by name."""
    docstring = ast.get_docstring(_parsed(package / "__init__.py"), clean=False) or ""
    units = {}
    for line in docstring.splitlines():
        if found := LINE.match(line):
            libraries = (found["libraries"] or "").replace(" ", "").split(",")
            units[found["name"]] = Unit(
                level=int(found["level"]), libraries=frozenset(filter(None, libraries))
            )
    return units


def faults(package: Path) -> list[str]:
    """Everything in a package that its map does not allow, in words."""
    units = read_map(package)
    modules = {path: _unit_of(path.relative_to(package)) for path in sorted(package.rglob("*.py"))}
    doors = [library for unit in units.values() for library in unit.libraries]
    found = [
        f"the map names {name}, which is not there" for name in units.keys() - modules.values()
    ]
    found += [f"{door} has a second door" for door in sorted(set(doors)) if doors.count(door) > 1]
    for path, name in modules.items():
        where = path.relative_to(package).as_posix()
        if name and name not in units:
            found.append(f"{where} is not on the map")
            continue
        if path.stem == "utils":
            found.append(f"{where} has a name that says nothing")
        if len(path.read_text(encoding="utf-8").splitlines()) > MAX_LINES:
            found.append(f"{where} is longer than {MAX_LINES} lines")
        found += [f"{where} {fault}" for fault in _wrong_imports(path, package, name, units)]
        if where not in DYNAMIC and re.search(r"\b(import_module|__import__)\(", path.read_text()):
            found.append(f"{where} imports by a name that is made")
    found += [f"{where} imports {name}, which is no door" for where, name in _by_windows(package)]
    found += [f"there is a circle: {' → '.join(circle)}" for circle in _circles(package)]
    return found


def _by_windows(package: Path) -> Iterator[tuple[str, str]]:
    """Imports of a module inside a package, by one outside of it, that the package does not name.

    What a package re-exports, and the modules that its docstring names, are its doors.
    """
    modules = _modules(package)
    for name, path in modules.items():
        for each in _imports(_parsed(path), path.relative_to(package.parent)):
            parts = each.module.split(".")
            for end in range(2, len(parts)):
                inside, module = ".".join(parts[:end]), ".".join(parts[: end + 1])
                is_package = modules.get(inside, path).name == "__init__.py"
                is_outside = name != inside and not name.startswith(f"{inside}.")
                if is_package and is_outside and module in modules:
                    said = ast.get_docstring(_parsed(modules[inside]), clean=False) or ""
                    if parts[end] not in DOOR.findall(said) and not _offers(
                        modules[inside], parts[end]
                    ):
                        yield path.relative_to(package).as_posix(), module


def _offers(door: Path, name: str) -> bool:
    """Whether a package has a name of its own that a module of it is called by, too."""
    return any(
        isinstance(node, ast.ImportFrom)
        and name in {alias.asname or alias.name for alias in node.names}
        for node in _parsed(door).body
    )


def _circles(package: Path) -> Iterator[list[str]]:
    """Modules that import each other in a circle, imports in functions among them."""
    modules = _modules(package)
    uses: dict[str, set[str]] = {}
    for name, path in modules.items():
        used = uses[name] = set()
        for each in _imports(_parsed(path), path.relative_to(package.parent)):
            target = each.module if each.module in modules else each.module.rpartition(".")[0]
            if not each.for_types_only and target in modules and target != name:
                used.add(target)
    done: set[str] = set()

    def follow(name: str, way: tuple[str, ...]) -> Iterator[list[str]]:
        if name in way:
            yield [*way[way.index(name) :], name]
        elif name not in done:
            for target in sorted(uses[name]):
                yield from follow(target, (*way, name))
            done.add(name)

    for name in sorted(modules):
        yield from follow(name, ())


def _modules(package: Path) -> dict[str, Path]:
    """Every module by its dotted name."""
    paths = {
        path.relative_to(package.parent).with_suffix(""): path for path in package.rglob("*.py")
    }
    return {".".join(path.parts).removesuffix(".__init__"): at for path, at in paths.items()}


def _unit_of(path: Path) -> str:
    """The unit a module belongs to; empty for the package's own `__init__`."""
    unit = path.parts[0].removesuffix(".py")
    # `python -m planet` is the command line under another name.
    return {"__init__": "", "__main__": "cli"}.get(unit, unit)


def _wrong_imports(
    path: Path, package: Path, name: str, units: Mapping[str, Unit]
) -> Iterator[str]:
    doors = {library: unit for unit, line in units.items() for library in line.libraries}
    for each in _imports(_parsed(path), path.relative_to(package.parent)):
        top, _, rest = each.module.partition(".")
        if top == package.name:
            target = rest.partition(".")[0]
            if target in units and not _may(name, target, each, units):
                yield f"imports {target}"
        elif top == EVERYWHERE or doors.get(top) == name:
            continue
        elif top in doors or top not in sys.stdlib_module_names:
            yield f"imports {top}, whose door is {doors.get(top, 'nowhere')}"


def _may(name: str, target: str, each: Import, units: Mapping[str, Unit]) -> bool:
    """Whether a unit may import another: itself, what is lower, and the spine."""
    if not name and target == "api":
        # What the package offers from Python it names for types, and imports when it is asked.
        return each.for_types_only
    # The package's own `__init__` is below everything, so it may import nothing.
    level = units[name].level if name else -1
    if level == units[target].level:
        return SPINE in (name, target) or name == target
    return level > units[target].level


def _imports(tree: ast.Module, path: Path) -> Iterator[Import]:
    """Every import of a module at any depth: in functions, in branches, for types."""
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # One dot is the package a module is in, each further one the package above it.
            above = list(path.parts[: -node.level]) if node.level else []
            base = [*above, *filter(None, [node.module])]
            names = [".".join([*base, alias.name]) for alias in node.names]
        else:
            continue
        for module in names:
            yield Import(module=module, for_types_only=id(node) in for_types)


def _parsed(path: Path) -> ast.Module:
    return _tree(path.read_text(encoding="utf-8"))


@cache
def _tree(code: str) -> ast.Module:
    return ast.parse(code)


def test_the_code_keeps_to_the_map() -> None:
    assert faults(PACKAGE) == []


def test_each_library_is_imported_where_its_requirement_says() -> None:
    # "feedparser>=6.0.11,<7",  # parse/feedparser.py: RSS and Atom
    said = (PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8")
    doors = dict(re.findall(r'"([\w-]+)[^"\n]*"[],]*\s+# ([\w/]+(?:\.py|/)):', said))
    modules = {library: MODULES.get(library, library.replace("-", "_")) for library in doors}
    users: dict[str, set[str]] = {library: set() for library in doors}
    for path in PACKAGE.rglob("*.py"):
        where = path.relative_to(PACKAGE)
        tops = {each.module.partition(".")[0] for each in _imports(_parsed(path), where)}
        for library, door in doors.items():
            if modules[library] in tops and not where.as_posix().startswith(door):
                users[library].add(where.as_posix())

    assert len(doors) > 15
    assert {library: found for library, found in users.items() if found} == {}


def test_the_map_is_read_with_levels_and_libraries() -> None:
    units = read_map(PACKAGE)

    assert units["http"] == Unit(
        level=3, libraries=frozenset({"requests", "requests_cache", "urllib3"})
    )
    assert units["errors"] == Unit(level=0)


MAP = '''"""A small planet.

    6  cli      argv → exit code            click
    5  build    the whole run, in one function: start here
    5  run      the spine
    5  picks    a room beside it
    4  reading  a body → Reading
    3  fetch    Feed → Fetched: the network, politely   requests, urllib3
    3  parse    Fetched → ParsedFeed
    2  store    what we know ⇄ disk         sqlite3
    1  model    the nouns
    0  errors   everything raised on purpose
"""
'''


@cases(
    "path, code, expected",
    case("downward", "cli/build.py", "import planet.build, click, re", []),
    case("no unit", "build.py", "from planet import reading, __version__", []),
    case("main is the cli", "__main__.py", "from planet.cli import main", []),
    case("own", "fetch/session.py", "from .adapter import x\nimport requests", []),
    case("a door", "store/db.py", "import sqlite3", []),
    case("everywhere", "fetch/x.py", "import msgspec", []),
    case("climbing", "store.py", "import planet.fetch.x", ["store.py imports fetch"]),
    case("sideways", "fetch/x.py", "from planet.parse import y", ["fetch/x.py imports parse"]),
    case("relative", "fetch/x.py", "from ..parse import y", ["fetch/x.py imports parse"]),
    case("dots", "fetch/x.py", "from .. import build", ["fetch/x.py imports build"]),
    case("the spine calls a room beside it", "run/poll.py", "from planet import picks", []),
    case("a room beside the spine", "picks/__init__.py", "from planet import run", []),
    case("beside it", "picks/a.py", "import planet.build", ["picks/a.py imports build"]),
    case("back", "reading.py", "import planet.build", ["reading.py imports build"]),
    case(
        "in a function",
        "parse.py",
        "def f():\n    from planet import build",
        ["parse.py imports build"],
    ),
    case(
        "sideways for types",
        "parse.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from planet.fetch import A",
        ["parse.py imports fetch"],
    ),
    case("root", "__init__.py", MAP + "from planet import model", ["__init__.py imports model"]),
    case(
        "a second door",
        "parse.py",
        "import requests.adapters",
        ["parse.py imports requests, whose door is fetch"],
    ),
    case(
        "a second door to the standard library",
        "fetch/x.py",
        "from sqlite3 import connect",
        ["fetch/x.py imports sqlite3, whose door is store"],
    ),
    case(
        "a library without a door",
        "parse.py",
        "import lxml",
        ["parse.py imports lxml, whose door is nowhere"],
    ),
    case("a stranger", "merge.py", "", ["merge.py is not on the map"]),
    case("utils", "fetch/utils.py", "", ["fetch/utils.py has a name that says nothing"]),
    case("a long module", "parse.py", "\n" * 701, ["parse.py is longer than 700 lines"]),
    case("a module that just fits", "parse.py", "\n" * 700, []),
    case(
        "a library named twice",
        "__init__.py",
        MAP.replace("parse    Fetched → ParsedFeed", "parse    bodies  click"),
        ["click has a second door"],
    ),
    case(
        "a ghost",
        "__init__.py",
        MAP.replace("0  errors", "3  merge    all → one\n    0  errors"),
        ["the map names merge, which is not there"],
    ),
    case(
        "a window",
        "cli/build.py",
        "from planet.fetch.session import Session",
        ["cli/build.py imports planet.fetch.session, which is no door"],
    ),
    case("a door that is named", "cli/build.py", "from planet.fetch import hub", []),
    case("and what it has", "cli/build.py", "from planet.fetch.hub import Hub", []),
    case(
        "a circle",
        "fetch/hub.py",
        "def f():\n    from planet.fetch import session",
        ["there is a circle: planet.fetch.hub → planet.fetch.session → planet.fetch.hub"],
    ),
    case(
        "a way round",
        "fetch/x.py",
        "from importlib import import_module\nimport_module('planet.cli')",
        ["fetch/x.py imports by a name that is made"],
    ),
)
def test_the_rules_see(tmp_path: Path, path: str, code: str, expected: list[str]) -> None:
    package = tmp_path / "planet"
    tree = {f"{name}.py": "" for name in ("build", "reading", "parse", "model", "errors")}
    tree |= {f"{name}/__init__.py": "" for name in ("cli", "fetch", "picks", "run", "store")}
    tree |= {
        "fetch/__init__.py": '"""The network.\n\n    hub    who is told\n"""',
        "fetch/session.py": "from planet.fetch.hub import Hub",
        "fetch/hub.py": "Hub = 1",
    }
    for name, content in {**tree, "__init__.py": MAP, path: code}.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(content, encoding="utf-8")

    found = faults(package)

    assert found == expected


def test_each_class_name_is_there_once() -> None:
    places: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(_parsed(path)):
            if isinstance(node, ast.ClassDef):
                where = path.relative_to(PACKAGE).as_posix()
                places.setdefault(node.name.removeprefix("_"), []).append(where)

    assert len(places) > 300
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_results_have_names_instead_of_positions() -> None:
    nameless = [
        f"{path.relative_to(PACKAGE).as_posix()}:{node.lineno} {node.name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for scope in ast.walk(_parsed(path))
        if isinstance(scope, ast.Module | ast.ClassDef)
        for node in scope.body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and node.name != "resolve_command"  # click says what it returns
        and node.returns
        and any(map(_is_of_unlike_types, ast.walk(node.returns)))
    ]

    assert nameless == []


def _is_of_unlike_types(annotation: ast.AST) -> bool:
    """Whether it is a tuple of different things; text and something are a pair for `dict`."""
    if not isinstance(annotation, ast.Subscript) or ast.unparse(annotation.value) != "tuple":
        return False
    first, *others = [ast.unparse(each) for each in getattr(annotation.slice, "elts", [])] or [""]
    is_pair = first == "str" and len(others) == 1
    return not is_pair and bool({*others} - {first, "..."})


def test_all_requests_are_made_in_one_place() -> None:
    asking = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if re.search(r"\bweb\.(fetch|recall)\(", path.read_text(encoding="utf-8"))
    ]

    # Behind the door of `poll`, the workers of a cluster do.
    assert sorted(asking) == ["cluster.py", "run/poll.py"]


def test_the_social_web_is_known_in_its_own_room_alone() -> None:
    protocols = re.compile(r"webfinger|activitypub|activitystreams|bluesky|at proto", re.IGNORECASE)

    knowing = {
        path.parent.name
        for room in ("http", "parse", "social")
        for path in (PACKAGE / room).rglob("*.py")
        if protocols.search(path.read_text(encoding="utf-8"))
    }

    assert knowing == {"social"}
