"""report.html and figures/: what a run says, in one self-contained page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from learnability.experiments.columns import Row, columns_of
from learnability.experiments.criteria import CRITERIA, MEASURES
from learnability.experiments.grouping import Record
from learnability.experiments.plan import WITHOUT_MULTIREF
from learnability.experiments.records import CURVES, FIGURES, JOINT, REPORT
from learnability.reports.command_line import command_line
from learnability.reports.common_ground import common_ground_table, headed
from learnability.reports.curves import curves_section
from learnability.reports.evidence import Found, find_records
from learnability.reports.joint import joint_section
from learnability.reports.run_figures import run_figures
from learnability.reports.sections import counted
from learnability.reports.tables import number, shown_choice
from learnability.reports.trees import drawn_sentences
from learnability.reports.verdicts import in_words, signed, verdicts

Cell = str | tuple[str, str]
"""What a cell shows, and where that differs what it is sorted by."""

SCORES = (
    ("UAS UD", "uas_original"),
    ("UAS alternative", "uas_transformed"),
    ("difference [95 %]", "uas_delta"),
    ("better", "better"),
    ("LAS UD", "las_original"),
    ("LAS alternative", "las_transformed"),
    ("LAS difference [95 %]", "las_delta"),
    ("survival UD / alternative", "multiref_original_share"),
    *((criterion.heading, criterion.pick_column) for criterion in CRITERIA),
)
"""Headings of the table of results, and the columns they show and are sorted by; LAS where there is any."""


def report_files(
    rows: Sequence[Row],
    records: Sequence[Record],
    config: dict[str, Any],
    further: Mapping[str, Any] | None = None,
) -> dict[str, bytes]:
    """report.html and the files of its figures, by name; the same input gives the same bytes.

    `further`: the contents of joint.json and learning_curve.json, by name, where there are any.
    """
    joint, curves = ((further or {}).get(name) for name in (JOINT, CURVES))
    found = find_records(rows, records, config)
    figures = run_figures(found, curves)
    trees = drawn_sentences(found)
    names = sorted({str(row["treebank"]) for row in rows})

    def named(row: Row) -> str:
        return f"{row['treebank']}, {row.name}" if len(names) > 1 else row.name

    columns = columns_of(rows)
    original = rows[0].original if rows else "UD"
    scores = headed(SCORES, [column.name for column in columns], original)
    common = common_ground_table(rows, named)
    # the column that names the row comes first
    all_columns = sorted(columns, key=lambda column: column.name != "transform")
    page = render(
        "report.html.jinja",
        title=", ".join(names) if len(names) < 4 else f"{len(names)} treebanks",
        original=original,
        summary=_summary(found, config),
        verdicts=[
            (_unbroken(sentence), f.row["better"] or "")
            for sentence, f in zip(verdicts(rows), found, strict=True)
        ],
        headings=["transform", "sites", *(heading for heading, _ in scores)],
        rows=[
            [named(row), "" if row["sites"] is None else f"{row['sites']:.0f}"]
            + [_cell(row, column) for _, column in scores]
            for row in rows
        ],
        tests=counted(sum(row["p_holm"] is not None for row in rows), "comparison"),
        all_columns=[column.name for column in all_columns],
        all_rows=[[column.text(row[column.name]) for column in all_columns] for row in rows],
        criteria=in_words(len(CRITERIA)),
        measures=in_words(len(MEASURES)),
        figures=figures,
        trees=trees,
        common=common,
        sections=[
            *([("joint", joint_section(joint))] if joint else []),
            *([("curves", curves_section(curves["curves"]))] if curves else []),
        ],
        seeds=len(config["seeds"]),
        options=config["options"],
        without_multiref=config["options"]["system"] in WITHOUT_MULTIREF,
        policies=[t["split_policy"] for t in config["treebanks"] if t["split_policy"]],
        skipped=_skipped(found, len(names) > 1),
        unmixed=[(named(row), int(row["sentences_unmixed"])) for row in rows if row.get("sentences_unmixed")],
        command=command_line(config["arguments"]),
        facts=_facts(config),
        hashes=[pair for t in config["treebanks"] for pair in sorted(t["sha256"].items())],
        config=json.dumps(config, ensure_ascii=False, indent=2),
        version=config["versions"].get("learnability", ""),
    )
    pictures = {name: data for figure in figures for name, data in figure.files(f"{FIGURES}/").items()}
    return {REPORT: page, **pictures}


def render(template: str, **values: Any) -> bytes:
    """A page from the template, with style sheet and script in it, as UTF-8 bytes."""
    import jinja2

    folder = files("learnability.reports") / "templates"
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    css, js = ((folder / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    return environment.get_template(template).render(css=css, js=js, **values).encode()


def _unbroken(sentence: str) -> str:
    """The sentence with spaces at which no line ends, around the signs that belong to a number."""
    return re.sub(r" (?=[±=<%])|(?<=[±=<]) ", "\N{NO-BREAK SPACE}", sentence)


def _cell(row: Row, column: str) -> Cell:
    """One cell of the table of results."""
    value = row[column]
    if column == "better" or column.startswith("pick_"):
        return shown_choice(row, column)
    if value is None:
        return ""
    if column.endswith("_delta"):
        return (
            f"{signed(value)} [{signed(row[f'{column}_low'])}, {signed(row[f'{column}_high'])}]",
            f"{value:.6f}",
        )
    if column == "multiref_original_share":
        return (f"{value:.0%} / {row['multiref_transformed_share']:.0%}", f"{value:.6f}")
    return number(value)


def _summary(found: Sequence[Found], config: dict[str, Any]) -> str:
    """What was compared, in one line."""
    first = next((f for f in found if f.row["train_tokens"]), None)
    release = {f"UD {f.row['release']}" for f in found if f.row["release"]}
    parts = [*sorted(release), counted(len(found), "condition"), f"{len(config['seeds'])} seeds"]
    if len(config["seeds"]) == 1:
        parts[-1] = "one seed"
    if first is not None and len(config["treebanks"]) == 1:
        parts.insert(-2, f"{int(first.row['train_tokens']):,} training tokens")
        if first.test_sentences:
            parts.insert(-2, f"{first.test_sentences:,} test sentences")
    return ", ".join(parts)


def _skipped(found: Sequence[Found], several: bool) -> dict[str, dict[str, int]]:
    """Constructions that a transformation leaves alone, by kind; of the first fold."""
    return {
        f"{f.row['treebank']}, {f.name}" if several else f.name: f.measures[0]["skipped"]
        for f in found
        if f.measures and f.measures[0].get("skipped")
    }


def _facts(config: dict[str, Any]) -> list[tuple[str, str]]:
    """Options, treebanks and versions, as name and value."""
    facts = []
    for treebank in config["treebanks"]:
        folds = f", {treebank['folds']} folds" if treebank["folds"] > 1 else ""
        facts.append(("treebank", f"{treebank['label']}{folds}"))
    for name, value in config["options"].items():
        if isinstance(value, dict):
            facts += [(f"{name}: {key.replace('_', ' ')}", _plain(inner)) for key, inner in value.items()]
        else:
            facts.append((name.replace("_", " "), _plain(value)))
    return [*facts, *((f"version of {name}", version) for name, version in config["versions"].items())]


def _plain(value: Any) -> str:
    if value is None:
        return "auto"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
