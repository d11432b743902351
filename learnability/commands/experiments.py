"""What `run` and `reproduce` share: the options of an experiment, and carrying it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from learnability.commands.options import Execution, given_values, options, taken, together
from learnability.commands.resolve import Names
from learnability.commands.streams import note
from learnability.comparing.options import (
    ComparedTreebanks,
    DataOptions,
    ExperimentOptions,
    TreebankSelection,
    default_oracle,
)
from learnability.errors import InputError, RunError
from learnability.parsing.parser_options import ParserOptions
from learnability.reports.text import counted, json_text, print_json
from learnability.support.files import check_writable, write_atomically
from learnability.support.options import shared
from learnability.support.progress import shown_stages
from learnability.support.terminal import print_line
from learnability.treebanks.locate import list_treebanks

if TYPE_CHECKING:
    from learnability.comparing.results import Record
    from learnability.support.progress import Stages
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
    from learnability.comparing.annotation import SCHEME, TREEBANK, compared_with, spelled
    from learnability.transforms.registry import PAPER, every_variant

    if judges := others.pop("judges", ()):
        from learnability.comparing.judging import spelled_judges

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
    from learnability.reports.card import card_markdown, card_values
    from learnability.reports.comparison import comparison_files
    from learnability.reports.outcome import print_outcome
    from learnability.reports.page import report_files
    from learnability.reports.plan import print_plan
    from learnability.running.runner import advice_on, make_plan, run_experiment

    places = _card_places(card) if card is not None else ()
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
    if places:
        values = card_values(outcome, outcome.records, outcome.config)
        for place, data in zip(places, (card_markdown(values), json_text(values).encode()), strict=True):
            write_atomically(place, data)
    stages.stop()
    for treebank, facts in zip(outcome.plan.treebanks, outcome.plan.facts, strict=True):
        for remark in facts.remarks:
            note(f"{treebank.name}: {remark}", quiet=execution.quiet)
    for line in advice_on(outcome.plan):
        note(line, quiet=execution.quiet)
    print_outcome(outcome, as_json=execution.as_json, details=execution.details)
    if outcome.failed:
        raise RunError(failures(outcome.failed, folder))


def _card_places(card: Path) -> tuple[Path, Path]:
    """Where the card goes, and the same as JSON: only ``.md`` is an ending that this replaces, not that of
    ``greek-2.16``. InputError for what could not be written when all is computed."""
    if card.suffix == JSON:
        raise InputError(
            f"--card {card}: is for Markdown; name it {card.with_suffix('.md')}, JSON goes beside it"
        )
    check_writable(card)
    beside = card.with_name(card.name.removesuffix(".md") + JSON)
    check_writable(beside)
    return card, beside


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
    from learnability.running.runner import with_definitions

    return with_definitions(
        {"command": command, "treebank": asdict(selection), **experiment.as_json()}, experiment
    )


def recheck_run(folder: Path, execution: Execution, share: float, seed: int) -> None:
    """Repeat a share of a finished run's cells and print what differs; RunError if anything does."""
    from learnability.evidence.stored_runs import finished_config
    from learnability.running.recheck import recheck

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
    from learnability.running.plan import label

    labels = [treebank["label"] for treebank in config["treebanks"]]
    command, asked = (config["arguments"].get(name) for name in ("command", "treebank"))
    if command in ("run", "run_conditions") and asked:
        treebanks = [_selection(values).files() for values in (asked if isinstance(asked, list) else [asked])]
    elif command == "reproduce":
        treebanks = list_treebanks(asked["ud_home"], release=asked["release"])
    else:
        raise InputError(f"{folder}: is no run of `run` or `reproduce`; give the folder of one")
    by_label = {label(files): files for files in treebanks}
    if missing := [name for name in labels if name not in by_label]:
        raise InputError(f"{folder}: {missing[0]} is not found any more; put it where it was")
    return [by_label[name] for name in labels]


def _selection(values: Mapping[str, Any]) -> TreebankSelection:
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return (ComparedTreebanks if "alternative" in values else TreebankSelection)(**{**values, **lists})
