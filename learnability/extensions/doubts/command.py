"""Apply what was decided about doubts: `learnability doubts --apply`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from learnability.extending import (
    InputError,
    RunError,
    count_noun,
    print_json,
    print_line,
    treebanks_of_run,
    write_atomically,
)
from learnability.extensions.doubts.declaration import ApplyOptions

if TYPE_CHECKING:
    from learnability.extending import TreebankFiles, TreebankSelection
    from learnability.extensions.doubts.applying import Applied
    from learnability.extensions.doubts.decisions import Decision
    from learnability.extensions.doubts.merging import Conflict


def apply_if_asked(
    applying: ApplyOptions, selection: TreebankSelection, out: str | None, **shown: bool
) -> bool:
    """Apply decisions if there are any, and return whether there are."""
    if applying.apply:
        apply_files(applying, selection, out, **shown)
        return True
    for name in ("fix", "diff", "in_place", "allow_dirty"):
        if getattr(applying, name):
            raise InputError(
                f"--{name.replace('_', '-')} needs doubts or decisions; add --apply with doubts.csv"
            )
    return False


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
    from learnability.extending import read_conllu
    from learnability.extensions.doubts.applying import apply_decisions
    from learnability.extensions.doubts.decisions import read_decisions
    from learnability.extensions.doubts.merging import accept_matching, merge_decisions
    from learnability.extensions.doubts.patches import make_patch

    if applying.in_place and (applying.diff or out):
        raise InputError("--in-place changes the files themselves; leave out --diff and --out")
    read = [read_decisions(path) for path in applying.apply]
    if applying.fix:
        read = [accept_matching(file, applying.fix) for file in read]
    agreed, conflicts = merge_decisions(read)
    treebank = find_treebank(selection, applying.apply)
    paths = list(dict.fromkeys(treebank.paths()))
    files = [read_conllu(path, name=path.name, **selection.data.reading) for path in paths]
    applied = apply_decisions(files, agreed, multiple_roots=selection.multiple_roots)
    changed = [
        ChangedFile(path, file.data, data)
        for path, (file, data) in zip(paths, applied.files, strict=True)
        if file.data != data
    ]
    if applying.diff or applying.in_place:
        check_plain(changed, f"--{'diff' if applying.diff else 'in-place'}")
    targets: dict[Path, bytes] = {}
    if applying.diff:
        sys.stdout.flush()
        for file in changed:
            sys.stdout.buffer.write(make_patch(file.path.name, file.before, file.after))
        sys.stdout.buffer.flush()
    elif applying.in_place:
        check_undoable(changed, is_allowed=applying.allow_dirty)
        targets = {file.path: file.after for file in changed}
    else:
        folder = Path(out or Path("corrected") / treebank.name)
        targets = {folder / file.path.name.removesuffix(".gz"): file.after for file in changed}
        check_new(targets, is_allowed=force)
    write_files(targets)
    written = [path.name for path in targets]
    place = "" if applying.in_place else str(out or Path("corrected") / treebank.name)
    tell_outcome(applied, conflicts, written, place, as_json=as_json, quiet=quiet, has_patch=applying.diff)


@dataclass(frozen=True)
class ChangedFile:
    """Represent a file of a treebank that decisions change."""

    path: Path
    before: bytes
    after: bytes


def check_plain(changed: Sequence[ChangedFile], option: str) -> None:
    """Refuse compressed files, which a patch cannot change, and which would be written uncompressed.

    Raises:
        InputError: one is compressed.
    """
    for file in changed:
        if file.path.name.endswith(".gz"):
            raise InputError(f"{file.path} is compressed; decompress it, or leave out {option}")


def check_undoable(changed: Sequence[ChangedFile], *, is_allowed: bool) -> None:
    """Refuse to change files in place that git could not restore.

    Raises:
        InputError: one is not committed, and that is not allowed.
    """
    from learnability.extending import Checkout

    for file in changed:
        if not is_allowed and not Checkout(file.path.parent).has_as_is(file.path.name):
            raise InputError(f"{file.path} is not committed as it is; commit it, or add --allow-dirty")


def check_new(targets: Mapping[Path, bytes], *, is_allowed: bool) -> None:
    """Refuse to write over files with other content.

    Raises:
        InputError: there is one, and that is not allowed.
    """
    for path, data in targets.items():
        if not is_allowed and path.exists() and path.read_bytes() != data:
            raise InputError(f"{path} exists and would change; use another --out, or --force")


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write files, each as a whole.

    Raises:
        RunError: one cannot be written.
    """
    for path, data in contents.items():
        with RunError.explain(f"{path} cannot be written", "choose another --out"):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, data)


MOST_NAMED = 10
"""Words that the outcome of decisions names by file and line."""


def tell_outcome(
    applied: Applied,
    conflicts: Sequence[Conflict],
    written: Sequence[str],
    place: str,
    *,
    as_json: bool,
    quiet: bool,
    has_patch: bool,
) -> None:
    """Say what was applied and what was not.

    Raises:
        RunError: something was not.
    """
    refused = [(each.decision.where, each.reason) for each in applied.refused]
    refused += [(conflict.decisions[0].where, _describe_conflict(conflict)) for conflict in conflicts]
    values = {
        "applied": applied.accepted,
        "already": applied.already,
        "words": applied.changed,
        "arcs": applied.arcs,
        "enhanced_followed": applied.followed,
        "enhanced_unclear": applied.unclear,
        "files": list(written),
        "refused": [{"decision": where, "reason": reason} for where, reason in refused],
    }
    lines = [
        f"Applied {count_noun(applied.accepted, 'decision')}: {count_noun(applied.changed, 'word')} changed."
    ]
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
    if applied.only_tags:
        few = ", ".join(applied.only_tags[:MOST_NAMED])
        more = "" if len(applied.only_tags) <= MOST_NAMED else ", …"
        lines.append(
            f"{count_noun(len(applied.only_tags), 'word')} with another tag: XPOS and features are still "
            f"those of the old one ({few}{more})."
        )
    if written:
        lines.append(f"Wrote {', '.join(written)}{f' to {place}' if place else ''}")
    if as_json and not has_patch:
        print_json(values)
    else:
        for line in () if has_patch and quiet else lines:
            print_line(line, error=has_patch)
    for where, reason in refused:
        print_line(f"{where}: not applied: {reason}", error=True)
    if refused:
        raise RunError(f"{count_noun(len(refused), 'decision')} could not be applied; see above")


def _describe_conflict(conflict: Conflict) -> str:
    """Return who decided what, ``anna.csv:3 accepts case of 9, ben.csv:7 rejects it``."""
    return "decided differently: " + ", ".join(map(_describe_decision, conflict.decisions))


def _describe_decision(decision: Decision) -> str:
    if decision.verdict == "reject":
        return f"{decision.where} rejects"
    arcs = ", ".join(f"{arc.deprel} of {arc.head} for word {arc.word}" for arc in decision.arcs)
    values = ", ".join(value.new or f"no {value.column}" for value in decision.values)
    return f"{decision.where} accepts {' as '.join(filter(None, (arcs, values)))}"


def find_treebank(selection: TreebankSelection, decisions: Sequence[str]) -> TreebankFiles:
    """Return the treebank that is named, else that of the run whose folder has the first file of decisions.

    Raises:
        InputError: there is neither.
    """
    if selection.is_named:
        return selection.files()
    of_run = treebanks_of_run(Path(decisions[0]).parent)
    return of_run[0] if of_run else selection.files()
