"""Where the project lives, and on what it runs, as pyproject.toml says."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import planet
from planet import documentation, project_address
from tests.cases import case, cases
from tests.docs import section

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
METADATA = PYPROJECT["project"]
URLS = METADATA["urls"]
OWNER = URLS["Source"].removeprefix("https://github.com/").partition("/")[0]


def test_the_program_knows_it_from_the_metadata_of_its_package() -> None:
    assert {label: project_address(label) for label in URLS} == URLS
    assert documentation("feeds.md") == f"{URLS['Documentation']}/feeds.md"


def test_no_file_of_the_program_says_it_a_second_time() -> None:
    package = Path(planet.__file__).parent
    files = [*package.rglob("*.py"), *package.rglob("*.yml"), *package.rglob("*.yaml")]

    assert [file.name for file in files if f"{OWNER}/" in file.read_text(encoding="utf-8")] == []


def test_documents_say_the_same() -> None:
    texts = [page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md")]
    wanted = re.compile(rf"https://[\w.]*github[\w.]*/{OWNER}/[^\s)\"@`>]*")

    named = {address for text in texts for address in wanted.findall(text)}

    assert URLS["Source"] in named
    assert [each for each in named if not each.startswith(tuple(URLS.values()))] == []


@pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason="needs the repository")
def test_the_tests_are_run_on_each_version_that_is_supported() -> None:
    head = "Programming Language :: Python :: 3."
    minors = [each for each in METADATA["classifiers"] if each.startswith(head)]
    versions = [minor.rpartition(" ")[2] for minor in minors]
    ci = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    matrix = ci["jobs"]["tests"]["strategy"]["matrix"]

    assert f">={versions[0]}" == METADATA["requires-python"]
    assert matrix["python"] == versions
    assert matrix["include"] == [{"python": versions[-1], "step": "coverage"}]
    assert f"supported=({' '.join(versions)})\n" in (ROOT / ".ci/run").read_text(encoding="utf-8")


@pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason="needs the repository")
def test_the_feedparser_of_tomorrow_is_tried_and_may_fail() -> None:
    ci = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    checks = ci["jobs"]["checks"]
    rows = {row["step"]: row for row in checks["strategy"]["matrix"]["include"]}

    assert checks["continue-on-error"] == "${{ matrix.may_fail || false }}"
    assert [step for step, row in rows.items() if row.get("may_fail")] == ["feedparser"]
    assert checks["steps"][-1]["run"] == '.ci/run "$STEP"'


@pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason="needs the repository")
def test_each_step_of_ci_is_a_session_of_nox() -> None:
    noxfile = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    run = (ROOT / ".ci/run").read_text(encoding="utf-8")
    ci = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))

    sessions = re.findall(r"^@nox.session.*\ndef (\w+)\(", noxfile, re.MULTILINE)
    steps = [row["step"] for row in ci["jobs"]["checks"]["strategy"]["matrix"]["include"]]
    (all_steps,) = re.findall(r"^\(\(\$#\)\) \|\| set -- (.+)$", run, re.MULTILINE)

    assert {*steps, *all_steps.split()} - {*sessions} == {"pythons"}
    # The session `tests` on each of them, and nowhere last: what is printed last is of the tests.
    assert "session tests --force-python" in run
    assert all_steps.endswith(" pythons tests")


def test_what_tests_need_is_listed_once() -> None:
    assert PYPROJECT["dependency-groups"] == {"test": [f"{METADATA['name']}[test]"]}


@pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason="needs the repository")
@cases(
    "tag, error",
    case("another version", "v9.9.9", "one of them has to change"),
    case("no notes", f"v{planet.__version__}", "CHANGELOG.md has no section"),
)
def test_no_release_is_made_of_a_tag_with(tag: str, error: str, tmp_path: Path) -> None:
    if f"## {planet.__version__} - " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        pytest.skip("this is the commit that is released")

    release = subprocess.run(
        [ROOT / ".ci/release", tag, tmp_path], capture_output=True, text=True, check=False
    )

    assert release.returncode == 1
    assert error in release.stderr
    assert list(tmp_path.rglob("*.whl")) == []


def _rooms() -> dict[str, str]:
    """The sections of tests/README.md, by the names of rooms."""
    text = (ROOT / "tests/README.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize("room", _rooms())
def test_the_tests_of_each_module_can_be_found(room: str) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", _rooms()[room], re.MULTILINE))
    modules = {file.stem for file in (ROOT / "planet" / room).rglob("[!_]*.py")}
    own = {file.stem.removeprefix("test_") for file in (ROOT / "tests" / room).rglob("test_*.py")}
    files = [file for row in rows.values() for file in re.findall(r"`(\w+/[\w/.]+)`", row)]

    assert modules - own - rows.keys() == set()
    assert rows.keys() - modules == set()
    assert [file for file in files if not (ROOT / "tests" / file).is_file()] == []


def test_each_room_of_the_package_has_its_tests_named() -> None:
    rooms = {file.parent.name for file in (ROOT / "planet").glob("*/__init__.py")}

    assert _rooms().keys() == rooms


@pytest.mark.skipif(not (ROOT / "requirements.txt").is_file(), reason="needs the repository")
@pytest.mark.parametrize("minor", [11, 12, 13])
def test_the_lock_of_the_action_has_what_planet_needs_with_a_hash_each(minor: int) -> None:
    environment = {"python_version": f"3.{minor}", "python_full_version": f"3.{minor}.9"}
    extras = METADATA["optional-dependencies"]
    wanted = [
        *PYPROJECT["build-system"]["requires"],
        *METADATA["dependencies"],
        *extras["search"],
        *extras["fediverse"],
        *extras["pictures"],
    ]

    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    pins = [line.partition(" --hash=sha256:") for line in lines if not line.startswith("#")]
    assert all(hashes for _, hashes, _ in pins)
    requirements = [Requirement(pin) for pin, _, _ in pins]
    locked = {
        each.name: str(each.specifier).removeprefix("==")
        for each in requirements
        if each.marker is None or each.marker.evaluate(environment)
    }

    for needed in map(Requirement, wanted):
        if needed.marker is None or needed.marker.evaluate(environment):
            assert needed.specifier.contains(locked[needed.name.lower()]), needed


def _added() -> dict[str, str]:
    """The rows of CONTRIBUTING.md that say where something is added, by what that is."""
    table = section((ROOT / "CONTRIBUTING.md").read_text("utf-8"), "What is added, and where")
    rows = re.findall(r"^\| (an? .+?) \| (.+) \|$", table, re.MULTILINE)
    return dict(rows)


def test_contributing_says_where_each_of_these_is_added() -> None:
    assert list(_added()) == [
        "a setting",
        "a format that Planet reads",
        "a kind of account that Planet reads",
        "a format that Planet writes",
        "a kind of page",
        "a command",
        "a language",
    ]


@pytest.mark.parametrize("row", _added().values(), ids=_added())
def test_each_place_that_contributing_names_is_there(row: str) -> None:
    places = re.findall(r"`([\w./]*[./][\w./]*)`", row)
    rows = re.findall(r"`(\w+)` in `([\w./]+)`", row)
    texts = {file: (ROOT / file).read_text("utf-8") for _, file in rows}

    assert len(places) > 3
    assert [place for place in places if not (ROOT / place).exists()] == []
    assert [name for name, file in rows if not re.search(rf"\b{name}\b", texts[file])] == []


GUIDES = sorted([*ROOT.glob("docs/*.md"), ROOT / "CONTRIBUTING.md", ROOT / "tests/README.md"])


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_each_page_says_in_its_first_line_who_needs_it(page: Path) -> None:
    title, blank, first = page.read_text("utf-8").splitlines()[:3]

    assert (title[:2], blank) == ("# ", "")
    assert first.startswith("For people who ")
