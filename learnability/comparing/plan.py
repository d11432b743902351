"""Plan a run: its options, and its treebanks with the facts found while reading them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from learnability.comparing.annotation import Annotation, Columns, learned_columns
from learnability.comparing.fold import read_folds
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import annotated_files, annotations_of, pair_values
from learnability.comparing.places import PlaceFacts, advice_on, check_places, place_facts
from learnability.comparing.run_parsers import design_parser, multiref_parser
from learnability.errors import InputError, RunError, reason_of
from learnability.parsing.encoding import TAG_COLUMNS, are_tagged
from learnability.running.cell import Cell, treebank_id
from learnability.running.config import RunConfig, TreebankDesign
from learnability.running.processes import map_in_processes
from learnability.running.records import FORMAT
from learnability.support.nouns import count_noun
from learnability.support.options import shared
from learnability.support.progress import ProgressSteps
from learnability.treebanks.conllu_io import reading_seconds
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Tree, Treebank


def id_of_files(files: TreebankFiles) -> str:
    return treebank_id(files.name, files.release)


@dataclass(frozen=True)
class TreebankFacts(TreebankDesign):
    """Hold what reading a treebank showed: what config.json keeps of it, and what only this run needs."""

    train_tokens: tuple[int, ...] = ()
    places: PlaceFacts = field(default_factory=PlaceFacts)
    train_sentences: int = 0


@dataclass(frozen=True)
class RunPlan:
    """Hold the treebanks of a run in the order of the rows, what is known of each, and the options;
    `unusable`: label and reason of each treebank that cannot be used."""

    treebanks: tuple[TreebankFiles, ...]
    facts: tuple[TreebankFacts, ...]
    options: ExperimentOptions
    unusable: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_config(cls, config: RunConfig) -> RunPlan:
        """Return the plan of a run by its config.json: what the outcomes of studies need of it."""
        treebanks = tuple(TreebankFiles(known.name, known.release, None) for known in config.treebanks)
        facts = tuple(
            TreebankFacts(**vars(known), train_tokens=tuple(config.train_tokens.get(known.label, ())))
            for known in config.treebanks
        )
        return cls(treebanks, facts, ExperimentOptions.of_config(config))

    def with_files(self, found: Mapping[str, TreebankFiles]) -> RunPlan:
        """Return the plan with the files that are found, by label; the others stay unknown."""
        files = (found.get(id_of_files(treebank), treebank) for treebank in self.treebanks)
        return replace(self, treebanks=tuple(files))

    @cached_property
    def by_label(self) -> dict[str, tuple[TreebankFiles, TreebankFacts]]:
        """Return the treebanks and their facts by label."""
        pairs = zip(self.treebanks, self.facts, strict=True)
        return {id_of_files(files): (files, facts) for files, facts in pairs}

    @cached_property
    def config(self) -> RunConfig:
        """Return what config.json keeps of the plan; what rows need besides the records is in it."""
        treebanks = (
            TreebankDesign(**{**shared(TreebankDesign, facts), "left_out": warnings_of(self, files, facts)})
            for files, facts in zip(self.treebanks, self.facts, strict=True)
        )
        return RunConfig(
            format=FORMAT,
            arguments={},
            options=self.options.as_json(),
            treebanks=tuple(treebanks),
            train_tokens={name: list(facts.train_tokens) for name, (_, facts) in self.by_label.items()},
            pairs=pair_values(self.options),
            parsers=tuple(
                design_parser(parser, predicts_tags=self.options.predicts_tags)
                for parser in self.options.parsers
            ),
            seeds=tuple(self.seeds),
            studies={},
            versions={},
        )

    @property
    def seeds(self) -> range:
        return range(1, self.options.seeds + 1)

    @property
    def parsers(self) -> tuple[str, ...]:
        return tuple(parser.spelling for parser in self.options.parsers)

    @cached_property
    def multiref_parser(self) -> str | None:
        return multiref_parser(self.options)

    def replace_alternatives(self, alternatives: Sequence[Annotation]) -> RunPlan:
        return replace(self, options=replace(self.options, alternatives=tuple(alternatives)))

    def largest_first(self) -> list[str]:
        return sorted(self.by_label, key=lambda name: (-sum(self.by_label[name][1].train_tokens), name))

    def folds(self, name: str) -> range:
        return range(self.by_label[name][1].folds)

    def single(self) -> str:
        """Return the label of the only treebank."""
        (files,) = self.treebanks
        return id_of_files(files)

    def tokens(self, name: str, fold: int) -> int:
        """Return the training tokens of a fold of the treebank with this label.

        A study may cut the treebank into more folds than the run: each has about the tokens of its last one.
        """
        tokens = self.by_label[name][1].train_tokens
        return tokens[min(fold, len(tokens) - 1)]

    def seconds(self, cells: Iterable[Cell[Any]]) -> float:
        return sum(
            cell.seconds(self.options, self.tokens(cell.treebank, cell.fold))
            for cell in cells
            if getattr(cell, "annotation", None) not in self.by_label[cell.treebank][1].places.absent
        )


def read_treebanks(
    treebanks: Sequence[TreebankFiles],
    options: ExperimentOptions,
    *,
    jobs: int = 1,
    keep_going: bool = False,
    steps: ProgressSteps | None = None,
) -> RunPlan:
    """Return the plan of a run over these treebanks, each of which is read; annotations of programs are made
    if they are missing.

    With `keep_going` a treebank that cannot be used is put into `unusable`, if another can be used.

    Raises:
        InputError: a treebank cannot be used; two have the same name and release.
        RunError: a program failed that makes an annotation.
    """
    steps = steps or ProgressSteps()
    twice = [name for name, count in Counter(map(id_of_files, treebanks)).items() if count > 1]
    if twice:
        raise InputError(f"{twice[0]} occurs twice; choose treebanks that differ in name or release")
    sizes = [reading_seconds(path for _, paths in files.splits() for path in paths) for files in treebanks]
    names = treebanks[0].name if len(treebanks) == 1 else count_noun(len(treebanks), "treebank")
    steps.begin(f"reading {names}", sum(sizes), expected=sum(sizes) / jobs)
    usable: list[tuple[TreebankFiles, TreebankFacts]] = []
    unusable: list[tuple[str, str]] = []
    first_error: InputError | RunError | None = None
    read = map_in_processes(partial(_read, options=options), treebanks, jobs)
    for files, found, size in zip(treebanks, read, sizes, strict=True):
        steps.advance(size)
        if isinstance(found, tuple):
            usable.append(found)
        else:
            first_error = first_error or found
            unusable.append((id_of_files(files), str(found)))
    if first_error is not None and not (keep_going and usable):
        if len(unusable) > 1 and not usable:
            steps.say(f"none of the {len(unusable)} treebanks can be used, the first for this reason:")
        raise first_error
    facts = tuple(facts for _, facts in usable)
    return RunPlan(tuple(files for files, _ in usable), facts, options, tuple(unusable))


def _read(
    files: TreebankFiles, options: ExperimentOptions
) -> tuple[TreebankFiles, TreebankFacts] | InputError | RunError:
    try:
        files = annotated_files(files, options)
        return files, facts_of(files, options)
    except (InputError, RunError) as error:
        return error
    except OSError as error:
        return InputError(f"{files.name} cannot be read ({reason_of(error)}); use readable files")


def facts_of(files: TreebankFiles, options: ExperimentOptions) -> TreebankFacts:
    """Return what a plan has to know of a treebank."""
    folds = read_folds(files, options.data)
    if not all(fold.train and fold.dev and fold.test for fold in folds):
        raise InputError(f"{files.name} has no sentences in train, dev or test; choose other files")
    check_tags(folds, options)
    return TreebankFacts(
        label=id_of_files(files),
        name=files.name,
        release=files.release,
        folds=len(folds),
        train_tokens=tuple(sum(map(len, fold.train)) for fold in folds),
        split_policy=folds[0].split_policy,
        sha256=dict(folds[0].files),
        left_out=folds[0].warnings,
        places=place_facts(folds[0], annotations_of(options)),
        train_sentences=len(folds[0].train),
    )


SPLITS = ("train", "dev", "test")
"""The sets of a treebank."""


def set_name(split: str) -> str:
    return {"train": "training", "dev": "development"}.get(split, split)


def check_tags(folds: Sequence[Treebank], options: ExperimentOptions) -> None:
    """Refuse a treebank a set of which lacks the tags that parsers read, with an InputError that has the
    value of `tags` that works."""
    if options.against.changes & learned_columns(options.tags, labelled=False) & Columns.TAGS:
        return  # parsers read the tags of another annotation, not those of the files
    for fold in folds:
        for version in fold.versions():
            for split in SPLITS[:1] if options.predicts_tags else SPLITS:  # a tagger learns from the first
                trees = [sentence.tree for sentence in getattr(version, split)]
                if not are_tagged(trees, options.tag_column):
                    name = f"{version.name} {version.release}".strip()
                    raise InputError(_explain_missing_tags(name, split, trees, options.tag_column))


def _explain_missing_tags(treebank: str, split: str, trees: Sequence[Tree], tags: str) -> str:
    works = "gold" if are_tagged(trees, "gold") else "none"
    return (
        f"{treebank}: no word of the {set_name(split)} set has {TAG_COLUMNS[tags]}, which parsers read; "
        f"use `tags={works!r}`"
    )


def check_that_there_are_places(plan: RunPlan) -> None:
    check_places(_places(plan), annotations_of(plan.options))


def advice_on_pairs(plan: RunPlan) -> list[str]:
    return advice_on(_places(plan), plan.options.alternatives)


def _places(plan: RunPlan) -> list[tuple[str, PlaceFacts]]:
    return [(files.name, facts.places) for files, facts in zip(plan.treebanks, plan.facts, strict=True)]


def warnings_of(plan: RunPlan, files: TreebankFiles, facts: TreebankFacts) -> tuple[str, ...]:
    """Return what a run warned about while it read a treebank, without the folders of files: what is missing
    of it, and where most of it has the form of an alternative already."""
    begin = f"{files.name}: "
    advice = [line.removeprefix(begin) for line in advice_on_pairs(plan) if line.startswith(begin)]
    warned = list(dict.fromkeys([*facts.left_out, *advice]))
    for folder in sorted({path.parent for path in files.paths()}):
        warned = [line.replace(f"{folder}/", "").replace(str(folder), folder.name) for line in warned]
    return tuple(warned)
