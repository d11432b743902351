"""List all UD dependency labels (deprels) once, of versions 1 and 2 of the guidelines together.

Every set of labels used anywhere in the package is defined here with :func:`labels`, which refuses a
name that neither version knows: a misspelt label is an error at import, not a construction that is
never found. Sources: the universal relations of UD v1 and v2 (universaldependencies.org); the mapping
between them in the summary of changes of v2; the functional and content labels of the scorer of the CoNLL
2018 shared task. Constructions: Wisniewski, Lacroix & Yvon 2018, Table 1.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

from learnability.treebanks.sentence import Conventions, Tree


def _table(names: str) -> frozenset[str]:
    return frozenset(names.split())


SHARED = _table(
    "acl advcl advmod amod appos aux case cc ccomp compound conj cop csubj dep det discourse dislocated "
    "expl goeswith iobj list mark nmod nsubj nummod parataxis punct reparandum root vocative xcomp"
)
"""Universal relations of both versions."""

V1_ONLY = _table("auxpass csubjpass dobj foreign mwe name neg nsubjpass remnant")
"""Universal relations that version 2 abolished or renamed."""

V2_ONLY = _table("clf fixed flat obj obl orphan")
"""Universal relations that version 2 introduced."""

V1 = SHARED | V1_ONLY
V2 = SHARED | V2_ONLY
UNIVERSAL = V1 | V2


@lru_cache(maxsize=4096)  # a treebank has few labels and many tokens
def universal(deprel: str) -> str:
    """Return the universal part of a deprel, without its subtype: ``universal("nmod:poss") == "nmod"``."""
    return deprel.partition(":")[0]


def relation(deprel: str) -> str:
    """Return a deprel without what follows its first subtype: ``relation("aux:pass:x") == "aux:pass"``."""
    return ":".join(deprel.split(":")[:2])


COMPLEMENT = "comp:"
"""The beginning of the deprel of a word whose place a place has taken."""


def complement_of(deprel: str) -> str:
    """Return the label of the place that has taken the place of a word with this deprel; empty if none
    has."""
    return deprel[len(COMPLEMENT) :] if deprel.startswith(COMPLEMENT) else ""


def labels(*names: str) -> frozenset[str]:
    """Return the set of `names`; ValueError if UD has one of them not."""
    unknown = [name for name in names if universal(name) not in UNIVERSAL]
    if unknown:
        raise ValueError(f"no UD relation: {', '.join(unknown)}")
    return frozenset(names)


# Constructions, by universal part unless a name has a subtype (docs/rules.md, Places and selections).
MARK = labels("mark")
DET = labels("det")
CASE = labels("case")
COP = labels("cop")
AUX = labels("aux", "auxpass")
PASSIVE_AUX = labels("auxpass", "aux:pass")
MWE = labels("mwe", "fixed", "goeswith")
NAME_V1 = labels("name")
FLAT = labels("flat")
FLAT_NAME = labels("flat:name")
FLAT_FOREIGN = labels("flat:foreign")
FOREIGN = labels("foreign", "flat")
CC = labels("cc")
CC_PRECONJ = labels("cc:preconj")
CONJ = labels("conj")
PUNCT = labels("punct")
NO_CONJUNCTS = PUNCT | CASE | MARK | CC
"""Relations that a first conjunct rarely has: the word belongs to the coordinator, or is shared."""
ROOT_LABEL = "root"
UNKNOWN_RELATION = "dep"

FUNCTION_WORDS = CASE | DET | MARK | COP | AUX
"""Relations of the function words that belong to the phrase of their content word."""

FLAT_EXPRESSIONS = MWE | NAME_V1 | FLAT
"""Relations inside expressions without internal structure: one phrase each."""

# The official scorer's division of the universal relations of version 2; punct is in neither group.
CLAS_FUNCTIONAL = labels("aux", "cop", "mark", "det", "clf", "case", "cc")
CLAS_CONTENT = V2 - CLAS_FUNCTIONAL - PUNCT

_V1_TO_V2 = {
    "auxpass": "aux:pass", "csubjpass": "csubj:pass", "dobj": "obj", "foreign": "flat:foreign",
    "mwe": "fixed", "name": "flat:name", "neg": "advmod", "nsubjpass": "nsubj:pass", "remnant": "orphan",
}  # fmt: skip
if _V1_TO_V2.keys() != V1_ONLY or not labels(*_V1_TO_V2.values()):
    raise ValueError("the v1 to v2 mapping must name every v1-only relation")


def to_v2(deprel: str, upos: str = "") -> str:
    """Return the v2 label of a v1 or v2 deprel; v2 labels and unknown ones stay as they are.

    A subtype stays, and replaces the one that the mapping adds (``auxpass:reflex`` -> ``aux:reflex``). v1
    ``neg`` becomes ``det`` on a token tagged DET (English *no*), otherwise ``advmod``. v1 ``nmod`` is
    ambiguous (v2 ``nmod`` or ``obl``) and stays ``nmod``; both are content relations.
    """
    base, _, tail = deprel.partition(":")
    mapped = _V1_TO_V2.get(base)
    if mapped is None:
        return deprel
    if base == "neg" and upos == "DET":
        mapped = "det"
    return f"{universal(mapped)}:{tail}" if tail else mapped


def is_passive_auxiliary(deprel: str) -> bool:
    """Return True for ``auxpass``, ``auxpass:*``, ``aux:pass`` and ``aux:pass:*``."""
    return universal(deprel) == "auxpass" or relation(deprel) in PASSIVE_AUX


def is_coordinator(deprel: str) -> bool:
    """Return True for ``cc`` and its subtypes, except ``cc:preconj`` (*both ... and*), never a head."""
    return universal(deprel) in CC and relation(deprel) not in CC_PRECONJ


def is_name(deprel: str, conventions: Conventions) -> bool:
    """Return True if `deprel` attaches a further word of a name.

    This is v1 ``name``; in v2 ``flat:name`` if the treebank uses it, otherwise every ``flat`` but
    ``flat:foreign``. The labels of both versions count in either, because treebanks mix them.
    """
    base = universal(deprel)
    if base in NAME_V1:
        return True
    if base not in FLAT:
        return False
    return relation(deprel) in FLAT_NAME if conventions.flat_name else relation(deprel) not in FLAT_FOREIGN


# `ud-treebanks-v2.16`, `universal-dependencies-1.3`, and plain `r2.16`, `v2.16`, `2.16`.
_RELEASE = re.compile(
    r"(?:^|(?:^|[^a-z])(?:ud|universal[-_ ]dependencies)(?:[-_ ]treebanks)?[-_ @]?)"
    r"[rv]?([12]\.\d{1,2})(?![\d.])",
    re.IGNORECASE,
)


def release_in(name: str) -> str:
    """Return the UD release in a folder's name (``ud-treebanks-v2.16`` -> ``2.16``); empty if none."""
    match = _RELEASE.search(name)
    return match[1] if match else ""


def detect_conventions(trees: Iterable[Tree], *, release: str = "", folder: str = "") -> Conventions:
    """Return the conventions that `trees` (all splits of a treebank, or the whole input of a filter) follow.

    The version is the major number of `release`, otherwise of the release in the name `folder`, otherwise the
    version whose exclusive labels (:data:`V1_ONLY`, :data:`V2_ONLY`) occur more often; 0 if none does.
    """
    counts = Counter(chain.from_iterable(tree.deprels for tree in trees))
    release = release or release_in(folder)
    if release[:2] in ("1.", "2."):
        version = int(release[0])
    else:
        old = sum(count for name, count in counts.items() if universal(name) in V1_ONLY)
        new = sum(count for name, count in counts.items() if universal(name) in V2_ONLY)
        version = 0
        if old != new:
            version = 1 if old > new else 2
    return Conventions(version=version, flat_name=any(relation(name) in FLAT_NAME for name in counts))
