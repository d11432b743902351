"""Attachment scores of a parse against its reference, as the official UD scorer defines them.

With gold tokenisation UAS and LAS are plain accuracies over tokens. UAS, LAS and CLAS here equal
the official scorer's on v2 labels: punctuation counts in UAS and LAS, LAS ignores subtypes
(`nsubj:pass` = `nsubj`). Every score also comes without punctuation, LAS also with subtypes.

Punctuation is what the *reference* labels `punct` (or `punct:*`); the system's labels and the UPOS
play no part. CLAS leaves punctuation out by definition.

The official scorer knows v2 labels only, so on v1 data it drops `dobj`, `neg`, `nsubjpass`, ...
from CLAS without a word. Here v1 labels are mapped to their v2 successors first (CLAS only: UAS, LAS
and the table of relations take the labels as they stand). Labels that neither version knows are not
content labels, as in the official scorer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from learnability.errors import InputError
from learnability.treebanks.labels import CLAS_CONTENT, PUNCT, to_v2, universal
from learnability.treebanks.sentence import AnyTrees, Sentence, Tree, trees_of

_ACCURACIES = ("uas", "las", "las_with_subtypes")
SCORES = (*(name + tokens for name in _ACCURACIES for tokens in ("", "_without_punctuation")), "clas")
"""The names of the scores of `AttachmentScores`, in the order in which they are shown."""


@dataclass(frozen=True)
class RelationScore:
    """Precision and recall of one relation, in percent; a token is correct if head and label are."""

    relation: str
    gold: int
    system: int
    correct: int

    @property
    def precision(self) -> float:
        """100 correct / system; 0 where the system never used the relation."""
        return _percent(self.correct, self.system, 0.0)

    @property
    def recall(self) -> float:
        """100 correct / gold; 0 where the reference never uses the relation."""
        return _percent(self.correct, self.gold, 0.0)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall: 200 correct / (gold + system)."""
        return _percent(2 * self.correct, self.gold + self.system, 0.0)


class Kind(NamedTuple):
    """What scores look at in a token; `upos` is the reference's."""

    gold: str
    system: str
    upos: str
    right_head: bool

    @property
    def is_word(self) -> bool:
        """Whether the reference does not call it punctuation."""
        return universal(self.gold) not in PUNCT

    def right_arc(self, label: Callable[[str], str] = universal) -> bool:
        """Whether head and `label` of the deprel are right."""
        return self.right_head and label(self.gold) == label(self.system)


@dataclass(frozen=True)
class AttachmentScores:
    """Counts of a comparison, which add up (`+`), and the scores they give, in percent.

    A score over no token is nan.

    Attributes:
        kinds: how many tokens there are of each kind.
        sentence_correct: per sentence, the tokens with the right head.
        sentence_total: per sentence, its tokens.
    """

    kinds: Counter[Kind] = field(default_factory=Counter)
    sentence_correct: tuple[int, ...] = ()
    sentence_total: tuple[int, ...] = ()

    def __repr__(self) -> str:
        """Return the sizes and the main scores: the counts of all kinds fill pages."""
        scores = ", ".join(f"{name}={getattr(self, name):.2f}" for name in ("uas", "las", "clas"))
        return f"AttachmentScores({self.sentences} sentences, {self.tokens} tokens, {scores})"

    def __add__(self, other: AttachmentScores) -> AttachmentScores:
        """The scores of both comparisons' sentences together."""
        return AttachmentScores(
            self.kinds + other.kinds,
            self.sentence_correct + other.sentence_correct,
            self.sentence_total + other.sentence_total,
        )

    def count(self, counted: Callable[[Kind], bool]) -> int:
        """The number of tokens of the kinds that are `counted`."""
        return sum(n for kind, n in self.kinds.items() if counted(kind))

    @property
    def sentences(self) -> int:
        """The number of sentences compared."""
        return len(self.sentence_total)

    @property
    def tokens(self) -> int:
        """The number of tokens compared, punctuation included."""
        return self.kinds.total()

    @property
    def words(self) -> int:
        """The number of tokens compared, punctuation left out."""
        return self.count(lambda kind: kind.is_word)

    @property
    def content(self) -> tuple[int, int, int]:
        """Gold, system and correct tokens of content labels (v1 mapped to v2, subtypes ignored)."""
        gold = system = correct = 0
        for kind, n in self.kinds.items():
            of_gold, of_system = (universal(to_v2(label, kind.upos)) for label in (kind.gold, kind.system))
            gold += n * (of_gold in CLAS_CONTENT)
            system += n * (of_system in CLAS_CONTENT)
            correct += n * (kind.right_head and of_gold == of_system and of_gold in CLAS_CONTENT)
        return gold, system, correct

    @property
    def uas(self) -> float:
        """Unlabelled attachment score: the share of tokens with the right head."""
        return _percent(self.count(lambda kind: kind.right_head), self.tokens)

    @property
    def uas_without_punctuation(self) -> float:
        """UAS over the tokens that are not punctuation."""
        return _percent(self.count(lambda kind: kind.is_word and kind.right_head), self.words)

    @property
    def las(self) -> float:
        """Labelled attachment score: right head and right label, subtypes ignored (the official LAS)."""
        return _percent(self.count(lambda kind: kind.right_arc()), self.tokens)

    @property
    def las_without_punctuation(self) -> float:
        """LAS, subtypes ignored, over the tokens that are not punctuation."""
        return _percent(self.count(lambda kind: kind.is_word and kind.right_arc()), self.words)

    @property
    def las_with_subtypes(self) -> float:
        """LAS that compares whole labels, subtypes included."""
        return _percent(self.count(lambda kind: kind.right_arc(str)), self.tokens)

    @property
    def las_with_subtypes_without_punctuation(self) -> float:
        """LAS that compares whole labels, over the tokens that are not punctuation."""
        return _percent(self.count(lambda kind: kind.is_word and kind.right_arc(str)), self.words)

    @property
    def clas(self) -> float:
        """Content-word labelled attachment score, the F1 of the official scorer.

        Twice the correct tokens of `content`, by the sum of the reference's and the system's.
        """
        gold, system, correct = self.content
        return _percent(2 * correct, gold + system)

    def percentages(self) -> dict[str, float]:
        """Every score by the name of its property, in percent."""
        return {name: getattr(self, name) for name in SCORES}

    def relation_table(self, *, subtypes: bool = False) -> tuple[RelationScore, ...]:
        """Precision, recall and F1 of every relation either side uses, in alphabetical order."""
        label = str if subtypes else universal
        gold, system, correct = Counter[str](), Counter[str](), Counter[str]()
        for kind, n in self.kinds.items():
            gold[label(kind.gold)] += n
            system[label(kind.system)] += n
            correct[label(kind.gold)] += n * kind.right_arc(label)
        return tuple(RelationScore(r, gold[r], system[r], correct[r]) for r in sorted(gold | system))


def attachment_scores(
    gold: AnyTrees, system: AnyTrees, *, names: Sequence[str] | None = None
) -> AttachmentScores:
    """Compare parses with their references, sentence by sentence: trees, sentences, or one of each.

    `names` are the sentences' ids for error messages; default: their own. Raises InputError, naming the
    sentence, if the two differ in the number of sentences or in a sentence's tokens.
    """
    references, parses = paired(gold, system, names)
    correct, kinds = [], Counter[Kind]()
    for reference, parse in zip(references, parses, strict=True):
        right = [g == p for g, p in zip(reference.heads, parse.heads, strict=True)]
        correct.append(sum(right))
        kinds.update(map(Kind, reference.deprels, parse.deprels, reference.upos, right))
    return AttachmentScores(kinds, tuple(correct), tuple(map(len, references)))


def paired(
    gold: AnyTrees, system: AnyTrees, names: Sequence[str] | None = None
) -> tuple[list[Tree], list[Tree]]:
    """The trees of references and parses, as many and of the same tokens; see :func:`attachment_scores`."""
    given = [gold] if isinstance(gold, Tree | Sentence) else list(gold)
    references, parses = trees_of(given), trees_of(system)
    if len(references) != len(parses):
        what = f"the reference has {len(references)} sentences, the system {len(parses)}"
        raise InputError(f"{what}: give the same sentences")
    names = names or [one.sent_id if isinstance(one, Sentence) else "" for one in given]
    for number, (name, reference, parse) in enumerate(zip(names, references, parses, strict=True), start=1):
        _check_forms(reference, parse, name, number)
    return references, parses


def _check_forms(gold: Tree, system: Tree, name: str, number: int) -> None:
    where = f"sentence {number}" + (f" ({name})" if name else "")
    if len(gold) != len(system):
        raise InputError(
            f"{where}: {len(gold)} tokens in the reference, {len(system)} in the system; "
            "compare parses of the same tokens"
        )
    if gold.forms != system.forms:
        at = next(i for i in range(len(gold)) if gold.forms[i] != system.forms[i])
        raise InputError(
            f"{where}, token {at + 1}: {gold.forms[at]!r} in the reference, "
            f"{system.forms[at]!r} in the system; compare parses of the same tokens"
        )


def _percent(part: int, whole: int, empty: float = float("nan")) -> float:
    return 100.0 * part / whole if whole else empty
