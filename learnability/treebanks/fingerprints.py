"""Digits that stand for the words of a sentence, by which files find it again."""

from __future__ import annotations

import hashlib

from learnability.treebanks.sentence import Sentence


def content_of(sentence: Sentence) -> str:
    """Return sixteen hexadecimal digits that change with the words of a sentence alone.

    Where words are withheld, the id of the sentence counts, too: many have the same words.

    Args:
        sentence: the sentence.
    """
    name = sentence.known_id if any(sentence.tree.find_withheld()) else ""
    return digest_text("\t".join((*sentence.tree.forms, "", name)), 16)


def digest_text(text: str, digits: int) -> str:
    """Return the first hexadecimal digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:digits]
