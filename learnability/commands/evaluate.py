"""`learnability evaluate`: attachment scores of a parse against its reference."""

from __future__ import annotations

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, options
from learnability.commands.streams import check_input, read_input
from learnability.errors import InputError
from learnability.experiments.options import DataOptions
from learnability.progress import shown_stages

RELATION_NUMBERS = ("gold", "system", "correct", "precision", "recall", "f1")
"""What is told of each relation."""


@click.command(name="evaluate", epilog="Example: learnability evaluate GOLD.conllu SYSTEM.conllu")
@click.argument("gold", shell_complete=completion.files)
@click.argument("system", required=False, shell_complete=completion.files)
@click.option("--subtypes", is_flag=True, help="List whole labels (nsubj:pass) instead of universal ones.")
@options(DataOptions, "multiple_roots")
@options(Execution, "as_json")
def command(gold: str, system: str | None, subtypes: bool, multiple_roots: bool, as_json: bool) -> None:
    """Score SYSTEM (default: standard input) against GOLD: UAS, LAS, CLAS and every relation."""
    if gold == "-" and system in (None, "-"):
        raise click.UsageError("only one of GOLD and SYSTEM can be standard input")
    check_input(system)
    with shown_stages("starting") as stages:
        reference = read_input(gold, multiple_roots=multiple_roots, stages=stages)
        parse = read_input(system, multiple_roots=multiple_roots, stages=stages)
        stages.stage("scoring", expected=len(reference.sentences) / 20_000)  # sentences per second, about
        from learnability.metrics import attachment_scores

        scores = attachment_scores(
            [sentence.tree for sentence in reference.sentences],
            [sentence.tree for sentence in parse.sentences],
            names=[sentence.sent_id for sentence in reference.sentences],
        )
    if scores.tokens == 0:
        raise InputError(f"{reference.name}: no sentences; give files with sentences")
    relations = {
        relation.relation: {name: getattr(relation, name) for name in RELATION_NUMBERS}
        for relation in scores.relation_table(subtypes=subtypes)
    }
    from learnability.reports.text import print_json, print_list

    if as_json:
        sizes = {"sentences": scores.sentences, "tokens": scores.tokens}
        print_json({**sizes, **scores.percentages(), "relations": relations})
        return
    percent = scores.percentages()
    titles = {"uas": "UAS", "las": "LAS", "las_with_subtypes": "LAS, whole labels", "clas": "CLAS"}
    print_list(
        ("score, %", "all tokens", "without punctuation"),
        [(titles[name], percent[name], percent.get(f"{name}_without_punctuation")) for name in titles],
        title=f"{scores.sentences} sentences, {scores.tokens} tokens",
    )
    print_list(
        ("relation", *RELATION_NUMBERS[:-1], "F1"), [(name, *own.values()) for name, own in relations.items()]
    )
