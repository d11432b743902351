"""Decide which dependents of a content word go to its function words in SUD (docs/transformations/sud.md).

With ``reattach=min`` only the dependents beyond a function word move to it. SUD attaches more of them to the
function word that heads the phrase: what belongs to the clause (subjects, vocatives, interjections,
coordinators) and modifiers, as long as they do not stand between two words that stay together. Arguments stay
with the word that asks for them, even beyond the function word (*What did he see?*).

A content word and its function words form a chain. A dependent begins at the content word and rises one
member at a time, as far as the rules let it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from learnability.treebanks import labels as ud
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Tree

VERBAL = ud.labels("aux", "auxpass", "cop")
"""The function words that make a clause, as opposed to markers of cases and clauses."""

_SUBJECTS = ud.labels("nsubj", "csubj", "nsubjpass", "csubjpass")

_OF_CLAUSE = _SUBJECTS | ud.labels("dislocated", "vocative")
"""Dependents that go to the auxiliary or copula from wherever they stand."""

_OUTERMOST = ud.labels("discourse", "orphan", "remnant")
"""Dependents that go to the head of the phrase from wherever they stand."""

_ARGUMENTS = ud.labels("obj", "dobj", "iobj", "xcomp", "ccomp")
"""Dependents that stay with the content word even where they stand beyond the function word."""

_OBJECTS = ud.labels("obj", "dobj", "iobj")

_AGENT, _CAUSATIVE = "agent", "aux:caus"
"""The subtype of an object that a causative verb makes act (*il fait venir les enfants*), and that verb."""

_ARGUMENT_SUBTYPES = ("arg", _AGENT)
"""Subtypes of obl that say that it is an argument."""

_MODIFIERS = ud.labels("advmod", "neg", "advcl", "obl", "reparandum")
"""Dependents that go to the auxiliary or copula if no arcs cross."""

_DEGREE = frozenset({"ADJ", "ADV"})
"""The predicates that an adverb next to them may modify alone (*is very cold*)."""

_PAIRS = frozenset({"()", "[]", "{}", '""', "''", "«»", "“”", "‘’", "„“", "``''", "--", "––", "——"})


@dataclass(frozen=True)
class Phrase:
    """Hold a content word with its function words and its other dependents.

    Attributes:
        places: its function words in the order of the chain, the innermost first.
        lifts: whether each of them takes more than what lies beyond it.
        dependents: its other dependents, in increasing order.
        top: gives the token that stands for a dependent with its own function words.
    """

    tree: Tree
    content: int
    places: Sequence[int]
    lifts: Sequence[bool]
    dependents: Sequence[int]
    top: Callable[[int], int]

    def find_levels(self) -> dict[int, int]:
        """Return for each dependent on which member of the chain it hangs: 0 for the content word."""
        levels = dict.fromkeys(self.dependents, 0)
        for level, place in enumerate(self.places):
            here = [token for token in self.dependents if levels[token] == level]
            for token in self._find_lifted(place, here, level):
                levels[token] = level + 1
        return levels

    def _find_lifted(self, place: int, dependents: Sequence[int], level: int) -> list[int]:
        content = self.content
        beyond = [t for t in dependents if t < place < content or content < place < t]
        if not self.lifts[level]:
            return beyond
        between = [t for t in dependents if min(place, content) < t < max(place, content)]
        other = [t for t in dependents if (t > content) != (place > content)]
        beyond.sort(key=lambda token: abs(token - place))
        lifted: list[int] = []
        holds = False
        for token in beyond:
            is_held = holds and self._relation(token) in _MODIFIERS
            if not is_held and self._lifts_beyond(token, place):
                lifted.append(token)
            else:
                holds = True
        # arcs do not cross if whatever stands nearer to the place, or further out, rises, too
        between.sort(key=lambda token: abs(token - place))
        other.sort(key=lambda token: -abs(token - content))
        makes_clause = any(self._is_verbal(above) for above in self.places[level:])
        for side in (between, other):
            is_free = True
            for token in side:
                is_other = side is other
                rises = self._lifts_always(token, place) or (
                    is_free and self._lifts_freely(token, place, makes_clause=makes_clause, is_other=is_other)
                )
                is_free = is_free and rises
                # an argument that stays beyond the function word keeps a mark, but no modifier
                if rises and not (holds and self._relation(token) in ud.PUNCT):
                    lifted.append(token)
        return lifted

    def _relation(self, token: int) -> str:
        return universal(self.tree.deprels[token - 1])

    def _is_verbal(self, token: int) -> bool:
        return self._relation(token) in VERBAL

    def _is_subject(self, token: int) -> bool:
        deprel = self.tree.deprels[token - 1]
        return universal(deprel) in _OF_CLAUSE or deprel in ("expl:subj", "expl:impers")

    def _is_argument(self, token: int) -> bool:
        relation, _, subtype = self.tree.deprels[token - 1].partition(":")
        if relation == "expl":
            return bool(subtype) or "Reflex=Yes" in self._features(token)
        return relation in _ARGUMENTS or (relation == "obl" and subtype in _ARGUMENT_SUBTYPES)

    def _is_causee(self, token: int, place: int) -> bool:
        relation, _, subtype = self.tree.deprels[token - 1].partition(":")
        is_agent = relation in _OBJECTS and subtype == _AGENT
        return is_agent and self.tree.deprels[place - 1] == _CAUSATIVE

    def _features(self, token: int) -> list[str]:
        return self.tree.feats[token - 1].split("|") if self.tree.feats else []

    def _lifts_beyond(self, token: int, place: int) -> bool:
        relation = self._relation(token)
        if relation in ud.CONJ:
            return self._lifts_conjunct(token, place)
        if self._is_subject(token) or self._is_causee(token, place):
            return True
        return not (self._is_argument(token) or (relation == "nmod" and self._is_verbal(place)))

    def _lifts_always(self, token: int, place: int) -> bool:
        """Return whether a dependent rises to `place` from its other side, even if arcs cross."""
        relation = self._relation(token)
        if relation in _OUTERMOST or self._is_causee(token, place):
            return True
        if relation in ud.CC:
            return token < self.content and self._relation(place) not in ud.MARK
        if relation in ud.CONJ:
            return self._lifts_conjunct(token, place)
        is_bare = relation == "expl" and not self._is_argument(token)
        return (self._is_subject(token) or is_bare) and self._relation(place) not in ud.MARK

    def _lifts_freely(self, token: int, place: int, *, makes_clause: bool, is_other: bool) -> bool:
        """Return whether a dependent rises to `place` from its other side if no arcs cross."""
        relation = self._relation(token)
        if self._is_argument(token):
            return False
        if relation in ud.PUNCT:
            return is_other and not self._closes(token, place)
        if relation == "parataxis":
            return self._relation(place) in ud.COP  # others comment on the verb
        if relation not in _MODIFIERS:
            return False
        if not self._is_verbal(place):
            return is_other and makes_clause and self._relation(place) in ud.CASE
        return is_other or not self._is_degree(token)

    def _is_degree(self, token: int) -> bool:
        """Return whether an adverb may modify the predicate next to it alone."""
        is_next = abs(token - self.content) == 1 and self._relation(token) == "advmod"
        predicate = self.tree.upos[self.content - 1]
        return is_next and predicate in _DEGREE and "Polarity=Neg" not in self._features(token)

    def _closes(self, token: int, place: int) -> bool:
        """Return whether a mark closes what another mark between `place` and the content word opens."""
        forms = self.tree.forms
        low, high = sorted((place, self.content))
        return any(is_pair(forms, t, token) for t in self.dependents if low < t < high)

    def _lifts_conjunct(self, token: int, place: int) -> bool:
        """Return whether a conjunct is coordinated with the phrase of `place` or of a word above it.

        Conjuncts are alike: prepositions with prepositions, finite verbs with finite verbs. If one of the
        words of the chain is repeated, the conjunct is coordinated with that one.
        """
        forms = self.tree.forms
        alike = [above for above in self.places if self._is_alike(token, above)]
        same = [above for above in alike if forms[above - 1].lower() == forms[self.top(token) - 1].lower()]
        level = self.places.index(place)
        return any(self.places.index(above) >= level for above in same or alike)

    def _is_alike(self, token: int, place: int) -> bool:
        top = self.top(token)
        category, own = self.tree.upos[top - 1], self.tree.upos[self.content - 1]
        if not self._is_verbal(place):
            is_marked = top != token and self._relation(top) == self._relation(place)
            return is_marked or (category not in (own, "_") and category == self.tree.upos[place - 1])
        if category not in ("AUX", "VERB"):
            return False
        return category != own or (self._is_finite(token) and not self._says_finite(self.content))

    def _says_finite(self, token: int) -> bool:
        return "VerbForm=Fin" in self._features(token)

    def _is_finite(self, token: int) -> bool:
        """Return whether a conjunct is a clause of its own: finite, or with a subject."""
        heads = self.tree.heads
        subjects = (t for t, head in enumerate(heads, start=1) if head == token)
        return self._says_finite(self.top(token)) or any(self._relation(t) in _SUBJECTS for t in subjects)


def is_pair(forms: Sequence[str], opening: int, closing: int) -> bool:
    """Return whether two tokens are brackets or quotation marks that belong together."""
    return forms[opening - 1] + forms[closing - 1] in _PAIRS


def is_own_of_function_word(deprel: str) -> bool:
    return universal(deprel) in ud.FLAT_EXPRESSIONS
