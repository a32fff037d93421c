"""A planet of its own for each test: config → folder, against real servers on loopback."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from functools import partial
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple, Never, Self, cast

import pytest
import yaml

import planet
from planet import http
from planet.cli import main
from planet.config import Config, load
from planet.errors import ParseError
from planet.http import FeedSession, Web, make_user_agent
from planet.http.guard import is_public
from planet.model.secrets import NO_REDACTOR, Redactor
from planet.parse.sniff import FeedAnswers
from planet.report import Report
from planet.run import open as runtime
from planet.run.build import build
from planet.run.open import Run, Scope
from planet.run.workers import Workers
from planet.social.resolver import Resolver
from planet.social.signing import Signer
from planet.store import Store
from tests.processes import files

CHECKOUT = Path(__file__).parents[2]
DEMO = Path(planet.__file__).parent / "demo" / "feeds"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def rss(*titles: str, name: str = "One", dated: bool = True) -> bytes:
    """A feed with these entries, newest first; an entry is known by its title."""
    items = "".join(
        f"<item><title>{title}</title><guid isPermaLink='false'>{name} {title}</guid>"
        f"<link>https://{name.lower()}.example/{title}</link>"
        + (f"<pubDate>{20 - place:02} Nov 2026 08:00:00 GMT</pubDate>" if dated else "")
        + f"<description>&lt;p&gt;All about {title}.&lt;/p&gt;</description></item>"
        for place, title in enumerate(titles)
    )
    return (
        f"<rss version='2.0'><channel><title>{name}</title>"
        f"<link>https://{name.lower()}.example/</link>{items}</channel></rss>"
    ).encode()


def outcomes(report: Report) -> dict[str, str]:
    """What came of each feed, by its name."""
    return {each.name: each.error_kind or str(each.outcome) for each in report.outcomes}


class Done(NamedTuple):
    """A command that has ended: its exit code, and what it printed."""

    code: int
    out: str
    err: str


class Killed(Store):
    """Of a run that does not live to keep anything."""

    def keep(self, *_: object, **__: object) -> Never:
        raise KeyboardInterrupt


def call(*arguments: str) -> Done:
    """Run a command in this process."""
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    out.seek(0)
    err.seek(0)
    return Done(code, out.read(), err.read())


class Planet:
    """A config file, a state and a site; each `build` is a run at the planet's own time."""

    def __init__(self, folder: Path, workers: Workers | None = None) -> None:
        self.folder = folder
        self._workers = workers
        self.now = NOON
        self.output = folder / "public"
        self.settings: dict[str, Any] = {
            "title": "The Planet",
            "link": "https://planet.example/",
            "fetch": {"host_gap": "0s", "timeout": "10m"},
        }
        self.environ: dict[str, str] = {}
        self.store_kind: type[Store] = Store
        self.has_no_time_for: str | None = None
        """The end of the address of a feed that its workers cannot read in time."""
        self.budget = timedelta(minutes=10)
        self.appview = "https://appview.example"
        self.is_public: Callable[[str], bool] = is_public
        self.signer: Signer | None = None

    def subscribe(self, *feeds: object) -> None:
        """The feeds of the config, each an address or a mapping."""
        self.settings["feeds"] = list(feeds)

    def later(self, **passed: float) -> Self:
        self.now += timedelta(**passed)
        return self

    def config(self) -> Config:
        """What the settings say, once they are written down."""
        path = self.writes(yaml.safe_dump(self.settings, allow_unicode=True))
        return load(path, environ=self.environ)

    def writes(self, text: str) -> Path:
        """Have this for its config; where that is."""
        path = self.folder / "config.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    def build(
        self, written: Config | None = None, *, if_changed: bool = False, **scope: Any
    ) -> Report:
        """One run, as `planet build` does it; what is written counts instead of the settings."""
        config = written or self.config()
        with self.opened(config.redactor) as run:
            report = Report(started=self.now)
            build(config, run=run, scope=Scope(**scope), report=report, if_changed=if_changed)
        return report

    def killed(self, kind: type[Store] = Killed) -> None:
        self.store_kind = kind
        with pytest.raises(KeyboardInterrupt):
            self.build()
        self.store_kind = Store

    def call(self, command: str, *arguments: str) -> Done:
        """A command for this planet, with the config as it was last written down."""
        return call(command, "--config", str(self.folder / "config.yaml"), *arguments)

    @contextmanager
    def opened(self, redactor: Redactor = NO_REDACTOR) -> Iterator[Run]:
        """What a run works with, at the planet's own time."""
        state = self.folder / "state"
        with (
            self.store_kind.open(state, redactor) as store,
            FeedSession(
                state,
                name="test",
                backend="sqlite",
                options={},
                redactor=redactor,
                is_public=self.is_public,
            ) as session,
            self._reading() as workers,
        ):
            web = Web(
                session,
                resolver=Resolver(appview=self.appview),
                rules=FeedAnswers(),
                user_agent=make_user_agent(None),
                clock=lambda: self.now,
                workers=20,
                budget=self.budget,
                signer=self.signer,
            )
            yield Run(
                store=store,
                connect=lambda: web,
                workers=workers,
                clock=lambda: self.now,
                host_gap=timedelta(0),
                redactor=redactor,
            )

    @contextmanager
    def _reading(self) -> Iterator[Workers]:
        """Those of all tests: to start some for each run would take longer than most runs."""
        if self._workers is None:
            with Workers(count=2) as workers:
                yield workers
        elif self.has_no_time_for is None:
            yield self._workers
        else:
            yield cast("Workers", _NoTimeFor(self.has_no_time_for, self._workers))

    def site(self) -> dict[str, bytes]:
        return files(self.output)

    def times(self) -> dict[str, int]:
        return {name: (self.output / name).stat().st_mtime_ns for name in self.site()}

    def items(self, path: str = "feed.json") -> list[dict[str, Any]]:
        """What a feed says of each entry."""
        found: list[dict[str, Any]] = json.loads(self.page(path))["items"]
        return found

    def page(self, path: str = "index.html") -> str:
        return (self.output / path).read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def shared(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that are called in this process have these read for them, too."""
    monkeypatch.setattr(runtime, "Workers", lambda **_: nullcontext(workers))


@pytest.fixture
def loopback_is_public(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a form names has to be public, and the servers of tests are not."""
    opened = partial(http.FeedSession, is_public=lambda peer: True)
    monkeypatch.setattr(http, "FeedSession", opened)


class _NoTime:
    """Workers that never get to read anything."""

    def call(self, *_: object, **__: object) -> Future[ParseError]:
        given_up: Future[ParseError] = Future()
        given_up.set_result(ParseError("too_slow", "this machine was busy"))
        return given_up

    def rest(self) -> None:
        pass


class _NoTimeFor:
    """Workers that never get to read a feed whose address ends so."""

    def __init__(self, path: str, workers: Workers) -> None:
        self._path = path
        self._workers = workers

    def call(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if args and getattr(args[0], "url", "").endswith(self._path):
            return _NoTime().call()
        return self._workers.call(function, *args, **kwargs)

    def rest(self) -> None:
        self._workers.rest()


@pytest.fixture
def no_time_to_read(shared: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that are called in this process have no time to read any feed."""
    monkeypatch.setattr(runtime, "Workers", lambda **_: nullcontext(_NoTime()))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, with the commands called in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLANET_CONFIG", raising=False)
    return tmp_path


def write_config(folder: Path, *feeds: object, **settings: Any) -> None:
    config = {"title": "A planet", "fetch": {"host_gap": "0s"}, "feeds": list(feeds), **settings}
    text = yaml.safe_dump(config, allow_unicode=True, sort_keys=False, width=1000)
    (folder / "config.yaml").write_text(text, encoding="utf-8")


@pytest.fixture
def a_planet(tmp_path: Path, workers: Workers) -> Planet:
    return Planet(tmp_path, workers)
