"""What finds the heads of punctuation that a later release corrected.

    python research/doubts/punctuation.py OLD NEW --runs FOLDER [--treebank UD_X ...]

OLD and NEW are folders of two releases, `--runs` has runs of `doubts` on OLD. The guideline proposes a head
for each mark (`propose_heads`). Rankings are compared: the weights of heads as they are, parsers, the doubt
about the head of the mark, the deviation from the guideline, and weights fitted on all of this for the other
languages. A correction is *of the mark* if its head keeps its head: a full stop that follows another root is
none.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from learnability.extensions.doubts.columns import HEAD
from learnability.extensions.doubts.features import combine_columns, counts, sums
from learnability.extensions.doubts.listing import load_all_weights
from learnability.extensions.doubts.logistic import LogisticModel, fit_model
from learnability.extensions.doubts.words import Codes, Numbering, in_units
from learnability.treebanks.labels import PUNCT, universal
from learnability.treebanks.sentence import ROOT, Tree
from research.doubts.doubts import (
    BASE_RATE,
    EQUAL,
    LOOKED_AT,
    Assessed,
    Flags,
    Floats,
    compared,
    label,
    print_row,
)

CLOSING = {"(": ")", "[": "]", "{": "}", "«": "»", "“": "”", "„": "“", "‘": "’", "``": "''", "<": ">"}
"""The mark that closes what another opens."""

OF_BOTH_KINDS = frozenset({'"', "'", "-", "–", "—"})
"""Marks that open and close."""

PAIRED, EDGE, CONJUNCT, BEFORE, AFTER = "paired", "edge", "conjunct", "before a unit", "after a unit"
KINDS = (PAIRED, EDGE, CONJUNCT, BEFORE, AFTER)
"""Why a head is proposed: it is what a pair encloses; no arc spans the mark; the mark stands before a
conjunct; before or after a dependent."""

PENALTY = 100.0
"""See `logistic.fit_model`."""


def find_pairs(tree: Tree, marks: Sequence[int]) -> dict[int, int]:
    """Return the partner of each paired mark, by their numbers; words are between the two."""
    partner: dict[int, int] = {}
    open_marks: list[int] = []
    for mark in marks:
        form = tree.forms[mark - 1]
        fitting = [
            place
            for place, other in enumerate(open_marks)
            if CLOSING.get(tree.forms[other - 1]) == form
            or (form in OF_BOTH_KINDS and tree.forms[other - 1] == form)
        ]
        if fitting:
            other = open_marks[fitting[-1]]
            if mark - other > 1:
                partner[mark], partner[other] = other, mark
            del open_marks[fitting[-1] :]
        elif form in CLOSING or form in OF_BOTH_KINDS:
            open_marks.append(mark)
    return partner


def propose_heads(tree: Tree) -> dict[int, tuple[int, str]]:
    """Return the head of each mark without dependents by the guideline, and why (`KINDS`).

    A pair has the head of what it encloses if that is one phrase and no arc is crossed. Any other mark
    belongs to the dependent of the shortest arc that spans it, which is the following conjunct or the unit
    that the mark sets off, and without such an arc to the root
    (https://universaldependencies.org/u/dep/punct.html).
    """
    heads, above = tree.heads, set(tree.heads)
    names = [universal(deprel) for deprel in tree.deprels]
    marks = [
        n
        for n in range(1, len(tree) + 1)
        if tree.upos[n - 1] == "PUNCT" and names[n - 1] in PUNCT and heads[n - 1] and n not in above
    ]
    words = [n for n in range(1, len(tree) + 1) if n not in set(marks)]
    arcs = [(min(n, heads[n - 1]), max(n, heads[n - 1]), n) for n in words if heads[n - 1]]
    partner = find_pairs(tree, marks)
    root = next(n for n in words if heads[n - 1] == ROOT)
    found: dict[int, tuple[int, str]] = {}
    for mark in marks:
        if mark in partner:
            low, high = sorted((mark, partner[mark]))
            tops = [n for n in words if low < n < high and not low < heads[n - 1] < high]
            if len(tops) == 1 and not _crosses(mark, tops[0], arcs):
                found[mark] = tops[0], PAIRED
                continue
        spanning = [(last - first, first, last, n) for first, last, n in arcs if first < mark < last]
        if not spanning:
            found[mark] = root, EDGE
            continue
        dependent = min(spanning)[-1]
        if dependent < mark:
            found[mark] = dependent, AFTER
        else:
            found[mark] = dependent, CONJUNCT if names[dependent - 1] == "conj" else BEFORE
    return found


def _crosses(mark: int, head: int, arcs: Sequence[tuple[int, int, int]]) -> bool:
    low, high = sorted((mark, head))
    return any(first < low < last < high or low < first < high < last for first, last, _ in arcs)


@dataclass(frozen=True, eq=False)
class Marks:
    """The marks of a treebank that the guideline proposes heads for.

    Attributes:
        treebank: with what a later release changed.
        index: int64[marks], their indices among the words.
        proposed: int64[marks], the heads by the guideline.
        kinds: why.
    """

    treebank: Assessed
    index: Codes
    proposed: Codes
    kinds: Sequence[str]

    @classmethod
    def of(cls, treebank: Assessed) -> Marks:
        """Return the marks in sentences that the later release has."""
        index, proposed, kinds = [], [], []
        start = 0
        for tree in treebank.words.trees:
            is_known = treebank.known[start : start + len(tree)].any()
            for mark, (head, kind) in propose_heads(tree).items() if is_known else ():
                index.append(start + mark - 1)
                proposed.append(head)
                kinds.append(kind)
            start += len(tree)
        return cls(treebank, np.array(index, np.int64), np.array(proposed, np.int64), kinds)

    @cached_property
    def heads(self) -> Codes:
        """Return int64[marks], the heads as annotated."""
        return self.treebank.words.heads[self.index]

    @cached_property
    def new_heads(self) -> Codes:
        """Return int64[marks], the heads in the later release."""
        return self.treebank.new_heads[self.index]

    @cached_property
    def corrected(self) -> Flags:
        """Return bool[marks], which marks have another head in the later release."""
        changed: Flags = self.heads != self.new_heads
        return changed

    @cached_property
    def of_mark(self) -> Flags:
        """Return bool[marks], which corrections do not follow from another head of the head."""
        words = self.treebank.words
        above = words.starts[self.index] + self.heads - 1
        kept: Flags = self.treebank.new_heads[above] == words.heads[above]
        return self.corrected & kept

    @cached_property
    def head_logits(self) -> Floats:
        """Return float64[words], how doubtful all arcs are by the weights of heads."""
        return load_all_weights()[HEAD].logits(self.treebank.features)

    @cached_property
    def evidence(self) -> Mapping[str, Floats]:
        """Return float64[marks] by name."""
        return {name: np.asarray(column, np.float64) for name, column in self._evidence()}

    def _evidence(self) -> Iterator[tuple[str, Floats]]:
        words, index = self.treebank.words, self.index
        deviates = (self.heads != self.proposed).astype(np.float64)
        kind = Numbering[str]().codes(self.kinds)
        form = combine_columns(kind, Numbering[str]().codes(words.forms[i] for i in index.tolist()))
        yield "deviates", deviates
        for name, key in (("kind", kind), ("kind and form", form)):
            share = (sums(key, deviates) - deviates + 0.5) / counts(key)
            yield f"deviation by {name}", deviates * -np.log(share)
        for name in KINDS:
            yield f"deviates, {name}", deviates * np.array([each == name for each in self.kinds])
        yield "votes differ", (words.voted_heads[:, index] != self.heads).mean(axis=0)
        yield "votes as the guideline", deviates * (words.voted_heads[:, index] == self.proposed).mean(axis=0)
        for name, margin in (("arc", words.arc_margin), ("arc gap", words.arc_gap)):
            size = in_units(margin[index])
            yield f"{name} against", np.clip(-size, 0, 3)
            yield f"{name} for", np.clip(size, 0, 3)
        start = words.starts[index] - 1
        yield "doubt of the head", self.head_logits[start + self.heads]
        yield "doubt of the proposed head", self.head_logits[start + self.proposed]

    def rankings(self, model: LogisticModel) -> Iterator[tuple[str, Floats]]:
        """Yield scores of the marks, the higher the more doubtful."""
        words, index = self.treebank.words, self.index
        yield "weights of heads", self.head_logits[index]
        yield "graph-based parsers", -words.arc_margin[index]
        yield "transition-based parsers", -words.arc_gap[index]
        yield "doubt of the head", self.evidence["doubt of the head"]
        yield "deviation from the guideline", self.evidence["deviation by kind"]
        yield "all, fitted on the other languages", model.logits(self.evidence)


def model_of(treebanks: Sequence[Marks]) -> LogisticModel:
    """Return weights fitted on the corrections of treebanks, each brought to `BASE_RATE`."""
    weights = []
    for marks in treebanks:
        count = np.ones(len(marks.index))
        count[marks.corrected] *= min(5.0, (EQUAL / max(1, marks.corrected.sum())) ** 0.5)
        total = count[marks.corrected].sum()
        count[~marks.corrected] *= total * (1 / BASE_RATE - 1) / count[~marks.corrected].sum()
        weights.append(count)
    together = {
        name: np.concatenate([marks.evidence[name] for marks in treebanks]) for name in treebanks[0].evidence
    }
    outcomes = np.concatenate([marks.corrected for marks in treebanks])
    return fit_model(together, outcomes, np.concatenate(weights), dict.fromkeys(together, PENALTY))


def print_tables(treebanks: Sequence[Marks]) -> None:
    """Print what was corrected, and how early each ranking has it."""
    print_row("treebank", "marks", "corrected", "of the mark", "deviate", "of these corrected",
              "to the proposal", "by votes")  # fmt: skip
    print_row(*["---"] * 8)
    for marks in treebanks:
        deviates, found = marks.heads != marks.proposed, marks.corrected
        both = deviates & found
        voted = marks.treebank.proposed.heads[marks.index] == marks.new_heads
        print_row(
            label(marks.treebank), f"{len(found):,}", f"{found.sum():,}", f"{marks.of_mark.sum():,}",
            f"{deviates.sum():,}", f"{both.sum():,}",
            f"{(both & (marks.proposed == marks.new_heads)).sum():,}", f"{(found & voted).sum():,}",
        )  # fmt: skip
    print()
    print_row("treebank", "ranking", "possible lift", "lift@100", "lift@500", "5 %", "10 %", "20 %")
    print_row(*["---"] * 8)
    for marks in treebanks:
        others = [each for each in treebanks if each.treebank.language != marks.treebank.language]
        if not marks.corrected.any() or not any(each.corrected.any() for each in others):
            continue
        model = model_of([each for each in others if each.corrected.any()])
        for name, score in marks.rankings(model):
            hits = marks.corrected[np.argsort(-score, kind="stable")]
            shares = [f"{hits[: int(len(hits) * part)].sum() / hits.sum():.0%}" for part in LOOKED_AT]
            lifts = [f"{hits[:at].mean() / hits.mean():.1f}" for at in (100, 500)]
            possible = min(1.0, hits.sum() / min(500, len(hits))) / hits.mean()
            print_row(label(marks.treebank), name, f"{possible:.1f}", *lifts, *shares)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--runs", type=Path, required=True, help="see doubts.py")
    parser.add_argument("--treebank", action="append", default=[], metavar="UD_X")
    line = parser.parse_args()
    print_tables([Marks.of(each) for each in compared(line.old, line.new, line.treebank, line.runs)])


if __name__ == "__main__":
    main()
