"""What `learnability doubts` does without training: --quick, --check, --join, --apply."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING

from learnability.extending import InputError, RunError, count_noun, print_json, print_line, write_atomically
from learnability.extensions.doubts.declaration import ApplyOptions, DoubtsOptions

if TYPE_CHECKING:
    from learnability.extending import TreebankFiles, TreebankSelection
    from learnability.extensions.doubts.applying import Applied
    from learnability.extensions.doubts.decisions import Decision, DecisionFile


def act_if_asked(
    applying: ApplyOptions,
    options: DoubtsOptions,
    selection: TreebankSelection,
    out: str | None,
    *,
    typed: Mapping[str, str],
    **shown: bool,
) -> bool:
    """Do what needs no training if that is asked for, and return whether it is."""
    tasks = ("quick", "check", "join", "apply")
    asked = [name for name in tasks if getattr(applying, name) not in (False, None, ())]
    if len(asked) > 1:
        raise InputError(f"--{asked[0]} and --{asked[1]} do not go together; leave one out")
    if asked:
        check_effects(asked[0], typed)
    if applying.apply:
        apply_files(applying, selection, out, **shown)
        return True
    if applying.join:
        join_decisions(applying.join, out, is_allowed=shown["force"])
        return True
    if applying.quick or applying.check is not None:
        list_quickly(applying, options, selection, out, **shown)
        return True
    if applying.tsv:
        raise InputError("--tsv lists what is accepted or found; add --apply FILE, --quick or --check")
    for name in ("fix", "diff"):
        if getattr(applying, name):
            raise InputError(f"--{name} needs doubts or decisions; add --apply with doubts.csv")
    return False


NAMING = ("treebank", "ud_home", "release", "train", "dev", "test", "multiple_roots", "skip_incomplete")
"""The options that say what the treebank is, and how it is read."""

EFFECTS = {
    "quick": (*NAMING, "every", "column", "beside", "decisions", "tsv", "out", "force", "as_json"),
    "check": (*NAMING, "column", "beside", "decisions", "tsv", "as_json"),
    "join": ("out", "force"),
    "apply": (*NAMING, "fix", "diff", "tsv", "out", "force", "as_json"),
}
"""The options that have an effect on what needs no training."""


def check_effects(task: str, typed: Mapping[str, str]) -> None:
    """Refuse what a user typed and has no effect on a task, by an InputError."""
    for name, flag in typed.items():
        if name not in (task, "quiet", *EFFECTS[task]):
            raise InputError(f"{flag} has no effect with --{task}; leave out one of them")
    for printed in ("tsv", "diff"):
        if printed in typed and "as_json" in typed:
            raise InputError(f"--json has no effect with --{printed}; leave out one of them")


def apply_files(
    applying: ApplyOptions,
    selection: TreebankSelection,
    out: str | None,
    *,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Apply files of decisions to a treebank, and say what came of it.

    Raises:
        InputError: a file cannot be read; what would be overwritten could be lost.
        RunError: something was not applied.
    """
    from learnability.extending import SentenceChecker
    from learnability.extensions.doubts.applying import apply_decisions
    from learnability.extensions.doubts.decisions import decisions_text, read_decisions
    from learnability.extensions.doubts.files import change_lines, read_files
    from learnability.extensions.doubts.merging import accept_lines, accept_matching, merge_decisions

    if applying.tsv and (applying.diff or out):
        raise InputError("--tsv prints a list and writes no files; leave out --diff and --out")
    read = [accept_lines(read_decisions(path), Path(path).parent) for path in applying.apply]
    if applying.fix:
        read = [accept_matching(file, applying.fix) for file in read]
    agreed, conflicts = merge_decisions(read)
    treebank = find_treebank(selection, applying.apply, read)
    paths = list(dict.fromkeys(treebank.paths()))
    files = read_files(treebank, **selection.data.reading)
    checker = SentenceChecker.of(file.name for file in files)
    applied = apply_decisions(files, agreed, multiple_roots=selection.multiple_roots, checker=checker)
    folder = Path(out or Path("corrected") / treebank.name)
    prints = applying.diff or applying.tsv
    targets: dict[Path, bytes] = {}
    if applying.tsv:
        pairs = [zip(file.sentences, trees, strict=True) for file, trees in applied.trees]
        for line in change_lines(chain.from_iterable(pairs), applied.done):
            print_line(line)
    elif applying.diff:
        patches = []
        for path, (file, data) in zip(paths, applied.files, strict=True):
            if file.data != data and path.name.endswith(".gz"):
                raise InputError(f"{path} is compressed; decompress it, or leave out --diff")
            patches.append(make_patch(path.name, file.data, data))
        sys.stdout.flush()
        sys.stdout.buffer.write(b"".join(patches))
        sys.stdout.buffer.flush()
    else:
        for path, (_, data) in zip(paths, applied.files, strict=True):
            targets[folder / path.name.removesuffix(".gz")] = data
        if applying.fix:
            targets[folder / "decisions.csv"] = decisions_text(applied.done).encode()
        check_new(targets, is_allowed=force)
    write_files(targets)
    written = [path.name for path in targets]
    how = {"as_json": as_json, "quiet": quiet, "has_patch": prints}
    tell_outcome(applied, conflicts, written, folder, checker.name, **how)


def list_quickly(
    applying: ApplyOptions,
    options: DoubtsOptions,
    selection: TreebankSelection,
    out: str | None,
    *,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """List what counting finds.

    Raises:
        InputError: the treebank or a decision cannot be read; what would be overwritten could be lost.
        RunError: a row that --check asks for is not decided, or is accepted and not applied.
    """
    from learnability.extending import Column, SentenceChecker
    from learnability.extensions.doubts.applying import find_unapplied
    from learnability.extensions.doubts.columns import is_chosen
    from learnability.extensions.doubts.doubt import mark_breaking
    from learnability.extensions.doubts.files import (
        COLUMNS,
        DOUBTS,
        doubt_values,
        list_sentences,
        read_beside,
        read_files,
        tsv_lines,
    )
    from learnability.extensions.doubts.in_lines import (
        LEGEND,
        ORDER,
        PROPOSAL,
        TOGETHER,
        WIDTH,
        group_by_cause,
        lines_of_causes,
    )
    from learnability.extensions.doubts.merging import known_doubts
    from learnability.extensions.doubts.page import PAGE, make_page
    from learnability.extensions.doubts.quick import list_quick_doubts

    if out and Path(out).exists() and not Path(out).is_dir():
        raise InputError(f"--out {out} is a file; name a folder")
    treebank = selection.files()
    files = read_files(treebank, **selection.data.reading)
    sentences = list_sentences(files)
    known = known_doubts(options.decisions)
    beside = read_beside(options.beside, treebank.paths(), **selection.data.reading)
    doubts = list_quick_doubts(sentences, known, columns=options.column, beside=beside)
    level = applying.check
    if level is None:
        doubts = mark_breaking(doubts, sentences, SentenceChecker.of(file.name for file in files))
    else:
        doubts = [doubt for doubt in doubts if doubt.score >= level]
    trees = [sentence.tree for sentence in sentences]
    causes = group_by_cause(doubts)
    shown = causes if options.every or level is not None else causes[:ROWS]
    width = get_terminal_size((WIDTH, 24)).columns
    if as_json:
        print_json({"doubts": list(map(doubt_values, doubts))})
    elif applying.tsv:
        for line in tsv_lines(doubts):
            print_line(line)
    else:
        most = TOGETHER if level is None else len(doubts)
        for line in lines_of_causes(shown, trees, width, most):
            print_line(line)
        if shown:
            print_line(LEGEND)
    if level is not None:
        decided, columns = known.decisions, options.column
        chosen = [each for each in decided if not columns or is_chosen(each.place.column, columns)]
        unapplied = find_unapplied(sentences, chosen)
        for sentence, each in unapplied:
            word = each.place.word
            where = f"{sentence.file}:{sentence.line_of(word)}"
            print_line(f"{where}: accepted, but not applied: {sentence.tree.forms[word - 1]}", error=True)
        problems = []
        if doubts:
            problems.append(
                f"{count_noun(len(doubts), 'row')} with a score of {level} or more not decided; correct the "
                "words, or reject the rows in a file for --decisions"
            )
        if unapplied:
            problems.append(
                f"{count_noun(len(unapplied), 'accepted word')} not applied; apply the file with --apply, or "
                "reject what it refuses"
            )
        if problems:
            raise RunError(". ".join(problems))
        return
    folder = Path(out or Path("runs") / f"{treebank.name}-quick")
    check_undecided(folder / DOUBTS, is_allowed=force)
    page = make_page(
        treebank.name, doubts, sentences, known.decisions, [ORDER, PROPOSAL], treebank.as_options()
    )
    write_files({folder / DOUBTS: Column.csv(COLUMNS, map(doubt_values, doubts)), folder / PAGE: page})
    if not (quiet or as_json or applying.tsv):
        print_line("")
        for text in (
            f"We show {len(shown):,} of {count_noun(len(causes), 'cause')}, by counting alone (--all: all).",
            f"In {folder / PAGE} you decide about the {count_noun(len(doubts), 'row')}.",
            "We checked some rules of the guidelines. Without --quick, the official validator and parsers "
            "look, too.",
        ):
            for line in wrap(text, width, break_long_words=False, break_on_hyphens=False):
                print_line(line)


ROWS = 50
"""The causes that --quick shows unless all are asked for."""


def check_undecided(path: Path, *, is_allowed: bool) -> None:
    """Refuse to write over a list in which somebody has decided, by an InputError, unless that is allowed."""
    from learnability.extensions.doubts.decisions import read_decisions

    if not is_allowed and path.exists() and any(each.verdict for each in read_decisions(str(path)).decisions):
        raise InputError(f"{path} has decisions; use another --out, or --force")


def join_decisions(paths: Sequence[str], out: str | None, *, is_allowed: bool) -> None:
    """Join files of decisions, and say in what they agree; raise an InputError if that cannot be."""
    from learnability.extensions.doubts.joining import agreement_lines, join_tables

    if len(paths) < 2 or not out:
        raise InputError("--join joins files; repeat it for each of them, and name the new one with --out")
    joined = join_tables(paths)
    check_new({Path(out): joined.data}, is_allowed=is_allowed)
    write_files({Path(out): joined.data})
    for line in agreement_lines(joined):
        print_line(line)
    print_line(f"Wrote {out} with {count_noun(joined.rows, 'row')}.")


def check_new(targets: Mapping[Path, bytes], *, is_allowed: bool) -> None:
    """Refuse to write over files with other content, by an InputError, unless that is allowed."""
    for path, data in targets.items():
        if not is_allowed and path.exists() and path.read_bytes() != data:
            raise InputError(f"{path} exists and would change; use another --out, or --force")


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write files, each as a whole; raise a RunError if one cannot be written."""
    for path, data in contents.items():
        with RunError.explain(f"{path} cannot be written", "choose another --out"):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, data)


def tell_outcome(
    applied: Applied,
    conflicts: Sequence[Sequence[Decision]],
    written: Sequence[str],
    folder: Path,
    checked_by: str,
    *,
    as_json: bool,
    quiet: bool,
    has_patch: bool,
) -> None:
    """Say what was applied and what was not; raise a RunError if something was not."""
    from learnability.extending import SentenceChecker
    from learnability.extensions.doubts.joining import tell_decisions

    refused = [(each.decision.where, each.reason) for each in applied.refused]
    for decisions in conflicts:
        refused.append((decisions[0].where, f"decided differently: {tell_decisions(decisions)}"))
    values = {
        "applied": applied.accepted,
        "already": applied.already,
        "words": applied.changed,
        "arcs": applied.arcs,
        "enhanced_followed": applied.followed,
        "enhanced_unclear": applied.unclear,
        "checked_by": checked_by,
        "files": list(written),
        "refused": [{"decision": where, "reason": reason} for where, reason in refused],
    }
    copies = len(applied.done) - applied.accepted
    in_copies = f", {copies:,} of them in copies of their sentences" if copies else ""
    changed = f"{count_noun(applied.changed, 'word')} changed{in_copies}"
    lines = [f"Applied {count_noun(applied.accepted, 'decision')}: {changed}."]
    if applied.changed:
        lines.append(f"We checked every changed sentence before and after, by {checked_by}: no new error.")
    if checked_by == SentenceChecker.OURS:
        lines.append("Install udtools, and the official validator checks them.")
    if applied.already:
        lines.append(f"{count_noun(applied.already, 'decision')} had been applied before.")
    if applied.followed or applied.unclear:
        arcs = count_noun(applied.arcs, "word")
        followed = f"the enhanced graph (DEPS) of {applied.followed:,}" if applied.followed else "no DEPS"
        lines.append(f"{arcs} got another head or relation; {followed} follows.")
    if applied.unclear:
        unclear = count_noun(len(applied.unclear), "word")
        lines.append(
            f"Check DEPS of {unclear}, whose other enhanced edges the changes may contradict: "
            f"{', '.join(applied.unclear)}."
        )
    if written:
        lines.append(f"Wrote {', '.join(written)} to {folder}")
    if as_json and not has_patch:
        print_json(values)
    else:
        for line in () if has_patch and quiet else lines:
            print_line(line, error=has_patch)
    for where, reason in refused:
        print_line(f"{where}: not applied: {reason}", error=True)
    if refused:
        raise RunError(f"{count_noun(len(refused), 'decision')} could not be applied; see above")


def find_treebank(
    selection: TreebankSelection, paths: Sequence[str], files: Sequence[DecisionFile]
) -> TreebankFiles:
    """Return the treebank that is named, else that of the run in the folder of the decisions, else that of
    the run whose page wrote them; raise an InputError if there is neither.
    """
    if selection.is_named:
        return selection.files()
    from learnability.extending import treebanks_of_run  # which imports parsers

    for folder in (str(Path(paths[0]).parent), *(file.run for file in files if file.run)):
        try:
            if of_run := treebanks_of_run(Path(folder)):
                return of_run[0]
        except InputError as error:
            raise InputError(f"{error}, or name the treebank with --treebank") from None
    return selection.files()


CONTEXT = 3
"""The lines around a change that a patch repeats."""


def make_patch(name: str, before: bytes, after: bytes) -> bytes:
    """Return what changes between two versions of a file with as many lines, as a unified diff for git."""
    old, new = before.split(b"\n"), after.split(b"\n")
    changed = [number for number, (first, second) in enumerate(zip(old, new, strict=True)) if first != second]
    if not changed:
        return b""
    parts = [f"--- a/{name}\n+++ b/{name}\n".encode()]
    end = len(old) - (old[-1] == b"")  # what follows the last end of line is no line
    for first, last in _hunks(changed):
        start, stop = max(0, first - CONTEXT), min(end, last + 1 + CONTEXT)
        size = stop - start
        parts.append(f"@@ -{start + 1},{size} +{start + 1},{size} @@\n".encode())
        parts += _lines_of_hunk(old, new, range(start, stop))
    return b"".join(parts)


def _hunks(changed: Sequence[int]) -> Iterator[tuple[int, int]]:
    first = last = changed[0]
    for number in changed[1:]:
        if number - last > 2 * CONTEXT:
            yield first, last
            first = number
        last = number
    yield first, last


def _lines_of_hunk(old: Sequence[bytes], new: Sequence[bytes], numbers: range) -> Iterator[bytes]:
    def write(sign: bytes, lines: Sequence[bytes], number: int) -> bytes:
        end = b"\n" if number + 1 < len(old) else b"\n\\ No newline at end of file\n"
        return sign + lines[number] + end

    for is_same, group in groupby(numbers, lambda number: old[number] == new[number]):
        some = list(group)
        if is_same:
            yield from (write(b" ", old, number) for number in some)
        else:
            yield from (write(b"-", old, number) for number in some)
            yield from (write(b"+", new, number) for number in some)
