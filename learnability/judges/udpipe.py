"""UDPipe 1's parser as a judge: a transition-based parser with a small neural network (Parsito).

Straka et al. (2015), "Parsing universal dependency treebanks using neural networks and search-based
oracle"; the package is `ufal.udpipe`. Neither tokenizer nor tagger are trained, and no vectors are given. All
settings are UDPipe's own (projective transitions with its dynamic oracle, embeddings of 50 numbers for forms
and of 20 for tags and deprels, 10 iterations, a beam of 5) but one: there is no embedding of features, since
the column is blank. The iteration of the best LAS on dev is kept; there, and in `dev_uas`, it parses without
its beam.

It leaves one root word per sentence, as UDPipe does by itself, unless several are allowed or the training
trees have several.

Training is deterministic: its generator starts from 42, whatever is asked for. So the seed of a run orders
the training sentences, and nothing else.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from learnability.judges.command import CommandJudge, Course, own_program
from learnability.judges.judge import JudgeKind, Setup

ITERATIONS = 10


def _make(setup: Setup, options: Mapping[str, str]) -> CommandJudge:
    roots = "several" if setup.multiple_roots else "one"
    return own_program(__name__, "udpipe", setup, str(setup.iterations or ITERATIONS), roots)


KINDS = (
    JudgeKind(
        name="udpipe",
        description="UDPipe 1: a transition-based parser with a small neural network",
        make=_make,
        seconds=(12.0, 12.0),
        modules=("ufal.udpipe",),
        extra="udpipe",
    ),
)


def train(train: str, dev: str, model: str, seed: str, iterations: str, roots: str) -> None:
    """Train on CoNLL-U files and write the model; the seed changes nothing."""
    from ufal.udpipe import ProcessingError, Sentences, Trainer

    read = {name: Sentences(_sentences(path)) for name, path in (("train", train), ("dev", dev))}
    words = [list(sentence.words)[1:] for sentence in read["train"]]
    # UDPipe trains for one root only where all trees have one, and `root` is the label of no other word
    fits = all(
        [word.head == 0 for word in tree] == [word.deprel == "root" for word in tree]
        and sum(word.head == 0 for word in tree) == 1
        for tree in words
    )
    single = int(roots == "one" and fits and any(len(tree) > 1 for tree in words))
    settings = f"iterations={iterations};embedding_feats=0;single_root={single}"
    error = ProcessingError()
    given = read["train"], read["dev"], Trainer.NONE, Trainer.NONE, settings, error
    trained = Trainer.train("morphodita_parsito", *given)
    if error.occurred():
        raise SystemExit(error.message)
    Path(model).write_bytes(trained)
    said = Path("train.log").read_text(encoding="utf-8", errors="replace")  # our standard error
    best = re.findall(r"early stopping -- choosing network from iteration (\d+)", said)
    scores = list(map(float, re.findall(r"heldout UAS ([\d.]+)%", said)))
    course = Course(int(iterations), int(best[-1]) if best else 0, scores)
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
