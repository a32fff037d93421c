"""The planets of docs/hosting.md, github-actions.md and digest.md, made of what stands there.

    python -m tests.whole.hosting FOLDER

writes each into a folder of its own, and the scripts of its workflows into files, so that
`.ci/run lint` looks at them as well.
"""

import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from planet.cli import main
from tests.docs import blocks, page, section
from tests.processes import files

PUBLISH = ".github/workflows/publish.yml"


def examples(name: str, heading: str, language: str) -> list[str]:
    return blocks(section(page(name), heading), language)


def _as_it_is(publish: str) -> str:
    return publish


def _with_a_cache(_: str) -> str:
    return page("hosting/publish-with-a-cache.yml")


def _deployed_to(heading: str) -> Callable[[str], str]:
    def replaced(publish: str) -> str:
        (job,) = examples("hosting.md", heading, "yaml")
        return publish[: publish.index("  deploy:\n")] + job

    return replaced


def _with_a_secret(publish: str) -> str:
    _, secrets = examples("github-actions.md", "Secrets", "yaml")
    return publish + secrets


def _with_a_heartbeat(publish: str) -> str:
    (job,) = examples("github-actions.md", "When the schedule stops", "yaml")
    return f"{publish}\n{job}"


def _for_calm_editions(publish: str) -> str:
    (schedule,) = examples("github-actions.md", "The schedule", "yaml")
    return re.sub(r"  schedule:.*\n(?:    - .*\n)+", schedule, publish, count=1)


DIGESTS = "round-up", "mail", "mastodon", "bluesky"
"""The workflows of docs/digest.md, in files of their own."""
CALLING: dict[str, Callable[[str], str]] = {
    "pages": _as_it_is,
    "secret": _with_a_secret,
    "heartbeat": _with_a_heartbeat,
    "calm": _for_calm_editions,
    "digests": _as_it_is,
}
"""What is made of the workflow that calls the one of Planet's repository."""
OWN: dict[str, Callable[[str], str]] = {
    "own": _as_it_is,
    "cache": _with_a_cache,
    "cloudflare": _deployed_to("Cloudflare Pages"),
    "netlify": _deployed_to("Netlify"),
}
"""What is made of the workflow that `--own` writes."""
VARIANTS = {**CALLING, **OWN}


@cache
def _begun(*options: str) -> dict[str, bytes]:
    """What `planet init` writes. Asking pip for what is to be pinned takes its time."""
    with TemporaryDirectory() as folder:
        config = Path(folder) / "config.yaml"
        assert main(["init", "--github-pages", *options, "--config", str(config)]) == 0
        return files(Path(folder))


def begin(folder: Path, variant: str = "pages", *, planet: str | None = None) -> None:
    """Begin a planet in a folder, as one of these pages has it.

    `planet` is the commit of Planet that is called, in place of the one that is installed.
    """
    for path, data in _begun(*(["--own"] if variant in OWN else [])).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    publish = folder / PUBLISH
    text = VARIANTS[variant](publish.read_text(encoding="utf-8"))
    publish.write_text(text, encoding="utf-8")
    if variant == "digests":
        for name in DIGESTS:
            workflow = publish.with_name(f"{name}.yml")
            workflow.write_text(page(f"digest/{name}.yml"), encoding="utf-8")
    if planet is not None:
        name_planet(folder, planet)


def name_planet(folder: Path, commit: str) -> None:
    """Have the workflows of a planet call Planet at this commit."""
    for workflow in (folder / ".github/workflows").iterdir():
        text = workflow.read_text(encoding="utf-8")
        called = re.compile(r"uses: [\w-]+/planet(/\.github/workflows/\w+\.yml|)@.*")
        workflow.write_text(
            called.sub(rf"uses: planet-digest/planet\1@{commit}", text), encoding="utf-8"
        )


def write_scripts(repository: Path, folder: Path) -> None:
    """Write each `run:` of a repository's workflows and actions into a file of its own."""
    folder.mkdir()
    for file in sorted([*repository.glob(".github/*/**/*.yml"), *repository.glob("action.yml")]):
        said = yaml.safe_load(file.read_text(encoding="utf-8"))
        jobs = [*said.get("jobs", {}).values(), said.get("runs", {})]
        steps = [step for job in jobs for step in job.get("steps", [])]
        for number, step in enumerate(steps):
            if "run" in step:
                script = folder / f"{file.stem}-{number}.sh"
                script.write_text(f"#!/bin/bash\n{step['run']}", encoding="utf-8")


if __name__ == "__main__":
    planets = Path(sys.argv[1])
    for name in VARIANTS:
        begin(planets / name, name, planet="a" * 40)
        # Those of one that calls Planet are those of Planet.
        called = Path() if name in CALLING and name != "digests" else planets / name
        write_scripts(called, planets / name / "scripts")
