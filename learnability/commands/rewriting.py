"""Rewrite files in another annotation scheme, or back, and count what changes: what `transform` does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import ne
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from learnability.commands.options import Execution
from learnability.commands.resolve import Names
from learnability.comparing.options import ExperimentOptions, TreebankSelection
from learnability.support.nouns import count_noun
from learnability.support.options import option, same
from learnability.support.progress import ProgressSteps
from learnability.transforms.provenance import check_transformed
from learnability.transforms.relabelling import COLUMNS
from learnability.transforms.restricted_rules import NO_PLACE
from learnability.treebanks.columns import words_with_dependencies
from learnability.treebanks.locate import A_FILE, locate_treebank
from learnability.treebanks.sentence import Tree, trees_of

if TYPE_CHECKING:
    from learnability.multiref.contrasts import TreeFunction
    from learnability.transforms.base import Transformation
    from learnability.treebanks.annotator import Annotator
    from learnability.treebanks.conllu_io import ConlluFile


@dataclass(frozen=True)
class Rewritten:
    """Represent a file in another annotation.

    Attributes:
        source: the bytes that were read.
        data: the bytes to write.
        before, after: the trees.
        places: how many places were transformed; None if a program made the trees and counts none.
        skipped: how many constructions were found but not handled, by kind.
        relabelled: how many words got another tag or relation, per sentence, if the scheme changes these.
        unchanged: why the file is written as it is, for example because it has no place; empty if it is not.
    """

    source: bytes
    data: bytes
    before: Sequence[Tree]
    after: Sequence[Tree]
    places: int | None = None
    skipped: Counter[str] = field(default_factory=Counter)
    relabelled: Sequence[int] = ()
    unchanged: str = ""

    @property
    def heads_changed(self) -> list[int]:
        """Return how many heads changed, per sentence."""
        pairs = zip(self.before, self.after, strict=True)
        return [sum(map(ne, before.heads, after.heads)) for before, after in pairs]

    @cached_property
    def dependencies_dropped(self) -> int:
        return words_with_dependencies(self.source) - words_with_dependencies(self.data)

    @cached_property
    def nodes_dropped(self) -> int:
        return len(_EMPTY_NODE.findall(self.source)) - len(_EMPTY_NODE.findall(self.data))

    def summary(self) -> list[str]:
        """Return the counts of changes, in lines for stderr."""
        if not self.before:
            return ["there are no sentences, so nothing was changed"]
        if self.unchanged:
            return [f"{self.unchanged}; the file is written unchanged", *list_skipped(self.skipped)]
        how = "" if self.places is None else f"{count_noun(self.places, 'place')}; "
        changed = self.heads_changed
        sentences = count_noun(len(changed), "sentence")
        counts = f"{count_noun(sum(changed), 'head')} changed in {sum(map(bool, changed)):,} of {sentences}"
        lines = [how + counts, *list_skipped(self.skipped)]
        if self.relabelled:
            words = f"{count_noun(sum(self.relabelled), 'word')} with another tag or relation"
            relabelled = f"{words} in {sum(map(bool, self.relabelled)):,} of {sentences}"
            lines = [*(lines if any(changed) else []), relabelled]
        if self.dependencies_dropped or self.nodes_dropped:
            nodes = count_noun(self.nodes_dropped, "empty node")
            dropped = f"{count_noun(self.dependencies_dropped, 'word')} and {nodes}"
            what = "heads" if any(changed) else "relations"
            reason = f"because they may contradict the new {what}"
            lines.append(f"the enhanced dependencies of {dropped} were dropped, {reason}")
        return lines


_EMPTY_NODE = re.compile(rb"^[0-9]+\.[0-9]+\t", re.MULTILINE)


@dataclass(frozen=True)
class TransformJob:
    """Hold the options of the command line."""

    names: Names
    selection: TreebankSelection
    steps: ProgressSteps
    invert: bool = option(False, "Convert back to UD, by labels.")
    places: bool = option(False, "List the places that would change; rewrite nothing.")
    preferences: str | None = option(
        None, "UD treebank from which --invert learns word order and chains.", metavar="TREEBANK"
    )
    labels: Literal["keep", "external"] = same(
        ExperimentOptions, "labels", default="keep", flags=("--labels",), flag_value=None,
        help="keep: every token keeps its deprel, which official tools accept. external: a new head "
        "takes the relation of its construction, as in the training of labelled parsers.",
    )  # fmt: skip
    quiet: bool = same(Execution, "quiet")


def transform_files(
    job: TransformJob, files: Sequence[ConlluFile], transformation: Transformation
) -> Iterator[Rewritten]:
    """Yield the files with all places transformed."""
    from learnability.treebanks.conllu_writing import write_conllu

    for file in files:
        before, after, places, skipped = trees_of(file), [], 0, Counter[str]()
        for tree in job.steps.each(before, f"transforming {Path(file.name).name}"):
            plan = transformation.plan(tree)
            after.append(transformation.apply(tree, labels=job.labels) if plan.places else tree)
            places += len(plan.places)
            skipped.update(plan.skipped)
        spec = transformation.spec
        data = write_conllu(file, after, transformed=spec)
        unchanged = "" if places else NO_PLACE.format(job.names.title)
        yield Rewritten(file.data, data, before, after, places, skipped, unchanged=unchanged)


def annotate_files(
    job: TransformJob, files: Sequence[ConlluFile], annotator: Annotator
) -> Iterator[Rewritten]:
    """Yield the files with the heads and deprels that a program assigns."""
    from learnability.treebanks.conllu_writing import write_conllu

    for file in job.steps.each(files, f"running {annotator.name}", "files"):
        after = trees_of(annotator.annotate_file(file, **job.selection.data.reading))
        data = write_conllu(file, after, transformed=annotator.name)
        before = trees_of(file)
        yield Rewritten(file.data, data, before, after, relabelled=_words_retagged(before, after))


def relabel_files(
    job: TransformJob, files: Sequence[ConlluFile], change: TreeFunction, spec: str
) -> Iterator[Rewritten]:
    """Yield the files with other tags or relations, and the heads of transformations beside them."""
    from learnability.treebanks.conllu_writing import write_conllu

    for file in files:
        before = trees_of(file)
        after = [change(tree) for tree in job.steps.each(before, f"transforming {Path(file.name).name}")]
        data = write_conllu(file, after, transformed=spec)
        words = [_words_relabelled(*pair) for pair in zip(before, after, strict=True)]
        unchanged = NO_PLACE.format(job.names.title) if data == file.data else ""
        yield Rewritten(file.data, data, before, after, relabelled=words, unchanged=unchanged)


def _words_relabelled(before: Tree, after: Tree) -> int:
    changed: set[int] = set()
    for name in COLUMNS.values():
        pairs = zip(getattr(before, name), getattr(after, name), strict=True)
        changed |= {token for token, (value, other) in enumerate(pairs) if value != other}
    return len(changed)


def _words_retagged(before: Sequence[Tree], after: Sequence[Tree]) -> list[int]:
    """Return how many words have another tag, per sentence; empty if none has one."""
    words = [
        _words_relabelled(replace(tree, deprels=other.deprels), other)
        for tree, other in zip(before, after, strict=True)
    ]
    return words if any(words) else []


def invert_files(
    job: TransformJob, files: Sequence[ConlluFile], transformation: Transformation
) -> Iterator[Rewritten]:
    """Yield the UD files of transformed files.

    Labels decide, and the word order that --preferences learns from a training set (or from all sentences if
    there is none). Without --preferences, it is learnt from the sentences of these files. If any sentence has
    the comment of transformed sentences, those without the comment count as UD.
    """
    from learnability.transforms.base import invert_all, learn_side_preferences
    from learnability.treebanks.conllu_writing import write_conllu
    from learnability.treebanks.splits import read_treebank

    for file in files:
        check_transformed(transformation.spec, file.sentences, file.name)
    # about 4000 sentences per second
    job.steps.begin("inverting", expected=sum(map(len, files)) / 4_000)
    preferences = None
    if job.preferences is not None:
        ud = locate_treebank(
            job.preferences, ud_home=job.selection.ud_home, release=job.selection.release, otherwise=A_FILE
        )
        treebank = read_treebank(ud, multiple_roots=True)
        preferences = learn_side_preferences(treebank.train or treebank.dev + treebank.test, transformation)
    marked = any(sentence.transformed for file in files for sentence in file)
    to_invert = [s.tree for file in files for s in file if s.transformed or not marked]
    inverted = iter(invert_all(transformation, to_invert, side_preferences=preferences))
    for file in files:
        after = [next(inverted) if s.transformed or not marked else s.tree for s in file]
        data = write_conllu(file, after, transformed="")
        yield Rewritten(file.data, data, trees_of(file), after)


def list_skipped(skipped: Counter[str]) -> list[str]:
    return [f"skipped: {count:,} x {kind}" for kind, count in sorted(skipped.items())]
