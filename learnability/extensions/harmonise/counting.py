"""Count in which conventions treebanks differ: `learnability harmonise` without `--train`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from learnability.extending import (
    InputError,
    RunError,
    SentenceChecker,
    Version,
    WordTable,
    count_noun,
    enumerate_names,
    print_json,
    print_line,
    write_atomically,
)
from learnability.extensions.harmonise.convention_lines import (
    as_record,
    cost_values,
    describe_convention,
    describe_inventory,
    explain_line,
    name_value,
)
from learnability.extensions.harmonise.convention_page import PAGE, make_convention_page
from learnability.extensions.harmonise.convention_search import ConventionSearch
from learnability.extensions.harmonise.convention_words import (
    LearnedValues,
    NumberedLine,
    contents_of_lines,
    file_name,
    learn_values,
    mark_breaking,
    may_have_proposal,
    word_rows,
)
from learnability.extensions.harmonise.conventions import Convention, TreebankConventions
from learnability.extensions.harmonise.declaration import CountingOptions
from learnability.extensions.harmonise.selecting import LanguageSelection, check_files_differ, tell_apart
from learnability.extensions.harmonise.sentence_values import SentenceReader

if TYPE_CHECKING:
    from learnability.extending import TreebankFiles, TreebankSelection

COUNTED = (
    *("treebank", "others", "ud_home", "multiple_roots", "columns", "context", "most"),
    *("line", "check", "out", "as_json", "quiet", "force"),
)
"""The parameters of the command that have an effect without `--train`."""

COLUMNS = ("upos", "xpos", "lemma", "feats", "relation", "subtype", "head", "split")
"""What `--columns` can name, besides single features (`feats:Number`)."""


@dataclass(frozen=True)
class CountedTreebanks:
    """Hold in which conventions treebanks of a language differ.

    Attributes:
        names: those of the treebanks.
        table: all their words.
        columns: only these are compared; empty for all.
    """

    names: tuple[str, ...]
    table: WordTable
    columns: tuple[str, ...] = ()

    @cached_property
    def found(self) -> tuple[TreebankConventions, ...]:
        """Return in what each treebank differs from the others; of two treebanks in what the first does."""
        first = ConventionSearch(self.table, 0)
        others = range(1, len(self.names)) if len(self.names) > 2 else ()
        searches = (first, *(ConventionSearch(self.table, number, first) for number in others))
        return tuple(search.find(self.columns) for search in searches)

    @cached_property
    def learned(self) -> dict[int, LearnedValues]:
        """Return by treebank what words should have where this depends on sentences; trains classifiers."""
        reader = SentenceReader(self.table)
        return {
            found.treebank: learn_values(
                reader, [line for lines in lines_of(found) for _, line in lines], found.treebank
            )
            for found in self.found
        }

    def files_of(self, treebank: int) -> set[str]:
        """Return the names of the files of a treebank."""
        numbers = np.unique(self.table.sentence[self.table.treebank == treebank]).tolist()
        return {self.table.sentences[number].file for number in numbers}


def count_conventions(
    *treebanks: str | os.PathLike[str] | Version,
    ud_home: str | os.PathLike[str] | None = None,
    columns: Sequence[str] = (),
) -> CountedTreebanks:
    """Return in which conventions treebanks of one language differ, by counting; nothing is trained.

    Args:
        treebanks: two or more: names (``UD_X@2.16``: in a release), folders, files, or versions.
        ud_home: the folder in which names are searched, as in :func:`learnability.load_treebank`.
        columns: only these (:data:`COLUMNS`, or a feature: ``feats:Number``).

    Returns:
        The treebanks; `found` has the conventions of each.

    Raises:
        InputError: a treebank cannot be found, read or compared.
    """
    if len(treebanks) < 2:
        raise InputError("conventions differ between treebanks; name a second one")
    for name in columns:
        if name not in COLUMNS and not name.startswith("feats:"):
            raise InputError(f"`columns={name!r}` is no column; use {', '.join(COLUMNS)} or feats:NAME")
    versions = [
        item if isinstance(item, Version) else Version.named(os.fspath(item), ud_home=ud_home)
        for item in treebanks
    ]
    check_files_differ((version.name, version.digests) for version in versions)
    for version in versions:
        if not version.words:
            raise InputError(f"{version.name} has no words; name another treebank of the language")
        if all(all(sentence.tree.find_withheld()) for sentence in version.sentences):
            raise InputError(
                f"{version.name} withholds all words; restore its text, or name another treebank"
            )
    titles = [version.name for version in versions]
    files = [Path(title).name.removesuffix(".gz").removesuffix(".conllu") for title in titles]
    names = tuple(tell_apart(files if len(set(files)) == len(files) else titles))
    return CountedTreebanks(names, WordTable([version.sentences for version in versions]), tuple(columns))


def count_if_asked(
    options: CountingOptions,
    _of_study: object,
    selection: TreebankSelection,
    out: str | None,
    *,
    typed: Mapping[str, str],
    force: bool,
    as_json: bool,
    quiet: bool,
) -> bool:
    """Count and print, unless parsers are to be trained, and return whether this was done.

    Raises:
        InputError: a treebank cannot be compared, or an option has no effect.
        RunError: something differs, with --check; or a file cannot be written.
    """
    _check_effects(options, typed)
    if out and not options.train_parsers and Path(out).exists() and not Path(out).is_dir():
        raise InputError(f"--out {out} is a file; name a folder")
    if options.train_parsers:
        return False
    assert isinstance(selection, LanguageSelection)
    columns = [name for text in options.columns for name in text.split(",")]
    versions = [
        Version.named(name, ud_home=selection.ud_home, multiple_roots=selection.multiple_roots)
        for name in selection.every_name()
    ]
    counted = count_conventions(*versions, columns=columns)
    for text in _warnings_of(counted):
        print_line(text, error=True)
    if options.line is not None:
        _print_line(counted, options)
    elif as_json:
        print_json(values_of_lines(counted, options.context))
    else:
        _print_lines(counted, options, quiet=quiet or options.check)
    if options.check:
        _check_alike(counted, options.context)
    if out:
        _learn(counted, quiet=quiet or as_json)
        files = [Version.find_files(name, ud_home=selection.ud_home) for name in selection.every_name()]
        _write_files(contents_of(counted, files), Path(out), is_allowed=force, quiet=quiet or as_json)
    return True


def _check_effects(options: CountingOptions, typed: Mapping[str, str]) -> None:
    of_counting = ("columns", "context", "most", "line", "check")
    for name, flag in typed.items():
        if options.train_parsers and name in of_counting:
            raise InputError(f"{flag} has no effect with --train; leave out one of them")
        if not options.train_parsers and name not in (*COUNTED, "train_parsers"):
            raise InputError(f"{flag} has no effect without --train; add --train, or leave it out")
        if options.line is not None and name in ("most", "as_json", "out", "force", "check"):
            raise InputError(f"{flag} has no effect with --line; leave out one of them")
        if name == "most" and "as_json" in typed:
            raise InputError(f"{flag} has no effect with --json, which has all; leave out one of them")
        if options.check and name in ("out", "force"):
            raise InputError(f"{flag} has no effect with --check; leave out one of them")


def _check_alike(counted: CountedTreebanks, context: str) -> None:
    differing = [
        counted.names[found.treebank]
        for found in counted.found
        if any(lines_of(found, context)) or (found.inventories and not context)
    ]
    if differing:
        raise RunError(
            f"conventions of {enumerate_names(differing)} differ; correct the words, or choose others with "
            "--columns and --context"
        )


def lines_of(
    found: TreebankConventions, context: str = ""
) -> tuple[list[tuple[int, Convention]], list[tuple[int, Convention]]]:
    """Return the conventions of a treebank: those of inventories, which are numbered first, and others.

    Args:
        found: in what the treebank differs.
        context: only lines with this value in a context, or with this column and value, `upos=AUX`.
    """
    details: list[Convention] = []
    for line in (line for each in found.inventories for line in each.details):
        if not any(line is other for other in details):  # one may be about two labels
            details.append(line)
    of_labels = [each for each in enumerate(details, 1) if not context or _has_context(each[1], context)]
    lines = list(enumerate(found.conventions, len(details) + 1))
    others = [each for each in lines if not context or _has_context(each[1], context)]
    return of_labels, others


def shorten_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without the language that all begin with: `IMST` and `BOUN`."""
    heads = {name.partition("-")[0] for name in names}
    rests = tuple(name.partition("-")[2] for name in names)
    return rests if len(heads) == 1 and all(rests) and len(set(rests)) == len(names) else tuple(names)


def _has_context(line: Convention, text: str) -> bool:
    return any(
        text
        in (pair.value, f"{pair.column}={pair.value}", f"{pair.column.removeprefix('feats:')}={pair.value}")
        for context in line.contexts
        for pair in context
    )


def _print_lines(counted: CountedTreebanks, options: CountingOptions, *, quiet: bool) -> None:
    is_any = False
    for found in counted.found:
        labels = [] if options.context else list(tell_labels(counted.names, found))
        told = (
            *(labels and [*labels, ""]),
            answer_of(counted, found, options.context),
            *tell_conventions(counted, found, options.context, options.most),
            "",
        )
        for line in told:
            print_line(line)
        is_any |= bool(found.inventories or found.conventions)
    if is_any and not quiet:
        print_line(
            "--line N shows sentences and queries of a line; --out DIR writes files; --train says what"
        )
        print_line("conventions cost a parser. Counts tell where treebanks differ, not which is right.")


def tell_labels(names: Sequence[str], found: TreebankConventions) -> Iterator[str]:
    """Yield what one side has and the other lacks."""
    name = names[found.treebank]
    if found.inventories:
        yield f"Labels that {name} hardly has, or that only {name} has:"
    for each in found.inventories:
        yield f"      {describe_inventory(each, shorten_names(names), found.treebank)}"


def answer_of(counted: CountedTreebanks, found: TreebankConventions, context: str = "") -> str:
    """Return in how many conventions a treebank differs from the others, as a sentence."""
    details, lines = lines_of(found, context)
    first = counted.names[found.treebank]
    others = enumerate_names([name for number, name in enumerate(counted.names) if number != found.treebank])
    labels = 0 if context else len(found.inventories)
    if not lines and not details and not labels:
        chosen = [f" in {', '.join(counted.columns)}"] if counted.columns else []
        chosen += [f" with {context}"] if context else []
        return f"We found no convention{''.join(chosen)} in which {first} differs from {others}."
    parts = [count_noun(len(lines) + len(details), "convention")] if lines or details else []
    if labels:
        parts.append(
            f"{count_noun(labels, 'label')} that hardly {'occurs' if labels == 1 else 'occur'} on one side"
        )
    alone = f" ({', '.join(counted.columns)} alone compared)" if counted.columns else ""
    return f"{first} differs from {others} in {enumerate_names(parts)}{alone}."


def tell_conventions(
    counted: CountedTreebanks,
    found: TreebankConventions,
    context: str = "",
    most: int = 20,
    more: str = "--max {} lists all",
) -> Iterator[str]:
    """Yield the conventions in which a treebank differs from the others, a line for each.

    `more`: where all are, with a place for their number.
    """
    details, lines = lines_of(found, context)
    groups = {
        "Where these labels stand, or others in their place": details,
        "Conventions, those that concern most words and are surest first": lines,
    }
    for title, group in groups.items():
        if group:
            yield f"\n{title}:"
        for _, alike in groupby(group[:most], lambda each: each[1].group):
            together = list(alike)
            if len(together) >= FEWEST_TOGETHER:
                value = name_value(together[0][1].columns[0], together[0][1].value)
                yield f"      {value}, in {len(together)} lines:"
            for number, line in together:
                text = describe_convention(line, shorten_names(counted.names), found.treebank)
                if not may_have_proposal(counted.table, line, found.treebank):
                    text += " (no proposal)"
                yield f"{number:>5} {'  ' if len(together) >= FEWEST_TOGETHER else ''}{text}"
        if len(group) > most:
            yield f"      {len(group) - most} more of this list; {more.format(len(group))}."


FEWEST_TOGETHER = 3
"""The lines about one value that stand under its name."""

SHARED = 0.1
"""Treebanks of one language share the forms of more of their words than this."""


def _warnings_of(counted: CountedTreebanks) -> Iterator[str]:
    """Yield which treebanks have hardly any form that the others have, so that little is compared."""
    table = counted.table
    form = table.column("form")
    is_word = np.array([any(map(str.isalpha, name)) for name in form.names], np.bool_)[form.codes]
    for number, name in enumerate(counted.names):
        is_home = table.treebank == number
        mine, others = form.codes[is_home & is_word], form.codes[~is_home & is_word]
        shared = int(np.isin(mine, others).sum())
        if shared < SHARED * len(mine):
            yield (
                f"Warning: only {shared:,} of {count_noun(len(mine), 'word')} of {name} have a form that the "
                "other side has, so hardly anything is compared. Are they of one language?"
            )


def _print_line(counted: CountedTreebanks, options: CountingOptions) -> None:
    for found in counted.found:
        details, lines = lines_of(found, options.context)
        by_number = dict([*details, *lines])
        if options.line in by_number:
            for text in explain_line(by_number[options.line], counted.names, found.treebank, counted.table):
                print_line(text)
            return
    raise InputError(f"--line {options.line} does not exist; list the lines without --line")


def values_of_lines(counted: CountedTreebanks, context: str = "") -> dict[str, Any]:
    """Return what was found as values for JSON."""
    names = counted.names
    values = []
    for found in counted.found:
        details, lines = lines_of(found, context)
        numbers = {id(line): number for number, line in details}
        values.append(
            {
                "treebank": names[found.treebank],
                "inventories": [
                    {
                        "line": describe_inventory(each, names, found.treebank),
                        "column": each.column,
                        "value": each.value,
                        "is_own": each.is_own,
                        "words": dict(zip(names, each.counts, strict=True)),
                        "sureness": each.sureness,
                        "cost": cost_values(each.cost),
                        "details": [numbers[id(line)] for line in each.details if id(line) in numbers],
                    }
                    for each in found.inventories
                ],
                "conventions": [
                    {"number": number, **as_record(line, names, found.treebank, counted.table)}
                    for number, line in [*details, *lines]
                ],
            }
        )
    return {"treebanks": list(names), "words": len(counted.table), "found": values}


def contents_of(counted: CountedTreebanks, files: Sequence[TreebankFiles]) -> dict[str, bytes]:
    """Return the files by name: a page for each treebank that differs, the lines, the words with proposals.

    `files`: those of each treebank; none if they are not found any more.
    """
    pages, every, labels = {}, [], {}
    for found in counted.found:
        number, learned = found.treebank, counted.learned[found.treebank]
        lines = [
            NumberedLine(each, line, list(word_rows(counted.table, each, line, number, learned)))
            for of_kind in lines_of(found)
            for each, line in of_kind
        ]
        checker = SentenceChecker.of(counted.files_of(number))
        lines = mark_breaking(counted.table, lines, checker)
        every.append((number, lines))
        labels[number] = found.inventories
        part = f"{file_name(counted.names[number])}-" if len(counted.found) > 1 else ""
        named = files[number].as_options() if files else ""
        pages[f"{part}{PAGE}"] = make_convention_page(
            counted.table,
            counted.names,
            shorten_names(counted.names),
            found,
            lines,
            named,
            learned,
            checker,
        )
    return pages | contents_of_lines(counted.table, counted.names, every, labels)


def _learn(counted: CountedTreebanks, *, quiet: bool) -> None:
    start = perf_counter()
    learned = [values for each in counted.learned.values() for values in each.values()]
    if quiet or not learned:
        return
    print_line(
        f"Trained {count_noun(len(learned), 'classifier')} for values that depend on the sentence, "
        f"on up to {count_noun(max(values.taught for values in learned), 'word')}, in "
        f"{perf_counter() - start:.1f} seconds"
    )


def _write_files(contents: Mapping[str, bytes], folder: Path, *, is_allowed: bool, quiet: bool) -> None:
    """Write files by name, and print the pages.

    Raises:
        InputError: a file exists and would change.
        RunError: a file cannot be written.
    """
    for name, data in contents.items():
        path = folder / name
        if not is_allowed and path.exists() and path.read_bytes() != data:
            raise InputError(f"{path} exists and would change; use another --out, or --force")
    for name, data in contents.items():
        with RunError.explain(f"{folder / name} cannot be written", "choose another --out"):
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / name, data)
    if not quiet:
        print_line(f"Wrote {enumerate_names(list(contents))} to {folder}")
        for name in contents:
            if name.endswith(PAGE):
                print_line(f"Open {folder / name}")
