"""Score a parse against its gold trees, as the official UD scorer defines it.

What a token adds to a score is said once, in `metrics.scores`. With gold tokenisation UAS and LAS are plain
accuracies over tokens. UAS, LAS and CLAS here equal the official scorer's on v2 labels: punctuation counts in
UAS and LAS, LAS ignores subtypes (`nsubj:pass` = `nsubj`). Every score is also computed without punctuation,
LAS also with subtypes.

As in the official scorer, spaces in words do not count: `1 000` with a no-break space is the same word.

Punctuation is what the *gold tree* labels `punct` (or `punct:*`); the labels of the parse and the UPOS
do not matter. CLAS leaves punctuation out by definition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import eq
from typing import NamedTuple

from learnability.errors import InputError
from learnability.metrics.scores import Score
from learnability.support.nouns import count_noun, say_there_are
from learnability.treebanks.labels import PUNCT, universal
from learnability.treebanks.sentence import AnyTrees, Sentence, Tree, other_word, trees_of

_ACCURACIES = ("uas", "las", "las_with_subtypes")
SCORES = (*(name + tokens for name in _ACCURACIES for tokens in ("", "_without_punctuation")), "clas")
"""The names of the scores of `AttachmentScores`, in the order of presentation."""

TITLES = {"uas": "UAS", "las": "LAS", "las_with_subtypes": "LAS, whole labels", "clas": "CLAS"}
"""What tables call them; those without punctuation stand beside."""


@dataclass(frozen=True)
class RelationScore:
    """Precision and recall of one relation, in percent; a token is correct if its head and label are.

    `gold`, `system`, `correct`: the numbers of tokens with it in the gold trees, in the parses, and of right
    ones.
    """

    relation: str
    gold: int
    system: int
    correct: int

    @property
    def precision(self) -> float:
        """Return 100 correct / system; 0 where no parse uses the relation."""
        return _percent(self.correct, self.system, 0.0)

    @property
    def recall(self) -> float:
        """Return 100 correct / gold; 0 where no gold tree uses the relation."""
        return _percent(self.correct, self.gold, 0.0)

    @property
    def f1(self) -> float:
        """Return the harmonic mean of precision and recall: 200 correct / (gold + system)."""
        return _percent(2 * self.correct, self.gold + self.system, 0.0)


class Kind(NamedTuple):
    """Hold what scores depend on of a token: deprels in gold tree and parse, gold UPOS, and its head."""

    gold: str
    system: str
    upos: str
    right_head: bool

    @property
    def is_word(self) -> bool:
        return universal(self.gold) not in PUNCT


@dataclass(frozen=True)
class AttachmentScores:
    """Counts of a comparison, which can be added (`+`), and the scores computed from them, in percent.

    A score over no tokens is nan.
    """

    kinds: Counter[Kind] = field(default_factory=Counter)
    sentences: int = 0

    def __repr__(self) -> str:
        """Return the sizes and the main scores: the counts of all kinds fill pages."""
        scores = ", ".join(f"{name}={getattr(self, name):.2f}" for name in ("uas", "las", "clas"))
        sizes = f"{count_noun(self.sentences, 'sentence')}, {count_noun(self.tokens, 'token')}"
        return f"AttachmentScores({sizes}, {scores})"

    def __add__(self, other: AttachmentScores) -> AttachmentScores:
        return AttachmentScores(self.kinds + other.kinds, self.sentences + other.sentences)

    @property
    def tokens(self) -> int:
        """Return the number of tokens compared, punctuation included."""
        return self.kinds.total()

    @property
    def words(self) -> int:
        """Return the number of tokens compared, punctuation left out."""
        return sum(n for kind, n in self.kinds.items() if kind.is_word)

    def percent(
        self, score: Score, label: Callable[[str], str] | None = None, *, punctuation: bool = True
    ) -> float:
        """Return a score in percent; `label`: the part of a relation that counts; default: the score's."""
        right = counted = 0
        for kind, n in self.kinds.items():
            if punctuation or kind.is_word:
                of_token = score.count_token(*kind, label)
                right, counted = right + n * of_token[0], counted + n * of_token[1]
        return _percent(right, counted)

    @property
    def uas(self) -> float:
        return self.percent(Score.UAS)

    @property
    def uas_without_punctuation(self) -> float:
        return self.percent(Score.UAS, punctuation=False)

    @property
    def las(self) -> float:
        """Return the labelled attachment score: head and label right, subtypes ignored (the official LAS)."""
        return self.percent(Score.LAS, universal)

    @property
    def las_without_punctuation(self) -> float:
        return self.percent(Score.LAS, universal, punctuation=False)

    @property
    def las_with_subtypes(self) -> float:
        return self.percent(Score.LAS, str)

    @property
    def las_with_subtypes_without_punctuation(self) -> float:
        return self.percent(Score.LAS, str, punctuation=False)

    @property
    def clas(self) -> float:
        """Return the content-word labelled attachment score, the F1 of the official scorer."""
        return self.percent(Score.CLAS)

    def percentages(self) -> dict[str, float]:
        """Return every score in percent, by the name of its property (`SCORES`)."""
        return {name: getattr(self, name) for name in SCORES}

    def relation_table(self, *, subtypes: bool = False) -> tuple[RelationScore, ...]:
        """Return precision, recall and F1 of every relation in gold trees or parses, alphabetically."""
        label = str if subtypes else universal
        gold, system, correct = Counter[str](), Counter[str](), Counter[str]()
        for kind, n in self.kinds.items():
            gold[label(kind.gold)] += n
            system[label(kind.system)] += n
            correct[label(kind.gold)] += n * Score.LAS.count_token(*kind, label)[0]
        return tuple(RelationScore(r, gold[r], system[r], correct[r]) for r in sorted(gold | system))


def attachment_scores(
    gold: AnyTrees, system: AnyTrees, *, names: Sequence[str] | None = None
) -> AttachmentScores:
    """Compare parses with gold trees, sentence by sentence, by the definitions of the official UD scorer.

    Args:
        gold: the gold trees: trees, sentences, or a single tree or sentence.
        system: the parses of the same sentences, in the same order.
        names: the names of the sentences for error messages; default: `Sentence.name`.

    Returns:
        The counts, with UAS, LAS and CLAS in percent.

    Raises:
        InputError: `gold` and `system` differ in the number of sentences or in the tokens of a sentence.
    """
    gold_trees, parses = pair_sentences(gold, system, names)
    kinds = Counter[Kind]()
    for tree, parse in zip(gold_trees, parses, strict=True):
        kinds.update(map(Kind, tree.deprels, parse.deprels, tree.upos, map(eq, tree.heads, parse.heads)))
    return AttachmentScores(kinds, len(gold_trees))


def pair_sentences(
    gold: AnyTrees, system: AnyTrees, names: Sequence[str] | None = None
) -> tuple[list[Tree], list[Tree]]:
    """Return gold trees and parses with the same tokens; errors are those of :func:`attachment_scores`."""
    sentences = [gold] if isinstance(gold, Tree | Sentence) else list(gold)
    gold_trees, parses = trees_of(sentences), trees_of(system)
    if len(gold_trees) != len(parses):
        raise InputError(
            f"{say_there_are(len(gold_trees), 'gold tree')}, but {count_noun(len(parses), 'parse')}; "
            "pass a parse of every sentence"
        )
    if not names:
        names = [sentence.name if isinstance(sentence, Sentence) else "" for sentence in sentences]
    for number, (name, tree, parse) in enumerate(zip(names, gold_trees, parses, strict=True), start=1):
        _check_forms(tree, parse, name, number)
    return gold_trees, parses


def _check_forms(gold: Tree, system: Tree, name: str, number: int) -> None:
    where = f"sentence {number}" + (f" ({name})" if name else "")
    if len(gold) != len(system):
        raise InputError(
            f"{where} has {count_noun(len(gold), 'token')} in the gold tree and {len(system)} in the parse; "
            "compare parses of the same tokens"
        )
    if token := other_word(gold, system):
        raise InputError(
            f"{where}, token {token}: {gold.forms[token - 1]!r} in the gold tree, "
            f"{system.forms[token - 1]!r} in the parse; compare parses of the same tokens"
        )


def _percent(part: int, whole: int, empty: float = float("nan")) -> float:
    return 100.0 * part / whole if whole else empty
