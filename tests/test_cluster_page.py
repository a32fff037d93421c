"""docs/cluster.md, and the compose file beside it, as far as they can be tried without Docker."""

import importlib.util
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from tests.clusters import wait_for_socket
from tests.docs import page
from tests.patience import PATIENCE
from tests.server import Server
from tests.whole.conftest import rss

DOCS = Path(__file__).parents[1] / "docs"
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


def certificates(folder: Path) -> Path:
    """The folder of certificates that the script beside the compose file makes."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl")
    script = DOCS / "cluster/certificates.sh"
    subprocess.run(["sh", str(script)], cwd=folder, check=True)
    return folder / "tls"


def test_the_certificates_have_all_that_a_strict_program_wants(tmp_path: Path) -> None:
    tls = certificates(tmp_path)

    command = ["openssl", "verify", "-x509_strict", "-CAfile", "ca.pem", "cert.pem"]
    done = subprocess.run(command, cwd=tls, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "cert.pem: OK\n"), done.stderr
    assert {path.name for path in tls.iterdir()} == {"ca.pem", "cert.pem", "key.pem"}


def environ_of(service: str, tls: Path, password: str) -> dict[str, str]:
    """The environment of a service on this machine, with the certificates that are here."""
    own = COMPOSE["services"][service].get("environment", {})
    values = {name: value.replace("/tls", str(tls)) for name, value in own.items()}
    if "REDIS_PASSWORD" in values:
        values["REDIS_PASSWORD"] = password
    return {**os.environ, **values}


def dask_of(service: str, port: int) -> list[str]:
    """The command of a service, with this machine in place of the names of services."""
    first, *words = COMPOSE["services"][service]["command"]
    assert first == "dask"
    here = (word.replace("scheduler:8786", f"127.0.0.1:{port}") for word in words)
    return [*DASK, *(str(port) if word == "8786" else word for word in here)]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


@contextmanager
def redis_of(folder: Path, command: list[str], password: str) -> Iterator[dict[str, Any]]:
    """The Redis of a manifest, on a socket of this machine; its `cache.options`."""
    if shutil.which("redis-server") is None:
        pytest.skip("there is no redis-server")
    shell, option, script = command
    sock = folder / "r.sock"
    here = script.replace("$$", "$").replace("/tmp/redis.conf", str(folder / "redis.conf"))
    here = f"{here.rstrip()} --port 0 --unixsocket {sock} --dir {folder}"
    environ = {**os.environ, "REDIS_PASSWORD": password}
    with subprocess.Popen([shell, option, here], env=environ, **_quiet()) as process:
        try:
            wait_for_socket(str(sock))
            assert password not in Path(f"/proc/{process.pid}/cmdline").read_text()
            yield {"unix_socket_path": str(sock)}
        finally:
            process.kill()


def test_the_services_of_the_compose_file_make_a_planet_together_and_with_nobody_else(
    tmp_path: Path,
) -> None:
    """Each command is run as it stands, with this machine in place of the names of services."""
    pytest.importorskip("distributed")
    services, port, password = COMPOSE["services"], free_port(), "p4ssword"
    config = yaml.safe_load((DOCS / "cluster/config.yaml").read_text(encoding="utf-8"))
    (once,) = re.findall(r"do (planet build);", services["planet"]["command"][2])
    tls = certificates(tmp_path)
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    other = certificates(stranger)

    with (
        TemporaryDirectory() as short,
        ExitStack() as stack,
        Server() as server,
        redis_of(Path(short), services["redis"]["command"], password) as options,
    ):
        for name in ("scheduler", "worker"):
            process = stack.enter_context(
                subprocess.Popen(
                    dask_of(name, port),
                    cwd=tmp_path,
                    env=environ_of(name, tls, password),
                    **_quiet(),
                )
            )
            stack.callback(process.terminate)
        feeds = [server.feed(f"/{name}", rss("tea", name=name)) for name in ("One", "Two")]
        del config["cache"]["options"]["host"]
        config["cache"]["options"] |= options
        config["workers"]["dask"] = config["workers"]["dask"].replace(
            "scheduler:8786", f"127.0.0.1:{port}"
        )
        (tmp_path / "config.yaml").write_text(yaml.safe_dump(config | {"feeds": feeds}))

        def build(environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
            command = [sys.executable, "-m", *shlex.split(once)]
            return subprocess.run(
                command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
            )

        wait_for_a_worker(config["workers"]["dask"], tls)
        right = environ_of("planet", tls, password)
        wrong_password = build({**right, "REDIS_PASSWORD": "another one"})
        asked_before = len(server.requests)
        done = build(right)
        scheduler = config["workers"]["dask"]
        refused = [refuses(scheduler, tls, own) for own in (tls, other)]

    assert refused == [False, True]
    assert (wrong_password.returncode, asked_before) == (5, 0)
    assert done.returncode == 0, done.stderr
    assert "2 of 2 feeds looked at, 2 with news" in done.stderr
    assert len(json.loads((tmp_path / "public/feed.json").read_text())["items"]) == 2


def client_of(scheduler: str, authority: Path, own: Path, timeout: float) -> Any:
    dask = pytest.importorskip("distributed")
    security = dask.Security(
        tls_ca_file=str(authority / "ca.pem"),
        tls_client_cert=str(own / "cert.pem"),
        tls_client_key=str(own / "key.pem"),
    )
    return dask.Client(scheduler, security=security, timeout=timeout, set_as_default=False)


def wait_for_a_worker(scheduler: str, tls: Path) -> None:
    """Return once one is there: Planet does not wait as long as a busy machine may need."""
    with client_of(scheduler, tls, tls, PATIENCE) as client:
        client.wait_for_workers(1, timeout=PATIENCE)


def refuses(scheduler: str, authority: Path, own: Path) -> bool:
    """Whether a scheduler has nothing to do with a client that has this certificate."""
    try:
        with client_of(scheduler, authority, own, 2 if own != authority else PATIENCE):
            return False
    except OSError as error:
        return re.search("certificate|TLS|SSL|Timed out", str(error)) is not None


def _quiet() -> dict[str, Any]:
    return dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)


def test_every_file_and_command_of_the_page_is_there() -> None:
    files = re.findall(r"\]\((cluster/[\w.]+)\)", PAGE)
    commands = re.findall(r"^(dask \w+)", PAGE, re.MULTILINE)

    assert {(DOCS / name).is_file() for name in files} == {True}
    assert set(commands) == {"dask scheduler", "dask worker"}


VERSIONS = {
    "ConfigMap": "v1",
    "Service": "v1",
    "Deployment": "apps/v1",
    "CronJob": "batch/v1",
    "NetworkPolicy": "networking.k8s.io/v1",
}
KUBERNETES = [*yaml.safe_load_all((DOCS / "cluster/kubernetes.yaml").read_text(encoding="utf-8"))]


def of_kind(kind: str) -> dict[str, dict[str, Any]]:
    """The specs of the manifest's objects of a kind, by name."""
    return {part["metadata"]["name"]: part for part in KUBERNETES if part["kind"] == kind}


def pods() -> dict[str, dict[str, Any]]:
    """What runs in each kind of pod, by its label."""
    templates = [one["spec"]["template"] for one in of_kind("Deployment").values()]
    (cron,) = of_kind("CronJob").values()
    templates.append(cron["spec"]["jobTemplate"]["spec"]["template"])
    return {one["metadata"]["labels"]["app"]: one["spec"] for one in templates}


def app(selector: dict[str, Any]) -> str:
    name: str = selector["podSelector"]["matchLabels"]["app"]
    return name


def test_each_part_of_the_manifest_is_of_a_kind_and_version_that_there_is() -> None:
    assert [(part["kind"], part["apiVersion"]) for part in KUBERNETES] == [
        (part["kind"], VERSIONS[part["kind"]]) for part in KUBERNETES
    ]
    for name, deployment in of_kind("Deployment").items():
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        assert deployment["spec"]["selector"]["matchLabels"] == labels == {"app": name}
    for service in of_kind("Service").values():
        assert service["spec"]["selector"]["app"] in pods()


def test_only_those_reach_a_pod_that_have_to() -> None:
    reached_by: dict[str, list[str]] = {}
    for policy in of_kind("NetworkPolicy").values():
        spec = policy["spec"]
        assert "Ingress" in spec["policyTypes"]
        callers = [app(caller) for rule in spec["ingress"] for caller in rule["from"]]
        assert all(caller in pods() for caller in callers)
        reached_by[app(spec)] = callers

    assert reached_by == {
        "planet-redis": ["planet-worker", "planet-build"],
        "planet-scheduler": ["planet-worker", "planet-build"],
        "planet-worker": ["planet-scheduler"],
        "planet-build": [],
    }
    assert reached_by.keys() == pods().keys()
    assert of_kind("NetworkPolicy")["planet-redis"]["spec"]["egress"] == []


def test_the_services_of_compose_are_reached_from_inside_only() -> None:
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    assert [COMPOSE["services"][name]["networks"] for name in ("redis", "scheduler")] == [
        ["inside"],
        ["inside"],
    ]
    assert not any("ports" in service for service in COMPOSE["services"].values())


def test_both_manifests_run_the_same() -> None:
    """What is tried of the one holds for the other."""
    services, of_pods = COMPOSE["services"], pods()
    compose = services["scheduler"]["environment"]
    containers = {name: spec["containers"][0] for name, spec in of_pods.items()}

    def redis_lines(command: list[str]) -> list[str]:
        return command[2].replace("$$", "$").splitlines()

    assert of_kind("ConfigMap")["planet-dask"]["data"] == compose
    redis, kube_redis = services["redis"], containers["planet-redis"]
    assert redis["image"] == kube_redis["image"]
    assert redis_lines(redis["command"]) == redis_lines(kube_redis["command"])
    assert services["scheduler"]["command"] == containers["planet-scheduler"]["command"]
    assert services["worker"]["command"][:7] == containers["planet-worker"]["command"][:7]


def test_each_thing_that_the_manifest_wants_is_made_by_a_command_of_the_page() -> None:
    made = {
        (kind.removesuffix(" generic"), name)
        for kind, name in re.findall(r"kubectl create (configmap|secret generic) ([\w-]+)", PAGE)
    } | {("configmap", name) for name in of_kind("ConfigMap")}
    wanted = set[tuple[str, str]]()
    for spec in pods().values():
        for volume in spec.get("volumes", ()):
            if "secret" in volume:
                wanted.add(("secret", volume["secret"]["secretName"]))
            if "configMap" in volume:
                wanted.add(("configmap", volume["configMap"]["name"]))
            if "persistentVolumeClaim" in volume:
                assert f"`{volume['persistentVolumeClaim']['claimName']}`" in PAGE
        for container in spec["containers"]:
            names = {volume["name"] for volume in spec["volumes"]}
            assert {mount["name"] for mount in container["volumeMounts"]} == names
            for variable in container.get("env", ()):
                key = variable["valueFrom"]["secretKeyRef"]
                wanted.add(("secret", key["name"]))
                assert f"--from-literal {key['key']}=" in PAGE
            wanted |= {
                ("configmap", source["configMapRef"]["name"])
                for source in container.get("envFrom", ())
            }

    assert wanted == made


def test_images_and_requirements_are_pinned_by_hashes() -> None:
    dockerfile = (DOCS / "cluster/Dockerfile").read_text(encoding="utf-8")
    images = re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE)
    images += [one["image"] for one in COMPOSE["services"].values() if "image" in one]
    images += [spec["containers"][0]["image"] for spec in pods().values()]
    text = (DOCS / "cluster/requirements.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([\w.-]+)==\S+ \\\n +(--hash=sha256:[0-9a-f]{64})", text, re.M))

    assert all(re.search(r"@sha256:[0-9a-f]{64}$", image) for image in images)
    assert len(images) == 6
    assert "--require-hashes" in dockerfile
    assert len(pinned) == len(re.findall(r"^\w", text, re.M))
    assert needed(["cluster"]) <= pinned.keys()


def needed(extras: list[str]) -> set[str]:
    """The names of what Planet needs with these extras, without what others need in turn."""
    names = set[str]()
    for line in metadata.requires("planet-digest") or ():
        requirement = re.match(r"[\w.-]+", line)
        extra = re.search(r"extra == [\"']([\w-]+)", line)
        assert requirement
        if (extra is None or extra[1] in extras) and "sys_platform" not in line:
            names.add(requirement[0].lower())
    return names
