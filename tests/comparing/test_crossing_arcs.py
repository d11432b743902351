"""Both annotations of a pair are lifted by one method once they are made, and tested as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import trees
from small_treebanks import DEMO, cut
from trees import lifted

from learnability.comparing.annotation import Annotation
from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.trainings import train_annotation
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Tree

CROSSING = ("case:reattach=sud", "scheme:sud", "case")


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crossing") / "UD_Crossing"
    folder.mkdir()
    for path in DEMO.glob("*.conllu"):
        cut(path, folder / path.name, 0, 90)
        write_crossing(folder / path.name, Random(path.name))
    return folder


def write_crossing(path: Path, draw: Random) -> None:
    blocks = path.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    for number in range(0, len(blocks), 3):
        rows = [line.split("\t") for line in blocks[number].split("\n")]
        words = [row for row in rows if row[0].isdigit()]
        heads = [int(row[6]) for row in words]
        for _ in range(40):
            token, head = draw.randrange(len(words)), draw.randrange(1, len(words) + 1)
            other = [*heads[:token], head, *heads[token + 1 :]]
            if heads[token] and trees.is_tree(other) and not trees.is_projective(other):
                words[token][6] = str(head)
                break
        blocks[number] = "\n".join("\t".join(row) for row in rows)
    path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")


def fold_with(part: Path, *names: str, parser: str = "arc-eager", **options: object) -> Fold:
    options = {"parsers": (parser,), "iterations": 2, **options}
    return fold_of(locate_treebank(part), ExperimentOptions.spell_annotations(names, **options), 0)


def heads_of(sentences: tuple[Tree, ...]) -> list[tuple[int, ...]]:
    return [tree.heads for tree in sentences]


def annotated(fold: Fold, annotation: Annotation, part: str) -> list[tuple[int, ...]]:
    change = annotation.change(fold.treebank.conventions, None)
    return [change(sentence.tree).heads for sentence in getattr(fold.treebank, part)]


@pytest.mark.parametrize("name", CROSSING)
def test_each_side_is_lifted_after_it_is_made_and_tested_as_it_is(part: Path, name: str) -> None:
    fold = fold_with(part, name)
    (pair,) = fold.pairs
    for annotation, side in ((pair.base, fold.base), (pair.alternative, fold.compare_pair(pair).alternative)):
        made = annotated(fold, annotation, "train")
        assert heads_of(side.sets.train) == list(map(lifted, made)) != made
        assert all(map(trees.is_projective, heads_of(side.sets.train)))
        for kept in ("dev", "test"):
            assert heads_of(getattr(side.sets, kept)) == annotated(fold, annotation, kept)
        tested = annotated(fold, annotation, "test")
        assert not all(map(trees.is_projective, tested))
        result = train_annotation(fold, None if annotation.is_ud else pair, 1)
        assert result is not None
        moved = (map(int.__ne__, heads, lifted(heads)) for heads in tested)
        assert result.lost_arcs == sum(map(sum, moved)) > 0
    # what it was before: the lifted UD tree in the annotation
    of_lifted = [
        pair.alternative.change(fold.treebank.conventions, None)(tree).heads for tree in fold.base.sets.train
    ]
    assert of_lifted != heads_of(fold.compare_pair(pair).alternative.sets.train)


def test_parsers_that_build_crossing_arcs_learn_trees_as_they_are(part: Path) -> None:
    fold = fold_with(part, "scheme:sud", parser="graph:nonprojective")
    (pair,) = fold.pairs
    train = fold.compare_pair(pair).alternative.sets.train
    assert heads_of(train) == annotated(fold, pair.alternative, "train")
    result = train_annotation(fold, pair, 1)
    assert result is not None
    assert result.lost_arcs == 0


def test_a_static_oracle_learns_alternatives_that_cross_arcs(part: Path) -> None:
    fold = fold_with(part, "case:reattach=sud", parser="arc-eager:static")
    (pair,) = fold.pairs
    assert train_annotation(fold, pair, 1) is not None


def test_by_drop_all_parsers_of_a_run_learn_the_same_sentences(part: Path) -> None:
    fold = fold_with(part, "scheme:sud", "case", nonprojective="drop")
    sides = [fold.base, *(fold.compare_pair(pair).alternative for pair in fold.pairs)]
    every = [annotated(fold, side.annotation, "train") for side in sides]
    kept = [i for i, heads in enumerate(zip(*every, strict=True)) if all(map(trees.is_projective, heads))]
    assert 0 < len(kept) < sum(map(trees.is_projective, every[0]))  # `sud` crosses arcs by itself
    for side, heads in zip(sides, every, strict=True):
        assert heads_of(side.sets.train) == [heads[i] for i in kept]


@pytest.mark.parametrize("name", CROSSING)
@pytest.mark.parametrize("labels", [None, "external"])
def test_references_contain_what_both_parsers_learn(part: Path, name: str, labels: str | None) -> None:
    fold = fold_with(part, name, labels=labels)
    (pair,) = fold.pairs
    compared = fold.compare_pair(pair)
    of_both = zip(fold.base.sets.train, compared.alternative.sets.train, fold.ud.train, strict=True)
    mixed = 0
    for first, second, ud in of_both:
        found = compared.references(labels)(ud)  # type: ignore[arg-type]
        assert [tree.heads for tree in (found.tree, found.last_tree())] == [first.heads, second.heads]
        if labels:
            assert found.last_tree().deprels == second.deprels
        made = compared.contrast.references(ud, fold.options.max_options, labels)  # type: ignore[arg-type]
        if trees.is_projective(ud.heads) and trees.is_projective(made.last_tree().heads):
            assert found == made
        elif len(found) <= 64:
            every = [tree.heads for _, tree in found.enumerate()]
            assert every[-1] == second.heads
            assert all(trees.is_tree(heads) and trees.is_projective(heads) for heads in every)
            mixed += len(set(every)) > 2
    assert mixed > 3


def test_the_trees_of_a_treebank_are_lifted_by_themselves(part: Path, tmp_path: Path) -> None:
    """Formerly an imported tree was lifted where the UD tree was, though it crosses no arcs itself."""
    other = tmp_path / "UD_Other"
    other.mkdir()
    for path in DEMO.glob("*.conllu"):
        cut(path, other / path.name, 0, 90)
    files = replace(locate_treebank(part), alternative=locate_treebank(other))
    options = ExperimentOptions((annotation_spelled("treebank:UD_Other"),))
    fold = fold_of(files, options, 0)
    pair: Pair[Annotation] = fold.pairs[0]
    base, alternative = fold.base.sets.train, fold.compare_pair(pair).alternative.sets.train
    originals = [fold.change(pair.alternative)(tree).heads for tree in fold.ud.train]
    assert heads_of(base) == [lifted(tree.heads) for tree in fold.ud.train]
    assert heads_of(alternative) == list(map(lifted, originals))
    assert heads_of(base) != heads_of(fold.ud.train)
