"""Write patches between two versions of a file that have the same number of lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

CONTEXT = 3
"""The lines around a change that a patch repeats."""


def make_patch(name: str, before: bytes, after: bytes) -> bytes:
    """Return what changes between two versions of a file as a patch, which git and `patch` apply.

    Args:
        name: of the file.
        before: the old content.
        after: the new one, with as many lines.

    Returns:
        A unified diff; empty if nothing changes.
    """
    old, new = before.split(b"\n"), after.split(b"\n")
    changed = [number for number, (first, second) in enumerate(zip(old, new, strict=True)) if first != second]
    if not changed:
        return b""
    parts = [f"--- a/{name}\n+++ b/{name}\n".encode()]
    end = len(old) - (old[-1] == b"")  # what follows the last end of line is no line
    for first, last in _hunks(changed):
        start, stop = max(0, first - CONTEXT), min(end, last + 1 + CONTEXT)
        size = stop - start
        parts.append(f"@@ -{start + 1},{size} +{start + 1},{size} @@\n".encode())
        parts += _lines_of_hunk(old, new, range(start, stop))
    return b"".join(parts)


def _hunks(changed: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of changes whose contexts touch."""
    first = last = changed[0]
    for number in changed[1:]:
        if number - last > 2 * CONTEXT:
            yield first, last
            first = number
        last = number
    yield first, last


def _lines_of_hunk(old: Sequence[bytes], new: Sequence[bytes], numbers: range) -> Iterator[bytes]:
    removed: list[bytes] = []
    added: list[bytes] = []
    for number in numbers:
        end = b"\n" if number + 1 < len(old) else b"\n\\ No newline at end of file\n"
        if old[number] == new[number]:
            yield from (*removed, *added)
            removed, added = [], []
            yield b" " + old[number] + end
        else:
            removed.append(b"-" + old[number] + end)
            added.append(b"+" + new[number] + end)
    yield from (*removed, *added)
