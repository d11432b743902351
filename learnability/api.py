"""Whole experiments from Python: what `run` and `compare` do, with pandas frames for tables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from learnability.comparing.options import ComparedTreebanks, TreebankSelection
from learnability.errors import InputError, RunError
from learnability.evidence import stored_runs, survey
from learnability.evidence.columns import DTYPES, RESULTS, SCORES, result_values, scores_values
from learnability.evidence.rows import ComparisonRow
from learnability.papers.annotation_2018 import tables as paper_tables
from learnability.papers.annotation_2018.section import report_of
from learnability.running.cell import label_of
from learnability.running.workforce import Workforce
from learnability.schemes import CATALOGUE, Scheme
from learnability.studies.asking import arguments_of, failures, named_experiment
from learnability.studies.declaration import Asked
from learnability.studies.registry import STUDIES
from learnability.studies.runner import RunRequest, run_studies
from learnability.support.files import write_atomically
from learnability.support.options import shared
from learnability.support.progress import shown_stages
from learnability.transforms.base import Rule, Transformation
from learnability.transforms.registry import get_transformation
from learnability.treebanks.alignment import titles
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.locate import SPLITS, TreebankFiles
from learnability.treebanks.sentence import Treebank

if TYPE_CHECKING:
    import pandas


Named = str | os.PathLike[str] | Treebank


class Options(TypedDict, total=False):
    """The options of `learnability run` that :func:`run_conditions` takes by the same names."""

    seeds: int
    iterations: int | None
    judges: tuple[str, ...]
    tags: str
    nonprojective: str
    max_options: int
    labels: Literal["external", "keep"] | None
    missing_train: str
    cross_validate: int | None
    multiple_roots: bool
    release: str | None
    ud_home: str | None


def run_conditions(
    treebanks: Named | Sequence[Named],
    transforms: str | Transformation | Sequence[str | Transformation] = (),
    *,
    schemes: str | Scheme | Sequence[str | Scheme] = (),
    against: str | Transformation | Scheme | None = None,
    alternative: Named | Sequence[Named] | None = None,
    jobs: int | str | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    force: bool = False,
    progress: bool = True,
    **options: Unpack[Options],
) -> pandas.DataFrame:
    """Compare UD with each transformation (default: the paper's seven) and scheme: what `run` does.

    `treebanks`: names, folders or training files, as after `--treebank`, or treebanks from
    :func:`load_treebank` (changed as you like); one of them or several. `against`: a scheme or transformation
    in the place of UD. `alternative`: a treebank that annotates the same sentences (one for each of several
    treebanks); ``NAME@2.16`` is that of another release, ``@2.16`` another release of the same treebank. It
    takes the place of transformations and schemes.

    The other arguments are the options of `learnability run`. Nothing is left behind unless a folder is given
    with `out`; it then holds the files of a run, its report among them; `resume` continues an unfinished one,
    `force` replaces what is there. `progress` shows a bar where stderr is a terminal, else a line every now
    and then.

    `judges`: parsers that train and test both annotations, as after `--judge`; one row for each. `labels`:
    train parsers that predict deprels, as after `--labelled`. `jobs`: processes, or the address of a cluster.

    Returns one row per condition with the columns of results.csv, unrounded: counts as Int64, names as
    string, all others as float64, missing where not computed. All else that was computed is in the records
    of the run in `out`: see :func:`read_scores`.

    Raises:
        InputError: wrong arguments or treebanks.
        RunError: something failed while running.

    >>> run_conditions("demo", "det", seeds=1, iterations=1, jobs=1)[["construction", "places", "seeds"]]
      construction  places  seeds
    0          det    1797      1
    """
    if unknown := sorted(set(options) - set(Options.__annotations__)):
        raise TypeError(f"run_conditions() got an unexpected keyword argument {unknown[0]!r}")
    if "judges" in options:
        options["judges"] = tuple(_listed(options["judges"]))
    given, others_given = _listed(treebanks), [] if alternative is None else _listed(alternative)
    if not given:
        raise InputError("no treebank given; give a name, a folder, a training file or a Treebank")
    if others_given and len(others_given) != len(given):
        raise InputError(f"alternative: {len(others_given)} for {len(given)} treebanks; give one for each")
    transform, scheme = map(_spec, _listed(transforms)), map(_scheme_name, _listed(schemes))
    others: dict[str, Any] = {"transform": tuple(transform), "scheme": tuple(scheme), **options}
    names = {field.name for field in fields(TreebankSelection)}
    selection = TreebankSelection(**{name: others.pop(name) for name in list(others) if name in names})
    workforce = Workforce.named(jobs)
    with ExitStack() as stack:
        stages = stack.enter_context(shown_stages("starting", quiet=not progress))
        folder = Path(out) if out else Path(stack.enter_context(TemporaryDirectory(prefix="learnability-")))
        selections: list[TreebankSelection] = []
        files: list[TreebankFiles] = []
        for treebank in given:
            if isinstance(treebank, Treebank):
                files.append(_written(treebank, folder / "treebanks", force or not out))
                train, dev, test = (tuple(map(str, paths)) for _, paths in files[-1].splits())
                selections.append(replace(selection, train=train, dev=dev, test=test))
            else:
                selections.append(replace(selection, treebank=os.fspath(treebank)))
                files.append(selections[-1].files())
        if others_given:
            for i, other in enumerate(others_given):
                if isinstance(other, Treebank):
                    written = _written(other, folder / "alternatives", force or not out)
                    files[i] = replace(files[i], alternative=written)
                    other = written.train[0]
                selections[i] = ComparedTreebanks(
                    **shared(TreebankSelection, selections[i]),
                    alternative=os.fspath(other),
                )
                if files[i].alternative is None:
                    files[i] = replace(files[i], alternative=selections[i].files().alternative)
            others["treebanks"] = _called_alike(files)
        side = None
        if against is not None:
            side = _scheme_name(against) if isinstance(against, Scheme) else _spec(against)
        study = Asked(STUDIES["run"])
        experiment = named_experiment(
            selection.data, study.declaration, **others, against=side, trees=out is not None
        )
        request = RunRequest(
            options=experiment,
            asked=[study],
            out=folder,
            arguments=arguments_of("run_conditions", selections, experiment, study),
        )
        report = report_of(request.arguments, len(given)) if out else None
        outcome = run_studies(
            files, request, workforce, resume=resume, force=force, stages=stages, report=report
        )
    if outcome.failed:
        raise RunError(failures(outcome.failed, folder if out else None))
    return results_frame(outcome.content.rows)


def _called_alike(treebanks: Sequence[TreebankFiles]) -> tuple[str, str]:
    """What the two annotations of all treebanks are called."""
    names = list(dict.fromkeys(map(titles, treebanks)))
    if len(names) > 1:
        different = " and ".join(f"{one} against {other}" for other, one in names[:2])
        raise InputError(f"alternative: {different}; run what is called differently apart")
    return names[0]


def _listed(value: Any) -> list[Any]:
    one = isinstance(value, str | os.PathLike | Treebank | Transformation | Scheme)
    return [value] if one else list(value)


def _spec(transform: str | Transformation) -> str:
    """A transformation as written after `--transform`."""
    if isinstance(transform, str):
        return transform
    if not isinstance(transform, Transformation):
        raise InputError(f"{transform!r}: give the name of a transformation, or a Transformation")
    if isinstance(transform, Rule):
        same = get_transformation(transform.spec, transform.conventions)
        if same.restriction == transform.restriction:
            return same.spec
    raise InputError(
        f"{transform!r}: joint ones, and words with a comma or bar, take a scheme; give a TOML file"
    )


def _scheme_name(scheme: str | Scheme) -> str:
    if isinstance(scheme, str):
        return scheme
    if not isinstance(scheme, Scheme):
        raise InputError(f"{scheme!r}: give the name or the TOML file of a scheme, or a Scheme")
    if CATALOGUE.get(scheme.name) != scheme:
        raise InputError(
            f"scheme {scheme.name!r} is not in the catalogue; write a TOML file and give its path"
        )
    return scheme.name


def _written(treebank: Treebank, folder: Path, replaces: bool) -> TreebankFiles:
    """The treebank as files, so that workers can read it; InputError where there are others, unless it
    `replaces` them."""
    place = folder / label_of(treebank.name, treebank.release)
    place.mkdir(parents=True, exist_ok=True)
    code = f"{treebank.conventions.language}-ud-" if treebank.conventions.language else ""
    splits = {name: sentences for name, sentences in treebank.splits() if sentences}
    paths = {name: (place / f"{code}{name}.conllu",) for name in splits}
    for name, sentences in splits.items():
        (path,), data = paths[name], conllu_text(sentences).encode()
        if path.exists() and path.read_bytes() != data and not replaces:
            raise InputError(f"{path}: belongs to a run on other data; give force=True, or another out")
        write_atomically(path, data)
    return TreebankFiles(treebank.name, treebank.release, None, *(paths.get(name, ()) for name in SPLITS))


def results_frame(rows: Sequence[ComparisonRow]) -> pandas.DataFrame:
    """Rows of results as a frame; see :func:`run_conditions`."""
    import pandas

    frame = pandas.DataFrame(map(result_values, rows), columns=[column.name for column in RESULTS])
    return frame.astype({column.name: DTYPES[column.kind] for column in RESULTS})


def read_results(*folders: str | os.PathLike[str]) -> pandas.DataFrame:
    """The results of finished runs (the `--out` of `run` and `reproduce`) as one frame.

    It is made of their records. Its columns are those of :func:`run_conditions`, unrounded.

    Raises:
        InputError: a folder holds no finished run, or one of another format.
    """
    return results_frame(_stored_rows(folders))


def read_scores(*folders: str | os.PathLike[str]) -> pandas.DataFrame:
    """All that was computed in finished runs as one long frame, a line per value, made of their records.

    Its columns are those of scores.csv: `treebank`, `construction`, `parser`, `score`, `comparison` and
    `statistic` as string, and `value`, unrounded: a number, or a side or decision in words.

    Raises:
        InputError: a folder holds no finished run, or one of another format.
    """
    return scores_frame(_stored_rows(folders))


def scores_frame(rows: Sequence[ComparisonRow]) -> pandas.DataFrame:
    """All values of rows of results as a long frame; see :func:`read_scores`."""
    import pandas

    lines = [line for row in rows for line in scores_values(row)]
    names = [column.name for column in SCORES]
    frame = pandas.DataFrame(lines, columns=names)
    return frame.astype({name: "object" if name == "value" else "string" for name in names})


def _stored_rows(folders: Sequence[str | os.PathLike[str]]) -> list[ComparisonRow]:
    """The rows of finished runs."""
    runs = [stored_runs.read_run(Path(folder)) for folder in folders]
    return [condition.row for run in runs for condition in run.conditions]


@dataclass(frozen=True)
class RunComparison:
    """What several runs say together, as `compare` prints it.

    Attributes:
        conditions: the rows with a UAS difference, as :func:`read_results` has them; `p_holm` is corrected
            over all of them.
        scores: all values of these rows, as :func:`read_scores` has them.
        means: per construction, score and comparison the mean over treebanks, and what is decided.
        families: the same per family of languages, on the own references.
        wins: how often UD wins, per transformation (Table 2 of the 2018 paper).
        agreement: how often each criterion names the winner (Table 3).
        judges: how far several judges agree, and criteria with them; empty for one judge.
        correlations: of each measure's difference with the UAS difference.
        differences: mean and largest UAS difference.
        commitment: how far multi-reference training commits itself to one scheme.
        remarks: what a reader must know.
    """

    conditions: pandas.DataFrame
    scores: pandas.DataFrame
    means: pandas.DataFrame
    families: pandas.DataFrame
    wins: pandas.DataFrame
    agreement: pandas.DataFrame
    judges: pandas.DataFrame
    correlations: pandas.DataFrame
    differences: paper_tables.Differences
    commitment: paper_tables.Commitment
    remarks: tuple[str, ...]


def compare_runs(*runs: str | os.PathLike[str]) -> RunComparison:
    """Compare finished runs: their folders, or folders with runs below them.

    Raises:
        InputError: no finished run, a condition in two runs, or nothing to compare.
    """
    import pandas

    found: list[stored_runs.StoredRun] = []
    unfinished: list[Path] = []
    for run in runs:
        below = stored_runs.find_runs(Path(run))
        found += map(stored_runs.read_run, below.finished)
        unfinished += below.unfinished
    evidence = survey.gather(found, unfinished)

    def frame(values: Sequence[Any]) -> pandas.DataFrame:
        return pandas.DataFrame([asdict(value) for value in values])

    rows = [condition.row for condition in evidence.conditions]
    return RunComparison(
        conditions=results_frame(rows),
        scores=scores_frame(rows),
        means=pandas.DataFrame(evidence.means()),
        families=pandas.DataFrame(evidence.families()),
        wins=frame(paper_tables.table_2(evidence)),
        agreement=frame(paper_tables.table_3(evidence)),
        judges=pandas.DataFrame(evidence.agreement()),
        correlations=frame(paper_tables.correlations(evidence)),
        differences=paper_tables.differences(evidence),
        commitment=paper_tables.commitment(evidence),
        remarks=evidence.remarks,
    )
