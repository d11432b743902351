"""End a command within five seconds after a signal, even while machine code runs.

Python calls the handler of a signal in the main thread, between two of its own instructions. A kernel may run
for minutes without one. So a thread watches for signals, too. It leaves the command some seconds to end in
its own way, then ends the process. Kernels do not hold the interpreter's lock, so the thread can run.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

NAMES = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}
"""The signals that end a command, and the word for each in its message."""

GRACE = 3.0
"""Seconds after a signal in which a command can end in its own way."""

_DEFAULT = (signal.SIG_DFL, signal.default_int_handler)

_received: list[str] = []
"""The names of the signals that have asked the command to end."""

_cleanups: list[Callable[[], object]] = []
_kept: list[Callable[[], str]] = []


class Stopped(KeyboardInterrupt):
    """Signal that the command should end."""


def received() -> str | None:
    """Return the name of the first signal that asked the command to end; None if there was none."""
    return _received[0] if _received else None


def exit_code(name: str) -> int:
    return 128 + signal.Signals[name]


def handle_signals(end: Callable[[str], object]) -> None:
    """Raise :class:`Stopped` in the main thread on a signal, and end the process if that takes too long.

    A signal that the command was started to ignore (by `nohup`, in the background) stays ignored. `end`
    prints why the command ends; it gets the name of the signal.
    """
    _set_handlers(_DEFAULT, _stop)
    sys.unraisablehook = _raise_again
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reader, writer, end), daemon=True).start()


def ignore_signals() -> None:
    _set_handlers((_stop,), signal.SIG_IGN)


@contextmanager
def cleaned_up(cleanup: Callable[[], object]) -> Iterator[None]:
    """Call `cleanup` where the process is ended within this block, before any exception could leave it."""
    _cleanups.append(cleanup)
    try:
        yield
    finally:
        _cleanups.remove(cleanup)


@contextmanager
def describe_kept(describe: Callable[[], str]) -> Iterator[None]:
    """Let :func:`kept_work` tell what a command keeps that is interrupted in this block."""
    _kept.append(describe)
    try:
        yield
    except KeyboardInterrupt:
        raise  # the message comes later
    except BaseException:
        _kept.remove(describe)
        raise
    else:
        _kept.remove(describe)


def kept_work() -> str:
    return _kept[-1]() if _kept else ""


def _set_handlers(where: Sequence[object], handler: Any) -> None:
    for name in NAMES:
        if signal.getsignal(signal.Signals[name]) in where:
            signal.signal(signal.Signals[name], handler)


def _stop(number: int, _: object) -> NoReturn:
    _received.append(signal.Signals(number).name)
    import logging

    logging.disable()  # dask would log that its workers, which got the signal too, are gone
    raise Stopped(_received[-1])


def _raise_again(swallowed: Any) -> None:
    if issubclass(swallowed.exc_type, Stopped):
        number = signal.Signals[str(swallowed.exc_value)]
        threading.Timer(0.1, lambda: signal.raise_signal(number)).start()
    else:
        sys.__unraisablehook__(swallowed)


def _watch(reader: socket.socket, _writer: socket.socket, end: Callable[[str], object]) -> NoReturn:
    numbers = {int(signal.Signals[name]): name for name in NAMES}
    name = None
    while name is None:
        name = next((numbers[byte] for byte in reader.recv(64) if byte in numbers), None)
    time.sleep(GRACE)
    # the main thread is in machine code: nothing that it would do at its end can be waited for
    for cleanup in (*_worker_ends(), *reversed(_cleanups)):
        with suppress(Exception):
            cleanup()
    with suppress(Exception):
        end(name)
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(exit_code(name))


def _worker_ends() -> list[Callable[[], object]]:
    import multiprocessing  # as other imports of this file inside functions: help does not wait for them

    return [process.kill for process in multiprocessing.active_children()]
