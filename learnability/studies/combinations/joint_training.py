"""Train one parser on the references of several transformations at once."""

from __future__ import annotations

from dataclasses import dataclass

from learnability.comparing.annotation import Annotation
from learnability.comparing.cells import ComparisonCell, multiref_kernels
from learnability.comparing.fold import Fold
from learnability.comparing.fold_trees import TrainingReferences
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import alternatives_of
from learnability.comparing.trainings import train_on_sets
from learnability.multiref.references import ReferenceSet, reference_set
from learnability.running.cell import WarmUp
from learnability.running.records import Work
from learnability.studies.combinations.joint_preferences import JointSurvival, joint_survival, survivors
from learnability.transforms.joint import JointTransformation


class JointTraining(Work, frozen=True, kw_only=True):
    """Represent a training against the references of all transformations at once, and what survived.

    Attributes:
        largest_factor: the most places of a factor.
        largest_set: the base-2 logarithm of the size of the largest reference set.
        factors_in_parts: the large factors that were kept exactly.
        factors_cut: those that were cut to two options.
    """

    sentences: int
    places: int
    factors: int
    largest_factor: int
    largest_set: int
    factors_in_parts: int
    factors_cut: int
    survival: JointSurvival


@dataclass(frozen=True, kw_only=True)
class JointCell(ComparisonCell[JointTraining]):
    """Represent a joint training; `iterations`: as many as setting (a) of the same seed took."""

    SETTING = "joint"
    RESULT = JointTraining
    COST = 2.0
    iterations: int = 0

    def compute(self, fold: Fold) -> JointTraining:
        """Train against the joint reference sets, and see what survives."""
        return train_joint(fold, self.seed, self.iterations)

    def kernels(self, options: ExperimentOptions) -> tuple[WarmUp, ...]:
        """Return what compiles the kernels of training against sets of references."""
        return (multiref_kernels(self.fold_options(options)),)


def joint_annotations(options: ExperimentOptions) -> tuple[Annotation, ...]:
    """Return the first variant of each construction; a joint training chooses between these and UD."""
    first: dict[str, Annotation] = {}
    for annotation in alternatives_of(options):
        if annotation.is_single:
            first.setdefault(annotation.parts[0].name, annotation)
    return tuple(first.values())


def joint_rule(fold: Fold) -> JointTransformation:
    """Return the transformations of the joint training together."""
    return JointTransformation([fold.rule(annotation) for annotation in joint_annotations(fold.options)])


def train_joint(fold: Fold, seed: int, iterations: int) -> JointTraining:
    """Train once on the joint sets of gold trees, and return what the parser prefers."""
    rule = joint_rule(fold)
    sets, references = fold.make_once(joint_references)
    trained, work = train_on_sets(fold, references, seed, iterations)
    names = [part.name for part in rule.parts]
    factors = [factor for trees in sets for factor in trees.factors]
    return JointTraining(
        **work,
        sentences=len(sets),
        places=len(references.table.sentence),
        factors=len(factors),
        largest_factor=max((len(factor.places) for factor in factors), default=0),
        largest_set=max((trees.places for trees in sets), default=0),
        factors_in_parts=sum(bool(factor.parts) for factor in factors),
        factors_cut=references.table.factors_cut,
        survival=joint_survival(survivors(sets, names, trained.survival[-1])),
    )


def joint_references(fold: Fold) -> tuple[tuple[ReferenceSet, ...], TrainingReferences]:
    """Return the joint sets of gold trees of the training sentences, and their encoding for training."""
    rule, options = joint_rule(fold), fold.options
    sets = tuple(
        reference_set(tree, rule, max_options=options.max_options, labels=options.labels)
        for tree in fold.ud.train
    )
    return sets, fold.encoded_references(sets)
