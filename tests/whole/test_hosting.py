"""docs/hosting.md: each workflow, unit and command that stands there, run on this machine."""

import configparser
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cases import case, cases
from tests.docs import page, section
from tests.patience import PATIENCE
from tests.server import Server
from tests.whole.conftest import rss
from tests.whole.hosting import PUBLISH, begin, examples
from tests.whole.playing import GitHub, needs_tools
from tests.whole.runner import Job

pytestmark = needs_tools
CRON = "A server, with cron"
SYSTEMD = "A server, with systemd"


class Planet:
    """A planet on GitHub of one feed, as the page has it."""

    def __init__(self, folder: Path, publisher: Server) -> None:
        self.home = folder / "home"
        self.github = GitHub(folder / "world")
        self.publisher = publisher

    def begin(self, variant: str) -> None:
        begin(self.home, variant, planet=self.github.planet)
        feed = self.publisher.feed("/feed.xml", rss("one"), etag='"1"')
        settings = {"title": "A", "fetch": {"host_gap": "0s"}, "feeds": [feed]}
        (self.home / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")
        self.github.push(self.home)
        self.github.api("pages", "workflow")

    def run(self) -> dict[str, str]:
        return ended(self.github.run("publish.yml"))


def ended(jobs: dict[str, Job]) -> dict[str, str]:
    return {name: job.result for name, job in jobs.items()}


@pytest.fixture
def planet(tmp_path: Path, server: Server) -> Planet:
    return Planet(tmp_path, server)


def test_a_cache_keeps_the_state_from_run_to_run(planet: Planet) -> None:
    planet.begin("cache")

    first = planet.run()
    planet.github.later(days=1)
    second = planet.run()

    assert first == {"build": "success", "deploy": "success"}
    assert second == {"build": "success", "deploy": "skipped"}
    assert planet.publisher.requests[-1].header("If-None-Match") == '"1"'
    assert (planet.github.site / "index.html").is_file()
    assert planet.github.sh(f"git -C {planet.github.remote} branch --list feed-state") == ""


@cases(
    "heading, secrets",
    case("Cloudflare", "Cloudflare Pages", ("CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_API_TOKEN")),
    case("Netlify", "Netlify", ("NETLIFY_SITE_ID", "NETLIFY_AUTH_TOKEN")),
)
def test_the_site_goes_elsewhere(planet: Planet, heading: str, secrets: tuple[str, ...]) -> None:
    planet.begin(heading.split()[0].lower())
    workflow = (planet.home / PUBLISH).read_text(encoding="utf-8")
    event = {f"secrets.{name}": "a-secret" for name in secrets}

    first = planet.github.run("publish.yml", event=event)
    sent = planet.github.folder / "work" / "planet" / "site"
    files = {path.relative_to(sent).as_posix() for path in sent.rglob("*")}
    second = planet.github.run("publish.yml", event=event)

    (call,) = [call for call in planet.github.calls if call.tool == "npx"]
    assert list(ended(first).values()) == ["success", "success", "success"]
    assert list(ended(second).values()) == ["success", "skipped", "skipped"]
    assert shlex.join(["npx", *call.words]) in workflow
    assert {"index.html", "atom.xml", "_headers"} <= files
    assert all(f"`{name}`" in section(page("hosting.md"), heading) for name in secrets)


def test_a_project_is_made_as_it_is_deployed_to() -> None:
    (command,) = examples("hosting.md", "Cloudflare Pages", "console")
    (job,) = examples("hosting.md", "Cloudflare Pages", "yaml")

    (version,) = set(re.findall(r"wrangler@([\d.]+)", command + job))
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert "create planet --production-branch main" in command
    assert "--project-name planet --branch main" in job


@pytest.fixture
def srv(planet: Planet) -> Path:
    """What stands for /srv on this machine, with the `pip` and the `planet` that are played."""
    srv = planet.home.parent / "srv"
    (srv / "planet/venv/bin").mkdir(parents=True)
    for tool in ("pip", "planet"):
        (srv / "planet/venv/bin" / tool).symlink_to(planet.github.folder / "bin" / tool)
    return srv


def test_a_server_is_set_up_and_cron_builds_the_planet(planet: Planet, srv: Path) -> None:
    (commands,) = examples("hosting.md", CRON, "console")
    (table,) = examples("hosting.md", CRON, "crontab")
    made, installed, begun, built = commands.replace("/srv", str(srv)).splitlines()
    mail, line = table.replace("/srv", str(srv)).splitlines()
    minute, *others, command = line.split(" ", 5)
    feed = planet.publisher.feed("/feed.xml", rss("one"), etag='"1"')

    planet.github.sh(installed)
    planet.github.sh(begun)
    config = srv / "planet/config.yaml"
    config.write_text(json.dumps({"title": "A", "feeds": [feed]}), encoding="utf-8")
    planet.github.sh(built)
    planet.github.later(days=1)
    said = planet.github.sh(f"{command} 2>&1")

    assert made == f"python3 -m venv {srv}/planet/venv"
    assert [call.words[0] for call in planet.github.calls] == ["install"]
    assert (minute, others) == ("7-52/15", ["*"] * 4)
    assert (mail, said) == ("MAILTO=you@example.org", "")
    assert (srv / "planet/public/index.html").is_file()
    assert planet.publisher.requests[-1].header("If-None-Match") == '"1"'


def units() -> dict[str, str]:
    service, timer = examples("hosting.md", SYSTEMD, "ini")
    return {"planet.service": service, "planet.timer": timer}


def test_units_say_what_systemd_knows(tmp_path: Path) -> None:
    tool = shutil.which("systemd-analyze")
    if tool is None:
        pytest.skip("needs systemd-analyze")
    for name, text in units().items():
        # Its user and its programs are not on this machine.
        text = text.replace("User=planet\n", "").replace("/srv/planet/venv/bin/planet", "/bin/true")
        (tmp_path / name).write_text(text, encoding="utf-8")

    done = subprocess.run(
        [tool, "verify", "--man=no", *(str(tmp_path / name) for name in units())],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    said = [line for line in done.stderr.splitlines() if str(tmp_path) in line]
    assert (done.returncode, said) == (0, [])


def test_the_timer_starts_what_cron_would() -> None:
    read = {name: configparser.ConfigParser(interpolation=None) for name in units()}
    for name, text in units().items():
        read[name].optionxform = str  # type: ignore[method-assign, assignment]
        read[name].read_string(text)
    service, timer = read["planet.service"], read["planet.timer"]
    (table,) = examples("hosting.md", CRON, "crontab")
    command = service["Service"]["ExecStart"]

    assert table.splitlines()[1] == f"7-52/15 * * * * {command}"
    assert timer["Timer"]["OnCalendar"] == "*:7/15"
    assert service["Service"]["ReadWritePaths"] == "/srv/planet"


def test_systemd_is_told_of_these_units_and_no_others() -> None:
    (commands,) = examples("hosting.md", SYSTEMD, "console")

    assert {word for word in commands.split() if word.startswith("planet.")} == set(units())
    part = section(page("hosting.md"), SYSTEMD)
    assert all(f"`/etc/systemd/system/{name}`" in part for name in units())
