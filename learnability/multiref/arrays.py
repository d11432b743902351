"""Reference sets as flat arrays, as the kernels read them, and which site is transformed in which option."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.multiref.junction import Part
from learnability.multiref.oracle import References
from learnability.multiref.references import Factor, ReferenceSet
from learnability.parsing.arrays import Flags, Ints
from learnability.parsing.encoding import Corpus
from learnability.parsing.oracle import UNKNOWN
from learnability.transforms.plan import Site


@dataclass(frozen=True)
class SiteTable:
    """Which site is transformed in which option, for counting survivors.

    Attributes:
        sentence, token, transform: of each site (int64).
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

    def transformed_share(self, alive: Flags) -> NDArray[np.float64]:
        """float64[sites]: the share of the surviving options that transform the site."""
        weight = alive[self.pair_option].astype(np.float64)
        sites = len(self.sentence)
        count = np.bincount(self.pair_site, weight, sites)
        hits = np.bincount(self.pair_site, weight * self.pair_transformed, sites)
        share: NDArray[np.float64] = np.full(len(count), np.nan)
        np.divide(hits, count, out=share, where=count > 0)
        return share


class _Arrays:
    """The lists that become the arrays of :class:`References`, factor by factor."""

    def __init__(self, rows: int) -> None:
        self.factor_start, self.token_start, self.option_start, self.head_start, self.message_start = (
            [0] for _ in range(5)
        )
        self.token, self.head, self.label, self.first_part, self.parent, self.state, self.parent_state = (
            list[int]() for _ in range(7)
        )
        self.parent_state_start: list[int] = []
        self.touching: list[list[int]] = [[] for _ in range(rows)]

    def __len__(self) -> int:
        """The number of factors and parts so far."""
        return len(self.parent)

    def add(self, part: Factor | Part, names: dict[str, int]) -> int:
        """Add a factor or part; the number of its first option. `names`: the number of each label."""
        first = self.option_start[-1]
        self.token.extend(part.tokens)
        self.head.extend(head for heads in part.options for head in heads)
        if names:
            self.label.extend(names[name] for option in part.labels for name in option)
        self.state.extend([0] * len(part.options))
        self.first_part.append(len(self))
        self.token_start.append(len(self.token))
        self.head_start.append(len(self.head))
        self.option_start.append(first + len(part.options))
        self.parent_state_start.append(len(self.parent_state))
        self.message_start.append(self.message_start[-1])
        self.parent.append(-1)
        return first

    def link(self, number: int, part: Part, parent: Part, parent_number: int) -> None:
        """Tell the part `number` its parent, and which sites they share."""
        mine, theirs = part.shared(parent)
        first = self.option_start[number]
        self.state[first : first + len(mine)] = mine.tolist()
        self.parent[number] = parent_number
        self.parent_state_start[number] = len(self.parent_state)
        self.parent_state.extend(theirs.tolist())
        self.message_start[number + 1 :] = [self.message_start[number] + int(mine.max()) + 1] * (
            len(self) - number
        )

    def arrays(self, fixed: Ints, fixed_label: Ints, labels: int) -> References:
        """Everything as arrays."""
        short = {"token", "head", "label", "state", "parent_state"}
        lists: dict[str, NDArray[Any]] = {
            name: np.array(made, np.int32 if name in short else np.int64)
            for name, made in vars(self).items()
            if name != "touching"
        }
        options, messages = self.option_start[-1], self.message_start[-1]
        return References(
            **lists,
            fixed=fixed,
            fixed_label=fixed_label,
            touch_start=np.cumsum([0, *map(len, self.touching)], dtype=np.int64),
            touch=np.array([factor for own in self.touching for factor in own], np.int64),
            alive=np.ones(options, np.uint8),
            message=np.zeros(messages, np.int32),
            reply=np.zeros(messages, np.int32),
            belief=np.zeros(options, np.int32),
            allowed=np.zeros(labels, np.uint8),
        )


def label_names(sets: Sequence[ReferenceSet]) -> list[str]:
    """Every deprel that some reference gives to some token, sorted."""
    names = {deprel for references in sets for deprel in references.tree.deprels}
    for references in sets:
        for factor in references.factors:
            names.update(*factor.labels, *(name for part in factor.parts for name in part.labels))
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
    lists = _Arrays(rows)
    sites: list[tuple[int, Site]] = []
    pairs: list[tuple[int, int, int]] = []
    for index, (references, start) in enumerate(zip(sets, corpus.start.tolist(), strict=True)):
        own = slice(start + 1, start + 1 + len(references.tree))
        fixed[own] = references.tree.heads
        if labels:
            fixed_label[own] = [number[deprel] for deprel in references.tree.deprels]
        for factor in references.factors:
            fixed[[start + position for position in factor.tokens]] = UNKNOWN
            pairs += _add_factor(lists, factor, start, len(sites), number)
            sites += [(index, site) for site in factor.sites]
        lists.factor_start.append(len(lists))
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
    return lists.arrays(fixed, fixed_label, len(labels)), table


def _add_factor(
    lists: _Arrays, factor: Factor, start: int, first_site: int, names: dict[str, int]
) -> list[tuple[int, int, int]]:
    """Add a factor (or its parts); per site (from `first_site`) and option, whether it is transformed."""
    pairs: list[tuple[int, int, int]] = []
    touched = set(factor.tokens)
    if not factor.parts:
        first = lists.add(factor, names)
        for i in range(len(factor.sites)):
            pairs += [(first_site + i, first + o, bits >> i & 1) for o, bits in enumerate(factor.selections)]
        touched.update(*factor.options)
    first_part = len(lists)
    seen: set[int] = set()
    for part in factor.parts:
        first = lists.add(part, names)
        for i, site in enumerate(part.sites):
            if site not in seen:
                seen.add(site)
                pairs += [(first_site + site, first + o, o >> i & 1) for o in range(len(part.options))]
        touched.update(*part.options)
    for number, part in enumerate(factor.parts[:-1], start=first_part):
        lists.link(number, part, factor.parts[part.parent], first_part + part.parent)
    if factor.parts:
        lists.first_part[-1] = first_part
    for position in sorted(touched - {0}):
        lists.touching[start + position].append(len(lists) - 1)
    return pairs
