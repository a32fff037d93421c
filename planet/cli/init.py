"""`planet init`: a first config, a first theme, or the workflows to publish."""

from __future__ import annotations

import json
import os
import re
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

import planet
from planet import DISTRIBUTION, documentation, project_address
from planet.cli import options
from planet.errors import OutputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

_LINK = """\
Put the address that the site will have into {config}, as
   link: https://YOU.github.io/REPOSITORY/"""
_FEEDS = "Put your feeds into it, each with: planet add ADDRESS"
_PUSH = "Push this folder to a repository on GitHub, as its branch main."
_PAGES = """\
There, under Settings > Pages, choose the source "GitHub Actions"; then, under Actions,
   run the workflow "Publish". From then on it runs by itself."""
_STARTER: Final = Path(planet.__file__).parent / "starter"
_THEME: Final = ("theme.toml", "templates/base.html", "templates/front.html", "static/own.css")
_PAGES_FILES: Final = (".github/dependabot.yml", ".github/workflows/publish.yml")
_FORM_FILES: Final = (
    *(".github/ISSUE_TEMPLATE/add.yml", ".github/ISSUE_TEMPLATE/pick.yml"),
    *(".github/workflows/check.yml", ".github/workflows/form.yml"),
)
IGNORED: Final = ("/state/", "/public/")
"""Folders to keep out of the planet's repository, as lines of `.gitignore`."""
_APART: Final = 72
"""Minutes between two runs. In hourly runs the hour since the last request is not quite over, and a
feed is asked every two hours; these leave twelve minutes for a run that began late or took long.
Five of them are six hours, which cron can say."""


@click.command("init")
@options.config_option
@click.argument("folder", required=False, type=options.FOLDER, metavar="[DIR]")
@click.option("--theme", type=options.FOLDER, help="Start a theme of your own in a folder.")
@click.option("--github-pages", is_flag=True, help="Write what publishes on GitHub Pages, too.")
@click.option("--forms", is_flag=True, help="The same, with forms for blogs and episodes.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def command(
    config_path: Path,
    folder: Path | None,
    theme: Path | None,
    github_pages: bool,
    forms: bool,
    force: bool,
) -> None:
    """Write a first config, with comments, and print the next steps.

    The config is written into the folder DIR, which is made if needed; without DIR into this
    folder. With --theme, a first theme is written instead, for you to change. With --github-pages,
    a workflow to publish is written as well, and a present config stays. With --forms, so are
    forms with which others ask for blogs and pick episodes, and the workflows to answer them and to
    check pull requests.
    """
    config_path = (folder or Path()) / config_path
    if theme is not None:
        if github_pages or forms:
            raise UsageError("--theme writes no config, so nothing that publishes one either")
        _write({theme / path: _fill_in(f"theme/{path}") for path in _THEME}, force=force)
        # As the config has to name it; without a slash it would be one that comes with Planet.
        named = Path(os.path.relpath(theme, config_path.parent)).as_posix()
        named = named if "/" in named else f"./{named}"
        words = f'Put "theme: {named}" into {config_path}, then: planet serve'
        click.echo(f"{theme} is written. {words}")
    elif github_pages or forms:
        _start_pages(config_path, forms=forms, force=force)
    else:
        if force and _has_feeds(config_path):
            raise UsageError(f"{config_path} has feeds, and is never written over: move it away")
        _write({config_path: _fill_in("config.yaml")}, force=force)
        click.echo(f"{config_path} is written. {_FEEDS}")
        if folder:
            click.echo(f"Commands look for it in the current folder, so first: cd {folder}")


def _start_pages(config_path: Path, *, forms: bool, force: bool) -> None:
    """Write the workflows for GitHub Pages, and print the steps left to do."""
    folder, name = config_path.parent, config_path.name
    if not re.fullmatch(r"[A-Za-z0-9._-]+", name):
        raise UsageError(f"a workflow cannot name {name}: call it with a-z, 0-9, '.', '-' and '_'")
    _refuse_inside_a_repository(folder.resolve())
    repository, ref = find_reference()
    words = {
        "OWNER/PLANET/": f"{repository}/",
        "@COMMIT": f"@{ref}",
        "config.yaml": name,
        "    - cron: SCHEDULE": _format_schedule(folder),
    }
    paths = _PAGES_FILES + (_FORM_FILES if forms else ())
    texts = {folder / path: _fill_in(path.removeprefix(".github/"), words) for path in paths}
    steps = [_PUSH, _PAGES]
    if not config_path.exists():
        texts[config_path] = _fill_in("config.yaml")
        steps = [_LINK.format(config=config_path), _FEEDS, *steps]
    _write(texts, force=force)
    ignore = folder / ".gitignore"
    lines = _read_text(ignore).splitlines()
    if missing := [line for line in IGNORED if line not in lines]:
        texts[ignore] = "".join(f"{line}\n" for line in [*lines, *missing])
        _write({ignore: texts[ignore]}, force=True)
    for path in texts:
        click.echo(f"{path} is written.")
    click.echo(f"{'Two' if len(steps) == 2 else 'Four'} things are left to do:")
    for number, step in enumerate(steps, 1):
        click.echo(f"{number}. {step}")


def _refuse_inside_a_repository(folder: Path) -> None:
    # GitHub looks for workflows at the top of a repository, and nowhere else.
    tops = [path for path in (folder, *folder.parents) if (path / ".git").exists()]
    if tops and tops[0] != folder:
        raise UsageError(
            f"{folder} lies inside the repository {tops[0]}, and GitHub reads workflows only at "
            "its top: give the planet a repository of its own, or put its config there"
        )


def _has_feeds(config_path: Path) -> bool:
    """Return whether a config seems to list feeds, or lists of feeds; no file lists none."""
    written = re.sub(r"(?m)^\s*#.*", "", _read_text(config_path))
    return re.search(r"(feeds|subscriptions)\W*:\s*[-\[{]\s*[^\]\s]", written) is not None


def _read_text(path: Path) -> str:
    """Return the text of a file; none where there is no file."""
    return options.read_file(path).decode("utf-8", "replace") if path.exists() else ""


def _write(texts: Mapping[Path, str], *, force: bool) -> None:
    """Write all of these files, or, while one of them is there already, none."""
    there = [str(file) for file in texts if file.exists() and not force]
    if there:
        raise UsageError("\n  ".join(["there already; --force writes over:", *there]))
    for file, text in texts.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{file} cannot be written: {error.strerror}") from error


def _fill_in(name: str, words: Mapping[str, str] | None = None) -> str:
    """Return the text of a starter with these words, and with addresses of documentation."""
    text = (_STARTER / name).read_text(encoding="utf-8")
    # Whoever gets it has no docs/.
    known = {"DOCUMENTATION/": documentation(""), "SCHEMA": project_address("Config schema")}
    for word, meaning in {**known, **(words or {})}.items():
        text = text.replace(word, meaning)
    return text


def _format_schedule(folder: Path) -> str:
    """Format a schedule with a run every `_APART` minutes, always the same for a folder."""
    # At the full hour everybody's runs begin; then GitHub starts them late, or leaves them out.
    first = 1 + sha256(bytes(folder.resolve())).digest()[0] % (_APART - 61)
    starts = [divmod(start, 60) for start in range(first, 6 * 60, _APART)]
    return "\n".join(
        f'    - cron: "{minute} {",".join(map(str, range(hour, 24, 6)))} * * *"'
        for hour, minute in starts
    )


def find_reference() -> tuple[str, str]:
    """Return the repository and the commit on GitHub of this Planet, else the release."""
    package = metadata.distribution(DISTRIBUTION)
    origin = json.loads(package.read_text("direct_url.json") or "{}")
    address = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
    if "vcs_info" in origin and (fork := address.fullmatch(origin["url"])):
        info = origin["vcs_info"]
        revision = info.get("requested_revision") or ""
        # The tag of a release, by which Dependabot finds later ones.
        tag = f" # {revision}" if re.fullmatch(r"v\d+(\.\d+)+", revision) else ""
        return fork[1], info["commit_id"] + tag
    return address.sub(r"\1", project_address("Source")), f"v{package.version}"
