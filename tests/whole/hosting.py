"""The planets of docs/hosting.md and docs/github-actions.md, made of what stands there.

    python -m tests.whole.hosting FOLDER

writes each into a folder of its own, and the scripts of its workflows into files, so that
`.ci/run lint` looks at them as well.
"""

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
    _, step = examples("github-actions.md", "Secrets", "yaml")
    shared = step[: step.index("        env:")]
    assert publish.count(shared) == 1
    return publish.replace(shared, step)


VARIANTS: dict[str, Callable[[str], str]] = {
    "pages": _as_it_is,
    "cache": _with_a_cache,
    "cloudflare": _deployed_to("Cloudflare Pages"),
    "netlify": _deployed_to("Netlify"),
    "secret": _with_a_secret,
}


@cache
def _begun() -> dict[str, bytes]:
    """What `planet init` writes. Asking pip for what is to be pinned takes its time."""
    with TemporaryDirectory() as folder:
        config = Path(folder) / "config.yaml"
        assert main(["init", "--github-pages", "--config", str(config)]) == 0
        return files(Path(folder))


def begin(folder: Path, variant: str = "pages") -> None:
    """Begin a planet in a folder, as one of these pages has it."""
    for path, data in _begun().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    publish = folder / PUBLISH
    text = VARIANTS[variant](publish.read_text(encoding="utf-8"))
    publish.write_text(text, encoding="utf-8")


def write_scripts(folder: Path) -> None:
    """Write each `run:` of a planet's workflows and actions into a file of its own."""
    (folder / "scripts").mkdir()
    for file in sorted((folder / ".github").glob("*/**/*.yml")):
        said = yaml.safe_load(file.read_text(encoding="utf-8"))
        jobs = [*said.get("jobs", {}).values(), said.get("runs", {})]
        steps = [step for job in jobs for step in job.get("steps", [])]
        for number, step in enumerate(steps):
            if "run" in step:
                script = folder / "scripts" / f"{file.stem}-{number}.sh"
                script.write_text(f"#!/bin/bash\n{step['run']}", encoding="utf-8")


if __name__ == "__main__":
    for name in VARIANTS:
        begin(Path(sys.argv[1]) / name, name)
        write_scripts(Path(sys.argv[1]) / name)
