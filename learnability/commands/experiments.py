"""What `run` and `reproduce` share: the options of an experiment, and carrying it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from learnability.commands.options import Execution, given_values, options, taken, together
from learnability.commands.resolve import Names
from learnability.commands.streams import note
from learnability.errors import InputError, RunError
from learnability.experiments.options import (
    ComparedTreebanks,
    DataOptions,
    ExperimentOptions,
    TreebankSelection,
    default_oracle,
)
from learnability.files import check_writable, write_atomically
from learnability.options import shared
from learnability.parsing.parser_options import ParserOptions
from learnability.progress import shown_stages

if TYPE_CHECKING:
    from learnability.experiments.run_records import Record
    from learnability.experiments.runner import Outcome
    from learnability.progress import Stages
    from learnability.treebanks.locate import TreebankFiles


JSON = ".json"


experiment_options = together(
    options(
        Names, "transform", help="Transformation to compare with UD, for example case, "
        "cop:reattach=clause or 'case:lemma=of|to'; repeatable. Default: the seven of the paper.",
    ),
    options(Names, "scheme", multiple=True, help="Scheme to compare with UD; repeatable."),
    options(
        ExperimentOptions,
        *("seeds", "iterations", "system", "oracle", "judges", "tags", "nonprojective", "max_options"),
    ),
    options(
        ParserOptions, "labelled",
        help="Train parsers that predict deprels as well; adds the columns of LAS.",
    ),
    options(ExperimentOptions, "labels"),
    options(ExperimentOptions, "quick", "threshold", panel="Prediction"),
    options(Execution),
)  # fmt: skip
"""The options that `run` and `reproduce` share, for :func:`resolved`, and `Execution`."""


def selection_of(given: dict[str, Any]) -> TreebankSelection:
    """The treebank that these options name, with its alternative, if any; the others stay in `given`."""
    compared = taken(ComparedTreebanks, given)
    if compared.alternative is None and compared.alternative_release is None:
        return TreebankSelection(**shared(TreebankSelection, compared))
    return compared


def resolved(
    data: DataOptions,
    *,
    treebanks: tuple[str, str] | None = None,
    transform: Sequence[str] = (),
    scheme: Sequence[str] = (),
    oracle: str | None = None,
    labelled: bool = False,
    labels: Literal["external", "keep"] | None = None,
    against: str | None = None,
    **others: Any,
) -> ExperimentOptions:
    """The options of an experiment from what a user writes; None stands for what was not given.

    Without `transform` and `scheme` the seven transformations of the paper are compared (searched: all their
    variants), without `oracle` it is the default of the system. `treebanks`: what the two annotations are
    called, where both are given. `others` are fields of `ExperimentOptions`.
    """
    from learnability.experiments.condition import SCHEME, TREEBANK, compared_with, spelled
    from learnability.transforms.registry import PAPER, every_variant

    if judges := others.pop("judges", ()):
        from learnability.experiments.judging import spelled_judges

        others["judges"] = spelled_judges(judges)
    if labels and not labelled:
        raise InputError(f"--labels {labels}: give --labelled, too; other parsers have no deprels")
    if treebanks is not None:
        rules = {"--transform": transform, "--scheme": scheme, "--against": against, "--labels": labels}
        if asked := [name for name, value in rules.items() if value]:
            raise InputError(f"{asked[0]}: goes with rules, not with --alternative; run them apart")
        original, alternative = (TREEBANK + name for name in treebanks)
        others |= {"against": original, "conditions": (alternative,)}
    given = (*transform, *(SCHEME + name for name in scheme))
    default = every_variant() if others.get("search") else PAPER
    experiment = ExperimentOptions(
        conditions=others.pop("conditions", None) or spelled(given or default),
        oracle=oracle or default_oracle(others.get("system") or ExperimentOptions.system),
        labels=(labels or "external") if labelled else None,
        data=data,
        **given_values(others),
    )
    return experiment if against is None else compared_with(experiment, against, given=bool(given))


def carry_out(
    files: Sequence[TreebankFiles],
    experiment: ExperimentOptions,
    execution: Execution,
    folder: Path,
    arguments: dict[str, Any],
    *,
    many: bool,
    stages: Stages,
    card: Path | None = None,
) -> None:
    """Run the experiment (or show its plan), print its table, and fail if anything in it failed.

    `many`: over many treebanks, of which some may be unusable, and whose report compares them. `card`: where
    the evidence card is to be, with the same as JSON beside it.
    """
    from learnability.experiments.runner import advice_on, make_plan, run_experiment
    from learnability.reports.comparison import comparison_files
    from learnability.reports.page import report_files
    from learnability.reports.plan import print_plan

    if card is not None:
        _check_card(card)
    jobs = execution.processes()
    if execution.dry_run:
        plan = make_plan(files, experiment, jobs=jobs, keep_going=many, progress=stages)
        stages.stop()
        print_plan(plan, jobs)
        for line in advice_on(plan):
            note(line, quiet=execution.quiet)
        return
    predicts_only = experiment.quick and not experiment.judges
    pages = comparison_files if many and not experiment.quick else report_files
    outcome = run_experiment(
        files, experiment, folder, arguments, jobs=jobs, cluster=execution.cluster, resume=execution.resume,
        force=execution.force, keep_going=many, progress=stages,
        report=None if predicts_only else pages,
    )  # fmt: skip
    if card is not None:
        _write_card(outcome, card)
    stages.stop()
    for treebank, facts in zip(outcome.plan.treebanks, outcome.plan.facts, strict=True):
        for remark in facts.remarks:
            note(f"{treebank.name}: {remark}", quiet=execution.quiet)
    for line in advice_on(outcome.plan):
        note(line, quiet=execution.quiet)
    _print_outcome(outcome, as_json=execution.as_json, details=execution.details)
    if outcome.failed:
        raise RunError(failures(outcome.failed, folder))


def _check_card(card: Path) -> None:
    """Refuse a card that could not be written when all is computed."""
    if card.suffix == JSON:
        raise InputError(
            f"--card {card}: is for Markdown; name it {card.with_suffix('.md')}, JSON goes beside it"
        )
    check_writable(card)
    check_writable(_beside(card))


def _beside(card: Path) -> Path:
    """Where the card is as JSON; only ``.md`` is an ending that it replaces, not that of ``greek-2.16``."""
    return card.with_name(card.name.removesuffix(".md") + JSON)


def _write_card(outcome: Outcome, card: Path) -> None:
    from learnability.reports.card import card_markdown, card_values
    from learnability.reports.text import json_text

    values = card_values(outcome, outcome.records, outcome.config)
    write_atomically(_beside(card), json_text(values).encode())
    write_atomically(card, card_markdown(values))


def _print_outcome(outcome: Outcome, *, as_json: bool, details: bool) -> None:
    """The rows, and what further trainings gave; as JSON a list of rows, or an object if there is more."""
    from learnability.reports.changes import changes_section
    from learnability.reports.curves import curves_section
    from learnability.reports.joint import joint_section
    from learnability.reports.panel import panel_section
    from learnability.reports.predictions import predictions_section
    from learnability.reports.quotes import paper_section
    from learnability.reports.results import print_rows
    from learnability.reports.search import search_section
    from learnability.reports.text import print_json, print_section, print_sentences
    from learnability.reports.verdicts import reading, verdicts
    from learnability.terminal import print_line

    joint, curves, experiment = outcome.joint, outcome.curves, outcome.plan.options
    if as_json:
        more: dict[str, Any] = {"joint": joint and joint.as_json()} if experiment.joint else {}
        if experiment.quick:
            more["predictions"] = [one.values() for one in outcome.predictions]
        if outcome.panels:
            more["panel"] = [panel.values() for panel in outcome.panels]
        if experiment.search:
            more["search"] = outcome.search and outcome.search.as_json()
        if experiment.learning_curve:
            more["learning_curves"] = [curve.as_json() for curve in curves]
        print_json({"rows": outcome.rows, **more} if more else outcome.rows)
        return
    if outcome.predictions:
        print_section(predictions_section(outcome.predictions, judged=bool(experiment.judges)))
    if experiment.quick and not experiment.judges:
        print_line(_written(outcome))
        return
    if outcome.panels:
        print_section(panel_section(outcome.panels))
        print_line("")
    if outcome.search is not None and not details:
        print_section(search_section(outcome.search, details=False))
        print_line(_written(outcome))
        return
    print_rows(outcome.rows, details=details)
    if details and outcome.plan.multiref_judge is None and not experiment.search:
        missing = "No training against sets of references, and so nothing on survival:"
        who = " nor ".join(experiment.judges) or experiment.system
        print_line(f"{missing} {who} has no dynamic oracle.")
    if len(outcome.plan.treebanks) == 1 and (details or not outcome.panels):
        print_sentences(verdicts(outcome.rows))
    print_sentences(reading(outcome.rows, experiment.seeds))
    if (changes := changes_section(outcome.rows)) is not None:
        print_section(changes if details else replace(changes, tables=()))
    if (
        details
        and not experiment.judges
        and (paper := paper_section(outcome.rows, experiment.system, experiment.oracle)).lines
    ):
        print_section(paper)
    if joint is not None:
        print_section(joint_section(joint))
    if outcome.search is not None:
        print_section(search_section(outcome.search))
    if curves:
        print_section(curves_section(curves))
    elif experiment.learning_curve and not outcome.failed:
        print_line("No learning curve: no condition has sites in the training part.")
    print_line(_written(outcome))


def _written(outcome: Outcome) -> str:
    """Which files the run has left, and where."""
    from learnability.experiments.folder import JOINT, OPTIONAL, PANEL, REPORT, RESULTS

    names = dict.fromkeys((RESULTS, PANEL, REPORT, JOINT, *OPTIONAL))
    written = ", ".join(name for name in names if (outcome.folder / name).exists())
    return f"{written} and records.jsonl are in {outcome.folder}"


def failures(failed: Sequence[Record], folder: Path | None) -> str:
    """One line on what failed: every treebank, and the first of the cells; no folder: nothing is kept."""
    parts = [f"{r.treebank} cannot be used ({r.failed})" for r in failed if r.setting == "treebank"]
    cells = [record for record in failed if record.setting != "treebank"]
    if cells:
        more = f"{len(cells)} cells failed, the first" if len(cells) > 1 else "one cell failed"
        parts.append(f"{more}: {cells[0].key} ({cells[0].failed})")
    if folder is None:
        return f"{'; '.join(parts)}; nothing is kept; give out= a folder, and what is done stays"
    return f"{'; '.join(parts)}; all others are in {folder}; mend the cause and continue with --resume"


def arguments_of(command: str, selection: TreebankSelection, experiment: ExperimentOptions) -> dict[str, Any]:
    """What the user asked for, as config.json keeps it: enough to give the command again."""
    from learnability.experiments.runner import with_definitions

    return with_definitions(
        {"command": command, "treebank": asdict(selection), **experiment.as_json()}, experiment
    )


def recheck_run(folder: Path, execution: Execution, share: float, seed: int) -> None:
    """Repeat a share of a finished run's cells and print what differs; RunError if anything does."""
    from learnability.experiments.recheck import recheck
    from learnability.experiments.stored_runs import finished_config
    from learnability.reports.text import counted, print_json
    from learnability.terminal import print_line

    with shown_stages("looking for treebanks", quiet=execution.quiet) as stages:
        config, jobs = finished_config(folder), execution.processes()
        files = _files_of(config, folder)
        done = recheck(folder, config, files, share=share, seed=seed, jobs=jobs, stages=stages)
    repeated = f"{done.repeated} of {done.cells} cells repeated"
    if execution.as_json:
        print_json({**asdict(done), "folder": str(folder), "share": share, "seed": seed})
    else:
        for line in done.differences:
            print_line(line)
        if not done.differences:
            print_line(f"{repeated} (seed {seed}): data, versions, results and numbers are as recorded")
    if done.differences:
        raise RunError(f"{folder}: {counted(len(done.differences), 'difference')}; {repeated} (seed {seed})")


def _files_of(config: Mapping[str, Any], folder: Path) -> list[TreebankFiles]:
    """Where the treebanks of a run are now, by what its command was told."""
    from learnability.experiments.plan import label
    from learnability.treebanks.locate import list_treebanks

    labels = [treebank["label"] for treebank in config["treebanks"]]
    told = config["arguments"].get("treebank")
    if config["arguments"].get("command") in ("run", "run_conditions") and told:
        selections = [_selection(one) for one in (told if isinstance(told, list) else [told])]
        found = {label(files): files for files in (selection.files() for selection in selections)}
    elif config["arguments"].get("command") == "reproduce":
        found = {label(files): files for files in list_treebanks(told["ud_home"])}
    else:
        raise InputError(f"{folder}: is no run of `run` or `reproduce`; give the folder of one")
    if missing := [name for name in labels if name not in found]:
        raise InputError(f"{folder}: {missing[0]} is not found any more; put it where it was")
    return [found[name] for name in labels]


def _selection(told: Mapping[str, Any]) -> TreebankSelection:
    lists = {name: tuple(value) for name, value in told.items() if isinstance(value, list)}
    return (ComparedTreebanks if "alternative" in told else TreebankSelection)(**{**told, **lists})
