"""Define the interface of parsers: parsers that learn an annotation from trees and then parse sentences.

A parser does not depend on pairs. It receives training and development trees of one annotation, and
later sentences whose heads and deprels it must ignore. It sees forms and the tags of `Setup.tags`, and labels
where the run is labelled. Its answers are scored as trees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from learnability.errors import InputError, RunError
from learnability.support.extras import are_installed, install_command, packages_of
from learnability.support.nouns import count_noun
from learnability.treebanks.sentence import Tree, find_cycle, other_words

if TYPE_CHECKING:
    from learnability.parsing.encoding import Encode
    from learnability.parsing.parser_options import ParserOptions
    from learnability.parsing.transition_margins import TransitionMargins


USUAL_PARSER = "arc-eager"
"""The default parser of a run."""


@dataclass(frozen=True)
class Setup:
    """Hold the settings that all parsers of a run share.

    Attributes:
        labelled: whether deprels are learned and scored, too.
        tags: the tags that a parser may see: gold (UPOS), xpos or none.
        iterations: the exact number of iterations; None: the parser decides.
        multiple_roots: allow several root words in a parse.
        logs: the folder for the log of a command that fails; None: the folder of temporary files.
    """

    labelled: bool = False
    tags: str = "gold"
    iterations: int | None = None
    multiple_roots: bool = False
    logs: Path | None = None


@dataclass(frozen=True)
class TrainedParser:
    """Represent a parser that has learned one annotation, and how its training went.

    Attributes:
        parse: returns the sentences with predicted trees and ignores their heads and deprels; raises
            RunError, in one line, where it cannot parse them.
        iterations: the number of iterations that were run; 0 if unknown.
        seconds: wall time of the training.
        best_iteration: the iteration that is used; 0 if unknown.
        dev_uas: UAS on the development set in percent, per iteration; empty if unknown.
        features: the number of features with weights; None if unknown.
        margins: returns how the parser sees trees; None if it cannot say.
    """

    parse: Callable[[Sequence[Tree]], Sequence[Tree]]
    iterations: int
    seconds: float
    best_iteration: int = 0
    dev_uas: list[float] = field(default_factory=list)
    features: int | None = None
    margins: Callable[[Sequence[Tree]], TransitionMargins] | None = None


class Trainer(Protocol):
    """Represent a parser with its options, ready to be trained.

    Attributes:
        projective: whether its training trees must be projective. They are then lifted or dropped, as
            ``--nonprojective`` says; other parsers get the trees unchanged.
        threads: the number of processors that a training uses.
    """

    @property
    def projective(self) -> bool: ...
    @property
    def threads(self) -> int: ...

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TrainedParser:
        """Train the parser; `dev` decides when to stop.

        Raises:
            RunError: training failed; the message is one line.
        """


@dataclass(frozen=True)
class EncodingTrainer:
    """Represent a parser of this package; the encoder may cache, and each training replaces the seed."""

    options: ParserOptions
    encode: Encode


USUAL_ITERATIONS = 12
"""The iterations after which trainings mostly stop."""


@dataclass(frozen=True)
class ParserKind:
    """Represent a kind of parser, as the registry and entry points know it.

    Attributes:
        name: its name after ``--parser``.
        description: one sentence.
        make: returns the parser of a run, from its setup and the options that the user wrote.
        seconds: rough processor seconds of a training on 1,000 tokens of a large treebank, unlabelled and
            labelled.
        options: the values of each option, the default first. A value identifies its option:
            ``arc-eager:explore``.
        modules: the Python modules that it needs.
        extra: the extra of this package that installs them (`support.extras`).
        sha256: the SHA-256 of the commands in the file that defines it; empty without a file.
        compiled: whether it has kernels, which are compiled once before workers start.
        seed_ratio: how much its scores change between trainings, relative to the chance of the test sentences
            (`statistics.spread.SEED_RATIO`); 1 for a parser for which it was not measured.
    """

    name: str
    description: str
    make: Callable[[Setup, Mapping[str, str]], Trainer]
    seconds: tuple[float, float]
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    modules: tuple[str, ...] = ()
    extra: str = ""
    sha256: str = ""
    compiled: bool = False
    seed_ratio: float = 1.0

    def values(self, written: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Return the value of every option by name: the written one, or the default."""
        defaults = {name: values[0] for name, values in self.options.items()}
        return tuple((defaults | dict(written)).items())

    def spell_name(self, values: Mapping[str, str]) -> str:
        """Return the name with the values that are not defaults, in the order of the options."""
        items = [values[name] for name, choices in self.options.items() if values[name] != choices[0]]
        return f"{self.name}:{','.join(items)}" if items else self.name

    def estimated_seconds(self, tokens: int, *, labelled: bool, iterations: int | None) -> float:
        """Return the rough processor seconds of a training; None for `iterations`: the parser decides."""
        return tokens / 1000 * self.seconds[labelled] * (iterations or USUAL_ITERATIONS) / USUAL_ITERATIONS

    @property
    def installed(self) -> bool:
        return are_installed(self.modules)

    @property
    def needs(self) -> tuple[str, ...]:
        return tuple(packages_of(self.extra)) or self.modules

    def check_installed(self) -> None:
        """Raise an InputError with the command that installs it, unless it is installed."""
        if not self.installed:
            raise InputError(f"parser {self.name} is not installed; run {install_command(self.needs)}")


@dataclass(frozen=True)
class NamedParser:
    """Represent a parser as the user requested it: its kind, and a value for each of its options.

    Attributes:
        kind: its kind; parsers with the same spelling and values are equal.
        spelling: its unique name with options; for a file, the path that the user wrote.
        values: of all options, by name.
        sha256: the SHA-256 of the commands in the file that defines it; empty without a file.
    """

    kind: ParserKind = field(compare=False)
    spelling: str
    values: tuple[tuple[str, str], ...] = ()
    sha256: str = ""

    @property
    def title(self) -> str:
        """Return the name in results: with the values that are not defaults."""
        return self.kind.spell_name(dict(self.values)) if self.values else self.kind.name

    def trainer(self, setup: Setup) -> Trainer:
        """Return the parser of a run; InputError if it is not installed."""
        self.kind.check_installed()
        return self.kind.make(setup, dict(self.values))


def check_parses(parser: str, sentences: Sequence[Tree], parses: Sequence[Tree]) -> None:
    """Check that `parses` has a tree, with a single root word or several, for each sentence.

    Raises:
        RunError: there is a missing sentence, another word, a head outside the sentence or a cycle; the
            message is one line.
    """
    if len(parses) != len(sentences):
        raise RunError(
            f"parser {parser} wrote {count_noun(len(parses), 'parse')} for "
            f"{count_noun(len(sentences), 'sentence')}; it must write one "
            "parse per sentence"
        )
    for number, (sentence, parse) in enumerate(zip(sentences, parses, strict=True), start=1):
        n, problem = len(sentence), other_words(sentence, parse)
        if problem or not len(parse.heads) == len(parse.deprels) == n:
            columns = f"{count_noun(len(parse.heads), 'head')} and {count_noun(len(parse.deprels), 'deprel')}"
            problem = problem or f"it has {columns} for {count_noun(n, 'word')}"
        elif not all(0 <= head <= n for head in parse.heads):
            problem = f"a head lies outside the sentence of {count_noun(n, 'word')}"
        elif word := find_cycle(parse.heads):
            problem = f"the heads form a cycle through word {word}"
        if problem:
            raise RunError(f"parser {parser}: sentence {number} of {len(sentences)}: {problem}")
