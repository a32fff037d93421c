"""`planet init`: a first config, a first theme of one's own, or all it takes to publish."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from importlib import metadata
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

import planet
from planet import DISTRIBUTION, documentation, project_address
from planet.cli import options
from planet.config.opml import Outline, parse_opml
from planet.config.yaml import dump_list
from planet.errors import ConfigError, OutputError, UsageError
from planet.report import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from importlib.metadata import Distribution


_LINK = """\
Put the address that the site will have into {config}, as
   link: https://YOU.github.io/REPOSITORY/"""
_FEEDS = "Put your feeds into it, each with: planet add ADDRESS"
_PUSH = "Push this folder to a repository on GitHub, as its branch main."
_PAGES = """\
There, under Settings > Pages, choose the source "GitHub Actions"; then, under Actions,
   run the workflow "Publish". From then on it runs by itself."""
_NO_COMMIT = (
    "The workflows name Planet as {ref}, because it is not known from which commit it was built: "
    "install it from {source} to have that pinned."
)
_HOW_MANY = {2: "Two", 3: "Three", 4: "Four"}


@click.command("init")
@options.config_option
@click.argument("folder", required=False, type=options.FOLDER, metavar="[DIR]")
@click.option("--opml", type=options.FILE, help="Start with the feeds of a subscription list.")
@click.option("--theme", type=options.FOLDER, help="Start a theme of your own in a folder.")
@click.option(
    "--github-pages", is_flag=True, help="Write what it takes to publish on GitHub Pages, too."
)
@click.option(
    "--own", is_flag=True, help="With --github-pages: write workflows that are yours to change."
)
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def command(
    config_path: Path,
    folder: Path | None,
    opml: Path | None,
    theme: Path | None,
    github_pages: bool,
    own: bool,
    force: bool,
) -> None:
    """Write a first config, with comments, and say what to do next.

    The config is written into the folder DIR, which is made if needed; without DIR into this
    folder. With --theme, a first theme is written instead, for you to change. With --github-pages,
    workflows are written as well, and a config that is there stays as it is. The workflows are a
    few lines that call those of Planet's repository, or with --own copies of them.
    """
    if own and not github_pages:
        raise UsageError("--own is about the workflows, so say --github-pages as well")
    if folder is not None:
        config_path = folder / config_path
    if theme is not None:
        if opml is not None or github_pages:
            other = "--opml" if opml else "--github-pages"
            raise UsageError(f"--theme writes no config, so {other} cannot stand beside it")
        _start_theme(theme, config_path, force=force)
    elif github_pages:
        _start_pages(config_path, opml, own=own, force=force)
    else:
        _write({config_path: _first_config(opml)}, force=force)
        click.echo(f"{config_path} is written. {_FEEDS}")
        if folder:
            click.echo(f"Commands look for it in the current folder, so first: cd {folder}")


def _start_theme(folder: Path, config_path: Path, *, force: bool) -> None:
    _write(
        {
            folder / path: _fill_in_addresses((_STARTER / "theme" / path).read_text())
            for path in _THEME
        },
        force=force,
    )
    # As the config has to name it; without a slash it would be one that comes with Planet.
    named = Path(os.path.relpath(folder, config_path.parent)).as_posix()
    named = named if "/" in named else f"./{named}"
    click.echo(f'{folder} is written. Put "theme: {named}" into {config_path}, then: planet serve')


def _start_pages(config_path: Path, opml: Path | None, *, own: bool, force: bool) -> None:
    folder = config_path.parent
    if not re.fullmatch(r"[A-Za-z0-9._-]+", config_path.name):
        raise UsageError(
            f"a workflow cannot name {config_path.name}: call it with a-z, 0-9, '.', '-' and '_'"
        )
    _refuse_inside_a_repository(folder.resolve())
    minute = choose_minute(folder)
    notice = None
    if own:
        written = make_copies(config=config_path.name, minute=minute)
    else:
        reference = find_reference()
        if not reference.is_commit:
            notice = _NO_COMMIT.format(ref=reference.ref, source=project_address("Source"))
        written = make_callers(reference, config=config_path.name, minute=minute)
    # A list of feeds is dear: it is written over only by who says with what.
    texts: dict[Path, str | bytes] = {}
    if opml is not None or not config_path.exists():
        texts[config_path] = _first_config(opml)
    texts |= {folder / path: text for path, text in written.items()}
    if own:
        # Before pip is asked, which takes a while.
        _refuse_what_is_there([*texts, folder / "requirements.txt"], force=force)
        click.echo("Asking pip for the hashes of what is to be installed …", err=True)
        pinned = pin_requirements()
        notice = pinned.notice
        texts |= {folder / path: data for path, data in pinned.files.items()}
    if notice:
        click.echo(notice, err=True)
    _write(texts, force=force)
    ignore = folder / ".gitignore"
    ignored = options.read_file(ignore).decode("utf-8", "replace") if ignore.exists() else ""
    if missing := [line for line in IGNORED if line not in ignored.splitlines()]:
        ended = "\n" if ignored and not ignored.endswith("\n") else ""
        texts[ignore] = ignored + ended + "".join(f"{line}\n" for line in missing)
        _write({ignore: texts[ignore]}, force=True)
    for path in texts:
        click.echo(f"{path} is written.")
    steps = [*_list_missing(config_path), _PUSH, _PAGES]
    click.echo(f"{_HOW_MANY[len(steps)]} things are left to do:")
    for number, step in enumerate(steps, 1):
        click.echo(f"{number}. {step}")


def _list_missing(config_path: Path) -> Iterator[str]:
    """Yield what is missing from a config before it is published."""
    from planet.config.loading import parse_leniently

    try:
        config = parse_leniently(config_path.read_bytes(), path=config_path, environ=os.environ)
    except ConfigError:
        # What is wrong with it is told by all other commands.
        return
    if not all(site.link for site in config.sites):
        yield _LINK.format(config=config_path)
    if not config.feeds and not config.subscriptions:
        yield _FEEDS


def _refuse_inside_a_repository(folder: Path) -> None:
    # GitHub looks for workflows at the top of a repository, and nowhere else.
    tops = [path for path in (folder, *folder.parents) if (path / ".git").exists()]
    if tops and tops[0] != folder:
        raise UsageError(
            f"{folder} lies inside the repository {tops[0]}, and GitHub reads workflows only at "
            "its top: give the planet a repository of its own, or put its config there"
        )


def _first_config(opml: Path | None) -> str:
    """Return the text of a config with the feeds of a list, or with none yet."""
    feeds: Sequence[Outline] = ()
    if opml is not None:
        listed = parse_opml(options.read_file(opml), file=str(opml))
        if any(not problem.is_warning for problem in listed.problems):
            raise ConfigError(listed.problems)
        for problem in (*listed.problems, *listed.repairs):
            click.echo(printable(str(problem)), err=True)
        feeds = listed.outlines
    text = (_STARTER / "config.yaml").read_text(encoding="utf-8")
    text = _fill_in_addresses(text).replace("SCHEMA", project_address("Config schema"))
    if not feeds:
        return text
    head, list_of_feeds, _ = text.partition("feeds:\n")
    lines = re.sub(
        r"^(?=.)", "  ", dump_list([feed.settings for feed in feeds]), flags=re.MULTILINE
    )
    # What a list says must not be able to ask for a secret of the environment.
    return head + list_of_feeds + lines.replace("${", "$ {")


def _write(texts: Mapping[Path, str | bytes], *, force: bool) -> None:
    """Write all of these files, or, while one of them is there already, none."""
    _refuse_what_is_there(texts, force=force)
    for file, text in texts.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode() if isinstance(text, str) else text)
        except OSError as error:
            raise OutputError(f"{file} cannot be written: {error.strerror}") from error


def _refuse_what_is_there(files: Iterable[Path], *, force: bool) -> None:
    there = [str(file) for file in files if file.exists()]
    if not there or force:
        return
    if len(there) == 1:
        raise UsageError(f"{there[0]} is there already; --force writes over it")
    raise UsageError("\n  ".join(["these are there already; --force writes over them:", *there]))


_STARTER: Final = Path(planet.__file__).parent / "starter"
_THEME: Final = ("theme.toml", "templates/base.html", "templates/front.html", "static/own.css")
_CALLING: Final = {
    ".github/ISSUE_TEMPLATE/add.yml": "add-form.yml",
    ".github/ISSUE_TEMPLATE/pick.yml": "pick-form.yml",
    ".github/dependabot.yml": "callers/dependabot.yml",
    ".github/workflows/add.yml": "callers/add.yml",
    ".github/workflows/check.yml": "callers/check.yml",
    ".github/workflows/pick.yml": "callers/pick.yml",
    ".github/workflows/publish.yml": "callers/publish.yml",
}
_OWN: Final = {
    ".github/ISSUE_TEMPLATE/add.yml": "add-form.yml",
    ".github/ISSUE_TEMPLATE/pick.yml": "pick-form.yml",
    ".github/actions/planet/action.yml": "action.yml",
    ".github/actions/planet/uv.txt": "uv.txt",
    ".github/dependabot.yml": "dependabot.yml",
    ".github/workflows/add.yml": "add.yml",
    ".github/workflows/check.yml": "check.yml",
    ".github/workflows/pick.yml": "pick.yml",
    ".github/workflows/publish.yml": "publish.yml",
}
_PYTHON: Final = f"{sys.version_info.major}.{sys.version_info.minor}"
"""What Planet runs on here, and on the runner: other versions need other libraries."""

_APART: Final = 72
"""Minutes between two runs. Hourly ones find that an hour is not quite over since the last request,
and a feed is asked every two hours; with these there are twelve minutes for a run that began late
or took long. Five of them are six hours, which cron can say."""

IGNORED: Final = ("/state/", "/public/")
"""What does not belong into the planet's repository, as lines of `.gitignore`."""


def make_callers(reference: PlanetReference, *, config: str, minute: int) -> dict[str, str]:
    """Make the files that call Planet's workflows: their texts, by their paths from the config.

    `config` is the name of the config file, and `minute` that after midnight of the first run of a
    day.
    """
    ref = f"@{reference.ref}" + (f" # {reference.release}" if reference.release else "")
    return {
        path: text.replace("OWNER/PLANET/", f"{reference.repository}/").replace("@COMMIT", ref)
        for path, text in _read_starters(_CALLING, config=config, minute=minute).items()
    }


def make_copies(*, config: str, minute: int, python: str = _PYTHON) -> dict[str, str]:
    """Make the files of workflows that call nothing of Planet's repository, as `make_callers` does.

    `python` is the version that they install.
    """
    return {
        path: text.replace('python-version: "3.13"', f'python-version: "{python}"')
        for path, text in _read_starters(_OWN, config=config, minute=minute).items()
    }


def _read_starters(names: Mapping[str, str], *, config: str, minute: int) -> dict[str, str]:
    return {
        path: _fill_in_addresses((_STARTER / name).read_text(encoding="utf-8"))
        .replace("config.yaml", config)
        .replace(_format_schedule(17), _format_schedule(minute))
        for path, name in names.items()
    }


def _fill_in_addresses(text: str) -> str:
    """Fill the addresses of documentation pages into a text: whoever gets it has no docs/."""
    return text.replace("DOCUMENTATION/", documentation(""))


def choose_minute(folder: Path) -> int:
    """Choose a minute to begin at: always the same for a folder, and not on the hour."""
    # At the full hour everybody's runs begin; then GitHub starts them late, or leaves them out.
    quiet = [minute for minute in range(_APART) if minute % (_APART - 60)]
    return quiet[int(sha256(bytes(folder.resolve())).hexdigest(), 16) % len(quiet)]


def _format_schedule(minute: int) -> str:
    """Format a schedule with a run every `_APART` minutes, the first one at this minute."""
    looks = [divmod(start, 60) for start in range(minute, 6 * 60, _APART)]
    return "\n".join(
        f'    - cron: "{minute} {",".join(map(str, range(hour, 24, 6)))} * * *"'
        for hour, minute in looks
    )


@dataclass(frozen=True, kw_only=True)
class PlanetReference:
    """What a workflow names Planet by."""

    repository: str
    ref: str
    release: str | None = None
    """The tag of a release, by which Dependabot finds later ones."""

    @property
    def is_commit(self) -> bool:
        """Whether it always leads to the same Planet."""
        return re.fullmatch(r"[0-9a-f]{40}", self.ref) is not None


def find_reference() -> PlanetReference:
    """Find the commit on GitHub that the running Planet was built from, else its version."""
    package = metadata.distribution(DISTRIBUTION)
    origin = json.loads(package.read_text("direct_url.json") or "{}")
    address = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
    if "vcs_info" in origin and (fork := address.fullmatch(origin["url"])):
        info = origin["vcs_info"]
        revision = info.get("requested_revision") or ""
        release = revision if re.fullmatch(r"v\d+(\.\d+)+", revision) else None
        return PlanetReference(repository=fork[1], ref=info["commit_id"], release=release)
    ours = address.sub(r"\1", project_address("Source"))
    release = f"v{package.version}"
    if not _COMMIT.exists():
        return PlanetReference(repository=ours, ref=release)
    commit = _COMMIT.read_text(encoding="utf-8").strip()
    # What comes from an index was built from the commit of its tag.
    return PlanetReference(repository=ours, ref=commit, release=None if origin else release)


_COMMIT: Final = Path(planet.__file__).parent / "commit.txt"
"""What `hatch_build.py` writes."""


class PinnedRequirements(NamedTuple):
    """What to install to get a Planet, with all that it needs."""

    files: dict[str, bytes]
    """By their path from the config's folder."""
    notice: str | None = None
    """Why there are no hashes in them, if there could have been some."""


def pin_requirements() -> PinnedRequirements:
    """Pin what to install to get the Planet that is running here.

    Raises:
        UsageError: it cannot be told what that is.
    """
    package = metadata.distribution(DISTRIBUTION)
    origin = json.loads(package.read_text("direct_url.json") or "{}")
    needed = _list_needed(package)
    exactly = f"{DISTRIBUTION}=={package.version}"
    if "vcs_info" in origin and not origin["url"].startswith("file:"):
        commit = f"{origin['vcs_info']['vcs']}+{origin['url']}@{origin['vcs_info']['commit_id']}"
        # pip cannot check the hash of a commit, and then checks none at all.
        lines = f"{DISTRIBUTION} @ {commit}", *needed
        return PinnedRequirements({"requirements.txt": _join_lines(*lines)})
    wheel = _build_wheel(package, origin) if origin else None
    pinned, notice = needed if wheel else [exactly, *needed], None
    try:
        pinned = _add_hashes(pinned)
    except _PipError as error:
        notice = f"requirements.txt is without hashes, because pip says: {error}"
    if wheel is None:
        header = _COMPILED.format(python=_PYTHON)
        texts = {
            "requirements.in": _join_lines(exactly),
            "requirements.txt": _join_lines(header, *pinned),
        }
        return PinnedRequirements(texts, notice)
    # On one line: Dependabot passes over it, and would take a second one for a mistake.
    own_hash = "" if notice else f" --hash=sha256:{sha256(wheel.data).hexdigest()}"
    text = _join_lines(f"./{wheel.path}{own_hash}", *pinned)
    return PinnedRequirements({wheel.path: wheel.data, "requirements.txt": text}, notice)


_COMPILED: Final = """\
# In the form by which Dependabot knows how to make it anew:
#
# This file is autogenerated by pip-compile with Python {python}
# by the following command:
#
#    pip-compile --generate-hashes requirements.in
#"""


def _join_lines(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


# What Planet needs, and what that needs

_REQUIREMENT: Final = re.compile(
    r"^(?P<name>[\w.-]+) *(?:\[(?P<extras>[^]\n]*)\])? *"
    r"(?P<versions>[^;\n]*?) *(?:;(?P<marker>.*))?$",
    re.MULTILINE,
)
_EXTRA: Final = re.compile(r"""\bextra\s*==\s*["']([^"']+)["']""")


def _list_requirements(package: Distribution, extras: Iterable[str]) -> Iterator[re.Match[str]]:
    for requirement in _REQUIREMENT.finditer("\n".join(package.requires or ())):
        extra = _EXTRA.search(requirement["marker"] or "")
        if extra is None or extra[1] in extras:
            yield requirement


def _list_needed(package: Distribution) -> list[str]:
    """All that Planet needs: the version that is installed here, else any that will do."""
    needed: dict[str, str] = {}
    waiting = list(_list_requirements(package, ()))
    while waiting:
        requirement = waiting.pop()
        name = _normalize_name(requirement["name"])
        if name in needed:
            continue
        try:
            installed = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            # For another system or another Python; only an extra may be wanted and missing.
            if not requirement["marker"] or _EXTRA.search(requirement["marker"]):
                needed[name] = f"{name}{requirement['versions']}"
        else:
            needed[name] = f"{name}=={installed.version}"
            extras = (requirement["extras"] or "").replace(" ", "").split(",")
            waiting += _list_requirements(installed, extras)
    return [needed[name] for name in sorted(needed)]


# Hashes

_ON_THE_RUNNER: Final = (
    *(f"--platform=manylinux_2_{minor}_x86_64" for minor in range(39, 4, -1)),
    *(f"--platform=manylinux{year}_x86_64" for year in (2014, 2010, 1)),
    "--platform=linux_x86_64",
    "--implementation=cp",
    # With its third number, which some libraries want to be above a least one.
    f"--python-version={_PYTHON}.{sys.version_info.micro}",
)
"""The wheels that Ubuntu 24.04 takes."""


class _PipError(Exception):
    """The error that pip ended with."""


def _add_hashes(wanted: Sequence[str]) -> list[str]:
    """Add a version and hashes to requirements.

    Raises:
        _PipError: pip cannot find them.
    """
    hashes = defaultdict[str, set[str]](set)
    with TemporaryDirectory() as nowhere:
        look = ["install", "--dry-run", "--no-deps", "--ignore-installed", "--report=-"]
        for of in ((), (f"--target={nowhere}", *_ON_THE_RUNNER)):
            for item in json.loads(_run_pip(*look, *of, *wanted))["install"]:
                # As "sha256=…": what pip said before version 23.1, and says still.
                archive_hash = item["download_info"]["archive_info"]["hash"]
                hashes[_format_pin(item)].add(f"--hash={archive_hash.replace('=', ':', 1)}")
    return [" \\\n    ".join((name, *sorted(own))) for name, own in sorted(hashes.items())]


def _format_pin(fields: Mapping[str, Any]) -> str:
    name = _normalize_name(fields["metadata"]["name"])
    extras = f"[{','.join(fields['requested_extras'])}]" if fields.get("requested_extras") else ""
    return f"{name}{extras}=={fields['metadata']['version']}"


def _normalize_name(name: str) -> str:
    # https://packaging.python.org/specifications/name-normalization/
    return re.sub(r"[-_.]+", "-", name).lower()


def _run_pip(*words: str) -> str:
    """Run pip, and return what it prints.

    Raises:
        _PipError: it failed.
    """
    words = (sys.executable, "-m", "pip", words[0], "--quiet", "--retries=1", *words[1:])
    # No shell, and nothing that a feed says.
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        _, _, complaint = done.stderr.strip().rpartition("ERROR: ")
        raise _PipError(complaint.partition("\n")[0] or "nothing")
    return done.stdout


# A wheel

_OF_THE_INSTALLER: Final = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json"}


class _Wheel(NamedTuple):
    path: str
    """Where it goes in the repository."""
    data: bytes


def _build_wheel(package: Distribution, origin: Mapping[str, Any]) -> _Wheel:
    """Build a wheel of an installed package.

    The folder that it came from may be gone or have changed; what is installed is what runs here.
    """
    installed = [
        file
        for file in package.files or ()
        if file.parts[0] != ".." and file.suffix != ".pyc" and file.name not in _OF_THE_INSTALLER
    ]
    info = next((file.parent for file in installed if file.name == "WHEEL"), None)
    if info is None or origin.get("dir_info", {}).get("editable"):
        raise UsageError(
            f"{package.metadata['Name']} is installed without a list of its files, so no wheel can "
            "be made of it: install it with pip, and not as --editable"
        )
    buffer, record = BytesIO(), f"{info}/RECORD"
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file in sorted(installed, key=str):
            wheel.writestr(_zip_entry(str(file)), file.read_binary())
        # Hashes in it are for signed wheels; ours has one as a whole.
        wheel.writestr(
            _zip_entry(record), _join_lines(*(f"{file},," for file in (*installed, record)))
        )
    name = f"{info.name.removesuffix('.dist-info')}-py3-none-any.whl"
    return _Wheel(f"vendor/{name}", buffer.getvalue())


def _zip_entry(path: str) -> zipfile.ZipInfo:
    # Without a date, so that the same files always make the same wheel.
    entry = zipfile.ZipInfo(path)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    return entry
