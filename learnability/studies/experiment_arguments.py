"""Turn the names that a user writes into the options of a run, for the command line and for Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from learnability.comparing.annotation import SCHEME
from learnability.comparing.annotation_kinds import TreebankAnnotation
from learnability.comparing.names import annotation_named, annotations_typed
from learnability.comparing.options import (
    ComparedTreebanks,
    DataOptions,
    ExperimentOptions,
    TreebankSelection,
)
from learnability.comparing.plan import id_of_files
from learnability.errors import InputError
from learnability.evidence.stored_runs import finished_config
from learnability.running.config import RunConfig
from learnability.running.folder import CONFIG
from learnability.running.records import Record
from learnability.studies.declaration import Declaration
from learnability.studies.registry import known_studies
from learnability.support.nouns import count_noun
from learnability.support.options import values_of_run
from learnability.treebanks.locate import TreebankFiles, list_treebanks, locate_treebank


def named_experiment(
    data: DataOptions,
    declaration: Declaration,
    *,
    treebanks: tuple[str, str] | None = None,
    transform: Sequence[str] = (),
    scheme: Sequence[str] = (),
    against: str | None = None,
    **others: Any,
) -> ExperimentOptions:
    """Return the options of a run from what a user names.

    The `declaration` says what is compared if nothing is named; `treebanks` are what the two annotations are
    called, where treebanks give both; `others` are fields of `ExperimentOptions`.

    Raises:
        InputError: an unknown name; rules, or how their trees are labelled, beside two treebanks.
    """
    names = {field.name for field in fields(ExperimentOptions)}
    others = {**{name: value for name, value in declaration.defaults.items() if name in names}, **others}
    if treebanks is not None:
        rules: dict[str, object] = {"`transforms`": transform, "a scheme": scheme, "`against`": against}
        if others.get("labels") == "keep":
            rules["`labels='keep'`"] = "keep"
        if named := [name for name, value in rules.items() if value]:
            problem = "works with rules, not with a treebank as `alternative`"
            raise InputError(f"{named[0]} {problem}; start separate runs")
        base, alternative = map(TreebankAnnotation.of, treebanks)
        return ExperimentOptions((alternative,), against=base, data=data, **others)
    typed = (*transform, *(SCHEME + name for name in scheme))
    pairs = annotations_typed(typed or declaration.default.find_names())
    experiment = ExperimentOptions(pairs, data=data, **others)
    return experiment if against is None else replace_base(experiment, against, chosen_by_user=bool(typed))


def arguments_of(
    command: str, selections: Sequence[TreebankSelection], experiment: ExperimentOptions, own_options: Any
) -> dict[str, Any]:
    """Return what the user asked for, as config.json keeps it, without options that concern the outcome only:
    enough to find the treebanks again."""
    return {
        "command": command,
        "treebanks": [asdict(selection) for selection in selections],
        "options": experiment.as_json(),
        "study": values_of_run(own_options),
    }


def treebanks_of(config: RunConfig, folder: Path) -> list[TreebankFiles]:
    """Return where the treebanks of a run are now, by what its command was told."""
    labels = [treebank.label for treebank in config.treebanks]
    by_label = {id_of_files(files): files for files in _as_asked(config)}
    if missing := [name for name in labels if name not in by_label]:
        raise InputError(f"{missing[0]}, which the run in {folder} used, no longer exists; restore it")
    return [by_label[name] for name in labels]


def treebanks_of_run(folder: Path) -> list[TreebankFiles]:
    return treebanks_of(finished_config(folder), folder) if (folder / CONFIG).exists() else []


def treebanks_found(config: RunConfig) -> dict[str, TreebankFiles]:
    """Return where the treebanks of a run are now, by label, without those that are not found any more.

    Where the command of the run does not lead to them, they are looked for by name.
    """
    found: dict[str, TreebankFiles] = {}
    for known in config.treebanks:
        with suppress(InputError):
            found[known.label] = locate_treebank(known.name, release=known.release or None)
    with suppress(InputError, KeyError, TypeError):
        found |= {id_of_files(files): files for files in _as_asked(config)}
    return {known.label: found[known.label] for known in config.treebanks if known.label in found}


def _as_asked(config: RunConfig) -> list[TreebankFiles]:
    selections = config.arguments.get("treebanks", [])
    study = known_studies().get(config.command)
    kind = TreebankSelection if study is None else study.selection()
    found: list[TreebankFiles] = []
    for selection in (_selection(values, kind) for values in selections):
        found += [selection.files()] if selection.is_named else _all_treebanks(selection)
    return found


def _all_treebanks(selection: TreebankSelection) -> list[TreebankFiles]:
    return list_treebanks(selection.ud_home, release=selection.release)


def _selection(values: Mapping[str, Any], kind: type[TreebankSelection]) -> TreebankSelection:
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return (ComparedTreebanks if "alternative" in values else kind)(**{**values, **lists})


def failures(failed: Sequence[Record], folder: Path | None) -> str:
    """Return one line on what failed: every treebank, and the first of the cells.

    Without a `folder` nothing is kept.
    """
    parts = [f"{r.treebank} cannot be used ({r.failed})" for r in failed if r.setting == "treebank"]
    cells = [record for record in failed if record.setting != "treebank"]
    if cells:
        more = (
            f"{count_noun(len(cells), 'training')} failed, the first"
            if len(cells) > 1
            else "one training failed"
        )
        parts.append(f"{more}: {cells[0].key} ({cells[0].failed})")
    if folder is None:
        return f"{'; '.join(parts)}; nothing is kept; set out= to a folder to keep finished trainings"
    return f"{'; '.join(parts)}; all others are in {folder}; fix the problem and rerun with `resume=True`"


def replace_base(options: ExperimentOptions, name: str, *, chosen_by_user: bool) -> ExperimentOptions:
    """Return the options with the annotation `name` as the original one, without alternatives that are it.

    An InputError says that there is no such annotation, or that the user gave an alternative that is the
    same.
    """
    base = annotation_named(name)
    same = [annotation for annotation in options.alternatives if base.same_as(annotation)]
    if same and chosen_by_user:
        raise InputError(
            f"`against={name!r}` and {same[0].name} are the same scheme; compare it with another"
        )
    rest = tuple(annotation for annotation in options.alternatives if annotation not in same)
    return replace(options, against=base, alternatives=rest)
