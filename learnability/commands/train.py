"""`learnability train`: a parser from trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import rich_click as click

from learnability.commands.options import (
    iterations_or_auto,
    max_options_option,
    multiple_roots_option,
    quiet_option,
    scheme_option,
    transform_option,
)
from learnability.commands.streams import check_input, note, read_input
from learnability.errors import InputError

if TYPE_CHECKING:
    from learnability.parsing.model_file import Attachment
    from learnability.parsing.parser import Parser, ParserOptions
    from learnability.treebanks import ConlluFile, Tree

WITHOUT_DEV = 15
"""Iterations where no dev set tells when to stop."""


@dataclass(frozen=True)
class TrainOptions:
    """Everything the command line says about a training but its files."""

    system: str
    oracle: str | None
    labelled: bool
    transform: tuple[str, ...]
    scheme: str | None
    labels: Literal["external", "keep"]
    features: str
    multiref: tuple[str, ...]
    seed: int
    iterations: int | None
    k: int
    p: float
    nonprojective: Literal["lift", "drop"]
    tags: str
    max_options: int
    multiple_roots: bool

    @property
    def has_scheme(self) -> bool:
        """Whether the trees are to be rewritten."""
        return bool(self.transform or self.scheme)

    def parser_options(self, *, dev: bool) -> ParserOptions:
        """The options of the parser; without `dev` the number of iterations is fixed."""
        from learnability.parsing.parser import ParserOptions
        from learnability.parsing.systems import system_number

        options = ParserOptions(
            system=self.system,
            oracle=self.oracle or "dynamic",
            iterations=self.iterations or (None if dev else WITHOUT_DEV),
            labelled=self.labelled,
            features=self.features,
            tags=self.tags,
            k=self.k,
            p=self.p,
            seed=self.seed,
            multiple_roots=self.multiple_roots,
        )
        system_number(options.system)
        options.templates()
        options.regime()
        return options


@click.command(
    name="train", epilog="Example: learnability train TRAIN.conllu -m FILE.model --dev DEV.conllu --labelled"
)
@click.argument("source", metavar="FILE")
@click.option("-m", "--model", required=True, metavar="MODEL", help="The model file to write.")
@click.option("--dev", metavar="F", help="Development file: tells when to stop, and which iteration to keep.")
@click.option("--system", default="arc-eager", show_default=True, metavar="S", help="Transition system.")
@click.option(
    "--oracle", type=click.Choice(["static", "ambiguity", "explore", "dynamic"]), default=None,
    help="Training regime; default: dynamic.",
)  # fmt: skip
@click.option("--labelled", is_flag=True, help="Predict deprels as well.")
@transform_option
@scheme_option
@click.option(
    "--labels", type=click.Choice(["external", "keep"]), default="external", show_default=True,
    help="With --labelled and a scheme: a new head takes the deprel of its construction, or keeps its own.",
)  # fmt: skip
@click.option(
    "--features", type=click.Choice(["zn11", "rich"]), default="zn11", show_default=True,
    help="Feature set.",
)  # fmt: skip
@click.option(
    "--multiref", multiple=True, metavar="NAME",
    help="Train on all references of these transformations; repeatable. With --labelled, heads of "
    "transformed constructions bear their external deprel.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed.")
@click.option(
    "--iterations", type=iterations_or_auto, default="auto", show_default=True, metavar="N|auto",
    help="auto: until dev UAS has not improved for 3, at most 15; without --dev, 15.",
)  # fmt: skip
@click.option(
    "--k", type=click.IntRange(min=0), default=1, show_default=True, help="Explore after iteration k."
)
@click.option(
    "--p", type=click.FloatRange(0, 1), default=0.9, show_default=True,
    help="Probability of following a wrong prediction when exploring.",
)  # fmt: skip
@click.option(
    "--nonprojective", type=click.Choice(["lift", "drop"]), default="lift", show_default=True,
    help="Training trees that are not projective: lift their arcs, or leave them out.",
)  # fmt: skip
@click.option(
    "--tags", type=click.Choice(["gold", "xpos", "none"]), default="gold", show_default=True,
    help="The tag features see: UPOS, XPOS or nothing.",
)  # fmt: skip
@max_options_option
@multiple_roots_option
@quiet_option
def command(source: str, model: str, dev: str | None, quiet: bool, **options: Any) -> None:
    """Train a parser on the trees of FILE and write it to MODEL.

    With --transform or --scheme the UD trees of FILE (and of --dev) are rewritten first; `parse --to-ud`
    converts the parses of such a model back.
    """
    from learnability.files import check_writable
    from learnability.parsing.model_file import save_model

    chosen = TrainOptions(**options)
    if chosen.multiref and (dev or chosen.oracle not in (None, "dynamic")):
        raise click.UsageError("--multiref takes no --dev and no --oracle but dynamic")
    if chosen.multiref and chosen.has_scheme:
        raise click.UsageError("--multiref trains on UD and its alternatives: no --transform or --scheme")
    if chosen.multiref or chosen.has_scheme:
        from learnability.commands.chosen import check_names

        check_names(chosen.multiref or chosen.transform, chosen.scheme)
    check_input(source)
    check_writable(model)
    parser_options = chosen.parser_options(dev=dev is not None)
    file = read_input(source, multiple_roots=chosen.multiple_roots)
    trees = prepared_trees(file, chosen, quiet)
    attachment = None
    with _busy(f"training {chosen.system} on {len(trees)} sentences", quiet):
        if chosen.multiref:
            parser, told = _train_multiref(trees, file, chosen, parser_options)
        elif chosen.has_scheme:
            parser, told, attachment = _train_scheme(trees, file, dev, chosen, parser_options)
        else:
            parser, told = _train(trees, dev, chosen, parser_options)
    save_model(parser, model, attachment)
    note(f"{model}: {told}", quiet=quiet)


def prepared_trees(file: ConlluFile, options: TrainOptions, quiet: bool) -> list[Tree]:
    """The training trees, projective ones only where the system needs them; what was done is told."""
    from learnability.parsing.projectivity import is_projective, projectivized
    from learnability.parsing.systems import is_projective_system

    trees = [sentence.tree for sentence in file.sentences]
    if not is_projective_system(options.system):
        return trees
    flags = [is_projective(tree.heads) for tree in trees]
    crossing = len(flags) - sum(flags)
    if options.nonprojective == "drop":
        trees = [tree for tree, projective in zip(trees, flags, strict=True) if projective]
    else:
        trees = [
            tree if projective else tree.with_heads(projectivized(tree.heads))
            for tree, projective in zip(trees, flags, strict=True)
        ]
    if crossing:
        done = "left out" if options.nonprojective == "drop" else "lifted"
        note(f"{crossing} of {len(flags)} training sentences are not projective: {done}", quiet=quiet)
    if not trees:
        raise InputError(f"{file.name}: no training sentences; give a file with (projective) sentences")
    return trees


def _train_scheme(
    trees: Sequence[Tree], file: ConlluFile, dev: str | None, chosen: TrainOptions, options: ParserOptions
) -> tuple[Parser, str, Attachment]:
    """A parser of the scheme's trees, and its way back to UD."""
    from learnability.commands.chosen import file_conventions
    from learnability.experiments.stored_conversion import Definition, trained_conversion

    definition, conventions = Definition.of(chosen.transform, chosen.scheme), file_conventions(file)
    rule = definition.transformation(conventions)
    sites = sum(len(rule.sites(tree)) for tree in trees)
    labels = chosen.labels if options.labelled else "keep"

    def rewritten(tree: Tree) -> Tree:
        return rule.apply(tree, labels=labels)

    parser, told = _train([rewritten(tree) for tree in trees], dev, chosen, options, rewritten)
    return (
        parser,
        f"{rule.spec}, {sites} sites; {told}",
        trained_conversion(trees, definition, conventions, options, labels),
    )


def _train(
    trees: Sequence[Tree],
    dev: str | None,
    chosen: TrainOptions,
    options: ParserOptions,
    rewritten: Callable[[Tree], Tree] = lambda tree: tree,
) -> tuple[Parser, str]:
    """A parser of `trees`; those of the development file are `rewritten` likewise."""
    from learnability.parsing.parser import train_parser

    held_out = None
    if dev is not None:
        file = read_input(dev, multiple_roots=chosen.multiple_roots)
        held_out = [rewritten(sentence.tree) for sentence in file.sentences]
        if not held_out:
            raise InputError(f"{dev}: no sentences; give a development file with sentences")
    training = train_parser(trees, options, held_out)
    told = f"{training.features} features, {training.iterations} iterations"
    if training.dev_uas:
        best = training.best_iteration
        told += f", kept iteration {best} with dev UAS {training.dev_uas[best - 1]:.2f}"
    return training.parser, f"{told}, {training.seconds:.1f} s"


def _train_multiref(
    trees: Sequence[Tree], file: ConlluFile, chosen: TrainOptions, options: ParserOptions
) -> tuple[Parser, str]:
    from learnability.commands.chosen import chosen_transformation, file_conventions
    from learnability.multiref.references import encode_references, label_names, reference_set
    from learnability.multiref.training import survival_shares, train_on_references

    transformation = chosen_transformation(chosen.multiref, None, file_conventions(file))
    corpus = options.encode(trees)
    labels: Literal["external"] | None = "external" if options.labelled else None
    sets = [
        reference_set(tree, transformation, max_options=chosen.max_options, labels=labels) for tree in trees
    ]
    names = label_names(sets) if labels else []
    references, table = encode_references(corpus, sets, names)
    iterations = options.iterations or WITHOUT_DEV
    training = train_on_references(corpus, references, table, options, iterations, labels=names)
    shares = survival_shares(table, training.survival[-1])
    told = (
        f"{training.features} features, {training.iterations} iterations, {len(table.token)} sites; of "
        f"{shares.sentences} sentences with sites, {100 * shares.original_share:.1f} % commit to the "
        f"original annotation, {100 * shares.transformed_share:.1f} % to the transformed one"
        if shares.sentences
        else f"{training.features} features, {training.iterations} iterations; no sites"
    )
    if table.factors_cut:
        told += f"; {table.factors_cut} factors cut to two options"
    return training.parser, f"{told}; {training.seconds:.1f} s"


def _busy(message: str, quiet: bool) -> AbstractContextManager[Any]:
    """A spinner on stderr while the kernels work, where someone looks."""
    import sys

    if quiet or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True).status(message)
