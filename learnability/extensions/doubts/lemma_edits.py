"""Say how a lemma is made from a form, so that a classifier can choose among few ways.

An edit cuts letters off either end of the form and puts others there. The form is read in lower case, as it
is written, or with a capital, whichever keeps most of it. A lemma that has nothing in common with its form
takes its place.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cache
from typing import NamedTuple

LOWER, WRITTEN, CAPITAL, WHOLE = "lower", "written", "capital", "whole"
"""How the form is read; `WHOLE`: the lemma takes its place."""


class LemmaEdit(NamedTuple):
    """Represent how a lemma is made from a form.

    Attributes:
        reading: how the form is read.
        cut_first, cut_last: the letters that are cut off its beginning and its end.
        first, last: the letters that are put there; with `WHOLE`, `first` is the lemma.
    """

    reading: str
    cut_first: int
    first: str
    cut_last: int
    last: str


@cache
def edit_of(form: str, lemma: str) -> LemmaEdit:
    """Return the edit that makes a lemma from a form: the one that keeps most letters."""
    best, most = LemmaEdit(WHOLE, 0, lemma, 0, ""), 0
    for reading in (LOWER, WRITTEN, CAPITAL):
        text = _read(form, reading)
        match = SequenceMatcher(None, text, lemma, autojunk=False).find_longest_match()
        if match.size > most:
            most = match.size
            end, lemma_end = match.a + match.size, match.b + match.size
            best = LemmaEdit(reading, match.a, lemma[: match.b], len(text) - end, lemma[lemma_end:])
    return best


def apply_edit(form: str, edit: LemmaEdit) -> str:
    """Return the lemma that an edit makes from a form; empty if it would cut off the whole form."""
    if edit.reading == WHOLE:
        return edit.first
    text = _read(form, edit.reading)
    if edit.cut_first + edit.cut_last >= len(text):
        return ""
    return edit.first + text[edit.cut_first : len(text) - edit.cut_last] + edit.last


def _read(form: str, reading: str) -> str:
    if reading == WRITTEN:
        return form
    low = form.lower()
    return low[:1].upper() + low[1:] if reading == CAPITAL else low
