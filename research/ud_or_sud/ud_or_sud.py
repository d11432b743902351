"""Is UD or SUD easier, and which step of SUD makes the difference?

    python research/ud_or_sud/ud_or_sud.py train FOLDER [TREEBANK...] [--words 8000] [--published FILE]
    python research/ud_or_sud/ud_or_sud.py tables FOLDER

`train` cuts the first words of each treebank, and carries out a run of all treebanks for each setting. Every
sentence is tested, in four folds, with one seed. A finished run is not carried out again, and a run that was
broken off goes on. FILE is the SUD version of UD_French-Sequoia. `tables` prints what the finished runs show.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from learnability.evidence.grouping import PairRecords
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.rows_from_records import corrected_rows, records_of_rows, result_rows
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.evidence.stored_runs import finished_config, finished_records
from learnability.metrics.scores import Score
from learnability.treebanks.locate import locate_treebank
from research.support.leads import Measured, contrast, mean_lead, span
from research.support.treebank_folds import EIGHT, row

WORDS, FOLDS, SEEDS = 8000, 4, 1

STEPS = (
    *(f"{name}:reattach=sud" for name in ("case", "cop", "mark", "aux")),
    *("reparandum", "mwe", "name", "foreign", "conjuncts"),
)
"""The constructions of which SUD consists."""

PUBLISHED = "UD_French-Sequoia"
"""The treebank of which there is a published SUD version."""

NEURAL = (PUBLISHED,)
"""The treebanks of the neural parser, which takes longest."""

UNTIL_PUBLISHED = 5
"""The number of settings in which the published trees are compared, too."""


@dataclass(frozen=True)
class Setting:
    """Name what parsers are trained, what they see and what they predict.

    Attributes:
        parser: the parser.
        labelled: whether it predicts relations.
        tags: the tags that it sees.
        steps: whether it learns each step of SUD, or SUD alone.
        treebanks: the treebanks, by default all.
    """

    parser: str
    labelled: bool
    tags: str = "gold"
    steps: bool = False
    treebanks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the setting as a folder."""
        labelled = "labelled" if self.labelled else "unlabelled"
        return "-".join((self.parser, labelled, self.tags, *(["steps"] if self.steps else [])))

    def differences(self, other: Setting) -> int:
        """Return in how many of parser, relations and tags two settings differ."""
        return sum((self.parser != other.parser, self.labelled != other.labelled, self.tags != other.tags))

    def words(self) -> Iterator[str]:
        """Yield the setting as options of `run`."""
        yield from ("--parser", self.parser, "--tags", self.tags, "--seeds", str(SEEDS))
        if self.labelled:
            yield "--labelled"

    def alternatives(self) -> Iterator[str]:
        """Yield the alternatives as options of `run`."""
        yield from ("--alternative", "sud")
        if self.steps:
            yield from (word for step in STEPS for word in ("--transform", step))


SETTINGS = (
    Setting("arc-eager", labelled=False, steps=True),
    Setting("graph", labelled=False, steps=True),
    Setting("graph", labelled=True),
    Setting("graph", labelled=True, tags="predicted"),
    Setting("arc-eager", labelled=True),
    Setting("arc-eager", labelled=True, tags="predicted"),
    Setting("arc-eager", labelled=False, tags="predicted"),
    Setting("spacy", labelled=True, treebanks=NEURAL),
)
"""What is trained, in this order. The graph-based parser finds the same heads with relations and without."""


def first_words(sources: Sequence[Path], words: int) -> str:
    """Return the first sentences of files that have together at most a number of words."""
    kept: list[str] = []
    for sentence in (text for file in sources for text in file.read_text("utf-8").strip("\n").split("\n\n")):
        words -= sum(line.split("\t", 1)[0].isdigit() for line in sentence.split("\n"))
        if words < 0:
            break
        kept.append(sentence)
    return "\n\n".join([*kept, ""]) + "\n"


def train(given: argparse.Namespace) -> None:
    """Carry out the runs that are missing."""
    folder = Path(given.folder)
    chosen = {given.release: given.treebanks} if given.treebanks else EIGHT
    cut: dict[str, Path] = {}
    for release, names in chosen.items():
        for name in names:
            files = locate_treebank(name, ud_home=given.ud_home, release=release)
            paths = tuple(files.paths())
            place = folder / "cut" / paths[0].parent.parent.name / files.name
            place.mkdir(parents=True, exist_ok=True)
            (place / paths[0].name).write_text(first_words(paths, given.words), encoding="utf-8")
            cut[files.name] = place
    for number, setting in enumerate(SETTINGS[: given.settings]):
        used = [cut[name] for name in cut if not setting.treebanks or name in setting.treebanks]
        if used:
            carry_out(folder / "runs" / setting.name, used, setting, setting.alternatives())
        if given.published and number < UNTIL_PUBLISHED:
            published = ("--alternative", os.path.abspath(given.published))
            carry_out(folder / "published" / setting.name, [cut[PUBLISHED]], setting, published)


def carry_out(out: Path, treebanks: Sequence[Path], setting: Setting, alternatives: Iterable[str]) -> None:
    """Carry out a run that is not finished."""
    if (out / "results.csv").exists():
        return
    words = [word for treebank in treebanks for word in ("--treebank", str(treebank))]
    words += ["--cross-validate", str(FOLDS), *setting.words(), *alternatives]
    words += ["--jobs", "1", "--out", str(out), "--resume", "--quiet"]
    subprocess.run(
        [sys.executable, "-m", "learnability", "run", *words], check=True, stdout=subprocess.DEVNULL
    )
    print(out, flush=True)


@dataclass(frozen=True)
class Finished:
    """Hold what a finished run shows: rows and records by alternative and treebank.

    Attributes:
        setting: the setting of the run.
        rows: the compared scores.
        records: what was right in each sentence.
        seed_ratio: the noise of training that intervals assume.
    """

    setting: Setting
    rows: dict[str, dict[str, ComparisonRow]]
    records: dict[str, dict[str, PairRecords]]
    seed_ratio: float

    @classmethod
    def read(cls, folder: Path, setting: Setting) -> Finished | None:
        """Return what the run of a setting in a folder shows; None if it is not finished."""
        run = folder / setting.name
        if not (run / "results.csv").exists():
            return None
        config = finished_config(run)
        of_run = finished_records(run, config)
        found = result_rows(config, of_run)
        rows: dict[str, dict[str, ComparisonRow]] = {}
        records: dict[str, dict[str, PairRecords]] = {}
        for compared, right in zip(
            corrected_rows(found), records_of_rows(config, found, of_run), strict=True
        ):
            rows.setdefault(compared.name, {})[compared.treebank] = compared
            records.setdefault(compared.name, {})[compared.treebank] = right
        return cls(setting, rows, records, config.parsers[0].seed_ratio)

    def leads(self, name: str, score: Score) -> dict[str, Difference]:
        """Return UD's lead over an alternative by treebank, where it was tested."""
        rows = self.rows.get(name, {})
        found = {treebank: of.difference(score) for treebank, of in rows.items()}
        return {treebank: lead for treebank, lead in found.items() if lead and lead.p_value is not None}


def title(setting: Setting, score: Score) -> str:
    """Return the setting and the score as tables call them."""
    labelled = "labelled" if setting.labelled else "unlabelled"
    return f"{setting.parser}, {labelled}, {setting.tags} tags, {score.upper()}"


def scores(setting: Setting) -> tuple[Score, ...]:
    """Return the scores of a setting."""
    return (Score.UAS, Score.LAS) if setting.labelled else (Score.UAS,)


def starred(lead: Difference | None) -> str:
    """Return UD's lead, with a star if its interval, corrected for the run, excludes 0."""
    return "" if lead is None else f"{lead.delta:+.2f}{'*' if lead.is_clear else ''}"


def mean_of(leads: dict[str, Difference]) -> str:
    """Return the mean lead over treebanks with its interval; empty if there are too few."""
    mean = mean_lead(list(leads.items()))
    return "" if mean is None else span(mean)


def print_settings(runs: Sequence[Finished]) -> None:
    """Print UD's lead over `sud` by setting and treebank."""
    treebanks = list(dict.fromkeys(treebank for run in runs for treebank in run.leads("sud", Score.UAS)))
    print(row("setting", "mean", *treebanks))
    print(row("---", *["--:"] * (1 + len(treebanks))))
    for run in runs:
        for score in scores(run.setting):
            leads = run.leads("sud", score)
            cells = (starred(leads.get(treebank)) for treebank in treebanks)
            print(row(title(run.setting, score), mean_of(leads), *cells))


def print_alternatives(runs: Sequence[Finished]) -> None:
    """Print UD's mean lead over each alternative, and how often which side is clearly ahead."""
    print(row("alternative", "setting", "treebanks", "UD's mean lead", "clear for UD", "clear for it"))
    print(row("---", "---", *["--:"] * 4))
    names = list(dict.fromkeys(name for run in runs for name in run.rows))
    for name in names:
        for run in runs:
            for score in scores(run.setting):
                leads = run.leads(name, score)
                if leads:
                    clear = Counter(lead.delta > 0 for lead in leads.values() if lead.is_clear)
                    sides = clear[True], clear[False]
                    print(row(f"`{name}`", title(run.setting, score), len(leads), mean_of(leads), *sides))


def print_changes(runs: Sequence[Finished]) -> None:
    """Print by how much UD's lead over `sud` in UAS differs between settings that differ in one thing."""
    measured = Measured(Score.UAS, ScoringBasis.ANNOTATION)
    print(row("setting", "minus", "treebanks", "difference of UD's leads", "positive"))
    print(row("---", "---", *["--:"] * 3))
    for first, second in combinations(runs, 2):
        if first.setting.differences(second.setting) != 1 or "sud" not in first.records:
            continue
        differences = {
            name: contrast([(right, 1.0), (second.records["sud"][name], -1.0)], measured, first.seed_ratio)
            for name, right in first.records["sud"].items()
            if name in second.records["sud"]
        }
        positive = sum(difference.delta > 0 for difference in differences.values())
        names = (title(run.setting, Score.UAS) for run in (first, second))
        print(row(*names, len(differences), mean_of(differences), positive))


def print_published(runs: Sequence[Finished], published: Sequence[Finished]) -> None:
    """Print UD's lead over `sud` and over the published trees, and the difference of both, on the same
    sentences, each with its interval alone."""
    print(row("setting", "UD minus `sud`", "UD minus published SUD", "published SUD minus `sud`"))
    print(row("---", *["--:"] * 3))
    for of_file in published:
        rules = next((run for run in runs if run.setting == of_file.setting), None)
        if rules is None or PUBLISHED not in rules.records["sud"]:
            continue
        (name,) = of_file.rows
        right = rules.records["sud"][PUBLISHED], of_file.records[name][PUBLISHED]
        for score in scores(of_file.setting):
            leads = rules.leads("sud", score)[PUBLISHED], of_file.leads(name, score)[PUBLISHED]
            measured = Measured(score, ScoringBasis.ANNOTATION)
            between = contrast([(right[0], 1.0), (right[1], -1.0)], measured, rules.seed_ratio)
            spans = (span(lead, alone=True) for lead in (*leads, between))
            print(row(title(of_file.setting, score), *spans))


def tables(given: argparse.Namespace) -> None:
    """Print what the finished runs show."""
    folder = Path(given.folder)
    read = [Finished.read(folder / "runs", setting) for setting in SETTINGS]
    runs = [run for run in read if run]
    print_settings(runs)
    print()
    print_alternatives(runs)
    print()
    print_changes(runs)
    published = [Finished.read(folder / "published", setting) for setting in SETTINGS[:UNTIL_PUBLISHED]]
    print()
    print_published(runs, [run for run in published if run])


def main() -> None:
    """Carry out the runs, or print the tables."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    commands = options.add_subparsers(required=True)
    of_train = commands.add_parser("train")
    of_train.add_argument("folder")
    of_train.add_argument("treebanks", nargs="*")
    of_train.add_argument("--ud-home")
    of_train.add_argument("--release")
    of_train.add_argument("--words", type=int, default=WORDS)
    of_train.add_argument("--settings", type=int, default=len(SETTINGS), help="carry out the first ones only")
    of_train.add_argument("--published")
    of_train.set_defaults(carry_out=train)
    of_tables = commands.add_parser("tables")
    of_tables.add_argument("folder")
    of_tables.set_defaults(carry_out=tables)
    given = options.parse_args()
    given.carry_out(given)


if __name__ == "__main__":
    main()
