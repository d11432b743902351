"""Word what sentences of every layer say of numbers."""

from __future__ import annotations


def count_noun(count: int, unit: str) -> str:
    """Return a number with its unit in the singular or plural: ``count_noun(2, "word") == "2 words"``."""
    return f"{count} {unit}" if count == 1 else f"{count:,} {unit}s"
