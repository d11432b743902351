"""Define the transformations of the package: a class names its labels, and its family does the rest.

The diagrams show a UD tree, and the same words transformed (docs/rules.md, Function heads; Flat expressions;
Coordination).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from learnability.transforms.base import Promises
from learnability.transforms.conjunct_chains import ConjunctChains
from learnability.transforms.conjuncts import Conjuncts
from learnability.transforms.coordination import Coordinations
from learnability.transforms.flat_expressions import FlatExpressions
from learnability.transforms.function_heads import FunctionHeads
from learnability.transforms.punctuation import PunctuationHeads
from learnability.treebanks import labels as ud
from learnability.treebanks.sentence import Conventions

REATTACH: Mapping[str, tuple[str, ...]] = {"reattach": ("min", "sud")}
"""Which dependents move to a function word: those beyond it, or those that SUD moves."""


def _as_sud(v1: float, v2: float) -> dict[str, Promises]:
    """Return what a rule promises with ``reattach=sud``: arcs may cross where arguments stay.

    Without external labels the inverse has to guess which dependents moved from the inside.
    """
    return {"reattach=sud": Promises(projective=False, invertible=(v1, v2))}


class Case(FunctionHeads):
    """Adpositions and case particles as heads::

    UD        lives -> city -> {in, the, big}
    case      lives -> in -> city -> {the, big}
    """

    name = "case"
    description = "adpositions and case markers head their noun phrase"
    place_labels = "case, case:*"
    labels = ud.CASE
    options: ClassVar = REATTACH
    weaker: ClassVar = _as_sud(0.85, 0.85)


class Det(FunctionHeads):
    """Determiners as heads::

    UD     lives -> city -> {in, the, big}
    det    lives -> the -> {in, city -> big}        (`in` lies beyond `the`)
    """

    name = "det"
    description = "determiners head their noun phrase"
    place_labels = "det, det:*"
    labels = ud.DET


class Mark(FunctionHeads):
    """Subordinating conjunctions and infinitive markers as heads::

    UD      says -> like -> {that, you}
    mark    says -> that -> like -> you
    """

    name = "mark"
    description = "subordinating conjunctions and infinitive markers head their clause"
    place_labels = "mark, mark:*"
    labels = ud.MARK
    options: ClassVar = REATTACH
    weaker: ClassVar = _as_sud(0.72, 0.72)


class Auxiliary(FunctionHeads):
    """Auxiliaries as heads: the verb groups of de Lhoneux & Nivre 2016; not part of the 2018 paper::

        UD     injured -> {She, could, have, been}
        aux    could -> {She, have -> been -> injured}

    Together with ``cop``, the passive auxiliaries are places of ``cop``.
    """

    name = "aux"
    description = "auxiliaries head their verb (verb groups)"
    place_labels = "aux, aux:*, auxpass, auxpass:*"
    labels = ud.AUX
    options: ClassVar = REATTACH
    weaker: ClassVar = _as_sud(0.55, 0.35)
    promises = Promises(invertible=(0.95, 0.98))


class Cop(FunctionHeads):
    """Copulas and passive auxiliaries as heads::

        UD                     dancer -> {Ivan, is, the, best}
        cop                    is -> {Ivan, dancer -> {the, best}}

    ``reattach=clause`` moves the dependents of the clause to the copula even where they lie on the
    predicate's side of it (*Is he nice?*: ``Is -> {he, nice, ?}``), as far as this keeps projectivity.
    """

    name = "cop"
    description = "copulas and passive auxiliaries head their predicate"
    variants: ClassVar = {
        "deprel=cop": "copulas head their predicate",
        "deprel=aux:pass": "passive auxiliaries head their predicate",
        "deprel=auxpass": "passive auxiliaries head their predicate",
    }
    place_labels = "cop, cop:*, auxpass, auxpass:*, aux:pass"
    promises = Promises(invertible=(0.94, 0.95))
    # dependents that moved from the inside look like those of the copula in UD
    weaker: ClassVar = {"reattach=clause": Promises(invertible=(0.1, 0.1)), **_as_sud(0.33, 0.5)}
    options: ClassVar = {"reattach": ("min", "clause", "sud")}

    def __init__(self, conventions: Conventions, **options: str) -> None:
        super().__init__(conventions, **options)
        self.clausal = self.option["reattach"] == "clause"

    def is_place_label(self, deprel: str) -> bool:
        return ud.universal(deprel) in ud.COP or ud.is_passive_auxiliary(deprel)


class Cc(Coordinations):
    """Coordinators as heads of their coordination, or conjuncts in a chain::

    UD v2     have -> apples -> {pears, bananas -> and}
    prague    have -> and -> {apples, pears, bananas}
    moscow    have -> apples -> pears -> and -> bananas
    """

    name = "cc"
    description = "coordinators head their coordination (Prague style)"
    variants: ClassVar = {"style=moscow": "conjuncts and coordinators form a chain"}
    place_labels = "cc between conjuncts (not cc:preconj), one place per coordination"

    def is_place_label(self, deprel: str) -> bool:
        return ud.is_coordinator(deprel)


class Conj(Conjuncts):
    """The last conjunct as head of the coordination, or (``direction=left``) the first::

    UD       have -> apples -> {pears, bananas -> and}
    right    have -> bananas -> {apples, pears, and}
    """

    name = "conj"
    description = "the last conjunct heads the coordination"
    place_labels = "conj, conj:* (the conjunct that is to be the head, one place per coordination)"


class ConjunctSequence(ConjunctChains):
    """Each conjunct on the one before, and what follows the last conjunct on the last, as in SUD::

    UD       buy -> apples -> {pears, plums -> and}       (He buys apples , pears and plums)
    chain    buy -> apples -> pears -> plums -> and
    """

    name = "conjuncts"
    description = "each conjunct depends on the one before (SUD)"
    place_labels = "conj, conj:* (the last conjunct, one place per coordination)"


class Punct(PunctuationHeads):
    """Punctuation on the head of its clause, on its neighbour, or as near to the root as possible::

    UD           left -> brother -> Tom -> {",", ","}       (My brother , Tom , left)
    clause       left -> {brother -> {Tom, ","}, ","}
    neighbour    left -> brother -> {",", Tom -> ","}
    root         as clause, but marks that hang on the head of a clause rise from there, too
    """

    name = "punct"
    description = "punctuation hangs on the head of its clause"
    place_labels = "punct, punct:* (without dependents; with head=neighbour one place per run of marks)"


class Mwe(FlatExpressions):
    """Fixed expressions, and words split in the text, as chains::

    UD     rain -> in -> {spite, of}
    mwe    rain -> in -> spite -> of
    """

    name = "mwe"
    description = "words of fixed expressions and split words form a chain"
    place_labels = "mwe, fixed, goeswith (from the second on a side)"
    labels = ud.MWE


class Name(FlatExpressions):
    """Names as chains::

    UD      won -> Hillary -> {Rodham, Clinton}
    name    won -> Hillary -> Rodham -> Clinton
    """

    name = "name"
    description = "words of names form a chain"
    place_labels = "v1 name; v2 flat:name, else flat but not flat:foreign (from the second on a side)"

    def is_place_label(self, deprel: str) -> bool:
        return ud.is_name(deprel, self.conventions)


class Foreign(FlatExpressions):
    """Words of another language, and whatever else is flat without being a name, as chains::

    UD         said -> per -> {capita, annum}
    foreign    said -> per -> capita -> annum
    """

    name = "foreign"
    description = "flat words that are no names form a chain"
    place_labels = "v1 foreign; v2 flat, flat:* that are not places of name (from the second on a side)"

    def is_place_label(self, deprel: str) -> bool:
        return ud.universal(deprel) in ud.FOREIGN and not ud.is_name(deprel, self.conventions)


class Reparandum(FunctionHeads):
    """Words that a speaker corrects as heads of the correction, as in SUD::

    UD            go -> right -> left          (Go left, right!)
    reparandum    go -> left -> right
    """

    name = "reparandum"
    description = "what is corrected heads its correction (SUD)"
    place_labels = "reparandum, reparandum:*"
    labels = ud.labels("reparandum")
    promises = Promises(invertible=(0.5, 0.5))  # as in treebanks of version 2; those of 1 have too few
    moves_within_phrases = False
