"""The regular expressions of the package, and inputs that make a careless one slow.

An expression is found wherever it is: in a module, in a class, in a table, or written into a call.
"""

import ast
import inspect
import pkgutil
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

import planet

_parser = import_module("re._parser")

# Methods that try one place only, and those that try each place of a text.
_ANCHORED = {"match", "fullmatch"}
_SEARCHING = {"search", "sub", "subn", "finditer", "findall", "split"}

_ENDINGS = ("", '\n"!')
_ANYWHERE = (" ", "\n", "\n ", "a", "0", "<", "<a ", "a=", "a ", "&", '"', "'", "-", ".", "/", "!")
_ALPHABET = "a0 \n<>\"'=&;-./%:#?!_,[]()\\\x00é"
_MAX_PREFIXES = 6
_SHORT, _LENGTH = 300, 2_500
_SUSPICIOUS_SECONDS = 0.0005
_HOPELESS_SECONDS = 0.02
_TIMES_AS_LONG = 4
_TIMES_AS_SLOW, _SURELY_LINEAR = 9, 6
"""Four times the text takes four times as long, or sixteen times where it is quadratic."""
_FEWEST_MEASURES, _MOST_MEASURES = 2, 12


@dataclass(frozen=True)
class Expression:
    """An expression of a module, and the methods that are called of it."""

    place: str
    pattern: re.Pattern[Any] = field(repr=False)
    methods: frozenset[str] = field(repr=False)

    def __str__(self) -> str:
        return self.place


def expressions() -> Iterator[Expression]:
    """All expressions of the package, each once for each place where it is written."""
    modules = _modules()
    trees = {module.__name__: ast.parse(inspect.getsource(module)) for module in modules}
    users_of = {name: _methods(tree) for name, tree in trees.items()}
    for module in modules:
        for name, pattern in _patterns(module):
            short = name.rpartition(".")[2].partition("[")[0]
            own = users_of[module.__name__]
            users = [own] if short.startswith("_") else users_of.values()
            methods = frozenset().union(*(user.get(short, set()) for user in users))
            yield Expression(f"{module.__name__}.{name}", pattern, methods)
        yield from _written_into_calls(module, trees[module.__name__])


def unread() -> Iterator[str]:
    """Calls of `re` whose expression is made at run time: their module, and how it is written."""
    for module in _modules():
        for call in _calls(ast.parse(inspect.getsource(module))):
            if _constant(module, call.args[0]) is None:
                yield f"{module.__name__}: {ast.unparse(call.args[0])}"


def _modules() -> list[ModuleType]:
    names = (info.name for info in pkgutil.walk_packages(planet.__path__, "planet."))
    return [import_module(name) for name in names if name != "planet.__main__"]


def _methods(tree: ast.Module) -> dict[str, set[str]]:
    methods: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in _ANCHORED | _SEARCHING:
            owner = node.value
            name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
            methods.setdefault(name, set()).add(node.attr)
    return methods


def _patterns(module: ModuleType) -> Iterator[tuple[str, re.Pattern[Any]]]:
    source = inspect.getsource(module)
    for name, value in vars(module).items():
        # What is imported is met where it is written.
        if re.search(rf"^{name}\b.*=", source, re.MULTILINE) or isinstance(value, type):
            yield from _inside(name, value, module.__name__)


def _inside(name: str, value: object, module: str) -> Iterator[tuple[str, re.Pattern[Any]]]:
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _inside(f"{name}[{key}]", one, module)
    elif isinstance(value, tuple | list | set | frozenset):
        for place, one in enumerate(value):
            yield from _inside(f"{name}[{place}]", one, module)
    elif isinstance(value, type) and value.__module__ == module:
        for key, one in list(vars(value).items()):
            yield from _inside(f"{name}.{key}", one, module)


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in _ANCHORED | _SEARCHING | {"compile"}
        ):
            yield node


def _constant(module: ModuleType, node: ast.expr) -> Any:
    try:
        value = eval(compile(ast.Expression(node), "", "eval"), dict(vars(module)))
    except (NameError, AttributeError):
        return None
    return value if isinstance(value, str | bytes | re.Pattern) else None


def _written_into_calls(module: ModuleType, tree: ast.Module) -> Iterator[Expression]:
    in_functions = [
        call
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for call in _calls(function)
    ]
    for call in in_functions:
        written = _constant(module, call.args[0])
        if written is None:
            continue
        assert isinstance(call.func, ast.Attribute)
        flag = _flags([*call.args[1:], *(word.value for word in call.keywords)])
        pattern = written if isinstance(written, re.Pattern) else re.compile(written, flag)
        yield Expression(
            f"{module.__name__}:{ast.unparse(call.args[0])}", pattern, frozenset({call.func.attr})
        )


def _flags(arguments: Iterable[ast.expr]) -> int:
    names = {
        node.attr
        for argument in arguments
        for node in ast.walk(argument)
        if isinstance(node, ast.Attribute)
    }
    return sum(int(flag) for name, flag in re.RegexFlag.__members__.items() if name in names)


def slow_inputs(expression: Expression) -> Iterator[str]:
    """Inputs for which an expression takes much more than linear CPU time, described."""
    run = _search if expression.methods & _SEARCHING or not expression.methods else _match
    is_bytes = isinstance(expression.pattern.pattern, bytes)
    for prefix, pump in sorted(_pumped(expression.pattern)):
        for ending in _ENDINGS:

            def make(
                length: int, prefix: str = prefix, pump: str = pump, ending: str = ending
            ) -> Any:
                text = prefix + pump * (length // len(pump)) + ending
                return text.encode("latin-1", "replace") if is_bytes else text

            # What is slow for so short a text would never come to an end for a long one.
            if _seconds(run, expression, make(_SHORT)) > _HOPELESS_SECONDS:
                yield f"{prefix!r} + {pump!r} * n + {ending!r}"
            elif _seconds(run, expression, make(_LENGTH)) < _SUSPICIOUS_SECONDS:
                continue
            elif _is_slow(run, expression, make):
                yield f"{prefix!r} + {pump!r} * n + {ending!r}"


def _is_slow(
    run: Callable[[Expression, Any], None], expression: Expression, make: Callable[[int], Any]
) -> bool:
    """Return whether a longer text takes much more than as much longer.

    Whatever else the machine does only adds to what a run takes: of short and long texts in turn
    the least counts, and there are more of them until it is clear.
    """
    short = long = float("inf")
    for number in range(_MOST_MEASURES):
        short = min(short, _seconds(run, expression, make(_LENGTH)))
        long = min(long, _seconds(run, expression, make(_TIMES_AS_LONG * _LENGTH)))
        if number + 1 >= _FEWEST_MEASURES and long < _SURELY_LINEAR * short:
            return False
    return long > _TIMES_AS_SLOW * short


def _seconds(run: Callable[[Expression, Any], None], expression: Expression, text: Any) -> float:
    """Return the CPU time of a run."""
    started = time.thread_time()
    run(expression, text)
    return time.thread_time() - started


def _search(expression: Expression, text: Any) -> None:
    for _ in expression.pattern.finditer(text):
        pass


def _match(expression: Expression, text: Any) -> None:
    if "match" in expression.methods:
        expression.pattern.match(text)
    if "fullmatch" in expression.methods:
        expression.pattern.fullmatch(text)


def _pumped(pattern: re.Pattern[Any]) -> set[tuple[str, str]]:
    """Beginnings, and what is repeated behind them: pieces of what the expression is made of."""
    written = pattern.pattern
    if isinstance(written, bytes):
        written = written.decode("latin-1")
    pumps: set[tuple[str, str]] = set()
    wholes = _walk(_parser.parse(written, pattern.flags & ~re.UNICODE), {""}, pumps)
    beginnings = {prefix for prefix, _ in pumps} | wholes | {""}
    pumps |= {("", beginning) for beginning in beginnings if beginning}
    pumps |= {(beginning, pump) for beginning in beginnings for pump in _ANYWHERE}
    return pumps


def _walk(nodes: Iterable[Any], prefixes: set[str], pumps: set[tuple[str, str]]) -> set[str]:
    """What comes out of `prefixes` behind these nodes; notes what is repeated on the way."""
    for operation, argument in nodes:
        prefixes = set(sorted(_step(str(operation), argument, prefixes, pumps))[:_MAX_PREFIXES])
    return prefixes


def _step(
    operation: str, argument: Any, prefixes: set[str], pumps: set[tuple[str, str]]
) -> set[str]:
    match operation:
        case "LITERAL":
            return {prefix + chr(argument) for prefix in prefixes}
        case "NOT_LITERAL" | "ANY" | "IN":
            return {prefix + one for prefix in prefixes for one in _characters(operation, argument)}
        case "SUBPATTERN":
            return _walk(argument[3], prefixes, pumps)
        case "ATOMIC_GROUP":
            return _walk(argument, prefixes, pumps)
        case "BRANCH":
            return set().union(*(_walk(one, prefixes, pumps) for one in argument[1]))
        case "GROUPREF_EXISTS":
            parts = (one for one in argument[1:] if one is not None)
            return set().union(*(_walk(one, prefixes, pumps) for one in parts))
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, body = argument
            bodies = _walk(body, {""}, set())
            if most > 20:
                pumps |= {(prefix, one) for prefix in prefixes for one in bodies if one}
            inside = _walk(body, prefixes, pumps)
            once = {prefix + one * max(1, least) for prefix in prefixes for one in bodies}
            return once | inside | (prefixes if least == 0 else set())
    # Places and what stands around them take no characters, nor does what is repeated by name.
    return prefixes


def _characters(operation: str, argument: Any) -> set[str]:
    if operation == "ANY":
        return {"a", "\n"}
    if operation == "NOT_LITERAL":
        return set([one for one in _ALPHABET if one != chr(argument)][:3])
    negates = str(argument[0][0]) == "NEGATE"
    inside = {one for one in _ALPHABET if any(_is_in(one, *item) for item in argument)}
    if negates:
        return set([one for one in _ALPHABET if one not in inside][:4])
    literals = {chr(value) for kind, value in argument if str(kind) == "LITERAL"}
    starts = {chr(value[0]) for kind, value in argument if str(kind) == "RANGE"}
    return set(sorted(inside or literals | starts)[:4])


def _is_in(one: str, kind: Any, value: Any) -> bool:
    match str(kind):
        case "LITERAL":
            return ord(one) == int(value)
        case "RANGE":
            return bool(value[0] <= ord(one) <= value[1])
        case "CATEGORY":
            name = str(value).removeprefix("CATEGORY_")
            claims = {
                "DIGIT": one.isdecimal(),
                "SPACE": one.isspace(),
                "WORD": one.isalnum() or one == "_",
            }
            return not claims[name[4:]] if name.startswith("NOT_") else claims[name]
    return False
