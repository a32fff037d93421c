"""`planet init --github-pages`: what is written, what is left alone, and what is said."""

import re
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from planet.cli import init, main
from tests.cases import case, cases
from tests.cli.installed import COMMIT, GIT, HERE, INDEX, REPOSITORY, Machine, new_machine
from tests.processes import files
from tests.whole.conftest import call

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
