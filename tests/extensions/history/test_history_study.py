"""The history of a treebank: its parts against trainings one by one, stopped, and in several processes."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from carried_out import asked, carried_out
from numpy.typing import NDArray
from small_treebanks import small_treebank

from learnability.comparing.fold import fold_of
from learnability.comparing.fold_trees import Sets
from learnability.comparing.options import DataOptions, ExperimentOptions, TreebankSelection
from learnability.comparing.results import TrainingResult
from learnability.comparing.trainings import train_and_test
from learnability.extensions.history.declaration import HistoryOptions
from learnability.extensions.history.outcome import MOST_PER_CHANGE, History, PartKind
from learnability.extensions.history.section import _beyond_the_change
from learnability.extensions.history.selecting import successive_versions
from learnability.extensions.history.trainings import Stage
from learnability.extensions.history.versions import VersionedTreebank
from learnability.metrics.scores import Score, correct_tokens
from learnability.parsing.projectivity import lift
from learnability.reports.story import RunStory
from learnability.running.records import Records, read_records
from learnability.statistics.holm import holm
from learnability.statistics.significance import compare
from learnability.support.options import shared
from learnability.transforms.registry import get_transformation
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.locate import TreebankFiles
from learnability.treebanks.sentence import Tree

FOLDS = 3
OPTIONS = ExperimentOptions((), seeds=2, iterations=3, data=DataOptions(cross_validate=FOLDS))

CASE = get_transformation("case")


def determiners_moved(tree: Tree) -> Tree:
    """All determiners hang on the root word."""
    root = tree.heads.index(0) + 1
    pairs = enumerate(zip(tree.heads, tree.upos, strict=True), start=1)
    return tree.with_heads(
        [root if tag == "DET" and head and i != root else head for i, (head, tag) in pairs]
    )


def other_tags(tree: Tree) -> Tree:
    return replace(tree, upos=tuple("VERB" if tag == "AUX" else tag for tag in tree.upos))


def write(home: Path, release: str, parts: dict[str, list[Tree]]) -> None:
    folder = home / f"ud-treebanks-v{release}" / "UD_Small"
    folder.mkdir(parents=True)
    for split, trees in parts.items():
        sentences = [f"# sent_id = {' '.join(tree.forms)}\n{conllu_text([tree])}" for tree in trees]
        (folder / f"xx-ud-{split}.conllu").write_text("".join(sentences), encoding="utf-8")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four releases of a treebank.

    In 2.2, most prepositions head their phrases, determiners move, auxiliaries have another tag, and
    sentences are added and deleted. 2.3 is 2.2 with other sets and lemmas, and 2.4 has other relations.
    """
    home = tmp_path_factory.mktemp("home")
    source = small_treebank(tmp_path_factory.mktemp("source"), train=110)
    parts = {
        split: [s.tree for s in read_conllu(source / f"xx-ud-{split}.conllu").sentences]
        for split in ("train", "dev", "test")
    }
    parts = {split: [replace(tree, xpos=(), feats=()) for tree in trees] for split, trees in parts.items()}
    write(home, "2.1", {**parts, "train": parts["train"][:90]})

    def later(number: int, tree: Tree) -> Tree:
        tree = CASE.apply(tree, labels="keep") if number % 3 else tree
        return other_tags(determiners_moved(tree) if number % 2 else tree)

    changed = {split: [later(i, tree) for i, tree in enumerate(trees)] for split, trees in parts.items()}
    changed["train"] = changed["train"][12:]
    write(home, "2.2", changed)
    other_sets = {
        "train": [replace(tree, lemmas=()) for tree in (*changed["train"], *changed["test"])],
        "dev": changed["dev"],
        "test": [],
    }
    other_sets["test"] = other_sets["train"][:20]
    other_sets["train"] = other_sets["train"][20:]
    write(home, "2.3", other_sets)
    relations = {
        split: [
            tree.with_heads(tree.heads, ["mod" if d == "amod" else d for d in tree.deprels]) for tree in trees
        ]
        for split, trees in other_sets.items()
    }
    write(home, "2.4", relations)
    return home


def versions(home: Path, releases: str) -> list[TreebankFiles]:
    named = TreebankSelection(treebank="UD_Small", ud_home=str(home), cross_validate=FOLDS)
    return [selection.files() for selection in successive_versions(named, HistoryOptions(releases))]


def ran(home: Path, out: Path, releases: str = "2.1..2.4", **more: Any) -> RunStory:
    options = more.pop("options", OPTIONS)
    return carried_out(versions(home, releases), options, out, asked("history", releases=releases), **more)


@pytest.fixture(scope="module")
def outcome(home: Path, tmp_path_factory: pytest.TempPathFactory) -> RunStory:
    return ran(home, tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture(scope="module")
def history(outcome: RunStory) -> History:
    return History(outcome.plan, outcome.records)


def table(outcome: RunStory) -> list[dict[str, str]]:
    with (outcome.folder / "history.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


Counts = NDArray[np.int64]


def uas(history: History, stage: Stage) -> float:
    """UAS of a stage of the first step, from its records."""
    results = [
        history.records.result(cell)
        for cell in history.list_seeded_cells(history.stage_cells(history.steps[0], stage))
    ]
    trained = [result for result in results if result is not None]
    assert len(trained) == len(results)
    right = sum(sum(result.scores["uas"].correct) for result in trained)
    return 100 * right / sum(sum(result.tokens) for result in trained)


def slow_counts(
    files: TreebankFiles, version: Any, extra: Sequence[tuple[str, Tree]] = ()
) -> tuple[Counts, list[int], list[int]]:
    """The right heads of a stage, trained fold by fold; `version`: a tree of both; `extra`: trained on where
    the sentence before does."""
    options = replace(OPTIONS, data=DataOptions(cross_validate=FOLDS))
    rows: list[list[int]] = [[] for _ in range(OPTIONS.seeds)]
    tokens: list[int] = []
    folds: list[int] = []
    for number in range(FOLDS):
        fold = fold_of(files, options, number)
        assert isinstance(fold.treebank, VersionedTreebank)
        later = fold.treebank.later
        train, dev, test = (
            [version(a.tree, b.tree) for a, b in zip(here, there, strict=True)]
            for here, there in (
                (fold.treebank.train, later.train),
                (fold.treebank.dev, later.dev),
                (fold.treebank.test, later.test),
            )
        )
        trained = {s.tree.forms for s in fold.treebank.train}
        train += [tree for neighbour, tree in extra if tuple(neighbour.split()) in trained]
        for seed in range(OPTIONS.seeds):
            parts = Sets(tuple(lift(train)), tuple(dev), tuple(test))
            tested = train_and_test(fold, parts, seed + 1)
            rows[seed] += correct_tokens(test, tested.parsed, Score.UAS).tolist()
        tokens += [len(tree) for tree in test]
        folds += [number] * len(test)
    return np.array(rows), tokens, folds


def earlier_tree(earlier: Tree, later: Tree) -> Tree:
    return earlier


def later_tree(earlier: Tree, later: Tree) -> Tree:
    return later


def hybrid(earlier: Tree, later: Tree) -> Tree:
    return earlier.with_heads(later.heads, later.deprels)


def only_in(home: Path, release: str, other: str) -> list[tuple[str, Tree]]:
    """The sentences of a release that another lacks, each with the words of the sentence before that both
    have (the first in front of which there is none: after)."""
    forms = {
        number: {
            split: [
                s.tree
                for s in read_conllu(
                    home / f"ud-treebanks-v{number}" / "UD_Small" / f"xx-ud-{split}.conllu"
                ).sentences
            ]
            for split in ("train", "dev", "test")
        }
        for number in (release, other)
    }
    known = {tree.forms for trees in forms[other].values() for tree in trees}
    found = []
    for trees in forms[release].values():
        for number, tree in enumerate(trees):
            if tree.forms not in known:
                near = [t for t in (*trees[number::-1], *trees[number:]) if t.forms in known]
                found.append((" ".join(near[0].forms), tree))
    return found


def test_each_part_is_a_difference_of_trainings(home: Path, outcome: RunStory, history: History) -> None:
    files, *_ = versions(home, "2.1..2.4")
    new = only_in(home, "2.2", "2.1")
    assert len(new) == 20
    counts = {
        "earlier": slow_counts(files, earlier_tree),
        "trees": slow_counts(files, hybrid),
        "later": slow_counts(files, later_tree),
        "new": slow_counts(files, later_tree, new),
    }
    _, tokens, folds = counts["earlier"]
    assert history.steps[0].facts[0].sentences.deleted == 12
    deleted = uas(history, Stage.ALL_EARLIER)
    percent = {name: 100 * right.sum() / (2 * sum(tokens)) for name, (right, *_) in counts.items()}
    for stage, name in (
        (Stage.EARLIER, "earlier"),
        (Stage.LATER_TREES, "trees"),
        (Stage.LATER, "later"),
        (Stage.ALL_LATER, "new"),
    ):
        assert uas(history, stage) == pytest.approx(percent[name])
    parts = {part.part: part.differences[Score.UAS] for part in history.parts[:3]}
    assert parts[PartKind.ANNOTATION].delta == pytest.approx(percent["trees"] - percent["earlier"])
    assert parts[PartKind.TAGS].delta == pytest.approx(percent["later"] - percent["trees"])
    without = percent["earlier"] - deleted
    assert parts[PartKind.SENTENCES].delta == pytest.approx(percent["new"] - percent["later"] + without)
    together = sum(difference.delta for difference in parts.values())
    assert together == pytest.approx(percent["new"] - deleted)
    # p of a part, with the noise of training as measured at the other stages
    beside = [
        counts["later"][0],
        counts["new"][0],
        history._count_right(history.stage_cells(history.steps[0], Stage.ALL_EARLIER), Score.UAS),
    ]
    noise: dict[str, Any] = {
        "seed_ratio": OPTIONS.parsers[0].kind.seed_ratio,
        "folds": folds,
        "beside": beside,
    }
    noise["between_folds"] = True
    here = counts["trees"][0], counts["earlier"][0], tokens
    expected = compare(*here, **noise)
    assert parts[PartKind.ANNOTATION].error == pytest.approx(expected.error)
    assert parts[PartKind.ANNOTATION].degrees == pytest.approx(expected.degrees)
    assert expected.error != pytest.approx(compare(*here, **{**noise, "beside": []}).error)
    tested = [part.differences[Score.UAS].p_value for part in history.parts if part.differences]
    for part, p_holm in zip([p for p in history.parts if p.differences], holm(tested), strict=True):
        assert part.differences[Score.UAS].p_holm == pytest.approx(p_holm)


def test_without_punctuation_only_words_count(home: Path, history: History) -> None:
    files, *_ = versions(home, "2.1..2.4")
    options = replace(OPTIONS, data=DataOptions(cross_validate=FOLDS))
    right: dict[str, int] = {}
    words = 0
    for number in range(FOLDS):
        fold = fold_of(files, options, number)
        assert isinstance(fold.treebank, VersionedTreebank)
        later = fold.treebank.later
        parts = (
            (fold.treebank.train, later.train),
            (fold.treebank.dev, later.dev),
            (fold.treebank.test, later.test),
        )
        for name, version in (("earlier", earlier_tree), ("trees", hybrid)):
            train, dev, test = (
                tuple(version(a.tree, b.tree) for a, b in zip(*pair, strict=True)) for pair in parts
            )
            for seed in (1, 2):
                parsed = train_and_test(fold, Sets(tuple(lift(train)), dev, test), seed).parsed
                for gold, parse, known in zip(test, parsed, fold.treebank.test, strict=True):
                    columns = zip(gold.heads, parse.heads, known.tree.deprels, strict=True)
                    hits = sum(a == b for a, b, deprel in columns if deprel != "punct")
                    right[name] = right.get(name, 0) + hits
        words += sum(deprel != "punct" for s in fold.treebank.test for deprel in s.tree.deprels)
    (part,) = [part for part in history.parts[:3] if part.part is PartKind.ANNOTATION]
    expected = 100 * (right["trees"] - right["earlier"]) / (2 * words)
    assert part.without_punctuation[Score.UAS].delta == pytest.approx(expected)
    assert part.differences[Score.UAS].delta != pytest.approx(expected)


def test_deleted_sentences_are_trained_on_in_the_earlier_version(home: Path, history: History) -> None:
    files, *_ = versions(home, "2.1..2.4")
    # the deleted sentences come first: each belongs to the fold that the treebank itself puts it into
    alone = TreebankFiles(**shared(TreebankFiles, files))
    options = replace(OPTIONS, data=DataOptions(cross_validate=FOLDS))
    gone = {tree.forms for _, tree in only_in(home, "2.1", "2.2")}
    assert len(gone) == 12
    percent = []
    for number in range(FOLDS):
        whole = fold_of(alone, options, number).treebank
        step = fold_of(files, options, number)
        trees = [s.tree for s in (*step.treebank.train, *(s for s in whole.train if s.tree.forms in gone))]
        dev, test = (tuple(s.tree for s in part) for part in (step.treebank.dev, step.treebank.test))
        for seed in (1, 2):
            parsed = train_and_test(step, Sets(tuple(lift(trees)), dev, test), seed).parsed
            percent.append((correct_tokens(test, parsed, Score.UAS).sum(), sum(map(len, test))))
    expected = 100 * sum(right for right, _ in percent) / sum(tokens for _, tokens in percent)
    assert uas(history, Stage.ALL_EARLIER) == pytest.approx(expected)


def test_what_parsers_do_not_see_is_nothing_and_trains_nothing(outcome: RunStory) -> None:
    rows = {(row["from"], row["part"]): row for row in table(outcome)}
    assert list(rows) == [(release, part) for release in ("2.1", "2.2", "2.3") for part in map(str, PartKind)]
    for release in ("2.2", "2.3"):
        for part in PartKind:
            row = rows[release, part]
            assert (row["decision"], row["changed"], row["uas_delta"]) == ("unchanged", "0", "")
    trained = [r for r in read_records(outcome.folder / "records.jsonl").values() if r.setting == "stage"]
    assert {record.treebank for record in trained} == {"UD_Small@2.1"}
    text = "\n".join(sentence for section in outcome.answers for sentence in section.sentences)
    assert "2.2 → 2.3 and 2.3 → 2.4: nothing changed that these parsers see." in text
    assert "2.2 → 2.3: 20 sentences moved between" not in text  # other numbers: 20 leave, 25 come
    (table_shown,) = outcome.answers[0].tables
    assert {str(cells[0]) for cells in table_shown.rows} == {"2.1 → 2.2"}
    assert table_shown.note == "6 parts without any change are not shown."
    assert "Some words kept the head and changed the relation: " in text
    assert "2.1 → 2.2, changed trees without punctuation: harder by " in text
    assert re.search(r"2.1 → 2.2, changed trees: the treebank became \d+\.\d points harder to learn", text)


def test_planted_changes_are_found_by_name(outcome: RunStory) -> None:
    (row,) = [r for r in table(outcome) if (r["from"], r["part"]) == ("2.1", "annotation")]
    assert row["decision"] == "harder"
    assert float(row["uas_delta_high"]) < 0
    (named,) = [text for text in outcome.answers[0].sentences if "changes of trees are" in text]
    assert "case: changes places with its head" in named
    changed = outcome.details[0]
    assert changed.heading == "What changed in 2.1 → 2.2"
    assert "have another head" in changed.sentences[0]
    assert any(
        "HEAD" in cells and "case: changes places with its head" in cells for cells in changed.tables[0].rows
    )


def test_changes_of_tags_are_counted_from_the_earlier_to_the_later_tag(history: History) -> None:
    step = history.steps[0]
    (group,) = (group for group in step.facts[0].differences if group.kind.column == "UPOS")
    assert (group.kind.base, group.kind.alternative) == ("AUX", "VERB")
    assert group.words >= step.sum_counts("tags") > 0
    columns = [group.kind.column for later in history.steps[1:] for group in later.facts[0].differences]
    assert "UPOS" not in columns


def test_relations_count_with_labels(home: Path, tmp_path: Path) -> None:
    labelled = replace(OPTIONS, labels="external", seeds=1)
    outcome = ran(home, tmp_path / "run", "2.3,2.4", options=labelled)
    row = table(outcome)[1]
    assert (row["part"], int(row["changed"]) > 10) == ("annotation", True)
    assert row["las_decision"] in ("open", "no difference that matters", "easier", "harder")
    assert row["las_delta"]
    assert [name for name in row if name.startswith("las_")] == [
        "las_delta", "las_delta_low", "las_delta_high", "las_p_holm", "las_decision"
    ]  # fmt: skip


def test_what_is_equal_is_trained_once(tmp_path: Path) -> None:
    """The later version of a step is the earlier one of the next."""
    source = small_treebank(tmp_path / "source", train=20)
    parts = {
        split: [s.tree for s in read_conllu(source / f"xx-ud-{split}.conllu").sentences]
        for split in ("train", "dev", "test")
    }
    for release, every in (("2.1", 0), ("2.2", 2), ("2.3", 1)):
        changed = {
            split: [
                CASE.apply(tree, labels="keep") if every and i % every == 0 else tree
                for i, tree in enumerate(trees)
            ]
            for split, trees in parts.items()
        }
        write(tmp_path, release, changed)
    options = replace(OPTIONS, seeds=1, iterations=1)
    outcome = ran(tmp_path, tmp_path / "run", "2.1..2.3", options=options)
    history = History(outcome.plan, outcome.records)
    first, second = history.steps
    assert history.stage_cells(second, Stage.EARLIER) == history.stage_cells(first, Stage.LATER_TREES)
    tested = [part.differences[Score.UAS] for part in history.parts if part.differences]
    assert len(tested) == 2  # Holm corrects over both steps
    p_values = [difference.p_value for difference in tested]
    assert [difference.p_holm for difference in tested] == pytest.approx(holm(p_values))
    assert [difference.p_holm for difference in tested] != pytest.approx(p_values)
    trained = [r for r in read_records(outcome.folder / "records.jsonl").values() if r.setting == "stage"]
    stages = [record.subject for record in trained]
    assert sorted(stages) == ["earlier"] * FOLDS + ["later-trees"] * 2 * FOLDS


def test_too_few_changes_are_not_tested(tmp_path: Path) -> None:
    source = small_treebank(tmp_path / "source", train=20)
    parts = {
        split: [s.tree for s in read_conllu(source / f"xx-ud-{split}.conllu").sentences]
        for split in ("train", "dev", "test")
    }
    write(tmp_path, "2.1", parts)
    changed = dict(parts)
    number = next(i for i, tree in enumerate(parts["train"]) if CASE.places(tree))
    changed["train"] = list(parts["train"])
    changed["train"][number] = CASE.apply(parts["train"][number], labels="keep")
    write(tmp_path, "2.2", changed)
    outcome = ran(tmp_path, tmp_path / "run", "2.1..2.2")
    decisions = [row["decision"] for row in table(outcome)]
    assert decisions == ["unchanged", "too few changes", "unchanged"]
    records = Records(read_records(outcome.folder / "records.jsonl").values())
    assert {record.setting for record in records.values()} == {"step"}


def test_results_hold_counts_per_sentence(outcome: RunStory) -> None:
    """Every sentence that both versions have is tested once."""
    history = History(outcome.plan, outcome.records)
    (cell, *_) = history.stage_cells(history.steps[0], Stage.EARLIER)
    result = outcome.records.result(replace(cell, seed=1))
    assert isinstance(result, TrainingResult)
    tested = sum(
        len(one.tokens)
        for each in history.stage_cells(history.steps[0], Stage.EARLIER)
        if (one := outcome.records.result(replace(each, seed=1))) is not None
    )
    assert tested == history.steps[0].facts[0].sentences.shared


def test_an_effect_beyond_the_changed_words_is_open(history: History) -> None:
    (part,) = [part for part in history.parts[:3] if part.part is PartKind.ANNOTATION]
    difference, step = part.differences[Score.UAS], part.step
    assert part.is_clear(Score.UAS)
    assert list(_beyond_the_change(part, Score.UAS)) == []
    words = step.effect_in_words(difference)
    assert words == round(abs(difference.delta) / 100 * step.sum_counts("words")) > 1
    enough = -(-words // MOST_PER_CHANGE)
    assert step.answer_difference(difference, enough) == difference
    few = replace(part, changed=1, differences={Score.UAS: step.answer_difference(difference, enough - 1)})
    assert few.decision(Score.UAS) == "open"
    assert not few.is_clear(Score.UAS)
    (warning,) = _beyond_the_change(few, Score.UAS)
    assert "only 1 word changed, and " in warning
    assert "fewer are right. The effect may be chance, so the answer is open." in warning
