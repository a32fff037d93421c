"""The command `planet`, and `python -m planet`: a process, which a signal ends in good order.

Nothing else is imported before the signals are heard: Ctrl-C may come in the first moment.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from errno import ENOSPC
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from types import FrameType


_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
"""SIGHUP comes from a closed terminal; Windows has no SIGHUP."""
_came: list[int] = []
"""The signal, once one has come."""


class _Stopped(BaseException):
    """A signal has come. Whatever is open is closed on the way out, as after any exception."""


def main() -> NoReturn:
    """Run the command of the arguments, and end the process.

    The exit code is the command's, or 128 and the number of a signal.
    """
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        # One that is ignored was meant to be, as by nohup.
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _stop)
    try:
        from planet.cli import main as run

        code = run()
    except BaseException as error:
        # By now it may be another one: a closed terminal cannot be written to, for example.
        if not _came and getattr(error, "errno", None) != ENOSPC:
            raise
        code = 5
    # Outside: with the exception went what it kept open.
    if _came and code:
        code = _report_signal(_came[0])
    sys.exit(_flush_output(code))


def _stop(number: int, _: FrameType | None) -> None:
    """Leave the command; a second Ctrl-C ends the process at once."""
    _came.append(number)
    for name in _SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # What is closed too early may complain.
    sys.unraisablehook = lambda _: None
    raise _Stopped


def _report_signal(number: int) -> int:
    """Print which signal ended the command, and return the exit code."""
    name = signal.Signals(number).name
    words = "interrupted" if name == "SIGINT" else f"ended by {name}"
    with suppress(OSError):
        # A terminal shows Ctrl-C as "^C", which this is written over.
        sys.stderr.write("\r" * sys.stderr.isatty() + f"planet: {words}\n")
    return 128 + number


def _flush_output(code: int) -> int:
    """Write all output, and return the exit code; 5 if the terminal is closed or the disk full."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or 5
            # Python would try again at its end, and complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    return code


if __name__ == "__main__":
    main()
