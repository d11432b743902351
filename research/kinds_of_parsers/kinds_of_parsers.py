"""Do kinds of parsers answer differently? Runs with several parsers, and tables from them.

    python research/kinds_of_parsers/kinds_of_parsers.py train DIR [UD_Irish ... --release 1.3]
        [--words 6000] [--seeds 2]
    python research/kinds_of_parsers/kinds_of_parsers.py tables RUN ... --parser spacy
        --others arc-eager graph

`train` cuts eight training sets to their first sentences, with the same number of words in all, and carries
out `learnability run` on each: first with the scheme `sud-like` and `conj`, then with the seven
transformations of the 2018 paper; first with one seed, then with more. The runs are in DIR/runs. The same
command continues what was interrupted.

`tables` reads finished runs, all of whose parsers learned from the same sentences. That one parser is clear
and another is not shows no difference between them. So the difference is a measurement of its own: UD's lead
by the parser minus UD's mean lead by the others, over the same test sentences, with one interval. Means over
treebanks are those of `learnability compare` (random effects). The second of the others is compared with the
first in the same way: so much do two parsers of one kind differ.

Answers of a parser are corrected for all constructions of a treebank (Holm), differences of single treebanks
for all of the table, and means for all constructions. `--seeds N` takes only the first N seeds.

The last table says how much UD's lead changes with the seed, relative to the chance of the test sentences:
what `seed_ratio` of a parser should be (docs/howto/parsers.md). It needs two seeds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from statistics import mean

import numpy as np

from learnability.evidence.grouping import PairRecords
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import corrected_rows, records_of_rows, result_rows
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.evidence.stored_runs import finished_config, finished_records
from learnability.metrics.scores import ANSWERED, Score
from learnability.running.config import read_config
from learnability.running.folder import CONFIG
from learnability.statistics.inference import Side, winner
from learnability.treebanks.locate import locate_treebank
from research.support.leads import NAMED, Measured, contrast, mean_lead, span, tokens
from research.support.treebank_folds import row

TREEBANKS = {
    "1.3": ("UD_Turkish", "UD_Chinese", "UD_Hungarian", "UD_Irish", "UD_Greek", "UD_Indonesian"),
    "2.16": ("UD_English-LinES", "UD_French-Sequoia"),
}
"""Treebanks of eight families or branches, by release."""

Question = tuple[str, str]
"""A treebank and a construction."""


@dataclass(frozen=True)
class OfParser:
    """What a parser shows for a question."""

    row: ComparisonRow
    records: PairRecords
    seed_ratio: float


Answers = dict[Question, dict[str, OfParser]]
"""By question and parser."""


def read(folders: Sequence[str], seeds: int | None, measured: Measured) -> Answers:
    """Return what every parser of the runs shows, for the questions that all of them have tested."""
    rows: list[ComparisonRow] = []
    records: list[PairRecords] = []
    ratios: dict[str, float] = {}
    for folder in map(Path, folders):
        config = finished_config(folder)
        of_run = finished_records(folder, config)
        if seeds:
            config = replace(config, seeds=config.seeds[:seeds])
        found = result_rows(config, of_run)
        rows += found
        records += records_of_rows(config, found, of_run)
        ratios |= {parser.title: parser.seed_ratio for parser in config.parsers}
    answers: Answers = {}
    for of, made_of in zip(corrected_rows(rows), records, strict=True):
        if measured.tests(of):
            by_parser = answers.setdefault((of.treebank_label, of.name), {})
            by_parser[of.parser] = OfParser(of, made_of, ratios[of.parser])
    return {question: by_parser for question, by_parser in answers.items() if set(by_parser) == set(ratios)}


@dataclass(frozen=True)
class Contrast:
    """A parser against others, and what is measured.

    Attributes:
        parser: whose lead counts 1.
        others: whose mean lead is subtracted.
    """

    parser: str
    others: tuple[str, ...]
    measured: Measured

    def of(self, by_parser: dict[str, OfParser]) -> Difference:
        """Return the difference of the leads, not corrected."""
        weights = {self.parser: 1.0} | dict.fromkeys(self.others, -1 / len(self.others))
        leads = [(by_parser[name].records, weight) for name, weight in weights.items()]
        return contrast(leads, self.measured, mean(by_parser[name].seed_ratio for name in weights))

    def all(self, answers: Answers) -> dict[Question, Difference]:
        """Return the differences for all questions, corrected for all of them."""
        found = Difference.correct([self.of(by_parser) for by_parser in answers.values()])
        return {
            question: difference
            for question, difference in zip(answers, found, strict=True)
            if difference is not None
        }


def constructions(answers: Answers) -> list[str]:
    """Return the constructions in the order of the runs."""
    return list(dict.fromkeys(name for _, name in answers))


def starred(of: OfParser, measured: Measured) -> str:
    """Return UD's lead, with a star where a side is clearly ahead and `=` where none is."""
    side = of.row.easier(measured.score).side
    mark = "*" if side in NAMED else "=" if side is Side.EQUAL else ""
    return f"{measured.lead(of.row).delta:+.2f}{mark}"


def print_questions(answers: Answers, contrasts: Sequence[Contrast]) -> None:
    """Print the lead by each parser, and the differences between parsers, for each question."""
    measured, parsers = contrasts[0].measured, list(next(iter(answers.values())))
    titles = [f"{each.parser} minus {' and '.join(each.others)}" for each in contrasts]
    print(row("construction", "treebank", *parsers, *titles))
    print(row("---", "---", *["--:"] * (len(parsers) + len(contrasts))))
    differences = [each.all(answers) for each in contrasts]
    for name in constructions(answers):
        for question in (question for question in answers if question[1] == name):
            leads = [starred(answers[question][parser], measured) for parser in parsers]
            found = [of[question] for of in differences]
            spans = [f"{span(each)}{'*' if each.better in NAMED else ''}" for each in found]
            print(row(f"`{name}`", question[0], *leads, *spans))
    for title, of in zip(titles, differences, strict=True):
        print(f"\n{title}: {sum(each.better in NAMED for each in of.values())} of {len(of)} are clear")


def _lead(of: dict[str, OfParser], measured: Measured, parser: str) -> Difference:
    """Return UD's lead by a parser."""
    return measured.lead(of[parser].row)


def _mean(
    answers: Answers, name: str, part: Callable[[dict[str, OfParser]], Difference]
) -> Difference | None:
    """Return the mean of a difference over the treebanks in which a construction was tested."""
    return mean_lead([(treebank, part(of)) for (treebank, other), of in answers.items() if other == name])


def print_means(answers: Answers, contrasts: Sequence[Contrast]) -> None:
    """Print the mean lead by each parser over treebanks, and the mean differences between parsers."""
    measured, parsers = contrasts[0].measured, list(next(iter(answers.values())))
    names = constructions(answers)
    leads = [partial(_lead, measured=measured, parser=parser) for parser in parsers]
    parts: list[Callable[[dict[str, OfParser]], Difference]] = [*leads, *(each.of for each in contrasts)]
    columns = [[_mean(answers, name, part) for name in names] for part in parts]
    titles = [f"{each.parser} minus {' and '.join(each.others)}" for each in contrasts]
    print(row("construction", "treebanks", *(f"UD's mean lead by {name}" for name in parsers), *titles))
    print(row("---", *["--:"] * (1 + len(columns))))
    counts = Counter(name for _, name in answers)
    for name, *means in zip(names, *map(Difference.correct, columns), strict=True):
        print(row(f"`{name}`", counts[name], *("" if each is None else span(each) for each in means)))


def agreement(answers: Answers, first: str, second: str, measured: Measured) -> tuple[object, ...]:
    """Return how far two parsers agree: signs, sides that both find clear, sides that one of them does."""
    same_sign, sides = 0, []
    for by_parser in answers.values():
        rows = [by_parser[parser].row for parser in (first, second)]
        one, other = (winner(measured.lead(each).delta) for each in rows)
        same_sign += one == other
        sides.append(tuple(each.easier(measured.score).side for each in rows))
    both = [(a, b) for a, b in sides if a in NAMED and b in NAMED]
    return (
        len(sides),
        same_sign,
        len(both),
        sum(a == b for a, b in both),
        sum(a in NAMED and b not in NAMED for a, b in sides),
        sum(b in NAMED and a not in NAMED for a, b in sides),
    )


def print_agreement(answers: Answers, measured: Measured) -> None:
    """Print how far each pair of parsers agrees, on all constructions and on each."""
    parsers = list(next(iter(answers.values())))
    counts = ("questions", "same sign", "both clear", "same side", "first alone clear", "second alone clear")
    print(row("parsers", "constructions", *counts))
    print(row("---", "---", *["--:"] * len(counts)))
    for i, first in enumerate(parsers):
        for second in parsers[i + 1 :]:
            for name in ("all", *constructions(answers)):
                chosen = {key: of for key, of in answers.items() if name in ("all", key[1])}
                print(row(f"{first}, {second}", name, *agreement(chosen, first, second, measured)))


def noise(answers: Answers, parser: str, measured: Measured) -> Iterator[float]:
    """Yield var(seed) of a lead as a ratio to var(residual) / sentences, for each question.

    The model is that of `statistics.significance`. Single values may be negative.
    """
    for by_parser in answers.values():
        records = by_parser[parser].records
        total = np.array(tokens(records), float)
        ud, alternative = (measured.right(side, records.alternative) for side in (records.a, records.b))
        lead = ud - alternative
        values = 100 * (lead - lead.sum() * total / (len(lead) * total.sum())) / total.mean()
        of_seeds, (seeds, sentences) = values.mean(axis=1), values.shape
        rest = values - values.mean(axis=0) - (of_seeds - of_seeds.mean())[:, np.newaxis]
        residual = float((rest**2).sum()) / ((seeds - 1) * (sentences - 1))
        chance = residual / sentences
        yield (float(of_seeds.var(ddof=1)) - chance) / chance


def print_noise(answers: Answers, measured: Measured) -> None:
    """Print how much leads change with the seed, by parser."""
    print(row("parser", "noise", "standard error"))
    print(row("---", "--:", "--:"))
    for parser in next(iter(answers.values())):
        by_treebank: dict[str, list[float]] = {}
        for (treebank, _), ratio in zip(answers, noise(answers, parser, measured), strict=True):
            by_treebank.setdefault(treebank, []).append(ratio)
        means = [mean(ratios) for ratios in by_treebank.values()]
        error = np.std(means, ddof=1) / len(means) ** 0.5 if len(means) > 1 else float("nan")
        print(row(parser, f"{mean(means):.2f}", f"{error:.2f}"))


SUD_LIKE = str(Path(__file__).with_name("sud-like.toml"))

QUESTIONS = {"sud": ("--alternative", SUD_LIKE, "--transform", "conj"), "seven": ()}
"""What is compared with UD, by the name of a group of runs; the default is the seven transformations."""

PARSERS = ("arc-eager", "graph", "spacy")


def first_words(source: Path, words: int) -> str:
    """Return the first sentences of a file that have together at most a number of words."""
    kept: list[str] = []
    for sentence in source.read_text(encoding="utf-8").strip("\n").split("\n\n"):
        words -= sum(line.split("\t", 1)[0].isdigit() for line in sentence.split("\n"))
        if words < 0:
            break
        kept.append(sentence)
    return "\n\n".join([*kept, ""])


def seeds_of(run: Path) -> int:
    """Return with how many seeds a run was begun; 0 if it was not."""
    return len(read_config(run / CONFIG).seeds) if (run / CONFIG).exists() else 0


def train(command_line: argparse.Namespace) -> None:
    """Carry out the runs."""
    folder = Path(command_line.folder)
    (folder / "cut").mkdir(parents=True, exist_ok=True)
    (folder / "runs").mkdir(exist_ok=True)
    chosen = {command_line.release: command_line.treebanks} if command_line.treebanks else TREEBANKS
    treebanks = [(name, release) for release, names in chosen.items() for name in names]
    parsers = [word for parser in command_line.parsers for word in ("--parser", parser)]
    for seeds, (group, asked), (name, release) in product(
        range(1, command_line.seeds + 1), QUESTIONS.items(), treebanks
    ):
        run = Path("runs", f"{group}-{name}")
        if seeds < seeds_of(folder / run):
            continue
        files = locate_treebank(name, ud_home=command_line.ud_home, release=release)
        (source,) = dict(files.splits())["train"]
        cut = Path("cut", source.name)
        (folder / cut).write_text(first_words(source, command_line.words), encoding="utf-8")
        words = ["--treebank", name, "--train", str(cut), *asked, *parsers, "--seeds", str(seeds)]
        words += ["--release", release] if release else []
        words += ["--ud-home", os.path.abspath(command_line.ud_home)] if command_line.ud_home else []
        words += ["--jobs", str(command_line.jobs), "--out", str(run), "--resume", "--quiet"]
        subprocess.run(
            [sys.executable, "-m", "learnability", "run", "--test-set", *words], cwd=folder, check=True
        )


def main() -> None:
    """Carry out the runs, or print the tables."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    commands = options.add_subparsers(required=True)
    of_train = commands.add_parser("train")
    of_train.add_argument("folder")
    of_train.add_argument("treebanks", nargs="*")
    of_train.add_argument("--ud-home")
    of_train.add_argument("--release")
    of_train.add_argument("--words", type=int, default=6000)
    of_train.add_argument("--seeds", type=int, default=2)
    of_train.add_argument("--jobs", type=int, default=1)
    of_train.add_argument("--parsers", nargs="+", default=PARSERS)
    of_train.set_defaults(carry_out=train)
    of_tables = commands.add_parser("tables")
    of_tables.add_argument("runs", nargs="+")
    of_tables.add_argument("--parser", required=True)
    of_tables.add_argument("--others", nargs="+", required=True)
    of_tables.add_argument("--seeds", type=int)
    of_tables.add_argument("--score", choices=[score.value for score in ANSWERED], default=Score.UAS.value)
    of_tables.set_defaults(carry_out=tables)
    command_line = options.parse_args()
    command_line.carry_out(command_line)


def tables(command_line: argparse.Namespace) -> None:
    """Print the tables."""
    measured = Measured(Score(command_line.score), ScoringBasis.ANNOTATION)
    answers = read(command_line.runs, command_line.seeds, measured)
    contrasts = [Contrast(command_line.parser, tuple(command_line.others), measured)]
    if len(command_line.others) > 1:
        first, second, *_ = command_line.others
        contrasts.append(Contrast(second, (first,), measured))
    treebanks = {treebank for treebank, _ in answers}
    print(f"{measured.score.upper()}; {len(treebanks)} treebanks\n")
    print_means(answers, contrasts)
    print()
    print_agreement(answers, measured)
    print()
    print_questions(answers, contrasts)
    if all(len(of.records.a) > 1 for by_parser in answers.values() for of in by_parser.values()):
        print()
        print_noise(answers, measured)


if __name__ == "__main__":
    main()
