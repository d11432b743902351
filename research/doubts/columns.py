"""How many doubts about tags, features, lemmas and subtypes a later release confirms.

    python research/doubts/columns.py changes OLD NEW [--treebank UD_X ...]
    python research/doubts/columns.py accuracy OLD NEW --kept FOLDER [--treebank UD_X ...] [--shipped]
    python research/doubts/columns.py plain OLD NEW --kept FOLDER [--treebank UD_X ...]
    python research/doubts/columns.py fit OLD NEW --kept FOLDER --out WEIGHTS
    python research/doubts/columns.py planted HOME --kept FOLDER --runs FOLDER [--treebank UD_X ...]

OLD and NEW are folders of two releases. The value of a word in a column is corrected if NEW has another one
in a sentence with the same words; it is sporadic if fewer than `SYSTEMATIC` words have the same tag and the
same two values. These definitions are those of `doubts.py` for heads.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from learnability.extensions.doubts.column_evidence import USUAL, fuse_orders, usual_order
from learnability.extensions.doubts.columns import FEATS, HEAD, LEMMA, PUNCT, UPOS, XPOS, group_of
from learnability.extensions.doubts.listing import AssessedTreebank
from learnability.extensions.doubts.logistic import LogisticModel, load_all_weights
from learnability.treebanks.conllu_writing import conllu_text, with_tree
from learnability.treebanks.locate import TreebankFiles, list_treebanks, locate_treebank
from research.doubts.column_corrections import Compared, Rows, compared, scored, sentences_of, sporadic_kinds
from research.doubts.doubts import (
    BASE_RATE,
    EQUAL,
    LOOKED_AT,
    PENALTY,
    SYSTEMATIC,
    Assessed,
    Flags,
    Floats,
    assessed,
    doubted,
    print_row,
    with_release,
    write_weights,
)
from research.doubts.planting import GROUPS, plant_arcs, plant_errors
from research.doubts.regression import fit_model

AT = (100, 500)
"""Where the lift is measured."""

MOST_RIGHT = 25_000
"""Values that were not corrected by which weights are fitted, about, of each treebank."""

WORTH_OF_TAGS, WORTH_OF_OTHERS = 0.3, 1.0
"""How much planted errors count beside corrections when weights are fitted: for tags, and for other columns,
whose corrections are mostly decisions."""

MARGIN, OF_MARGIN = "margin rank", 0.6
"""What is added to the weight of the rank of the margin in all columns but tags: conventions of other
languages teach too little trust in the classifier."""


OF_USUAL = 5.57
"""The weight of the lemma that form and tag mostly have, which is chosen, not fitted (README.md)."""


def print_changes(treebanks: Sequence[Compared]) -> None:
    """Print what the later release changed in each column."""
    headings = (
        "treebank",
        "column",
        "words",
        "corrected",
        "share",
        "sporadic",
        "decisions",
        "systematic kinds",
    )
    print_row(*headings)
    print_row(*["---"] * len(headings))
    for treebank in treebanks:
        total = int(treebank.known.sum())
        for column in dict.fromkeys([*GROUPS, *treebank.columns]):
            changed = treebank.changed(column)
            if not changed:
                continue
            kinds = {kind for of_word in changed.values() for kind in of_word}
            sporadic = sporadic_kinds(changed)
            words = sum(any(kind in sporadic for kind in of_word) for of_word in changed.values())
            print_row(
                f"{treebank.name} {treebank.release}", column, f"{total:,}", f"{len(changed):,}",
                f"{len(changed) / total:.2%}", f"{words:,}", f"{len(kinds):,}", f"{len(kinds - sporadic):,}",
            )  # fmt: skip


def model_of(group: str, corrections: Sequence[Rows], errors: Sequence[Rows] = ()) -> LogisticModel:
    """Return the weights of a group, fitted on treebanks; see `doubts.model_of`.

    Args:
        group: the group of columns.
        corrections: treebanks that a later release corrected.
        errors: treebanks with planted errors.
    """
    columns: dict[str, list[Floats]] = defaultdict(list)
    outcomes, counts, are_corrections = [], [], []
    rates = [len(np.unique(rows.words)) / len(rows.words) for rows in corrections]
    worth_of_errors = WORTH_OF_TAGS if group == UPOS else WORTH_OF_OTHERS
    for rows, worth in (
        *((each, 1.0) for each in corrections),
        *((each, worth_of_errors) for each in errors),
    ):
        if not rows.corrected.any():
            continue
        count = damped(rows)
        used = np.flatnonzero(rows.corrected)
        right = np.flatnonzero(~rows.corrected)
        right = right[:: max(1, len(right) // MOST_RIGHT)]
        among = np.concatenate([used, right])
        count, is_corrected = count[among], rows.corrected[among]
        count[is_corrected] *= min(5.0, (EQUAL / count[is_corrected].sum()) ** 0.5) * worth
        total = count[is_corrected].sum()
        count[~is_corrected] *= total * (1 / BASE_RATE - 1) / count[~is_corrected].sum()
        for name, column in rows.evidence.items():
            columns[name].append(column[among])
        outcomes.append(is_corrected)
        counts.append(count)
        are_corrections.append(np.full(len(among), any(rows is each for each in corrections)))
    together = {name: np.concatenate(parts) for name, parts in columns.items()}
    penalties = dict.fromkeys(together, PENALTY)
    model = fit_model(together, np.concatenate(outcomes), np.concatenate(counts), penalties)
    if group != UPOS:
        weights = {**model.weights, MARGIN: model.weights[MARGIN] + OF_MARGIN}
        model = LogisticModel(intercept=model.intercept, weights=weights)
    if group == LEMMA:
        model = LogisticModel(intercept=model.intercept, weights={**model.weights, USUAL: OF_USUAL})
    logits, is_wrong, count = model.logits(together), np.concatenate(outcomes), np.concatenate(counts)
    of_corrections = np.concatenate(are_corrections)
    # a word has several features, so that each of them is wrong less often than the word
    rate = BASE_RATE * float(np.mean(rates))
    count = count * np.where(is_wrong, rate / BASE_RATE, (1 - rate) / (1 - BASE_RATE))
    return model.rescale(*scale_of(logits[of_corrections], is_wrong[of_corrections], count[of_corrections]))


def xpos_scale(tags: LogisticModel, corrections: Sequence[Rows]) -> tuple[float, float]:
    """Return `XPOS_SCALE`: slope and intercept that are likeliest for the corrections of XPOS.

    Args:
        tags: the weights of tags.
        corrections: the XPOS of treebanks that a later release corrected.
    """
    logits, is_wrong, counts = [], [], []
    for rows in corrections:
        count, corrected = damped(rows), rows.corrected
        count[~corrected] *= count[corrected].sum() * (1 / BASE_RATE - 1) / count[~corrected].sum()
        logits.append(tags.logits(rows.evidence))
        is_wrong.append(corrected)
        counts.append(count / count.sum())
    return scale_of(*(np.concatenate(each) for each in (logits, is_wrong, counts)))


def scale_of(logits: Floats, is_wrong: Flags, counts: Floats) -> tuple[float, float]:
    """Return slope and intercept for logits: the likeliest ones for corrections.

    The order of a group stays. Groups can be compared, although some planted errors are easy to find.

    Args:
        logits: float64[rows], those of treebanks that a later release corrected.
        is_wrong: bool[rows], which values were corrected.
        counts: float64[rows], how often each counts.
    """
    scale = fit_model({"logit": logits}, is_wrong, counts, {"logit": 0.0})
    if scale.weights["logit"] <= 0:
        raise SystemExit("corrections are not doubted more than other values")
    return scale.weights["logit"], scale.intercept


def damped(rows: Rows) -> Floats:
    """Return float64[rows], how much each counts: 1; the systematic corrections of a kind count
    `SYSTEMATIC` together."""
    count = Counter(kind for kind in rows.kinds if kind is not None)
    return np.array([1.0 if kind is None else min(1.0, SYSTEMATIC / count[kind]) for kind in rows.kinds])


HEADINGS = (
    "treebank", "column", "words", "corrected", "sporadic", "doubted", "possible lift", "lift@100",
    "lift@500", "decisions@500", "5 %", "10 %", "20 %", "sporadic 5 %", "10 %", "20 %", "proposals",
)  # fmt: skip


def accuracy_row(treebank: Compared, column: str, rows: Rows, score: Floats) -> list[str]:
    """Return the figures of a ranking of words by their most doubtful value in a column or a group.

    Sporadic corrections that are not `doubted` bring a feature that words of the tag did not have: no
    classifier could learn it. They are not found at any share of the words.
    """
    changed = treebank.changed(column)
    sporadic = sporadic_kinds(changed)
    known = treebank.known[rows.words]
    order = np.argsort(-score, kind="stable")
    order = order[known[order]]
    _, first = np.unique(rows.words[order], return_index=True)
    listed = order[np.sort(first)]  # the most doubtful row of each word, in order
    place = {word: rank for rank, word in enumerate(rows.words[listed].tolist())}
    everywhere = (
        int(treebank.known.sum())
        if column in (UPOS, XPOS, FEATS, LEMMA)
        else len(place.keys() | changed.keys())
    )
    hits = np.array([word in changed for word in rows.words[listed].tolist()], bool)
    base = len(changed) / everywhere
    ranks = [place.get(word, everywhere) for word in changed]
    few = [place.get(word, everywhere) for word, kinds in changed.items() if sporadic.intersection(kinds)]
    doubted = sum(rank < everywhere for rank in few)
    cells = [f"{everywhere:,}", f"{len(changed):,}", f"{len(few):,}", f"{doubted:,}"]
    cells.append(f"{min(1.0, len(changed) / 500) / base:.1f}")
    cells += [f"{hits[:at].mean() / base:.1f}" for at in AT]
    cells.append(str(len({kind for row in listed[:500].tolist() for kind in [rows.kinds[row]] if kind})))
    for found in (ranks, few):
        cells += [
            f"{np.mean([rank < everywhere * share for rank in found]):.0%}" if found else ""
            for share in LOOKED_AT
        ]
    top = listed[: int(everywhere * LOOKED_AT[-1])]
    found_rows = top[rows.corrected[top]]
    cells.append(f"{rows.is_right[found_rows].mean():.0%}" if len(found_rows) else "")
    return cells


def judged(
    treebanks: Sequence[Compared], errors: Sequence[Compared], group: str, *, use_shipped: bool = False
) -> Iterator[tuple[Compared, Rows, LogisticModel]]:
    """Yield treebanks with their values and the weights that judge them: of the other languages, or shipped.

    Args:
        treebanks: as compared.
        errors: treebanks with planted errors, for the weights.
        group: the group of columns.
        use_shipped: whether the weights are those of the package.
    """
    source = UPOS if group == XPOS else group  # `XPOS_SCALE`
    lessons = {each.name: each.rows(source) for each in treebanks if has(each, source) and not use_shipped}
    wrong = {each.name: each.rows(source) for each in errors if has(each, source)}
    for treebank in treebanks:
        if not has(treebank, group) or not treebank.changed(group):
            continue
        others = [part for name, part in lessons.items() if name != treebank.name]
        among = [part for name, part in wrong.items() if name != treebank.name]
        model = load_all_weights()[group] if use_shipped else model_of(source, others, among)
        yield treebank, treebank.rows(group), model


def print_accuracy(
    treebanks: Sequence[Compared], errors: Sequence[Compared], *, each: bool, use_shipped: bool
) -> None:
    """Print how early corrections come; with `each` also those of each feature."""
    print_row(*HEADINGS)
    print_row(*["---"] * len(HEADINGS))
    for group in GROUPS:
        for treebank, own, model in judged(treebanks, errors, group, use_shipped=use_shipped):
            label = f"{treebank.name.removeprefix('UD_')} {treebank.release}"
            score = fuse_orders(group, model.logits(own.evidence), own.evidence)
            for title, order in ((group, score), (f"{group}, margins alone", own.evidence[MARGIN])):
                print_row(label, title, *accuracy_row(treebank, group, own, order))
            for column in treebank.columns if each and group == FEATS else ():
                few = len(treebank.changed(column)) < SYSTEMATIC
                if group_of(column) == FEATS and not few and has(treebank, column):
                    part = treebank.rows(column)
                    cells = accuracy_row(treebank, column, part, model.logits(part.evidence))
                    print_row(label, column, *cells)


def print_plain(treebanks: Sequence[Compared], errors: Sequence[Compared]) -> None:
    """Print the order of each column beside two plain ones, by weights that its language had no part in.

    Cells: the corrected words among the first 50 and 500, and the share of all in the first 20 %; the kinds
    of corrections (column, tag and both values) there.
    """
    print_row("treebank", "column", "order", "usual", "margin")
    print_row("---", "---", *["--:"] * 3)
    for group in (UPOS, XPOS, LEMMA, FEATS):
        for treebank, own, model in judged(treebanks, errors, group):
            orders = fuse_orders(group, model.logits(own.evidence), own.evidence), usual_order(own.evidence)
            cells = (plain_cell(treebank, own, score) for score in (*orders, own.evidence[MARGIN]))
            print_row(treebank.name.removeprefix("UD_"), group, *cells)


def plain_cell(treebank: Compared, rows: Rows, score: Floats) -> str:
    """Return what an order finds early: ``13, 45, 91%; 8, 20, 100%``."""
    kinds: dict[int, set[tuple[str, ...]]] = defaultdict(set)
    for word, kind in zip(rows.words.tolist(), rows.kinds, strict=True):
        if kind is not None:
            kinds[word].add(kind)
    order = np.argsort(-score, kind="stable")
    order = order[treebank.known[rows.words[order]]]
    listed = list(dict.fromkeys(rows.words[order].tolist()))
    hits = np.cumsum([word in kinds for word in listed])
    found = set[tuple[str, ...]]()
    kinds_by = []
    for word in listed:
        found |= kinds.get(word, set())
        kinds_by.append(len(found))

    def cell(counts: Sequence[int]) -> str:
        first, more, share = (counts[min(at, len(listed)) - 1] for at in (50, 500, max(1, len(listed) // 5)))
        return f"{first}, {more}, {share / max(1, counts[-1]):.0%}"

    return f"{cell(hits.tolist())}; {cell(kinds_by)}"


def fitted(treebanks: Sequence[Compared], errors: Sequence[Compared]) -> dict[str, LogisticModel]:
    """Return the weights of all groups."""
    models: dict[str, LogisticModel] = {}
    for group in GROUPS:
        of_corrections = [treebank.rows(group) for treebank in treebanks if has(treebank, group)]
        of_errors = [treebank.rows(group) for treebank in errors if has(treebank, group)]
        if group == XPOS:
            print(f"XPOS_SCALE = {xpos_scale(models[UPOS], of_corrections)}")
        else:
            models[group] = model_of(group, of_corrections, of_errors)
    return models


def has(treebank: Compared, group: str) -> bool:
    """Return whether values of a group, or of one column, can be doubted in a treebank."""
    return any(group in (each.column, group_of(each.column)) and len(each.words) for each in treebank.doubted)


def with_errors(files: TreebankFiles, kept: Path, share: float) -> Compared:
    """Return a treebank in which this share of the words has another value in each group of columns."""
    words = sum(map(len, sentences_of(files)))
    return with_planted(files, kept, "corrupted", round(share * words), seed=1)


def with_planted(files: TreebankFiles, kept: Path, name: str, number: int, seed: int) -> Compared:
    """Return a treebank with this number of errors in each group of columns; it is its own later release.

    Args:
        files: the treebank.
        kept: the folder for the copy and for what classifiers say of it.
        name: of this kind of copies.
        number: how many errors each group gets.
        seed: of the random numbers.
    """
    sentences = sentences_of(files)
    trees = [sentence.tree for sentence in sentences]
    broken, _ = plant_errors(trees, number, seed)
    folder = kept / name / files.name
    folder.mkdir(parents=True, exist_ok=True)
    changed = [with_tree(sentence, tree) for sentence, tree in zip(sentences, broken, strict=True)]
    path = folder / f"xx_{files.name}-ud-test.conllu"
    path.write_text(conllu_text(changed), encoding="utf-8")
    copy = locate_treebank(folder)
    return Compared(
        files.name, files.release, [s.tree for s in sentences_of(copy)], trees, scored(copy, kept, name)
    )


PLANTED = 50
"""The errors that are planted in each group of columns to see where they are listed."""


def with_wrong_arcs(files: TreebankFiles, runs: Path) -> Assessed:
    """Return a treebank with wrong arcs of words and punctuation; it is its own later release.

    Args:
        files: the treebank.
        runs: the folder for the copy and for the run of `doubts` on it.
    """
    sentences = sentences_of(files)
    broken = plant_arcs([sentence.tree for sentence in sentences], PLANTED, seed=3)
    folder = runs / "arcs" / files.name
    folder.mkdir(parents=True, exist_ok=True)
    changed = [with_tree(sentence, tree) for sentence, tree in zip(sentences, broken, strict=True)]
    path = folder / f"xx_{files.name}-ud-test.conllu"
    path.write_text(conllu_text(changed), encoding="utf-8")
    words = assessed(doubted(folder, f"arcs-{files.name}", runs))
    return with_release(words, files.name, files.release, sentences)


def print_planted_arcs(files: TreebankFiles, runs: Path) -> None:
    """Print where wrong arcs of words and of punctuation are listed, each in the list of its column."""
    treebank = with_wrong_arcs(files, runs)
    words = treebank.words
    listed = AssessedTreebank.of(words, load_all_weights()[HEAD])
    pairs = zip(words.deprels, treebank.new_deprels, strict=True)
    wrong = (words.heads != treebank.new_heads) | np.array([old != new for old, new in pairs])
    right = treebank.are_new(listed.proposed.heads, listed.proposed.relations)
    for column in (HEAD, PUNCT):
        order = np.array([place.word for place in listed.places((column,))])
        print_planted_row(treebank.name, treebank.release, column, len(order), wrong[order], right[order])


def print_planted_row(name: str, release: str, column: str, words: int, wrong: Flags, right: Flags) -> None:
    """Print where errors are in a list.

    Args:
        name, release: of the treebank.
        column: the column, or group of columns.
        words: how many words can be listed.
        wrong: bool[values], which values of the list have an error, in its order.
        right: bool[values], whether what is proposed is the right value.
    """
    ranks = np.flatnonzero(wrong)
    print_row(
        f"{name.removeprefix('UD_')} {release}", column, f"{words:,}", str(len(ranks)),
        f"{np.median(ranks) + 1:,.0f}", f"{(ranks < 500).mean():.0%}",
        f"{(ranks < words * LOOKED_AT[0]).mean():.0%}", f"{right[wrong].mean():.0%}",
    )  # fmt: skip


def print_planted(files: Sequence[TreebankFiles], kept: Path, runs: Path) -> None:
    """Print where planted errors are listed by the weights of the package, and what is proposed."""
    print_row("treebank", "column", "words", "errors", "median rank", "first 500", "5 %", "proposals")
    print_row(*["---"] * 8)
    for each in files:
        treebank = with_planted(each, kept, "planted", PLANTED, seed=2)
        for group in GROUPS:
            if not has(treebank, group):
                continue
            rows = treebank.rows(group)
            score = fuse_orders(group, load_all_weights()[group].logits(rows.evidence), rows.evidence)
            order = np.argsort(-score, kind="stable")
            words = len(np.unique(rows.words))
            wrong, right = rows.corrected[order], rows.is_right[order]
            print_planted_row(treebank.name, treebank.release, group, words, wrong, right)
        print_planted_arcs(each, runs)


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("changes", "accuracy", "plain", "fit"):
        command = commands.add_parser(name)
        command.add_argument("old", type=Path)
        command.add_argument("new", type=Path)
        command.add_argument("--treebank", action="append", default=[], metavar="UD_X")
    for name in ("accuracy", "plain", "fit"):
        commands.choices[name].add_argument("--kept", type=Path, required=True)
        commands.choices[name].add_argument("--share", type=float, default=0.01)
    commands.choices["accuracy"].add_argument("--each", action="store_true", help="each feature, too")
    commands.choices["accuracy"].add_argument("--shipped", action="store_true", help="weights of the package")
    commands.choices["fit"].add_argument("--out", type=Path, required=True)
    planted = commands.add_parser("planted")
    planted.add_argument("home", type=Path)
    planted.add_argument("--kept", type=Path, required=True)
    planted.add_argument("--runs", type=Path, required=True, help="see doubts.py")
    planted.add_argument("--treebank", action="append", default=[], metavar="UD_X")
    line = parser.parse_args()
    if line.command == "changes":
        print_changes(list(compared(line.old, line.new, line.treebank, None)))
        return
    if line.command == "planted":
        files = [
            each for each in list_treebanks(line.home) if each.name in line.treebank or not line.treebank
        ]
        print_planted(files, line.kept, line.runs)
        return
    treebanks = list(compared(line.old, line.new, line.treebank, line.kept))
    names = {treebank.name for treebank in treebanks}
    errors = [
        with_errors(files, line.kept, line.share)
        for files in list_treebanks(line.new)
        if files.name in names and not getattr(line, "shipped", False)
    ]
    if line.command == "fit":
        write_weights(line.out, fitted(treebanks, errors))
        return
    if line.command == "plain":
        print_plain(treebanks, errors)
        return
    print_accuracy(treebanks, errors, each=line.each, use_shipped=line.shipped)


if __name__ == "__main__":
    main()
