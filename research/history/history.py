"""How many planted changes `history` finds, and which changes it names.

Of each treebank two versions are written: the treebank, and a copy in which a rule changes a share of the
sentences (drawn at random). `history` compares the two. A change is found if the part that it belongs to
(trees, tags or sentences) has a clear effect and no other part has one. Copies in which nothing changes that
a parser sees must show nothing. Up to commit ce9c268d, groups of changes were trained apart, too.

    python research/history/history.py UD_Greek-GDT UD_English-LinES [--release 2.16] [--sentences 1000]
        [--share 0.6] [--seeds 3] [--only case tags] [--jobs 1]
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from learnability.comparing.options import DataOptions, ExperimentOptions, TreebankSelection
from learnability.extensions.history.declaration import DECLARATION, HistoryOptions
from learnability.extensions.history.outcome import History, PartKind
from learnability.extensions.history.selecting import successive_versions
from learnability.running.workforce import Workforce
from learnability.studies.declaration import StudyRequest
from learnability.studies.run import Run
from learnability.studies.runner import run_studies
from learnability.transforms.registry import get_transformation
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.locate import SPLITS, locate_treebank
from learnability.treebanks.sentence import Sentence, Tree
from learnability.treebanks.splits import read_treebank
from research.support.treebank_folds import arguments, row, timed

Sentences = list[Sentence]

EARLIER, LATER = "2.98", "2.99"
"""What the releases of both versions are called."""


@dataclass(frozen=True)
class Plant:
    """A planted change.

    Attributes:
        part: the part that it belongs to; None if nothing changes that a parser sees.
        change: returns a sentence of the later version, given that of the earlier one.
        labelled: whether the parsers learn relations.
        earlier: the share of the sentences that the earlier version has; of the others only the later one.
        resplit: whether the later version has its sentences in other sets.
    """

    part: PartKind | None
    change: Callable[[Tree], Tree] = lambda tree: tree
    labelled: bool = False
    earlier: float = 1.0
    resplit: bool = False


def by_rule(spec: str) -> Callable[[Tree], Tree]:
    """Return the change that a construction makes; relations stay where they are."""
    rule = get_transformation(spec)
    return lambda tree: rule.apply(tree, labels="keep")


def adverbs_moved_up(tree: Tree) -> Tree:
    """Return the tree with every adverb on the head of its head, if it has one."""
    heads = list(tree.heads)
    for token, (tag, deprel) in enumerate(zip(tree.upos, tree.deprels, strict=True)):
        above = heads[token]
        if tag == "ADV" and deprel == "advmod" and above and tree.heads[above - 1]:
            heads[token] = tree.heads[above - 1]
    return tree.with_heads(heads)


def obliques_merged(tree: Tree) -> Tree:
    """Return the tree with nominal modifiers in the place of obliques."""
    return tree.with_heads(tree.heads, ["nmod" if label == "obl" else label for label in tree.deprels])


def auxiliaries_are_verbs(tree: Tree) -> Tree:
    """Return the tree with one tag for verbs and auxiliaries, and for nouns and pronouns."""
    merged = {"AUX": "VERB", "PRON": "NOUN", "DET": "ADJ"}
    return replace(tree, upos=tuple(merged.get(tag, tag) for tag in tree.upos))


def other_lemmas(tree: Tree) -> Tree:
    """Return the tree with lemmas and features that the usual parser does not read."""
    return replace(tree, lemmas=("_",) * len(tree), feats=("_",) * len(tree))


PLANTS = {
    **{spec: Plant(PartKind.ANNOTATION, by_rule(spec)) for spec in ("case", "det", "cop", "mark", "conj")},
    "punct": Plant(PartKind.ANNOTATION, by_rule("punct:head=root")),
    "adverbs": Plant(PartKind.ANNOTATION, adverbs_moved_up),
    "relations": Plant(PartKind.ANNOTATION, obliques_merged, labelled=True),
    "tags": Plant(PartKind.TAGS, auxiliaries_are_verbs),
    "new sentences": Plant(PartKind.SENTENCES, earlier=0.4),
    "nothing": Plant(None),
    "nothing but relations": Plant(None, obliques_merged),
    "nothing but lemmas": Plant(None, other_lemmas),
    "nothing but sets": Plant(None, resplit=True),
}
"""Ten changes, and four that a parser of heads must not see."""


def main() -> None:
    """Print a row per treebank and planted change."""
    parser = arguments(__doc__, ("UD_Greek-GDT", "UD_English-LinES"), "2.16")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--share", type=float, default=0.6)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--only", nargs="+", choices=PLANTS, default=list(PLANTS))
    parser.add_argument("--jobs", type=int, default=1)
    command_line = parser.parse_args()
    headings = ("treebank", "planted", "difference, points", "answer", "found", "most frequent change")
    print(row(*headings, "processor seconds"))
    print(row(*["---"] * (len(headings) + 1)))
    found = planted = alarms = 0
    for treebank in command_line.treebanks:
        for name in command_line.only:
            plant = PLANTS[name]
            seconds, history = timed(partial(planted_history, treebank, plant, command_line))
            result = Result(history, plant)
            cells = (result.difference, result.answer, result.found, result.most_frequent)
            print(row(Path(treebank).name, name, *cells, round(seconds)), flush=True)
            if plant.part is None:
                alarms += result.answer != "nothing"
            else:
                planted, found = planted + 1, found + (result.found == "yes")
    print(f"\n{found} of {planted} planted changes found; {alarms} false alarms")


def planted_history(treebank: str, plant: Plant, command_line: argparse.Namespace) -> History:
    """Return the history of two versions of a treebank, the later of which has the planted change."""
    files = locate_treebank(treebank, ud_home=command_line.ud_home, release=command_line.release)
    whole = read_treebank(files)
    pool = [sentence for _, part in whole.splits() for sentence in part][: command_line.sentences]
    draw = random.Random(1)
    earlier = [sentence for sentence in pool if plant.earlier == 1 or draw.random() < plant.earlier]
    later = [replace(s, tree=plant.change(s.tree)) if draw.random() < command_line.share else s for s in pool]
    options = ExperimentOptions(
        (),
        seeds=command_line.seeds,
        iterations=command_line.iterations,
        labels="external" if plant.labelled else None,
        data=DataOptions(cross_validate=5),
    )
    with TemporaryDirectory() as folder:
        write(Path(folder), EARLIER, files.name, earlier)
        write(Path(folder), LATER, files.name, later, first=len(later) // 3 if plant.resplit else 0)
        asked = HistoryOptions(releases=f"{EARLIER},{LATER}")
        named = TreebankSelection(treebank=files.name, ud_home=folder, cross_validate=5)
        versions = [selection.files() for selection in successive_versions(named, asked)]
        run = Run(treebanks=versions, options=options, studies=[StudyRequest(DECLARATION, asked)])
        outcome = run_studies(run, Path(folder) / "run", Workforce(command_line.jobs), report=None)
        if outcome.failed:
            raise SystemExit(f"{treebank}: {outcome.failed[0].failed}")
        return History(outcome.plan, outcome.records)


def write(folder: Path, release: str, name: str, sentences: Sequence[Sentence], first: int = 0) -> None:
    """Write a version of a treebank, 80:10:10, beginning with the sentence of this number."""
    place = folder / f"ud-treebanks-v{release}" / name
    place.mkdir(parents=True)
    turned = [*sentences[first:], *sentences[:first]]
    cuts = [0, len(turned) * 8 // 10, len(turned) * 9 // 10, len(turned)]
    for split, start, end in zip(SPLITS, cuts, cuts[1:], strict=False):
        trees = [sentence.tree for sentence in turned[start:end]]
        (place / f"xx-ud-{split}.conllu").write_text(conllu_text(trees), encoding="utf-8")


class Result:
    """What a history says of a planted change, as cells of a row."""

    def __init__(self, history: History, plant: Plant) -> None:
        self.score = history.scores[-1]
        self.clear = [part for part in history.parts if any(map(part.is_clear, history.scores))]
        self.plant = plant
        parts = [part for part in history.parts if part.part is plant.part]
        self.part = parts[0] if parts else None
        differences = history.steps[0].facts[0].differences
        self.most_frequent = differences[0].title if differences else ""

    @property
    def difference(self) -> str:
        """Return the difference that the part of the planted change made."""
        known = self.part.differences.get(self.score) if self.part else None
        return f"{known.delta:+.2f} ({known.low:+.2f} to {known.high:+.2f})" if known else ""

    @property
    def answer(self) -> str:
        """Return the parts with a clear effect."""
        return ", ".join(f"{part.part} {part.decision(self.score)}" for part in self.clear) or "nothing"

    @property
    def found(self) -> str:
        """Return whether the part of the planted change is the only one with a clear effect."""
        if self.plant.part is None:
            return ""
        return "yes" if [part.part for part in self.clear] == [self.plant.part] else "no"


if __name__ == "__main__":
    main()
