"""One file over HTTP: whole, counted and hashed, or one line that says why not.

`pooch` keeps a download under a temporary name until it is complete, and tries again after a failure of
the network. Proxies come from the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), as `requests` reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

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


def download(url: str, path: Path, *, progress: Progress | None = None, attempts: int = ATTEMPTS) -> Download:
    """The file at `url`, stored as `path`; nothing is stored if it cannot be had completely.

    NotOffered: the server has no such file. RunError: all else but an OSError (disk full).
    """
    import pooch
    import requests

    stream = _Stream(progress)
    place = {"path": path.parent, "base_url": "", "registry": {path.name: None}, "urls": {path.name: url}}
    source = pooch.create(**place, retry_if_failed=attempts - 1)
    logger = pooch.get_logger()
    logger.disabled = True  # it tells each step to stderr; progress is shown by the command instead
    try:
        source.fetch(path.name, downloader=stream)
    except requests.exceptions.RequestException as error:
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
            _check_size(url, total or 0)
            with open(output_file, "wb") as file:
                for chunk in _chunks(response):
                    self.received += len(chunk)
                    _check_size(url, self.received)
                    file.write(chunk)
                    if self.progress is not None:
                        self.progress("downloading", self.received, total)


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


def _check_size(url: str, size: int) -> None:
    """Refuse a file of so many bytes, announced or received."""
    if size > MOST_BYTES:
        limit = f"{MOST_BYTES >> 30} GB"
        raise RunError(f"{shown_url(url)}: larger than any archive of UD ({limit}); not downloaded")


def _reason(url: str, error: requests.exceptions.RequestException, received: int, attempts: int) -> str:
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
    return f"the download failed ({type(error).__name__}); check the address"
