"""`learnability train`: a parser from trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import rich_click as click

from learnability.commands import completion
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
from learnability.reports.progress import shown_stages
from learnability.reports.text import counted

if TYPE_CHECKING:
    from learnability.parsing.model_file import Attachment
    from learnability.parsing.parser import Iteration, Parser, ParserOptions, Progress
    from learnability.reports.progress import Shown
    from learnability.treebanks import ConlluFile, Tree

WITHOUT_DEV = 15
"""Iterations where no dev set tells when to stop."""

TOKENS_PER_SECOND, CONVERTER_TOKENS_PER_SECOND = 400_000, 10_000
"""About how fast an iteration is, and the training of the way back to UD; only for estimates."""


@dataclass(frozen=True)
class TrainOptions:
    """Everything the command line says about a training but its files."""

    system: str
    oracle: str | None
    labelled: bool
    transform: tuple[str, ...]
    scheme: str | None
    labels: Literal["external", "keep"] | None
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
        from learnability.parsing.systems import system_named

        options = ParserOptions(
            system=self.system,
            oracle=self.oracle or system_named(self.system).default_regime,
            iterations=self.iterations or (None if dev else WITHOUT_DEV),
            labelled=self.labelled,
            features=self.features,
            tags=self.tags,
            k=self.k,
            p=self.p,
            seed=self.seed,
            multiple_roots=self.multiple_roots,
        )
        options.templates()
        options.regime()
        return options


@click.command(
    name="train", epilog="Example: learnability train TRAIN.conllu -m FILE.model --dev DEV.conllu --labelled"
)
@click.argument("source", metavar="FILE", shell_complete=completion.files)
@click.option(
    "-m",
    "--model",
    required=True,
    metavar="MODEL",
    shell_complete=completion.files,
    help="The model file to write.",
)
@click.option("--dev", metavar="F", help="Development file: tells when to stop, and which iteration to keep.")
@click.option(
    "--system", default="arc-eager", show_default=True, metavar="S", shell_complete=completion.systems,
    help="Transition system.",
)  # fmt: skip
@click.option(
    "--oracle", type=click.Choice(["static", "ambiguity", "explore", "dynamic"]), default=None,
    help="Training regime; default: dynamic (arc-standard: static).",
)  # fmt: skip
@click.option("--labelled", is_flag=True, help="Predict deprels as well.")
@transform_option
@scheme_option
@click.option(
    "--labels", type=click.Choice(["external", "keep"]), default=None,
    help="With --labelled and a scheme: a new head takes the deprel of its construction (external, the "
    "default), or keeps its own.",
)  # fmt: skip
@click.option(
    "--features", type=click.Choice(["zn11", "rich"]), default="zn11", show_default=True,
    help="Feature set.",
)  # fmt: skip
@click.option(
    "--multiref", multiple=True, metavar="NAME", shell_complete=completion.transforms,
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
    with shown_stages("starting", quiet=quiet) as stages:
        from learnability.files import check_writable
        from learnability.parsing.model_file import save_model

        chosen = TrainOptions(**options)
        _check_multiref(chosen, dev)
        if chosen.labels and not (chosen.labelled and chosen.has_scheme):
            raise InputError(f"--labels {chosen.labels}: give --labelled and --transform or --scheme, too")
        if chosen.multiref or chosen.has_scheme:
            from learnability.commands.chosen import check_names

            check_names(chosen.multiref or chosen.transform, chosen.scheme)
        check_input(source)
        check_writable(model)
        parser_options = chosen.parser_options(dev=dev is not None)
        file = read_input(source, multiple_roots=chosen.multiple_roots, stages=stages)
        trees = prepared_trees(file, chosen, quiet)
        attachment = None
        if chosen.multiref:
            parser, told = _train_multiref(trees, file, chosen, parser_options, stages)
        elif chosen.has_scheme:
            parser, told, attachment = _train_scheme(trees, file, dev, chosen, parser_options, stages)
        else:
            parser, told = _train(trees, dev, chosen, parser_options, stages)
        stages.stage("writing the model", expected=1)
        save_model(parser, model, attachment)
    note(f"{model}: {told}", quiet=quiet)


def _check_multiref(chosen: TrainOptions, dev: str | None) -> None:
    """Refuse what does not go with --multiref."""
    if not chosen.multiref:
        return
    if chosen.oracle not in (None, "dynamic"):
        raise click.UsageError(
            "--multiref takes no --oracle but dynamic: it trains by Algorithm 1 on all references"
        )
    if dev:
        raise click.UsageError(
            "--multiref takes no --dev: no annotation is the right one, so UAS on dev cannot tell when "
            "to stop; it runs --iterations N (default: 15)"
        )
    if chosen.has_scheme:
        raise click.UsageError("--multiref trains on UD and its alternatives: no --transform or --scheme")


def prepared_trees(file: ConlluFile, options: TrainOptions, quiet: bool) -> list[Tree]:
    """The training trees, projective ones only where the system needs them; what was done is told."""
    from learnability.parsing.projectivity import is_projective, projectivized
    from learnability.parsing.systems import system_named

    trees = [sentence.tree for sentence in file.sentences]
    if not system_named(options.system).projective:
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
    trees: Sequence[Tree],
    file: ConlluFile,
    dev: str | None,
    chosen: TrainOptions,
    options: ParserOptions,
    stages: Shown,
) -> tuple[Parser, str, Attachment]:
    """A parser of the scheme's trees, and its way back to UD."""
    from learnability.commands.chosen import file_conventions
    from learnability.experiments.stored_conversion import Definition, trained_conversion

    definition, conventions = Definition.of(chosen.transform, chosen.scheme), file_conventions(file)
    rule = definition.transformation(conventions)
    sites = sum(len(rule.sites(tree)) for tree in trees)
    labels = (chosen.labels or "external") if options.labelled else "keep"

    def rewritten(tree: Tree) -> Tree:
        return rule.apply(tree, labels=labels)

    after = [rewritten(tree) for tree in stages.each(trees, "transforming")]
    parser, told = _train(after, dev, chosen, options, stages, rewritten)
    stages.stage("training the conversion to UD", expected=sum(map(len, trees)) / CONVERTER_TOKENS_PER_SECOND)
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
    stages: Shown,
    rewritten: Callable[[Tree], Tree] = lambda tree: tree,
) -> tuple[Parser, str]:
    """A parser of `trees`; those of the development file are `rewritten` likewise."""
    from learnability.parsing.parser import train_parser

    held_out = None
    if dev is not None:
        file = read_input(dev, multiple_roots=chosen.multiple_roots, stages=stages)
        held_out = [rewritten(sentence.tree) for sentence in file.sentences]
        if not held_out:
            raise InputError(f"{dev}: no sentences; give a development file with sentences")
    _warm_up(options, stages)
    training = train_parser(trees, options, held_out, _told(trees, options, stages))
    told = f"{training.features} features, {counted(training.iterations, 'iteration')}"
    if training.dev_uas:
        best = training.best_iteration
        told += f", kept iteration {best} with dev UAS {training.dev_uas[best - 1]:.2f}"
    return training.parser, f"{told}, {training.seconds:.1f} s"


def _train_multiref(
    trees: Sequence[Tree], file: ConlluFile, chosen: TrainOptions, options: ParserOptions, stages: Shown
) -> tuple[Parser, str]:
    from learnability.commands.chosen import chosen_transformation, file_conventions
    from learnability.multiref.arrays import encode_references, label_names
    from learnability.multiref.references import reference_set
    from learnability.multiref.training import survival_shares, train_on_references

    transformation = chosen_transformation(chosen.multiref, None, file_conventions(file))
    corpus = options.encode(trees)
    labels: Literal["external"] | None = "external" if options.labelled else None
    sets = [
        reference_set(tree, transformation, max_options=chosen.max_options, labels=labels)
        for tree in stages.each(trees, "references")
    ]
    names = label_names(sets) if labels else []
    references, table = encode_references(corpus, sets, names)
    iterations = options.iterations or WITHOUT_DEV
    _warm_up(options, stages, multiref=True)
    told_of = _told(trees, replace(options, iterations=iterations), stages)
    training = train_on_references(corpus, references, table, options, iterations, told_of, labels=names)
    shares = survival_shares(table, training.survival[-1])
    told = f"{training.features} features, {counted(training.iterations, 'iteration')}"
    told += (
        f", {len(table.token)} sites; of {shares.sentences} sentences with sites, "
        f"{100 * shares.original_share:.1f} % commit to the original annotation, "
        f"{100 * shares.transformed_share:.1f} % to the transformed one"
        if shares.sentences
        else "; no sites"
    )
    if table.factors_cut:
        told += f"; {table.factors_cut} factors cut to two options"
    return training.parser, f"{told}; {training.seconds:.1f} s"


def _warm_up(options: ParserOptions, stages: Shown, *, multiref: bool = False) -> None:
    """The stage in which kernels are loaded, or compiled."""
    from learnability.experiments.progress import kernels_stage
    from learnability.experiments.runner import warm_up_multiref
    from learnability.parsing.warm_up import warm_up_parser

    with kernels_stage(stages, [options.system]):
        if multiref:
            warm_up_multiref(options, "external" if options.labelled else None)
        else:
            warm_up_parser(options)


def _told(trees: Sequence[Tree], options: ParserOptions, stages: Shown) -> Progress:
    """The stage of the training itself, and who tells it of each iteration."""
    from learnability.parsing.trainer import MAX_ITERATIONS

    most = options.iterations or MAX_ITERATIONS
    tokens = sum(map(len, trees))
    what = f"training {options.system} on {len(trees):,} sentences"
    stages.stage(what, most, expected=most * tokens / TOKENS_PER_SECOND)
    stages.advance(0, count=f"0/{most} iterations")

    def told(done: Iteration) -> None:
        uas = "" if done.dev_uas is None else f", dev UAS {done.dev_uas:.2f}"
        speed = f"{done.tokens_per_second / 1000:,.0f}k tokens/s"
        stages.advance(count=f"{done.number}/{most} iterations{uas}", speed=speed)

    return told
