"""Pair the two annotations that a pair compares, and list the pairs of an experiment.

Setting (a) trains on the *original* annotation, which is UD unless ``--against`` (or ``--alternative``) names
another; setting (b) on the *transformed* one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from learnability.comparing.annotation import Annotation, Columns
from learnability.errors import InputError
from learnability.metrics.scores import scored_label
from learnability.multiref.contrasts import AgainstScheme, AgainstUD, BetweenTrees, Contrast, Relabelled
from learnability.multiref.references import LabelOption
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Conventions, Tree

if TYPE_CHECKING:
    from learnability.comparing.options import ExperimentOptions


@dataclass(frozen=True)
class Pair:
    """Hold two annotations to compare on a treebank, and what they can be compared by."""

    base: Annotation
    alternative: Annotation

    @property
    def changes(self) -> Columns:
        """Return the columns in which the two may differ."""
        return self.base.changes | self.alternative.changes

    @property
    def has_rules(self) -> bool:
        """Return whether rules make both annotations.

        Then the places where they differ are known (the places), and without a place there is nothing to
        compare. Otherwise only the kinds of change are known.
        """
        return self.base.has_rule and self.alternative.has_rule

    @property
    def has_survival(self) -> bool:
        """Return whether one parser can be trained on both at once (setting c).

        The parser must read the same words and tags, and choose between heads.
        """
        return Columns.HEADS in self.changes and not self.changes & Columns.TAGS

    @property
    def has_common_reference(self) -> bool:
        """Return whether there are references between the two, so that each parse has a closest reference."""
        return bool(self.changes & (Columns.HEADS | Columns.RELATIONS))

    @property
    def has_conversion_back(self) -> bool:
        """Return whether parses of both can be converted to UD."""
        return self.base.has_inverse and self.alternative.has_inverse

    @property
    def has_nuclei(self) -> bool:
        """Return whether nucleus scores are defined.

        They are undefined where heads move from one nucleus to another. Only rules can exclude that.
        """
        return self.base.keeps_nuclei and self.alternative.keeps_nuclei

    @property
    def known_elsewhere_as(self) -> str:
        """Return the name of its results in other languages; empty where it is no single rule on UD."""
        rules = self.alternative.parts if self.base.is_ud and self.alternative.has_inverse else ()
        return rules[0].spec if len(rules) == 1 else ""

    @property
    def has_common_labels(self) -> bool:
        """Return whether the relations of both can be compared by the coarsest labels that both have."""
        return any(side.labelling(Conventions()) for side in (self.base, self.alternative))

    def label_classes(self, trees: Iterable[Tree], conventions: Conventions) -> dict[str, str]:
        """Return the coarsest labels that both have, by the labels of UD and of both, as LAS reads them.

        Labels between which either annotation does not tell are the same: merged labels have one name.

        Args:
            trees: the UD trees of the treebank.
            conventions: those of the treebank.
        """
        import networkx as nx

        together: nx.Graph[str] = nx.Graph()
        names: tuple[set[str], set[str]] = set(), set()
        sides = [side.labelling(conventions) for side in (self.base, self.alternative)]
        for tree in trees:
            first, second = (map(scored_label, (side(tree) if side else tree).deprels) for side in sides)
            for pair in zip(first, second, strict=True):
                together.add_edge(*pair)
                for known, label in zip(names, pair, strict=True):
                    known.add(label)
        classes: dict[str, str] = {}
        for component in nx.connected_components(together):
            fewest = min((component & known for known in names), key=len)
            classes |= dict.fromkeys(component, "/".join(sorted(fewest)))
        return classes

    @property
    def tags_follow_trees(self) -> bool:
        """Return whether tags of either tell a parser that reads them part of the gold tree."""
        return self.base.relabelling.reads_trees or self.alternative.relabelling.reads_trees

    @property
    def undefined(self) -> dict[str, str]:
        """Return why comparisons and indicators are undefined, by key, where tags or relations change."""
        tags, relations = bool(self.changes & Columns.TAGS), self.has_common_labels
        if not (tags or relations):
            return {}
        changed = " and ".join(name for name, is_so in (("tags", tags), ("relations", relations)) if is_so)
        same = "the parsers read different tags" if tags else "both annotations have the same heads"
        reasons = {
            "converted_back": (self.has_conversion_back, f"no rule restores the {changed} of UD"),
            "between_phrases": (self.has_nuclei, "the alternative may move words between phrases"),
            "best_of_both": (self.has_common_reference, "both annotations have the same trees"),
            "trained_on_both": (self.has_survival, same),
            "predictability": (
                Columns.UPOS not in self.changes,
                "the tags differ, and fewer tags have less entropy",
            ),
        }
        return {key: reason for key, (is_defined, reason) in reasons.items() if not is_defined}

    def contrast(self, conventions: Conventions, labels: LabelOption | None = None) -> Contrast:
        """Return the two annotations as functions of the UD tree, and the references between them.

        Args:
            conventions: those of the treebank.
            labels: the label option of the run; None if parsers are unlabelled.
        """
        first, second = self.base.rule(conventions), self.alternative.rule(conventions)
        if first is None or second is None:
            kind = Relabelled if self.has_rules or self.changes & Columns.TAGS else BetweenTrees
            return kind(
                self.base.change(conventions, labels),
                self.alternative.change(conventions, labels),
                labelled=labels is not None,
            )
        return AgainstUD(second) if self.base.is_ud else AgainstScheme(first, second)

    @property
    def columns(self) -> dict[str, str]:
        """Return the columns that name it in files of results."""
        transform, variant = self.alternative.construction
        against = "" if self.base.is_ud else self.base.title
        return {"construction": transform, "variant": variant, "against": against}


def base_of(options: ExperimentOptions) -> Annotation:
    """Return what setting (a) is trained on."""
    return options.against


def alternatives_of(options: ExperimentOptions) -> list[Annotation]:
    """Return what settings (b) are trained on, in the order of the rows."""
    return list(options.alternatives)


def annotations_of(options: ExperimentOptions) -> list[Annotation]:
    """Return what settings (b) and (a) are trained on."""
    return [*alternatives_of(options), base_of(options)]


def pairs_of(options: ExperimentOptions) -> tuple[Pair, ...]:
    """Return the pairs of an experiment, in the order of the rows."""
    return tuple(Pair(options.against, annotation) for annotation in options.alternatives)


def annotated_files(files: TreebankFiles, options: ExperimentOptions) -> TreebankFiles:
    """Return the treebank with the annotations of the experiment's commands, each of which is run unless it
    was before.

    Raises:
        InputError: a file cannot be read, or there is no such program.
        RunError: a program failed, or gave no trees of the same words.
    """
    annotations = []
    for annotation in annotations_of(options):
        other = annotation.annotated(files, multiple_roots=options.data.multiple_roots)
        if other is not None:
            annotations.append((annotation.name, other))
    return replace(files, annotations=tuple(annotations))


def check_pairs(options: ExperimentOptions) -> None:
    """Check that the parser sees the tags that rules ask for, and that (a) and (b) are different annotations.

    Raises:
        InputError: they are not.
    """
    base = options.against
    base.check_learned(options.tags, labelled=options.labels is not None)
    for alternative in options.alternatives:
        alternative.check_learned(options.tags, labelled=options.labels is not None)
        if base.same_as(alternative) and not base.is_ud:
            raise InputError(
                f"`against={base.name!r}` and {alternative.name} are the same scheme; choose "
                "two different ones"
            )
