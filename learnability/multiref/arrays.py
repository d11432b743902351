"""Reference sets as flat arrays, as the kernels read them, and which site is transformed in which option."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from learnability.multiref.junction import Part
from learnability.multiref.oracle import References
from learnability.multiref.references import ReferenceSet
from learnability.parsing.encoding import Corpus
from learnability.parsing.jit import Flags
from learnability.parsing.oracle import UNKNOWN
from learnability.transforms.plan import Site


@dataclass(frozen=True)
class SiteTable:
    """Which site is transformed in which option, for counting survivors.

    Attributes:
        sentence, token, transform: of each site (int64).
        pairs: int64[3, pairs], every site, every option of its factor, and 1 where it transforms the site.
        factors_cut: number of factors that were cut.
    """

    sentence: NDArray[np.int64]
    token: NDArray[np.int64]
    transform: tuple[str, ...]
    pairs: NDArray[np.int64]
    factors_cut: int

    def transformed_share(self, alive: Flags) -> NDArray[np.float64]:
        """float64[sites]: the share of the surviving options that transform the site."""
        site, option, transformed = self.pairs
        weight = alive[option].astype(np.float64)
        count = np.bincount(site, weight, len(self.sentence))
        hits = np.bincount(site, weight * transformed, len(self.sentence))
        share: NDArray[np.float64] = np.full(len(count), np.nan)
        np.divide(hits, count, out=share, where=count > 0)
        return share


def label_names(sets: Sequence[ReferenceSet]) -> list[str]:
    """Every deprel that some reference gives to some token, sorted."""
    names = {deprel for references in sets for deprel in references.tree.deprels}
    for references in sets:
        for factor in references.factors:
            names.update(*(option for part in factor.parts for option in part.labels))
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
    parts: list[Part] = []
    first_part, parent, factor_start = list[int](), list[int](), [0]
    touching: list[list[int]] = [[] for _ in range(rows)]
    sites: list[tuple[int, Site]] = []
    pairs: list[tuple[int, int, int]] = []
    options = 0
    for index, (references, start) in enumerate(zip(sets, corpus.start.tolist(), strict=True)):
        own = slice(start + 1, start + 1 + len(references.tree))
        fixed[own] = references.tree.heads
        if labels:
            fixed_label[own] = [number[deprel] for deprel in references.tree.deprels]
        for factor in references.factors:
            fixed[[start + position for position in factor.tokens]] = UNKNOWN
            first = len(parts)
            touched, seen = set(factor.tokens), set[int]()
            for part in factor.parts:
                states = (0, -1) if factor.ends else range(len(part.options))  # -1: all bits are 1
                for i, site in enumerate(part.sites):
                    if site not in seen:
                        seen.add(site)
                        its = ((options + o, bits >> i & 1) for o, bits in enumerate(states))
                        pairs += [(len(sites) + site, *pair) for pair in its]
                touched.update(*part.options)
                options += len(part.options)
                first_part.append(len(parts))
                parent.append(first + part.parent if part.parent >= 0 else -1)
                parts.append(part)
            first_part[-1] = first
            for position in sorted(touched - {0}):
                touching[start + position].append(len(parts) - 1)
            sites += [(index, site) for site in factor.sites]
        factor_start.append(len(parts))
    arrays = References(
        fixed=fixed,
        fixed_label=fixed_label,
        factor_start=np.array(factor_start, np.int64),
        touch_start=_starts(map(len, touching)),
        touch=np.array([factor for own in touching for factor in own], np.int64),
        first_part=np.array(first_part, np.int64),
        parent=np.array(parent, np.int64),
        alive=np.ones(options, np.uint8),
        belief=np.zeros(options, np.int32),
        allowed=np.zeros(len(labels), np.uint8),
        **_of_parts(parts, parent, number),
    )
    table = SiteTable(
        sentence=np.array([index for index, _ in sites], np.int64),
        token=np.array([site.token for _, site in sites], np.int64),
        transform=tuple(site.transform for _, site in sites),
        pairs=np.array(pairs, np.int64).reshape(-1, 3).T.copy(),
        factors_cut=sum(factor.cut for references in sets for factor in references.factors),
    )
    return arrays, table


def _of_parts(parts: Sequence[Part], parent: Sequence[int], number: dict[str, int]) -> dict[str, Any]:
    """What :class:`References` holds of each part, its options and messages; `number`: of each label."""
    nothing = np.zeros(0, np.int32)
    links = [
        part.shared(parts[above]) if above >= 0 else (np.zeros(len(part.options), np.int32), nothing)
        for part, above in zip(parts, parent, strict=True)
    ]
    messages = _starts(int(mine.max()) + 1 if len(theirs) else 0 for mine, theirs in links)
    names = (name for part in parts if number for option in part.labels for name in option)
    return {
        "token_start": _starts(len(part.tokens) for part in parts),
        "option_start": _starts(len(part.options) for part in parts),
        "head_start": _starts(len(part.tokens) * len(part.options) for part in parts),
        "token": np.fromiter((token for part in parts for token in part.tokens), np.int32),
        "head": np.fromiter((head for part in parts for heads in part.options for head in heads), np.int32),
        "label": np.fromiter((number[name] for name in names), np.int32),
        "state": np.concatenate([nothing, *(mine for mine, _ in links)]),
        "parent_state": np.concatenate([nothing, *(theirs for _, theirs in links)]),
        "parent_state_start": _starts(len(theirs) for _, theirs in links),
        "message_start": messages,
        "message": np.zeros(messages[-1], np.int32),
        "reply": np.zeros(messages[-1], np.int32),
    }


def _starts(sizes: Iterable[int]) -> NDArray[np.int64]:
    """int64[sizes + 1]: where each begins, and where the last ends."""
    return np.cumsum([0, *sizes], dtype=np.int64)
