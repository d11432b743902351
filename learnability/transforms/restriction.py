"""Restricted transformations: only some of the sites, chosen by word, relation, side or language.

A site that is not admitted is as unselected in every selection: the layers are those of the unrestricted
transformation, so the result is one of its partial references and keeps every property it promises.

A restriction is written like an option, ``case:lemma=of|to,side=left``: one of the values. With ``!=`` it is
none of them, ``case:lemma!=of|to``; in names of criteria the ``!`` is the last letter (``lemma!``).
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from learnability.errors import InputError, meant
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
        raise InputError("a restriction by lemma needs lemmas: there are none; give form instead")
    lemma = tree.lemmas[token - 1].lower()
    return () if lemma == "_" != tree.forms[token - 1] else (lemma,)


def _features(tree: Tree, token: int) -> Collection[str]:
    """Every feature of a word by its name and with each of its values: Case, Case=Acc, Case=Dat."""
    if not tree.feats:
        raise InputError("a restriction by feats needs FEATS: there are none")
    pairs = [feature.partition("=") for feature in tree.feats[token - 1].split("|")]
    return {name for name, _, _ in pairs} | {f"{n}={value}" for n, _, v in pairs for value in v.split(",")}


def _relation(tree: Tree, token: int) -> Collection[str]:
    return tree.deprels[token - 1], universal(tree.deprels[token - 1])


def _side(tree: Tree, token: int) -> Collection[str]:
    return (SIDES[token > tree.heads[token - 1]],)


Values = Callable[[Tree, int], Collection[str]]

OF_WORDS: Mapping[str, Values] = {
    "form": lambda tree, token: (tree.forms[token - 1].lower(),),
    "lemma": _lemma,
    "upos": lambda tree, token: (tree.upos[token - 1],),
    "feats": _features,
}
"""What a restriction looks at in a word, whatever its head and relation are; nothing where it is unknown."""

IN_TREES: Mapping[str, Values] = {**OF_WORDS, "deprel": _relation, "side": _side}
"""... and in a UD tree."""

CRITERIA = (*IN_TREES, "language")
RESTRICTIONS = tuple(name + negation for name in CRITERIA for negation in ("", "!"))
"""The names of what can be restricted, each followed by the one that excludes."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """Which sites are admitted, by these criteria, each of which has to agree:

    - form, lemma: of the site's token, in lower case; a word without lemma is never admitted by lemma
    - upos: its UPOS tag
    - feats: one of its features (``Case=Gen``), or a feature it has whatever the value is (``Case``)
    - deprel: its UD relation; one without subtype (``case``) stands for its subtypes, too
    - side: ``left`` or ``right``: where the token stands, seen from its UD head
    - language: the language code of the treebank

    Attributes:
        wanted: names of `RESTRICTIONS` in their order, with the values: one of them (``lemma``), or none
            (``lemma!``).
    """

    wanted: tuple[tuple[str, tuple[str, ...]], ...]

    def __init__(self, **wanted: Iterable[str]) -> None:
        lower = {name: str.lower for word in ("form", "lemma") for name in (word, word + "!")}
        values = {
            name: tuple(dict.fromkeys(map(lower.get(name, str), wanted.get(name, ()))))
            for name in RESTRICTIONS
        }
        object.__setattr__(self, "wanted", tuple((name, own) for name, own in values.items() if own))

    def __bool__(self) -> bool:
        """Whether anything is restricted."""
        return bool(self.wanted)

    def __str__(self) -> str:
        """The restriction in one word: ``form=de|à,side!=left``."""
        return ",".join(f"{name}={'|'.join(values)}" for name, values in self.wanted)

    def admits_language(self, language: str) -> bool:
        """Whether treebanks of the language have sites; InputError where it matters and is unknown."""
        for name, codes in self.wanted:
            if not name.startswith("language"):
                continue
            if not language:
                needs = (
                    "needs the language of the treebank: name its files as UD does (fr_gsd-ud-train.conllu)"
                )
                raise InputError(f"the restriction {name}={'|'.join(codes)} {needs}")
            if (language in codes) == name.endswith("!"):
                return False
        return True

    def admits_word(self, tree: Tree, token: int, language: str) -> bool:
        """Whether the token is admitted, whatever its head and relation are.

        An InputError where something is asked for that no word of the tree has, or an unknown language.
        """
        return self.admits_language(language) and self._agrees(OF_WORDS, tree, token)

    def admits(self, tree: Tree, token: int, language: str) -> bool:
        """Whether the site of `token` in the UD tree is admitted; raises as :meth:`admits_word`."""
        return self.admits_language(language) and self._agrees(IN_TREES, tree, token)

    def _agrees(self, known: Mapping[str, Values], tree: Tree, token: int) -> bool:
        for name, wanted in self.wanted:
            if values_of := known.get(name.removesuffix("!")):
                values = values_of(tree, token)
                if not values or any(value in wanted for value in values) == name.endswith("!"):
                    return False
        return True


def mistake(rule: Rule | None, name: str, value: str) -> str:
    """What is wrong with a value of a restriction of the rule, and what to write; else empty."""
    if re.search(r"[\x00-\x1f\x7f]", value):  # it would break the comment that names the transformation
        return f"no word and no label holds {value!r}; leave out tabs, line ends and the like"
    match name.removesuffix("!"):
        case "upos" if value not in UPOS:
            return f"no UPOS tag {value!r}; {meant(value, UPOS)}"
        case "side" if value not in SIDES:
            return f"no side {value!r}; {meant(value, SIDES)}"
        case "feats" if not re.fullmatch(r"[A-Z][A-Za-z0-9]*(\[[a-z0-9]+\])?(=[A-Z0-9][A-Za-z0-9]*)?", value):
            return f"no feature {value!r}; write Case=Gen, or Case for any value"
        case "language" if not re.fullmatch(r"[a-z]{2,3}", value):
            hint = 'write the code of the file names, as "fr" in fr_gsd-ud-train.conllu'
            return f"no language code {value!r}; {hint}"
        case "deprel" if universal(value) not in UNIVERSAL:
            return f"no UD relation {value!r}; {meant(universal(value), sorted(UNIVERSAL))}"
        case "deprel" if rule and not rule.is_site_label(value) and universal(value) not in rule.guessed:
            return f"no sites are labelled {value!r}; choose among its own: {rule.site_labels}"
    return ""


def restricted(rule: Rule, restriction: Restriction) -> Rule:
    """`rule` with those sites only that `restriction` admits."""
    if rule.parts != (rule,):
        raise InputError(f"{rule.name}: several transformations together; restrict its parts")
    narrowed = copy.copy(rule)
    narrowed.restriction = restriction or None
    return narrowed


def unmatched(transformation: Transformation, trees: Iterable[Tree | Sentence]) -> list[str]:
    """What of a transformation has no site in UD trees, as it is written: its restricted parts, but for
    those of other languages; all of its parts where there is no site at all."""
    open_ = {
        rule.name: rule.spec
        for rule in transformation.parts
        if rule.restriction and rule.restriction.admits_language(rule.conventions.language)
    }
    any_site = False
    for tree in trees:
        if any_site and not open_:
            break
        for site in transformation.sites(tree):
            any_site = True
            open_.pop(site.transform, None)
    return list(open_.values()) if any_site else [rule.spec for rule in transformation.parts]


def advice(transformation: Transformation, trees: Sequence[Tree | Sentence]) -> list[str]:
    """Per rule of which more constructions have its form in UD already than have not: one line that says so
    and names the rule for those."""
    lines = []
    for rule in (rule for rule in transformation.parts if rule.already):
        plans = [rule.plan(tree) for tree in trees]
        already = sum(plan.skipped[rule.already] for plan in plans)
        every = already + sum(len(plan.sites) for plan in plans)
        if already > every / 2:
            lines.append(f"{rule.already} in {already} of {every} places; {rule.instead} changes these")
    return lines


def check_tags(transformation: Transformation, tags: str) -> None:
    """InputError for a restriction by UPOS where the parser does not see it: its parses could not be
    converted back to UD."""
    for rule in transformation.parts:
        names = [name for name, _ in rule.restriction.wanted] if rule.restriction else []
        if tags != "gold" and {"upos", "upos!"}.intersection(names):
            problem = f"asks for UPOS, which is not seen with `tags={tags!r}`"
            raise InputError(f"{rule.spec}: {problem}; restrict by form, or give `tags='gold'`")


def check_ud(sentences: Iterable[Tree | Sentence], where: str = "") -> None:
    """InputError for a sentence that a comment calls transformed: sites are those of UD trees."""
    for sentence in sentences:
        if isinstance(sentence, Sentence) and (spec := sentence.transformed):
            raise InputError(
                f"{_place(where, sentence)}: is transformed already ({spec}); give the UD trees, with all "
                "transformations at once; `learnability transform --invert` leads back"
            )


def check_transformed(spec: str, sentences: Iterable[Tree | Sentence], where: str = "") -> None:
    """InputError for a sentence that bears another transformation than `spec`, by its comment."""
    for sentence in sentences:
        if isinstance(sentence, Sentence) and sentence.transformed not in ("", spec):
            problem = f"is transformed by {sentence.transformed}, not by {spec}; name that"
            raise InputError(f"{_place(where, sentence)}: {problem}")


def _place(where: str, sentence: Sentence) -> str:
    return f"{where}: sentence {sentence.sent_id}" if where else f"sentence {sentence.sent_id}"


def check_sites(
    where: str,
    cases: Iterable[tuple[Transformation, Sequence[Tree] | Sequence[Sentence]]],
    *,
    whole: bool = False,
) -> None:
    """InputError where a restriction admits no site in any of the cases: a transformation as it is for a
    treebank, and the UD trees of that. `whole`: also where there is no site at all, for whatever reason.
    Sentences must not be transformed already (:func:`check_ud`)."""
    missing: list[str] | None = None
    hints: list[str] = []
    for transformation, trees in cases:
        check_ud(trees, where)
        named = {
            rule.spec
            for rule in transformation.parts
            if whole or (rule.restriction and rule.restriction.admits_language(rule.conventions.language))
        }
        own = [spec for spec in unmatched(transformation, trees) if spec in named]
        missing = own if missing is None else [spec for spec in missing if spec in own]
        if not missing:
            return
        hints += advice(transformation, trees)
    if missing:
        hints = hints or [
            "give other values or another treebank; `learnability transform --sites` lists what there is"
        ]
        raise InputError(f"{where}: no site for {', '.join(missing)}; {hints[0]}")
