"""Say how a lemma follows from a form by its ending: ``-ies > -y``."""

from __future__ import annotations

from learnability.treebanks.sentence import is_specified

SAME = "= form"
"""The lemma is the form in lower case."""

AS_WRITTEN = "= form as written"
"""The lemma is the form with its capitals."""

MOST_CHANGED = 6
"""The most letters that an ending may lose or get; otherwise the lemma is another word."""


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
    low = form.lower()
    if low == lemma:
        return SAME
    if form == lemma:
        return AS_WRITTEN
    text = low if _count_shared(low, lemma) >= _count_shared(form, lemma) else form
    kept = _count_shared(text, lemma)
    gone, come = text[kept:], lemma[kept:]
    if kept == 0 or len(gone) > MOST_CHANGED or len(come) > MOST_CHANGED:
        return f"= {lemma}"
    capital = ", capital kept" if text is form and form != low else ""
    return f"-{gone} > -{come}{capital}"


def make_lemma(form: str, edit: str) -> str | None:
    """Return the lemma where it is the form in lower case or as written; None where it is another."""
    return {SAME: form.lower(), AS_WRITTEN: form}.get(edit)


def _count_shared(text: str, other: str) -> int:
    """Return how many letters two texts share at their beginning."""
    for number, (letter, other_letter) in enumerate(zip(text, other, strict=False)):
        if letter != other_letter:
            return number
    return min(len(text), len(other))
