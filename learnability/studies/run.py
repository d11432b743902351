"""Describe a run: treebanks, the options of all trainings, and the studies that it carries out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from learnability.comparing.options import ComparedTreebanks, ExperimentOptions, TreebankSelection
from learnability.comparing.pair import check_pairs
from learnability.comparing.run_parsers import check_parsers
from learnability.errors import InputError
from learnability.parsing.parser import ParserOptions
from learnability.running.config import read_config
from learnability.running.folder import CONFIG, DEFINITIONS, RunFolder
from learnability.studies.declaration import Declaration, NoOptions, StudyRequest
from learnability.studies.experiment_arguments import arguments_of, named_experiment, treebanks_of
from learnability.studies.registry import STUDIES
from learnability.studies.settle import SettleOptions
from learnability.studies.stages import COMMANDS, StageOptions, stages_of
from learnability.support.options import check_values
from learnability.treebanks.alignment import titles
from learnability.treebanks.locate import TreebankFiles


@dataclass(frozen=True, kw_only=True)
class Run:
    """Hold what a user asks of treebanks, wherever it is recorded; nothing has been read yet.

    Names, values and combinations are checked once, when it is made. `arguments` are enough to find the
    treebanks again: two runs with the same are the same run. If it `keeps_going`, a treebank that cannot be
    used is left out.
    """

    treebanks: Sequence[TreebankFiles]
    options: ExperimentOptions
    studies: Sequence[StudyRequest]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    command_line: str = ""
    keeps_going: bool = False

    def __post_init__(self) -> None:
        ParserOptions(tags=self.options.tag_column).encode([])
        self.options.check()
        check_pairs(self.options)
        check_parsers(self.options)
        for study in self.studies:
            check_values(study.options)
            study.declaration.load().check(self.options, study.options)

    @classmethod
    def of_names(
        cls,
        declaration: Declaration,
        own_options: Any,
        selections: Sequence[TreebankSelection],
        *,
        treebanks: Sequence[TreebankFiles] = (),
        find_studies: Callable[[ExperimentOptions], Sequence[StudyRequest]] | None = None,
        command: str = "",
        command_line: str = "",
        keeps_going: bool = False,
        **names: Any,
    ) -> Run:
        """Return the run that a user names.

        `declaration` is the study that says what is compared if nothing is named. `find_studies` returns what
        is carried out with these options; by default this study alone. `treebanks` are where the `selections`
        are, if that is known already, `names` are `transform`, `scheme`, `against`, and fields of
        `ExperimentOptions`.

        Raises:
            InputError: a name is unknown, a value is not accepted, or options do not go together.
        """
        treebanks = treebanks or [selection.files() for selection in selections]
        data = selections[0].data
        if not keeps_going:
            data.check(treebanks)
        if isinstance(selections[0], ComparedTreebanks):
            names["treebanks"] = common_titles(treebanks)
        options = named_experiment(data, declaration, **names)
        return cls(
            treebanks=treebanks,
            options=options,
            studies=find_studies(options) if find_studies else [StudyRequest(declaration, own_options)],
            arguments=arguments_of(command or declaration.name, selections, options, own_options),
            command_line=command_line,
            keeps_going=keeps_going,
        )

    @classmethod
    def of_stages(
        cls,
        stops: StageOptions,
        settling: SettleOptions | None,
        besides: Sequence[Declaration],
        selections: Sequence[TreebankSelection],
        **named: Any,
    ) -> Run:
        """Return the run of stages that a user names."""

        def find_studies(options: ExperimentOptions) -> Sequence[StudyRequest]:
            return [*stages_of(stops, options, settling), *map(StudyRequest, besides)]

        return cls.of_names(STUDIES["run"], NoOptions(), selections, find_studies=find_studies, **named)

    @classmethod
    def of_folder(cls, folder: Path, studies: Sequence[StudyRequest], *, seeds: int | None = None) -> Run:
        """Return the run of a folder, finished or not, as it goes on with these studies; InputError if there
        is none, or its treebanks are not found any more."""
        work_folder = RunFolder(folder).find_continued()
        if work_folder is None:
            raise InputError(f"{folder} holds no run that can be continued; name a `treebank` to start one")
        config = read_config(work_folder / CONFIG)
        if config.command not in COMMANDS:
            raise InputError(
                f"{folder} holds a run of {config.command!r}, which has no stages; repeat that command"
            )
        options = ExperimentOptions.of_config(config)
        arguments = {name: value for name, value in config.arguments.items() if name not in DEFINITIONS}
        if seeds is not None:
            options = replace(options, seeds=seeds)
            arguments["options"] = {**arguments["options"], "seeds": seeds}
        treebanks = treebanks_of(config, folder)
        return cls(
            treebanks=treebanks,
            options=options,
            studies=studies,
            arguments=arguments,
            command_line=config.command_line,
            keeps_going=len(treebanks) > 1,
        )


def common_titles(treebanks: Sequence[TreebankFiles]) -> tuple[str, str]:
    """Return what the two annotations of all treebanks are called; InputError if they disagree."""
    names = list(dict.fromkeys(map(titles, treebanks)))
    if len(names) > 1:
        different = " and ".join(f"{alternative} against {base}" for base, alternative in names[:2])
        raise InputError(f"`alternative` mixes {different}; compare them in separate runs")
    return names[0]
