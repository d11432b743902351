"""No path by which gold annotation, or tags that are not allowed, reach what is predicted and scored."""

from __future__ import annotations

import io
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from carried_out import carried_out

from learnability.comparing.fold import Fold, fold_of
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.ud import UD
from learnability.errors import InputError
from learnability.parsers.transition import TransitionTrainer
from learnability.parsing.parser import Parser
from learnability.studies.run import Run
from learnability.transforms.registry import get_transformation
from learnability.treebanks.columns import DEPREL, DEPS, HEAD, MISC
from learnability.treebanks.conllu_io import ConlluFile, read_conllu
from learnability.treebanks.conllu_writing import write_conllu
from learnability.treebanks.locate import locate_treebank
from learnability.treebanks.sentence import Tree


def demo_part(part: str) -> bytes:
    """Sixty sentences of a part of the demo treebank."""
    (path,) = getattr(locate_treebank("demo"), part)
    return b"\n\n".join(Path(path).read_bytes().split(b"\n\n")[:60]) + b"\n\n"


def read(data: bytes, *, require_trees: bool = True) -> ConlluFile:
    return read_conllu(io.BytesIO(data), name="test", require_trees=require_trees)


def with_columns(data: bytes, **columns: Any) -> bytes:
    """The CoNLL-U with other values in some columns; a value may be a function of the old one."""
    numbers = {"upos": 3, "head": HEAD, "deprel": DEPREL, "deps": DEPS, "misc": MISC}
    lines = []
    for line in data.decode().split("\n"):
        cells = line.split("\t")
        if len(cells) == 10:
            for name, value in columns.items():
                cells[numbers[name]] = value(cells[numbers[name]]) if callable(value) else value
        lines.append("\t".join(cells))
    return "\n".join(lines).encode()


def predicted(parser: Parser, data: bytes) -> list[Tree]:
    """What the parser predicts."""
    parsed = parser.parse(list(read(data, require_trees=False).sentences))
    return [sentence.tree for sentence in parsed]


@pytest.mark.parametrize("labelled", [False, True])
def test_parses_do_not_depend_on_what_is_annotated(labelled: bool) -> None:
    train = [s.tree for s in read(demo_part("train")).sentences]
    parser = Parser.fit(train, labelled=labelled, iterations=2)
    file = read(demo_part("test"))
    rule = get_transformation("case")
    changed = [rule.apply(sentence.tree) for sentence in file.sentences]
    annotated = write_conllu(file, changed)
    blank = with_columns(annotated, head="_", deprel="_", deps="_", misc="_")
    own, others = predicted(parser, annotated), predicted(parser, blank)
    assert [(t.heads, t.deprels) for t in own] == [(t.heads, t.deprels) for t in others]


def fold_of_demo(**options: Any) -> Fold:
    return fold_of(
        locate_treebank("demo"), ExperimentOptions.spell_annotations(("case", "name", "cop"), **options), 0
    )


@pytest.mark.parametrize("labels", [None, "keep", "external"])
@pytest.mark.parametrize("tags", ["gold", "xpos", "none"])
def test_what_is_converted_depends_on_nothing_but_words_and_allowed_tags(tags: str, labels: Any) -> None:
    fold = fold_of_demo(tags=tags, labels=labels)
    chance = random.Random(5)
    for name in ("case", "name"):
        alternative = fold.compare_pair(Pair(UD, annotation_spelled(name))).alternative
        parser = TransitionTrainer(replace(fold.parser_options, iterations=2), fold.encode)
        trained = parser.train(alternative.sets.train[:150], [], 1)
        test = alternative.sets.test[:80]
        hidden = [
            replace(
                tree,
                upos=tree.upos
                if tags == "gold"
                else tuple(chance.choices(["NOUN", "ADP", "X"], k=len(tree))),
                heads=tuple(range(len(tree))),
                deprels=("dep",) * len(tree),
            )
            for tree in test
        ]
        seen, blind = (alternative.converter.convert(trained.parse(part)) for part in (test, hidden))
        assert [(t.heads, t.deprels) for t in seen] == [(t.heads, t.deprels) for t in blind], name


@pytest.mark.parametrize("pair", ["case:upos=ADP", "cop:upos!=AUX"])
def test_a_restriction_by_upos_is_refused_where_the_parser_sees_none(pair: str) -> None:
    for tags in ("none", "xpos"):
        options = ExperimentOptions.spell_annotations((pair,), tags=tags)
        with pytest.raises(InputError, match=f"{pair} depends on UPOS tags, .* `tags='{tags}'`"):
            Run(treebanks=[], options=options, studies=[])
        with pytest.raises(InputError, match="depends on UPOS"):
            Run(
                treebanks=[],
                options=ExperimentOptions.spell_annotations(("case",), against=pair, tags=tags),
                studies=[],
            )
    Run(treebanks=[], options=ExperimentOptions.spell_annotations((pair,)), studies=[])


def test_files_that_change_are_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "UD_Demo"
    folder.mkdir()
    for part in ("train", "dev", "test"):
        (folder / f"demo-ud-{part}.conllu").write_bytes(demo_part(part))
    options = ExperimentOptions.spell_annotations(("case",))
    assert len(fold_of(locate_treebank(folder), options, 0).ud.test) == 60
    (folder / "demo-ud-test.conllu").write_bytes(demo_part("dev")[: demo_part("dev").index(b"\n\n") + 2])
    assert len(fold_of(locate_treebank(folder), options, 0).ud.test) == 1


def test_a_run_without_tags_does_not_depend_on_those_of_the_test_part(tmp_path: Path) -> None:
    chance, results = random.Random(2), []
    for upos in (lambda tag: tag, lambda tag: chance.choice(["NOUN", "ADP", "AUX"])):
        folder = tmp_path / f"UD_{len(results)}" / "UD_Demo"
        folder.mkdir(parents=True)
        for part in ("train", "dev", "test"):
            data = demo_part(part) if part != "test" else with_columns(demo_part(part), upos=upos)
            (folder / f"demo-ud-{part}.conllu").write_bytes(data)
        options = ExperimentOptions.spell_annotations(("case", "cop"), tags="none", seeds=1, iterations=2)
        carried_out(locate_treebank(folder), options, tmp_path / f"run{len(results)}")
        results.append((tmp_path / f"run{len(results)}" / "results.csv").read_bytes())
    assert results[0] == results[1]
