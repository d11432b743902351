"""What a run says: its sections, which the terminal and the page share, and all that is printed of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from learnability.evidence.columns import row_details, row_values
from learnability.reports.changes import changes_section
from learnability.reports.panel import panel_section
from learnability.reports.quotes import paper_section
from learnability.reports.results import print_rows
from learnability.reports.text import Section, print_json, print_section, print_sentences
from learnability.reports.verdicts import reading, verdicts
from learnability.running.folder import JOINT, OPTIONAL, PANEL, REPORT, RESULTS, SCORES
from learnability.running.runner import Outcome, Results
from learnability.studies.curve.section import curves_section
from learnability.studies.joint.section import joint_section
from learnability.studies.predict.section import predictions_section
from learnability.studies.search.section import search_section
from learnability.support.terminal import print_line


def sections(results: Results, options: Mapping[str, Any]) -> dict[str, Section]:
    """What there is to say besides the rows, by name; `options`: those of config.json."""
    judges = options.get("judges")
    made = {
        "predictions": results.predictions and predictions_section(results.predictions, judged=bool(judges)),
        "panel": results.panels and panel_section(results.panels),
        "changes": changes_section(results.rows),
        "paper": None if judges else paper_section(results.rows, options["system"], options["oracle"]),
        "joint": results.joint and joint_section(results.joint),
        "search": results.search and search_section(results.search),
        "curves": results.curves and curves_section(results.curves),
    }
    return {name: section for name, section in made.items() if section}


def print_outcome(outcome: Outcome, *, as_json: bool, details: bool) -> None:
    """Print the rows, and what further trainings gave; as JSON a list of rows, or an object if there is
    more."""
    if as_json:
        more = _more_than_rows(outcome)
        rows = [{**row_values(row), **row_details(row)} for row in outcome.rows]
        print_json({"rows": rows, **more} if more else rows)
        return
    options, said = outcome.plan.options, sections(outcome, outcome.config["options"])
    for name in ("predictions", "panel"):
        if name in said:
            print_section(said[name])
    if outcome.panels:
        print_line("")
    if outcome.search is not None and not details:
        print_section(search_section(outcome.search, details=False))
    elif options.judges or not options.quick:
        _print_measured(outcome, said, details=details)
    names = dict.fromkeys((RESULTS, SCORES, PANEL, REPORT, JOINT, *OPTIONAL))
    written = ", ".join(name for name in names if (outcome.folder / name).exists())
    print_line(f"{written} and records.jsonl are in {outcome.folder}")


def _more_than_rows(outcome: Outcome) -> dict[str, Any]:
    options, more = outcome.plan.options, dict[str, Any]()
    if options.joint:
        more["joint"] = outcome.joint and outcome.joint.as_json()
    if options.quick:
        more["predictions"] = [own.values() for own in outcome.predictions]
    if outcome.panels:
        more["panel"] = [panel.values() for panel in outcome.panels]
    if options.search:
        more["search"] = outcome.search and outcome.search.as_json()
    if options.learning_curve:
        more["learning_curves"] = [curve.as_json() for curve in outcome.curves]
    return more


def _print_measured(outcome: Outcome, said: dict[str, Section], *, details: bool) -> None:
    options = outcome.plan.options
    print_rows(outcome.rows, details=details)
    if details and outcome.plan.multiref_judge is None and not options.search:
        missing = "No training against sets of references, and so nothing on survival:"
        who = " nor ".join(options.judges) or options.system
        print_line(f"{missing} {who} has no dynamic oracle.")
    if len(outcome.plan.treebanks) == 1 and (details or not outcome.panels):
        print_sentences(verdicts(outcome.rows))
    print_sentences(reading(outcome.rows, options.seeds))
    if "changes" in said and not details:
        said |= {"changes": replace(said["changes"], tables=())}
    for name in ("changes", *(["paper"] if details else []), "joint", "search", "curves"):
        if name in said:
            print_section(said[name])
    if options.learning_curve and not outcome.curves and not outcome.failed:
        print_line("No learning curve: no condition has sites in the training part.")
