"""Do answers change when parsers see predicted tags, or none, instead of gold tags? Tables from runs.

    python research/predicted_tags/predicted_tags.py changes --gold RUN ... --other RUN ...
        [--comparison converted_back]
    python research/predicted_tags/predicted_tags.py differences RUN ...
    python research/predicted_tags/predicted_tags.py tags UD_Irish ... [--release 1.3]

`changes` reads runs of the same constructions, parser and seeds, of which only the tags differ (`learnability
reproduce --tags`), and looks at the treebanks that both have. An answer that became open has not changed for
that reason alone: its interval may only have moved a little. So the change is a measurement of its own, the
lead of UD with the other tags minus that with gold tags: one difference of differences, over the same test
sentences, with one interval (`statistics.significance`). Intervals and p values hold for all questions of the
table together (Holm). Means over treebanks are those of `learnability compare` (random effects), and hold for
all constructions together. `--other-seeds 4 5 6` takes only these seeds of the other runs: how many answers
change between runs with gold tags of which only the seeds differ?

`differences` prints what runs of one construction found in each treebank by UAS, LAS and the accuracy of
predicted tags, each by itself, and the mean over treebanks. `tags` counts AUX and VERB in the training sets.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path

from learnability.evidence.grouping import PairRecords, per_sentence
from learnability.evidence.questions import Question as AskedQuestion
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import records_of_rows, result_rows
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.evidence.stored_runs import finished_config, finished_records
from learnability.metrics.scores import ANSWERED, Score
from learnability.statistics.inference import Side
from learnability.statistics.significance import compare
from research.support.leads import NAMED, Measured, contrast, fold_numbers, mean_lead, span, tokens
from research.support.treebank_folds import arguments, folds, row


@dataclass(frozen=True)
class RunRows:
    """Finished runs of a parser: their rows, and what each was made of, by treebank and construction.

    Answers are those of `learnability compare`: corrected for the constructions of the treebank, whatever
    other treebanks were in the run.
    """

    rows: dict[tuple[str, str], ComparisonRow]
    records: dict[tuple[str, str], PairRecords]
    seed_ratio: float

    @classmethod
    def of(cls, folders: Sequence[str], seeds: Sequence[int] = ()) -> RunRows:
        """Read the runs in some folders, of one parser; `seeds`: only these."""
        rows: dict[tuple[str, str], ComparisonRow] = {}
        made_of: dict[tuple[str, str], PairRecords] = {}
        parsers = set()
        for folder in map(Path, folders):
            config = finished_config(folder)
            records = finished_records(folder, config)
            if seeds:
                config = replace(config, seeds=tuple(seeds))
            found = result_rows(config, records)
            keys = [(row.treebank_label, row.name) for row in found]
            rows |= zip(keys, found, strict=True)
            made_of |= zip(keys, records_of_rows(config, found, records), strict=True)
            parsers |= {*config.parsers}
        (parser,) = parsers
        return cls(dict(sorted(rows.items())), made_of, parser.seed_ratio)


@dataclass(frozen=True)
class Question:
    """A construction in a treebank, with gold and with other tags.

    Attributes:
        gold, other: the rows of the two runs.
        change: the lead of UD with the other tags minus that with gold tags.
    """

    gold: ComparisonRow
    other: ComparisonRow
    change: Difference

    def answers(self, score: Score) -> tuple[str, str]:
        """Return the answers to both questions with gold and with other tags."""
        gold, other = (
            "; ".join(row.name_answer(asked, score) for asked in AskedQuestion)
            for row in (self.gold, self.other)
        )
        return gold, other

    def sides(self, measured: Measured) -> tuple[Side | None, Side | None]:
        """Return what is clear with gold and with other tags."""
        return measured.lead(self.gold).better, measured.lead(self.other).better


def change_of(gold: PairRecords, other: PairRecords, measured: Measured, seed_ratio: float) -> Difference:
    """Return the lead of UD with the other tags minus that with gold tags, not corrected for several."""
    return contrast([(other, 1.0), (gold, -1.0)], measured, seed_ratio)


def questions(gold: RunRows, other: RunRows, measured: Measured) -> list[Question]:
    """Return the questions that were tested in both runs, with changes corrected for all of them."""
    both = [key for key in gold.rows if key in other.rows]
    keys = [key for key in both if measured.tests(gold.rows[key]) and measured.tests(other.rows[key])]
    changes = Difference.correct(
        [change_of(gold.records[key], other.records[key], measured, gold.seed_ratio) for key in keys]
    )
    return [
        Question(gold.rows[key], other.rows[key], change)
        for key, change in zip(keys, changes, strict=True)
        if change is not None
    ]


def summary(asked: Sequence[Question], measured: Measured) -> tuple[object, ...]:
    """Return the counts of some questions: sides that are clear with gold tags, and what became of them."""
    sides = [question.sides(measured) for question in asked]
    named = [(gold, other) for gold, other in sides if gold in NAMED]
    shown = [question.change.better in NAMED for question in asked]
    return (
        len(asked),
        sum(len(set(question.answers(measured.score))) == 1 for question in asked),
        len(named),
        sum(gold == other for gold, other in named),
        sum(other in NAMED and gold != other for gold, other in named),
        sum(other in NAMED for gold, other in sides if gold not in NAMED),
        sum(shown),
        sum(question.change.better is Side.EQUAL for question in asked),
    )


def _mean(asked: Sequence[Question], part: Callable[[Question], Difference]) -> Difference | None:
    """Return the mean of a difference over the treebanks of some questions."""
    return mean_lead([(question.gold.treebank, part(question)) for question in asked])


def print_changes(command_line: argparse.Namespace) -> None:
    """Print what changes between two runs."""
    measured = Measured(Score(command_line.score), ScoringBasis(command_line.comparison))
    runs = RunRows.of(command_line.gold), RunRows.of(command_line.other, command_line.other_seeds)
    asked = questions(*runs, measured)
    constructions = sorted({question.gold.name for question in asked})
    by_name = {name: [q for q in asked if q.gold.name == name] for name in constructions}
    treebanks = {question.gold.treebank_label for question in asked}
    print(f"{measured.score.upper()}, {measured.basis}; {len(treebanks)} treebanks\n")
    counts = ("questions", "same answer", "clear with gold tags", "same side", "other side", "newly clear")
    means = ("UD's mean lead, gold tags", "other tags", "mean change")
    print(row("construction", *counts, "changes that are clear", "changes under half a point", *means))
    print(row("---", *["--:"] * 11))
    of_gold, of_other, of_change = (
        Difference.correct([_mean(by_name[name], part) for name in constructions])
        for part in _parts(measured)
    )
    for name, *of_construction in zip(constructions, of_gold, of_other, of_change, strict=True):
        spans = ("" if mean is None else span(mean) for mean in of_construction)
        print(row(name, *summary(by_name[name], measured), *spans))
    print(row("all", *summary(asked, measured), "", "", ""))
    print("\nEvery change that is clear, and every side that turned round:\n")
    print(row("treebank", "construction", "UD's lead, gold tags", "other tags", "change", "p (Holm)"))
    print(row("---", "---", *["--:"] * 4))
    for question in asked:
        sides = question.sides(measured)
        if question.change.better in NAMED or set(sides) == set(NAMED):
            leads = (span(measured.lead(of)) for of in (question.gold, question.other))
            p_holm = f"{question.change.p_holm:.2g}"
            print(
                row(question.gold.treebank_label, question.gold.name, *leads, span(question.change), p_holm)
            )
    print("\nWhich is easier; which to train on, with gold tags and with the other tags:\n")
    print(row("gold tags", "other tags", "questions"))
    print(row("---", "---", "--:"))
    for (before, after), count in sorted(
        Counter(question.answers(measured.score) for question in asked).items()
    ):
        print(row(before, after, count))


def _parts(measured: Measured) -> tuple[Callable[[Question], Difference], ...]:
    """Return the functions that give the differences whose means are printed."""
    return (
        lambda question: measured.lead(question.gold),
        lambda question: measured.lead(question.other),
        lambda question: question.change,
    )


@dataclass(frozen=True)
class TagDifference:
    """Accuracies of the tagger under both annotations in percent, and their difference in points."""

    ud: float
    alternative: float
    difference: Difference


def tag_difference(records: PairRecords, seed_ratio: float) -> TagDifference | None:
    """Return how accurate predicted tags are; None where tags are not predicted."""
    if any(fold.tagging is None for seeds in (records.a, records.b) for seed in seeds for fold in seed):
        return None
    ud, alternative = (per_sentence(seeds, attrgetter("tagging.correct")) for seeds in (records.a, records.b))
    found = compare(ud, alternative, tokens(records), seed_ratio=seed_ratio, folds=fold_numbers(records))
    return TagDifference(found.score_a, found.score_b, Difference.of(found))


Columns = dict[str, list[tuple[str, Difference]]]
"""The differences of treebanks, by the names of columns."""


def print_differences(command_line: argparse.Namespace) -> None:
    """Print what runs found in each treebank, and the mean over treebanks."""
    run = RunRows.of(command_line.runs)
    print(row("treebank", "test words", *(f"{score.upper()}, UD's lead" for score in ANSWERED),
              "tags right under UD, %", "under the alternative, %", "tags, UD's lead"))  # fmt: skip
    print(row("---", *["--:"] * 6))
    columns: Columns = {"uas": [], "las": [], "tags": []}
    for key, of_row in run.rows.items():
        if of_row.tested:
            print(row(*_cells(of_row, run.records[key], run.seed_ratio, columns)))
    uas, las, tags = (mean_lead(values) for values in columns.values())
    spans = ["" if mean is None else span(mean, alone=True) for mean in (uas, las, tags)]
    print(row("mean", "", *spans[:2], "", "", spans[2]))


def _cells(of_row: ComparisonRow, records: PairRecords, seed_ratio: float, columns: Columns) -> Iterator[str]:
    """Yield the cells of a treebank, and note its differences in `columns`."""
    yield of_row.treebank_label
    yield f"{sum(tokens(records)):,}"
    for score in ANSWERED:
        difference = of_row.difference(score)
        if difference is not None and difference.p_value is not None:
            columns[score].append((of_row.treebank, difference))
            yield span(difference, alone=True)
        else:
            yield ""
    tags = tag_difference(records, seed_ratio)
    if tags is None:
        yield from ("", "", "")
        return
    columns["tags"].append((of_row.treebank, tags.difference))
    yield from (f"{tags.ud:.2f}", f"{tags.alternative:.2f}", span(tags.difference, alone=True))


def count_tags(command_line: argparse.Namespace) -> None:
    """Print how the training sets tell AUX from VERB."""
    names = ("AUX", "VERB", "AUX with a form that is also VERB", "`cop` tagged AUX", "`cop` tagged VERB")
    print(row("treebank", "words", *names))
    print(row("---", *["--:"] * 6))
    for name, fold in folds(command_line):
        words = [
            (form.lower(), tag, deprel)
            for tree in fold.train
            for form, tag, deprel in zip(tree.forms, tree.upos, tree.deprels, strict=True)
        ]
        tagged = Counter(tag for _, tag, _ in words)
        verbs = {form for form, tag, _ in words if tag == "VERB"}
        both = sum(tag == "AUX" and form in verbs for form, tag, _ in words)
        copulas = Counter(tag for _, tag, deprel in words if deprel.split(":")[0] == "cop")
        counts = (len(words), tagged["AUX"], tagged["VERB"], both, copulas["AUX"], copulas["VERB"])
        print(row(name, *(f"{count:,}" for count in counts)), flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    commands = parser.add_subparsers(required=True)
    of_changes = commands.add_parser("changes")
    for name in ("--gold", "--other"):
        of_changes.add_argument(name, nargs="+", required=True, metavar="RUN")
    kinds = [kind.value for kind in ScoringBasis.of(Score.UAS)]
    of_changes.add_argument("--comparison", choices=kinds, default=ScoringBasis.ANNOTATION.value)
    of_changes.add_argument("--other-seeds", nargs="+", type=int, default=())
    of_changes.add_argument("--score", choices=[score.value for score in ANSWERED], default=Score.UAS.value)
    of_changes.set_defaults(show=print_changes)
    of_differences = commands.add_parser("differences")
    of_differences.add_argument("runs", nargs="+")
    of_differences.set_defaults(show=print_differences)
    of_tags = commands.add_parser("tags", parents=[arguments("")], add_help=False)
    of_tags.set_defaults(show=count_tags)
    command_line = parser.parse_args()
    command_line.show(command_line)


if __name__ == "__main__":
    main()
