"""How often does the procedure of a survey answer where there is nothing to find?

Each construction of the run is compared with UD as in a survey, but a copy of UD stands in for the
alternative: its parser is trained on UD's trees, too, from another seed. So both sides of each pair are
equally learnable by construction. Places, the number of constructions that a treebank is corrected for, the
test set, then all sentences with a stopping rule, and the answers are those of `learnability run`.

    python research/calibration/sham_pairs.py OUT --ud-home DIR [--treebanks N | --named T ...] [--budget S]

OUT gets the run; its records are not those of a real run, so use them for nothing else.
"""

from __future__ import annotations

import argparse
import random
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from scipy.stats import beta

from learnability.comparing import cells
from learnability.comparing.annotation import Annotation
from learnability.comparing.fold import Fold
from learnability.comparing.options import TreebankSelection
from learnability.comparing.pair import Pair
from learnability.comparing.results import TrainingResult
from learnability.comparing.scoring import score_training
from learnability.comparing.trainings import train_and_test, train_annotation
from learnability.evidence.questions import Answer
from learnability.evidence.rows import ComparisonRow
from learnability.reports.results import interval
from learnability.running.workforce import Workforce
from learnability.studies.declaration import NoOptions, StudyRequest
from learnability.studies.registry import STUDIES
from learnability.studies.run import Run
from learnability.studies.runner import run_studies
from learnability.studies.settle import SettleOptions
from learnability.support.progress import shown_steps
from learnability.treebanks.locate import TreebankFiles, list_treebanks
from research.support.treebank_folds import row

CONSTRUCTIONS = ("case", "cop", "cc", "det", "mark", "mwe", "name", "conj", "aux", "aux-verb")
SCHEME = "sud"

DRAWN = 51
"""The seed that draws the treebanks."""

MOST_BYTES = 2_500_000
"""The most bytes of the files of a treebank that may be drawn: trainings on larger ones cost too much."""

BUDGET = 400.0
"""Processor seconds for all sentences: 20 of the survey's 61 treebanks, and as much of its 20 minutes."""

CLEAR = (Answer.BASE, Answer.ALTERNATIVE)


def main() -> None:
    """Train, and print how many answers are clear."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--ud-home", required=True)
    parser.add_argument("--release", default="2.16")
    parser.add_argument("--treebanks", type=int, default=20, metavar="N")
    parser.add_argument("--named", nargs="+", help="take these instead of drawing")
    parser.add_argument("--transform", nargs="+", default=CONSTRUCTIONS)
    parser.add_argument("--budget", type=float, default=BUDGET)
    parser.add_argument("--draw", type=int, default=1, help="which trainings: 1, 2, ...")
    arguments = parser.parse_args()
    found = list_treebanks(arguments.ud_home, release=arguments.release)
    names = arguments.named or draw_treebanks(found, arguments.treebanks)
    rows = run_shams(names, arguments)
    print_answers(rows)


def draw_treebanks(found: Sequence[TreebankFiles], count: int) -> list[str]:
    """Return the names of treebanks that are drawn from those that are not too large."""
    small = [files.name for files in found if bytes_of(files) <= MOST_BYTES]
    return sorted(random.Random(DRAWN).sample(sorted(small), min(count, len(small))))


def bytes_of(files: TreebankFiles) -> int:
    """Return the bytes of the files of a treebank."""
    return sum(path.stat().st_size for path in files.paths())


def train_copy(
    fold: Fold, pair: Pair[Annotation] | None, seed: int, *, draw: int, **options: Any
) -> TrainingResult | None:
    """Train as `train_annotation` does, but on UD where the alternative is asked for, from another seed."""
    seed += 10_000_000 * (draw - 1)
    if pair is None:
        return train_annotation(fold, None, seed, **options)
    if not fold.compare_pair(pair).exists:
        return None
    other = zlib.crc32(f"{pair.alternative.spelling}/{seed}".encode()) % 1_000_000 + 1_000
    base = fold.base.of_seed(other)
    tested = train_and_test(fold, base.sets, other, base.inputs)
    return score_training(tested, [pair])


def run_shams(names: Sequence[str], arguments: argparse.Namespace) -> Sequence[ComparisonRow]:
    """Return the rows of a run in which copies stand in for all alternatives."""
    setattr(cells, "train_annotation", partial(train_copy, draw=arguments.draw))  # noqa: B010 (it is no public name of the module)
    setattr(cells, "train_on_both", lambda *rest: None)  # noqa: B010 (no answer follows from it)
    selections = [
        TreebankSelection(name, arguments.ud_home, arguments.release, splits="dev") for name in names
    ]
    settling = SettleOptions(budget=arguments.budget)
    run = Run.of_names(
        STUDIES["run"], NoOptions(), selections, command="run_experiment", keeps_going=True,
        transform=tuple(arguments.transform), scheme=(SCHEME,), seeds=1, trees=False,
        find_studies=lambda _: [StudyRequest(STUDIES["run"]), StudyRequest(STUDIES["settle"], settling)],
    )  # fmt: skip
    with shown_steps("starting", quiet=False) as steps:
        # in this process, in which copies stand in
        resume = arguments.out.exists()
        outcome = run_studies(
            run, arguments.out, Workforce.from_jobs(1), resume=resume, steps=steps, report=None
        )
    return outcome.rows


def print_answers(rows: Sequence[ComparisonRow]) -> None:
    """Print the answers of each treebank, and the share of clear ones with its exact 95 % interval."""
    tested = [each for each in rows if each.tested]
    print(row("treebank", "pairs", "by all sentences", "clear", "no difference that matters", "open"))
    print("|---|" + "--:|" * 5)
    for name in dict.fromkeys(each.treebank for each in tested):
        print(row(name, *count_answers([each for each in tested if each.treebank == name])))
    print(row("all", *count_answers(tested)))
    clear = [each for each in tested if each.easier().answer in CLEAR]
    treebanks, alarmed = len({each.treebank for each in tested}), len({each.treebank for each in clear})
    print(f"\nclear answers: {share(len(clear), len(tested))}")
    print(f"treebanks with a clear answer: {share(alarmed, treebanks)}")
    for each in clear:
        print(f"{each.treebank} {each.name}: {interval(each.difference(), each)}")


def count_answers(rows: Sequence[ComparisonRow]) -> list[int]:
    """Return the pairs, those tested on all sentences, and how many have which answer."""
    answers = Counter(each.easier().answer for each in rows)
    everywhere = sum(each.tests_all_places for each in rows)
    return [
        len(rows),
        everywhere,
        sum(answers[answer] for answer in CLEAR),
        answers[Answer.SAME],
        answers[Answer.OPEN],
    ]


def share(count: int, total: int) -> str:
    """Return a share with its interval (Clopper and Pearson 1934), in percent."""
    low = beta.ppf(0.025, count, total - count + 1) if count else 0.0
    high = beta.ppf(0.975, count + 1, total - count) if count < total else 1.0
    return f"{count} of {total}, {100 * count / total:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


if __name__ == "__main__":
    main()
