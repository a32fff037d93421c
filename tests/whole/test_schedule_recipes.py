"""What docs/github-actions.md advises where a schedule stops, or is for calm editions."""

import json
import re
from datetime import date, datetime, time, timedelta
from email.utils import format_datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import yaml

from tests.docs import blocks, page, section
from tests.server import Server
from tests.whole.conftest import Planet, rss
from tests.whole.hosting import PUBLISH, begin
from tests.whole.playing import GitHub, needs_tools

DOCUMENT = "github-actions.md"
BERLIN = ZoneInfo("Europe/Berlin")


@needs_tools
def test_a_heartbeat_is_sent_by_each_run_that_ended_well(tmp_path: Path, server: Server) -> None:
    github = GitHub(tmp_path / "world")
    github.api("pages", "workflow")
    home = tmp_path / "home"
    home.mkdir()
    begin(home, "heartbeat", planet=github.planet)
    feeds = [server.feed("/one", rss("a"), etag='"1"')]
    settings = {"title": "P", "fetch": {"host_gap": "0s"}, "feeds": feeds}
    (home / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")
    github.push(home)

    secret = {"secrets.HEARTBEAT": "https://heartbeat.example/a-secret"}
    first = github.run("publish.yml", event=secret)
    quiet = github.run("publish.yml", event=secret)
    (home / "config.yaml").write_text("title: A\nfeds: []\n", encoding="utf-8")
    github.push(home)
    failed = github.run("publish.yml", event=secret)

    ends = [jobs["heartbeat"].result for jobs in (first, quiet, failed)]
    assert ends == ["success", "success", "skipped"]
    told = [call.words[-1] for call in github.calls if call.tool == "curl"]
    assert told == ["https://heartbeat.example/a-secret"] * 2


@needs_tools
def test_a_clock_elsewhere_starts_a_workflow_that_can_be_started(tmp_path: Path) -> None:
    github = GitHub(tmp_path / "world")
    home = tmp_path / "home"
    home.mkdir()
    begin(home)
    (command,) = blocks(section(page(DOCUMENT), "When the schedule stops"), "console")

    github.sh(f"export TOKEN=secret\n{command}")

    (call,) = [call for call in github.calls if call.tool == "curl"]
    asked = re.fullmatch(
        r"https://api\.github\.com/repos/YOU/REPOSITORY/actions/workflows/(.+)/dispatches",
        call.words[-1],
    )
    assert asked is not None
    assert Path(PUBLISH).name == asked[1]
    assert json.loads(call.words[call.words.index("--data") + 1]) == {"ref": "main"}
    assert "Authorization: Bearer secret" in call.words
    inputs = yaml.safe_load((home / PUBLISH).read_text())[True]["workflow_dispatch"]["inputs"]
    assert not any(given.get("required") for given in inputs.values())


def moments(schedule: str, first: date, days: int) -> list[datetime]:
    """When a schedule of daily runs starts them on so many days, in UTC, in order."""
    runs = yaml.safe_load(schedule)["schedule"]
    found = []
    for run in runs:
        minute, hour, *every = run["cron"].split()
        assert every == ["*"] * 3
        at, zone = time(int(hour), int(minute)), ZoneInfo(run["timezone"])
        local = [datetime.combine(first + timedelta(n), at, zone) for n in range(days)]
        found += [moment.astimezone(ZoneInfo("UTC")) for moment in local]
    return sorted(found)


def test_two_runs_a_day_keep_a_calm_edition_up_to_date(a_planet: Planet, server: Server) -> None:
    def publish(day: date) -> None:
        posts = [datetime.combine(day - timedelta(n), time(22), BERLIN) for n in range(10)]
        items = "".join(
            f"<item><title>{at:%d %b}</title><guid isPermaLink='false'>{at:%j}</guid>"
            f"<link>https://one.example/{at:%j}</link><pubDate>{format_datetime(at)}</pubDate></item>"
            for at in posts
        )
        body = f"<rss version='2.0'><channel><title>One</title>{items}</channel></rss>"
        server.feed("/one", body.encode(), etag=f'"{day}"')

    (schedule,) = blocks(section(page(DOCUMENT), "The schedule"), "yaml")
    # Summer time begins on March 28.
    first, days = date(2027, 3, 24), 9
    a_planet.settings["timezone"] = "Europe/Berlin"
    a_planet.settings["editions"] = {"calm": {"folder": ".", "release": {"at": "00:00"}}}
    publish(first)
    a_planet.subscribe(server.url("/one"))

    newest, asked = [], []
    for moment in moments(schedule, first, days):
        local = moment.astimezone(BERLIN)
        if local.hour == 23:
            publish(local.date())
        before = len(server.requests)
        a_planet.now = moment
        a_planet.build(if_changed=True)
        asked.append((local.hour, len(server.requests) - before))
        if local.hour == 0:
            newest.append((local.date() - timedelta(1), a_planet.items()[0]["title"]))

    # The first midnight comes before any feed was asked in time for it.
    assert all(title == f"{day:%d %b}" for day, title in newest[2:])
    assert asked[2:] == [(0, 0), (23, 1)] * (days - 1)
