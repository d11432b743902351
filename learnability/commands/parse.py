"""`learnability parse`: CoNLL-U in, the same CoNLL-U with predicted heads and deprels out."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, model_option, options
from learnability.commands.streams import STDIN, check_input, check_output, on_screen, open_output
from learnability.errors import InputError
from learnability.support.nouns import count_noun
from learnability.support.progress import shown_steps

if TYPE_CHECKING:
    from learnability.treebanks.columns import FileColumns
    from learnability.treebanks.conllu_io import ConlluFile
    from learnability.treebanks.sentence import Tree

    FindTrees = Callable[[Sequence[Tree]], list[Tree]]

CHUNK = 512
"""Sentences parsed and written at a time."""


@click.command(name="parse", epilog="Example: learnability parse -m FILE.model IN.conllu -o OUT.conllu")
@model_option("A model file written by train.")
@click.argument("source", metavar="[IN]", required=False, shell_complete=completion.files)
@click.option("-o", "--output", metavar="OUT", help="File to write; default: standard output.")
@click.option(
    "--to-ud", is_flag=True,
    help="Convert the parses of a model trained with --alternative or --transform to UD. This reads all "
    "input first.",
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
        from learnability.treebanks.conllu_io import decompressed_lines

        check_input(source)
        check_output(output)
        parser, attachment = read_model(model)
        find_trees: FindTrees = parser.parse
        size = CHUNK
        transformed = None
        if to_ud:
            converter, transformed = converter_from(attachment, parser.options, model), ""
            # the sentences inform each other where the scheme's inverse learns from its input: all at once
            find_trees, size = (lambda trees: converter.convert(parser.parse(trees))), sys.maxsize
        elif attachment is not None:
            transformed = scheme_of(attachment, model).spec
        with kernels_step(steps, [parser.options.system]):
            parser.parse([SMALL])
        name = STDIN if source in (None, "-") else str(source)
        total = Path(name).stat().st_size if name != STDIN and Path(name).is_file() else 0
        # about 1 MB per second
        steps.begin("parsing", total or None, expected=total / 1e6 if total else None)
        began, sentences = time.monotonic(), 0
        with InputError.explain(f"{name} cannot be read", "use a readable CoNLL-U file"):
            opened = nullcontext(sys.stdin.buffer) if name == STDIN else open(name, "rb")  # noqa: SIM115
        with opened as stream, open_output(output) as write:
            lines = decompressed_lines(stream)
            for chunk, data in parsed_chunks(find_trees, lines, name, deps, transformed, size):
                write(data)
                sentences += len(chunk.sentences)
                speed = f"{sentences / (time.monotonic() - began):,.0f} sentences/s"
                steps.advance(len(chunk.data), count=f"{count_noun(sentences, 'sentence')}", speed=speed)
                if output in (None, "-"):
                    sys.stdout.buffer.flush()


def parsed_chunks(
    find_trees: FindTrees,
    stream: Iterable[bytes],
    name: str,
    deps: Literal["drop", "keep"],
    transformed: str | None = None,
    size: int = CHUNK,
) -> Iterator[tuple[ConlluFile, bytes]]:
    """Yield chunks of a CoNLL-U stream, each with its bytes after parsing.

    HEAD and DEPREL of the input are ignored and may be ``_``. `transformed` is as for `write_conllu`.
    """
    from learnability.treebanks.conllu_writing import enhanced_changes, write_conllu

    for chunk in read_chunks(stream, name, size):
        trees = find_trees([sentence.tree for sentence in chunk.sentences])
        data = write_conllu(chunk, trees, deps=deps, predicted=True, transformed=transformed)
        if deps == "drop" and data == chunk.data:
            # No head changed in this chunk, but in the stream: its sentences are treated alike.
            data = chunk.replace_lines(enhanced_changes(chunk.sentences))
        yield chunk, data


def read_chunks(stream: Iterable[bytes], name: str, size: int = CHUNK) -> Iterator[ConlluFile]:
    """Yield pieces of `size` sentences of the stream, each read as a file."""
    stream, lines = iter(stream), list[bytes]()
    columns: FileColumns | None = None
    sentences = within = lines_before = sentences_before = 0
    for line in stream:
        lines.append(line)
        if line.strip():
            within = 1
            continue
        sentences += within
        within = 0
        if sentences >= size:
            chunk = _read(b"".join(lines), name, lines_before, sentences_before, columns, stream)
            columns = chunk.columns
            yield chunk
            lines_before += len(lines)
            sentences_before += len(chunk.sentences)
            lines, sentences = [], 0
    if lines:
        yield _read(b"".join(lines), name, lines_before, sentences_before, columns, stream)


def _read(
    data: bytes,
    name: str,
    lines_before: int,
    sentences_before: int,
    columns: FileColumns | None,
    rest: Iterable[bytes],
) -> ConlluFile:
    from learnability.treebanks.columns import FileColumns
    from learnability.treebanks.conllu_io import read_conllu

    try:
        return read_conllu(io.BytesIO(data), name=name, require_trees=False, columns=columns)
    except InputError:
        # Again with as many lines and sentences in front as the stream had, and with its rest: the message
        # counts them.
        dummy = (columns or FileColumns()).dummy.encode() + b"\n\n"
        front = dummy * sentences_before + b"\n" * (lines_before - 2 * sentences_before)
        whole = b"".join((front, data, *rest))
        read_conllu(io.BytesIO(whole), name=name, require_trees=False, columns=columns)
        raise
