"""`learnability evaluate`: attachment scores of a parse against its gold trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, options
from learnability.commands.streams import check_input, read_input
from learnability.comparing.options import DataOptions
from learnability.errors import InputError
from learnability.reports.text import (
    Table,
    TableCell,
    estimate,
    number,
    print_json,
    print_list,
    print_table,
    probability,
)
from learnability.support.nouns import count_noun
from learnability.support.progress import shown_steps
from learnability.support.terminal import WIDE, console

if TYPE_CHECKING:
    from learnability.metrics import AttachmentScores
    from learnability.statistics.systems import GroupComparison

KINDS = {"all": "", "relation": "by relation", "upos": "by UPOS", "length": "by length of the sentence"}
"""The tables of two systems."""

RELATION_NUMBERS = ("gold", "system", "correct", "precision", "recall", "f1")
"""The scores of each relation."""


@click.command(name="evaluate", epilog="Example: learnability evaluate GOLD.conllu SYSTEM.conllu")
@click.argument("gold", shell_complete=completion.files)
@click.argument("systems", metavar="[SYSTEM [SYSTEM]]", nargs=-1, shell_complete=completion.files)
@click.option(
    "--score", type=click.Choice(["uas", "las"]), default="las", show_default=True,
    help="Score that the tables use to compare two systems.",
)  # fmt: skip
@click.option("--subtypes", is_flag=True, help="List relations with their subtypes (nsubj:pass).")
@options(DataOptions, "multiple_roots")
@options(Execution, "as_json", "quiet")
def command(
    gold: str,
    systems: tuple[str, ...],
    score: str,
    subtypes: bool,
    multiple_roots: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Score SYSTEM (default: standard input) against GOLD: UAS, LAS, CLAS and every relation.

    For two systems, also print their difference with its 95 % interval and p: overall, and by relation, UPOS
    and length of the sentence. --json has UAS and LAS of each group.
    """
    if len(systems) > 2:
        raise click.UsageError(
            f"evaluate takes one or two SYSTEM files, not {len(systems)}; pass one, or two to compare"
        )
    if subtypes and len(systems) == 2:
        raise click.UsageError(
            "--subtypes works with one SYSTEM file only; leave out the other file, or --subtypes"
        )
    if [gold, *(systems or ["-"])].count("-") > 1:
        raise click.UsageError("only one of GOLD and SYSTEM can be standard input; use a file for the other")
    if not systems:
        check_input(None)
    with shown_steps("starting", quiet=quiet) as steps:
        gold_file, *parses = (
            read_input(path, steps=steps, quiet=quiet, multiple_roots=multiple_roots)
            for path in (gold, *(systems or [None]))
        )
        if not any(map(len, gold_file)):
            raise InputError(f"{gold_file.name} has no sentences; use files with sentences")
        steps.begin("scoring", expected=len(gold_file) / 20_000)  # sentences per second, about
        from learnability.metrics import attachment_scores
        from learnability.metrics.attachment import TITLES

        scores_of_parses = [attachment_scores(gold_file, parse) for parse in parses]
        if len(parses) == 2:
            from learnability.statistics.systems import compare_parses

            rows = compare_parses(gold_file, *parses)
    scores = scores_of_parses[0]
    sizes, percent = {"sentences": scores.sentences, "tokens": scores.tokens}, scores.percentages()
    if len(parses) == 2:
        if as_json:
            both = [
                {"system": name, **parse_scores.percentages()}
                for name, parse_scores in zip(systems, scores_of_parses, strict=True)
            ]
            print_json({**sizes, "systems": both, "comparison": list(map(asdict, rows))})
        else:
            _print_comparison(rows, systems, scores_of_parses, score)
        return
    relations = {
        relation.relation: {name: getattr(relation, name) for name in RELATION_NUMBERS}
        for relation in scores.relation_table(subtypes=subtypes)
    }
    if as_json:
        print_json({**sizes, **percent, "relations": relations})
        return
    print_list(
        ("score, %", "all tokens", "without punctuation"),
        [
            (title, percent[name], percent.get(f"{name}_without_punctuation"))
            for name, title in TITLES.items()
        ],
        title=f"{count_noun(scores.sentences, 'sentence')}, {count_noun(scores.tokens, 'token')}",
        decimals=2,
    )
    print_list(
        ("relation", *RELATION_NUMBERS[:-1], "F1"),
        [(name, *values.values()) for name, values in relations.items()],
        decimals=2,
    )


def _may_differ(row: GroupComparison) -> bool:
    return row.p_holm is not None and row.p_holm < 0.9995


def _print_comparison(
    rows: Sequence[GroupComparison], systems: Sequence[str], scores: Sequence[AttachmentScores], score: str
) -> None:
    on = console(WIDE)
    on.print(f"first: {systems[0]}, second: {systems[1]}", markup=False, soft_wrap=True)
    for kind, title in KINDS.items():
        overall = kind == "all"
        tested = ("difference\n± 95 %", "p") if overall else ("difference ± 95 %\n(uncorrected)", "p\n(Holm)")
        headings = ("group", "tokens", "first", "second", *tested, "better")
        groups = [row for row in rows if row.by == kind and (overall or row.score == score)]
        shown = [row for row in groups if overall or _may_differ(row)]
        cells: list[tuple[str | TableCell, ...]] = [
            (
                f"{row.score.upper()}, {row.group}" if overall else row.group,
                *(str(row.tokens), number(row.first), number(row.second)),
                *(estimate(row.delta, row.low, row.high), probability(row.p_holm), row.better),
            )
            for row in shown
        ]
        if overall:
            clas = (number(parse_scores.clas) for parse_scores in scores)
            cells.append(("CLAS", "", *clas, "", "", ""))
        table = Table("" if overall else f"{score.upper()} {title}", headings, tuple(cells), align="<>>>>><")
        if shown:
            print_table(table, on, "bold")
        if left_out := len(groups) - len(shown):
            without = f"{count_noun(left_out, 'group')} without a difference left out (--json)"
            on.print(f"{score.upper()} {title}: {without}")
    on.print(
        "Difference: first minus second, so positive means that the first is ahead. p (Holm) and the column "
        "better account for all groups of a table; intervals marked uncorrected are those of one group taken "
        "alone. Groups with fewer than 10 tokens or 6 sentences have neither. Each system counts as one "
        "training, so we use a typical value from other treebanks for training noise.",
        markup=False, soft_wrap=True,
    )  # fmt: skip
