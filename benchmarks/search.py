"""How far a search ends from the best of all its combinations, and at which share of the cost of these.

    python benchmarks/search.py UD_Kazakh UD_Tamil --release 1.3 --splits cut --out runs/search

Per treebank `learnability search` is carried out, and then every combination of the race is trained in full
with the seeds 101, 102, 103 and, to be judged, 201, 202, 203; what is in `--out` is not computed again.

*By dev* is the combination with the highest UAS on dev, what somebody would choose who trains all; *by test*
that with the highest on test, which no honest choice can look at. Scores are own-reference UAS on test with
the seeds that judge, means over them. Cost: tokens trained on times iterations, and processor time, of the
whole search with its trainings in full (their conversion to UD and measures, too), against training and
parsing of all combinations with three seeds. The orders are compared with the mean UAS of all six seeds
(Spearman's rank correlation): that of the first round, and of dev.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from scipy import stats

from learnability.comparing.annotation import Annotation
from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.kinds.ud import UD
from learnability.comparing.on_fold import changed_parts
from learnability.comparing.options import TreebankSelection
from learnability.comparing.trainings import train_and_test
from learnability.metrics.scores import Score, correct_tokens
from learnability.reports.text import print_list
from learnability.running.folder import RECORDS
from learnability.running.records import Records, read_records
from learnability.running.workforce import Workforce
from learnability.studies.asking import arguments_of, named_experiment
from learnability.studies.comparisons import compared
from learnability.studies.declaration import Asked, NoOptions
from learnability.studies.registry import STUDIES
from learnability.studies.runner import RunOutcome, RunRequest, run_studies
from learnability.studies.search.outcome import SearchReport, search_report
from learnability.studies.search.study import SearchStudy

CHOOSING, JUDGING = (101, 102, 103), (201, 202, 203)


def trained_in_full(fold: Fold, candidates: list[Annotation], path: Path) -> dict[str, dict[int, Any]]:
    """Test and dev UAS of each candidate by seed, from the lines of a file, to which what lacks is added."""
    known: dict[str, dict[int, Any]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        entry = json.loads(line)
        known.setdefault(entry["scheme"], {})[entry["seed"]] = entry
    with path.open("a", encoding="utf-8") as file:
        for candidate in candidates:
            own = known.setdefault(candidate.spelling, {})
            missing = [seed for seed in (*CHOOSING, *JUDGING) if seed not in own]
            parts = changed_parts(fold, fold.change(candidate)) if missing else None
            for seed in missing:
                assert parts is not None
                began = time.process_time()
                tested = train_and_test(fold, parts, seed)
                right = int(correct_tokens(tested.gold, tested.parsed, Score.UAS).sum())
                own[seed] = {
                    "scheme": candidate.spelling,
                    "seed": seed,
                    "test": 100.0 * right / sum(map(len, tested.gold)),
                    "dev": max(tested.trained.dev_uas),
                    "tokens": tested.train_tokens * tested.trained.iterations,
                    "seconds": time.process_time() - began,
                }
                file.write(json.dumps(own[seed]) + "\n")
                file.flush()
    return known


def searched(name: str, arguments: argparse.Namespace) -> tuple[RunOutcome, Fold]:
    """The search of a treebank, and its fold."""
    selection = TreebankSelection(name, arguments.ud_home, arguments.release, splits=arguments.splits)
    asked = Asked(STUDIES["search"])
    options = named_experiment(selection.data, asked.declaration, transform=tuple(arguments.transform))
    files, out = selection.files(), Path(arguments.out) / Path(name).name
    started, finished = ((out / file).exists() for file in ("config.json", "results.csv"))
    request = RunRequest(
        options=options,
        asked=[asked],
        out=out,
        arguments=arguments_of("search", [selection], options, asked),
    )
    began = time.process_time()
    outcome = run_studies([files], request, Workforce(jobs=1), resume=started and not finished)
    if not started:
        (out / "seconds.txt").write_text(str(time.process_time() - began))
    return outcome, fold_of(files, options, 0)


def values_of(name: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """What the tables say of a treebank."""
    outcome, fold = searched(name, arguments)
    records = Records(read_records(outcome.folder / RECORDS).values())
    report = reported(outcome, records)
    race, candidates = report.race, list(report.space.candidates)
    known = trained_in_full(fold, candidates, Path(arguments.out) / f"{Path(name).name}.jsonl")

    def mean(one: Annotation, seeds: tuple[int, ...], value: str) -> float:
        return float(sum(known[one.spelling][seed][value] for seed in seeds) / len(seeds))

    def judged(one: Annotation) -> float:
        return mean(one, JUDGING, "test")

    every = {one: mean(one, CHOOSING + JUDGING, "test") for one in candidates}
    order = sorted(candidates, key=lambda one: -every[one])
    by_dev = max(candidates, key=lambda one: mean(one, CHOOSING, "dev"))
    by_test = max(candidates, key=lambda one: mean(one, CHOOSING, "test"))
    first = dict(race.rounds[0].standings)
    left = {one: (n, s.verdict) for n, r in enumerate(race.rounds, 1) for one, s in r.standings}
    combinations = [own.annotation for own in report.ranked if own.annotation in every]
    tokens = sum(known[one.spelling][seed]["tokens"] for one in candidates for seed in CHOOSING)
    seconds = sum(known[one.spelling][seed]["seconds"] for one in candidates for seed in CHOOSING)
    spent = {own: _tokens(records, own) / tokens for own in ("short", "a", "b")}
    singles = [one for one in candidates if one.is_single]
    chosen = {
        "UD": UD,
        "best single (by dev)": max(singles, key=lambda one: mean(one, CHOOSING, "dev")),
        "winner of the race": race.leader,
        "first of the finalists": combinations[0],
        "by dev": by_dev,
        "by test": by_test,
    }
    return {
        "treebank": name,
        "sentences": report.space.sentences,
        "candidates": len(candidates),
        "choices": [
            [what, one.title, judged(one), judged(one) - judged(by_dev), 1 + order.index(one), *left[one]]
            for what, one in chosen.items()
        ],
        "short trainings": len(race.cells),
        "cost (tokens)": sum(spent.values()),
        "cost (seconds)": float((outcome.folder / "seconds.txt").read_text()) / seconds,
        "seconds of all": seconds,
        **{f"tokens of {own}": share for own, share in spent.items()},
        "first round": correlation([first[one].score for one in candidates], list(every.values())),
        "dev": correlation([mean(one, CHOOSING, "dev") for one in candidates], list(every.values())),
        "best of all": [order[0].title, *left[order[0]]],
    }


def reported(outcome: RunOutcome, records: Records) -> SearchReport:
    """What the finished search has found."""
    search = SearchStudy(outcome.plan, NoOptions()).search(records)
    assert search.space is not None
    assert search.race is not None
    assert search.finalists is not None
    plan = outcome.plan.comparing(search.finalists)
    rows = compared(plan, records).rows
    report = search_report(plan, search.space, search.race, search.finalists, records, rows)
    if report is None:
        raise SystemExit(f"{outcome.folder}: a training has failed")
    return report


def _tokens(records: Records, setting: str) -> int:
    """Trained on in a setting, times iterations; of short trainings with those on UD, one for each sample."""
    trained = [record for record in records.values() if record.setting == setting]
    samples = {record.seed: record for record in trained} if setting == "short" else {}
    return sum(record.work.trained_tokens for record in (*trained, *samples.values()) if record.work)


def correlation(one: list[float], other: list[float]) -> float:
    """Spearman's."""
    return float(stats.spearmanr(one, other).statistic)


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
    for own in found:
        title = f"{own['treebank']}: {own['candidates']} combinations, {own['sentences']} training sentences"
        headings = ("choice", "scheme", "UAS", "minus by dev", "rank", "rounds", "then")
        print_list(headings, own["choices"], title)
        skipped = ("treebank", "candidates", "sentences", "choices")
        print_list(("", ""), [[k, str(v)] for k, v in own.items() if k not in skipped])


if __name__ == "__main__":
    main()
