"""Import `learnability` once, and fork a process for each command.

Importing takes most of the time of the small commands that pages show. `serve` starts such a process, which
ends with the one that called it; `python serving.py SOCKET WORDS...` has it run `learnability WORDS...` with
the folder, the environment and the streams of the caller, and exits as the command does. If the first word
is the path of a Python script, that script is run in its place.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

WITHIN_FUNCTIONS = (
    "matplotlib.backends.backend_svg",
    "rich.progress",
    "scipy.stats",
)
"""Modules that the package imports only where it needs them."""


def serve(folder: Path, environment: dict[str, str]) -> Path:
    """Start the process and return its socket, which it creates in the empty `folder`."""
    import subprocess

    path = folder / "learnability.socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(64)
        subprocess.Popen(
            [sys.executable, "-P", __file__, str(listener.fileno())],
            stdin=(reading := os.pipe())[0],  # the other end closes with this process, however it ends
            pass_fds=[listener.fileno()],
            env=environment,
            start_new_session=True,
        )
        os.close(reading[0])
    return path


def _ask(path: str, words: list[str]) -> int:
    """Run a command in that process and return its exit code."""
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        socket.send_fds(server, [b"."], [0, 1, 2])
        server.sendall(json.dumps([words, os.getcwd(), dict(os.environ)]).encode())
        server.shutdown(socket.SHUT_WR)
        answer = server.recv(1)
    return answer[0] if answer else 70


def _answer(listener: socket.socket) -> None:
    """Import, then answer until the process that started this one has ended."""
    import pkgutil
    import select
    import signal
    from contextlib import suppress
    from importlib import import_module

    import learnability
    from learnability.comparing.cells import BaseCell, BothCell, MeasuresCell
    from learnability.comparing.options import ExperimentOptions
    from learnability.running.workers import warm_up
    from learnability.studies import runner

    modules = [module.name for module in pkgutil.walk_packages(learnability.__path__, "learnability.")]
    for name in (*modules, *WITHIN_FUNCTIONS):
        if not name.endswith("__main__"):
            with suppress(ModuleNotFoundError):  # of an extra that is not installed
                import_module(name)
    options = ExperimentOptions.spell_annotations(["case"])
    parser = options.parsers[0].spelling
    cells = (
        BaseCell(treebank="", parser=parser),
        BothCell(treebank="", parser=parser),
        MeasuresCell(treebank=""),
    )
    warm_up(1, [call for cell in cells for call in cell.kernels(options)])
    runner.default_jobs = lambda: 1  # small runs: workers would import everything again

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        ready, _, _ = select.select([listener, 0], [], [])
        if 0 in ready:
            os._exit(0)
        connection, _ = listener.accept()
        with connection:
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listener.close()
                return _run(connection)


def _run(connection: socket.socket) -> None:
    """Run the command in a new process and report its exit code."""
    import runpy

    from learnability import cli

    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    words, folder, environment = json.loads(b"".join(iter(lambda: connection.recv(1 << 16), b"")))
    if child := os.fork():
        for stream in streams:
            os.close(stream)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        connection.sendall(bytes([code % 256]))
        os._exit(0)
    connection.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if words[0].endswith(".py"):
        sys.argv[:] = words
        sys.path.insert(0, str(Path(words[0]).parent))
        runpy.run_path(words[0], run_name="__main__")
    else:
        cli.main(words)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        _answer(socket.socket(fileno=int(sys.argv[1])))
    else:
        sys.exit(_ask(sys.argv[1], sys.argv[2:]))
