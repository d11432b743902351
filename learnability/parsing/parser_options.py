"""What determines a training, besides the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from learnability.errors import InputError
from learnability.parsing import training
from learnability.parsing.encoding import Corpus, encode_tokens
from learnability.parsing.features import Templates, columns_of, compile_templates
from learnability.parsing.systems import system_named
from learnability.parsing.templates import FEATURE_SETS
from learnability.treebanks.sentence import Tree


@dataclass(frozen=True)
class ParserOptions:
    """What determines a training, besides the data.

    Attributes:
        system: transition system, by its name on the command line.
        oracle: training regime: static, ambiguity, explore or dynamic.
        iterations: exactly so many; None: at most 15, until dev UAS has not improved for 3.
        labelled: predict labels as well.
        features: feature set, `zn11` or `rich`.
        tags: the tag attribute: gold (UPOS), xpos or none.
        k, p: exploration starts after iteration k and follows a wrong prediction with probability p.
        seed: of the order of sentences and of exploration.
        multiple_roots: leave several root words in the output.
    """

    system: str = "arc-eager"
    oracle: str = "dynamic"
    iterations: int | None = None
    labelled: bool = False
    features: str = "zn11"
    tags: str = "gold"
    k: int = 1
    p: float = 0.9
    seed: int = 1
    multiple_roots: bool = False

    def templates(self) -> Templates:
        """The compiled feature templates.

        Raises:
            InputError: no feature set of that name.
        """
        addresses = system_named(self.system).addresses
        return compile_templates(self._table(), labelled=self.labelled, addresses=addresses)

    def _table(self) -> str:
        if self.features not in FEATURE_SETS:
            raise InputError(f"unknown features '{self.features}'; choose one of {', '.join(FEATURE_SETS)}")
        return system_named(self.system).features[self.features]

    def encode(self, trees: Sequence[Tree]) -> Corpus:
        """The sentences with the attributes that the features need.

        Raises:
            InputError: no such tags or features.
        """
        return encode_tokens(trees, tags=self.tags, columns=columns_of(self._table()))

    def regime(self) -> int:
        """The kernel's number of the training regime.

        Raises:
            InputError: no regime of that name, or none for the system.
        """
        if self.oracle not in training.NUMBERS:
            names = ", ".join(training.NUMBERS)
            raise InputError(f"unknown oracle '{self.oracle}'; choose one of {names}")
        unknown = system_named(self.system).unknown_costs
        if unknown and self.oracle != "static":
            raise InputError(
                f"no {self.oracle} training with {self.system}: {unknown}, so the cost of a transition is "
                "unknown (Goldberg & Nivre 2013, 4.3); choose the oracle static, or arc-hybrid"
            )
        return training.NUMBERS[self.oracle]
