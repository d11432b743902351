"""What the numbers of a run do not tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def limits(original: str, judges: Sequence[str], options: Mapping[str, Any], *, is_given: bool) -> list[str]:
    """One sentence or two on each limit; `judges`: their names;
    `is_given`: no rule made one annotation of the other."""
    seen = {"gold": "gold tags", "xpos": "gold XPOS tags"}.get(options["tags"], "")
    inputs = [part for part in (seen, "" if options["labels"] else "unlabelled") if part]
    asked = "One parser was" if len(judges) == 1 else "These parsers were"
    parser = f"{asked} asked: {'; '.join([', '.join(judges), *inputs])}."
    parser += " Others may rank the annotations differently."
    common = "" if is_given else "; the scores on common ground are there to check that"
    tried = ", and they were tried on transformations only" if is_given else ""
    made = "The alternatives are" if original == "UD" else "Both annotations are"
    return [
        "Easy to learn is not the same as right: a parser's score says nothing about linguistic adequacy, "
        "consistency across languages, or use in applications.",
        "(a) and (b) are scored against different references. An annotation with fewer decisions can score "
        f"higher without telling more{common}.",
        parser,
        "Both parsers see the same tags; what an annotation changes in them is not compared. What differs "
        "may be the guideline, or how carefully each was annotated."
        if is_given
        else f"{made} made by rule from UD. Errors and gaps of the annotation are carried over, and a "
        "treebank annotated by hand under the alternative would have others.",
        "One treebank is one sample of genres and annotators; its verdict is not one on the language, and "
        "not on other amounts of training data.",
        "The criteria are modest evidence: over many treebanks none has named the winner much more often "
        f"than knowing the transformation alone does{tried}.",
    ]
