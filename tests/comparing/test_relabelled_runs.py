"""What runs find about tags and relations that merge or split, and their scores by the official scorer."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from carried_out import carried_out
from result_rows import hand_rows

from learnability.comparing import trainings
from learnability.comparing.fold import Fold
from learnability.comparing.names import annotation_typed
from learnability.comparing.options import PREDICTED, ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.ud import UD
from learnability.errors import InputError
from learnability.evidence.score_differences import ScoringBasis
from learnability.evidence.stored_runs import read_run
from learnability.metrics.scores import Score
from learnability.reports.results import UNDEFINED, comparison_table
from learnability.reports.verdicts import explain_reading, verdict
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.locate import TreebankFiles, locate_treebank
from learnability.treebanks.sentence import Tree
from learnability.treebanks.splits import load_treebank

Word = tuple[str, str, int, str, str]
"""Form, UPOS, head, deprel, FEATS."""


def treebank(folder: Path, sentence: Callable[[random.Random], list[Word]]) -> TreebankFiles:
    draw = random.Random(7)
    place = folder / "UD_Made"
    place.mkdir()
    for split, count in (("train", 100), ("dev", 10), ("test", 80)):
        blocks = []
        for _ in range(count):
            rows = enumerate(sentence(draw), start=1)
            blocks.append(
                "".join(
                    f"{i}\t{form}\t{form}\t{upos}\t_\t{feats}\t{head}\t{deprel}\t_\t_\n"
                    for i, (form, upos, head, deprel, feats) in rows
                )
            )
        (place / f"xx-ud-{split}.conllu").write_text("\n".join(blocks) + "\n", encoding="utf-8")
    return locate_treebank(place)


def told_by_form(draw: random.Random) -> list[Word]:
    """Auxiliaries follow the verb that they depend on; their few forms are never those of verbs."""
    words: list[Word] = [(f"v{draw.randrange(4)}", "VERB", 0, "root", "_")]
    for _ in range(draw.randrange(1, 4)):
        verb = len(words) + 1
        words.append((f"v{draw.randrange(4)}", "VERB", 1, "conj", "_"))
        words.append((f"a{draw.randrange(3)}", "AUX", verb, "aux", "_"))
    return words


def told_by_tag(draw: random.Random) -> list[Word]:
    """A word between two nouns depends on the next one if it is an ADP, on the one before if it is a PART.

    Every form is new, and features are drawn by lot.
    """
    words: list[Word] = [(f"w{draw.randrange(10**6)}", "VERB", 0, "root", "Coin=A0")]
    for _ in range(draw.randrange(2, 5)):
        tag = draw.choice(("ADP", "PART"))
        for upos, head, deprel in (
            ("NOUN", 1, "obj"),
            (tag, len(words) + (3 if tag == "ADP" else 1), "case"),
            ("NOUN", 1, "obl"),
        ):
            lot = f"Coin=A{draw.randrange(300)}"
            words.append((f"w{draw.randrange(10**6)}", upos, head, deprel, lot))
    return words


RANDOM = "+".join(f"upos:{tag}={tag}-{{Coin}}" for tag in ("NOUN", "VERB", "ADP", "PART"))


@pytest.mark.parametrize(
    ("sentence", "scheme", "better"),
    [
        (told_by_form, "upos:AUX=VERB", ("equal", "none")),
        (told_by_tag, "upos:ADP=PART", ("base",)),
        (told_by_tag, f"scheme:{RANDOM}", ("base",)),
    ],
    ids=["told apart by form", "planted ambiguity", "random split"],
)
def test_what_a_parser_needs_is_found(
    sentence: Callable[[random.Random], list[Word]], scheme: str, better: tuple[str, ...], tmp_path: Path
) -> None:
    """With gold tags."""
    options = ExperimentOptions((annotation_typed(scheme),), seeds=2, iterations=3)
    outcome = carried_out(treebank(tmp_path, sentence), options, tmp_path / "out")
    assert not outcome.failed
    (row,) = outcome.rows
    difference = row.difference()
    assert difference is not None
    assert difference.better in better
    if "equal" in better:
        assert difference.low is not None
        assert difference.high is not None
        assert difference.low <= 0 <= difference.high
        assert abs(difference.delta) < 1
    else:
        assert difference.delta > 2


@pytest.mark.parametrize(
    ("sentence", "scheme", "tags_better"),
    [
        (told_by_form, "upos:AUX=VERB", "none"),
        (told_by_tag, "upos:ADP=PART", "alternative"),
        (told_by_tag, f"scheme:{RANDOM}", "ud"),
    ],
    ids=["told apart by form", "told apart by nothing", "random split"],
)
def test_what_a_tagger_can_tell_is_found(
    sentence: Callable[[random.Random], list[Word]], scheme: str, tags_better: str, tmp_path: Path
) -> None:
    """With predicted tags, a distinction that nothing in a sentence tells is hard for the tagger, and the
    parser has no use for it."""
    options = ExperimentOptions((annotation_typed(scheme),), seeds=2, iterations=3, tags=PREDICTED)
    outcome = carried_out(treebank(tmp_path, sentence), options, tmp_path / "out")
    assert not outcome.failed
    (row,) = outcome.rows
    difference, tags = row.difference(), row.tagging
    assert difference is not None
    assert tags is not None
    assert difference.better in ("equal", "none")
    if tags_better == "none":
        assert tags.delta_low <= 0 <= tags.delta_high
    else:
        assert (tags.delta_low if tags_better == "ud" else -tags.delta_high) > 5


FOLD_OPTIONS = {"seeds": 1, "iterations": 2, "labels": "external"}


def official(folder: Path, gold: list[Tree], parsed: list[Tree]) -> tuple[list[float], int, float]:
    """UAS and LAS by the official scorer, how many arcs with whole labels are right, counted here, and the
    share of right UPOS tags by the official scorer."""
    udeval = pytest.importorskip("udtools.udeval", reason="the official scorer (udtools) is not installed")
    files = []
    for name, trees in (("gold", gold), ("parsed", parsed)):
        path = folder / f"{name}.conllu"
        path.write_text(conllu_text(trees), encoding="utf-8")
        files.append(udeval.load_conllu_file(str(path), {}))
    scores = udeval.evaluate(*files)
    whole = sum(
        arc == other
        for tree, parse in zip(gold, parsed, strict=True)
        for arc, other in zip(
            zip(tree.heads, tree.deprels, strict=True),
            zip(parse.heads, parse.deprels, strict=True),
            strict=True,
        )
    )
    return [100 * scores[name].f1 for name in ("UAS", "LAS")], whole, 100 * scores["UPOS"].f1


def merged(trees: list[Tree], names: dict[str, str]) -> list[Tree]:
    return [
        replace(tree, deprels=tuple(names.get(d.split(":")[0], d.split(":")[0]) for d in tree.deprels))
        for tree in trees
    ]


@pytest.mark.parametrize(
    ("scheme", "names", "tags"),
    [
        ("upos:AUX=VERB", None, "gold"),
        ("upos:AUX=VERB", None, PREDICTED),
        ("obl-nmod", {"obl": "nmod"}, "gold"),
        ("obl-nmod", {"obl": "nmod"}, PREDICTED),
        ("deprel:nsubj=obj,side=left", {"nsubj": "obj"}, "gold"),
        ("no-subtypes", {}, "gold"),
        ("deprel:advmod=advmod:{side}", {}, "gold"),
    ],
)
def test_scores_are_those_of_the_official_scorer(
    scheme: str,
    names: dict[str, str] | None,
    tags: str,
    small: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    annotation = annotation_typed(scheme)
    options = ExperimentOptions((annotation,), tags=tags, **FOLD_OPTIONS)  # type: ignore[arg-type]
    fold = Fold(load_treebank(small), options, cross_validated=False)
    pair = Pair(UD, annotation)
    seen: list[trainings.TestedParser] = []

    train_and_test = trainings.train_and_test

    def spied(*arguments: object) -> trainings.TestedParser:
        seen.append(train_and_test(*arguments))  # type: ignore[arg-type]
        return seen[-1]

    monkeypatch.setattr(trainings, "train_and_test", spied)
    for trained_on in (None, pair):
        result = trainings.train_annotation(fold, trained_on, 1)
        assert result is not None
        gold, parsed = list(seen[-1].gold), list(seen[-1].parsed)
        assert [tree.heads for tree in gold] == [tree.heads for tree in fold.ud.test]
        own, whole, right_tags = official(tmp_path, gold, parsed)
        las = result.scores["las"]
        assert right_tags == 100 or tags == PREDICTED
        if result.tagging is not None:
            assert 100 * sum(result.tagging.correct) / sum(result.tokens) == pytest.approx(right_tags)
        assert result.percent("uas") == pytest.approx(own[0])
        assert 100 * sum(las.correct) / sum(result.tokens) == pytest.approx(own[1])
        if names is None:
            assert las.common == {}
            assert las.whole_labels == []
            continue
        assert sum(las.whole_labels) == whole
        common, *_ = official(tmp_path, merged(gold, names), merged(parsed, names))
        assert result.percent("las", annotation.spelling) == pytest.approx(common[1])
        assert common[1] >= own[1]
        relations = las.common[annotation.spelling].relations
        assert sum(right for right, _ in relations.values()) == sum(las.common[annotation.spelling].correct)
        assert not relations.keys() & names.keys() or len(names) == 0
    assert seen[0].parsed != seen[1].parsed


def test_a_run_says_what_is_undefined_and_which_trees_are_the_same(
    small_files: TreebankFiles, tmp_path: Path
) -> None:
    specs = ("upos:AUX=VERB", "obl-nmod", "case", "scheme:case+upos:AUX=VERB", "upos:ADP=ADP-{side}")
    options = ExperimentOptions(tuple(map(annotation_typed, specs)), seeds=1, iterations=1, labels="external")
    outcome = carried_out(small_files, options, tmp_path / "out")
    assert not outcome.failed
    rows = {row.name: row for row in outcome.rows}
    assert rows == {row.row.name: row.row for row in read_run(tmp_path / "out").pairs}
    aux, obl, case, both, side = rows.values()
    assert [*aux.undefined] == ["converted_back", "trained_on_both"]
    assert [*obl.undefined] == ["converted_back", "trained_on_both"]
    assert case.undefined == {}
    assert [*both.undefined] == ["converted_back", "trained_on_both"]
    assert [row.pair.tags_follow_trees for row in rows.values()] == [False] * 4 + [True]
    for row in rows.values():
        for basis in ScoringBasis.of(Score.LAS):
            if basis in row.undefined:
                assert row.difference(Score.LAS, basis) is None
    assert obl.difference(Score.LAS, ScoringBasis.LABELS) is not None
    assert aux.difference(Score.LAS, ScoringBasis.LABELS) is None
    assert "gold tree" in verdict(side)
    said = " ".join(explain_reading(list(rows.values()), 1))
    assert "upos:AUX=VERB, obl-nmod, upos:ADP=ADP-{side}: both parsers are tested on the same heads" in said
    assert "Undefined for obl-nmod: converted back to UD (no rule restores the relations of UD)" in said
    cells = [list(map(str, row)) for row in comparison_table([aux]).rows]
    assert [row[1] for row in cells if UNDEFINED in row].count("converted back to UD") == len(Score)
    assert cells[0][1] == "the same trees"
    relations = obl.relations[Score.LAS]
    assert "obl" not in relations
    assert relations["nmod"].tokens == sum(
        d.split(":")[0] in ("obl", "nmod")
        for s in load_treebank(str(small_files.folder)).test
        for d in s.tree.deprels
    )
    text = (tmp_path / "out" / "scores.csv").read_text(encoding="utf-8")
    assert "UD_Small,obl-nmod,,,trained_on_both,undefined,both annotations have the same heads" in text


@pytest.mark.parametrize(
    ("scheme", "options", "problem"),
    [
        ("deprel:obl=nmod", {}, "changes DEPREL, which parsers neither read nor learn here; use `labels="),
        ("xpos:NN=NNS", {}, "changes XPOS, which parsers neither read nor learn here; use `tags='xpos'`"),
        ("upos:AUX=VERB", {"tags": "none"}, "changes UPOS, which parsers .* use `tags='gold'`"),
        ("feats:Case=_", {}, "changes FEATS, which parsers neither read nor learn here"),
        ("upos:SYM=NOUN", {}, "no place for upos:SYM=NOUN; no word has UPOS SYM; choose from ADJ"),
        ("upos:AUX=SYM", {}, "no place for upos:AUX=SYM; the change only renames AUX, because"),
    ],
)
def test_what_changes_nothing_is_refused(
    scheme: str, options: dict[str, str], problem: str, small_files: TreebankFiles, tmp_path: Path
) -> None:
    experiment = ExperimentOptions((annotation_typed(scheme),), **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=problem) as error:
        carried_out(small_files, experiment, tmp_path)
    assert "\n" not in str(error.value)


def test_rows_by_hand(small_files: TreebankFiles, tmp_path: Path) -> None:
    options = ExperimentOptions((annotation_typed("deprel:obj=nsubj"),), seeds=1, iterations=1, labels="keep")
    (row,) = hand_rows(carried_out(small_files, options, tmp_path))
    assert row["own_labels_las_base"] < row["las_base"]
    assert row["las_base"] <= row["uas_base"]
