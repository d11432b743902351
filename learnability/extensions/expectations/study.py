"""Say beside the results of a run what its trees alone let us expect (`run --expect`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from learnability.comparing.cells import ComparisonCell
from learnability.comparing.fold import Fold
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import alternatives_of, base_of
from learnability.comparing.plan import RunPlan
from learnability.evidence.rows import ComparisonRow
from learnability.extensions.expectations.agreement import (
    AGREEMENT_FILE,
    agreement_csv,
    hold_against,
    list_measured,
)
from learnability.extensions.expectations.expecting import (
    EXPECTATIONS_FILE,
    ExpectedPair,
    expect_pair,
    expectations_csv,
    family_of_files,
)
from learnability.extensions.expectations.model import ConstructionModel, ExpectationModel
from learnability.extensions.expectations.properties import Properties, measure_properties
from learnability.extensions.expectations.section import (
    agreement_section,
    expectations_section,
)
from learnability.reports.content import Outcome
from learnability.running.cell import WarmUp
from learnability.running.records import Records
from learnability.studies.declaration import NoOptions
from learnability.studies.study import Study


@dataclass(frozen=True, kw_only=True)
class PropertiesCell(ComparisonCell[Properties]):
    """Measure the properties of a construction in all sentences of a treebank."""

    SETTING: ClassVar[str] = "properties"
    RESULT: ClassVar[type[Any]] = Properties

    def compute(self, fold: Fold) -> Properties | None:
        """Measure them; None where the alternative changes no word."""
        assert self.annotation is not None
        trees = [sentence.tree for _, part in fold.treebank.splits() for sentence in part]
        (properties,) = measure_properties(trees, fold.treebank.conventions, [self.annotation])
        return properties

    def fold_options(self, options: ExperimentOptions) -> ExperimentOptions:
        """Return the options of the first parser, whose fold is there anyway."""
        return self._options_of_parser(options, options.parsers[0].spelling)

    def seconds(self, options: ExperimentOptions, tokens: int) -> float:
        """Return a rough estimate of the processor seconds."""
        return tokens / 200_000

    def kernels(self, options: ExperimentOptions) -> tuple[WarmUp, ...]:
        """Return none."""
        return ()


class ExpectStudy(Study[NoOptions]):
    """Expect from trees alone which annotation is easier, and hold that against the results of the run."""

    def __init__(self, plan: RunPlan, options: NoOptions) -> None:
        super().__init__(plan, options)
        self._model = ExpectationModel.load_shipped()

    @classmethod
    def find_obstacle(cls, run: ExperimentOptions) -> str:
        """Return that the model knows differences from UD only, if something else is compared."""
        if base_of(run).is_ud:
            return ""
        return "we expect differences from UD only; leave out `against`, or `expect`"

    def next_cells(self, records: Records) -> Sequence[PropertiesCell]:
        """Return what measures the trees."""
        return [cell for _, _, cell in self._list_known()]

    def outcome(self, records: Records) -> Outcome:
        """Return what we expect."""
        pairs = self._expect_pairs(records)
        return Outcome(
            files={EXPECTATIONS_FILE: expectations_csv(pairs)},
            values={"expectations": [pair.values() for pair in pairs]},
            sections=(expectations_section(pairs, self._model),),
        )

    def complete_outcome(self, outcome: Outcome, rows: Sequence[ComparisonRow], records: Records) -> Outcome:
        """Return the outcome with what was measured in place of what applies where nothing was."""
        pairs = self._expect_pairs(records)
        held = hold_against(pairs, list_measured(rows, self._model.parser))
        if not held:
            return outcome
        return replace(
            outcome,
            files={**outcome.files, AGREEMENT_FILE: agreement_csv(held)},
            values={**outcome.values, "agreement": [pair.values() for pair in held]},
            sections=(agreement_section(held, unknown=self._list_unknown()),),
        )

    def _expect_pairs(self, records: Records) -> list[ExpectedPair]:
        """Return what we expect of the constructions whose trees were measured."""
        pairs = []
        for treebank, construction, cell in self._list_known():
            if cell.key in records:
                files, facts = self.plan.by_label[treebank]
                family = family_of_files(files.name, facts.sha256)
                properties = records.result(cell)
                pairs.append(expect_pair(files, family, self._model, construction, properties))
        return pairs

    def _list_known(self) -> list[tuple[str, ConstructionModel, PropertiesCell]]:
        """Return the alternatives of each treebank that the model knows."""
        models = {construction.construction: construction for construction in self._model.constructions}
        known = []
        for treebank in self.plan.by_label:
            for annotation in alternatives_of(self.plan.options):
                if annotation.spelling in models:
                    cell = PropertiesCell(treebank=treebank, annotation=annotation)
                    known.append((treebank, models[annotation.spelling], cell))
        return known

    def _list_unknown(self) -> list[str]:
        """Return the names of the alternatives that the model does not know."""
        known = {construction.construction for construction in self._model.constructions}
        return [each.name for each in alternatives_of(self.plan.options) if each.spelling not in known]
