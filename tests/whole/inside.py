"""`planet` as a command that scripts call, and that runs in the process of the tests.

To start Python and to load the libraries takes longer than most runs do. The command that stands on
the PATH hands its words, its folder, its environment and its files over, and ends as the run did.
"""

import json
import os
import pkgutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from types import ModuleType
from typing import IO

import pytest

from planet import cli
from planet.cli import main, options
from tests.patience import PATIENCE

COMMAND = """\
import json, os, socket, sys
with socket.socket(fileno=int(os.environ["DOOR"])) as door:
    said = {"argv": sys.argv[1:], "folder": os.getcwd(), "environ": dict(os.environ)}
    socket.send_fds(door, [json.dumps(said).encode() + b"\\n"], [0, 1, 2])
    sys.exit(int(door.recv(100)))
"""
"""The program of the command; it needs nothing but the standard library."""


def run(
    words: Sequence[str],
    folder: Path,
    environ: Mapping[str, str],
    *,
    now: datetime,
    together: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run a script and, for the command in it, `planet`, at this time.

    With `together` its standard error is part of its output.
    """
    ours, theirs = socket.socketpair()
    with _file() as output, _file() as error, ours:
        with theirs:
            process = subprocess.Popen(
                words,
                cwd=folder,
                env={**environ, "DOOR": str(theirs.fileno())},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT if together else error,
                pass_fds=[theirs.fileno()],
            )
        with process:
            try:
                ours.settimeout(PATIENCE)
                # It is closed when the script has ended, and all that it started.
                while _answer(ours, now):
                    pass
                code = process.wait(PATIENCE)
            finally:
                process.kill()
        output.seek(0)
        error.seek(0)
        return subprocess.CompletedProcess(words, code, output.read(), error.read())


def _file() -> IO[str]:
    return TemporaryFile("w+", encoding="utf-8")


def _answer(door: socket.socket, now: datetime) -> bool:
    """Run the command once; False when it will be called no more."""
    said, files, *_ = socket.recv_fds(door, 1 << 16, 3)
    if not said:
        return False
    while not said.endswith(b"\n"):
        said += door.recv(1 << 16)
    call = json.loads(said)
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        for name, file in zip(("stdin", "stdout", "stderr"), files, strict=True):
            mode = "r" if name == "stdin" else "w"
            stream = stack.enter_context(os.fdopen(file, mode, buffering=1, encoding="utf-8"))
            patch.setattr(sys, name, stream)
        for name in list(os.environ):
            patch.delenv(name)
        for name, value in call["environ"].items():
            patch.setenv(name, value)
        patch.chdir(call["folder"])
        for module in _COMMANDS:
            patch.setattr(module, "clock", lambda: now)
        code = main(call["argv"])
    door.sendall(str(code).encode())
    return True


def _with_the_clock() -> Iterator[ModuleType]:
    """Each module of a command takes the one clock by its name."""
    for each in pkgutil.iter_modules(cli.__path__, "planet.cli."):
        module = import_module(each.name)
        if getattr(module, "clock", None) is options.clock:
            yield module


_COMMANDS = list(_with_the_clock())
