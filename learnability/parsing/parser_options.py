"""Declare the options of a training.

Commands read these fields to show their help, so the methods import what is slow to import.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from learnability.errors import InputError
from learnability.parsing.templates import FEATURE_SETS, TAGS
from learnability.support.options import option, shorten_value

if TYPE_CHECKING:
    from learnability.parsing.encoding import Corpus
    from learnability.parsing.features import Templates
    from learnability.parsing.transitions import TransitionSystem
    from learnability.treebanks.sentence import Tree


REGIMES = ("static", "ambiguity", "explore", "dynamic")
"""The training regimes, in the order of their numbers in the kernels (`training`)."""


MOST_ITERATIONS = 1000
"""The most iterations of a training."""

MOST_SEED = 1_000_000_000
"""The largest seed."""


def iterations_or_auto(typed: str) -> int | None:
    """Return a positive number, or None for ``auto``."""
    if typed == "auto":
        return None
    if not re.fullmatch("[0-9]{1,9}", typed) or not 0 < int(typed) <= MOST_ITERATIONS:
        numbers = f"a number from 1 to {MOST_ITERATIONS:,}"
        raise InputError(f"{shorten_value(typed)} is not accepted; use {numbers}, or auto")
    return int(typed)


@dataclass(frozen=True)
class ParserOptions:
    """Hold everything that determines a training, besides the data.

    Attributes:
        system: transition system, by its name on the command line.
        oracle: training regime: static, ambiguity, explore or dynamic.
        iterations: the exact number of iterations; None: at most 15, until UAS on the development set has not
            improved for 3.
        labelled: predict labels as well.
        features: feature set, `zn11`, `form` or `rich` (see `templates`).
        tags: the tag attribute: gold (UPOS), xpos, none, or only (UPOS in place of words).
        k: exploration starts after this iteration.
        p: the probability of following a wrong prediction when exploring.
        seed: the seed of the order of sentences and of exploration.
        multiple_roots: allow several root words in a parse.
    """

    PANEL: ClassVar[str] = "Training"

    system: str = option("arc-eager", "Transition system.", metavar="S", completes="systems")
    oracle: str = option(
        "dynamic", "Training regime; default: dynamic (arc-standard: static).", typed=None,
        choices=REGIMES,
    )  # fmt: skip
    iterations: int | None = option(
        None, "Iterations over the training set. auto: at most 15; training stops when UAS on --dev has not "
        "improved for 3.", metavar="N|auto",
        parse=iterations_or_auto, typed="auto", least=1, most=MOST_ITERATIONS,
    )  # fmt: skip
    labelled: bool = option(False, "Predict deprels as well.")
    features: str = option("form", "Feature set.", choices=tuple(FEATURE_SETS))
    tags: str = option(
        "gold",
        "The tags that the parser sees: UPOS (gold), XPOS or none; only: UPOS, and no words.",
        choices=TAGS,
    )
    k: int = option(1, "Explore after iteration k.", least=0, most=MOST_ITERATIONS)
    p: float = option(0.9, "Probability of following a wrong prediction when exploring.", least=0.0, most=1.0)
    seed: int = option(1, "Seed.", least=0, most=MOST_SEED)
    multiple_roots: bool = False

    def templates(self) -> tuple[Templates, Templates]:
        """Return the compiled templates of transitions and of labels."""
        from learnability.parsing.features import ARC_ADDRESSES, compile_templates

        of_transitions, of_labels = self._tables()
        addresses = self.transition_system.addresses
        return (
            compile_templates(of_transitions, labelled=self.labelled, addresses=addresses),
            compile_templates(of_labels, labelled=True, addresses=ARC_ADDRESSES),
        )

    @property
    def transition_system(self) -> TransitionSystem:
        """Return the transition system."""
        from learnability.parsing.systems import system_named

        return system_named(self.system)

    def _tables(self) -> tuple[str, str]:
        if self.features not in FEATURE_SETS:
            raise InputError(
                f"`features={self.features!r}` is not accepted; choose one of {', '.join(FEATURE_SETS)}"
            )
        return self.transition_system.features[self.features], FEATURE_SETS[self.features]

    def encode(self, trees: Sequence[Tree]) -> Corpus:
        """Return the sentences encoded with the attributes that the features need.

        Args:
            trees: the sentences.

        Raises:
            InputError: `tags` or `features` do not exist, or no token has a tag.
        """
        from learnability.parsing.encoding import encode_tokens

        return encode_tokens(trees, tags=self.tags, columns=self.attributes())

    def attributes(self) -> tuple[str, ...]:
        """Return the attributes of words that the features need (`parsing.templates`)."""
        from learnability.parsing.features import columns_of

        of_transitions, of_labels = self._tables()
        return columns_of(f"{of_transitions} {of_labels}" if self.labelled else of_transitions)

    def regime(self) -> int:
        """Return the number of the training regime in the kernels.

        Raises:
            InputError: the regime does not exist, or the system does not have it.
        """
        if self.oracle not in REGIMES:
            raise InputError(f"`oracle={self.oracle!r}` is not accepted; choose one of {', '.join(REGIMES)}")
        unknown = self.transition_system.unknown_costs
        if unknown and self.oracle != "static":
            raise InputError(
                f"{self.system} has no {self.oracle} training: {unknown}, so the cost of a transition is "
                "unknown (Goldberg & Nivre 2013, 4.3); choose the static oracle, or the system arc-hybrid"
            )
        return REGIMES.index(self.oracle)
