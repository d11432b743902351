"""Say how a lemma is made from a form: by edits that a classifier chooses among, or by endings in words.

An edit cuts letters off either end of the form and puts others there. The form is read in lower case, as it
is written, or with a capital. A lemma that has nothing in common with its form takes its place.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cache
from typing import NamedTuple

from learnability.treebanks.sentence import is_specified

LOWER, WRITTEN, CAPITAL, WHOLE = "lower", "written", "capital", "whole"
"""How the form is read; `WHOLE`: the lemma takes its place."""

SAME = "= form"
"""The lemma is the form in lower case."""

AS_WRITTEN = "= form as written"
"""The lemma is the form with its capitals."""

MOST_CHANGED = 6
"""The most letters that an ending may lose or get; otherwise the lemma is another word."""


class LemmaEdit(NamedTuple):
    """Represent how a lemma is made from a form.

    Attributes:
        cut_first, cut_last: the letters that are cut off its beginning and its end.
        first, last: the letters that are put there; with `WHOLE`, `first` is the lemma.
    """

    reading: str
    cut_first: int
    first: str
    cut_last: int
    last: str

    def apply(self, form: str) -> str:
        """Return the lemma that the edit makes from a form; empty if it would cut off the whole form."""
        if self.reading == WHOLE:
            return self.first
        text = _read(form, self.reading)
        if self.cut_first + self.cut_last >= len(text):
            return ""
        return self.first + text[self.cut_first : len(text) - self.cut_last] + self.last


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


def edit_of_ending(form: str, lemma: str) -> LemmaEdit:
    """Return the edit that changes the ending only, unless a lemma is another word."""
    low = form.lower()
    kept_low, kept_written = _count_shared(low, lemma), _count_shared(form, lemma)
    reading, text, kept = (
        (LOWER, low, kept_low) if kept_low >= kept_written else (WRITTEN, form, kept_written)
    )
    gone, come = len(text) - kept, lemma[kept:]
    if text == lemma:
        return LemmaEdit(reading, 0, "", 0, "")
    if kept == 0 or gone > MOST_CHANGED or len(come) > MOST_CHANGED:
        return LemmaEdit(WHOLE, 0, lemma, 0, "")
    return LemmaEdit(reading, 0, "", gone, come)


def describe_edit(form: str, lemma: str) -> str:
    """Return how a lemma follows from a form: the ending that goes and the one that comes.

    A lemma that has nothing in common with its form is returned as it is, after ``=``; one that is not known
    gives an empty text.

    >>> describe_edit("Cities", "city"), describe_edit("mice", "mouse"), describe_edit("went", "go")
    ('-ies > -y', '-ice > -ouse', '= go')
    >>> describe_edit("Paris", "Paris"), describe_edit("run", "run"), describe_edit("de", "de_1")
    ('= form as written', '= form', '- > -_1')
    """
    if not is_specified(lemma):
        return ""
    edit = edit_of_ending(form, lemma)
    text = _read(form, edit.reading)
    if edit.reading == WHOLE:
        return f"= {lemma}"
    if text == lemma:
        return SAME if edit.reading == LOWER else AS_WRITTEN
    capital = ", capital kept" if edit.reading == WRITTEN else ""
    return f"-{text[len(text) - edit.cut_last :]} > -{edit.last}{capital}"


def _read(form: str, reading: str) -> str:
    if reading == WRITTEN:
        return form
    low = form.lower()
    return low[:1].upper() + low[1:] if reading == CAPITAL else low


def _count_shared(text: str, other: str) -> int:
    for number, (letter, other_letter) in enumerate(zip(text, other, strict=False)):
        if letter != other_letter:
            return number
    return min(len(text), len(other))
