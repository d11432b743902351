"""Rules that are learned for conventions: a planted relation is rewritten."""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from invoking import Call

from learnability.annotation_diffs.version import Version
from learnability.extensions.harmonise import learned_rules
from learnability.extensions.harmonise.constructions import RuleSupport
from learnability.extensions.harmonise.cross_parses import (
    ComparedTreebank,
    CrossParses,
    TrainingSettings,
)
from learnability.extensions.harmonise.files import contents_of_trainings
from learnability.extensions.harmonise.learned_rules import (
    ConventionRule,
    changed_words,
    learn_rules,
    see_words,
)
from learnability.extensions.harmonise.pattern_lines import TrainedTreebanks
from learnability.extensions.harmonise.patterns import PairPatterns, find_patterns
from learnability.extensions.harmonise.report import sections_of
from learnability.extensions.harmonise.rewriting import join_rewritings, rewrite_constructions
from learnability.extensions.harmonise.seen_tags import keep_seen_tags
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.schemes.relabellings import relabelling_named
from learnability.treebanks.conllu_io import read_conllu
from learnability.treebanks.sentence import Tree
from research.harmonise.in_memory import compare_treebanks

QUICK = TrainingSettings(words=1500, folds=3, seeds=(1,), iterations=4)

PLANTED, BACK = "deprel:amod=nmod", "deprel:nmod=amod,upos=ADJ"


@pytest.fixture(scope="module")
def relabelled(versions: tuple[Version, Version]) -> TreebankComparison:
    """The comparison of a part with the other one, in which adjectives are labelled as nouns are."""
    first, second = versions
    made = second.change_trees(relabelling_named(PLANTED).apply, second.name)
    changed = replace(made, conventions=second.conventions)
    return compare_treebanks((first, changed), QUICK)


def rules_of(parses: CrossParses, patterns: Sequence[PairPatterns]) -> list[ConventionRule]:
    """The rules that are learned where no construction is named."""
    return [
        ConventionRule(number, like, learned, parses.treebanks[number].version)
        for (number, like), words in see_words(parses, patterns, []).items()
        for learned in learn_rules(parses.treebanks[number], words)
    ]


def test_a_planted_relation_is_learned_in_both_treebanks(relabelled: TreebankComparison) -> None:
    assert relabelled.constructions == []
    found = [(rule.treebank, rule.like, rule.spec) for rule in relabelled.rules]
    assert found == [(0, 1, PLANTED), (1, 0, BACK)]
    for rule in relabelled.rules:
        precision, recall = rule.learned.precision, rule.learned.recall
        assert precision is not None
        assert recall is not None
        assert min(precision, recall) > 0.98


def test_a_rule_makes_a_treebank_like_the_other(
    relabelled: TreebankComparison, versions: tuple[Version, Version]
) -> None:
    there, back = relabelled.rules
    made = there.rewrite(relabelled.treebanks[0]).trees
    assert made == tuple(map(relabelling_named(PLANTED).apply, relabelled.treebanks[0].trees))
    restored = back.rewrite(relabelled.treebanks[1]).trees
    assert restored == tuple(sentence.tree for sentence in versions[1].sentences)


def test_rewriting_by_a_rule_raises_all_scores(relabelled: TreebankComparison) -> None:
    assert [pair.rewriting.spec for pair in relabelled.rewritten] == [PLANTED, BACK]
    for pair in relabelled.rewritten:
        assert len(pair.changes) == 3
        assert min(change.gain.low for change in pair.changes) > 0


def test_rules_are_learned_where_no_construction_explains(planted: TreebankComparison) -> None:
    """Without the construction, there are rules for its words; with it, there are none."""
    patterns = [*planted.arcs, *planted.tags]
    there, _ = planted.rewritten_constructions
    assert planted.rules == []
    rules = [rule for rule in rules_of(planted.parses, patterns) if rule.treebank == there.treebank]
    explained = changed_words(planted.treebanks[0], there)
    assert rules
    for rule in rules:
        changed = changed_words(planted.treebanks[0], rule)
        assert len(changed & explained) > len(changed) / 2


def test_rules_come_before_constructions(planted: TreebankComparison, relabelled: TreebankComparison) -> None:
    rule = relabelled.rules[0]
    support = planted.constructions[0]
    constructions = rewrite_constructions(relabelled.treebanks, [support])
    joined = join_rewritings([rule], constructions)
    assert [each.spec for each in joined[0, 1].parts] == [PLANTED, support.spec]
    assert joined[0, 1].alternative == support.spec
    assert [each.spec for each in joined[1, 0].parts] == [support.spec]
    assert joined[1, 0].alternative == ""
    treebank = relabelled.treebanks[0]
    assert joined[0, 1].rewrite(treebank).trees == constructions[0].rewrite(rule.rewrite(treebank)).trees


def test_files_of_rules(relabelled: TreebankComparison, tmp_path: Path, call: Call) -> None:
    contents = contents_of_trainings(TrainedTreebanks.of(relabelled), [Version.find_files("demo")] * 2)
    rows = list(csv.DictReader(io.StringIO(contents["rules.csv"].decode())))
    assert [(row["treebank"], row["like"], row["rule"]) for row in rows] == [
        ("UD_A", "UD_B", PLANTED), ("UD_B", "UD_A", BACK),
    ]  # fmt: skip
    scheme = contents[rows[0]["scheme"]].decode()
    assert tomllib.loads(scheme)["merge"]["deprel"] == [{"from": ["amod"], "to": "nmod"}]
    made = read_conllu(io.BytesIO(contents["UD_A-like-UD_B.conllu"]))
    assert "amod" not in {deprel for sentence in made.sentences for deprel in sentence.tree.deprels}
    gains = list(csv.DictReader(io.StringIO(contents["rewriting.csv"].decode())))
    assert [row["rules"] for row in gains] == [PLANTED] * 3 + [BACK] * 3
    assert [(row["trained"], row["tested"]) for row in gains[:3]] == [
        ("UD_B", "UD_A"), ("UD_A", "UD_B"), ("UD_B + UD_A", "UD_B"),
    ]  # fmt: skip
    for row in gains:
        before, after, gain = (float(row[name]) for name in ("before", "after", "gain"))
        assert gain == pytest.approx(after - before, abs=2e-4)
    scheme_file, rewritten = tmp_path / rows[0]["scheme"], tmp_path / "UD_B-like-UD_A.conllu"
    for path in (scheme_file, rewritten):
        path.write_bytes(contents[path.name])
    applied = call("transform", "--alternative", scheme_file, rewritten)
    assert applied.code == 0, applied.errors


def test_sections_name_the_file_of_rules(relabelled: TreebankComparison) -> None:
    sections = {section.heading: section for section in sections_of(TrainedTreebanks.of(relabelled))}
    assert any("(rules.csv)" in sentence for sentence in sections["Rewriting"].sentences)
    titles = [table.title for table in sections["Rewriting"].tables]
    assert titles == ["LAS before and after rewriting"]


PLAIN = Tree(("he", "is", "ill"), ("PRON", "AUX", "ADJ"), (3, 3, 0), ("nsubj", "cop", "root"))


def retagged(*tags: str) -> Tree:
    return replace(PLAIN, upos=tags)


@pytest.mark.parametrize(
    ("annotated", "learned", "seen", "expected"),
    [
        ("AUX", "VERB", "VERB", "VERB"),  # parsers know no AUX yet
        ("AUX", "AUX", "VERB", "AUX"),  # now they do
        ("VERB", "AUX", "AUX", "AUX"),  # they still expect AUX, which is never annotated
        ("VERB", "VERB", "AUX", "VERB"),  # AUX is gone
    ],
)
def test_tags_that_both_use_now_are_shown(annotated: str, learned: str, seen: str, expected: str) -> None:
    """Words are tagged VERB or AUX as annotated; parsers learn from trees with one tag, and saw another."""
    pronoun, adjective = "PRON", "ADJ"
    (tree,) = keep_seen_tags(
        [retagged(pronoun, annotated, adjective)],
        [retagged(pronoun, learned, adjective)],
        [retagged(pronoun, seen, adjective)],
    )
    assert tree.upos[1] == expected


def test_words_keep_a_tag_that_parsers_now_tell_from_the_one_they_saw() -> None:
    trees = [retagged("PRON", tag, "ADJ") for tag in ("AUX", "VERB")]
    saw = [retagged("PRON", "VERB", "ADJ")] * 2
    assert keep_seen_tags(trees, trees, saw) == trees
    assert keep_seen_tags(trees, trees[1:], saw) == saw


def test_only_words_of_conventions_are_seen_so() -> None:
    """A word that parsers change as part of no convention stays, so that no rule is learned for it."""
    labelled = replace(PLAIN, deprels=("nsubj", "aux", "root"))
    treebanks = tuple(
        ComparedTreebank(Version.of_sentences([tree] * 60, name))
        for name, tree in (("plain", PLAIN), ("labelled", labelled))
    )
    odd = replace(PLAIN, deprels=("obj", "aux", "root"))  # only parsers of the second say `obj`
    parses = {(0, 0): [PLAIN], (0, 1): [odd], (1, 0): [PLAIN], (1, 1): [labelled]}
    crossed = CrossParses(treebanks, {pair: (tuple(trees * 60),) for pair, trees in parses.items()})
    patterns = find_patterns(crossed)
    varied = tuple(
        ComparedTreebank(
            Version.of_sentences(
                [replace(tree, forms=(f"he{number}", "is", "ill")) for number, tree in enumerate(each.trees)],
                each.name,
            )
        )
        for each in treebanks
    )
    rules = rules_of(replace(crossed, treebanks=varied), patterns)
    assert [(rule.treebank, rule.spec) for rule in rules] == [(0, "deprel:cop=aux"), (1, "deprel:aux=cop")]


def test_a_rule_for_few_words_of_a_convention_is_left_out(
    relabelled: TreebankComparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    patterns = [*relabelled.arcs, *relabelled.tags]
    known = rules_of(relabelled.parses, patterns)
    shares = [rule.learned.recall or 0.0 for rule in known]
    monkeypatch.setattr(learned_rules, "LEAST_RECALL", max(shares))
    kept = rules_of(relabelled.parses, patterns)
    assert kept == [rule for rule in known if rule.learned.recall == max(shares)]
    monkeypatch.setattr(learned_rules, "LEAST_RECALL", max(shares) + 0.001)
    assert rules_of(relabelled.parses, patterns) == []


def test_a_construction_is_rewritten_in_both_treebanks(versions: tuple[Version, Version]) -> None:
    treebanks = tuple(map(ComparedTreebank, versions))
    support = RuleSupport("cop", 0, 1, 40, 30.0, 1.0, 1.0, 30.0)
    there, back = rewrite_constructions(treebanks, [support])
    assert (there.treebank, there.like, there.is_converted_back) == (0, 1, False)
    assert (back.treebank, back.like, back.is_converted_back) == (1, 0, True)
    assert back.rewrite(there.rewrite(treebanks[0])).trees == treebanks[0].trees
