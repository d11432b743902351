"""What a judge of annotations is: a parser that learns from trees, and then parses sentences.

A judge knows nothing of conditions: it gets training and development trees of one annotation, and later
sentences whose heads and deprels it must not look at. It sees forms and the tags of `Setup.tags`, and labels
where the run is labelled. Whatever it answers is scored as trees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from learnability.errors import InputError, RunError
from learnability.treebanks.conllu_io import find_cycle, other_words
from learnability.treebanks.sentence import Tree

if TYPE_CHECKING:
    from learnability.parsing.encoding import Encode
    from learnability.parsing.parser_options import ParserOptions


USUAL_JUDGE = "arc-eager"
"""The judge of a run that was given none."""


@dataclass(frozen=True)
class Setup:
    """What all judges of a run are told alike.

    Attributes:
        labelled: whether deprels are learned and scored, too.
        tags: the tags that a judge may see: gold (UPOS), xpos or none.
        iterations: exactly so many; None: as many as the judge makes by itself.
        multiple_roots: leave several root words in the output.
        logs: the folder where the log of a command that fails is kept; None: that of temporary files.
    """

    labelled: bool = False
    tags: str = "gold"
    iterations: int | None = None
    multiple_roots: bool = False
    logs: Path | None = None


@dataclass(frozen=True)
class TrainedParser:
    """A parser that has learned one annotation, and how its training went.

    Attributes:
        parse: the sentences with predicted trees; their own heads and deprels are not looked at. RunError,
            in one line, where it cannot parse them.
        iterations: how many were run; 0 where unknown.
        seconds: wall time of the training.
        best_iteration: the one that is used; 0 where unknown.
        dev_uas: percent, per iteration; empty where unknown.
        features: features with weights; None where unknown.
    """

    parse: Callable[[Sequence[Tree]], Sequence[Tree]]
    iterations: int
    seconds: float
    best_iteration: int = 0
    dev_uas: list[float] = field(default_factory=list)
    features: int | None = None


class Judge(Protocol):
    """A parser with its options, ready to be trained.

    `projective`: whether its training trees have to be projective (they are then lifted or dropped, as
    ``--nonprojective`` says); the others get the trees as they are. `threads`: how many processors one
    training takes.
    """

    @property
    def projective(self) -> bool: ...  # noqa: D102
    @property
    def threads(self) -> int: ...  # noqa: D102

    def train(self, trees: Sequence[Tree], dev: Sequence[Tree], seed: int) -> TrainedParser:
        """A parser trained on `trees`; `dev` tells when to stop. RunError, in one line, where that fails."""


@dataclass(frozen=True)
class EncodingJudge:
    """A judge of our own that reads sentences by an encoding, which may know sentences that come again.

    Attributes:
        options: of the parser; the seed is replaced by that of each training.
        encode: encodes sentences.
    """

    options: ParserOptions
    encode: Encode


@dataclass(frozen=True)
class JudgeKind:
    """A kind of judge, as the registry and entry points know it.

    Attributes:
        name: what is written after ``--judge``.
        description: one sentence.
        make: the judge of a run, from its setup and the options that were written.
        seconds: processor seconds that a training takes on 1,000 tokens, roughly: unlabelled and labelled.
        options: the values of each option, the first of which is the default. A value tells its option:
            ``arc-eager:explore``.
        modules: what has to be installed.
        extra: the extra of this package that brings it, ``learnability[EXTRA]``.
        sha256: of what the file that defines it says of training and parsing; empty where none does.
        compiled: whether it has kernels of ours, which are compiled once before workers start.
        seed_ratio: how much its scores change when it is trained again, as a ratio to the chance of the test
            sentences (`statistics.significance.SEED_RATIO`); of a parser for which it was not measured, 1.
        memory: returns about how many bytes a training takes whose longest sentence has so many words; None
            where long sentences take little more than short ones.
    """

    name: str
    description: str
    make: Callable[[Setup, Mapping[str, str]], Judge]
    seconds: tuple[float, float]
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    modules: tuple[str, ...] = ()
    extra: str = ""
    sha256: str = ""
    compiled: bool = False
    seed_ratio: float = 1.0
    memory: Callable[[int], int] | None = None

    @property
    def installed(self) -> bool:
        """Whether it can be asked for."""
        try:
            return all(find_spec(module) for module in self.modules)
        except ModuleNotFoundError:  # the package that a module is part of
            return False

    @property
    def install(self) -> str:
        """The command that installs it."""
        what = f"learnability[{self.extra}]" if self.extra else " ".join(self.modules)
        return f"pip install '{what}'"

    def check_installed(self) -> None:
        """InputError, with the command that installs it, if it is not."""
        if not self.installed:
            raise InputError(f"judge {self.name} is not installed; {self.install}")


@dataclass(frozen=True)
class NamedJudge:
    """A judge as it is asked for: its kind, and a value for each of its options.

    Attributes:
        kind: which parser it is; judges with the same spelling and values are equal.
        spelling: as it is written, in one way only; the path of a file as it was given.
        values: of all options, by name.
        sha256: of what the file says that defines it.
    """

    kind: JudgeKind = field(compare=False)
    spelling: str
    values: tuple[tuple[str, str], ...] = ()
    sha256: str = ""

    @property
    def title(self) -> str:
        """As results name it: with the values that are not the default, in the order of the options."""
        written = [value for option, value in self.values if value != self.kind.options[option][0]]
        return f"{self.kind.name}:{','.join(written)}" if written else self.kind.name

    def judge(self, setup: Setup) -> Judge:
        """The judge of a run; InputError if it is not installed."""
        self.kind.check_installed()
        return self.kind.make(setup, dict(self.values))


def check_parses(judge: str, sentences: Sequence[Tree], parses: Sequence[Tree]) -> None:
    """RunError, in one line, unless `parses` are a tree (of one root word or several) for each sentence."""
    if len(parses) != len(sentences):
        raise RunError(f"judge {judge}: {len(parses)} sentences for {len(sentences)}")
    for number, (sentence, parse) in enumerate(zip(sentences, parses, strict=True), start=1):
        n, problem = len(sentence), other_words(sentence, parse)
        if problem or not len(parse.heads) == len(parse.deprels) == n:
            problem = problem or f"{len(parse.heads)} heads and {len(parse.deprels)} deprels for {n} words"
        elif not all(0 <= head <= n for head in parse.heads):
            problem = f"a head that is none of its {n} words"
        elif word := find_cycle(parse.heads):
            problem = f"a cycle through word {word}"
        if problem:
            raise RunError(f"judge {judge}: sentence {number} of {len(sentences)}: {problem}")
