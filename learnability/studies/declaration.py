"""Declare studies: everything that the command line, Python and config.json need to know about them.

Declarations are read to show help, so their modules import nothing that takes long; the study itself is
imported when it is carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from learnability.support.headings import Heading
from learnability.support.plugins import import_object

if TYPE_CHECKING:
    from learnability.comparing.options import TreebankSelection
    from learnability.studies.study import Study


@dataclass(frozen=True)
class NoOptions:
    """Hold the options of a study that has none of its own."""


def seven_constructions() -> tuple[str, ...]:
    """Return the names of the constructions of the 2018 paper."""
    from learnability.transforms.registry import PAPER

    return PAPER


@dataclass(frozen=True)
class DefaultConstructions:
    """Say what a study compares if nothing is named.

    Attributes:
        find_names: returns the names of constructions as they are typed.
        help: a sentence for the help of `--transform`; empty for nothing.
    """

    find_names: Callable[[], tuple[str, ...]]
    help: str = ""


SEVEN = DefaultConstructions(seven_constructions, " Default: the seven of the paper.")

NOTHING = DefaultConstructions(tuple)


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """Represent a study as others see it.

    Attributes:
        name: its name as a command, in config.json and in the registry.
        study: where its class is, as ``module:Class``.
        options: dataclass of its own options (`support.options`).
        works_on: what it is asked of: a run, of which it is a part, or treebanks, which its command names.
        summary: one line of at most 60 characters for the list of commands; empty if it has no command.
        heading: where it stands in that list.
        help: what the help of its command says.
        run_option: what help says of the option of `run` that asks for it; empty if there is none.
        example: a command that shows how it is used.
        shared: options of all runs (fields of `ExperimentOptions`) that its command takes; of a study that
            builds on a run they are those of the run.
        names_transforms: whether its command names what is compared with `--transform`.
        default: what is compared if none is named.
        defaults: other values of options of all runs than those that `run` has.
        cross_validates: whether it can be asked of a treebank that is cross-validated.
        several: whether it can be asked of several treebanks at once.
        compares: whether its rows compare annotations, so that `compare` can read them.
        folder: name of its folder in ``runs``, of studies of several treebanks.
        selects: where the class is, as ``module:class``, of what names the treebanks of a study, if that is
            more than a treebank: a `TreebankSelection` finds them by the one that a user names and by the
            options. Empty if they are those named.
        arguments: what stands for the treebanks in help, of a command that names them as arguments: the
            first, and one for all others.
        instead: where the function is, as ``module:function``, for what the command does in place of the
            study. It is given `instead_options`, `options`, what names the treebank, and `out`, and by name
            the options `force`, `as_json` and `quiet`, and `typed`, the flags of all options that the user
            typed, by the names of the options; it returns whether it was asked.
        instead_options: dataclass of the options that ask for that, which help shows last.
    """

    name: str
    study: str
    options: type[Any] = NoOptions
    works_on: Literal["run", "treebank", "treebanks"] = "run"
    summary: str = ""
    heading: Heading = Heading.MORE
    help: str = ""
    run_option: str = ""
    example: str = ""
    shared: tuple[str, ...] = ()
    names_transforms: bool = False
    default: DefaultConstructions = NOTHING
    defaults: Mapping[str, Any] = field(default_factory=dict)
    cross_validates: bool = False
    several: bool = False
    compares: bool = False
    folder: str = ""
    selects: str = ""
    arguments: tuple[str, str] | None = None
    instead: str = ""
    instead_options: type[Any] = NoOptions

    @property
    def has_command(self) -> bool:
        return bool(self.summary)

    def selection(self) -> type[TreebankSelection]:
        """Return the class of what names a treebank of the study, in options and in config.json."""
        from learnability.comparing.options import TreebankSelection

        return import_object(self.selects) if self.selects else TreebankSelection

    def load(self) -> type[Study[Any]]:
        """Return the class of the study."""
        study: type[Study[Any]] = import_object(self.study)
        return study


@dataclass(frozen=True)
class StudyRequest:
    """Represent a study that was asked for, with its own options (default: as declared)."""

    declaration: Declaration
    options: Any = None
    is_chosen: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_chosen", self.options is not None)
        if self.options is None:
            object.__setattr__(self, "options", self.declaration.options())
