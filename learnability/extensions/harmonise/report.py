"""Say what conventions cost, how parsers score across treebanks, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from learnability.extending import (
    Column,
    Section,
    Table,
    TreebankFiles,
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
    contents_of,
    lines_of,
    tell_conventions,
    tell_labels,
    values_of_lines,
)
from learnability.extensions.harmonise.cross_parses import CrossParses, DividedTreebanks
from learnability.extensions.harmonise.cross_scores import (
    SCORE,
    CrossScore,
    Estimate95,
    SeedVariance,
    estimate_share,
    right_words,
)
from learnability.extensions.harmonise.line_costs import TrainedTreebanks

COSTS = (
    "A cost is in points of LAS (of tags: of UPOS): the percent of all words at which parsers of the others "
    "annotate as the others do, minus the percent at which parsers of this treebank do so. Its 95 % interval "
    "is for other sentences. Lines without a cost are about what parsers do not see, or LAS does not count: "
    "only tags, relations and heads have one."
)
"""What the costs of lines are."""

SCORES = "scores.csv"
"""The scores of all parsers on all treebanks."""

SCORE_COLUMNS = Column.of_topic(
    "Scores across treebanks",
    ("trained", "text", "where parsers learned"),
    ("tested", "text", "what they parsed"),
    (str(SCORE), "number", f"{SCORE.upper()} in percent"),
    (f"{SCORE}_low", "number", "of the 95 % interval"),
    (f"{SCORE}_high", "number", "of the 95 % interval"),
    ("gain", "number", "points of two treebanks above the treebank alone; else empty"),
    ("gain_low", "number", "of the 95 % interval"),
    ("gain_high", "number", "of the 95 % interval"),
)
"""The columns of scores.csv."""


def sections_of(trained: TrainedTreebanks) -> list[Section]:
    """Return the sections: the conventions with their costs, the scores, the next steps."""
    sections = [_conventions_section(trained, found) for found in trained.found]
    return [*sections, _scores_section(trained), Section("Next", tuple(next_steps(trained)))]


def _conventions_section(trained: TrainedTreebanks, found: TreebankConventions) -> Section:
    lines = [
        *tell_labels(trained.names, found),
        *tell_conventions(trained, found, more=f"{CONVENTIONS} has all {{}}"),
    ]
    return Section(
        f"Conventions of {trained.names[found.treebank]}",
        (*_tell_costliest(found), answer_of(trained, found), COSTS),
        lines=tuple(text for line in lines for text in line.split("\n")),
    )


MOST_FIRST = 3
"""The lines that are named as those to change first."""


def _tell_costliest(found: TreebankConventions) -> Iterator[str]:
    """Yield which lines, and labels without lines, clearly cost most; that none does; nothing if there are
    none."""
    lines = [(f"line {number}", line.cost) for of_kind in lines_of(found) for number, line in of_kind]
    lines += [(f"{each.column} {each.value}", each.cost) for each in found.inventories if not each.details]
    clear = [(name, cost) for name, cost in lines if cost is not None and cost.low > 0]
    clear.sort(key=lambda each: -each[1].points)
    if clear:
        told = [f"{name} ({cost.points:.2f} points of {cost.measure})" for name, cost in clear[:MOST_FIRST]]
        yield f"Change first what costs parsers of the others most: {enumerate_names(told)}."
    elif lines:
        yield "No line clearly costs parsers of the others points."


def _scores_section(trained: TrainedTreebanks) -> Section:
    comparison, names = trained.comparison, trained.names
    seeds = len(comparison.settings.seeds)
    also = " and other trainings" if seeds > 1 else "; with --seeds 2 and more, also for other trainings"
    sentences = [
        f"Each parser learned from {count_noun(comparison.size, 'word')} (of two treebanks, from as many of "
        f"each). {count_noun(seeds, 'training')} of each kind."
    ]
    sentences += describe_copies(names, comparison.divided)
    sentences += better_than_own(comparison.parses)
    sentences += [describe_construction(names, each) for each in comparison.constructions]
    sentences += [line for score in comparison.scores if (line := describe_gain(names, score))]
    table = Table(
        "LAS",
        ("trained on", "tested on", "LAS (95 % interval)", "gain"),
        tuple(_cells_of(names, score) for score in comparison.scores),
        note=f"Gain: of two treebanks above the first alone. Intervals are for other sentences{also}.",
        align="<<<<",
    )
    return Section("Scores across treebanks", tuple(sentences), (table,))


def describe_copies(names: Sequence[str], divided: DividedTreebanks) -> Iterator[str]:
    """Yield which sentences treebanks share, and what warns that more may be shared."""
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


def better_than_own(parses: CrossParses) -> Iterator[str]:
    """Yield a warning for each treebank that parsers of another one parse better than its own parsers."""
    noise = SeedVariance.of(parses)
    for tested, treebank in enumerate(parses.treebanks):
        at_home = right_words(treebank, parses.parses[tested, tested])
        for source in parses.others(tested):
            found, other = parses.parses[tested, source], parses.treebanks[source].name
            more = right_words(treebank, found) - at_home
            gain = estimate_share(treebank, more, (noise.of_parts + noise.of_whole) / len(found))
            if gain.low <= 0:
                continue
            yield (
                f"Warning: parsers of {other} score {gain.value:.1f} points more on {treebank.name} than its "
                f"own parsers {_interval(gain)}, which should not be. Probably its parts differ more from "
                f"each other than from {other}, or sentences are shared in other words than copies have. Do "
                "not rely on the scores across treebanks before you know why."
            )


def describe_construction(names: Sequence[str], support: RuleSupport) -> str:
    """Return how parsers follow a rule."""
    ud, other = names[support.treebank], names[support.source]
    return (
        f"{other} annotates {support.spec} as the alternative does, {ud} does not. Parsers of {other} give "
        f"{support.by_rule:,.0f} of {count_noun(support.moved, 'word')} the head of the alternative, and "
        f"{support.as_annotated:,.0f} the head in {ud}."
    )


def describe_gain(names: Sequence[str], score: CrossScore) -> str:
    """Return what learning from another treebank as well gains; empty for other scores."""
    if score.gain is None:
        return ""
    gain, tested, other = score.gain, names[score.tested], names[score.learned[1]]
    if gain.low <= 0 <= gain.high:
        return f"Adding {other} makes no clear difference on {tested}: {_interval(gain)}."
    helps, points = "helps" if gain.low > 0 else "harms", format_signed(gain.value, 1)
    return f"Adding {other} {helps} on {tested}: {points} points of LAS {_interval(gain)}."


def _cells_of(names: Sequence[str], score: CrossScore) -> tuple[str, ...]:
    gain = score.gain
    return (
        _join(names, score.learned),
        names[score.tested],
        f"{score.las.value:.1f} ({score.las.low:.1f} to {score.las.high:.1f})",
        f"{format_signed(gain.value, 1)} {_interval(gain)}" if gain else "",
    )


def _join(names: Sequence[str], numbers: Sequence[int]) -> str:
    return " + ".join(names[number] for number in numbers)


def _interval(estimate: Estimate95) -> str:
    return f"({format_signed(estimate.low, 1)} to {format_signed(estimate.high, 1)})"


def next_steps(trained: TrainedTreebanks) -> Iterator[str]:
    """Yield what to do next."""
    if any(found.conventions or found.inventories for found in trained.found):
        page = PAGE if len(trained.found) == 1 else f"the page NAME-{PAGE} of each treebank"
        yield f"Decide about the lines on {page}; it prints the command that corrects the treebank."
    else:
        yield "Look for slips within each treebank: learnability doubts --treebank NAME"
    for each in trained.comparison.constructions:
        ud, other = trained.names[each.treebank], trained.names[each.source]
        yield (
            f"Rewrite {ud} like {other}: learnability transform --treebank NAME --transform {each.spec} "
            f"--out DIR; with --invert, {other} becomes like {ud}."
        )


def score_rows(trained: TrainedTreebanks) -> Iterator[dict[str, Any]]:
    for score in trained.comparison.scores:
        gain = score.gain
        yield {
            "trained": _join(trained.names, score.learned),
            "tested": trained.names[score.tested],
            str(SCORE): score.las.value,
            f"{SCORE}_low": score.las.low,
            f"{SCORE}_high": score.las.high,
            "gain": gain.value if gain else None,
            "gain_low": gain.low if gain else None,
            "gain_high": gain.high if gain else None,
        }


def values_of(trained: TrainedTreebanks) -> dict[str, Any]:
    return {
        **values_of_lines(trained),
        "words_learned_from": trained.comparison.size,
        "scores": list(score_rows(trained)),
    }


def contents_of_trainings(trained: TrainedTreebanks, files: Sequence[TreebankFiles]) -> dict[str, bytes]:
    """Return the files by name: those that counting alone writes, too, and the scores."""
    return contents_of(trained, files) | {SCORES: Column.csv(SCORE_COLUMNS, score_rows(trained))}
