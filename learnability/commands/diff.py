"""`learnability diff`: what differs between two annotations of the same sentences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import rich_click as click

from learnability.commands import completion
from learnability.commands.options import Execution, is_typed, options, take_options
from learnability.commands.resolve import Names
from learnability.commands.streams import note, read_input
from learnability.comparing.options import ExperimentOptions, TreebankSelection
from learnability.errors import InputError
from learnability.support.nouns import count_noun
from learnability.support.options import option, same
from learnability.support.progress import ProgressSteps, shown_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learnability.annotation_diffs.annotation_diff import AnnotationDiff
    from learnability.annotation_diffs.difference_kinds import Group
    from learnability.annotation_diffs.version import Version
    from learnability.reports.annotation_diffs.rules import LearnedRules

MOST_GROUPS = 1_000_000
"""More groups than any two annotations have."""

MOST_SEED = 2**32 - 1
"""The largest seed."""

WORDS_PER_SECOND = 100_000
"""How fast words are compared, about."""

WORDS_PER_SECOND_OF_RULES = 8_000
"""How fast rules are learned for ten groups, about."""


@dataclass(frozen=True)
class RuleOptions:
    """Hold how a rule labels the trees that it makes."""

    PANEL: ClassVar[str] = "Annotation"

    labels: Literal["external", "keep"] = same(
        ExperimentOptions, "labels", default="external", flags=("--labels",), flag_value=None,
        help="external: the new head takes the relation of its construction, as a linguist would propose; "
        "keep: every token keeps its deprel.",
    )  # fmt: skip


@dataclass(frozen=True)
class DiffOutput:
    """Hold what is printed and written."""

    PANEL: ClassVar[str] = "Output"

    most: int = option(
        12, "List the N largest groups.", flags=("--max",), metavar="N", least=1, most=MOST_GROUPS
    )
    group: int | None = option(
        None, "Print group N alone: its counts, its queries for Grew-match, and three sentences drawn.",
        metavar="N", least=1, most=MOST_GROUPS,
    )  # fmt: skip
    changelog: bool = option(False, "Print a paragraph for the changelog of a release.")
    rules: bool = option(
        False, "Print for each of the largest groups the shortest rule that makes B of A. With --group N, "
        "print the rule of this group as a scheme file; with --out, write schemes.",
    )  # fmt: skip
    seed: int = option(
        1, "With --rules: which half of the sentences rules are learned from.", metavar="N", least=0,
        most=MOST_SEED,
    )  # fmt: skip
    by: str | None = option(
        None, "Compare the annotators of one file, whose sentences name theirs in this comment, for example "
        "user_id; with user_id=ann1,ann2 only these.", metavar="COMMENT[=A,B]",
    )  # fmt: skip
    out: str | None = option(None, "Write a page, CSV files, and the changelog into DIR.", metavar="DIR")

    @property
    def most_rules(self) -> int:
        """Return for how many groups rules are learned."""
        from learnability.annotation_diffs.rules import MOST_RULES

        return self.most if is_typed("most") else MOST_RULES

    def check(self, as_json: bool) -> None:
        """Refuse options that have no effect together."""
        modes = {"--json": as_json, "--changelog": self.changelog, "--group": self.group is not None}
        chosen = [name for name, is_chosen in modes.items() if is_chosen]
        clashing = chosen
        if self.rules and self.changelog:
            clashing = ["--rules", *chosen]
        if len(clashing) > 1:
            raise click.UsageError(f"{' and '.join(clashing)} cannot be combined; use one of them")
        if is_typed("seed") and not self.rules:
            raise click.UsageError("--seed has no effect without --rules; add --rules, or leave it out")
        if is_typed("most") and chosen and not (self.rules and self.group is None):
            raise click.UsageError(f"--max has no effect with {chosen[0]}; leave out one of them")

    def check_many(self) -> None:
        """Refuse what is shown of two annotations only, where there are more."""
        alone = {
            "--max": is_typed("most"),
            "--group": self.group is not None,
            "--changelog": self.changelog,
            "--rules": self.rules,
            "--out": self.out,
        }
        for name, is_set in alone.items():
            if is_set:
                two = "--by COMMENT=A,B" if self.by is not None else "two annotations"
                raise click.UsageError(f"{name} shows two annotations, and there are more; use {two}")


@click.command(name="diff", epilog="Example: learnability diff mine.conllu yours.conllu")
@click.argument("base", metavar="A", shell_complete=completion.versions)
@click.argument("others", metavar="[B...]", nargs=-1, shell_complete=completion.versions)
@options(Names)
@options(RuleOptions)
@options(TreebankSelection, "ud_home", "multiple_roots")
@options(DiffOutput)
@options(Execution, "as_json", "quiet")
def command(
    base: str, others: tuple[str, ...], as_json: bool, quiet: bool, labels: str, **parameters: Any
) -> None:
    """Show what differs between annotations of the same sentences, A and B, or each two of several.

    A and B are files, folders, or names of treebanks. NAME@2.16 names a release, FOLDER@COMMIT a commit of a
    git checkout, and - the standard input. In place of B, --transform names a rule that changes A, and
    --alternative a scheme. Nothing is trained.
    """
    names, output = take_options(Names, parameters), take_options(DiffOutput, parameters)
    output.check(as_json)
    if [names.is_set, bool(others), output.by is not None].count(True) != 1:
        raise click.UsageError(
            "two annotations are compared; use A and B, or A with --transform, --alternative or --by"
        )
    labels_typed = is_typed("labels")
    if labels_typed and not names.is_set:
        raise click.UsageError("--labels has no effect on two annotations; leave it out")
    if [base, *others].count("-") > 1:
        raise click.UsageError("only one annotation can be standard input; use files for the others")
    if names.is_set:
        names.check()
        if names.annotator():
            names.only_for_rules(labels=labels_typed)
    if output.out:
        from learnability.reports.annotation_diffs.files import replaceable_in
        from learnability.support.files import check_replaceable

        check_replaceable(output.out, replaceable_in(output.out))
    from learnability.annotation_diffs.annotators import Annotators, compare_all

    ud_home, roots = parameters["ud_home"], bool(parameters["multiple_roots"])
    with shown_steps("reading", quiet=quiet) as steps:
        first = _version(base, ud_home, roots, steps)
        annotators = None
        versions = [first]
        if output.by is not None:
            annotators = Annotators.parse(output.by)
            versions = annotators.divide(first)
        elif others:
            versions += [_version(other, ud_home, roots, steps) for other in others]
        else:
            versions.append(_by_rule(base, first, names, labels, ud_home, roots))
        if annotators is None and len({version.name for version in versions}) < len(versions):
            typed = [base, *(others or [names.title])]
            versions = [replace(each, name=name) for each, name in zip(versions, typed, strict=True)]
        steps.begin("comparing", expected=sum(each.words for each in versions[1:]) / WORDS_PER_SECOND)
        comparisons, apart = compare_all(versions, annotators.key if annotators else "")
        comparison = comparisons[0]
        if len(comparisons) > 1:
            output.check_many()
        rules = None
        if output.rules:
            steps.begin("learning rules", expected=first.words / WORDS_PER_SECOND_OF_RULES)
            rules = _learned(comparison, output)
        if output.out:
            from learnability.reports.annotation_diffs.files import write_files

            steps.begin("writing")
            written = write_files(comparison, output.out, rules)
    warnings = [warning for version in versions for warning in version.warnings]
    for warning in dict.fromkeys((*warnings, *apart)):
        note(warning, quiet=quiet)
    if len(comparisons) > 1:
        two = versions[0].name, versions[1].name
        details = f"{base} --by {annotators.key}={','.join(two)}" if annotators else " ".join(two)
        _print_many(comparisons, as_json, f"learnability diff {details}")
        return
    _print(comparison, output, as_json, rules)
    if output.out:
        note(f"Wrote {', '.join(written)} to {output.out}", quiet=quiet)


def _version(text: str, ud_home: str | None, multiple_roots: bool, steps: ProgressSteps) -> Version:
    from learnability.annotation_diffs.version import Version

    if text == "-":
        return Version.of_file(read_input(text, multiple_roots=multiple_roots, steps=steps))
    steps.begin(f"reading {text}")
    return Version.named(text, ud_home=ud_home, multiple_roots=multiple_roots)


def _by_rule(
    text: str, base: Version, names: Names, labels: str, ud_home: str | None, multiple_roots: bool
) -> Version:
    from pathlib import Path

    from learnability.annotation_diffs.version import Version
    from learnability.transforms.provenance import check_ud
    from learnability.treebanks.conllu_io import read_conllu
    from learnability.treebanks.splits import read_treebank

    annotator = names.annotator()
    if annotator is None:
        check_ud(base.sentences, text)
        return base.change_trees(names.change(base.conventions, labels), names.title)
    if text == "-":
        raise InputError(f"scheme {annotator.name} is a command, which reads files; use a file for A")
    if Path(text).is_file():
        file = read_conllu(text, multiple_roots=multiple_roots)
        return Version.of_file(annotator.annotate_file(file, multiple_roots=multiple_roots), names.title)
    files = annotator.files(Version.find_files(text, ud_home=ud_home), multiple_roots=multiple_roots)
    return Version.of_treebank(read_treebank(files, multiple_roots=multiple_roots), names.title)


def _learned(comparison: AnnotationDiff, output: DiffOutput) -> LearnedRules:
    from learnability.reports.annotation_diffs.rules import LearnedRules

    numbers: tuple[int, ...] = ()
    if output.group is not None:
        _find_group(comparison, output.group)
        numbers = (output.group,)
    found = comparison.learn_rules(most=output.most_rules, numbers=numbers, seed=output.seed)
    return LearnedRules(found, output.seed)


def _print(comparison: AnnotationDiff, output: DiffOutput, as_json: bool, rules: LearnedRules | None) -> None:
    if as_json:
        from learnability.reports.annotation_diffs.tables import as_record
        from learnability.reports.text import print_json

        print_json(as_record(comparison, None if rules is None else rules.records))
    elif rules is not None and output.group is not None:
        from learnability.reports.annotation_diffs.rules import scheme_of
        from learnability.support.terminal import print_line

        (rule,) = rules.rules
        if rule.change is None:
            raise InputError(f"no rule for group {rule.number}: {rule.why_none}; see the others with --rules")
        print_line(scheme_of(rule).rstrip("\n"))
    elif rules is not None:
        from learnability.reports.annotation_diffs.terminal import print_rules

        print_rules(comparison, rules.rules, rules.seed)
    elif output.changelog:
        from learnability.reports.annotation_diffs.changelog import changelog
        from learnability.support.terminal import print_line

        print_line(changelog(comparison))
    elif output.group is not None:
        from learnability.reports.annotation_diffs.terminal import print_group

        print_group(comparison, _find_group(comparison, output.group))
    else:
        from learnability.reports.annotation_diffs.terminal import print_comparison

        groups = list(enumerate(comparison.groups[: output.most], start=1))
        print_comparison(comparison, groups, len(comparison.groups) - len(groups))


def _print_many(comparisons: Sequence[AnnotationDiff], as_json: bool, details: str) -> None:
    if as_json:
        from learnability.reports.annotation_diffs.tables import as_record
        from learnability.reports.text import print_json

        print_json({"pairs": [as_record(each) for each in comparisons]})
        return
    from learnability.reports.annotation_diffs.terminal import print_pairs

    print_pairs(comparisons, details)


def _find_group(comparison: AnnotationDiff, number: int) -> Group:
    if number > len(comparison.groups):
        raise InputError(
            f"--group {number} does not exist, because there are only "
            f"{count_noun(len(comparison.groups), 'group')}; list them without --group"
        )
    return comparison.groups[number - 1]
