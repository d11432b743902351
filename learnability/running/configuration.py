"""What an experiment has read and what it runs with, as config.json keeps it: enough to repeat the run."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from learnability.comparing.options import DataOptions
from learnability.errors import InputError, RunError, reason_of
from learnability.running.folder import FORMAT
from learnability.running.plan import TreebankFacts, facts_of, label
from learnability.running.processes import mapped
from learnability.support.progress import Stages
from learnability.treebanks.conllu_io import reading_seconds
from learnability.treebanks.locate import TreebankFiles

LIBRARIES = ("learnability", "numpy", "numba", "scipy", "conllu", "joblib")


def installed_versions() -> dict[str, str]:
    """Versions of Python, of this package and of the libraries that results depend on, to the last byte."""
    return {"python": platform.python_version(), **{name: version_of(name) for name in LIBRARIES}}


def version_of(package: str) -> str:
    """The version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def read_treebanks(
    treebanks: Sequence[TreebankFiles],
    options: DataOptions,
    *,
    jobs: int,
    stages: Stages,
    keep_going: bool = False,
    annotated: Callable[[TreebankFiles], TreebankFiles] | None = None,
) -> tuple[tuple[TreebankFiles, ...], tuple[TreebankFacts, ...], tuple[tuple[str, str], ...]]:
    """The treebanks that can be used, what is known of each, and of the others the label and the reason.
    `annotated` gives the treebanks with their other annotations. InputError (RunError where a program failed)
    for the first that cannot be used without `keep_going`; InputError for treebanks with the same name and
    release."""
    twice = [name for name, count in Counter(map(label, treebanks)).items() if count > 1]
    if twice:
        raise InputError(f"{twice[0]}: given twice; give treebanks that differ in name or release")
    sizes = [reading_seconds(path for _, paths in files.splits() for path in paths) for files in treebanks]
    names = treebanks[0].name if len(treebanks) == 1 else f"{len(treebanks)} treebanks"
    stages.stage(f"reading {names}", sum(sizes), expected=sum(sizes) / jobs)
    read = partial(_read, options=options, annotated=annotated)
    usable: list[tuple[TreebankFiles, TreebankFacts]] = []
    unusable: list[tuple[str, str]] = []
    results = []
    for result, size in zip(mapped(read, treebanks, jobs), sizes, strict=True):
        results.append(result)
        stages.advance(size)
    for files, known in zip(treebanks, results, strict=True):
        if isinstance(known, tuple):
            usable.append(known)
        elif keep_going:
            unusable.append((label(files), str(known)))
        else:
            raise known
    return tuple(files for files, _ in usable), tuple(facts for _, facts in usable), tuple(unusable)


def _read(
    files: TreebankFiles,
    options: DataOptions,
    annotated: Callable[[TreebankFiles], TreebankFiles] | None,
) -> tuple[TreebankFiles, TreebankFacts] | InputError | RunError:
    """A treebank with what is known of it, or why it cannot be used."""
    try:
        files = annotated(files) if annotated else files
        return files, facts_of(files, options)
    except (InputError, RunError) as error:
        return error
    except OSError as error:
        return InputError(f"{files.name}: cannot be read ({reason_of(error)})")


def configuration(
    treebanks: Iterable[tuple[TreebankFiles, TreebankFacts]],
    arguments: Mapping[str, Any],
    options: Mapping[str, Any],
    **more: Any,
) -> dict[str, Any]:
    """What config.json holds; `more`: entries that only this experiment has."""
    return {
        "format": FORMAT,
        "arguments": dict(arguments),
        "options": dict(options),
        "treebanks": [
            {
                "label": label(files),
                "name": files.name,
                "release": files.release,
                "folds": facts.folds,
                "split_policy": facts.split_policy,
                "sha256": facts.sha256,
                **({"left_out": list(facts.warnings)} if files.alternative else {}),
            }
            for files, facts in treebanks
        ],
        **more,
        "seeds": list(range(1, options["seeds"] + 1)),
        "versions": installed_versions(),
    }
