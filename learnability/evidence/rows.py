"""A row: what one judge shows of one condition of a treebank, typed.

Rows are computed from records (`rows_from_records`). How they become columns of files and frames is said in
`columns`; everything else reads their attributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from learnability.evidence.differences import Basis, Difference
from learnability.metrics.scores import Score, scores_of
from learnability.running.cell import label_of

MULTIREF = "multiref"
"""The key of the criterion that is a training against all references: its values are shares that survive."""


@dataclass(frozen=True)
class CriterionValues:
    """What a criterion says of both annotations: its values, and the side it picks (`criteria.pick`)."""

    original: float | None = None
    transformed: float | None = None
    pick: str | None = None


@dataclass(frozen=True)
class ConversionCeilings:
    """What converted gold trees reach against UD, in percent: at most what converted parses can reach.

    Attributes:
        transformed: of the gold trees of (b), their sites found by the converter.
        original: of those of (a), where (a) is not UD.
        gold_sites: as `transformed`, with the sites given; of UAS only.
    """

    transformed: float | None = None
    original: float | None = None
    gold_sites: float | None = None


@dataclass(frozen=True)
class PartScores:
    """How both parsers do on a part of the test tokens: its tokens, and percent right of each."""

    tokens: int
    original: float | None
    transformed: float | None


@dataclass(frozen=True)
class ChangeCounts:
    """Training tokens of one kind of change: with another head, and with another relation only."""

    heads: int
    relations_only: int


@dataclass(frozen=True, kw_only=True)
class ComparisonRow:
    """What was compared, how much there is of it, and what came out; None where it was not computed.

    Attributes:
        treebank, release: the name of the treebank, and its release, empty if it is not known.
        transform, variant: the alternative: a transformation and its options, a scheme, or a treebank.
        against: what (a) is trained on in the place of UD; empty for UD.
        judge: the title of the parser; empty in a run that was given none.
        condition: the alternative as records spell it.
        labelled: whether the parsers predict relations, so that there is LAS.
        has_rules: whether rules lead from one annotation to the other; if not, both are given.
        has_conversion_back: whether parses can be converted to UD.
        seeds: trainings per setting.
        sites, test_sites: places in the training and in the test part where the annotations can differ.
        sentences, train_tokens, nonprojective_train: of the training part.
        sentences_changed, tokens_changed: of these, what changes if all sites are transformed.
        changes: the changed training tokens by kind, the most frequent first; None with rules.
        test_sentences: of the test part.
        iterations: how often (a) went through the training part, mean over seeds.
        differences: by score and basis.
        decisions: by score, one of `decisions`; empty text where nothing was computed.
        sentences_needed: by score, the test sentences that would show half a point in 80 % of the cases; None
            where no number would do.
        ceilings: by score.
        closest_multiref: by score, as `original` of the closest references, of (c).
        error_split: by score, the parts of `metrics.breakdown`, or the kinds of change.
        relations: by score, per relation of gold UD.
        criteria: by key; survival is that of `MULTIREF`.
        survival_deviation: standard deviation of the original's surviving share over the seeds.
        survival_of_sites: share of all sites that survived as in the original.
        factors_cut: groups of sites with too many options for (c).
        sentences_unmixed: training sentences in which two schemes differ and cannot be mixed.
    """

    treebank: str
    transform: str
    release: str = ""
    variant: str = ""
    against: str = ""
    judge: str = ""
    condition: str = ""
    labelled: bool = False
    has_rules: bool = True
    has_conversion_back: bool = True
    seeds: int | None = None
    sites: int | None = None
    test_sites: int | None = None
    sentences: int | None = None
    sentences_changed: int | None = None
    tokens_changed: int | None = None
    train_tokens: int | None = None
    nonprojective_train: int | None = None
    changes: Mapping[str, ChangeCounts] | None = None
    test_sentences: int | None = None
    iterations: float | None = None
    differences: Mapping[tuple[Score, Basis], Difference] = field(default_factory=dict)
    decisions: Mapping[Score, str] = field(default_factory=dict)
    sentences_needed: Mapping[Score, int | None] = field(default_factory=dict)
    ceilings: Mapping[Score, ConversionCeilings] = field(default_factory=dict)
    closest_multiref: Mapping[Score, float] = field(default_factory=dict)
    error_split: Mapping[Score, Mapping[str, PartScores]] = field(default_factory=dict)
    relations: Mapping[Score, Mapping[str, PartScores]] = field(default_factory=dict)
    criteria: Mapping[str, CriterionValues] = field(default_factory=dict)
    survival_deviation: float | None = None
    survival_of_sites: float | None = None
    factors_cut: int | None = None
    sentences_unmixed: int | None = None

    @property
    def name(self) -> str:
        """The transformation with its variant, as on the command line."""
        return f"{self.transform}:{self.variant}" if self.variant else self.transform

    @property
    def title(self) -> str:
        """The name, with the judge where there are several: `case by udpipe`."""
        return f"{self.name} by {self.judge}" if self.judge else self.name

    @property
    def original(self) -> str:
        """What setting (a) was trained on: UD, or the scheme of `--against`."""
        return self.against or "UD"

    @property
    def treebank_label(self) -> str:
        """The treebank with its release, where it has one."""
        return label_of(self.treebank, self.release)

    @property
    def scores(self) -> tuple[Score, ...]:
        """The scores of its parsers."""
        return scores_of(labelled=self.labelled)

    @property
    def tested(self) -> bool:
        """Whether there was enough data to test the UAS difference."""
        difference = self.difference()
        return difference is not None and difference.p_value is not None

    @property
    def survival(self) -> CriterionValues:
        """The shares of the sentences with sites in which each annotation survived, without values if none
        was trained against both."""
        return self.criterion(MULTIREF)

    def difference(self, score: Score = Score.UAS, basis: Basis = Basis.OWN) -> Difference | None:
        """Return what was compared by this score on this basis; None where it was not computed."""
        return self.differences.get((score, basis))

    def by_basis(self, score: Score = Score.UAS) -> dict[Basis, Difference]:
        """Return what was compared by this score, in the order of the bases."""
        return {
            basis: self.differences[score, basis] for basis in Basis if (score, basis) in self.differences
        }

    def decision(self, score: Score = Score.UAS) -> str:
        """Return what is decided by this score; empty where nothing was computed."""
        return self.decisions.get(score, "")

    def criterion(self, key: str) -> CriterionValues:
        """Return what this criterion says, without values where it was not computed."""
        return self.criteria.get(key, CriterionValues())

    def ceiling(self, score: Score) -> ConversionCeilings:
        """Return what conversion can reach, without values where nothing is converted."""
        return self.ceilings.get(score, ConversionCeilings())
