"""What docstrings, comments and documents name in backticks exists: nothing has its former name."""

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path

from tests.cases import case, cases

ROOT = Path(__file__).parents[1]
CODE = sorted([*ROOT.glob("planet/**/*.py"), *ROOT.glob("tests/**/*.py"), *ROOT.glob("*.py")])
DOCUMENTS = sorted([*ROOT.glob("docs/*.md"), ROOT / "CONTRIBUTING.md", ROOT / "README.md"])
OF_OTHERS = {ROOT / "docs/moving.md"}
"""What names the settings of other programs."""
EXAMPLES = {"planet/site/languages/sv.po"}
"""Files that a reader is told to make."""
OTHER_TEXTS = [
    *ROOT.glob("themes/**/*.html"),
    *ROOT.glob("planet/site/languages/*.pot"),
    *ROOT.glob(".github/**/*.yml"),
    *ROOT.glob(".ci/*"),
    *ROOT.glob("planet/**/*.yml"),
    *ROOT.glob("*.toml"),
    *ROOT.glob("*.yaml"),
    *ROOT.glob("*.yml"),
    *ROOT.glob("config.schema.json"),
]
QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
NAME = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?=\(\w*\)$|$)")
"""A name, perhaps dotted, and perhaps with the parentheses of a call."""
IS_OF_CODE = re.compile(r"[a-z0-9]_[a-z]|^_[a-z]|[a-z][A-Z]|^[A-Z][a-z]+[A-Z]")
"""What only code is written like: `snake_case` or `CamelCase`."""
PATH = re.compile(r"(?:planet|tests|docs|themes|\.ci)/[\w./-]+[\w/]")
"""A file of the repository. What is below `.github/` may be in the repository of a planet."""


def test_each_name_that_is_quoted_is_in_the_code() -> None:
    places = {
        name: path.relative_to(ROOT)
        for path, quoted in _quoted()
        if path not in OF_OTHERS
        if (found := NAME.match(quoted)) and found.end() >= len(quoted.partition("(")[0])
        for name in found[0].split(".")
        if IS_OF_CODE.search(name)
    }

    missing = {*places}
    for path in OTHER_TEXTS:
        missing -= _words(path.read_text("utf-8"))
    for path in CODE:
        if missing & _words(path.read_text("utf-8")) or missing & {path.stem}:
            missing -= _words_of_code(path)

    assert [f"{places[name]}: `{name}`" for name in sorted(missing)] == []


def test_each_file_that_is_named_is_there() -> None:
    missing = [
        f"{path.relative_to(ROOT)}: `{quoted}`"
        for path, quoted in _quoted()
        if PATH.fullmatch(quoted) and quoted not in EXAMPLES and not (ROOT / quoted).exists()
    ]

    assert missing == []


@cases(
    "name, is_of_code",
    case("a function", "find_entries", True),
    case("a private function", "_find", True),
    case("a class", "PostTable", True),
    case("a word", "feed", False),
    case("an element", "itunes", False),
)
def test_a_name_of_code_is_told_from_a_word(name: str, is_of_code: bool) -> None:
    assert bool(IS_OF_CODE.search(name)) == is_of_code


@cache
def _quoted() -> list[tuple[Path, str]]:
    """Return what stands in backticks in docstrings, in comments and in documents."""
    texts = [
        (path, text)
        for path in CODE
        if path.is_relative_to(ROOT / "planet") and "`" in path.read_text("utf-8")
        for text in (*_docstrings(path), *_comments(path))
    ]
    for path in DOCUMENTS:
        prose = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        texts.append((path, prose))
    return [(path, quoted) for path, text in texts for quoted in QUOTED.findall(text)]


def _docstrings(path: Path) -> list[str]:
    """Return the docstrings of a module, also those below attributes."""
    return [str(node.value) for node in _docstring_nodes(ast.parse(path.read_text("utf-8")))]


def _docstring_nodes(tree: ast.Module) -> list[ast.Constant]:
    return [
        statement.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        for statement in node.body
        if isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    ]


def _comments(path: Path) -> list[str]:
    lines = io.StringIO(path.read_text("utf-8"))
    tokens = tokenize.generate_tokens(lines.readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def _words_of_code(path: Path) -> set[str]:
    """Return the names in a module, and the words in its strings that are no docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = set(map(id, _docstring_nodes(tree)))
    words: set[str] = set(path.relative_to(ROOT).with_suffix("").parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            words |= _words(str(node.value))
        for field in ("id", "attr", "name", "arg", "asname", "module"):
            if isinstance(value := getattr(node, field, None), str):
                words |= {*value.split(".")}
    return words


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))
