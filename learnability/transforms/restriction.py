"""Restricted transformations: only some of the sites, chosen by word, relation, side or language.

A site that is not admitted is as unselected in every selection: the layers are those of the unrestricted
transformation, so the result is one of its partial references and keeps every property it promises.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from learnability.errors import InputError
from learnability.treebanks.labels import universal
from learnability.treebanks.sentence import Tree

if TYPE_CHECKING:
    from learnability.transforms.base import Rule

SIDES = ("left", "right")


@dataclass(frozen=True, slots=True)
class Restriction:
    """Which sites are admitted; an empty field admits all, several fields must all agree.

    Attributes:
        form: forms of the site's token, compared in lower case.
        lemma: its lemmas, compared in lower case.
        upos: its UPOS tags.
        deprel: its UD relations; a relation without subtype (``case``) admits its subtypes too.
        side: ``left`` or ``right``: where the token stands, seen from its UD head.
        language: language codes of the treebanks in which there are sites at all.
    """

    form: tuple[str, ...] = ()
    lemma: tuple[str, ...] = ()
    upos: tuple[str, ...] = ()
    deprel: tuple[str, ...] = ()
    side: tuple[str, ...] = ()
    language: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything is restricted."""
        return any(getattr(self, field.name) for field in fields(self))

    def __str__(self) -> str:
        """The restriction in one word: ``form=de|à,side=left``."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return ",".join(f"{name}={'|'.join(given)}" for name, given in values if given)

    def admits_word(self, tree: Tree, token: int, language: str) -> bool:
        """Whether the token is admitted, whatever its head and relation are.

        An InputError where a lemma or the language is asked for and not known.
        """
        if self.language and not language:
            needs = "needs the language of the treebank: name its files as UD does (fr_gsd-ud-train.conllu)"
            raise InputError(f"the restriction language={'|'.join(self.language)} {needs}")
        if self.language and language not in self.language:
            return False
        if self.form and tree.forms[token - 1].lower() not in map(str.lower, self.form):
            return False
        if self.upos and tree.upos[token - 1] not in self.upos:
            return False
        if self.lemma:
            if not tree.lemmas:
                raise InputError(f"the restriction lemma={'|'.join(self.lemma)} needs lemmas: there are none")
            return tree.lemmas[token - 1].lower() in map(str.lower, self.lemma)
        return True

    def admits(self, tree: Tree, token: int, language: str) -> bool:
        """Whether the site of `token` in the UD tree is admitted; raises as :meth:`admits_word`."""
        deprel = tree.deprels[token - 1]
        if self.deprel and deprel not in self.deprel and universal(deprel) not in self.deprel:
            return False
        if self.side and ("left" if token < tree.heads[token - 1] else "right") not in self.side:
            return False
        return self.admits_word(tree, token, language)


def restricted(rule: Rule, restriction: Restriction) -> Rule:
    """`rule` with those sites only that `restriction` admits."""
    if rule.parts != (rule,):
        raise InputError(f"{rule.name}: several transformations together; restrict its parts")
    narrowed = copy.copy(rule)
    narrowed.restriction = restriction or None
    return narrowed
