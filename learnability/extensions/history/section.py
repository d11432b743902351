"""Show a history in words, tables and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from learnability.evidence.columns import Column, Kind, columns_of_topic, csv_bytes
from learnability.evidence.differences import Difference
from learnability.extensions.history.figure import steps_figure
from learnability.extensions.history.parts import TOO_FEW, PartKind
from learnability.metrics.scores import ANSWERED, FIRST_SCORE, Score
from learnability.reports.differences.descriptions import title_of
from learnability.reports.differences.tables import groups_table
from learnability.reports.examples import TreePair
from learnability.reports.section import Section
from learnability.reports.text import Table, TableCell, format_signed
from learnability.reports.trees import DrawnSentence, drawn_pair
from learnability.reports.verdicts import bounds, points
from learnability.statistics.inference import ALPHA, Side
from learnability.support.files import as_name
from learnability.support.nouns import count_noun
from learnability.treebanks.sentence import Tree

if TYPE_CHECKING:
    from learnability.differences.groups import Group
    from learnability.extensions.history.changes import ChangeGroup
    from learnability.extensions.history.outcome import GroupEffect, History, Step, StepPart

HISTORY, GROUPS = "history.csv", "history_groups.csv"

TOPIC, GROUPS_TOPIC = "Columns of history.csv", "Columns of history_groups.csv"

_TESTED: tuple[tuple[str, Kind, str], ...] = (
    (
        "uas_delta",
        "number",
        "UAS of the later version minus UAS of the earlier one, in points; empty if not tested",
    ),
    ("uas_delta_low", "number", "lower bound of its interval, which accounts for all rows (Holm)"),
    ("uas_delta_high", "number", "upper bound of its interval"),
    ("p_holm", "number", "p value of the difference, corrected for all rows (Holm)"),
    ("decision", "choice", "easier, harder, no difference that matters, open, too few changes or unchanged"),
)
_LABELLED: tuple[tuple[str, Kind, str], ...] = (
    ("las_delta", "number", "the same by LAS, with `--labelled`"),
    ("las_delta_low", "number", "the same by LAS, with `--labelled`"),
    ("las_delta_high", "number", "the same by LAS, with `--labelled`"),
    ("las_p_holm", "number", "the same by LAS, with `--labelled`"),
    ("las_decision", "choice", "the same by LAS, with `--labelled`"),
)
_STEP: tuple[tuple[str, Kind, str], ...] = (
    ("from", "text", "the earlier version"),
    ("to", "text", "the later version"),
)

COLUMNS = columns_of_topic(
    TOPIC,
    *_STEP,
    ("part", "choice", "what changed: sentences, annotation or tags"),
    *_TESTED,
    (
        "changed", "count",
        "how many words changed for the parser; for the part `sentences`: how many are new or deleted",
    ),
    *_LABELLED,
)  # fmt: skip
"""The columns of history.csv."""

GROUP_COLUMNS = columns_of_topic(
    GROUPS_TOPIC,
    *_STEP,
    ("group", "text", "name of the group of changes"),
    *_TESTED,
    ("share", "number", "`uas_delta` divided by that of all changed trees, if that difference is clear"),
    ("changes", "count", "number of changes in the group; a change is a set of linked words"),
    ("words", "count", "number of words in these changes"),
    *_LABELLED,
    ("las_share", "number", "the same by LAS, with `--labelled`"),
)  # fmt: skip
"""The columns of history_groups.csv."""

PARTS = {
    PartKind.SENTENCES: "new and deleted sentences",
    PartKind.ANNOTATION: "changed trees",
    PartKind.TAGS: "changed tags",
}
"""What a part of a step is called in sentences."""


def _tested_values(differences: dict[Score, Difference], score: Score, decision: str) -> dict[str, Any]:
    """Return the columns of a difference by a score."""
    known = differences.get(score)
    return {
        f"{score}_delta": known and known.delta,
        f"{score}_delta_low": known and known.low,
        f"{score}_delta_high": known and known.high,
        f"{score.prefix}p_holm": known and known.p_holm,
        f"{score.prefix}decision": decision,
    }


def part_values(part: StepPart, scores: Sequence[Score]) -> dict[str, Any]:
    """Return the values of a line of history.csv."""
    values: dict[str, Any] = {"from": part.step.earlier, "to": part.step.later, "part": str(part.part)}
    for score in ANSWERED:
        decision = part.decision(score) if score in scores else ""
        values |= _tested_values(part.differences, score, decision)
    return {**values, "changed": part.changed}


def group_values(effect: GroupEffect, scores: Sequence[Score]) -> dict[str, Any]:
    """Return the values of a line of history_groups.csv."""
    step, group = effect.step, effect.group
    values: dict[str, Any] = {"from": step.earlier, "to": step.later, "group": effect.name}
    for score in ANSWERED:
        decision = effect.decision(score) if score in scores else ""
        values |= _tested_values(effect.differences, score, decision)
    values |= {f"{score.prefix}share": effect.shares.get(score) for score in ANSWERED}
    return {**values, "changes": group and group.changes, "words": group and group.words}


def history_files(history: History) -> dict[str, bytes]:
    """Return the files of results; that of groups only where a clear effect is explained."""
    parts = [part_values(part, history.scores) for part in history.parts]
    files = {HISTORY: csv_bytes(_list_columns(COLUMNS, history), parts)}
    if history.groups:
        groups = [group_values(effect, history.scores) for effect in history.groups]
        files[GROUPS] = csv_bytes(_list_columns(GROUP_COLUMNS, history), groups)
    return files


def _list_columns(columns: Sequence[Column], history: History) -> list[Column]:
    """Return the columns of a file: those of LAS only where the parsers are labelled."""
    return [column for column in columns if history.labelled or not column.name.startswith("las_")]


def history_sections(history: History, missing: Sequence[str]) -> Iterator[Section]:
    """Yield what the versions did, and the groups of changes behind clear effects.

    Args:
        history: of the treebank.
        missing: lines on versions that were left out.
    """
    score = history.scores[-1]
    sentences = [*_answers(history, score), *_data(history), *missing]
    tables = tuple(_table(history, each) for each in history.scores)
    yield Section(
        "What each version did", tuple(sentences), tables, figures=(steps_figure(history.parts, score),)
    )
    for step in history.steps:
        if step.differences:
            yield _what_changed(step)
    for part in history.explained:
        effects = [effect for effect in history.groups or () if effect.step == part.step]
        if effects:
            yield _group_section(part, effects, score if part.is_clear(score) else FIRST_SCORE)


def _what_changed(step: Step) -> Section:
    """Return the paragraph of `diff` on a step, and its largest groups, in every column."""
    numbered = list(enumerate(step.differences[:MOST_SHOWN], start=1))
    title = f"The largest groups of words that differ, here {step.earlier}, there {step.later}"
    return Section(
        f"What changed in {step.name}",
        (step.facts[0].changelog,),
        (replace(groups_table(numbered), title=title),),
    )


MOST_SHOWN = 12
"""How many groups of a step are listed."""


def _answers(history: History, score: Score) -> Iterator[str]:
    """Yield a sentence for each part of each step that was tested, and for each step without any."""
    for step in history.steps:
        tested = [part for part in history.parts if part.step == step and not part.untested]
        for part in tested:
            as_data = " as training data" if part.part is PartKind.SENTENCES else ""
            finding = _describe_finding(part.differences[score], score)
            yield f"{step.name}, {PARTS[part.part]}{as_data}: {finding}."
            yield from _beyond_the_change(part, score)
            if part.part is PartKind.ANNOTATION and part.is_clear(score):
                words = part.without_punctuation[score]
                yield f"{step.name}, changed trees without punctuation: {_without_punctuation(words)}."
            if part.part is PartKind.TAGS and part.is_clear(score):
                yield f"{step.name}: the most frequent changes of tags are {_frequent(step.differences)}."
        if not tested:
            yield f"{step.name}: {_nothing_tested(history, step)}."


def _beyond_the_change(part: StepPart, score: Score) -> Iterator[str]:
    """Yield why a part is open although its interval excludes 0."""
    difference = part.differences[score]
    if part.part is PartKind.SENTENCES or difference.better is not Side.NONE:
        return
    words = part.step.effect_in_words(difference)
    if part.step.is_beyond(difference, part.changed) and _excludes_zero(difference):
        more = f"{'more' if difference.delta > 0 else 'fewer'} {'is' if words == 1 else 'are'}"
        yield (
            f"{part.step.name}: only {_describe_change(part)} changed, and {count_noun(words, 'word')} "
            f"{more} right. The effect may be chance, so the answer is open. Try --seeds 10."
        )


def _excludes_zero(difference: Difference) -> bool:
    """Return whether the interval of a difference excludes 0."""
    return difference.low is not None and difference.high is not None and difference.low * difference.high > 0


MOST_TAG_CHANGES = 3
"""How many changes of tags a sentence names."""


def _frequent(groups: Sequence[Group]) -> str:
    """Return the most frequent changes of tags and features, each with the number of its words."""
    of_tags = [group for group in groups if group.kind.column in ("UPOS", "XPOS", "FEATS")]
    named = [f"{title_of(group)} ({count_noun(group.words, 'word')})" for group in of_tags]
    return ", ".join(named[:MOST_TAG_CHANGES])


def _nothing_tested(history: History, step: Step) -> str:
    """Return why no part of a step was tested, as the rest of a sentence."""
    few = [part for part in history.parts if part.step == step and part.untested == TOO_FEW]
    changed = "nothing changed that these parsers see"
    if few:
        changed = f"too little changed to test ({', '.join(map(_describe_change, few))})"
    left_out = step.facts[0].sentences.reworded
    if not left_out:
        return changed
    have, were = ("has", "was") if left_out == 1 else ("have", "were")
    sentences = f"{count_noun(left_out, 'sentence')} {have} other words or tokens and {were} left out"
    return f"{sentences}; of the others, {changed}"


def _describe_finding(difference: Difference, score: Score) -> str:
    """Return what a difference shows, as the rest of a sentence."""
    unit = f"points {score.upper()}" if score.needs_labels else "points"
    interval = bounds(difference)
    if difference.is_clear:
        word = "easier" if difference.delta > 0 else "harder"
        size = points(abs(difference.delta))
        share = f"1 word in {round(100 / abs(difference.delta)):,}" if difference.delta else ""
        return f"the treebank became {size} {unit} {word} to learn ({interval}), {share}"
    if difference.better is Side.EQUAL:
        return f"the difference, if any, is under half a point ({_signed_interval(difference)})"
    return f"no clear effect ({_signed_interval(difference)} {unit})"


def _without_punctuation(difference: Difference) -> str:
    """Return what is left of a clear difference without punctuation, as the rest of a sentence."""
    word = "easier" if difference.delta > 0 else "harder"
    is_clear = difference.p_value is not None and difference.p_value < ALPHA
    still = f"{word} by {points(abs(difference.delta))} points ({bounds(difference)})"
    return still if is_clear else f"no clear effect ({_signed_interval(difference)} points)"


def _signed_interval(difference: Difference) -> str:
    low, high = difference.low, difference.high
    return "" if low is None or high is None else f"{format_signed(low, 1)} to {format_signed(high, 1)}"


def _describe_change(part: StepPart) -> str:
    return count_noun(part.changed, "sentence" if part.part is PartKind.SENTENCES else "word")


def _data(history: History) -> Iterator[str]:
    """Yield what was tested, and what a user of the releases should know of each step."""
    yield (
        "Positive numbers mean that the later version is easier. Each parser is tested on the sentences "
        "that both versions have, with the trees of the version that it learned."
    )
    relations = {step.name: step.sum_counts("relations") for step in history.steps}
    if any(relations.values()) and not history.labelled:
        counts_of = ", ".join(
            f"{count_noun(count, 'word')} ({name})" for name, count in relations.items() if count
        )
        yield (
            f"Some words kept the head and changed the relation: {counts_of}. These parsers do not learn "
            "relations. Use --labelled to count them."
        )
    for step in history.steps:
        counts = step.facts[0].sentences
        if counts.moved:
            yield (
                f"{step.name}: {count_noun(counts.moved, 'sentence')} moved between training, development "
                "and "
                "test set. That has no effect here, but scores on the released test sets cannot be compared."
            )


def _table(history: History, score: Score) -> Table:
    rows = []
    for part in history.parts:
        difference = part.differences.get(score)
        delta: str | TableCell = ""
        if difference is not None:
            delta = TableCell(
                f"{format_signed(difference.delta)} ({_precise(difference)})", f"{difference.delta:.6f}"
            )
        rows.append((part.step.name, PARTS[part.part], _describe_change(part), delta, part.decision(score)))
    return Table(
        f"What each version did, {score.upper()} in points",
        ("step", "part", "changed", "difference", "answer"),
        tuple(rows),
        explanation="Difference: score of the later version minus score of the earlier one, with the "
        "interval from which "
        "the answer follows. It accounts for testing all parts of all steps (Holm). The parts of a step add "
        "up to the difference between the two versions.",
        align="<<><<",
        groups=[part.step.name for part in history.parts],
    )


def _precise(difference: Difference) -> str:
    low, high = difference.low, difference.high
    return "" if low is None or high is None else f"{format_signed(low)} to {format_signed(high)}"


def _group_section(part: StepPart, effects: Sequence[GroupEffect], score: Score) -> Section:
    """Return the groups of changes behind the effect of changed trees, with sentences to draw."""
    step = part.step
    whole = part.differences[score]
    named = [effect for effect in effects if effect.group]
    leading = sorted(named, key=lambda effect: -(effect.shares.get(score) or 0.0))
    sentences = [f"Changed trees: {_describe_finding(whole, score)}."]
    for effect in leading:
        difference = effect.differences[score]
        if difference.is_clear and effect.group is not None:
            sentences.append(
                f"{effect.name} ({count_noun(effect.group.changes, 'change')}): alone, it makes the treebank "
                f"{'easier' if difference.delta > 0 else 'harder'} by {points(abs(difference.delta))} points "
                f"({bounds(difference)}), {_share(effect, score)} of the effect."
            )
    if len(sentences) == 1:
        sentences.append("No group of changes has a clear effect alone.")
    table = Table(
        f"Groups of changed trees, {step.name}, {score.upper()} in points",
        ("group", "changes", "words", "alone", "share of\nthe effect", "answer"),
        tuple(_group_row(effect, score) for effect in effects),
        explanation="Alone: the earlier version with only this group of changes, minus the earlier "
        "version. A share can "
        "be negative or above 100 %, because groups act against each other. Only together: what all changes "
        "do beyond the sum of the groups.",
        align="<>>>><",
    )
    drawings = [
        drawn for effect in effects if effect.group is not None for drawn in _drawings(step, effect.group)
    ]
    return Section(
        f"Behind the changed trees of {step.name}", tuple(sentences), (table,), drawings=tuple(drawings)
    )


def _share(effect: GroupEffect, score: Score) -> str:
    share = effect.shares.get(score)
    return "" if share is None else f"{100 * share:.0f} %".replace("-", "−")


def _group_row(effect: GroupEffect, score: Score) -> tuple[str | TableCell, ...]:
    group, difference = effect.group, effect.differences.get(score)
    alone: str | TableCell = ""
    if difference is not None:
        alone = TableCell(
            f"{format_signed(difference.delta)} ({_precise(difference)})", f"{difference.delta:.6f}"
        )
    return (
        effect.name,
        "" if group is None else f"{group.changes:,}",
        "" if group is None else f"{group.words:,}",
        alone,
        _share(effect, score),
        effect.decision(score),
    )


def _drawings(step: Step, group: ChangeGroup) -> Iterator[DrawnSentence]:
    for number, example in enumerate(group.examples, start=1):
        earlier, later = (
            Tree(
                tuple(example.forms), tuple(example.upos), tuple(example.heads[i]), tuple(example.deprels[i])
            )
            for i in (0, 1)
        )
        pair = TreePair(example.sent_id or f"sentence {number}", earlier, later)
        name = f"change-{as_name(f'{step.earlier}-{step.later}-{group.name}')}-{number}"
        titles = step.earlier, step.later
        columns = [
            (f"{title}", [f"{head} {label}" for head, label in zip(tree.heads, tree.deprels, strict=True)])
            for title, tree in zip(titles, (earlier, later), strict=True)
        ]
        figure = drawn_pair(pair, name, titles, columns)
        yield DrawnSentence(
            pair, figure, f"{group.name}: {step.earlier} above the words, {step.later} below."
        )


GOLD_TAGS = (
    "Gold tags tell a parser part of the tree. If changed tags made the treebank harder, the old tags may "
    "simply have told the parser more about the tree."
)


def limits(labelled: bool, tags: str, parser: str) -> tuple[str, ...]:
    """Return what the numbers of a history do not tell."""
    seen = {"gold": "gold tags", "xpos": "gold XPOS tags", "none": "no tags"}.get(tags, "predicted tags")
    learned = "heads and relations" if labelled else "heads alone"
    return (
        "Easy to learn does not mean right. A version can be easier because it is more consistent, or "
        "because it makes fewer distinctions.",
        "Each version is tested on its own trees, so a change of the guidelines counts like a correction.",
        "New sentences serve only as training data. No parser is tested on them.",
        f"We trained one kind of parser, {parser}. It reads {seen} and learns {learned}.",
        *(() if tags in ("none", "predicted") else (GOLD_TAGS,)),
        "Changed tags are measured after changed trees. In the other order, the parts can differ.",
    )
