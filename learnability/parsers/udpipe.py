"""Use UDPipe 1's parser as a parser: a transition-based parser with a small neural network (Parsito).

Straka et al. (2015), "Parsing universal dependency treebanks using neural networks and search-based oracle";
the package is `ufal.udpipe`. The tokenizer and the tagger are not trained, and there are no vectors. All
settings are UDPipe's defaults (projective transitions with its dynamic oracle, embeddings of 50 numbers for
forms and of 20 for tags and deprels, 10 iterations, a beam of 5), except that there is no embedding of
features, because the column is blank. The iteration with the best LAS on the development set is kept; these
scores, and `dev_uas`, are computed without the beam.

Parses have one root word per sentence, as UDPipe's have by default, unless several are allowed or the
training trees have several.

Training is deterministic: its generator always starts from 42. So the seed of a run determines the order of
the training sentences, and nothing else.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from learnability.parsers.command import CommandTrainer, ReportedTraining, own_program
from learnability.parsers.trainer import ParserKind, Setup

ITERATIONS = 10


def _make(setup: Setup, options: Mapping[str, str]) -> CommandTrainer:
    roots = "several" if setup.multiple_roots else "one"
    return own_program(__name__, "udpipe", setup, str(setup.iterations or ITERATIONS), roots)


KINDS = (
    ParserKind(
        name="udpipe",
        description="UDPipe 1: a transition-based parser with a small neural network",
        make=_make,
        seconds=(12.0, 12.0),
        modules=("ufal.udpipe",),
        extra="udpipe",
    ),
)


def _has_single_root(tree: Sequence[Any]) -> bool:
    """Return whether exactly one word of a tree hangs on the root, and only that word is labelled `root`."""
    roots = [word.head == 0 for word in tree]
    return sum(roots) == 1 and roots == [word.deprel == "root" for word in tree]


def train(train: str, dev: str, model: str, seed: str, iterations: str, roots: str) -> None:
    """Train on CoNLL-U files and write the model; the seed changes nothing."""
    from ufal.udpipe import ProcessingError, Sentences, Trainer

    read = {name: Sentences(_sentences(path)) for name, path in (("train", train), ("dev", dev))}
    words = [list(sentence.words)[1:] for sentence in read["train"]]
    # UDPipe can train for a single root only if every tree has one, and `root` labels no other word
    fits = all(map(_has_single_root, words))
    single = int(roots == "one" and fits and any(len(tree) > 1 for tree in words))
    settings = f"iterations={iterations};embedding_feats=0;single_root={single}"
    error = ProcessingError()
    untrained = Trainer.NONE  # neither tokenizer nor tagger
    trained = Trainer.train(
        "morphodita_parsito", read["train"], read["dev"], untrained, untrained, settings, error
    )
    if error.occurred():
        raise SystemExit(error.message)
    Path(model).write_bytes(trained)
    log = Path("train.log").read_text(encoding="utf-8", errors="replace")  # our standard error
    best = re.findall(r"early stopping -- choosing network from iteration (\d+)", log)
    scores = list(map(float, re.findall(r"heldout UAS ([\d.]+)%", log)))
    course = ReportedTraining(int(iterations), int(best[-1]) if best else 0, scores)
    Path("training.json").write_bytes(msgspec.json.encode(course))


def parse(source: str, output: str, model: str) -> None:
    """Parse a CoNLL-U file."""
    from ufal.udpipe import Model, OutputFormat, ProcessingError

    loaded, error = Model.load(model), ProcessingError()
    writer = OutputFormat.newConlluOutputFormat()
    with open(output, "w", encoding="utf-8", newline="\n") as file:
        for sentence in _sentences(source):
            if not loaded.parse(sentence, Model.DEFAULT, error):
                raise SystemExit(error.message)
            file.write(writer.writeSentence(sentence))


def _sentences(path: str) -> list[Any]:
    from ufal.udpipe import InputFormat, ProcessingError, Sentence

    reader, error, sentences = InputFormat.newConlluInputFormat(), ProcessingError(), []
    reader.setText(Path(path).read_text(encoding="utf-8"))
    while reader.nextSentence(sentence := Sentence(), error):
        sentences.append(sentence)
    if error.occurred():
        raise SystemExit(error.message)
    return sentences


if __name__ == "__main__":
    (train if sys.argv[1] == "train" else parse)(*sys.argv[2:])
