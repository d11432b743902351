"""Refuse annotations with crossing arcs for parsers that can learn none: those with a static oracle of a
projective system."""

from __future__ import annotations

from collections.abc import Sequence

from learnability.comparing.annotation import Annotation, RuleAnnotation
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.run_parsers import trainer_of
from learnability.errors import InputError
from learnability.parsers.transition import TransitionTrainer
from learnability.parsing.parser_options import ParserOptions
from learnability.parsing.projectivity import TREATMENTS, is_projective
from learnability.support.nouns import count_noun
from learnability.transforms.base import Transformation
from learnability.treebanks.sentence import Tree, Treebank


def crossing_problem(where: str, rule: Transformation, trees: Sequence[Tree], parser: ParserOptions) -> str:
    """Return why a parser cannot learn the annotation that a rule makes of trees; empty if it can."""
    if not parser.needs_projective or rule.promised.projective:
        return ""
    crossing = sum(not is_projective(rule.apply(tree).heads) for tree in trees)
    if not crossing:
        return ""
    what = f"{rule.spec} crosses arcs in {crossing} of {count_noun(len(trees), 'sentence')} of {where}"
    return f"{what}, which the static oracle of {parser.system} cannot derive"


def check_crossing(treebank: Treebank, annotations: Sequence[Annotation], options: ExperimentOptions) -> None:
    """Raise InputError unless each parser of a run can learn the trees that rules make.

    All parts of the fold are examined.
    """
    for named in options.parsers:
        trainer = trainer_of(options.with_parser(named.spelling))
        if not isinstance(trainer, TransitionTrainer) or not trainer.options.needs_projective:
            continue
        system = trainer.options.transition_system
        same = [] if system.unknown_costs else [system.name]
        ways = [f"`parsers={parser!r}`" for parser in (*same, "covington", "graph:nonprojective")]
        ways.append(
            "`alternative` with the folder that `learnability transform` writes, whose arcs are lifted"
        )
        for annotation in annotations:
            if not isinstance(annotation, RuleAnnotation):
                continue  # the arcs of imported trees are lifted
            rule = annotation.bind_rule(treebank.conventions)
            parts = (sentence.tree for _, part in treebank.splits() for sentence in part)
            trees = TREATMENTS[options.nonprojective](tuple(parts))
            if problem := crossing_problem(treebank.name, rule, trees, trainer.options):
                raise InputError(problem, ways)
