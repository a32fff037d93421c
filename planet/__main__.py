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
    from sys import UnraisableHookArgs
    from types import FrameType


_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")
"""SIGHUP comes when the terminal is closed; Windows does not have all of them."""
_AGAIN, _LATER = 0.5, 5.0
"""Seconds after which a signal that was swallowed is heard again, and while all is being closed."""
_MOST = 5
"""Signals that are heard before the process ends as it is: it hangs, or somebody is in a hurry."""


_came: list[int] = []
"""The signals that were heard."""


class _Stopped(BaseException):
    """A signal has come. Whatever is open is closed on the way out, as after any exception."""


def main() -> NoReturn:
    """Run the command that the arguments name, and end the process.

    It ends with the command's exit code, or with 128 and the number of a signal.
    """
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        # One that is ignored was meant to be, as by nohup.
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _stop)
    sys.unraisablehook = _unraisable
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
        code = _tell(_came[0])
    sys.exit(_flush_output(code))


def _stop(number: int, _: FrameType | None) -> None:
    _came.append(number)
    if len(_came) > _MOST:
        os._exit(_flush_output(_tell(_came[0])))
    is_closing = _is_stopped(sys.exception())
    if hasattr(signal, "setitimer"):
        # Where libraries or destructors call Python, they may swallow what it raises.
        signal.setitimer(signal.ITIMER_REAL, _LATER if is_closing else _AGAIN)
    # What is being closed because of a signal is closed to the end.
    if not is_closing:
        raise _Stopped


def _unraisable(swallowed: UnraisableHookArgs) -> None:
    # After a signal, what was closed too early complains as well.
    if not _came:
        sys.__unraisablehook__(swallowed)


def _is_stopped(error: BaseException | None) -> bool:
    """Whether an exception came of a signal, maybe by way of others."""
    while error is not None and not isinstance(error, _Stopped):
        error = error.__context__
    return error is not None


def _tell(number: int) -> int:
    """Say in one line which signal ended the command; its exit code."""
    for name in _SIGNALS:
        # The processes and threads that are left end as well, and are not to be disturbed.
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    name = signal.Signals(number).name
    words = "interrupted" if name == "SIGINT" else f"ended by {name}"
    with suppress(OSError):
        # A terminal shows Ctrl-C as "^C", which this is written over.
        sys.stderr.write("\r" * sys.stderr.isatty() + f"planet: {words}\n")
    return 128 + number


def _flush_output(code: int) -> int:
    """With everything written; the exit code, another one if that cannot be written.

    The terminal may be closed, or the disk full that the words go to.
    """
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
