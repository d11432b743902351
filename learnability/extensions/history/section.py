"""Show a history in words, tables and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from learnability.extending import (
    Difference,
    Score,
    Section,
    Side,
    Table,
    TableCell,
    count_noun,
    describe_size,
    enumerate_names,
    format_signed,
    groups_table,
)
from learnability.extensions.history.figure import releases_figure
from learnability.extensions.history.outcome import (
    PARTS,
    TOO_FEW,
    UNCHANGED,
    History,
    PartKind,
    Step,
    StepPart,
)


def history_section(history: History, missing: Sequence[str]) -> Section:
    """Return what the versions did; `missing`: lines on versions that were left out."""
    score = history.scores[-1]
    sentences = [*_answers(history, score), *_data(history), *missing]
    tables = tuple(_table(history, each) for each in history.scores)
    line = releases_figure(history.steps, history.parts, score)
    return Section("What each version did", tuple(sentences), tables, figures=(line,))


def changed_sections(history: History) -> Iterator[Section]:
    """Yield the paragraph of `diff` on each step, and its largest groups, in every column."""
    for step in history.steps:
        if not step.facts[0].differences:
            continue
        numbered = list(enumerate(step.facts[0].differences[:MOST_SHOWN], start=1))
        title = f"The largest groups of words that differ, here {step.earlier}, there {step.later}"
        yield Section(
            f"What changed in {step.name}",
            (step.facts[0].changelog,),
            (replace(groups_table(numbered), title=title),),
        )


def left_out_section(history: History) -> Iterator[Section]:
    """Yield the names of the sentences that were left out; nothing if there are none."""
    found = {step.name: step.facts[0].left_out for step in history.steps}
    sentences = [
        f"{name}: {count_noun(len(names), 'sentence')} with other words or tokens. {', '.join(names)}"
        for name, names in found.items()
        if names
    ]
    if sentences:
        yield Section("Sentences left out", tuple(sentences))


MOST_SHOWN = 12
"""How many groups of a step are listed."""


def _answers(history: History, score: Score) -> Iterator[str]:
    for part in history.parts:
        if part.untested:
            continue
        step = part.step
        if part.is_clear(score):
            yield f"{step.name}, {PARTS[part.part]}: {_describe_finding(part.differences[score], score)}."
        yield from _beyond_the_change(part, score)
        if part.part is PartKind.ANNOTATION:
            if part.is_clear(score):
                words = part.without_punctuation[score]
                yield f"{step.name}, changed trees without punctuation: {_without_punctuation(words)}."
            yield f"{step.name}: the most frequent changes of trees are {_most_frequent(step, TREES)}."
        if part.part is PartKind.TAGS and part.is_clear(score):
            yield f"{step.name}: the most frequent changes of tags are {_most_frequent(step, TAGS)}."
    tested = [part for part in history.parts if not part.untested and not part.is_clear(score)]
    small = [part for part in tested if part.differences[score].better is Side.EQUAL]
    for parts, said in (
        ([part for part in tested if part not in small], "No clear effect"),
        (small, "No effect that matters"),
    ):
        if parts:
            yield f"{said}: {enumerate_names(_name_parts(parts))}."
    yield from _untested(history)


def _describe_finding(difference: Difference, score: Score) -> str:
    """Return what a clear difference shows, as the rest of a sentence."""
    unit = f"points {score.upper()}" if score.needs_labels else "points"
    word = "easier" if difference.delta > 0 else "harder"
    size = describe_size(difference, f"{unit} {word} to learn")
    return f"the treebank became {size}, 1 word in {round(100 / abs(difference.delta)):,}"


def _signed_interval(difference: Difference, decimals: int = 1) -> str:
    """Return the interval of a difference with signs: ``−0.1 to +0.3``; empty where it is not known."""
    low, high = difference.low, difference.high
    if low is None or high is None:
        return ""
    return f"{format_signed(low, decimals)} to {format_signed(high, decimals)}"


def _name_parts(parts: Sequence[StepPart]) -> list[str]:
    """Return each kind of part once, with its steps: ``changed tags (2.4 → 2.8, 2.8 → 2.12)``."""
    kinds = [kind for kind in PartKind if any(part.part is kind for part in parts)]
    return [
        f"{PARTS[kind]} ({', '.join(part.step.name for part in parts if part.part is kind)})"
        for kind in kinds
    ]


def _untested(history: History) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for step in history.steps:
        if all(part.untested for part in history.parts if part.step == step):
            reasons.setdefault(_nothing_tested(history, step), []).append(step.name)
    for reason, names in reasons.items():
        yield f"{enumerate_names(names)}: {reason}."


def _beyond_the_change(part: StepPart, score: Score) -> Iterator[str]:
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
    return difference.low is not None and difference.high is not None and difference.low * difference.high > 0


MOST_NAMED = 3
"""How many kinds of changes a sentence names."""

TREES, TAGS = ("HEAD", "DEPREL"), ("UPOS", "XPOS", "FEATS")
"""The columns of changed trees, and of changed tags."""


def _most_frequent(step: Step, columns: Sequence[str]) -> str:
    groups = [group for group in step.facts[0].differences if group.column in columns]
    named = [f"{group.title} ({count_noun(group.words, 'word')})" for group in groups]
    return ", ".join(named[:MOST_NAMED])


def _nothing_tested(history: History, step: Step) -> str:
    few = [part for part in history.parts if part.step == step and part.untested == TOO_FEW]
    changed = "nothing changed that these parsers see"
    if few:
        changed = f"too little changed to test ({', '.join(map(_describe_change, few))})"
    left_out = _describe_left_out(step)
    return f"{left_out}; of the others, {changed}" if left_out else changed


def _describe_left_out(step: Step) -> str:
    count = step.facts[0].sentences.reworded
    have, were = ("has", "was") if count == 1 else ("have", "were")
    return (
        f"{count_noun(count, 'sentence')} {have} other words or tokens and {were} left out" if count else ""
    )


def _without_punctuation(difference: Difference) -> str:
    word = "easier" if difference.delta > 0 else "harder"
    is_clear = difference.is_significant
    still = f"{word} by {describe_size(difference)}"
    return still if is_clear else f"no clear effect ({_signed_interval(difference)} points)"


def _describe_change(part: StepPart) -> str:
    return count_noun(part.changed, "sentence" if part.part is PartKind.SENTENCES else "word")


def _data(history: History) -> Iterator[str]:
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
        is_tested = any(part.step == step and not part.untested for part in history.parts)
        if is_tested and (left_out := _describe_left_out(step)):
            yield f"{step.name}: {left_out}."
        if counts.moved:
            yield (
                f"{step.name}: {count_noun(counts.moved, 'sentence')} moved between training, development "
                "and test set. That has no effect here, but scores on the released test sets cannot be "
                "compared."
            )


def _table(history: History, score: Score) -> Table:
    shown = [part for part in history.parts if part.untested != UNCHANGED]
    rows = []
    for part in shown:
        delta = _delta_cell(part.differences.get(score))
        rows.append((part.step.name, PARTS[part.part], _describe_change(part), delta, part.decision(score)))
    hidden = len(history.parts) - len(shown)
    return Table(
        f"What each version did, {score.upper()} in points",
        ("step", "part", "changed", "difference", "answer"),
        tuple(rows),
        note=f"{count_noun(hidden, 'part')} without any change {'is' if hidden == 1 else 'are'} not shown."
        if hidden
        else "",
        explanation="Difference: the later version minus the earlier one, with the interval from which the "
        "answer follows. It accounts for testing all parts of all steps (Holm). The parts of a step add up "
        "to the difference between the two versions.",
        align="<<><<",
        groups=[part.step.name for part in shown],
    )


def _delta_cell(difference: Difference | None) -> str | TableCell:
    if difference is None:
        return ""
    interval = _signed_interval(difference, 2)
    return TableCell(f"{format_signed(difference.delta)} ({interval})", f"{difference.delta:.6f}")


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
