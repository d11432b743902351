"""What an experiment has read and what it runs with, as config.json keeps it: enough to repeat the run."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from learnability.errors import InputError
from learnability.experiments.options import DataOptions
from learnability.experiments.plan import TreebankFacts, facts_of, label
from learnability.experiments.processes import tracked_map
from learnability.progress import Stages
from learnability.treebanks.conllu_io import reading_seconds
from learnability.treebanks.locate import TreebankFiles

LIBRARIES = ("learnability", "numpy", "numba", "scipy", "nltk", "conllu", "joblib")


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
) -> tuple[tuple[TreebankFiles, ...], tuple[TreebankFacts, ...], tuple[tuple[str, str], ...]]:
    """The treebanks that can be used, what is known of each, and of the others the label and the reason.
    InputError for the first of these without `keep_going`, and for treebanks with the same name and
    release."""
    twice = [name for name, count in Counter(map(label, treebanks)).items() if count > 1]
    if twice:
        raise InputError(f"{twice[0]}: given twice; give treebanks that differ in name or release")
    sizes = [reading_seconds(path for _, paths in files.splits() for path in paths) for files in treebanks]
    names = treebanks[0].name if len(treebanks) == 1 else f"{len(treebanks)} treebanks"
    stages.stage(f"reading {names}", sum(sizes), expected=sum(sizes) / jobs)
    facts = list(tracked_map(jobs, stages, sizes)(partial(_facts_or_reason, options=options), treebanks))
    pairs = list(zip(treebanks, facts, strict=True))
    unusable = tuple((label(files), reason) for files, reason in pairs if isinstance(reason, str))
    if unusable and not keep_going:
        raise InputError(unusable[0][1])
    usable = tuple(files for files, known in pairs if isinstance(known, TreebankFacts))
    return usable, tuple(known for known in facts if isinstance(known, TreebankFacts)), unusable


def _facts_or_reason(files: TreebankFiles, options: DataOptions) -> TreebankFacts | str:
    try:
        return facts_of(files, options)
    except InputError as error:
        return str(error)
    except OSError as error:
        return f"{files.name}: cannot be read ({(error.strerror or str(error)).lower()})"


def configuration(
    treebanks: Iterable[tuple[TreebankFiles, TreebankFacts]],
    arguments: Mapping[str, Any],
    options: Mapping[str, Any],
    **more: Any,
) -> dict[str, Any]:
    """What config.json holds; `more`: entries that only this experiment has."""
    return {
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
