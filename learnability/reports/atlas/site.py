"""Write the atlas as a static site: files that need no server, no network and no script."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from learnability.errors import InputError
from learnability.evidence.answers_file import is_file_of_answers
from learnability.evidence.columns import STATISTICS
from learnability.evidence.columns import Column as FileColumn
from learnability.evidence.questions import Answer
from learnability.evidence.stored_runs import StoredPair, StoredRun
from learnability.evidence.survey import Evidence
from learnability.metrics.scores import Score
from learnability.reports.atlas.page_parts import (
    MARKS,
    UNTESTED,
    CellOutcome,
    MapPoint,
    ShownAnswer,
    interval_text,
    reach_of,
    strip,
    world_map,
)
from learnability.reports.comparison_files import pair_values, run_names
from learnability.reports.comparison_tables import remarks, verdict
from learnability.reports.paths import link_names
from learnability.reports.rendering import fill_template, template_text
from learnability.reports.text import enumerate_names, join_signs
from learnability.reports.verdicts import summarise_treebanks
from learnability.schemes.catalogue import describe_construction, name_subject
from learnability.support.files import check_replaceable, folder_atomically
from learnability.support.nouns import count_noun
from learnability.support.progress import ProgressSteps
from learnability.treebanks.families import entry_of
from learnability.treebanks.releases import Release

CSV, STYLE, SCRIPT, INDEX, LAND = "atlas.csv", "atlas.css", "atlas.js", "index.html", "land.svg"
"""The files of the site that all pages share, and the first page."""

ATLAS_FILES = (INDEX, CSV, STYLE, SCRIPT, LAND, "constructions")

NO_CELL = ShownAnswer("not compared", CellOutcome.MISSING)


def atlas_files(
    evidence: Evidence,
    runs: Sequence[StoredRun],
    steps: ProgressSteps | None = None,
    *,
    about: str = "",
) -> dict[str, bytes]:
    """Return the files of the atlas by their paths; the same input gives the same bytes.

    `runs`: those that the evidence is made of; `about`: the way from the first page to one about the data.
    """
    site = _Site(evidence, about, from_file=any(is_file_of_answers(run.config) for run in runs))
    steps = steps or ProgressSteps()
    pages = {INDEX: site.index()}
    for name in steps.each(list(site.constructions), "drawing", "constructions"):
        pages[f"constructions/{site.constructions[name]}.html"] = site.construction_page(name)
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


class AtlasColumn(NamedTuple):
    """A column of the atlas: its title, the name of the construction, and the score."""

    title: str
    construction: str
    score: Score


class _Site:
    """Make the pages of an atlas; `treebanks` have their fragments on a page, `constructions` the names of
    their pages."""

    def __init__(self, evidence: Evidence, about: str, *, from_file: bool) -> None:
        self.evidence, self.about, self.from_file = evidence, about, from_file
        self.columns = [
            AtlasColumn(
                f"{c.row.name} {score.upper()}" if evidence.names_scores else c.row.name, c.row.name, score
            )
            for _, c, score in evidence.list_scored()
        ]
        pairs = [pair for c in evidence.constructions for pair in (*c.pairs, *c.untested)]
        known = {c.treebank: (c.row.treebank.casefold(), Release.key(c.row.release)) for c in pairs}
        self.treebanks = link_names(sorted(known, key=lambda label: (*known[label], label)))
        self.constructions = link_names(dict.fromkeys(column.construction for column in self.columns))
        self.cells = {(c.treebank, c.row.name): c for c in pairs}
        self.families = {c.treebank: c.family for c in pairs}
        self.languages = {c.treebank: c.language.replace("_", " ") for c in pairs}

    def index(self) -> bytes:
        """Return the first page: every answer."""
        rows = [(label, [self._show_answer(label, c) for c in self.columns]) for label in self.treebanks]
        counts = Counter(answer.outcome for _, row in rows for answer in row)
        families = Counter(self.families[label] for label in self.treebanks)
        trained = {answer.train_on for _, row in rows for answer in row}
        trainings = (Answer.BASE, Answer.ALTERNATIVE, Answer.SAME, Answer.OPEN)
        return self._page(
            "atlas_index.html.jinja",
            root="",
            columns=[
                (c.title, self._link(c.construction), describe_construction(c.construction))
                for c in self.columns
            ],
            descriptions=[
                (name, self._link(name), describe_construction(name)) for name in self.constructions
            ],
            means=[]
            if self.from_file
            else [
                ShownAnswer.of(construction.row, score, self._link(construction.row.name))
                for _, construction, score in self.evidence.list_scored()
            ],
            rows=[(_title(label), self.languages[label], self.families[label], row) for label, row in rows],
            trainings=[
                name for name in (each.named(self.evidence.base) for each in trainings) if name in trained
            ],
            families=sorted(families.items()),
            counts=[
                (outcome, MARKS[outcome], self._meaning(outcome), counts[outcome]) for outcome in CellOutcome
            ],
            remarks=remarks(self.evidence),
            answers=sum(counts[outcome] for outcome in CellOutcome if outcome not in UNTESTED),
        )

    def construction_page(self, name: str) -> bytes:
        """Return the page of a construction: the mean, a map, and each treebank."""
        scored = [(title, c, score) for title, c, score in self.evidence.list_scored() if c.row.name == name]
        columns = [column for column in self.columns if column.construction == name]
        points = self._map_points(columns[0])
        return self._page(
            "atlas_construction.html.jinja",
            root="../",
            name=name,
            description=describe_construction(name),
            answers=[
                (
                    title,
                    ShownAnswer.of(c.row, score),
                    join_signs(verdict(c, score, meaning=True).partition(". ")[2]),
                    summarise_treebanks([pair.row for pair in (*c.pairs, *c.untested)], score),
                )
                for title, c, score in scored
            ],
            columns=columns,
            groups=self._groups(columns),
            map=world_map(points),
            key=[
                (outcome, self._meaning(outcome))
                for outcome in CellOutcome
                if any(point.outcome == outcome for point in points)
            ],
            unplaced=self._name_unplaced(columns[0]) if points else "",
        )

    def _show_answer(self, label: str, column: AtlasColumn) -> ShownAnswer:
        pair = self.cells.get((label, column.construction))
        return NO_CELL if pair is None else ShownAnswer.of(pair.row, column.score, self._cell_link(pair))

    def _groups(self, columns: Sequence[AtlasColumn]) -> list[tuple[str, list[Any]]]:
        found = [
            pair for label in self.treebanks if (pair := self.cells.get((label, columns[0].construction)))
        ]
        reach = reach_of([pair.row.difference(column.score) for pair in found for column in columns])
        by_family: dict[str, list[Any]] = {}
        for pair in found:
            lines = [self._line(pair, column, reach) for column in columns]
            label = pair.treebank
            line = _title(label), self.languages[label], self.treebanks[label], lines
            by_family.setdefault(pair.family, []).append(line)
        return sorted(by_family.items(), key=lambda item: (-len(item[1]), item[0]))

    def _line(self, pair: StoredPair, column: AtlasColumn, reach: float) -> tuple[str, ShownAnswer, str, str]:
        answer = ShownAnswer.of(pair.row, column.score)
        drawing = strip(pair.row.difference(column.score), answer.outcome, reach)
        return column.score.upper(), answer, interval_text(pair.row, column.score), drawing

    def _map_points(self, column: AtlasColumn) -> list[MapPoint]:
        points = []
        for label in self.treebanks:
            pair, entry = self.cells.get((label, column.construction)), entry_of(self.languages[label])
            if pair is None or entry.latitude is None or entry.longitude is None:
                continue
            shown = self._show_answer(label, column)
            answer = ", ".join(filter(None, (shown.text, interval_text(pair.row, column.score))))
            text = f"{self.languages[label]} ({_title(label)}): {answer}"
            points.append(MapPoint(entry.latitude, entry.longitude, shown.outcome, text, f"../{shown.link}"))
        return points

    def _name_unplaced(self, column: AtlasColumn) -> str:
        """Return the languages that the map cannot show, with clear answers."""
        without = set()
        for label in self.treebanks:
            is_placed = entry_of(self.languages[label]).latitude is not None
            if is_placed or (label, column.construction) not in self.cells:
                continue
            shown = self._show_answer(label, column)
            clear = shown.outcome in (CellOutcome.BASE, CellOutcome.ALTERNATIVE)
            without.add(f"{self.languages[label]}{f' ({shown.text})' if clear else ''}")
        return enumerate_names(sorted(without)) if without else ""

    def csv(self) -> bytes:
        """Return a line for each construction and treebank, with all that is known of it."""
        columns = [
            *STATISTICS,
            *(FileColumn(name, "text") for name in ("language", "family", "run", "page")),
        ]
        runs = run_names([pair.folder for pair in self.cells.values()])
        order = {label: number for number, label in enumerate(self.treebanks)}
        empty = {column.name: None for column in columns}
        rows = [
            {**empty, **pair_values(pair, runs), "language": pair.language, "page": self._cell_link(pair)}
            for pair in sorted(self.cells.values(), key=lambda pair: order[pair.treebank])
        ]
        if self.from_file:  # counts that nobody counted are 0
            columns = [each for each in columns if any(row[each.name] not in (None, "", 0) for row in rows)]
        return FileColumn.csv(columns, rows)

    def _link(self, name: str) -> str:
        return quote(f"constructions/{self.constructions[name]}.html")

    def _cell_link(self, pair: StoredPair) -> str:
        return f"{self._link(pair.row.name)}#{quote(self.treebanks[pair.treebank])}"

    def _meaning(self, outcome: CellOutcome) -> str:
        return _MEANINGS[outcome].format(base=self.evidence.base)

    def _page(self, template: str, *, root: str, **values: Any) -> bytes:
        """Return a page; `root`: the way from it to the first page."""
        return fill_template(
            template,
            root=root,
            style=STYLE,
            script=SCRIPT,
            csv=CSV,
            base=self.evidence.base,
            about=self.about,
            from_file=self.from_file,
            site=f"Which annotation is easier to learn? {count_noun(len(self.treebanks), 'treebank')}",
            menu=[(name, self._link(name), name_subject(name)) for name in self.constructions],
            version=version("learnability"),
            **values,
        )


def _title(label: str) -> str:
    name, _, release = label.rpartition("@")
    return f"{name} {release}" if name else label


_MEANINGS = {
    CellOutcome.BASE: "{base} is clearly easier to learn",
    CellOutcome.ALTERNATIVE: "the alternative is clearly easier to learn",
    CellOutcome.EQUAL: "no difference that matters (under half a point)",
    CellOutcome.DIVIDED: "treebanks disagree",
    CellOutcome.OPEN: "open: the data do not tell which is easier",
    CellOutcome.FEW: "too few examples in the test set",
    CellOutcome.MISSING: "not compared, or not computed",
}
