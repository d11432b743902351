"""Apply the two annotations of a pair to the trees of a treebank."""

from __future__ import annotations

from collections.abc import Iterable

from learnability.comparing.annotation import Annotation, Columns
from learnability.comparing.pair import Pair
from learnability.metrics.scores import Score
from learnability.multiref.contrasts import Contrast, Relabelled, RuleContrast, SchemeContrast, TreeContrast
from learnability.multiref.references import LabelOption
from learnability.treebanks.sentence import Conventions, Tree


def contrast_of(
    pair: Pair[Annotation], conventions: Conventions, labels: LabelOption | None = None
) -> Contrast:
    """Return the two annotations as functions of the UD tree, and the references between them."""
    first, second = pair.base.rule(conventions), pair.alternative.rule(conventions)
    has_relations = any(rule is not None and rule.relations is not None for rule in (first, second))
    if first is None or second is None or (labels is not None and has_relations):
        kind = Relabelled if pair.has_rules or pair.changes & Columns.TAGS else TreeContrast
        return kind(
            pair.base.change(conventions, labels),
            pair.alternative.change(conventions, labels),
            labelled=labels is not None,
        )
    return RuleContrast(second) if pair.base.is_ud else SchemeContrast(first, second)


def common_labels(pair: Pair[Annotation], trees: Iterable[Tree], conventions: Conventions) -> dict[str, str]:
    """Return the coarsest labels that both have, by the labels of UD and of both, as LAS reads them.

    Labels between which either annotation does not tell are the same: merged labels have one name.
    """
    import networkx as nx

    together: nx.Graph[str] = nx.Graph()
    names: tuple[set[str], set[str]] = set(), set()
    sides = [side.find_labelling(conventions) for side in (pair.base, pair.alternative)]
    for tree in trees:
        first, second = (map(Score.label, (side(tree) if side else tree).deprels) for side in sides)
        for labels in zip(first, second, strict=True):
            together.add_edge(*labels)
            for known, label in zip(names, labels, strict=True):
                known.add(label)
    classes: dict[str, str] = {}
    for component in nx.connected_components(together):
        fewest = min((component & known for known in names), key=len)
        classes |= dict.fromkeys(component, "/".join(sorted(fewest)))
    return classes
