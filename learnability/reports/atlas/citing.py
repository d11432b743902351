"""Say how to cite an answer of the atlas."""

from __future__ import annotations

from dataclasses import dataclass

from learnability.reports.atlas.names import digest_of, link_names
from learnability.reports.bibliography import TOOL_AUTHOR, YEAR, entry
from learnability.reports.latex import escape_latex


@dataclass(frozen=True)
class Citation:
    """Hold how to cite an answer: in words, as BibTeX, and its address from the first page."""

    text: str
    entry: str
    address: str


def cite_answer(
    subject: str, answer: str, evidence: str, version: str, address: str, *, train_on: str = ""
) -> Citation:
    """Return how to cite an answer.

    Args:
        subject: what it is about: `case in UD_Irish 1.3`.
        answer: which annotation is easier, in words.
        evidence: the difference with its interval.
        version: of this package.
        address: where the answer is, from the first page of the atlas.
        train_on: which annotation to train on where UD is needed; empty if nothing can be said.
    """
    title = f"{subject}: {answer}, {evidence}{f'; for UD trees, train on: {train_on}' if train_on else ''}"
    made, page = f"Atlas made by learnability {version}", f"{address} of the atlas"
    (key,) = link_names([subject]).values()
    key = key.lower() if key.isascii() else f"atlas-{digest_of(subject)}"  # BibTeX sorts keys by bytes
    written = entry(
        key,
        author=TOOL_AUTHOR,
        title=f"{{{escape_latex(title)}}}",
        year=YEAR,
        howpublished=escape_latex(made),
        note=escape_latex(page),
    )
    return Citation(f"{TOOL_AUTHOR.strip('{}')} ({YEAR}). {title}. {made}.", written, address)


def name_answer(easier: str, base: str) -> str:
    """Return an answer as the title of a citation: ``UD is easier to learn``."""
    sides = {base: f"{base} is easier to learn", "alternative": "the alternative is easier to learn"}
    return sides.get(easier, easier)
