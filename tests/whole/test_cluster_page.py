"""docs/cluster.md, and the compose file beside it, as far as they can be tried without Docker."""

import importlib.util
import json
import re
import shlex
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.clusters import redis
from tests.docs import page
from tests.server import Server
from tests.whole.conftest import rss

DOCS = Path(__file__).parents[2] / "docs"
PAGE = page("cluster.md")
COMPOSE = yaml.safe_load((DOCS / "cluster/compose.yaml").read_text(encoding="utf-8"))
DASK = [sys.executable, "-m", "dask"]


def test_the_compose_file_is_one() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    package = importlib.util.find_spec("check_jsonschema")
    if package is None or package.origin is None:
        pytest.skip("the schema of compose files comes with check-jsonschema")
    path = Path(package.origin).parent / "builtin_schemas/vendor/compose-spec.json"

    jsonschema.validate(COMPOSE, json.loads(path.read_text(encoding="utf-8")))


def test_the_services_of_the_compose_file_make_a_planet_together(tmp_path: Path) -> None:
    """Each command is run as it stands, with this machine in place of the names of services."""
    pytest.importorskip("distributed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    services = COMPOSE["services"]
    config = yaml.safe_load((DOCS / "cluster/config.yaml").read_text(encoding="utf-8"))
    (once,) = re.findall(r"do (planet build);", services["planet"]["command"][2])

    def here(command: list[str]) -> list[str]:
        assert command[0] == "dask"
        words = (word.replace("scheduler:8786", f"127.0.0.1:{port}") for word in command[1:])
        return [*DASK, *(str(port) if word == "8786" else word for word in words)]

    with ExitStack() as stack, Server() as server, redis() as options:
        commands = [here(services["scheduler"]["command"])]
        commands += [here(services["worker"]["command"])] * services["worker"]["deploy"]["replicas"]
        for command in commands:
            process = stack.enter_context(subprocess.Popen(command, cwd=tmp_path, **_quiet()))
            stack.callback(process.terminate)
        feeds = [server.feed(f"/{name}", rss("tea", name=name)) for name in ("One", "Two")]
        config |= {"feeds": feeds, "cache": config["cache"] | {"options": options}}
        config["workers"]["dask"] = f"tcp://127.0.0.1:{port}"
        (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
        done = subprocess.run(
            [sys.executable, "-m", *shlex.split(once)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.returncode == 0, done.stderr
    assert "2 of 2 feeds looked at, 2 with news" in done.stderr
    assert len(json.loads((tmp_path / "public/feed.json").read_text())["items"]) == 2


def _quiet() -> dict[str, Any]:
    return dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)


def test_every_file_and_command_of_the_page_is_there() -> None:
    files = re.findall(r"\]\((cluster/[\w.]+)\)", PAGE)
    commands = re.findall(r"^(dask \w+)", PAGE, re.MULTILINE)

    assert {(DOCS / name).is_file() for name in files} == {True}
    assert set(commands) == {"dask scheduler", "dask worker"}
    manifest = (DOCS / "cluster/kubernetes.yaml").read_text(encoding="utf-8")
    kinds = [part["kind"] for part in yaml.safe_load_all(manifest)]
    assert kinds == ["Service", "Deployment", "Deployment", "CronJob"]
