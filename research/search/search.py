"""How far a search ends from the best of all its combinations, and at which share of their cost.

    python research/search/search.py UD_Kazakh UD_Tamil --release 1.3 --splits cut --out runs/search

For each treebank `learnability combinations` runs. Then every combination of the race is trained in full
with the seeds 101, 102, 103 and, for the evaluation, 201, 202, 203; results that are in `--out` are not
computed again.

*By dev* is the combination with the highest UAS on dev, the choice of a user who trains all of them; *by
test* is that with the highest UAS on test, which no honest choice can use. Scores are UAS on test, each
parser tested on its own annotation, means over the seeds of the evaluation. Cost: tokens trained on times
iterations, and processor time, of the whole search with its trainings in full (with their conversion to UD
and measures), relative to training and parsing all combinations with three seeds. The order after the first
round, and that by dev, are compared with the mean UAS of all six seeds (Spearman's rank correlation).
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from scipy import stats

from learnability.comparing.annotated_folds import changed_sets
from learnability.comparing.annotation import Annotation
from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.options import TreebankSelection
from learnability.comparing.trainings import train_and_test
from learnability.comparing.ud import UD
from learnability.metrics.scores import Score, correct_tokens
from learnability.reports.story import RunStory
from learnability.reports.text import print_list
from learnability.running.folder import RECORDS
from learnability.running.records import Records, read_records
from learnability.running.workforce import Workforce
from learnability.studies.combinations.study import COMBINATIONS_FILE, CombinationsStudy
from learnability.studies.declaration import NoOptions, StudyRequest
from learnability.studies.experiment_arguments import arguments_of, named_experiment
from learnability.studies.registry import known_studies
from learnability.studies.run import Run
from learnability.studies.runner import run_studies

CHOOSING, FINAL = (101, 102, 103), (201, 202, 203)


def trained_in_full(fold: Fold, candidates: list[Annotation], path: Path) -> dict[str, dict[int, Any]]:
    """Return test and dev UAS of each candidate by seed, from a file to which missing results are added."""
    known: dict[str, dict[int, Any]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        entry = json.loads(line)
        known.setdefault(entry["scheme"], {})[entry["seed"]] = entry
    with path.open("a", encoding="utf-8") as file:
        for candidate in candidates:
            by_seed = known.setdefault(candidate.spelling, {})
            missing = [seed for seed in (*CHOOSING, *FINAL) if seed not in by_seed]
            parts = changed_sets(fold, fold.change(candidate)) if missing else None
            for seed in missing:
                assert parts is not None
                began = time.process_time()
                tested = train_and_test(fold, parts, seed)
                right = int(correct_tokens(tested.gold, tested.parsed, Score.UAS).sum())
                by_seed[seed] = {
                    "scheme": candidate.spelling,
                    "seed": seed,
                    "test": 100.0 * right / sum(map(len, tested.gold)),
                    "dev": max(tested.trained.dev_uas),
                    "tokens": tested.train_tokens * tested.trained.iterations,
                    "seconds": time.process_time() - began,
                }
                file.write(json.dumps(by_seed[seed]) + "\n")
                file.flush()
    return known


def searched(name: str, arguments: argparse.Namespace) -> tuple[RunStory, Fold]:
    """Run the search of a treebank; return it and its fold."""
    selection = TreebankSelection(name, arguments.ud_home, arguments.release, splits=arguments.splits)
    asked = StudyRequest(known_studies()["combinations"])
    options = named_experiment(selection.data, asked.declaration, transform=tuple(arguments.transform))
    files, out = selection.files(), Path(arguments.out) / Path(name).name
    started, finished = ((out / file).exists() for file in ("config.json", "results.csv"))
    run = Run(
        treebanks=[files],
        options=options,
        studies=[asked],
        arguments=arguments_of("combinations", [selection], options, asked.options),
    )
    began = time.process_time()
    outcome = run_studies(run, out, Workforce(jobs=1), resume=started and not finished)
    if not started:
        (out / "seconds.txt").write_text(str(time.process_time() - began))
    return outcome, fold_of(files, options, 0)


def values_of(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the values of a treebank for the tables."""
    outcome, fold = searched(name, arguments)
    records = Records(read_records(outcome.folder / RECORDS).values())
    study = CombinationsStudy(outcome.plan, NoOptions())
    space, race = study.find_space(records), study.find_race(records)
    if space is None or race is None or not race.is_over:
        raise SystemExit(f"{outcome.folder}: a training has failed")
    candidates = list(space.candidates)
    written = json.loads((outcome.folder / COMBINATIONS_FILE).read_text(encoding="utf-8"))
    first_finalist = written["finalists"][0]["scheme"]
    known = trained_in_full(fold, candidates, Path(arguments.out) / f"{Path(name).name}.jsonl")

    def mean(candidate: Annotation, seeds: tuple[int, ...], value: str) -> float:
        return float(sum(known[candidate.spelling][seed][value] for seed in seeds) / len(seeds))

    def final_mean(candidate: Annotation) -> float:
        return mean(candidate, FINAL, "test")

    every = {candidate: mean(candidate, CHOOSING + FINAL, "test") for candidate in candidates}
    order = sorted(candidates, key=lambda candidate: -every[candidate])
    by_dev = max(candidates, key=lambda candidate: mean(candidate, CHOOSING, "dev"))
    by_test = max(candidates, key=lambda candidate: mean(candidate, CHOOSING, "test"))
    first = dict(race.rounds[0])
    left = {candidate: n for n, ranked in enumerate(race.rounds, 1) for candidate, _ in ranked}
    tokens = sum(known[candidate.spelling][seed]["tokens"] for candidate in candidates for seed in CHOOSING)
    seconds = sum(known[candidate.spelling][seed]["seconds"] for candidate in candidates for seed in CHOOSING)
    spent = {setting: _tokens(records, setting) / tokens for setting in ("own", "joint", "short", "a", "b")}
    singles = [candidate for candidate in candidates if candidate.is_single]
    chosen = {
        "UD": UD,
        "best single (by dev)": max(singles, key=lambda candidate: mean(candidate, CHOOSING, "dev")),
        "winner of the race": race.rank_competitors()[0],
        "first of the finalists": next(each for each in candidates if each.title == first_finalist),
        "by dev": by_dev,
        "by test": by_test,
    }
    return {
        "treebank": name,
        "sentences": len(fold.ud.train),
        "candidates": len(candidates),
        "choices": [
            [
                what,
                candidate.title,
                final_mean(candidate),
                final_mean(candidate) - final_mean(by_dev),
                1 + order.index(candidate),
                left[candidate],
            ]
            for what, candidate in chosen.items()
        ],
        "short trainings": len(race.cells),
        "cost (tokens)": sum(spent.values()),
        "cost (seconds)": float((outcome.folder / "seconds.txt").read_text()) / seconds,
        "seconds of all": seconds,
        **{f"tokens of {setting}": share for setting, share in spent.items()},
        "first round": correlation([first[candidate] for candidate in candidates], list(every.values())),
        "dev": correlation(
            [mean(candidate, CHOOSING, "dev") for candidate in candidates], list(every.values())
        ),
        "best of all": [order[0].title, left[order[0]]],
    }


def _tokens(records: Records, setting: str) -> int:
    """Return the tokens trained on in a setting, times iterations.

    Short trainings include those on UD, one for each sample.
    """
    trained = [record for record in records.values() if record.setting == setting]
    samples = {record.seed: record for record in trained} if setting == "short" else {}
    return sum(record.work.trained_tokens for record in (*trained, *samples.values()) if record.work)


def correlation(first: list[float], second: list[float]) -> float:
    """Return Spearman's rank correlation."""
    return float(stats.spearmanr(first, second).statistic)


def main() -> None:
    """Print the tables, or all values as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("treebanks", nargs="+")
    parser.add_argument("--out", required=True)
    parser.add_argument("--ud-home")
    parser.add_argument("--release")
    parser.add_argument("--splits", default="released")
    parser.add_argument("--transform", action="append", default=[])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    Path(arguments.out).mkdir(parents=True, exist_ok=True)
    found = [values_of(name, arguments) for name in arguments.treebanks]
    if arguments.json:
        print(json.dumps(found, ensure_ascii=False, indent=2))
        return
    for values in found:
        size = f"{values['candidates']} combinations, {values['sentences']} training sentences"
        title = f"{values['treebank']}: {size}"
        headings = ("choice", "scheme", "UAS", "minus by dev", "rank", "rounds")
        print_list(headings, values["choices"], title)
        skipped = ("treebank", "candidates", "sentences", "choices")
        print_list(("", ""), [[k, str(v)] for k, v in values.items() if k not in skipped])


if __name__ == "__main__":
    main()
