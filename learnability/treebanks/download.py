"""One file over HTTP: whole, counted and hashed, or one line that says why not.

`pooch` keeps a download under a temporary name until it is complete, and tries again after a failure of
the network. Proxies come from the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), as `requests` reads it.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from learnability.errors import RunError

if TYPE_CHECKING:
    import requests

Progress = Callable[[str, int, int | None], None]
"""Called with the stage (downloading, unpacking), the bytes done (of this attempt), and all where known."""

RETRIES = 2
"""Attempts after the first, where the network or the server failed; pooch waits 1, then 2 seconds."""

CONNECT_SECONDS = 15.0
SILENCE_SECONDS = 60.0
"""How long the server may take to answer, and may then be silent in the middle of a file."""

MOST_BYTES = 4 << 30
"""No archive of UD comes near this (the whole release 2.18: 0.7 GB)."""

_CHUNK = 1 << 13
"""Small, so that a slow connection shows progress."""


class NotOffered(Exception):
    """The server answers that there is no such file (404, 410)."""


@dataclass(frozen=True)
class Download:
    """A file that was received completely.

    Attributes:
        path: where it is.
        url: where it came from, without credentials.
        sha256: of its bytes, hexadecimal.
        size: in bytes.
    """

    path: Path
    url: str
    sha256: str
    size: int


def download(
    url: str, folder: Path, name: str, *, progress: Progress | None = None, retries: int = RETRIES
) -> Download:
    """The file at `url`, stored as `folder`/`name`; nothing is stored if it cannot be had completely.

    Raises:
        NotOffered: the server has no such file.
        RunError: it cannot be reached, refuses, fails, breaks off or is too slow, `retries` times more.
        OSError: the file cannot be written (disk full).
    """
    import pooch
    import requests

    stream = _Stream(progress)
    source = pooch.create(
        path=folder, base_url="", registry={name: None}, urls={name: url}, retry_if_failed=retries
    )
    with _silent(pooch.get_logger()):
        try:
            path = Path(source.fetch(name, downloader=stream))
        except requests.exceptions.RequestException as error:
            raise RunError(_reason(url, error, stream.received, 1 + retries)) from None
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Download(path, shown_url(url), digest, path.stat().st_size)


def shown_url(url: str) -> str:
    """`url` as it may be shown and recorded: without user name and password."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


class _Stream:
    """A downloader for pooch: the bytes as they are sent.

    pooch's own would undo a `Content-Encoding: gzip`, which badly configured servers announce for a
    `.tar.gz`; the file and its hash would then depend on the server.
    """

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress
        self.received = 0

    def __call__(self, url: str, output_file: Any, _: Any) -> None:
        import requests

        self.received = 0
        with requests.get(
            url,
            stream=True,
            timeout=(CONNECT_SECONDS, SILENCE_SECONDS),
            headers={"Accept-Encoding": "identity", "User-Agent": "learnability"},
        ) as response:
            _check_answer(url, response)
            length = response.headers.get("Content-Length", "")
            total = int(length) if length.isdecimal() else None
            if total is not None and total > MOST_BYTES:
                raise _too_large(url)
            with open(output_file, "wb") as file:
                for chunk in _chunks(response):
                    self.received += len(chunk)
                    if self.received > MOST_BYTES:
                        raise _too_large(url)
                    file.write(chunk)
                    if self.progress is not None:
                        self.progress("downloading", self.received, total)


def _chunks(response: requests.Response) -> Iterator[bytes]:
    """The body, undecoded; failures of the network as those of `requests`, so that pooch tries again."""
    import requests
    import urllib3

    try:
        yield from response.raw.stream(_CHUNK, decode_content=False)
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
        answer = f"{code} {response.reason or ''}".strip()
        raise RunError(f"{shown_url(url)}: the server answers {answer}; give another --base-url")


def _reason(url: str, error: requests.exceptions.RequestException, received: int, attempts: int) -> str:
    """One line about what went wrong, and what can be done."""
    from requests import exceptions

    where, host = shown_url(url), urlsplit(url).hostname
    again = f"{attempts} attempt{'s' * (attempts > 1)} failed"
    if isinstance(error, exceptions.HTTPError) and error.response is not None:
        answer = f"{error.response.status_code} {error.response.reason or ''}".strip()
        return f"{where}: the server answers {answer} ({again}); try again later"
    if isinstance(error, exceptions.TooManyRedirects):
        return f"{where}: redirects without end; give another --base-url"
    if isinstance(error, exceptions.ProxyError):
        return f"{where}: the proxy refuses or cannot be reached; check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
    if isinstance(error, exceptions.SSLError):
        return f"{where}: the certificate of {host} cannot be verified; nothing was downloaded"
    if isinstance(error, exceptions.ReadTimeout):
        return f"{where}: no answer for {SILENCE_SECONDS:g} seconds ({again}); try again later"
    if isinstance(error, exceptions.ChunkedEncodingError):
        return f"{where}: the connection broke after {received} bytes ({again}); try again"
    if isinstance(error, exceptions.ConnectionError):
        return (
            f"{where}: {host} cannot be reached ({again}); check the network connection and "
            "HTTPS_PROXY, or give a mirror with --base-url"
        )
    return f"{where}: the download failed ({type(error).__name__}); check the address"


def _too_large(url: str) -> RunError:
    return RunError(
        f"{shown_url(url)}: larger than any archive of UD ({MOST_BYTES >> 30} GB); not downloaded"
    )


@contextlib.contextmanager
def _silent(logger: logging.Logger) -> Iterator[None]:
    """pooch tells each step to stderr; progress is shown by the command instead."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
