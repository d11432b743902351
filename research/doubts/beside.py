"""What MarkBugs of udapi, the official validator and `doubts` find in a treebank, and what only one finds.

    python research/doubts/beside.py OLD NEW --runs FOLDER --treebank UD_X@RELEASE [--fit UD_X@RELEASE ...]

OLD and NEW are as in `replay.py`, and so is `--fit`. A word is corrected if NEW has another head or another
universal relation for it. MarkBugs and the validator mark a word with two subjects, of which a dependent has
to be corrected: the table counts both. They also look at tags and features, which no correction counts.
"""

from __future__ import annotations

import argparse
import io
import re
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from learnability.extensions.doubts.columns import HEAD
from learnability.extensions.doubts.listing import AssessedTreebank, load_all_weights
from learnability.extensions.doubts.results import ValidatorResult
from learnability.extensions.doubts.study import LISTED
from learnability.treebanks.columns import MISC
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.locate import TreebankFiles, list_treebanks
from learnability.treebanks.validator import validate_files
from research.doubts.doubts import Assessed, Flags, compared, print_row
from research.doubts.replay import weights_of_others

OF_FEATURES = re.compile("no-|finverb-")
"""The beginnings of the names of bugs that are about features."""


def marked_by_udapi(treebank: Assessed, paths: Sequence[Path]) -> list[list[str]]:
    """Return the names of the bugs of each word."""
    by_file = {path.name: bugs_of_file(path) for path in paths}
    places: dict[str, int] = defaultdict(int)
    found: list[list[str]] = []
    for sentence in treebank.words.sentences:
        found += by_file[sentence.file][places[sentence.file]]
        places[sentence.file] += 1
    return found


def bugs_of_file(path: Path) -> list[list[list[str]]]:
    """Return the names of the bugs of each word of each sentence."""
    with path.open("rb") as source:
        done = subprocess.run(
            ["udapy", "-s", "ud.MarkBugs"], stdin=source, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            check=True,
        )  # fmt: skip
    marked = read_conllu(io.BytesIO(done.stdout), multiple_roots=True, name=path.name)
    return [[bugs_of_line(sentence.lines[row]) for row in sentence.rows] for sentence in marked.sentences]


def bugs_of_line(line: str) -> list[str]:
    """Return the names of the bugs that MISC has."""
    items = line.split("\t")[MISC].split("|")
    return [name for item in items if item.startswith("Bug=") for name in item[4:].split(",")]


def marked_by_validator(treebank: Assessed, paths: Sequence[Path]) -> Flags:
    """Return bool[words], at which the validator finds an error."""
    found = validate_files(paths)
    if found is None:
        raise SystemExit("the official validator did not run; install udtools")
    errors = ValidatorResult(incidents=found).errors_by_line()
    return np.array(
        [
            (sentence.file, sentence.line_of(word)) in errors
            for sentence in treebank.words.sentences
            for word in range(1, len(sentence) + 1)
        ]
    )


def with_dependents(treebank: Assessed, flags: Flags) -> Flags:
    """Return bool[words], which words have a flag, or a dependent with it."""
    either = flags.copy()
    heads = treebank.words.at(treebank.words.heads)
    either[heads[flags & (heads >= 0)]] = True
    return either


def print_table(treebank: Assessed, marked: Mapping[str, Flags]) -> None:
    """Print what is found: words, how many of them are corrected, and which corrections only one finds."""
    corrected = treebank.corrected(subtypes=False)
    near = with_dependents(treebank, corrected)
    print_row("marked by", "words", "corrected", "or a dependent", "share", "corrected, found by no other")
    print_row("---", *["--:"] * 5)
    for name, flags in marked.items():
        known = flags & treebank.known
        others = np.any([other for title, other in marked.items() if kind_of(title) != kind_of(name)], axis=0)
        alone = known & corrected & ~others
        share = (known & near).sum() / max(known.sum(), 1)
        counts = (f"{int(count.sum()):,}" for count in (known, known & corrected, known & near))
        print_row(name, *counts, f"{share:.0%}", f"{int(alone.sum()):,}")
    known = treebank.known
    share = (known & near).sum() / max(known.sum(), 1)
    counts = (f"{int(count.sum()):,}" for count in (known, known & corrected, known & near))
    print_row("all words", *counts, f"{share:.0%}", "")


def kind_of(title: str) -> str:
    """Return the tool of a row of the table."""
    return title.partition(",")[0]


def files_of(folder: Path, name: str) -> TreebankFiles:
    """Return the files of a treebank of a release."""
    return next(files for files in list_treebanks(folder) if files.name == name)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("old", help="folders of old releases, separated by commas")
    parser.add_argument("new", type=Path)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--treebank", required=True, metavar="UD_X@RELEASE")
    parser.add_argument("--fit", action="append", default=[], metavar="UD_X@RELEASE")
    line = parser.parse_args()
    line.runs.mkdir(parents=True, exist_ok=True)
    old = [Path(folder) for folder in line.old.split(",")]
    fitted = [each for folder in old if line.fit for each in compared(folder, line.new, line.fit, line.runs)]
    for folder in old:
        for treebank in compared(folder, line.new, [line.treebank], line.runs):
            model = weights_of_others(fitted).get(treebank.language) or load_all_weights()[HEAD]
            paths = list(files_of(folder, treebank.name).paths())
            bugs = marked_by_udapi(treebank, paths)
            first = np.zeros(len(bugs), bool)
            first[AssessedTreebank.of(treebank.words, model).order()[:LISTED]] = True
            of_trees = [[bug for bug in each if not OF_FEATURES.match(bug)] for each in bugs]
            marked = {
                "MarkBugs": np.array([bool(each) for each in bugs]),
                "MarkBugs, heads and relations": np.array([bool(each) for each in of_trees]),
                "validator, level 3": marked_by_validator(treebank, paths),
                f"doubts, first {LISTED:,}": first,
            }
            print_table(treebank, marked)


if __name__ == "__main__":
    main()
