"""One file over HTTP: whole, counted and hashed, or one line that says why not.

`pooch` keeps a download under a temporary name until it is complete, and tries again after a failure of
the network. Proxies come from the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), as `requests` reads it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from rich import filesize

from learnability.errors import RunError

if TYPE_CHECKING:
    import requests

Progress = Callable[[str, int, int | None], None]
"""Called with the stage (downloading, unpacking), the bytes done (of this attempt), and all where known."""

# What one download may take; all of it is enforced in `_Stream`, but for the attempts, which are pooch's.

ATTEMPTS = 3
"""How often a download is tried if the network or the server fails; pooch waits 1, then 2 seconds."""

CONNECT_SECONDS = 15.0
SILENCE_SECONDS = 60.0
"""How long the server may take to answer, and may then be silent in the middle of a file."""

MOST_BYTES = 4 << 30
"""No archive of UD comes near this (the whole release 2.18: 0.7 GB)."""

MOST_SECONDS = 6 * 3600.0
"""All attempts together: the whole release takes so long at 33 kB/s."""

PATIENCE_SECONDS, LEAST_SPEED = 300.0, 1000
"""Seconds of an attempt after which the bytes per second since then may not be fewer: no server drips so."""


class NotOffered(Exception):
    """The server answers that there is no such file (404, 410)."""


class Download(msgspec.Struct, frozen=True):
    """A file that was received whole, as records tell it.

    `url`: without credentials; `sha256`: hexadecimal; `size`: in bytes; `fetched`: when (ISO 8601, UTC).
    """

    url: str
    sha256: str
    size: int
    fetched: str


def download(
    url: str,
    path: Path,
    *,
    progress: Progress | None = None,
    attempts: int = ATTEMPTS,
    most_bytes: int | None = None,
) -> Download:
    """The file at `url`, stored as `path`; nothing is stored if it cannot be had completely.

    NotOffered: the server has no such file. RunError: all else but an OSError (disk full).
    """
    import pooch
    import requests

    stream = _Stream(progress, MOST_BYTES if most_bytes is None else most_bytes)
    place = {"path": path.parent, "base_url": "", "registry": {path.name: None}, "urls": {path.name: url}}
    source = pooch.create(**place, retry_if_failed=attempts - 1)
    logger = pooch.get_logger()
    logger.disabled = True  # it tells each step to stderr; progress is shown by the command instead
    try:
        source.fetch(path.name, downloader=stream)
    except (requests.exceptions.RequestException, ValueError) as error:  # the latter of odd addresses
        raise RunError(f"{shown_url(url)}: {_reason(url, error, stream.received, attempts)}") from None
    finally:
        logger.disabled = False
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Download(shown_url(url), pooch.file_hash(str(path)), path.stat().st_size, now)


def shown_url(url: str) -> str:
    """`url` as it may be shown and recorded: without user name and password."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


class _Stream:
    """A downloader for pooch: the bytes as they are sent, within the limits."""

    def __init__(self, progress: Progress | None, most_bytes: int) -> None:
        self.progress = progress
        self.most_bytes = most_bytes
        self.received = 0
        self.first: float | None = None

    def __call__(self, url: str, output_file: Any, _: Any) -> None:
        self.received, began = 0, time.monotonic()
        self.first = began if self.first is None else self.first
        reader = _Reader(url, self.check_size)
        try:
            with open(output_file, "wb") as file:
                while True:
                    chunk = reader.next()
                    if chunk == b"":
                        return
                    if chunk is not None:
                        self.received += len(chunk)
                        self.check_size(url, self.received)
                        file.write(chunk)
                        if self.progress is not None:
                            self.progress("downloading", self.received, reader.announced)
                    self.check_time(url, began)
        finally:
            reader.stop()

    def check_size(self, url: str, size: int) -> None:
        """Refuse a file of so many bytes, announced or received."""
        if size > self.most_bytes:
            limit = filesize.decimal(self.most_bytes)
            raise RunError(f"{shown_url(url)}: larger than any such file of UD ({limit}); not downloaded")

    def check_time(self, url: str, began: float) -> None:
        """Give up what drips, or has no end; `began`: this attempt, on the monotonic clock."""
        now = time.monotonic()
        slow = self.received < LEAST_SPEED * (now - began - PATIENCE_SECONDS)
        if slow or now - (self.first or began) > MOST_SECONDS:
            what = (
                f"too slow ({filesize.decimal(self.received)} in {now - began:.0f} seconds); nothing was kept"
            )
            raise RunError(f"{shown_url(url)}: {what}; try again later, or give a mirror with --base-url")


class _Reader:
    """The body of one answer, read in a thread of its own.

    In the middle of a header or of a chunk only another thread can see how time passes. This one knows no
    file, so nothing of it is left behind when it is given up.
    """

    def __init__(self, url: str, check_size: Callable[[str, int], None]) -> None:
        self.url = url
        self.check_size = check_size
        self.announced: int | None = None
        self.queue: Queue[bytes | BaseException] = Queue(maxsize=64)
        self.stopped = False
        Thread(target=self.read, daemon=True).start()

    def next(self) -> bytes | None:
        """The next chunk, empty at the end, None if there is none yet; what failed there is raised here."""
        try:
            item = self.queue.get(timeout=0.2)
        except Empty:
            return None
        if isinstance(item, BaseException):
            raise item
        return item

    def stop(self) -> None:
        """Let the thread end with what it receives next."""
        self.stopped = True
        while not self.queue.empty():
            self.queue.get()

    def read(self) -> None:
        """The work of the thread."""
        import requests

        try:
            with requests.get(
                self.url,
                stream=True,
                timeout=(CONNECT_SECONDS, SILENCE_SECONDS),
                headers={"Accept-Encoding": "identity", "User-Agent": "learnability"},
            ) as response:
                _check_answer(self.url, response)
                length = response.headers.get("Content-Length", "")
                self.announced = int(length[:20]) if length.isdecimal() else None
                self.check_size(self.url, self.announced or 0)
                for chunk in _chunks(response):
                    if self.stopped:
                        return
                    self.queue.put(chunk)
            self.queue.put(b"")
        except BaseException as error:
            self.queue.put(error)


def _chunks(response: requests.Response) -> Iterator[bytes]:
    """The body as it was sent; failures of the network as those of `requests`, so that pooch tries again.

    Decoded, as by pooch's own downloader, the hash would depend on the server: some announce a
    `Content-Encoding: gzip` for a `.tar.gz`.
    """
    import requests
    import urllib3

    try:
        # small, so that a slow connection shows progress
        yield from response.raw.stream(1 << 13, decode_content=False)
    except urllib3.exceptions.ReadTimeoutError as error:
        raise requests.exceptions.ReadTimeout(error) from None
    except urllib3.exceptions.HTTPError as error:
        raise requests.exceptions.ChunkedEncodingError(error) from None


def _check_answer(url: str, response: requests.Response) -> None:
    """Refuse all but a file from where it was asked for, over a connection no less safe."""
    import requests

    hops = [*(hop.url for hop in response.history), response.url]
    if url.startswith("https:") and not all(hop.startswith("https:") for hop in hops):
        raise RunError(f"{shown_url(url)}: leads to the unencrypted {shown_url(hops[-1])}; not downloaded")
    code = response.status_code
    if code in (404, 410):
        raise NotOffered(shown_url(url))
    if code in (408, 429) or code >= 500:
        raise requests.exceptions.HTTPError(response=response)  # worth another attempt
    if code != 200:
        raise RunError(f"{shown_url(url)}: the server answers {_answer(response)}; give another --base-url")


def _answer(response: requests.Response) -> str:
    return f"{response.status_code} {response.reason or ''}".strip()


def _reason(url: str, error: Exception, received: int, attempts: int) -> str:
    """What went wrong, and what can be done."""
    from requests import exceptions

    host = urlsplit(url).hostname
    again = f"{attempts} attempt{'s' * (attempts > 1)} failed"
    match error:
        case exceptions.HTTPError(response=answer) if answer is not None:
            return f"the server answers {_answer(answer)} ({again}); try again later"
        case exceptions.TooManyRedirects():
            return "redirects without end; give another --base-url"
        case exceptions.ProxyError():
            return "the proxy refuses or cannot be reached; check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
        case exceptions.SSLError():
            return f"the certificate of {host} cannot be verified; nothing was downloaded"
        case exceptions.ReadTimeout():
            return f"no answer for {SILENCE_SECONDS:g} seconds ({again}); try again later"
        case exceptions.ChunkedEncodingError():
            return f"the connection broke after {received} bytes ({again}); try again"
        case exceptions.ConnectionError():
            advice = "check the network connection and HTTPS_PROXY, or give a mirror with --base-url"
            return f"{host} cannot be reached ({again}); {advice}"
    what = f"{type(error).__name__}: {str(error)[:100]}"
    return f"the download failed ({what}); check the address and HTTPS_PROXY"
