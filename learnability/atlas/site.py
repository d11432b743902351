"""Write the atlas as a static site: files that need no server, no network and no script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from learnability.atlas.cells import (
    MARKS,
    AtlasCell,
    AtlasColumn,
    CellOutcome,
    all_of,
    answer_of,
    cells_of,
    columns_of,
    outcome_of,
    pairs_of,
    treebanks_of,
)
from learnability.atlas.citing import Citation, cite_answer, name_answer
from learnability.atlas.names import Links
from learnability.atlas.page_parts import (
    UNTESTED,
    MapPoint,
    ShownAnswer,
    ShownSentence,
    evidence_text,
    interval_text,
    named_digests,
    note_of,
    part_of,
    plain,
    reach_of,
    shorten_svg,
    strip,
    world_map,
)
from learnability.atlas.sentences import DrawnPairs, SentenceSource
from learnability.drawing.style import tree_rules
from learnability.evidence.answers_file import is_file_of_answers
from learnability.evidence.columns import STATISTICS
from learnability.evidence.columns import Column as FileColumn
from learnability.evidence.questions import Answer, Question
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.stored_runs import StoredPair, StoredRun
from learnability.evidence.survey import Construction, Evidence
from learnability.metrics.scores import Score
from learnability.reports.all_parsers import all_parsers_table
from learnability.reports.all_parsers import sentence as all_parsers_sentence
from learnability.reports.comparison_files import pair_values, run_names, treebanks_figures
from learnability.reports.comparison_tables import (
    MEANS,
    family_mean,
    remarks,
    tables,
)
from learnability.reports.examples import explanation
from learnability.reports.paths import command_without_folders
from learnability.reports.rendering import render_linked, template_text
from learnability.reports.results import SHORT, comparison_table
from learnability.reports.text import enumerate_names, join_signs
from learnability.reports.tree_pair import small_diagram
from learnability.reports.verdicts import describe_reach, headline, name_difference, name_leader, side_names
from learnability.reports.verdicts import verdict as verdict_of_row
from learnability.running.config import TreebankDesign
from learnability.schemes.catalogue import describe_construction, name_subject
from learnability.statistics.inference import Side
from learnability.support.nouns import choose_verb, count_noun
from learnability.support.progress import ProgressSteps
from learnability.treebanks.families import entry_of

PACKAGE = "learnability.atlas"
"""Where the templates are."""

CSV, STYLE, SCRIPT, INDEX, LAND = "atlas.csv", "atlas.css", "atlas.js", "index.html", "land.svg"
"""The files of the site that all pages share, and the first page."""

FOLDERS = ("constructions", "treebanks")

NO_CELL, NO_MEAN = "not compared", "no mean"


def atlas_files(
    evidence: Evidence,
    runs: Sequence[StoredRun],
    source: SentenceSource,
    steps: ProgressSteps | None = None,
    *,
    about: str = "",
) -> dict[str, bytes]:
    """Return the files of the atlas by their paths; the same input gives the same bytes.

    Args:
        evidence: what the runs say together, as `compare` has it.
        runs: those it was made of.
        source: finds sentences to draw.
        steps: shows progress.
        about: the way from the first page to one about the data, if there is one.
    """
    site = _Site(evidence, runs, source, about)
    steps = steps or ProgressSteps()
    pages = {INDEX: site.index()}
    for name in steps.each(site.constructions, "drawing", "constructions"):
        pages[f"constructions/{site.links.constructions[name]}.html"] = site.construction_page(name)
    for label in steps.each(site.treebanks, "drawing", "treebanks"):
        pages[f"treebanks/{site.links.treebanks[label]}.html"] = site.treebank_page(label)
    shared = {
        CSV: site.csv(),
        STYLE: (template_text("page.css") + tree_rules() + template_text(f"{PACKAGE}:atlas.css")).encode(),
        LAND: template_text(f"{PACKAGE}:land.svg").encode(),
        SCRIPT: (template_text("page.js") + template_text(f"{PACKAGE}:atlas.js")).encode(),
    }
    return {**pages, **shared}


class _Site:
    """Make the pages of an atlas."""

    def __init__(
        self, evidence: Evidence, runs: Sequence[StoredRun], source: SentenceSource, about: str
    ) -> None:
        self.evidence, self.source, self.about = evidence, source, about
        self.from_file = any(is_file_of_answers(run.config) for run in runs)
        self.runs = {run.folder: run for run in runs}
        self.cells = cells_of(evidence)
        self.columns = columns_of(evidence)
        self.pairs = pairs_of(evidence)
        self.treebanks = treebanks_of(self.pairs)
        self.constructions = list(dict.fromkeys(column.construction for column in self.columns))
        self.links = Links(self.treebanks, self.constructions)
        self.names = {Side.FIRST: evidence.base, Side.SECOND: SHORT}
        self.tables = tables(evidence)
        self._drawn: dict[tuple[str, str], DrawnPairs] = {}

    @cached_property
    def families(self) -> dict[str, str]:
        return {c.treebank: c.family for c in self.pairs}

    @cached_property
    def languages(self) -> dict[str, str]:
        return {c.treebank: c.language.replace("_", " ") for c in self.pairs}

    @cached_property
    def run_names(self) -> dict[Path, str]:
        """Return what runs are called: their paths from the folder that holds them all."""
        return run_names([c.folder for c in self.pairs])

    # The first page

    def index(self) -> bytes:
        rows = [(label, self._row(label)) for label in self.treebanks]
        counts = Counter(answer.outcome for _, row in rows for answer in row)
        families = Counter(self.families[label] for label in self.treebanks)
        base, means = self.evidence.base, [self._mean(column) for column in self.columns]
        trained = {part for _, row in rows for answer in row for part in answer.trainings}
        return self._page(
            f"{PACKAGE}:atlas_index.html.jinja",
            root="",
            columns=[
                (c.title, self.links.construction(c.construction), describe_construction(c.construction))
                for c in self.columns
            ],
            descriptions=[
                (name, self.links.construction(name), describe_construction(name))
                for name in self.constructions
            ],
            means=means if any(mean.text != NO_MEAN for mean in means) else [],
            rows=[
                (
                    self._title(label),
                    self.links.treebank(label),
                    self.languages[label],
                    self.families[label],
                    row,
                )
                for label, row in rows
            ],
            trainings=[name for name in (answer.named(base) for answer in _TRAININGS) if name in trained],
            families=sorted(families.items()),
            counts=[
                (
                    outcome,
                    MARKS[outcome],
                    _MEANINGS[outcome].format(base=self.evidence.base),
                    counts[outcome],
                )
                for outcome in CellOutcome
            ],
            remarks=remarks(self.evidence),
            several_parsers=bool(self.evidence.combine_parsers()),
            answers=sum(counts[outcome] for outcome in CellOutcome if outcome not in UNTESTED),
        )

    def _row(self, label: str) -> list[ShownAnswer]:
        return [self._show_answer(label, column) for column in self.columns]

    def _show_answer(self, label: str, column: AtlasColumn) -> ShownAnswer:
        cell = self.cells.get((label, column.construction))
        if cell is None:
            return ShownAnswer(NO_CELL, CellOutcome.MISSING)
        difference = cell.difference(column.score)
        outcome, link = cell.outcome(column.score), self.links.cell(label, column.construction)
        is_tested = difference is not None and outcome not in UNTESTED
        text = name_leader(difference.delta, self.names) if difference and is_tested else ""
        return ShownAnswer(
            cell.easier(column.score), outcome, text, link, train_on=cell.train_on(column.score)
        )

    def _mean(self, column: AtlasColumn) -> ShownAnswer:
        """Return the answer over all treebanks, as `compare` gives it."""
        link = self.links.construction(column.construction)
        found = [c for c in self._of(column.construction) if column.score in c.scores()]
        if len(found) > 1:
            return ShownAnswer(
                "see the page", CellOutcome.MISSING, f"{count_noun(len(found), 'parser')}", link
            )
        (construction,) = found
        difference = construction.row.difference(column.score)
        text = "" if difference is None else name_leader(difference.delta, self.names)
        answer = _answer_over_all(construction, column.score)
        train_on = construction.row.name_answer(Question.TRAIN_ON, column.score)
        return ShownAnswer(answer, outcome_of(construction.row, column.score), text, link, train_on)

    def _of(self, name: str) -> list[Construction]:
        return [c for c in self.evidence.constructions if c.row.name == name]

    # The page of a construction

    def construction_page(self, name: str) -> bytes:
        scored = [(title, c, score) for title, c, score in self.evidence.list_scored() if c.row.name == name]
        titles = {title for title, *_ in scored}
        figures = treebanks_figures([(c, score) for _, c, score in scored])
        by_title = {table.title: table for table in self.tables}
        columns = [column for column in self.columns if column.construction == name]
        return self._page(
            f"{PACKAGE}:atlas_construction.html.jinja",
            root="../",
            name=name,
            no_mean=NO_MEAN,
            description=describe_construction(name),
            answers=[
                (
                    title,
                    ShownAnswer(
                        _answer_over_all(c, score),
                        outcome_of(c.row, score),
                        train_on=c.row.name_answer(Question.TRAIN_ON, score),
                    ),
                    evidence_text(c, score),
                    self._count_answers(c, score),
                    self._cite_mean(title, c, score) if c.mean(score) else None,
                )
                for title, c, score in scored
            ],
            figures=[replace(figure, svg=shorten_svg(figure.svg)) for figure in figures],
            means=part_of(by_title.get(MEANS), titles),
            columns=columns,
            groups=self._groups(name, columns),
            map=world_map(points := self._map_points(name, columns[0])),
            key=[
                (outcome, _MEANINGS[outcome].format(base=self.evidence.base))
                for outcome in CellOutcome
                if any(point.outcome == outcome for point in points)
            ],
            unplaced=self._name_unplaced(name, points),
            example=self._example(name),
        )

    def _cite_mean(self, title: str, construction: Construction, score: Score) -> Citation:
        row = construction.row
        answer = name_answer(answer_of(row, score), self.evidence.base)
        difference = row.difference(score)
        assert difference is not None
        evidence = f"mean {name_difference(difference, self.names)}"
        subject = f"{title} in {count_noun(len(construction.list_tested(score)), 'treebank')}"
        address = self.links.construction(row.name)
        return cite_answer(subject, answer, evidence, version("learnability"), address)

    def _count_answers(self, construction: Construction, score: Score) -> str:
        outcomes = Counter(outcome_of(c.row, score) for c in all_of(construction))
        parts = [
            (CellOutcome.BASE, f"{self.evidence.base} is clearly ahead"),
            (CellOutcome.ALTERNATIVE, "the alternative is clearly ahead"),
            (CellOutcome.EQUAL, "the difference is under half a point"),
            (CellOutcome.OPEN, "the answer is open"),
            (CellOutcome.FEW, "there are too few examples"),
            (CellOutcome.MISSING, "nothing was computed"),
        ]
        found = [f"{text} in {outcomes[outcome]}" for outcome, text in parts if outcomes[outcome]]
        return f"We tested each treebank alone: {enumerate_names(found)}."

    def _groups(self, name: str, columns: Sequence[AtlasColumn]) -> list[tuple[str, str, list[Any]]]:
        """Return the treebanks by family of languages, the mean of each, and the answers with intervals."""
        means = self._family_means(name)
        labels = [label for label in self.treebanks if (label, name) in self.cells]
        by_family: dict[str, list[str]] = {}
        for label in labels:
            by_family.setdefault(self.families[label], []).append(label)
        differences = [
            self.cells[label, name].difference(column.score) for label in labels for column in columns
        ]
        reach = reach_of(differences)
        largest_first = sorted(by_family.items(), key=lambda item: (-len(item[1]), item[0]))
        groups = []
        for family, members in largest_first:
            lines = [self._line(label, column, reach) for label in members for column in columns]
            groups.append((family, means.get(family, ""), lines))
        return groups

    def _family_means(self, name: str) -> dict[str, str]:
        """Return the mean of each family that has one, where one parser and one score make it."""
        scored = [(c, score) for _, c, score in self.evidence.list_scored() if c.row.name == name]
        if len(scored) != 1:
            return {}
        ((construction, score),) = scored
        families, _ = construction.families(score)
        return {family.name: f"mean {family_mean(family, self.names)}" for family in families if family.mean}

    def _line(
        self, label: str, column: AtlasColumn, reach: float
    ) -> tuple[tuple[str, str], str, str, ShownAnswer, str, str]:
        """Return a treebank in the table of a construction.

        These are title with language, link, score, answer, interval and drawing.
        """
        cell = self.cells[label, column.construction]
        difference = cell.difference(column.score)
        answer = replace(self._show_answer(label, column), difference="")
        text = interval_text(difference, answer, cell)
        score = column.score.upper() if len(self.columns) > len(self.constructions) else ""
        drawing = strip(difference, answer.outcome, reach)
        title = self._title(label), self.languages[label]
        return title, self.links.treebank(label), score, answer, text, drawing

    def _map_points(self, name: str, column: AtlasColumn) -> list[MapPoint]:
        """Return the answers of a construction where their languages are; without a place, none."""
        points = []
        for label in self.treebanks:
            entry = entry_of(self.languages[label])
            if (label, name) not in self.cells or entry.latitude is None or entry.longitude is None:
                continue
            cell, shown = self.cells[label, name], self._show_answer(label, column)
            interval = interval_text(cell.difference(column.score), shown, cell)
            answer = ", ".join(filter(None, (shown.text, interval)))
            text = f"{self.languages[label]} ({self._title(label)}): {answer}"
            points.append(MapPoint(entry.latitude, entry.longitude, shown.outcome, text, f"../{shown.link}"))
        return points

    def _name_unplaced(self, name: str, points: Sequence[MapPoint]) -> str:
        """Return the languages that the map cannot show, with clear answers; empty if there is no map."""
        column = next(column for column in self.columns if column.construction == name)
        without = []
        for label in self.treebanks:
            if (label, name) in self.cells and entry_of(self.languages[label]).latitude is None:
                shown = self._show_answer(label, column)
                clear = shown.outcome in (CellOutcome.BASE, CellOutcome.ALTERNATIVE)
                without.append(f"{self.languages[label]}{f' ({shown.text})' if clear else ''}")
        without = sorted(set(without))
        return enumerate_names(without) if points and without else ""

    def _summarize(self, cells: Sequence[AtlasCell], label: str) -> str:
        """Return in a sentence which constructions of a treebank are easier in which annotation."""
        found: dict[CellOutcome, list[str]] = {}
        for cell in cells:
            for column in self.columns:
                if column.construction == cell.construction:
                    found.setdefault(cell.outcome(column.score), []).append(column.title)
        base = self.evidence.base
        clear = [
            f"{side} is easier to learn for {enumerate_names(found[outcome])}"
            for outcome, side in ((CellOutcome.BASE, base), (CellOutcome.ALTERNATIVE, "the alternative"))
            if outcome in found
        ]
        if CellOutcome.EQUAL in found:
            equal = found[CellOutcome.EQUAL]
            makes = choose_verb(len(equal), "makes", "make")
            clear.append(f"{enumerate_names(equal)} {makes} no difference that matters")
        rest = [
            f"{text} for {len(found[outcome])}"
            for outcome, text in ((CellOutcome.OPEN, "open"), (CellOutcome.FEW, "too few examples"))
            if outcome in found
        ]
        return "; ".join([*clear, *rest])

    def _example(self, name: str) -> tuple[str, str, list[ShownSentence]] | None:
        """Return a drawn sentence that shows what a construction changes: one whose words are known.

        It is of an English treebank if there is one, else of one with enough examples.
        """
        labels = [label for label in self.treebanks if (label, name) in self.cells]

        def order(label: str) -> tuple[bool, bool]:
            cell = self.cells[label, name]
            outcomes = {cell.outcome(column.score) for column in self.columns if column.construction == name}
            return self.languages[label] != "English", outcomes <= {*UNTESTED}

        for label in sorted(labels, key=order):
            sentences = self._sentences(self.cells[label, name])[0]
            if known := [sentence for sentence in sentences if not sentence.withheld]:
                return self._title(label), self.links.cell(label, name), known[:1]
        return None

    # The page of a treebank

    def treebank_page(self, label: str) -> bytes:
        """Return the page of a treebank: each construction with everything that is known of it."""
        cells = [self.cells[label, name] for name in self.constructions if (label, name) in self.cells]
        first = cells[0].pairs[0]
        reach = reach_of([cell.difference(c.score) for cell in cells for c in self.columns])
        return self._page(
            f"{PACKAGE}:atlas_treebank.html.jinja",
            root="../",
            title=self._title(label),
            family=first.family,
            language=self.languages[label],
            summary=self._summarize(cells, label),
            facts=self._facts(label, [row for cell in cells for row in cell.rows]),
            licence=self.source.licence(first),
            others=[
                (self._title(other), self.links.treebank(other))
                for other in self.treebanks
                if other != label and self.languages[other] == self.languages[label]
            ],
            cells=[self._cell(cell, reach) for cell in cells],
            comparisons_note=note_of(comparison_table([r for cell in cells for r in cell.rows if r.tested])),
            runs=self._origins(cells),
            remarks=self._splits(first),
        )

    def _facts(self, label: str, rows: Sequence[ComparisonRow]) -> str:
        """Return how much data there is, and how often parsers were trained."""
        parts = []
        if tokens := next((row.train_tokens for row in rows if row.train_tokens), None):
            parts.append(f"{count_noun(tokens, 'training token')}")
        if sentences := next((row.test_sentences for row in rows if row.test_sentences), None):
            parts.append(f"{count_noun(sentences, 'test sentence')}")
        if seeds := sorted({row.seeds for row in rows if row.seeds}):
            spread = f"{seeds[0]} to " if len(seeds) > 1 else ""
            parts.append(f"{spread}{count_noun(seeds[-1], 'training')} each")
        return " · ".join(parts)

    def _splits(self, pair: StoredPair) -> list[str]:
        """Return how the training, development and test set were made up, if not as released."""
        treebank = self._treebank_entry(pair)
        return [treebank.split_policy] if treebank.split_policy else []

    def _treebank_entry(self, pair: StoredPair) -> TreebankDesign:
        return self.runs[pair.folder].config.treebank(pair.treebank)

    def _cell(self, cell: AtlasCell, reach: float) -> dict[str, Any]:
        """Return everything that the page of a treebank says of a construction."""
        name, scores = (
            cell.construction,
            [c.score for c in self.columns if c.construction == cell.construction],
        )
        answers = []
        for column in self.columns:
            if column.construction == name:
                difference = cell.difference(column.score)
                answer = replace(self._show_answer(cell.treebank, column), difference="")
                text = interval_text(difference, answer, cell)
                if answer.outcome is CellOutcome.OPEN and difference is not None:
                    text += f": {describe_reach(difference, side_names(cell.rows[0]))}"
                answers.append((column.title, answer, text, strip(difference, answer.outcome, reach)))
        tested = [row for row in cell.rows if row.tested]
        comparisons = comparison_table(tested)
        if len(tested) == 1 and len(scores) == 1:
            comparisons = comparisons.select_columns(range(1, len(comparisons.headings)))
        sentences, absent, licence = self._sentences(cell)
        return {
            "name": name,
            "id": self.links.fragment(name),
            "page": self.links.construction(name),
            "description": describe_construction(name),
            "answers": answers,
            "evidence": self._evidence(cell),
            "comparisons": plain(comparisons) if comparisons.rows else None,
            "parsers": all_parsers_table(cell.all_parsers) if cell.all_parsers else None,
            "citations": self._cite_cell(cell),
            "parser": next((c.parser for c in cell.pairs if c.parser), ""),
            "sentences": sentences,
            "absent": absent,
            "licence": licence,
        }

    def _cite_cell(self, cell: AtlasCell) -> list[Citation]:
        found = []
        for column in self.columns:
            difference = cell.difference(column.score) if column.construction == cell.construction else None
            if difference is None or cell.outcome(column.score) in UNTESTED:
                continue
            found.append(
                cite_answer(
                    f"{column.title} in {self._title(cell.treebank)}",
                    name_answer(cell.easier(column.score), self.evidence.base),
                    name_difference(difference, self.names),
                    version("learnability"),
                    self.links.cell(cell.treebank, cell.construction),
                    train_on=cell.train_on(column.score),
                )
            )
        return found

    def _evidence(self, cell: AtlasCell) -> list[str]:
        """Return the evidence for the answer."""
        sentences = [all_parsers_sentence(all_parsers) for all_parsers in cell.all_parsers]
        for row in cell.rows:
            text = verdict_of_row(row, meaning=True)
            alone = len(cell.rows) == 1
            sentences.append(text.removeprefix(f"{headline(row)} ") if alone else text)
        return list(map(join_signs, sentences))

    def _origins(self, cells: Sequence[AtlasCell]) -> list[dict[str, Any]]:
        """Return how the cells of a treebank can be repeated: commands, and digests of the files."""
        of_run: dict[Path, list[StoredPair]] = {}
        for cell in cells:
            for pair in cell.pairs:
                of_run.setdefault(pair.folder, []).append(pair)
        origins = []
        for folder, pairs in of_run.items():
            config = self.runs[folder].config
            origin = {
                "run": self.run_names[folder],
                "constructions": list(dict.fromkeys(c.row.name for c in pairs)),
                "command": command_without_folders(config.command_line),
                "digests": named_digests(self._treebank_entry(pairs[0]).sha256),
                "version": config.versions.get("learnability", ""),
            }
            origins.append(origin)
        return origins

    def _sentences(self, cell: AtlasCell) -> tuple[list[ShownSentence], str, str]:
        key = cell.treebank, cell.construction
        if key not in self._drawn:
            self._drawn[key] = self.source.pairs(cell.pairs)
        drawn, titles = self._drawn[key], (self.evidence.base, cell.construction)
        shown = [
            ShownSentence(
                pair.where,
                " ".join(pair.base.forms),
                explanation(replace(pair, predicted=None), titles[0]),
                small_diagram(pair, titles),
                pair.withheld,
            )
            for pair in drawn.pairs
        ]
        return shown, drawn.absent, drawn.licence

    # The table of everything

    def csv(self) -> bytes:
        """Return a line for each construction, treebank and parser, with all that is known of it."""
        columns = [
            *STATISTICS,
            *(FileColumn(name, "text") for name in ("language", "family", "run", "page")),
        ]
        order = {label: number for number, label in enumerate(self.treebanks)}
        pairs = sorted(self.pairs, key=lambda c: order[c.treebank])
        empty = {column.name: None for column in columns}
        rows = [
            {
                **empty,
                **pair_values(c, self.run_names),
                "language": c.language,
                "page": self.links.cell(c.treebank, c.row.name),
            }
            for c in pairs
        ]
        if self.from_file:  # counts that nobody counted are 0
            columns = [each for each in columns if any(row[each.name] not in (None, "", 0) for row in rows)]
        return FileColumn.csv(columns, rows)

    def _title(self, label: str) -> str:
        name, _, release = label.rpartition("@")
        return f"{name} {release}" if name else label

    def _page(self, template: str, *, root: str, **values: Any) -> bytes:
        """Return a page; `root`: the way from it to the first page."""
        return render_linked(
            template,
            root=root,
            style=STYLE,
            script=SCRIPT,
            csv=CSV,
            base=self.evidence.base,
            about=self.about,
            from_file=self.from_file,
            site=self._site_title,
            menu=[(name, self.links.construction(name), name_subject(name)) for name in self.constructions],
            version=version("learnability"),
            **values,
        )

    @cached_property
    def _site_title(self) -> str:
        return f"Which annotation is easier to learn? {count_noun(len(self.treebanks), 'treebank')}"


_TRAININGS = (Answer.BASE, Answer.ALTERNATIVE, Answer.SAME, Answer.OPEN)
"""The answers to which annotation to train on, in the order of their filter."""

_MEANINGS = {
    CellOutcome.BASE: "{base} is clearly easier to learn",
    CellOutcome.ALTERNATIVE: "the alternative is clearly easier to learn",
    CellOutcome.EQUAL: "no difference that matters (under half a point)",
    CellOutcome.DIVIDED: "treebanks or parsers disagree",
    CellOutcome.OPEN: "open: the data do not tell which is easier",
    CellOutcome.FEW: "too few examples in the test set",
    CellOutcome.MISSING: "not compared, or not computed",
}


def _answer_over_all(construction: Construction, score: Score) -> str:
    """Return the answer of all treebanks together; a file of answers has none."""
    has_answer = bool(construction.row.name_answer(Question.EASIER, score))
    without_mean = construction.list_tested(score) and not has_answer
    return NO_MEAN if without_mean else answer_of(construction.row, score)
