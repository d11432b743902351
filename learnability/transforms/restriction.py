"""Restrict transformations to some of the places, chosen by word, relation, side or language.

A place that is not admitted counts as unselected in every selection. The layers are those of the unrestricted
transformation, so the result is one of its partial applications and keeps every property that it promises.

A restriction is written like an option, ``case:lemma=of|to,side=left``: the word has one of the values. With
``!=`` it has none of them, ``case:lemma!=of|to``; in names of criteria the ``!`` is the last letter
(``lemma!``).
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnability.errors import InputError, meant
from learnability.support.nouns import count_noun
from learnability.treebanks.labels import UNIVERSAL, universal
from learnability.treebanks.sentence import Sentence, Tree

if TYPE_CHECKING:
    from learnability.transforms.base import Rule, Transformation

SIDES = ("left", "right")
UPOS = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "CONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN"),
    *("PUNCT", "SCONJ", "SYM", "VERB", "X", "_"),
)
"""The UPOS tags of both versions of UD."""


def _lemma(tree: Tree, token: int) -> Collection[str]:
    if not tree.lemmas:
        raise InputError("a restriction by lemma needs lemmas, but the treebank has none; restrict by form")
    lemma = tree.lemmas[token - 1].lower()
    return () if lemma == "_" != tree.forms[token - 1] else (lemma,)


def _features(tree: Tree, token: int) -> Collection[str]:
    """Return every feature of a word as its name and with each of its values: Case, Case=Acc, Case=Dat."""
    if not tree.feats:
        raise InputError("a restriction by feats needs FEATS, but the treebank has none; restrict by form")
    features: set[str] = set()
    for feature in tree.feats[token - 1].split("|"):
        name, _, values = feature.partition("=")
        features |= {name, *(f"{name}={value}" for value in values.split(","))}
    return features


def _relation(tree: Tree, token: int) -> Collection[str]:
    return tree.deprels[token - 1], universal(tree.deprels[token - 1])


def _side(tree: Tree, token: int) -> Collection[str]:
    return (SIDES[token > tree.heads[token - 1]],)


Values = Callable[[Tree, int], Collection[str]]

NO_DEPENDENT = "_"
"""The value of every criterion of dependents, for a word that has none."""

OF_HEAD, OF_DEPENDENT = "head_", "child_"
"""The beginnings of the names of criteria that look at another word than that of the place."""


def _of_head(values_of: Values) -> Values:
    """Return the function that gives the values of the head of a word; none for the root word."""

    def values(tree: Tree, token: int) -> Collection[str]:
        head = tree.heads[token - 1]
        return values_of(tree, head) if head else ()

    return values


def _of_dependents(values_of: Values) -> Values:
    """Return the function that gives the values of all dependents of a word, in order."""

    def values(tree: Tree, token: int) -> Collection[str]:
        dependents = [other for other, head in enumerate(tree.heads, start=1) if head == token]
        found = dict.fromkeys(value for dependent in dependents for value in values_of(tree, dependent))
        return tuple(found) if dependents else (NO_DEPENDENT,)

    return values


OF_WORDS: Mapping[str, Values] = {
    "form": lambda tree, token: (tree.forms[token - 1].lower(),),
    "lemma": _lemma,
    "upos": lambda tree, token: (tree.upos[token - 1],),
    "feats": _features,
}
"""The values of a word that do not depend on its head and relation; none if they are unknown."""

_WORD_IN_TREE: Mapping[str, Values] = {**OF_WORDS, "deprel": _relation, "side": _side}

_OF_OTHERS = ("upos", "lemma", "feats", "deprel", "side")
"""The criteria that the head and the dependents of a word have, too."""

IN_TREES: Mapping[str, Values] = {
    **_WORD_IN_TREE,
    **{OF_HEAD + name: _of_head(_WORD_IN_TREE[name]) for name in _OF_OTHERS},
    **{OF_DEPENDENT + name: _of_dependents(_WORD_IN_TREE[name]) for name in _OF_OTHERS},
}
"""The values of a word in a UD tree."""


def criterion_of_word(name: str) -> str:
    """Return which criterion of a word a criterion of its head or its dependents reads: `lemma`, `upos`."""
    return name.removeprefix(OF_HEAD).removeprefix(OF_DEPENDENT)


CRITERIA = (*IN_TREES, "language")
RESTRICTIONS = tuple(name + negation for name in CRITERIA for negation in ("", "!"))
"""The names of the criteria, each followed by the one that excludes values."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """Choose which places are admitted; all criteria must agree:

    - form, lemma: of the place's token, in lower case; a word without lemma is never admitted by lemma
    - upos: its UPOS tag
    - feats: one of its features (``Case=Gen``), or a feature with any value (``Case``)
    - deprel: its UD relation; one without subtype (``case``) includes its subtypes
    - side: ``left`` or ``right``, where the token stands, seen from its UD head
    - head_upos, head_lemma, head_feats, head_deprel, head_side: of its UD head; the root word has none
    - child_upos and so on: of one of its dependents in UD; `_` if it has none
    - language: the language code of the treebank

    Attributes:
        wanted: names of `RESTRICTIONS` in their order, with the values: one of them must hold (``lemma``), or
            none (``lemma!``).
    """

    wanted: tuple[tuple[str, tuple[str, ...]], ...]

    def __init__(self, **wanted: Iterable[str]) -> None:
        in_lower_case = ("form", "lemma")
        lower = {
            name: str.lower
            for name in RESTRICTIONS
            if criterion_of_word(name.removesuffix("!")) in in_lower_case
        }
        values = {
            name: tuple(dict.fromkeys(map(lower.get(name, str), wanted.get(name, ()))))
            for name in RESTRICTIONS
        }
        object.__setattr__(self, "wanted", tuple(item for item in values.items() if item[1]))

    def __bool__(self) -> bool:
        """Return whether anything is restricted."""
        return bool(self.wanted)

    def __str__(self) -> str:
        """Return the restriction as one word: ``form=de|à,side!=left``."""
        return ",".join(f"{name}={'|'.join(values)}" for name, values in self.wanted)

    def admits_language(self, language: str) -> bool:
        """Return whether treebanks of the language have places.

        Raises:
            InputError: the language matters and is unknown.
        """
        for name, codes in self.wanted:
            if not name.startswith("language"):
                continue
            if not language:
                problem = f"the restriction {name}={'|'.join(codes)} needs the language of the treebank"
                raise InputError(f"{problem}; name its files as UD does (fr_gsd-ud-train.conllu)")
            if (language in codes) == name.endswith("!"):
                return False
        return True

    def admits_word(self, tree: Tree, token: int, language: str) -> bool:
        """Return whether the token is admitted, regardless of its head and relation.

        Raises:
            InputError: the restriction needs a column that the tree lacks, or the language, which is unknown.
        """
        return self.admits_language(language) and self._agrees(OF_WORDS, tree, token)

    def admits(self, tree: Tree, token: int, language: str) -> bool:
        """Return whether the place of `token` in the UD tree is admitted.

        Raises:
            InputError: the restriction needs a column that the tree lacks, or the language, which is unknown.
        """
        return self.admits_language(language) and self._agrees(IN_TREES, tree, token)

    def _agrees(self, known: Mapping[str, Values], tree: Tree, token: int) -> bool:
        for name, wanted in self.wanted:
            if values_of := known.get(name.removesuffix("!")):
                values = values_of(tree, token)
                if not values or any(value in wanted for value in values) == name.endswith("!"):
                    return False
        return True


def mistake(rule: Rule | None, name: str, value: str, not_in_ud: Collection[str] = ()) -> str:
    """Return what is wrong with a value of a restriction of the rule, and what to write; empty if correct.

    Args:
        rule: the rule; None if any word may be restricted.
        name: of the restriction.
        value: one of its values.
        not_in_ud: tags and relations that are no mistakes although UD does not have them.
    """
    if re.search(r"[\x00-\x1f\x7f]", value):  # it would break the comment that names the transformation
        return f"{value!r} contains control characters; remove tabs, line ends and the like"
    criterion = name.removesuffix("!")
    if criterion.startswith(OF_DEPENDENT) and value == NO_DEPENDENT:
        return ""
    is_of_place = criterion == criterion_of_word(criterion)
    is_listed = not {value, universal(value)}.isdisjoint(not_in_ud)
    can_be_place = not rule or rule.is_place_label(value) or universal(value) in rule.guessed
    match criterion_of_word(criterion):
        case "upos" if value not in UPOS and not is_listed:
            return f"there is no UPOS tag {value!r}; {meant(value, UPOS)}"
        case "side" if value not in SIDES:
            return f"there is no side {value!r}; {meant(value, SIDES)}"
        case "feats" if not re.fullmatch(r"[A-Z][A-Za-z0-9]*(\[[a-z0-9]+\])?(=[A-Z0-9][A-Za-z0-9]*)?", value):
            return f"there is no feature {value!r}; write Case=Gen, or Case for any value"
        case "language" if not re.fullmatch(r"[a-z]{2,3}", value):
            hint = 'write the code at the beginning of file names: "fr" for fr_gsd-ud-train.conllu'
            return f"there is no language code {value!r}; {hint}"
        case "deprel" if universal(value) not in UNIVERSAL and not is_listed:
            return f"there is no UD relation {value!r}; {meant(universal(value), sorted(UNIVERSAL))}"
        case "deprel" if rule and is_of_place and not can_be_place:
            return f"no place is labelled {value!r}; choose from {rule.place_labels}"
    return ""


def restricted_to_unknown(restriction: Restriction | None) -> list[str]:
    """Return the tags and relations of a restriction that UD does not have."""
    unknown = []
    for name, values in restriction.wanted if restriction else ():
        if criterion_of_word(name.removesuffix("!")) in ("upos", "deprel"):
            unknown += [value for value in values if mistake(None, name, value)]
    return unknown


def restrict_rule(rule: Rule, restriction: Restriction) -> Rule:
    """Return `rule` with only those places that `restriction` admits.

    Raises:
        InputError: `rule` consists of several transformations.
    """
    if rule.parts != (rule,):
        raise InputError(f"{rule.name} consists of several constructions; restrict its parts")
    narrowed = copy.copy(rule)
    narrowed.restriction = restriction or None
    return narrowed


def find_unmatched(transformation: Transformation, trees: Iterable[Tree | Sentence]) -> list[str]:
    """Return the parts of a transformation that have no place in UD trees, as on the command line.

    Only restricted parts count, and among them only those for this language. If there is no place at all, all
    parts are returned.
    """
    without_place = {
        rule.name: rule.spec
        for rule in transformation.parts
        if rule.restriction and rule.restriction.admits_language(rule.conventions.language)
    }
    any_place = False
    for tree in trees:
        if any_place and not without_place:
            break
        for place in transformation.places(tree):
            any_place = True
            without_place.pop(place.transform, None)
    return list(without_place.values()) if any_place else [rule.spec for rule in transformation.parts]


def advice(transformation: Transformation, trees: Sequence[Tree | Sentence]) -> list[str]:
    """Return a line for each rule whose form most constructions already have; it names the opposite rule."""
    lines = []
    for rule in transformation.parts:
        if not rule.already:
            continue
        plans = [rule.plan(tree) for tree in trees]
        already = sum(plan.skipped[rule.already] for plan in plans)
        total = already + sum(len(plan.places) for plan in plans)
        if already > total / 2:
            lines.append(
                f"{rule.already} in {already} of {count_noun(total, 'place')}; {rule.instead} changes them"
            )
    return lines


UNSEEN: Mapping[str, tuple[str, ...]] = {
    "gold": (),
    "predicted": ("lemma", "feats"),
    "xpos": ("upos",),
    "none": ("upos",),
}
"""The criteria that parses do not answer, by the option `tags`."""


def check_tags(transformation: Transformation, tags: str) -> None:
    """Refuse a restriction by a column that the parser does not see: parses could not be converted back.

    Raises:
        InputError: a rule has such a restriction.
    """
    titles = {"upos": "UPOS tags", "lemma": "lemmas", "feats": "features"}
    for rule in transformation.parts:
        names = {name.removesuffix("!") for name, _ in rule.restriction.wanted} if rule.restriction else set()
        for name in UNSEEN[tags]:
            if name in names:
                problem = f"depends on {titles[name]}, which parsers do not see with `tags={tags!r}`"
                raise InputError(f"{rule.spec} {problem}; restrict by form, or use `tags='gold'`")


def check_ud(sentences: Iterable[Tree | Sentence], where: str = "") -> None:
    """Check that no sentence has a comment saying that it is transformed: places are defined on UD trees.

    Raises:
        InputError: a sentence has such a comment.
    """
    for sentence in sentences:
        if isinstance(sentence, Sentence) and (spec := sentence.transformed):
            advice = (
                "undo this with `learnability transform --invert`, then apply all constructions in one "
                "command"
            )
            raise InputError(f"{_place(where, sentence)} is already transformed ({spec}); {advice}")


def check_transformed(spec: str, sentences: Iterable[Tree | Sentence], where: str = "") -> None:
    """Check that no sentence has a comment that names another transformation than `spec`.

    Raises:
        InputError: a sentence has such a comment.
    """
    for sentence in sentences:
        if isinstance(sentence, Sentence) and sentence.transformed not in ("", spec):
            problem = f"was transformed by {sentence.transformed}, not by {spec}; use {sentence.transformed}"
            raise InputError(f"{_place(where, sentence)} {problem}")


def _place(where: str, sentence: Sentence) -> str:
    """Return the beginning of a message about a sentence."""
    return f"{where}: sentence {sentence.name}" if where else f"sentence {sentence.name}"


Cases = Iterable[tuple["Transformation", Sequence[Tree] | Sequence[Sentence]]]
"""Pairs of a transformation as it is for a treebank, and UD trees of that treebank."""


def without_places(cases: Cases) -> list[str]:
    """Return the parts of a transformation that have no place in any case, as on the command line.

    Parts without a restriction count only if there is no place at all; see :func:`find_unmatched`.
    """
    missing: list[str] | None = None
    for transformation, trees in cases:
        here = find_unmatched(transformation, trees)
        missing = here if missing is None else [spec for spec in missing if spec in here]
        if not missing:
            break
    return missing or []


NO_PLACE = "no place of {}"
"""What a note says of :func:`without_places`, where trees without a place are as good as others."""


def check_places(where: str, transformation: Transformation, trees: Sequence[Tree]) -> None:
    """Check that UD trees have a place, and one of each restricted part.

    Args:
        where: the beginning of the message.
        transformation: as it is for the treebank of the trees.
        trees: the UD trees.

    Raises:
        InputError: a part has no place.
    """
    if missing := without_places([(transformation, trees)]):
        hints = advice(transformation, trees) or [
            "choose other values or another treebank; `learnability transform --places` lists all places"
        ]
        raise InputError(f"{where} has no place for {', '.join(missing)}; {hints[0]}")
