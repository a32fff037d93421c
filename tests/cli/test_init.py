"""`planet init --github-pages`: what is written, what is left alone, and what is said."""

import os
import re
import subprocess
import sys
from datetime import timedelta
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

from planet.cli import init, main
from tests.cases import case, cases
from tests.cli.installed import COMMIT, GIT, HERE, INDEX, NEEDS, REPOSITORY, Machine, new_machine
from tests.processes import files
from tests.whole.conftest import call, rss

SECOND, MINUTE, HOUR, DAY = (
    timedelta(**{unit: 1}) for unit in ("seconds", "minutes", "hours", "days")
)

FILES = [
    *(".github/ISSUE_TEMPLATE/add.yml", ".github/ISSUE_TEMPLATE/pick.yml"),
    *(".github/dependabot.yml", ".github/workflows/add.yml", ".github/workflows/check.yml"),
    *(".github/workflows/pick.yml", ".github/workflows/publish.yml", ".gitignore", "config.yaml"),
]
OWN_FILES = sorted(
    [
        *FILES,
        *(".github/actions/planet/action.yml", ".github/actions/planet/uv.txt", "requirements.txt"),
    ]
)
LEFT = """\
Four things are left to do:
1. Put the address that the site will have into config.yaml, as
   link: https://YOU.github.io/REPOSITORY/
2. Put your feeds into it, each with: planet add ADDRESS
3. Push this folder to a repository on GitHub, as its branch main.
4. There, under Settings > Pages, choose the source "GitHub Actions"; then, under Actions,
   run the workflow "Publish". From then on it runs by itself.
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Where the commands are called, in an empty folder; Planet is yet to be installed."""
    (tmp_path / "planet").mkdir()
    monkeypatch.chdir(tmp_path / "planet")
    monkeypatch.delenv("PLANET_CONFIG", raising=False)
    return new_machine(tmp_path, monkeypatch)


@pytest.fixture
def folder(machine: Machine) -> Path:
    """The empty folder, where Planet comes from its repository."""
    machine.install_planet(REPOSITORY)
    return Path.cwd()


def written(folder: Path) -> dict[str, str]:
    return {path: body.decode() for path, body in files(folder).items()}


@cases(
    "options, paths",
    case("a few lines for each workflow", [], FILES),
    case("workflows of one's own", ["--own"], OWN_FILES),
)
def test_all_it_takes_is_written_and_what_is_left_is_said(
    folder: Path, options: list[str], paths: list[str]
) -> None:
    code, out, _ = call("init", "--github-pages", *options)

    assert code == 0

    texts = written(folder)
    assert sorted(texts) == paths
    assert sorted(out.removesuffix(LEFT).splitlines()) == [f"{path} is written." for path in paths]
    assert out.endswith(LEFT)
    assert texts["config.yaml"].startswith("# yaml-language-server: $schema=https://")
    assert texts[".gitignore"] == "/state/\n/public/\n"
    assert yaml.safe_load(texts["config.yaml"])["feeds"] is None


def test_workflows_are_a_few_lines_that_name_planet_by_its_commit(folder: Path) -> None:
    main(["init", "--github-pages"])

    for name in ("publish", "check", "pick", "add"):
        text = (folder / f".github/workflows/{name}.yml").read_text()
        called = f"ada/planet/.github/workflows/{name}.yml@{COMMIT}"
        assert len([line for line in text.splitlines() if line and not line.startswith("#")]) <= 25
        assert re.findall(r"uses: (.*)", text) == [called]


OURS = "planet-digest/planet"


@cases(
    "origin, built_from, expected",
    case("a fork", REPOSITORY, None, f"ada/planet@{COMMIT}"),
    case(
        "a release of a fork",
        {**REPOSITORY, "vcs_info": {**GIT, "requested_revision": "v1.2.3"}},
        None,
        f"ada/planet@{COMMIT} # v1.2.3",
    ),
    case(
        "a repository elsewhere",
        {**REPOSITORY, "url": "https://git.example/planet"},
        "c" * 40,
        f"{OURS}@{'c' * 40}",
    ),
    case("an index", INDEX, "c" * 40, f"{OURS}@{'c' * 40} # v0.1.0"),
    case("a folder", HERE, "c" * 40, f"{OURS}@{'c' * 40}"),
    case("a folder outside of a repository", HERE, None, f"{OURS}@v0.1.0"),
)
def test_planet_is_named_by_the_commit_that_it_comes_from_or_by_its_version(
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    origin: object,
    built_from: str | None,
    expected: str,
) -> None:
    machine.install_planet(origin)
    built = machine.shelf / "commit.txt"
    monkeypatch.setattr(init, "_COMMIT", built)
    if built_from:
        built.write_text(f"{built_from}\n")

    reference = init.find_reference()

    workflow = ".github/workflows/publish.yml"
    publish = init.make_callers(reference, config="config.yaml", minute=1)[workflow]
    repository, _, ref = expected.partition("@")
    assert f"    uses: {repository}/{workflow}@{ref}\n" in publish
    assert reference.is_commit == (ref != "v0.1.0")
    told = call("init", "--github-pages").err
    words = "The workflows name Planet as v0.1.0, because it is not known from which"
    assert told.startswith(words) == (not reference.is_commit)


def test_workflows_of_ones_own_are_for_a_planet_on_github(folder: Path) -> None:
    code, _, err = call("init", "--own")

    assert (code, "say --github-pages as well" in err) == (2, True)
    assert written(folder) == {}


@cases(
    "settings, steps",
    case("with both", "link: https://a.example/\nfeeds: [f.xml]\n", "Two"),
    case("without feeds", "link: https://a.example/\nfeeds:\n", "Three"),
    case("without a link", "feeds: [f.xml]\n", "Three"),
    case("with mistakes", "fe: [", "Two"),
)
def test_what_a_config_has_that_is_there_is_not_left_to_do(
    folder: Path, settings: str, steps: str
) -> None:
    (folder / "config.yaml").write_text(f"title: Mine\n{settings}")

    _, out, _ = call("init", "--github-pages")

    assert f"\n{steps} things are left to do:\n" in out
    assert ("planet add ADDRESS" in out) == (settings.endswith("feeds:\n"))
    assert ("link: https://YOU" in out) == (settings == "feeds: [f.xml]\n")


def test_a_build_and_a_check_tell_that_there_is_no_link(folder: Path) -> None:
    main(["init", "--github-pages"])
    (folder / "f.xml").write_bytes(rss("a"))
    with (folder / "config.yaml").open("a") as config:
        config.write("  - f.xml\n")
    words = 'there is no "link", and .github/workflows/publish.yml publishes the site: '

    check, build, again = call("check"), call("build"), call("build")

    assert (check.code, build.code) == (0, 0)
    assert f"config.yaml:6:1  {words}" in check.out
    assert build.err.startswith(f"config.yaml: {words}")
    # Also from a config that was not read anew.
    assert again.err.startswith(f"config.yaml: {words}")


def test_what_is_in_the_way_is_named_at_once_and_nothing_is_written(folder: Path) -> None:
    for path in ("requirements.txt", ".github/workflows/publish.yml"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("mine")
    before = written(folder)

    code, _, err = call("init", "--github-pages", "--own")

    assert code == 2
    assert err == (
        "Error: these are there already; --force writes over them:\n"
        "  .github/workflows/publish.yml\n"
        "  requirements.txt\n"
    )
    assert written(folder) == before


def test_with_force_all_is_written_anew_but_a_config_that_is_there(folder: Path) -> None:
    (folder / "config.yaml").write_text("title: Mine\n")
    assert main(["init", "--github-pages"]) == 0
    first = written(folder)
    (folder / ".github/dependabot.yml").write_text("old")

    assert main(["init", "--github-pages", "--force"]) == 0

    assert written(folder) == first
    assert sorted(first) == FILES
    assert first["config.yaml"] == "title: Mine\n"


def test_a_config_that_is_there_is_in_the_way_of_a_list_of_feeds(folder: Path) -> None:
    (folder / "config.yaml").write_text("title: Mine\n")
    (folder / "feeds.opml").write_text("<opml><body/></opml>")

    code, _, err = call("init", "--github-pages", "--opml", "feeds.opml")

    assert code == 2
    assert "config.yaml is there already" in err
    assert sorted(written(folder)) == ["config.yaml", "feeds.opml"]


@cases(
    "before, after",
    case("others", "*.tmp\n", "*.tmp\n/state/\n/public/\n"),
    case("no line end", "*.tmp", "*.tmp\n/state/\n/public/\n"),
    case("one of them", "/public/\n", "/public/\n/state/\n"),
    case("both", "/public/\n/state/\n", "/public/\n/state/\n"),
)
def test_a_gitignore_with_lines_gets_what_it_lacks(folder: Path, before: str, after: str) -> None:
    (folder / ".gitignore").write_text(before)

    main(["init", "--github-pages"])

    assert (folder / ".gitignore").read_text() == after


def test_workflows_name_the_config_as_it_is_called(folder: Path) -> None:
    main(["init", "--github-pages", "--config", "blogs/planet.yaml"])

    texts = written(folder / "blogs")
    assert "planet.yaml" in texts
    assert yaml.safe_load(texts[".github/workflows/check.yml"])["jobs"]["planet"]["with"] == {
        "config": "planet.yaml"
    }
    assert not [path for path, text in texts.items() if "config.yaml" in text]


@cases(
    "more, words",
    *(
        case(name, ["--config", name], "a workflow cannot name")
        for name in ("my config.yaml", "a'b.yaml", "${{ github.token }}")
    ),
    case("a theme", ["--theme", "mine"], "so --github-pages cannot stand beside it"),
)
def test_no_workflow_is_written_of_odd_words(folder: Path, more: list[str], words: str) -> None:
    code, _, err = call("init", "--github-pages", *more)

    assert (code, words in err) == (2, True)
    assert written(folder) == {}


def test_a_folder_inside_a_repository_is_refused(folder: Path) -> None:
    (folder / ".git").mkdir()

    code, _, err = call("init", "--github-pages", "--config", "deep/config.yaml")

    assert code == 2
    assert "GitHub reads workflows only at its top" in err
    assert not (folder / "deep").exists()
    assert main(["init", "--github-pages"]) == 0


def test_planets_do_not_look_at_the_same_minute() -> None:
    minutes = [init.choose_minute(Path(f"/home/{number}/planet")) for number in range(500)]

    assert minutes == [init.choose_minute(Path(f"/home/{number}/planet")) for number in range(500)]
    assert set(minutes) == {minute for minute in range(72) if minute % 12}


def runs_a_day(minute: int) -> list[timedelta]:
    """When the written schedule starts runs, from midnight."""
    reference = init.PlanetReference(repository="a/b", ref="c")
    texts = init.make_callers(reference, config="config.yaml", minute=minute)
    publish = texts[".github/workflows/publish.yml"]
    # "on" is a yes to YAML 1.1.
    lines = [line["cron"].split() for line in yaml.safe_load(publish)[True]["schedule"]]
    assert all(every == ["*"] * 3 for _, _, *every in lines)
    return sorted(
        timedelta(hours=int(hour), minutes=int(minute))
        for minute, hours, *_ in lines
        for hour in hours.split(",")
    )


@pytest.mark.parametrize("minute", [1, 17, 41, 71])
def test_runs_are_as_far_apart_by_night_as_by_day(minute: int) -> None:
    runs = runs_a_day(minute)

    assert runs[0] == timedelta(minutes=minute)
    between = {after - before for before, after in pairwise([*runs, runs[0] + DAY])}
    assert between == {timedelta(minutes=72)}


# What is pinned, with workflows of one's own


def offer_all(machine: Machine) -> dict[str, str]:
    """Have pip find what is needed, and newer ones; each hash."""
    for name in ("inner_harbour", "pier", "cleaner"):
        machine.offer(name, "9")
    found = {
        name: machine.offer(name, version)
        for name, version in (("inner_harbour", "2.1"), ("pier", "1.5"), ("sand", "1"))
    }
    return {**found, "cleaner": machine.offer("cleaner", "0.3.8")}


def lines(hashes: dict[str, str]) -> str:
    """What stands in requirements.txt of what Planet needs."""
    return "".join(
        f"{name} \\\n    --hash=sha256:{hashes[key]}\n"
        for name, key in (
            ("cleaner==0.3.8", "cleaner"),
            ("inner-harbour==2.1", "inner_harbour"),
            ("pier==1.5", "pier"),
            ("sand==1", "sand"),
        )
    )


def install_there(folder: Path) -> subprocess.CompletedProcess[str]:
    """Install what a planet pins, with the step of its own workflow, where nothing is."""
    action = yaml.safe_load((folder / ".github/actions/planet/action.yml").read_text())
    (step,) = [step for step in action["runs"]["steps"] if step.get("name") == "Install Planet"]
    tools = folder.parent / "temp/planet/bin"
    tools.mkdir(parents=True, exist_ok=True)
    (tools / "uv").write_text(
        f'#!/bin/sh\nshift 3\nexec {sys.executable} -m pip install --target there "$@"\n'
    )
    (tools / "uv").chmod(0o755)
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        env={**os.environ, "RUNNER_TEMP": str(folder.parent / "temp")},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_from_an_index_that_version_is_pinned(machine: Machine) -> None:
    machine.install_planet(INDEX)
    hashes = offer_all(machine)
    ours = machine.offer("planet_digest", "0.1.0", NEEDS)

    code, _, err = call("init", "--github-pages", "--own")

    assert code == 0

    texts = written(Path())
    assert texts["requirements.in"] == "planet-digest==0.1.0\n"
    header, _, pinned = texts["requirements.txt"].rpartition("#\n")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert f"# This file is autogenerated by pip-compile with Python {version}\n" in header
    head, tail = lines(hashes).split("sand==1")[0], f"sand==1{lines(hashes).split('sand==1')[1]}"
    assert pinned == (f"{head}planet-digest==0.1.0 \\\n    --hash=sha256:{ours}\n{tail}")
    assert f'python-version: "{version}"' in texts[".github/actions/planet/action.yml"]
    assert "ignore:" not in texts[".github/dependabot.yml"]
    assert "hashes, because" not in err
    done = install_there(Path.cwd())
    assert done.returncode == 0, done.stderr
    assert Path("there/planet_digest-0.1.0.dist-info").is_dir()
    assert Path("there/cleaner-0.3.8.dist-info").is_dir()


def test_from_version_control_that_commit_is_pinned(machine: Machine) -> None:
    machine.install_planet(REPOSITORY)
    offer_all(machine)

    assert main(["init", "--github-pages", "--own"]) == 0

    texts = written(Path())
    # pip knows no hash of a commit, and then takes none of anything else.
    assert texts["requirements.txt"] == (
        f"planet-digest @ git+https://github.com/ada/planet@{COMMIT}\n"
        "cleaner<0.4,>=0.3\ninner-harbour==2.1\npier==1.5\nsand==1\n"
    )
    assert "requirements.in" not in texts


def test_what_only_this_machine_has_comes_as_a_wheel_with_all_that_was_pinned(
    machine: Machine,
) -> None:
    machine.install_planet(HERE)
    hashes = offer_all(machine)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    of_the_runner = machine.offer(
        "sand", "1", "Summary: Fine\n", f"{python}-{python}-manylinux_2_39_x86_64"
    )

    assert main(["init", "--github-pages", "--own"]) == 0
    wheel = Path("vendor/planet_digest-0.1.0-py3-none-any.whl")
    data, pinned = wheel.read_bytes(), Path("requirements.txt").read_text()
    assert main(["init", "--github-pages", "--own", "--force"]) == 0
    well = install_there(Path.cwd())
    machine.offer("sand", "1", "Summary: Quicksand\n")
    ill = install_there(Path.cwd())

    first, *needed = pinned.splitlines()
    assert first == f"./{wheel} --hash=sha256:{sha256(data).hexdigest()}"
    assert {f"--hash=sha256:{each}" for each in (*hashes.values(), of_the_runner)} == {
        line.strip(" \\") for line in needed if "--hash" in line
    }
    with ZipFile(wheel) as inside:
        assert sorted(inside.namelist()) == [
            "planet/__init__.py",
            "planet/starter/pick.yml",
            "planet_digest-0.1.0.dist-info/METADATA",
            "planet_digest-0.1.0.dist-info/RECORD",
            "planet_digest-0.1.0.dist-info/WHEEL",
        ]
    assert wheel.read_bytes() == data
    assert well.returncode == 0, well.stderr
    assert Path("there/planet/starter/pick.yml").is_file()
    assert ill.returncode != 0
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in ill.stderr


@cases(
    "origin",
    case("of a wheel", {"url": "file:///home/ada/planet.whl", "archive_info": {}}),
    case("of a clone", {"url": "file:///home/ada/planet", "vcs_info": GIT}),
)
def test_without_an_index_versions_are_pinned_and_said_to_lack_hashes(
    machine: Machine, origin: object
) -> None:
    machine.install_planet(origin)

    code, _, err = call("init", "--github-pages", "--own")

    assert code == 0
    assert Path("requirements.txt").read_text() == (
        "./vendor/planet_digest-0.1.0-py3-none-any.whl\n"
        "cleaner<0.4,>=0.3\ninner-harbour==2.1\npier==1.5\nsand==1\n"
    )
    assert (
        "requirements.txt is without hashes, because pip says: No matching distribution found for "
        in err
    )


@cases(
    "is_editable, words",
    case("run from its folder", True, "not as --editable"),
    case("without a list of its files", False, "no wheel can be made of it: install it with pip"),
)
def test_a_planet_of_which_no_wheel_can_be_made_is_refused(
    machine: Machine, is_editable: bool, words: str
) -> None:
    machine.install_planet(
        {"url": "file:///home/ada/planet", "dir_info": {"editable": is_editable}}
    )
    (machine.installed / "planet_digest-0.1.0.dist-info/RECORD").unlink()

    code, _, err = call("init", "--github-pages", "--own")

    assert (code, words in err) == (2, True)
    assert written(Path()) == {}
