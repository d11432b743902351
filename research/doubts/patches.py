"""Whether decisions bring errors: random proposals are applied, and whole files validated before and after.

    python research/doubts/patches.py HOME [--treebank UD_X ...] [--proposals 200] [--unchecked]

The proposals are those of `doubts --quick`, drawn with a seed. The official validator reads all files of a
treebank before and after, with the lists of its language; an error is known by its file, line and test. Of
the first 300 proposals, the first of each sentence is applied alone: does the page mark what is refused?
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from learnability.extensions.doubts.applying import apply_decisions
from learnability.extensions.doubts.columns import HEAD
from learnability.extensions.doubts.decisions import ACCEPT, DecidedPlace, Decision
from learnability.extensions.doubts.doubt import Doubt, mark_breaking
from learnability.extensions.doubts.linked_arc import ProposedArc
from learnability.extensions.doubts.merging import DecidedDoubts
from learnability.extensions.doubts.quick import list_quick_doubts
from learnability.treebanks.conllu_io import ConlluFile, read_conllu
from learnability.treebanks.locate import list_treebanks
from learnability.treebanks.sentence import Sentence
from learnability.treebanks.sentence_checks import SentenceChecker
from learnability.treebanks.validator import validate_text
from research.doubts.doubts import print_row

SEED = 1


def decide(doubt: Doubt) -> Decision:
    """Return the decision that accepts a proposal."""
    place = DecidedPlace.of(doubt.content, doubt.word, (doubt.head, doubt.deprel), doubt.column, doubt.value)
    arc = ProposedArc(doubt.word, doubt.proposed_head, doubt.proposed_deprel)
    arcs = (arc,) if doubt.column == HEAD else ()
    return Decision(place, ACCEPT, arcs, upos=doubt.upos, proposed_value=doubt.proposed_value)


def count_errors(
    files: Sequence[ConlluFile], contents: Sequence[bytes], language: str
) -> Counter[tuple[str, int, str]]:
    """Return how often each test of the official validator finds an error at each line of each file."""
    return Counter(
        (file.name, error.line, error.test)
        for file, content in zip(files, contents, strict=True)
        for error in validate_text(content, language)
    )


def find_marked_and_refused(
    files: Sequence[ConlluFile],
    sentences: Sequence[Sentence],
    doubts: Sequence[Doubt],
    checker: SentenceChecker,
) -> tuple[set[Decision], set[Decision]]:
    """Return the decisions that are marked on the page, and those that are refused: the first of each
    sentence, alone in it."""
    first = {doubt.content: doubt for doubt in reversed(doubts)}
    alone = list(first.values())[::-1]
    marked = {decide(doubt) for doubt in mark_breaking(alone, sentences, checker) if doubt.would_break}
    applied = apply_decisions(files, map(decide, alone), checker=checker)
    return marked, {each.decision for each in applied.refused}


def main() -> None:
    """Print a row for each treebank."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("home", type=Path)
    parser.add_argument("--treebank", action="append", default=[], metavar="UD_X")
    parser.add_argument("--proposals", type=int, default=200)
    parser.add_argument("--unchecked", action="store_true", help="apply all, as a patch by hand does")
    line = parser.parse_args()
    print_row(
        "treebank", "rows", "proposals", "applied", "refused", "errors before", "new errors", "marked",
        "of these refused", "refused, not marked",
    )  # fmt: skip
    print_row(*["---"] * 10)
    for each in list_treebanks(line.home):
        if line.treebank and each.name not in line.treebank:
            continue
        files = [read_conllu(path, name=path.name) for path in dict.fromkeys(each.paths())]
        sentences = [sentence for file in files for sentence in file.sentences]
        doubts = list_quick_doubts(sentences, DecidedDoubts())
        drawn = random.Random(SEED).sample(doubts, min(line.proposals, len(doubts)))
        checker = SentenceChecker.of(file.name for file in files)
        applied = apply_decisions(files, map(decide, drawn), checker=None if line.unchecked else checker)
        before = count_errors(files, [file.data for file in files], checker.language or "ud")
        after = count_errors(files, [data for _, data in applied.files], checker.language or "ud")
        marked, refused = find_marked_and_refused(
            files, sentences, doubts[: SentenceChecker.VALIDATED], checker
        )
        print_row(
            each.name, f"{len(doubts):,}", str(len(drawn)), str(applied.accepted),
            str(len(applied.refused)), f"{before.total():,}", str((after - before).total()),
            str(len(marked)), str(len(marked & refused)), str(len(refused - marked)),
        )  # fmt: skip


if __name__ == "__main__":
    main()
