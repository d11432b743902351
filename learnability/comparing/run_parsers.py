"""Choose which parser of a run is trained on which annotation.

Every parser of `ExperimentOptions.parsers` trains settings (a) and (b). Training against sets of references
is for transition systems with a dynamic oracle: the first parser of that kind does it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from learnability.errors import InputError
from learnability.parsers.trainer import EncodingTrainer, NamedParser, Setup, Trainer
from learnability.parsing.parser_options import ParserOptions
from learnability.parsing.systems import SYSTEMS, system_named
from learnability.parsing.templates import OF_EXPERIMENTS
from learnability.running.config import ParserDesign
from learnability.statistics.spread import SEED_RATIO

if TYPE_CHECKING:
    from learnability.comparing.options import ExperimentOptions


def multiref_parser(options: ExperimentOptions) -> str | None:
    """Return the parser that is also trained against sets of references, None if none can be."""
    for parser in options.parsers:
        if parser.kind.name in SYSTEMS and not system_named(parser.kind.name).unknown_costs:
            return parser.spelling
    return None


def trainer_of(options: ExperimentOptions) -> Trainer:
    """Return the parser of options that have only one; InputError if it is not installed or cannot do
    that."""
    (parser,) = options.parsers
    setup = Setup(
        labelled=options.labels is not None,
        tags=options.tag_column,
        iterations=options.iterations,
        multiple_roots=options.data.multiple_roots,
    )
    return parser.trainer(setup)


def parser_files(options: ExperimentOptions) -> dict[str, str]:
    return {parser.spelling: parser.sha256 for parser in options.parsers if parser.sha256}


def design_parser(parser: NamedParser, *, predicts_tags: bool = False) -> ParserDesign:
    """Return what a run keeps of a parser; predicted tags change with the seed, whatever the parser."""
    ratio = max(parser.kind.seed_ratio, SEED_RATIO) if predicts_tags else parser.kind.seed_ratio
    return ParserDesign(parser.spelling, parser.title, ratio, seconds=parser.kind.seconds[0])


def parser_options_of(parser: Trainer, tags: str) -> ParserOptions:
    """Return the options with which sentences are encoded for a parser: its own, if it is one of ours; else
    those of the conversion to UD."""
    if isinstance(parser, EncodingTrainer):
        return parser.options
    return ParserOptions(tags=tags, features=OF_EXPERIMENTS)


def check_parsers(options: ExperimentOptions) -> None:
    """Refuse, with an InputError, parsers that are not installed or cannot do that, and two of one name."""
    for parser in options.parsers:
        parser.kind.check_installed()
        trainer_of(replace(options, parsers=(parser,)))
    titles = Counter(parser.title for parser in options.parsers)
    for title, count in titles.items():
        if count > 1:
            raise InputError(f"two of `parsers` are called {title}; rename one of them")
