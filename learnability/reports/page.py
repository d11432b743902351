"""report.html and figures/: what a run says, in one self-contained page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from learnability.comparing.annotation import SCHEME
from learnability.comparing.options import has_multiref
from learnability.comparing.results import Record
from learnability.evidence.decisions import NOT_ENOUGH_DATA
from learnability.reports.command_line import command_line, names_apart, without_folders
from learnability.reports.evidence import ConditionEvidence, evidence_of
from learnability.reports.limits import limits
from learnability.reports.outcome import sections
from learnability.reports.panel import panel_figure
from learnability.reports.results import criteria_table, decision_table, full_table, ground_table, judges_of
from learnability.reports.run_figures import run_figures
from learnability.reports.text import Table, counted, listed, unbroken
from learnability.reports.trees import drawn_sentences
from learnability.reports.verdicts import reading, verdicts
from learnability.running.folder import FIGURES, REPORT
from learnability.running.runner import Results

SECTIONS = ("predictions", "joint", "search", "curves", "paper")
"""The sections of a run that stand below its tables, in this order."""


def report_files(results: Results, records: Sequence[Record], config: dict[str, Any]) -> dict[str, bytes]:
    """report.html and the files of its figures, by name; the same input gives the same bytes."""
    rows, panels = results.rows, results.panels
    conditions = evidence_of(rows, records, config)
    first = [c for c in conditions if c.row.judge == conditions[0].row.judge]
    figures = [*([panel_figure(panels)] if panels else []), *run_figures(first, results.curves)]
    options = config["options"]
    judges, said = options.get("judges") or [], sections(results, options)
    asked = judges_of(rows)
    given_only = bool(rows) and all(row.is_given for row in rows)
    page = render(
        "report.html.jinja",
        title=listed(sorted({str(row["treebank"]) for row in rows}), "treebank"),
        original=rows[0].original if rows else "UD",
        summary=_summary(conditions, config),
        panel=said.get("panel"),
        verdicts=[
            (decision.rstrip("."), unbroken(f" {reason}"), row["better"] or "")
            for sentence, row in zip(verdicts(rows), rows, strict=True)
            if not (panels and row["decision"] == NOT_ENOUGH_DATA)
            for decision, _, reason in [sentence.partition(". ")]
        ],
        results=decision_table(rows, p_values=True),
        reading=reading(rows, len(config["seeds"])),
        columns=full_table(rows),
        criteria=criteria_table(rows),
        figures=figures,
        trees=drawn_sentences(conditions),
        common=ground_table(rows),
        changes=said.get("changes"),
        given_only=given_only,
        limits=limits(rows[0].original if rows else "UD", asked, options, is_given=given_only),
        sections=[(name, said[name]) for name in SECTIONS if name in said],
        seeds=len(config["seeds"]),
        options=options,
        judges=asked,
        without_multiref=not (judges or options.get("search") or has_multiref(options["system"])),
        remarks=[remark for treebank in config["treebanks"] for remark in left_out(treebank)],
        failed=_failures(results.failed, dict(zip(judges, asked, strict=False))),
        skipped={c.name: c.measures[0].skipped for c in conditions if c.measures and c.measures[0].skipped},
        unmixed=[(c.name, int(count)) for c in conditions if (count := c.row.get("sentences_unmixed"))],
        command=command_line(config["arguments"]),
        facts=[(name, v) for name, v in _facts(config) if not (judges and name in ("system", "oracle"))],
        hashes=Table(
            "SHA-256 of the files read",
            ("file", "SHA-256"),
            tuple(
                (name, t["sha256"][path])
                for t in config["treebanks"]
                for path, name in sorted(zip(t["sha256"], names_apart(t["sha256"]), strict=True))
            ),
        ),
        version=config["versions"].get("learnability", ""),
    )
    pictures = {name: data for figure in figures for name, data in figure.files(f"{FIGURES}/").items()}
    return {REPORT: page, **pictures}


def left_out(treebank: Mapping[str, Any]) -> list[str]:
    """How splits of a treebank were made up, and what of it is missing."""
    return [remark for remark in (treebank["split_policy"], *treebank.get("left_out", ())) if remark]


def render(template: str, **values: Any) -> bytes:
    """A page from the template, with style sheet and script in it, as UTF-8 bytes."""
    css, js = (_template(name) for name in ("page.css", "page.js"))
    return _rendered(template, {"css": css, "js": js, **values}, escaped=True)


def render_text(template: str, **values: Any) -> bytes:
    """A text from the template, in which nothing is escaped, as UTF-8 bytes."""
    return _rendered(template, values, escaped=False)


def _rendered(template: str, values: dict[str, Any], *, escaped: bool) -> bytes:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=escaped,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=not escaped,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(template).render(**values).encode()


def _template(name: str) -> str:
    return (files("learnability.reports") / "templates" / name).read_text(encoding="utf-8")


def _failures(failed: Sequence[Record], titles: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """What failed: whose it is (`titles` of judges, else the treebank), how many cells, the first reason."""
    of: dict[str, list[Record]] = {}
    for record in failed:
        of.setdefault(titles.get(record.judge) or record.treebank, []).append(record)
    return [(who, counted(len(own), "cell"), str(own[0].failed)) for who, own in of.items()]


def _summary(conditions: Sequence[ConditionEvidence], config: dict[str, Any]) -> str:
    """What was compared, in one line."""
    seeds = len(config["seeds"])
    first = next((c for c in conditions if c.row["train_tokens"]), None)
    sizes = []
    if first is not None and len(config["treebanks"]) == 1:
        sizes.append(f"{int(first.row['train_tokens']):,} training tokens")
        if first.a:
            sizes.append(f"{sum(len(fold.tokens) for fold in first.a[0]):,} test sentences")
    releases = sorted({f"UD {c.row['release']}" for c in conditions if c.row["release"]})
    trained = "one seed" if seeds == 1 else f"{seeds} seeds"
    judges = config["options"].get("judges") or [""]
    asked = [counted(len(judges), "judge")] if len(judges) > 1 else []
    compared = counted(len(conditions) // len(judges), "condition")
    return ", ".join([*releases, *sizes, compared, *asked, trained])


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
    values = value if isinstance(value, list | tuple) else [value]
    return ", ".join(without_folders(str(one).removeprefix(SCHEME)) for one in values)
