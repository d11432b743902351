"""Word what sentences of every layer say of numbers and names."""

from __future__ import annotations

from collections.abc import Sequence


def count_noun(count: int, unit: str) -> str:
    """Return a number with its unit in the singular or plural: ``count_noun(2, "word") == "2 words"``."""
    return f"{count} {unit}" if count == 1 else f"{count:,} {unit}s"


def say_there_are(count: int, unit: str) -> str:
    """Return that so many exist: ``say_there_are(1, "tree") == "there is 1 tree"``."""
    return f"there {choose_verb(count, 'is', 'are')} {count_noun(count, unit)}"


def choose_verb(count: int, singular: str, plural: str) -> str:
    """Return the verb that agrees with a number: ``choose_verb(1, "is", "are") == "is"``."""
    return singular if count == 1 else plural


def join_words(words: Sequence[str]) -> str:
    """Return words as a sentence lists them: ``join_words(["a", "b", "c"]) == "a, b and c"``."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
