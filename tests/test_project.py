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

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
METADATA = PYPROJECT["project"]
URLS = METADATA["urls"]
FILES = sorted((ROOT / "tests").rglob("test_*.py"))
OWNER = URLS["Source"].removeprefix("https://github.com/").partition("/")[0]


def test_the_program_knows_it_from_the_metadata_of_its_package() -> None:
    assert {label: project_address(label) for label in URLS} == URLS
    assert documentation("feeds.md") == f"{URLS['Documentation']}/feeds.md"


def test_no_file_of_the_program_says_it_a_second_time() -> None:
    package = Path(planet.__file__).parent
    files = [*package.rglob("*.py"), *package.rglob("*.yml"), *package.rglob("*.yaml")]

    assert [file.name for file in files if f"{OWNER}/" in file.read_text(encoding="utf-8")] == []


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
@cases(
    "tag, error",
    case("another version", "v9.9.9", "one of them has to change"),
    case("no notes", f"v{planet.__version__}", "CHANGELOG.md has no section"),
)
def test_no_release_is_made_of_a_tag_with(tag: str, error: str, tmp_path: Path) -> None:
    notes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if tag == f"v{planet.__version__}" and f"## {planet.__version__} - " in notes:
        pytest.skip("this is the commit that is released")

    release = subprocess.run(
        [ROOT / ".ci/release", tag, tmp_path], capture_output=True, text=True, check=False
    )

    assert release.returncode == 1
    assert error in release.stderr
    assert list(tmp_path.rglob("*.whl")) == []


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


def test_the_map_of_promises_names_tests_that_are_there() -> None:
    promises = (ROOT / "tests/README.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", promises)

    files = {path.relative_to(ROOT / "tests").as_posix(): path for path in FILES}
    missing = [
        f"{path}::{name}"
        for path, name in named
        if path not in files or f"def {name}(" not in files[path].read_text(encoding="utf-8")
    ]

    assert len(named) > 40
    assert missing == []


def test_each_promise_of_the_readme_has_a_row_in_the_map() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    promises = (ROOT / "tests/README.md").read_text(encoding="utf-8")
    _, _, rest = readme.partition("## What you can count on\n")

    lines = re.findall(r"^- (.+)$", rest.partition("\n## ")[0], re.MULTILINE)
    plain = [re.sub(r"\]\(.*?\)|\[", "", line) for line in lines]

    assert len(lines) > 4
    assert [line for line in plain if f"- {line} `" not in promises] == []
