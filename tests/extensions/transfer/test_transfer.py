"""Parsers of other languages: what they learn from, what they see, and the scores that come out."""

from __future__ import annotations

import csv
import importlib
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from carried_out import asked, carried_out
from invoking import Call
from small_treebanks import small_treebank

from learnability.comparing.fold import fold_of
from learnability.comparing.options import DataOptions, ExperimentOptions, TreebankSelection
from learnability.comparing.trainings import train_and_test
from learnability.errors import InputError
from learnability.evidence.score_differences import Difference
from learnability.extensions.transfer.declaration import TransferOptions
from learnability.extensions.transfer.outcome import Mean, common_side
from learnability.extensions.transfer.sources import take_words
from learnability.extensions.transfer.study import Draws
from learnability.extensions.transfer.targets import TransferTarget, TransferTreebank
from learnability.metrics.phrases import phrase_scores
from learnability.metrics.scores import Score
from learnability.parsers.registry import parser_named
from learnability.parsing.parser import train_parser
from learnability.parsing.parser_options import ParserOptions
from learnability.parsing.projectivity import lift
from learnability.reports.comparison_files import report_of
from learnability.reports.content import Outcome
from learnability.reports.story import RunStory
from learnability.statistics.inference import AHEAD, Side
from learnability.statistics.meta_analysis import RandomEffects
from learnability.transforms.registry import get_transformation
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.conllu_writing import conllu_text
from learnability.treebanks.families import Origin
from learnability.treebanks.sentence import Tree

CASE = get_transformation("case")
LANGUAGES = {
    "UD_Irish-A": "ga",
    "UD_Welsh-A": "cy",
    "UD_Greek-A": "el",
    "UD_Tamil-A": "ta",
    "UD_Basque-A": "eu",
}
"""Irish and Welsh are of one family; the others are of families of their own."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small treebanks of five languages, each with sentences of its own."""
    place = tmp_path_factory.mktemp("home") / "ud-treebanks-v2.16"
    for number, (name, code) in enumerate(LANGUAGES.items()):
        folder = small_treebank(place, name, first=25 * number, train=25, dev=5, test=10)
        for path in folder.glob("xx-*"):
            text = path.read_text(encoding="utf-8").replace("# sent_id = ", f"# sent_id = {code}-")
            path.with_name(path.name.replace("xx", f"{code}_a", 1)).write_text(text, encoding="utf-8")
            path.unlink()
    return place.parent


def target(home: Path, name: str = "UD_Irish-A", **options: object) -> TransferTarget:
    (selection,) = TransferTarget.find_selections(
        TreebankSelection(name, ud_home=str(home)), TransferOptions(words=100, **options)
    )
    return selection


def loaded(selection: TransferTarget) -> TransferTreebank:
    fold = fold_of(selection.files(), OPTIONS, 0)
    assert isinstance(fold.treebank, TransferTreebank)
    return fold.treebank


OPTIONS = ExperimentOptions.spell_annotations(["case"], seeds=2, iterations=3, tags="only")


def codes_of(treebank: TransferTreebank) -> set[str]:
    return {sentence.sent_id.partition("-")[0] for sentence in (*treebank.train, *treebank.dev)}


def test_nothing_of_the_family_is_learned_from(home: Path) -> None:
    treebank = loaded(target(home))
    assert codes_of(treebank) == {"el", "ta", "eu"}
    assert {sentence.sent_id.partition("-")[0] for sentence in treebank.test} == {"ga"}
    assert len(treebank.test) == 40  # the whole treebank


def test_a_related_language_is_learned_from_if_only_the_language_is_left_out(home: Path) -> None:
    assert codes_of(loaded(target(home, leave_out="language"))) == {"cy", "el", "ta", "eu"}


def test_named_sources_take_the_place_of_all(home: Path) -> None:
    assert codes_of(loaded(target(home, source=("UD_Greek-A", "UD_Welsh-A")))) == {"el"}
    with pytest.raises(InputError, match="no named source is of another family than UD_Irish-A"):
        target(home, source=("UD_Welsh-A",)).files()


def test_each_source_gives_about_as_many_words(home: Path) -> None:
    treebank = loaded(target(home))
    for code in ("el", "ta", "eu"):
        words = [len(s) for s in treebank.train if s.sent_id.startswith(code)]
        assert abs(sum(words) - 100) <= max(words)


def test_sources_are_of_the_release_of_the_target(home: Path, tmp_path: Path) -> None:
    """Other releases beside it do not matter, even where a treebank was larger there."""
    for release in ("2.16", "1.3"):
        place = tmp_path / f"{'ud-treebanks-v' if release > '2' else 'universal-dependencies-'}{release}"
        for folder in (home / "ud-treebanks-v2.16").iterdir():
            (place / folder.name).mkdir(parents=True)
            for path in folder.iterdir():
                text = path.read_text(encoding="utf-8")
                more = text.replace("# sent_id = ", "# sent_id = old-") if release == "1.3" else ""
                (place / folder.name / path.name).write_text(text + more, encoding="utf-8")
    sources = target(tmp_path).files().sources
    assert {files.release for files in sources} == {"2.16"}
    every = TransferTarget.find_selections(
        TreebankSelection(ud_home=str(tmp_path)), TransferOptions(every_language=True)
    )
    assert {selection.files().release for selection in every} == {"2.16"}


def test_what_is_left_out_of_a_source_is_said(home: Path, tmp_path: Path) -> None:
    """A sentence without heads is skipped if that is asked for, and not silently."""
    place = tmp_path / "ud-treebanks-v2.16"
    for folder in (home / "ud-treebanks-v2.16").iterdir():
        (place / folder.name).mkdir(parents=True)
        for path in folder.iterdir():
            (place / folder.name / path.name).write_bytes(path.read_bytes())
    broken = next((place / "UD_Greek-A").glob("*train*"))
    text = broken.read_text(encoding="utf-8")
    row = next(line for line in text.split("\n") if line.startswith("1\t"))
    cells = row.split("\t")
    cells[6] = "_"
    broken.write_text(text.replace(row, "\t".join(cells), 1), encoding="utf-8")
    fold = fold_of(target(tmp_path).files(), replace(OPTIONS, data=DataOptions(skip_incomplete=True)), 0)
    assert any(line.startswith("UD_Greek-A: ") for line in fold.treebank.warnings)


def test_graph_based_parsers_see_no_words_either(home: Path) -> None:
    graph = replace(OPTIONS, parsers=(parser_named("graph"),))
    fold = fold_of(target(home).files(), graph, 0)
    other = [replace(t, forms=tuple(f"x{i}" for i in range(len(t)))) for t in fold.ud.test]
    trained = fold.trainer.train(fold.ud.train, fold.ud.dev, 1)
    parses = [trained.parse(trees) for trees in (fold.ud.test, other)]
    assert [t.heads for t in parses[0]] == [t.heads for t in parses[1]]


def test_a_script_without_the_program_draws_the_same_sentences(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It also scores phrases as the program does (research/transfer/check.py)."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3]))
    check = importlib.import_module("research.transfer.check")
    for draw in (1, 2):
        check.build_files("UD_Irish-A", home / "ud-treebanks-v2.16", tmp_path, draw, 100)
        treebank = loaded(target(home)).of_draw(draw)
        for name, sentences in (("train", treebank.train), ("dev", treebank.dev), ("test", treebank.test)):
            built = read_conllu(tmp_path / f"{name}.conllu").sentences
            assert [s.sent_id for s in built] == [s.sent_id for s in sentences]
            assert [s.tree.heads for s in built] == [s.tree.heads for s in sentences]
    for sentence in treebank.test:
        heads = chained(sentence.tree).heads
        scored = phrase_scores([sentence.tree], [heads])
        expected = check.right_phrases(
            (list(sentence.tree.heads), list(sentence.tree.deprels)), (list(heads), [])
        )
        assert (int(scored.correct[0]), int(scored.total[0])) == expected


def test_a_script_finds_clauses_in_which_a_parse_has_another_predicate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """*cats are animals , she may sleep*: the parse makes *cats* the predicate."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3]))
    check = importlib.import_module("research.transfer.check")
    relations = ["nsubj", "cop", "root", "punct", "nsubj", "aux", "parataxis"]
    gold = ([3, 3, 0, 3, 7, 7, 3], relations)
    right = check.find_places(gold, gold)
    other, auxiliary = check.PLACES[1:3]
    assert right == {1: other, 3: other, 4: other, 5: auxiliary, 7: other}
    wrong = check.find_places(gold, ([0, 1, 1, 1, 7, 7, 1], relations))
    assert wrong == {1: check.COPULAR, 3: check.COPULAR, 4: check.COPULAR, 5: auxiliary, 7: check.COPULAR}


def test_a_small_source_has_sentences_to_stop_by(home: Path) -> None:
    (source, *_) = loaded(target(home)).sources
    learned, others = source.draw(100_000, 1)
    assert len(learned) + len(others) == len(source.sentences)
    assert len(others) == 4  # of 40


def test_words_are_taken_to_the_nearest_sentence(home: Path) -> None:
    sentences = loaded(target(home)).test
    for words in (1, 30, 77, 150):
        sums = [abs(sum(map(len, sentences[:count])) - words) for count in range(1, len(sentences))]
        assert len(take_words(sentences, words)) == sums.index(min(sums)) + 1


def test_each_seed_draws_other_sentences_and_the_same_again(home: Path) -> None:
    treebank = loaded(target(home))
    drawn = [[s.sent_id for s in treebank.of_draw(seed).train] for seed in (1, 2, 1)]
    assert drawn[0] == drawn[2] != drawn[1]
    for seed in (1, 2):
        of_draw = treebank.of_draw(seed)
        assert not {s.sent_id for s in of_draw.train} & {s.sent_id for s in of_draw.dev}


def test_the_parser_sees_tags_in_place_of_words(home: Path) -> None:
    """Other words, lemmas and XPOS change no parse: the fold encodes both sentences alike."""
    fold = fold_of(target(home).files(), OPTIONS, 0)
    trees = fold.ud.test
    others = [replace(t, forms=tuple(f"x{i}" for i in range(len(t))), lemmas=(), xpos=()) for t in trees]
    assert (fold.encode(trees).attributes == fold.encode(others).attributes).all()
    gold = replace(OPTIONS, tags="gold")
    seen = fold_of(target(home).files(), gold, 0)
    assert (seen.encode(trees).attributes != seen.encode(others).attributes).any()


FUNCTION = {"case", "det", "mark", "cop", "aux", "flat", "fixed", "mwe", "name", "goeswith"}


def phrase_arcs(gold: Tree, heads: Sequence[int]) -> tuple[int, int]:
    """How many phrases of a sentence a parse attaches to the right one, and how many there are; by hand."""

    def unit(word: int) -> int:
        while word and gold.deprels[word - 1].partition(":")[0] in FUNCTION and gold.heads[word - 1]:
            word = gold.heads[word - 1]
        return word

    def head_of(content: int, of: Sequence[int]) -> int:
        word = content
        while word and unit(word) == content:
            word = of[word - 1]
        return unit(word) if word else 0

    contents = sorted({unit(word) for word in range(1, len(gold) + 1)})
    return sum(head_of(c, heads) == head_of(c, gold.heads) for c in contents), len(contents)


def without_words(tree: Tree) -> Tree:
    return Tree(tree.upos, tree.upos, tree.heads, tree.deprels)


def by_hand(treebank: TransferTreebank, seed: int, change: Callable[[Tree], Tree]) -> tuple[float, float]:
    """UAS between phrases and in the own annotation of one training, from drawn sentences to scores."""
    drawn = treebank.of_draw(seed)
    train, dev, test = ([s.tree for s in part] for part in (drawn.train, drawn.dev, drawn.test))
    learned = [without_words(lift(change(tree))) for tree in train]
    options = ParserOptions(features="zn11", iterations=3, seed=seed)
    held_out = [without_words(change(tree)) for tree in dev]
    parser = train_parser(learned, options, held_out).parser
    parsed = parser.parse([without_words(change(tree)) for tree in test])
    arcs = [phrase_arcs(tree, parse.heads) for tree, parse in zip(test, parsed, strict=True)]
    own = [
        sum(map(int.__eq__, change(tree).heads, parse.heads))
        for tree, parse in zip(test, parsed, strict=True)
    ]
    return (
        100 * sum(right for right, _ in arcs) / sum(count for _, count in arcs),
        100 * sum(own) / sum(map(len, test)),
    )


def test_scores_are_those_of_trainings_by_hand(home: Path, tmp_path: Path) -> None:
    rows = transferred(home, tmp_path / "run")
    treebank = loaded(target(home))
    of_ud = [by_hand(treebank, seed, lambda tree: tree) for seed in (1, 2)]
    of_case = [by_hand(treebank, seed, CASE.apply) for seed in (1, 2)]
    for place, basis in enumerate(("between_phrases", "own_annotation")):
        (row,) = (row for row in rows if row["basis"] == basis)
        for column, values in (("base", of_ud), ("alternative", of_case)):
            assert float(row[column]) == pytest.approx(sum(value[place] for value in values) / 2, abs=1e-4)
    assert [row["is_answer"] for row in rows] == ["yes", "no", "no"]


def chained(tree: Tree) -> Tree:
    return tree.with_heads([*range(2, len(tree) + 1), 0], [*["dep"] * (len(tree) - 1), "root"])


def test_what_sources_teach_moves_the_score(home: Path, tmp_path: Path) -> None:
    """Sources in which every word hangs on the next one: so parsers of UD attach, and score as that does."""
    planted = tmp_path / "home" / "ud-treebanks-v2.16"
    for folder in (home / "ud-treebanks-v2.16").iterdir():
        (planted / folder.name).mkdir(parents=True)
        for path in folder.iterdir():
            trees = [s.tree for s in read_conllu(path).sentences]
            if folder.name not in ("UD_Irish-A", "UD_Welsh-A"):
                trees = list(map(chained, trees))
            (planted / folder.name / path.name).write_text(conllu_text(trees), encoding="utf-8")
    selection = target(planted.parent)
    fold = fold_of(selection.files(), replace(OPTIONS, iterations=5), 0)
    parsed = train_and_test(Draws(fold, TransferOptions()).of_seed(1), fold.ud, 1).parsed
    attached = [sum(head == word + 1 for word, head in enumerate(t.heads, start=1)) for t in parsed]
    words = sum(len(t) - 1 for t in parsed)
    assert sum(attached) / words > 0.95


def test_targets_have_a_row_each_and_the_same_bytes_in_two_processes(home: Path, tmp_path: Path) -> None:
    names = ("UD_Irish-A", "UD_Tamil-A")
    one = transferred(home, tmp_path / "one", *names)
    assert {row["treebank"] for row in one} == set(names)
    assert {row["family"] for row in one} == {"Celtic", "Dravidian"}
    transferred(home, tmp_path / "two", *names, jobs=2)
    pytest.importorskip("distributed")
    transferred(home, tmp_path / "cluster", *names, jobs="local:2")
    for name in ("transfer.csv", "transfer_means.csv", "report.html"):
        once = (tmp_path / "one" / name).read_bytes()
        assert (tmp_path / "two" / name).read_bytes() == once == (tmp_path / "cluster" / name).read_bytes()


def test_a_construction_is_answered_where_all_parsers_agree_after_correction(
    home: Path, tmp_path: Path
) -> None:
    """Means over five languages, by hand from the rows; without five there is none, and parsers are named."""
    parsers = (parser_named("arc-eager"), parser_named("graph"))
    options = replace(
        ExperimentOptions.spell_annotations(["case", "det"], seeds=2, iterations=2, tags="only"),
        parsers=parsers,
    )

    def outcome(names: Sequence[str], out: Path) -> Outcome:
        files = [target(home, name, leave_out="language").files() for name in names]
        story = carried_out(files, options, out, asked("transfer", words=100), report=None)
        assert not story.failed
        (found,) = story.outcomes
        return found

    few = outcome(["UD_Irish-A"], tmp_path / "few")
    sentences = few.answers[0].sentences[:4]
    assert len({sentence.partition(": ")[0] for sentence in sentences}) == 4  # two parsers, two constructions
    assert few.values["transfer_means"] == []

    found = outcome(list(LANGUAGES), tmp_path / "five")
    rows = [row for row in found.values["transfer"] if row["is_answer"] == "yes"]
    means = [mean for mean in found.values["transfer_means"] if mean["compared"] == "answer"]
    assert [(mean["construction"], mean["parser"]) for mean in means] == [
        (name, parser) for parser in ("arc-eager", "graph") for name in ("case", "det")
    ]
    for parser in ("arc-eager", "graph"):
        by_hand = []
        for name in ("case", "det"):
            members = [row for row in rows if (row["construction"], row["parser"]) == (name, parser)]
            by_hand.append(
                RandomEffects.combine(
                    [row["delta"] for row in members],
                    [row["error"] for row in members],
                    [Origin(row["language"], row["family"]) for row in members],
                )
            )
        smaller, larger = sorted(mean.p_value for mean in by_hand)
        holm = {smaller: min(1.0, 2 * smaller), larger: min(1.0, max(2 * smaller, larger))}
        of_parser = [mean for mean in means if mean["parser"] == parser]
        for mean, expected in zip(of_parser, by_hand, strict=True):
            assert mean["delta"] == pytest.approx(expected.mean)
            assert mean["p_holm"] == pytest.approx(holm[expected.p_value])
            assert (
                (mean["better"] in AHEAD) == (mean["p_holm"] < 0.05) == (not mean["low"] <= 0 <= mean["high"])
            )
    lines = [sentence for sentence in found.answers[0].sentences if "over 5 languages" in sentence]
    assert [line.partition(": ")[0] for line in lines] == ["case", "det"]
    assert all("arc-eager" in line and "graph" in line for line in lines)


@pytest.mark.parametrize(
    ("sides", "together"),
    [
        ([Side.FIRST, Side.FIRST], Side.FIRST),
        ([Side.FIRST, Side.NONE], Side.NONE),
        ([Side.FIRST, Side.SECOND], Side.NONE),
        ([Side.EQUAL, Side.EQUAL], Side.EQUAL),
        ([Side.SECOND], Side.SECOND),
    ],
)
def test_parsers_together_show_what_each_of_them_shows(sides: Sequence[Side], together: Side) -> None:
    means = [
        Mean("case", "", Score.UAS, "answer", (), Difference(None, None, 1.0, better=side)) for side in sides
    ]
    assert common_side(means) is together


def test_runs_over_several_targets_are_compared_as_one(call: Call, home: Path, tmp_path: Path) -> None:
    """The rows and means of two runs together are those of one run; else it is said why there are none."""
    names = list(LANGUAGES)
    one = transferred(home, tmp_path / "one", *names)
    transferred(home, tmp_path / "runs" / "a", *names[:2])
    transferred(home, tmp_path / "runs" / "b", *names[2:])
    result = call("compare", str(tmp_path / "runs"), "--out", str(tmp_path / "both"))
    assert result.code == 0, result.errors
    both = list(csv.DictReader(io.StringIO((tmp_path / "both" / "transfer.csv").read_text(encoding="utf-8"))))
    assert both == one
    for name in ("transfer_means.csv",):
        assert (tmp_path / "both" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
    assert b"case: " in result.output
    assert b"over 5 languages" in result.output
    twice = call("compare", str(tmp_path / "runs"), str(tmp_path / "one"))
    assert (twice.code, "is in two runs" in twice.errors) == (2, True)
    atlas = call("compare", str(tmp_path / "one"), "--atlas", str(tmp_path / "atlas"))
    assert (atlas.code, "leave these options out" in atlas.errors) == (2, True)


def test_a_run_says_beside_its_answers_what_the_command_says(home: Path, tmp_path: Path) -> None:
    """The same draws, so the same numbers; the answers of the run are those without it."""
    selection = TreebankSelection("UD_Irish-A", ud_home=str(home))
    options = replace(OPTIONS, tags="gold")

    def run(*studies: str) -> RunStory:
        requests = [asked("run"), *(asked(name, words=100) for name in studies)]
        return carried_out(
            [selection.files()], options, tmp_path / "-".join(("run", *studies)), *requests, report=report_of
        )

    alone, both = run(), run("transfer")
    assert not both.failed
    with_other = list(csv.DictReader(io.StringIO((both.folder / "transfer.csv").read_text(encoding="utf-8"))))
    assert with_other == transferred(home, tmp_path / "command")
    assert (both.folder / "results.csv").read_bytes() == (alone.folder / "results.csv").read_bytes()
    page = (both.folder / "report.html").read_text(encoding="utf-8")
    assert "This is another question than that of the run" in page
    assert "Parsers see gold tags" not in page


def test_a_run_of_a_treebank_that_stands_alone_has_no_sources(call: Call, tmp_path: Path) -> None:
    alone = small_treebank(tmp_path, "UD_Irish-A", train=25, dev=5, test=10)
    result = call(
        "run", "--treebank", str(alone), "--transform", "case", "--transfer", "--out", str(tmp_path / "out")
    )
    assert result.code == 2
    assert "fewer than two treebanks are of another family" in result.errors
    assert not (tmp_path / "out").exists()


def test_a_copula_that_heads_leaves_open_which_noun_is_the_predicate() -> None:
    """Taking one noun for the other costs both phrases in UD, and none where the copula heads both."""
    words = ("X", "is", "Y")
    gold, other = (
        Tree(words, ("NOUN", "AUX", "NOUN"), heads, relations)
        for heads, relations in (
            ((3, 3, 0), ("nsubj", "cop", "root")),
            ((0, 1, 1), ("root", "cop", "nsubj")),
        )
    )
    cop = get_transformation("cop")
    assert cop.apply(gold).heads == cop.apply(other).heads
    assert int(phrase_scores([gold], [other.heads]).correct[0]) == 0
    assert int(phrase_scores([gold], [cop.apply(other).heads]).correct[0]) == 2


def transferred(home: Path, out: Path, *names: str, jobs: int | str = 1) -> list[dict[str, str]]:
    files = [target(home, name).files() for name in names or ("UD_Irish-A",)]
    story = carried_out(
        files, replace(OPTIONS, seeds=2), out, asked("transfer", words=100), jobs=jobs, report=report_of
    )
    assert not story.failed
    return list(csv.DictReader(io.StringIO((out / "transfer.csv").read_text(encoding="utf-8"))))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "no treebank is named"),
        (("--all", "--treebank", "UD_Irish-A"), "--all parses all languages"),
        (("--treebank", "UD_Irish-A", "--source", "UD_Welsh-A"), "no named source is of another family"),
        (("--treebank", "UD_Irish-A", "--transform", "case:lemma=a"), "depends on lemmas"),
    ],
)
def test_wrong_usage_is_said_in_a_line(call: Call, home: Path, words: tuple[str, ...], message: str) -> None:
    result = call("transfer", *words, "--ud-home", str(home))
    assert result.code == 2
    assert message in result.errors
