"""The kernels of labels for parsers that predict none.

They do nothing. By them, the kernels of an unlabelled parser hold no code for labels, which takes a fifth of
the time to compile (research/first_use).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from learnability.parsing.bundles import bundle
from learnability.parsing.jit import njit


@bundle
class Unlabelled(NamedTuple):
    """Take the place of a `workspace.Labeller`."""


@njit
def has_room_for_labels(labeller: Unlabelled, rows: int) -> bool:
    return True


@njit
def learn_label_of(
    labeller: Unlabelled, supervision: Any, system: Any, transition: int, exploring: bool, attributes: Any,
    base: int, work: Any,
) -> int:  # fmt: skip
    return 0


@njit
def learn_root_labels(labeller: Unlabelled, attributes: Any, base: int, work: Any) -> bool:
    return True


@njit
def predict_label_of(
    labeller: Unlabelled, system: Any, transition: int, attributes: Any, base: int, work: Any
) -> int:
    return 0


@njit
def predict_root_label(labeller: Unlabelled, attributes: Any, base: int, dependent: int, work: Any) -> None:
    """Leave the word without a label."""
