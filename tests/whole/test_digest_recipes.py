"""The workflows of docs/digest.md: a round-up, a mail, and posts, played as a runner does."""

import json
import re
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs import page
from tests.server import Server
from tests.whole.conftest import rss, write_config
from tests.whole.hosting import DIGESTS, begin
from tests.whole.playing import Call, GitHub, needs_tools
from tests.whole.runner import REPOSITORY, Job

pytestmark = [
    needs_tools,
    pytest.mark.skipif(shutil.which("jq") is None, reason="played where jq is"),
]
MASTODON = "https://social.example/api/v1/statuses"
PDS = "https://bsky.social/xrpc"
SETTINGS = {
    "vars.MASTODON": "https://social.example",
    "secrets.MASTODON_TOKEN": "a-token",
    "vars.BLUESKY": "planet.example",
    "secrets.BLUESKY_PASSWORD": "a-password",
    "vars.MAIL_FROM": "planet@planet.example",
    "vars.MAIL_TO": "readers@planet.example",
    "vars.SMTP": "smtps://mail.example",
    "secrets.SMTP_LOGIN": "planet:a-password",
}
# What would be something else to a shell, to Markdown, to a server of mail, or a person.
ATTACK = "`touch HACKED` $(touch HACKED) @all@social.example #ad {{ site }} <b>"


class Newsroom:
    """The repository of a planet of one feed, and the workflows that pass on what is new."""

    def __init__(self, folder: Path, publisher: Server) -> None:
        self.github, self._publisher = GitHub(folder / "world"), publisher
        self._folder, self._home = folder, folder / "planet"
        begin(self._home, "digests", planet=self.github.planet)
        self.github.answers[f"{PDS}/com.atproto.server.createSession"] = json.dumps(
            {"accessJwt": "a-jwt", "did": "did:plc:planet"}
        )
        self._posted: list[str] = []
        self.github.now -= timedelta(hours=1)
        self.posts("first")

    def posts(self, *titles: str) -> None:
        """Have the feed post an hour later, and a run save what it learned."""
        self._posted = [*titles, *self._posted]
        escaped = [title.replace("<", "&amp;lt;") for title in self._posted]
        feed = self._publisher.feed("/feed", rss(*escaped), etag=f'"{len(escaped)}"')
        fetch = {"host_gap": "0s", "min_interval": "0s", "max_interval": "1s", "agreed": True}
        if len(titles) == len(self._posted):
            write_config(self._home, feed, fetch=fetch)
            self.github.push(self._home)
        self.github.later(hours=1)
        self.github.sh(
            f"""
            planet fetch --quiet --state state
            cd state
            git init --quiet
            git add --all
            git commit --quiet --message State
            git push --quiet --force {self.github.remote} HEAD:refs/heads/feed-state
            """,
            self._home,
        )

    def run(self, name: str, **inputs: str) -> dict[str, Job]:
        return self.github.run(f"{name}.yml", event=SETTINGS, inputs=inputs)

    @property
    def requests(self) -> list[Call]:
        """What `curl` was called for."""
        return [call for call in self.github.calls if call.tool == "curl"]

    def sent(self, address: str) -> list[Any]:
        """What was sent to an address, in order."""
        return [json.loads(call.said or "") for call in self.requests if call.words[-1] == address]

    def file(self, branch: str, path: str) -> str:
        """A file of a branch of the repository."""
        return self.github.sh(f"git -C {self.github.remote} show {branch}:{path}")


@pytest.fixture
def newsroom(tmp_path: Path, server: Server) -> Newsroom:
    return Newsroom(tmp_path, server)


def statuses(newsroom: Newsroom) -> list[str]:
    return [status["status"].splitlines()[0] for status in newsroom.sent(MASTODON)]


def test_each_new_entry_is_posted_to_mastodon_once(newsroom: Newsroom, tmp_path: Path) -> None:
    newsroom.run("mastodon")
    assert statuses(newsroom) == []

    newsroom.posts(ATTACK, "second")
    ended = [newsroom.run("mastodon")["post"].result for _ in range(2)]

    assert ended == ["success"] * 2
    assert statuses(newsroom) == [
        "second (One)",
        ATTACK.replace("@", "@\u200b").replace("#", "#\u200b") + " (One)",
    ]
    (request, _) = newsroom.requests
    assert "Authorization: Bearer a-token" in request.words
    assert newsroom.sent(MASTODON)[0]["status"].endswith("\n\nhttps://one.example/second")
    assert len(newsroom.file("posted-mastodon", "posted.txt").split()) == 3
    assert list(tmp_path.rglob("HACKED")) == []


def test_what_is_refused_is_tried_again_and_what_a_run_was_lost_with_is_not(
    newsroom: Newsroom,
) -> None:
    newsroom.run("mastodon")
    newsroom.posts("second")

    ended = []
    for answer in ("curl: (22) Error: 429", "curl: (28) Timeout: 000", ""):
        newsroom.github.answers[MASTODON] = answer
        ended.append(newsroom.run("mastodon")["post"].result)

    # It may have been posted: it is left out rather than told twice.
    assert ended == ["failure", "failure", "success"]
    assert statuses(newsroom) == ["second (One)"] * 2


def test_each_new_entry_is_posted_to_bluesky_once(newsroom: Newsroom) -> None:
    newsroom.run("bluesky")
    newsroom.posts("second @x")
    ended = [newsroom.run("bluesky")["post"].result for _ in range(2)]

    assert ended == ["success"] * 2
    (login,) = newsroom.sent(f"{PDS}/com.atproto.server.createSession")
    assert login == {"identifier": "planet.example", "password": "a-password"}
    (sent,) = newsroom.sent(f"{PDS}/com.atproto.repo.createRecord")
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", sent["record"].pop("createdAt"))
    assert sent == {
        "repo": "did:plc:planet",
        "collection": "app.bsky.feed.post",
        "record": {
            "$type": "app.bsky.feed.post",
            "text": "second @\u200bx (One)",
            "embed": {
                "$type": "app.bsky.embed.external",
                "external": {
                    "uri": "https://one.example/second%20@x",
                    "title": "second @x",
                    "description": "All about second @x.",
                },
            },
        },
    }


def test_a_round_up_is_proposed_once_and_keeps_what_an_editor_changes(newsroom: Newsroom) -> None:
    pulls = f"repos/{REPOSITORY}/pulls?state=all&head=somebody:round-up-2026-11-22"
    newsroom.posts(ATTACK)

    newsroom.github.answers[pulls] = ""
    first = newsroom.run("round-up", until="2026-11-22")["propose"].result
    text = newsroom.file("round-up-2026-11-22", "round-ups/2026-11-22.md")
    before = newsroom.github.sh(f"git -C {newsroom.github.remote} rev-parse round-up-2026-11-22")
    newsroom.github.answers[pulls] = "7"
    second = newsroom.run("round-up", until="2026-11-22")["propose"].result

    assert [first, second] == ["success"] * 2
    assert text.startswith("# Round-up of 2026-11-22\n\n## [One](https://one.example/)\n\n- [")
    assert "- [first](https://one.example/first) (2026-11-20): All about first.\n" in text
    words = re.sub(r"\]\(\S+\)", "]()", text)
    assert not any(sign in words for sign in ("{{", "<b>", "`touch", "@all@", "#ad"))
    after = newsroom.github.sh(f"git -C {newsroom.github.remote} rev-parse round-up-2026-11-22")
    assert before == after
    created = [call for call in newsroom.github.calls if call.words[:2] == ["pr", "create"]]
    assert [call.words[4:6] for call in created] == [["--head", "round-up-2026-11-22"]]


def test_a_mail_says_what_was_new(newsroom: Newsroom) -> None:
    newsroom.posts(ATTACK)

    newsroom.run("mail", until="2026-11-22")

    (mail,) = newsroom.requests
    head, _, body = (mail.said or "").partition("\n\n")
    assert head.startswith("From: planet@planet.example\nTo: readers@planet.example\nDate: ")
    assert body.startswith("One\n  2026-11-20  ")
    assert ATTACK in body
    assert mail.words[-1] == "smtps://mail.example"
    assert "--ssl-reqd" in mail.words


def test_where_nothing_was_new_nothing_is_sent(newsroom: Newsroom) -> None:
    newsroom.github.later(days=30)

    ended = [newsroom.run(name, until="2026-12-21") for name in ("round-up", "mail")]

    assert {job.result for jobs in ended for job in jobs.values()} == {"success"}
    assert newsroom.requests == []
    assert not any(call.words[0] == "pr" for call in newsroom.github.calls)


def test_what_reads_entries_writes_nothing_and_what_writes_runs_no_planet() -> None:
    for name in DIGESTS:
        read, other = yaml.safe_load(page(f"digest/{name}.yml"))["jobs"].values()
        assert read["permissions"] == {"contents": "read"}
        assert "secrets." not in str(read)
        assert "GH_TOKEN" not in str(read)
        assert "planet digest" not in str(other)
        assert "planet-digest/planet@" not in str(other)
