"""The answer, the evidence and the next steps, as sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from learnability.extending import (
    PageHeader,
    Section,
    Table,
    Version,
    compare_versions,
    count_noun,
    enumerate_names,
    format_signed,
    groups_table,
    matching_sentences,
)
from learnability.extensions.harmonise.constructions import RuleSupport
from learnability.extensions.harmonise.descriptions import (
    PatternSide,
    describe_pattern,
    scored_names,
    sides_of,
)
from learnability.extensions.harmonise.matrix import (
    Estimate95,
    MatrixCell,
    SeedVariance,
    estimate_share,
    right_words,
)
from learnability.extensions.harmonise.patterns import DifferingPattern, PairPatterns
from learnability.extensions.harmonise.proposals import proposals_name
from learnability.extensions.harmonise.rewriting import ConstructionRewriting, FullRewriting, Rewriting
from learnability.extensions.harmonise.sentences import sentences_of
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison
from learnability.extensions.harmonise.word_kinds import WordKind
from learnability.extensions.harmonise.words import TreebankWords, words_of

LISTED = 12
"""The patterns of two treebanks that are listed; patterns.csv has all."""


COMPARED = "Heads, relations and UPOS are compared; lemmas, features and XPOS are not."
"""What an answer is about, and what it says nothing of."""


def sections_of(comparison: TreebankComparison) -> list[Section]:
    """Return the sections: the answer, the patterns of each pair of treebanks, the scores, the next steps.

    Args:
        comparison: of the treebanks.
    """
    words = words_of(comparison.parses)
    sections = [Section(question_of(comparison), (*answers_of(comparison), COMPARED))]
    for arcs, tags in zip(comparison.arcs, comparison.tags, strict=True):
        sections.append(_pair_section(comparison, arcs, tags, words))
        if arcs.conventions:
            sentences = tuple(sentences_of(comparison, arcs, words))
            sections.append(Section(f"Sentences of {_name_pair(comparison, arcs)}", sentences))
    if comparison.joined or comparison.answers is not None:
        sections.append(_rewriting_section(comparison))
    sections.append(_kinds_section(comparison))
    sections += shared_sections(comparison)
    sections.append(_matrix_section(comparison))
    sections.append(Section("Next", tuple(next_steps(comparison))))
    return sections


def question_of(comparison: TreebankComparison) -> str:
    """Return the question that is answered."""
    return f"Are {enumerate_names(comparison.names)} annotated alike?"


def answers_of(comparison: TreebankComparison) -> Iterator[str]:
    """Yield the answer for each pair of treebanks, in a sentence each."""
    for arcs, tags in zip(comparison.arcs, comparison.tags, strict=True):
        first, second = comparison.names[arcs.first], comparison.names[arcs.second]
        trees, words = len(arcs.conventions), len(tags.conventions)
        if not trees and not words:
            yield f"We found no convention in which {first} and {second} differ."
            continue
        found = [count_noun(trees, "convention") + " of trees"] if trees else []
        found += [count_noun(words, "convention") + " of tags"] if words else []
        cost = sum(pattern.cost for pattern in arcs.conventions)
        yield f"{first} and {second} differ in {enumerate_names(found)}." + (
            f" Those of trees cost a parser {cost:.1f} points of LAS "
            f"({round(10 * cost)} words in 1,000) on the other treebank."
            if trees
            else ""
        )
    for support in comparison.constructions:
        yield describe_construction(comparison, support)
    for arcs in comparison.arcs:
        if comparison.divided.shared(arcs.first, arcs.second):
            yield describe_shared(comparison, arcs.first, arcs.second)
    if comparison.divided.near:
        yield f"{comparison.divided.near}."
    yield from better_than_own(comparison)


def describe_shared(comparison: TreebankComparison, first: int, second: int) -> str:
    """Return how many sentences two treebanks share, and how they were parsed."""
    divided, names = comparison.divided, comparison.names
    sizes = [len(divided.treebanks[number].trees) for number in (first, second)]
    of_first, of_second = (len(divided.shared(*pair)) for pair in ((first, second), (second, first)))
    have = "has a copy" if of_first == 1 else "have a copy"
    return (
        f"{of_first:,} of the {count_noun(sizes[0], 'sentence')} of {names[first]} {have} in "
        f"{names[second]}, and {of_second:,} of the {sizes[1]:,} there in {names[first]}. No parser parsed "
        "one of these after it had learned from its copy."
    )


def better_than_own(comparison: TreebankComparison) -> Iterator[str]:
    """Yield a warning for each treebank that parsers of another one parse better than its own parsers."""
    parses, names = comparison.parses, comparison.names
    noise = SeedVariance.of(parses)
    for tested, treebank in enumerate(comparison.treebanks):
        at_home = right_words(treebank, parses.parses[tested, tested])
        for source in parses.others(tested):
            found = parses.parses[tested, source]
            more = right_words(treebank, found) - at_home
            gain = estimate_share(treebank, more, (noise.of_parts + noise.of_whole) / len(found))
            if gain.low <= 0:
                continue
            interval = f"({format_signed(gain.low, 1)} to {format_signed(gain.high, 1)})"
            yield (
                f"Warning: parsers of {names[source]} score {gain.value:.1f} points more on {names[tested]} "
                f"than its own parsers {interval}, which should not be. Probably its parts differ more from "
                f"each other than from {names[source]}, or sentences are shared in other words than copies "
                "have. Do not rely on the scores across treebanks before you know why."
            )


def shared_sections(comparison: TreebankComparison) -> Iterator[Section]:
    """Yield what differs in the sentences that two treebanks share, compared directly as `diff` does."""
    for arcs in comparison.arcs:
        first, second = arcs.first, arcs.second
        names = comparison.names[first], comparison.names[second]
        shared = comparison.divided.shared(first, second), comparison.divided.shared(second, first)
        if not shared[0] or not matching_sentences(*shared)[0]:
            continue
        found = compare_versions(*map(Version.of_sentences, shared, names))
        pairs = found.matching.pairs
        lines = [
            f"In {found.pairs_differing_in_words:,} of {count_noun(len(pairs), 'pair')}, a column of a word "
            "differs. "
            "They were compared directly, without a parser; `learnability diff` shows them all.",
        ]
        numbered = list(enumerate(found.groups[:LISTED], start=1))
        tables = (groups_table(numbered),) if numbered else ()
        yield Section(f"Shared sentences of {names[0]} and {names[1]}", tuple(lines), tables)


def describe_construction(comparison: TreebankComparison, support: RuleSupport) -> str:
    """Return how parsers follow a rule."""
    ud, other = comparison.names[support.treebank], comparison.names[support.source]
    return (
        f"{other} annotates `{support.spec}` as the alternative does, {ud} does not. Parsers of {other} give "
        f"{support.by_rule:,.0f} of {count_noun(support.moved, 'word')} the head of the alternative, and "
        f"{support.as_annotated:,.0f} the head in {ud}."
    )


def _pair_section(
    comparison: TreebankComparison,
    arcs: PairPatterns,
    tags: PairPatterns,
    words: Sequence[TreebankWords],
) -> Section:
    sentences = []
    one_sided = sum(len(pair.patterns) - len(pair.conventions) for pair in (arcs, tags))
    left_out = max(0, len(arcs.conventions) - LISTED)
    if left_out:
        sentences.append(f"{count_noun(left_out, 'smaller convention')} of trees: see patterns.csv.")
    if one_sided:
        sentences.append(
            f"{count_noun(one_sided, 'further pattern')} may come from texts that the other parsers do not "
            "know, because the two treebanks do not contradict each other in both directions."
        )
    tables = [
        pattern_table(title, comparison, pair, words)
        for title, pair in (("Trees", arcs), ("Tags", tags))
        if pair.conventions
    ]
    return Section(_name_pair(comparison, arcs), tuple(sentences), tuple(tables))


def _name_pair(comparison: TreebankComparison, pair: PairPatterns) -> str:
    return f"{comparison.names[pair.first]} and {comparison.names[pair.second]}"


def pattern_table(
    title: str, comparison: TreebankComparison, pair: PairPatterns, words: Sequence[TreebankWords]
) -> Table:
    """Return the conventions of two treebanks, those that cost most first."""
    first, second = comparison.names[pair.first], comparison.names[pair.second]
    rows = []
    for number, pattern in enumerate(pair.conventions[:LISTED], start=1):
        sides = sides_of(pair, pattern, words)
        rows.append((str(number), describe_pattern(sides, pattern.change), *_counts(pattern, sides)))
    return Table(
        title,
        ("no.", f"{first} → {second}", f"in {first}", f"in {second}", "points"),
        tuple(rows),
        note="Counts: words annotated with the value on the left in the first treebank, which parsers of the "
        "second give the value on the right; and the other way round. points: of LAS (of tags: of accuracy), "
        "on average; 0 where only subtypes differ.",
        align="><<<>",
    )


def _counts(pattern: DifferingPattern, sides: tuple[PatternSide, PatternSide]) -> tuple[str, str, str]:
    """Return how many words show a pattern in either treebank, and its cost."""
    first, second = (side.change.annotated for side in sides)
    return (
        f"{first} {pattern.first.words:,.0f} of {pattern.first.of:,}",
        f"{second} {pattern.second.words:,.0f} of {pattern.second.of:,}",
        f"{pattern.cost:.2f}",
    )


def _rewriting_section(comparison: TreebankComparison) -> Section:
    """Return what can be rewritten by rules, which side is easier to learn, and what rewriting gains."""
    lines = [describe_construction(comparison, each) for each in comparison.constructions]
    tables = []
    if comparison.rules:
        lines.append(
            f"{count_noun(len(comparison.rules), 'rule')} of other conventions: learned from what parsers of "
            "the other treebank find, as `learnability diff --rules` learns rules."
        )
        tables.append(rules_table(comparison))
    if comparison.answers is not None and not comparison.joined:
        lines.append("No construction and no rule rewrites what differs, so no side of it was compared.")
    if comparison.answers:
        tables.append(answers_table(comparison))
    if comparison.rewritten:
        lines += describe_harmonised(comparison)
        tables.append(gains_table(comparison))
    return Section("Rewriting", tuple(lines), tuple(tables))


def rules_table(comparison: TreebankComparison) -> Table:
    """Return the rules that were learned."""
    rows = []
    for rule in comparison.rules:
        learned = rule.learned
        names = comparison.names[rule.treebank], comparison.names[rule.like]
        figures = [
            "" if share is None else f"{100 * share:.0f} %" for share in (learned.precision, learned.recall)
        ]
        rows.append((*names, learned.differs, rule.spec.replace(",", ", "), *figures))
    return Table(
        "Rules",
        ("rewritten", "like", "what differs", "rule", "precision", "recall"),
        tuple(rows),
        note="On sentences that the rule was not learned from. Precision: of the words that it changes, the "
        "share that most parsers of the other treebank see so. Recall: of the words that they see so, the "
        "share that it changes.",
        align="<<<<>>",
    )


def gains_table(comparison: TreebankComparison) -> Table:
    """Return LAS before and after each treebank was rewritten like another one."""
    rows = []
    for pair in comparison.rewritten:
        rewriting = pair.rewriting
        rewritten, like = comparison.names[rewriting.treebank], comparison.names[rewriting.like]
        what = f"{rewritten} like {like}", _what_is_rewritten(rewriting)
        for change in pair.changes:
            scores = _with_interval(change.before), _with_interval(change.after)
            gain = _with_interval(change.gain, signed=True)
            names = scored_names(comparison, change.learned), comparison.names[change.tested]
            rows.append((*what, *names, *scores, gain))
            what = "", ""
    return Table(
        "LAS before and after rewriting",
        ("rewritten", "rules", "trained on", "tested on", "before", "after", "gain"),
        tuple(rows),
        note=f"With one training of each, and 95 % intervals{_intervals_for(comparison)}. Learned rules "
        "follow what parsers of the other treebank find, so their LAS on the rewritten one says little.",
        align="<<<<<<<",
    )


def describe_harmonised(comparison: TreebankComparison) -> Iterator[str]:
    """Yield where it clearly matters for parsers of two treebanks that one of them is rewritten."""
    for pair in comparison.rewritten:
        if pair.together is None:
            continue
        gain = pair.together.gain
        if gain.low <= 0 <= gain.high:
            continue
        added, tested = comparison.names[pair.rewriting.treebank], comparison.names[pair.rewriting.like]
        more = "more" if gain.low > 0 else "less"
        yield (
            f"A parser of {tested} and {added} scores {abs(gain.value):.1f} points {more} on {tested} if "
            f"{added} is rewritten like it ({format_signed(gain.low, 1)} to {format_signed(gain.high, 1)})."
        )


def _intervals_for(comparison: TreebankComparison) -> str:
    """Return what intervals allow for, as the end of a sentence."""
    if len(comparison.settings.seeds) > 1:
        return " for other sentences and other trainings"
    return " for other sentences; with --seeds 2 and more, also for other trainings"


def _what_is_rewritten(rewriting: Rewriting) -> str:
    """Return what is rewritten, briefly."""
    if isinstance(rewriting, ConstructionRewriting):
        return f"{rewriting.spec}, {'back to UD' if rewriting.is_converted_back else 'to the alternative'}"
    if isinstance(rewriting, FullRewriting):
        if len(rewriting.parts) > 1:
            return f"all {len(rewriting.parts)}"
        return _what_is_rewritten(rewriting.parts[0])
    return rewriting.spec.replace(",", ", ")


def answers_table(comparison: TreebankComparison) -> Table:
    """Return which side of each convention is easier to learn in either treebank, and which to train on."""
    rows = []
    for answer in comparison.answers or ():
        rewriting = answer.rewriting
        names = comparison.names[rewriting.treebank], comparison.names[rewriting.like]
        interval = "" if answer.difference is None else _with_interval(answer.difference, signed=True)
        way = "made by the rule" if answer.is_converted_back else "annotated"
        train_on = answer.train_on or "no way back"
        rows.append((rewriting.spec.replace(",", ", "), *names, way, answer.easier, train_on, interval))
    return Table(
        "Which side is easier to learn",
        ("rule", "learned in", "like", "its UD trees are", "easier", "for UD, train on", "UD − alternative"),
        tuple(rows),
        note="As `learnability run --test-set --labelled` answers it. Of a learned rule, UD is the "
        "annotation, and the alternative is what the rule makes of it. The last column is LAS on UD minus "
        "LAS on the alternative, in points, with a 95 % interval.",
        align="<<<<<<<",
    )


def _kinds_section(comparison: TreebankComparison) -> Section:
    """Return how many words of each treebank show a convention, a doubt, or neither."""
    rows = []
    for number, name in enumerate(comparison.names):
        counts = comparison.count_kinds(number)
        rows.append((name, *(f"{counts[kind]:,}" for kind in WordKind)))
    table = Table(
        "",
        ("", "agreed", "convention", "doubt", "hard", "only hard for others"),
        tuple(rows),
        note="Words, without punctuation. agreed: parsers find the head. hard: parsers of the treebank do "
        "not, and do not agree with others. only hard for others: for its texts, or a rare convention.",
        align="<>>>>>",
    )
    sentence = (
        "A word shows a convention above, or it is a doubt: parsers of its treebank and of another one find "
        "the same other head. Many doubts are errors of parsers, the more the lower LAS is; `learnability "
        "doubts` puts them in order."
    )
    return Section("Words", (sentence,), (table,))


def _matrix_section(comparison: TreebankComparison) -> Section:
    sentences = [
        f"Each parser learned from {count_noun(comparison.size, 'word')} (of two treebanks, from as many of "
        f"each). {count_noun(len(comparison.settings.seeds), 'training')} of each kind."
    ]
    sentences += [_describe_gain(comparison, cell) for cell in comparison.matrix if cell.gain is not None]
    rows = tuple(
        (scored_names(comparison, cell.learned), comparison.names[cell.tested], _with_interval(cell.las))
        for cell in comparison.matrix
    )
    table = Table(
        "LAS",
        ("trained on", "tested on", "LAS (95 % interval)"),
        rows,
        note=f"Intervals{_intervals_for(comparison)}.",
        align="<<<",
    )
    return Section("Scores across treebanks", tuple(sentences), (table,))


def _describe_gain(comparison: TreebankComparison, cell: MatrixCell) -> str:
    """Return what learning from another treebank as well gains."""
    gain, tested = cell.gain, comparison.names[cell.tested]
    assert gain is not None
    other = comparison.names[cell.learned[1]]
    interval = f"({format_signed(gain.low, 1)} to {format_signed(gain.high, 1)})"
    if gain.low > 0:
        return f"Adding {other} helps on {tested}: {format_signed(gain.value, 1)} points of LAS {interval}."
    if gain.high < 0:
        return f"Adding {other} harms on {tested}: {format_signed(gain.value, 1)} points of LAS {interval}."
    return f"Adding {other} makes no clear difference on {tested}: {interval}."


def _with_interval(estimate: Estimate95, *, signed: bool = False) -> str:
    def form(value: float) -> str:
        return format_signed(value, 1) if signed else f"{value:.1f}"

    return f"{form(estimate.value)} ({form(estimate.low)} to {form(estimate.high)})"


def next_steps(comparison: TreebankComparison) -> Iterator[str]:
    """Yield what to do next."""
    if comparison.joined and comparison.answers is None:
        found = list(dict.fromkeys(f"`{support.spec}`" for support in comparison.constructions))
        found += [count_noun(len(comparison.rules), "learned rule")] if comparison.rules else []
        which = f"which side of {enumerate_names(found)} is easier to learn"
        yield f"To see {which}, in both treebanks, repeat the command with --answers."
    if any(pair.conventions for pair in comparison.arcs):
        tables = enumerate_names([proposals_name(name) for name in comparison.names])
        yield (
            f"To harmonise by hand, fill in the column `decision` of {tables}, or accept a pattern: "
            "learnability doubts --treebank NAME --apply FILE --fix PATTERN"
        )
    else:
        yield "Look for slips within each treebank: learnability doubts --treebank NAME"


def open_page(comparison: TreebankComparison) -> PageHeader:
    """Return what the report says of itself."""
    words = (
        f"{name} {count_noun(treebank.version.words, 'word')}"
        for name, treebank in zip(comparison.names, comparison.treebanks, strict=True)
    )
    return PageHeader(
        "are they annotated alike?",
        f"{' · '.join(words)} · each parser learned from {count_noun(comparison.size, 'word')} · "
        f"{count_noun(len(comparison.settings.seeds), 'training')} of each kind",
        (
            "A convention says where treebanks differ, not which of them is right.",
            "Rules follow what parsers of the other treebank find, so their LAS on the rewritten one says "
            "little.",
            "In texts of different kinds, some conventions may look one-sided, and are then not named.",
        ),
    )
