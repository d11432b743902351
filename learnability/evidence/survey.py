"""Combine finished runs: a mean over treebanks for each construction, and two answers.

A *pair* is a treebank with a construction: one row of a run. Its answers are those of its run, corrected
for the constructions of the treebank. The differences of a construction on all its treebanks get a
random-effects mean for each score and comparison, if there are enough languages (`meta_analysis`). The means
form another row, and `answers` gives its answers by the rules for the row of one treebank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import compress
from pathlib import Path
from typing import Any

from learnability.errors import InputError
from learnability.evidence.all_parsers import AllParsers, combine_parsers
from learnability.evidence.questions import Answer, AnsweredQuestion, Question, Reason
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import corrected_rows
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.evidence.stored_runs import StoredPair, StoredRun
from learnability.metrics.scores import ANSWERED, FIRST_SCORE, Score
from learnability.running.config import TreebankDesign
from learnability.statistics.inference import Side
from learnability.statistics.meta_analysis import RandomEffects, can_be_averaged
from learnability.support.nouns import count_noun
from learnability.support.plugins import nearest
from learnability.support.values import CsvRow


@dataclass(frozen=True)
class Construction:
    """Represent a transformation or scheme over all treebanks in which it was tested.

    Attributes:
        row: its differences are means over treebanks, corrected for all constructions that have a mean, with
            its answers; with one treebank those of the treebank.
        means: by score and comparison; none with too few treebanks or languages.
        pairs, untested: those that were tested, and those with too few examples or that failed.
    """

    row: ComparisonRow
    means: Mapping[tuple[Score, ScoringBasis], RandomEffects]
    pairs: tuple[StoredPair, ...]
    untested: tuple[StoredPair, ...] = ()

    @property
    def without_data(self) -> int:
        return sum(c.row.easier().answer is Answer.TOO_FEW_EXAMPLES for c in self.untested)

    @property
    def not_computed(self) -> int:
        return len(self.untested) - self.without_data

    def scores(self) -> list[Score]:
        return [score for score in ANSWERED if self.list_tested(score)] or [FIRST_SCORE]

    def list_tested(self, score: Score) -> list[tuple[StoredPair, Difference]]:
        """Return the pairs with their differences on their own annotation by this score."""
        compared = ((c, c.row.difference(score)) for c in self.pairs)
        return [(c, difference) for c, difference in compared if difference is not None]

    def answers(self, score: Score, question: Question = Question.EASIER) -> Counter[Answer]:
        return Counter(c.row.answered(question, score).answer for c, _ in self.list_tested(score))

    def list_treebanks(self, answer: Answer, score: Score) -> list[str]:
        return [c.treebank for c, _ in self.list_tested(score) if c.row.easier(score).answer is answer]

    def mean(self, score: Score) -> RandomEffects | None:
        return self.means.get((score, ScoringBasis.ANNOTATION))


CORRECTED = (*("low", "high", "uncorrected_low", "uncorrected_high"), *("p_holm", "p_equal_holm", "better"))
"""The values of a mean that are corrected for several constructions, and the interval without correction."""

OF_MEANS = tuple(
    dict.fromkeys(
        (
            *("construction", "score", "comparison", "positive", *Question),
            *(field.name for field in fields(RandomEffects)),
            *CORRECTED,
        )
    )
)
"""The columns of :meth:`Evidence.means`."""


@dataclass(frozen=True)
class Evidence:
    """Hold what finished runs show together; `remarks`: what a reader must know, one line each."""

    constructions: tuple[Construction, ...]
    pairs: tuple[StoredPair, ...]
    remarks: tuple[str, ...]

    @property
    def base(self) -> str:
        return self.pairs[0].row.base

    @property
    def left_out(self) -> list[str]:
        return [remark for remark in self.remarks if remark.startswith(LEFT_OUT)]

    @property
    def positive(self) -> str:
        return f"{self.base} ahead"

    @property
    def rows(self) -> list[ComparisonRow]:
        """Return all comparisons, also those without enough examples, by treebank."""
        found = [pair.row for c in self.constructions for pair in (*c.pairs, *c.untested)]
        treebanks = list(dict.fromkeys(row.treebank_label for row in found))
        return sorted(found, key=lambda row: treebanks.index(row.treebank_label))

    @property
    def has_means(self) -> bool:
        return any(construction.means for construction in self.constructions)

    def combine_parsers(self) -> list[AllParsers]:
        """Return what all parsers show for each pair, in order of appearance; empty for one parser."""
        if len({c.row.parser for c in self.pairs}) < 2:
            return []
        return combine_parsers([c.row for c in self.pairs])

    @property
    def without_data(self) -> int:
        return sum(c.without_data for c in self.constructions)

    @property
    def not_computed(self) -> int:
        return sum(c.not_computed for c in self.constructions)

    @property
    def names_scores(self) -> bool:
        return any(score.needs_labels for c in self.constructions for score in c.scores())

    def list_scored(self) -> list[tuple[str, Construction, Score]]:
        """Return the constructions with each score that they were tested by; labelled runs name the score."""
        return [
            (f"{c.row.title} {score.upper()}" if self.names_scores else c.row.title, c, score)
            for c in self.constructions
            for score in c.scores()
        ]

    def means(self) -> list[CsvRow]:
        """Return a row per construction, score and comparison: the answers, the mean, how treebanks
        differ."""
        rows = []
        for c in self.constructions:
            for (score, basis), mean in c.means.items():
                difference = c.row.differences[score, basis]
                names = {
                    "construction": c.row.title,
                    "score": str(score),
                    "comparison": str(basis),
                    "positive": self.positive,
                    **{str(question): c.row.name_answer(question, score) for question in Question},
                }
                corrected = {name: getattr(difference, name) for name in CORRECTED}
                rows.append({**names, **asdict(mean), **corrected})
        return rows


def leave_out(runs: Sequence[StoredRun], treebanks: Sequence[str]) -> list[StoredRun]:
    """Return runs without some treebanks, by their names with or without a release.

    Raises:
        InputError: no run has such a treebank.
    """
    labels: dict[str, set[str]] = {}
    for each in (treebank for run in runs for treebank in run.config.treebanks):
        labels.setdefault(each.name, set()).add(each.label)
    known = {**{label: {label} for found in labels.values() for label in found}, **labels}
    for name in treebanks:
        if name not in known:
            raise InputError(nearest(name, labels, "treebank"))
    dropped = {label for name in treebanks for label in known[name]}
    return [run.without(dropped) for run in runs]


def combine_runs(
    runs: Sequence[StoredRun], unfinished: Sequence[Path] = (), without: Sequence[str] = ()
) -> Evidence:
    """Put the pairs of several runs together.

    Treebanks without words are left out, unless all are without. `unfinished`: the folders of runs that are
    left out; `without`: the names of treebanks that are, with or without a release.

    Raises:
        InputError: a pair is in two runs with other scores, they compare with different annotations, there
            is nothing to compare, or no run has a treebank that is to be left out.
    """
    chosen = leave_out(runs, without)
    wordless = sorted({label for run in chosen for label in run.wordless})
    with_words = leave_out(chosen, wordless)
    if any(pair.row.tested for run in with_words for pair in run.pairs):
        chosen = with_words
    else:
        wordless = []
    left_out = {
        "unfinished": [folder.name for folder in unfinished],
        "the files have no words": wordless,
        "by choice": without,
    }
    copies = [pair for run in chosen for pair in run.pairs]
    if _several_parsers(copies):
        copies = [replace(c, row=replace(c.row, parser=c.parser)) for c in copies]
    pairs = _once_each(copies)
    tested = [c for c in pairs if c.row.tested]
    if not tested:
        raise InputError(
            "the runs have no construction with a tested UAS difference; compare runs that have one"
        )
    labelled = any(_is_labelled(c.row) for c in tested)
    together = _of_several_runs(tested)
    corrected = {_key(c): c for c in _corrected_together(tested, together)}
    pairs = [corrected.get(_key(c), c) for c in pairs]
    order = {name: i for i, name in enumerate(dict.fromkeys(c.row.name for c in pairs))}
    in_order = sorted(pairs, key=lambda c: order[c.row.name])
    constructions = []
    for name in dict.fromkeys(c.construction for c in in_order):
        constructions.append(_construction([c for c in pairs if c.construction == name], labelled))
    for score in Score.answered(labelled=labelled):
        constructions = _add_answers(constructions, score)
    return Evidence(
        tuple(constructions),
        tuple(corrected.values()),
        (*_describe_left_out(left_out), *_corrected_again(together), *_remarks(chosen)),
    )


def _of_several_runs(tested: Sequence[StoredPair]) -> list[str]:
    runs: dict[str, set[Path]] = {}
    for c in tested:
        runs.setdefault(c.treebank, set()).add(c.folder)
    return [treebank for treebank, folders in runs.items() if len(folders) > 1]


def _corrected_together(tested: Sequence[StoredPair], treebanks: Sequence[str]) -> list[StoredPair]:
    """Return the pairs; those of these treebanks are corrected for all constructions of their runs."""
    chosen = [c for c in tested if c.treebank in treebanks]
    rows = corrected_rows([c.row for c in chosen])
    of_runs = dict(zip(map(_key, chosen), rows, strict=True))
    return [replace(c, row=of_runs.get(_key(c), c.row)) for c in tested]


def _corrected_again(treebanks: Sequence[str]) -> list[str]:
    if not treebanks:
        return []
    return [
        f"{', '.join(treebanks)}: several runs tested constructions. Here they are corrected for all of them "
        "together, so an answer may differ from that of its run."
    ]


def _key(pair: StoredPair) -> tuple[str, str]:
    return pair.treebank, pair.construction


def _once_each(pairs: Sequence[StoredPair]) -> list[StoredPair]:
    seen: dict[tuple[str, str], StoredPair] = {}
    for pair in pairs:
        if pair.row.base != pairs[0].row.base:
            first, other = ((c.folder, c.row.base) for c in (pairs[0], pair))
            raise InputError(
                f"the run in {other[0]} compares with {other[1]}, that in {first[0]} with {first[1]}; "
                "compare runs that share this annotation"
            )
        known = seen.setdefault(_key(pair), pair)
        if pair.scores != known.scores:
            where = f"is in {known.folder} and in {pair.folder} with other scores"
            raise InputError(f"{pair.treebank} {pair.construction} {where}; compare only one of them")
    return list(seen.values())


def _is_labelled(row: ComparisonRow) -> bool:
    found = (row.difference(score) for score in row.scores if score.needs_labels)
    return any(difference is not None and difference.p_value is not None for difference in found)


def _add_answers(constructions: Sequence[Construction], score: Score) -> list[Construction]:
    """Return the constructions with their answers by this score.

    Means over treebanks are corrected for all constructions that have one. Where all constructions have one
    treebank, the answer is that of the treebank; where only some have, one treebank is too few.
    """
    treebanks = {pair.treebank for c in constructions for pair in (*c.pairs, *c.untested)}
    averaged = [c.mean(score) is not None or not c.list_tested(score) for c in constructions]
    corrected = iter(corrected_rows([c.row for c in compress(constructions, averaged)], [score]))
    decided = []
    for c, is_averaged in zip(constructions, averaged, strict=True):
        if is_averaged:
            row = next(corrected)
        elif len(treebanks) == 1:
            row = _as_in(c.list_tested(score)[0][0].row, c.row, score)
        else:
            row = c.row
        for question in Question:
            row = _answer_over_treebanks(row, c, score, question)
        decided.append(replace(c, row=row))
    return decided


def _as_in(single: ComparisonRow, row: ComparisonRow, score: Score) -> ComparisonRow:
    differences = {key: found for key, found in single.differences.items() if key[0] is score}
    answers = {key: found for key, found in single.answers.items() if key[0] is score}
    return replace(row, differences={**row.differences, **differences}, answers={**row.answers, **answers})


def _answer_over_treebanks(
    row: ComparisonRow, construction: Construction, score: Score, question: Question
) -> ComparisonRow:
    """Return the row of a construction whose treebanks are too few for a mean, or disagree: then the mean
    shows no side to be ahead."""
    answers, basis = construction.answers(score, question), question.basis
    differences, answered = dict(row.differences), row.answered(question, score)
    if {Answer.BASE, Answer.ALTERNATIVE} <= set(answers):
        answered = AnsweredQuestion(Answer.OPEN, Reason.TREEBANKS_DISAGREE)
        if mean := row.difference(score, basis):
            differences[score, basis] = replace(mean, better=Side.NONE)
    elif row.difference(score, basis) is None and any(answer.side is not None for answer in answers):
        answered = AnsweredQuestion(Answer.TOO_FEW_TREEBANKS)
    return replace(row, differences=differences, answers={**row.answers, (score, question): answered})


def _several_parsers(pairs: Sequence[StoredPair]) -> bool:
    """Return whether parsers are kept apart: some run names one, or a pair has several.

    Otherwise, runs with different systems and oracles are put together, with a remark.
    """
    parsers: dict[tuple[str, str], set[str]] = {}
    for c in pairs:
        parsers.setdefault((c.treebank, c.row.name), set()).add(c.parser)
    named = {c.row.parser for c in pairs}
    return len(named) > 1 or any(len(several) > 1 for several in parsers.values())


def _construction(pairs: Sequence[StoredPair], labelled: bool) -> Construction:
    tested = [c for c in pairs if c.row.tested]
    untested = tuple(c for c in pairs if not c.row.tested)
    first = pairs[0].row
    without_data = sum(c.row.easier().answer is Answer.TOO_FEW_EXAMPLES for c in untested)
    means, differences = {}, {}
    for score in ANSWERED:
        for basis in ScoringBasis.of(score):
            compared = ((c, c.row.difference(score, basis)) for c in tested)
            found = [
                (c, difference) for c, difference in compared if difference and difference.p_value is not None
            ]
            if (mean := mean_of(found)) is None:
                continue
            means[score, basis] = mean
            differences[score, basis] = Difference.of_mean(mean)
    row = ComparisonRow(
        treebank="",
        pair=first.pair,
        parser=first.parser,
        labelled=labelled,
        predicts_tags=first.predicts_tags,
        unmeasured=first.unmeasured,
        places=0 if without_data == len(pairs) else None,
        differences=differences,
    )
    return Construction(row, means, tuple(tested), untested)


def mean_of(tested: Sequence[tuple[StoredPair, Difference]]) -> RandomEffects | None:
    """Return the random-effects mean of differences; None where there are too few treebanks or languages.

    Differences without a standard error, as a file of answers has them, do not count.
    """
    tested = [(pair, difference) for pair, difference in tested if difference.error is not None]
    origins = [pair.origin for pair, _ in tested]
    if not can_be_averaged(origins):
        return None
    deltas = [difference.delta for _, difference in tested]
    errors = [difference.error or 0.0 for _, difference in tested]
    return RandomEffects.combine(deltas, errors, origins)


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


LEFT_OUT = "Left out"
"""How a remark on what is left out begins."""


def _describe_left_out(names: Mapping[str, Sequence[str]]) -> list[str]:
    return [f"{LEFT_OUT} ({reason}): {', '.join(found)}." for reason, found in names.items() if found]


def _remarks(runs: Sequence[StoredRun]) -> list[str]:
    several = _several_parsers([c for run in runs for c in run.pairs])
    remarks = []
    parser = () if several else ("parsers",)
    for name in (*parser, "iterations", "labels", "seeds", "tags", "nonprojective", "max_options"):
        settings = [run.config.options.get(name) for run in runs]
        unset = "unlabelled" if name == "labels" else "auto"
        values = list(dict.fromkeys(unset if value is None else _plain(value) for value in settings))
        if len(values) > 1:
            remarks.append(f"The runs differ in {name}: {', '.join(values)}.")
    versions: dict[str, set[str]] = {}
    for run in runs:
        for name, version in run.config.versions.items():
            versions.setdefault(name, set()).add(version)
    if any(len(several_versions) > 1 for several_versions in versions.values()):
        remarks.append("The runs used different versions (see their config.json).")
    remarks += describe_splits(treebank for run in runs for treebank in run.config.treebanks)
    copied = describe_copied([pair.row for run in runs for pair in run.pairs])
    return remarks + [
        f"{text} In scores.csv, each `statistic` with `_without_copies` leaves them out." for text in copied
    ]


SPLIT_KINDS = {
    "pooled": "pooled and cut",
    "no train split": "dev in place of train",
    "no dev split": "dev cut from train",
}
"""How treebanks of one fold were split that lack a set, by the first words on it."""


def describe_splits(treebanks: Iterable[TreebankDesign]) -> list[str]:
    """Return how many treebanks were not split as released, and how they were; nothing without any."""
    kinds: dict[str, dict[str, None]] = {}
    for treebank in treebanks:
        if treebank.split_policy:
            known = (kind for start, kind in SPLIT_KINDS.items() if treebank.split_policy.startswith(start))
            kind = "cross-validated" if treebank.folds > 1 else next(known, "cut otherwise")
            kinds.setdefault(kind, {})[treebank.label] = None
    if not kinds:
        return []
    counted = "; ".join(f"{len(labels)} {kind} ({', '.join(labels)})" for kind, labels in kinds.items())
    return [f"Not split as released: {counted}."]


def describe_copied(rows: Iterable[ComparisonRow]) -> list[str]:
    """Return how many tested sentences are copies of training sentences, by treebank; nothing without any."""
    counted: dict[str, str] = {}
    for row in rows:
        for others in row.without_copies.values():
            counted[row.treebank_label] = f"{others.copies:,} of {row.test_sentences:,}"
    if not counted:
        return []
    copies = ", ".join(f"{treebank} ({copies})" for treebank, copies in counted.items())
    several = f"{count_noun(len(counted), 'treebank')}: " if len(counted) > 1 else ""
    return [f"Tested sentences are copies of training sentences in {several}{copies}."]
