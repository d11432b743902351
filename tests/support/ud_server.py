"""A server on 127.0.0.1 with archives of treebanks, good and bad, which does what a test tells it to."""

from __future__ import annotations

import contextlib
import gzip
import io
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SENTENCE = (
    b"# sent_id = 1\n# text = a b\n1\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n2\tb\tb\tVERB\t_\t_\t1\tdep\t_\t_\n\n"
)
README = b"""# Summary

A treebank for tests. License: this line of prose is not at the beginning.

=== Machine-readable metadata (DO NOT REMOVE!) ===
Data available since: UD v2.0
License: CC BY-SA 4.0
Includes text: yes
===
"""
LICENCE = b"\nAttribution-ShareAlike 4.0\nand so on\n"


def conllu(code: str) -> dict[str, bytes]:
    """The files of a complete treebank."""
    return {
        f"{code}-ud-train.conllu": SENTENCE * 3,
        f"{code}-ud-dev.conllu": SENTENCE,
        f"{code}-ud-test.conllu": SENTENCE * 2,
        "LICENSE.txt": LICENCE,
        "README.md": README,
    }


Entry = tuple[str | tarfile.TarInfo, bytes]


def tar_gz(entries: list[Entry]) -> bytes:
    """A .tar.gz of these entries; the same bytes for the same entries."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for what, data in entries:
            info = tarfile.TarInfo(what) if isinstance(what, str) else what
            if isinstance(what, str):
                info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(plain.getvalue(), mtime=0)


def tag_entries(name: str, release: str, code: str) -> list[Entry]:
    """What GitHub puts into the archive of a tag: one top folder, and all of the repository."""
    top = tarfile.TarInfo(f"{name}-r{release}")
    top.type = tarfile.DIRTYPE
    rest = {"not-to-release/old-ud-train.conllu": b"x", "stats.xml": b"<x/>", "CONTRIBUTING.md": b"c"}
    return [(top, b""), *((f"{top.name}/{file}", data) for file, data in (conllu(code) | rest).items())]


def tag_archive(name: str = "UD_Test-One", release: str = "2.16", code: str = "xx_one") -> bytes:
    return tar_gz(tag_entries(name, release, code))


def tag_path(name: str = "UD_Test-One", release: str = "2.16") -> str:
    return f"/{name}/archive/refs/tags/r{release}.tar.gz"


def release_archive(release: str, codes: dict[str, str]) -> bytes:
    top = f"ud-treebanks-v{release}"
    return tar_gz(
        [
            (f"{top}/{name}/{file}", data)
            for name, code in codes.items()
            for file, data in conllu(code).items()
        ]
    )


Answer = Callable[[BaseHTTPRequestHandler], None]


def whole(data: bytes, **headers: str) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        for key, value in headers.items():
            request.send_header(key.replace("_", "-"), value)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

    return answer


def cut(data: bytes, at: int) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data[:at])
        request.close_connection = True

    return answer


def status(code: int) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(code)
        request.send_header("Content-Length", "4")
        request.end_headers()
        request.wfile.write(b"oops")

    return answer


def silent(seconds: float, data: bytes, after: int) -> Answer:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data[:after])
        request.wfile.flush()
        time.sleep(seconds)
        request.wfile.write(data[after:])

    return answer


class UDServer:
    """A running server.

    Attributes:
        url: its base URL.
        answers: by path, what it does; a list is used up one by one, its last element stays.
        asked: the paths that were asked for.
    """

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.port = port
        self.answers: dict[str, list[Answer]] = {}
        self.asked: list[str] = []

    def has(self, path: str, *answers: Answer | bytes) -> None:
        self.answers[path] = [whole(one) if isinstance(one, bytes) else one for one in answers]

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append(request.path)
        answers = self.answers.get(request.path, [status(404)])
        with contextlib.suppress(ConnectionError):
            (answers.pop(0) if len(answers) > 1 else answers[0])(request)


@contextlib.contextmanager
def ud_server() -> Iterator[UDServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            server.answer(self)

        def handle(self) -> None:
            with contextlib.suppress(ConnectionError):  # a client that has given up
                super().handle()

        def log_message(self, *_: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server = UDServer(http.server_address[1])
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
