"""Do two copies of UD differ abroad? Three draws of a run against three further ones, in every target.

The first copy is UD as a run of `transfer` trained it, whose records are read. The second learns from UD,
too, by other draws. Differences by arcs between phrases, their intervals, and their mean are those of the
program.

    python research/transfer/shams.py RUN OUT --ud-home DIR

OUT is a file that gets the counts of each training, and is continued if it exists.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from learnability.comparing.fold import fold_of
from learnability.comparing.options import ExperimentOptions, TreebankSelection
from learnability.comparing.trainings import train_annotation
from learnability.evidence.score_differences import Difference
from learnability.extensions.transfer.declaration import TransferOptions
from learnability.extensions.transfer.study import DRAW_RATIO, Draws
from learnability.extensions.transfer.targets import TransferTarget
from learnability.parsers.registry import parser_named
from learnability.statistics.inference import AHEAD
from learnability.statistics.significance import compare
from learnability.statistics.spread import scale_seed_ratio
from learnability.treebanks.families import origin_of_treebank

PARSER, OTHER_DRAWS = "arc-eager", (4, 5, 6)

KEY = re.compile(r'{"key": ?"(?P<target>[^/@]+)@[^/]*/(?:abroad/)?a//(?P<seed>\d+)/0(?:/parser=arc-eager)?"')


def main() -> None:
    """Train the second copies, and print how many targets have a side, and the mean."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--ud-home", required=True)
    parser.add_argument("--iterations", type=int)
    arguments = parser.parse_args()
    first = read_counts(arguments.run / "records.jsonl")
    second = read_counts(arguments.out) if arguments.out.exists() else {}
    options = ExperimentOptions.spell_annotations(["case"], tags="only", trees=False)
    options = replace(options, parsers=(parser_named(PARSER),))
    if arguments.iterations:
        options = replace(options, iterations=arguments.iterations)
    named = TreebankSelection(ud_home=arguments.ud_home)
    differences, origins = [], []
    for selection in TransferTarget.find_selections(named, TransferOptions(every_language=True)):
        files = selection.files()
        if files.name not in first:
            continue
        if files.name not in second:
            fold = fold_of(files, options, 0)
            draws = Draws(fold, TransferOptions())
            second[files.name] = []
            for seed in OTHER_DRAWS[: len(first[files.name])]:
                found = train_annotation(draws.of_seed(seed), None, seed)
                assert found is not None
                right = found.scores["uas"].phrases
                second[files.name].append((right, found.phrases))
                result = {"phrases": found.phrases, "scores": {"uas": {"phrases": right}}}
                line = {"key": f"{files.name}@/a//{seed}/0", "result": result}
                with arguments.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
        differences.append(test(first[files.name], second[files.name]))
        origins.append(origin_of_treebank(files.name, files.paths()))
    clear = [difference for difference in differences if difference.is_significant]
    print(f"{len(clear)} of {len(differences)} targets have a side (5 % of each alone)")
    mean = Difference.average(differences, origins)
    if mean is not None:
        (corrected,) = Difference.correct([mean])
        assert corrected is not None
        side = "a side" if corrected.better in AHEAD else "no side"
        print(f"mean {mean.delta:+.2f} ({mean.low:+.2f} to {mean.high:+.2f}), {side}")


Counts = list[tuple[Sequence[int], Sequence[int]]]
"""Per draw, the right phrases of each sentence, and all of them."""


def read_counts(path: Path) -> dict[str, Counts]:
    """Return by target what trainings on UD got right, in the order of the draws."""
    found: dict[str, dict[int, tuple[Sequence[int], Sequence[int]]]] = {}
    with path.open(encoding="utf-8") as file:
        for line in file:
            if match := KEY.match(line):
                result = json.loads(line)["result"]
                counts = result["scores"]["uas"]["phrases"], result["phrases"]
                found.setdefault(match["target"], {})[int(match["seed"])] = counts
    return {name: [draws[seed] for seed in sorted(draws)] for name, draws in found.items()}


def test(first: Counts, second: Counts) -> Difference:
    """Return the difference of two copies, as the program tests it."""
    total = first[0][1]
    ratio = scale_seed_ratio(DRAW_RATIO, sum(total), 75_000)
    found = compare([right for right, _ in first], [right for right, _ in second], total, seed_ratio=ratio)
    (difference,) = Difference.correct([Difference.of(found)])
    assert difference is not None
    return difference


if __name__ == "__main__":
    main()
