"""Annotations by kind, and what two of them can be compared by."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from learnability.comparing.annotated_folds import contrast_of
from learnability.comparing.annotation import Annotation, Columns
from learnability.comparing.annotation_kinds import (
    CommandAnnotation,
    SchemeAnnotation,
    SingleTransformation,
    TreebankAnnotation,
)
from learnability.comparing.names import (
    annotation_named,
    annotation_spelled,
    annotation_typed,
    annotations_typed,
)
from learnability.comparing.options import ExperimentOptions
from learnability.comparing.pair import Pair
from learnability.comparing.ud import UD, UniversalDependencies
from learnability.errors import InputError
from learnability.multiref.contrasts import Relabelled, RuleContrast, SchemeContrast, TreeContrast
from learnability.treebanks.alignment import add_annotation
from learnability.treebanks.sentence import Conventions, Tree

BOTH = Columns.HEADS | Columns.RELATIONS
OF = Tree(
    ("cup", "of", "tea"), ("NOUN", "ADP", "NOUN"), (0, 3, 1), ("root", "case", "nmod"), ("cup", "of", "tea")
)


@pytest.fixture
def scheme_file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text('name = "of"\n[[transform]]\nname = "case"\nlemma = ["of"]\n', encoding="utf-8")
    return path


@pytest.fixture
def command_file(tmp_path: Path) -> Path:
    path = tmp_path / "program.toml"
    path.write_text('name = "turned"\ncommand = ["python", "{folder}/turn.py"]\n', encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("spelling", "kind", "name", "title", "construction", "parts"),
    [
        ("ud", UniversalDependencies, "ud", "UD", ("UD", ""), []),
        ("case", SingleTransformation, "case", "case", ("case", ""), ["case"]),
        (
            "cop:reattach=clause",
            SingleTransformation,
            "cop:reattach=clause",
            "cop:reattach=clause",
            ("cop", "reattach=clause"),
            ["cop:reattach=clause"],
        ),
        ("scheme:prague", SchemeAnnotation, "prague", "prague", ("prague", ""), ["cc"]),
        ("scheme:det+case", SchemeAnnotation, "case+det", "case+det", ("case+det", ""), ["case", "det"]),
        ("treebank:UD_X 2.8", TreebankAnnotation, "UD_X 2.8", "UD_X 2.8", ("UD_X 2.8", ""), None),
    ],
)
def test_the_kinds_of_annotation(
    spelling: str,
    kind: type[Annotation],
    name: str,
    title: str,
    construction: tuple[str, str],
    parts: list[str] | None,
) -> None:
    found = annotation_spelled(spelling)
    assert (type(found), found.name, found.title, found.construction) == (kind, name, title, construction)
    assert found.has_rule == (parts is not None)
    assert [part.spec for part in found.rules] == (parts or [])
    assert found.changes == (Columns.NONE if found.is_ud else BOTH)
    assert found.is_single == (kind is SingleTransformation)
    assert annotation_spelled(found.spelling) == found


def test_schemes_from_files(scheme_file: Path, command_file: Path) -> None:
    rules, program = (annotation_typed(f"scheme:{path}") for path in (scheme_file, command_file))
    assert (type(rules), rules.name, rules.title) == (SchemeAnnotation, str(scheme_file), "of")
    assert rules.definition is not None
    assert (rules.definition[:-1], len(rules.definition[-1])) == (("case:lemma=of",), 64)
    assert (type(program), program.name, program.title) == (CommandAnnotation, str(command_file), "turned")
    assert (program.has_rule, program.rules) == (False, ())
    assert program.definition is not None
    assert len(program.definition) == 1
    assert annotation_spelled("case").definition is None
    assert annotation_named(str(scheme_file)) == rules
    assert annotation_named(str(command_file)) == program


def test_what_a_name_stands_for_goes_with_the_annotation(scheme_file: Path) -> None:
    annotation = annotation_typed(f"scheme:{scheme_file}")
    stored = pickle.dumps(annotation)
    assert annotation.rules  # not to be pickled
    assert pickle.dumps(annotation) == stored
    scheme_file.unlink()
    again = pickle.loads(stored)
    assert again.change(Conventions(), None)(OF).heads == (0, 1, 2)
    with pytest.raises(InputError, match="mine"):
        annotation_spelled(annotation.spelling)


def test_annotations_are_known_by_their_spellings() -> None:
    again = pickle.loads(pickle.dumps(UD))
    assert {UD, again, annotation_spelled("ud")} == {UD}
    assert annotation_spelled("scheme:prague") != annotation_spelled("cc")
    assert annotation_spelled("scheme:prague").same_as(annotation_spelled("cc"))
    assert not TreebankAnnotation.of("A").same_as(UD)
    assert TreebankAnnotation.of("A").same_as(TreebankAnnotation.of("A"))
    assert not annotation_spelled("upos:AUX=VERB").same_as(UD)
    assert annotation_spelled("upos:AUX=VERB").same_as(annotation_spelled("aux-verb"))


@pytest.mark.parametrize("typed", ["ud", "treebank:A", "scheme:ud_", "cse", "case+det"])
def test_what_users_cannot_name(typed: str) -> None:
    with pytest.raises(InputError):
        annotation_typed(typed)


def test_two_names_of_one_annotation_are_refused() -> None:
    same = "`transforms='cc'` and `alternative='prague'` are the same annotation; leave out one of them"
    with pytest.raises(InputError, match=same):
        annotations_typed(["cc", "scheme:prague"])
    assert annotations_typed(["case", "case"]) == (annotation_spelled("case"),)


def test_options_are_written_with_spellings() -> None:
    options = ExperimentOptions.spell_annotations(("case", "scheme:prague"), against="det", seeds=2)
    values = options.as_json()
    assert (values["alternatives"], values["against"]) == (["case", "scheme:prague"], "det")
    pairs, against = values["alternatives"], values["against"]
    assert ExperimentOptions.spell_annotations(pairs, against, seeds=2) == options
    assert ExperimentOptions.spell_annotations(()).against is UD


CASE, DET, PRAGUE = map(annotation_spelled, ("case", "det", "scheme:prague"))
A, B = map(TreebankAnnotation.of, "AB")
TAGS, RELATIONS = map(annotation_spelled, ("upos:AUX=VERB", "deprel:obj=iobj"))


@pytest.mark.parametrize(
    ("base", "alternative", "contrast", "can"),
    [
        (UD, CASE, RuleContrast, "rules both back phrases"),
        (UD, PRAGUE, RuleContrast, "rules both back"),
        (CASE, DET, SchemeContrast, "rules both back phrases"),
        (PRAGUE, DET, SchemeContrast, "rules both back"),
        (A, B, TreeContrast, "both"),
        (UD, A, TreeContrast, "both"),
        (CASE, A, TreeContrast, "both"),
        (UD, TAGS, Relabelled, "rules phrases"),
        (TAGS, CASE, Relabelled, "rules phrases"),
        (TAGS, PRAGUE, Relabelled, "rules"),
        (A, TAGS, Relabelled, ""),
        (UD, RELATIONS, Relabelled, "rules phrases labels"),
        (CASE, RELATIONS, Relabelled, "rules both phrases labels"),
        (CASE, annotation_spelled("scheme:case+upos:ADP=DET"), Relabelled, "rules phrases"),
    ],
)
def test_what_two_annotations_can_be_compared_by(
    base: Annotation, alternative: Annotation, contrast: type, can: str
) -> None:
    pair = Pair(base, alternative)
    assert type(contrast_of(pair, Conventions())) is contrast
    known = {
        "rules": pair.has_rules,
        "both": pair.can_train_on_both,
        "back": pair.has_conversion_back,
        "phrases": pair.has_phrases,
        "labels": pair.has_common_labels,
    }
    assert [name for name, value in known.items() if value] == can.split()


def test_annotations_are_functions_of_trees() -> None:
    carried = add_annotation(OF, "A", OF.with_heads((2, 0, 2), ("nmod", "root", "dep")))

    def changed(annotation: Annotation, labels: str | None = None) -> Tree:
        return annotation.change(Conventions(), labels)(carried)  # type: ignore[arg-type]

    assert changed(UD) is carried
    assert (changed(CASE).heads, changed(CASE).deprels) == ((0, 1, 2), OF.deprels)
    assert changed(CASE, "external").deprels == ("root", "nmod", "comp:case")
    assert (changed(A).heads, changed(A).deprels) == ((2, 0, 2), ("nmod", "root", "dep"))
    merged = changed(annotation_spelled("upos:ADP=NOUN"))
    assert (merged.upos, merged.heads, merged.deprels) == (("NOUN",) * 3, OF.heads, OF.deprels)
