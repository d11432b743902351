"""How fast the measures are: seconds, tokens per second, and ratios within this run.

    python research/performance/measures.py --treebank demo
    python research/performance/measures.py --treebank ../shared/ud/universal-dependencies-1.3/UD_Greek --json

Every time is the best of `--repeat`, in seconds of processor time. `x reading` is the time as a multiple
of the time that reading the treebank takes. Where a public tool computes the same, it is timed on the same
data: `x peer` is the tool's time by ours, and both values are shown, since a ratio between different results
says nothing (nltk's own perplexity by its padding and its unigrams, so it is not
shown). Parses are gold trees in which some tokens hang on the root word instead.
"""

from __future__ import annotations

import io
import os
import platform
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from itertools import chain
from typing import Any

import numpy as np
import rich_click as click

from learnability.errors import InputError
from learnability.metrics import (
    FlatTrees,
    attachment_scores,
    derivation_perplexity,
    find_phrases,
    phrase_scores,
    predictability,
    projective_sentences,
    tree_shape,
)
from learnability.metrics.scores import Score, correct_tokens
from learnability.reports.text import json_text, print_list
from learnability.statistics.significance import compare
from learnability.treebanks.sentence import Sentence, Tree, Treebank
from learnability.treebanks.splits import load_treebank
from research.support.treebank_folds import fastest

Clock = Callable[[Callable[[], Any]], tuple[float, Any]]

LIBRARIES = ("learnability", "numpy", "scipy", "nltk", "numba", "udtools")


@dataclass(frozen=True)
class TimedMeasure:
    """The time of one measure and, where there is one, of a public tool on the same data.

    Attributes:
        measure: its name.
        tokens: the number of tokens measured.
        seconds: best of the repetitions, processor time.
        value: the result, to be compared with the tool's.
        peer, peer_seconds, peer_value: the same for a public tool.
    """

    measure: str
    tokens: int
    seconds: float
    value: float | None = None
    peer: str = ""
    peer_seconds: float | None = None
    peer_value: float | None = None


def count(trees: Sequence[Tree]) -> int:
    return sum(map(len, trees))


def projective(trees: Sequence[Tree]) -> list[Tree]:
    """Return the trees that have a derivation."""
    mask = projective_sentences(FlatTrees.of(trees))
    return [tree for tree, is_projective in zip(trees, mask, strict=True) if is_projective]


def parse(trees: Sequence[Tree], share: float, seed: int) -> list[Tree]:
    """Return the trees with about `share` of their tokens attached to the root word (so they stay trees)."""
    chance = random.Random(seed)
    parses = []
    for tree in trees:
        root = tree.heads.index(0) + 1
        parses.append(
            tree.with_heads(
                [
                    root if head and d != root and chance.random() < share else head
                    for d, head in enumerate(tree.heads, 1)
                ]
            )
        )
    return parses


def entropies(trees: Sequence[Tree], clock: Clock) -> list[TimedMeasure]:
    seconds, value = clock(partial(predictability, trees))
    rows = [TimedMeasure("predictability", count(trees), seconds, value)]
    seconds, shape = clock(lambda: tree_shape(trees))
    rows.append(TimedMeasure("tree shape", count(trees), seconds, shape.mean_dependency_length))
    return rows


def perplexities(train: Sequence[Tree], dev: Sequence[Tree], clock: Clock) -> list[TimedMeasure]:
    train, dev = projective(train), projective(dev)
    tokens = count(train) + count(dev)
    seconds, value = clock(partial(derivation_perplexity, train, dev))
    peer_seconds, _ = clock(partial(nltk_as_it_is, train, dev))
    return [TimedMeasure("perplexity", tokens, seconds, value, "nltk.lm as it is", peer_seconds)]


def nltk_as_it_is(train: Sequence[Tree], dev: Sequence[Tree]) -> float:
    """Return the perplexity by nltk's trigram model, with nltk's padding, over the unchanged words."""
    from nltk.lm import Vocabulary, WittenBellInterpolated
    from nltk.lm.preprocessing import pad_both_ends, padded_everygram_pipeline
    from nltk.util import ngrams

    def rows(trees: Sequence[Tree]) -> list[list[str]]:
        return [[form.lower() for form in tree.forms] for tree in trees]

    everygrams, words = padded_everygram_pipeline(3, rows(train))
    model = WittenBellInterpolated(3, vocabulary=Vocabulary(words, unk_cutoff=2))
    model.fit(everygrams)
    padded = (ngrams(pad_both_ends(row, 3), 3) for row in rows(dev))
    return float(model.perplexity(list(chain.from_iterable(padded))))


def attachment(sentences: Sequence[Sentence], clock: Clock) -> list[TimedMeasure]:
    gold = [sentence.tree for sentence in sentences]
    parses = parse(gold, 0.2, seed=1)
    seconds, scores = clock(lambda: attachment_scores(gold, parses))
    peer, peer_seconds, peer_value = "", None, None
    try:
        from udtools import udeval  # type: ignore[import-untyped]
    except ImportError:
        click.echo("udtools is not installed: attachment scores without the official scorer", err=True)
    else:
        peer = "udtools.udeval"
        loaded = [
            udeval.load_conllu(io.StringIO(conllu(trees)), name, {})
            for name, trees in (("gold", gold), ("parse", parses))
        ]
        peer_seconds, result = clock(lambda: udeval.evaluate(*loaded))
        peer_value = 100.0 * result["LAS"].f1
    rows = [
        TimedMeasure("attachment scores", count(gold), seconds, scores.las, peer, peer_seconds, peer_value)
    ]
    seconds, phrases = clock(lambda: find_phrases(gold))
    rows.append(TimedMeasure("phrases of the gold trees", count(gold), seconds, float(len(phrases.content))))
    heads = [tree.heads for tree in parses]
    seconds, phrase = clock(lambda: phrase_scores(phrases, heads))
    return [*rows, TimedMeasure("phrase scores of a parse", count(gold), seconds, phrase.uas)]


def conllu(trees: Sequence[Tree]) -> str:
    lines = []
    for tree in trees:
        columns = zip(tree.forms, tree.upos, tree.heads, tree.deprels, strict=True)
        for d, (form, upos, head, deprel) in enumerate(columns, 1):
            lines.append(f"{d}\t{form}\t_\t{upos}\t_\t_\t{head}\t{deprel}\t_\t_\n")
        lines.append("\n")
    return "".join(lines)


def comparison(trees: Sequence[Tree], clock: Clock) -> list[TimedMeasure]:
    flat = FlatTrees.of(trees)
    counts = [
        [
            correct_tokens(trees, parse(trees, share, seed), Score.UAS)
            for seed in (first, first + 1, first + 2)
        ]
        for first, share in ((1, 0.2), (4, 0.21))
    ]
    total = np.diff(flat.offsets)
    a, b = np.array(counts[0]), np.array(counts[1])
    name = f"compare(), {len(total)} sentences"
    seconds, result = clock(lambda: compare(a[0], b[0], total))
    rows = [TimedMeasure(f"{name}, 1 seed", flat.tokens, seconds, result.p_value)]
    seconds, three = clock(lambda: compare(a, b, total))
    return [*rows, TimedMeasure(f"{name}, 3 seeds", flat.tokens, seconds, three.p_value)]


def measure(spec: str, splits: str, repeat: int) -> tuple[Treebank, list[TimedMeasure]]:
    clock: Clock = partial(fastest, repeat=repeat)
    seconds, treebank = clock(lambda: load_treebank(spec, splits=splits))
    train, dev, test = ([s.tree for s in part] for _, part in treebank.splits())
    rows = [TimedMeasure("reading the treebank", count(train) + count(dev) + count(test), seconds)]
    if treebank.split_policy:
        click.echo(f"{treebank.name}: {treebank.split_policy}", err=True)
    rows += entropies(train, clock)
    rows += perplexities(train, dev, clock)
    rows += attachment(treebank.train, clock)
    rows += comparison(test, clock)
    return treebank, rows


def machine() -> dict[str, Any]:
    found: dict[str, str | None] = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except ModuleNotFoundError:
            found[name] = None
    return {"python": platform.python_version(), "processors": os.cpu_count(), "libraries": found}


def show(treebank: Treebank, rows: Sequence[TimedMeasure]) -> None:
    reading = rows[0].seconds
    cells = []
    for row in rows:
        per_second = round(row.tokens / row.seconds) if row.tokens and row.seconds else None
        times = row.peer_seconds / row.seconds if row.peer_seconds is not None and row.seconds else None
        cells.append(
            (row.measure, row.tokens or None, row.seconds, per_second, row.seconds / reading, row.value,
             row.peer, row.peer_seconds, times, row.peer_value)
        )  # fmt: skip
    columns = ("measure", "tokens", "seconds", "tokens/s", "x reading", "value")
    title = f"{treebank.name} {treebank.release}".strip()
    print_list((*columns, "peer", "peer seconds", "x peer", "peer value"), cells, title=title)


@click.command()
@click.option(
    "--treebank", default="demo", show_default=True, help="A folder, a training file, a name, or demo."
)
@click.option("--splits", type=click.Choice(["released", "dev", "cut"]), default="dev", show_default=True)
@click.option(
    "--repeat", type=click.IntRange(min=1), default=3, show_default=True, help="Take the best of N."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, unrounded.")
def main(treebank: str, splits: str, repeat: int, as_json: bool) -> None:
    """Time the measures on a treebank."""
    try:
        found, rows = measure(treebank, splits, repeat)
    except InputError as error:
        raise click.UsageError(str(error)) from error
    if as_json:
        head = {"treebank": found.name, "release": found.release, "repeat": repeat, "machine": machine()}
        click.echo(json_text({**head, "rows": [asdict(row) for row in rows]}), nl=False)
    else:
        show(found, rows)


if __name__ == "__main__":
    main()
