"""Say what we expect, and how it agrees with results, in words and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from learnability.evidence.differences import Difference
from learnability.extensions.expectations.agreement import AgreementScores, HeldPair, summarise
from learnability.extensions.expectations.expecting import ExpectedPair
from learnability.extensions.expectations.model import Expectation, ExpectationModel, Expectations
from learnability.extensions.expectations.scoring import Interval95
from learnability.reports.section import Section
from learnability.reports.text import Table, TableCell, number, percentage
from learnability.reports.verdicts import name_difference, name_leader
from learnability.statistics.inference import Side
from learnability.support.nouns import count_noun, join_words

NAMES = {Side.FIRST: "UD", Side.SECOND: "alt."}

Known = Sequence[tuple[ExpectedPair, Expectations]]
"""Pairs of which we expect something, and what."""

KNOWN = (
    "The model was fitted to results of this treebank, among others. So it is no proof of the model if they "
    "agree."
)
"""What applies to a treebank that the model knows."""

HEADING = "Do the results agree?"
"""The heading of what expectations are held against."""

SURE = 0.9
"""The probability from which an expectation counts as sure."""

LIMITS = (
    "An expectation is no measurement: nothing was trained. Where properties did not help on unseen "
    "families, it is little more than the mean of other treebanks. A better forecast trains briefly: "
    "learnability run --quick."
)
"""What applies to all expectations."""


def expectations_section(
    pairs: Sequence[ExpectedPair], model: ExpectationModel, *, details: bool = False
) -> Section:
    """Return what we expect: of one treebank each construction, of several how many favour which side.

    Args:
        pairs: those of one or more treebanks.
        model: the fitted model.
        details: list each construction of each treebank, also of several.
    """
    treebanks = {(pair.name.treebank, pair.name.release) for pair in pairs}
    known = [(pair, pair.expectations) for pair in pairs if pair.expectations is not None]
    fitted = {pair.name.treebank for pair in pairs if pair.is_fitted}
    sentences = [
        f"We expect a side for {count_noun(len(known), 'construction')} of "
        f"{count_noun(len(treebanks), 'treebank')}, from the trees alone.",
        *_describe_model(model),
        LIMITS,
    ]
    if fitted:
        sentences.insert(
            1,
            f"The model was fitted to {count_noun(len(fitted), 'treebank')} of these, and knows the results.",
        )
    tables = [_summary(known, model)] if len(treebanks) > 1 else [_list(known, model, several=False)]
    if details and len(treebanks) > 1:
        tables.append(_list(known, model, several=True))
    return Section("What the trees let us expect", tuple(sentences), tuple(tables) if known else ())


def _describe_model(model: ExpectationModel) -> Iterator[str]:
    """Yield what the model was fitted to, and where properties helped."""
    helpful = _helpful(model)
    helped = (
        f"They clearly helped on unseen families for {join_words(helpful)}."
        if helpful
        else ("On unseen families they clearly helped for no single construction.")
    )
    yield (
        f"The model of {model.date} knows {count_noun(len(model.treebanks), 'treebank')} of UD "
        f"{model.release} and {len(model.properties)} properties. {helped}"
    )


def _helpful(model: ExpectationModel) -> list[str]:
    return [each.construction.removeprefix("scheme:") for each in model.constructions if each.helps]


def _summary(known: Known, model: ExpectationModel) -> Table:
    """Return a row per construction: how many treebanks favour which side."""
    rows = []
    helpful = _helpful(model)
    for title in dict.fromkeys(pair.name.title for pair, _ in known):
        of_construction = [found.by_properties for pair, found in known if pair.name.title == title]
        probabilities = [expectation.probability for expectation in of_construction]
        mean = sum(expectation.delta for expectation in of_construction)
        rows.append(
            (
                title,
                str(len(of_construction)),
                str(sum(p > 0.5 for p in probabilities)),
                str(sum(p >= SURE for p in probabilities)),
                str(sum(p <= 0.5 for p in probabilities)),
                str(sum(p <= 1 - SURE for p in probabilities)),
                name_leader(mean / len(of_construction), NAMES),
                "yes" if title in helpful else "",
            )
        )
    return Table(
        "Expectations",
        ("construction", "treebanks", "UD", "sure", "alt.", "sure", "mean", "properties\nhelp"),
        tuple(rows),
        explanation="In how many treebanks we expect which side to be easier, and in how many with a "
        f"probability of {percentage(SURE)} or more. Mean: of the expected differences, in points.",
        align="<>",
    )  # fmt: skip


def _list(known: Known, model: ExpectationModel, *, several: bool) -> Table:
    """Return a row per construction of each treebank."""
    helpful, rows = _helpful(model), []
    for pair, expectations in known:
        name = f"{pair.name.treebank} {pair.name.title}" if several else pair.name.title
        rows.append(
            (
                name,
                *_cells(expectations.by_properties),
                TableCell(name_leader(expectations.alone.delta, NAMES), f"{expectations.alone.delta:.6f}"),
                "yes" if pair.name.title in helpful else "",
            )
        )
    return Table(
        "Expectations of each treebank" if several else "Expectations",
        ("construction", "expected", "probability", "difference", "mean\nalone", "properties\nhelp"),
        tuple(rows),
        explanation="Difference: UAS, each parser tested on its own annotation, in points, with the interval "
        "that contains the true difference with 95 % by the model. Mean alone: what we would expect without "
        "properties.",
        align="<<>",
    )  # fmt: skip


def _cells(expectation: Expectation) -> tuple[str | TableCell, ...]:
    """Return side, probability and difference of an expectation."""
    low, high = expectation.interval
    difference = Difference(None, None, expectation.delta, low=low, high=high)
    likely = max(expectation.probability, 1 - expectation.probability)
    return (
        NAMES[expectation.side],
        TableCell(percentage(likely), f"{expectation.probability:.6f}"),
        TableCell(name_difference(difference, NAMES), f"{expectation.delta:.6f}"),
    )


def agreement_section(held: Sequence[HeldPair], unknown: Sequence[str] = ()) -> Section:
    """Return how expectations agree with results: of one treebank in a line for each construction, of several
    in shares of those that the model was not fitted to.

    Args:
        held: the pairs of which we expected something, with the results.
        unknown: the constructions that were compared, too, and that the model does not know.
    """
    treebanks = {(pair.pair.name.treebank, pair.pair.name.release) for pair in held}
    beyond = [f"The model does not know {join_words(unknown)}."] if unknown else []
    if len(treebanks) == 1:
        fitted = [KNOWN] if held[0].pair.is_fitted else []
        return Section(HEADING, (*fitted, *map(_describe_agreement, held), *beyond))
    unseen = [pair for pair in held if not pair.pair.is_fitted]
    known = len({pair.pair.name.treebank for pair in held if pair.pair.is_fitted})
    left_out = [f"Left out: {count_noun(known, 'treebank')} that the model was fitted to."] if known else []
    if not unseen:
        return Section(HEADING, (*left_out, "No result is left: name treebanks that the model has not seen."))
    whole = summarise(unseen)
    sentences = (*_describe_shares(whole), *left_out, *beyond)
    rows = [("all", *_agreement_cells(whole))]
    for title in dict.fromkeys(pair.pair.name.title for pair in unseen):
        of_construction = [pair for pair in unseen if pair.pair.name.title == title]
        rows.append((title, *_agreement_cells(summarise(of_construction))))
    table = Table(
        "Expectations and results",
        ("construction", "results", "hits", "alone", "clear", "hits", "alone", "Brier", "alone", "in range"),
        tuple(rows),
        explanation="Hits: the expected side is ahead. Alone: by the mean alone. Clear: results with a clear "
        "difference. In range: measured differences in the interval in which the model expected them.",
        align="<>",
    )  # fmt: skip
    return Section(HEADING, sentences, (table,))


def _describe_agreement(held: HeldPair) -> str:
    """Return what was expected of a construction, what was measured, and whether they agree."""
    expected, measured = held.expectations.by_properties, held.measured
    likely = percentage(max(expected.probability, 1 - expected.probability))
    low, high = expected.interval
    expectation = Difference(None, None, expected.delta, low=low, high=high)
    agrees = "favours the same side" if held.agrees else "favours the other side"
    if not measured.is_clear:
        agrees += ", but not clearly"
    within = "within" if held.is_covered else "outside"
    return (
        f"{held.pair.name.title}: the trees alone let us expect {name_difference(expectation, NAMES)} "
        f"(probability {likely}). The result, {name_difference(measured, NAMES)}, {agrees}. It is {within} "
        "the range that we expected."
    )


def _describe_shares(whole: AgreementScores) -> Iterator[str]:
    """Yield how many expectations agree with results, beside those of the mean alone."""
    yield (
        f"The expected side is ahead in {_share(whole.hits)} of {count_noun(whole.pairs, 'result')} "
        f"(by the mean alone: {_share(whole.hits_alone)})."
    )
    if whole.clear_hits is not None and whole.clear_hits_alone is not None:
        yield (
            f"Of {count_noun(whole.clear, 'clear result')} it is ahead in {_share(whole.clear_hits)} "
            f"(by the mean alone: {_share(whole.clear_hits_alone)})."
        )
    yield (
        f"Brier score: {whole.brier.value:.3f} (by the mean alone: {whole.brier_alone.value:.3f}; 0.25 is "
        "chance). Lower is better."
    )
    yield (
        f"Beyond the noise of measuring, properties remove {_share(whole.explained)} of the squared error of "
        "the mean alone."
    )


def _agreement_cells(agreement: AgreementScores) -> tuple[str, ...]:
    """Return the numbers of an agreement for a table."""
    clear, clear_alone = agreement.clear_hits, agreement.clear_hits_alone
    return (
        str(agreement.pairs),
        percentage(agreement.hits.value),
        percentage(agreement.hits_alone.value),
        str(agreement.clear),
        percentage(None if clear is None else clear.value),
        percentage(None if clear_alone is None else clear_alone.value),
        number(agreement.brier.value, ".3f"),
        number(agreement.brier_alone.value, ".3f"),
        percentage(agreement.covered.value),
    )


def _share(interval: Interval95) -> str:
    """Return a share with its interval: `74 % (66 to 81)`."""
    text = percentage(interval.value).replace("-", "−")
    if interval.low is None or interval.high is None:
        return text
    low, high = (f"{100 * bound:.0f}".replace("-", "−") for bound in (interval.low, interval.high))
    return f"{text} ({low} to {high})"
