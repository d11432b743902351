"""`learnability parse`: CoNLL-U in, the same CoNLL-U with predicted heads and deprels out."""

from __future__ import annotations

from typing import Literal

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, model_option, options
from learnability.commands.streams import check_input, check_output, on_screen, open_output, read_input
from learnability.support.progress import shown_steps
from learnability.treebanks.sentence import trees_of

BYTES_PER_SECOND = 1_000_000
"""How fast CoNLL-U is parsed, about."""


@click.command(name="parse", epilog="Example: learnability parse -m FILE.model IN.conllu -o OUT.conllu")
@model_option("A model file written by train.")
@click.argument("source", metavar="[IN]", required=False, shell_complete=completion.files)
@click.option("-o", "--output", metavar="OUT", help="File to write; default: standard output.")
@click.option(
    "--to-ud", is_flag=True,
    help="Convert the parses of a model trained with --alternative or --transform to UD.",
)  # fmt: skip
@click.option(
    "--deps", type=click.Choice(["drop", "keep"]), default="drop", show_default=True,
    help="drop: empty DEPS and remove empty nodes, because they would contradict the new trees.",
)  # fmt: skip
@options(Execution, "quiet")
def command(
    model: str,
    source: str | None,
    output: str | None,
    to_ud: bool,
    deps: Literal["drop", "keep"],
    quiet: bool,
) -> None:
    """Parse CoNLL-U; everything but HEAD, DEPREL and DEPS stays as it is, byte for byte."""
    with shown_steps("loading the model", quiet=quiet or on_screen(output)) as steps:
        from learnability.comparing.stored_conversion import converter_from, scheme_of
        from learnability.parsing.model_file import read_model
        from learnability.parsing.parser import SMALL
        from learnability.running.progress_steps import kernels_step
        from learnability.treebanks.conllu_writing import enhanced_changes, write_conllu

        check_input(source)
        check_output(output)
        parser, attachment = read_model(model)
        converter, transformed = None, None
        if to_ud:
            converter, transformed = converter_from(attachment, parser.options, model), ""
        elif attachment is not None:
            transformed = scheme_of(attachment, model).spec
        file = read_input(source, steps=steps, require_trees=False)
        with kernels_step(steps, [parser.options.system]):
            parser.parse([SMALL])
        steps.begin("parsing", expected=len(file.data) / BYTES_PER_SECOND)
        trees = parser.parse(trees_of(file))
        if converter is not None:
            trees = converter.convert(trees)
        data = write_conllu(file, trees, deps=deps, predicted=True, transformed=transformed)
        if deps == "drop" and data == file.data:  # parses equal the trees that were there
            data = file.replace_lines(enhanced_changes(file.sentences))
        with open_output(output) as write:
            write(data)
