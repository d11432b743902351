"""The answer, what it costs, what rewriting gains, and the next steps, as sections."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from learnability.extending import (
    Section,
    Table,
    count_noun,
    enumerate_names,
    format_signed,
)
from learnability.extensions.harmonise.constructions import RuleSupport
from learnability.extensions.harmonise.convention_page import PAGE
from learnability.extensions.harmonise.convention_words import CONVENTIONS
from learnability.extensions.harmonise.conventions import TreebankConventions
from learnability.extensions.harmonise.counting import (
    answer_of,
    lines_of,
    tell_conventions,
    tell_labels,
)
from learnability.extensions.harmonise.files import scored_names
from learnability.extensions.harmonise.matrix import (
    Estimate95,
    MatrixCell,
    SeedVariance,
    estimate_share,
    right_words,
)
from learnability.extensions.harmonise.pattern_lines import TrainedTreebanks
from learnability.extensions.harmonise.rewriting import ConstructionRewriting, FullRewriting, Rewriting
from learnability.extensions.harmonise.treebank_comparison import TreebankComparison

COSTS = (
    "A cost is in points of LAS (of tags: of UPOS): the percent of all words at which parsers of the others "
    "annotate as the others do, minus the percent at which parsers of this treebank do so. Its 95 % interval "
    "is for other sentences. Lines without a cost are about what parsers do not see, or LAS does not count: "
    "only tags, relations and heads have one."
)
"""What the costs of lines are."""


def sections_of(trained: TrainedTreebanks) -> list[Section]:
    """Return the sections: the conventions with their costs, rewriting, the scores, the next steps.

    Args:
        trained: the treebanks.
    """
    comparison = trained.comparison
    sections = [_conventions_section(trained, found) for found in trained.found]
    if comparison.joined:
        sections.append(_rewriting_section(comparison))
    sections.append(_matrix_section(comparison))
    sections.append(Section("Next", tuple(next_steps(trained))))
    return sections


def _conventions_section(trained: TrainedTreebanks, found: TreebankConventions) -> Section:
    labels = [each.difference for each in found.inventories]
    lines = [
        *tell_labels(trained.names, labels, found.treebank),
        *tell_conventions(trained, found, more=f"{CONVENTIONS} has all {{}}"),
    ]

    return Section(
        f"Conventions of {trained.names[found.treebank]}",
        (*_tell_costliest(found), answer_of(trained, found), COSTS),
        lines=tuple(text for line in lines for text in f"{line.margin}{line.text}".split("\n")),
    )


MOST_FIRST = 3
"""The lines that are named as those to change first."""


def _tell_costliest(found: TreebankConventions) -> Iterator[str]:
    """Yield which lines clearly cost most; that none does; nothing if there are no lines."""
    lines = [(number, line.cost) for of_kind in lines_of(found) for number, line in of_kind]
    clear = [(number, cost) for number, cost in lines if cost is not None and cost.low > 0]
    clear.sort(key=lambda each: -each[1].points)
    if clear:
        told = [
            f"line {number} ({cost.points:.2f} points of {cost.measure})"
            for number, cost in clear[:MOST_FIRST]
        ]
        yield f"Change first what costs parsers of the others most: {enumerate_names(told)}."
    elif lines:
        yield "No line clearly costs parsers of the others points."


def describe_copies(comparison: TreebankComparison) -> Iterator[str]:
    """Yield which sentences treebanks share, and what warns that more may be shared."""
    divided, names = comparison.divided, comparison.names
    for pair in combinations(range(len(names)), 2):
        first, second = pair
        of_first, of_second = (len(divided.shared(*each)) for each in (pair, pair[::-1]))
        if of_first:
            sizes = [len(divided.treebanks[number].trees) for number in pair]
            have = "has a copy" if of_first == 1 else "have a copy"
            yield (
                f"{of_first:,} of the {count_noun(sizes[0], 'sentence')} of {names[first]} {have} in "
                f"{names[second]}, and {of_second:,} of the {sizes[1]:,} there in {names[first]}. No parser "
                "parsed one of these after it had learned from its copy."
            )
    if divided.near:
        yield f"{divided.near}."
    yield from better_than_own(comparison)


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


def describe_construction(comparison: TreebankComparison, support: RuleSupport) -> str:
    """Return how parsers follow a rule."""
    ud, other = comparison.names[support.treebank], comparison.names[support.source]
    return (
        f"{other} annotates {support.spec} as the alternative does, {ud} does not. Parsers of {other} give "
        f"{support.by_rule:,.0f} of {count_noun(support.moved, 'word')} the head of the alternative, and "
        f"{support.as_annotated:,.0f} the head in {ud}."
    )


def _rewriting_section(comparison: TreebankComparison) -> Section:
    """Return what can be rewritten by rules, and what rewriting gains."""
    lines = [describe_construction(comparison, each) for each in comparison.constructions]
    tables = []
    if comparison.rewritten:
        lines += describe_harmonised(comparison)
        tables.append(gains_table(comparison))
    return Section("Rewriting", tuple(lines), tuple(tables))


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
        note=f"With one training of each, and 95 % intervals{_intervals_for(comparison)}.",
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


def _matrix_section(comparison: TreebankComparison) -> Section:
    sentences = [
        f"Each parser learned from {count_noun(comparison.size, 'word')} (of two treebanks, from as many of "
        f"each). {count_noun(len(comparison.settings.seeds), 'training')} of each kind."
    ]
    sentences += describe_copies(comparison)
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


def next_steps(trained: TrainedTreebanks) -> Iterator[str]:
    """Yield what to do next."""
    if any(found.conventions or found.by_parsers or found.inventories for found in trained.found):
        page = PAGE if len(trained.found) == 1 else f"the page NAME-{PAGE} of each treebank"
        yield f"Decide about the lines on {page}; it prints the command that corrects the treebank."
    else:
        yield "Look for slips within each treebank: learnability doubts --treebank NAME"
