"""What a run would consist of (`--dry-run`), and roughly how long it would take."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from learnability.comparing.options import UD
from learnability.reports.text import Table, counted, drawn
from learnability.running.plan import Plan, Setting, label
from learnability.running.stages import CONDITION_SECONDS, REPORT_SECONDS, START_SECONDS
from learnability.studies.search.study import most_cost
from learnability.support.terminal import console


def print_plan(plan: Plan, jobs: int) -> None:
    """Print what a run consists of, and roughly how long it takes."""
    if plan.options.search:
        print_search(plan, jobs)
        return
    cells = plan.cells()
    counts = Counter(cell.treebank for cell in cells)
    table = Table.of(
        f"{len(cells)} cells, about {duration(plan, jobs)} on {counted(jobs, 'processor')}",
        list(zip(plan.treebanks, plan.facts, strict=True)),
        (
            ("treebank", lambda t: t[0].name),
            ("release", lambda t: t[0].release),
            ("train tokens", lambda t: sum(t[1].train_tokens) // t[1].folds),
            ("folds", lambda t: t[1].folds),
            ("seeds", lambda t: plan.options.seeds),
            ("cells", lambda t: counts[label(t[0])]),
            ("splits", lambda t: t[1].split_policy or "as released"),
        ),
        align="<<><<><",
    )
    on = console()
    on.print(drawn(table, framed=True))
    trained = {cell.setting for cell in cells}
    settings = ", ".join(name for name in get_args(Setting) if name in trained and name != "measures")
    against = "" if plan.options.against == UD else f"; against {plan.options.against}"
    judges = f"; judges: {', '.join(plan.options.judges)}" if plan.options.judges else ""
    on.print(f"settings: {settings}; conditions: {', '.join(plan.options.conditions)}{against}{judges}")
    on.print("the first run of a transition system compiles its kernels: about 30 seconds more")
    for name, reason in plan.unusable:
        on.print(f"cannot be used: {name}: {reason}", markup=False)


def print_search(plan: Plan, jobs: int) -> None:
    """Print what a search starts with, and what it can cost at most."""
    cost, space = most_cost(plan), plan.space
    assert space is not None
    on = console()
    lines = [
        f"search: {cost.combinations} combinations of {counted(len(space.choices), 'variant')} of "
        f"{counted(len(space.constructions), 'transformation')}, then up to "
        f"{counted(cost.variations, 'variation')} by lemma",
        f"at most {cost.short} short trainings, {counted(cost.full, 'training')} in full"
        + (" and a joint one" if plan.has_joint_references else ""),
        *(f"left out: {spec}: {why}" for spec, why in space.left_out),
    ]
    for line in lines:
        on.print(line, markup=False, soft_wrap=True)


def duration(plan: Plan, jobs: int) -> str:
    """A rough estimate of the wall time, in words: start-up, trainings and measures, statistics, report."""
    conditions = len(plan.treebanks) * len(plan.options.conditions)
    work = sum(map(plan.seconds, plan.cells())) + conditions * CONDITION_SECONDS
    seconds = START_SECONDS + work / jobs + REPORT_SECONDS
    if seconds < 90:
        return counted(round(seconds), "second")
    return counted(round(seconds / 60), "minute") if seconds < 5400 else f"{seconds / 3600:.1f} hours"
