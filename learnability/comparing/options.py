"""Declare every option of an experiment and its default, once for commands, API and records.

Commands derive their options and help from these fields, so only the methods import heavy modules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from learnability.comparing.annotation import Annotation
from learnability.comparing.ud import UD
from learnability.errors import InputError, without_marks
from learnability.parsing.parser_options import ParserOptions
from learnability.parsing.templates import TAGS
from learnability.running.config import RunConfig
from learnability.support.options import check_values, option, same, shared
from learnability.support.values import JsonObject
from learnability.treebanks.sentence import FEWEST_FOLDS, MOST_FOLDS

if TYPE_CHECKING:
    from learnability.parsers.trainer import NamedParser
    from learnability.treebanks.conllu_io import Reading
    from learnability.treebanks.locate import TreebankFiles

RELEASED = "released"
"""`DataOptions.splits` that leaves a treebank as it was released."""

PREDICTED = "predicted"
"""`ExperimentOptions.tags` with which our tagger predicts UPOS."""

MOST_SEEDS = 1000
"""The most trainings of a parser."""

MOST_OPTIONS = 1 << 20
"""The most trees of a group of places."""

SPLITS_OF_MANY = "dev"
"""`DataOptions.splits` of a run over all treebanks, which uses every one it can."""


def default_oracle(system: str) -> str:
    """Return the default training regime of a system."""
    from learnability.parsing.systems import system_named

    return system_named(system).default_regime


def splits_policy(typed: str) -> str:
    """Return the typed text; raise an InputError if it is no policy of :func:`~learnability.load_folds`."""
    from learnability.treebanks.splits import NO_SHARES, split_shares

    if typed not in NO_SHARES:
        split_shares(typed)
    return typed


@dataclass(frozen=True)
class DataOptions:
    """Hold the sets to train and test on where a treebank lacks one (docs/rules.md, Treebanks and splits)."""

    PANEL: ClassVar[str] = "Treebank"

    splits: str = option(
        RELEASED, "What to do if a treebank has no training set. released: refuse it; dev: train on 90 % of "
        "its development set; cut, or N:N:N: cut all sentences into sets of 80:10:10, or of these shares.",
        metavar="released|dev|cut|N:N:N", parse=splits_policy, completes="splits",
    )  # fmt: skip
    cross_validate: int | None = option(
        None, "Cut the whole treebank into K folds, and test every sentence.", metavar="K",
        least=FEWEST_FOLDS, most=MOST_FOLDS,
    )  # fmt: skip
    multiple_roots: bool = option(False, "Accept sentences with several roots.")
    skip_incomplete: bool = option(False, "Leave out sentences in which the HEAD of a word is not given.")

    @property
    def reading(self) -> Reading:
        return {"multiple_roots": self.multiple_roots, "skip_incomplete": self.skip_incomplete}

    def check(self, treebanks: Sequence[TreebankFiles]) -> None:
        """Refuse a value of `splits` that is unknown or changes none of the treebanks.

        Args:
            treebanks: the files of each treebank.

        Raises:
            InputError: the value is unknown or has no effect.
        """
        if self.splits == RELEASED:
            return
        splits_policy(self.splits)
        if self.cross_validate is not None:
            raise InputError(
                f"`splits={self.splits!r}` has no effect beside `cross_validate={self.cross_validate}`, "
                "which cuts the whole treebank; leave out one of them"
            )
        if all(files.holds("train") and files.holds("test") for files in treebanks):
            name = treebanks[0].name if len(treebanks) == 1 else "each treebank"
            raise InputError(
                f"{name} has a training and a test set, so `splits={self.splits!r}` has no effect",
                ["no `splits`", "`cross_validate=10` to test on every sentence"],
            )


@dataclass(frozen=True)
class TreebankSelection:
    """Hold the treebank that the caller names, before anything is read; explicit files replace its files."""

    PANEL: ClassVar[str] = "Treebank"

    treebank: str | None = option(
        None, "Treebank: a name, a folder, a training file, or demo.", metavar="T", completes="treebanks"
    )
    ud_home: str | None = option(
        None,
        "Folder with treebanks, which are found by name; or several, with colons between them.",
        metavar="DIR[:DIR]",
    )
    release: str | None = option(None, "UD release, for example 1.3; default: the newest.", metavar="R")
    splits: str = same(DataOptions, "splits")
    cross_validate: int | None = same(DataOptions, "cross_validate")
    train: tuple[str, ...] = option(
        (), "Train on this file instead of the treebank's.", metavar="F", multiple=True
    )
    dev: tuple[str, ...] = option(
        (), "Use this development file instead of the treebank's.", metavar="F", multiple=True
    )
    test: tuple[str, ...] = option(
        (), "Test on this file instead of the treebank's.", metavar="F", multiple=True
    )
    multiple_roots: bool = same(DataOptions, "multiple_roots")
    skip_incomplete: bool = same(DataOptions, "skip_incomplete")

    @property
    def is_named(self) -> bool:
        return bool(self.treebank or self.train or self.dev or self.test)

    @property
    def data(self) -> DataOptions:
        return DataOptions(**shared(DataOptions, self))

    def files(self) -> TreebankFiles:
        """Return the files of the treebank; InputError if none was named, or it does not exist."""
        from learnability.treebanks.locate import explicit_files, locate_treebank
        from learnability.treebanks.releases import plain_release

        if not self.is_named:
            raise InputError("no treebank is named", ["`treebank`", "`train`, `dev` and `test` files"])
        files = None
        if self.treebank:
            files = locate_treebank(self.treebank, ud_home=self.ud_home, release=self.release)
        if files is None or self.train or self.dev or self.test:
            files = explicit_files(files, train=self.train, dev=self.dev, test=self.test)
            files = replace(files, release=plain_release(self.release or files.release))
        return files

    def find_releases(self) -> set[str]:
        """Return the releases in which the folders have the treebank; empty where one tells no release."""
        from learnability.treebanks.locate import list_treebanks

        return {files.release for files in list_treebanks(self.ud_home) if files.name == self.treebank}

    @classmethod
    def find_selections(cls, named: TreebankSelection, options: Any) -> Sequence[TreebankSelection]:
        return [named]


@dataclass(frozen=True)
class ComparedTreebanks(TreebankSelection):
    """Represent a treebank, and another annotation of its sentences."""

    alternative: str | None = option(
        None, "Compare with this annotation of the same sentences: a name (NAME@2.16 in another release, "
        "@2.16 for the same treebank), a folder, or a file. Its sets do not matter.",
        metavar="T[@RELEASE]", completes="treebanks",
    )  # fmt: skip

    def files(self) -> TreebankFiles:
        """Locate the files of both treebanks; raise an InputError if a name is missing or unknown."""
        from learnability.treebanks.locate import A_FILE, locate_treebank

        files = super().files()
        if self.alternative is None:
            return files
        name, release = name_and_release(self.alternative)
        name = name or (self.treebank if release else None) or ""
        if not name:
            raise InputError(
                f"`alternative={self.alternative!r}` names no treebank; use the name of the "
                "alternative, or `treebank` with a "
                "release, for example @2.16"
            )
        other = locate_treebank(name, ud_home=self.ud_home, release=release, otherwise=A_FILE)
        return replace(files, alternative=other)


def name_and_release(text: str) -> tuple[str, str | None]:
    """Return the two parts of ``NAME@RELEASE``, of which either may be missing; a path may hold an ``@``."""
    match = re.fullmatch(r"(.*)@[rv]?(\d+(?:\.\d+)*)", text)
    return (match[1], match[2]) if match else (text, None)


@dataclass(frozen=True)
class ExperimentOptions:
    """Hold everything besides the treebanks that determines the results.

    Attributes:
        alternatives: setting (b), what is compared with `against`, in the order of the rows.
        data: the sets to train and test on if a treebank lacks one.
        seeds: how many seeds; they are 1, 2, ...
        labels: None for unlabelled parsers; else how transformed trees are labelled (docs/rules.md, Labels).
        trees: records keep test sentences that a report can draw (`scoring.examples_of`).
        against: setting (a): UD, or another annotation.
        parsers: the parsers that are trained (`comparing.run_parsers`); their names are resolved.
    """

    PANEL: ClassVar[str] = "Training"

    alternatives: tuple[Annotation, ...]
    seeds: int = option(
        3,
        "Train each parser this many times, with different random numbers. Fewer trainings take less "
        "time and show fewer differences.",
        metavar="N",
        least=1,
        most=MOST_SEEDS,
    )
    iterations: int | None = same(
        ParserOptions, "iterations",
        help="Iterations over the training set. auto: at most 15; training stops when UAS on the "
        "development set "
        "has not improved for 3.",
    )  # fmt: skip
    tags: str = same(
        ParserOptions, "tags", choices=(*TAGS, PREDICTED),
        help="The tags the parser sees: gold UPOS or XPOS, none, UPOS predicted by a tagger that is "
        "trained on the training set, or only gold UPOS and no words.",
    )  # fmt: skip
    nonprojective: str = option(
        "lift", "Non-projective training trees under a projective system.",
        choices=("lift", "drop"),
    )  # fmt: skip
    max_options: int = option(
        4096, "Largest number of trees for a group of linked places. A larger group keeps two trees: "
            "all UD and all alternative.",
        metavar="N", least=2, most=MOST_OPTIONS,
    )  # fmt: skip
    labels: Literal["external", "keep"] | None = option(
        None, "Train parsers that predict deprels as well, for LAS. Deprels of the alternative: a new head "
        "takes the relation of its construction (external, the default: parsers learn more from it), or "
        "every token keeps its deprel (keep).", flags=("--labelled",), choices=("external", "keep"),
        flag_value="external",
    )  # fmt: skip
    trees: bool = False
    against: Annotation = option(
        UD, "Compare with this scheme or construction instead of UD.", metavar="S", typed=None
    )
    parsers: tuple[NamedParser, ...] = option(
        (), "Parser to train instead of arc-eager: easy-first, arc-eager:explore, udpipe, a TOML file; "
        "repeatable, so --parser arc-eager --parser udpipe trains both. See `learnability list parsers`.",
        flags=("--parser",), multiple=True, metavar="J", completes="parsers",
    )  # fmt: skip
    data: DataOptions = field(default_factory=DataOptions)

    def __post_init__(self) -> None:
        from learnability.parsers.registry import parser_named
        from learnability.parsers.trainer import USUAL_PARSER, NamedParser

        names = self.parsers or (USUAL_PARSER,)
        parsers = [name if isinstance(name, NamedParser) else parser_named(name) for name in names]
        object.__setattr__(self, "parsers", tuple(dict.fromkeys(parsers)))

    @classmethod
    def spell_annotations(
        cls, alternatives: Iterable[str], against: str = UD.spelling, **others: Any
    ) -> ExperimentOptions:
        """Return the options with annotations by their spellings in records and config.json.

        Args:
            alternatives: spellings of the alternatives.
            against: spelling of the original.
            others: other fields.

        Raises:
            InputError: there is no such annotation, or it no longer exists.
        """
        from learnability.comparing.names import annotation_spelled

        return cls(
            tuple(map(annotation_spelled, alternatives)), against=annotation_spelled(against), **others
        )

    @classmethod
    def of_config(cls, config: RunConfig) -> ExperimentOptions:
        """Return the options of a run by its config.json.

        Args:
            config: of the run.

        Raises:
            InputError: they are not those of this version.
        """
        try:
            values = dict(config.options)
            data = dict(values.pop("data"))
            return cls.spell_annotations(
                values.pop("alternatives"),
                parsers=tuple(values.pop("parsers")),
                **values,
                data=DataOptions(**data),
            )
        except (KeyError, TypeError) as error:
            raise InputError(
                f"the options in config.json are not those of this version ({without_marks(error)}); run the "
                "command again"
            ) from None

    @property
    def predicts_tags(self) -> bool:
        """Return whether our tagger predicts the tags that parsers see."""
        return self.tags == PREDICTED

    @property
    def tag_column(self) -> str:
        """Return the option `tags` of parsers: predicted tags take the place of gold UPOS."""
        return "gold" if self.predicts_tags else self.tags

    def with_parser(self, spelling: str) -> ExperimentOptions:
        """Return the options with one parser alone.

        Args:
            spelling: a name, with its options after a colon.
        """
        return replace(self, parsers=(self.parser(spelling),))

    def parser(self, spelling: str) -> NamedParser:
        """Return the parser of this spelling.

        Args:
            spelling: a name, with its options after a colon.
        """
        return next(parser for parser in self.parsers if parser.spelling == spelling)

    def as_json(self) -> JsonObject:
        """Return a JSON-serialisable dictionary of the fields; annotations and parsers by their spellings."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {
            "alternatives": [annotation.spelling for annotation in self.alternatives],
            "against": self.against.spelling,
            "parsers": [parser.spelling for parser in self.parsers],
            "data": asdict(self.data),
        }

    def check(self) -> None:
        """Refuse values that do not exist, with an InputError."""
        check_values(self)
        check_values(self.data)
