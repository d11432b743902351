"""Say for each construction the two answers, the evidence in one or two sentences, and the next step.

All sentences about answers are written here, from rows, for the terminal, the page and the card. The side
that is ahead is named; p values and further comparisons stand in tables of details.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from learnability.evidence.questions import PUNCTUATION, Answer, AnsweredQuestion, Reason
from learnability.evidence.rows import ComparisonRow
from learnability.evidence.score_differences import Difference, ScoringBasis
from learnability.metrics.scores import ANSWERED, FEWEST, FIRST_SCORE, Score
from learnability.reports.text import enumerate_names, points
from learnability.statistics.inference import EFFECT, Side
from learnability.support.nouns import count_noun

MUCH_LESS = 0.75
"""The share of a difference below which its conditional estimate stands beside it."""

LEARNED = "a way back learned from the training set"


class GoldTrees(StrEnum):
    """What both parsers are tested on, as the end of a sentence."""

    OWN = "each parser tested on its own annotation"
    SAME = "both parsers tested on the same trees"
    SAME_HEADS = "both tested on the same heads"
    COMMON = "both tested on the labels that both annotations have"
    OWN_BY_COMMON = "each parser tested on its own annotation, by the labels that both have"


def gold_trees(row: ComparisonRow, score: Score) -> GoldTrees:
    """Return what both parsers of a row are tested on."""
    if "head" in row.pair.changed_columns:
        return GoldTrees.OWN_BY_COMMON if score.needs_labels and row.pair.has_common_labels else GoldTrees.OWN
    if "deprel" not in row.pair.changed_columns:
        return GoldTrees.SAME
    return GoldTrees.COMMON if score.needs_labels else GoldTrees.SAME_HEADS


def with_same_heads(rows: Sequence[ComparisonRow]) -> list[str]:
    return list(dict.fromkeys(row.name for row in rows if "head" not in row.pair.changed_columns))


def same_gold_trees(rows: Sequence[ComparisonRow]) -> list[str]:
    """Return that own annotations cannot flatter a parser where no head moves."""
    names = with_same_heads([row for row in rows if row.difference() is not None])
    if not names:
        return []
    relations = any("deprel" in row.pair.changed_columns and row.labelled for row in rows)
    labels = ", and LAS counts the labels that both annotations have" if relations else ""
    return [
        f"{', '.join(names)}: both parsers are tested on the same heads{labels}. So neither annotation "
        "offers fewer ways to be wrong."
    ]


LEANING = 0.75
"""The probability of a side from which an open difference is said to lean to it."""

COMPARED = {
    "converted_back": "converted back to UD",
    "between_phrases": "between phrases",
    "trained_on_both": "preferred when trained on both",
}
"""What sentences call the comparisons that may be undefined, by their keys."""


def undefined_comparisons(rows: Sequence[ComparisonRow]) -> list[str]:
    """Return a sentence on each group of constructions with the same undefined comparisons."""
    names: dict[tuple[tuple[str, str], ...], dict[str, None]] = {}
    for row in rows:
        if row.undefined and row.difference() is not None:
            names.setdefault(tuple(row.undefined.items()), {})[row.name] = None
    sentences = []
    for reasons, constructions in names.items():
        comparisons = "; ".join(f"{COMPARED[key]} ({reason})" for key, reason in reasons)
        sentences.append(f"Undefined for {', '.join(constructions)}: {comparisons}.")
    return sentences


def verdicts(rows: Sequence[ComparisonRow]) -> list[str]:
    """Return one text per row; it names the treebank where there are several. The first difference comes with
    its meaning: one word in how many."""
    several = len({(row.treebank, row.release) for row in rows}) > 1
    first = next((row for row in rows if row.tested), None)
    return [(f"{row.treebank}: " if several else "") + verdict(row, meaning=row is first) for row in rows]


def verdict(row: ComparisonRow, *, meaning: bool = False) -> str:
    """Return the answers for a row and their evidence; with the `meaning` of the first number."""
    heading = headline(row)
    if row.easier().answer is Answer.NONE:
        return heading
    if row.easier().answer is Answer.TOO_FEW_EXAMPLES:
        return f"{heading} {explain_missing(row)}"
    sentences = [heading, *list_evidence(row, FIRST_SCORE, meaning=meaning)]
    if not row.pair.has_rules and not (row.places or row.test_places):
        sentences.append(
            f"The {'trees' if row.labelled else 'heads'} of all compared sentences are the same."
        )
    if row.pair.tags_follow_trees and not row.predicts_tags:
        sentences.append("Its tags follow from gold trees, so the parser reads part of the gold tree.")
    sentences += _warn_of_crossing_arcs(row)
    for score in row.scores[1:]:
        if (answered := row.easier(score)).answer:
            answer = describe_easier(answered, side_names(row))
            sentences += [f"{capitalise(score.qualification)}: {answer}.", *list_evidence(row, score)]
    return " ".join(sentences)


def _warn_of_crossing_arcs(row: ComparisonRow) -> list[str]:
    lost, names = row.lost_arcs, side_names(row)
    if lost is None or abs(lost.base - lost.alternative) <= EFFECT:
        return []
    favoured = names[Side.FIRST if lost.base < lost.alternative else Side.SECOND]
    return [
        f"The parser cannot build about {points(lost.base)} % of the arcs of {names[Side.FIRST]} and "
        f"{points(lost.alternative)} % of those of {names[Side.SECOND]}, because they cross others, which "
        f"favours {favoured}. Use --parser covington or --parser graph:nonprojective, which can build all."
    ]


def summarise_treebanks(rows: Sequence[ComparisonRow], score: Score = FIRST_SCORE) -> str:
    """Return the answers for a construction in several treebanks, the sides first, without a full stop."""
    named: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: list(Answer).index(row.easier(score).answer)):
        named.setdefault(_describe_shortly(row.easier(score), side_names(row)), []).append(row.treebank)
    parts = []
    for answer, names in named.items():
        few = len(names) <= NAMED_TREEBANKS
        parts.append(f"{answer} in {enumerate_names(names) if few else count_noun(len(names), 'treebank')}")
    return "; ".join(parts)


def describe_open(rows: Sequence[ComparisonRow], score: Score = FIRST_SCORE) -> str:
    """Return how far a side may be ahead in any treebank that leaves this open; empty where none does."""
    answered = ((row.easier(score).answer, row.difference(score)) for row in rows)
    found = [difference for answer, difference in answered if answer is Answer.OPEN and difference]
    if not found:
        return ""
    lows, highs = ([getattr(each, end) or 0.0 for each in found] for end in ("low", "high"))
    widest = replace(found[0], low=min(lows), high=max(highs))
    return f"Where it is open, {describe_reach(widest, side_names(rows[0]))}."


def count_excluded(differences: Sequence[Difference], names: Mapping[Side, str]) -> str:
    """Return how many open differences exclude that a side is a point ahead, or half a point; empty without
    any."""
    if not differences:
        return ""
    parts = []
    for name, bounds in (
        (f"that {names[Side.FIRST]} is a point ahead", [each.high for each in differences]),
        (f"that {names[Side.SECOND]} is", [-(each.low or 0.0) for each in differences]),
        ("both", [max(each.high or 0.0, -(each.low or 0.0)) for each in differences]),
    ):
        a_point, half = (sum((bound or 0.0) < most for bound in bounds) for most in (A_POINT, EFFECT))
        parts.append(f"{name} in {a_point:,} (half a point: {half:,})")
    count = len(differences)
    return f"Of {count_noun(count, 'open answer')}, intervals exclude {enumerate_names(parts)}."


A_POINT = 1.0
"""A difference in points that most users would want to know of."""

NAMED_TREEBANKS = 4
"""Sentences count the treebanks if there are more."""


def _describe_shortly(answered: AnsweredQuestion, names: Mapping[Side, str]) -> str:
    if answered.answer in (Answer.BASE, Answer.ALTERNATIVE):
        return describe_easier(answered, names).replace(" to learn", "")
    return str(answered.answer) or "not computed"


def headline(row: ComparisonRow) -> str:
    return f"{name_construction(row)}: {describe_easier(row.easier(), side_names(row))}."


def summarise(row: ComparisonRow) -> str:
    """Return the answer for a row in one sentence: what a clear one means, and what an open one excludes."""
    name, easier, names, difference = name_construction(row), row.easier(), side_names(row), row.difference()
    if easier.answer is Answer.TOO_FEW_EXAMPLES:
        return f"{name}: {explain_missing(row)}"
    if difference is None or easier.answer is Answer.NONE:
        return headline(row)
    if easier.answer in (Answer.BASE, Answer.ALTERNATIVE):
        return f"{name}: {describe_easier(easier, names)}, and {_describe_gain(difference, FIRST_SCORE)}."
    if easier.answer is Answer.SAME:
        return f"{name}: {easier.answer}, because {describe_reach(difference, names)}."
    return f"{name} is open: {explain_open(row, FIRST_SCORE)}."


def explain_open(row: ComparisonRow, score: Score) -> str:
    """Return why it is open which annotation is easier by this score, and what is excluded."""
    difference, names = row.difference(score), side_names(row)
    assert difference is not None
    match row.easier(score).reason:
        case Reason.ONLY_PUNCTUATION | Reason.AHEAD_WITH_PUNCTUATION:
            ahead = names[Side.FIRST if difference.delta > 0 else Side.SECOND]
            return f"{ahead} is ahead only with punctuation, by {describe_size(difference)}"
        case Reason.REVERSED_WITHOUT_PUNCTUATION:
            ahead, other = names.values() if difference.delta > 0 else reversed(names.values())
            return f"{ahead} is ahead with punctuation, and {other} without it"
    return describe_reach(difference, names)


def describe_reach(difference: Difference, names: Mapping[Side, str]) -> str:
    """Return how far each side may be ahead by the interval: `UD is at most 0.9 points ahead, ...`."""
    base, alternative = difference.high or 0.0, -(difference.low or 0.0)
    if min(base, alternative) <= 0:
        side = Side.FIRST if base > 0 else Side.SECOND
        return f"{names[side]} is {describe_interval(difference)} points ahead"
    return (
        f"{names[Side.FIRST]} is at most {points(base)} points ahead, "
        f"and {names[Side.SECOND]} at most {points(alternative)}"
    )


def _describe_gain(difference: Difference, score: Score) -> str:
    words = max(1, round(100 / abs(difference.delta)))
    return f"1 more word in {words:,} gets the right {score.correct}"


_BUT: dict[str, str] = {
    Reason.INSIDE_PHRASES: ", but only inside phrases",
    Reason.HOLDS_LESS: ", but may hold less",
}
"""What a sentence adds to a side that is easier, by the reason beside the answer."""


def describe_easier(answered: AnsweredQuestion, names: Mapping[Side, str]) -> str:
    """Return which annotation is easier, as a sentence without its first capital and full stop."""
    match answered.answer:
        case Answer.BASE | Answer.ALTERNATIVE:
            assert answered.side is not None
            return f"{names[answered.side]} is easier to learn{_BUT.get(answered.reason, '')}"
        case Answer.OPEN:
            disagree = answered.reason == Reason.TREEBANKS_DISAGREE
            because = ", because the treebanks disagree" if disagree else ""
            return f"it is open which is easier to learn{because}"
        case Answer.NONE:
            return "not computed"
    return str(answered.answer)


def name_construction(row: ComparisonRow) -> str:
    """Return what was compared: the name of the construction, and with `--against` the scheme."""
    name = row.name if row.base == "UD" else f"{row.name} against {row.base}"
    return f"{name} by {row.parser}" if row.parser else name


def list_evidence(row: ComparisonRow, score: Score, *, where: str = "", meaning: bool = False) -> list[str]:
    """Return the evidence for the answers, by this score: one sentence for each comparison that matters.

    `where`: the first words, as "On average over 5 treebanks"; `meaning`: whether to say how many words a
    point is.
    """
    names = side_names(row)
    difference = row.difference(score)
    assert difference is not None
    start = f"{where}, " if where else ""
    tested_on = gold_trees(row, score)
    if row.easier(score).reason in PUNCTUATION:
        ahead_side = names[Side.FIRST if difference.delta > 0 else Side.SECOND]
        by = describe_size(difference)
        text = f"{ahead_side} is ahead only with punctuation, by {by}"
    else:
        text = _own_annotation(difference, names, tested_on, meaning=meaning)
    sentences = [capitalise(f"{start}{text}.")]
    if meaning and difference.is_clear:
        sentences.append(f"So {_describe_gain(difference, score)}.")
    if score is FIRST_SCORE and not where and row.easier(score).reason == Reason.UNCLEAR:
        sentences += _describe_leaning(row, names)
    sentences += [capitalise(f"{text}.") for text in _other_comparisons(row, score, names)]
    if row.easier(score).reason == Reason.HOLDS_LESS and not where:
        sentences.append(describe_loss(row, score, difference))
    return sentences


def _describe_leaning(row: ComparisonRow, names: Mapping[Side, str]) -> list[str]:
    base = row.probability_of_base()
    if base is None or max(base, 1 - base) < LEANING:
        return []
    side = Side.FIRST if base >= 0.5 else Side.SECOND
    percent = min(100 * max(base, 1 - base), 99)
    ahead_probably = f"{names[side]} is probably ahead (probability {percent:.0f} %)"
    assert row.elsewhere is not None  # the probability counts it
    if row.elsewhere.mean:
        leaning = f"If we also count results in other languages, {ahead_probably}."
    else:  # nothing is known of this construction but the usual size of differences
        leaning = capitalise(f"{ahead_probably}, judging by the usual size of differences.")
    return [f"{leaning} The answer uses only this treebank."]


def side_names(row: ComparisonRow) -> dict[Side, str]:
    return {Side.FIRST: row.base, Side.SECOND: "the alternative" if row.base == "UD" else row.name}


def _own_annotation(
    difference: Difference, names: Mapping[Side, str], tested_on: GoldTrees, *, meaning: bool
) -> str:
    if difference.is_clear:
        return f"it scores {describe_lead(difference)} ({describe_interval(difference)}), {tested_on}"
    if difference.better is Side.EQUAL:
        words = f" ({_one_word_in(EFFECT)})" if meaning else ""
        return f"the difference, if any, is under half a point{words}: {name_difference(difference, names)}"
    return f"{describe_reach(difference, names)} (estimate: {name_leader(difference.delta, names)})"


def _other_comparisons(row: ComparisonRow, score: Score, names: Mapping[Side, str]) -> Iterator[str]:
    shown, easier = row.by_basis(score), row.easier(score)
    by_annotation, words = shown[ScoringBasis.ANNOTATION], shown.get(ScoringBasis.WORDS)
    phrases = shown.get(ScoringBasis.PHRASES)
    if words is not None and easier.reason in PUNCTUATION:
        consequence = ", so the answer is open" if easier.answer is Answer.OPEN else ""
        yield f"without punctuation, {_describe_standing(words, names)}{consequence}"
    else:
        yield from _safer_estimate(by_annotation)
    if easier.answer is Answer.ALTERNATIVE and phrases is not None and phrases.better is not Side.SECOND:
        yield f"between phrases, {_describe_standing(phrases, names)}"
    yield from _describe_training(row, score, names)


def describe_loss(row: ComparisonRow, score: Score, difference: Difference) -> str:
    """Return how much of the base an easier alternative does not hold."""
    lost = row.lost_points(score)
    assert lost is not None
    way = LEARNED.capitalize() if score in row.restored else "The rules that convert back"
    return (
        f"{way} cannot restore {points(lost)} % of the words of {row.base}, more than the difference of "
        f"{points(abs(difference.delta))} points. So the alternative may be easier because it says less."
    )


def describe_training(row: ComparisonRow, score: Score) -> list[str]:
    return [capitalise(f"{text}.") for text in _describe_training(row, score, side_names(row))]


def _describe_training(row: ComparisonRow, score: Score, names: Mapping[Side, str]) -> Iterator[str]:
    answered, converted = row.train_on(score), row.difference(score, ScoringBasis.CONVERTED)
    if converted is None or converted.better is None:
        return
    need = "if you need UD trees,"
    match answered.answer:
        case Answer.BASE | Answer.ALTERNATIVE:
            assert answered.side is not None
            too = ", too" if answered.side is row.easier(score).side else ""
            scores = f"it scores {describe_lead(converted)} ({describe_interval(converted)})"
            yield f"{need} train on {names[answered.side]}{too}: converted back to UD, {scores}"
            yield from _cost_of_conversion(row, converted, score)
        case Answer.SAME:
            difference = f"the difference, if any, is under half a point: {name_difference(converted, names)}"
            yield f"{need} it does not matter which you train on. Converted back to UD, {difference}"
        case Answer.OPEN if answered.reason == Reason.TREEBANKS_DISAGREE:
            mean = name_difference(converted, names)
            yield f"{need} it is open which to train on, because the treebanks disagree (mean {mean})"
        case Answer.OPEN:
            too = ", too," if row.easier(score).answer is Answer.OPEN else ""
            yield f"{need} it is open{too} which to train on: {_describe_standing(converted, names)}"


def _safer_estimate(difference: Difference) -> Iterator[str]:
    """Yield what a difference is estimated to be given that it is clear, where that is much less."""
    conditional = difference.conditional
    if conditional is not None and abs(conditional) < MUCH_LESS * abs(difference.delta):
        safer = points(abs(conditional))
        yield f"it is only just clear, and such differences come out too large: {safer} is a better estimate"


def _parser(name: str) -> str:
    return "the UD parser" if name == "UD" else name


def _describe_standing(difference: Difference, names: Mapping[Side, str]) -> str:
    if difference.is_clear:
        assert difference.better is not None
        lead = f"{describe_lead(difference)} ({describe_interval(difference)})"
        return f"{_parser(names[difference.better])} scores {lead}"
    if difference.better is Side.EQUAL:
        return "the difference, if any, is under half a point"
    side = Side.FIRST if difference.delta > 0 else Side.SECOND
    interval = f" ({describe_interval(difference)})" if describe_interval(difference) else ""
    if not float(points(abs(difference.delta))):
        return f"the difference is {points(0.0)}, and neither side is clearly ahead{interval}"
    return f"{names[side]} is {points(abs(difference.delta))} points ahead, but not clearly{interval}"


def _cost_of_conversion(row: ComparisonRow, converted: Difference, score: Score) -> Iterator[str]:
    """Yield that converting back has its own cost, where that alone could put UD ahead."""
    ceiling = row.ceiling(score).alternative
    if converted.better is not Side.FIRST or ceiling is None:
        return
    cost = 100 - ceiling
    if cost >= max(EFFECT, converted.delta):
        yield f"converting back costs up to {points(cost)} points on its own, which could explain this gap"


def describe_standing(difference: Difference, base: str, alternative: str) -> str:
    return _describe_standing(difference, {Side.FIRST: base, Side.SECOND: alternative})


def describe_lead(difference: Difference) -> str:
    return f"{points(abs(difference.delta))} points higher"


def describe_interval(difference: Difference) -> str:
    """Return the interval as seen from the side that is ahead: `1.9 to 4.4`; empty where it is not known."""
    low, high = difference.low, difference.high
    if low is None or high is None:
        return ""
    return (
        f"{points(-high)} to {points(-low)}" if difference.delta < 0 else f"{points(low)} to {points(high)}"
    )


def describe_size(difference: Difference, unit: str = "points") -> str:
    return f"{points(abs(difference.delta))} {unit} ({describe_interval(difference)})"


def name_difference(difference: Difference, names: Mapping[Side, str]) -> str:
    """Return the difference with its side named and its interval: `UD +3.2 (1.9 to 4.4)`."""
    interval = describe_interval(difference)
    return f"{name_leader(difference.delta, names)}{f' ({interval})' if interval else ''}"


def name_leader(delta: float, names: Mapping[Side, str]) -> str:
    """Return a difference with the side that is ahead named: `UD +3.2`, `the alternative +1.0`."""
    text = points(abs(delta))
    if not float(text):
        return text
    return f"{names[Side.FIRST if delta > 0 else Side.SECOND]} +{text}"


def capitalise(sentence: str) -> str:
    """Return a sentence with a capital letter, unless it begins with the name of a construction or scheme."""
    word = sentence.partition(" ")[0].strip(",")
    plain = {
        "the",
        "we",
        "it",
        "with",
        "without",
        "after",
        "between",
        "converting",
        "on",
        "in",
        "among",
        "at",
        "if",
        "converted",
    }
    return sentence[0].upper() + sentence[1:] if word in plain else sentence


def _one_word_in(difference: float) -> str:
    return f"1 word in {max(1, round(100 / abs(difference))):,}" if difference else "no word"


def explain_reading(rows: Sequence[ComparisonRow], seeds: int) -> list[str]:
    """Return what applies to all answers of a run: the correction, and what few seeds mean."""
    counts = Counter((row.treebank_label, row.parser) for row in rows if row.tested)
    return [
        *_explain_correction(rows, counts),
        *_without_conversion(rows),
        *(few_seeds(seeds) if counts else ()),
        *same_gold_trees(rows),
        *undefined_comparisons(rows),
        *list_losses(rows),
    ]


def _explain_correction(rows: Sequence[ComparisonRow], families: Mapping[tuple[str, str], int]) -> list[str]:
    tests, parts = max(families.values(), default=0), []
    if tests > 1:
        treebanks, parsers = (len({family[i] for family in families}) for i in (0, 1))
        tested = f"{tests} constructions" if treebanks == 1 else "the constructions of each treebank"
        parts.append(f"for testing {tested}{' with each parser' if parsers > 1 else ''}")
    if any(difference.share < 1 for row in rows if row.tested and (difference := row.difference())):
        parts.append("for a second test, on every sentence")
    return [f"Intervals account {', and '.join(parts)}."] if parts else []


def _without_conversion(rows: Sequence[ComparisonRow]) -> list[str]:
    """Return for which constructions it has no answer which to train on, where no other sentence says so."""
    without = [
        row.name
        for row in rows
        if row.base == "UD" and row.tested and row.train_on().reason == Reason.NO_CONVERSION
    ]
    if not without:
        return []
    names = ", ".join(dict.fromkeys(without))
    return [f"If you need UD trees, nothing follows for {names}: {Reason.NO_CONVERSION}."]


def few_seeds(seeds: int, advice: str = " Use --seeds 3 or more.") -> list[str]:
    """Return what one or two seeds mean, and what to do about it."""
    if seeds > 2:
        return []
    known = "cannot measure" if seeds == 1 else "can hardly measure"
    trained = "one seed" if seeds == 1 else "two seeds"
    return [
        f"With {trained} we {known} training noise, so we use typical values from other treebanks.{advice}"
    ]


def explain_missing(row: ComparisonRow) -> str:
    """Return why there are too few examples."""
    if row.places == 0 and row.pair.has_rules:
        nowhere = "This construction does not occur in this treebank."
        return nowhere if row.base == "UD" else "The trees are the same in both."
    places = row.test_places or 0
    if places < FEWEST.places:
        examples = "No example" if places == 0 else f"Only {count_noun(places, 'example')}"
        return f"{examples} in the test set; at least {FEWEST.places} are needed."
    return f"The test set has too few sentences; at least {FEWEST.sentences} are needed."


def list_losses(rows: Sequence[ComparisonRow]) -> list[str]:
    """Return what of each construction without rules that convert back cannot be restored, if anything, in a
    single treebank; with relations where parsers predict them."""
    sentences: dict[str, None] = {}
    if len({row.treebank_label for row in rows}) > 1:
        return []
    for row in rows:
        scores = [score for score in ANSWERED if score in row.restored]
        lost = row.lost_points(scores[-1]) if scores and row.difference() is not None else None
        if lost is not None and float(points(lost)):
            what = f"{points(lost)} % of the words of {row.base}"
            sentences[f"{row.name}: {LEARNED} cannot restore {what}."] = None
    return list(sentences)
