"""Entries through a program of the operator's (docs/transform.md), as whole runs."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from planet.errors import ConfigError
from planet.transform import TransformError, ask
from tests.cases import case, cases
from tests.docs import blocks, page, section
from tests.patience import PATIENCE
from tests.server import Response, Server
from tests.whole.conftest import Planet, rss

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts are executed by #!")
PAGE = page("transform.md")

EACH = "for line in sys.stdin:\n    item = json.loads(line)\n    "
LOUDER = EACH + "item['title'] = item['title'].upper()\n    print(json.dumps(item))"


def script(folder: Path, body: str, name: str = "program") -> str:
    path = folder / name
    path.write_text(f"#!{sys.executable} -I\nimport json, os, sys\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return f"./{name}"


def titles(planet: Planet) -> list[str]:
    return [item["title"] for item in planet.items()]


@pytest.fixture
def one(a_planet: Planet, server: Server) -> Planet:
    """A planet with one feed of two entries, and no program yet."""
    a_planet.subscribe({"url": server.feed("/one", rss("tea", "cake"), etag='"1"'), "id": "one"})
    return a_planet


def test_new_and_edited_entries_alone_go_through_the_program(one: Planet, server: Server) -> None:
    log = "print(os.getpid(), item['title'], file=open('log', 'a'))\n    "
    one.settings["transform"] = [script(one.folder, EACH + log + LOUDER.removeprefix(EACH))]
    one.build()
    first = titles(one)
    edited = rss("jam", "tea", "cake").replace(b"All about tea", b"All that is new about tea")
    server.feed("/one", edited, etag='"2"')
    one.later(days=1)

    one.build()
    # What is stored of the feed is read again, from the cache.
    one.settings["new_feed_entries"] = 5
    one.build()

    seen = [row.split() for row in (one.folder / "log").read_text().splitlines()]
    assert first == ["TEA", "CAKE"]
    assert titles(one) == ["JAM", "TEA", "CAKE"]
    assert [title for _, title in seen] == ["cake", "tea", "tea", "jam"]
    assert len({number for number, _ in seen}) == 2  # one process a run


def test_an_entry_that_is_held_back_waits_for_the_program_until_it_is_shown(
    a_planet: Planet, server: Server
) -> None:
    log = "print(item['title'], file=open('log', 'a'))\n    "
    a_planet.settings["transform"] = [script(a_planet.folder, EACH + log + "print(line.strip())")]
    a_planet.subscribe(server.feed("/one", rss(*"abcdef"), etag='"1"'))
    given = []
    for shown in (2, 3):
        a_planet.settings["new_feed_entries"] = shown
        a_planet.build()
        given.append(sorted((a_planet.folder / "log").read_text().split()))

    assert given == [["a", "b"], ["a", "b", "c"]]


def test_what_it_answers_is_cleaned_and_what_it_leaves_alone_stays(one: Planet) -> None:
    text = "<p onclick='x()'>More <a href='/of/it'>of it</a></p><script>x()</script>"
    body = EACH + (
        f"item |= {{'content_html': {text!r}, 'date_published': '2026-11-02T10:00:00Z', "
        "'url': item['url'] + '?x', 'tags': ['new']}\n    print(json.dumps(item))"
    )
    one.settings["transform"] = [script(one.folder, body)]

    one.build()

    items = one.items()
    assert [item["content_html"] for item in items] == [
        '<p>More <a href="https://one.example/of/it" rel="noopener noreferrer">of it</a></p>'
    ] * 2
    assert [item["summary"] for item in items] == ["More of it", "More of it"]
    assert titles(one) == ["tea", "cake"]
    assert (items[0]["url"], items[0]["tags"]) == ("https://one.example/tea?x", ["new"])
    assert {item["date_published"] for item in items} == {"2026-11-02T10:00:00Z"}


def test_an_entry_it_drops_is_shown_without_it_and_why_tells_it(one: Planet) -> None:
    body = EACH + "print('null' if item['title'] == 'tea' else line.strip())"
    one.settings["transform"] = [script(one.folder, body)]

    one.build()

    assert titles(one) == ["cake"]
    told = one.call("why", "tea").out
    assert "the program ./program dropped it, by `transform` of" in told
    assert "It is shown without the program" in told
    assert "The program ./program left it as it is." in one.call("why", "cake").out

    del one.settings["transform"]
    one.later(days=1)
    one.build()

    assert titles(one) == ["tea", "cake"]


def test_a_program_that_is_mended_gets_what_it_failed_on(one: Planet) -> None:
    one.settings["transform"] = [script(one.folder, "sys.exit(1)")]
    one.build()
    before = titles(one)
    script(one.folder, LOUDER)

    one.config()
    one.call("render", "--quiet")

    assert (before, titles(one)) == (["tea", "cake"], ["TEA", "CAKE"])


FAILURES = {
    "print('no key', file=sys.stderr); sys.exit(3)": "fails with exit code 3: no",
    "os.kill(os.getpid(), 9)": "fails with exit code -9: it says nothing",
    "print(sys.stdin.readline().strip())": "answers 2 entries with 1 lines",
    EACH + "print('null\\nnull')": "answers 2 entries with 4 lines",
    "": "answers 2 entries with 0 lines",
    EACH + "print('{')": "answers with a line that is neither a JSON object nor null",
    EACH + "print('[' * 100_000)": "answers with a line that is neither a JSON object nor null",
    EACH + "print(3)": "answers with a line that is neither a JSON object nor null",
    "print(''.join(reversed(sys.stdin.readlines())).strip())": (
        "answers with another entry than it was sent"
    ),
    EACH + "print('{}')": "answers with an entry that cannot be read",
}


def test_each_failure_of_a_program_leaves_entries_as_they_are_and_is_told(
    a_planet: Planet, server: Server
) -> None:
    names = [f"p{number}" for number in range(len(FAILURES))]
    feeds = []
    for name, body in zip(names, FAILURES, strict=True):
        feed = rss(f"tea-{name}", f"cake-{name}", name=name)
        program = script(a_planet.folder, body, name)
        feeds.append({"url": server.feed(f"/{name}", feed), "transform": [program]})
    a_planet.subscribe(*feeds)

    report = a_planet.build()

    assert sorted(titles(a_planet)) == sorted(
        f"{title}-{name}" for title in ("tea", "cake") for name in names
    )
    assert len(report.notices) == len(FAILURES)
    for name, words in zip(names, FAILURES.values(), strict=True):
        (notice,) = [said for said in report.notices if said.startswith(f"transform: ./{name} ")]
        assert notice.startswith(f"transform: ./{name} {words}")
        assert notice.endswith("2 entries stay as sent until it works")
        assert words.partition(":")[0] in a_planet.call("why", f"tea-{name}").out


def test_arguments_and_environment_hold_nothing_but_what_the_operator_says(
    one: Planet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "of-the-operator")
    body = "open('seen', 'w').write(json.dumps([sys.argv[1:], sorted(os.environ), os.getcwd()]))\n"
    one.settings["transform"] = [script(one.folder, body + LOUDER), "$(touch x)", "; ls"]

    one.build()

    arguments, environment, folder = json.loads((one.folder / "seen").read_text())
    assert arguments == ["$(touch x)", "; ls"]
    assert {"LANG", "PATH"} <= set(environment)
    # LC_CTYPE is what Python itself sets where there is no other.
    assert set(environment) <= {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "TMPDIR", "TZ"}
    assert Path(folder) == one.folder.resolve()


@cases(
    "settings, words",
    case("not there", {"transform": ["./none"]}, "transform names ./none, which is not there"),
    case("a folder", {"transform": ["."]}, "transform names ., which is not there, or no program"),
    case("not executable", {"transform": "config.yaml"}, "`chmod +x config.yaml` lets it be"),
)
def test_a_program_that_cannot_be_run_is_a_mistake_in_the_config(
    one: Planet, settings: dict[str, Any], words: str
) -> None:
    one.settings |= settings

    with pytest.raises(ConfigError) as caught:
        one.config()

    assert words in str(caught.value)
    assert caught.value.problems[0].place is not None


def files_of(heading: str) -> dict[str, str]:
    """The config of an example in docs/transform.md, and its script, as they are written there."""
    part = section(PAGE, heading)
    (config,) = blocks(part, "yaml")
    (named,) = re.findall(r"`([\w-]+)`:\n\n```python\n(.*?)```", part, re.DOTALL)
    return {"config": config, named[0]: named[1]}


def example(planet: Planet, heading: str, *addresses: str, private: bool = False) -> None:
    """Use an example; what it asks for may be in a `private` network, as servers of tests are."""
    found = files_of(heading)
    settings = yaml.safe_load(found.pop("config"))
    for feed, address in zip(settings["feeds"], addresses, strict=True):
        if isinstance(feed, dict):
            feed["url"] = address
        else:
            settings["feeds"][settings["feeds"].index(feed)] = address
    planet.settings |= settings
    for name, text in found.items():
        path = planet.folder / name
        text = text.replace("time.sleep(1)", "time.sleep(0)")
        text = text.replace("#!/usr/bin/env python3", f"#!{sys.executable}")
        if private:
            text = text.replace("user_agent=AGENT", "user_agent=AGENT, private=True")
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)


def test_the_example_for_full_text_works_as_written(a_planet: Planet, server: Server) -> None:
    page = b"<nav>Menu</nav><article class='post'><p>All of the tea.</p></article>"
    tea = server.script("/tea", Response(body=page))
    feed = rss("tea", "cake").replace(b"https://one.example/tea", tea.encode())
    gone = server.script("/no", Response(status=404))
    feed = feed.replace(b"https://one.example/cake", gone.encode())
    example(a_planet, "Full text", server.feed("/one", feed), private=True)

    report = a_planet.build()

    texts = [item["content_html"] for item in a_planet.items()]
    assert texts == ["<p>All of the tea.</p>", "<p>All about cake.</p>"]
    assert report.notices == ()
    asked = [request for request in server.requests if request.path == "/tea"]
    assert [request.header("User-Agent") for request in asked] == [
        "planet of YOU (+https://planet.example/about/)"
    ]


def test_the_example_for_full_text_asks_nobody_in_a_private_network(
    a_planet: Planet, server: Server
) -> None:
    inside = server.script("/tea", Response(body=b"<article>Secret</article>"))
    feed = rss("tea").replace(b"https://one.example/tea", inside.encode())
    example(a_planet, "Full text", server.feed("/one", feed))

    report = a_planet.build()

    assert [item["content_html"] for item in a_planet.items()] == ["<p>All about tea.</p>"]
    assert (report.notices, "/tea" in server.paths) == ((), False)


def test_a_secret_it_finds_somewhere_is_not_on_the_site(one: Planet, server: Server) -> None:
    one.environ = {"KEY": "very-secret-indeed"}
    one.subscribe({"url": server.feed("/one", rss("tea")), "headers": {"X-Key": "${KEY}"}})
    body = EACH + "item['title'] = 'very-secret-indeed'\n    print(json.dumps(item))"
    one.settings["transform"] = [script(one.folder, body)]

    one.build()

    assert not any(b"very-secret" in data for data in one.site().values())
    assert len(titles(one)) == 1


# A program of the operator's, asked for entries


@cases(
    "body",
    case("never ends", "import time; time.sleep(99)"),
    case("does not end, nor what it started", "os.system('sleep 99')"),
)
def test_a_program_that_takes_too_long_is_killed(tmp_path: Path, body: str) -> None:
    program = script(tmp_path, body)

    with pytest.raises(TransformError, match=r"takes longer than 0\.5 seconds and was ended"):
        ask([program], [b"{}"] * 3, folder=tmp_path, seconds=0.5)


def test_a_program_that_reads_nothing_and_one_that_answers_late_are_heard(tmp_path: Path) -> None:
    lines = [json.dumps("x" * 200_000).encode()] * 9
    deaf = script(tmp_path, "print('null\\n' * 9, end='')", "deaf")
    late = script(tmp_path, "sys.stdout.write(sys.stdin.read())", "late")

    answers = [ask([name], lines, folder=tmp_path, seconds=PATIENCE) for name in (deaf, late)]

    assert answers == [[b"null"] * 9, lines]
