"""A pair of annotations is one thing: in cells, in rows and in config.json."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import msgspec
import pytest
from carried_out import carried_out

from learnability.comparing.annotation import Annotation
from learnability.comparing.annotation_kinds import TreebankAnnotation
from learnability.comparing.names import annotation_spelled
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import AnnotationFacts, Pair
from learnability.comparing.ud import UD
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.stored_runs import read_run
from learnability.treebanks.locate import TreebankFiles

NAMES = (
    "ud", "case", "cop:reattach=clause", "scheme:prague", "scheme:function-heads", "upos:AUX=VERB",
    "deprel:obj=obl", "scheme:case+upos:ADP=DET", "treebank:UD_Tamil-TTB",
)  # fmt: skip

CAPABILITIES = sorted(name for name, value in vars(Pair).items() if isinstance(value, property))


def values(pair: Pair[Any]) -> dict[str, Any]:
    return {name: getattr(pair, name) for name in CAPABILITIES if name not in ("facts", "_sides")}


def pairs() -> list[Pair[Annotation]]:
    known = list(map(annotation_spelled, NAMES))
    return [Pair(base, alternative) for base in known for alternative in known if base != alternative]


@pytest.mark.parametrize(
    "pair", pairs(), ids=lambda pair: f"{pair.base.spelling}-{pair.alternative.spelling}"
)
def test_facts_say_all_that_the_annotations_say_also_after_they_were_written(pair: Pair[Annotation]) -> None:
    """Whatever property a pair gets: it reads what the facts keep, and JSON has it."""
    assert values(pair.facts) == values(pair)
    written = msgspec.json.encode(pair.facts)
    read = msgspec.json.decode(written, type=Pair[AnnotationFacts])
    assert read == pair.facts
    assert values(read) == values(pair)
    assert {pair: 1}[Pair(pair.base, pair.alternative)] == 1
    assert {pair.facts: 1}[read] == 1


def test_no_other_type_repeats_what_a_pair_says() -> None:
    """What a row calls `changes` are numbers of tokens."""
    of_pair = {*CAPABILITIES, "alternative", "base"} - {"changes"}
    assert {field.name for field in fields(ComparisonRow)} & of_pair == set()


def test_a_finished_run_says_of_its_pairs_what_was_said_while_it_ran(
    small_files: TreebankFiles, tmp_path: Path
) -> None:
    """Annotations that rules make, and those that are gone: the file of the scheme is removed before."""
    scheme = tmp_path / "mine.toml"
    scheme.write_text('name = "mine"\n[[transform]]\nname = "case"\n[merge.upos]\nAUX = "VERB"\n')
    names = (annotation_spelled(f"scheme:{scheme}"), annotation_spelled("det"))
    options = ExperimentOptions(names, seeds=1, iterations=1)
    outcome = carried_out(small_files, options, tmp_path / "out")
    live = [Pair(UD, name) for name in names]
    scheme.unlink()
    read = [stored.row.pair for stored in read_run(tmp_path / "out").pairs]
    assert read == [row.pair for row in outcome.rows]
    assert [pair.name for pair in read] == ["mine", "det"]
    assert read[0].undefined["converted_back"] == "no rule restores the tags of UD"
    assert read[1] == live[1].facts
    assert json.loads((tmp_path / "out" / "config.json").read_text())["pairs"] == json.loads(
        json.dumps(list(map(asdict, read)))
    )


def test_facts_are_attributes_of_every_annotation() -> None:
    names = {field.name for field in fields(AnnotationFacts)}
    for annotation in (*map(annotation_spelled, NAMES), TreebankAnnotation.of("UD_X")):
        assert all(hasattr(annotation, name) for name in names), annotation
