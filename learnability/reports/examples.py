"""Choose the test sentences that a report draws, and the relations that stand on their arcs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import ne
from typing import TYPE_CHECKING

from learnability.comparing.names import annotation_spelled
from learnability.comparing.results import ParsedSentence
from learnability.errors import InputError
from learnability.reports.tree_pair import TreePair
from learnability.support.nouns import count_noun
from learnability.transforms.base import Transformation
from learnability.treebanks.labels import detect_conventions
from learnability.treebanks.sentence import Tree

if TYPE_CHECKING:
    from learnability.evidence.rows_from_records import PairEvidence

FEWEST_WORDS, MOST_WORDS = 5, 16
"""Sentences of such a length show a construction without filling the screen."""


def example_pairs(evidence: PairEvidence) -> list[TreePair]:
    """Return the test sentences that the records keep and that differ, the shortest first; last those with
    withheld forms."""
    if not (evidence.a and evidence.b):
        return []
    of_base, of_alternative = (seeds[0][0].examples or () for seeds in (evidence.a, evidence.b))
    by_index = {example.index: example for example in of_base}
    trees = {index: _tree(example) for index, example in by_index.items()}
    rule = _rule(evidence, trees.values())
    pairs = []
    for example in of_alternative:
        base = trees[example.index]
        kept = by_index[example.index]
        pairs.append(
            TreePair(
                kept.sent_id or f"test sentence {kept.index + 1}",
                base,
                _alternative(base, example, rule),
                (tuple(kept.predicted), tuple(example.predicted)),
                learned_relations=evidence.row.labelled,
            )
        )
    return sorted(pairs, key=lambda pair: (pair.withheld, len(pair.base)))


def opening_pairs(evidence: PairEvidence) -> list[TreePair]:
    """Return two sentences to open a report with: one shows what changes, without parsers, and one shows
    where the parsers differ most. Fewer, where the records keep fewer."""
    pairs = example_pairs(evidence)
    if not pairs:
        return []
    first = next((pair for pair in pairs if len(pair.base) >= FEWEST_WORDS), pairs[-1])
    others = [pair for pair in pairs if pair is not first]
    contrasting = by_contrast(others)
    short = [pair for pair in contrasting if len(pair.base) <= MOST_WORDS]
    second = [*short, *contrasting, *(replace(pair, predicted=None) for pair in others)][:1]
    return [replace(first, predicted=None), *second]


def by_contrast(pairs: Sequence[TreePair]) -> list[TreePair]:
    """Return the sentences of which one parser finds more heads than the other, the largest contrast first,
    then the shorter ones; last those with withheld forms."""

    def contrast(pair: TreePair) -> int:
        return abs(pair.right[0] - pair.right[1])

    return sorted(filter(contrast, pairs), key=lambda pair: (pair.withheld, -contrast(pair)))


def kept_relations(deprels: Sequence[str], heads: Sequence[int], new_heads: Sequence[int]) -> list[str]:
    """Return the relations for the new heads: each word keeps its own, but two root words swap theirs."""
    relations = list(deprels)
    if 0 in heads and 0 in new_heads:
        old, new = list(heads).index(0), list(new_heads).index(0)
        relations[old], relations[new] = relations[new], relations[old]
    return relations


def explanation(pair: TreePair, base: str, parser: str = "") -> str:
    """Return one sentence on the drawing: what the parsers found, else which word changes its head."""
    if pair.predicted is not None:
        first, second = pair.right
        which = f"With {parser}, the" if parser else "The"
        return (
            f"{which} {base} parser finds {first} of {count_noun(len(pair.base), 'head')}, "
            f"and the parser of the alternative finds {second}."
        )
    differs = map(ne, pair.base.heads, pair.alternative.heads)
    changed = [token for token, is_changed in enumerate(differs, start=1) if is_changed]
    if not changed:
        same_relations = pair.base.deprels == pair.alternative.deprels
        has_other_tags = pair.base.upos != pair.alternative.upos
        columns = "tags" if same_relations and has_other_tags else "relations"
        return f"{base} and the alternative differ in the {columns} only."
    token = next((token for token in changed if _turns_round(pair, token)), changed[0])
    head, new_head = pair.base.heads[token - 1], pair.alternative.heads[token - 1]
    word = _quote_word(pair, token)
    if _turns_round(pair, token):
        return (
            f"In {base}, {word} depends on {_quote_word(pair, head)}; "
            f"in the alternative, {_quote_word(pair, head)} depends on {word}."
        )
    now, then = _describe_head(pair, head), _describe_head(pair, new_head)
    return f"In {base}, {word} {now}; in the alternative, it {then}."


def _turns_round(pair: TreePair, token: int) -> bool:
    """Return whether the head of a token depends on that token in the alternative."""
    head = pair.base.heads[token - 1]
    return head > 0 and pair.alternative.heads[head - 1] == token


def _describe_head(pair: TreePair, head: int) -> str:
    return f"depends on {_quote_word(pair, head)}" if head else "is the root"


def _quote_word(pair: TreePair, token: int) -> str:
    forms = pair.base.forms
    number = f" (word {token})" if forms.count(forms[token - 1]) > 1 else ""
    return f"“{forms[token - 1]}”{number}"


def _tree(example: ParsedSentence) -> Tree:
    return Tree(tuple(example.forms), tuple(example.upos), tuple(example.heads), tuple(example.deprels))


def _rule(evidence: PairEvidence, trees: Iterable[Tree]) -> Transformation | None:
    """Return the rule that makes the alternative; None if relations are learned, or none can be found."""
    row = evidence.row
    if row.labelled or not row.pair.has_rules or row.pair.against:
        return None
    try:
        annotation = annotation_spelled(evidence.alternative)
    except InputError:  # the file of its scheme is gone
        return None
    return annotation.rule(detect_conventions(trees, release=row.release))


def _alternative(base: Tree, example: ParsedSentence, rule: Transformation | None) -> Tree:
    """Return the tree in the alternative, with the external relations of its rule if that gives these heads:
    the records have no lemmas and features, so a restricted rule may give others."""
    heads = tuple(example.heads)
    base = replace(base, upos=tuple(example.upos or base.upos))
    if rule is not None:
        try:
            tree = rule.apply(base, labels="external")
        except InputError:  # it is restricted to lemmas or features
            tree = base
        if tree.heads == heads:
            return tree
    relations = example.deprels or kept_relations(base.deprels, base.heads, heads)
    return base.with_heads(heads, relations)
