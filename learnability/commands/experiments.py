"""What `run` and `reproduce` share: the options of an experiment, and carrying it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import (
    Function,
    TreebankSelection,
    iterations_or_auto,
    max_options_option,
    output_options,
    packed,
)
from learnability.commands.streams import note
from learnability.errors import InputError, RunError

if TYPE_CHECKING:
    from learnability.experiments.options import ExperimentOptions
    from learnability.experiments.runner import Outcome
    from learnability.reports.progress import Shown
    from learnability.treebanks import TreebankFiles


@dataclass(frozen=True)
class ExperimentSelection:
    """What the options of an experiment say, before anything is checked.

    Attributes:
        transform, scheme: what is compared with UD; nothing: the paper's seven.
        seeds, iterations, system, oracle, tags, nonprojective, max_options: see
            `experiments.options.ExperimentOptions`; no oracle: the default of the system.
        jobs, cluster: where it is computed.
        resume, dry_run, as_json, quiet: how.
    """

    transform: tuple[str, ...] = ()
    scheme: tuple[str, ...] = ()
    seeds: int = 1
    iterations: int | None = None
    system: str = "arc-eager"
    oracle: str | None = None
    tags: str = "gold"
    nonprojective: str = "lift"
    max_options: int = 4096
    labelled: bool = False
    labels: Literal["external", "keep"] | None = None
    jobs: int | None = None
    cluster: str | None = None
    resume: bool = False
    dry_run: bool = False
    as_json: bool = False
    quiet: bool = False

    def options(self, treebanks: TreebankSelection) -> ExperimentOptions:
        """The options of the experiment.

        Raises:
            InputError: an unknown transformation or scheme, or `labels` of unlabelled parsers.
        """
        from learnability.experiments.data import SCHEME
        from learnability.experiments.options import DataOptions, ExperimentOptions, default_oracle
        from learnability.experiments.runner import conditions_of
        from learnability.transforms import PAPER

        if self.labels and not self.labelled:
            raise InputError(f"--labels {self.labels}: give --labelled, too; other parsers have no deprels")
        given = self.transform + tuple(SCHEME + name for name in self.scheme)
        return ExperimentOptions(
            conditions=conditions_of(given, PAPER),
            seeds=self.seeds,
            iterations=self.iterations,
            system=self.system,
            oracle=self.oracle or default_oracle(self.system),
            tags=self.tags,
            nonprojective=self.nonprojective,
            max_options=self.max_options,
            labels=(self.labels or "external") if self.labelled else None,
            data=DataOptions(
                missing_train=treebanks.missing_train,
                split=treebanks.split,
                folds=treebanks.folds,
                multiple_roots=treebanks.multiple_roots,
            ),
        )


def experiment_options(function: Function) -> Function:
    """The options of an experiment; the command gets them as one `ExperimentSelection`, `experiment`."""
    options: list[Callable[[Any], Any]] = [
        click.option("--transform", multiple=True, metavar="NAME", shell_complete=completion.transforms,
                     help="Transformation to compare with UD, for example case or cop:reattach=clause; "
                     "repeatable. Default: the seven of the paper."),
        click.option("--scheme", multiple=True, metavar="S", shell_complete=completion.schemes,
                     help="Scheme to compare with UD; repeatable."),
        click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
                     help="Number of seeds; from 2 on the report knows how noisy it is."),
        click.option("--iterations", type=iterations_or_auto, default="auto", show_default=True,
                     metavar="N|auto",
                     help="Training iterations; auto: at most 15, until dev UAS has not improved for 3."),
        click.option("--system", default="arc-eager", show_default=True, metavar="S",
                     shell_complete=completion.systems,
                     help="Transition system."),
        click.option("--oracle", type=click.Choice(["dynamic", "explore", "static"]), default=None,
                     help="Training of settings (a) and (b); default: dynamic (arc-standard: static)."),
        click.option("--tags", type=click.Choice(["gold", "xpos", "none"]), default="gold", show_default=True,
                     help="The tags the parser sees: UPOS, XPOS or none."),
        click.option("--nonprojective", type=click.Choice(["lift", "drop", "min-cost"]), default="lift",
                     show_default=True, help="Non-projective training trees under a projective system."),
        max_options_option,
        click.option("--labelled", is_flag=True,
                     help="Train parsers that predict deprels as well; adds the columns of LAS."),
        click.option("--labels", type=click.Choice(["external", "keep"]), default=None,
                     help="With --labelled, deprels of transformed trees: a new head takes that of its "
                     "construction (external, the default), or every token keeps its own."),
        click.option("--jobs", type=click.IntRange(min=1), metavar="N",
                     help="Processes; default: one per processor."),
        click.option("--cluster", metavar="ADDRESS",
                     help="Compute on a dask cluster: tcp://HOST:PORT of its scheduler, or local:N."),
        click.option("--resume", is_flag=True, help="Continue an unfinished run in the folder."),
        click.option("--dry-run", is_flag=True, help="Show what would be run and how long it takes."),
        output_options,
    ]  # fmt: skip
    function = packed(function, "experiment", ExperimentSelection)
    for option in reversed(options):
        function = option(function)
    return function


def carry_out(
    files: Sequence[TreebankFiles],
    options: ExperimentOptions,
    experiment: ExperimentSelection,
    folder: Path,
    arguments: dict[str, Any],
    *,
    many: bool,
    stages: Shown,
) -> None:
    """Run the experiment (or show its plan), print its table, and fail if anything in it failed.

    `many`: over many treebanks, of which some may be unusable, and whose report compares them. `stages` shows
    how far it is, and is stopped before anything is printed.

    Raises:
        InputError: wrong input, or the folder is in use, unwritable or holds another run.
        RunError: something failed; everything else is kept.
    """
    from learnability.experiments.runner import default_jobs, make_plan, run_experiment
    from learnability.reports.comparison import comparison_files
    from learnability.reports.page import report_files
    from learnability.reports.plan import print_plan
    from learnability.reports.progress import CellProgress

    if experiment.jobs is not None and experiment.cluster is not None:
        raise InputError("--jobs and --cluster: give one of the two; a cluster brings its own workers")
    jobs = experiment.jobs or default_jobs()
    progress = CellProgress(stages, jobs)
    if experiment.dry_run:
        plan = make_plan(files, options, jobs=jobs, keep_going=many, progress=progress)
        stages.stop()
        print_plan(plan, jobs)
        return
    outcome = run_experiment(
        files,
        options,
        folder,
        arguments,
        jobs=jobs,
        cluster=experiment.cluster,
        resume=experiment.resume,
        keep_going=many,
        progress=progress,
        report=comparison_files if many else report_files,
    )
    stages.stop()
    for treebank, facts in zip(outcome.plan.treebanks, outcome.plan.facts, strict=True):
        for remark in (*([facts.split_policy] if facts.split_policy else []), *facts.warnings):
            note(f"{treebank.name}: {remark}", quiet=experiment.quiet)
    _print_outcome(outcome, as_json=experiment.as_json)
    if outcome.failed:
        raise RunError(failures(outcome.failed, folder))


def _print_outcome(outcome: Outcome, *, as_json: bool) -> None:
    """The rows, and what further trainings gave; as JSON a list of rows, or an object if there is more."""
    from learnability.experiments.plan import MULTIREF_MISSING
    from learnability.reports.curves import curves_section
    from learnability.reports.joint import joint_section
    from learnability.reports.results import common_ground_section, print_rows
    from learnability.reports.text import print_json, print_section, print_sentences
    from learnability.reports.verdicts import verdicts

    joint = None if outcome.joint is None else outcome.joint.as_json()
    curves = [curve.as_json() for curve in outcome.curves]
    options = outcome.plan.options
    if as_json:
        more: dict[str, Any] = {"joint": joint} if options.joint else {}
        more |= {"learning_curves": curves} if options.learning_curve else {}
        print_json({"rows": outcome.rows, **more} if more else outcome.rows)
        return
    print_rows(outcome.rows)
    if not outcome.plan.has_multiref:
        click.echo(MULTIREF_MISSING.format(options.system))
    if len(outcome.plan.treebanks) == 1:
        print_sentences(verdicts(outcome.rows))
        if common := common_ground_section(outcome.rows):
            print_section(common)
    if joint is not None:
        print_section(joint_section(joint))
    if curves:
        print_section(curves_section(curves))
    elif options.learning_curve and not outcome.failed:
        click.echo("No learning curve: no condition has sites in the training part.")
    written = ["results.csv", "report.html", *(["joint.json"] if joint else [])]
    written += ["learning_curve.json"] if curves else []
    click.echo(f"{', '.join(written)} and records.jsonl are in {outcome.folder}")


def failures(failed: Sequence[dict[str, Any]], folder: Path | None) -> str:
    """One line on what failed: every treebank, and the first of the cells; no folder: nothing is kept."""
    parts = [f"{r['treebank']} cannot be used ({r['failed']})" for r in failed if r["setting"] == "treebank"]
    cells = [record for record in failed if record["setting"] != "treebank"]
    if cells:
        more = f"{len(cells)} cells failed, the first" if len(cells) > 1 else "one cell failed"
        parts.append(f"{more}: {cells[0]['key']} ({cells[0]['failed']})")
    if folder is None:
        return f"{'; '.join(parts)}; nothing is kept; give out= a folder, and what is done stays"
    return f"{'; '.join(parts)}; all others are in {folder}; mend the cause and continue with --resume"


def arguments_of(command: str, selection: TreebankSelection, options: ExperimentOptions) -> dict[str, Any]:
    """What the user asked for, as config.json keeps it: enough to give the command again."""
    return {"command": command, "treebank": asdict(selection), **options.as_json()}
