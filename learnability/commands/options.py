"""Options that several commands share, as decorators, and what they mean."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import rich_click as click

from learnability.commands import completion
from learnability.errors import InputError

if TYPE_CHECKING:
    from learnability.treebanks import Treebank, TreebankFiles

MissingTrain = Literal["error", "dev", "split", "fold"]
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class TreebankSelection:
    """What the treebank options say, before anything is read.

    Attributes:
        treebank: name, folder or training file; None where explicit files are given.
        ud_home, release: where names are looked for, and in which UD release.
        missing_train, split, folds: what to do where splits are missing (design section 4).
        train, dev, test: explicit files, replacing those of the treebank.
        multiple_roots: accept sentences with several roots.
    """

    treebank: str | None = None
    ud_home: str | None = None
    release: str | None = None
    missing_train: MissingTrain = "error"
    split: tuple[int, int, int] = (80, 10, 10)
    folds: int = 10
    train: tuple[str, ...] = ()
    dev: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    multiple_roots: bool = False

    @property
    def given(self) -> bool:
        """Whether any treebank or file was named."""
        return bool(self.treebank or self.train or self.dev or self.test)

    def files(self) -> TreebankFiles:
        """Where the treebank's files are.

        Raises:
            InputError: nothing was named, or it does not exist.
        """
        from dataclasses import replace

        from learnability.treebanks import explicit_files, locate_treebank

        if not self.given:
            raise InputError("no treebank given; give --treebank, or --train, --dev and --test files")
        base = None
        if self.treebank:
            base = locate_treebank(self.treebank, ud_home=self.ud_home, release=self.release)
        if self.train or self.dev or self.test:
            base = explicit_files(base, train=self.train, dev=self.dev, test=self.test)
            base = replace(base, release=(self.release or base.release).lstrip("rvRV"))
        assert base is not None
        return base

    def load(self) -> tuple[Treebank, ...]:
        """The treebank with train, dev and test: one element, or one per fold.

        Raises:
            InputError: not found, malformed, or a split is missing and the policy is `error`.
        """
        from learnability.treebanks import load_folds

        return load_folds(
            self.files(),
            missing_train=self.missing_train,
            split=self.split,
            folds=self.folds,
            multiple_roots=self.multiple_roots,
        )


def split_shares(value: Any) -> tuple[int, int, int]:
    """The three numbers of ``A:B:C``; click's usage error for anything else."""
    if isinstance(value, tuple):
        return value
    parts = str(value).split(":")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
        raise click.BadParameter(f"{value!r} is not of the form A:B:C, for example 80:10:10")
    a, b, c = map(int, parts)
    return a, b, c


def iterations_or_auto(value: Any) -> int | None:
    """A positive number, or None for ``auto``; click's usage error for anything else."""
    if value is None or isinstance(value, int):
        return value
    if value == "auto":
        return None
    if not (value.isascii() and value.isdigit() and int(value) > 0):
        raise click.BadParameter(f"{value!r} is neither a positive number nor auto")
    return int(value)


def packed(function: Function, parameter: str, kind: type[Any]) -> Function:
    """`function` called with the fields of the dataclass `kind` gathered into one `parameter`."""

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        fields = {name: options.pop(name) for name in kind.__dataclass_fields__ if name in options}
        return function(*args, **{parameter: kind(**fields)}, **options)

    return call  # type: ignore[return-value]


def treebank_options(
    *, made_up_splits: bool = True, missing_train: MissingTrain = "error"
) -> Callable[[Function], Function]:
    """Add the treebank options; the command gets them as one :class:`TreebankSelection`, `selection`.

    made_up_splits: offer --missing-train (with the default `missing_train`), --split and --folds.
    """
    options = [
        click.option(
            "--treebank",
            metavar="T",
            shell_complete=completion.treebanks,
            help="Treebank: a name, a folder, a training file, or demo.",
        ),
        click.option("--ud-home", metavar="DIR", help="Folder with treebanks; names are looked for here."),
        click.option("--release", metavar="R", help="UD release, for example 1.3; default: the newest."),
        click.option("--train", multiple=True, metavar="F", help="Training file(s), not the treebank's."),
        click.option("--dev", multiple=True, metavar="F", help="Development file(s), not the treebank's."),
        click.option("--test", multiple=True, metavar="F", help="Test file(s), not the treebank's."),
        multiple_roots_option,
    ]
    if made_up_splits:
        options[3:3] = [
            click.option(
                "--missing-train",
                type=click.Choice(["error", "dev", "split", "fold"]),
                default=missing_train,
                show_default=True,
                help="What to do where a treebank has no training split.",
            ),
            click.option(
                "--split", type=split_shares, default="80:10:10", show_default=True, metavar="A:B:C",
                help="Shares of train, dev and test for --missing-train split.",
            ),
            click.option(
                "--folds", type=int, default=10, show_default=True, metavar="K",
                help="Number of folds for --missing-train fold.",
            ),
        ]  # fmt: skip

    def decorate(function: Function) -> Function:
        function = packed(function, "selection", TreebankSelection)
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def multiple_roots_option(function: Function) -> Function:
    """--multiple-roots."""
    return click.option("--multiple-roots", is_flag=True, help="Accept sentences with several roots.")(
        function
    )


def json_option(function: Function) -> Function:
    """--json, as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")(function)


def quiet_option(function: Function) -> Function:
    """--quiet."""
    return click.option("--quiet", is_flag=True, help="No progress and no summaries on stderr.")(function)


def output_options(function: Function) -> Function:
    """--json (as `as_json`) and --quiet."""
    return json_option(quiet_option(function))


def transform_option(function: Function) -> Function:
    """--transform, repeatable, as the tuple `transform`."""
    return click.option(
        "--transform", multiple=True, metavar="NAME", shell_complete=completion.transforms,
        help="Transformation, for example case or cop:reattach=clause; repeatable.",
    )(function)  # fmt: skip


def scheme_option(function: Function) -> Function:
    """--scheme, as `scheme`."""
    return click.option(
        "--scheme", metavar="S", shell_complete=completion.schemes, help="Scheme, for example sud-like."
    )(function)


def max_options_option(function: Function) -> Function:
    """--max-options."""
    return click.option(
        "--max-options", type=click.IntRange(min=2), default=4096, show_default=True, metavar="N",
        help="A factor too large for it keeps only its all-original and all-transformed options.",
    )(function)  # fmt: skip
