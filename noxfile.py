"""What people do with a checkout, each in one word.

`nox --list` names the sessions; `nox` alone runs `lint` and `tests`, which need Python and nothing
else. `.ci/run` runs all of them in environments that are new, and brings what a machine lacks.
"""

import re
import shutil
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

import nox

nox.options.sessions = ["lint", "tests"]
nox.options.reuse_venv = "yes"


@nox.session
def lint(session: nox.Session) -> None:
    """Look at style and types, and for what is known to go wrong in workflows."""
    session.install(".[test]", "-r", ".ci/requirements.txt")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy", "--strict", "planet", "tests")
    check_examples(session)
    look_at_workflows(session, Path())
    # Those that `planet init` writes, and those of the documents.
    with TemporaryDirectory() as name:
        folder = Path(name)
        session.run("planet", "init", "--forms", name, silent=True)
        for file in (*Path("docs/digest").glob("*.yml"), *Path("docs/hosting").glob("*.yml")):
            shutil.copy(file, folder / ".github/workflows")
        # In place of a commit, they may have a version, or a word.
        for workflow in folder.glob(".github/workflows/*.yml"):
            text = workflow.read_text(encoding="utf-8")
            workflow.write_text(
                re.sub(r"@(COMMIT|v[0-9.]+)$", f"@{'a' * 40}", text, flags=re.MULTILINE)
            )
        look_at_workflows(session, folder)
        # `actionlint` looks at the scripts of workflows, and at no others.
        action = Path("action.yml").read_text(encoding="utf-8")
        for number, script in enumerate(
            re.findall(r"^      run: \|\n((?: {8}.*\n|\n)+)", action, re.M)
        ):
            (folder / f"{number}.sh").write_text(f"#!/bin/bash\n{dedent(script)}", encoding="utf-8")
        scripts = sorted(folder.glob("*.sh"))
        session.run("shellcheck", ".ci/release", *map(str, scripts))


def check_examples(session: nox.Session) -> None:
    """Check the types of the examples of docs/python.md, for whoever copies them."""
    text = Path("docs/python.md").read_text(encoding="utf-8")
    with TemporaryDirectory() as name:
        for number, code in enumerate(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)):
            Path(name, f"example_{number}.py").write_text(code, encoding="utf-8")
        # With the settings of the project, whose cache it shares.
        session.run("mypy", "--strict", name)


def look_at_workflows(session: nox.Session, folder: Path) -> None:
    """Check the workflows and actions of a repository."""
    workflows = [str(file) for file in sorted(folder.glob(".github/workflows/*.yml"))]
    actions = [*folder.glob("action.yml"), *folder.glob(".github/actions/*/action.yml")]
    for schema, files in {
        "github-workflows": workflows,
        "github-actions": [str(file) for file in actions],
        "dependabot": [str(folder / ".github/dependabot.yml")],
    }.items():
        if files:
            session.run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files)
    # Runs for issues can only read caches, unless a workflow asks for more. To say so with
    # `cache-mode` is too new for other linters.
    session.run("actionlint", "-ignore", "has no explicit cache access limit", *workflows)
    session.run(*("zizmor", "--quiet", "--persona", "pedantic", "--offline", str(folder)))


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests but those in a browser, or those named: `nox -s tests -- tests/config`."""
    session.install(".[test]")
    session.run("pytest", *(session.posargs or ["--ignore=tests/browser"]))


@nox.session
def coverage(session: nox.Session) -> None:
    """Run the tests but those in a browser, and fail if they reach too little of `planet/`."""
    session.install(".[test]")
    options = ("--cov", "--cov-report=term-missing:skip-covered")
    session.run("pytest", "--ignore=tests/browser", *options, *session.posargs)


@nox.session
def oldest(session: nox.Session) -> None:
    """Run the tests with the oldest libraries that pyproject.toml admits."""
    session.install("--constraint", ".ci/requirements.txt", "uv")
    session.run("uv", "pip", "install", "--quiet", "--resolution=lowest-direct", ".[test]")
    session.run("pytest", *session.posargs)


@nox.session
def feedparser(session: nox.Session) -> None:
    """Read feeds with the feedparser of tomorrow, which may fail."""
    session.install(".[test]")
    # Whatever pyproject.toml admits.
    repository = "git+https://github.com/kurtmckee/feedparser@main"
    session.install("--upgrade", f"feedparser @ {repository}")
    session.run("pytest", "tests/parse", "tests/site/feeds", "tests/whole/test_texts.py")


@nox.session
def wheel(session: nox.Session) -> None:
    """Make the demo with the wheel, far from the checkout: it holds all that it needs."""
    with TemporaryDirectory() as name:
        session.run("pip", "wheel", "--quiet", "--no-deps", f"--wheel-dir={name}", ".")
        session.install(*map(str, Path(name).glob("*.whl")))
        with session.chdir(name):
            session.run("planet", "demo")
            assert Path("planet-demo/public/index.html").stat().st_size


@nox.session
def readme(session: nox.Session) -> None:
    """Make the demo in a copy of the checkout, with the line of the README."""
    (words,) = re.findall(r"^pip install \. && planet demo$", Path("README.md").read_text(), re.M)
    with TemporaryDirectory() as name:
        for folder in ("planet", "themes"):
            shutil.copytree(folder, Path(name, folder))
        for file in (*Path().glob("*.*"), Path("LICENSE")):
            if file.is_file():
                shutil.copy(file, name)
        with session.chdir(name):
            session.run("bash", "-c", words, external=True)
            assert Path("planet-demo/public/index.html").stat().st_size


@nox.session
def docs(session: nox.Session) -> None:
    """Write what is generated from the settings: their schema and their page."""
    session.install("--editable", ".")
    for module, path in {
        "docs.config_schema": "config.schema.json",
        "docs.config_page": "docs/config.md",
    }.items():
        text = session.run("python", "-m", module, silent=True)
        assert isinstance(text, str)
        Path(path).write_text(text, encoding="utf-8")


@nox.session
def pictures(session: nox.Session) -> None:
    """Take the pictures of docs/gallery.md and the README, in Chromium."""
    session.install(".[test]")
    session.run("python", "-m", "tests.browser.pictures")


@nox.session
def browser(session: nox.Session) -> None:
    """Try every attack there is on pages that Chromium opens."""
    session.install(".[test]")
    session.run("pytest", "tests/browser", "--all-vectors", "--numprocesses=2", *session.posargs)


@nox.session
def pages(session: nox.Session) -> None:
    """Look at every page of every theme in Chromium, as people see, reach and print it.

    Without npm or Java, pages are not checked by the programs that come with these.
    """
    session.install(".[test]")
    files = [f"tests/browser/test_{name}.py" for name in ("looks", "keyboard", "markup")]
    with TemporaryDirectory() as name:
        environ = install_checkers(session, Path(name))
        # In one process, so that no page is opened twice.
        options = ("--all-pages", "--numprocesses=0", *session.posargs)
        session.run("pytest", *files, *options, env=environ)


def install_checkers(session: nox.Session, folder: Path) -> dict[str, str]:
    """Install axe-core and the Nu HTML checker; return where they are, as tests look for them."""
    if shutil.which("npm") is None:
        session.warn("No npm: axe-core and the Nu HTML checker are left out.")
        return {}
    session.run(
        *("npm", "install", "--silent", "--no-save", "--no-audit", "--no-fund"),
        *("--ignore-scripts", f"--cache={folder / 'cache'}", f"--prefix={folder}"),
        *("axe-core@4.14.1", "vnu-jar@26.9.27"),
        external=True,
    )
    environ = {"PLANET_AXE": str(folder / "node_modules/axe-core/axe.min.js")}
    if shutil.which("java") is None:
        session.warn("No Java: the Nu HTML checker is left out.")
        return environ
    return environ | {"PLANET_VNU": str(folder / "node_modules/vnu-jar/build/dist/vnu.jar")}


@nox.session(venv_backend="none")
def pins(session: nox.Session) -> None:
    """Install from each place that Planet can come from, and build a site with it."""
    session.run(".ci/run", "pins")


@nox.session
def lock(session: nox.Session) -> None:
    """Pin with hashes what the action installs and a release is made with, for every Python.

    `nox -s lock -- --upgrade` takes the newest versions; else only what has to change does.
    """
    session.install("-c", ".ci/requirements.txt", "uv")
    tools = Path(".ci/requirements.txt").read_text(encoding="utf-8").splitlines()
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    with TemporaryDirectory() as name:
        # Planet is built from the action's own checkout, which takes hatchling as well.
        builders = Path(name, "builders.in")
        builders.write_text("\n".join(project["build-system"]["requires"]))
        pinned = {}
        for output, names in {
            ".ci/uv.txt": {"uv"},
            ".ci/release.txt": {"build", "cyclonedx-bom", "pip-audit", "twine"},
        }.items():
            source = Path(name, Path(output).with_suffix(".in").name)
            source.write_text("\n".join(tool for tool in tools if tool.partition("=")[0] in names))
            pinned[output] = (str(source),)
        extras = ("--extra=search", "--extra=fediverse")
        for output, sources in {
            "requirements.txt": ("pyproject.toml", str(builders), *extras),
            **pinned,
        }.items():
            session.run(
                *("uv", "pip", "compile", "--quiet", "--universal", "--python-version=3.11"),
                *("--generate-hashes", "--no-annotate", "--custom-compile-command=nox -s lock"),
                *(f"--output-file={output}", *sources, *session.posargs),
            )
