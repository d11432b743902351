"""Systems without POSIX, as far as the package can see: `os` and `signal` without what only POSIX has."""

from __future__ import annotations

import ast
import os
import signal
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

POSIX_ONLY = {
    "os": [
        "O_DIRECTORY",
        "O_NOFOLLOW",
        "O_NONBLOCK",
        "O_SYNC",
        "WNOHANG",
        "chown",
        "chroot",
        "fchdir",
        "fchmod",
        "fchown",
        "fdatasync",
        "fork",
        "forkpty",
        "fstatvfs",
        "getegid",
        "geteuid",
        "getgid",
        "getgroups",
        "getloadavg",
        "getpgid",
        "getpgrp",
        "getpriority",
        "getsid",
        "getuid",
        "killpg",
        "lchown",
        "lockf",
        "mkdirat",
        "mkfifo",
        "mknod",
        "nice",
        "openpty",
        "posix_fadvise",
        "posix_fallocate",
        "posix_spawn",
        "pread",
        "pwrite",
        "readv",
        "sched_getaffinity",
        "sched_setaffinity",
        "sched_yield",
        "sendfile",
        "setegid",
        "seteuid",
        "setgid",
        "setgroups",
        "setpgid",
        "setpriority",
        "setsid",
        "setuid",
        "statvfs",
        "sync",
        "sysconf",
        "tcgetpgrp",
        "tcsetpgrp",
        "ttyname",
        "uname",
        "wait",
        "wait3",
        "wait4",
        "waitid",
    ],
    "signal": [
        "SIGALRM",
        "SIGCHLD",
        "SIGCONT",
        "SIGHUP",
        "SIGKILL",
        "SIGPIPE",
        "SIGQUIT",
        "SIGSTOP",
        "SIGTSTP",
        "SIGUSR1",
        "SIGUSR2",
        "SIGWINCH",
        "SIG_BLOCK",
        "SIG_SETMASK",
        "SIG_UNBLOCK",
        "alarm",
        "getitimer",
        "pause",
        "pthread_kill",
        "pthread_sigmask",
        "setitimer",
        "siginterrupt",
        "sigpending",
        "sigtimedwait",
        "sigwait",
        "sigwaitinfo",
    ],
}
"""What the documentation of Python marks "Availability: Unix", by module."""

POSIX_MODULES = {"crypt", "fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}


class WithoutPosix(types.ModuleType):
    """A module without the names that only POSIX has; `os.name` is that of Windows."""

    def __init__(self, module: types.ModuleType) -> None:
        super().__init__(module.__name__)
        self._module = module
        if module is os:
            self.name = "nt"

    def __getattr__(self, name: str) -> object:
        if name in POSIX_ONLY[self.__name__]:
            raise AttributeError(name)
        return getattr(self._module, name)


def take_posix_away(monkeypatch: pytest.MonkeyPatch, module: types.ModuleType) -> None:
    """Let one module of the package see neither the calls nor the modules that only POSIX has."""
    for seen in (os, signal):
        if getattr(module, seen.__name__, None) is seen:
            monkeypatch.setattr(module, seen.__name__, WithoutPosix(seen))
    for name in POSIX_MODULES:
        monkeypatch.setitem(__import__("sys").modules, name, None)


def find_posix_calls(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the file and the name of what only POSIX has, for every place in the sources of a folder."""
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Attribute(value=ast.Name(id=module), attr=attribute):
                    if attribute in POSIX_ONLY.get(module, ()):
                        yield name, f"{module}.{attribute}"
                case ast.Import(names=names):
                    yield from ((name, alias.name) for alias in names if alias.name in POSIX_MODULES)
                case ast.ImportFrom(module=str(module), level=0) if module in POSIX_MODULES:
                    yield name, module
