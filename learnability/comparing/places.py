"""Find the places of an experiment's annotations in a treebank, and rules that would have more places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from learnability.comparing.annotation import Annotation
from learnability.errors import InputError
from learnability.treebanks.labels import UNIVERSAL, universal
from learnability.treebanks.sentence import Tree, Treebank


@dataclass(frozen=True)
class PlaceFacts:
    """Hold the facts about the places in all splits of a treebank.

    Attributes:
        any_place: whether there is a place of any annotation, or an annotation without rules, which has none.
        missing: by annotation, the restricted rules without a place, and the changes of tags or relations
            without effect, as they are written.
        advice: by annotation, a line for each rule of which most constructions have its form in UD already;
            it says what to compare instead.
        absent: the annotations whose rules have no place, so that nothing is trained on them.
        own_relations: the most frequent relations, if most of them are not those of UD, and none is a place.
    """

    any_place: bool = True
    missing: Mapping[Annotation, tuple[str, ...]] = field(default_factory=dict)
    advice: Mapping[Annotation, tuple[str, ...]] = field(default_factory=dict)
    own_relations: tuple[str, ...] = ()
    absent: frozenset[Annotation] = field(default=frozenset(), compare=False)


MOST_NAMED = 3
"""The most relations that a message names."""


def place_facts(treebank: Treebank, annotations: Sequence[Annotation]) -> PlaceFacts:
    """Return the facts about the annotations' places in a treebank; InputError if it lacks columns that a
    restriction needs."""
    trees = [sentence.tree for _, part in treebank.splits() for sentence in part]
    conventions = treebank.conventions
    missing, advised = {}, {}
    for annotation in annotations:
        if lines := annotation.without_places(trees, conventions):
            missing[annotation] = tuple(lines)
        if lines := annotation.advice(trees, conventions):
            advised[annotation] = tuple(lines)
    absent = set()
    for annotation in annotations:
        rule = annotation.rule(conventions)
        if rule is not None and not any(rule.places(tree) for tree in trees):
            absent.add(annotation)
    own = () if len(absent) < len(annotations) else _find_own_relations(trees)
    return PlaceFacts(len(absent) < len(annotations), missing, advised, own, frozenset(absent))


def _find_own_relations(trees: Sequence[Tree]) -> tuple[str, ...]:
    counts = Counter(universal(deprel) for tree in trees for deprel in tree.deprels)
    own = [name for name, _ in counts.most_common() if name not in UNIVERSAL]
    return tuple(own[:MOST_NAMED]) if sum(counts[name] for name in own) > counts.total() / 2 else ()


def check_places(facts: Sequence[tuple[str, PlaceFacts]], annotations: Sequence[Annotation]) -> None:
    """Check that each restriction admits a place in some treebank, and that in the only treebank some
    annotation has one. In one of several treebanks a pair without places is a row like others.
    """
    if not facts:
        return
    where, first = facts[0] if len(facts) == 1 else ("all treebanks", PlaceFacts())
    for annotation in annotations:
        nowhere = [known.missing.get(annotation, ()) for _, known in facts]
        missing = [spec for spec in nowhere[0] if all(spec in specs for specs in nowhere)]
        if missing:
            hints = [line for _, known in facts for line in known.advice.get(annotation, ())] or [
                "choose other values or another treebank; `learnability transform --places` lists all places"
            ]
            raise InputError(f"{where} has no place for {', '.join(missing)}; {hints[0]}")
    if not first.any_place:
        names = ", ".join(annotation.name for annotation in annotations if not annotation.is_ud)
        hints = [line for annotation in annotations for line in first.advice.get(annotation, ())]
        if first.own_relations:
            named = ", ".join(f'"{relation}"' for relation in first.own_relations)
            hints = [
                f"most of its relations are not those of UD; write a scheme file with not_in_ud = [{named}], "
                "and name it as `alternative`"
            ]
        hints = hints or ["choose another treebank, `transforms` or `alternative`"]
        raise InputError(f"{where} has no place for {names}, so there is nothing to compare; {hints[0]}")


def advice_on(facts: Sequence[tuple[str, PlaceFacts]], annotations: Sequence[Annotation]) -> list[str]:
    return [
        f"{name}: {line}"
        for annotation in annotations
        for name, known in facts
        for line in known.advice.get(annotation, ())
    ]
