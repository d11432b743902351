"""What folds of a treebank share is that of the pair and of the tree."""

from __future__ import annotations

from pathlib import Path

from small_treebanks import small_treebank

from learnability.comparing.fold import fold_of
from learnability.comparing.options import DataOptions, ExperimentOptions
from learnability.treebanks.locate import locate_treebank


def test_each_pair_has_its_own_places_and_references(tmp_path: Path) -> None:
    files = locate_treebank(small_treebank(tmp_path))
    options = ExperimentOptions.spell_annotations(("case", "det"), data=DataOptions(cross_validate=3))
    folds = [fold_of(files, options, number) for number in range(3)]
    found = []
    for fold in folds:
        assert fold.shared is folds[0].shared is not None
        for pair in fold.pairs:
            compared = fold.compare_pair(pair)
            contrast = compared.contrast
            for tree in (*fold.ud.train, *fold.ud.test):
                references = compared.references(None)(tree)
                assert references == contrast.references(tree, options.max_options, None)
                assert compared.references(None)(tree) is references
                assert compared.places(tree) == contrast.places(tree)
                assert compared.sides(tree) == contrast.sides(tree)
                found.append((pair.alternative.spelling, bool(references.factors)))
    assert {("case", True), ("det", True)} <= set(found)
