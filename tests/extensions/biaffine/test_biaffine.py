"""The neural parser as a parser: its scores, its gradients, what it learns, and that this is repeatable."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace as replace_fields
from small_treebanks import small_treebank

from learnability.comparing.results import TrainingResult
from learnability.errors import InputError
from learnability.parsers.registry import parser_named
from learnability.parsers.trainer import Setup, TrainedParser
from learnability.running.records import read_records
from learnability.treebanks.sentence import Tree

pytest.importorskip("jax", reason="jax is not installed; pip install '.[neural]'")
pytest.importorskip("optax", reason="jax is not installed; pip install '.[neural]'")

WORDS = ("der", "Hund", "sieht", "die", "Katze", "heute", "nicht", "ßü", "𝄞", "x" * 60)
TAGS = ("DET", "NOUN", "VERB", "ADV", "PUNCT")


def random_trees(seed: int, sentences: int, longest: int = 7) -> list[Tree]:
    """Return sentences with arbitrary trees of one root, many of which are not projective."""
    draw, found = Random(seed), []
    for _ in range(sentences):
        n = draw.randint(1, longest)
        order = draw.sample(range(1, n + 1), n)
        heads = [0] * n
        for i, word in enumerate(order[1:], start=1):
            heads[word - 1] = draw.choice(order[:i])
        deprels = ["root" if head == 0 else draw.choice(["nsubj", "obj", "det"]) for head in heads]
        found.append(
            Tree(
                draw.choices(WORDS, k=n),
                draw.choices(TAGS, k=n),
                heads,
                deprels,
                xpos=draw.choices(TAGS, k=n),
            )
        )
    return found


TREES = random_trees(1, 20)


@cache
def trained(
    spec: str = "biaffine:nonprojective", iterations: int = 2, tags: str = "gold", roots: bool = False
) -> TrainedParser:
    setup = Setup(labelled=True, iterations=iterations, tags=tags, multiple_roots=roots)
    return parser_named(spec).trainer(setup).train(TREES, TREES[:3], 1)


def network_of(parser: TrainedParser) -> Any:
    """Return the `BiaffineParser` of a parser's parser."""
    assert isinstance(parser.parse, partial)
    return parser.parse.args[0]


def weights_of(parser: TrainedParser) -> bytes:
    """Return the weights of a parser, one after the other."""
    from learnability.extensions.biaffine.backend import jax

    return b"".join(np.asarray(array).tobytes() for array in jax.tree.leaves(network_of(parser).weights))


def encoded(trees: list[Tree], tags: str = "gold") -> Any:
    from learnability.extensions.biaffine.rows import COLUMNS
    from learnability.parsing.encoding import encode_tokens

    return encode_tokens(trees, tags=tags, columns=COLUMNS)


def arc_scores_of(parser: Any, tree: Tree) -> np.ndarray:
    """Return the scores of the arcs of a sentence, [dependent, head]."""
    from learnability.extensions.biaffine.parser import scores
    from learnability.extensions.biaffine.rows import PackedCorpus

    ((batch, ((_, row, root),)),) = PackedCorpus(encoded([tree]), parser.vocabulary).batches(
        np.arange(1), None
    )
    part = slice(root, root + len(tree) + 1)
    return np.asarray(scores(parser.weights, batch)[0])[row, part, part]


@cache
def all_trees(n: int) -> np.ndarray:
    """Return the heads of all trees over n words, with any number of roots, int[trees, n]."""

    def leads_to_root(heads: tuple[int, ...], word: int) -> bool:
        for _ in range(n):
            word = heads[word - 1] if word else 0
        return word == 0

    candidates = itertools.product(range(n + 1), repeat=n)
    trees = [heads for heads in candidates if all(leads_to_root(heads, word) for word in range(1, n + 1))]
    assert len(trees) == (n + 1) ** (n - 1)  # Cayley's formula
    return np.array(trees)


@cache
def projective_trees(n: int) -> np.ndarray:
    return np.array([heads for heads in all_trees(n) if not crosses(tuple(heads))])


def crosses(heads: tuple[int, ...]) -> bool:
    arcs = [tuple(sorted((head, word))) for word, head in enumerate(heads, start=1)]
    return any(a < c < b < d for (a, b), (c, d) in itertools.permutations(arcs, 2))


@pytest.mark.slow
@pytest.mark.parametrize("roots", [False, True])
@pytest.mark.parametrize("spec", ["biaffine", "biaffine:nonprojective"])
def test_the_tree_is_the_best_by_the_scores(spec: str, roots: bool) -> None:
    """Brute force over all trees of up to six words."""
    trees = [tree for tree in random_trees(3, 30, longest=6) if len(tree) > 1]
    assert max(map(len, trees)) == 6
    parser = trained(spec, roots=roots)
    for tree, parse in zip(trees, parser.parse(trees), strict=True):
        n, score = len(tree), arc_scores_of(network_of(parser), tree)
        allowed = all_trees(n) if spec == "biaffine:nonprojective" else projective_trees(n)
        if not roots:
            allowed = allowed[(allowed == 0).sum(axis=1) == 1]
        totals = score[np.arange(1, n + 1), allowed].sum(axis=1)
        (found,) = np.flatnonzero((allowed == parse.heads).all(axis=1))
        assert totals[found] == pytest.approx(totals.max(), abs=1e-3)


def small_batch() -> Any:
    from learnability.extensions.biaffine.rows import PackedCorpus, Vocabulary
    from learnability.parsing.encoding import encode_heads, encode_labels

    trees = TREES[:4]
    corpus = encoded(trees)
    heads = encode_heads(corpus, [tree.heads for tree in trees])
    labels = encode_labels(corpus, [tree.deprels for tree in trees], ["det", "nsubj", "obj", "root"])
    packed = PackedCorpus(corpus, Vocabulary.of(corpus, None), heads, labels)
    ((batch, _),) = packed.batches(np.arange(len(trees)), None)
    return batch


@pytest.fixture
def small_network(monkeypatch: pytest.MonkeyPatch) -> Any:
    from learnability.extensions.biaffine import network

    sizes = {"FORMS": 40, "AFFIXES": 8192, "FORM_SIZE": 5, "TAG_SIZE": 3, "HIDDEN": 4, "ARC": 4, "LABEL": 3}
    for name, size in sizes.items():
        monkeypatch.setattr(network, name, size)
    return network


@pytest.mark.slow
def test_gradients_agree_with_finite_differences(small_network: Any) -> None:
    from learnability.extensions.biaffine.backend import jax

    batch = small_batch()
    draw = np.random.default_rng(1)
    weights = jax.tree.map(
        lambda array: np.asarray(array) + draw.normal(0, 0.3, array.shape).astype(np.float32),
        small_network.new_parameters(1, 4, 0),
    )
    gradient = jax.grad(small_network.loss)(weights, batch, None)
    loss = jax.jit(lambda weights: small_network.loss(weights, batch, None))
    checked = 0
    for path, array in jax.tree_util.tree_leaves_with_path(gradient):
        direction = np.sign(np.asarray(array)).astype(np.float32)  # of all numbers of the array at once

        def moved(by: float, path: Any = path, direction: np.ndarray = direction) -> float:
            other = jax.tree_util.tree_map_with_path(
                lambda at, value: value + by * direction if at == path else value, weights
            )
            return float(loss(other))

        step = 2e-3
        expected = (moved(step) - moved(-step)) / (2 * step)
        assert float(np.abs(array).sum()) == pytest.approx(expected, rel=0.03, abs=3e-3), path
        checked += 1
    assert checked == 3 + 3 * 2 + 4 + 3


def test_the_recurrence_is_that_of_automatic_differentiation() -> None:
    """The written gradient beside that of the same loop without it."""
    from learnability.extensions.biaffine.backend import jax
    from learnability.extensions.biaffine.lstm import _run, recurrence

    draw = np.random.default_rng(2)
    inputs = draw.normal(size=(9, 2, 3, 8)).astype(np.float32)
    joined = (draw.random((9, 2, 3, 1)) < 0.8).astype(np.float32)
    recurrent = draw.normal(size=(2, 2, 8)).astype(np.float32)
    kept = draw.random((2, 3, 2)).astype(np.float32)
    above = draw.normal(size=(9, 2, 3, 2)).astype(np.float32)

    def gradients(run: Callable[..., Any]) -> Any:
        def total(inputs: Any, recurrent: Any) -> Any:
            return (run(inputs, joined, recurrent, kept) * above).sum()

        return jax.grad(total, argnums=(0, 1))(inputs, recurrent)

    found, expected = gradients(recurrence), gradients(lambda *arguments: _run(*arguments)[0])
    for gradient, automatic in zip(found, expected, strict=True):
        np.testing.assert_allclose(gradient, automatic, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_sentences_of_a_row_do_not_see_each_other() -> None:
    """A sentence has the same scores alone and beside others."""
    parser = trained()
    together = parser.parse(TREES)
    alone = [parser.parse([tree])[0] for tree in TREES]
    assert arcs(together) == arcs(alone)


def arcs(trees: Any) -> list[tuple]:
    return [(tuple(tree.heads), tuple(tree.deprels)) for tree in trees]


@pytest.mark.slow
def test_twenty_sentences_are_learned_by_heart() -> None:
    different = [replace(tree, forms=[f"w{i}.{j}" for j in range(len(tree))]) for i, tree in enumerate(TREES)]
    twice = different * 2  # forms that occur once are unknown
    parser = parser_named("biaffine:nonprojective").trainer(Setup(labelled=True, iterations=150))
    assert arcs(parser.train(twice, [], 1).parse(different)) == arcs(different)


PROGRAM = """
import sys
sys.path[:0] = ["tests/extensions/biaffine", "tests/support"]
from test_biaffine import trained, weights_of
sys.stdout.buffer.write(weights_of(trained()))
"""


@pytest.mark.slow
def test_compiled_programs_on_disk_and_other_processes_change_nothing(tmp_path: Path) -> None:
    """Without programs, with them, and with those that a killed process has left unfinished."""
    folder, programs = Path(__file__).parents[3], tmp_path / "programs"
    environment = {**os.environ, "JAX_COMPILATION_CACHE_DIR": str(programs)}
    weights = []
    for name in ("none", "all", "unfinished"):
        if name == "unfinished":
            for file in programs.iterdir():
                os.truncate(file, file.stat().st_size // 2)
        command = [sys.executable, "-c", PROGRAM]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
        assert done.stderr == b""
        assert any("step" in file.name for file in programs.iterdir())
        weights.append(done.stdout)
    assert weights == 3 * [weights_of(trained())]


@pytest.mark.slow
def test_a_run_gives_the_same_bytes_in_any_number_of_jobs(tmp_path: Path) -> None:
    """Files, and the result of each training; only times differ."""
    treebank = small_treebank(tmp_path, train=30)
    vectors = tmp_path / "words.vec"
    vectors.write_text("das 1 2 3\nHund 2 1 0\n")
    parser = f"biaffine:vectors={vectors}"
    shared = (
        "run",
        "--test-set",
        "--treebank",
        treebank,
        "--transform",
        "case",
        "--parser",
        parser,
        "--labelled",
    )
    for jobs in ("1", "2"):
        command = (*shared, "--seeds", "2", "--iterations", "2", "--jobs", jobs, "--out", tmp_path / jobs)
        subprocess.run([sys.executable, "-m", "learnability", *command], check=True, capture_output=True)
    for name in ("results.csv", "scores.csv"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    assert "words.vec holds 2 word vectors of 3" in (tmp_path / "1" / "report.html").read_text()
    one, two = (read_records(tmp_path / jobs / "records.jsonl") for jobs in ("1", "2"))
    assert one.keys() == two.keys()
    trained = [record for record in one.values() if record.setting in ("a", "b")]
    assert len(trained) == 4
    assert len({record.worker for record in two.values() if record.setting in ("a", "b")}) > 1
    for record in trained:
        of_one, of_two = (records[record.key].result_as(TrainingResult) for records in (one, two))
        assert of_one is not None
        assert of_two is not None
        assert replace_fields(of_one, kernel_seconds=0.0) == replace_fields(of_two, kernel_seconds=0.0)


def test_the_seed_changes_the_parser_and_repeats_it() -> None:
    def weights(seed: int) -> np.ndarray:
        parser = parser_named("biaffine:nonprojective").trainer(Setup(labelled=True, iterations=1))
        return np.asarray(network_of(parser.train(TREES, [], seed)).weights["form"])

    np.testing.assert_array_equal(weights(1), weights(1))
    assert (weights(1) != weights(2)).any()


@pytest.mark.slow
def test_it_parses_what_it_has_never_seen() -> None:
    """One word, unknown characters, and more words than fit into a usual row."""
    strange = [
        Tree(("⸘\u200b",), ("X",), (0,), ("root",)),
        Tree(("a",) * 70, ("NOUN",) * 70, (0, *[1] * 69), ("root", *["dep"] * 69)),
    ]
    one, long = trained().parse(strange)
    assert (tuple(one.heads), tuple(one.deprels)) == ((0,), ("root",))
    assert long.heads.count(0) == 1
    assert list(trained().parse([])) == []


@pytest.mark.slow
@pytest.mark.parametrize("tags", ["gold", "xpos", "none"])
def test_it_sees_words_and_allowed_tags_only(tags: str) -> None:
    draw = Random(7)

    def hidden(tree: Tree) -> Tree:
        other = lambda: tuple(draw.choices(TAGS, k=len(tree)))  # noqa: E731
        return replace(
            tree,
            upos=tree.upos if tags == "gold" else other(),
            xpos=tree.xpos if tags == "xpos" else other(),
            lemmas=other(),
            heads=tuple(range(len(tree))),
            deprels=("dep",) * len(tree),
        )

    parser = trained(tags=tags)
    assert arcs(parser.parse([hidden(tree) for tree in TREES])) == arcs(parser.parse(TREES))


@pytest.mark.slow
def test_a_treebank_without_tags_needs_tags_none() -> None:
    bare = [replace(tree, upos=("_",) * len(tree), xpos=()) for tree in TREES]
    with pytest.raises(InputError, match="no token has UPOS"):
        parser_named("biaffine").trainer(Setup(iterations=1)).train(bare, [], 1)
    parser = parser_named("biaffine").trainer(Setup(iterations=1, tags="none")).train(bare, [], 1)
    assert len(list(parser.parse(bare))) == len(bare)
    with pytest.raises(InputError, match="no training sentences"):
        parser_named("biaffine").trainer(Setup()).train([], [], 1)


def test_rows_hold_every_sentence_once() -> None:
    from learnability.extensions.biaffine.rows import WIDTH, filled_rows

    sizes = np.random.default_rng(1).integers(2, 3 * WIDTH, 300).astype(np.int32)
    rows = filled_rows(sizes)
    assert sorted(index for _, members in rows for index in members) == list(range(300))
    assert all(sum(sizes[members]) <= width for width, members in rows)
    assert all(width in (WIDTH, 2 * WIDTH, 4 * WIDTH) for width, _ in rows)


def test_the_vectors_of_a_corpus_are_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from learnability.extensions.biaffine import rows, word_vectors

    path = tmp_path / "words.vec"
    path.write_text("".join(f"w{i} {i + 1} 1\n" for i in range(200)))
    corpus = encoded([Tree([f"w{i}"], ["X"], [0], ["root"]) for i in range(200)])
    vectors = word_vectors.read_vectors(str(path))
    opened = []

    def watched(*how: str) -> object:
        opened.append(how)
        return open(*how)

    monkeypatch.setattr(word_vectors, "open", watched, raising=False)
    packed = rows.PackedCorpus(corpus, rows.Vocabulary.of(corpus, vectors))
    batches = [batch.vector.any(axis=2).sum() for batch, _ in packed.batches(np.arange(200), None)]
    assert (sum(batches), len(batches) > 1, len(opened)) == (200, True, 1)


def test_rare_tags_have_no_row_where_there_are_more_tags_than_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    from learnability.extensions.biaffine import rows

    monkeypatch.setattr(rows, "TAGS", 3)
    tags = ["X", "NOUN", "NOUN", "VERB", "VERB", "VERB", "PUNCT"]
    tree = Tree(["w"] * 7, tags, [0] + [1] * 6, ["root"] + ["dep"] * 6)
    corpus = encoded([tree])
    table = rows.Vocabulary.of(corpus, None).rows(corpus)
    seen = [int(row) > 0 for row in table.tag[corpus.rows_of_tokens()]]
    assert seen == [tag in ("NOUN", "VERB") for tag in tags]


def test_iterations_depend_on_the_size_of_the_treebank() -> None:
    from learnability.extensions.biaffine.iterations import usual_iterations

    assert usual_iterations(1_000) > usual_iterations(20_000) > usual_iterations(100_000)
    assert usual_iterations(100_000) == usual_iterations(1_000_000)
