"""Draw on the page the test sentences of each construction."""

from __future__ import annotations

from learnability.evidence.pair_evidence import PairEvidence
from learnability.reports.examples import TreePair, explanation, opening_pairs
from learnability.reports.trees import DrawnSentence, word_columns
from learnability.support.files import as_name


def draw_examples(evidence: PairEvidence) -> list[DrawnSentence]:
    """Return the sentences that open what a page says of a construction."""
    pairs = enumerate(opening_pairs(evidence), start=1)
    return [drawn_example(evidence, number, pair) for number, pair in pairs]


def drawn_example(evidence: PairEvidence, number: int, pair: TreePair) -> DrawnSentence:
    """Return a test sentence of a comparison, drawn, with one sentence that explains it."""
    row = evidence.row
    sentence = explanation(pair, row.base, row.parser)
    # trees are named after their annotation; the name of the evidence may also say by which parser
    file_name, names = f"tree-{as_name(evidence.name)}-{number}", (row.base, row.name)
    return DrawnSentence.of(pair, file_name, names, word_columns(pair, row.base), sentence)
