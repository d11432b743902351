"""Does the log-linear parser add anything to the parsers that `doubts` asks?

    python research/loglinear/optimum_votes.py OLD[,OLD] NEW --runs DIR [--treebank UD_X@RELEASE ...]

`doubts` is run with the log-linear parser beside its usual parsers, on a part of each treebank of the old
release, and on a part of its new release into which errors were injected. The words are then ordered with and
without its votes, by weights that are fitted on the other languages: area under the curve, and what is among
the first 5 %, of corrections of the new release and of injected errors. DIR keeps the runs, so a study that
was stopped goes on. Seconds are of the clock, of one process.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from learnability.comparing.plan import RunPlan
from learnability.evidence.stored_runs import finished_config, finished_records
from learnability.extensions.doubts.listing import load_weights
from learnability.extensions.doubts.study import assessed_words, conllu_files
from learnability.running.folder import is_finished
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.locate import TreebankFiles, list_treebanks
from learnability.treebanks.sentence import Sentence
from learnability.treebanks.splits import read_treebank
from research.doubts.doubts import Assessed, auc, corrupted, model_of, with_release, worse
from research.loglinear.capped import LONGEST, OPTIMUM, print_row

USUAL = ("arc-eager:rich", "arc-hybrid:rich")
"""The parsers that `doubts` asks besides its graph-based ones."""

WORDS = 4_000
"""The words of a treebank that are looked at, at most, in sentences of at most `LONGEST` words."""

SHARE, FIRST = 0.01, 0.05
"""The share of the words that get an error; the share of the words that come first."""

WAYS = {"without": USUAL, "with the optimum": (*USUAL, OPTIMUM), "the optimum alone": (OPTIMUM,)}
"""Which parsers vote beside the graph-based ones."""

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Looked:
    """Hold a part of a treebank as `doubts` sees it with some parsers, by the way they vote.

    Attributes:
        title: the treebank, with its release.
        by_way: its words, by `WAYS`.
        seconds: of the trainings of the log-linear parser, and of all others.
    """

    title: str
    by_way: dict[str, Assessed]
    seconds: tuple[float, float]


def draw_part(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences of at most `LONGEST` words, drawn up to `WORDS` words, in the order of the text."""
    chosen: list[int] = []
    words = 0
    for number in np.random.default_rng(1).permutation(len(sentences)).tolist():
        if words < WORDS and len(sentences[number].tree) <= LONGEST:
            chosen.append(number)
            words += len(sentences[number].tree)
    return [sentences[number] for number in sorted(chosen)]


def sentences_of(files: TreebankFiles) -> list[Sentence]:
    """Return all sentences of a treebank."""
    treebank = read_treebank(files, multiple_roots=True)
    return [sentence for _, part in treebank.splits() for sentence in part]


def look(
    title: str, sentences: Sequence[Sentence], later: Sequence[Sentence], name: str, runs: Path
) -> Looked:
    """Run `doubts` on sentences with all parsers, unless it was; return its words with each way to vote."""
    folder, treebank = runs / title.replace(" ", "-"), runs / "parts" / title.replace(" ", "-") / name
    if not is_finished(folder):
        treebank.mkdir(parents=True, exist_ok=True)
        (treebank / "xx_part-ud-test.conllu").write_text(conllu_text(sentences), encoding="utf-8")
        parsers = [word for parser in (*USUAL, OPTIMUM) for word in ("--parser", parser)]
        command = ["doubts", "--treebank", str(treebank), "--out", str(folder), "--resume", "--quiet"]
        subprocess.run(
            [sys.executable, "-m", "learnability", *command, *parsers, "--jobs", "1"],
            stdout=subprocess.DEVNULL,
            check=True,
        )
    config = finished_config(folder)
    plan, records = RunPlan.of_config(config), finished_records(folder, config)
    files = conllu_files(plan, records)
    by_way = {}
    for way, parsers_of_way in WAYS.items():
        chosen = tuple(p for p in plan.options.parsers if p.spelling in parsers_of_way)
        of_way = replace(plan, options=replace(plan.options, parsers=chosen))
        words = assessed_words(of_way, records, files)
        by_way[way] = with_release(words, name, title.rpartition(" ")[2], later)
    seconds = [
        sum(r.wall_seconds for r in records.values() if (r.parser == OPTIMUM) == is_optimum)
        for is_optimum in (True, False)
    ]
    return Looked(title, by_way, (seconds[0], seconds[1]))


def orders_of(treebank: Assessed, scores: Floats, wrong: Flags) -> tuple[float, float]:
    """Return the area under the curve of an order of words, and which share of the wrong ones comes first."""
    known = np.flatnonzero(treebank.known)
    order = known[np.argsort(-scores[known], kind="stable")]
    first = order[: round(FIRST * len(order))]
    return auc(scores[known], wrong[known]), float(wrong[first].sum() / max(1, wrong[known].sum()))


def compare_ways(corrections: Sequence[Looked], errors: Sequence[tuple[Looked, Flags]]) -> None:
    """Print the figures of corrections, then those of errors."""
    figures: dict[str, list[float]] = {}

    def add(kind: str, looked: Looked, wrong: dict[str, Flags]) -> None:
        cells: list[str] = []
        for way in WAYS:
            treebank = looked.by_way[way]
            others = [each.by_way[way] for each in corrections]
            mistakes = [each.by_way[way] for each, _ in errors]
            language = treebank.language
            known = [each for each in others if each.language != language]
            model = load_weights()  # where there is no other language
            if known:
                model = model_of(known, [each for each in mistakes if each.language != language])
            found = orders_of(treebank, model.logits(treebank.features), wrong[way])
            figures.setdefault(f"{kind} {way}", []).extend(found)
            cells += [f"{found[0]:.3f}", f"{100 * found[1]:.1f} %"]
        for way in ("without", "the optimum alone"):
            words = looked.by_way[way].words
            scores = -worse(words.arc_gap, words.relation_gap)
            cells.append(f"{orders_of(looked.by_way[way], scores, wrong[way])[0]:.3f}")
        count = int((wrong["without"] & looked.by_way["without"].known).sum())
        seconds = " and ".join(f"{s:.0f}" for s in looked.seconds)
        print_row(looked.title, kind, count, *cells, seconds)

    print_row(
        "treebank", "wrong", "words", *(f"{way}, {what}" for way in WAYS for what in ("area", "first 5 %")),
        "margins of two, area", "of the optimum, area", "seconds: optimum and all others",
    )  # fmt: skip
    print_row("---", "---", *["--:"] * 10)
    for looked in corrections:
        corrected = {way: each.corrected(subtypes=False) for way, each in looked.by_way.items()}
        add("corrected", looked, corrected)
    for looked, flags in errors:
        add("injected", looked, dict.fromkeys(WAYS, flags))
    for kind in ("corrected", "injected"):
        cells = []
        for way in WAYS:
            values = figures[f"{kind} {way}"]
            cells += [f"{fmean(values[::2]):.3f}", f"{100 * fmean(values[1::2]):.1f} %"]
        print_row("mean", kind, "", *cells, "", "", "")


def with_errors(title: str, sentences: Sequence[Sentence], name: str, runs: Path) -> tuple[Looked, Flags]:
    """Return a part of a treebank with injected errors, and which words these are."""
    changed, errors = corrupted(sentences, SHARE, seed=1)
    looked = look(title, changed, sentences, name, runs)
    words = looked.by_way["without"].words
    places = zip(words.flat.sentence.tolist(), words.position.tolist(), strict=True)
    return looked, np.array([place in errors for place in places])


def pairs_of(old: str, new: Path, named: Sequence[str]) -> Iterator[tuple[TreebankFiles, TreebankFiles]]:
    """Yield the treebanks that both releases have."""
    later = {files.name: files for files in list_treebanks(new)}
    for folder in old.split(","):
        for files in list_treebanks(Path(folder)):
            if files.name in later and (not named or f"{files.name}@{files.release}" in named):
                yield files, later[files.name]


def main() -> None:
    """Run `doubts` where it was not, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("old", help="folders of old releases, separated by commas")
    parser.add_argument("new", type=Path)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--treebank", action="append", default=[], metavar="UD_X@RELEASE")
    line = parser.parse_args()
    line.runs.mkdir(parents=True, exist_ok=True)
    corrections, errors = [], []
    for before, after in pairs_of(line.old, line.new, line.treebank):
        later = sentences_of(after)
        part = draw_part(sentences_of(before))
        corrections.append(look(f"{before.name} {before.release}", part, later, before.name, line.runs))
        title = f"{after.name}-errors {after.release}"
        errors.append(with_errors(title, draw_part(later), after.name, line.runs))
    compare_ways(corrections, errors)


if __name__ == "__main__":
    main()
