"""report.html and figures/: what a run says, in one self-contained page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from learnability.comparing.annotation import SCHEME
from learnability.evidence.answers import TOO_FEW_EXAMPLES
from learnability.evidence.rows import ComparisonRow
from learnability.reports.changes import changes_section
from learnability.reports.content import RunContent
from learnability.reports.evidence import ConditionEvidence, evidence_of
from learnability.reports.limits import limits
from learnability.reports.panel import panel_figure, panel_section
from learnability.reports.paths import names_apart, without_folders
from learnability.reports.quotes import paper_section
from learnability.reports.results import answer_table, comparison_table, criteria_table, full_table, judges_of
from learnability.reports.run_figures import run_figures
from learnability.reports.text import Table, counted, listed, unbroken
from learnability.reports.trees import drawn_sentences
from learnability.reports.verdicts import reading, verdicts
from learnability.running.records import Record

FIGURES, REPORT = "figures", "report.html"


def report_files(content: RunContent) -> dict[str, bytes]:
    """Return report.html and the files of its figures, by name; the same input gives the same bytes."""
    rows, panels, config = content.rows, content.panels, content.config
    conditions = evidence_of(content)
    first = [c for c in conditions if c.row.parser == conditions[0].row.parser]
    figures = [*([panel_figure(panels)] if panels else []), *run_figures(first), *content.figures]
    options, judges = config["options"], judges_of(rows)
    given_only = bool(rows) and not any(row.has_rules for row in rows)
    original = rows[0].original if rows else "UD"
    sections = [*content.answers, *content.sections, *content.details]
    if not judges and (quotes := paper_section(rows, content.judge)):
        sections.append(quotes)
    page = render(
        "report.html.jinja",
        title=listed(sorted({treebank["name"] for treebank in config["treebanks"]}), "treebank"),
        original=original,
        summary=_summary(conditions, config),
        panel=panel_section(panels) if panels else None,
        verdicts=[
            (decision.rstrip("."), unbroken(f" {reason}"), _shown(row))
            for sentence, row in zip(verdicts(rows), rows, strict=True)
            if not (panels and row.answer() == TOO_FEW_EXAMPLES)
            for decision, _, reason in [sentence.partition(". ")]
        ],
        results=answer_table(rows, p_values=True) if rows else None,
        reading=reading(rows, len(config["seeds"])),
        columns=full_table(rows),
        criteria=criteria_table(rows),
        figures=figures,
        trees=drawn_sentences(conditions),
        common=comparison_table(rows),
        changes=changes_section(rows),
        given_only=given_only,
        limits=limits(
            rows[0].original if rows else "UD", judges or [content.judge], options, is_given=given_only
        ),
        sections=[(slug(section.heading), section) for section in sections],
        seeds=len(config["seeds"]),
        options=options,
        judges=judges,
        judge=content.judge,
        without_multiref=bool(conditions) and len(judges) < 2 and not any(c.c for c in conditions),
        remarks=[remark for treebank in config["treebanks"] for remark in left_out(treebank)],
        failed=_failures(content.failed, {judge.spelling: judge.title for judge in content.design.judges}),
        skipped={c.name: c.measures[0].skipped for c in conditions if c.measures and c.measures[0].skipped},
        unmixed=[(c.name, int(count)) for c in conditions if (count := c.row.sentences_unmixed)],
        command=config.get("command_line", ""),
        facts=_facts(config),
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


def slug(heading: str) -> str:
    """Return the name of a heading in links."""
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def _shown(row: ComparisonRow) -> str:
    """The side that the UAS difference shows, for the colour of a verdict."""
    difference = row.difference()
    return (difference and difference.better) or ""


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


def _summary(conditions: Sequence[ConditionEvidence], config: Mapping[str, Any]) -> str:
    """What was compared, in one line."""
    seeds = len(config["seeds"])
    first = next((c for c in conditions if c.row.train_tokens), None)
    sizes = []
    if first is not None and len(config["treebanks"]) == 1:
        sizes.append(f"{first.row.train_tokens:,} training tokens")
        if first.a:
            sizes.append(f"{sum(len(fold.tokens) for fold in first.a[0]):,} test sentences")
    releases = sorted({f"UD {c.row.release}" for c in conditions if c.row.release})
    trained = "one seed" if seeds == 1 else f"{seeds} seeds"
    judges = config["options"]["judges"]
    asked = [counted(len(judges), "judge")] if len(judges) > 1 else []
    compared = counted(len(conditions) // len(judges), "condition")
    return ", ".join([*releases, *sizes, compared, *asked, trained])


def _facts(config: Mapping[str, Any]) -> list[tuple[str, str]]:
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
