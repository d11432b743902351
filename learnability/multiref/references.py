"""Reference sets as products of factors (design section 6): the only place that knows how a set is stored.

The references of a sentence are the trees of all selections of its sites, 2^m for m sites. The head of a
token depends on few sites; sites that occur together in the dependence of some token form a *factor*, and
the reference set is the product of the factors' options: one option, a vector of heads for the factor's
tokens, per selection of the factor's sites. All other tokens have the same head in every reference. A factor
with too many options to list is a tree of parts (:mod:`learnability.multiref.junction`), just as exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learnability.multiref.junction import Part, cover, heads_of, most_matches
from learnability.parsing.encoding import Corpus
from learnability.parsing.oracle import UNKNOWN
from learnability.transforms.base import Site, Transformation, depends_on
from learnability.transforms.plan import Path
from learnability.treebanks.sentence import Tree

LabelOption = Literal["keep", "external"]

Leaves = dict[int, tuple[tuple[Path, tuple[int, str]], ...]]
"""The decision tree of the head and deprel of each token."""

MAX_OPTIONS = 4096
"""The most options to list (`--max-options`). A factor with more is split into parts; if one still has more,
the factor keeps two options, all sites original and all transformed."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A group of sites that interact, with the heads of the tokens they decide.

    Attributes:
        sites: the sites, by token.
        tokens: the tokens (1..n) whose head depends on them.
        selections: per option, the selected sites as bits (bit i: `sites[i]` is transformed).
        options: per option, the heads of `tokens`.
        labels: per option, the deprels of `tokens`; empty in an unlabelled set.
        cut: only the first and the last of its 2^k options are kept.
        parts: the factor as a junction tree, where its options are too many to list; then `selections` and
            `options` are empty, and a selection is also the number of its option.
    """

    sites: tuple[Site, ...]
    tokens: tuple[int, ...]
    selections: tuple[int, ...]
    options: tuple[tuple[int, ...], ...]
    labels: tuple[tuple[str, ...], ...] = ()
    cut: bool = False
    parts: tuple[Part, ...] = ()

    def __len__(self) -> int:
        """The number of options."""
        return 1 << len(self.sites) if self.parts else len(self.options)

    def option(self, number: int) -> tuple[int, tuple[int, ...]]:
        """Selection (as bits) and heads of an option."""
        if not self.parts:
            return self.selections[number], self.options[number]
        found = heads_of(self.parts, number)
        return number, tuple(found[token] for token in self.tokens)


@dataclass(frozen=True, slots=True, repr=False)
class ReferenceSet:
    """All references of one sentence.

    Attributes:
        tree: the original tree.
        factors: independent of each other, in the order of their first site.
    """

    tree: Tree
    factors: tuple[Factor, ...]

    def __repr__(self) -> str:
        cut = sum(factor.cut for factor in self.factors)
        parts = f"{self.sites} sites in {len(self.factors)} factors" + (f", {cut} cut" if cut else "")
        return f"<ReferenceSet of {self.tree!r}: {parts}>"

    @property
    def sites(self) -> int:
        """The number of sites, m."""
        return sum(len(factor.sites) for factor in self.factors)

    def __len__(self) -> int:
        """The number of references: 2^m, fewer where a factor was cut."""
        count = 1
        for factor in self.factors:
            count *= len(factor)
        return count

    def enumerate(self, limit: int | None = None) -> Iterator[tuple[tuple[Site, ...], Tree]]:
        """Pairs of a selection and its tree, at most `limit` of them, the original tree first."""
        choices = itertools.product(*(range(len(factor)) for factor in self.factors))
        for choice in itertools.islice(choices, limit):
            heads, deprels = list(self.tree.heads), list(self.tree.deprels)
            selected: list[Site] = []
            for factor, option in zip(self.factors, choice, strict=True):
                bits, chosen = factor.option(option)
                for token, head in zip(factor.tokens, chosen, strict=True):
                    heads[token - 1] = head
                if factor.labels:
                    for token, label in zip(factor.tokens, factor.labels[option], strict=True):
                        deprels[token - 1] = label
                selected.extend(site for i, site in enumerate(factor.sites) if bits >> i & 1)
            yield tuple(sorted(selected)), self.tree.with_heads(heads, deprels)


def reference_set(
    tree: Tree,
    transformation: Transformation,
    *,
    max_options: int = MAX_OPTIONS,
    labels: LabelOption | None = None,
) -> ReferenceSet:
    """The references of `tree` under `transformation` (single, or several together), as factors.

    `labels`: None for heads only; with a label option (rule 2.8) an option is a vector of heads and deprels
    (a factor with too many options is then cut, never split into parts).
    """
    plan = transformation.plan(tree)
    if not plan.sites:
        return ReferenceSet(tree, ())
    leaves: Leaves
    if labels is None:
        leaves = {t: tuple((path, (h, "")) for path, h in plan.leaves(t)) for t in sorted(plan.varying)}
    else:
        leaves = {t: plan.labelled_leaves(t, labels) for t in sorted(plan.varying)}
    depends = {token: depends_on(found) for token, found in leaves.items()}
    group = components([site.token for site in plan.sites], depends.values())
    members: dict[int, list[Site]] = {}
    for site in plan.sites:
        members.setdefault(group[site.token], []).append(site)
    tokens: dict[int, list[int]] = {first: [] for first in members}
    for token, sites in depends.items():
        if sites:
            tokens[group[next(iter(sites))]].append(token)
    return ReferenceSet(
        tree,
        tuple(
            _factor(tuple(sites), tuple(tokens[first]), leaves, depends, max_options, labels is not None)
            for first, sites in members.items()
        ),
    )


def components(sites: Sequence[int], together: object) -> dict[int, int]:
    """Connected components of the sites under "occur together in some set", named by their first site."""
    parent = {site: site for site in sites}

    def find(site: int) -> int:
        while parent[site] != site:
            site = parent[site]
        return site

    for group in together:  # type: ignore[attr-defined]
        if len(group) > 1:
            roots = sorted({find(site) for site in group})
            for other in roots[1:]:
                parent[other] = roots[0]
    return {site: find(site) for site in sites}


def _factor(
    sites: tuple[Site, ...],
    tokens: tuple[int, ...],
    leaves: Leaves,
    depends: dict[int, frozenset[int]],
    max_options: int,
    labelled: bool,
) -> Factor:
    """One factor, its options listed where they are few."""
    keys = [site.token for site in sites]
    total = 1 << len(sites)
    if total <= max_options:
        heads, names = _options(keys, tokens, leaves, range(total))
        return Factor(sites, tokens, tuple(range(total)), heads, names if labelled else ())
    position = {key: i for i, key in enumerate(keys)}
    cliques = cover(
        {token: frozenset(position[site] for site in depends[token]) for token in tokens}, len(sites)
    )
    if labelled or max(1 << len(chosen) for chosen, _, _ in cliques) > max_options:
        ends = (0, total - 1)
        heads, names = _options(keys, tokens, leaves, ends)
        return Factor(sites, tokens, ends, heads, names if labelled else (), cut=True)
    parts = tuple(
        Part(
            chosen,
            tuple(own),
            _options([keys[i] for i in chosen], own, leaves, range(1 << len(chosen)))[0],
            parent,
        )
        for chosen, own, parent in cliques
    )
    return Factor(sites, tokens, (), (), parts=parts)


def _options(
    sites: Sequence[int], tokens: Sequence[int], leaves: Leaves, masks: Sequence[int]
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[str, ...], ...]]:
    """The heads and the labels of `tokens` per selection in `masks` (bit i: `sites[i]`)."""
    bit = {site: 1 << i for i, site in enumerate(sites)}
    columns = []
    for token in tokens:
        rules = []
        for path, arc in leaves[token]:
            # sites outside do not matter for this token: keep the leaves that answer no
            if any(answer and site not in bit for site, answer in path):
                continue
            care = sum(bit.get(site, 0) for site, _ in path)
            value = sum(bit[site] for site, answer in path if answer)
            rules.append((care, value, arc))
        columns.append([next(arc for care, value, arc in rules if mask & care == value) for mask in masks])
    if not columns:
        return ((),) * len(masks), ((),) * len(masks)
    heads = tuple(zip(*([head for head, _ in column] for column in columns), strict=True))
    return heads, tuple(zip(*([label for _, label in column] for column in columns), strict=True))


class References(NamedTuple):
    """The reference sets of a corpus as flat arrays; the parts of a large factor are numbered like factors.

    Attributes:
        fixed: int32[rows of the corpus], the head of every token in no factor; UNKNOWN for the others.
        factor_start: int64[sentences + 1], where each sentence's factors begin.
        token_start: int64[factors + 1], where each factor's tokens begin in `token`.
        token: int32, position of the token in its sentence.
        option_start: int64[factors + 1], where each factor's options begin.
        head_start: int64[factors + 1], where the factor's option vectors begin in `head`, one after another.
        head: int32, heads (0 is the root).
        fixed_label: int32[rows], the label of every token in no factor; empty in an unlabelled training.
        label: int32, the labels that go with `head`; empty in an unlabelled training.
        alive: uint8[options], 1 while the option survives.
        touch_start: int64[rows + 1], where the factors that touch a token begin in `touch`: those that
            decide its head, or in which it can be a head.
        touch: int64, numbers of factors; a factor in parts bears the number of its last part, the root.
        first_part: int64[factors], of a root the number of the factor's first part, else the own number.
        parent: int64[factors], the neighbour towards the root, -1 where there is none.
        state: int32[options], the state of the sites that a part shares with its parent.
        parent_state_start: int64[factors], where the states begin in `parent_state` that the options of the
            parent leave these sites in.
        parent_state: int32.
        message_start: int64[factors], where the part's messages begin, one per state.
        message, reply: int32, scratch: messages to the parent and back.
        belief: int32[options], scratch.
    """

    fixed: NDArray[np.int32]
    factor_start: NDArray[np.int64]
    token_start: NDArray[np.int64]
    token: NDArray[np.int32]
    option_start: NDArray[np.int64]
    head_start: NDArray[np.int64]
    head: NDArray[np.int32]
    fixed_label: NDArray[np.int32]
    label: NDArray[np.int32]
    alive: NDArray[np.uint8]
    touch_start: NDArray[np.int64]
    touch: NDArray[np.int64]
    first_part: NDArray[np.int64]
    parent: NDArray[np.int64]
    state: NDArray[np.int32]
    parent_state_start: NDArray[np.int64]
    parent_state: NDArray[np.int32]
    message_start: NDArray[np.int64]
    message: NDArray[np.int32]
    reply: NDArray[np.int32]
    belief: NDArray[np.int32]


@dataclass(frozen=True)
class SiteTable:
    """Which site is transformed in which option, for counting survivors.

    Attributes:
        sentence: int64[sites], the sentence of each site.
        token: int64[sites], its token.
        transform: the name of its transformation, per site.
        pair_site, pair_option: int64[pairs], every site with every option of its factor.
        pair_transformed: float64[pairs], 1 where the option transforms the site.
        factors_cut: number of factors that were cut.
    """

    sentence: NDArray[np.int64]
    token: NDArray[np.int64]
    transform: tuple[str, ...]
    pair_site: NDArray[np.int64]
    pair_option: NDArray[np.int64]
    pair_transformed: NDArray[np.float64]
    factors_cut: int

    def transformed_share(self, alive: NDArray[np.uint8]) -> NDArray[np.float64]:
        """float64[sites]: the share of the surviving options that transform the site."""
        weight = alive[self.pair_option].astype(np.float64)
        count = np.bincount(self.pair_site, weights=weight, minlength=len(self.sentence))
        hits = np.bincount(
            self.pair_site, weights=weight * self.pair_transformed, minlength=len(self.sentence)
        )
        share: NDArray[np.float64] = np.full(len(count), np.nan)
        np.divide(hits, count, out=share, where=count > 0)
        return share


class _Arrays:
    """The lists that become the arrays of :class:`References`, factor by factor."""

    def __init__(self, rows: int) -> None:
        self.token_start, self.option_start, self.head_start = [0], [0], [0]
        self.token: list[int] = []
        self.head: list[int] = []
        self.label: list[int] = []
        self.touching: list[list[int]] = [[] for _ in range(rows)]
        self.first_part: list[int] = []
        self.parent: list[int] = []
        self.state: list[int] = []
        self.parent_state_start: list[int] = []
        self.parent_state: list[int] = []
        self.message_start, self.messages = [0], 0

    def __len__(self) -> int:
        """The number of factors and parts so far."""
        return len(self.parent)

    def add(self, tokens: Sequence[int], options: Sequence[Sequence[int]]) -> int:
        """Add a factor or part; the number of its first option."""
        first = self.option_start[-1]
        self.token.extend(tokens)
        self.token_start.append(len(self.token))
        for heads in options:
            self.head.extend(heads)
        self.head_start.append(len(self.head))
        self.option_start.append(first + len(options))
        self.first_part.append(len(self))
        self.parent.append(-1)
        self.state.extend([0] * len(options))
        self.parent_state_start.append(len(self.parent_state))
        self.message_start.append(self.messages)
        return first

    def link(self, number: int, part: Part, parent: Part, parent_number: int) -> None:
        """Tell the part `number` its parent, and which sites they share."""
        mine, theirs = part.shared(parent)
        first = self.option_start[number]
        self.state[first : first + len(mine)] = mine.tolist()
        self.parent[number] = parent_number
        self.parent_state_start[number] = len(self.parent_state)
        self.parent_state.extend(theirs.tolist())
        self.message_start[number] = self.messages
        self.messages += int(mine.max()) + 1
        self.message_start[number + 1 :] = [self.messages] * (len(self.message_start) - number - 1)

    def touch(self, rows: Iterable[int], number: int) -> None:
        """Note that the factor `number` has to do with the tokens at these rows."""
        for row in rows:
            self.touching[row].append(number)

    def arrays(
        self, fixed: NDArray[np.int32], fixed_label: NDArray[np.int32], factor_start: Sequence[int]
    ) -> References:
        """Everything as arrays."""
        counts = np.array([len(t) for t in self.touching], np.int64)
        return References(
            fixed=fixed,
            factor_start=np.array(factor_start, np.int64),
            token_start=np.array(self.token_start, np.int64),
            token=np.array(self.token, np.int32),
            option_start=np.array(self.option_start, np.int64),
            head_start=np.array(self.head_start, np.int64),
            head=np.array(self.head, np.int32),
            fixed_label=fixed_label,
            label=np.array(self.label, np.int32),
            alive=np.ones(self.option_start[-1], np.uint8),
            touch_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            touch=np.array([f for t in self.touching for f in t], np.int64),
            first_part=np.array(self.first_part, np.int64),
            parent=np.array(self.parent, np.int64),
            state=np.array(self.state, np.int32),
            parent_state_start=np.array(self.parent_state_start, np.int64),
            parent_state=np.array(self.parent_state, np.int32),
            message_start=np.array(self.message_start, np.int64),
            message=np.zeros(self.messages, np.int32),
            reply=np.zeros(self.messages, np.int32),
            belief=np.zeros(self.option_start[-1], np.int32),
        )


def label_names(sets: Sequence[ReferenceSet]) -> list[str]:
    """Every deprel that some reference gives to some token, sorted."""
    names = {deprel for references in sets for deprel in references.tree.deprels}
    for references in sets:
        for factor in references.factors:
            names.update(*factor.labels)
    return sorted(names)


def encode_references(
    corpus: Corpus, sets: Sequence[ReferenceSet], labels: Sequence[str] = ()
) -> tuple[References, SiteTable]:
    """Flat arrays for the reference sets of the sentences of `corpus`.

    With `labels` (see `label_names`) the labels of labelled sets are encoded too, by their index.
    """
    rows = corpus.attributes.shape[0]
    fixed = np.zeros(rows, np.int32)
    fixed_label = np.zeros(rows if labels else 0, np.int32)
    number = {label: i for i, label in enumerate(labels)}
    lists, factor_start = _Arrays(rows), [0]
    sites: list[tuple[int, Site]] = []
    pairs: list[tuple[int, int, int]] = []
    for index, (references, start) in enumerate(zip(sets, corpus.start.tolist(), strict=True)):
        fixed[start + 1 : start + 1 + len(references.tree)] = references.tree.heads
        if labels:
            own = slice(start + 1, start + 1 + len(references.tree))
            fixed_label[own] = [number[deprel] for deprel in references.tree.deprels]
        for factor in references.factors:
            lists.label.extend(number[label] for option in factor.labels for label in option)
            fixed[[start + position for position in factor.tokens]] = UNKNOWN
            pairs += _add_factor(lists, factor, start, len(sites))
            sites += [(index, site) for site in factor.sites]
        factor_start.append(len(lists))
    pair = np.array(pairs, np.int64).reshape(-1, 3)
    table = SiteTable(
        sentence=np.array([index for index, _ in sites], np.int64),
        token=np.array([site.token for _, site in sites], np.int64),
        transform=tuple(site.transform for _, site in sites),
        pair_site=pair[:, 0].copy(),
        pair_option=pair[:, 1].copy(),
        pair_transformed=pair[:, 2].astype(np.float64),
        factors_cut=sum(factor.cut for references in sets for factor in references.factors),
    )
    return lists.arrays(fixed, fixed_label, factor_start), table


def _add_factor(lists: _Arrays, factor: Factor, start: int, first_site: int) -> list[tuple[int, int, int]]:
    """Add a factor (or its parts); per site (from `first_site`) and option, whether it is transformed."""
    pairs: list[tuple[int, int, int]] = []
    touched = set(factor.tokens)
    if not factor.parts:
        first = lists.add(factor.tokens, factor.options)
        for i in range(len(factor.sites)):
            pairs += [(first_site + i, first + o, bits >> i & 1) for o, bits in enumerate(factor.selections)]
        touched.update(*factor.options)
    first_part = len(lists)
    seen: set[int] = set()
    for part in factor.parts:
        first = lists.add(part.tokens, part.options)
        for i, site in enumerate(part.sites):
            if site not in seen:
                seen.add(site)
                pairs += [(first_site + site, first + o, o >> i & 1) for o in range(len(part.options))]
        touched.update(*part.options)
    for number, part in enumerate(factor.parts[:-1], start=first_part):
        lists.link(number, part, factor.parts[part.parent], first_part + part.parent)
    if factor.parts:
        lists.first_part[-1] = first_part
    lists.touch((start + position for position in sorted(touched - {0})), len(lists) - 1)
    return pairs


def closest_matches(
    sets: Sequence[ReferenceSet], corpus: Corpus, predicted: NDArray[np.int32]
) -> NDArray[np.int64]:
    """int64[sentences]: the correct heads of a prediction against the reference closest to it.

    That is, the best option of each factor plus the tokens outside (design section 9, closest-reference
    UAS). `predicted`: int32[rows of the corpus], heads with 0 for the root.
    """
    matches = np.zeros(len(sets), np.int64)
    for i, (references, start) in enumerate(zip(sets, corpus.start.tolist(), strict=True)):
        n = len(references.tree)
        guess = predicted[start + 1 : start + 1 + n].tolist()
        right = [a == b for a, b in zip(guess, references.tree.heads, strict=True)]
        total = sum(right)
        for factor in references.factors:
            own = [guess[token - 1] for token in factor.tokens]
            if factor.parts:
                best = most_matches(factor.parts, guess)
            else:
                best = max(sum(a == b for a, b in zip(own, heads, strict=True)) for heads in factor.options)
            total += best - sum(right[token - 1] for token in factor.tokens)
        matches[i] = total
    return matches
