"""What people do with a checkout, each in one word: `nox --list` names them."""

import tomllib
from pathlib import Path

import nox

nox.options.sessions = ["lint", "tests"]
nox.options.reuse_venv = "yes"

PYPROJECT = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))


@nox.session
def lint(session: nox.Session) -> None:
    """Look at style and types."""
    session.install(".[test]", "-r", ".ci/requirements.txt")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy", "--strict", "planet", "tests")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests, or those that are named: `nox -s tests -- tests/config`."""
    session.install(".[test]")
    session.run("pytest", *session.posargs)


@nox.session
def lock(session: nox.Session) -> None:
    """Pin with hashes what the action installs, for every supported version of Python.

    `nox -s lock -- --upgrade` takes the newest versions; else only what has to change does.
    """
    session.install("-c", ".ci/requirements.txt", "uv")
    pins = Path(".ci/requirements.txt").read_text(encoding="utf-8").splitlines()
    folder = Path(session.create_tmp())
    # Planet is built from the action's own checkout, which takes hatchling as well.
    (folder / "build.in").write_text("\n".join(PYPROJECT["build-system"]["requires"]))
    (folder / "uv.in").write_text("\n".join(pin for pin in pins if pin.startswith("uv==")))
    extras = ("--extra=search", "--extra=fediverse")
    for output, sources in {
        "requirements.txt": ("pyproject.toml", str(folder / "build.in"), *extras),
        "planet/starter/uv.txt": (str(folder / "uv.in"),),
    }.items():
        session.run(
            *("uv", "pip", "compile", "--quiet", "--universal", "--python-version=3.11"),
            *("--generate-hashes", "--no-annotate", "--custom-compile-command=nox -s lock"),
            *(f"--output-file={output}", *sources, *session.posargs),
        )
