"""Write the atlas as a static site: files that need no server, no network and no script."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from learnability.errors import InputError
from learnability.evidence.answers_file import is_file_of_answers
from learnability.evidence.columns import STATISTICS
from learnability.evidence.columns import Column as FileColumn
from learnability.evidence.questions import Answer, Question
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference
from learnability.evidence.stored_runs import StoredPair, StoredRun
from learnability.evidence.survey import Construction, Evidence
from learnability.metrics.scores import Score
from learnability.reports.atlas.cells import (
    MARKS,
    AtlasColumn,
    CellOutcome,
    all_of,
    answer_of,
    columns_of,
    outcome_of,
    pairs_of,
    treebanks_of,
)
from learnability.reports.atlas.citing import Citation, cite_answer, name_answer
from learnability.reports.atlas.names import Links
from learnability.reports.atlas.page_parts import (
    UNTESTED,
    MapPoint,
    ShownAnswer,
    evidence_text,
    interval_text,
    reach_of,
    shorten_svg,
    strip,
    world_map,
)
from learnability.reports.comparison_files import pair_values, run_names, treebanks_figures
from learnability.reports.comparison_tables import remarks
from learnability.reports.paths import command_without_folders
from learnability.reports.rendering import render_linked, template_text
from learnability.reports.results import SHORT
from learnability.reports.text import enumerate_names, join_signs
from learnability.reports.verdicts import (
    describe_reach,
    headline,
    name_difference,
    name_leader,
    side_names,
    verdict,
)
from learnability.schemes.catalogue import describe_construction, name_subject
from learnability.statistics.inference import Side
from learnability.support.files import check_replaceable, folder_atomically
from learnability.support.nouns import choose_verb, count_noun
from learnability.support.progress import ProgressSteps
from learnability.treebanks.families import entry_of

CSV, STYLE, SCRIPT, INDEX, LAND = "atlas.csv", "atlas.css", "atlas.js", "index.html", "land.svg"
"""The files of the site that all pages share, and the first page."""

FOLDERS = ("constructions", "treebanks")

ATLAS_FILES = (INDEX, CSV, STYLE, SCRIPT, LAND, *FOLDERS)

NO_CELL, NO_MEAN = "not compared", "no mean"


def atlas_files(
    evidence: Evidence,
    runs: Sequence[StoredRun],
    steps: ProgressSteps | None = None,
    *,
    about: str = "",
) -> dict[str, bytes]:
    """Return the files of the atlas by their paths; the same input gives the same bytes.

    Args:
        evidence: what the runs say together, as `compare` has it.
        runs: those it was made of.
        steps: shows progress.
        about: the way from the first page to one about the data, if there is one.
    """
    site = _Site(evidence, runs, about)
    steps = steps or ProgressSteps()
    pages = {INDEX: site.index()}
    for name in steps.each(site.constructions, "drawing", "constructions"):
        pages[f"constructions/{site.links.constructions[name]}.html"] = site.construction_page(name)
    for label in steps.each(site.treebanks, "drawing", "treebanks"):
        pages[f"treebanks/{site.links.treebanks[label]}.html"] = site.treebank_page(label)
    shared = {
        CSV: site.csv(),
        STYLE: (template_text("page.css") + template_text("atlas.css")).encode(),
        LAND: template_text("land.svg").encode(),
        SCRIPT: (template_text("page.js") + template_text("atlas.js")).encode(),
    }
    return {**pages, **shared}


def check_place(atlas: str, out: str | None) -> None:
    """Check before long work that the atlas can be written, apart from the folder of tables `out`.

    Raises:
        InputError: the folder holds other files or the tables.
    """
    if out is not None:
        place, tables = (Path(os.path.realpath(path)) for path in (atlas, out))
        if place.is_relative_to(tables) or tables.is_relative_to(place):
            raise InputError("`out` and `atlas` need separate folders; choose another `atlas`")
    check_replaceable(atlas, ATLAS_FILES)


def publish(atlas: str, evidence: Evidence, runs: Sequence[StoredRun], steps: ProgressSteps) -> str:
    """Write the atlas to a folder, and return where it is, in a line.

    Raises:
        InputError: several parsers were compared, or the folder cannot be written.
    """
    parsers = list(dict.fromkeys(pair.row.parser for pair in evidence.pairs))
    if len(parsers) > 1:
        raise InputError(
            f"an atlas has the answers of one parser, and the runs have those of {', '.join(parsers)}; name "
            "runs of one parser"
        )
    files = atlas_files(evidence, runs, steps)
    with (
        InputError.explain(f"{atlas} cannot be written", "choose another folder"),
        folder_atomically(atlas) as folder,
    ):
        for name, data in files.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
    return f"Wrote the atlas to {atlas}: open {Path(atlas) / INDEX}"


class _Site:
    """Make the pages of an atlas."""

    def __init__(self, evidence: Evidence, runs: Sequence[StoredRun], about: str) -> None:
        self.evidence, self.about = evidence, about
        self.from_file = any(is_file_of_answers(run.config) for run in runs)
        self.runs = {run.folder: run for run in runs}
        self.columns = columns_of(evidence)
        self.pairs = pairs_of(evidence)
        self.cells = {(c.treebank, c.row.name): c for c in self.pairs}
        self.treebanks = treebanks_of(self.pairs)
        self.constructions = list(dict.fromkeys(column.construction for column in self.columns))
        self.links = Links(self.treebanks, self.constructions)
        self.names = {Side.FIRST: evidence.base, Side.SECOND: SHORT}

    @cached_property
    def families(self) -> dict[str, str]:
        return {c.treebank: c.family for c in self.pairs}

    @cached_property
    def languages(self) -> dict[str, str]:
        return {c.treebank: c.language.replace("_", " ") for c in self.pairs}

    # The first page

    def index(self) -> bytes:
        rows = [(label, self._row(label)) for label in self.treebanks]
        counts = Counter(answer.outcome for _, row in rows for answer in row)
        families = Counter(self.families[label] for label in self.treebanks)
        base, means = self.evidence.base, [self._mean(column) for column in self.columns]
        trained = {answer.train_on for _, row in rows for answer in row}
        return self._page(
            "atlas_index.html.jinja",
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
            answers=sum(counts[outcome] for outcome in CellOutcome if outcome not in UNTESTED),
        )

    def _row(self, label: str) -> list[ShownAnswer]:
        return [self._show_answer(label, column) for column in self.columns]

    def _show_answer(self, label: str, column: AtlasColumn) -> ShownAnswer:
        cell = self.cells.get((label, column.construction))
        if cell is None:
            return ShownAnswer(NO_CELL, CellOutcome.MISSING)
        row, score = cell.row, column.score
        difference, outcome = row.difference(score), outcome_of(row, score)
        link = self.links.cell(label, column.construction)
        text = name_leader(difference.delta, self.names) if difference and outcome not in UNTESTED else ""
        train_on = row.name_answer(Question.TRAIN_ON, score)
        return ShownAnswer(answer_of(row, score), outcome, text, link, train_on)

    def _mean(self, column: AtlasColumn) -> ShownAnswer:
        link = self.links.construction(column.construction)
        construction = next(c for c in self.evidence.constructions if c.row.name == column.construction)
        difference = construction.row.difference(column.score)
        text = "" if difference is None else name_leader(difference.delta, self.names)
        answer = _answer_over_all(construction, column.score)
        train_on = construction.row.name_answer(Question.TRAIN_ON, column.score)
        return ShownAnswer(answer, outcome_of(construction.row, column.score), text, link, train_on)

    # The page of a construction

    def construction_page(self, name: str) -> bytes:
        scored = [(title, c, score) for title, c, score in self.evidence.list_scored() if c.row.name == name]
        figures = treebanks_figures([(c, score) for _, c, score in scored])
        columns = [column for column in self.columns if column.construction == name]
        return self._page(
            "atlas_construction.html.jinja",
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
                )
                for title, c, score in scored
            ],
            figures=[replace(figure, svg=shorten_svg(figure.svg)) for figure in figures],
            columns=columns,
            groups=self._groups(name, columns),
            map=world_map(points := self._map_points(name, columns[0])),
            key=[
                (outcome, _MEANINGS[outcome].format(base=self.evidence.base))
                for outcome in CellOutcome
                if any(point.outcome == outcome for point in points)
            ],
            unplaced=self._name_unplaced(name, points),
        )

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

    def _groups(self, name: str, columns: Sequence[AtlasColumn]) -> list[tuple[str, list[Any]]]:
        labels = [label for label in self.treebanks if (label, name) in self.cells]
        by_family: dict[str, list[str]] = {}
        for label in labels:
            by_family.setdefault(self.families[label], []).append(label)
        differences = [
            self.cells[label, name].row.difference(column.score) for label in labels for column in columns
        ]
        reach = reach_of(differences)
        largest_first = sorted(by_family.items(), key=lambda item: (-len(item[1]), item[0]))
        groups = []
        for family, members in largest_first:
            lines = [self._line(label, column, reach) for label in members for column in columns]
            groups.append((family, lines))
        return groups

    def _line(
        self, label: str, column: AtlasColumn, reach: float
    ) -> tuple[tuple[str, str], str, str, ShownAnswer, str, str]:
        """Return a treebank in the table of a construction.

        These are title with language, link, score, answer, interval and drawing.
        """
        row = self.cells[label, column.construction].row
        answer = replace(self._show_answer(label, column), difference="")
        text = interval_text(row, column.score, answer.outcome)
        score = column.score.upper() if len(self.columns) > len(self.constructions) else ""
        drawing = strip(row.difference(column.score), answer.outcome, reach)
        title = self._title(label), self.languages[label]
        return title, self.links.treebank(label), score, answer, text, drawing

    def _map_points(self, name: str, column: AtlasColumn) -> list[MapPoint]:
        """Return the answers of a construction where their languages are; without a place, none."""
        points = []
        for label in self.treebanks:
            entry = entry_of(self.languages[label])
            if (label, name) not in self.cells or entry.latitude is None or entry.longitude is None:
                continue
            shown = self._show_answer(label, column)
            interval = interval_text(self.cells[label, name].row, column.score, shown.outcome)
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

    def _summarize(self, cells: Sequence[StoredPair]) -> str:
        found: dict[CellOutcome, list[str]] = {}
        for cell in cells:
            for column in self.columns:
                if column.construction == cell.row.name:
                    found.setdefault(outcome_of(cell.row, column.score), []).append(column.title)
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

    # The page of a treebank

    def treebank_page(self, label: str) -> bytes:
        """Return the page of a treebank: each construction with everything that is known of it."""
        cells = [self.cells[label, name] for name in self.constructions if (label, name) in self.cells]
        first, config = cells[0], self.runs[cells[0].folder].config
        reach = reach_of([cell.row.difference(c.score) for cell in cells for c in self.columns])
        return self._page(
            "atlas_treebank.html.jinja",
            root="../",
            title=self._title(label),
            family=first.family,
            language=self.languages[label],
            summary=self._summarize(cells),
            facts=self._facts([cell.row for cell in cells]),
            others=[
                (self._title(other), self.links.treebank(other))
                for other in self.treebanks
                if other != label and self.languages[other] == self.languages[label]
            ],
            cells=[self._cell(cell, reach) for cell in cells],
            commands=list(dict.fromkeys(self._command(cell) for cell in cells)),
            remark=config.treebank(label).split_policy,
        )

    def _command(self, cell: StoredPair) -> str:
        return command_without_folders(self.runs[cell.folder].config.command_line)

    def _facts(self, rows: Sequence[ComparisonRow]) -> str:
        parts = []
        if tokens := next((row.train_tokens for row in rows if row.train_tokens), None):
            parts.append(f"{count_noun(tokens, 'training token')}")
        if sentences := next((row.test_sentences for row in rows if row.test_sentences), None):
            parts.append(f"{count_noun(sentences, 'test sentence')}")
        if seeds := sorted({row.seeds for row in rows if row.seeds}):
            spread = f"{seeds[0]} to " if len(seeds) > 1 else ""
            parts.append(f"{spread}{count_noun(seeds[-1], 'training')} each")
        return " · ".join(parts)

    def _cell(self, cell: StoredPair, reach: float) -> dict[str, Any]:
        row, name = cell.row, cell.row.name
        answers, citations = [], []
        for column in self.columns:
            if column.construction != name:
                continue
            difference = row.difference(column.score)
            answer = replace(self._show_answer(cell.treebank, column), difference="")
            text = interval_text(row, column.score, answer.outcome)
            if answer.outcome is CellOutcome.OPEN and difference is not None:
                text += f": {describe_reach(difference, side_names(row))}"
            answers.append((column.title, answer, text, strip(difference, answer.outcome, reach)))
            if difference is not None and answer.outcome not in UNTESTED:
                citations.append(self._cite(cell, column, answer, difference))
        return {
            "name": name,
            "id": self.links.fragment(name),
            "page": self.links.construction(name),
            "description": describe_construction(name),
            "answers": answers,
            "evidence": join_signs(verdict(row, meaning=True).removeprefix(f"{headline(row)} ")),
            "citations": citations,
            "parser": cell.parser,
        }

    def _cite(
        self, cell: StoredPair, column: AtlasColumn, answer: ShownAnswer, difference: Difference
    ) -> Citation:
        return cite_answer(
            f"{column.title} in {self._title(cell.treebank)}",
            name_answer(answer.text, self.evidence.base),
            name_difference(difference, self.names),
            version("learnability"),
            answer.link,
            train_on=answer.train_on,
        )

    # The table of everything

    def csv(self) -> bytes:
        """Return a line for each construction and treebank, with all that is known of it."""
        columns = [
            *STATISTICS,
            *(FileColumn(name, "text") for name in ("language", "family", "run", "page")),
        ]
        order = {label: number for number, label in enumerate(self.treebanks)}
        runs = run_names([c.folder for c in self.pairs])
        pairs = sorted(self.pairs, key=lambda c: order[c.treebank])
        empty = {column.name: None for column in columns}
        rows = [
            {
                **empty,
                **pair_values(c, runs),
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
    CellOutcome.DIVIDED: "treebanks disagree",
    CellOutcome.OPEN: "open: the data do not tell which is easier",
    CellOutcome.FEW: "too few examples in the test set",
    CellOutcome.MISSING: "not compared, or not computed",
}


def _answer_over_all(construction: Construction, score: Score) -> str:
    has_answer = bool(construction.row.name_answer(Question.EASIER, score))
    without_mean = construction.list_tested(score) and not has_answer
    return NO_MEAN if without_mean else answer_of(construction.row, score)
