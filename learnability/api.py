"""Run whole experiments from Python: the commands `run` and `compare`, with pandas frames for tables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from learnability.comparing.options import ComparedTreebanks, TreebankSelection
from learnability.errors import InputError, RunError
from learnability.evidence import stored_runs, survey
from learnability.evidence.columns import DTYPES, RESULTS, SCORES, result_values, scores_values
from learnability.evidence.rows import ComparisonRow
from learnability.reports.comparison_files import report_of
from learnability.running.cell import treebank_id
from learnability.running.workforce import Workforce
from learnability.schemes import CATALOGUE, Scheme, is_scheme_name
from learnability.studies.declaration import Declaration
from learnability.studies.experiment_arguments import failures
from learnability.studies.registry import find_declaration, studies_of_run
from learnability.studies.run import Run
from learnability.studies.runner import refined_run, run_studies
from learnability.studies.settle import SettleOptions
from learnability.studies.stages import StageOptions
from learnability.support.files import write_atomically
from learnability.support.nouns import count_noun, say_there_are
from learnability.support.options import shared
from learnability.support.progress import shown_steps
from learnability.transforms.base import Rule, Transformation
from learnability.transforms.registry import get_transformation
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.locate import SPLITS, TreebankFiles
from learnability.treebanks.sentence import Treebank

if TYPE_CHECKING:
    import pandas


Named = str | os.PathLike[str] | Treebank


class Options(TypedDict, total=False):
    """Hold the options of `learnability run` that :func:`run_experiment` takes by the same names."""

    seeds: int
    iterations: int | None
    parsers: tuple[str, ...]
    tags: str
    nonprojective: str
    max_options: int
    labels: Literal["external", "keep"] | None
    splits: str
    cross_validate: int | None
    multiple_roots: bool
    skip_incomplete: bool
    release: str | None
    ud_home: str | None


def run_experiment(
    treebanks: Named | Sequence[Named],
    transforms: str | Transformation | Sequence[str | Transformation] = (),
    *,
    against: str | Transformation | Scheme | None = None,
    alternative: Named | Scheme | Sequence[Named | Scheme] = (),
    jobs: int | str | None = None,
    out: str | os.PathLike[str] | None = None,
    quick: bool = False,
    test_set: bool = False,
    budget: float | None = None,
    most_seeds: int | None = None,
    folds: int | None = None,
    then: str | Sequence[str] = (),
    resume: bool = False,
    force: bool = False,
    progress: bool = True,
    **options: Unpack[Options],
) -> pandas.DataFrame:
    """Compare UD with alternative annotations of treebanks, as `learnability run` does.

    Args:
        treebanks: one or several names, folders or training files, as after `--treebank`, or treebanks from
            :func:`load_treebank`, which may be changed.
        transforms: transformations to compare with UD, as after `--transform`; by default the paper's seven.
        against: a scheme or transformation to compare with instead of UD.
        alternative: what else to compare with UD: schemes (names, TOML files or :class:`Scheme` objects),
            or a treebank that annotates the same sentences; for several treebanks, one for each.
            ``NAME@2.16`` is another release of it, ``@2.16`` another release of the same treebank.
        jobs: the number of processes, or the address of a cluster; by default one process per core.
        out: the folder for the files of the run, including its report; without it nothing is kept.
        quick: stop after the prediction from short trainings; there are no rows then, and the predictions are
            in `out`.
        test_set: train on the training set, test on the test set, and stop.
        budget: begin no further training on every sentence that would take more processor time than this in
            all, in seconds, as estimated; by default 600.
        most_seeds: train each fold of all sentences at most this many times per annotation; by default 10.
        folds: cut the treebank into this many folds, each of which is tested once; by default 5.
        then: names of studies of extensions that are a part of the run, which `learnability run` has among
            its options. Their files are in `out`.
        resume: continue an unfinished run in `out`, or add seeds to a finished one.
        force: replace the files in `out`.
        progress: show a progress bar on stderr; if stderr is not a terminal, a line from time to time.
        **options: the options of `learnability run` in :class:`Options`. `parsers` are the parsers that train
            and test on both annotations; each gives a row. `labels` trains parsers that predict deprels, as
            `--labelled` does.

    Returns:
        One row per alternative, treebank and parser, with the columns of results.csv, unrounded. Counts are
        Int64, names are string, all other columns float64; a value that was not computed is missing. If there
        is an `out`, :func:`read_scores` returns everything that was computed.

    Raises:
        InputError: arguments or treebanks are wrong.
        RunError: part of the run failed.
        TypeError: an option is unknown.

    >>> run_experiment("demo", "det", seeds=1, iterations=1, jobs=1)[["construction", "places", "seeds"]]
      construction  places  seeds
    0          det     920      1
    """
    if unknown := sorted(set(options) - set(Options.__annotations__)):
        raise TypeError(f"run_experiment() got an unexpected keyword argument {unknown[0]!r}")
    if "parsers" in options:
        options["parsers"] = tuple(_make_list(options["parsers"]))
    sources = _make_list(treebanks)
    schemes, alternatives = _split_alternatives(_make_list(alternative))
    if not sources:
        raise InputError("no treebank is named; pass a name, a folder, a training file or a Treebank")
    if alternatives and len(alternatives) != len(sources):
        raise InputError(
            f"{say_there_are(len(sources), 'treebank')}, but `alternative` names {len(alternatives)}; "
            "pass one for each"
        )
    settings: dict[str, Any] = {"transform": tuple(map(_spec, _make_list(transforms))), "scheme": schemes}
    settings |= options
    names = {field.name for field in fields(TreebankSelection)}
    selection = TreebankSelection(**{name: settings.pop(name) for name in list(settings) if name in names})
    workforce = Workforce.from_jobs(jobs)
    side = None
    if against is not None:
        side = _scheme_name(against) if isinstance(against, Scheme) else _spec(against)
    named: dict[str, Any] = {"budget": budget, "most_seeds": most_seeds, "folds": folds}
    chosen = {name: value for name, value in named.items() if value is not None}
    settling = SettleOptions(**chosen) if chosen else None
    stops, besides = StageOptions(quick=quick, test_set=test_set), _studies_beside(_make_list(then))
    with ExitStack() as stack:
        steps = stack.enter_context(shown_steps("starting", quiet=not progress))
        folder = Path(out) if out else Path(stack.enter_context(TemporaryDirectory(prefix="learnability-")))
        selections, files = _find_treebanks(
            selection, sources, alternatives, folder, replaces=force or not out
        )
        run = Run.of_stages(
            stops, settling, besides, selections, treebanks=files, command="run_experiment",
            **settings, against=side, trees=out is not None,
        )  # fmt: skip
        report = report_of if out else None
        story = run_studies(run, folder, workforce, resume=resume, force=force, steps=steps, report=report)
    if story.failed:
        raise RunError(failures(story.failed, folder if out else None))
    return results_frame(story.rows)


def _studies_beside(names: Sequence[str]) -> list[Declaration]:
    besides = list(map(find_declaration, names))
    if unfit := [declaration.name for declaration in besides if not declaration.run_option]:
        known = ", ".join(declaration.name for declaration in studies_of_run())
        raise InputError(f"the study `then={unfit[0]!r}` is no part of a run; choose one of {known}")
    return besides


def _find_treebanks(
    selection: TreebankSelection,
    sources: Sequence[Named],
    alternatives: Sequence[Named],
    folder: Path,
    *,
    replaces: bool,
) -> tuple[list[TreebankSelection], list[TreebankFiles]]:
    selections: list[TreebankSelection] = []
    files: list[TreebankFiles] = []
    for treebank in sources:
        if isinstance(treebank, Treebank):
            files.append(_write_files(treebank, folder / "treebanks", replaces))
            train, dev, test = (tuple(map(str, paths)) for _, paths in files[-1].splits())
            selections.append(replace(selection, train=train, dev=dev, test=test))
        else:
            selections.append(replace(selection, treebank=os.fspath(treebank)))
            files.append(selections[-1].files())
    for i, other in enumerate(alternatives):
        if isinstance(other, Treebank):
            written = _write_files(other, folder / "alternatives", replaces)
            files[i] = replace(files[i], alternative=written)
            other = written.train[0]
        selections[i] = ComparedTreebanks(
            **shared(TreebankSelection, selections[i]),
            alternative=os.fspath(other),
        )
        if files[i].alternative is None:
            files[i] = replace(files[i], alternative=selections[i].files().alternative)
    return selections, files


def _make_list(value: Any) -> list[Any]:
    is_single = isinstance(value, str | os.PathLike | Treebank | Transformation | Scheme)
    return [value] if is_single else list(value)


def _split_alternatives(alternatives: Sequence[Any]) -> tuple[tuple[str, ...], list[Any]]:
    schemes: list[str] = []
    treebanks: list[Any] = []
    for each in alternatives:
        if not isinstance(each, str | os.PathLike | Treebank | Scheme):
            problem = "is neither a scheme nor a treebank"
            raise InputError(f"{each!r} {problem}; pass a name, a file, a Scheme or a Treebank")
        if isinstance(each, Scheme):
            schemes.append(_scheme_name(each))
        elif not isinstance(each, Treebank) and is_scheme_name(os.fspath(each)):
            schemes.append(os.fspath(each))
        else:
            treebanks.append(each)
    return tuple(schemes), treebanks


def _spec(transform: str | Transformation) -> str:
    """Return a transformation as after `--transform`; InputError if it cannot be written so."""
    if isinstance(transform, str):
        return transform
    if not isinstance(transform, Transformation):
        raise InputError(f"{transform!r} is not a construction; pass its name, or a Transformation")
    if isinstance(transform, Rule):
        parsed = get_transformation(transform.spec, transform.conventions)
        if parsed.restriction == transform.restriction:
            return parsed.spec
    raise InputError(
        f"{transform!r} joins several constructions, or has a comma or bar in a value; write it "
        "as a scheme in a TOML file"
    )


def _scheme_name(scheme: Scheme) -> str:
    if CATALOGUE.get(scheme.name) != scheme:
        raise InputError(
            f"scheme {scheme.name!r} is not in the catalogue; write it to a TOML file and use its path"
        )
    return scheme.name


def _write_files(treebank: Treebank, folder: Path, replaces: bool) -> TreebankFiles:
    place = folder / treebank_id(treebank.name, treebank.release)
    place.mkdir(parents=True, exist_ok=True)
    code = f"{treebank.conventions.language}-ud-" if treebank.conventions.language else ""
    splits = {name: sentences for name, sentences in treebank.splits() if sentences}
    paths = {name: (place / f"{code}{name}.conllu",) for name in splits}
    for name, sentences in splits.items():
        (path,), data = paths[name], conllu_text(sentences).encode()
        if path.exists() and path.read_bytes() != data and not replaces:
            raise InputError(f"{path} belongs to a run on other data; use `force=True`, or another `out`")
        write_atomically(path, data)
    return TreebankFiles(treebank.name, treebank.release, None, *(paths.get(name, ()) for name in SPLITS))


def results_frame(rows: Sequence[ComparisonRow]) -> pandas.DataFrame:
    """Return rows of results as a frame; see :func:`run_experiment`."""
    import pandas

    frame = pandas.DataFrame(map(result_values, rows), columns=[column.name for column in RESULTS])
    return frame.astype({column.name: DTYPES[column.kind] for column in RESULTS})


def read_results(*folders: str | os.PathLike[str]) -> pandas.DataFrame:
    """Return the results of finished runs as one frame.

    Args:
        *folders: the folders of the runs (the `--out` of `run`).

    Returns:
        The rows of all runs, computed from their records, with the columns of :func:`run_experiment`,
        unrounded.

    Raises:
        InputError: a folder holds no finished run, or one in another format.
    """
    return results_frame(_stored_rows(folders))


def read_scores(*folders: str | os.PathLike[str]) -> pandas.DataFrame:
    """Return everything that was computed in finished runs as one long frame.

    Args:
        *folders: the folders of the runs (the `--out` of `run`).

    Returns:
        One row per value, with the columns of scores.csv: `treebank`, `construction`, `parser`, `score`,
            `comparison` and `statistic` as string, and `value`, unrounded: a number, or a side or an answer
            in words.

    Raises:
        InputError: a folder holds no finished run, or one in another format.
    """
    return scores_frame(_stored_rows(folders))


def scores_frame(rows: Sequence[ComparisonRow]) -> pandas.DataFrame:
    """Return all values of rows of results as a long frame; see :func:`read_scores`."""
    import pandas

    lines = [line for row in rows for line in scores_values(row)]
    names = [column.name for column in SCORES]
    frame = pandas.DataFrame(lines, columns=names)
    return frame.astype({name: "object" if name == "value" else "string" for name in names})


def _stored_rows(folders: Sequence[str | os.PathLike[str]]) -> list[ComparisonRow]:
    runs = [stored_runs.read_run(Path(folder)) for folder in folders]
    return [pair.row for run in runs for pair in run.pairs]


@dataclass(frozen=True, repr=False, eq=False)
class RunComparison:
    """Hold what several runs show together, by the names that `compare` has for its files and in JSON.

    Attributes:
        differences: the rows with a UAS difference, as from :func:`read_results`.
        scores: all values of `differences`, as from :func:`read_scores`.
        means: the mean over treebanks per construction, score and comparison, and its answer; none with
            fewer than five languages.
        parsers: what all parsers show together, per treebank, construction and score; empty for one parser.
        remarks: warnings to the reader.
    """

    differences: pandas.DataFrame
    scores: pandas.DataFrame
    means: pandas.DataFrame
    parsers: pandas.DataFrame
    remarks: tuple[str, ...]

    def __repr__(self) -> str:
        counts = {"difference": len(self.differences)}
        for name in ("treebank", "construction", "parser"):
            counts[name] = self.differences[name].replace("", None).nunique()
        shown = (count_noun(count, name) for name, count in counts.items() if count)
        return f"<RunComparison: {', '.join(shown)}>"


def compare_runs(*runs: str | os.PathLike[str], without: Sequence[str] = ()) -> RunComparison:
    """Compare finished runs.

    Args:
        *runs: folders of runs, or folders with runs below them.
        without: names of treebanks to leave out.

    Returns:
        The tables that `learnability compare` prints, as frames.

    Raises:
        InputError: there is no finished run, two runs have the same treebank and alternative, or there is
            nothing to compare.
    """
    import pandas

    found = stored_runs.runs_to_compare(map(Path, runs))
    evidence = survey.combine_runs(list(map(refined_run, found.finished)), found.unfinished, without)

    rows = [pair.row for pair in evidence.pairs]
    return RunComparison(
        differences=results_frame(rows),
        scores=scores_frame(rows),
        means=pandas.DataFrame(evidence.means(), columns=list(survey.OF_MEANS)),
        parsers=pandas.DataFrame([all_parsers.values() for all_parsers in evidence.combine_parsers()]),
        remarks=evidence.remarks,
    )
