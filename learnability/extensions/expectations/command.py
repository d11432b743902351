"""`learnability expect`: which annotation should be easier, from the trees alone; and was it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import rich_click as click

from learnability.commands.experiments import name_treebanks
from learnability.commands.options import Execution, options, take_options
from learnability.commands.streams import note
from learnability.comparing.options import TreebankSelection
from learnability.errors import InputError
from learnability.support.options import option
from learnability.support.progress import Stages, shown_stages

if TYPE_CHECKING:
    from learnability.extensions.expectations.expecting import ExpectedPair
    from learnability.extensions.expectations.model import ExpectationModel
    from learnability.treebanks.conllu_io import Reading
    from learnability.treebanks.locate import TreebankFiles


@dataclass(frozen=True)
class ExpectOptions:
    """Hold what is compared and written."""

    PANEL: ClassVar[str] = "Comparison and output"

    run: tuple[str, ...] = option(
        (), "Afterwards compare with the results of this run, or of the runs below this folder; repeatable.",
        metavar="DIR", multiple=True,
    )  # fmt: skip
    expected: str | None = option(
        None, "Compare this expectations.csv, written earlier, instead of new expectations.", metavar="FILE"
    )
    processes: int | None = option(
        None, "Number of processes (default: one per processor).", metavar="N", flags=("--jobs",), least=1,
        most=1000,
    )  # fmt: skip
    out: str | None = option(None, "Write expectations.csv, and agreement.csv, into DIR.", metavar="DIR")


@click.command(
    name="expect",
    epilog="Example: learnability expect --treebank demo",
)
@name_treebanks
@options(TreebankSelection, "ud_home", "release", "multiple_roots", "skip_incomplete")
@options(ExpectOptions)
@options(
    Execution,
    "force",
    "as_json",
    "details",
    "explain",
    "quiet",
)
def command(treebank: tuple[str, ...], every_treebank: bool, **parameters: Any) -> None:
    """Expect for each construction which annotation is easier to learn, and how probably, from trees alone.

    Nothing is trained. A model that was fitted to other treebanks knows how differences depended on
    properties of their trees. With --run the expectations are then held against the results of a run; they
    are computed, and written into --out, before its results are read.
    """
    chosen, execution = take_options(ExpectOptions, parameters), take_options(Execution, parameters)
    ud_home, release = parameters["ud_home"], parameters["release"]
    _check_options(chosen, is_named=bool(treebank or every_treebank))
    if treebank and every_treebank:
        raise InputError("--all takes all treebanks; leave it out, or leave out --treebank")
    with shown_stages("starting", quiet=execution.quiet) as stages:
        from learnability.commands.run import all_treebanks
        from learnability.extensions.expectations.agreement import (
            AGREEMENT_FILE,
            agreement_csv,
            hold_against,
            read_measured,
        )
        from learnability.extensions.expectations.expecting import (
            EXPECTATIONS_FILE,
            expectations_csv,
            read_expectations,
        )
        from learnability.extensions.expectations.model import ExpectationModel
        from learnability.extensions.expectations.section import agreement_section, expectations_section
        from learnability.reports.section import print_section
        from learnability.reports.text import print_json

        model = ExpectationModel.load_shipped()
        if chosen.expected is not None:
            pairs = read_expectations(Path(chosen.expected))
        else:
            files: Sequence[TreebankFiles] = (
                all_treebanks(ud_home, release)
                if every_treebank
                else [TreebankSelection(name, ud_home, release).files() for name in treebank]
            )
            reading: Reading = {
                "multiple_roots": parameters["multiple_roots"],
                "skip_incomplete": parameters["skip_incomplete"],
            }
            pairs = _expect(files, model, chosen, execution, stages, reading)
            _write(chosen.out, EXPECTATIONS_FILE, expectations_csv(pairs), execution)
        held = None
        if chosen.run:
            held = hold_against(pairs, read_measured(map(Path, chosen.run), model.parser, stages))
            if not held:
                raise InputError(
                    f"{chosen.run[0]} has no tested result about which we expect anything; name a run of "
                    "these treebanks and constructions"
                )
            _write(chosen.out, AGREEMENT_FILE, agreement_csv(held), execution)
    if execution.as_json:
        values: dict[str, Any] = {"expectations": [pair.values() for pair in pairs]}
        print_json(values if held is None else {**values, "agreement": [pair.values() for pair in held]})
        return
    sections = [] if chosen.expected else [expectations_section(pairs, model, details=execution.details)]
    sections += [] if held is None else [agreement_section(held)]
    for section in sections:
        print_section(section, explain=execution.explain)


def _check_options(chosen: ExpectOptions, *, is_named: bool) -> None:
    """Refuse options that do not go together, with an InputError."""
    if chosen.expected is not None and is_named:
        raise InputError("--expected has the treebanks already; leave out --treebank and --all")
    if chosen.expected is not None and not chosen.run:
        raise InputError("--expected is compared with a run; add --run DIR")
    if chosen.expected is None and not is_named:
        raise InputError("no treebank is named; use --treebank T (repeatable), or --all")


def _expect(
    files: Sequence[TreebankFiles],
    model: ExpectationModel,
    chosen: ExpectOptions,
    execution: Execution,
    stages: Stages,
    reading: Reading,
) -> list[ExpectedPair]:
    """Return what we expect in treebanks; of several, one that cannot be used is told and left out.

    Raises:
        InputError: no treebank can be used.
    """
    from learnability.extensions.expectations.expecting import UnreadTreebank, expect_pairs
    from learnability.running.workforce import default_jobs

    jobs = chosen.processes or default_jobs()
    found: list[ExpectedPair] = []
    unread: list[UnreadTreebank] = []
    stages.stage("measuring trees", len(files), unit="treebanks")
    remarks: list[str] = []
    for treebank in expect_pairs(files, model, jobs=jobs, **reading):
        stages.advance()
        if isinstance(treebank, UnreadTreebank):
            unread.append(treebank)
        else:
            found += treebank.pairs
            remarks += treebank.remarks
    if not found:
        raise InputError(unread[0].problem)
    for left_out in unread:
        note(f"{left_out.name} was left out: {left_out.problem}", quiet=execution.quiet)
    for remark in remarks:
        note(remark, quiet=execution.quiet)
    return found


def _write(out: str | None, name: str, data: bytes, execution: Execution) -> None:
    """Write a file into the folder, if there is one; expectations are not replaced by others unnoticed.

    Raises:
        InputError: the file exists and would change, or cannot be written.
    """
    if out is None:
        return
    from learnability.support.files import made_folder, write_atomically

    path = Path(out) / name
    if path.exists() and path.read_bytes() != data and not execution.force:
        raise InputError(f"{path} exists and would change; use another --out, or --force")
    with made_folder(out):
        write_atomically(path, data)
    note(f"Wrote {path}", quiet=execution.quiet)
