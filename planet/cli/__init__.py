"""The commands. Clock, connections and config enter here and are handed down.

One file a command, or a family of commands, imported when one is called: `planet --help`
loads no feed parser.
"""

from __future__ import annotations

import errno
import logging
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, Final

import click

from planet import __version__, documentation
from planet.errors import ConfigError, PlanetError, StateError, suggestion

if TYPE_CHECKING:
    from collections.abc import Sequence


_GROUPS = {
    "Every day": {
        "build": ("build", "ask the feeds that are due, then make the site"),
        "fetch": ("build", "ask the feeds that are due, without making the site"),
        "status": ("status", "say how each feed is, and when it is asked next"),
        "why": ("why", "say why an entry is shown or not"),
        "check": ("check", "find mistakes in the config and the theme"),
        "serve": ("serve", "show the site on this machine, and pick episodes"),
    },
    "Looking after feeds": {
        "add": ("add", "ask for a feed, and add it to the config"),
        "remove": ("add", "remove feeds from the config"),
        "import": ("import_export", "add the feeds of a list, or of another planet, to the config"),
        "export": ("import_export", "write the feeds as a list for other programs"),
        "peek": ("add", "print the entries of feeds, without a config"),
        "preview": ("why", "list the entries of a feed, shown or not"),
        "retry": ("status", "have a feed asked again that was given up"),
    },
    "Episodes": {
        "episodes": ("episodes", "list the episodes that can be picked"),
        "pick": ("episodes", "pick episodes, to be published"),
        "unpick": ("episodes", "remove picks"),
    },
    "Publishing": {
        "render": ("build", "make the site from the state, without a request"),
        "digest": ("digest", "print what is new, for editors"),
    },
    "Rarely": {
        "init": ("init", "write a first config, or a first theme"),
        "demo": ("demo", "make a site from feeds that come with Planet"),
    },
}
"""Each command with module and help line."""
_FOR_EDITORS = {"schema": ("import_export", "print the JSON Schema of the config")}
"""Commands for programs; help does not list them."""
_COMMANDS = {name: row for group in _GROUPS.values() for name, row in group.items()} | _FOR_EDITORS


class _Commands(click.Group):
    """All commands: `command` in the module of the same name, else the function of that name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        home, _ = _COMMANDS[cmd_name]
        # `import` is a keyword of Python.
        name = "command" if home == cmd_name else cmd_name.replace("import", "import_")
        command: click.Command = getattr(import_module(f"planet.cli.{home}"), name)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # It may stand in front of the command as well.
        if args[:1] in (["-c"], ["--config"]):
            args = [*args[2:3], *args[:2], *args[3:]]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] == "help" and not ctx.resilient_parsing:
            if not args[1:]:
                click.echo(ctx.get_help())
                ctx.exit()
            args = [args[1], "--help"]
        if args[0] not in _COMMANDS and not ctx.resilient_parsing:
            near = suggestion(args[0], [*_COMMANDS, "help"])
            ctx.fail(f"there is no command {args[0]!r}{near}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # From the table, so that asking for help imports no command.
        width = max(map(len, _COMMANDS))
        for title, group in _GROUPS.items():
            with formatter.section(title):
                rows = [(f"{name:{width}}", words) for name, (_, words) in group.items()]
                formatter.write_dl(rows)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    # Lines that are not wrapped: an address could be broken at its hyphen.
    epilog=f"\b\nMore, and how the Tab key completes commands:\n{documentation('commands.md')}",
)
@click.version_option(__version__, prog_name="planet")
def app() -> None:
    """Read feeds, and make a calm static site and combined feeds of them."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return the exit code (`report.Exit`).

    An exception that is no `PlanetError` is a bug, and leaves with a traceback.
    """
    # What a library logs is for its authors; what matters of it is in the report.
    logging.getLogger().addHandler(logging.NullHandler())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a feed's name must not end a run.
            stream.reconfigure(errors="replace")
    try:
        code = app.main(args=argv, prog_name="planet", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except PlanetError as error:
        return _report_error(error)
    except OSError as error:
        # Of temporary files, or of standard output; `tempfile` does not tell why no folder will do.
        if error.errno in _NO_ROOM or "No usable temporary directory" in str(error):
            return _report_error(StateError(f"{error}\n{_MAKE_ROOM}"))
        raise
    return int(code or 0)


_NO_RIGHT: Final = (errno.EACCES, errno.EPERM, errno.EROFS)
_NO_ROOM: Final = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
_MAKE_ROOM: Final = "Make room on its disk, and run again: nothing is lost."


def _report_error(error: PlanetError) -> int:
    """Print an error, with a way out, and return the exit code of the command."""
    # Imported late, so that help is printed fast.
    from planet.cli.output import report_refusal
    from planet.report import printable_line

    lines = str(error).splitlines()
    # A mistake in a file begins with its place, for editors to go to.
    if not (isinstance(error, ConfigError) and error.problems and error.problems[0].place):
        lines[:1] = [f"Error: {line}" for line in lines[:1]]
    cause = getattr(error.__cause__, "errno", None)
    if cause in _NO_ROOM:
        lines.append(_MAKE_ROOM)
    elif cause in _NO_RIGHT:
        lines.append("Give the user who runs Planet the right to it, or choose another place.")
    for line in lines:
        click.echo(printable_line(line), err=True)
    report_refusal(error)
    return error.exit_code
