"""Show the rules that were learned from differences: as a table, and as schemes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from learnability.annotation_diffs.rules import LearnedRule
from learnability.reports.annotation_diffs.tables import names_of, records_csv
from learnability.reports.section import Section
from learnability.reports.text import Table, percentage
from learnability.schemes.toml_file import scheme_text
from learnability.support.nouns import count_noun
from learnability.support.options import shared
from learnability.transforms.relabelling import ValueChange

RULES = "rules.csv"
"""The file with a row per rule."""

RULE_FILE = re.compile(r"rule\d+\.toml")
"""The names of files with rules."""


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """Hold a rule as JSON and a row of rules.csv show it; the columns are explained in docs/numbers.md."""

    group: int
    rule: str
    labels: str
    same_as: int | None
    why_none: str
    precision: float | None
    recall: float | None
    changed: int
    right: int
    words: int
    found: int
    learned_from: int
    tested_on: int

    @classmethod
    def of(cls, rule: LearnedRule) -> RuleRecord:
        """Return the record of a rule."""
        learned_from, tested_on = rule.sentences
        has_rule = rule.change is not None and not rule.same_as
        values = shared(RuleRecord, rule) | {"group": rule.number, "same_as": rule.same_as or None}
        rule_text = rule.spec if has_rule else ""
        return cls(**values, rule=rule_text, learned_from=learned_from, tested_on=tested_on)


@dataclass(frozen=True, slots=True)
class LearnedRules:
    """Hold the rules that were learned, and the seed that chose the sentences."""

    rules: tuple[LearnedRule, ...]
    seed: int

    @property
    def records(self) -> list[RuleRecord]:
        return [RuleRecord.of(rule) for rule in self.rules]

    @property
    def section(self) -> Section:
        """Return the section of a page."""
        schemes = [scheme_of(rule) for rule in self.rules if rule.change and not rule.same_as]
        lines = "\n".join(schemes).splitlines()
        return Section(
            "Rules", (rules_note(self.rules, self.seed),), (rules_table(self.rules),), tuple(lines)
        )


def rules_table(rules: Sequence[LearnedRule]) -> Table:
    """Return a row per rule: the group, the rule, and how well it does on other sentences."""
    rows = []
    for rule in rules:
        figures = (percentage(rule.precision), percentage(rule.recall)) if rule.change else ("", "")
        rows.append((str(rule.number), rule.group.title, rule.spec.replace(",", ", "), *figures))
    return Table("", ("", "what differs", "rule", "precision", "recall"), tuple(rows), align="><<>>")


def rules_note(rules: Sequence[LearnedRule], seed: int) -> str:
    """Return what the figures of the table are."""
    if not rules:
        return "There is no difference to learn a rule from."
    learned_from, tested_on = rules[0].sentences
    return (
        f"Learned from {count_noun(learned_from, 'sentence')}, tested on the {tested_on:,} others "
        f"(seed {seed}). Precision: of the words that the rule changes, the share that is then as there. "
        "Recall: of the words that differ so, the share that the rule makes as there."
    )


def scheme_of(rule: LearnedRule) -> str:
    """Return the scheme file of a rule."""
    change = rule.change
    if change is None:
        raise ValueError(f"no rule was found for group {rule.number}")
    name, title = f"rule{rule.number}", rule.group.title
    text = (
        scheme_text(name, title, (), [change])
        if isinstance(change, ValueChange)
        else scheme_text(name, title, [change])
    )
    comments = [f"# {line}" for line in evidence_of(rule)]
    return "\n".join([*comments, "", text])


def evidence_of(rule: LearnedRule) -> list[str]:
    """Return in words how well a rule does, and how to apply it."""
    changed, words = count_noun(rule.changed, "word"), count_noun(rule.words, "word")
    lines = [
        f"Learned from {count_noun(rule.sentences[0], 'sentence')}, tested on {rule.sentences[1]:,} others.",
        f"Precision {percentage(rule.precision) or 'unknown'}: of {changed} that it changes, "
        f"{rule.right:,} are then as in B.",
        f"Recall {percentage(rule.recall) or 'unknown'}: of {words} that differ so, it makes "
        f"{rule.found:,} as in B.",
    ]
    if rule.labels == "keep":
        lines.append("Apply it with --labels keep: words keep their relations.")
    return lines


def rule_files(rules: Sequence[LearnedRule]) -> dict[str, bytes]:
    """Return rules.csv, and for each rule a scheme file."""
    files = {RULES: records_csv(names_of(RuleRecord), (astuple(RuleRecord.of(rule)) for rule in rules))}
    for rule in rules:
        if rule.change is not None and not rule.same_as:
            files[f"rule{rule.number}.toml"] = scheme_of(rule).encode()
    return files
