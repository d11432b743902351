"""Back to UD from trees with external labels (rule 2.8): ``comp:<label>`` names the construction.

Where a site was transformed, its new head bears the relation of the construction and the word whose place
it took ``comp:<label>``, with the label of the site. So the labels tell the sites, their content words (or
first conjuncts, or first words) and every deprel; what stays open is only whether a dependent beyond the
function word was its own (decided as in :mod:`learnability.transforms.inverse`), and which words belong
together in a chain or a Moscow coordination, whose labels do not change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from learnability.transforms.flat_inverse import Draft, Wanted, demote
from learnability.transforms.inverse import IsSite, SidePreferences
from learnability.treebanks.labels import COMPLEMENT, FLAT_EXPRESSIONS, complement_of, universal
from learnability.treebanks.sentence import Tree


def is_external(tree: Tree, is_site: IsSite) -> bool:
    """Whether the tree bears the external label of a site."""
    return any(is_site(complement_of(deprel)) for deprel in tree.deprels if deprel.startswith(COMPLEMENT))


def words_of_complements(trees: Iterable[Tree], is_site: IsSite) -> SidePreferences:
    """Which function words bear which label, from the words with a single complement."""
    learned = SidePreferences()
    for tree in trees:
        draft = Draft(tree)
        for token in range(1, len(draft.heads)):
            complements = _complements(draft, token, is_site)
            if len(complements) == 1:
                learned.see_word(tree, token, function=True)
                learned.see_relation(tree, complement_of(draft.deprels[complements[0]]), token)
    return learned


def invert_external_functions(
    tree: Tree, is_site: IsSite, is_promoted: IsSite, wanted: Wanted, known: SidePreferences
) -> Tree:
    """Give every content word its place back.

    `is_site`, `is_promoted`: whether a label is that of a function word (of a promoted word). `known` tells
    which function words bear which label.
    """
    draft = Draft(tree)
    for top in draft.deepest_first():
        cores = _complements(draft, top, is_site)
        site = block = top  # a function word, and the token that stands in its place by now
        while cores:
            # A function word may have one of its own, which then has two complements: the function word, and
            # the content word that this has given its label.
            fits = {core: known.bears(tree, complement_of(draft.deprels[core]), site) for core in cores}
            core = max(cores, key=lambda core: (fits[core], -abs(core - top), core))
            cores.remove(core)
            if wanted(_site_of(draft, site, is_promoted)):
                _demote_function(draft, top, block, core, is_promoted)
                block = core
            else:
                draft.attach(core, block)
            site = core
    return draft.done()


def _complements(draft: Draft, head: int, is_site: IsSite) -> list[int]:
    """The children of `head` whose place a site with such a label has taken."""
    return [child for child in draft.children[head] if is_site(complement_of(draft.deprels[child]))]


def _site_of(draft: Draft, word: int, is_promoted: IsSite) -> int:
    """The token of the site that `word` stands for: below a promoted word, the first of its members."""
    while below := _complements(draft, word, is_promoted):
        word = below[0]
    return word


def _demote_function(draft: Draft, top: int, word: int, core: int, is_promoted: IsSite) -> None:
    """Put `core` in the place of its function word `word`, whose block `top` headed as transformed."""
    promoted = bool(_complements(draft, word, is_promoted))
    beyond = [
        child
        for child in {*draft.children[word], *draft.children[top]}
        if child not in (core, top)
        and (child < word) == (word < core)
        and universal(draft.deprels[child]) not in FLAT_EXPRESSIONS
        and not (promoted and _is_member(draft, child, is_promoted))
    ]
    label = complement_of(draft.deprels[core])
    draft.attach(core, draft.heads[word])
    draft.deprels[core], draft.deprels[word] = draft.deprels[word], label
    for child in (word, *beyond):
        draft.attach(child, core)


def _is_member(draft: Draft, token: int, is_promoted: IsSite) -> bool:
    """Whether `token` may be a member of a promoted word's group."""
    return draft.is_conj(token) or is_promoted(complement_of(draft.deprels[token]))


def invert_external_promotions(
    tree: Tree, is_site: IsSite, wanted: Wanted, version: int | None, is_member: IsSite | None = None
) -> Tree:
    """Give the place of promoted words back to the first members of their groups.

    Of a coordination (of UD `version`), or with `is_member` of a flat expression.
    """
    draft = Draft(tree)
    for key in draft.deepest_first():
        first = next(iter(_complements(draft, key, is_site)), 0)
        if not first or not wanted(key):
            continue
        draft.deprels[key], draft.deprels[first] = complement_of(draft.deprels[first]), draft.deprels[key]
        if is_member is None:
            demote(draft, key, first, version or 0)
            continue
        others = _others(draft, key, first, is_member)
        draft.attach(first, draft.heads[key])
        for child in (key, *others):
            draft.attach(child, first)
    return draft.done()


def _others(draft: Draft, key: int, first: int, is_member: IsSite) -> Sequence[int]:
    """The children of a promoted last word that are the first word's."""
    return [
        child
        for child in draft.children[key]
        if child != first and (child > key or is_member(draft.deprels[child]))
    ]
