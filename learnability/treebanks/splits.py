"""Read treebanks, and make the splits that they lack (docs/rules.md, Treebanks and splits)."""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Unpack

from learnability.errors import InputError
from learnability.support.nouns import count_noun
from learnability.support.options import check_number, shorten_value
from learnability.treebanks.alignment import EXAMPLES, with_annotation
from learnability.treebanks.conllu_io import Collected, ConlluFile, Reading, read_conllu
from learnability.treebanks.copies import group_copies
from learnability.treebanks.labels import detect_conventions, release_in
from learnability.treebanks.locate import TreebankFiles, language_code, locate_treebank
from learnability.treebanks.sentence import (
    FEWEST_FOLDS,
    MOST_FOLDS,
    Conventions,
    Sentence,
    Tree,
    Treebank,
    mark_documents,
    number_documents,
    trees_of,
)

USUAL_SPLIT = "80:10:10"
"""Shares of the training, development and test set where `splits` is ``cut``."""

NO_SHARES = ("released", "dev")
"""The values of `splits` that do not cut all sentences anew."""

USUAL_FOLDS = 10
"""Folds where a treebank has too few splits for anything but cross-validation."""

WITHOUT_WORDS = "every FORM is _ (text not included)"
"""What a warning says of a file of which UD publishes no text."""

UNEVEN = 0.25
"""Largest difference between a fold and the mean fold, as a share of the mean, for which folds count as about
equally large."""


def read_treebank(
    files: TreebankFiles, *, keep_incomplete: bool = False, **reading: Unpack[Reading]
) -> Treebank:
    """Return all sentences of a treebank in the splits that it has; missing splits are empty.

    The trees also have the other annotations of the files. The other arguments are those of `read_conllu`.

    Raises:
        InputError: a file cannot be read or is malformed.
    """
    digests: dict[str, str] = {}
    splits: dict[str, tuple[Sentence, ...]] = {}
    warnings: list[str] = []
    seen: dict[str, str] = {}
    broken = Collected()
    for split, paths in files.splits():
        splits[split] = ()
        for number, path in enumerate(paths):
            with broken:
                file = read_conllu(path, keep_incomplete=keep_incomplete, **reading)
            if broken.problems:
                continue  # the other files are only read to count their broken sentences
            digests[str(path)] = file.sha256
            sentences = file.sentences
            for name, annotation in files.annotations:
                other = read_conllu(dict(annotation.splits())[split][number], **reading)
                digests[f"{path} by {Path(name).name}"] = other.sha256
                sentences = with_annotation(sentences, name, other.sentences)
            splits[split] += sentences
            warnings += file.describe_skipped()
            if not file.sentences:
                warnings.append(f"{path} has no sentences")
            elif all(all(sentence.tree.find_withheld()) for sentence in file.sentences):
                warnings.append(f"{path}: {WITHOUT_WORDS}: words tell the parser nothing")
            first = seen.setdefault(os.path.realpath(path), split)
            if first != split:
                warnings.append(f"{path} is used as {first} and as {split}")
    broken.check()
    if files.pooled:
        warnings += _of_whole_folder(files.test, splits["test"])
    trees = (sentence.tree for sentences in splits.values() for sentence in sentences)
    conventions = detect_conventions(trees, release=files.release, folder=files.name)
    conventions = replace(conventions, language=language_code(digests))
    train, dev, test = splits.values()
    treebank = Treebank(files.name, files.release, train, dev, test, conventions, digests)
    return replace(treebank, warnings=tuple(warnings))


def file_conventions(file: ConlluFile) -> Conventions:
    """Return the conventions of a single file: from its labels, its folder and its name."""
    release = release_in(Path(os.path.realpath(file.path)).parent.parent.name) if file.path else ""
    conventions = detect_conventions(trees_of(file, parsed=False), release=release)
    return replace(conventions, language=language_code([file.path] if file.path else []))


def _of_whole_folder(paths: Sequence[Path], sentences: Sequence[Sentence]) -> list[str]:
    """Return lines on a folder that was read as a whole: its files, and the sentences that it has twice."""
    folder, names = paths[0].parent, [path.name for path in paths]
    shown = ", ".join(names[:EXAMPLES]) + (", ..." if len(names) > EXAMPLES else "")
    read = f"all {len(names)} files of {folder} ({shown})" if len(names) > 1 else str(paths[0])
    lines = [f"read {read}; no file of the folder is named as a training, development or test set"]
    if twice := _twice(sentences):
        examples = ", ".join(twice[:EXAMPLES]) + (", ..." if len(twice) > EXAMPLES else "")
        times = "occurs" if len(twice) == 1 else "occur"
        lines.append(
            f"{count_noun(len(twice), 'sentence')} of {folder} {times} again with the same words "
            f"({examples}); keep one of each, or they count twice"
        )
    return lines


def _twice(sentences: Sequence[Sentence]) -> list[str]:
    """Return the ids of the sentences whose words and id occurred before."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    twice: list[str] = []
    for sentence in sentences:
        known = sentence.sent_id, sentence.tree.forms
        if known in seen:
            twice.append(sentence.sent_id)
        seen.add(known)
    return twice


def load_folds(
    files: TreebankFiles,
    *,
    splits: str = "released",
    cross_validate: int | None = None,
    multiple_roots: bool = False,
    skip_incomplete: bool = False,
) -> tuple[Treebank, ...]:
    """Read a treebank and make the splits that it lacks, so that train, dev and test all have sentences.

    With a training and a test split, only a missing dev split is made: the last 10 % of train. See
    docs/rules.md, Treebanks and splits.

    Args:
        files: the files, from :func:`list_treebanks`.
        splits: what to do without a training or a test split. ``released`` refuses. ``dev`` trains on the
            first 90 % of the dev sentences and keeps the last 10 % as dev; without a dev or a test split it
            cross-validates with 10 folds. ``N:N:N`` pools all sentences and cuts them in this proportion,
            ``cut`` 80:10:10.
        cross_validate: the number of folds, 3 or more. All sentences are pooled and cut into as many
            contiguous blocks of about equal numbers of tokens. Blocks consist of whole documents if the
            files mark documents that allow this, else of whole sentences. Fold k tests, fold k + 1 is dev,
            the others train.
        multiple_roots: accept several words with HEAD 0 in one sentence.
        skip_incomplete: leave out sentences in which the HEAD of a word is ``_``.

    Returns:
        One treebank, or one per fold; its `split_policy` says in words which splits were made.

    Raises:
        InputError: a file is malformed, a split is missing under ``released``, there are too few sentences,
            or a proportion or number of folds is invalid.
    """
    treebank = read_treebank(files, multiple_roots=multiple_roots, skip_incomplete=skip_incomplete)
    return divide_treebank(treebank, files, splits=splits, cross_validate=cross_validate)


def divide_treebank(
    treebank: Treebank, files: TreebankFiles, *, splits: str = "released", cross_validate: int | None = None
) -> tuple[Treebank, ...]:
    """Return a treebank that was read from these files with the splits that it lacks; see :func:`load_folds`.

    InputError: a split is missing under ``released``, there are too few sentences, or a number is invalid.
    """
    shares = None if splits in NO_SHARES else split_shares(splits)
    if not (treebank.train or treebank.dev or treebank.test):
        raise InputError(f"{treebank.name} has no sentences; pass a treebank with at least one split")
    if cross_validate is not None:
        return _cross_validation(treebank, cross_validate, "")
    if treebank.train and treebank.test:
        return (treebank if treebank.dev else _tail_cut(treebank, "train"),)
    if splits == "released":
        raise _missing_sets(treebank, files)
    if shares is not None:
        return (_cut_treebank(treebank, shares, pooled=files.pooled),)
    if treebank.dev and treebank.test:
        return (_tail_cut(treebank, "dev"),)
    return _cross_validation(treebank, USUAL_FOLDS, "no test set, or no other set: ")


def _missing_sets(treebank: Treebank, files: TreebankFiles) -> InputError:
    missing = [name for name, part in treebank.splits() if not part and name != "dev"]
    pool = treebank.train + treebank.dev + treebank.test
    total = len(GatheredCopies.of(pool).starts)
    empty = [str(path) for name, paths in files.splits() if name in missing for path in paths]
    reason = f"{', '.join(empty)} {'holds' if len(empty) == 1 else 'hold'} no sentence, so " if empty else ""
    absent = " and no ".join("training" if name == "train" else name for name in missing)
    problem = f"{reason}{treebank.name} has no {absent} set"
    if files.pooled:
        problem = f"the names of the files in {files.folder} tell no training, development and test set"
    if total < FEWEST_FOLDS:
        return InputError(
            f"{problem}, and there are too few sentences to make others ({total}); use a larger treebank"
        )
    ways = [f"`cross_validate={min(USUAL_FOLDS, total)}`"]
    if total >= USUAL_FOLDS:  # enough for 80:10:10
        ways.append("`splits` dev or cut" if len(treebank.dev) > 1 and treebank.test else "`splits='cut'`")
    return InputError(problem, [*ways, "`train`, `dev` and `test` files"])


def load_treebank(
    spec: str | os.PathLike[str],
    *,
    ud_home: str | os.PathLike[str] | None = None,
    release: str | None = None,
    splits: str = "released",
    multiple_roots: bool = False,
    skip_incomplete: bool = False,
) -> Treebank:
    """Find and read a treebank, and make the splits that it lacks.

    Args:
        spec: a folder, a training file, a name (`UD_Irish`), or ``demo`` for the bundled treebank.
        ud_home: the folder to search for a name; by default the folders that LEARNABILITY_UD_HOME and UDBASE
            name, then the download cache.
        release: the requested release, ``2.16``; None for the newest.
        splits: what to do without a training or a test split; see :func:`load_folds`.
        multiple_roots: accept several words with HEAD 0 in one sentence.
        skip_incomplete: leave out sentences in which the HEAD of a word is ``_``.

    Returns:
        The treebank with train, dev and test sentences.

    Raises:
        InputError: there is no such treebank, it is malformed, or `splits` gives several folds.
    """
    files = locate_treebank(spec, ud_home=ud_home, release=release, otherwise="a training file")
    loaded = load_folds(files, splits=splits, multiple_roots=multiple_roots, skip_incomplete=skip_incomplete)
    if len(loaded) > 1:
        problem = f"`splits={splits!r}` makes {len(loaded)} folds of {files.name}"
        raise InputError(f"{problem}; use load_folds, or `splits='cut'`")
    return loaded[0]


def _tail_cut(treebank: Treebank, split: str) -> Treebank:
    sentences = treebank.train if split == "train" else treebank.dev
    ordered = GatheredCopies.of(sentences)
    sentences, total = ordered.sentences, len(sentences)
    if len(ordered.starts) < 2:
        problem = "has only one sentence, which is too few for training and development set"
        if total > 1:
            problem = f"has {count_noun(total, 'sentence')} with the same words, too few for two sets"
        raise InputError(f"{treebank.name} {problem}; use `dev`, or a larger file")
    cut = ordered.nearest_start(max(1, total * 9 // 10))
    policies = {
        "train": f"no dev split: dev is the last 10 % of train ({total - cut} of {total} sentences), "
        "which do not train",
        "dev": f"no train split: train is the first 90 % of dev ({cut} of {total} sentences), dev the rest",
    }
    policy = f"{policies[split]}{ordered.remark}"
    return replace(treebank, train=sentences[:cut], dev=sentences[cut:], split_policy=policy)


def split_shares(splits: str) -> tuple[int, int, int]:
    """Return the shares of train, dev and test: ``N:N:N``, or ``cut`` for the usual ones; else an
    InputError."""
    parts = (USUAL_SPLIT if splits == "cut" else splits).split(":")
    if len(parts) == 3 and all(re.fullmatch("[0-9]{1,6}", part) for part in parts):
        train, dev, test = map(int, parts)
        if train and test:
            return train, dev, test
    raise InputError(
        f"{shorten_value(splits)} is unknown; use released, dev, cut, or the shares of training, development "
        "and test set, such as 60:20:20 (the first and the last above 0)"
    )


def _cut_treebank(treebank: Treebank, shares: tuple[int, int, int], *, pooled: bool = False) -> Treebank:
    proportion = ":".join(map(str, shares))
    ordered = GatheredCopies.of(treebank.train + treebank.dev + treebank.test)
    pool = ordered.sentences
    ends = (round(len(pool) * part / sum(shares)) for part in (shares[0], shares[0] + shares[1]))
    first, second = map(ordered.nearest_start, ends)
    cut = replace(treebank, train=pool[:first], dev=pool[first:second], test=pool[second:])
    for name, part in cut.splits():
        if not part and (name != "dev" or shares[1]):
            few = f"{count_noun(len(pool), 'sentence')}, which {'is' if len(pool) == 1 else 'are'} too few"
            problem = f"has {few} for `splits='{proportion}'`"
            raise InputError(f"{treebank.name} {problem} ({name} is empty); choose other shares")
    held = "all files" if pooled else ", ".join(name for name, part in treebank.splits() if part)
    policy = (
        f"pooled ({held}) and cut {proportion} in file order: {len(cut.train)} train, "
        f"{len(cut.dev)} dev, {count_noun(len(cut.test), 'test sentence')}"
    )
    if not cut.dev:
        cut = _tail_cut(cut, "train")
        policy = f"{policy}; {cut.split_policy.removesuffix(ordered.remark)}"
    policy = f"{policy}{ordered.remark}"
    return replace(cut, split_policy=policy)


def _cross_validation(treebank: Treebank, folds: int, reason: str) -> tuple[Treebank, ...]:
    """Return a treebank per fold; `reason` is the beginning of their `split_policy`."""
    check_number(f"`cross_validate={shorten_value(folds)}`", folds, FEWEST_FOLDS, MOST_FOLDS)
    ordered = GatheredCopies.of(treebank.train + treebank.dev + treebank.test)
    pool, different = ordered.sentences, len(ordered.starts)
    if different < folds:
        advice = f"`cross_validate={different}`" if different >= FEWEST_FOLDS else "a larger treebank"
        noun = "sentence" if different == len(pool) else "different sentence"
        problem = f"has only {count_noun(different, noun)} for {folds} folds"
        raise InputError(f"{treebank.name} {problem}; use {advice}")
    sizes = [len(sentence) for sentence in pool]
    cuts, unit = _document_cuts(treebank, ordered, folds)
    if not cuts:
        cuts = _even_cuts(sizes, ordered.starts, folds)
    tokens = _block_sizes(sizes, cuts)
    spread = f"of {min(tokens):,} to {max(tokens):,} tokens"
    how_large = "" if _are_even(tokens) else f" {spread}"
    blocks = [pool[a:b] for a, b in pairwise(cuts)]
    policy = (
        f"{reason}{folds} folds of whole {unit}{how_large}. Each was parsed by parsers that had not seen it"
        f"{ordered.remark}"
    )

    def fold(k: int) -> Treebank:
        dev = (k + 1) % folds
        return replace(
            treebank,
            train=tuple(sentence for i in range(folds) if i not in (k, dev) for sentence in blocks[i]),
            dev=blocks[dev],
            test=blocks[k],
            split_policy=policy,
        )

    return tuple(map(fold, range(folds)))


@dataclass(frozen=True, eq=False)
class CopyOrder:
    """Hold the order in which sentences are cut: each copy stands right after the first of its group.

    Attributes:
        order: the place of each before.
        starts: where groups begin: between two of these places nothing is cut.
        firsts: the place before of the first sentence of the group of each sentence.
        near: how many sentences have a near copy in another group, in words; empty if none has.
    """

    order: tuple[int, ...]
    starts: tuple[int, ...]
    firsts: tuple[int, ...]
    near: str

    @classmethod
    def of_groups(cls, groups: Sequence[int], near: str = "") -> CopyOrder:
        """Return the order of sentences; `groups`: the place of the first of the group of each."""
        order = tuple(sorted(range(len(groups)), key=lambda place: (groups[place], place)))
        firsts = tuple(groups[place] for place in order)
        starts = tuple(at for at, place in enumerate(order) if firsts[at] == place)
        return cls(order, starts, firsts, near)

    @classmethod
    def of_trees(cls, trees: Iterable[Tree]) -> CopyOrder:
        """Return the order of sentences with these trees."""
        groups = group_copies(trees)
        return cls.of_groups(groups.numbers, groups.remark)

    @property
    def groups(self) -> list[int]:
        """Return the place before of the first of the group of each sentence, in the order before."""
        return [first for _, first in sorted(zip(self.order, self.firsts, strict=True))]

    def nearest_start(self, place: int) -> int:
        """Return the place nearest to this one where a group begins or the last one ends.

        The beginning of all is returned only for itself, so that a part is empty only if it was meant to be.
        """
        ends = [*self.starts, len(self.order)]
        return min(ends if place == 0 else ends[1:], key=lambda end: (abs(end - place), end))


@dataclass(frozen=True, eq=False)
class GatheredCopies(CopyOrder):
    """Hold sentences in the order in which they are cut.

    Attributes:
        sentences: in this order; a copy belongs to the document of the first of its group.
    """

    sentences: tuple[Sentence, ...]

    @classmethod
    def of(cls, sentences: Sequence[Sentence]) -> GatheredCopies:
        """Return sentences with their copies."""
        found = CopyOrder.of_trees(sentence.tree for sentence in sentences)
        gathered = tuple(sentences)
        if len(found.starts) < len(found.order):
            documents = number_documents(sentences)
            gathered = mark_documents(
                (sentences[place] for place in found.order), (documents[first] for first in found.firsts)
            )
        return cls(found.order, found.starts, found.firsts, found.near, gathered)

    @property
    def remark(self) -> str:
        """Return how many sentences have copies, to be added to how they were cut."""
        sizes = Counter(self.firsts)
        copies = sum(size for size in sizes.values() if size > 1)
        stay = ""
        if copies:
            of_all = f"{copies:,} of {count_noun(len(self.order), 'sentence')}"
            stay = f"{of_all} are copies of each other, with (nearly) the same words, and stay together"
        return "".join(f". {remark}" for remark in (stay, self.near) if remark)


def _document_cuts(treebank: Treebank, ordered: GatheredCopies, folds: int) -> tuple[list[int], str]:
    """Return the cut points of folds of whole documents, and the unit in words.

    A document begins where the files mark it. If they mark any, it ends with its set. Without marks, and if
    folds would be too unequal, there are no cut points, and the unit is sentences.
    """
    pool = treebank.train + treebank.dev + treebank.test
    marked = [number for number, sentence in enumerate(pool) if sentence.starts_document]
    if not marked:
        return [], "sentences (the files mark no documents)"
    sets = (treebank.train, treebank.dev, treebank.test)
    ends = accumulate(map(len, sets))
    begin = sorted({0, *marked, *(end for end in ends if end < len(pool))})
    documents = count_noun(len(marked), "document")
    of_firsts = [bisect_right(begin, first) for first in ordered.firsts]
    starts = [at for at, number in enumerate(of_firsts) if at == 0 or number != of_firsts[at - 1]]
    if len(starts) < folds:
        return [], f"sentences (the files mark only {documents}, too few for {folds} folds)"
    sizes = [len(sentence) for sentence in ordered.sentences]
    cuts = _even_cuts(sizes, starts, folds)
    if not _are_even(_block_sizes(sizes, cuts)):
        return [], f"sentences (the files mark {documents}, too unequal for {folds} folds)"
    return cuts, "documents"


def _block_sizes(sizes: Sequence[int], cuts: Sequence[int]) -> list[int]:
    return [sum(sizes[a:b]) for a, b in pairwise(cuts)]


def _are_even(tokens: Sequence[int]) -> bool:
    mean = sum(tokens) / len(tokens)
    return all(abs(block - mean) <= UNEVEN * mean for block in tokens)


def _even_cuts(sizes: Sequence[int], starts: Sequence[int], blocks: int) -> list[int]:
    """Return the cut points (first 0, last n) of `blocks` non-empty blocks of whole units.

    Units begin at `starts`. Each cut is the start of a unit nearest to its share of the tokens (`sizes`, by
    sentence) that leaves at least one unit for every other block.
    """
    before = [0, *accumulate(sizes)]
    offsets = [before[start] for start in starts]
    units = [0]
    for k in range(1, blocks):
        target = before[-1] * k / blocks
        low, high = units[-1] + 1, len(starts) - (blocks - k)
        at = min(max(bisect_left(offsets, target), low), high)
        if at > low and target - offsets[at - 1] <= offsets[at] - target:
            at -= 1
        units.append(at)
    return [starts[unit] for unit in units] + [len(sizes)]
